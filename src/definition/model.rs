//! Typed states, with every field compiled and every span preserved (ASL-SEMANTICS section 2).

use super::comparator::Comparator;
use super::field_value::{Jsonata, PathField, Payload, Quantity, ResultPath};
use super::files::{ItemBatcher, ItemReader, ResultWriter};
use super::handling::{Catcher, Retrier};
use super::machine_type::MachineType;
use super::step::Steps;
use super::target::{ScopeId, StateId, StatePath, Target};
use crate::json::{Text, Value};
use crate::query::jsonata;
use crate::query::{Expression, Path, Pattern, Template};
use crate::service::Call;
use crate::source::dsl::{GeneratedKind, is_compiled};
use crate::source::{Node, SourceMap, Span};
use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// A state machine. Parts that could not be parsed are missing.
#[derive(Clone, Debug)]
pub struct Definition {
    /// Name: the file name without its extension, or the logical id in a template.
    pub name: Text,
    /// Type of the state machine on AWS.
    pub machine_type: MachineType,
    /// The files that it was read from.
    pub sources: Arc<SourceMap>,
    /// The tree that it was lowered from.
    pub node: Arc<Node>,
    /// `Comment`.
    pub comment: Option<Text>,
    /// Default query language of the states.
    pub language: QueryLanguage,
    /// `TimeoutSeconds` of the whole execution.
    pub timeout_seconds: Option<u64>,
    /// All scopes. The first one is the machine itself.
    pub scopes: Vec<Scope>,
    /// All states at any depth. An outer state comes before its inner ones.
    pub states: Vec<State>,
}

impl Definition {
    /// Seconds after which an execution ends with `States.Timeout`: the smaller of the machine's timeout and the limit
    /// of its type.
    #[must_use]
    pub fn deadline_seconds(&self) -> Option<u64> {
        let most = match self.machine_type {
            MachineType::Standard => None,
            MachineType::Express => Some(MachineType::EXPRESS_SECONDS),
        };
        self.timeout_seconds.into_iter().chain(most).min()
    }

    /// True if it was compiled from an SFN DSL program.
    #[must_use]
    pub fn is_program(&self) -> bool {
        is_compiled(&self.node)
    }

    /// Returns a state; `None` only if the id belongs to another definition.
    #[must_use]
    pub fn state(&self, id: StateId) -> Option<&State> {
        let state = self.states.get(id.0 as usize);
        debug_assert!(state.is_some(), "{id:?} is of another definition");
        state
    }

    /// Returns a scope; `None` only if the id belongs to another definition.
    #[must_use]
    pub fn scope(&self, id: ScopeId) -> Option<&Scope> {
        let scope = self.scopes.get(id.0 as usize);
        debug_assert!(scope.is_some(), "{id:?} is of another definition");
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

    /// The unit that a Map's processor runs for: items or batches. For any other state, items.
    #[must_use]
    pub fn unit(&self, id: StateId) -> Unit {
        match self.state(id).map(|state| &state.kind) {
            Some(StateKind::Map(map)) => map.unit(),
            _ => Unit::Item,
        }
    }

    /// The state that the user means by `name`: the one with this path, otherwise the first one with this name.
    #[must_use]
    pub fn find_by_name(&self, name: &str) -> Option<StateId> {
        let by = |matches: &dyn Fn(&State) -> bool| {
            self.state_ids()
                .find(|id| self.state(*id).is_some_and(matches))
        };
        by(&|state| &*state.path.0 == name).or_else(|| by(&|state| &*state.name == name))
    }
}

/// `QueryLanguage`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum QueryLanguage {
    /// Paths, payload templates and intrinsic functions.
    #[default]
    JsonPath,
    /// `{% %}` expressions.
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

/// A `States` object: that of the machine, of a branch or of an item processor.
#[derive(Clone, Debug)]
pub struct Scope {
    /// The Parallel or Map that contains it; `None` for the machine.
    pub owner: Option<StateId>,
    /// Index among the branches of the owner; 0 for a Map and for the machine.
    pub index: u32,
    /// Span of the object with StartAt and States.
    pub span: Span,
    /// Slash path of that object in the form that AWS prints; empty for the machine.
    pub location: Text,
    /// `Comment`.
    pub comment: Option<Text>,
    /// `StartAt`; `None` if the field is missing.
    pub start_at: Option<Target>,
    /// The states of the scope itself, in the order of the text.
    pub states: Vec<StateId>,
}

/// A field of a state as written, for source lines and titles.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: Text,
    /// Span of the name.
    pub key: Span,
    /// Span of the value.
    pub value: Span,
}

