//! Repeats a recorded execution: applies its recorded times to a run, and those recorded values that cannot be computed
//! again.

use super::Machine;
use crate::definition::{Choice, State, StateId};
use crate::interpreter::ask::AskKey;
use crate::interpreter::event::{Edge, EventKind, FrameId, Millis, Stage};
use crate::interpreter::fault::{Fault, Origin};
use crate::interpreter::frame::{Frame, Timer};
use crate::interpreter::reason::Reason;
use crate::interpreter::run::{Followed, MapRun, MapRunOutcome, Passage, Work, recorded_due};
use crate::interpreter::stage::{Done, Raised, has_work};
use crate::interpreter::visit::Phase;
use crate::json::{Text, Value, not_recorded};

/// The retrier and the catcher that match an error: the retrier's index with the delay, and the catcher's index.
type Handling = (Option<(usize, f64)>, Option<usize>);

impl Machine {
    /// True if the run repeats a recorded execution. Values that cannot be computed again are then taken from the
    /// recording.
    #[must_use]
    pub fn repeats_execution(&self) -> bool {
        self.run.header.course.is_some()
    }

    /// Recorded data of one visit to the frame's current state. `visit` is the number of the visit, from 1.
    fn passage(&self, frame: &Frame, visit: u32) -> Option<&Passage> {
        let course = self.run.header.course.as_ref()?;
        let key = AskKey {
            visit,
            attempt: 0,
            ..self.key(frame)
        };
        course.visits.get(&key)
    }

    /// If the frame was aborted in the recording: the time just after the last recorded event. `None` if the frame was
    /// not aborted.
    fn stopped_at(&self, frame: &Frame) -> Option<Millis> {
        let course = self.run.header.course.as_ref()?;
        course.stopped.get(&self.key_in_course(frame)?).copied()
    }

    /// The key by which the recording identifies a branch or iteration.
    fn key_in_course(&self, frame: &Frame) -> Option<AskKey> {
        let around = self.frame(frame.parent?)?;
        Some(AskKey {
            path: self.state_of(around)?.name.clone(),
            visit: 0,
            attempt: 0,
            ..self.key(frame)
        })
    }

    /// The first recorded state of the frame. `None` if that is the first state of its list, if the frame's beginning
    /// was recorded, or if the frame has already entered a state.
    fn begins_at(&self, frame: &Frame) -> Option<StateId> {
        let begins = &self.run.header.course.as_ref()?.begins;
        let is_new = frame.visit_counts.is_empty() && !begins.is_empty();
        let first = *begins.get(&self.key_in_course(frame).filter(|_| is_new)?)?;
        Some(first).filter(|first| *first != frame.visit.state)
    }

    /// Ends an item of a Map if only its end was recorded, and returns true. Otherwise returns false.
    fn ends_as_recorded(&mut self, id: FrameId) -> bool {
        let ended = self.frame(id).and_then(|frame| {
            let course = self.run.header.course.as_ref()?;
            let end = course.ended.get(&self.key_in_course(frame)?)?;
            Some((frame.parent?, frame.index, *end))
        });
        let Some((parent, index, (at, succeeded))) = ended else {
            return false;
        };
        if at > self.now {
            self.unready(id);
            self.set_timer(id, at, Timer::Entry);
            return true;
        }
        self.park(id);
        self.set_phase(id, Phase::Ended);
        match succeeded {
            true => self.child_succeeded(parent, id, index, not_recorded()),
            false => {
                self.child_failed(parent, id, index, unknown_fault());
            }
        }
        true
    }

    /// Recorded data of the current attempt of a Map or Parallel.
    fn work_here(&self, id: FrameId) -> Option<Work> {
        let attempt = self.frame(id)?.visit.attempt.saturating_sub(1);
        self.followed(id)?.works.get(attempt as usize).cloned()
    }

    /// True if the work of the Map or Parallel failed in the recording.
    pub(in crate::interpreter) fn work_fails(&self, id: FrameId) -> bool {
        self.work_here(id)
            .is_some_and(|work| work.fails_after.is_some())
    }

