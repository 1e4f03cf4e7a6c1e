//! Runs one state alone and responds like AWS's TestState.

use super::output::{Refusal, error_members};
use super::request::{self, Configuration, Mock};
use super::test_result::TestResult;
use crate::definition::{Definition, MapMode, Quantity, State, StateId, StateKind, lower};
use crate::interpreter::{
    Answer, Ask, Edge, Event, EventKind, Fault, Frame, FrameId, Header, Item, MAX_MEMORY, Machine,
    Origin, RetrierUse, Run, Serve, Stage, Status, Want, catcher_for, delay_millis, retrier_for,
    takes,
};
use crate::json::{Text, Value, count};
use crate::query::{Evaluate as _, Profile, format_timestamp};
use crate::service::FieldValidation;
use crate::session::answers::MockCase;
use crate::session::unattended::{Happened, Unattended};
use crate::session::{Answerer, Repeats, Sources};
use crate::source::{
    Diagnostics, Key, Member, Node, NodeKind, OffsetMap, SourceMap, Span, StringNode,
};
use crate::worker::{Worker, read_text};
use std::sync::Arc;

/// Name of a state that is tested without a state machine.
const ALONE: &str = "StateName";

/// A state to test, and the parameters of the test.
#[derive(Debug)]
pub struct TestState {
    /// The definition.
    pub definition: Definition,
    /// The definition without the state's Retry, because TestState reports that a state would be retried but does not
    /// retry it.
    once: Arc<Definition>,
    /// The state to test.
    pub state: StateId,
    /// The mocked outcome of the state.
    pub mock: Option<Mock>,
    /// How strictly the mock is validated against the API.
    pub validation: FieldValidation,
    /// The request's `stateConfiguration`.
    pub configuration: Configuration,
}

impl TestState {
    /// Creates the test of a state: of the state with this name in a state machine (without a name, its first state),
    /// or of the whole document if that is a single state. The test has no mock and no configuration yet.
    ///
    /// # Errors
    /// Returns the diagnostics of a definition that cannot be run, or no diagnostics if the state does not exist.
    pub fn new(
        node: &Arc<Node>,
        sources: &Arc<SourceMap>,
        name: &str,
        state: Option<&str>,
    ) -> Result<Self, Diagnostics> {
        let alone = node.get("States").is_none();
        let whole = match alone {
            true => Arc::new(wrapped(node, state.unwrap_or(ALONE))),
            false => Arc::clone(node),
        };
        let (definition, mut diagnostics) = lower(Arc::clone(&whole), Arc::clone(sources), name);
        // A single state may have transitions to states that do not exist.
        diagnostics.retain(|diagnostic| {
            diagnostic.blocking && !(alone && diagnostic.code == "MISSING_TRANSITION_TARGET")
        });
        let start = || definition.scopes.first()?.start_at.as_ref()?.state;
        let id = state.map_or_else(start, |name| definition.find_by_name(name));
        let (Some(id), true) = (id, diagnostics.is_empty()) else {
            return Err(diagnostics);
        };
        let span = definition.state(id).map(|state| state.span);
        let once = Arc::new(without_retry(&whole, span));
        let (once, _) = lower(once, Arc::clone(sources), name);
        Ok(Self {
            definition,
            once: Arc::new(once),
            state: id,
            mock: None,
            validation: FieldValidation::Strict,
            configuration: Configuration::default(),
        })
    }

    /// The state that is tested.
    #[must_use]
    pub fn tested(&self) -> Option<&State> {
        self.definition.state(self.state)
    }

    /// The reason why AWS would reject a context object for the state, in AWS's words; `None` if AWS would accept it.
    #[must_use]
    pub fn context_refused(&self, context: &Value) -> Option<String> {
        request::context_refused(context, self.tested())
    }

