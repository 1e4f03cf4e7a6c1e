//! Sentences about replies, refusals, outputs and remarks of a session. Also texts on how a run was started and where a
//! breakpoint is.

use super::event::{no_items, no_wait};
use super::failure_cause::{self, head};
use super::origin::next_stop;
use super::written_place::name_of;
use super::{absent, stop};
use crate::definition::{Definition, Unit};
use crate::launch::Note;
use crate::session::no_answer::{ChildProblem, NoAnswer};
use crate::session::origin::{Absence, Root};
use crate::session::reply::{LogPoint, Resolved, Toggle, Unverified, WayBack};
use crate::session::view::EndView;
use crate::session::{Location, Output, Part, Phrase, Refused, Remark, Reply, Restored, Switch};
use crate::source::{counted, in_line};

/// An action that a sentence suggests to the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Continue the run. The front end names all its keys for this, such as `n, s or c`.
    GoOn,
    /// Run again from the start.
    Restart,
    /// Go back to the previous stop.
    ReverseContinue,
    /// Step to the next stage or state.
    Step,
    /// Follow the origin of a value one step further.
    Follow,
    /// Return to the event at which the user asked for the origin.
    Return,
    /// Remove an answer rule: an answer that the user gave once for many requests.
    TakeBack,
    /// Give the definition of the state machine that a task starts as a child execution.
    GiveMachine,
    /// Answer a task, or change its answer.
    Answer,
}

/// Returns the front end's name of an action, such as a key; empty if the front end has no such action.
pub type Ways<'w> = &'w dyn Fn(Way) -> String;

/// How important a sentence is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// The sentence informs the user.
    Info,
    /// The sentence warns the user.
    Warning,
}

/// The text about the result of a command of the user; `None` if the user sees the result on the screen anyway.
#[must_use]
pub fn reply(reply: &Reply, ways: Ways<'_>) -> Option<String> {
    Some(match reply {
        Reply::Done | Reply::Begun | Reply::Travels(_) | Reply::Focus(_) => return None,
        Reply::Reloaded { errors: 0 } | Reply::Restarted { typed: 0, files: 0 } => return None,
        Reply::Watched { value: Ok(_), .. } => return None,
        Reply::Watched {
            text: expression,
            value: Err(problem),
        } => format!("{expression}: {problem}"),
        Reply::Breakpoint(resolved) => set(resolved)?,
        Reply::Breakpoints(all) => {
            let all: Vec<String> = all.iter().filter_map(set).collect();
            return (!all.is_empty()).then(|| all.join("; "));
        }
        Reply::Toggled { toggle, moved } => {
            let change = match toggle {
                Toggle::Set(resolved) => set(resolved)?,
                Toggle::Gone(id) => format!("breakpoint {number} removed", number = id.0),
                Toggle::Switched(id, Switch::On) => {
                    format!("breakpoint {number} enabled", number = id.0)
                }
                Toggle::Switched(id, Switch::Off) => {
                    format!("breakpoint {number} disabled", number = id.0)
                }
            };
            match moved {
                None => change,
                Some((line, actual_line)) => {
                    format!(
                        "{change}; set at line {actual_line}, because nothing happens at line {line}"
                    )
                }
            }
        }
        Reply::Edited(stage) => {
            let (stage, keys) = (stage.name(), ways(Way::GoOn));
            format!("{stage} changed; {keys} continue from this stage")
        }
        Reply::Answered => format!("answered; {keys} continue", keys = ways(Way::GoOn)),
        Reply::AnsweredAll { count, rule } => {
            let text = format!("{count} answered; {rule} will be answered from now on");
            match ways(Way::TakeBack) {
                key if key.is_empty() => text,
                key => format!("{text}; {key} removes this rule"),
            }
        }
        Reply::RuleGone { rule } => format!("{rule} will no longer be answered"),
        Reply::Restarted { typed, files } => {
            let parts = [
                (typed, "answers that you typed"),
                (files, "answers from files"),
            ];
            let parts = parts.iter().filter(|(count, _)| **count > 0);
            let parts: Vec<String> = parts
                .map(|(count, answers)| format!("{count} {answers}"))
                .collect();
            let answers = parts.join(" and ");
            format!("{answers} are kept; \"restart!\" drops them")
        }
        Reply::Reloaded { errors } => {
            format!(
                "reloaded, but {errors} errors remain, for which AWS would refuse the definition"
            )
        }
    })
}

/// Text on a breakpoint that was set; `None` if it could not be set.
fn set(resolved: &Resolved) -> Option<String> {
    let (id, at) = (resolved.id?, resolved.at.as_ref()?);
    let (number, location) = (id.0, location(at));
    Some(format!("breakpoint {number}: {location}"))
}

