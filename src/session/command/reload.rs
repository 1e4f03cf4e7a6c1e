//! Runs the state machine again from the start. A restart begins a new run; a reload repeats the log with a changed
//! definition, up to the first difference. Also forks the run, for example after an edited value.

use crate::definition::{Definition, StateId, StatePath};
use crate::interpreter::{AskKey, Event, EventKind, Stage, Status};
use crate::json::{Pointer, Value};
use crate::query::Profile;
use crate::session::breakpoint::{Breakpoint, Location};
use crate::session::execution::Children;
use crate::session::log::EntryKind;
use crate::session::no_answer::Remark;
use crate::session::replay::{Compared, Comparison};
use crate::session::reply::{Output, Refused, Reply, Restart, WayBack};
use crate::session::session::Session;
use crate::session::snapshot::{self, Snapshot};
use crate::session::stepper::Goal;
use crate::session::stop_condition::Stop;
use crate::source::{Diagnostics, Severity};
use std::sync::Arc;

impl Session {
    /// Replaces the definition and repeats the log with it. Keeps the old definition if the new definition has errors
    /// that prevent a run.
    ///
    /// # Errors
    /// The error that prevents a run.
    pub fn reload(
        &mut self,
        definition: Arc<Definition>,
        diagnostics: Diagnostics,
    ) -> Result<Reply, Refused> {
        if let Some(blocking) = blocking(&definition, &diagnostics) {
            self.refused = Some((Arc::clone(&definition.sources), diagnostics));
            return Err(blocking);
        }
        self.refused = None;
        let errors = diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.severity == Severity::Error)
            .count();
        self.replay_with(definition, diagnostics);
        Ok(Reply::Reloaded { errors })
    }

    /// After a change of the definition or profile, repeats the run up to the cursor or up to the first difference.
    pub(in crate::session) fn replay_with(
        &mut self,
        definition: Arc<Definition>,
        diagnostics: Diagnostics,
    ) {
        let until = self.snapshot().events;
        let goes_on = *self.snapshot().machine.status() == Status::Running;
        let stood = self.focus_frame().filter(|_| goes_on).and_then(|frame| {
            let state = self.setup.definition.state(frame.visit.state)?;
            Some((state.path.clone(), self.visits_of(frame.visit.state)))
        });
        let old = Snapshot::start(Arc::clone(&self.recording.run));
        for entry in self.recording.log.lasting() {
            if let EntryKind::Edit {
                key,
                stage,
                at,
                value,
                ..
            } = &entry.kind
            {
                let edits = &mut self.replay.edits;
                edits.push((key.clone(), *stage, at.clone(), value.clone()));
            }
        }
        let log = &self.recording.log;
        if log.ignores_failures(log.len()) {
            self.put(Output::FailuresCount);
        }
        let log = std::mem::take(&mut self.recording.log);
        self.replay.remember_asked(&log);
        // A run that began at another state begins there again, even if the state's number has changed.
        if let Some(state) = self.setup.header.start_at {
            let state = self.setup.definition.state(state);
            self.setup.header.start_at = state.and_then(|state| definition.find(&state.path));
        }
        self.answering.answerer.earlier_mut().remember(&log);
        self.answering.answerer.begin_repetition(&definition);
        self.setup.definition = definition;
        self.setup.diagnostics = diagnostics;
        self.replay.comparison = Some(Box::new(Comparison {
            old,
            log,
            until,
            stood,
            event: None,
        }));
        self.replay.words = String::new();
        self.replay.differing = None;
        self.replay.compared = 0;
        self.begin_again();
        self.stepper.goal = Some(Goal::Repeat(until));
    }

    /// After a reload, repeats one event, or compares one event with the run before the reload.
    pub(in crate::session) fn repeat_on(&mut self, until: u64) {
        let next = self.replay.compared + 1;
        if next <= self.recording.head.events {
            match self.compare(next) {
                Compared::Same => self.replay.compared = next,
                Compared::Different => self.differ(next),
                Compared::Pending => {}
            }
            return;
        }
        if self.recording.head.events >= until {
            self.forget_comparison();
            if std::mem::take(&mut self.replay.goes_on) {
                self.stepper.goal = Some(Goal::Continue);
                return;
            }
            return self.stop_at(Stop::Reload(None));
        }
        let Some((_, event)) = self.extend() else {
            let head = &self.recording.head;
            let is_calling = self.stepper.goal.is_some() && !head.calling.is_empty();
            if self.answering.child.is_some() || head.pending.is_some() || is_calling {
                return;
            }
            let stop = self.stepper.stop.clone();
            self.forget_comparison();
            return self.stop_at(stop);
        };
        let live = self.recording.head.machine.frame(event.frame);
        self.stepper.focus = live.map_or(self.stepper.focus, |frame| frame.id);
    }

    /// After a reload, looks up the answer that this request had in the run before the reload, and passes it to the
    /// answerer.
    pub(in crate::session) fn lend_answer(&mut self, key: &AskKey) {
        if let Some(comparison) = &self.replay.comparison {
            let earlier = self.answering.answerer.earlier_mut();
            earlier.lend(&comparison.log, self.recording.head.events, key);
        }
    }

    fn differ(&mut self, number: u64) {
        let comparison = self.replay.comparison.as_ref();
        let until = comparison.map_or(number, |comparison| comparison.until);
        let stood = comparison.and_then(|comparison| comparison.stood.clone());
        let words = comparison.map(|comparison| comparison.words(number, &self.recording));
        let place = comparison.and_then(|comparison| comparison.place(number, &self.recording));
        self.replay.differing = place;
        self.replay.words = words.unwrap_or_default();
        self.forget_comparison();
        if std::mem::take(&mut self.replay.goes_on) {
            // The events that were just computed are already in the timeline, so the run continues after them.
            self.stepper.goal = Some(Goal::Continue);
            return;
        }
        let alike = self.answered_alike(number);
        if until > number || alike.is_some() {
            let stood = stood.filter(|_| until > number);
            let back = stood.and_then(|(path, visits)| self.point_at_old_place(path, visits));
            self.put(Output::Differs {
                run: self.recording.number,
                what: self.replay.words.clone(),
                from: number,
                stood: until,
                back,
            });
        }
        if let Some(alike) = alike {
            self.put(Output::Remark(alike));
        }
        self.stop_at(Stop::Reload(Some(number)));
    }

    /// A remark for a task whose call has another input after the reload but gets the same answer from the mock file.
    fn answered_alike(&mut self, number: u64) -> Option<Remark> {
        let stage = self.replay.differing.as_ref()?.stage;
        let machine = &self.recording.head.machine;
        let frame = machine.frame(self.recording.timeline.get(number)?.frame)?;
        let state = machine.definition().state(frame.visit.state)?;
        let mut stages = state.stages();
        let is_question =
            stages.any(|other| other == stage) && stages.next() == Some(Stage::Result);
        let key = machine.key(frame);
        let mocked = self.answering.answerer.mocked_call(state, &key);
        let (response, number) = mocked.filter(|_| is_question)?;
        self.replay.asked.remove(&key);
        Some(Remark::MockedAlike {
            state: key.path,
            response,
            number,
        })
    }

    fn visits_of(&self, state: StateId) -> u64 {
        let tally = self.snapshot().tally.get(state);
        tally.map_or(0, |tally| u64::from(tally.visits))
    }

    /// Sets a one-time breakpoint at the state in which the cursor was in the previous run. `None` if the new run has
    /// already visited that state as many times as the previous run, or if the state no longer exists.
    fn point_at_old_place(&mut self, path: StatePath, visits: u64) -> Option<WayBack> {
        let definition = &self.setup.definition;
        let state = definition.find(&path)?;
        let left = visits.saturating_sub(self.visits_of(state));
        if left == 0 {
            return None;
        }
        let at = Location::State(path.clone());
        let set = !self.breakpoints.stops_always_at(&at);
        let set = set.then(|| {
            self.breakpoints.add(Breakpoint {
                hit_count: left,
                once: true,
                ..Breakpoint::at(at)
            })
        });
        let state = path.0;
        Some(WayBack { state, set })
    }

    pub(in crate::session) fn forget_comparison(&mut self) {
        // From here on, requests no longer get the answers of the repeated log, so the mock file answers again. The
        // user's answers are kept for later requests.
        self.answering.answerer.earlier_mut().take_back();
        if let Some(comparison) = self.replay.comparison.take() {
            self.discard(comparison);
        }
        self.remember_answers();
        let dropped = std::mem::take(&mut self.replay.edits).len();
        if dropped > 0 {
            self.put(Output::EditsDropped(dropped));
        }
    }

    fn compare(&mut self, number: u64) -> Compared {
        match &mut self.replay.comparison {
            Some(comparison) => comparison.compare(number, &self.recording, &*self.setup.server),
            None => Compared::Same,
        }
    }

    /// When the new run reaches a stage that the user edited in the previous run, applies the same edit.
    pub(in crate::session) fn apply_edits(&mut self, event: &Event) {
        if self.replay.edits.is_empty() {
            return;
        }
        let stage = match event.kind {
            EventKind::StateEntered => Stage::Input,
            EventKind::Stage(stage) => stage,
            _ => return,
        };
        let Some(frame) = self.recording.head.machine.frame(event.frame) else {
            return;
        };
        let key = self.recording.head.machine.key(frame);
        let Some((at, value)) = self.replay.take_edit(&key, stage) else {
            return;
        };
        let machine = &mut self.recording.head.machine;
        if snapshot::edit(machine, event.frame, stage, &at, &value) {
            let kind = EntryKind::Edit {
                frame: event.frame,
                key,
                stage,
                at,
                value,
            };
            self.recording.note(kind);
        }
    }
}

