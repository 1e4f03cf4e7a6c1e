//! The session, with its data and its setup. A child execution that the user steps into is a session of its own;
//! [`Outer`] holds the sessions around it.

use super::answerer::{Answerer, Repeats, Sources, Unmocked};
use super::answers::{MockCase, RecordedAnswers, RecordedItems};
use super::breakpoint::ErrorMoment;
use super::breakpoints::Breakpoints;
use super::child::Answering;
use super::end_view::ByDefault;
use super::execution::{ChildRequest, Children, Start};
use super::expression::{self, Values};
use super::log::AnsweredBy;
use super::place::{Absent, Led, Raised};
use super::record::{Answers, answers_of};
use super::recorded::{Follower, RecordedRun};
use super::replay::Replay;
use super::reply::Output;
use super::saved::{self, Restored};
use super::snapshot::{Recording, Snapshot};
use super::stepper::{Stepper, Trail};
use super::stop_condition::Stop;
use super::watches::{ItemTable, Watches};
use crate::definition::{Definition, StateId};
use crate::interpreter::{
    FrameId, Header, MAX_MEMORY, MemoryWatch, Run, Serve, Status, largest_value,
};
use crate::json::{Text, Value};
use crate::query::Profile;
use crate::source::{Diagnostics, SourceMap};
use std::any::Any;
use std::sync::Arc;

/// Maximum number of states entered and retries made by child executions in a session.
const MAX_CHILD_STEPS: u64 = 10_000_000;

/// Setup of a run, in a session or without a user.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The definition.
    pub definition: Arc<Definition>,
    /// Diagnostics of the definition.
    pub diagnostics: Diagnostics,
    /// Input, seed, start time, profile and the other data that determine the run.
    pub header: Header,
    /// Answers from recorded executions.
    pub recorded: Arc<RecordedAnswers>,
    /// Recordings of the items of DISTRIBUTED Maps.
    pub recorded_items: Arc<RecordedItems>,
    /// The recorded execution that the run repeats.
    pub repeats: Option<Arc<RecordedRun>>,
    /// True if the run does what the recorded events say, even where the definition would do something else.
    pub follows: bool,
    /// The test case of the mock file that answers tasks.
    pub mock: Option<MockCase>,
    /// Name of the test case.
    pub test_case: Option<Text>,
    /// How to answer requests that no source answers.
    pub unmocked: Unmocked,
    /// Maximum memory of the checkpoints, from which recorded events are repeated, in bytes.
    pub checkpoint_budget: u64,
    /// Maximum memory of the run and its recorded events, in bytes; the run stops when this limit is reached.
    pub memory_limit: u64,
    /// The server, which evaluates expressions, and reads and writes data, without the user.
    pub server: Arc<dyn Serve>,
    /// State machines that tasks may start executions of.
    pub children: Arc<Children>,
    /// Maximum number of states entered and retries made by all child executions. A session ends the child executions
    /// at this limit and asks the user.
    pub max_child_steps: u64,
}

impl Setup {
    /// A setup with defaults for everything but the definition, the header and the server.
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

    /// Creates the run that this setup describes.
    #[must_use]
    pub fn run(&self) -> Run {
        let mut header = self.header.clone();
        header.max_value = header.max_value.min(largest_value(self.memory_limit));
        Run::new(Arc::clone(&self.definition), header)
    }

    /// Creates the answerer of the run, with the sources of answers in this setup.
    #[must_use]
    pub fn answerer(&self, repeats: Repeats) -> Answerer {
        let sources = Sources {
            recorded: Arc::clone(&self.recorded),
            items: Arc::clone(&self.recorded_items),
            mock: self.mock.clone(),
            children: Arc::clone(&self.children),
            unmocked: self.unmocked,
        };
        Answerer::new(Arc::clone(&self.server), repeats, sources)
    }
}

