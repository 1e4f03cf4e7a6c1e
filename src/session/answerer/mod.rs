//! Decides which source answers a request that a state makes, such as the call of a task. The debugger, `run`,
//! `test-state` and child executions all use this module.
//!
//! Asks these sources in this order, and uses the first answer:
//!
//! 1. the server (JSONata; files and folders for ItemReader and ResultWriter), or its answer to the same request in a
//!    previous run
//! 2. an earlier answer: from a previous run, or from a saved session
//! 3. a rule of the user that matches the request: the narrowest rule, and the latest of several equally narrow ones
//! 4. a recorded answer
//! 5. the mock file's test case
//! 6. a call of the target that the user named for the task; a target that was already called for this request is not
//!    called again unless the user asks for it
//! 7. for a task that starts an execution: a child execution, if the user gave its state machine
//! 8. in a child execution, for a call that sends a task token (`SendTaskSuccess`): an enclosing task that waits for
//!    this token
//! 9. the option `--unmocked`, as this table shows
//!
//! | request without an answer | `ask` | `echo` | `fail` |
//! |---|---|---|---|
//! | a task | no answer | returns its input in the shape of its resource | fails: `States.TaskFailed` |
//! | a task whose child execution has no result | no answer | like a task, with a remark | like a task, with reason |
//! | an ItemReader | no answer | fails: `States.ItemReaderFailed`, with a remark | fails: `States.ItemReaderFailed` |
//! | a call after the last mocked answer; a limit on child executions | no answer | no answer | no answer |
//!
//! If a request has no answer, the debugger stops and asks the user. `run` and `test-state` have no user to ask: they
//! end with status 2 and say how to provide an answer. A child execution ends, and the second row applies to the task
//! that started it. `test-state` does not have the option `--unmocked`, so that only the column `ask` applies.
//!
//! Answers are stored under the key of their request ([`AskKey`]). Only a mock file uses call numbers instead;
//! `answer_rule` numbers the calls.

mod answer_rule;
mod earlier;

pub use answer_rule::{AnswerRule, Repeats};
pub use earlier::{Earlier, TypedAnswer};

use super::answers::{MockCase, RecordedAnswers, RecordedItems, RunOut, Taken};
use super::execution::{Callback, ChildRequest, Children};
use super::log::AnsweredBy;
use super::no_answer::{NoAnswer, Remark};
use super::service_response;
use crate::definition::{CallPattern, Definition, State, StateKind, StatePath};
use crate::interpreter::{Answer, Ask, AskKey, Machine, Outcome, Serve, Served, Want};
use crate::json::{Text, Value};
use crate::query::jsonata::{Budget, Evaluated, Failure};
use answer_rule::CallNumbers;
use std::cmp::Reverse;
use std::sync::Arc;

/// How to answer a request that no other source answers. The values are the columns of the table above.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Unmocked {
    /// Ask the user, if there is one.
    #[default]
    Ask,
    /// The task succeeds: its result is its input, in the shape that its resource returns.
    Echo,
    /// The task fails.
    Fail,
}

/// How a request is answered.
#[derive(Clone, Debug)]
pub enum Decision {
    /// The server (`Serve`) or the called target is still working on the answer: decide again later.
    Later,
    /// The server (`Serve`), which evaluates JSONata and accesses files, has answered.
    Serve(Answer),
    /// A source other than the server (`Serve`) has answered, such as the mock file or a recording; [`AnsweredBy`] says
    /// which.
    Answer(Answer, AnsweredBy),
    /// A child execution has to be run to get the answer.
    Start(Box<ChildRequest>),
    /// There is no answer, for this reason.
    NoAnswer(NoAnswer),
}

/// How a request of a child execution is answered.
#[derive(Clone, Debug)]
pub(super) enum ChildDecision {
    /// The request is answered like a request of the outermost execution.
    Decided(Decision),
    /// The call sends the token of an enclosing task. The result of the call is an empty object.
    Callback(Callback),
}

