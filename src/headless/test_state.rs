//! Runs one state alone and answers as AWS's TestState does (ASL-SEMANTICS 18).
//!
//! It must not know how arguments are spelt, nor how a stage is computed.

use super::output::{self, Refusal};
use super::request::{self, Configuration, Mock};
use super::run::error_members;
use super::single_state::{without_retry, wrapped};
use crate::definition::{
    Definition, MapMode, Quantity, State, StateId, StateKind, Target, Transition, lower,
};
use crate::interpreter::{
    Answer, Ask, Edge, Event, EventKind, Fault, Frame, FrameId, Header, Item, Machine, Millis,
    Origin, RetrierUse, Run, Serve as _, Stage, Status, Step, Want, catcher_for, delay_millis,
    retrier_for, takes,
};
use crate::json::{Text, Value, one_line, pretty};
use crate::query::Profile;
use crate::query::format_timestamp;
use crate::source::{Diagnostics, Node, SourceMap};
use crate::worker::{Worker, read_text};
use std::process::ExitCode;
use std::sync::Arc;

/// What a state that stands alone is called.
const ALONE: &str = "StateName";

/// How much is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Output or error.
    Info,
    /// Every stage too.
    Debug,
}

/// What is tested and with what.
#[derive(Debug)]
pub struct TestState {
    /// The definition.
    pub definition: Definition,
    /// The same without the state's Retry, which is only told of and never waited for.
    once: Arc<Definition>,
    /// The state.
    pub state: StateId,
    /// The outcome of its work.
    pub mock: Option<Mock>,
    /// What is known of the state besides.
    pub configuration: Configuration,
    /// How much is told.
    pub level: Level,
    /// Whether the answer is printed as one object.
    pub json: bool,
}

impl TestState {
    /// Finds the state in a machine, or takes the tree as one state; no mock, nothing told but the outcome.
    ///
    /// # Errors
    /// With what was found, where the text cannot be run; with nothing, where there is no such state.
    pub fn new(
        node: &Arc<Node>,
        sources: &Arc<SourceMap>,
        name: &str,
        state: Option<&str>,
    ) -> Result<Self, Diagnostics> {
        let alone = node.get("States").is_none();
        let whole = if alone {
            Arc::new(wrapped(node, state.unwrap_or(ALONE)))
        } else {
            Arc::clone(node)
        };
        let (definition, mut found) = lower(Arc::clone(&whole), Arc::clone(sources), name);
        // A state alone leads to states that are not there.
        found.retain(|one| one.blocking && !(alone && one.code == "MISSING_TRANSITION_TARGET"));
        let start = definition.scopes.first().and_then(|scope| {
            let start = scope.start_at.as_ref();
            start.and_then(|target| target.state)
        });
        let id = match state {
            Some(name) => definition.find_by_name(name),
            None => start,
        };
        let (Some(id), true) = (id, found.is_empty()) else {
            return Err(found);
        };
        let span = definition.state(id).map(|state| state.span);
        let (once, _) = lower(
            Arc::new(without_retry(&whole, span)),
            Arc::clone(sources),
            name,
        );
        Ok(Self {
            definition,
            once: Arc::new(once),
            state: id,
            mock: None,
            configuration: Configuration::default(),
            level: Level::Info,
            json: false,
        })
    }

    fn own(&self) -> Option<&State> {
        self.definition.state(self.state)
    }

    /// Why AWS would refuse the request; in its words, where they were recorded.
    #[must_use]
    pub fn refused(&self, profile: Profile) -> Option<String> {
        request::refused(
            &self.definition,
            self.state,
            self.mock.as_ref(),
            &self.configuration,
            profile,
        )
    }

