//! The header (initial conditions) of a run, and the recorded execution that the run repeats. The header and the log
//! together determine the run. The header never changes during the run.

use super::ask::AskKey;
use super::event::Millis;
use super::fault::Fault;
use super::machine::Status;
use crate::definition::{Definition, MachineType, StateId};
use crate::json::{Text, Value};
use crate::query::{MAX_VALUE, Profile, format_timestamp};
use foldhash::fast::RandomState;
use std::collections::HashMap;
use std::sync::Arc;

/// Maximum nesting depth of a value. A value that is nested deeper is a fault in both profiles.
pub const MAX_DEPTH: u32 = 1000;

/// The initial conditions of a run.
#[derive(Clone, Debug)]
pub struct Header {
    /// The execution's input.
    pub input: Value,
    /// Seed for random functions, UUIDs and jitter.
    pub seed: u64,
    /// Start of the virtual clock, in milliseconds since 1970.
    pub start_time: i64,
    /// Which semantics apply: the specification's or AWS's.
    pub profile: Profile,
    /// Members to merge into the context object.
    pub context: Value,
    /// True if a single state is tested, as by AWS's TestState. `context` is then the whole context object. A cause
    /// then does not begin with the state's name, because that prefix needs the number of a StateEntered event, which
    /// does not exist.
    pub tests_state: bool,
    /// The state at which the run begins instead of StartAt.
    pub start_at: Option<StateId>,
    /// The variables that exist when the run begins.
    pub variables: Vec<(Text, Value)>,
    /// Maximum size of a value, in bytes of compact JSON.
    pub max_value: u64,
    /// Maximum number of items that each Map processes, counted from the first item; `None` for all items.
    pub most_items: Option<u32>,
    /// Data of the recorded execution that the run repeats, if any.
    pub course: Option<Arc<Course>>,
    /// The name of the execution, and the values from which its ARNs are built.
    pub identity: Arc<Identity>,
}

/// Region, account and names of an execution, from which ARNs are built.
#[derive(Clone, Debug)]
pub struct Identity {
    /// The region.
    pub region: Text,
    /// The account.
    pub account: Text,
    /// The execution name; `None` derives one from the seed.
    pub execution: Option<Text>,
    /// ARN of the state machine's role; `None` makes one up from the machine's name.
    pub role: Option<Text>,
}

impl Default for Identity {
    fn default() -> Self {
        Self {
            region: REGION.into(),
            account: ACCOUNT.into(),
            execution: None,
            role: None,
        }
    }
}

impl Identity {
    /// ARN of a resource of Step Functions. `kind` is the type of the resource, such as `stateMachine` or `execution`.
    #[must_use]
    pub fn arn(&self, kind: &str, rest: &str) -> String {
        let (region, account) = (&self.region, &self.account);
        format!("arn:aws:states:{region}:{account}:{kind}:{rest}")
    }

    /// ARN of the role of a state machine.
    #[must_use]
    pub fn role_of(&self, machine: &str) -> Text {
        let made_up = || format!("arn:aws:iam::{}:role/{machine}", self.account).into();
        self.role.clone().unwrap_or_else(made_up)
    }
}

impl Header {
    /// A header with this input. Everything else has its default value, and the clock starts at the beginning of 1970.
    #[must_use]
    pub fn new(input: Value, profile: Profile) -> Self {
        Self {
            input,
            seed: 0,
            start_time: 0,
            profile,
            context: Value::empty_object(),
            tests_state: false,
            start_at: None,
            variables: Vec::new(),
            max_value: MAX_VALUE,
            most_items: None,
            course: None,
            identity: Arc::default(),
        }
    }
}

/// A run: a definition, a header, and values that are computed once from the definition and the header.
#[derive(Debug)]
pub struct Run {
    /// The definition.
    pub definition: Arc<Definition>,
    /// The initial conditions of the run.
    pub header: Header,
    /// Members `Execution` and `StateMachine` of the context object.
    pub(super) execution: Vec<(Text, Value)>,
    /// For each state, its position among the states of its scope.
    pub(super) positions: Vec<u32>,
}

/// Account id in generated ARNs.
pub const ACCOUNT: &str = "111111111111";
/// Region in generated ARNs.
const REGION: &str = "us-east-1";

impl Run {
    /// Prepares a run of a definition.
    #[must_use]
    pub fn new(definition: Arc<Definition>, header: Header) -> Self {
        let given = header.identity.execution.clone();
        let name = given.unwrap_or_else(|| execution_name(header.seed).into());
        let execution = execution_context(&definition, &header, &name);
        let positions = positions(&definition);
        Self {
            definition,
            header,
            execution,
            positions,
        }
    }

