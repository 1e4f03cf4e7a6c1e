//! Decides whether a run stops at an event, because of a breakpoint, an error or a difference between the profiles; and
//! lists the reasons for stops.

use super::breakpoint::{Breakpoint, BreakpointId, ErrorMoment, Location, Part};
use super::breakpoints::{Breakpoints, DataSeen, PlacedBreakpoint};
use super::expression::{self, Values};
use super::in_state::InState;
use super::on_aws::on_aws;
use super::recorded::FirstDifference;
use super::reply::{LogPoint, Output};
use crate::definition::Definition;
use crate::definition::field::{Effect, FieldSpec};
use crate::interpreter::{AskId, Edge, Event, EventKind, Frame, FrameId, Machine, Serve};
use crate::json::{Text, Value};
use std::collections::HashMap;
use std::sync::Arc;

/// A run directly after an event.
#[derive(Clone, Copy)]
pub(super) struct Moment<'r> {
    /// Number of the event.
    pub number: u64,
    pub machine: &'r Machine,
    pub server: &'r dyn Serve,
    /// The focus frame.
    pub focus: FrameId,
}

/// Tells if the run would have stopped at a recorded event.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Verdict {
    No,
    Stop(Stop),
    /// Unknown: whether the run stops depends on a condition, an error or a difference, so the run has to be repeated
    /// up to this event.
    Unseen,
}

impl Breakpoints {
    /// An empty record of the values of data breakpoints in this frame; `None` if there are no data breakpoints.
    pub fn data_seen(&self, focus: FrameId) -> Option<DataSeen> {
        self.watches_data().then(|| DataSeen::at(focus))
    }

    fn watches_data(&self) -> bool {
        let mut placed = self.placed.iter().filter(|placed| placed.enabled);
        placed.any(|placed| matches!(placed.breakpoint.at, Location::Data(_)))
    }

    /// The data breakpoints whose value changed with an event. Updates the recorded values.
    pub fn changed(
        &self,
        data: &mut DataSeen,
        event: &Event,
        machine: &Machine,
        server: &dyn Serve,
    ) -> Vec<BreakpointId> {
        if event.frame != data.focus || !may_change_data(event) {
            return Vec::new();
        }
        let mut changed = Vec::new();
        let values = Values::of(machine, machine.frame(data.focus), self.paths(), server);
        for placed in &self.placed {
            let Location::Data(path) = &placed.breakpoint.at else {
                continue;
            };
            let now = values.get(path);
            let was = data.seen.insert(placed.id, now.clone());
            if was.is_some_and(|was| is_another(&was, &now)) {
                changed.push(placed.id);
            }
        }
        changed
    }