/// The causes of the error at a stop; contains only the causes that could be found.
#[derive(Debug)]
pub(super) struct Causes {
    /// The cursor and the focus frame at the stop for which the causes were searched.
    pub at: (u64, FrameId),
    /// Why a value is missing, if the missing value made the focus frame's state fail.
    pub missing: Option<Box<Absent>>,
    /// For each value that the failed expression in the focus frame read: the states whose fields wrote that value,
    /// latest first.
    pub made_by: Vec<Vec<StateId>>,
    /// The error that the focus frame received from a branch or item, with the state that raised this error.
    pub raised: Option<Box<Raised>>,
    /// The transition or error that led to the shown Fail state.
    pub led: Option<Box<Led>>,
}

impl Causes {
    /// Creates a record without causes, for this cursor and focus frame.
    pub fn at(at: (u64, FrameId)) -> Self {
        Self {
            at,
            missing: None,
            made_by: Vec::new(),
            raised: None,
            led: None,
        }
    }
}

/// A debugging session for a definition.
#[derive(Debug)]
pub struct Session {
    pub(super) setup: Setup,
    /// Sources and diagnostics of a rejected reload; kept until the next reload.
    pub(super) refused: Option<(Arc<SourceMap>, Diagnostics)>,
    pub(super) recording: Recording,
    /// Compares the run with the recorded execution that it repeats.
    pub(super) repeated: Option<Follower>,
    /// The stop at the last event, if that event is the first difference from the recorded execution.
    pub(super) differs_now: Option<Stop>,
    /// The answerer, which knows all sources of answers, and the child execution that is computing an answer.
    pub(super) answering: Answering,
    /// The column and the filter that the user chose for the table of a Map's items.
    pub(super) items: ItemTable,
    /// Data of the run before a reload.
    pub(super) replay: Replay,
    pub(super) stepper: Stepper,
    pub(super) breakpoints: Breakpoints,
    pub(super) watches: Watches,
    /// The last value whose origin the user asked for, and the places of its chain of origins that the user has
    /// visited.
    pub(super) trail: Option<Trail>,
    /// The causes that were found at the last stop.
    pub(super) causes: Causes,
    /// The last Choice of a successful run that took a rule although a later rule matched as well. Stored with the
    /// number of that run and its number of events.
    pub(super) also_true: Option<((u32, u64), Option<ByDefault>)>,
    /// Outputs since the front end last took them.
    outputs: Vec<Output>,
}

