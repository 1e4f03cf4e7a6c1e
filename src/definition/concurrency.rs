//! Which field of a Map lets no more of its items run at once.
//!
//! It must not know a run.

use super::{Field, Quantity, State, StateKind};

impl State {
    /// The field by which so many items of a Map run at once; `None` where no Map of its kind runs more.
    #[must_use]
    pub fn concurrency_field(&self, at_once: u32) -> Option<&Field> {
        let StateKind::Map(map) = &self.kind else {
            return None;
        };
        match map.max_concurrency.as_ref()? {
            Quantity::Constant(most) if *most != u64::from(at_once) => None,
            Quantity::Path(_) => self.field("MaxConcurrencyPath"),
            _ => self.field("MaxConcurrency"),
        }
    }
}
