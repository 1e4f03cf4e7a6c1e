//! What a session says, in sentences that every front end has in common.
//!
//! It must not know keys, commands or options: what names those is said by the front end that has them.

mod absent;
mod event;
mod led;
mod onward;
mod origin;
mod reply;
mod timeout;
mod written_place;

pub use absent::{Missing, absent};
pub use event::{detail, inner, items_failed, no_items, no_wait, title};
pub use led::{led, led_caught, led_here, led_way, spent};
pub use origin::{answered_by, raised_at, stop};
pub use reply::{Way, Ways, Weight, output, refused, reply, unverified};
pub use timeout::{concurrency, cut_wait, limit_in_short, timed_out, timed_out_by};

use crate::definition::Unit;
use crate::launch::Note;
use crate::session::{Location, Part, Remark, Restored};

/// What a person should know of how questions came to their answers.
#[must_use]
pub fn remark(remark: &Remark) -> String {
    match remark {
        Remark::OtherData(state) => format!(
            "{state} is called with different data than before: its old answer is offered, not used"
        ),
        Remark::OtherThanRecorded(state) => format!(
            "{state} is called with different data than in the recording: the recorded answer is not used"
        ),
        Remark::MockedAlike {
            state,
            response,
            number,
        } => format!(
            "{state} is called with different data than before the reload; mock {response} #{number} answers it as before"
        ),
        Remark::NothingToEcho(state) => {
            format!("the ItemReader of {state} has nothing to read and no input to echo: it fails")
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

/// `Pay? (line 30): a rule cannot match: $.n ("5") > 1: the value is a string, ...`.
#[must_use]
pub fn misfit(state: &str, line: Option<usize>, text: &str) -> String {
    let line = line.map_or_else(String::new, |line| format!(" (line {line})"));
    format!("{state}{line}: a rule cannot match: {text}")
}

/// Where a breakpoint stands, with what kind of place it is where the place alone does not say so.
#[must_use]
pub fn location(location: &Location) -> String {
    let kind = match location {
        Location::State(_) => "state ",
        Location::Error(..) => "error ",
        Location::Data(_) => "data ",
        Location::Part(..) | Location::Item(..) => "",
    };
    format!("{kind}{}", place(location))
}

/// The place alone: a state's path and what of it, a moment and a pattern, a path of data.
#[must_use]
pub fn place(location: &Location) -> String {
    match location {
        Location::State(path) => path.to_string(),
        Location::Part(path, part) => match part {
            Part::Field(name) => format!("{path} {name}"),
            Part::Retrier(index) => format!("{path} Retry[{index}]"),
            Part::Catcher(index) => format!("{path} Catch[{index}]"),
            Part::Rule(index) => format!("{path} rule {index}"),
            Part::Default => format!("{path} Default"),
        },
        Location::Item(path, index) => format!("{path}[{index}]"),
        Location::Error(moment, pattern) => format!("{moment} {pattern}"),
        Location::Data(path) => format!("{path} changes"),
    }
}

/// `3 points, 1 watch restored`; `None` where nothing was.
#[must_use]
pub fn restored(restored: Restored) -> Option<String> {
    let parts = [
        (restored.points, "point", "points"),
        (restored.watches, "watch", "watches"),
        (restored.answers, "answer", "answers"),
    ];
    let parts = parts.iter().filter(|(number, ..)| *number > 0);
    let parts: Vec<String> = parts
        .map(|(number, one, many)| format!("{number} {}", if *number == 1 { one } else { many }))
        .collect();
    (!parts.is_empty()).then(|| format!("{} restored", parts.join(", ")))
}

/// What a person should know of how a run was begun; `input` says how the front end is given an input.
#[must_use]
pub fn note(note: &Note, input: &str) -> Option<String> {
    match note {
        Note::Several { place, count } => {
            Some(format!("{} holds {count} definitions", place.display()))
        }
        Note::Skipped(text) | Note::Recording(text) | Note::Test(text) => Some(text.clone()),
        Note::NoInput { reads } => {
            let shown: Vec<&str> = reads.iter().take(6).map(String::as_str).collect();
            let more = if reads.len() > shown.len() {
                " …"
            } else {
                ""
            };
            let reads = shown.join(", ");
            Some(format!(
                "no input was found, so it is {{}}; the definition reads {reads}{more}; {input}"
            ))
        }
        Note::Restored(all) => restored(*all),
    }
}