impl Session {
    /// Creates a session, starts its run, and stops when the run enters its first state.
    #[must_use]
    pub fn new(mut setup: Setup) -> Self {
        let run = setup.run();
        let answerer = setup.answerer(Repeats::MayBe);
        // From here on, only the answerer holds the mock answers.
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
            causes: Causes::at((0, FrameId(0))),
            also_true: None,
            outputs: Vec::new(),
            setup,
        };
        session.begin();
        session
    }

    /// Continues until the run enters its first state.
    pub(super) fn begin(&mut self) {
        self.recording.checkpoints.offer(&self.recording.head);
        while self.recording.timeline.len() < 2 && self.extend().is_some() {}
        self.stepper.stop = Stop::Start;
        self.sample_watches();
    }

    /// Discards the run and starts another one with the same header.
    pub(super) fn begin_again(&mut self) {
        self.abandon_calls();
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

    /// Drops a value in the background, because it may be large.
    pub(super) fn discard(&self, value: impl Any + Send) {
        self.setup.server.discard(Box::new(value));
    }

    /// Drops the session in the background, because its recorded events may need much memory.
    pub fn dismiss(self) {
        let server = Arc::clone(&self.setup.server);
        server.discard(Box::new(self));
    }

    /// All answers of this run, from the user and from all other sources.
    #[must_use]
    pub fn answers(&self) -> Answers {
        answers_of(&self.recording.log)
    }

    /// Breakpoints, watches and typed answers, to be saved for the next session; `None` if there are none.
    #[must_use]
    pub fn saved(&self) -> Option<Value> {
        let typed = self.answering.answerer.earlier().typed(&self.recording.log);
        saved::saved(&self.breakpoints, &self.watches, typed)
    }

    /// Restores settings that were saved; leaves out invalid settings.
    pub fn restore(&mut self, saved: &Value) -> Restored {
        let restored = self.restore_points(saved);
        let earlier = self.answering.answerer.earlier_mut();
        Restored {
            answers: saved::restore_answers(saved, earlier),
            ..restored
        }
    }

    /// Restores breakpoints and watches.
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

    /// Copies the breakpoints, the watches and the kinds of events to stop at from another session; they replace those
    /// of this session. All hits are forgotten.
    pub fn stop_where(&mut self, session: &Self) {
        self.breakpoints.clone_from(&session.breakpoints);
        self.breakpoints.forget_hits();
        self.sample_data_breakpoints();
        self.watches = Watches::default();
        for text in session.watches.texts().cloned().collect::<Vec<_>>() {
            let value = self.evaluate(&text);
            self.watches.add(text, value);
        }
    }

    /// Approximate memory use of the recorded run, in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.recording.bytes()
    }

    /// Takes the outputs that were added since the last call, oldest first.
    pub fn take_outputs(&mut self) -> Vec<Output> {
        std::mem::take(&mut self.outputs)
    }

    /// Adds an output.
    pub(super) fn put(&mut self, output: Output) {
        self.outputs.push(output);
    }

    /// Records the values of all watches at a stop.
    pub(super) fn sample_watches(&mut self) {
        let (recording, server) = (&self.recording, &*self.setup.server);
        let frame = recording.nearest_frame(self.stepper.focus);
        let machine = &recording.at_cursor().machine;
        self.watches.sample(|texts| match frame {
            Some(frame) => expression::evaluate_all(machine, frame, texts, server),
            None => vec![Err(expression::NOTHING_RAN.to_string()); texts.len()],
        });
    }

    /// Records the current values of all data breakpoints.
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

    /// The snapshot of the run at the cursor.
    #[must_use]
    pub(super) fn snapshot(&self) -> &Snapshot {
        self.recording.at_cursor()
    }

    /// The definition in use.
    #[must_use]
    pub fn definition(&self) -> &Arc<Definition> {
        &self.setup.definition
    }

    /// Diagnostics of the rejected reload if there is one, otherwise of the definition in use.
    #[must_use]
    pub fn diagnostics(&self) -> &Diagnostics {
        self.refused
            .as_ref()
            .map_or(&self.setup.diagnostics, |(_, diagnostics)| diagnostics)
    }

    /// Sources to show: those of a rejected reload if there is one, otherwise those of the definition in use.
    #[must_use]
    pub fn sources(&self) -> &Arc<SourceMap> {
        self.refused
            .as_ref()
            .map_or(&self.setup.definition.sources, |(sources, _)| sources)
    }

    /// The moments of errors (such as raised or caught) at which the run stops.
    #[must_use]
    pub fn stops_on(&self) -> Vec<ErrorMoment> {
        self.breakpoints.moments.iter().copied().collect()
    }

    /// True if the run stops at differences between the profiles.
    #[must_use]
    pub fn stops_on_difference(&self) -> bool {
        self.breakpoints.differences
    }

    /// The profile in use.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.setup.header.profile
    }
}

/// The sessions that enclose the current one, outermost first. Empty unless the user stepped into a child execution.
#[derive(Debug, Default)]
pub struct Outer(Vec<Session>);

/// In which condition the user left a child execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Left {
    /// The child execution had ended, and its result became the answer of the task.
    Answered,
    /// The child execution had not ended; it runs without stops when the enclosing run continues.
    Unfinished,
}

impl Outer {
    /// True if the user is not inside a child execution.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The enclosing sessions, outermost first.
    pub fn sessions(&self) -> impl DoubleEndedIterator<Item = &Session> {
        self.0.iter()
    }

