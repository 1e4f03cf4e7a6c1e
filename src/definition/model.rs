//! Typed states, with every field compiled and every span preserved.

use super::Owner;
use super::choice::{Choice, Rule};
use super::field_value::{Jsonata, PathField, ResultPath};
use super::field_value::{ScopeId, StateId, StatePath, Target};
use super::map::{Map, Unit};
use super::step::Steps;
use super::task::Task;
use crate::json::{Text, Value};
use crate::query::{Expression, Path, Template, jsonata};
use crate::source::dsl::{GeneratedKind, is_compiled};
use crate::source::{Node, SourceMap, Span};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// A state machine. Parts that could not be parsed are missing.
#[derive(Clone, Debug)]
pub struct Definition {
    /// Name of the state machine: the file name without its extension, or the logical id in a CloudFormation template.
    pub name: Text,
    /// Type of the state machine on AWS.
    pub machine_type: MachineType,
    /// The files that the definition was read from.
    pub sources: Arc<SourceMap>,
    /// The syntax tree of the definition's text.
    pub node: Arc<Node>,
    /// The text in the machine's `Comment`.
    pub comment: Option<Text>,
    /// Default query language of the states.
    pub language: QueryLanguage,
    /// `TimeoutSeconds` of the whole execution.
    pub timeout_seconds: Option<u64>,
    /// All scopes (lists of states). The first scope is the machine itself.
    pub scopes: Vec<Scope>,
    /// All states at any depth. An outer state comes before the states inside it.
    pub states: Vec<State>,
}

impl Definition {
    /// Seconds after which an execution ends with `States.Timeout`: the machine's timeout or the limit of its type,
    /// whichever is smaller.
    #[must_use]
    pub fn deadline_seconds(&self) -> Option<u64> {
        let most = match self.machine_type {
            MachineType::Standard => None,
            MachineType::Express => Some(MachineType::EXPRESS_SECONDS),
        };
        self.timeout_seconds.into_iter().chain(most).min()
    }

    /// True if the definition was compiled from an SFN DSL program.
    #[must_use]
    pub fn is_program(&self) -> bool {
        is_compiled(&self.node)
    }

    /// Returns a state; `None` only if the id belongs to another definition.
    #[must_use]
    pub fn state(&self, id: StateId) -> Option<&State> {
        let state = self.states.get(id.0 as usize);
        debug_assert!(state.is_some(), "{id:?} belongs to another definition");
        state
    }

    /// The JSON object in the definition's text from which a state was read.
    #[must_use]
    pub fn node_of(&self, state: &State) -> Option<&Node> {
        let type_name = state.type_name();
        let is_type = |node: &Node| node.get("Type").and_then(Node::as_str) == Some(type_name);
        self.node.matching(state.span, is_type)
    }

    /// Returns a scope; `None` only if the id belongs to another definition.
    #[must_use]
    pub fn scope(&self, id: ScopeId) -> Option<&Scope> {
        let scope = self.scopes.get(id.0 as usize);
        debug_assert!(scope.is_some(), "{id:?} belongs to another definition");
        scope
    }

    /// The ids of all states in order.
    pub fn state_ids(&self) -> impl DoubleEndedIterator<Item = StateId> + use<> {
        (0..u32::try_from(self.states.len()).unwrap_or(u32::MAX)).map(StateId)
    }

    /// The state with this path.
    #[must_use]
    pub fn find(&self, path: &StatePath) -> Option<StateId> {
        self.state_ids()
            .find(|id| self.state(*id).is_some_and(|state| state.path == *path))
    }

    /// The unit of work of an iteration of a Map: a single item or a batch. For any other state, a single item.
    #[must_use]
    pub fn unit(&self, id: StateId) -> Unit {
        match self.state(id).map(|state| &state.kind) {
            Some(StateKind::Map(map)) => map.unit(),
            _ => Unit::Item,
        }
    }

