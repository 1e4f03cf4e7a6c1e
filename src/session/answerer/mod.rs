//! Decides how a question is answered, for every front end: the debugger, `run`, `test-state`, and child executions.
//!
//! The first of these that has an answer gives it:
//!
//! 1. the server (JSONata; files and folders for ItemReader and ResultWriter), or what it gave an earlier run for the
//!    same question
//! 2. an answer known from before: of an earlier run, or kept from an earlier time
//! 3. the latest rule of a person that is for the question
//! 4. a recorded answer
//! 5. the mock file's test case
//! 6. whoever outside of this program was named for the task; what was really called is not called again by itself
//! 7. a child execution, for a task that starts one while machines are given
//! 8. in a child: the task around it that waits for the token which the call brings
//! 9. `--unmocked`, as follows
//!
//! | what has no answer | `ask` | `echo` | `fail` |
//! |---|---|---|---|
//! | a task | no answer | the shape of its resource around its input | fails with `States.TaskFailed` |
//! | a task whose child cannot be run or comes to no answer | no answer, with the reason | as a task, saying why | as a task, the reason as cause |
//! | an ItemReader, which has no input that could be items | no answer | fails with `States.ItemReaderFailed`, saying so | fails with `States.ItemReaderFailed` |
//! | a call for which the mocked answers ran out; a limit on children | no answer, with the reason | no answer, with the reason | no answer, with the reason |
//!
//! What "no answer" comes to depends on whether somebody can be asked: the debugger stops and asks; `run` and
//! `test-state` end with status 2 and say how to give one; a child ends, and then the task that started it has no answer
//! (the second row). `test-state` has no options for the other columns.
//!
//! Answers from outside stand under the key of their question ([`AskKey`]); the mock file's call numbers are mapped to
//! keys in one place (`call_number`).
//!
//! It must not know how far a run goes, nor how an answer is logged, drawn or printed.

mod answer_rule;
mod call_number;
mod earlier;

pub use answer_rule::AnswerRule;
pub use call_number::Repeats;
pub use earlier::{Earlier, TypedAnswer};

use super::answers::{MockCase, RunOut};
use super::callback::Callback;
use super::children::{ChildRequest, Children};
use super::log::AnsweredBy;
use super::no_answer::NoAnswer;
use super::recorded_answer::RecordedAnswers;
use super::recorded_items::{RecordedItems, Taken};
use super::remark::Remark;
use super::service_response;
use crate::definition::{Definition, State, StateKind, StatePath};
use crate::interpreter::{Answer, Ask, AskKey, Machine, Outcome, Serve, Served, Want};
use crate::json::{Text, Value};
use crate::query::jsonata::{Budget, Evaluated, Failure};
use call_number::CallNumbers;
use std::sync::Arc;

/// What a question gets that nothing answers: the columns of the table above.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Unmocked {
    /// A person is asked, where there is one.
    #[default]
    Ask,
    /// The resource's shape around its input.
    Echo,
    /// It fails.
    Fail,
}

/// How a question is answered.
#[derive(Clone, Debug)]
pub enum Decision {
    /// By the server, which is at work: decide again.
    Later,
    /// By the server.
    Serve(Answer),
    /// By somebody else.
    Answer(Answer, AnsweredBy),
    /// By an execution that is to be run.
    Start(Box<ChildRequest>),
    /// Not at all.
    NoAnswer(NoAnswer),
}

/// How a question of a child execution is answered.
#[derive(Clone, Debug)]
pub(super) enum ChildDecision {
    /// As any other.
    Decided(Decision),
    /// It brings what a task around it waits for, and gets an empty object.
    Callback(Callback),
}

/// What answers the questions of one machine.
#[derive(Clone, Debug)]
pub struct Answerer {
    server: Arc<dyn Serve>,
    earlier: Earlier,
    /// Oldest first.
    rules: Vec<AnswerRule>,
    recorded: Arc<RecordedAnswers>,
    items: Arc<RecordedItems>,
    taken: Taken,
    mock: Option<MockCase>,
    numbers: CallNumbers,
    children: Arc<Children>,
    unmocked: Unmocked,
    /// How many executions deep the machine runs whose questions these are.
    depth: usize,
    /// What a person should know of the decisions, oldest first.
    remarks: Vec<Remark>,
}

