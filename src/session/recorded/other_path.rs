//! The first difference between a run and the recorded execution that it repeats. Also finds why the run takes another
//! path: because of a Choice rule, a catcher, a retrier or a time limit.

use super::pair::{Met, visit_at};
use crate::definition::{Owner, StateKind};
use crate::interpreter::{Edge, EventKind, Origin, Status};
use crate::json::{Text, Value};
use crate::session::duration;
use crate::source::{Span, in_line};

impl Met<'_> {
    /// The reason why the run's event is of another kind, or of another state, than the recorded event at `place`.
    pub(super) fn other_way(&self, place: usize) -> Option<Reason> {
        let (run, machine, event) = (self.run, self.machine, self.event);
        let recorded = run.event(place)?;
        if recorded.kind == Some(EventKind::StateEntered) && event.kind == EventKind::StateEntered {
            return self.led_elsewhere(place);
        }
        let state = self.state().or_else(|| {
            let name = run.state_at(place)?;
            let mut states = machine.definition().states.iter();
            states.find(|state| state.name == *name)
        })?;
        if let (EventKind::ExecutionFailed, Status::Failed(fault)) = (event.kind, machine.status())
            && matches!(fault.origin, Origin::Interpreter | Origin::Runtime)
        {
            return Some(Reason {
                text: format!("{}: {}", fault.name(), fault.bare_cause()),
                span: Some(state.name_span),
            });
        }
        let name = &state.name;
        let error = || {
            let error = self.fault().and_then(|fault| fault.error.as_deref());
            error.unwrap_or("the error")
        };
        let by = |field: &str, text: String| {
            let field = state.field(field).map(|field| field.key);
            let span = Some(field.unwrap_or(state.name_span));
            Some(Reason { text, span })
        };
        match (recorded.kind, event.kind) {
            (
                Some(EventKind::TaskScheduled | EventKind::MapStarted | EventKind::ParallelStarted),
                _,
            ) => {
                let error = error();
                let text = match state.retry.is_empty() {
                    true => format!("{name} has no Retry, so {error} is not retried"),
                    false => format!("no retrier of {name} retries {error}"),
                };
                by("Retry", text)
            }
            (_, EventKind::TaskScheduled | EventKind::MapStarted | EventKind::ParallelStarted) => {
                self.retrier_used()
            }
            (
                Some(
                    EventKind::ExecutionFailed | EventKind::MapFailed | EventKind::IterationFailed,
                ),
                EventKind::StateExited | EventKind::TaskSucceeded,
            ) => {
                let error = recorded.error.as_ref().or(recorded.cause.as_ref())?;
                let cause = recorded.fault(Origin::Runtime).bare_cause();
                by("", format!("AWS reported {error}: {cause}"))
            }
            (Some(EventKind::StateExited), EventKind::StateExited) => None,
            (Some(EventKind::StateExited), _) => {
                let error = error();
                let text = match state.catch.is_empty() {
                    true => format!("{name} has no Catch, so {error} is not caught"),
                    false => format!("no catcher of {name} catches {error}"),
                };
                by("Catch", text)
            }
            (_, EventKind::StateExited) => self.caught(),
            (Some(EventKind::TaskSucceeded), EventKind::TaskTimedOut) => {
                let mut fields =
                    ["TimeoutSeconds", "HeartbeatSeconds", "TimeoutSecondsPath"].iter();
                let field = fields.find(|name| state.field(name).is_some());
                let field = field.unwrap_or(&"TimeoutSeconds");
                let recorded_frame = run.frame_with(place)?;
                let begun = visit_at(recorded_frame, place)?.attempts.last()?.begun?;
                let took = run.time(place)?.saturating_sub(run.time(begun)?);
                let took = duration(took);
                by(
                    field,
                    format!(
                        "{field} of {name} expires in this run; on AWS, the answer came after {took}"
                    ),
                )
            }
            _ => None,
        }
    }

    /// The retrier that retried the state, as the reason of a difference.
    pub(super) fn retrier_used(&self) -> Option<Reason> {
        let state = self.state()?;
        let mut retriers = self.frame()?.visit.retriers.iter();
        let place = retriers.rposition(|used| used.used > 0)?;
        let name = &state.name;
        Some(Reason {
            text: format!("Retry[{place}] of {name} retries the state"),
            span: Some(state.retry.get(place)?.span),
        })
    }

    /// The reason why the run enters another state than the recorded execution.
    fn led_elsewhere(&self, place: usize) -> Option<Reason> {
        let (run, definition) = (self.run, self.machine.definition());
        let name = run.event(place)?.name.clone()?;
        let entered = self.state()?;
        if entered.name == name {
            let (aws_type, run_type) = (run.event(place)?.state_type()?, entered.type_name());
            if aws_type == run_type {
                return None;
            }
            return Some(Reason {
                text: format!("the Type of {name} is {run_type} in this run"),
                span: entered.field("Type").map(|field| field.value),
            });
        }
        let known = definition.states.iter().any(|state| state.name == name);
        let missing_state = match known {
            true => String::new(),
            false => format!("; the definition has no state {name}"),
        };
        let recorded_frame = run.frame_with(place)?;
        let before = recorded_frame
            .visits
            .iter()
            .rev()
            .find(|visit| visit.exited.is_some_and(|exited| exited < place));
        let from = before.and_then(|visit| definition.state(visit.state?));
        let Some(from) = from else {
            let scope = definition.scope(entered.scope)?;
            let start = scope.start_at.as_ref()?;
            return Some(Reason {
                text: format!("StartAt is {state}{missing_state}", state = start.name),
                span: Some(start.span),
            });
        };
        let to = |name: &Text| {
            let ways = from.ways().filter(|(_, target)| target.name == *name);
            // If a catcher also leads to the state, the text names the catcher.
            ways.min_by_key(|(way, _)| !matches!(way, Owner::Catcher(_)))
        };
        let (way, target) = to(&entered.name)?;
        let is_choice = matches!(from.kind, StateKind::Choice(_));
        let on_aws = match to(&name) {
            Some((Owner::Rule(_), _)) => format!("; on AWS, another rule led to {name}"),
            Some((Owner::State, _)) if is_choice => format!("; on AWS, Default led to {name}"),
            _ => String::new(),
        };
        let (state, next) = (&from.name, &entered.name);
        let text = match way {
            Owner::Rule(_) => format!("a rule of {state} matches and leads to {next}{on_aws}"),
            Owner::Catcher(place) => format!("Catch[{place}] of {state} leads to {next}"),
            _ if is_choice => {
                format!("no rule of {state} matches, so Default leads to {next}{on_aws}")
            }
            _ => format!("Next of {state} is {next}"),
        };
        Some(Reason {
            text: text + &missing_state,
            span: Some(from.part_span(way).unwrap_or(target.span)),
        })
    }

    /// The catcher by which the run leaves the state, as the reason of a difference.
    pub(super) fn caught(&self) -> Option<Reason> {
        let state = self.state()?;
        let Edge::Catch(place) = Edge::from_arg(self.event.arg) else {
            return None;
        };
        let name = &state.name;
        Some(Reason {
            text: format!("Catch[{place}] of {name} produces an output that differs from AWS"),
            span: Some(state.catch.get(place as usize)?.span),
        })
    }
}

