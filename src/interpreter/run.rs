//! The header of a run: everything that, with the log, determines it.
//!
//! It must not change while the run goes on.

use super::course::Course;
use crate::definition::{Definition, MachineType, StateId};
use crate::json::{Text, Value};
use crate::query::{Profile, format_timestamp};
use std::sync::Arc;

/// A value larger than this (compact bytes) is a fault in both profiles, unless set otherwise.
pub const MAX_VALUE: u64 = 64 << 20;
/// A value nested deeper than this is a fault in both profiles.
pub const MAX_DEPTH: u32 = 1000;

/// What a run starts from.
#[derive(Clone, Debug)]
pub struct Header {
    /// The execution's input.
    pub input: Value,
    /// The seed of random functions, UUIDs and jitter.
    pub seed: u64,
    /// Milliseconds since 1970 at which the virtual clock starts.
    pub start_time: i64,
    /// Which semantics apply.
    pub profile: Profile,
    /// Merged into the context object, member by member.
    pub context: Value,
    /// Whether `context` is all of the context object, as TestState has it.
    pub context_whole: bool,
    /// Where to begin instead of StartAt.
    pub start_at: Option<StateId>,
    /// Variables that are set from the start.
    pub variables: Vec<(Text, Value)>,
    /// The largest value that is run, in bytes of compact JSON.
    pub max_value: u64,
    /// Of each Map at most so many items are run for, the first of them; `None` for all.
    pub most_items: Option<u32>,
    /// What is known of an execution that the run repeats.
    pub course: Option<Arc<Course>>,
    /// Where it runs and under which names.
    pub identity: Arc<Identity>,
}

/// Where an execution runs and under which names: the parts of the ARNs that it names.
#[derive(Clone, Debug)]
pub struct Identity {
    /// The region.
    pub region: Text,
    /// The account.
    pub account: Text,
    /// The execution's name; `None` for one made from the seed.
    pub execution: Option<Text>,
    /// The ARN of the machine's role; `None` for one made from the machine's name.
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
    /// The ARN of a resource of Step Functions: `stateMachine`, `execution`, ...
    #[must_use]
    pub fn arn(&self, kind: &str, rest: &str) -> String {
        let (region, account) = (&self.region, &self.account);
        format!("arn:aws:states:{region}:{account}:{kind}:{rest}")
    }

    /// The role of a machine.
    #[must_use]
    pub fn role_of(&self, machine: &str) -> Text {
        let made_up = || format!("arn:aws:iam::{}:role/{machine}", self.account).into();
        self.role.clone().unwrap_or_else(made_up)
    }
}

impl Header {
    /// A run with this input, all else by default, the clock at 1970.
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

/// A header with the definition it is for and what is derived from both once.
#[derive(Debug)]
pub struct Run {
    /// The definition.
    pub definition: Arc<Definition>,
    /// The header.
    pub header: Header,
    /// `Execution` and `StateMachine` of the context object.
    pub(super) execution: Vec<(Text, Value)>,
    /// For each state, its place among the states of its scope.
    pub(super) positions: Vec<u32>,
}

/// The account that made-up ARNs name.
pub const ACCOUNT: &str = "111111111111";
/// The region that made-up ARNs name.
const REGION: &str = "us-east-1";

impl Run {
    /// Derives what a run needs of its header.
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

    /// The place of a state among the states of its scope.
    pub(super) fn position(&self, state: StateId) -> u32 {
        let place = self.positions.get(state.0 as usize).copied();
        debug_assert!(place.is_some(), "{state:?} is of another definition");
        place.unwrap_or(0)
    }

    /// The execution's ARN.
    #[must_use]
    pub fn execution_arn(&self) -> &str {
        let execution = self.execution.first().map(|(_, execution)| execution);
        let id = execution.and_then(|execution| execution.get("Id"));
        id.and_then(Value::as_str).unwrap_or_default()
    }

    /// `EnteredTime` and the like: ISO 8601 in UTC with milliseconds.
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

/// The made-up name of the execution of a run with this seed.
#[must_use]
pub fn execution_name(seed: u64) -> String {
    uuid_of(seed, u64::MAX)
}

/// A seed for the `number`-th run that a run with this seed starts.
#[must_use]
pub fn seed_of_child(seed: u64, number: u64) -> u64 {
    random_bits(seed, number ^ (3 << 62))
}

/// The `draw`-th 64 random bits of a seed: any draw can be had without those before it.
pub(super) fn random_bits(seed: u64, draw: u64) -> u64 {
    use rand_chacha::rand_core::{Rng as _, SeedableRng as _};
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    rng.set_word_pos(u128::from(draw) * 2);
    rng.next_u64()
}

/// A version 4 UUID from two draws.
pub(super) fn uuid_of(seed: u64, draw: u64) -> String {
    let bits = (u128::from(random_bits(seed, draw)) << 64)
        | u128::from(random_bits(seed, draw ^ (1 << 63)));
    uuid::Builder::from_random_bytes(bits.to_be_bytes())
        .into_uuid()
        .to_string()
}