/// A state of a state machine.
#[derive(Clone, Debug)]
pub struct State {
    /// Its name.
    pub name: Text,
    /// Stable name within the whole machine.
    pub path: StatePath,
    /// The scope that contains it.
    pub scope: ScopeId,
    /// The reason why the DSL compiler generated it; `None` for a state written by the author.
    pub generated: Option<GeneratedKind>,
    /// Span of its name.
    pub name_span: Span,
    /// Span of its object.
    pub span: Span,
    /// Slash path of that object in the form that AWS prints: `/States/Fan/Branches[1]/States/Pay`.
    pub location: Text,
    /// `Comment`.
    pub comment: Option<Text>,
    /// The query language that applies to it (section 2.2).
    pub language: QueryLanguage,
    /// Every field in the text, in order.
    pub fields: Vec<Field>,
    /// `InputPath`.
    pub input_path: PathField,
    /// `ResultPath`.
    pub result_path: ResultPath,
    /// `OutputPath`.
    pub output_path: PathField,
    /// The payload templates in JSONPath mode by field, except for those in `kind`.
    pub templates: Vec<(&'static str, Template)>,
    /// `Arguments`, `Output`, `Assign` in JSONata mode.
    pub jsonata: Jsonata,
    /// `Next`, `End` or neither.
    pub transition: Transition,
    /// `Retry`.
    pub retry: Vec<Retrier>,
    /// `Catch`.
    pub catch: Vec<Catcher>,
    /// The fields that only its type has.
    pub kind: StateKind,
    /// Every value that it produces, in the order of its pipeline.
    pub steps: Steps,
    /// The reason why it cannot run, if it could not be lowered or if it needs something unsupported. Entering it
    /// raises a fault.
    pub broken: Option<Text>,
}

impl State {
    /// The field with this name, as written.
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

    /// The type; for a generated state, a description of what it does.
    #[must_use]
    pub fn caption(&self) -> &'static str {
        self.generated
            .map_or_else(|| self.type_name(), GeneratedKind::caption)
    }

    /// A short name: the state's name or, for a generated state, a description of what it does.
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

    /// The scopes inside it: branches, or the item processor.
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
    /// `Next`.
    Next(Target),
    /// `End: true`.
    End,
    /// Neither: for Choice, Succeed and Fail, and for states with an error.
    None,
}

/// The fields that only one type of state has.
#[derive(Clone, Debug)]
pub enum StateKind {
    /// Pass, with its `Result`.
    Pass {
        /// `Result`, a literal.
        result: Option<Value>,
    },
    /// Task.
    Task(Task),
    /// Choice.
    Choice(Choice),
    /// Wait.
    Wait(WaitUntil),
    /// Succeed.
    Succeed,
    /// Fail.
    Fail(Fail),
    /// Parallel.
    Parallel {
        /// `Branches` in order.
        branches: Vec<ScopeId>,
    },
    /// Map.
    Map(Box<Map>),
}

impl StateKind {
    /// True if the output equals the input unless a field changes it.
    #[must_use]
    pub fn passes_input(&self) -> bool {
        matches!(
            self,
            Self::Pass { result: None } | Self::Wait(_) | Self::Choice(_)
        )
    }
}