    /// True if the work of the Map or Parallel failed in the recording, and the recorded time of that failure has not
    /// passed.
    pub(in crate::interpreter) fn fails_later(&self, id: FrameId) -> bool {
        let over = self
            .work_here(id)
            .filter(|work| work.fails_after.is_some())
            .and_then(|work| work.over);
        over.is_some_and(|over| over >= self.now)
    }

    /// Sets a deadline at which the work of a Map or Parallel ends as recorded. It is needed because events of the work
    /// may be missing in the recording.
    pub(in crate::interpreter) fn arm_work(&mut self, id: FrameId) {
        if let Some(over) = self.work_here(id).and_then(|work| work.over) {
            // This deadline takes effect after all other deadlines of the same time. If several frames have such a
            // deadline, the deadline of the innermost frame takes effect first.
            let due = over.max(self.now);
            let timer = Timer::Work(u32::MAX - id.0);
            self.deadlines.insert((due, FrameId(u32::MAX), timer));
        }
    }

    /// Ends the work of a Map or Parallel as recorded, unless it has ended already.
    pub(super) fn end_work(&mut self, id: FrameId, due: Millis) {
        let is_at_work = self.frame(id).is_some_and(|frame| {
            let is_over = frame.visit.data.get(Stage::Result).is_some();
            frame.visit.group.is_some() && frame.visit.fault.is_none() && !is_over
        });
        let is_over = |work: &Work| work.over.is_some_and(|over| over <= due);
        let Some(work) = self.work_here(id).filter(is_over).filter(|_| is_at_work) else {
            return;
        };
        let run = std::sync::Arc::clone(&self.run);
        let state = self.frame(id).map(|frame| frame.visit.state);
        let Some(state) = state.and_then(|state| run.definition.state(state)) else {
            return;
        };
        if work.fails_after.is_none() {
            self.remove_children(id);
            return self.ended(id, state, not_recorded());
        }
        let followed = self.followed(id);
        let fault = followed.and_then(|followed| followed.work_fault.clone());
        self.abort_children(id, self.last_id(id));
        self.raise(id, fault.unwrap_or_else(unknown_fault), None);
    }

    /// Recorded data of the frame's current visit.
    fn passage_here(&self, id: FrameId) -> Option<&Passage> {
        self.run.header.course.as_ref()?;
        let frame = self.frame(id)?;
        self.passage(frame, self.visit_number(frame))
    }

    fn map_run_here(&self, id: FrameId) -> Option<&MapRun> {
        self.passage_here(id)?.map_run.as_ref()
    }

    /// Recorded next state, attempts and items of the current visit. `None` if the run does not follow recorded events.
    pub(in crate::interpreter) fn followed(&self, id: FrameId) -> Option<&Followed> {
        // Only a run that follows recorded events knows the end of the recording.
        self.run.header.course.as_ref()?.over?;
        self.passage_here(id)?.followed.as_deref()
    }

    /// True if the current visit takes its course from recorded events, because its data are not known.
    #[must_use]
    pub fn follows(&self, id: FrameId) -> bool {
        self.followed(id).is_some()
    }

    /// The rule that the Choice took in the recording.
    pub(in crate::interpreter) fn followed_rule(
        &self,
        id: FrameId,
        choice: &Choice,
    ) -> Option<Edge> {
        let next = self.followed(id)?.next.as_ref()?;
        let mut rules = (0_u32..).zip(&choice.rules);
        let rule =
            rules.find(|(_, rule)| rule.next.as_ref().is_some_and(|known| known.name == *next));
        rule.map(|(place, _)| Edge::Rule(place))
    }

    /// The retrier or catcher that handled the error in the recording.
    pub(in crate::interpreter) fn followed_handling(
        &self,
        id: FrameId,
        state: &State,
    ) -> Option<Handling> {
        let followed = self.followed(id)?;
        let attempt = self.frame(id)?.visit.attempt;
        let again = followed.tries > attempt as usize && !state.retry.is_empty();
        let next = followed.next.as_ref();
        let catcher = state.catch.iter().position(|catcher| {
            next.is_some() && catcher.next.as_ref().map(|target| &target.name) == next
        });
        Some((again.then_some((0, 0.0)), catcher))
    }

