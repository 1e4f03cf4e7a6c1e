//! Catchers that matched an error and failed themselves: their ResultPath cannot be applied to the input, or their
//! Output cannot be evaluated.

use super::why::Why;
use crate::definition::{Catcher, Definition, ResultPath, State};
use crate::interpreter::{Frame, Stage};
use crate::json::Value;
use crate::session::finding::Finding;

/// A note that a catcher's ResultPath cannot be applied to the input: `its ResultPath $.error has no place in the
/// input, of type array`.
pub(in crate::session) fn no_place(catcher: &Catcher, frame: &Frame) -> Option<String> {
    let ResultPath::Insert(path) = &catcher.result_path else {
        return None;
    };
    let input = frame.visit.data.latest(Stage::Input);
    path.insert(&input, Value::Null).err()?;
    Some(format!(
        "its ResultPath {} cannot insert into the input, of type {}",
        path.text(),
        input.type_name()
    ))
}

/// Why the ResultPath of the catcher failed.
pub(in crate::session) fn result_path(
    definition: &Definition,
    state: &State,
    frame: &Frame,
) -> Option<Why> {
    let (fault, _) = frame.visit.fault.as_ref()?;
    let is_own = fault.name() == "States.ResultPathMatchFailure";
    let place = frame.visit.failed_catcher().filter(|_| is_own)?;
    let catcher = state.catch.get(place)?;
    let why = no_place(catcher, frame)?;
    let node = definition.node.at(catcher.span);
    let written = node.and_then(|node| node.get("ResultPath"));
    let taken = frame.visit.attempts.last()?.error.clone()?;
    Some(Why {
        span: Some(written.map_or(catcher.span, |node| node.span)),
        finding: Some(Finding::new(
            "catcher-failed",
            format!("Catch[{place}] catches {taken}, but {why}"),
        )),
        ..Why::default()
    })
}