/// Why a breakpoint can never stop in the current definition.
#[must_use]
pub fn unverified(why: &Unverified) -> String {
    match why {
        Unverified::LineWithoutState(_) => "this line belongs to no state".to_owned(),
        Unverified::NoState(name) => format!("no state is named {name}"),
        Unverified::NoPart => "the state no longer has this field".to_owned(),
        Unverified::Condition(why) => why.clone(),
    }
}

/// Why a command is refused, and how important this text is.
#[must_use]
pub fn refused(refused: &Refused, ways: Ways<'_>) -> (String, Weight) {
    let text = match refused {
        Refused::Over => {
            let (restart, back) = (ways(Way::Restart), ways(Way::ReverseContinue));
            let text = format!("the run is over: {restart} runs it again, {back} goes back");
            return (text, Weight::Info);
        }
        Refused::NothingRan => "nothing has run yet".to_owned(),
        Refused::NoPlace(stage, path) => {
            format!(
                "{stage} cannot have a value at {path}",
                stage = stage.name()
            )
        }
        Refused::IsItemInput(index) => {
            let item = index.map_or_else(|| "the item".to_owned(), |index| format!("item {index}"));
            format!("to change the input of {item}, step into {item} and edit the input there")
        }
        Refused::FrameNotLive(_) => "that frame is not running at this event".to_owned(),
        Refused::Outermost => "this is the outermost frame".to_owned(),
        Refused::NoChild => "this frame has no item or branch".to_owned(),
        Refused::NoSibling => {
            "no item or branch was recorded in that direction; \"u\" goes to the Map or Parallel"
                .to_owned()
        }
        Refused::NotAsked => "this task is not waiting for an answer at this event".to_owned(),
        Refused::NoResource => "only a Task has a Resource; answer this state instead".to_owned(),
        Refused::Condition(problem) => problem.clone(),
        Refused::NothingEntered => "no state has been entered yet".to_owned(),
        Refused::InsideGroup(name) => {
            format!("{name} is inside a Parallel or Map; a run can begin only at a top-level state")
        }
        Refused::NoState => "there is no such state".to_owned(),
        Refused::LineWithoutState(line) => format!("line {line} belongs to no state"),
        Refused::NoBreakpoint(id) => {
            format!("there is no breakpoint {number}", number = id.0)
        }
        Refused::NoWatch(place) => format!("there is no watch {number}", number = place + 1),
        Refused::NoAnswerRule(_) => "there is no such answer rule".to_owned(),
        Refused::NoMapFailed => "no Map has failed so far".to_owned(),
        Refused::MapFailedEarly => "the Map failed before any item started".to_owned(),
        Refused::ItemNotBegun(unit, index) => format!("{unit} {index} has not started"),
        Refused::Expression {
            text: expression,
            problem,
        } => format!("{expression}: {problem}"),
        Refused::NothingMissing => "at this event, no path failed to find a value".to_owned(),
        Refused::NotReached(_) => "this state has not been reached so far".to_owned(),
        Refused::NothingRecorded => {
            let keys = ways(Way::Step);
            format!("this is the last recorded event of the frame; {keys} continue")
        }
        Refused::NoEvent { last } => {
            format!("there is no such event: the recorded events are 0 to {last}")
        }
        Refused::NoAttempt(number) => {
            format!("attempt {number} was not recorded before this event")
        }
        Refused::Blocking {
            count,
            line,
            message,
        } => {
            let errors = counted(*count, "error");
            let at_line = line.map_or_else(String::new, |line| format!(", line {line}"));
            format!("reload: {errors}{at_line}: {message}; still running the last valid version")
        }
    };
    (text, Weight::Warning)
}