/// The sources of answers other than the server (`Serve`), the user and earlier runs.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// Answers of a recorded execution.
    pub recorded: Arc<RecordedAnswers>,
    /// Recorded child executions of DISTRIBUTED Maps, each for one item.
    pub items: Arc<RecordedItems>,
    /// A test case of a mock file.
    pub mock: Option<MockCase>,
    /// The state machines that tasks can run as child executions.
    pub children: Arc<Children>,
    /// How to answer requests that no other source answers.
    pub unmocked: Unmocked,
}

/// Answers the requests of one execution.
#[derive(Clone, Debug)]
pub struct Answerer {
    server: Arc<dyn Serve>,
    earlier: Earlier,
    /// Rules of the user, oldest first.
    rules: Vec<AnswerRule>,
    sources: Sources,
    taken: Taken,
    numbers: CallNumbers,
    /// Nesting depth of the execution whose requests are answered.
    depth: usize,
    /// Remarks for the user on the decisions, oldest first.
    remarks: Vec<Remark>,
}

/// The mocked answers that the next calls of the run will get. They do not depend on which event of the timeline is
/// shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MocksToCome {
    /// The next mocked answer of each entry of the test case.
    pub entries: Vec<MockedNext>,
    /// The mocked answer for the next call of the shown task; `None` if a recorded answer comes first.
    pub next: Option<MockedNext>,
}

/// The mocked answer for the next call of an entry of the test case.
#[derive(Clone, Debug, PartialEq)]
pub struct MockedNext {
    /// The entry: name of a state, function or resource.
    pub entry: Text,
    /// Name of the mocked response.
    pub response: Text,
    /// Number of the call, starting at 0.
    pub number: u64,
    /// The answer; `None` if the response has no answer for a call with this number.
    pub answer: Option<Answer>,
}

impl Answerer {
    /// Creates an answerer without earlier answers and rules.
    #[must_use]
    pub fn new(server: Arc<dyn Serve>, repeats: Repeats, sources: Sources) -> Self {
        Self {
            server,
            earlier: Earlier::default(),
            rules: Vec::new(),
            sources,
            taken: Taken::default(),
            numbers: CallNumbers::new(repeats),
            depth: 0,
            remarks: Vec::new(),
        }
    }

    /// Replaces the recorded answers.
    pub(super) fn set_recorded(
        &mut self,
        recorded: Arc<RecordedAnswers>,
        items: Arc<RecordedItems>,
    ) {
        (self.sources.recorded, self.sources.items) = (recorded, items);
        self.taken = Taken::default();
    }

    /// Creates the answerer of a child execution. The child has its own test case and no recorded answers; it shares
    /// the server, the state machines and `--unmocked` with this answerer.
    pub(super) fn for_child(&self, request: &ChildRequest, repeats: Repeats) -> Self {
        let sources = Sources {
            mock: request.case.clone(),
            children: Arc::clone(&self.sources.children),
            unmocked: self.sources.unmocked,
            ..Sources::default()
        };
        Self {
            depth: self.depth.saturating_add(1),
            ..Self::new(Arc::clone(&self.server), repeats, sources)
        }
    }

    /// The child execution that a request starts, if its state machine is known and can be run.
    pub(super) fn child(&self, machine: &Machine, ask: &Ask) -> Option<ChildRequest> {
        self.sources
            .children
            .request(machine, ask, self.depth)?
            .ok()
    }

    /// The state machines that tasks can run as child executions.
    pub(super) fn children(&self) -> &Children {
        &self.sources.children
    }

    /// Nesting depth of the execution whose requests are answered.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// Decides how to answer a request of the outermost execution. Waits at most some milliseconds for the server
    /// (`Serve`).
    pub fn decide(&mut self, machine: &Machine, ask: &Ask) -> Decision {
        let decision = self.at_hand(machine, ask);
        decision.unwrap_or_else(|why| self.by_unmocked(machine, ask, why))
    }