    /// The state that the user means by `name`: the state with this path, otherwise the first state with this name.
    #[must_use]
    pub fn find_by_name(&self, name: &str) -> Option<StateId> {
        let by = |matches: &dyn Fn(&State) -> bool| {
            self.state_ids()
                .find(|id| self.state(*id).is_some_and(matches))
        };
        by(&|state| &*state.path.0 == name).or_else(|| by(&|state| &*state.name == name))
    }
}

/// The value of `QueryLanguage`: the language of paths and expressions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum QueryLanguage {
    /// JSONPath: paths, payload templates and intrinsic functions.
    #[default]
    JsonPath,
    /// JSONata: expressions in `{% %}`.
    Jsonata,
}

impl fmt::Display for QueryLanguage {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::JsonPath => "JSONPath",
            Self::Jsonata => "JSONata",
        })
    }
}

/// A scope: the list of states in the `States` object of the machine, of a branch or of an item processor.
#[derive(Clone, Debug)]
pub struct Scope {
    /// The Parallel or Map that contains the scope; `None` for the machine.
    pub owner: Option<StateId>,
    /// Index of the branch among the branches of the Parallel; 0 for a Map and for the machine.
    pub index: u32,
    /// Span of the object with StartAt and States.
    pub span: Span,
    /// Location of the object with StartAt and States, as AWS prints it: a path with slashes; empty for the machine.
    pub location: Text,
    /// The text in the scope's `Comment`.
    pub comment: Option<Text>,
    /// The state in `StartAt`, at which the scope begins; `None` if the field is missing.
    pub start_at: Option<Target>,
    /// The states of the scope, without the states of nested scopes, in the order of the text.
    pub states: Vec<StateId>,
}

/// A field of a state as written: its name and its spans, from which source lines and titles are made.
#[derive(Clone, Debug)]
pub struct Field {
    /// Name of the field.
    pub name: Text,
    /// Span of the name.
    pub key: Span,
    /// Span of the value.
    pub value: Span,
}

/// A state of a state machine.
#[derive(Clone, Debug)]
pub struct State {
    /// Name of the state.
    pub name: Text,
    /// The state's path, which identifies it within the whole machine.
    pub path: StatePath,
    /// The scope that contains the state.
    pub scope: ScopeId,
    /// The reason why the DSL compiler generated the state; `None` for a state written by the author.
    pub generated: Option<GeneratedKind>,
    /// Span of the state's name.
    pub name_span: Span,
    /// Span of the state's object.
    pub span: Span,
    /// Location of the state's object, as AWS prints it: `/States/Fan/Branches[1]/States/Pay`.
    pub location: Text,
    /// The text in the state's `Comment`.
    pub comment: Option<Text>,
    /// The query language that the state uses.
    pub language: QueryLanguage,
    /// Every field that the state has in the text, in order.
    pub fields: Vec<Field>,
    /// The value of `InputPath`.
    pub input_path: PathField,
    /// The value of `ResultPath`.
    pub result_path: ResultPath,
    /// The value of `OutputPath`.
    pub output_path: PathField,
    /// The payload templates in JSONPath mode, each with the name of its field. The templates that `kind` stores are
    /// not included.
    pub templates: Vec<(&'static str, Template)>,
    /// The values of `Arguments`, `Output` and `Assign` in JSONata mode.
    pub jsonata: Jsonata,
    /// Where the state leads: `Next`, `End` or neither.
    pub transition: Transition,
    /// The retriers in `Retry`, in order.
    pub retry: Vec<Retrier>,
    /// The catchers in `Catch`, in order.
    pub catch: Vec<Catcher>,
    /// The fields that only states of this type have.
    pub kind: StateKind,
    /// The steps of the state: one for every value that the state produces, in the order of its pipeline.
    pub steps: Steps,
    /// The reason why the state cannot run: it could not be parsed, or it needs something unsupported. Entering the
    /// state raises a fault. `None` if the state can run.
    pub broken: Option<Text>,
}

impl State {
    /// The field with this name, as written in the state; `None` if the state lacks the field.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| &*field.name == name)
    }