    /// The reason why AWS would reject the request, in AWS's words if they are known; `None` if AWS would accept it.
    #[must_use]
    pub fn refused(&self, profile: Profile) -> Option<String> {
        let mock = self.mock.as_ref().map(|mock| (mock, self.validation));
        let (definition, configuration) = (&self.definition, &self.configuration);
        request::refused(definition, self.state, mock, configuration, profile)
    }

    /// Runs the state.
    ///
    /// # Errors
    /// If the state cannot be run to its end.
    pub fn run(&self, mut header: Header) -> Result<TestResult, Refusal> {
        header.start_at = Some(self.state);
        if !header.tests_state {
            header.context = self.context(&header);
            header.tests_state = true;
        }
        let run = Arc::new(Run::new(Arc::clone(&self.once), header));
        let mut run = Unattended::start(run, self.answerer(), MAX_MEMORY);
        let mut result = TestResult::default();
        loop {
            match run.step() {
                Happened::Event(event) => {
                    self.note(run.machine_mut(), &event, &mut result);
                    if let Some(text) = result.refused.take() {
                        return Err(Refusal::new(text));
                    }
                    if result.status.is_some() {
                        break;
                    }
                }
                Happened::Nothing => {}
                Happened::NoAnswer(ask, _) => return Err(self.unanswered(&ask)),
                Happened::Done => break,
                Happened::Stuck => {
                    return Err(Refusal::new("the tested state never ends"));
                }
                Happened::TooLarge => {
                    return Err(Refusal::new(format!(
                        "the tested state was stopped: its values take more than {limit} MiB of memory",
                        limit = MAX_MEMORY >> 20
                    )));
                }
            }
        }
        if result.status.is_none()
            && let Status::Failed(fault) = run.machine().status()
        {
            result.fail("FAILED", fault);
        }
        result.keep_shown(self.tested());
        Ok(result)
    }

    /// The context object for a request that contains none.
    fn context(&self, header: &Header) -> Value {
        let machine = &self.definition.name;
        let text = |text: String| Value::string(text);
        let identity = &header.identity;
        let arn = |kind: &str, rest: &str| text(identity.arn(kind, &format!("{machine}{rest}")));
        let time = text(format_timestamp(header.start_time));
        let id = identity.execution.as_deref();
        let id = id.unwrap_or("00000000-0000-4000-8000-000000000000");
        let execution = vec![
            ("Id".into(), arn("express", &format!(":{id}"))),
            ("Input".into(), header.input.clone()),
            ("Name".into(), Value::from(id)),
            ("RoleArn".into(), Value::String(identity.role_of(machine))),
            ("StartTime".into(), time.clone()),
        ];
        let mut state = vec![("EnteredTime".into(), time)];
        let tested = self.tested();
        let name = tested.map_or(ALONE, |state| &*state.name);
        state.insert(0, ("Name".into(), Value::from(name)));
        let counts = tested.is_some_and(|state| {
            matches!(
                state.kind,
                StateKind::Task(_) | StateKind::Map(_) | StateKind::Parallel { .. }
            )
        });
        if counts {
            let retries = count(self.configuration.retrier_retry_count);
            state.push(("RetryCount".into(), retries));
        }
        let state_machine = vec![
            ("Id".into(), arn("stateMachine", "")),
            ("Name".into(), Value::String(machine.clone())),
        ];
        let mut members = vec![
            ("Execution".into(), Value::object(execution)),
            ("StateMachine".into(), Value::object(state_machine)),
            ("State".into(), Value::object(state)),
        ];
        if let Some(item) = self.item_around(&header.input) {
            members.push(("Map".into(), item));
        }
        if tested.is_some_and(|state| match &state.kind {
            StateKind::Task(task) => task.has_token(),
            _ => false,
        }) {
            let token = Value::object(vec![("Token".into(), Value::from(id))]);
            members.push(("Task".into(), token));
        }
        Value::object(members)
    }

