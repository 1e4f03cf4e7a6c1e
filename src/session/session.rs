//! The session itself: what it holds, and what each command does to it.
//!
//! It must not know how far to run (`drive`), what to answer (`answering`) or what is shown (`show`).

use super::answerer::{Answerer, Repeats, Unmocked};
use super::answering::Answering;
use super::answers::MockCase;
use super::breakpoint::ErrorMoment;
use super::breakpoints::Breakpoints;
use super::children::Children;
use super::command::{Command, Direction, Notice, Switch};
use super::items::ItemTable;
use super::log::EntryKind;
use super::recorded_answer::RecordedAnswers;
use super::recording::Recording;
use super::reload::Replay;
use super::snapshot::Snapshot;
use super::stepper::Stepper;
use super::stepping::Goal;
use super::stop::Stop;
use crate::definition::Definition;
use crate::interpreter::{Frame, FrameId, Header, MAX_MEMORY, MemoryWatch, Run, Serve, Stage};
use crate::json::{Pointer, Text, Value};
use crate::query::Profile;
use crate::source::{Diagnostics, SourceMap};
use std::sync::Arc;

/// States and retries of child executions after which a session ends them.
const MAX_CHILD_STEPS: u64 = 10_000_000;

/// What a run starts from, in a session or without one.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The definition.
    pub definition: Arc<Definition>,
    /// What its text was found to have.
    pub diagnostics: Diagnostics,
    /// Input, seed, start time, profile, ...
    pub header: Header,
    /// Answers that were recorded elsewhere.
    pub recorded: Arc<RecordedAnswers>,
    /// The mock file's test case.
    pub mock: Option<MockCase>,
    /// The test case's name.
    pub test_case: Option<Text>,
    /// What a question without an answer gets.
    pub unmocked: Unmocked,
    /// Bytes that checkpoints may keep alive.
    pub checkpoint_budget: u64,
    /// Bytes of memory that the run and its record may take; it stops there.
    pub memory_limit: u64,
    /// Who answers what needs no person.
    pub server: Arc<dyn Serve>,
    /// The machines that tasks may start executions of.
    pub children: Arc<Children>,
    /// After so many states and retries of its child executions together a session ends them and asks a person.
    pub max_child_steps: u64,
}

impl Setup {
    /// A session over a definition with an input and somebody who evaluates and reads, all else by default.
    #[must_use]
    pub fn new(definition: Arc<Definition>, header: Header, server: Arc<dyn Serve>) -> Self {
        Self {
            definition,
            diagnostics: Vec::new(),
            header,
            recorded: Arc::default(),
            mock: None,
            test_case: None,
            unmocked: Unmocked::Ask,
            checkpoint_budget: 128 << 20,
            memory_limit: MAX_MEMORY,
            server,
            children: Arc::default(),
            max_child_steps: MAX_CHILD_STEPS,
        }
    }

    fn memory(&self) -> MemoryWatch {
        MemoryWatch::new(self.memory_limit)
    }

    /// What is run.
    #[must_use]
    pub fn run(&self) -> Run {
        Run::new(Arc::clone(&self.definition), self.header.clone())
    }

    /// What answers the run's questions.
    #[must_use]
    pub fn answerer(&self, repeats: Repeats) -> Answerer {
        Answerer::new(Arc::clone(&self.server), repeats)
            .with_recorded(Arc::clone(&self.recorded))
            .with_mock(self.mock.clone())
            .with_children(Arc::clone(&self.children))
            .with_unmocked(self.unmocked)
    }
}

/// One debugging session over one definition.
#[derive(Debug)]
pub struct Session {
    pub(super) setup: Setup,
    /// The sources and findings of a reload that was refused, while its text is on disk.
    pub(super) refused: Option<(Arc<SourceMap>, Diagnostics)>,
    pub(super) recording: Recording,
    /// What questions are answered with.
    pub(super) answering: Answering,
    /// How the items of Maps are shown.
    pub(super) items: ItemTable,
    /// What is left of the run before a reload.
    pub(super) replay: Replay,
    pub(super) stepper: Stepper,
    pub(super) breakpoints: Breakpoints,
    pub(super) watches: Vec<Watch>,
    pub(super) notices: Vec<Notice>,
}

/// A watch with its values at this and the previous stop.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    pub text: Text,
    pub now: Result<Value, String>,
    pub was: Result<Value, String>,
}

impl Session {
    /// Begins a run and goes to the entry of its first state.
    #[must_use]
    pub fn new(mut setup: Setup) -> Self {
        let run = setup.run();
        let answerer = setup.answerer(Repeats::MayBe);
        // The answerer holds them from here on.
        setup.mock = None;
        setup.recorded = Arc::default();
        setup.children = Arc::default();
        let mut session = Self {
            refused: None,
            recording: Recording::new(run, 1, setup.checkpoint_budget, setup.memory()),
            answering: Answering::new(answerer),
            items: ItemTable::default(),
            replay: Replay::default(),
            stepper: Stepper::default(),
            breakpoints: Breakpoints::default(),
            watches: Vec::new(),
            notices: Vec::new(),
            setup,
        };
        session.begin();
        session
    }

