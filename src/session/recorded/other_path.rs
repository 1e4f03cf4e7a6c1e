//! The first difference between a run and the recorded execution, and why a run takes another path: the rule, catcher,
//! retrier or limit.

use super::pair::visit_at;
use super::strand::RecordedRun;
use crate::definition::{Definition, State, StateKind, Target, Transition};
use crate::interpreter::{Edge, Event, EventKind, Machine, Origin, Status};
use crate::json::{Text, Value};
use crate::session::duration;
use crate::source::Span;

/// Why the run does something else than what was recorded.
pub(super) fn other_way(
    run: &RecordedRun,
    machine: &Machine,
    event: &Event,
    place: usize,
) -> Option<Reason> {
    let there = run.event(place)?;
    let definition = machine.definition();
    if there.kind == Some(EventKind::StateEntered) && event.kind == EventKind::StateEntered {
        return led_elsewhere(run, place, definition, machine, event);
    }
    let state = state_of(machine, event).or_else(|| {
        let name = run.state_at(place)?;
        definition.states.iter().find(|state| state.name == *name)
    })?;
    let error = fault_name(machine, event);
    if let (EventKind::ExecutionFailed, Status::Failed(fault)) = (event.kind, machine.status())
        && matches!(fault.origin, Origin::Interpreter | Origin::Runtime)
    {
        return Some(Reason {
            text: format!("{}: {}", fault.name(), fault.bare_cause()),
            span: Some(state.name_span),
        });
    }
    let named = |text: String, span: Span| {
        Some(Reason {
            text,
            span: Some(span),
        })
    };
    match (there.kind, event.kind) {
        (
            Some(EventKind::TaskScheduled | EventKind::MapStarted | EventKind::ParallelStarted),
            _,
        ) => {
            let error = error.unwrap_or_else(|| "the error".into());
            let text = match state.retry.is_empty() {
                true => format!("{} has no Retry: {error} is not retried", state.name),
                false => format!("no retrier of {} retries {error}", state.name),
            };
            named(
                text,
                state
                    .field("Retry")
                    .map_or(state.name_span, |field| field.key),
            )
        }
        (_, EventKind::TaskScheduled | EventKind::MapStarted | EventKind::ParallelStarted) => {
            retrier_used(machine, event)
        }
        (
            Some(EventKind::ExecutionFailed | EventKind::MapFailed | EventKind::IterationFailed),
            EventKind::StateExited | EventKind::TaskSucceeded,
        ) => {
            let failed = there.error.as_ref().or(there.cause.as_ref())?;
            let cause = there.fault(Origin::Runtime).bare_cause();
            named(format!("on AWS {}: {cause}", failed), state.name_span)
        }
        (Some(EventKind::StateExited), EventKind::StateExited) => None,
        (Some(EventKind::StateExited), _) => {
            let error = error.unwrap_or_else(|| "the error".into());
            let text = match state.catch.is_empty() {
                true => format!("{} has no Catch: {error} is not caught", state.name),
                false => format!("no catcher of {} catches {error}", state.name),
            };
            named(
                text,
                state
                    .field("Catch")
                    .map_or(state.name_span, |field| field.key),
            )
        }
        (_, EventKind::StateExited) => caught(machine, event),
        (Some(EventKind::TaskSucceeded), EventKind::TaskTimedOut) => {
            let fields = ["TimeoutSeconds", "HeartbeatSeconds", "TimeoutSecondsPath"];
            let field = fields.iter().find_map(|name| state.field(name));
            let strand = run.strands.get(*run.strand_of.get(place)?)?;
            let visit = visit_at(strand, place)?;
            let begun = visit
                .attempts
                .last()?
                .begun
                .and_then(|begun| run.time(begun))?;
            let took = duration(run.time(place)?.saturating_sub(begun));
            let name = field.map_or("TimeoutSeconds", |field| &field.name);
            named(
                format!(
                    "{name} of {} expires; on AWS the answer came after {took}",
                    state.name
                ),
                field.map_or(state.name_span, |field| field.key),
            )
        }
        _ => None,
    }
}

/// The retrier that retried the state.
pub(super) fn retrier_used(machine: &Machine, event: &Event) -> Option<Reason> {
    let state = state_of(machine, event)?;
    let frame = machine.frame(event.frame)?;
    let mut retriers = frame.visit.retriers.iter();
    let place = retriers.rposition(|used| used.used > 0)?;
    let retrier = state.retry.get(place)?;
    Some(Reason {
        text: format!("Retry[{place}] of {} retries it", state.name),
        span: Some(retrier.span),
    })
}

