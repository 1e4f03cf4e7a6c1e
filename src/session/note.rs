//! Notes that are recorded with events, short causes of errors, and durations as text.

use super::choice::{Misfit, misfits};
use super::finding::Phrase;
use super::in_state::InState;
use super::no_items::{NoItems, no_items};
use crate::definition::{Retrier, StateKind};
use crate::interpreter::{
    Edge, Event, EventKind, Fault, Frame, Machine, Millis, NoWait, Reason, matches, takes,
};
use crate::json::{Text, parse};
use crate::query::jsonata;
use crate::source::with_article;

/// Information about an event that can no longer be read from the machine once the next event has happened.
#[derive(Clone, Debug, PartialEq)]
pub enum EventNote {
    /// A task, a state or the execution failed with this error; `None` if the error has no name.
    Error(Option<Text>),
    /// An error was raised.
    Raised {
        /// The error.
        fault: Box<Fault>,
        /// Index of the matching retrier, if it had no attempts left.
        spent: Option<u32>,
    },
    /// A Map succeeded although items failed.
    ItemsFailed {
        /// Number of failed items.
        failed: u32,
        /// Number of all items.
        all: u32,
        /// True if the Map continued because the user ignored its failures, which AWS never does.
        is_ignored: bool,
    },
    /// The error was caught.
    Caught {
        /// Name of the error.
        error: Option<Text>,
        /// The name in ErrorEquals that matched the error.
        name: Text,
        /// Name of the next state.
        next: Text,
    },
    /// Delay of a retry.
    Delay(Millis),
    /// A catcher or rule assigned variables; the frame then leaves the state by this edge (transition).
    AssignedBy(Edge),
    /// A branch or item failed.
    Failed,
    /// A Wait does not wait.
    NoWait(NoWait),
    /// A Map had no items.
    NoItems(Box<NoItems>),
    /// A Choice evaluated a rule that can never match the data it received.
    Misfit(Box<Misfit>),
}

impl EventNote {
    /// Name of the error in the note; `None` without an error.
    #[must_use]
    pub fn error(&self) -> Option<&Text> {
        match self {
            Self::Error(error) | Self::Caught { error, .. } => error.as_ref(),
            Self::Raised { fault, .. } => fault.error.as_ref(),
            Self::Delay(_)
            | Self::AssignedBy(_)
            | Self::Failed
            | Self::ItemsFailed { .. }
            | Self::NoWait(_)
            | Self::NoItems(_)
            | Self::Misfit(_) => None,
        }
    }

    /// Size of the note's texts in bytes.
    pub(super) fn len(&self) -> usize {
        let len = |text: &Option<Text>| text.as_ref().map_or(0, |text| text.len());
        match self {
            Self::Error(error) => len(error),
            Self::Raised { fault, .. } => {
                size_of::<Fault>() + len(&fault.error) + len(&fault.cause) + fault.reason.size()
            }
            Self::Caught { error, name, next } => len(error) + name.len() + next.len(),
            Self::NoWait(no_wait) => len(&no_wait.timestamp),
            Self::NoItems(none) => none.expression.len() + none.why.len(),
            Self::Misfit(misfit) => misfit.text.len(),
            Self::Delay(_) | Self::AssignedBy(_) | Self::Failed | Self::ItemsFailed { .. } => 0,
        }
    }
}

/// The first rule that can never match the data, if the event is the transition of a Choice.
pub(super) fn misfit_of(event: &Event, machine: &Machine) -> Option<Misfit> {
    let state = machine.definition().state(event.state?)?;
    let (StateKind::Choice(choice), Some(frame)) = (&state.kind, machine.frame(event.frame)) else {
        return None;
    };
    let mut all = misfits(machine, frame, choice).into_iter();
    all.find(|misfit| !misfit.is_null)
}

/// The note to record with an event, such as the name of the error or the delay of a retry.
pub(super) fn note_of(event: &Event, machine: &Machine) -> Option<EventNote> {
    let frame = machine.frame(event.frame);
    let fault = frame.and_then(|frame| frame.visit.fault.as_ref());
    let error = || fault.and_then(|(fault, _)| fault.error.clone());
    match event.kind {
        EventKind::TaskFailed
        | EventKind::TaskTimedOut
        | EventKind::Uncaught
        | EventKind::ExecutionFailed => fault.map(|_| EventNote::Error(error())),
        EventKind::ErrorRaised => fault.map(|(fault, _)| EventNote::Raised {
            fault: Box::new(fault.clone()),
            spent: frame.and_then(|frame| {
                let place = spent_retrier(InState::of(machine, frame)?, fault)?;
                u32::try_from(place).ok()
            }),
        }),
        EventKind::Chosen => {
            let misfit = misfit_of(event, machine)?;
            Some(EventNote::Misfit(Box::new(misfit)))
        }
        EventKind::MapSucceeded | EventKind::MapRunSucceeded => items_failed(frame?),
        EventKind::StateExited => {
            let frame = frame.filter(|frame| frame.visit.fault.is_none())?;
            items_failed(frame).or_else(|| {
                frame.visit.group.as_ref()?;
                let none = no_items(event, machine)?;
                Some(EventNote::NoItems(Box::new(none)))
            })
        }
        EventKind::Caught => {
            let state = machine.definition().state(event.state?)?;
            let catcher = state.catch.get(event.arg as usize)?;
            let next = catcher.next.as_ref()?;
            let names = catcher.error_equals.iter();
            let name = fault.and_then(|(fault, _)| {
                let mut names = names.filter(|name| matches(name, fault, machine.profile()));
                names.next().cloned()
            });
            Some(EventNote::Caught {
                error: error(),
                name: name.unwrap_or_else(|| "".into()),
                next: next.name.clone(),
            })
        }
        EventKind::RetryScheduled => {
            let retriers = &frame?.visit.retriers;
            let waited = retriers.get(event.arg as usize)?.waited.last()?;
            Some(EventNote::Delay(*waited))
        }
        EventKind::Assigned => {
            let edge = frame?.visit.edge?;
            matches!(edge, Edge::Catch(_) | Edge::Rule(_)).then_some(EventNote::AssignedBy(edge))
        }
        EventKind::BranchFailed | EventKind::IterationFailed => Some(EventNote::Failed),
        EventKind::WaitStarted => {
            let no_wait = frame?.visit.no_wait.as_deref()?;
            Some(EventNote::NoWait(no_wait.clone()))
        }
        _ => None,
    }
}

