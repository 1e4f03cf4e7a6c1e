//! Evaluates the expressions of states in JSONata mode. All expressions of a phase of a state are requested together,
//! and the phase continues when their results arrive. Evaluations can be recorded: to explain a run, the run is
//! repeated and its evaluations are recorded.

use super::ask::{Ask, AskId, Looked, Serve, Want};
use super::children::Item;
use super::event::{Edge, EventKind, FrameId, Stage};
use super::fault::Difference;
use super::frame::Frame;
use super::machine::Machine;
use super::reason::{ItemsFrom, QUOTED, Reason};
use super::stage::{Done, Raised, members_of};
use super::states::computed;
use super::visit::{Evaluating, Phase};
use crate::definition::{FieldAt, Jsonata, Map, State, StateKind};
use crate::json::{Text, Value};
use crate::query::jsonata::{
    Budget, Evaluated, Evaluation, Expression, Failure, MEMORY, Template, Traced,
};
use crate::query::trace::{Base, Spot, Trace};
use crate::query::{Bindings as _, abridged};
use std::sync::{Arc, LazyLock, OnceLock};

/// Arguments of an evaluation besides the expressions and the input: further members of `$states`, and options.
#[derive(Default)]
pub(super) struct Beside {
    /// The value of `$states.result`.
    pub(super) result: Option<Value>,
    /// The value of `$states.errorOutput`.
    pub(super) error_output: Option<Value>,
    /// The Map item in the context object, while an ItemSelector is evaluated.
    pub(super) item: Option<Item>,
    /// True if evaluation stops at the first expression that returns `true`.
    pub(super) until_true: bool,
}

static CONTEXT: LazyLock<Text> = LazyLock::new(|| "context".into());
static INPUT: LazyLock<Text> = LazyLock::new(|| "input".into());
static RESULT: LazyLock<Text> = LazyLock::new(|| "result".into());
static ERROR_OUTPUT: LazyLock<Text> = LazyLock::new(|| "errorOutput".into());

/// Returns a copy of a name that shares the name's memory with all evaluations.
pub(super) fn name_of(name: &'static LazyLock<Text>) -> Text {
    Text::clone(name)
}

/// The results of the requested expressions, in the order of the request.
pub(super) type Results = std::vec::IntoIter<Evaluated>;

impl Machine {
    /// Returns the results of JSONata expressions. Returns `None` while the results are pending; the phase of the state
    /// runs again when they arrive.
    pub(super) fn evaluate(
        &mut self,
        id: FrameId,
        expressions: impl FnOnce() -> Vec<Arc<Expression>>,
        beside: Beside,
    ) -> Option<Results> {
        // First checks whether the frame must change: changing a frame that is shared with a checkpoint copies it.
        if self.frame(id)?.visit.evaluated.is_some() {
            let results = self.with(id, |frame| frame.visit.evaluated.take());
            return results.flatten().map(Vec::into_iter);
        }
        let expressions = expressions();
        if expressions.is_empty() {
            return Some(Vec::new().into_iter());
        }
        let draws = expressions.iter().any(|expression| expression.draws);
        let seed = self.seed(draws);
        let ask_id = self.next_ask_id();
        let frame = self.frame(id)?;
        let item = beside.item.as_ref().map(|item| item.index);
        let evaluation = Arc::new(self.evaluation(frame, expressions, beside, seed));
        if self.is_looked_at(id) {
            self.note_look(item, Seen::Expressions(Arc::clone(&evaluation)));
        }
        let ask = Ask {
            id: ask_id,
            key: self.key(frame),
            state: frame.visit.state,
            frame: id,
            want: Want::Evaluate(evaluation),
        };
        let resume = frame.visit.phase;
        self.with(id, |frame| {
            frame.visit.evaluation = Some(Box::new(Evaluating { ask, resume }));
        });
        self.park(id);
        self.open_ask(ask_id, id);
        None
    }

