//! Replies, refusals and outputs of a session as sentences for the debug console.
//!
//! It must not know which request they came from.

use crate::launch::{Field, LaunchError, Note};
use crate::session::reply::{Resolved, Toggle, Unverified, WayBack};
use crate::session::{Output, Refused, Reply, Switch};
use crate::wording;

/// What a command did; `None` where that is seen anyway.
#[must_use]
pub(super) fn reply(reply: &Reply) -> Option<String> {
    Some(match reply {
        Reply::Done | Reply::Begun | Reply::Travels(_) | Reply::Focus(_) => return None,
        Reply::Reloaded { errors: 0 } | Reply::Restarted { typed: 0, files: 0 } => return None,
        Reply::Watched { text, value } => match value {
            Ok(value) => format!("{text} = {}", crate::query::abridged(value, 1000)),
            Err(problem) => format!("{text}: {problem}"),
        },
        Reply::Breakpoint(resolved) => set(resolved)?,
        Reply::Breakpoints(all) => {
            let all: Vec<String> = all.iter().filter_map(set).collect();
            return (!all.is_empty()).then(|| all.join("; "));
        }
        Reply::Toggled { toggle, moved } => {
            let what = match toggle {
                Toggle::Set(resolved) => set(resolved)?,
                Toggle::Gone(id) => format!("breakpoint {} is gone", id.0),
                Toggle::Switched(id, Switch::On) => format!("breakpoint {} is on", id.0),
                Toggle::Switched(id, Switch::Off) => format!("breakpoint {} is off", id.0),
            };
            match moved {
                None => what,
                Some((line, own)) => {
                    format!("{what}; line {line} has nothing that happens; taken for line {own}")
                }
            }
        }
        Reply::Edited(stage) => format!("{} is changed; the run goes on from it", stage.name()),
        Reply::Answered => "answered; continue, next or step goes on with it".to_owned(),
        Reply::AnsweredAll { count, rule } => {
            format!("{count} answered, and {rule} from now on")
        }
        Reply::RuleGone { rule } => format!("{rule}: no longer answered from now on"),
        Reply::Restarted { typed, files } => {
            let parts = [(typed, "typed answers"), (files, "answers of files")];
            let parts = parts.iter().filter(|(count, _)| **count > 0);
            let parts: Vec<String> = parts
                .map(|(count, what)| format!("{count} {what}"))
                .collect();
            format!("{} are kept; restart! drops them", parts.join(" and "))
        }
        Reply::Reloaded { errors } => {
            format!("reloaded, with {errors} errors that AWS would refuse")
        }
    })
}

/// A breakpoint that was set.
fn set(resolved: &Resolved) -> Option<String> {
    let (id, at) = (resolved.id?, resolved.at.as_ref()?);
    Some(format!("breakpoint {}: {}", id.0, wording::location(at)))
}

/// Why a breakpoint can never stop as things are.
#[must_use]
pub(super) fn unverified(why: &Unverified) -> String {
    match why {
        Unverified::LineWithoutState(_) => "this line belongs to no state".to_owned(),
        Unverified::NoState(name) => format!("no state is named {name}"),
        Unverified::NoPart => "the state has no such part any more".to_owned(),
    }
}

/// Why a command was not done.
#[must_use]
pub(super) fn refused(refused: &Refused) -> String {
    match refused {
        Refused::Over => "the run is over: restart runs it again, stepping back goes back".into(),
        Refused::NothingRan => "nothing has run yet".to_owned(),
        Refused::NoPlace(stage, at) => {
            format!("{} has no place {at} to put a value in", stage.name())
        }
        Refused::FrameNotLive(_) => "that frame does not run at this event".to_owned(),
        Refused::Outermost => "this is the outermost frame".to_owned(),
        Refused::NoChild => "this frame has no running child".to_owned(),
        Refused::NoSibling => "there is no running sibling that way".to_owned(),
        Refused::NotAsked => "this task does not wait for an answer here".to_owned(),
        Refused::NoResource => "only a Task has a Resource; answer this state instead".to_owned(),
        Refused::Condition(problem) => problem.clone(),
        Refused::NothingEntered => "no state was entered yet".to_owned(),
        Refused::InsideGroup(name) => format!(
            "{name} stands inside a Parallel or Map; a run begins at a state of the machine itself"
        ),
        Refused::NoState => "there is no such state".to_owned(),
        Refused::LineWithoutState(line) => format!("line {line} belongs to no state"),
        Refused::NoBreakpoint(id) => format!("there is no breakpoint {}", id.0),
        Refused::NoWatch(place) => format!("no watch is {}", place.saturating_add(1)),
        Refused::NoAnswerRule(_) => "there is no such answer".to_owned(),
        Refused::NoMapFailed => "no Map has failed up to here".to_owned(),
        Refused::MapFailedEarly => "the Map failed before any item began".to_owned(),
        Refused::ItemNotBegun(index) => format!("item {index} has not begun"),
        Refused::Expression { text, problem } => format!("{text}: {problem}"),
        Refused::NothingRecorded => {
            "nothing more is recorded in this frame; step and next go on".to_owned()
        }
        Refused::NoEvent { last } => format!("the recorded events are 0 to {last}"),
        Refused::NoAttempt(number) => {
            format!("attempt {number} is not in the recorded events before this one")
        }
        Refused::NothingMissing => "no path found nothing here".to_owned(),
        Refused::Blocking {
            count,
            line,
            message,
        } => {
            let count = match count {
                1 => "1 error".to_owned(),
                many => format!("{many} errors"),
            };
            let line = line.map_or_else(String::new, |line| format!(", line {line}"));
            format!("reload: {count}{line}: {message}; the definition before it stays in force")
        }
    }
}