/// The first difference between a run and the recorded execution that it repeats.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FirstDifference {
    /// Number of the run's event that differs.
    pub number: u64,
    /// AWS's id of the recorded event. If no event was recorded at this point, the id of the last event before this
    /// point.
    pub event: Option<u32>,
    /// Name of the state that the recorded event belongs to.
    pub state: Option<Text>,
    /// The difference in words: `input $.order.total 4200 → 42`.
    pub what: String,
    /// The recorded event in words.
    pub recorded: String,
    /// The recorded event in words, with the part of it that differs.
    pub there: String,
    /// The run's event in words, with the part of it that differs.
    pub here: String,
    /// The values that differ: the recorded value, and the value in the run.
    pub values: Option<(Value, Value)>,
    /// The reason of the difference, if it is known.
    pub reason: Option<Reason>,
}

/// The reason of a difference: usually a field of a state.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    /// The reason in words.
    pub text: String,
    /// Location in the definition of the field, rule, catcher or retrier.
    pub span: Option<Span>,
}

impl FirstDifference {
    /// One sentence with AWS's id of the event, the name of the state, the difference and the reason.
    #[must_use]
    pub fn text(&self) -> String {
        self.text_at(None)
    }

    /// Like [`Self::text`], with the line number of the state.
    #[must_use]
    pub fn text_at(&self, line: Option<usize>) -> String {
        let at = self.event.map_or_else(String::new, |id| format!("#{id} "));
        let line = in_line(line);
        let state = self.state.as_ref().map(|state| format!("{state}{line}: "));
        let reason = self.reason.as_ref();
        let reason = reason.map(|reason| format!(" ({})", reason.text));
        let (state, reason) = (state.unwrap_or_default(), reason.unwrap_or_default());
        format!("{at}{state}{}{reason}", self.what)
    }
}