    /// Paths of the data breakpoints.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.placed
            .iter()
            .filter_map(|placed| match &placed.breakpoint.at {
                Location::Data(path) => Some(&**path),
                _ => None,
            })
    }

    /// True if there are no breakpoints, so that only an error or a difference between the profiles can stop the run.
    pub fn none_placed(&self) -> bool {
        self.placed.is_empty()
    }

    /// The reason to stop at a new event, if any. Adds log messages and errors in conditions to `outputs`.
    pub fn stop_for(
        &mut self,
        now: Moment,
        event: &Event,
        outputs: &mut Vec<Output>,
    ) -> Option<Stop> {
        let by_breakpoint = self.breakpoint_at(now, event, outputs);
        by_breakpoint.or_else(|| self.trouble_stop(now.machine, event))
    }

    /// The data breakpoints whose value changed in the focus frame with a new event.
    fn look_at_data(&mut self, now: Moment, event: &Event) -> Vec<BreakpointId> {
        if !self.watches_data() {
            return Vec::new();
        }
        if self.data.focus != now.focus {
            self.data = DataSeen::at(now.focus);
        }
        let mut data = std::mem::replace(&mut self.data, DataSeen::at(now.focus));
        let changed = self.changed(&mut data, event, now.machine, now.server);
        self.data = data;
        changed
    }

    fn breakpoint_at(
        &mut self,
        now: Moment,
        event: &Event,
        outputs: &mut Vec<Output>,
    ) -> Option<Stop> {
        let changed = self.look_at_data(now, event);
        let (machine, definition) = (now.machine, now.machine.definition());
        let standing = self.placed.iter().filter(|placed| {
            let stands = stands_at(definition, &placed.breakpoint.at, event)
                && placed.fits_error(machine, event);
            placed.enabled && (stands || changed.contains(&placed.id))
        });
        let standing: HashMap<BreakpointId, Breakpoint> = standing
            .map(|placed| (placed.id, placed.breakpoint.clone()))
            .collect();
        if standing.is_empty() {
            return None;
        }
        let texts = standing.values().flat_map(expressions_of);
        let frame = machine.frame(event.frame);
        let values = Values::of(machine, frame, texts, now.server);
        let mut hit = None;
        let placed = self.placed.iter_mut();
        for placed in placed.filter(|placed| standing.contains_key(&placed.id)) {
            match placed.condition_holds(frame, &values) {
                Ok(false) => continue,
                Ok(true) => {}
                Err(problem) => outputs.push(Output::Condition {
                    breakpoint: placed.id,
                    frame: event.frame,
                    event: now.number,
                    problem,
                }),
            }
            let nth = placed.hit(now.number);
            let reached = nth >= placed.breakpoint.hit_count;
            match placed.message(frame, &values) {
                Some(text) => outputs.push(Output::LogPoint(LogPoint {
                    breakpoint: placed.id,
                    frame: event.frame,
                    event: now.number,
                    text,
                })),
                None if reached => hit = hit.or(Some(placed.id)),
                None => {}
            }
        }
        let id = hit?;
        self.spend(id);
        Some(Stop::Breakpoint(id))
    }

    /// Decides from an event alone whether the run would have stopped there; `Verdict::Unseen` if the event does not
    /// suffice for a decision.
    pub fn may_stop_at(&self, number: u64, event: &Event, definition: &Definition) -> Verdict {
        let mut candidates = self.candidates(number, event, definition, &[]);
        match candidates.next() {
            Some(placed) if placed.stops_plainly() => Verdict::Stop(Stop::Breakpoint(placed.id)),
            Some(_) => Verdict::Unseen,
            None if self.may_be_trouble(event) => Verdict::Unseen,
            None if self.watches_data() && may_change_data(event) => Verdict::Unseen,
            None => Verdict::No,
        }
    }

    /// Decides whether the run would have stopped at a recorded event. `machine` is the machine directly after the
    /// event; `changed` are the data breakpoints whose value changed with the event.
    pub fn would_stop_at(
        &self,
        number: u64,
        event: &Event,
        machine: &Machine,
        (server, changed): (&dyn Serve, &[BreakpointId]),
    ) -> Verdict {
        let candidates = || self.candidates(number, event, machine.definition(), changed);
        let frame = machine.frame(event.frame);
        let conditions = candidates().filter_map(|placed| placed.breakpoint.condition.as_deref());
        let values = Values::of(machine, frame, conditions, server);
        for placed in candidates() {
            let stops = placed.stops_plainly()
                || frame.is_some()
                    && placed.fits_error(machine, event)
                    && placed.condition_holds(frame, &values).unwrap_or(true);
            if stops {
                return Verdict::Stop(Stop::Breakpoint(placed.id));
            }
        }
        let stop = self
            .may_be_trouble(event)
            .then(|| self.trouble_stop(machine, event));
        stop.flatten().map_or(Verdict::No, Verdict::Stop)
    }

    /// The enabled breakpoints that can stop the run at a recorded event: the event is at their location, or their data
    /// changed, and they had enough hits. Their conditions are not checked. Breakpoints that only log a message are
    /// left out.
    fn candidates(
        &self,
        number: u64,
        event: &Event,
        definition: &Definition,
        changed: &[BreakpointId],
    ) -> impl Iterator<Item = &PlacedBreakpoint> {
        self.placed.iter().filter(move |placed| {
            let stands = stands_at(definition, &placed.breakpoint.at, event);
            placed.enabled
                && placed.breakpoint.log_message.is_none()
                && placed.had_enough(number)
                && (stands || changed.contains(&placed.id))
        })
    }

    /// True if a run may stop at the event because of an error or a difference between the profiles.
    fn may_be_trouble(&self, event: &Event) -> bool {
        let on = |moment| self.moments.contains(&moment);
        (self.differences && event.diverges)
            || match event.kind {
                EventKind::ErrorRaised => {
                    self.differences || on(ErrorMoment::Raised) || on(ErrorMoment::Uncaught)
                }
                EventKind::RetryScheduled => on(ErrorMoment::Retried),
                EventKind::Caught => on(ErrorMoment::Caught),
                _ => false,
            }
    }

    /// The stop at an event because of an error or a difference between the profiles, if any; `machine` is the machine
    /// directly after the event.
    pub fn trouble_stop(&self, machine: &Machine, event: &Event) -> Option<Stop> {
        let by_error = self.error_stop(machine, event);
        by_error.or_else(|| self.difference_stop(machine, event))
    }

    fn error_stop(&self, machine: &Machine, event: &Event) -> Option<Stop> {
        let moment = match event.kind {
            EventKind::ErrorRaised if self.moments.contains(&ErrorMoment::Raised) => {
                ErrorMoment::Raised
            }
            EventKind::ErrorRaised if is_uncaught(machine, event) => ErrorMoment::Uncaught,
            EventKind::RetryScheduled => ErrorMoment::Retried,
            EventKind::Caught => ErrorMoment::Caught,
            _ => return None,
        };
        let name = error_name(machine, event).unwrap_or_else(|| "".into());
        let stops = self.moments.contains(&moment);
        stops.then_some(Stop::Error(moment, name))
    }

    fn difference_stop(&self, machine: &Machine, event: &Event) -> Option<Stop> {
        if !self.differences {
            return None;
        }
        on_aws(machine, event).map(Stop::ProfilesDiffer)
    }
}

