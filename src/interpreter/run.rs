//! The header of a run: everything that determines it, together with the log. Never changes during the run.

use super::course::Course;
use crate::definition::{Definition, MachineType, StateId};
use crate::json::{Text, Value};
use crate::query::{MAX_VALUE, Profile, format_timestamp};
use std::sync::Arc;

/// Maximum nesting depth of a value; a deeper one is a fault in both profiles.
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
    /// True if `context` replaces the whole context object, as in TestState.
    pub context_whole: bool,
    /// State to begin with instead of StartAt.
    pub start_at: Option<StateId>,
    /// Initial variables.
    pub variables: Vec<(Text, Value)>,
    /// Maximum size of a value, in bytes of compact JSON.
    pub max_value: u64,
    /// Maximum number of items to process in each Map, counted from the first; `None` for all.
    pub most_items: Option<u32>,
    /// Data of the recorded execution that the run repeats, if any.
    pub course: Option<Arc<Course>>,
    /// Names and ARN parts of the execution.
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
    /// ARN of the state machine's role; `None` derives one from the machine's name.
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
    /// ARN of a Step Functions resource: `stateMachine`, `execution`, ...
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
    /// A header with this input; everything else has its default, and the clock starts at 1970.
    #[must_use]
    pub fn new(input: Value, profile: Profile) -> Self {
        Self {
            input,
            seed: 0,
            start_time: 0,
            profile,
            context: Value::empty_object(),
            context_whole: false,
            start_at: None,
            variables: Vec::new(),
            max_value: MAX_VALUE,
            most_items: None,
            course: None,
            identity: Arc::default(),
        }
    }
}

/// A header, its definition, and what is computed once from both.
#[derive(Debug)]
pub struct Run {
    /// The definition.
    pub definition: Arc<Definition>,
    /// The header.
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
        debug_assert!(place.is_some(), "{state:?} is of another definition");
        place.unwrap_or(0)
    }

    /// ARN of the execution.
    #[must_use]
    pub fn execution_arn(&self) -> &str {
        let execution = self.execution.first().map(|(_, execution)| execution);
        let id = execution.and_then(|execution| execution.get("Id"));
        id.and_then(Value::as_str).unwrap_or_default()
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
    let execution = Value::object(vec![
        ("Id".into(), id),
        ("Input".into(), header.input.clone()),
        ("Name".into(), Value::String(name.clone())),
        (
            "RoleArn".into(),
            Value::String(header.identity.role_of(machine)),
        ),
        (
            "StartTime".into(),
            Value::string(format_timestamp(header.start_time)),
        ),
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

/// Seed for the `number`-th run started by a run with this seed.
#[must_use]
pub fn seed_of_child(seed: u64, number: u64) -> u64 {
    random_bits(seed, number ^ (3 << 62))
}

/// The `draw`-th 64 random bits of a seed; does not need the earlier draws.
pub(super) fn random_bits(seed: u64, draw: u64) -> u64 {
    use rand_chacha::rand_core::{Rng as _, SeedableRng as _};
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    rng.set_word_pos(u128::from(draw) * 2);
    rng.next_u64()
}

/// A version 4 UUID made from two draws.
pub(super) fn uuid_of(seed: u64, draw: u64) -> String {
    let bits = (u128::from(random_bits(seed, draw)) << 64)
        | u128::from(random_bits(seed, draw ^ (1 << 63)));
    uuid::Builder::from_random_bytes(bits.to_be_bytes())
        .into_uuid()
        .to_string()
}