/// The diagnostics that prevent a definition from being run; `None` if there are none.
fn blocking(definition: &Definition, diagnostics: &Diagnostics) -> Option<Refused> {
    let blocking = || diagnostics.iter().filter(|diagnostic| diagnostic.blocking);
    let first = blocking().next()?;
    Some(Refused::Blocking {
        count: blocking().count(),
        line: first.span.and_then(|span| definition.sources.line(span)),
        message: first.message.clone(),
    })
}

impl Session {
    /// Starts another run, at another state or with another input. The user's answers are kept.
    pub(in crate::session) fn begin_elsewhere(
        &mut self,
        start_at: Option<StateId>,
        input: Option<Value>,
    ) -> Result<Reply, Refused> {
        if let Some(state) = start_at {
            let state = self.setup.definition.state(state).ok_or(Refused::NoState)?;
            if state.scope.0 != 0 {
                return Err(Refused::InsideGroup(state.name.clone()));
            }
        }
        self.remember_answers();
        self.replay.edits.clear();
        self.replay.asked.clear();
        if let Some(input) = input {
            self.setup.header.input = input;
        }
        if start_at.is_some() {
            self.setup.header.start_at = start_at;
        }
        self.answering.answerer.begin_run();
        self.begin_again();
        Ok(Reply::Done)
    }