/// The fields of a Task.
#[derive(Clone, Debug)]
pub struct Task {
    /// `Resource` as written.
    pub resource: Text,
    /// The kind of resource.
    pub integration: Integration,
    /// `FunctionName` in a call of Lambda's `invoke`, if it is a constant.
    pub function: Option<Text>,
    /// `TimeoutSeconds` or `TimeoutSecondsPath`.
    pub timeout: Option<Quantity<u64>>,
    /// `HeartbeatSeconds` or `HeartbeatSecondsPath`.
    pub heartbeat: Option<Quantity<u64>>,
    /// `Credentials`.
    pub credentials: Option<Payload>,
    pub(super) call: OnceLock<Option<Arc<Call>>>,
}

impl Task {
    /// The service action that the task calls; `None` if it calls no known one. The lookup is done only once.
    #[must_use]
    pub fn call(&self) -> Option<&Call> {
        let call = self.call.get_or_init(|| match &self.integration {
            Integration::Service { service, api, .. } => {
                Call::find(service, api).ok().map(Arc::new)
            }
            _ => None,
        });
        call.as_deref()
    }
}

/// How a resource is called (section 13.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Integration {
    /// A Lambda function, given by its own ARN.
    Lambda,
    /// An activity that a worker polls.
    Activity,
    /// `arn:aws:states:::<service>:<api>`.
    Service {
        /// `lambda`, `sqs`, `aws-sdk:s3`, ... (`resourceType` in histories).
        service: Text,
        /// `invoke`, `sendMessage.waitForTaskToken`, ... (`resource` in histories).
        api: Text,
        /// The service integration pattern.
        pattern: CallPattern,
    },
    /// Anything else.
    Other,
}

/// The service integration patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallPattern {
    /// Continues after the HTTP response.
    RequestResponse,
    /// `.sync`, `.sync:2`: waits until the job is complete.
    RunJob,
    /// `.waitForTaskToken`: waits for a callback.
    Callback,
}

/// The fields of a Choice.
#[derive(Clone, Debug)]
pub struct Choice {
    /// `Choices` in order.
    pub rules: Vec<Rule>,
    /// `Default`.
    pub default: Option<Target>,
}

/// A top-level Choice rule.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Span of the rule.
    pub span: Span,
    /// The test.
    pub test: Test,
    /// `Next`; `None` if the field is missing.
    pub next: Option<Target>,
    /// `Assign` in JSONPath mode.
    pub assign: Option<Template>,
    /// `Output` and `Assign` in JSONata mode.
    pub jsonata: Jsonata,
    /// `Comment`.
    pub comment: Option<Text>,
}

/// The test of a Choice rule.
#[derive(Clone, Debug)]
pub enum Test {
    /// `And`.
    And(Vec<Test>),
    /// `Or`.
    Or(Vec<Test>),
    /// `Not`.
    Not(Box<Test>),
    /// `Variable` with a comparator.
    Compare(Box<Comparison>),
    /// `Condition` with an expression.
    Condition(Arc<jsonata::Expression>),
    /// `Condition` with the constant `true` or `false`.
    Always(bool),
    /// A test that could not be parsed. Evaluating it raises a fault.
    Broken(Text),
}

/// A comparison: `Variable`, comparator and operand.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Span of the object.
    pub span: Span,
    /// `Variable`.
    pub variable: Path,
    /// The comparator.
    pub comparator: Comparator,
    /// The value that the variable is compared with.
    pub operand: Operand,
}

/// The value that a variable is compared with.
#[derive(Clone, Debug)]
pub enum Operand {
    /// A constant: string, number, boolean or timestamp text.
    Constant(Value),
    /// The value at a path.
    Path(Path),
    /// The pattern of `StringMatches`, as written and compiled.
    Pattern(Text, Pattern),
}

/// The end of a Wait.
#[derive(Clone, Debug)]
pub enum WaitUntil {
    /// `Seconds`
    Seconds(u64),
    /// `SecondsPath`
    SecondsPath(Path),
    /// `Timestamp`, as written.
    Timestamp(Text),
    /// `TimestampPath`
    TimestampPath(Path),
    /// `Seconds` with a JSONata expression.
    SecondsBy(Arc<jsonata::Expression>),
    /// `Timestamp` with a JSONata expression.
    TimestampBy(Arc<jsonata::Expression>),
    /// None of these; an error was reported. Entering the state raises a fault.
    Nothing,
}

