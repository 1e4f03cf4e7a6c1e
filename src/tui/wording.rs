//! Texts about the outcomes and the outputs of the session's commands, with their style roles. The texts name each
//! action by its key. Also shows these texts: the answers to questions about origins in the banner, all others as
//! messages.

use super::action::Action;
use super::app::App;
use super::caption::Said;
use super::finding::Findings;
use super::fit::Piece;
use super::keymap::Keymap;
use super::theme::Role;
use super::whereabouts::HEADLINE;
use crate::definition::Definition;
use crate::session::{Output, Refused, Reply};
use crate::wording::{self, Way, Weight};

/// Text about the outcome of a command; `None` if the screen shows this outcome anyway.
#[must_use]
pub fn reply(reply: &Reply, keymap: &Keymap) -> Option<String> {
    wording::reply(reply, &|way| key(way, keymap))
}

/// Text that says why the session refused a command, and the style role of the text.
#[must_use]
pub fn refused(refused: &Refused, keymap: &Keymap) -> (String, Role) {
    coloured(wording::refused(refused, &|way| key(way, keymap)))
}

/// Text of an output of the session, and the style role of the text.
#[must_use]
pub fn output(output: &Output, definition: &Definition, keymap: &Keymap) -> (String, Role) {
    coloured(wording::output(output, definition, &|way| key(way, keymap)))
}

/// Text of the banner for an answer to the question where a value comes from: first the answer, then the finding of
/// `check` about the place in the source that the answer names, if there is one.
#[must_use]
pub fn explained(
    output: &Output,
    definition: &Definition,
    findings: &Findings,
    keymap: &Keymap,
) -> Said {
    let origin = wording::origin(output, definition, &|way| key(way, keymap));
    let (said, text, role) = match origin {
        Some(origin) => (
            Piece::of(&origin, 0, HEADLINE),
            origin.to_string(),
            Role::Info,
        ),
        None => {
            let (text, role) = self::output(output, definition, keymap);
            (Piece::cut(&text, 0, HEADLINE), text, role)
        }
    };
    let span = match output {
        // If the answer says that a text was not evaluated, the finding would only say the same.
        Output::Origin { origin, place, .. } if !origin.is_left_as_text(*place) => {
            origin.span(*place)
        }
        _ => None,
    };
    let finding = span.and_then(|span| {
        let line = definition.sources.line(span)?;
        findings.at(line, span)
    });
    // A finding whose message is already part of the answer is not added.
    let finding = finding.filter(|finding| !text.contains(&finding.message));
    match finding {
        Some(finding) => Said::new(
            vec![said, Piece::new(finding.said.as_str(), 3)],
            Role::Warning,
        ),
        None => Said::new(vec![said], role),
    }
}

fn coloured((text, weight): (String, Weight)) -> (String, Role) {
    let role = match weight {
        Weight::Info => Role::Info,
        Weight::Warning => Role::Warning,
    };
    (text, role)
}

fn key(way: Way, keymap: &Keymap) -> String {
    let key = |action| keymap.shown(action);
    match way {
        Way::GoOn => {
            let (next_key, step_key) = (key(Action::Next), key(Action::Step));
            let continue_key = key(Action::Continue);
            format!("{next_key}, {step_key} or {continue_key}")
        }
        Way::Step => format!("{} and {}", key(Action::Step), key(Action::Next)),
        Way::Restart => key(Action::Restart),
        Way::ReverseContinue => key(Action::ReverseContinue),
        Way::Follow => key(Action::WhoWrote),
        Way::Return => key(Action::Now),
        Way::Answer => key(Action::Answer),
        Way::GiveMachine => "--child NAME=FILE".to_owned(),
        Way::TakeBack => format!("{key} in the list of tasks", key = key(Action::Remove)),
    }
}

impl App {
    /// Shows the outputs and the outcome of a command to the user.
    pub(super) fn told(&mut self, result: Result<crate::session::Reply, Refused>) {
        let mut texts = self.outputs();
        match result {
            Ok(done) => {
                let text = reply(&done, &self.setup.keymap);
                texts.extend(text.map(|text| (text, Role::Info)));
            }
            // At the end of the run, the banner already says which actions are possible, so this refusal is not shown.
            Err(Refused::Over) => {}
            Err(why) => {
                texts.push(refused(&why, &self.setup.keymap));
                if matches!(why, Refused::NoEvent { .. } | Refused::NothingRecorded) {
                    self.queue.clear();
                }
            }
        }
        self.say_all(texts);
    }

    /// Takes the session's new outputs and returns them as texts. Answers to questions about the origin of a value are
    /// not returned, because the banner shows them.
    pub(super) fn outputs(&mut self) -> Vec<(String, Role)> {
        let is_answer = |new: &Output| matches!(new, Output::Origin { .. } | Output::Absent(_));
        let (answers, others): (Vec<Output>, Vec<Output>) =
            self.session.take_outputs().into_iter().partition(is_answer);
        let keymap = &self.setup.keymap;
        let definition = self.session.definition();
        // Two outputs are left out, because the sentence about the stop already says the same: that the focus moved,
        // and that the run differs after a reload.
        let shown = others.iter();
        let shown =
            shown.filter(|new| !matches!(new, Output::FocusMoved { .. } | Output::Differs { .. }));
        let mut texts: Vec<(String, Role)> =
            shown.map(|new| output(new, definition, keymap)).collect();
        let asked = self.model.asked.as_mut().filter(|_| !answers.is_empty());
        texts.extend(asked.and_then(|asked| asked.other(keymap)));
        if let Some(answer) = answers.last() {
            let said = explained(answer, definition, &self.findings, keymap);
            self.model.explained = Some(said);
        }
        texts
    }

    /// Shows the texts as one message, if there are any. The message is a warning if any of the texts is a warning.
    pub(super) fn say_all(&mut self, texts: Vec<(String, Role)>) {
        let warns = texts.iter().any(|(_, role)| *role == Role::Warning);
        let role = if warns { Role::Warning } else { Role::Info };
        let texts: Vec<String> = texts.into_iter().map(|(text, _)| text).collect();
        if !texts.is_empty() {
            self.model.say(texts.join("; "), role);
        }
    }
}
