//! Moments: the points of a run at which a request is open, so that other runs can fork there. Contains the answers
//! that lead to a moment, the alternative answers to its request, and its signature, by which the search recognizes
//! equal moments. Also finds mistakes in Choice rules: comparisons that cannot match the data, and rules that match but
//! are never taken.

use super::world::{LAST_TRIED, World, can_time_out, item_index};
use crate::definition::{Choice, Definition, StateId, StateKind, Test};
use crate::interpreter::{
    Answer, Ask, Edge, EventKind, Frame, FrameId, Machine, Millis, Outcome, Stage, Want, holds,
};
use crate::json::{Text, Value, one_line};
use crate::session;
use foldhash::quality::{FixedState, FoldHasher};
use std::collections::HashMap;
use std::hash::{BuildHasher as _, Hash as _, Hasher as _};
use std::sync::Arc;

/// One step of a run: an answer, and the state that got it.
#[derive(Clone, Debug)]
pub struct Step {
    /// The previous step.
    pub before: Option<Arc<Step>>,
    /// The state that made the request.
    pub state: StateId,
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// The answer that the state got.
    pub answer: Answer,
    /// True if the answer differs from the usual answer to this request.
    pub other: bool,
    /// Number of steps from the start of the run up to and including this step.
    pub length: usize,
    /// Number of steps, up to and including this step, that have an unusual answer.
    pub others: usize,
}

/// The answers of a run as a linked list, newest first.
pub type Way = Option<Arc<Step>>;

/// The input and the answers by which a run gets to some point, such as a request, an error or its end.
#[derive(Clone, Debug, Default)]
pub struct Course {
    /// The answers that the run got up to this point.
    pub way: Way,
    /// The input of the run, if it is not the usual one; `None` for the usual input.
    pub input: Option<Value>,
}

impl Course {
    /// The answers, oldest first.
    #[must_use]
    pub fn steps(&self) -> Vec<&Step> {
        let mut all = Vec::new();
        let mut at = self.way.as_deref();
        while let Some(step) = at {
            all.push(step);
            at = step.before.as_deref();
        }
        all.reverse();
        all
    }

    /// Number of answers.
    #[must_use]
    pub fn length(&self) -> usize {
        self.way.as_ref().map_or(0, |last| last.length)
    }

    /// True if the input and all answers are the usual ones.
    #[must_use]
    pub fn is_usual(&self) -> bool {
        self.input.is_none() && self.way.as_ref().is_none_or(|last| last.others == 0)
    }

    /// Appends the answer that an attempt of a state got. `other` is true if the answer is not the usual one.
    pub fn add(&mut self, state: StateId, attempt: u32, answer: Answer, other: bool) {
        let before = self.way.take();
        let others = before.as_ref().map_or(0, |last| last.others);
        self.way = Some(Arc::new(Step {
            length: before.as_ref().map_or(0, |last| last.length) + 1,
            others: others + usize::from(other),
            before,
            state,
            attempt,
            answer,
            other,
        }));
    }

    /// Returns a copy of this course to which an unusual answer is appended: the answer that the first attempt of a
    /// state got.
    #[must_use]
    pub fn then(&self, state: StateId, answer: Answer) -> Self {
        let mut course = self.clone();
        course.add(state, 1, answer, true);
        course
    }
}

impl Step {
    /// The name of the error in the answer; `States.Timeout` if the task never answers.
    #[must_use]
    pub fn error(&self) -> Option<Text> {
        match &self.answer.outcome {
            Outcome::Failure { error, .. } => Some(error.clone().unwrap_or_else(|| "".into())),
            Outcome::Never => Some("States.Timeout".into()),
            _ => None,
        }
    }

    /// Describes the outcome of the answer in a few words.
    #[must_use]
    pub fn outcome(&self) -> String {
        match &self.answer.outcome {
            Outcome::Success(value) if self.other => format!("gives {}", short(value)),
            Outcome::Success(_) => "succeeds".to_string(),
            Outcome::Never => "never answers".to_string(),
            _ => format!(
                "fails with {error}",
                error = self.error().unwrap_or_else(|| "".into())
            ),
        }
    }