    /// Builds an evaluation request that contains only those inputs that the expressions read.
    fn evaluation(
        &self,
        frame: &Frame,
        expressions: Vec<Arc<Expression>>,
        beside: Beside,
        seed: u64,
    ) -> Evaluation {
        let reads = |member: &str| {
            expressions
                .iter()
                .any(|expression| expression.reads.reads(member))
        };
        let mut states: Vec<(Text, Value)> = Vec::new();
        let input = frame.visit.data.latest(Stage::Input);
        if reads("context") {
            let bindings = self.bindings(frame, &input).for_item(beside.item.as_ref());
            states.push((name_of(&CONTEXT), bindings.context()));
        }
        states.push((name_of(&INPUT), input));
        let more = [
            (&RESULT, beside.result),
            (&ERROR_OUTPUT, beside.error_output),
        ];
        for (name, value) in more {
            if let Some(value) = value {
                states.push((name_of(name), value));
            }
        }
        let mut variables: Vec<(Text, Value)> = Vec::new();
        for name in expressions
            .iter()
            .flat_map(|expression| &expression.reads.variables)
        {
            if variables.iter().all(|(key, _)| key != name)
                && let Some(value) = frame.variables.get(name)
            {
                variables.push((name.clone(), value.clone()));
            }
        }
        let now = i64::try_from(self.now()).unwrap_or(i64::MAX);
        Evaluation {
            expressions,
            states,
            variables,
            now: self.run().header.start_time.saturating_add(now),
            seed,
            until_true: beside.until_true,
            budget: Budget::Run,
            largest: self.run().header.max_value,
            profile: self.run().header.profile,
        }
    }

    /// Creates a request for expressions that the user typed, in the context of the frame's state. All the expressions
    /// together have one small limit of evaluation steps. The machine does not wait for this request.
    #[must_use]
    pub fn inspect_jsonata(&self, frame: &Frame, expressions: Vec<Arc<Expression>>) -> Ask {
        let fault = frame.visit.fault.as_ref();
        let beside = Beside {
            result: frame.visit.data.get(Stage::Result).cloned(),
            error_output: fault.map(|(fault, _)| fault.error_output()),
            ..Beside::default()
        };
        let seed = self.run().header.seed;
        let mut evaluation = self.evaluation(frame, expressions, beside, seed);
        evaluation.budget = Budget::Glance;
        Ask {
            id: AskId(0),
            key: self.key(frame),
            state: frame.visit.state,
            frame: frame.id,
            want: Want::Evaluate(Arc::new(evaluation)),
        }
    }

    /// Stores results and resumes the frame.
    pub(super) fn take_results(&mut self, id: FrameId, results: &[Evaluated]) {
        let resume = self.with(id, |frame| {
            let open = frame.visit.evaluation.take()?;
            frame.visit.evaluated = Some(results.to_vec());
            if let (Want::Evaluate(evaluation), true) =
                (&open.ask.want, results.iter().any(Result::is_err))
            {
                let failed = FailedEvaluation {
                    evaluation: Arc::clone(evaluation),
                    traced: OnceLock::new(),
                };
                frame.visit.failed_evaluation = Some(Arc::new(failed));
            }
            Some(open.resume)
        });
        if let Some(resume) = resume.flatten() {
            self.wake(id, resume);
        }
    }

    /// Stores the values of numeric fields, such as a timeout, for the state's work. A value that is not a number is a
    /// fault.
    pub(super) fn keep_numbers(
        &mut self,
        id: FrameId,
        wanted: &[Arc<Expression>],
        results: &mut Results,
        stage: Stage,
    ) -> Result<(), Raised> {
        let mut values = Vec::with_capacity(wanted.len());
        for expression in wanted {
            let value = self.result_of(id, expression, results, stage)?;
            if value.as_number().is_none() {
                return Err(self.mistyped(id, expression, "number", &value, stage));
            }
            values.push((expression.location.clone(), value));
        }
        self.with(id, |frame| frame.visit.field_values = values);
        Ok(())
    }

    /// The value of a template with the results inserted, or the fault of the expression that failed.
    pub(super) fn fill(
        &mut self,
        id: FrameId,
        template: &Template,
        results: &mut Results,
        stage: Stage,
    ) -> Result<Value, Raised> {
        template
            .fill(results)
            .map_err(|(expression, failure)| self.failed(id, expression, failure, stage))
    }

    /// The next result as a value, or the fault of the expression that failed.
    pub(super) fn result_of(
        &mut self,
        id: FrameId,
        expression: &Arc<Expression>,
        results: &mut Results,
        stage: Stage,
    ) -> Result<Value, Raised> {
        let missing = || Err(Failure::Internal("the evaluator returned no result".into()));
        results
            .next()
            .unwrap_or_else(missing)
            .map_err(|failure| self.failed(id, Arc::clone(expression), failure, stage))
    }

    fn failed(
        &mut self,
        id: FrameId,
        expression: Arc<Expression>,
        failure: Failure,
        stage: Stage,
    ) -> Raised {
        if matches!(&failure, Failure::Bound(why) if &**why == MEMORY) {
            self.outgrow();
        }
        let reason = Reason::Evaluation {
            expression,
            failure,
        };
        self.evaluation_fault(id, reason, stage)
    }

