//! The data that all runs of an exploration share: the run with its definition and input, the usual answers, item
//! files, alternative values, and the time limit.

use super::constant::Constants;
use crate::definition::{Definition, ResultPath, StateId, StateKind, Task};
use crate::interpreter::{Answer, Ask, Frame, Machine, Outcome, Run, Serve, Want};
use crate::json::{Step, Text, Value};
use crate::service::Call;
use crate::session::answers::MockCase;
use crate::session::service_response;
use crate::worker::{Files, Worker};
use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The data that all runs of an exploration share.
#[derive(Clone, Debug)]
pub struct World {
    /// The definition and the header of the run; the header contains the usual input.
    pub run: Arc<Run>,
    /// If `run` is limited to the first items of each Map: the run with all items.
    pub uncut: Option<Arc<Run>>,
    /// The mock file's test case.
    pub case: Option<MockCase>,
    /// The files from which ItemReaders read items.
    pub held: Held,
    /// For each state, a made-up result for the case that the user gave no answer. All runs share these values.
    pub made: Vec<Value>,
    /// True if the input was made up.
    pub input_made: bool,
    /// Values for which the rules of Choices test.
    pub constants: Constants,
    /// For each state, the errors that its task may raise, each with a cause.
    pub errors: Vec<Vec<(Text, Text)>>,
    /// For each state, an error that no retrier or catcher names.
    unnamed: Vec<Text>,
    /// The deadline for runs that are not part of a search.
    pub deadline: Deadline,
}

/// An error that no retrier or catcher names, for a task whose possible errors are not known.
const UNNAMED: &str = "Explore.UnnamedError";

impl World {
    /// Prepares the data for an exploration of `run`'s definition, and makes up a result for each state, in
    /// case the user gave no answer.
    #[must_use]
    pub fn new(
        run: Arc<Run>,
        case: Option<MockCase>,
        held: Held,
        input_made: bool,
        deadline: Deadline,
    ) -> Self {
        let definition = &run.definition;
        let constants = Constants::of(definition);
        let ids = || definition.state_ids();
        let unnamed: Vec<Text> = ids().map(|id| unnamed_of(definition, id)).collect();
        let errors = ids().zip(&unnamed).map(|(id, unnamed)| {
            let mut errors = errors_of(definition, id, case.as_ref());
            errors.push((unnamed.clone(), None));
            let errors = errors.into_iter();
            let errors = errors.flat_map(|(name, cause)| constants.with_causes(name, cause));
            errors.collect()
        });
        Self {
            errors: errors.collect(),
            unnamed,
            constants,
            made: ids().map(|id| made_up(definition, id)).collect(),
            case,
            held,
            input_made,
            run: Arc::clone(&run),
            uncut: None,
            deadline,
        }
    }

    /// Returns a run of the definition with this input, or with the usual input for `None`.
    #[must_use]
    pub fn run_with(&self, input: Option<&Value>) -> Arc<Run> {
        let Some(input) = input else {
            return Arc::clone(&self.run);
        };
        let mut header = self.run.header.clone();
        header.input = input.clone();
        Arc::new(Run::new(Arc::clone(&self.run.definition), header))
    }

    /// Limits each Map to its first items in all further runs. Complete runs would be so large that only a few could be
    /// tried.
    pub fn cut(&mut self) {
        let mut header = self.run.header.clone();
        header.most_items = Some(CUT_TO);
        let cut = Arc::new(Run::new(Arc::clone(&self.run.definition), header));
        self.uncut = Some(std::mem::replace(&mut self.run, cut));
    }

    /// The results of a state in the mock file, in order of the calls.
    pub fn returns(&self, id: StateId) -> Vec<&Answer> {
        let state = self.run.definition.state(id);
        let case = self.case.as_ref().zip(state).into_iter();
        let answers = case.flat_map(|(case, state)| case.answers_for(state));
        let succeeds = |answer: &&Answer| matches!(answer.outcome, Outcome::Success(_));
        answers.filter(succeeds).collect()
    }

    /// Returns an error that the state's task may raise and that no retrier or catcher names.
    #[must_use]
    pub fn unnamed(&self, id: StateId) -> Text {
        let name = self.unnamed.get(id.0 as usize).cloned();
        name.unwrap_or_else(|| UNNAMED.into())
    }

    /// True if this is the one error that `explore` tries for a state in place of all errors that no retrier or catcher
    /// names.
    #[must_use]
    pub fn is_unnamed(&self, id: StateId, name: &Text) -> bool {
        self.unnamed(id) == *name
    }

    /// True if the state, or a task inside it, may fail with an error of this name.
    #[must_use]
    pub fn raises(&self, state: StateId, name: &str) -> bool {
        let definition = &self.run.definition;
        let mut inside = definition.state_ids().filter(|id| {
            task(definition, *id).is_some() && around(definition, *id).contains(&state)
        });
        inside.any(|id| {
            let errors = self.errors.get(id.0 as usize);
            errors.is_some_and(|errors| errors.iter().any(|(error, _)| &**error == name))
        })
    }