    /// The name of the state, and the outcome of the answer that the state got, as text.
    #[must_use]
    pub fn text(&self, definition: &Definition) -> String {
        let state = definition.state(self.state);
        let name = state.map_or("", |state| &*state.path.0);
        let again = match self.attempt {
            1 => String::new(),
            attempt => format!(" (attempt {attempt})"),
        };
        format!("{name}{again} {}", self.outcome())
    }
}

fn short(value: &Value) -> String {
    let text = one_line(value);
    match text.char_indices().nth(60) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text,
    }
}

/// An answer that a request may get instead of the usual one.
#[derive(Clone, Debug)]
pub struct Alternative {
    /// The answer with which another run continues.
    pub answer: Answer,
    /// True if the answer repeats the failure of the previous attempt. Then the answer does not count as another
    /// deviation from the usual run.
    pub same: bool,
}

impl Alternative {
    /// Returns an alternative that counts as another deviation from the usual run.
    fn new(answer: Answer) -> Self {
        let same = false;
        Self { answer, same }
    }
}

/// The alternative answers to a request; `last` is the answer to the previous attempt.
#[must_use]
pub fn alternatives(
    world: &World,
    ask: &Ask,
    usual: &Answer,
    last: Option<&Step>,
    now: Millis,
) -> Vec<Alternative> {
    let mut all = Vec::new();
    let is_call = matches!(ask.want, Want::Call { .. });
    match last
        .filter(|_| is_call)
        .and_then(|last| Some((last, last.error()?)))
    {
        Some((last, before)) => {
            all.push(Alternative {
                answer: last.answer.clone(),
                same: true,
            });
            if ask.key.attempt <= 2 {
                errors(world, ask, usual, Some(&before), now, &mut all);
            }
        }
        None => {
            values(world, ask, usual, &mut all);
            if is_call {
                errors(world, ask, usual, None, now, &mut all);
            }
        }
    }
    all
}

fn errors(
    world: &World,
    ask: &Ask,
    usual: &Answer,
    without: Option<&str>,
    now: Millis,
    all: &mut Vec<Alternative>,
) {
    let errors = world.errors.get(ask.state.0 as usize);
    for (name, cause) in errors.into_iter().flatten() {
        if without == Some(&**name) {
            continue;
        }
        let mut answer = Answer::failure(name.clone(), cause.clone());
        // The failure takes as long as the usual answer, if the usual answer comes before the timeout. Otherwise the
        // failure takes no time.
        let took = Some(usual.took).filter(|took| *took < in_time(ask, now));
        answer.took = took.unwrap_or(0);
        all.push(Alternative::new(answer));
    }
    if can_time_out(ask) && without != Some("States.Timeout") {
        all.push(Alternative::new(Answer::of(Outcome::Never)));
    }
}

/// Duration that a request can take without timing out.
fn in_time(ask: &Ask, now: Millis) -> Millis {
    let Want::Call {
        timeout_at,
        heartbeat,
        ..
    } = &ask.want
    else {
        return u64::MAX;
    };
    let left = timeout_at.map(|at| at.saturating_sub(now));
    left.into_iter().chain(*heartbeat).min().unwrap_or(u64::MAX)
}

fn values(world: &World, ask: &Ask, usual: &Answer, all: &mut Vec<Alternative>) {
    let mut add = |value: Value| {
        let mut answer = usual.clone();
        answer.outcome = Outcome::Success(value);
        let known = all
            .iter()
            .any(|known| known.answer.outcome == answer.outcome);
        if !known && answer.outcome != usual.outcome {
            all.push(Alternative::new(answer));
        }
    };
    for answer in world.returns(ask.state) {
        if let Outcome::Success(value) = &answer.outcome {
            add(value.clone());
        }
    }
    let Outcome::Success(value) = &usual.outcome else {
        return;
    };
    let name = world.result_name(ask.state);
    let given = world.is_given(ask.state);
    for value in world.constants.variants(value, name.as_ref(), given) {
        add(value);
    }
    if let (Want::Read { .. }, Some(items)) = (&ask.want, value.as_array()) {
        add(Value::array(Vec::new()));
        add(Value::array(items.iter().take(1).cloned().collect()));
    }
}