    /// Goes to the entry of the first state.
    pub(super) fn begin(&mut self) {
        self.recording.checkpoints.offer(&self.recording.head);
        while self.recording.timeline.len() < 2 && self.extend().is_some() {}
        self.stepper.stop = Stop::Start;
        self.sample_watches();
    }

    /// Throws the run away and begins another with the same header.
    pub(super) fn begin_again(&mut self) {
        let run = self.setup.run();
        let number = self.recording.number + 1;
        self.recording = Recording::new(
            run,
            number,
            self.setup.checkpoint_budget,
            self.setup.memory(),
        );
        self.answering.begin();
        self.stepper.focus = FrameId(0);
        self.stepper.goal = None;
        self.set_clock();
        for placed in &mut self.breakpoints.placed {
            placed.hits.clear();
            placed.seen = None;
        }
        self.begin();
    }

    /// Does what a command says, or begins to. Running and travelling go on in [`Session::advance`].
    pub fn apply(&mut self, command: Command) -> Vec<Notice> {
        match command {
            Command::Step(direction) => self.aim(Goal::step(self.stepper.focus), direction),
            Command::Next(direction) => self.aim(Goal::next(self.stepper.focus), direction),
            Command::Finish(direction) => {
                self.aim(Goal::finish(self.stepper.focus, self.is_top()), direction)
            }
            Command::Continue(direction) => self.aim(Goal::Continue, direction),
            Command::Attempt(direction) => self.aim(Goal::attempt(self.stepper.focus), direction),
            Command::RunTo(state) => self.aim(Goal::Enter(state), Direction::Forward),
            Command::Pause => self.pause(),
            Command::Travel(event) => self.travel(event, Stop::Travel),
            Command::Now => self.travel(self.recording.timeline.len(), Stop::Travel),
            Command::Restart(kept) => self.restart(kept),
            Command::RedoState => self.redo_state(),
            Command::IgnoreFailures => self.ignore_failures(),
            Command::Items(text) => self.show_beside_items(text),
            Command::FilterItems(text) => self.items.filter = text.to_lowercase().into(),
            Command::EnterItem(index) => self.enter_item(index),
            Command::Answer(ask, answer) => self.answer_by_person(ask, answer),
            Command::AnswerAll(ask, answer, reach) => self.answer_all(ask, &answer, &reach),
            Command::ForgetAnswer(place) => self.forget_answer_rule(place),
            Command::Edit { stage, at, value } => self.edit(stage, at, value),
            Command::Focus(frame) => self.set_focus(frame),
            Command::FrameUp => {
                self.focus_on(self.parent_of_focus(), "this is the outermost frame")
            }
            Command::FrameDown => {
                self.focus_on(self.child_of_focus(), "this frame has no running child")
            }
            Command::Sibling(direction) => self.focus_on(
                self.sibling(direction),
                "there is no running sibling that way",
            ),
            Command::Break(breakpoint) => self.add_breakpoint(breakpoint),
            Command::ToggleBreak(state) => self.toggle_state(state),
            Command::ToggleBreakLine(source, line) => self.toggle_line(source, line),
            Command::EnableBreak(id, switch) => self.enable(id, switch),
            Command::RemoveBreak(id) => self.remove(id),
            Command::StopOn(moment, switch) => match switch {
                Switch::On => drop(self.breakpoints.moments.insert(moment)),
                Switch::Off => drop(self.breakpoints.moments.remove(&moment)),
            },
            Command::StopOnDifference(switch) => {
                self.breakpoints.differences = switch == Switch::On
            }
            Command::Watch(text) => self.watch(text),
            Command::Unwatch(place) => {
                if place < self.watches.len() {
                    self.watches.remove(place);
                }
            }
            Command::SetProfile(profile) => self.set_profile(profile),
            Command::Begin { start_at, input } => self.begin_elsewhere(start_at, input),
        }
        std::mem::take(&mut self.notices)
    }

