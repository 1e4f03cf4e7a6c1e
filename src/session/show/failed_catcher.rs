//! A catcher that took an error and failed itself: its ResultPath finds no place in the input, or its Output cannot be
//! evaluated.
//!
//! It must not know what it is shown beside.

use super::explain::Why;
use crate::definition::{Definition, ResultPath, State};
use crate::interpreter::{Fault, Frame, Stage, catcher_for};
use crate::query::Profile;

/// The catcher in which the error of a frame arose, by its index.
pub(super) fn failed_catcher(state: &State, frame: &Frame, profile: Profile) -> Option<usize> {
    let (fault, stage) = frame.visit.fault.as_ref()?;
    if fault.name() == "States.QueryEvaluationError" {
        let at = frame.visit.failed_at()?;
        let (index, _) = at.strip_prefix("Catch[")?.split_once(']')?;
        return index.parse().ok();
    }
    // The state's own ResultPath fails in a stage of its own.
    let is_own = *stage == Some(Stage::Output) && fault.name() == "States.ResultPathMatchFailure";
    let taken = frame.visit.attempts.last().filter(|_| is_own)?;
    let taken = Fault::task(taken.error.clone()?, "");
    catcher_for(&state.catch, &taken, profile)
}

/// Why its ResultPath failed.
pub(super) fn result_path(
    definition: &Definition,
    state: &State,
    frame: &Frame,
    profile: Profile,
) -> Option<Why> {
    let place = failed_catcher(state, frame, profile)?;
    let catcher = state.catch.get(place)?;
    let ResultPath::Insert(path) = &catcher.result_path else {
        return None;
    };
    let node = definition.node.at(catcher.span);
    let written = node.and_then(|node| node.get("ResultPath"));
    let input = frame.visit.data.latest(Stage::Input);
    let taken = frame.visit.attempts.last()?.error.clone()?;
    Some(Why {
        span: Some(written.map_or(catcher.span, |node| node.span)),
        headline: Some(format!(
            "Catch[{place}] takes {taken}, and its ResultPath {} has no place in the input, of type {}",
            path.text(),
            input.type_name()
        )),
        lines: Vec::new(),
    })
}