/// What came up, and the category in which it is shown.
#[must_use]
pub(super) fn output(output: &Output) -> (&'static str, String) {
    let text = match output {
        Output::LogPoint(point) => point.text.clone(),
        Output::Condition {
            breakpoint,
            problem,
            ..
        } => {
            return (
                "important",
                format!("breakpoint {}: {problem}", breakpoint.0),
            );
        }
        Output::Forked { after, run } => {
            format!("what was recorded after event {after} is given up; this is run {run}")
        }
        Output::FocusMoved { name, .. } => format!("switched to {name}"),
        Output::LeftOpen(states) => match states.as_slice() {
            [] => String::new(),
            [only] => format!("{only} waits for an answer"),
            [first, rest @ ..] => format!("{first} and {} more wait for an answer", rest.len()),
        },
        Output::Differs {
            run,
            from,
            stood,
            back,
        } => {
            let text = format!(
                "run {run} differs from event {from} on; the run before it stood at {stood}"
            );
            match back {
                None => text,
                Some(WayBack { state, set: None }) => {
                    format!("{text}, in {state}, where a breakpoint stands")
                }
                Some(WayBack {
                    state,
                    set: Some(_),
                }) => {
                    format!("{text}, in {state}: continue stops there once")
                }
            }
        }
        Output::EditsDropped(count) => {
            format!("{count} edits found no place in the new run and are dropped")
        }
        Output::FailuresCount => {
            "the run before ran on over the failures of a Map; this one does not".to_owned()
        }
        Output::IgnoresFailures { run, map } => {
            format!("run {run} runs all items of {map}, whatever fails; AWS would not")
        }
        Output::NoItemsAtWork => {
            return ("important", "the Map has no items at work here".to_owned());
        }
        Output::Origin { text, leads_on } => match leads_on {
            true => format!("{text}; who follows, now returns"),
            false => format!("{text}; now returns"),
        },
        Output::Absent(text) => return ("important", format!("{text}; now returns")),
        Output::NotReached(state) => {
            format!("{state} was not reached: the run ended before it")
        }
        Output::Remark(remark) => wording::remark(remark),
        Output::NoAnswer(why) => return ("important", why.to_string()),
    };
    ("console", text)
}

/// What a person is told of how the run was begun.
#[must_use]
pub(super) fn note(note: &Note) -> Option<String> {
    match note {
        Note::Several { place, count } => {
            Some(format!("{} holds {count} definitions", place.display()))
        }
        Note::Skipped(text) => Some(text.clone()),
        Note::NoInput { reads } => {
            let shown: Vec<&str> = reads.iter().take(6).map(String::as_str).collect();
            let more = if reads.len() > shown.len() {
                " …"
            } else {
                ""
            };
            Some(format!(
                "no input was found, so it is {{}}; the definition reads {}{more}; \"input\" of the launch configuration gives one",
                shown.join(", ")
            ))
        }
        Note::Restored(restored) => wording::restored(*restored),
    }
}

/// The name that a field has in a launch configuration.
fn setting(field: Field) -> &'static str {
    match field {
        Field::Input => "input",
        Field::Mock => "mock",
        Field::StateMachine => "stateMachine",
        Field::SetFile => "setFiles",
        Field::Context => "context",
        Field::StartTime => "startTime",
        Field::StartAt => "startAt",
        Field::Variable => "variables",
        Field::Child => "children",
    }
}

const FIELDS: [Field; 9] = [
    Field::Input,
    Field::Mock,
    Field::StateMachine,
    Field::SetFile,
    Field::Context,
    Field::StartTime,
    Field::StartAt,
    Field::Variable,
    Field::Child,
];

/// Why nothing could be launched, fields named as a launch configuration has them.
#[must_use]
pub(super) fn launch_error(error: &LaunchError) -> String {
    let text = error.to_string();
    FIELDS.into_iter().fold(text, |text, field| {
        text.replace(&field.to_string(), setting(field))
    })
}
