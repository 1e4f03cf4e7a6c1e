//! Typed states with every field compiled and every span kept (ASL-SEMANTICS section 2).

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

/// A whole state machine, as much of it as could be had.
#[derive(Clone, Debug)]
pub struct Definition {
    /// Its name: the file's stem, or the logical id in a template.
    pub name: Text,
    /// Its type on AWS.
    pub machine_type: MachineType,
    /// The files it was read from.
    pub sources: Arc<SourceMap>,
    /// The tree it was lowered from.
    pub node: Arc<Node>,
    /// `Comment`.
    pub comment: Option<Text>,
    /// Default query language of its states.
    pub language: QueryLanguage,
    /// `TimeoutSeconds` of the whole execution.
    pub timeout_seconds: Option<u64>,
    /// Every scope; the first is the machine's own.
    pub scopes: Vec<Scope>,
    /// Every state at any depth, an outer one before its inner ones.
    pub states: Vec<State>,
}

impl Definition {
    /// Seconds after which an execution ends in `States.Timeout`: as written, and no later than its type allows.
    #[must_use]
    pub fn deadline_seconds(&self) -> Option<u64> {
        let most = match self.machine_type {
            MachineType::Standard => None,
            MachineType::Express => Some(MachineType::EXPRESS_SECONDS),
        };
        self.timeout_seconds.into_iter().chain(most).min()
    }

    /// Whether it was compiled from a program of the SFN DSL.
    #[must_use]
    pub fn is_program(&self) -> bool {
        is_compiled(&self.node)
    }

    /// A state. `None` only for an id of another definition.
    #[must_use]
    pub fn state(&self, id: StateId) -> Option<&State> {
        let state = self.states.get(id.0 as usize);
        debug_assert!(state.is_some(), "{id:?} is of another definition");
        state
    }

    /// A scope. `None` only for an id of another definition.
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

    /// The state of this path.
    #[must_use]
    pub fn find(&self, path: &StatePath) -> Option<StateId> {
        self.state_ids()
            .find(|id| self.state(*id).is_some_and(|state| state.path == *path))
    }

    /// What a Map runs its processor for; items for what is no Map.
    #[must_use]
    pub fn unit(&self, id: StateId) -> Unit {
        match self.state(id).map(|state| &state.kind) {
            Some(StateKind::Map(map)) => map.unit(),
            _ => Unit::Item,
        }
    }

    /// The state that a person means: by its path, else by its bare name.
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

/// One `States` object: the machine's, a branch's, an item processor's.
#[derive(Clone, Debug)]
pub struct Scope {
    /// The Parallel or Map that it belongs to; `None` for the machine.
    pub owner: Option<StateId>,
    /// Its place among the owner's branches; 0 for a Map and the machine.
    pub index: u32,
    /// The object that holds StartAt and States.
    pub span: Span,
    /// Slash path of that object as AWS prints it; empty for the machine.
    pub location: Text,
    /// `Comment`.
    pub comment: Option<Text>,
    /// `StartAt`; `None` where the field is missing.
    pub start_at: Option<Target>,
    /// Its own states in the order of the text.
    pub states: Vec<StateId>,
}

/// A field of a state as written, for source lines and titles.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: Text,
    /// Where the name stands.
    pub key: Span,
    /// Where the value stands.
    pub value: Span,
}

/// One state.
#[derive(Clone, Debug)]
pub struct State {
    /// Its name.
    pub name: Text,
    /// Its stable name in the whole machine.
    pub path: StatePath,
    /// The scope it stands in.
    pub scope: ScopeId,
    /// Why it is there, where a program was compiled and nobody named it.
    pub generated: Option<GeneratedKind>,
    /// Where its name stands.
    pub name_span: Span,
    /// Where its object stands.
    pub span: Span,
    /// Slash path of that object as AWS prints it: `/States/Fan/Branches[1]/States/Pay`.
    pub location: Text,
    /// `Comment`.
    pub comment: Option<Text>,
    /// The query language that holds for it (section 2.2).
    pub language: QueryLanguage,
    /// Every field that is written, in order.
    pub fields: Vec<Field>,
    /// `InputPath`.
    pub input_path: PathField,
    /// `ResultPath`.
    pub result_path: ResultPath,
    /// `OutputPath`.
    pub output_path: PathField,
    /// Its payload templates in JSONPath mode by field, but those of its kind.
    pub templates: Vec<(&'static str, Template)>,
    /// `Arguments`, `Output`, `Assign` in JSONata mode.
    pub jsonata: Jsonata,
    /// `Next`, `End` or neither.
    pub transition: Transition,
    /// `Retry`.
    pub retry: Vec<Retrier>,
    /// `Catch`.
    pub catch: Vec<Catcher>,
    /// What is particular to its type.
    pub kind: StateKind,
    /// Every value that it makes, in the order of its pipeline.
    pub steps: Steps,
    /// Why it cannot run, where it could not be lowered or needs what is not there yet: it faults when entered.
    pub broken: Option<Text>,
}

impl State {
    /// The field of this name as written.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| &*field.name == name)
    }