    /// The outermost session, which is `session` itself if there are no enclosing sessions.
    #[must_use]
    pub fn outermost<'s>(&'s self, session: &'s Session) -> &'s Session {
        self.0.first().unwrap_or(session)
    }

    /// If the run is stopped at a task that starts an execution, replaces the session with a session for that
    /// execution. Otherwise returns `false`.
    pub fn enter(&mut self, session: &mut Session) -> bool {
        let Some(inner) = session.child_session() else {
            return false;
        };
        self.0.push(std::mem::replace(session, inner));
        true
    }

    /// Replaces the session with the session that encloses it; returns `None` if there is none.
    pub fn leave(&mut self, session: &mut Session) -> Option<Left> {
        let inner = std::mem::replace(session, self.0.pop()?);
        let left = session.take_child(&inner);
        session.discard(inner);
        Some(left)
    }

    /// Replaces the session with the outermost session; returns `false` if it already was the outermost.
    pub fn leave_all(&mut self, session: &mut Session) -> bool {
        let entered = !self.0.is_empty();
        while self.leave(session).is_some() {}
        entered
    }
}

impl Session {
    /// True if a step enters the execution that a request starts. Executions that send back the token of their task are
    /// not entered, because only the enclosing executions can receive their callbacks.
    pub(in crate::session) fn steps_into(&self, request: &ChildRequest) -> bool {
        let ask = self.recording.head.machine.ask(request.ask);
        let in_focus = ask.is_some_and(|ask| ask.frame == self.stepper.focus);
        let stepped = in_focus && self.stepper.is_stepping();
        (stepped || self.stepper.enters_children) && request.start != Start::Callback
    }

    /// Sets whether the run enters every execution that a task starts, so that breakpoints in these executions can
    /// stop.
    pub fn set_enters_children(&mut self, enters: bool) {
        self.stepper.enters_children = enters;
    }

    /// Definitions of the state machines that tasks may start executions of.
    pub fn child_definitions(&self) -> impl Iterator<Item = &Definition> {
        let machines = self.answering.answerer.children().machines.iter();
        machines.map(|machine| &*machine.definition)
    }

    /// If the run is stopped at a task that starts an execution: the request for that execution.
    fn entered(&self) -> Option<ChildRequest> {
        let Stop::Child(ask) = self.stepper.stop else {
            return None;
        };
        let machine = &self.recording.head.machine;
        let request = self.answering.answerer.child(machine, machine.ask(ask)?);
        request.filter(|_| self.recording.past.is_none())
    }

    /// If the run is stopped at a task that starts an execution: a session for that execution.
    fn child_session(&self) -> Option<Session> {
        let request = self.entered()?;
        let depth = self.answering.answerer.depth() as u64;
        let setup = Setup {
            checkpoint_budget: self.setup.checkpoint_budget / 2,
            memory_limit: self.setup.memory_limit / (depth + 2),
            max_child_steps: self.setup.max_child_steps,
            ..Setup::new(
                request.run.definition.clone(),
                request.run.header.clone(),
                self.setup.server.clone(),
            )
        };
        let answerer = &self.answering.answerer;
        let answerer = answerer.for_child(&request, Repeats::MayBe);
        let mut inner = Session::new(setup);
        inner.answering.answerer = answerer;
        Some(inner)
    }

    /// Takes over the result of a child execution that the user stepped into, when the user leaves it.
    fn take_child(&mut self, inner: &Session) -> Left {
        let status = inner.recording.head.machine.status();
        let took = inner.recording.head.machine.now();
        let request = self.entered();
        self.stop_at(Stop::Step);
        match request {
            Some(request) if *status != Status::Running => {
                let answer = request.execution.answer(request.start, status, took);
                self.recording.head.pending = None;
                self.give(request.ask, answer, AnsweredBy::Child);
                Left::Answered
            }
            _ => Left::Unfinished,
        }
    }
}