    /// Position of a state among the states of its scope.
    pub(super) fn position(&self, state: StateId) -> u32 {
        let place = self.positions.get(state.0 as usize).copied();
        debug_assert!(
            place.is_some(),
            "state {state:?} belongs to another definition"
        );
        place.unwrap_or(0)
    }

    /// ARN of the execution.
    #[must_use]
    pub fn execution_arn(&self) -> &str {
        let id = self
            .execution_context()
            .and_then(|execution| execution.get("Id"));
        id.and_then(Value::as_str).unwrap_or_default()
    }

    /// The member `Execution` of the context object.
    pub(super) fn execution_context(&self) -> Option<&Value> {
        self.execution.first().map(|(_, execution)| execution)
    }

    /// A time as in `EnteredTime`: ISO 8601 in UTC with milliseconds.
    #[must_use]
    pub fn time_text(&self, at: super::Millis) -> String {
        let at = i64::try_from(at).unwrap_or(i64::MAX);
        format_timestamp(self.header.start_time.saturating_add(at))
    }
}

fn execution_context(definition: &Definition, header: &Header, name: &Text) -> Vec<(Text, Value)> {
    let machine = &definition.name;
    let arn = |kind: &str, rest: &str| Value::string(header.identity.arn(kind, rest));
    let id = match definition.machine_type {
        MachineType::Standard => arn("execution", &format!("{machine}:{name}")),
        MachineType::Express => {
            let run = uuid_of(header.seed, u64::MAX - 1);
            arn("express", &format!("{machine}:{name}:{run}"))
        }
    };
    let role = header.identity.role_of(machine);
    let start = format_timestamp(header.start_time);
    let execution = Value::object(vec![
        ("Id".into(), id),
        ("Input".into(), header.input.clone()),
        ("Name".into(), Value::String(name.clone())),
        ("RoleArn".into(), Value::String(role)),
        ("StartTime".into(), Value::string(start)),
        ("RedriveCount".into(), Value::from(0)),
    ]);
    let state_machine = Value::object(vec![
        ("Id".into(), arn("stateMachine", machine)),
        ("Name".into(), Value::String(machine.clone())),
    ]);
    vec![
        ("Execution".into(), execution),
        ("StateMachine".into(), state_machine),
    ]
}

fn positions(definition: &Definition) -> Vec<u32> {
    let mut positions = vec![0; definition.states.len()];
    for scope in &definition.scopes {
        for (place, id) in (0_u32..).zip(&scope.states) {
            if let Some(slot) = positions.get_mut(id.0 as usize) {
                *slot = place;
            }
        }
    }
    positions
}

/// Execution name derived from the seed.
#[must_use]
pub fn execution_name(seed: u64) -> String {
    uuid_of(seed, u64::MAX)
}

/// The seed of a child run: the run with the number `number` among those that a run with the seed `seed` starts.
#[must_use]
pub fn seed_of_child(seed: u64, number: u64) -> u64 {
    random_bits(seed, number ^ (3 << 62))
}

/// The random number (64 bits) at position `draw` in the sequence of a seed. It is computed without the numbers before
/// it.
pub(super) fn random_bits(seed: u64, draw: u64) -> u64 {
    use chacha20::rand_core::{Rng as _, SeedableRng as _};
    let mut rng = chacha20::ChaCha8Rng::seed_from_u64(seed);
    rng.set_word_pos(u128::from(draw) * 2);
    rng.next_u64()
}

/// A version 4 UUID made from two random numbers.
pub(super) fn uuid_of(seed: u64, draw: u64) -> String {
    let bits = (u128::from(random_bits(seed, draw)) << 64)
        | u128::from(random_bits(seed, draw ^ (1 << 63)));
    let uuid = uuid::Builder::from_random_bytes(bits.to_be_bytes());
    uuid.into_uuid().to_string()
}

/// Maximum number of milliseconds by which a recorded time may be later than the computed time. Recorded times are off
/// by some hundredths of a second at most.
const LATE: Millis = 1000;
/// Maximum number of milliseconds by which a recorded time may be earlier than the computed time, because times are
/// rounded.
const EARLY: Millis = 50;

/// Recorded data by request key.
pub type ByKey<V> = HashMap<AskKey, V, RandomState>;