/// What the mock file has for the calls to come, whichever event is looked at.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MocksToCome {
    /// Entry by entry.
    pub entries: Vec<MockedNext>,
    /// For the task that is looked at, before it is called; none where what is recorded comes next.
    pub next: Option<MockedNext>,
}

/// What the mock file has for the next call that an entry of it answers.
#[derive(Clone, Debug, PartialEq)]
pub struct MockedNext {
    /// The entry: a state, a function or a resource.
    pub entry: Text,
    /// The mocked response that it names.
    pub response: Text,
    /// The number of the call, from 0.
    pub number: u64,
    /// The answer; `None` where the response has none for so late a call.
    pub answer: Option<Answer>,
}

impl Answerer {
    /// One that answers by the server alone; the fields that follow say what else it goes by.
    #[must_use]
    pub fn new(server: Arc<dyn Serve>, repeats: Repeats) -> Self {
        Self {
            server,
            earlier: Earlier::default(),
            rules: Vec::new(),
            recorded: Arc::default(),
            items: Arc::default(),
            taken: Taken::default(),
            mock: None,
            numbers: CallNumbers::new(repeats),
            children: Arc::default(),
            unmocked: Unmocked::default(),
            depth: 0,
            remarks: Vec::new(),
        }
    }

    /// The same with recorded answers.
    #[must_use]
    pub fn with_recorded(self, recorded: Arc<RecordedAnswers>) -> Self {
        Self { recorded, ..self }
    }

    /// The same with what was recorded of the items of DISTRIBUTED Maps.
    #[must_use]
    pub fn with_items(self, items: Arc<RecordedItems>) -> Self {
        Self { items, ..self }
    }

    /// Takes what was recorded again.
    pub(super) fn set_recorded(
        &mut self,
        recorded: Arc<RecordedAnswers>,
        items: Arc<RecordedItems>,
    ) {
        (self.recorded, self.items) = (recorded, items);
        self.taken = Taken::default();
    }

    /// The same with a test case of a mock file.
    #[must_use]
    pub fn with_mock(self, mock: Option<MockCase>) -> Self {
        Self { mock, ..self }
    }

    /// The same with machines that tasks may start executions of.
    #[must_use]
    pub fn with_children(self, children: Arc<Children>) -> Self {
        Self { children, ..self }
    }

    /// The same with what a question gets that nothing answers.
    #[must_use]
    pub fn with_unmocked(self, unmocked: Unmocked) -> Self {
        Self { unmocked, ..self }
    }

    /// What answers the questions of a child that a machine starts: the same but for the child's own test case.
    pub(super) fn for_child(&self, request: &ChildRequest, repeats: Repeats) -> Self {
        let answerer = Self::new(Arc::clone(&self.server), repeats)
            .with_mock(request.case.clone())
            .with_children(Arc::clone(&self.children))
            .with_unmocked(self.unmocked);
        Self {
            depth: self.depth.saturating_add(1),
            ..answerer
        }
    }

    /// The execution that a question asks for, where a machine was given for it that can be run.
    pub(super) fn child(&self, machine: &Machine, ask: &Ask) -> Option<ChildRequest> {
        self.children.request(machine, ask, self.depth)?.ok()
    }

    /// The machines that tasks may start executions of.
    pub(super) fn children(&self) -> &Children {
        &self.children
    }

    /// How many executions deep the machine runs whose questions these are.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// How a question of the outermost machine is answered; the server is not waited for long.
    pub fn decide(&mut self, machine: &Machine, ask: &Ask) -> Decision {
        let found = self.at_hand(machine, ask);
        found.unwrap_or_else(|why| self.by_unmocked(machine, ask, why))
    }