    /// The type as AWS writes it: `Pass`, `Task`, ...
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match self.kind {
            StateKind::Pass { .. } => "Pass",
            StateKind::Task(_) => "Task",
            StateKind::Choice(_) => "Choice",
            StateKind::Wait(_) => "Wait",
            StateKind::Succeed => "Succeed",
            StateKind::Fail(_) => "Fail",
            StateKind::Parallel { .. } => "Parallel",
            StateKind::Map(_) => "Map",
        }
    }

    /// The type of the state; for a state that the DSL compiler generated, a description of its purpose.
    #[must_use]
    pub fn caption(&self) -> &'static str {
        self.generated
            .map_or_else(|| self.type_name(), GeneratedKind::caption)
    }

    /// A short name: the state's name or, for a state that the DSL compiler generated, a description of its purpose.
    #[must_use]
    pub fn label(&self) -> Cow<'_, str> {
        match (self.generated, &self.transition) {
            (None, _) => Cow::Borrowed(&*self.name),
            (Some(GeneratedKind::Goto), Transition::Next(target)) => {
                Cow::Owned(format!("goto {}", target.name))
            }
            (Some(kind), _) => Cow::Borrowed(kind.caption()),
        }
    }

    /// The rule of a Choice with this index.
    #[must_use]
    pub fn rule(&self, index: u32) -> Option<&Rule> {
        match &self.kind {
            StateKind::Choice(choice) => choice.rules.get(index as usize),
            _ => None,
        }
    }

    /// The span of a rule, catcher or retrier; `None` for any other object of the state.
    #[must_use]
    pub fn part_span(&self, part: Owner) -> Option<Span> {
        match part {
            Owner::Rule(index) => self.rule(index).map(|rule| rule.span),
            Owner::Catcher(index) => self.catch.get(index as usize).map(|entry| entry.span),
            Owner::Retrier(index) => self.retry.get(index as usize).map(|entry| entry.span),
            _ => None,
        }
    }

    /// The scopes inside the state: its branches, or its item processor.
    #[must_use]
    pub fn inner(&self) -> &[ScopeId] {
        match &self.kind {
            StateKind::Parallel { branches } => branches,
            StateKind::Map(map) => std::slice::from_ref(&map.processor),
            _ => &[],
        }
    }

    /// True if the scope ends after this state.
    #[must_use]
    pub fn is_terminal(&self) -> bool {
        matches!(self.transition, Transition::End)
            || matches!(self.kind, StateKind::Succeed | StateKind::Fail(_))
    }
}

/// The transition out of a state.
#[derive(Clone, Debug)]
pub enum Transition {
    /// `Next`: the run continues with this state.
    Next(Target),
    /// `End: true`: the run of this list of states ends here.
    End,
    /// Neither field: a Choice, Succeed or Fail, or a state with an error.
    None,
}

/// The fields that only one type of state has.
#[derive(Clone, Debug)]
pub enum StateKind {
    /// A Pass state.
    Pass {
        /// The literal value in `Result`; `None` if the field is missing.
        result: Option<Value>,
    },
    /// A Task state.
    Task(Task),
    /// A Choice state.
    Choice(Choice),
    /// A Wait state, with the field that determines when it ends.
    Wait(WaitUntil),
    /// A Succeed state.
    Succeed,
    /// A Fail state.
    Fail(Fail),
    /// A Parallel state.
    Parallel {
        /// The branches in `Branches`, in order.
        branches: Vec<ScopeId>,
    },
    /// A Map state.
    Map(Box<Map>),
}

impl StateKind {
    /// True if a state of this type passes on its input as its output, unless a field changes the output.
    #[must_use]
    pub fn passes_input(&self) -> bool {
        matches!(
            self,
            Self::Pass { result: None } | Self::Wait(_) | Self::Choice(_)
        )
    }
}