    /// The member `Map` of the context object for a state inside a Map. The input of the state is taken as the first
    /// item.
    fn item_around(&self, input: &Value) -> Option<Value> {
        let scope = self.definition.scope(self.tested()?.scope)?;
        let owner = self.definition.state(scope.owner?)?;
        let StateKind::Map(map) = &owner.kind else {
            return None;
        };
        let mut item = vec![
            ("Index".into(), Value::from(0)),
            ("Value".into(), input.clone()),
        ];
        if map.mode == MapMode::Distributed {
            item.push(("Source".into(), Value::from("STATE_DATA")));
        }
        Some(Value::object(vec![("Item".into(), Value::object(item))]))
    }

    fn reads(&self) -> bool {
        let state = self.tested();
        matches!(state.map(|state| &state.kind), Some(StateKind::Map(map)) if map.reader.is_some())
    }

    /// Creates the object that answers what the tested state asks for: a task gets the mock, and an ItemReader gets its
    /// data from the `stateConfiguration`.
    fn answerer(&self) -> Answerer {
        let data = self.configuration.map_item_reader_data.clone();
        let server = Given {
            worker: Worker::new(),
            data,
        };
        let task = self
            .tested()
            .filter(|state| matches!(state.kind, StateKind::Task(_)));
        let mock = task.zip(self.mock.as_ref()).map(|(state, mock)| {
            let answer = match mock {
                Ok(result) => Answer::success(result.clone()),
                Err((error, cause)) => Answer::failure(error.clone(), cause.clone()),
            };
            MockCase::always(&self.definition.name, &state.name, answer)
        });
        let sources = Sources {
            mock,
            ..Sources::default()
        };
        Answerer::new(Arc::new(server), Repeats::Never, sources)
    }

    fn unanswered(&self, ask: &Ask) -> Refusal {
        let state = self.definition.state(ask.state);
        let name = state.map_or("", |state| &*state.name);
        Refusal::new(match ask.want {
            Want::Read { .. } => {
                "the ItemReader has no data to read: give mapItemReaderData in --state-configuration"
                    .to_string()
            }
            _ => format!(
                "the task of state \"{name}\" has no answer: give an answer with --mock '{{\"result\": \"JSON text\"}}' or --mock '{{\"errorOutput\": {{\"error\": \"...\", \"cause\": \"...\"}}}}'"
            ),
        })
    }

    fn note(&self, machine: &mut Machine, event: &Event, result: &mut TestResult) {
        if event.kind == EventKind::IterationStarted && self.reads() {
            // TestState runs no iterations. The test of a Map with an ItemReader ends here, before its first iteration;
            // the test of any other Map ends at its MapStarted event.
            self.group_started(machine, result);
            if let Some(outcome) = self.settled(machine) {
                machine.settle(FrameId(0), outcome);
            }
        }
        if event.frame != FrameId(0) {
            return;
        }
        match event.kind {
            EventKind::StateEntered | EventKind::Stage(_) => result.stage(machine, event),
            EventKind::MapStarted | EventKind::ParallelStarted => {
                self.group_started(machine, result);
                if let Some(outcome) = self.settled(machine) {
                    machine.settle(FrameId(0), outcome);
                }
            }
            EventKind::ErrorRaised => self.raised(machine, result),
            EventKind::StateExited => {
                let Some(frame) = machine.frame(FrameId(0)) else {
                    return;
                };
                let edge = Edge::from_arg(event.arg);
                result.output = frame.visit.data.get(Stage::Output).cloned();
                let target = self.tested().and_then(|state| edge.target(state));
                result.next = target.map(|target| target.name.clone());
                result.variables = frame.variables.all();
                let caught = matches!(edge, Edge::Catch(_));
                result.status = Some(if caught { "CAUGHT_ERROR" } else { "SUCCEEDED" });
            }
            _ => {}
        }
    }