/// The fields of a Fail.
#[derive(Clone, Debug, Default)]
pub struct Fail {
    /// `Error` or `ErrorPath`.
    pub error: Option<FailText>,
    /// `Cause` or `CausePath`.
    pub cause: Option<FailText>,
}

/// A text that is a constant, or that is read from the data.
#[derive(Clone, Debug)]
pub enum FailText {
    /// `Error`, `Cause`, as a constant.
    Constant(Text),
    /// `ErrorPath`, `CausePath`.
    Expression(Expression),
    /// `Error`, `Cause` with a JSONata expression.
    Jsonata(Arc<jsonata::Expression>),
}

/// The fields of a Map.
#[derive(Clone, Debug)]
pub struct Map {
    /// `ItemProcessor` or `Iterator`.
    pub processor: ScopeId,
    /// `ProcessorConfig.Mode`.
    pub mode: MapMode,
    /// True if `ProcessorConfig.ExecutionType` is `EXPRESS`.
    pub is_express: bool,
    /// `ItemsPath`.
    pub items_path: PathField,
    /// `Items` in JSONata mode.
    pub items: Option<jsonata::Template>,
    /// `ItemSelector`, or the older `Parameters`.
    pub item_selector: Option<Template>,
    /// `ItemSelector` in JSONata mode.
    pub jsonata_selector: Option<jsonata::Template>,
    /// `MaxConcurrency` or its path form. Absent means 0, which is unlimited.
    pub max_concurrency: Option<Quantity<u64>>,
    /// `ToleratedFailureCount` or its path form.
    pub tolerated_failure_count: Option<Quantity<u64>>,
    /// `ToleratedFailurePercentage` or its path form.
    pub tolerated_failure_percentage: Option<Quantity<f64>>,
    /// `Label`.
    pub label: Option<Text>,
    /// `ItemReader`.
    pub reader: Option<ItemReader>,
    /// `ItemBatcher`.
    pub batcher: Option<ItemBatcher>,
    /// `ResultWriter`.
    pub writer: Option<ResultWriter>,
}

impl Map {
    /// True if the input of an iteration is not simply its item.
    #[must_use]
    pub fn makes_inputs(&self) -> bool {
        self.item_selector.is_some() || self.jsonata_selector.is_some() || self.batcher.is_some()
    }

    /// True if a template creates the input of its items: `ItemSelector`, or the older `Parameters`.
    #[must_use]
    pub fn has_selector(&self) -> bool {
        self.item_selector.is_some() || self.jsonata_selector.is_some()
    }

    /// The unit that the processor runs for.
    #[must_use]
    pub fn unit(&self) -> Unit {
        match self.batcher {
            Some(_) => Unit::Batch,
            None => Unit::Item,
        }
    }

    /// The data that is added to every batch.
    #[must_use]
    pub fn batch_input(&self) -> Option<&Payload> {
        self.batcher.as_ref()?.input.as_ref()
    }
}

/// The unit that a Map's processor runs for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Unit {
    /// A single item.
    #[default]
    Item,
    /// A batch of items.
    Batch,
}

impl Unit {
    /// A number with the unit, such as `1 item` or `3 batches`.
    #[must_use]
    pub fn counted(self, number: u32) -> String {
        match number {
            1 => format!("1 {self}"),
            _ => format!("{number} {}", self.plural()),
        }
    }

    /// The plural: `items`, `batches`.
    #[must_use]
    pub fn plural(self) -> &'static str {
        match self {
            Self::Item => "items",
            Self::Batch => "batches",
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Item => "item",
            Self::Batch => "batch",
        })
    }
}

/// `ProcessorConfig.Mode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MapMode {
    /// The iterations run in the same execution.
    #[default]
    Inline,
    /// Every iteration is an execution of its own.
    Distributed,
}
