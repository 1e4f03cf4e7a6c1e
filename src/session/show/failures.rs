//! Counts failed items: each failure counts once, for the innermost item or batch that it failed.

use crate::definition::Unit;
use crate::interpreter::FrameId;
use std::collections::HashMap;

/// Failures that have not been handled yet, by the frame of the Parallel or Map state whose child failed.
#[derive(Default)]
pub(super) struct Failures {
    open: HashMap<FrameId, u64>,
}

impl Failures {
    /// Records that an item failed, or a branch if `own` is `None`. Returns the unit to count; `None` if a failure
    /// inside it has already been counted.
    pub(super) fn take(
        &mut self,
        child: FrameId,
        parent: Option<FrameId>,
        own: Option<Unit>,
    ) -> Option<Unit> {
        let inner = self.open.remove(&child).unwrap_or(0);
        let counted = own.filter(|_| inner == 0);
        let all = inner + u64::from(counted.is_some());
        if let Some(parent) = parent.filter(|_| all > 0) {
            *self.open.entry(parent).or_default() += all;
        }
        counted
    }

    /// Records that a frame continued despite failures in its Parallel or Map state; returns their number.
    pub(super) fn settle(&mut self, frame: FrameId) -> u64 {
        self.open.remove(&frame).unwrap_or(0)
    }
}
