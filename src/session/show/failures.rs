//! Which failures of items there were: each counts once, for the innermost item or batch that it failed.

use crate::definition::Unit;
use crate::interpreter::FrameId;
use std::collections::HashMap;

/// The failures that what is around them has not dealt with, each at the frame whose Parallel or Map it failed a child of.
#[derive(Default)]
pub(super) struct Failures {
    open: HashMap<FrameId, u64>,
}

impl Failures {
    /// Takes in that an item, or where `own` is none a branch, failed. What is counted: nothing where a failure inside of it
    /// is counted already.
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

    /// A frame goes on in spite of the failures in its Parallel or Map: how many those were.
    pub(super) fn settle(&mut self, frame: FrameId) -> u64 {
        self.open.remove(&frame).unwrap_or(0)
    }
}