/// Text of an output, and how important this text is.
#[must_use]
pub fn output(output: &Output, definition: &Definition, ways: Ways<'_>) -> (String, Weight) {
    let text = match output {
        Output::LogPoint(LogPoint { text, .. }) => text.clone(),
        Output::Condition {
            breakpoint,
            problem,
            ..
        } => {
            let text = format!("breakpoint {number}: {problem}", number = breakpoint.0);
            return (text, Weight::Warning);
        }
        Output::Forked { after: event, run } => {
            format!("events after {event} are discarded; this is run {run}")
        }
        Output::FocusMoved { name: frame, .. } => format!("switched to {frame}"),
        Output::LeftOpen(states) => match states.as_slice() {
            [] => String::new(),
            [state] => format!("{state} waits for an answer"),
            [state, rest @ ..] => {
                let count = rest.len();
                format!("{state} and {count} more tasks wait for an answer")
            }
        },
        Output::Differs {
            run,
            what: difference,
            from: event,
            stood: place,
            back,
        } => {
            let text = format!(
                "run {run} differs from event {event} on: {difference}; the previous run was at {place}"
            );
            match back {
                None => text,
                Some(WayBack { state, set: None }) => {
                    format!("{text}, in {state}, at a breakpoint")
                }
                Some(WayBack {
                    state,
                    set: Some(_),
                }) => format!("{text}, in {state}; a one-time breakpoint was set there"),
            }
        }
        Output::EditsDropped(count) => {
            format!("{count} edits do not apply to the new run and were dropped")
        }
        Output::FailuresCount => {
            "the previous run ignored a Map's failures; this run does not".to_owned()
        }
        Output::IgnoresFailures { run, map, unit } => {
            format!("run {run} runs every {unit} of {map} despite failures, which AWS would not do")
        }
        Output::NoItemsAtWork => {
            let text = "no items of the Map are running here".to_owned();
            return (text, Weight::Warning);
        }
        Output::Origin { .. } => {
            let said = origin(output, definition, ways);
            said.map_or_else(String::new, |said| said.to_string())
        }
        Output::Absent(why) => {
            let text = absent(why, definition).whole().to_string();
            let text = match &why.absence {
                _ if why.now().is_some() => {
                    let (follow, back) = (ways(Way::Follow), ways(Way::Return));
                    format!("{text}; {follow} follows the value, {back} returns")
                }
                Absence::Dropped(_) | Absence::Withheld(_) => {
                    format!("{text}; {back} returns", back = ways(Way::Return))
                }
                Absence::Never => text,
            };
            return (text, Weight::Warning);
        }
        Output::NotReached(state) => {
            format!("{state} was not reached: the run ended before this state")
        }
        Output::Remark(about @ Remark::MockedAlike { .. }) => match ways(Way::Answer) {
            key if key.is_empty() => remark(about),
            key => format!(
                "{remark}; press {key} at the call to change the answer",
                remark = remark(about)
            ),
        },
        Output::Remark(about) => remark(about),
        Output::NoAnswer(why) => return (no_answer(why, ways), Weight::Warning),
    };
    (text, Weight::Info)
}

/// Describes one point in the chain of a value's origin, and says how to follow the chain further. `None` for an output
/// that is not about an origin.
#[must_use]
pub fn origin(output: &Output, definition: &Definition, ways: Ways<'_>) -> Option<Phrase> {
    let Output::Origin {
        origin,
        place,
        onward,
        next,
    } = output
    else {
        return None;
    };
    let head = onward
        .as_ref()
        .map(|onward| head(onward, *place == 0, definition));
    let said = Phrase::from(head.unwrap_or_default()).join(stop(origin, *place, definition));
    let (follow, back) = (ways(Way::Follow), ways(Way::Return));
    Some(match (origin.goes_on(*place), next) {
        (true, _) => {
            let next = next_stop(origin, *place, definition);
            said.and(format!("; {follow} {next}, {back} returns"))
        }
        // If the user asks again at the end of the chain, the text begins by saying that the chain ends here.
        (false, None) if *place > 0 && *place >= origin.stops() => {
            let said = Phrase::from("The trail ends here: ".to_owned()).join(said);
            said.and(format!("; {back} returns"))
        }
        (false, None) => said.and(format!("; the trail ends here, {back} returns")),
        (false, Some(next)) => {
            let is_at_fields =
                matches!(origin.root, Root::Fields(_)) && *place + 1 == origin.writes.len();
            let or = match is_at_fields {
                true => " or the field you select",
                false => "",
            };
            let next = failure_cause::next(next, definition);
            said.and(format!("; {follow} {next}{or}, {back} returns"))
        }
    })
}

/// Why a task or another question of the run has no answer, and which action of the front end helps, if there is one.
fn no_answer(why: &NoAnswer, ways: Ways<'_>) -> String {
    match why {
        NoAnswer::Child(problem) if matches!(**problem, ChildProblem::Unknown { .. }) => {
            let option = ways(Way::GiveMachine);
            format!("{why}; give the definition of the child with {option}")
        }
        _ => why.to_string(),
    }
}

/// The location of a breakpoint, with its kind if the location alone does not show the kind.
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

/// The location of a breakpoint without its kind: a state, a part of a state, an item, a moment and pattern of errors,
/// or a path of data.
#[must_use]
pub fn place(location: &Location) -> String {
    match location {
        Location::State(path) => path.to_string(),
        Location::Part(state, part) => match part {
            Part::Field(field) => format!("{state} {field}"),
            Part::Retrier(index) => format!("{state} Retry[{index}]"),
            Part::Catcher(index) => format!("{state} Catch[{index}]"),
            Part::Rule(index) => format!("{state} rule {index}"),
            Part::Default => format!("{state} Default"),
        },
        Location::Item(path, index) => format!("{path}[{index}]"),
        Location::Error(moment, pattern) => format!("{moment} {pattern}"),
        Location::Data(path) => format!("{path} changes"),
    }
}