/// The expressions in a breakpoint: its condition and the expressions in its log message.
fn expressions_of(breakpoint: &Breakpoint) -> impl Iterator<Item = &str> {
    let message = breakpoint.log_message.as_deref();
    let parts = message.into_iter().flat_map(expression::expressions);
    breakpoint.condition.as_deref().into_iter().chain(parts)
}

impl PlacedBreakpoint {
    /// True if the name of the event's error matches the breakpoint's pattern, or if the breakpoint is not for errors.
    fn fits_error(&self, machine: &Machine, event: &Event) -> bool {
        match &self.breakpoint.at {
            Location::Error(_, pattern) => {
                let name = error_name(machine, event);
                pattern_fits(pattern, name.as_deref().unwrap_or(""))
            }
            _ => true,
        }
    }

    /// True if the breakpoint stops whenever its location is reached, because it has no condition and no error pattern.
    fn stops_plainly(&self) -> bool {
        let breakpoint = &self.breakpoint;
        breakpoint.condition.is_none() && !matches!(breakpoint.at, Location::Error(..))
    }

    fn condition_holds(&self, frame: Option<&Frame>, values: &Values<'_>) -> Result<bool, String> {
        let Some(condition) = &self.breakpoint.condition else {
            return Ok(true);
        };
        frame.ok_or("the frame has ended")?;
        values.condition(condition)
    }

    fn message(&self, frame: Option<&Frame>, values: &Values<'_>) -> Option<String> {
        let template = self.breakpoint.log_message.as_ref()?;
        frame?;
        Some(values.message(template))
    }
}

/// Name of the error that an event is about.
fn error_name(machine: &Machine, event: &Event) -> Option<Text> {
    let (fault, _) = machine.frame(event.frame)?.visit.fault.as_ref()?;
    fault.error.clone()
}

