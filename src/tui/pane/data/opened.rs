//! Decides which parts are open by default.

use super::super::block::Listed;
use super::super::block::Part;
use std::collections::HashMap;

/// Lowest priority that is opened even if there is no room: the error, and the current stage.
const ALWAYS: u8 = 1;

/// The parts to open. The first level of each part is opened while there is room, in order of importance; the current
/// stage is opened in any case. Then all levels are opened in the same order. The selected part, `asked`, comes first.
pub(super) fn opened(
    listed: &mut [Listed],
    height: usize,
    asked: Option<Part>,
) -> HashMap<Part, bool> {
    let mut open = HashMap::new();
    let mut used = listed.len();
    let mut order: Vec<&mut Listed> = listed
        .iter_mut()
        .filter(|listed| listed.block.open)
        .collect();
    order.sort_by_key(|listed| (Some(listed.block.part) != asked, listed.block.rank));
    for listed in &mut order {
        listed.set(false, true);
        let more = listed.full().saturating_sub(1);
        if used + more <= height || open.is_empty() || listed.block.rank <= ALWAYS {
            used += more;
            open.insert(listed.block.part, true);
        }
    }
    for listed in order {
        let Some(shallow) = open.get_mut(&listed.block.part) else {
            continue;
        };
        let before = listed.full();
        listed.set(false, false);
        let more = listed.full().saturating_sub(before);
        if used + more <= height {
            used += more;
            *shallow = false;
        }
    }
    open
}
