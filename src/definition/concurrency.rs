//! Finds the field that limits the concurrency of a Map.

use super::{Field, Quantity, State, StateKind};

impl State {
    /// The field that limits the concurrency to `at_once` items; `None` if no field does.
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
