//! Shows the fields of a Map that produce the items: ItemReader, BatchInput, ItemSelector and ItemBatcher.

use super::Paint;
use super::block::Note;
use crate::definition::StageGroup;
use crate::interpreter::Stage;
use crate::session::view::StageView;
use crate::source::Node;
use crate::tui::theme::Role;

/// Maximum number of members to list.
const MOST: usize = 24;

/// `ItemSelector of RenewEach`: the field that produced an item's input.
pub(super) fn of_input(paint: &Paint) -> Option<String> {
    let item = paint.view.data.item.as_ref()?;
    let map = paint.definition.state(item.map)?;
    Some(format!("{} of {}", item.field, map.name))
}

/// True if the state has an ItemReader.
pub(super) fn is_read(paint: &Paint) -> bool {
    paint.view.data.stage(Stage::AfterItemReader).is_some()
}

/// Name of an item stage.
pub(super) fn name(paint: &Paint, view: &StageView) -> Option<String> {
    Some(match (view.stage, view.item) {
        (Stage::AfterItemReader, _) => "Read from".to_owned(),
        (Stage::AfterItemsPath, _) if is_read(paint) => "Items read".to_owned(),
        (Stage::AfterBatchInput, _) => "Each batch".to_owned(),
        (Stage::AfterItemSelector, Some(index)) => format!("Item {index}"),
        (Stage::AfterItemSelector, None) => "Each item".to_owned(),
        (Stage::AfterItemBatcher, _) => "Batches".to_owned(),
        _ => return None,
    })
}

/// Members of the field that produces an item stage, before it is evaluated.
pub(super) fn fields(paint: &Paint, view: &StageView) -> Vec<Note> {
    let listed = view.stage.group() == StageGroup::Item || view.stage == Stage::AfterItemReader;
    let node = view.span.and_then(|span| paint.definition.node.at(span));
    let mut lines = Vec::new();
    if let Some(node) = node.filter(|_| listed) {
        flatten(node, "", &mut lines);
    }
    lines.into_iter().map(note).collect()
}

fn note((label, text): (String, String)) -> Note {
    Note {
        sign: "",
        label,
        text,
        role: Role::Path,
    }
}

/// Collects the members of a template that are text or literals, with their paths.
fn flatten(node: &Node, above: &str, lines: &mut Vec<(String, String)>) {
    if lines.len() >= MOST {
        return;
    }
    let Some(members) = node.members() else {
        let text = node.as_str().map(str::to_owned);
        let text = text.unwrap_or_else(|| node.to_value().to_string());
        lines.push((above.to_owned(), format!("= {text}")));
        return;
    };
    for member in members {
        let name = member.key.text.trim_end_matches(".$");
        let name = match above {
            "" => name.to_owned(),
            above => format!("{above}.{name}"),
        };
        flatten(&member.value, &name, lines);
    }
}
