//! Shows outcomes and outputs of commands as messages; the answer to `who` goes to the banner.

use super::app::App;
use super::model::Message;
use super::theme::Role;
use super::wording;
use crate::session::{Output, Refused};

impl App {
    /// Shows the outputs and the outcome of a command.
    pub(super) fn told(&mut self, result: Result<crate::session::Reply, Refused>) {
        let mut told = self.outputs();
        match result {
            Ok(reply) => {
                let text = wording::reply(&reply, &self.setup.keymap);
                told.extend(text.map(|text| (text, Role::Info)));
            }
            // At the end of the run, its description already lists the possible actions, so this refusal is not
            // reported.
            Err(Refused::Over) => {}
            Err(refused) => {
                told.push(wording::refused(&refused, &self.setup.keymap));
                if matches!(refused, Refused::NoEvent { .. } | Refused::NothingRecorded) {
                    self.queue.clear();
                }
            }
        }
        self.say_all(told);
    }

    /// The session's new outputs as texts; the answer to `who` goes to the banner.
    pub(super) fn outputs(&mut self) -> Vec<(String, Role)> {
        let mut outputs: Vec<Output> = self.session.take_outputs();
        // The banner says where a run differs from the previous one.
        outputs.retain(|output| !matches!(output, Output::Differs { .. }));
        let is_answer =
            |output: &Output| matches!(output, Output::Origin { .. } | Output::Absent(_));
        let (answers, outputs): (Vec<Output>, Vec<Output>) =
            outputs.into_iter().partition(is_answer);
        let keymap = &self.setup.keymap;
        let definition = self.session.definition();
        let mut told = wording::outputs(&outputs, definition, keymap);
        let asked = self.model.asked.as_mut().filter(|_| !answers.is_empty());
        told.extend(asked.and_then(|asked| asked.other(keymap)));
        if let Some(answer) = answers.last() {
            let said = wording::explained(answer, definition, &self.findings, keymap);
            self.model.explained = Some(said);
        }
        told
    }

    pub(super) fn say_all(&mut self, told: Vec<(String, Role)>) {
        if let Some(message) = joined(told) {
            self.model.message = Some(message);
        }
    }
}

/// Combines messages into one; it is a warning if any of them is.
fn joined(told: Vec<(String, Role)>) -> Option<Message> {
    let warns = told.iter().any(|(_, role)| *role == Role::Warning);
    let texts: Vec<String> = told.into_iter().map(|(text, _)| text).collect();
    (!texts.is_empty()).then(|| Message {
        text: texts.join("; "),
        role: if warns { Role::Warning } else { Role::Info },
    })
}