    /// Notices that came up while running, oldest first.
    pub fn take_notices(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.notices)
    }

    /// The run at the cursor.
    #[must_use]
    pub(super) fn snapshot(&self) -> &Snapshot {
        self.recording.at_cursor()
    }

    /// The focus frame, or the nearest one around it that lives at the cursor.
    #[must_use]
    pub(super) fn focus_frame(&self) -> Option<&Frame> {
        let machine = &self.snapshot().machine;
        let mut at = Some(self.stepper.focus);
        while let Some(id) = at {
            if let Some(frame) = machine.frame(id) {
                return Some(frame);
            }
            at = self
                .recording
                .timeline
                .lineage(id)
                .and_then(|lineage| lineage.parent);
        }
        machine.frames().next()
    }

    pub(super) fn say(&mut self, text: impl Into<String>) {
        self.notices.push(Notice::Info(text.into()));
    }

    pub(super) fn refuse(&mut self, text: impl Into<String>) {
        self.notices.push(Notice::Refused(text.into()));
    }

    fn is_top(&self) -> bool {
        self.focus_frame()
            .is_none_or(|frame| frame.parent.is_none())
    }

    fn pause(&mut self) {
        if self.stepper.goal.take().is_some() {
            self.stop_at(Stop::Pause);
        }
    }

    fn edit(&mut self, stage: Stage, at: Pointer, value: Value) {
        let Some(frame) = self.focus_frame() else {
            return;
        };
        let (id, machine) = (frame.id, &self.snapshot().machine);
        if frame
            .visit
            .data
            .get(stage)
            .and_then(|old| at.set(old, value.clone()))
            .is_none()
        {
            return self.refuse(format!(
                "{} has no place {at} to put a value in",
                stage.name()
            ));
        }
        let key = machine.key(frame);
        self.fork();
        // What came together with the event at the cursor has happened as well.
        while !self.recording.head.machine.is_told() && self.extend().is_some() {}
        if super::snapshot::edit(&mut self.recording.head.machine, id, stage, &at, &value) {
            self.recording.note(EntryKind::Edit {
                frame: id,
                key,
                stage,
                at,
                value,
            });
            self.stepper.stop = Stop::Step;
            self.say(format!(
                "{} is changed; n, s or c go on from it",
                stage.name()
            ));
        }
    }

    fn set_focus(&mut self, frame: FrameId) {
        if self.snapshot().machine.frame(frame).is_some() {
            self.stepper.focus = frame;
        } else {
            self.refuse("that frame does not run at this event");
        }
    }

    fn focus_on(&mut self, frame: Option<FrameId>, otherwise: &str) {
        match frame {
            Some(frame) => self.stepper.focus = frame,
            None => self.refuse(otherwise),
        }
    }

    fn parent_of_focus(&self) -> Option<FrameId> {
        self.focus_frame().and_then(|frame| frame.parent)
    }

    fn child_of_focus(&self) -> Option<FrameId> {
        let group = self.focus_frame()?.visit.group.as_ref()?;
        group.live.iter().map(|(_, child)| *child).min()
    }

    fn sibling(&self, direction: Direction) -> Option<FrameId> {
        let frame = self.focus_frame()?;
        let group = self
            .snapshot()
            .machine
            .frame(frame.parent?)?
            .visit
            .group
            .as_ref()?;
        let others = group.live.iter().filter(|(index, _)| match direction {
            Direction::Forward => *index > frame.index,
            Direction::Backward => *index < frame.index,
        });
        let nearest = others.min_by_key(|(index, _)| index.abs_diff(frame.index));
        nearest.map(|(_, child)| *child)
    }

    fn watch(&mut self, text: Text) {
        let value = self.evaluate(&text);
        if let Err(error) = &value {
            self.say(format!("{text}: {error}"));
        }
        self.watches.push(Watch {
            text,
            now: value.clone(),
            was: value,
        });
    }

    fn set_profile(&mut self, profile: Profile) {
        if profile == self.setup.header.profile {
            return;
        }
        self.setup.header.profile = profile;
        let definition = Arc::clone(&self.setup.definition);
        let diagnostics = self.setup.diagnostics.clone();
        self.replay_with(definition, diagnostics);
    }

    /// The definition in force.
    #[must_use]
    pub fn definition(&self) -> &Arc<Definition> {
        &self.setup.definition
    }

    /// What its text was found to have, in force or of the refused reload.
    #[must_use]
    pub fn diagnostics(&self) -> &Diagnostics {
        self.refused
            .as_ref()
            .map_or(&self.setup.diagnostics, |(_, diagnostics)| diagnostics)
    }

    /// The sources to show: of the refused reload while there is one, else of the definition in force.
    #[must_use]
    pub fn sources(&self) -> &Arc<SourceMap> {
        self.refused
            .as_ref()
            .map_or(&self.setup.definition.sources, |(sources, _)| sources)
    }

    /// Which moments of errors stop now.
    #[must_use]
    pub fn stops_on(&self) -> Vec<ErrorMoment> {
        self.breakpoints.moments.iter().copied().collect()
    }

    /// Whether a difference of the profiles stops now.
    #[must_use]
    pub fn stops_on_difference(&self) -> bool {
        self.breakpoints.differences
    }

    /// Whom it follows.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.setup.header.profile
    }

    /// Evaluates an expression (a path, an intrinsic, a comparison) at the cursor against the current document.
    ///
    /// # Errors
    /// Why there is no value, in one sentence.
    pub fn evaluate(&self, expression: &str) -> Result<Value, String> {
        let frame = self.focus_frame().ok_or("nothing has run yet")?;
        super::expression::evaluate(
            &self.snapshot().machine,
            frame,
            expression,
            &*self.setup.server,
        )
    }

    /// Notes the value of every watch at a stop, and what it was at the one before.
    pub(super) fn sample_watches(&mut self) {
        let values: Vec<_> = self
            .watches
            .iter()
            .map(|watch| self.evaluate(&watch.text))
            .collect();
        for (watch, value) in self.watches.iter_mut().zip(values) {
            watch.was = std::mem::replace(&mut watch.now, value);
        }
    }
}