/// A note with the number of failed items of the frame's Map; `None` if no item failed.
fn items_failed(frame: &Frame) -> Option<EventNote> {
    let group = frame.visit.group.as_ref();
    let group = group.filter(|group| group.failed > 0)?;
    Some(EventNote::ItemsFailed {
        failed: group.failed,
        all: group.total,
        is_ignored: group.went_on,
    })
}

/// Short cause of an error, without AWS's introduction that names the state. For an error of a Lambda function, the
/// cause is the function's error message. For an expression that failed, the cause is the expression's text (which may
/// be omitted), its location and the problem.
#[must_use]
pub fn words_of(fault: &Fault) -> Phrase {
    let located = |expression: &jsonata::Expression| {
        Phrase::default()
            .may(format!("{{% {} %}} (", expression.text), 1)
            .and(expression.location.to_string())
            .may(")", 1)
    };
    match fault.reason.innermost() {
        Reason::Evaluation {
            expression,
            failure,
        } => match failure.thrown() {
            Some(message) => located(expression).and(format!(": {message}")),
            None => located(expression).and(format!(" {failure}")),
        },
        Reason::WrongType {
            expression,
            wanted,
            found: value_type,
            value,
        } => {
            let (value_type, wanted_type) = (with_article(value_type), with_article(wanted));
            located(expression)
                .and(format!(" returns {value_type} instead of {wanted_type}"))
                .may(format!(": {value}"), 1)
        }
        _ => {
            let cause = fault.bare_cause();
            let value = parse(&cause).ok();
            let message =
                value.and_then(|value| Some(value.get("errorMessage")?.as_str()?.to_owned()));
            let words = message.unwrap_or_else(|| cause.to_string());
            let (first, rest) = words.split_at(end_of_sentence(&words));
            match rest.is_empty() {
                true => first.into(),
                false => Phrase::from(first).may(rest, 1),
            }
        }
    }
}

/// Short cause of an error as a string, including the parts that may be omitted.
#[must_use]
pub fn own_words(fault: &Fault) -> String {
    words_of(fault).to_string()
}

/// Length in bytes of the first sentence or the first line of a text, whichever is shorter.
fn end_of_sentence(text: &str) -> usize {
    let ends = [". ", "\n"].into_iter().filter_map(|end| text.find(end));
    ends.min().unwrap_or(text.len())
}

/// A duration as text: `250 ms`, `2 s`, `1.5 s`, `3 min`, `3 min 45 s`, `1 h 5 min`, `2 d`.
#[must_use]
pub fn duration(time: Millis) -> String {
    match time {
        0..1000 => format!("{time} ms"),
        1000..60_000 if time.is_multiple_of(1000) => format!("{} s", time / 1000),
        1000..60_000 => {
            let text = format!("{}.{:03}", time / 1000, time % 1000);
            format!("{} s", text.trim_end_matches('0'))
        }
        60_000..3_600_000 if time % 60_000 < 1000 => format!("{} min", time / 60_000),
        60_000..3_600_000 => format!("{} min {} s", time / 60_000, time / 1000 % 60),
        3_600_000..172_800_000 if time % 3_600_000 < 60_000 => format!("{} h", time / 3_600_000),
        3_600_000..172_800_000 => {
            format!("{} h {} min", time / 3_600_000, time / 60_000 % 60)
        }
        _ if time % 86_400_000 < 3_600_000 => format!("{} d", time / 86_400_000),
        _ => format!("{} d {} h", time / 86_400_000, time / 3_600_000 % 24),
    }
}

/// The error that a Map raises if more items fail than the Map tolerates.
pub(super) const EXCEEDED: &str = "States.ExceedToleratedFailureThreshold";

/// Index of the retrier that matches an error but has no attempts left. `None` if no retrier matches or a retry
/// follows.
pub(super) fn spent_retrier(at: InState<'_>, fault: &Fault) -> Option<usize> {
    if at.frame.visit.failed_catcher().is_some() {
        return None;
    }
    let profile = at.machine.profile();
    let takes_it = |retrier: &Retrier| takes(&retrier.error_equals, fault, profile);
    let place = at.state.retry.iter().position(takes_it)?;
    (at.used(place) >= at.state.retry.get(place)?.max_attempts).then_some(place)
}