    /// Runs the state and prints the answer.
    ///
    /// # Errors
    /// Where it cannot be run to its end.
    pub fn run(&self, mut header: Header) -> Result<ExitCode, Refusal> {
        header.start_at = Some(self.state);
        if !header.context_whole {
            header.context = self.context(&header);
            header.context_whole = true;
        }
        let run = Run::new(Arc::clone(&self.once), header);
        let mut machine = Machine::start(Arc::new(run));
        let worker = Worker::new();
        let mut told = Told::default();
        loop {
            match machine.step(Millis::MAX) {
                Step::Event(event) => {
                    self.note(&mut machine, &event, &mut told);
                    if let Some(text) = told.refused.take() {
                        return Err(Refusal::new(text));
                    }
                    if told.status.is_some() {
                        break;
                    }
                }
                Step::Ask(ask) => {
                    if let Some(answer) = worker.serve(&ask) {
                        machine.answer(ask.id, answer);
                        continue;
                    }
                    let answer = self.answer(&machine, &ask)?;
                    machine.answer(ask.id, answer);
                }
                Step::Done => break,
                Step::Waiting | Step::Idle(_) | Step::Stuck => {
                    return Err(Refusal::new("the state never comes to its end"));
                }
            }
        }
        if told.status.is_none()
            && let Status::Failed(fault) = machine.status()
        {
            told.fail("FAILED", fault);
        }
        self.print(&told)
    }

    /// The context object where none was given.
    fn context(&self, header: &Header) -> Value {
        let machine = &self.definition.name;
        let text = |text: String| Value::string(text);
        let arn = |kind: &str, rest: &str| {
            text(format!(
                "arn:aws:states:us-east-1:{}:{kind}:{machine}{rest}",
                crate::interpreter::ACCOUNT
            ))
        };
        let time = text(format_timestamp(header.start_time));
        let id = "00000000-0000-4000-8000-000000000000";
        let execution = vec![
            ("Id".into(), arn("express", &format!(":{id}:{id}"))),
            ("Input".into(), header.input.clone()),
            ("Name".into(), Value::from(id)),
            (
                "RoleArn".into(),
                text(format!(
                    "arn:aws:iam::{}:role/{machine}",
                    crate::interpreter::ACCOUNT
                )),
            ),
            ("StartTime".into(), time.clone()),
        ];
        let mut state = vec![("EnteredTime".into(), time)];
        let own = self.own();
        let name = own.map_or(ALONE, |state| &*state.name);
        state.insert(0, ("Name".into(), Value::from(name)));
        let counts = own.is_some_and(|state| {
            matches!(
                state.kind,
                StateKind::Task(_) | StateKind::Map(_) | StateKind::Parallel { .. }
            )
        });
        if counts {
            let count = i64::try_from(self.configuration.retrier_retry_count).unwrap_or(i64::MAX);
            state.push(("RetryCount".into(), Value::from(count)));
        }
        let mut members = vec![
            ("Execution".into(), Value::object(execution)),
            (
                "StateMachine".into(),
                Value::object(vec![
                    ("Id".into(), arn("stateMachine", "")),
                    ("Name".into(), Value::String(machine.clone())),
                ]),
            ),
            ("State".into(), Value::object(state)),
        ];
        if let Some(item) = self.item_around(&header.input) {
            members.push(("Map".into(), item));
        }
        if own.is_some_and(|state| match &state.kind {
            StateKind::Task(task) => task.resource.ends_with(".waitForTaskToken"),
            _ => false,
        }) {
            let token = Value::object(vec![("Token".into(), Value::from(id))]);
            members.push(("Task".into(), token));
        }
        Value::object(members)
    }

    /// `Map` of the context object of a state inside one: its first item, which is the input.
    fn item_around(&self, input: &Value) -> Option<Value> {
        let scope = self.definition.scope(self.own()?.scope)?;
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
        let state = self.own();
        matches!(state.map(|state| &state.kind), Some(StateKind::Map(map)) if map.reader.is_some())
    }

