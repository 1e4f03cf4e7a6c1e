//! Executes a run to its end without a user. Steps and answers are the same as in a session, but the run cannot go
//! back.
//!
//! The run keeps no timeline, log or checkpoints, so that a run of any length only needs the memory of its live frames.

use super::answerer::{Answerer, Decision};
use super::child::{Child, Turn};
use super::log::AnsweredBy;
use super::no_answer::{NoAnswer, Remark};
use super::no_items::{NoItems, no_items};
use super::note::misfit_of;
use super::on_aws::on_aws;
use super::record::{Answers, Calls, by_state};
use crate::definition::{Owner, StateId, StateKind};
use crate::interpreter::{
    Answer, Ask, AskId, Event, EventKind, FrameId, Machine, MemoryWatch, Millis, Run, Step,
};
use crate::json::Text;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// For each Choice, the maximum number of evaluations that are searched for a rule that cannot match.
const EVALUATIONS: u32 = 32;

/// A run without a user.
#[derive(Clone, Debug)]
pub struct Unattended {
    machine: Machine,
    answerer: Answerer,
    /// The child execution that is running, and the request for which it computes the answer.
    child: Option<(AskId, Child)>,
    /// A request for which the answer is being computed.
    pending: Option<Ask>,
    /// Requests of tasks that were sent to real targets, while other branches and items continue.
    calling: VecDeque<Ask>,
    /// Number of calls to real targets.
    calls: u64,
    /// Answers that tasks got, by call; `None` if they are not kept.
    answers: Option<Calls>,
    events: u64,
    retries: u64,
    /// Number of states entered and retries made in child executions that have finished.
    child_steps: u64,
    remarks: Vec<Remark>,
    /// Wait states that were reported because they did not wait.
    no_waits: BTreeSet<StateId>,
    /// Map states that have ended. For each Map, the reason why it has had no items so far; `None` if it had items.
    maps: BTreeMap<StateId, Option<NoItems>>,
    /// For each Choice, the number of evaluations that were searched.
    choices: BTreeMap<StateId, u32>,
    /// For each frame, how AWS handles the frame's last error, if AWS handles that error differently.
    raised: BTreeMap<FrameId, Text>,
    /// States for which a difference from AWS was reported.
    differing: BTreeSet<StateId>,
    memory: MemoryWatch,
}

/// Result of a step.
#[derive(Clone, Debug)]
pub enum Happened {
    /// An event.
    Event(Event),
    /// A request was answered, or a child execution performed a step; no event happened.
    Nothing,
    /// A request has no answer, so the run cannot continue.
    NoAnswer(Box<Ask>, NoAnswer),
    /// The run has not ended, but it waits: nothing happens any more, or nothing happens before the time limit of the
    /// step.
    Stuck,
    /// The run uses too much memory.
    TooLarge,
    /// The run has ended.
    Done,
}

impl Unattended {
    /// Creates a run before its first event; the run may use `memory_limit` bytes.
    #[must_use]
    pub fn start(run: Arc<Run>, answerer: Answerer, memory_limit: u64) -> Self {
        Self {
            machine: Machine::start(run),
            answerer,
            child: None,
            pending: None,
            calling: VecDeque::new(),
            calls: 0,
            answers: None,
            events: 0,
            retries: 0,
            child_steps: 0,
            remarks: Vec::new(),
            no_waits: BTreeSet::new(),
            maps: BTreeMap::new(),
            choices: BTreeMap::new(),
            raised: BTreeMap::new(),
            differing: BTreeSet::new(),
            memory: MemoryWatch::new(memory_limit),
        }
    }

    /// The machine.
    #[must_use]
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// The machine, mutable for a caller that itself answers requests, or that sets the outcome of a Map or Parallel.
    pub fn machine_mut(&mut self) -> &mut Machine {
        &mut self.machine
    }

    /// Number of events so far.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Number of states entered and retries made, including those in child executions.
    #[must_use]
    pub fn steps(&self) -> u64 {
        let running = self.child.as_ref().map_or(0, |(_, child)| child.steps());
        let entered = self.machine.transitions().saturating_add(self.retries);
        entered
            .saturating_add(self.child_steps)
            .saturating_add(running)
    }