/// Maximum depth to which data are compared in order to distinguish two moments.
const DEEPEST: usize = 8;
/// Maximum number of members or items of each container that are compared in order to distinguish two moments.
const WIDEST: usize = 64;

/// The signature of a moment. Two moments with the same signature need not be distinguished: the search continues from
/// only one of them. `last` is the error of the previous attempt.
#[must_use]
pub fn signature(world: &World, machine: &Machine, ask: &Ask, last: Option<&str>) -> u64 {
    let mut hash = FixedState::default().build_hasher();
    last.hash(&mut hash);
    ask.state.hash(&mut hash);
    ask.key.attempt.min(3).hash(&mut hash);
    let returns = world.returns(ask.state).len();
    if returns > 1 {
        (ask.key.visit as usize).min(returns).hash(&mut hash);
    }
    let timed = machine.definition().timeout_seconds.is_some();
    // For each frame, the sum of the item index of the frame and of the item indices of its outer frames. Frames that
    // are not in the map have the sum 0.
    let mut indices: HashMap<FrameId, u32> = HashMap::new();
    for frame in machine.frames() {
        let outer = frame.parent.and_then(|id| indices.get(&id)).copied();
        let index = item_index(frame).saturating_add(outer.unwrap_or(0));
        if index > 0 {
            indices.insert(frame.id, index);
        }
        if index > LAST_TRIED {
            continue;
        }
        let visit = &frame.visit;
        (frame.scope, frame.index.min(3), visit.state, visit.phase).hash(&mut hash);
        for used in &visit.retriers {
            used.used.hash(&mut hash);
        }
        if let Some(group) = &visit.group {
            let left = group.total.saturating_sub(group.next).min(2);
            (left, group.live.len().min(3), group.failed.min(3)).hash(&mut hash);
        }
        if let Some((fault, _)) = &visit.fault {
            fault.error.hash(&mut hash);
        }
        // Also hashes an answer that the machine has got but has not processed yet.
        let answer = visit.call.as_ref().and_then(|call| call.answer.as_ref());
        match answer.map(|answer| &answer.outcome) {
            None | Some(Outcome::Evaluated(_)) => 0_u8.hash(&mut hash),
            Some(Outcome::Success(value)) => {
                let name = world.result_name(visit.state);
                1_u8.hash(&mut hash);
                shape(world, value, name.as_deref(), 0, &mut hash);
            }
            Some(Outcome::Failure { error, .. }) => (2_u8, error).hash(&mut hash),
            Some(Outcome::Never) => 3_u8.hash(&mut hash),
        }
        // Also hashes the state's input and output, because they may contain data that the open request does not
        // contain.
        for stage in [Stage::Input, Stage::Output] {
            shape(world, &visit.data.latest(stage), None, 0, &mut hash);
        }
        // The hashes of the variables are summed: the order in which variables were assigned must not change the
        // signature.
        let variables = frame.variables.own().iter().map(|(name, value)| {
            let mut hasher = FixedState::default().build_hasher();
            name.hash(&mut hasher);
            shape(world, value, Some(name), 0, &mut hasher);
            hasher.finish()
        });
        variables.fold(0, u64::wrapping_add).hash(&mut hash);
        for (due, timer) in machine.timers(frame.id) {
            timer.hash(&mut hash);
            if timed {
                due.hash(&mut hash);
            }
        }
    }
    if timed {
        machine.now().hash(&mut hash);
    }
    hash.finish()
}