    fn answer(&self, machine: &Machine, ask: &Ask) -> Result<Answer, Refusal> {
        if let Want::Read {
            format, max_items, ..
        } = &ask.want
        {
            let Some(data) = &self.configuration.map_item_reader_data else {
                return Err(Refusal::new(
                    "the ItemReader has nothing to read: give mapItemReaderData in --state-configuration",
                ));
            };
            let failed = |cause: String| Answer::failure("States.ItemReaderFailed", cause);
            return Ok(read_text(data, format, *max_items).map_or_else(failed, Answer::success));
        }
        match &self.mock {
            Some(Ok(result)) if ask.state == self.state => Ok(Answer::success(result.clone())),
            Some(Err((error, cause))) if ask.state == self.state => {
                Ok(Answer::failure(error.clone(), cause.clone()))
            }
            _ => {
                let state = machine.definition().state(ask.state);
                let name = state.map_or("", |state| &*state.name);
                Err(Refusal::new(format!(
                    "the task of state \"{name}\" has no answer: give one with --mock '{{\"result\": \"JSON text\"}}' or --mock '{{\"errorOutput\": {{\"error\": \"...\", \"cause\": \"...\"}}}}'"
                )))
            }
        }
    }

    fn note(&self, machine: &mut Machine, event: &Event, told: &mut Told) {
        if event.kind == EventKind::IterationStarted && self.reads() {
            // What was read runs no children here, as no items do.
            self.group_started(machine, told);
            if let Some(outcome) = self.settled(machine) {
                machine.settle(FrameId(0), outcome);
            }
        }
        if event.frame != FrameId(0) {
            return;
        }
        match event.kind {
            EventKind::StateEntered | EventKind::Stage(_) => told.stage(machine, event),
            EventKind::MapStarted | EventKind::ParallelStarted => {
                self.group_started(machine, told);
                if let Some(outcome) = self.settled(machine) {
                    machine.settle(FrameId(0), outcome);
                }
            }
            EventKind::ErrorRaised => self.raised(machine, told),
            EventKind::StateExited => {
                let Some(frame) = machine.frame(FrameId(0)) else {
                    return;
                };
                let edge = Edge::from_arg(event.arg);
                told.output = frame.visit.data.get(Stage::Output).cloned();
                told.next = self.target(edge).map(|target| target.name.clone());
                told.variables = frame.variables.all();
                let caught = matches!(edge, Edge::Catch(_));
                told.status = Some(if caught { "CAUGHT_ERROR" } else { "SUCCEEDED" });
            }
            _ => {}
        }
    }

    /// Whether Retry or Catch takes the error, and what there is to tell of it.
    fn raised(&self, machine: &Machine, told: &mut Told) {
        let (Some(state), Some(frame)) = (self.own(), machine.frame(FrameId(0))) else {
            return;
        };
        let Some((fault, _)) = &frame.visit.fault else {
            return;
        };
        told.error = error_members(fault);
        let profile = machine.profile();
        let place = state
            .retry
            .iter()
            .position(|retrier| takes(&retrier.error_equals, fault, profile));
        if let Some(place) = place {
            let index = Value::from(i64::try_from(place).unwrap_or(i64::MAX));
            told.details.push(("retryIndex".into(), index));
            let mut used = vec![RetrierUse::default(); state.retry.len()];
            if let Some(one) = used.get_mut(place) {
                one.used = self.configuration.retrier_retry_count;
            }
            if retrier_for(&state.retry, &used, fault, profile).is_some()
                && let Some(retrier) = state.retry.get(place)
            {
                let seconds =
                    delay_millis(retrier, self.configuration.retrier_retry_count) / 1000.0;
                let number = crate::json::Number::from_f64(seconds);
                let delay = number.map_or(Value::Null, Value::Number);
                told.details
                    .push(("retryBackoffIntervalSeconds".into(), delay));
                told.status = Some("RETRIABLE");
                return;
            }
        }
        match catcher_for(&state.catch, fault, profile) {
            Some(place) => {
                let index = Value::from(i64::try_from(place).unwrap_or(i64::MAX));
                told.details.push(("catchIndex".into(), index));
            }
            None => told.status = Some("FAILED"),
        }
    }