    pub(in crate::session) fn restart(&mut self, kept: Restart) -> Reply {
        match kept {
            Restart::KeepAnswers => self.remember_answers(),
            Restart::Fresh => self.answering.answerer.forget_all(),
        }
        self.replay.edits.clear();
        self.replay.asked.clear();
        self.answering.answerer.begin_run();
        self.begin_again();
        let (typed, files) = self.answering.answerer.earlier().counts();
        Reply::Restarted { typed, files }
    }

    /// Replaces the state machines that tasks may start. If they differ from the old ones, forgets all answers of child
    /// executions.
    pub fn set_children(&mut self, children: Arc<Children>) {
        if self.answering.answerer.set_children(children) {
            self.recording.log.forget_children();
        }
    }

    pub(in crate::session) fn redo_state(&mut self) -> Result<Reply, Refused> {
        let (timeline, now) = (&self.recording.timeline, self.snapshot().events);
        let entered = timeline.last_of(self.stepper.focus, now, EventKind::StateEntered);
        let number = entered.ok_or(Refused::NothingEntered)?;
        self.stepper.goal = Some(Goal::Redo(number));
        Ok(Reply::Travels(number))
    }

    pub(in crate::session) fn set_profile(&mut self, profile: Profile) -> Reply {
        if profile == self.setup.header.profile {
            return Reply::Done;
        }
        self.setup.header.profile = profile;
        let definition = Arc::clone(&self.setup.definition);
        let diagnostics = self.setup.diagnostics.clone();
        self.replay_with(definition, diagnostics);
        Reply::Begun
    }

    /// Starts a fork at the cursor: discards all recorded events after the cursor. Does nothing if there are none.
    pub(in crate::session) fn fork(&mut self) {
        let Some(past) = &self.recording.past else {
            return;
        };
        let kept = past.applied;
        let earlier = self.answering.answerer.earlier_mut();
        earlier.remember_served(&self.recording.log);
        earlier.set_aside(&self.recording.log, kept);
        self.abandon_calls();
        if let Some((events, rest)) = self.recording.fork() {
            self.discard(rest);
            self.await_known_calls();
            self.unfollow_after(events);
            self.breakpoints.forget_hits_after(events);
            self.answering.child = None;
            self.set_clock();
            self.put(Output::Forked {
                after: events,
                run: self.recording.number,
            });
        }
    }

    /// If a real call has already answered a request that is open at the fork, the request gets the answer of that call
    /// again.
    fn await_known_calls(&mut self) {
        let earlier = self.answering.answerer.earlier();
        let head = &mut self.recording.head;
        let open = head.machine.open_asks();
        let called = open.filter(|ask| earlier.was_called(&ask.key)).cloned();
        head.calling = called.collect();
    }
}

impl Session {
    pub(in crate::session) fn edit(
        &mut self,
        stage: Stage,
        at: Pointer,
        value: Value,
    ) -> Result<Reply, Refused> {
        let frame = self.focus_frame().ok_or(Refused::NothingRan)?;
        let (id, key) = (frame.id, self.snapshot().machine.key(frame));
        let old = frame.visit.data.get(stage);
        if old.and_then(|old| at.set(old, value.clone())).is_none() {
            return Err(Refused::NoPlace(stage, at));
        }
        if frame.visit.is_made_for_an_item(stage) {
            let group = frame.visit.group.as_ref();
            return Err(Refused::IsItemInput(group.and_then(|group| group.selected)));
        }
        self.fork();
        // Records the remaining events of the step that the event at the cursor belongs to.
        while !self.recording.head.machine.is_told() && self.extend().is_some() {}
        if !snapshot::edit(&mut self.recording.head.machine, id, stage, &at, &value) {
            return Ok(Reply::Done);
        }
        self.recording.note(EntryKind::Edit {
            frame: id,
            key,
            stage,
            at,
            value,
        });
        self.stepper.stop = Stop::Step;
        Ok(Reply::Edited(stage))
    }
}