/// The field that determines when a Wait ends.
#[derive(Clone, Debug)]
pub enum WaitUntil {
    /// The constant in `Seconds`.
    Seconds(u64),
    /// The path in `SecondsPath`.
    SecondsPath(Path),
    /// The constant in `Timestamp`, as written.
    Timestamp(Text),
    /// The path in `TimestampPath`.
    TimestampPath(Path),
    /// `Seconds` with a JSONata expression.
    SecondsBy(Arc<jsonata::Expression>),
    /// `Timestamp` with a JSONata expression.
    TimestampBy(Arc<jsonata::Expression>),
    /// No valid field determines the end; an error was reported. Entering the state raises a fault.
    Nothing,
}

/// The fields of a Fail.
#[derive(Clone, Debug, Default)]
pub struct Fail {
    /// The value of `Error` or `ErrorPath`.
    pub error: Option<FailText>,
    /// The value of `Cause` or `CausePath`.
    pub cause: Option<FailText>,
}

/// The value of `Error` or `Cause`, or of their `...Path` forms.
#[derive(Clone, Debug)]
pub enum FailText {
    /// `Error` or `Cause` with a constant text.
    Constant(Text),
    /// `ErrorPath` or `CausePath`: a path or an intrinsic function.
    Expression(Expression),
    /// `Error` or `Cause` with a JSONata expression.
    Jsonata(Arc<jsonata::Expression>),
}

/// A retrier: an element of `Retry`.
#[derive(Clone, Debug)]
pub struct Retrier {
    /// Span of the retrier.
    pub span: Span,
    /// The error names in `ErrorEquals`.
    pub error_equals: Vec<Text>,
    /// The number in `IntervalSeconds` (default 1): the delay before the first retry, in seconds.
    pub interval_seconds: u64,
    /// The number in `MaxAttempts` (default 3): the maximum number of retries.
    pub max_attempts: u64,
    /// The number in `BackoffRate` (default 2.0), by which the delay is multiplied after each retry.
    pub backoff_rate: f64,
    /// The number in `MaxDelaySeconds`, which limits the delay before a retry.
    pub max_delay_seconds: Option<u64>,
    /// The value of `JitterStrategy`: whether the delays are randomized.
    pub jitter: Jitter,
}

/// The value of `JitterStrategy`, which tells whether the delays before retries are randomized.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Jitter {
    /// Waits exactly the computed delay.
    #[default]
    None,
    /// Waits a random time up to the computed delay.
    Full,
}

/// A catcher: an element of `Catch`.
#[derive(Clone, Debug)]
pub struct Catcher {
    /// Span of the catcher.
    pub span: Span,
    /// The error names in `ErrorEquals`.
    pub error_equals: Vec<Text>,
    /// The state in `Next`, which runs after the error; `None` if the field is missing.
    pub next: Option<Target>,
    /// The value of `ResultPath`: where the error output is inserted into the input.
    pub result_path: ResultPath,
    /// The value of `Assign` in JSONPath mode.
    pub assign: Option<Template>,
    /// The values of `Output` and `Assign` in JSONata mode.
    pub jsonata: Jsonata,
}

/// The type of a state machine on AWS. A definition does not contain the type; it comes from elsewhere, for example
/// from a CloudFormation template, a response of AWS or the option `--type`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MachineType {
    /// Runs for up to a year and executes each state exactly once.
    #[default]
    Standard,
    /// Runs for up to five minutes, without jobs, callbacks or activities.
    Express,
}

impl MachineType {
    /// Maximum duration of an EXPRESS execution, in seconds.
    pub const EXPRESS_SECONDS: u64 = 300;

    /// Parses AWS's name of the type: `STANDARD` or `EXPRESS`.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "STANDARD" => Some(Self::Standard),
            "EXPRESS" => Some(Self::Express),
            _ => None,
        }
    }
}