    /// Decides how to answer a request of a child execution. `tokens` are the task tokens that enclosing tasks wait
    /// for.
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
        if self.server.is_calling(machine, ask) {
            return self.called(machine, ask);
        }
        // Each call for which the test case has an entry gets a number, even if another source answers the call.
        let mocked = self.mocked(machine, ask);
        if let Some((answer, by)) = self.known(ask, input) {
            return Ok(Decision::Answer(answer, by));
        }
        if let Some(rule) = self.rule(machine, ask) {
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
        match self.sources.children.request(machine, ask, self.depth) {
            Some(request) => Ok(Decision::Start(Box::new(request?))),
            None if matches!(ask.want, Want::Read { .. }) => Err(NoAnswer::Unread),
            None => Err(NoAnswer::Nowhere),
        }
    }

    /// The user's rule that answers a request: the narrowest rule that matches; of several equally narrow rules, the
    /// latest.
    fn rule(&self, machine: &Machine, ask: &Ask) -> Option<&AnswerRule> {
        let mut rules: Vec<&AnswerRule> = self.rules.iter().rev().collect();
        rules.sort_by_key(|rule| Reverse(rule.narrowness()));
        // Stops at the first rule that matches, because checking a rule may mean evaluating its condition.
        let mut rules = rules.into_iter();
        rules.find(|rule| rule.fits(machine, ask, &*self.server))
    }

    /// True if `rule` would answer a request after the user has added `rule` to the other rules.
    pub(in crate::session) fn would_answer(
        &self,
        rule: &AnswerRule,
        machine: &Machine,
        ask: &Ask,
    ) -> bool {
        let is_first = |known: &AnswerRule| known.narrowness() <= rule.narrowness();
        rule.fits(machine, ask, &*self.server) && self.rule(machine, ask).is_none_or(is_first)
    }

    /// Calls the target that the user named for the task, and returns the answer of the target as soon as there is an
    /// answer.
    fn called(&self, machine: &Machine, ask: &Ask) -> Result<Decision, NoAnswer> {
        let waits = waits_for_token(machine, ask) && !self.server.takes_tokens();
        match self.server.call_soon(machine, ask) {
            // The task ends when its token is sent back, so the result of the call is not the task's result.
            Served::Now(answer) if waits && matches!(answer.outcome, Outcome::Success(_)) => {
                Err(NoAnswer::Token)
            }
            Served::Now(answer) => Ok(Decision::Answer(answer, AnsweredBy::Target)),
            Served::Later => Ok(Decision::Later),
            Served::Not => Err(NoAnswer::Nowhere),
        }
    }

    /// True if other branches and items can continue while the target of the task is being called. False if the task
    /// waits for a token that the server (`Serve`) cannot receive, because the user has to be asked when the call ends.
    #[must_use]
    pub fn calls_beside(&self, machine: &Machine, ask: &Ask) -> bool {
        self.server.calls_several()
            && self.server.is_calling(machine, ask)
            && (self.server.takes_tokens() || !waits_for_token(machine, ask))
    }

    /// True if the request gets an answer without asking the user.
    #[must_use]
    pub fn has_answer(&self, machine: &Machine, ask: &Ask) -> bool {
        let Some(input) = asked_with(&ask.want) else {
            return false;
        };
        let known = self.earlier.get(&ask.key).map(|known| &known.recorded);
        let recorded = known.into_iter().chain(self.sources.recorded.get(&ask.key));
        let state = machine.definition().state(ask.state);
        let mocked = state.and_then(|state| self.mocked_for(state, Some(&ask.key)));
        recorded.into_iter().any(|answer| answer.fits(input))
            || mocked.is_some_and(|mock| mock.answer.is_some())
            || (self.rules.iter()).any(|rule| rule.fits(machine, ask, &*self.server))
            || matches!(
                self.sources.children.request(machine, ask, self.depth),
                Some(Ok(_))
            )
    }

    fn known(&mut self, ask: &Ask, input: &Value) -> Option<(Answer, AnsweredBy)> {
        let known = self.earlier.get(&ask.key)?;
        if known.recorded.fits(input) {
            return Some((known.recorded.answer.clone(), known.by));
        }
        // The earlier answer is for another input, so it is not used. Only if the user gave it, a remark says so. A
        // child execution, for example, is simply run again.
        if known.by == AnsweredBy::Person {
            self.remarks.push(Remark::OtherData(ask.key.path.clone()));
        }
        None
    }