    /// `Pass`, `Task`, ... as AWS writes it.
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

    /// What it is: its type, or of a state that nobody wrote what it does.
    #[must_use]
    pub fn caption(&self) -> &'static str {
        self.generated
            .map_or_else(|| self.type_name(), GeneratedKind::caption)
    }

    /// What it is called where one short name has to do: its name, or of a state that nobody named what it does.
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

    /// The scopes that it owns: branches, or the item processor.
    #[must_use]
    pub fn inner(&self) -> &[ScopeId] {
        match &self.kind {
            StateKind::Parallel { branches } => branches,
            StateKind::Map(map) => std::slice::from_ref(&map.processor),
            _ => &[],
        }
    }

    /// Whether its scope ends with it.
    #[must_use]
    pub fn is_terminal(&self) -> bool {
        matches!(self.transition, Transition::End)
            || matches!(self.kind, StateKind::Succeed | StateKind::Fail(_))
    }
}

/// What follows a state.
#[derive(Clone, Debug)]
pub enum Transition {
    /// `Next`.
    Next(Target),
    /// `End: true`.
    End,
    /// Neither: Choice, Succeed, Fail, and states with an error.
    None,
}

/// What is particular to a type of state.
#[derive(Clone, Debug)]
pub enum StateKind {
    /// Pass, with its `Result`.
    Pass {
        /// `Result`, literal.
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
    /// Whether its output is its input, where no field makes it another one.
    #[must_use]
    pub fn passes_input(&self) -> bool {
        matches!(
            self,
            Self::Pass { result: None } | Self::Wait(_) | Self::Choice(_)
        )
    }
}

/// What is particular to a Task.
#[derive(Clone, Debug)]
pub struct Task {
    /// `Resource` as written.
    pub resource: Text,
    /// What the resource is.
    pub integration: Integration,
    /// The `FunctionName` of a call of Lambda's `invoke`, where it is written and not computed.
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
    /// The action of a service that it calls; `None` if it calls none that is known. It is looked up once.
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
    /// A Lambda function by its own ARN.
    Lambda,
    /// An activity that a worker polls.
    Activity,
    /// `arn:aws:states:::<service>:<api>`.
    Service {
        /// `lambda`, `sqs`, `aws-sdk:s3`, ... (`resourceType` in histories).
        service: Text,
        /// `invoke`, `sendMessage.waitForTaskToken`, ... (`resource` in histories).
        api: Text,
        /// How its end is known.
        pattern: CallPattern,
    },
    /// Anything else.
    Other,
}

/// The service integration patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallPattern {
    /// Goes on after the HTTP answer.
    RequestResponse,
    /// `.sync`, `.sync:2`: waits for the job's end.
    RunJob,
    /// `.waitForTaskToken`: waits for the callback.
    Callback,
}

/// What is particular to a Choice.
#[derive(Clone, Debug)]
pub struct Choice {
    /// `Choices` in order.
    pub rules: Vec<Rule>,
    /// `Default`.
    pub default: Option<Target>,
}

/// One top-level rule.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Where it stands.
    pub span: Span,
    /// The test.
    pub test: Test,
    /// `Next`; `None` where the field is missing.
    pub next: Option<Target>,
    /// `Assign` in JSONPath mode.
    pub assign: Option<Template>,
    /// `Output` and `Assign` in JSONata mode.
    pub jsonata: Jsonata,
    /// `Comment`.
    pub comment: Option<Text>,
}