    /// True if the user provided the answers of a state.
    #[must_use]
    pub fn is_given(&self, id: StateId) -> bool {
        self.items_from(id).is_some() || !self.returns(id).is_empty()
    }

    /// The file or folder from which a Map with an ItemReader reads its items.
    #[must_use]
    pub fn items_from(&self, id: StateId) -> Option<&Path> {
        let state = self.run.definition.state(id)?;
        match &state.kind {
            StateKind::Map(map) if map.reader.is_some() => self.held.place(&state.path.0),
            _ => None,
        }
    }

    /// The usual answer to a request: the content of an item file, a success from the mock file, or else a made-up
    /// result in the shape of the resource's response.
    #[must_use]
    pub fn usual(&self, ask: &Ask) -> Answer {
        if let Some(answer) = self.held.answer(ask) {
            return answer;
        }
        let returns = self.returns(ask.state);
        let visit = ask.key.visit.max(1) as usize - 1;
        if let Some(answer) = returns.get(visit).or_else(|| returns.last()) {
            return (*answer).clone();
        }
        Answer::success(self.made_for(ask.state))
    }

    /// The made-up result of a state.
    #[must_use]
    pub fn made_for(&self, id: StateId) -> Value {
        self.made.get(id.0 as usize).cloned().unwrap_or_default()
    }

    /// Returns the name of the member in which the ResultPath of the state stores the task's result; `None` if it
    /// stores the result in no member.
    #[must_use]
    pub fn result_name(&self, id: StateId) -> Option<Text> {
        let state = self.run.definition.state(id)?;
        let ResultPath::Insert(path) = &state.result_path else {
            return None;
        };
        match path.steps().last()? {
            Step::Member(name) => Some(name.clone()),
            Step::Item(_) => None,
        }
    }
}

/// A made-up result in the shape of the resource's response. It has the members that the state's ResultSelector reads.
#[must_use]
fn made_up(definition: &Definition, id: StateId) -> Value {
    let Some(state) = definition.state(id) else {
        return Value::empty_object();
    };
    let StateKind::Task(task) = &state.kind else {
        return Value::array(vec![Value::empty_object(), Value::empty_object()]);
    };
    let shape = service_response::offered(task, &Value::empty_object(), definition);
    match state.template("ResultSelector") {
        Some(selector) => service_response::with_reads(&shape, selector),
        None => shape,
    }
}

/// The task of a state.
#[must_use]
pub fn task(definition: &Definition, id: StateId) -> Option<&Task> {
    match &definition.state(id)?.kind {
        StateKind::Task(task) => Some(task),
        _ => None,
    }
}

/// A state and its enclosing states, from the inside out.
#[must_use]
pub fn around(definition: &Definition, id: StateId) -> Vec<StateId> {
    std::iter::once(id).chain(definition.around(id)).collect()
}

/// The error names in the Retry and Catch of a state and its enclosing states.
fn handled(definition: &Definition, id: StateId) -> Vec<&Text> {
    let around = around(definition, id).into_iter();
    let states = around.filter_map(|id| definition.state(id));
    let names = states.flat_map(|state| {
        let retried = state.retry.iter().flat_map(|retrier| &retrier.error_equals);
        retried.chain(state.catch.iter().flat_map(|catcher| &catcher.error_equals))
    });
    names.collect()
}

/// The errors to try for a task: the errors in the mock file, each with its cause, and the errors that a Retry or Catch
/// names if the task may raise them.
fn errors_of(
    definition: &Definition,
    id: StateId,
    case: Option<&MockCase>,
) -> Vec<(Text, Option<Text>)> {
    let mut errors: Vec<(Text, Option<Text>)> = Vec::new();
    let Some(task) = task(definition, id) else {
        return errors;
    };
    if let (Some(case), Some(state)) = (case, definition.state(id)) {
        for answer in case.answers_for(state) {
            if let Outcome::Failure { error, cause } = &answer.outcome
                && let Some(name) = error
            {
                let thrown = (name.clone(), cause.clone());
                if !errors.contains(&thrown) {
                    errors.push(thrown);
                }
            }
        }
    }
    let call = task.call();
    let may_raise = |name: &Text| call.is_none_or(|call| call.never_raises(name).is_none());
    for name in handled(definition, id) {
        // Leaves out names that begin with `States.`, and errors that the task's service never returns.
        let is_known = errors.iter().any(|(error, _)| error == name);
        if !name.starts_with("States.") && !is_known && may_raise(name) {
            errors.push((name.clone(), None));
        }
    }
    errors
}

/// An error of a task that no Retry or Catch names. It is an error of the task's service if such an error is known;
/// otherwise its name is made up.
fn unnamed_of(definition: &Definition, id: StateId) -> Text {
    let names = handled(definition, id);
    let call = task(definition, id).and_then(Task::call);
    let raised = call.map(Call::raised).unwrap_or_default();
    let mut raised = raised.into_iter().map(Text::from);
    let other = raised.find(|name| !names.contains(&name));
    other.unwrap_or_else(|| UNNAMED.into())
}

