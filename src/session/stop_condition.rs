//! Why a run stops at an event: a breakpoint, an error, a difference of the profiles.
//!
//! It must not know how far a run goes, nor which way.

use super::breakpoint::{ErrorMoment, Location, Part};
use super::expression;
use super::note::difference;
use super::reply::{LogPoint, Output};
use super::session::Session;
use super::stop::Stop;
use crate::definition::field::FieldSpec;
use crate::interpreter::{Edge, Event, EventKind, Machine, catcher_for, retrier_for};
use crate::json::Text;

impl Session {
    /// Why running stops at an event: a breakpoint, an error, a difference of the profiles.
    pub(super) fn stop_for(&mut self, event: &Event) -> Option<Stop> {
        let by_point = self.breakpoint_at(event);
        by_point.or_else(|| self.trouble_stop(&self.snapshot().machine, event))
    }

    /// An error or a difference of the profiles at an event, right after which the machine is this.
    pub(super) fn trouble_stop(&self, machine: &Machine, event: &Event) -> Option<Stop> {
        let by_error = self.error_stop(machine, event);
        by_error.or_else(|| self.difference_stop(machine, event))
    }

    fn breakpoint_at(&mut self, event: &Event) -> Option<Stop> {
        let (mut hit, number) = (None, self.snapshot().events);
        for place in 0..self.breakpoints.placed.len() {
            let Some(placed) = self.breakpoints.placed.get(place) else {
                break;
            };
            let id = placed.id;
            if !placed.enabled || !self.is_at(place, event) {
                continue;
            }
            match self.condition_holds(place, event) {
                Ok(false) => continue,
                Ok(true) => {}
                Err(problem) => self.put(Output::Condition {
                    breakpoint: id,
                    frame: event.frame,
                    event: number,
                    problem,
                }),
            }
            let message = self.breakpoint_message(place, event);
            let Some(placed) = self.breakpoints.placed.get_mut(place) else {
                break;
            };
            let nth = placed.hit(number);
            let reached = nth >= placed.breakpoint.hit_count;
            match message {
                Some(text) => self.put(Output::LogPoint(LogPoint {
                    breakpoint: id,
                    frame: event.frame,
                    event: number,
                    text,
                })),
                None if reached => hit = hit.or(Some(id)),
                None => {}
            }
        }
        let id = hit?;
        self.breakpoints.spend(id);
        Some(Stop::Breakpoint(id))
    }

    fn condition_holds(&self, place: usize, event: &Event) -> Result<bool, String> {
        let condition = self
            .breakpoints
            .placed
            .get(place)
            .and_then(|placed| placed.breakpoint.condition.as_ref());
        let Some(condition) = condition else {
            return Ok(true);
        };
        let machine = &self.snapshot().machine;
        let frame = machine.frame(event.frame).ok_or("the frame is over")?;
        expression::condition(machine, frame, condition, &*self.setup.server)
    }

    fn breakpoint_message(&self, place: usize, event: &Event) -> Option<String> {
        let template = self
            .breakpoints
            .placed
            .get(place)?
            .breakpoint
            .log_message
            .as_ref()?;
        let machine = &self.snapshot().machine;
        let frame = machine.frame(event.frame)?;
        Some(expression::log_message(
            machine,
            frame,
            template,
            &*self.setup.server,
        ))
    }

    /// Whether a breakpoint stands at an event, its condition aside.
    pub(super) fn is_at(&mut self, place: usize, event: &Event) -> bool {
        let Some(placed) = self.breakpoints.placed.get(place) else {
            return false;
        };
        if let Location::Data(path) = &placed.breakpoint.at {
            let path = path.clone();
            return self.data_changed(place, &path, event);
        }
        stands_at(&self.setup.definition, &placed.breakpoint.at, event)
            && match &placed.breakpoint.at {
                Location::Error(_, pattern) => {
                    let name = error_name(&self.snapshot().machine, event);
                    pattern_fits(pattern, name.as_deref().unwrap_or(""))
                }
                _ => true,
            }
    }

    fn data_changed(&mut self, place: usize, path: &str, event: &Event) -> bool {
        if event.frame != self.stepper.focus
            || !matches!(event.kind, EventKind::StateExited | EventKind::StateEntered)
        {
            return false;
        }
        let now = (event.frame, self.evaluate(path));
        let Some(placed) = self.breakpoints.placed.get_mut(place) else {
            return false;
        };
        let was = placed.seen.replace(now.clone());
        was.is_some_and(|was| was.0 == now.0 && was.1 != now.1)
    }

