//! What AWS does otherwise than the specification at an event of a run that follows the specification.
//!
//! It must not know where a run stops, nor how it is shown.

use super::show::otherwise;
use crate::interpreter::{Event, EventKind, Machine};
use crate::json::Text;

/// `States.Runtime, cannot be caught`; `None` where both come to the same.
pub(super) fn on_aws(machine: &Machine, event: &Event) -> Option<Text> {
    let frame = machine.frame(event.frame)?;
    if let Some(difference) = frame.difference.filter(|_| event.diverges) {
        return Some(match otherwise(machine, frame, event) {
            Some(field) => field.text().into(),
            None => difference.text().into(),
        });
    }
    if event.kind != EventKind::ErrorRaised {
        return None;
    }
    // Seen where it arose, not again in every Parallel and Map around it.
    let (fault, _) = frame.visit.fault.as_ref()?;
    let is_own = !fault.from_branch;
    let aws = fault.aws.as_ref().filter(|_| is_own);
    aws.map(|aws| aws.text().into())
}