    fn recorded(&mut self, machine: &Machine, ask: &Ask, input: &Value) -> Option<Answer> {
        let known = self.sources.recorded.get(&ask.key);
        let recorded = known.or_else(|| self.taken.answer(&self.sources.items, machine, ask))?;
        if recorded.fits(input) {
            return Some(recorded.answer.clone());
        }
        self.remarks
            .push(Remark::OtherThanRecorded(ask.key.path.clone()));
        None
    }

    /// The mocked answer for a call; `None` if the test case has no entry for the state or for the function or resource
    /// that the state calls.
    fn mocked(&mut self, machine: &Machine, ask: &Ask) -> Option<Result<Answer, RunOut>> {
        let mock = self.sources.mock.as_ref()?;
        let entry = mock.entry_of(machine.definition().state(ask.state)?)?;
        mock.answer(entry, self.numbers.number(entry, &ask.key))
    }

    /// Name of the mocked response for a state, and number (from 0) of the call with this key; `None` if the call was
    /// not made.
    #[must_use]
    pub fn mocked_call(&self, state: &State, key: &AskKey) -> Option<(Text, u64)> {
        let entry = self.sources.mock.as_ref()?.entry_of(state)?;
        let number = self.numbers.given(entry, key)?;
        Some((
            self.sources.mock.as_ref()?.response_of(entry)?.clone(),
            number,
        ))
    }

    /// The next mocked answer of each entry of the test case.
    pub fn mocked_next(&self) -> impl Iterator<Item = MockedNext> {
        let entries = self.sources.mock.iter().flat_map(MockCase::entries);
        entries.filter_map(|entry| self.next_of(entry, self.numbers.next(entry)))
    }

    /// The mocked answer for a call of a state: for the call with this key if it was made before, otherwise for the
    /// next call.
    #[must_use]
    pub fn mocked_for(&self, state: &State, key: Option<&AskKey>) -> Option<MockedNext> {
        let entry = self.sources.mock.as_ref()?.entry_of(state)?;
        let given = key.and_then(|key| self.numbers.given(entry, key));
        self.next_of(entry, given.unwrap_or_else(|| self.numbers.next(entry)))
    }

    fn next_of(&self, entry: &Text, number: u64) -> Option<MockedNext> {
        let mock = self.sources.mock.as_ref()?;
        Some(MockedNext {
            entry: entry.clone(),
            response: mock.response_of(entry)?.clone(),
            number,
            answer: mock.answer(entry, number)?.ok(),
        })
    }