/// True if neither the state nor any Parallel or Map around it will retry or catch the error.
fn is_uncaught(machine: &Machine, event: &Event) -> bool {
    let mut at = machine.frame(event.frame);
    let fault = at.and_then(|frame| frame.visit.fault.clone());
    // Reported only in the frame that raised the error, not in every enclosing Parallel and Map.
    let Some((mut fault, _)) = fault.filter(|(fault, _)| !fault.from_branch) else {
        return false;
    };
    while let Some(frame) = at
        && let Some(state) = InState::of(machine, frame)
    {
        let taken = state.retrier(&fault).is_some() || state.catcher(&fault).is_some();
        // A state can catch only one error per visit.
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

/// True if two values differ; two missing values are equal, whatever the reasons.
fn is_another(was: &Result<Value, String>, now: &Result<Value, String>) -> bool {
    was.as_ref().ok() != now.as_ref().ok()
}

/// True if the data that passes between states may change with an event.
fn may_change_data(event: &Event) -> bool {
    matches!(event.kind, EventKind::StateExited | EventKind::StateEntered)
}

/// True if an event is at a breakpoint's location. Does not check conditions, error names and changes of data.
fn stands_at(definition: &crate::definition::Definition, at: &Location, event: &Event) -> bool {
    let in_state = |path: &crate::definition::StatePath| {
        event
            .state
            .and_then(|id| definition.state(id))
            .is_some_and(|state| state.path == *path)
    };
    match at {
        Location::State(path) => event.kind == EventKind::StateEntered && in_state(path),
        Location::Item(path, index) => {
            event.kind == EventKind::IterationStarted && event.arg == *index && in_state(path)
        }
        Location::Part(path, part) => {
            in_state(path)
                && match (part, event.kind) {
                    (Part::Retrier(index), EventKind::RetryScheduled)
                    | (Part::Catcher(index), EventKind::Caught)
                    | (Part::Rule(index), EventKind::Chosen) => event.arg == *index,
                    (Part::Default, EventKind::Chosen) => event.arg == u32::MAX,
                    (Part::Field(name), kind) => {
                        let state = event.state.and_then(|id| definition.state(id));
                        let spec = FieldSpec::of_state(name);
                        let effect = state.zip(spec).map(|(state, spec)| state.effect_of(spec));
                        effect.is_some_and(|effect| happens_at(effect, kind))
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

/// True if a field with this effect takes effect at an event of this kind.
fn happens_at(effect: Effect, kind: EventKind) -> bool {
    match effect {
        Effect::Nothing | Effect::Default | Effect::Test => false,
        Effect::Stage(stage) => kind == EventKind::Stage(stage),
        Effect::Call => kind == EventKind::TaskStarted,
        Effect::Wait => kind == EventKind::WaitStarted,
        Effect::Failure => kind == EventKind::ErrorRaised,
        Effect::Items => kind == EventKind::MapStarted,
        Effect::Results => kind == EventKind::MapSucceeded,
        Effect::Assignment | Effect::Exit => kind == EventKind::StateExited,
    }
}

/// True if a pattern matches a name; `*` matches any characters.
#[must_use]
pub fn pattern_fits(pattern: &str, name: &str) -> bool {
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

/// The reason why a run stopped.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// The cursor is at the beginning of the run, where the run enters its first state.
    Start,
    /// A step is done.
    Step,
    /// The run reached this breakpoint.
    Breakpoint(BreakpointId),
    /// An error reached this moment, at which the user wants to stop; the text is the error's name.
    Error(ErrorMoment, Text),
    /// A task waits for an answer, so the run cannot continue without the user.
    Ask(AskId),
    /// A step reached a task that starts an execution, and the user can step into that execution.
    Child(AskId),
    /// The profiles behave differently here; the text says what AWS does.
    ProfilesDiffer(Text),
    /// The run first differs here from the recorded execution that it repeats.
    Recorded(Arc<FirstDifference>),
    /// All recorded events were repeated, and the run continues beyond them; contains AWS's id of the last recorded
    /// event.
    NotRecorded(u32),
    /// The run reached the state up to which the user wanted to run.
    Target,
    /// The user paused the run.
    Pause,
    /// The cursor arrived at the event to which the user travelled.
    Travel,
    /// The run was repeated after a reload; contains the number of the first event that differs, if any.
    Reload(Option<u64>),
    /// The run reached its memory limit of this many bytes; nothing more is recorded.
    Memory(u64),
    /// The run is stuck: a task never gets an answer and has no timeout, so nothing more can happen.
    Stuck,
    /// The run has ended.
    End,
}