    /// Returns the recorded error of the state itself, after emitting the events of the expressions that failed. It is
    /// called before the state's work and again, with `after_work`, after it. If the recorded work began, only the
    /// second call returns the error; otherwise, only the first.
    pub(in crate::interpreter) fn followed_fault(
        &mut self,
        id: FrameId,
        after_work: bool,
    ) -> Option<Raised> {
        let works = self.kind_of(id).is_some_and(has_work);
        let followed = self.followed(id)?;
        if after_work != (works && followed.tries > 0) {
            return None;
        }
        let (fault, evaluations) = (followed.fault.clone(), followed.evaluations);
        for _ in 0..evaluations {
            self.push_history(id, EventKind::EvaluationFailed, 0);
        }
        Some((fault?, None))
    }

    /// Puts off the entry into a state until its recorded time, and replaces an input that cannot be computed again by
    /// the recorded input. Returns true if the state is not entered yet.
    pub(in crate::interpreter) fn is_put_off(&mut self, id: FrameId) -> bool {
        let now = self.now;
        let Some(frame) = self.frame(id).filter(|_| self.run.header.course.is_some()) else {
            return false;
        };
        if let Some(first) = self.begins_at(frame) {
            let input = frame.visit.data.latest(Stage::Input);
            self.with(id, |frame| frame.visit.go_to(first, input, now));
            return true;
        }
        let place = self.run.position(frame.visit.state) as usize;
        let visits = frame.visit_counts.get(place).copied().unwrap_or(0);
        let Some(passage) = self.passage(frame, visits.saturating_add(1)) else {
            let course = self.run.header.course.as_ref();
            let over = course.and_then(|course| course.over);
            if over.is_some() && course.is_some_and(|course| course.ends_there) {
                if !self.ends_as_recorded(id) {
                    self.park(id);
                }
                return true;
            }
            let stopped = self.stopped_at(frame).or(over).filter(|at| *at > now);
            return stopped.is_some_and(|at| {
                self.unready(id);
                self.set_timer(id, at, Timer::Entry);
                true
            });
        };
        let due = passage.entered.filter(|entered| *entered > now);
        let input = passage.input.as_ref().map(|recorded| {
            let input = frame.visit.data.latest(Stage::Input);
            recorded.taken(input)
        });
        if let Some(input) = input {
            self.with(id, |frame| frame.visit.data.set(Stage::Input, input));
        }
        let Some(due) = due else {
            return false;
        };
        self.unready(id);
        self.set_timer(id, due, Timer::Entry);
        true
    }

    /// The recorded id of the visit's StateEntered event.
    pub(in crate::interpreter) fn entered_id(&self, id: FrameId) -> Option<u32> {
        let entered_id = self.passage_here(id).map(|passage| passage.entered_id);
        entered_id.filter(|id| *id > 0)
    }

    /// The time at which a Wait ends; `due` is the computed time. The recorded time is used instead if the run
    /// follows recorded events, or if the two times are close.
    pub(in crate::interpreter) fn wait_due(&self, id: FrameId, due: Millis) -> Millis {
        let left = self.passage_here(id).and_then(|passage| passage.left);
        match self.followed(id) {
            Some(_) => left.unwrap_or(due),
            None => recorded_due(left, due, due).unwrap_or(due),
        }
    }

    /// The recorded start time of the next attempt. If that was not recorded, but the frame was aborted in the
    /// recording: the time from `stopped_at`. `None` if neither is known. A run that does not follow recorded events
    /// ignores a start time that is too far from the computed range from `earliest` to `latest`, and gets `None`.
    pub(in crate::interpreter) fn retry_due(
        &self,
        id: FrameId,
        earliest: Millis,
        latest: Millis,
    ) -> Option<Millis> {
        let attempt = self.frame(id).map_or(1, |frame| frame.visit.attempt);
        let begun = self.passage_here(id).and_then(|passage| {
            let next = passage.attempts.get(attempt as usize)?;
            *next
        });
        match begun {
            Some(_) if self.followed(id).is_some() => begun,
            Some(_) => recorded_due(begun, earliest, latest),
            None => self.frame(id).and_then(|frame| self.stopped_at(frame)),
        }
    }