    /// The request for which the answer is being computed, if there is one.
    #[must_use]
    pub fn pending(&self) -> Option<&Ask> {
        self.pending.as_ref()
    }

    /// True if the run waits for an answer or for the result of a real call.
    #[must_use]
    pub fn is_awaiting(&self) -> bool {
        self.pending.is_some() || !self.calling.is_empty()
    }

    /// Makes the run keep the answers of its tasks.
    #[must_use]
    pub fn keeping_answers(self) -> Self {
        Self {
            answers: Some(Calls::new()),
            ..self
        }
    }

    /// Number of calls to real targets.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.calls
    }

    /// Takes the answers of tasks, by state, in the order of the calls; empty if the run does not keep them.
    pub fn take_answers(&mut self) -> Answers {
        by_state(self.answers.take().unwrap_or_default())
    }

    fn note_answer(&mut self, ask: &Ask, answer: &Answer) {
        let state = self.machine.definition().state(ask.state);
        let (Some(all), Some(state)) = (&mut self.answers, state) else {
            return;
        };
        all.insert(ask.id, (state.name.clone(), answer.clone()));
    }

    /// True if the run started child executions.
    #[must_use]
    pub fn has_children(&self) -> bool {
        self.child_steps > 0 || self.child.is_some()
    }

    /// True if there are remarks that were not taken yet.
    #[must_use]
    pub fn has_remarks(&self) -> bool {
        !self.remarks.is_empty()
    }

    /// Removes and returns the remarks that were added since the last call.
    pub fn take_remarks(&mut self) -> Vec<Remark> {
        std::mem::take(&mut self.remarks)
    }

    /// Performs the smallest step of the run, or of the child execution that answers one of its requests.
    pub fn step(&mut self) -> Happened {
        self.step_until(Millis::MAX)
    }

    /// Like [`Self::step`], but the virtual clock advances at most to `until`.
    pub fn step_until(&mut self, until: Millis) -> Happened {
        if self.child.is_some() {
            return self.step_child();
        }
        let pending = self.pending.take();
        if let Some(ask) = pending.filter(|ask| self.machine.ask(ask.id).is_some()) {
            return self.answer(ask);
        }
        // Checked after the previous event was reported, but before more memory is used.
        if self.memory.is_over(&self.machine, 0) {
            return Happened::TooLarge;
        }
        match self.machine.step(until) {
            Step::Event(event) => {
                self.events += 1;
                self.retries += u64::from(event.kind == EventKind::Retried);
                self.remark_on(&event);
                Happened::Event(event)
            }
            Step::Ask(ask) => self.answer(ask),
            Step::Waiting => match self.calling.pop_front() {
                Some(ask) if self.machine.ask(ask.id).is_some() => self.answer(ask),
                Some(_) => Happened::Nothing,
                None => Happened::Stuck,
            },
            Step::Idle(_) | Step::Stuck => Happened::Stuck,
            Step::Done => {
                self.tell_of_maps();
                Happened::Done
            }
        }
    }

    /// Adds remarks on an event, once per state: a Wait that does not wait, a Choice rule that cannot match (searched
    /// only in the first evaluations of the Choice), or a difference from AWS. Errors that fail the run are not among
    /// the differences.
    fn remark_on(&mut self, event: &Event) {
        let aws = match event.kind {
            EventKind::ErrorRaised => {
                self.raised.remove(&event.frame);
                let aws = on_aws(&self.machine, event);
                self.raised.extend(aws.map(|aws| (event.frame, aws)));
                return;
            }
            EventKind::Caught | EventKind::RetryScheduled => self.raised.remove(&event.frame),
            _ if event.diverges => on_aws(&self.machine, event),
            EventKind::WaitStarted | EventKind::StateExited | EventKind::Chosen => None,
            _ => return,
        };
        let definition = self.machine.definition();
        let state = event.state.and_then(|id| Some((id, definition.state(id)?)));
        let Some((id, state)) = state else { return };
        match (event.kind, &state.kind) {
            (EventKind::WaitStarted, _) => {
                let frame = self.machine.frame(event.frame);
                let why = frame.and_then(|frame| frame.visit.no_wait.as_deref());
                let why = why.filter(|_| self.no_waits.insert(id));
                let remark = why.map(|why| Remark::NoWait(state.name.clone(), why.clone()));
                self.remarks.extend(remark);
            }
            // Maps without items are reported at the end, because a later visit may have items.
            (EventKind::StateExited, StateKind::Map(_))
                if !matches!(self.maps.get(&id), Some(None)) =>
            {
                self.maps.insert(id, no_items(event, &self.machine));
            }
            (EventKind::Chosen, _) => {
                let seen = self.choices.entry(id).or_insert(0);
                let misfit = (*seen < EVALUATIONS).then(|| misfit_of(event, &self.machine));
                *seen = seen.saturating_add(1);
                if let Some(misfit) = misfit.flatten() {
                    *seen = EVALUATIONS;
                    let rule = state.part_span(Owner::Rule(misfit.rule));
                    self.remarks.push(Remark::Misfit {
                        state: state.name.clone(),
                        line: definition.sources.line(rule),
                        text: misfit.text,
                    });
                }
            }
            _ => {}
        }
        if let Some(aws) = aws.filter(|_| self.differing.insert(id)) {
            self.remarks.push(Remark::Differs {
                state: state.name.clone(),
                line: definition.sources.line(state.name_span),
                aws,
            });
        }
    }

    /// Adds remarks on Maps that had no items in any visit.
    fn tell_of_maps(&mut self) {
        for (id, none) in std::mem::take(&mut self.maps) {
            let state = self.machine.definition().state(id);
            if let (Some(state), Some(none)) = (state, none) {
                let remark = Remark::NoItems(state.name.clone(), Box::new(none));
                self.remarks.push(remark);
            }
        }
    }

    fn answer(&mut self, ask: Ask) -> Happened {
        let decision = self.answerer.decide(&self.machine, &ask);
        self.remarks.extend(self.answerer.take_remarks());
        match decision {
            Decision::Serve(answer) => {
                self.machine.answer(ask.id, answer);
                Happened::Nothing
            }
            Decision::Answer(answer, by) => {
                self.calls += u64::from(by == AnsweredBy::Target);
                self.note_answer(&ask, &answer);
                self.machine.answer(ask.id, answer);
                Happened::Nothing
            }
            Decision::Start(request) => {
                self.child = Some((
                    ask.id,
                    Child::begin(*request, &self.answerer, self.memory.limit()),
                ));
                Happened::Nothing
            }
            Decision::NoAnswer(why) => Happened::NoAnswer(Box::new(ask), why),
            Decision::Later if self.answerer.calls_beside(&self.machine, &ask) => {
                self.calling.push_back(ask);
                Happened::Nothing
            }
            Decision::Later => {
                self.pending = Some(ask);
                Happened::Nothing
            }
        }
    }

    fn step_child(&mut self) -> Happened {
        let Some((id, child)) = &mut self.child else {
            return Happened::Nothing;
        };
        let (id, turn) = (*id, child.step());
        if turn == Turn::Going {
            return Happened::Nothing;
        }
        self.remarks.extend(child.take_notes());
        self.child_steps = self.child_steps.saturating_add(child.steps());
        self.child = None;
        let answer = match turn {
            Turn::Going => return Happened::Nothing,
            Turn::Ended(answer) => {
                if let Some(ask) = self.machine.ask(id).cloned() {
                    self.note_answer(&ask, &answer);
                }
                answer
            }
            Turn::NoAnswer(why) => {
                let Some(ask) = self.machine.ask(id).cloned() else {
                    return Happened::Stuck;
                };
                let given = self.answerer.unmocked(&self.machine, &ask, why);
                self.remarks.extend(self.answerer.take_remarks());
                match given {
                    Ok(answer) => answer,
                    Err(why) => return Happened::NoAnswer(Box::new(ask), why),
                }
            }
        };
        self.machine.answer(id, answer);
        Happened::Nothing
    }
}