/// The recorded course of an execution: the times and values that a run takes from it. The key of a visit is the key of
/// its requests, with attempt 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Course {
    /// Recorded data of each visit to a state.
    pub visits: ByKey<Passage>,
    /// Branches and items that were aborted in the recording, each with a time just after the last recorded event.
    /// Until that time, the branch or item enters only states whose visit was recorded. The key has the name of the
    /// Parallel or Map, and visit 0.
    pub stopped: ByKey<Millis>,
    /// The state at which a branch or item first appears in the recording, if its beginning was not recorded. The keys
    /// are as in `stopped`.
    pub begins: ByKey<StateId>,
    /// Map items that ended, each with the time of its end, and true if the item succeeded. The keys are as in
    /// `stopped`.
    pub ended: ByKey<(Millis, bool)>,
    /// A time just after the last recorded event, if the run follows the recorded events. Until then, only recorded
    /// events happen.
    pub over: Option<Millis>,
    /// True if the run stops at the end of the recording, because the later events are not known.
    pub ends_there: bool,
    /// How the recorded execution ended. Used if the run has not ended by itself until then.
    pub end: Option<Status>,
}

/// Recorded data of one visit to a state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Passage {
    /// The time at which the state was entered, on the virtual clock.
    pub entered: Option<Millis>,
    /// Id of the StateEntered event in AWS's history; 0 if unknown.
    pub entered_id: u32,
    /// The time at which each attempt began, on the virtual clock.
    pub attempts: Vec<Option<Millis>>,
    /// The time at which the state was exited, on the virtual clock.
    pub left: Option<Millis>,
    /// The state's input, if it cannot be computed again.
    pub input: Option<Unrepeatable>,
    /// For each attempt, the input of its task call, if that input cannot be computed again.
    pub calls: Vec<Option<Unrepeatable>>,
    /// The state's output, if it cannot be computed again.
    pub output: Option<Unrepeatable>,
    /// The assigned variables that cannot be computed again.
    pub assigned: Vec<(Text, Value)>,
    /// The end and the outcome of a Map Run whose child executions are not known.
    pub map_run: Option<MapRun>,
    /// Recorded next state, attempts and items, if the definition alone does not determine them.
    pub followed: Option<Box<Followed>>,
}

/// Recorded next state, attempts and items of a visit. Needed if the run follows the recorded events.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Followed {
    /// Name of the next state; `None` if the list of states ended, or nothing more was recorded.
    pub next: Option<Text>,
    /// Number of attempts in the visit.
    pub tries: usize,
    /// Number of items of a Map.
    pub items: Option<u32>,
    /// Recorded data of each attempt, if the state is a Map or Parallel; otherwise empty.
    pub works: Vec<Work>,
    /// The error of the last attempt of a Map or Parallel, if the attempt failed. The error lacks a name or cause that
    /// was not recorded.
    pub work_fault: Option<Fault>,
    /// The error of the state itself, which ended the execution, or was caught before the state's work began.
    pub fault: Option<Fault>,
    /// Number of JSONata evaluations that failed in the visit.
    pub evaluations: usize,
    /// True if it is not known how the state was exited.
    pub is_open: bool,
    /// True if the recorded state was exited normally although its task failed and no catcher handled the error.
    pub leaves: bool,
}

/// Recorded data of one attempt of a Map or Parallel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Work {
    /// The time at which the attempt ended, on the virtual clock.
    pub over: Option<Millis>,
    /// Number of failed items or branches after which the attempt failed; `None` if the attempt did not fail.
    pub fails_after: Option<u32>,
}

/// Recorded data of a Map Run whose child executions are unknown.
#[derive(Clone, Debug, PartialEq)]
pub struct MapRun {
    /// Number of items; 0 if they were read from a file.
    pub length: u32,
    /// The time at which the Map Run ended, on the virtual clock.
    pub ended: Option<Millis>,
    /// The outcome of the Map Run; `None` if it is not known.
    pub outcome: Option<MapRunOutcome>,
}

/// Outcome of a Map Run.
#[derive(Clone, Debug, PartialEq)]
pub enum MapRunOutcome {
    /// The Map Run succeeded with this result.
    Result(Value),
    /// The Map Run succeeded. Its result is not known, but this output of the Map state is.
    Output(Value),
    /// The Map Run failed with this error.
    Failure(Fault),
}

/// A value with parts that cannot be computed again, such as a random number, a time or a name that AWS assigned.
#[derive(Clone, Debug, PartialEq)]
pub struct Unrepeatable {
    /// The recorded value.
    pub value: Value,
    /// Names of the members that cannot be computed again; an empty name means the whole value.
    pub names: Arc<[Text]>,
    /// True if no part of the value can be computed.
    pub whole: bool,
}

/// The recorded end of a wait whose computed end is between `earliest` and `latest`. `None` if the recorded time is too
/// far from this range.
pub(super) fn recorded_due(
    recorded: Option<Millis>,
    earliest: Millis,
    latest: Millis,
) -> Option<Millis> {
    let is_same =
        |at: &Millis| at.saturating_add(EARLY) >= earliest && *at <= latest.saturating_add(LATE);
    recorded.filter(is_same)
}

