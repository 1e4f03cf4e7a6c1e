//! Answers tasks. The first of these that applies is used:
//!
//! 1. The sources that every run has: JSONata evaluation, files given at the start, the test case of the mock file.
//! 2. This server: executions that a task starts, task tokens that it sends back, any other operation of
//!    `aws-sdk:sfn`.
//! 3. A worker of the activity, or any client that sends the task's token.
//! 4. The `--unmocked` option.

use super::desk::Given;
use super::runner::Runner;
use crate::definition::{Integration, StateKind};
use crate::interpreter::{Answer, Ask, Outcome, Want};
use crate::session::answerer::{Answerer, Repeats};
use crate::session::no_answer::NoAnswer;
use std::sync::Arc;

impl Runner {
    /// Answers a request of the machine that the run has no answer to, or arranges for a later answer.
    pub(super) fn answer(&mut self, ask: &Ask, why: NoAnswer) {
        let machine = self.run.machine();
        let state = machine.definition().state(ask.state);
        if let (Want::Call { token, .. }, NoAnswer::Token) = (&ask.want, &why)
            && let Some(token) = token
        {
            return self.wait_for_token(ask.id, token);
        }
        let answer = match (state.map(|state| &state.kind), &ask.want, &why) {
            (Some(StateKind::Task(task)), Want::Call { input, token, .. }, NoAnswer::Nowhere) => {
                if task.integration == Integration::Activity {
                    // A worker may take the task as soon as it is scheduled.
                    self.published.show_when_taken(ask);
                }
                self.desk.of_task(ask, task, input, token.as_deref())
            }
            _ => None,
        };
        match answer {
            Some(Given::Now(answer)) => self.run.machine_mut().answer(ask.id, answer),
            Some(Given::Token(token)) => self.hold(ask.id, token),
            Some(Given::Later) => self.children += 1,
            None => {
                let answer = self.unmocked(ask, why);
                self.run.machine_mut().answer(ask.id, answer);
            }
        }
    }

    /// Answers a task according to the `--unmocked` option.
    fn unmocked(&self, ask: &Ask, why: NoAnswer) -> Answer {
        let machine = self.run.machine();
        let server = Arc::clone(&self.desk.api.worker);
        let policy = self.desk.api.options.unmocked;
        let is_nowhere = why == NoAnswer::Nowhere;
        let mut answerer = Answerer::new(server, Repeats::Never).with_unmocked(policy);
        match answerer.unmocked(machine, ask, why) {
            Ok(mut answer) => {
                let state = machine.definition().state(ask.state);
                if let (Outcome::Failure { cause, .. }, Some(state), true) =
                    (&mut answer.outcome, state, is_nowhere)
                {
                    *cause = Some(self.no_answer(&state.name).into());
                }
                answer
            }
            Err(why) => Answer::failure("States.Runtime", why.to_string()),
        }
    }

    /// Why a task has no answer, and how to start the execution so that it has one.
    fn no_answer(&self, state: &str) -> String {
        let execution = &self.desk.execution;
        let mock = self.desk.api.mock().ok().flatten();
        let machine = [&*execution.of.name];
        let cases = mock.as_ref().and_then(|mock| mock.file.cases(&machine));
        let why = match (&execution.test_case, cases.unwrap_or_default()) {
            (Some(case), _) => format!("the test case {case} has none"),
            (None, [first, rest @ ..]) => {
                let others = rest.iter().map(|case| format!(", or #{}", case.name));
                let (arn, others) = (&execution.of.machine, others.collect::<String>());
                format!("no test case is named; start {arn}#{}{others}", first.name)
            }
            (None, []) => "there is no test case for it (--mock)".to_string(),
        };
        format!("no answer for {state}: {why}")
    }
}
