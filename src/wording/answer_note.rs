//! Sentences about how requests were answered.

use super::event::{no_items, no_wait};
use crate::definition::Unit;
use crate::session::Remark;

/// A remark for the user on how a request was answered.
#[must_use]
pub fn remark(remark: &Remark) -> String {
    match remark {
        Remark::OtherData(state) => format!(
            "{state} is called with different data than before: the old answer is offered but not used"
        ),
        Remark::OtherThanRecorded(state) => format!(
            "{state} is called with different data than in the recording: the recorded answer is not used"
        ),
        Remark::MockedAlike {
            state,
            response,
            number,
        } => format!(
            "{state} is called with different data than before the reload; mock {response} #{number} still answers it"
        ),
        Remark::NothingToEcho(state) => {
            format!("the ItemReader of {state} fails: it has nothing to read and no input to echo")
        }
        Remark::EchoesInstead { state, why } => format!("{why}; {state} returns its input"),
        Remark::ChildFailed { child, failure } => {
            format!("the child {child}, which no task waits for, failed: {failure}")
        }
        Remark::NoItems(state, why) => format!("{state} had {}", no_items(why, Unit::Item)),
        Remark::Misfit { state, line, text } => misfit(state, *line, text),
        Remark::NoWait(state, why) => format!("{state}: {}", no_wait(why)),
        Remark::Differs { state, line, aws } => {
            let line = line.map_or_else(String::new, |line| format!(" (line {line})"));
            format!("{state}{line}: spec and AWS behave differently here; on AWS: {aws}")
        }
        Remark::ChildAbandoned(why) => format!("{why} (no task waits for it)"),
    }
}

/// Text such as `Pay? (line 30): a rule cannot match: $.n ("5") > 1: the value is a string, ...`.
#[must_use]
pub fn misfit(state: &str, line: Option<usize>, text: &str) -> String {
    let line = line.map_or_else(String::new, |line| format!(" (line {line})"));
    format!("{state}{line}: a rule cannot match: {text}")
}