    fn target(&self, edge: Edge) -> Option<&Target> {
        let state = self.own()?;
        match (edge, &state.kind) {
            (Edge::Rule(index), StateKind::Choice(choice)) => {
                choice.rules.get(index as usize)?.next.as_ref()
            }
            (Edge::Default, StateKind::Choice(choice)) => choice.default.as_ref(),
            (Edge::Catch(index), _) => state.catch.get(index as usize)?.next.as_ref(),
            (Edge::Next, _) => match &state.transition {
                Transition::Next(target) => Some(target),
                _ => None,
            },
            _ => None,
        }
    }

    /// What a Map settled before its first item.
    fn group_started(&self, machine: &Machine, told: &mut Told) {
        let (Some(state), Some(frame)) = (self.own(), machine.frame(FrameId(0))) else {
            return;
        };
        let StateKind::Map(map) = &state.kind else {
            return;
        };
        let failed = self.configuration.map_iteration_failure_count;
        let total = frame
            .visit
            .group
            .as_ref()
            .map(|group| u64::from(group.total));
        if let (Some(failed), Some(total)) = (failed, total)
            && failed > total
        {
            told.refused = Some(format!(
                "mapIterationFailureCount is {failed}, and the Map has {total} items"
            ));
        }
        if let Some(batches) = frame.visit.batches() {
            told.stages
                .push(("afterItemBatcher".into(), batches.clone()));
        }
        if let (Some(template), Some(group)) = (&map.item_selector, &frame.visit.group) {
            let data = frame.visit.data.latest(Stage::AfterInputPath);
            let selected = |item: Item| {
                let bindings = machine.inspect(frame, &data).for_item(&item);
                template.eval(&bindings).ok()
            };
            let items: Option<Vec<Value>> = (0..group.total)
                .map(|index| group.work.item(index).and_then(selected))
                .collect();
            if let Some(items) = items {
                told.stages
                    .push(("afterItemSelector".into(), Value::array(items)));
            }
        }
        let numbers = [
            ("toleratedFailureCount", &map.tolerated_failure_count),
            ("maxConcurrency", &map.max_concurrency),
        ];
        for (name, quantity) in numbers {
            let value = quantity
                .as_ref()
                .and_then(|quantity| number(machine, frame, quantity));
            let none = (name == "maxConcurrency").then(|| Value::from(0));
            if let Some(value) = value.or(none) {
                told.numbers.push((name.into(), value));
            }
        }
        if let Some(percentage) = frame
            .visit
            .group
            .as_ref()
            .and_then(|one| one.tolerated_percentage)
            && let Some(number) = crate::json::Number::from_f64(percentage)
        {
            told.numbers
                .push(("toleratedFailurePercentage".into(), Value::Number(number)));
        }
    }