    /// Records how Retry or Catch handles the raised error.
    fn raised(&self, machine: &Machine, result: &mut TestResult) {
        let (Some(state), Some(frame)) = (self.tested(), machine.frame(FrameId(0))) else {
            return;
        };
        let Some((fault, _)) = &frame.visit.fault else {
            return;
        };
        result.error = error_members(fault);
        if frame.visit.failed_catcher().is_some() {
            result.status = Some("FAILED");
            return;
        }
        let profile = machine.profile();
        let mut retriers = state.retry.iter();
        let place = retriers.position(|retrier| takes(&retrier.error_equals, fault, profile));
        if let Some(place) = place {
            result.details.push(("retryIndex".into(), count(place)));
            let mut used = vec![RetrierUse::default(); state.retry.len()];
            if let Some(retrier) = used.get_mut(place) {
                retrier.used = self.configuration.retrier_retry_count;
            }
            if retrier_for(&state.retry, &used, fault, profile).is_some()
                && let Some(retrier) = state.retry.get(place)
            {
                let seconds =
                    delay_millis(retrier, self.configuration.retrier_retry_count) / 1000.0;
                let number = crate::json::Number::from_f64(seconds);
                let delay = number.map_or(Value::Null, Value::Number);
                result
                    .details
                    .push(("retryBackoffIntervalSeconds".into(), delay));
                result.status = Some("RETRIABLE");
                return;
            }
        }
        match catcher_for(&state.catch, fault, profile) {
            Some(place) => result.details.push(("catchIndex".into(), count(place))),
            None => result.status = Some("FAILED"),
        }
    }

    /// Records the fields of a Map that are evaluated before its first item.
    fn group_started(&self, machine: &Machine, result: &mut TestResult) {
        let (Some(state), Some(frame)) = (self.tested(), machine.frame(FrameId(0))) else {
            return;
        };
        let StateKind::Map(map) = &state.kind else {
            return;
        };
        let group = frame.visit.group.as_ref();
        let failed = self.configuration.map_iteration_failure_count;
        if let (Some(failed), Some(group)) = (failed, group)
            && failed > u64::from(group.total)
        {
            let text = "Map iteration failure count must be less than or equal to the number of Map iterations";
            result.refused = Some(text.to_string());
        }
        if let Some(batches) = frame.visit.batches() {
            result
                .stages
                .push(("afterItemBatcher".into(), batches.clone()));
        }
        if let (Some(template), Some(group)) = (&map.item_selector, group) {
            let data = frame.visit.data.latest(Stage::AfterInputPath);
            let selected = |item: Item| {
                let bindings = machine.inspect(frame, &data).for_item(&item);
                template.eval(&bindings).ok()
            };
            let items: Option<Vec<Value>> = (0..group.total)
                .map(|index| group.work.item(index).and_then(selected))
                .collect();
            if let Some(items) = items {
                result
                    .stages
                    .push(("afterItemSelector".into(), Value::array(items)));
            }
        }
        let numbers = [
            ("toleratedFailureCount", &map.tolerated_failure_count),
            ("maxConcurrency", &map.max_concurrency),
        ];
        for (name, quantity) in numbers {
            let quantity = quantity.as_ref();
            let value = quantity.and_then(|quantity| number(machine, frame, quantity));
            let none = (name == "maxConcurrency").then(|| Value::from(0));
            if let Some(value) = value.or(none) {
                result.numbers.push((name.into(), value));
            }
        }
        if let Some(percentage) = group.and_then(|group| group.tolerated_percentage)
            && let Some(number) = crate::json::Number::parse(&format!("{percentage:?}"))
        {
            result
                .numbers
                .push(("toleratedFailurePercentage".into(), Value::Number(number)));
        }
    }