/// What a rule asks.
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
    /// `Condition`: an expression.
    Condition(Arc<jsonata::Expression>),
    /// `Condition`: `true` or `false` as written.
    Always(bool),
    /// What could not be read; it faults when asked.
    Broken(Text),
}

/// `Variable`, comparator and operand.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Where the object stands.
    pub span: Span,
    /// `Variable`.
    pub variable: Path,
    /// The comparator.
    pub comparator: Comparator,
    /// What the variable is compared with.
    pub operand: Operand,
}

/// What a variable is compared with.
#[derive(Clone, Debug)]
pub enum Operand {
    /// A constant: string, number, boolean or timestamp text.
    Constant(Value),
    /// The value at a path.
    Path(Path),
    /// The pattern of `StringMatches`, with its text.
    Pattern(Text, Pattern),
}

/// What a Wait waits for.
#[derive(Clone, Debug)]
pub enum WaitUntil {
    /// `Seconds`
    Seconds(u64),
    /// `SecondsPath`
    SecondsPath(Path),
    /// `Timestamp`, as written
    Timestamp(Text),
    /// `TimestampPath`
    TimestampPath(Path),
    /// `Seconds` by a JSONata expression
    SecondsBy(Arc<jsonata::Expression>),
    /// `Timestamp` by a JSONata expression
    TimestampBy(Arc<jsonata::Expression>),
    /// None of them (an error was reported); it faults.
    Nothing,
}

/// What is particular to a Fail.
#[derive(Clone, Debug, Default)]
pub struct Fail {
    /// `Error` or `ErrorPath`.
    pub error: Option<FailText>,
    /// `Cause` or `CausePath`.
    pub cause: Option<FailText>,
}

/// A text that is written, or read from the data.
#[derive(Clone, Debug)]
pub enum FailText {
    /// `Error`, `Cause`.
    Constant(Text),
    /// `ErrorPath`, `CausePath`.
    Expression(Expression),
    /// `Error`, `Cause` by a JSONata expression.
    Jsonata(Arc<jsonata::Expression>),
}

/// What is particular to a Map.
#[derive(Clone, Debug)]
pub struct Map {
    /// `ItemProcessor` or `Iterator`.
    pub processor: ScopeId,
    /// `ProcessorConfig.Mode`.
    pub mode: MapMode,
    /// Whether `ProcessorConfig.ExecutionType` is `EXPRESS`.
    pub is_express: bool,
    /// `ItemsPath`.
    pub items_path: PathField,
    /// `Items` in JSONata mode.
    pub items: Option<jsonata::Template>,
    /// `ItemSelector`, or the older `Parameters`.
    pub item_selector: Option<Template>,
    /// `ItemSelector` in JSONata mode.
    pub jsonata_selector: Option<jsonata::Template>,
    /// `MaxConcurrency` or its path form; absent means 0, no limit.
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
    /// Whether an iteration's input is something else than its item.
    #[must_use]
    pub fn makes_inputs(&self) -> bool {
        self.item_selector.is_some() || self.jsonata_selector.is_some() || self.batcher.is_some()
    }

    /// Whether the input of its items is made by a template: `ItemSelector`, or the older `Parameters`.
    #[must_use]
    pub fn has_selector(&self) -> bool {
        self.item_selector.is_some() || self.jsonata_selector.is_some()
    }

    /// What it runs its processor for.
    #[must_use]
    pub fn unit(&self) -> Unit {
        match self.batcher {
            Some(_) => Unit::Batch,
            None => Unit::Item,
        }
    }

    /// What goes with every batch of its items.
    #[must_use]
    pub fn batch_input(&self) -> Option<&Payload> {
        self.batcher.as_ref()?.input.as_ref()
    }
}

/// What a Map runs its processor for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Each item.
    #[default]
    Item,
    /// Each batch of items.
    Batch,
}

impl Unit {
    /// So many of them.
    #[must_use]
    pub fn counted(self, number: u32) -> String {
        match number {
            1 => format!("1 {self}"),
            _ => format!("{number} {}", self.plural()),
        }
    }

    /// `items`, `batches`.
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
    /// Iterations run in the same execution.
    #[default]
    Inline,
    /// Every item is an execution of its own.
    Distributed,
}
