//! Map Runs: progress of the items of a DISTRIBUTED Map.

use super::standing::Standing;
use serde_json::{Value, json};

/// A Map Run.
#[derive(Clone, Debug)]
pub(super) struct MapRun {
    pub(super) arn: String,
    pub(super) started: i64,
    pub(super) stopped: Option<i64>,
    pub(super) standing: Standing,
    pub(super) total: u64,
    pub(super) begun: u64,
    pub(super) succeeded: u64,
    pub(super) failed: u64,
    pub(super) aborted: u64,
    pub(super) max_concurrency: u64,
    pub(super) tolerated_count: u64,
    pub(super) tolerated_percentage: f64,
}

impl MapRun {
    pub(super) fn counts(&self) -> Value {
        let over = self.succeeded + self.failed + self.aborted;
        json!({
            "pending": self.total.saturating_sub(self.begun),
            "running": self.begun.saturating_sub(over),
            "succeeded": self.succeeded,
            "failed": self.failed,
            "timedOut": 0,
            "aborted": self.aborted,
            "total": self.total,
            "resultsWritten": self.succeeded + self.failed,
        })
    }
}