    /// The answer that `--unmocked` prescribes for a request that no source answers; `why` is the reason why there is
    /// no answer.
    ///
    /// # Errors
    ///
    /// The reason why there is no answer, if `--unmocked` does not prescribe one.
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
        if self.sources.unmocked == Unmocked::Ask || !why.follows_unmocked() {
            return Err(why);
        }
        let StateKind::Task(task) = &state.kind else {
            if self.sources.unmocked == Unmocked::Echo {
                let state = state.path.0.clone();
                self.remarks.push(Remark::NothingToEcho(state));
            }
            let cause = "no folder or file was given for the ItemReader";
            return Ok(Answer::failure("States.ItemReaderFailed", cause));
        };
        if self.sources.unmocked == Unmocked::Echo {
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
        let cause = match (why, &self.sources.mock) {
            (NoAnswer::Child(problem), _) => problem.to_string(),
            (_, Some(mock)) => format!(
                "the test case {test_case} has no answer for {state}",
                state = state.name,
                test_case = mock.name
            ),
            (_, None) => format!(
                "no answer for {state}: a task without an answer fails (--unmocked fail)",
                state = state.name
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

    /// Removes and returns the remarks since the last call of this function, oldest first.
    pub fn take_remarks(&mut self) -> Vec<Remark> {
        std::mem::take(&mut self.remarks)
    }

    /// The server, which evaluates JSONata and reads and writes files.
    #[must_use]
    pub fn server(&self) -> &Arc<dyn Serve> {
        &self.server
    }

    /// The answers of previous runs.
    #[must_use]
    pub fn earlier(&self) -> &Earlier {
        &self.earlier
    }

    /// The answers of previous runs, mutable.
    pub fn earlier_mut(&mut self) -> &mut Earlier {
        &mut self.earlier
    }

    /// The answer that the request with this key got in a previous run or in a recorded execution. The request may have
    /// had another input there.
    #[must_use]
    pub fn offered(&self, key: &AskKey) -> Option<&Answer> {
        let before = self.earlier.offered(key);
        let recorded = before.or_else(|| self.sources.recorded.get(key));
        recorded.map(|recorded| &recorded.answer)
    }

    /// The user's rules, oldest first.
    #[must_use]
    pub fn rules(&self) -> &[AnswerRule] {
        &self.rules
    }

    /// Adds a rule, and forgets the earlier answers to the requests that the rule answers. Otherwise, the earlier
    /// answers would take precedence.
    pub fn add_rule(&mut self, definition: &Definition, rule: AnswerRule) {
        self.earlier.forget(|key| rule.is_of(definition, key));
        self.rules.push(rule);
    }

    /// Removes and returns the rule with this index.
    pub fn remove_rule(&mut self, place: usize) -> Option<AnswerRule> {
        (place < self.rules.len()).then(|| self.rules.remove(place))
    }

    /// Replaces the state machines of child executions. If the new state machines differ from the old ones, forgets the
    /// answers of child executions and returns true.
    pub fn set_children(&mut self, children: Arc<Children>) -> bool {
        let differ = !self.sources.children.agree(&children);
        if differ {
            self.earlier.forget_children();
        }
        self.sources.children = children;
        differ
    }

    /// Prepares for a new run: numbers the calls from 0 again.
    pub fn begin_run(&mut self) {
        let numbers = self.numbers.clear();
        self.server.discard(Box::new(numbers));
    }

    /// Prepares for a repetition of the run with another definition. Calls keep their numbers, except calls of states
    /// that no longer exist.
    pub fn begin_repetition(&mut self, definition: &Definition) {
        self.numbers
            .retain(|path| definition.find(&StatePath(path.clone())).is_some());
    }

    /// Forgets all answers of the user and of previous runs.
    pub fn forget_all(&mut self) {
        self.earlier.clear();
        self.rules.clear();
    }
}

/// Input of a request that the user may answer: the effective input of a task or the arguments of an ItemReader; `None`
/// for other requests.
#[must_use]
pub fn asked_with(want: &Want) -> Option<&Value> {
    match want {
        Want::Call { input, .. } => Some(input),
        Want::Read { arguments, .. } => Some(arguments),
        Want::Write { .. } | Want::Evaluate(_) => None,
    }
}

fn waits_for_token(machine: &Machine, ask: &Ask) -> bool {
    let state = machine.definition().state(ask.state);
    state.is_some_and(|state| match &state.kind {
        StateKind::Task(task) => task.pattern() == Some(CallPattern::Callback),
        _ => false,
    })
}

/// True if the request is an evaluation and `answer` says that the time limit stopped it. This answer is not used,
/// because the next evaluation may end in time.
fn is_overdue(ask: &Ask, answer: &Answer) -> bool {
    let Want::Evaluate(evaluation) = &ask.want else {
        return false;
    };
    evaluation.budget == Budget::Run && was_stopped(&answer.outcome) == Some(true)
}

/// True if the time limit stopped an evaluation; `None` if the outcome does not come from an evaluation.
pub(super) fn was_stopped(outcome: &Outcome) -> Option<bool> {
    let overdue = |result: &Evaluated| matches!(result, Err(Failure::Overdue(_)));
    match outcome {
        Outcome::Evaluated(results) => Some(results.iter().any(overdue)),
        _ => None,
    }
}

fn callback(machine: &Machine, ask: &Ask) -> Option<Callback> {
    let state = machine.definition().state(ask.state)?;
    match (&state.kind, &ask.want) {
        (StateKind::Task(task), Want::Call { input, .. }) => Callback::of(task, input),
        _ => None,
    }
}