/// Why another state is entered than was recorded.
fn led_elsewhere(
    run: &RecordedRun,
    place: usize,
    definition: &Definition,
    machine: &Machine,
    event: &Event,
) -> Option<Reason> {
    let name = run.event(place)?.name.clone()?;
    let here = state_of(machine, event)?;
    if here.name == name {
        if there_type(run, place).is_none_or(|was| was == here.type_name()) {
            return None;
        }
        return Some(Reason {
            text: format!("{name} is a {} here", here.type_name()),
            span: here.field("Type").map(|field| field.value),
        });
    }
    let known = definition.states.iter().any(|state| state.name == name);
    let gone = match known {
        true => String::new(),
        false => format!("; there is no state {name}"),
    };
    let strand = run.strands.get(*run.strand_of.get(place)?)?;
    let before = strand
        .visits
        .iter()
        .rev()
        .find(|visit| visit.exited.is_some_and(|exited| exited < place));
    let from = before.and_then(|visit| definition.state(visit.state?));
    let Some(from) = from else {
        let scope = definition.scope(here.scope)?;
        let start = scope.start_at.as_ref()?;
        return Some(Reason {
            text: format!("StartAt is {}{gone}", start.name),
            span: Some(start.span),
        });
    };
    let leads = |text: String, span: Span| Reason {
        text: format!("{text}{gone}"),
        span: Some(span),
    };
    if let StateKind::Choice(choice) = &from.kind {
        let target = |next: Option<&Target>| next.is_some_and(|next| next.name == here.name);
        let rule = choice
            .rules
            .iter()
            .position(|rule| target(rule.next.as_ref()));
        let was = choice
            .rules
            .iter()
            .position(|rule| rule.next.as_ref().is_some_and(|next| next.name == name));
        let was = match was {
            Some(_) => format!(", on AWS another rule led to {name}"),
            None if choice
                .default
                .as_ref()
                .is_some_and(|next| next.name == name) =>
            {
                format!(", on AWS Default led to {name}")
            }
            None => String::new(),
        };
        return Some(match (rule, &choice.default) {
            (Some(rule), _) => leads(
                format!(
                    "a rule of {} matches and leads to {}{was}",
                    from.name, here.name
                ),
                choice.rules.get(rule)?.span,
            ),
            (None, Some(next)) => leads(
                format!(
                    "no rule of {} matches, Default leads to {}{was}",
                    from.name, here.name
                ),
                next.span,
            ),
            _ => return None,
        });
    }
    let caught = from.catch.iter().position(|catcher| {
        catcher
            .next
            .as_ref()
            .is_some_and(|next| next.name == here.name)
    });
    if let Some(place) = caught {
        let catcher = from.catch.get(place)?;
        return Some(leads(
            format!("Catch[{place}] of {} leads to {}", from.name, here.name),
            catcher.span,
        ));
    }
    match &from.transition {
        Transition::Next(next) => Some(leads(
            format!("Next of {} is {}", from.name, next.name),
            next.span,
        )),
        _ => None,
    }
}

/// Type of a recorded event's state.
fn there_type(run: &RecordedRun, place: usize) -> Option<&str> {
    run.event(place)?.state_type()
}

pub(super) fn state_of<'m>(machine: &'m Machine, event: &Event) -> Option<&'m State> {
    event.state.and_then(|id| machine.definition().state(id))
}

pub(super) fn fault_name(machine: &Machine, event: &Event) -> Option<Text> {
    if let (EventKind::ExecutionFailed, crate::interpreter::Status::Failed(fault)) =
        (event.kind, machine.status())
    {
        return fault.error.clone();
    }
    let fault = machine.frame(event.frame)?.visit.fault.as_ref();
    fault.and_then(|(fault, _)| fault.error.clone())
}

pub(super) fn caught(machine: &Machine, event: &Event) -> Option<Reason> {
    let state = state_of(machine, event)?;
    let Edge::Catch(place) = Edge::from_arg(event.arg) else {
        return None;
    };
    let catcher = state.catch.get(place as usize)?;
    Some(Reason {
        text: format!("Catch[{place}] of {} has a different value", state.name),
        span: Some(catcher.span),
    })
}

/// The first difference between a run and the recorded execution.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstDifference {
    /// Number of the run's event.
    pub number: u64,
    /// AWS's id of the recorded event; if there is none, id of the last one before it.
    pub event: Option<u32>,
    /// Name of the state.
    pub state: Option<Text>,
    /// The difference: `input $.order.total 4200 → 42`.
    pub what: String,
    /// Description of the recorded event.
    pub recorded: String,
    /// Description of the recorded event, with the value that differs.
    pub there: String,
    /// Description of the run's event.
    pub here: String,
    /// The values that differ: recorded, and of the run.
    pub values: Option<(Value, Value)>,
    /// The reason, if it is known.
    pub reason: Option<Reason>,
}

/// Reason for a difference.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    /// Description of the reason.
    pub text: String,
    /// Location in the definition.
    pub span: Option<Span>,
}

impl FirstDifference {
    /// One sentence with the position, the difference and the reason.
    #[must_use]
    pub fn text(&self) -> String {
        self.text_at(None)
    }

    /// Like [`Self::text`], with the line of the state.
    #[must_use]
    pub fn text_at(&self, line: Option<usize>) -> String {
        let at = self.event.map_or_else(String::new, |id| format!("#{id} "));
        let line = line.map_or_else(String::new, |line| format!(" (line {line})"));
        let state = self.state.as_ref().map(|state| format!("{state}{line}: "));
        let reason = self
            .reason
            .as_ref()
            .map(|reason| format!(" ({})", reason.text));
        let parts = [
            at,
            state.unwrap_or_default(),
            self.what.clone(),
            reason.unwrap_or_default(),
        ];
        parts.concat()
    }
}