    /// The fault for a value that is not valid for the expression's field.
    pub(super) fn mistyped(
        &mut self,
        id: FrameId,
        expression: &Arc<Expression>,
        wanted: &'static str,
        value: &Value,
        stage: Stage,
    ) -> Raised {
        self.evaluation_fault(id, Reason::wrong_type(expression, wanted, value), stage)
    }

    /// The fault `States.QueryEvaluationError`. First emits the event that AWS writes for this error.
    pub(super) fn evaluation_fault(&mut self, id: FrameId, reason: Reason, stage: Stage) -> Raised {
        let raised = self.own_fault(id, reason, Some(stage));
        self.push_history(id, EventKind::EvaluationFailed, 0);
        raised
    }
}

/// An evaluation in which an expression failed.
#[derive(Debug)]
pub struct FailedEvaluation {
    evaluation: Arc<Evaluation>,
    traced: OnceLock<Vec<Traced>>,
}

/// Maximum number of times that one call of `trace` asks the server for the trace. A later call continues to ask.
const PATIENCE: usize = 10;

impl FailedEvaluation {
    /// The trace of the expression that failed. To get the trace, the server evaluates everything once more. `None` if
    /// that takes too long.
    #[must_use]
    pub fn trace(&self, expression: &Arc<Expression>, server: &dyn Serve) -> Option<&Trace> {
        let looked = |_| match server.look(&self.evaluation) {
            Looked::Now(traced) => Some(traced),
            Looked::Later => None,
        };
        let traced = match self.traced.get() {
            Some(traced) => traced,
            None => {
                let traced = (0..PATIENCE).find_map(looked)?;
                self.traced.get_or_init(|| traced)
            }
        };
        let mut all = self.evaluation.expressions.iter().zip(traced);
        let (_, traced) = all.find(|(known, _)| Arc::ptr_eq(known, expression))?;
        traced.value.is_err().then_some(&traced.trace)
    }

    /// The value at a place in the data that the expressions can read; `None` if it does not exist.
    #[must_use]
    pub fn value(&self, spot: &Spot) -> Option<&Value> {
        let Evaluation {
            states, variables, ..
        } = &*self.evaluation;
        let (values, name) = match &spot.base {
            Base::Variable(name) => (variables, name),
            Base::States(name) => (states, name),
            Base::Context => (states, &*CONTEXT),
            Base::Data => return None,
        };
        let (_, value) = values.iter().find(|(known, _)| known == name)?;
        spot.at.get(value)
    }
}

/// The variables that Assign sets, with their values, and the output of the state.
pub(super) type AssignedAndOutput = (Vec<(Text, Value)>, Value);

impl Machine {
    /// Computes the items and the numeric fields of a Map in JSONata mode.
    pub(super) fn items(&mut self, id: FrameId, state: &State) -> Done {
        let StateKind::Map(map) = &state.kind else {
            return Ok(());
        };
        let stage = Stage::AfterItemsPath;
        let numbers = map_numbers(map);
        let expressions = || {
            let mut expressions = numbers.clone();
            if let Some(template) = &map.items {
                expressions.extend(template.expressions().iter().cloned());
            }
            expressions
        };
        let Some(mut results) = self.evaluate(id, expressions, Beside::default()) else {
            return Ok(());
        };
        self.keep_numbers(id, &numbers, &mut results, stage)?;
        if map.reader.is_some() {
            self.set_phase(id, Phase::Work);
            return Ok(());
        }
        let value = match &map.items {
            Some(template) => self.fill(id, template, &mut results, stage)?,
            None => self.input_of(id),
        };
        let differs = Difference::MembersAsJsonataItems;
        if !self.takes_members(map, &value, differs) && !value.is_array() {
            let whole = map.items.as_ref().and_then(|template| template.whole());
            if let Some(expression) = whole {
                return Err(self.mistyped(id, expression, "array", &value, stage));
            }
            let from = match map.items {
                Some(_) => ItemsFrom::Items,
                None => ItemsFrom::Input,
            };
            let value = abridged(&value, QUOTED).into();
            return Err(self.evaluation_fault(id, Reason::NotItems { from, value }, stage));
        }
        self.put(id, stage, value, map.items.is_some(), Phase::Work)
    }

    /// The raw input of a frame's state.
    fn input_of(&self, id: FrameId) -> Value {
        let input = |frame: &Frame| frame.visit.data.latest(Stage::Input);
        self.frame(id).map(input).unwrap_or_default()
    }