impl Unrepeatable {
    /// Returns `computed`, with the parts that cannot be computed again replaced by the recorded parts. A recorded part
    /// is not used if its structure differs. If no part can be computed, returns the recorded value.
    #[must_use]
    pub fn taken(&self, computed: Value) -> Value {
        if self.whole {
            return self.value.clone();
        }
        if self.names.iter().any(|name| name.is_empty()) {
            return match same_shape(&computed, &self.value, 0) {
                true => self.value.clone(),
                false => computed,
            };
        }
        members_taken(&computed, &self.value, &self.names, 0)
    }
}

fn members_taken(computed: &Value, recorded: &Value, names: &[Text], depth: u32) -> Value {
    if depth > DEEPEST || computed == recorded {
        return computed.clone();
    }
    match (computed, recorded) {
        (Value::Object(first), Value::Object(other)) => {
            let member = |(name, value): &(Text, Value)| {
                let twin = other.get(name);
                let value = match twin {
                    Some(twin) if names.contains(name) && same_shape(value, twin, depth) => {
                        twin.clone()
                    }
                    Some(twin) => members_taken(value, twin, names, depth + 1),
                    None => value.clone(),
                };
                (name.clone(), value)
            };
            Value::object(first.members().iter().map(member).collect())
        }
        (Value::Array(first), Value::Array(other)) => {
            let items = first.items().iter().enumerate();
            let items = items.map(|(at, value)| match other.items().get(at) {
                Some(twin) => members_taken(value, twin, names, depth + 1),
                None => value.clone(),
            });
            Value::array(items.collect())
        }
        _ => computed.clone(),
    }
}

/// Values nested deeper than this are considered different.
const DEEPEST: u32 = 100;

fn same_shape(left: &Value, right: &Value, depth: u32) -> bool {
    if depth > DEEPEST {
        return false;
    }
    match (left, right) {
        (Value::Object(left), Value::Object(right)) => {
            let (left, right) = (left.members(), right.members());
            // Members that only one of the two objects has do not matter: AWS sometimes adds members to the context
            // object.
            let same = |(name, value): &(Text, Value)| {
                let twin = right.iter().find(|(key, _)| key == name);
                twin.is_none_or(|(_, twin)| same_shape(value, twin, depth + 1))
            };
            let is_shared = |name: &Text| right.iter().any(|(key, _)| key == name);
            let shared = left.iter().any(|(name, _)| is_shared(name));
            (shared || left.is_empty() && right.is_empty()) && left.iter().all(same)
        }
        (Value::Array(left), Value::Array(right)) => {
            let mut pairs = left.items().iter().zip(right.items());
            left.items().len() == right.items().len()
                && pairs.all(|(left, right)| same_shape(left, right, depth + 1))
        }
        (Value::String(_) | Value::Number(_), Value::String(_) | Value::Number(_)) => true,
        _ => left == right,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_the_recorded_one_unless_that_is_another() {
        assert_eq!(recorded_due(Some(10_003), 10_000, 10_000), Some(10_003));
        assert_eq!(recorded_due(Some(9_980), 10_000, 10_000), Some(9_980));
        assert_eq!(recorded_due(Some(5_003), 10_000, 10_000), None);
        assert_eq!(recorded_due(Some(15_003), 10_000, 10_000), None);
        // With jitter, any delay up to the computed delay is acceptable.
        assert_eq!(recorded_due(Some(1_003), 0, 10_000), Some(1_003));
    }

    #[test]
    fn only_what_differs_in_texts_and_numbers_is_taken() {
        let value = |text: &str| crate::json::parse(text).expect("JSON");
        let check = |names: &[&str], computed: &str, recorded: &str, expected: &str| {
            let names = names.iter().map(|name| Text::from(*name)).collect();
            let there = Unrepeatable {
                value: value(recorded),
                names,
                whole: false,
            };
            assert_eq!(there.taken(value(computed)), value(expected));
        };
        check(
            &["id"],
            r#"{"id":"a","n":1}"#,
            r#"{"id":"b","n":2}"#,
            r#"{"id":"b","n":1}"#,
        );
        check(
            &[""],
            r#"{"id":"a","n":1}"#,
            r#"{"id":"b","n":2}"#,
            r#"{"id":"b","n":2}"#,
        );
        check(&["id"], r#"{"id":"a"}"#, r#"{"id":[7]}"#, r#"{"id":"a"}"#);
        check(
            &["id"],
            r#"[{"id":"a"}]"#,
            r#"[{"id":"c"},2]"#,
            r#"[{"id":"c"}]"#,
        );
        check(&[""], r#"{"ok":true}"#, r#"{"ok":false}"#, r#"{"ok":true}"#);
    }
}