    /// How a question of a child is answered; `tokens` are those that tasks around it wait for.
    pub(super) fn decide_in_child(
        &mut self,
        machine: &Machine,
        ask: &Ask,
        tokens: &[Text],
    ) -> ChildDecision {
        let why = match self.at_hand(machine, ask) {
            Ok(decision) => return ChildDecision::Decided(decision),
            Err(why) => why,
        };
        if why == NoAnswer::Nowhere
            && let Some(callback) = callback(machine, ask)
            && tokens.contains(&callback.token)
        {
            return ChildDecision::Callback(callback);
        }
        ChildDecision::Decided(self.by_unmocked(machine, ask, why))
    }

    fn at_hand(&mut self, machine: &Machine, ask: &Ask) -> Result<Decision, NoAnswer> {
        let served = match self.earlier.served(ask) {
            Some(answer) => Served::Now(answer),
            None => self.server.serve_soon(ask),
        };
        match served {
            Served::Now(answer) if is_overdue(ask, &answer) => return Err(NoAnswer::Overdue),
            Served::Now(answer) => return Ok(Decision::Serve(answer)),
            Served::Later => return Ok(Decision::Later),
            Served::Not => {}
        }
        let input = asked_with(&ask.want).ok_or(NoAnswer::Nowhere)?;
        if self.server.is_calling(ask) {
            return self.called(machine, ask);
        }
        // Each call has a number, whoever answers it.
        let mocked = self.mocked(machine, ask);
        if let Some((answer, by)) = self.known(ask, input) {
            return Ok(Decision::Answer(answer, by));
        }
        let mut rules = self.rules.iter().rev();
        if let Some(rule) = rules.find(|rule| rule.fits(machine, ask, &*self.server)) {
            return Ok(Decision::Answer(rule.answer.clone(), AnsweredBy::Person));
        }
        if let Some(answer) = self.recorded(machine, ask, input) {
            return Ok(Decision::Answer(answer, AnsweredBy::Recording));
        }
        match mocked {
            Some(Ok(answer)) => return Ok(Decision::Answer(answer, AnsweredBy::Mock)),
            _ if self.server.calls(machine, ask) => {
                let before = self.earlier.get(&ask.key);
                return match before.is_some_and(|known| known.by == AnsweredBy::Target) {
                    true => Err(NoAnswer::OtherData),
                    false => self.called(machine, ask),
                };
            }
            Some(Err(run_out)) => return Err(NoAnswer::RunOut(run_out)),
            None => {}
        }
        match self.children.request(machine, ask, self.depth) {
            Some(request) => Ok(Decision::Start(Box::new(request?))),
            None if matches!(ask.want, Want::Read { .. }) => Err(NoAnswer::Unread),
            None => Err(NoAnswer::Nowhere),
        }
    }

    /// What whoever was named for a task answers.
    fn called(&self, machine: &Machine, ask: &Ask) -> Result<Decision, NoAnswer> {
        let waits = matches!(&ask.want, Want::Call { token: Some(_), .. });
        match self.server.call_soon(machine, ask) {
            // What the call itself came to is not the task's result.
            Served::Now(answer) if waits && matches!(answer.outcome, Outcome::Success(_)) => {
                Err(NoAnswer::Token)
            }
            Served::Now(answer) => Ok(Decision::Answer(answer, AnsweredBy::Target)),
            Served::Later => Ok(Decision::Later),
            Served::Not => Err(NoAnswer::Nowhere),
        }
    }

    /// Whether there is an answer to a question without anybody being asked.
    #[must_use]
    pub fn has_answer(&self, machine: &Machine, ask: &Ask) -> bool {
        let Some(input) = asked_with(&ask.want) else {
            return false;
        };
        let known = self.earlier.get(&ask.key).map(|known| &known.recorded);
        let recorded = known.into_iter().chain(self.recorded.get(&ask.key));
        let mut rules = self.rules.iter();
        let state = machine.definition().state(ask.state);
        let mocked = state.and_then(|state| self.mocked_for(state, Some(&ask.key)));
        recorded.into_iter().any(|one| one.fits(input))
            || mocked.is_some_and(|mock| mock.answer.is_some())
            || rules.any(|rule| rule.fits(machine, ask, &*self.server))
            || matches!(self.children.request(machine, ask, self.depth), Some(Ok(_)))
    }

