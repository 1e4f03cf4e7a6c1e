//! The session itself: what it holds, and what each command does to it.

use super::answerer::{Answerer, Repeats, Unmocked};
use super::answers::MockCase;
use super::asked::Answering;
use super::breakpoint::ErrorMoment;
use super::breakpoints::Breakpoints;
use super::children::Children;
use super::expression::{self, Values};
use super::fault_view::{Led, Raised};
use super::items::ItemTable;
use super::record::{Answers, answers_of};
use super::recorded::{Follower, RecordedRun};
use super::recorded_answer::RecordedAnswers;
use super::recorded_items::RecordedItems;
use super::recording::Recording;
use super::replay::Replay;
use super::reply::Output;
use super::saved::{self, Restored};
use super::snapshot::Snapshot;
use super::stepper::Stepper;
use super::stop::Stop;
use super::trail::Trail;
use super::watches::Watches;
use crate::definition::{Definition, StateId};
use crate::interpreter::{FrameId, Header, MAX_MEMORY, MemoryWatch, Run, Serve};
use crate::json::{Text, Value};
use crate::query::Profile;
use crate::source::{Diagnostics, SourceMap};
use std::any::Any;
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
    /// What was recorded of the items of DISTRIBUTED Maps.
    pub recorded_items: Arc<RecordedItems>,
    /// The execution that the run repeats.
    pub repeats: Option<Arc<RecordedRun>>,
    /// Whether the run does what that one's events say, whatever the definition would make of the data.
    pub follows: bool,
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
            recorded_items: Arc::default(),
            repeats: None,
            follows: false,
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
            .with_items(Arc::clone(&self.recorded_items))
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
    /// The recorded execution that the run repeats, beside it.
    pub(super) repeated: Option<Follower>,
    /// Why to stop at the event that was made last: it is where the run first differs from that execution.
    pub(super) differs_now: Option<Stop>,
    /// What questions are answered with.
    pub(super) answering: Answering,
    /// How the items of Maps are shown.
    pub(super) items: ItemTable,
    /// What is left of the run before a reload.
    pub(super) replay: Replay,
    pub(super) stepper: Stepper,
    pub(super) breakpoints: Breakpoints,
    pub(super) watches: Watches,
    /// The origin that was last asked for.
    pub(super) trail: Option<Trail>,
    /// Why the value is missing that failed the state in focus, at this event and in this frame.
    pub(super) missing: Option<(u64, FrameId, Box<super::origin::Absent>)>,
    /// The states whose fields wrote what the failed expression of the focus read, at this event and in this frame.
    pub(super) made_by: Option<((u64, FrameId), Vec<StateId>)>,
    /// What raised the error that the focus took over, at this event and in this frame.
    pub(super) raised: Option<((u64, FrameId), Box<Raised>)>,
    /// What led to the Fail state that is looked at, at this event and in this frame.
    pub(super) led: Option<((u64, FrameId), Box<Led>)>,
    /// What came up since a front end asked last.
    outputs: Vec<Output>,
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
            differs_now: None,
            repeated: setup.repeats.take().map(Follower::new),
            recording: Recording::new(run, 1, setup.checkpoint_budget, setup.memory()),
            answering: Answering::new(answerer),
            items: ItemTable::default(),
            replay: Replay::default(),
            stepper: Stepper::default(),
            breakpoints: Breakpoints::default(),
            watches: Watches::default(),
            trail: None,
            missing: None,
            made_by: None,
            raised: None,
            led: None,
            outputs: Vec::new(),
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
        let recording = Recording::new(
            run,
            number,
            self.setup.checkpoint_budget,
            self.setup.memory(),
        );
        let before = std::mem::replace(&mut self.recording, recording);
        self.discard(before);
        self.answering.begin();
        self.follow_again();
        self.stepper.focus = FrameId(0);
        self.stepper.goal = None;
        self.set_clock();
        self.breakpoints.forget_hits();
        self.begin();
    }

    /// Drops what may be large without being waited for.
    pub(super) fn discard(&self, what: impl Any + Send) {
        self.setup.server.discard(Box::new(what));
    }

    /// What was answered in this run, typed or not.
    #[must_use]
    pub fn answers(&self) -> Answers {
        answers_of(&self.recording.log)
    }

    /// Breakpoints, watches and typed answers, to be kept until the next time; `None` where there are none.
    #[must_use]
    pub fn saved(&self) -> Option<Value> {
        let typed = self.answering.answerer.earlier().typed(&self.recording.log);
        saved::saved(&self.breakpoints, &self.watches, typed)
    }

    /// Sets up again what was kept; what cannot be understood is left out.
    pub fn restore(&mut self, saved: &Value) -> Restored {
        let restored = self.restore_points(saved);
        let earlier = self.answering.answerer.earlier_mut();
        Restored {
            answers: saved::restore_answers(saved, earlier),
            ..restored
        }
    }

    /// Sets up breakpoints and watches again.
    pub fn restore_points(&mut self, saved: &Value) -> Restored {
        let mut restored = Restored {
            points: saved::restore_breakpoints(saved, &mut self.breakpoints),
            ..Restored::default()
        };
        self.sample_data_breakpoints();
        for text in saved::watched(saved) {
            let value = self.evaluate(&text);
            self.watches.add(text, value);
            restored.watches += 1;
        }
        restored
    }

    /// What came up since this was asked last, oldest first.
    pub fn take_outputs(&mut self) -> Vec<Output> {
        std::mem::take(&mut self.outputs)
    }

    /// Notes what came up.
    pub(super) fn put(&mut self, output: Output) {
        self.outputs.push(output);
    }

    /// Notes the values of all that is watched at a stop.
    pub(super) fn sample_watches(&mut self) {
        let (recording, server) = (&self.recording, &*self.setup.server);
        let frame = recording.nearest_frame(self.stepper.focus);
        let machine = &recording.at_cursor().machine;
        self.watches.sample(|texts| match frame {
            Some(frame) => expression::evaluate_all(machine, frame, texts, server),
            None => vec![Err(expression::NOTHING_RAN.to_string()); texts.len()],
        });
    }

    /// Notes what every breakpoint on data sees now.
    pub(super) fn sample_data_breakpoints(&mut self) {
        let (recording, server) = (&self.recording, &*self.setup.server);
        let Some(frame) = recording.nearest_frame(self.stepper.focus) else {
            return;
        };
        let machine = &recording.at_cursor().machine;
        let paths: Vec<Text> = self.breakpoints.paths().map(Text::from).collect();
        let paths = paths.iter().map(|path| &**path);
        let values = Values::of(machine, Some(frame), paths, server);
        self.breakpoints.sample(frame.id, |path| values.get(path));
    }

    /// The run at the cursor.
    #[must_use]
    pub(super) fn snapshot(&self) -> &Snapshot {
        self.recording.at_cursor()
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

    /// Whether a difference between the profiles stops now.
    #[must_use]
    pub fn stops_on_difference(&self) -> bool {
        self.breakpoints.differences
    }

    /// The profile in force.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.setup.header.profile
    }
}
