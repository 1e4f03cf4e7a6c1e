//! Answers that the user types for the waiting task.

use super::debuggee::Debuggee;
use super::outbox::Outbox;
use super::refusal::Refusal;
use crate::interpreter::{Answer, AskId, Outcome};
use crate::session::Command;
use crate::session::grammar::parse_answer;

impl Debuggee {
    /// The waiting task to answer: the one of the focus frame, otherwise the first one.
    fn task(&self) -> Result<AskId, Refusal> {
        self.standing()?;
        let view = self.session.view();
        let focus = view.frames.last().map(|frame| frame.frame);
        let tasks = || view.tasks.iter().map(|task| &task.ask);
        let own = tasks().find(|ask| Some(ask.frame) == focus);
        let found = own
            .or_else(|| tasks().find(|ask| Some(ask.state) == view.current))
            .or_else(|| tasks().next());
        found
            .map(|ask| ask.id)
            .ok_or_else(|| Refusal::new("no task is waiting for an answer"))
    }

    /// Answers with a result.
    pub fn answer(&mut self, argument: &str, out: &mut Outbox) -> Result<String, Refusal> {
        let ask = self.task()?;
        if argument.is_empty() {
            let offer = self.session.offer(ask);
            let offer = offer.ok_or_else(|| Refusal::new("this task cannot be answered now"))?;
            let result = crate::json::one_line(&offer.result);
            return Err(Refusal::new(format!(
                "answer with what? The task could give: {result}"
            )));
        }
        let typed = parse_answer(argument)?;
        let command = match typed.reach {
            None => Command::Answer(ask, typed.answer),
            Some(reach) => Command::AnswerAll(ask, typed.answer, reach),
        };
        self.given(command, out)
    }

    /// Answers with an error.
    pub fn fail(&mut self, argument: &str, out: &mut Outbox) -> Result<String, Refusal> {
        let ask = self.task()?;
        let (error, cause) = argument.split_once(' ').unwrap_or((argument, ""));
        if error.is_empty() {
            return Err("fail with which error? fail ERROR [CAUSE]".into());
        }
        let answer = Answer::failure(error, cause.trim());
        self.given(Command::Answer(ask, answer), out)
    }

    /// Makes the task never answer.
    pub fn never_answer(&mut self, out: &mut Outbox) -> Result<String, Refusal> {
        let ask = self.task()?;
        let answer = Answer {
            outcome: Outcome::Never,
            took: 0,
            heartbeats: Vec::new(),
        };
        self.given(Command::Answer(ask, answer), out)
    }

    fn given(&mut self, command: Command, out: &mut Outbox) -> Result<String, Refusal> {
        let said = self.say(command, out)?;
        self.invalidate(&["stacks", "variables"], out);
        Ok(said)
    }
}