/// Hashes the member names and the types in a value. If a Choice rule depends on a member, also hashes its value.
fn shape(
    world: &World,
    value: &Value,
    name: Option<&str>,
    depth: usize,
    hash: &mut FoldHasher<'_>,
) {
    let exact = name.is_some_and(|name| world.constants.decides(name));
    match value {
        Value::Null => 0_u8.hash(hash),
        Value::Bool(flag) => (1_u8, exact && *flag).hash(hash),
        Value::Number(number) => {
            2_u8.hash(hash);
            if exact {
                number.as_f64().to_bits().hash(hash);
            }
        }
        Value::String(text) => {
            3_u8.hash(hash);
            if exact {
                text.hash(hash);
            }
        }
        Value::Array(array) => {
            let items = array.items();
            (4_u8, items.len().min(3)).hash(hash);
            if depth < DEEPEST {
                for item in items.iter().take(3) {
                    shape(world, item, None, depth + 1, hash);
                }
            }
        }
        Value::Object(object) => {
            5_u8.hash(hash);
            if depth < DEEPEST {
                for (name, value) in object.members().iter().take(WIDEST) {
                    name.hash(hash);
                    shape(world, value, Some(name), depth + 1, hash);
                }
            }
        }
    }
}

/// A possible mistake in a rule of a Choice, and the run that shows it.
#[derive(Clone, Debug)]
pub struct Noticed {
    /// The Choice that contains the rule.
    pub state: StateId,
    /// Index of the rule in the Choice.
    pub rule: u32,
    /// Description of the possible mistake.
    pub why: Why,
    /// The run up to the Choice: its input and its answers.
    pub course: Course,
    /// Number of moments (requests) between the fork at which the run started and the Choice.
    pub moments: usize,
}

/// The possible mistake in a rule.
#[derive(Clone, Debug)]
pub enum Why {
    /// A comparison cannot match the type or the format of the data.
    Misfit {
        /// The reason why the comparison cannot match, as text for the user.
        text: String,
        /// True if the compared value is null.
        is_null: bool,
    },
    /// The rule matches, but was not taken because the earlier rule with this index matches as well.
    Late(u32),
}

impl Noticed {
    /// True if `other` describes the same kind of mistake in the same rule.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        let is_late = |notice: &Self| matches!(notice.why, Why::Late(_));
        (self.state, self.rule) == (other.state, other.rule) && is_late(self) == is_late(other)
    }
}

/// A Choice that has just been evaluated, and the frame and the machine in which it was evaluated.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    machine: &'a Machine,
    frame: &'a Frame,
    choice: &'a Choice,
    taken: Option<Edge>,
}

impl<'a> Asked<'a> {
    /// The Choice that an event is about; `None` if the event is not about a Choice.
    #[must_use]
    pub fn of(machine: &'a Machine, frame: &'a Frame, kind: EventKind) -> Option<Self> {
        let taken = match kind {
            EventKind::Chosen => frame.visit.edge,
            EventKind::ErrorRaised => None,
            _ => return None,
        };
        match &machine.definition().state(frame.visit.state)?.kind {
            StateKind::Choice(choice) => Some(Self {
                machine,
                frame,
                choice,
                taken,
            }),
            _ => None,
        }
    }

    /// Returns the evaluated comparisons that cannot be true for their values, each as (index of the rule, reason).
    #[must_use]
    pub fn misfits(&self) -> Vec<(u32, Why)> {
        let all = session::misfits(self.machine, self.frame, self.choice).into_iter();
        all.map(|misfit| {
            let (text, is_null) = (misfit.text, misfit.is_null);
            (misfit.rule, Why::Misfit { text, is_null })
        })
        .collect()
    }

    /// Returns the rules that match, too, but come after the rule that was taken, as pairs of (later rule, taken rule).
    #[must_use]
    pub fn late(&self) -> Vec<(u32, Why)> {
        let Some(Edge::Rule(by)) = self.taken else {
            return Vec::new();
        };
        let data = self.frame.visit.data.latest(Stage::AfterInputPath);
        let bindings = self.machine.inspect(self.frame, &data);
        let later = (0..).zip(&self.choice.rules).skip(by as usize + 1);
        later
            .filter(|(_, rule)| !matches!(rule.test, Test::Always(_) | Test::Condition(_)))
            .filter(|(_, rule)| holds(&rule.test, &bindings) == Ok(true))
            .map(|(rule, _)| (rule, Why::Late(by)))
            .collect()
    }
}
