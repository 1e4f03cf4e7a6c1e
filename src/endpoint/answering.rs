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
use crate::interpreter::{Answer, Ask, Want};
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
        let mut answerer = Answerer::new(server, Repeats::Never).with_unmocked(policy);
        let answer = answerer.unmocked(machine, ask, why);
        answer.unwrap_or_else(|why| Answer::failure("States.Runtime", why.to_string()))
    }
}