    /// Computes Assign and Output in JSONata mode. Both read the variables as they were when the state was entered.
    pub(super) fn output(&mut self, id: FrameId, state: &State) -> Done {
        let Some(frame) = self.frame(id) else {
            return Ok(());
        };
        let fields = match (frame.visit.edge, &state.kind) {
            (Some(Edge::Rule(rule)), StateKind::Choice(choice)) => {
                choice.rules.get(rule as usize).map(|rule| &rule.jsonata)
            }
            _ => Some(&state.jsonata),
        };
        let result = frame.visit.data.get(Stage::Result).cloned();
        let default = match &result {
            Some(result) => result.clone(),
            None => frame.visit.data.latest(Stage::Input),
        };
        let beside = Beside {
            result,
            ..Beside::default()
        };
        let nothing = Jsonata::default();
        let fields = fields.unwrap_or(&nothing);
        let Some((assigned, value)) = self.assign_and_output(id, fields, beside, default)? else {
            return Ok(());
        };
        self.check_payload(id, state, &value, Stage::Output)?;
        self.with(id, |frame| frame.visit.assigned = assigned);
        let written = fields.output.is_some();
        self.put(id, Stage::Output, value, written, Phase::Exit)
    }

    /// The values of Assign and Output; `None` while the results of their expressions are pending.
    pub(super) fn assign_and_output(
        &mut self,
        id: FrameId,
        fields: &Jsonata,
        beside: Beside,
        default: Value,
    ) -> Result<Option<AssignedAndOutput>, Raised> {
        let expressions = || {
            let templates = [&fields.assign, &fields.output].map(Option::as_ref);
            let expressions =
                templates.map(|template| template.map_or(&[][..], Template::expressions));
            expressions.concat()
        };
        let Some(mut results) = self.evaluate(id, expressions, beside) else {
            return Ok(None);
        };
        let assigned = match &fields.assign {
            Some(template) => self.fill(id, template, &mut results, Stage::Output)?,
            None => Value::Null,
        };
        let output = match &fields.output {
            Some(template) => self.fill(id, template, &mut results, Stage::Output)?,
            None => default,
        };
        Ok(Some((members_of(&assigned), output)))
    }
}

/// The numeric fields of a Map that are expressions.
fn map_numbers(map: &Map) -> Vec<Arc<Expression>> {
    let counts = [&map.max_concurrency, &map.tolerated_failure_count].into_iter();
    let percentage = computed(&map.tolerated_failure_percentage);
    counts.filter_map(computed).chain(percentage).collect()
}

/// The recorded evaluations of one frame, in order.
#[derive(Clone, Debug)]
pub struct Looks {
    /// The frame whose evaluations are recorded.
    pub frame: FrameId,
    /// The evaluations of the frame so far.
    pub all: Vec<Look>,
    /// Number of evaluated parts of expressions that can still be recorded. If there are more parts, the recording is
    /// given up.
    left: usize,
}

/// A recorded evaluation in a state, with the Map item that the evaluation could read.
#[derive(Clone, Debug)]
pub struct Look {
    /// Index of the Map item for which an ItemSelector is evaluated; `None` for other fields.
    pub item: Option<u32>,
    /// The field or the expressions that were evaluated.
    pub of: Seen,
}

/// A field or expressions whose evaluation was recorded.
#[derive(Clone, Debug)]
pub enum Seen {
    /// A JSONPath field, and the trace (the evaluation of each part) of its expressions.
    Field(FieldAt, Trace),
    /// JSONata expressions. Their trace is not stored: the server that evaluated them can produce it.
    Expressions(Arc<Evaluation>),
}

impl Machine {
    /// Starts recording the evaluations of a frame. `most` is the maximum number of evaluated parts to record.
    pub fn look_at(&mut self, frame: FrameId, most: usize) {
        *self.look.get_mut() = Some(Box::new(Looks {
            frame,
            all: Vec::new(),
            left: most,
        }));
    }

    /// Stops recording and returns the recorded evaluations; `None` if they had too many parts.
    pub fn looked(&mut self) -> Option<Box<Looks>> {
        self.look.get_mut().take()
    }

    /// True if the evaluations of a frame are being recorded.
    pub(super) fn is_looked_at(&self, frame: FrameId) -> bool {
        let look = self.look.borrow();
        look.as_ref().is_some_and(|looks| looks.frame == frame)
    }

    /// Adds an evaluation to the recording.
    pub(super) fn note_look(&self, item: Option<u32>, of: Seen) {
        let mut look = self.look.borrow_mut();
        let parts = match &of {
            Seen::Field(_, trace) => trace.acts.len().max(1),
            Seen::Expressions(_) => 1,
        };
        let Some(looks) = look.as_mut() else {
            return;
        };
        match looks.left.checked_sub(parts) {
            Some(left) => {
                looks.left = left;
                looks.all.push(Look { item, of });
            }
            None => *look = None,
        }
    }
}