    fn error_stop(&self, machine: &Machine, event: &Event) -> Option<Stop> {
        let moment = match event.kind {
            EventKind::ErrorRaised if self.breakpoints.moments.contains(&ErrorMoment::Raised) => {
                ErrorMoment::Raised
            }
            EventKind::ErrorRaised if is_uncaught(machine, event) => ErrorMoment::Uncaught,
            EventKind::RetryScheduled => ErrorMoment::Retried,
            EventKind::Caught => ErrorMoment::Caught,
            _ => return None,
        };
        let name = error_name(machine, event).unwrap_or_else(|| "".into());
        self.breakpoints
            .moments
            .contains(&moment)
            .then_some(Stop::Error(moment, name))
    }

    fn difference_stop(&self, machine: &Machine, event: &Event) -> Option<Stop> {
        if !self.breakpoints.differences {
            return None;
        }
        let frame = machine.frame(event.frame)?;
        if let Some(difference) = frame.difference.filter(|_| event.diverges) {
            return Some(Stop::ProfilesDiffer(difference.text().into()));
        }
        if event.kind != EventKind::ErrorRaised {
            return None;
        }
        // Seen where it arose, not again in every Parallel and Map around it.
        let (fault, _) = frame
            .visit
            .fault
            .as_ref()
            .filter(|(fault, _)| !fault.from_branch)?;
        difference(fault).map(|text| Stop::ProfilesDiffer(text.into()))
    }
}

/// The name of the error that an event is about.
pub(super) fn error_name(machine: &Machine, event: &Event) -> Option<Text> {
    let (fault, _) = machine.frame(event.frame)?.visit.fault.as_ref()?;
    fault.error.clone()
}

/// Whether nothing will take the error: not the state, and no Parallel or Map around it.
fn is_uncaught(machine: &Machine, event: &Event) -> bool {
    let mut at = machine.frame(event.frame);
    let fault = at.and_then(|frame| frame.visit.fault.clone());
    // Seen where it arose, not again in every Parallel and Map around it.
    let Some((mut fault, _)) = fault.filter(|(fault, _)| !fault.from_branch) else {
        return false;
    };
    while let Some(frame) = at {
        let Some(state) = machine.definition().state(frame.visit.state) else {
            break;
        };
        let profile = machine.profile();
        let taken = retrier_for(&state.retry, &frame.visit.retriers, &fault, profile).is_some()
            || catcher_for(&state.catch, &fault, profile).is_some();
        // A state is caught once.
        if taken && !matches!(frame.visit.edge, Some(Edge::Catch(_))) {
            return false;
        }
        let Some(parent) = frame.parent else { break };
        match machine.failure_of(parent, fault) {
            Some(failure) => fault = failure,
            None => return false,
        }
        at = machine.frame(parent);
    }
    true
}

/// Whether a breakpoint's place is that of an event; conditions, error names and data are asked elsewhere.
pub(super) fn stands_at(
    definition: &crate::definition::Definition,
    at: &Location,
    event: &Event,
) -> bool {
    let in_state = |path: &crate::definition::StatePath| {
        event
            .state
            .and_then(|id| definition.state(id))
            .is_some_and(|state| state.path == *path)
    };
    match at {
        Location::State(path) => event.kind == EventKind::StateEntered && in_state(path),
        Location::Item(path, index) => {
            let of_map = |id| {
                definition
                    .state(id)
                    .is_some_and(|state| state.path == *path)
            };
            event.kind == EventKind::IterationStarted
                && event.arg == *index
                && event.state.is_some_and(of_map)
        }
        Location::Part(path, part) => {
            in_state(path)
                && match (part, event.kind) {
                    (Part::Retrier(index), EventKind::RetryScheduled)
                    | (Part::Catcher(index), EventKind::Caught)
                    | (Part::Rule(index), EventKind::Chosen) => event.arg == *index,
                    (Part::Default, EventKind::Chosen) => event.arg == u32::MAX,
                    (Part::Field(_), EventKind::Stage(stage)) => part.stage() == Some(stage),
                    (Part::Field(name), EventKind::TaskStarted) => {
                        FieldSpec::of_state(name).is_some_and(FieldSpec::is_of_call)
                    }
                    (Part::Field(name), EventKind::StateExited) => {
                        matches!(&**name, "Next" | "End" | "Assign")
                    }
                    _ => false,
                }
        }
        Location::Error(moment, _) => matches!(
            (moment, event.kind),
            (ErrorMoment::Raised, EventKind::ErrorRaised)
                | (ErrorMoment::Retried, EventKind::RetryScheduled)
                | (ErrorMoment::Caught, EventKind::Caught)
                | (ErrorMoment::Uncaught, EventKind::Uncaught)
        ),
        Location::Data(_) => false,
    }
}

/// Whether a pattern with `*` for anything fits a name.
pub(super) fn pattern_fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(first) = parts.next() else {
        return false;
    };
    let Some(mut rest) = name.strip_prefix(first) else {
        return false;
    };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(at) => rest = rest.get(at + part.len()..).unwrap_or(""),
            None => return false,
        }
    }
    true
}