/// Index of the last item of a Map for which other answers are tried; for nested Maps, the sum of the item indices
/// counts. Later items are assumed to behave like the earlier ones.
pub const LAST_TRIED: u32 = 2;

/// If runs are too large, each Map is limited to this number of items: the items for which other answers are tried, and
/// one more.
pub const CUT_TO: u32 = LAST_TRIED + 2;

/// Index of the item that a frame processes, from 0; 0 for a branch.
#[must_use]
pub fn item_index(frame: &Frame) -> u32 {
    match frame.item {
        Some(_) => frame.index,
        None => 0,
    }
}

/// True if a request comes from an item after [`LAST_TRIED`]. For these items, only the usual answers are tried.
#[must_use]
pub fn asks_untried(machine: &Machine, ask: &Ask) -> bool {
    let (mut at, mut indices) = (machine.frame(ask.frame), 0_u32);
    while let Some(frame) = at {
        indices = indices.saturating_add(item_index(frame));
        at = frame.parent.and_then(|parent| machine.frame(parent));
    }
    indices > LAST_TRIED
}

/// True if a request can time out.
#[must_use]
pub fn can_time_out(ask: &Ask) -> bool {
    matches!(&ask.want, Want::Call { timeout_at, heartbeat, .. } if timeout_at.is_some() || heartbeat.is_some())
}

/// The files that contain the items of Maps, and the items that were already read from them.
#[derive(Clone, Debug, Default)]
pub struct Held(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    files: Files,
    server: Worker,
    /// The answers that were already read from the files. The key is a text that names the state and its request.
    read: Mutex<HashMap<String, Option<Answer>>>,
}

impl Held {
    /// Wraps the files that contain items. They are only read, never written.
    #[must_use]
    pub fn in_files(files: Files) -> Self {
        let files = Files {
            write_root: None,
            ..files
        };
        Self(Arc::new(Inner {
            server: Worker::with_files(files.clone()),
            files,
            read: Mutex::default(),
        }))
    }

    /// Returns the file or folder from which the ItemReader of a state reads.
    #[must_use]
    pub fn place(&self, state: &str) -> Option<&Path> {
        self.0.files.read_from(state)
    }

    /// Answers the request of an ItemReader for items; `None` if the user named no file for this state.
    #[must_use]
    pub fn answer(&self, ask: &Ask) -> Option<Answer> {
        let Want::Read {
            arguments,
            max_items,
            ..
        } = &ask.want
        else {
            return None;
        };
        self.place(&ask.key.path)?;
        let key = format!("{} {arguments} {max_items:?}", ask.key.path);
        let mut read = self.0.read.lock().unwrap_or_else(PoisonError::into_inner);
        let known = read.entry(key);
        known.or_insert_with(|| self.0.server.serve(ask)).clone()
    }
}

/// A deadline that expires after some time, or as soon as the user interrupts the program.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    begun: Instant,
    time: Duration,
    /// The time limit of the option `--time`, which messages to the user mention.
    promised: Duration,
    interrupted: &'static AtomicBool,
}

impl Deadline {
    /// Starts a time limit. The limit is shorter than `promised`, the limit that the user set, so that there is time
    /// left to report the findings. `interrupted` becomes true when the user interrupts the program.
    #[must_use]
    pub fn new(promised: Duration, interrupted: &'static AtomicBool) -> Self {
        Self {
            begun: Instant::now(),
            time: promised - promised / 4,
            promised,
            interrupted,
        }
    }

    /// A deadline with the same start and another time limit.
    #[must_use]
    pub fn with(self, time: Duration) -> Self {
        Self { time, ..self }
    }

    /// A deadline with another time limit that starts now.
    #[must_use]
    pub fn anew(self, time: Duration) -> Self {
        Self {
            begun: Instant::now(),
            time,
            ..self
        }
    }

    /// The duration from the start to the deadline.
    #[must_use]
    pub fn time(self) -> Duration {
        self.time
    }

    /// Time since the start of this time limit.
    #[must_use]
    pub fn elapsed(self) -> Duration {
        self.begun.elapsed()
    }

    /// True if the deadline has passed, so that no more work may be started.
    #[must_use]
    pub fn is_over(self) -> bool {
        self.is_interrupted() || self.elapsed() >= self.time
    }

    /// The reason to start no more work, such as `--time 5 was reached`.
    #[must_use]
    pub fn was_reached(self) -> String {
        match self.is_interrupted() {
            true => "the exploration was interrupted".to_string(),
            false => format!(
                "--time {limit} was reached",
                limit = self.promised.as_secs()
            ),
        }
    }

    /// True if the user interrupted the program.
    #[must_use]
    pub fn is_interrupted(self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }
}