    fn known(&mut self, ask: &Ask, input: &Value) -> Option<(Answer, AnsweredBy)> {
        let known = self.earlier.get(&ask.key)?;
        if known.recorded.fits(input) {
            return Some((known.recorded.answer.clone(), known.by));
        }
        // A child is simply run again.
        if known.by == AnsweredBy::Person {
            self.remarks.push(Remark::OtherData(ask.key.path.clone()));
        }
        None
    }

    fn recorded(&mut self, machine: &Machine, ask: &Ask, input: &Value) -> Option<Answer> {
        let own = self.recorded.get(&ask.key);
        let recorded = own.or_else(|| self.taken.answer(&self.items, machine, ask))?;
        if recorded.fits(input) {
            return Some(recorded.answer.clone());
        }
        self.remarks
            .push(Remark::OtherThanRecorded(ask.key.path.clone()));
        None
    }

    /// What the mock file has for a call; `None` where it does not name the state or what it calls.
    fn mocked(&mut self, machine: &Machine, ask: &Ask) -> Option<Result<Answer, RunOut>> {
        let mock = self.mock.as_ref()?;
        let entry = mock.entry_of(machine.definition().state(ask.state)?)?;
        mock.answer(entry, self.numbers.number(entry, &ask.key))
    }

    /// The mocked response that answers for a state, and the number of a call of it (from 0) that was made.
    #[must_use]
    pub fn mocked_call(&self, state: &State, key: &AskKey) -> Option<(Text, u64)> {
        let entry = self.mock.as_ref()?.entry_of(state)?;
        let number = self.numbers.given(entry, key)?;
        Some((self.mock.as_ref()?.response_of(entry)?.clone(), number))
    }

    /// What the mock file has for the calls to come, entry by entry.
    pub fn mocked_next(&self) -> impl Iterator<Item = MockedNext> {
        let entries = self.mock.iter().flat_map(MockCase::entries);
        entries.filter_map(|entry| self.next_of(entry, self.numbers.next(entry)))
    }

    /// What the mock file has for a call of a state that is to come: the one of this key, where it was made before.
    #[must_use]
    pub fn mocked_for(&self, state: &State, key: Option<&AskKey>) -> Option<MockedNext> {
        let entry = self.mock.as_ref()?.entry_of(state)?;
        let given = key.and_then(|key| self.numbers.given(entry, key));
        self.next_of(entry, given.unwrap_or_else(|| self.numbers.next(entry)))
    }

    fn next_of(&self, entry: &Text, number: u64) -> Option<MockedNext> {
        let mock = self.mock.as_ref()?;
        Some(MockedNext {
            entry: entry.clone(),
            response: mock.response_of(entry)?.clone(),
            number,
            answer: mock.answer(entry, number)?.ok(),
        })
    }

    /// What `--unmocked` gives a question that has no answer for this reason.
    ///
    /// # Errors
    /// The reason, where the question stays without an answer.
    pub fn unmocked(
        &mut self,
        machine: &Machine,
        ask: &Ask,
        why: NoAnswer,
    ) -> Result<Answer, NoAnswer> {
        let (Some(input), Some(state)) =
            (asked_with(&ask.want), machine.definition().state(ask.state))
        else {
            return Err(why);
        };
        if self.unmocked == Unmocked::Ask || !why.follows_unmocked() {
            return Err(why);
        }
        let StateKind::Task(task) = &state.kind else {
            if self.unmocked == Unmocked::Echo {
                let state = state.path.0.clone();
                self.remarks.push(Remark::NothingToEcho(state));
            }
            let cause = "no folder or file was given for what the ItemReader reads";
            return Ok(Answer::failure("States.ItemReaderFailed", cause));
        };
        if self.unmocked == Unmocked::Echo {
            if matches!(why, NoAnswer::Child(_)) {
                let state = state.path.0.clone();
                self.remarks.push(Remark::EchoesInstead { state, why });
            }
            return Ok(Answer::success(service_response::echo(
                task,
                input,
                machine.definition(),
            )));
        }
        let cause = match why {
            NoAnswer::Child(problem) => problem.to_string(),
            _ => format!(
                "no answer for {}: neither typed nor in the mock file",
                state.name
            ),
        };
        Ok(Answer::failure("States.TaskFailed", cause))
    }