    /// The value of a stage. Parts of the value that cannot be computed again are replaced by the recorded parts.
    pub(in crate::interpreter) fn as_recorded(
        &self,
        id: FrameId,
        stage: Stage,
        computed: Value,
    ) -> Value {
        let recorded = match stage {
            Stage::AfterParameters | Stage::AfterArguments => {
                let attempt = self.frame(id).map_or(1, |frame| frame.visit.attempt);
                let place = attempt.saturating_sub(1) as usize;
                let calls = self.passage_here(id).map(|passage| &passage.calls);
                calls.and_then(|calls| calls.get(place)?.as_ref())
            }
            Stage::Output => self
                .passage_here(id)
                .and_then(|passage| passage.output.as_ref()),
            _ => None,
        };
        match recorded {
            Some(recorded) => recorded.taken(computed),
            None => computed,
        }
    }

    /// The variables that a state assigns. Values that cannot be computed again are replaced by the recorded values.
    pub(in crate::interpreter) fn assigned_there(
        &self,
        id: FrameId,
        mut assigned: Vec<(Text, Value)>,
    ) -> Vec<(Text, Value)> {
        let recorded = self.passage_here(id).map(|passage| &passage.assigned);
        for (name, value) in recorded.into_iter().flatten() {
            if let Some((_, old)) = assigned.iter_mut().find(|(key, _)| key == name) {
                *old = value.clone();
            }
        }
        assigned
    }

    /// Runs a DISTRIBUTED Map whose child executions were not recorded. Returns true if the frame's state is such a
    /// Map.
    pub(in crate::interpreter) fn runs_as_recorded(&mut self, id: FrameId) -> bool {
        let run = self.map_run_here(id);
        let Some(MapRun { length, ended, .. }) = run else {
            return false;
        };
        let (length, ended) = (*length, ended.unwrap_or(self.now).max(self.now));
        self.begin_attempt(id);
        self.push_history(id, EventKind::MapStarted, length);
        self.map_run_started(id, length);
        self.park(id);
        self.set_timer(id, ended, Timer::MapRun);
        true
    }

    /// Ends the execution as recorded. This is needed if the run does not end by itself because some events were not
    /// recorded.
    pub(super) fn end_as_recorded(&mut self) {
        let course = self.run.header.course.as_ref();
        let end = course.and_then(|course| course.end.clone());
        if let Some(end) = end {
            self.end(end, self.last_id(FrameId(0)));
        }
    }

    /// Ends a Map Run whose child executions were not recorded.
    pub(in crate::interpreter) fn map_run_ends(&mut self, id: FrameId) -> Done {
        let outcome = self.map_run_here(id).and_then(|run| run.outcome.clone());
        match outcome {
            Some(MapRunOutcome::Result(_) | MapRunOutcome::Output(_)) => {
                self.end_attempt(id);
                self.push_history(id, EventKind::MapRunSucceeded, 0);
                let last = self.last_id(id);
                self.push_history_after(id, EventKind::MapSucceeded, 0, last);
                self.with(id, |frame| frame.last_id = last);
                match outcome {
                    Some(MapRunOutcome::Result(result)) => self.finish_work(id, result),
                    Some(MapRunOutcome::Output(output)) => {
                        self.with(id, |frame| frame.visit.data.set(Stage::Output, output));
                        self.wake(id, Phase::Exit);
                    }
                    _ => {}
                }
                Ok(())
            }
            Some(MapRunOutcome::Failure(fault)) => {
                self.with(id, |frame| frame.visit.fault = Some((fault.clone(), None)));
                self.map_run_failed(id);
                Err((fault, None))
            }
            None => Ok(()),
        }
    }
}

/// A fault without a name, for work that failed in the recording with an unknown error.
fn unknown_fault() -> Fault {
    Fault::outside(Origin::Task, Reason::Recorded { read: None }, None, None)
}