    /// The mocked outcome of a Parallel or Map state; `None` if the test has no mock.
    fn settled(&self, machine: &Machine) -> Option<Result<Value, Fault>> {
        let group = machine.frame(FrameId(0))?.visit.group.as_ref()?;
        let fault = |error: &Text, cause: &Text, origin: Origin| Fault {
            origin,
            // If the request names the state that raised the error, the error comes from a branch or iteration.
            from_branch: self.configuration.error_caused_by_state.is_some(),
            ..Fault::task(error.clone(), cause.clone())
        };
        match self.mock.as_ref()? {
            Err((error, cause)) => Some(Err(fault(error, cause, Origin::Task))),
            Ok(result) => {
                let failed = self.configuration.map_iteration_failure_count.unwrap_or(0);
                #[expect(
                    clippy::cast_precision_loss,
                    reason = "counts of iterations are far below 2^53, so f64 holds them exactly"
                )]
                let share = 100.0 * failed as f64 / f64::from(group.total.max(1));
                let over = group.tolerated_count.is_some_and(|count| failed > count)
                    || group
                        .tolerated_percentage
                        .is_some_and(|percentage| share > percentage);
                Some(if over {
                    Err(fault(
                        &"States.ExceedToleratedFailureThreshold".into(),
                        &"The specified tolerated failure threshold was exceeded".into(),
                        Origin::Interpreter,
                    ))
                } else {
                    Ok(result.clone())
                })
            }
        }
    }
}

fn number(machine: &Machine, frame: &Frame, quantity: &Quantity<u64>) -> Option<Value> {
    match quantity {
        Quantity::Constant(number) => Some(Value::from(i64::try_from(*number).ok()?)),
        Quantity::Path(path) => {
            let data = frame.visit.data.latest(Stage::AfterInputPath);
            path.eval(&machine.inspect(frame, &data)).ok()
        }
        Quantity::Expression(expression) => frame.visit.field_value(&expression.location).cloned(),
    }
}

/// Answers what a tested state asks for besides the result of a task: the worker evaluates JSONata expressions, and
/// `data` is the text that an ItemReader reads.
#[derive(Debug)]
struct Given {
    worker: Worker,
    data: Option<Text>,
}

impl Serve for Given {
    fn serve(&self, ask: &Ask) -> Option<Answer> {
        let Want::Read {
            format, max_items, ..
        } = &ask.want
        else {
            return self.worker.serve(ask);
        };
        let read = read_text(self.data.as_ref()?, format, *max_items);
        let failed = |cause: String| Answer::failure("States.ItemReaderFailed", cause);
        Some(read.map_or_else(failed, Answer::success))
    }
}

/// Creates a state machine that has only this state.
fn wrapped(state: &Node, name: &str) -> Node {
    let span = state.span;
    let key = |text: &str| Key {
        text: text.into(),
        span,
    };
    let string = |text: &str| Node {
        span,
        kind: NodeKind::String(StringNode {
            text: text.into(),
            map: OffsetMap::plain(span),
        }),
    };
    let object = |members: Vec<Member>| Node {
        span,
        kind: NodeKind::Object(members),
    };
    let member = |name: &str, value: Node| Member {
        key: key(name),
        value,
    };
    let states = object(vec![member(name, state.clone())]);
    object(vec![
        member("StartAt", string(name)),
        member("States", states),
    ])
}

/// A copy of the definition's tree in which the state at the span `place` has no `Retry`.
fn without_retry(node: &Node, place: Option<Span>) -> Node {
    let kind = match &node.kind {
        NodeKind::Object(members) => {
            let is_place = Some(node.span) == place && node.get("Type").is_some();
            let kept = members.iter();
            let kept = kept.filter(|member| !(is_place && &*member.key.text == "Retry"));
            let kept = kept.map(|member| Member {
                key: member.key.clone(),
                value: without_retry(&member.value, place),
            });
            NodeKind::Object(kept.collect())
        }
        NodeKind::Array(items) => {
            let items = items.iter().map(|item| without_retry(item, place));
            NodeKind::Array(items.collect())
        }
        kind => kind.clone(),
    };
    Node {
        span: node.span,
        kind,
    }
}