    fn by_unmocked(&mut self, machine: &Machine, ask: &Ask, why: NoAnswer) -> Decision {
        match self.unmocked(machine, ask, why) {
            Ok(answer) => Decision::Answer(answer, AnsweredBy::Unmocked),
            Err(why) => Decision::NoAnswer(why),
        }
    }

    /// What a person should know of the decisions since this was last asked, oldest first.
    pub fn take_remarks(&mut self) -> Vec<Remark> {
        std::mem::take(&mut self.remarks)
    }

    /// Who answers evaluations, reads and writes.
    #[must_use]
    pub fn server(&self) -> &Arc<dyn Serve> {
        &self.server
    }

    /// Answers known from before.
    #[must_use]
    pub fn earlier(&self) -> &Earlier {
        &self.earlier
    }

    /// The same, to be added to.
    pub fn earlier_mut(&mut self) -> &mut Earlier {
        &mut self.earlier
    }

    /// The answer that a question had before or in a recording, whatever it was called with.
    #[must_use]
    pub fn offered(&self, key: &AskKey) -> Option<&Answer> {
        let before = self.earlier.offered(key);
        let found = before.or_else(|| self.recorded.get(key));
        found.map(|recorded| &recorded.answer)
    }

    /// A person's answers for many questions, oldest first.
    #[must_use]
    pub fn rules(&self) -> &[AnswerRule] {
        &self.rules
    }

    /// Takes a rule in, which counts before those that there are and before what was answered in earlier runs.
    pub fn add_rule(&mut self, definition: &Definition, rule: AnswerRule) {
        self.earlier.forget(|key| rule.is_of(definition, key));
        self.rules.push(rule);
    }

    /// Takes a rule back, by its place.
    pub fn remove_rule(&mut self, place: usize) -> Option<AnswerRule> {
        (place < self.rules.len()).then(|| self.rules.remove(place))
    }

    /// Takes the machines of child executions again; whether they differ, so that what they came to is forgotten.
    pub fn set_children(&mut self, children: Arc<Children>) -> bool {
        let differ = !self.children.agree(&children);
        if differ {
            self.earlier.forget_children();
        }
        self.children = children;
        differ
    }

    /// Another run begins: calls are numbered from 0 again.
    pub fn begin_run(&mut self) {
        let numbers = self.numbers.clear();
        self.server.discard(Box::new(numbers));
    }

    /// The run is repeated with another definition: calls keep their numbers, unless their state is gone.
    pub fn begin_repetition(&mut self, definition: &Definition) {
        self.numbers
            .retain(|path| definition.find(&StatePath(path.clone())).is_some());
    }

    /// Forgets what a person and earlier runs have answered.
    pub fn forget_all(&mut self) {
        self.earlier.clear();
        self.rules.clear();
    }
}

/// What a question that a person may answer was asked with: a task's effective input, an ItemReader's arguments.
#[must_use]
pub fn asked_with(want: &Want) -> Option<&Value> {
    match want {
        Want::Call { input, .. } => Some(input),
        Want::Read { arguments, .. } => Some(arguments),
        Want::Write { .. } | Want::Evaluate(_) => None,
    }
}

/// Whether the clock ended an expression of a run: no result of it, since another time gives another.
fn is_overdue(ask: &Ask, answer: &Answer) -> bool {
    let overdue = |result: &Evaluated| matches!(result, Err(Failure::Overdue(_)));
    match (&ask.want, &answer.outcome) {
        (Want::Evaluate(evaluation), crate::interpreter::Outcome::Evaluated(results)) => {
            evaluation.budget == Budget::Run && results.iter().any(overdue)
        }
        _ => false,
    }
}

fn callback(machine: &Machine, ask: &Ask) -> Option<Callback> {
    let state = machine.definition().state(ask.state)?;
    match (&state.kind, &ask.want) {
        (StateKind::Task(task), Want::Call { input, .. }) => Callback::of(task, input),
        _ => None,
    }
}