    /// The outcome that the mock gives a Parallel or Map; none where its children are to run.
    fn settled(&self, machine: &Machine) -> Option<Result<Value, Fault>> {
        let group = machine.frame(FrameId(0))?.visit.group.as_ref()?;
        let fault = |error: &Text, cause: &Text, origin: Origin| Fault {
            origin,
            // It comes out of a branch or an iteration where a state of it is named.
            from_branch: self.configuration.error_caused_by_state.is_some(),
            ..Fault::task(error.clone(), cause.clone())
        };
        match self.mock.as_ref()? {
            Err((error, cause)) => Some(Err(fault(error, cause, Origin::Task))),
            Ok(result) => {
                let failed = self.configuration.map_iteration_failure_count.unwrap_or(0);
                #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
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

    fn print(&self, told: &Told) -> Result<ExitCode, Refusal> {
        let status = told.status.unwrap_or("FAILED");
        let text = |value: &Value| Value::string(one_line(value));
        let mut members: Vec<(Text, Value)> = Vec::new();
        if let Some(output) = &told.output {
            members.push(("output".into(), text(output)));
        }
        members.extend(told.error.clone());
        if self.level == Level::Debug {
            members.push(("inspectionData".into(), self.inspection(told)));
        }
        if let Some(next) = &told.next {
            members.push(("nextState".into(), Value::String(next.clone())));
        }
        members.push(("status".into(), Value::from(status)));
        if self.json {
            output::print(&format!("{}\n", one_line(&Value::object(members))))?;
        } else {
            output::print(&told.text(status, &self.inspection(told), self.level))?;
        }
        Ok(match status {
            "SUCCEEDED" | "CAUGHT_ERROR" => ExitCode::SUCCESS,
            _ => ExitCode::from(1),
        })
    }

    fn inspection(&self, told: &Told) -> Value {
        let kind = self.own().map(|state| &state.kind);
        let shown = |name: &str| match kind {
            Some(StateKind::Pass { result: Some(_) }) => {
                !["afterInputPath", "afterParameters"].contains(&name)
            }
            Some(StateKind::Pass { result: None }) => name != "result",
            Some(StateKind::Map(_)) => name != "result",
            Some(StateKind::Parallel { .. }) => {
                !["afterInputPath", "afterParameters", "result"].contains(&name)
            }
            _ => true,
        };
        let mut members: Vec<(Text, Value)> = told
            .stages
            .iter()
            .filter(|(name, _)| shown(name))
            .map(|(name, value)| (name.clone(), Value::string(one_line(value))))
            .collect();
        members.extend(told.numbers.clone());
        if !told.variables.is_empty() {
            let variables = Value::object(told.variables.clone());
            members.push(("variables".into(), Value::string(one_line(&variables))));
        }
        if !told.details.is_empty() {
            members.push(("errorDetails".into(), Value::object(told.details.clone())));
        }
        Value::object(members)
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

/// What came to light on the way.
#[derive(Default)]
struct Told {
    status: Option<&'static str>,
    refused: Option<String>,
    output: Option<Value>,
    error: Vec<(Text, Value)>,
    next: Option<Text>,
    stages: Vec<(Text, Value)>,
    numbers: Vec<(Text, Value)>,
    variables: Vec<(Text, Value)>,
    details: Vec<(Text, Value)>,
}

impl Told {
    fn stage(&mut self, machine: &Machine, event: &Event) {
        let stage = match event.kind {
            EventKind::Stage(stage) => stage,
            _ => Stage::Input,
        };
        let frame = machine.frame(event.frame);
        let Some(value) = frame.and_then(|frame| frame.visit.data.get(stage)) else {
            return;
        };
        if stage == Stage::Output {
            return;
        }
        self.stages.push((stage.name().into(), value.clone()));
        let is_pass = frame
            .and_then(|frame| machine.definition().state(frame.visit.state))
            .is_some_and(|state| matches!(state.kind, StateKind::Pass { .. }));
        if is_pass && stage == Stage::Result {
            // A Pass has no ResultSelector, and is told as if it had.
            let name = Stage::AfterResultSelector.name();
            self.stages.push((name.into(), value.clone()));
        }
    }

    fn fail(&mut self, status: &'static str, fault: &Fault) {
        self.status = Some(status);
        self.error = error_members(fault);
    }

    fn text(&self, status: &str, inspection: &Value, level: Level) -> String {
        let mut text = format!("{status}\n");
        if let Some(next) = &self.next {
            text += &format!("next state: {next}\n");
        }
        for (name, value) in &self.error {
            text += &format!("{name}: {}\n", value.as_str().unwrap_or(""));
        }
        if level == Level::Debug {
            for (name, value) in inspection.as_object().map_or(&[][..], |all| all.members()) {
                let shown = value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_string);
                text += &format!("{name}: {shown}\n");
            }
        }
        if let Some(output) = &self.output {
            text += &format!("output: {}\n", pretty(output));
        }
        text
    }
}