/// Text of a remark for the user.
#[must_use]
pub fn remark(remark: &Remark) -> String {
    match remark {
        Remark::OtherData(state) => format!(
            "{state} is called with different data than before: the old answer is offered but not used"
        ),
        Remark::OtherThanRecorded(state) => format!(
            "{state} is called with different data than in the recorded execution: the recorded answer is not used"
        ),
        Remark::MockedAlike {
            state,
            response,
            number,
        } => format!(
            "{state} is called with different data than before the reload; mock {response} #{number} still answers the call"
        ),
        Remark::NothingToEcho(state) => {
            format!(
                "the ItemReader of {state} fails: no folder or file was given, and an ItemReader has no input to return instead"
            )
        }
        Remark::EchoesInstead { state, why } => {
            format!("{why}; {state} returns an answer in the shape of its resource")
        }
        Remark::ChildFailed { child, failure } => {
            format!("the child {child}, which no task waits for, failed: {failure}")
        }
        Remark::NoItems(state, why) => {
            format!(
                "{state} had {no_items}",
                no_items = no_items(why, Unit::Item)
            )
        }
        Remark::Misfit { state, line, text } => misfit(state, *line, text),
        Remark::NoWait(state, why) => format!("{state}: {}", no_wait(why)),
        Remark::Differs { state, line, aws } => {
            let line = in_line(*line);
            format!("{state}{line}: spec and AWS behave differently here; on AWS: {aws}")
        }
        Remark::ChildAbandoned(why) => format!("{why} (no task waits for this child)"),
    }
}

/// Says that a rule of a Choice cannot match, such as `Pay? (line 30): a rule cannot match: $.n ("5") > 1: the value is
/// a string, ...`.
#[must_use]
pub fn misfit(state: &str, line: Option<usize>, text: &str) -> String {
    let line = in_line(line);
    format!("{state}{line}: a rule cannot match: {text}")
}

/// Says why a finished run did not reach a state: a Choice took its Default (`Plan not reached: ArrivedInTime (line 66)
/// took its Default`), or took a rule although a later rule was true as well. `None` if no Choice is the reason, or if
/// the run had a Map without items or a Choice rule that cannot match.
#[must_use]
pub fn by_default(end: &EndView, definition: &Definition) -> Option<String> {
    let row = end.by_default.as_ref();
    let row = row.filter(|_| end.no_items.is_empty() && end.misfits.is_empty())?;
    let missed = name_of(definition, row.missed);
    let choice = name_of(definition, row.state);
    let Some(rules) = row.rules else {
        let more = match row.more {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let line = in_line(row.line);
        return Some(format!(
            "{missed}{more} not reached: {choice}{line} took its Default"
        ));
    };
    let [taken, later] = rules.map(|line| line.map_or_else(String::new, |line| line.to_string()));
    Some(format!(
        "{missed} not reached: {choice} took the rule of line {taken}, but the rule of line {later} is true as well"
    ))
}

/// Text on the settings that were restored: `3 points, 1 watch restored`; `None` if nothing was restored.
#[must_use]
pub fn restored(restored: Restored) -> Option<String> {
    let parts = [
        (restored.points, "point", "points"),
        (restored.watches, "watch", "watches"),
        (restored.answers, "answer", "answers"),
    ];
    let parts = parts.iter().filter(|(number, ..)| *number > 0);
    let parts: Vec<String> = parts
        .map(|(count, singular, plural)| {
            let settings = if *count == 1 { singular } else { plural };
            format!("{count} {settings}")
        })
        .collect();
    (!parts.is_empty()).then(|| format!("{settings} restored", settings = parts.join(", ")))
}

/// A note on how a run was started; `input` says how the user can give an input in this front end.
#[must_use]
pub fn note(note: &Note, input: &str) -> Option<String> {
    match note {
        Note::Several { place, count } => Some(format!(
            "{file} contains {count} definitions",
            file = place.display()
        )),
        Note::Skipped(text) | Note::Recording(text) | Note::Target(text) | Note::Test(text) => {
            Some(text.clone())
        }
        Note::Listening(address) => Some(format!(
            "listening at http://{address}: executions that are started at this address open in asldbg"
        )),
        Note::NoInput { reads } => {
            let shown: Vec<&str> = reads.iter().take(6).map(String::as_str).collect();
            let more = if reads.len() > shown.len() {
                " …"
            } else {
                ""
            };
            let paths = shown.join(", ");
            Some(format!(
                "no input was found, so the input is {{}}, but the definition reads {paths}{more}; {input}"
            ))
        }
        Note::Restored(all) => restored(*all),
    }
}
