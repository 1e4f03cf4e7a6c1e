//! Texts about the session with key bindings for actions, and their roles.

use super::action::Action;
use super::caption::Said;
use super::finding::Findings;
use super::fit::Piece;
use super::keymap::Keymap;
use super::theme::Role;
use super::whereabouts::HEADLINE;
use crate::definition::Definition;
use crate::session::{Output, Refused, Reply};
use crate::wording::{self, Way, Weight};

/// Description of a command's effect; `None` if the user sees it anyway.
#[must_use]
pub fn reply(reply: &Reply, keymap: &Keymap) -> Option<String> {
    wording::reply(reply, &|way| key(way, keymap))
}

/// The reason why a command is refused, and its role.
#[must_use]
pub fn refused(refused: &Refused, keymap: &Keymap) -> (String, Role) {
    coloured(wording::refused(refused, &|way| key(way, keymap)))
}

/// Texts of outputs; a change of the focus is mentioned in the sentence of its stop.
#[must_use]
pub fn outputs(
    outputs: &[Output],
    definition: &Definition,
    keymap: &Keymap,
) -> Vec<(String, Role)> {
    let told = outputs.iter();
    let told = told.filter(|output| !matches!(output, Output::FocusMoved { .. }));
    let told = told.map(|one| output(one, definition, keymap));
    told.collect()
}

/// Text of an output, and its role.
#[must_use]
pub fn output(output: &Output, definition: &Definition, keymap: &Keymap) -> (String, Role) {
    coloured(wording::output(output, definition, &|way| key(way, keymap)))
}

/// Text of the banner for an answer to `who`: the answer, then the diagnostic at the place that it leads to.
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
        // For text that was not evaluated, the sentence already says what is wrong.
        Output::Origin { origin, place, .. } if !origin.is_left_as_text(*place) => {
            origin.span(*place)
        }
        _ => None,
    };
    let found = span.and_then(|span| {
        let line = definition.sources.place(span)?.line;
        findings.at(line, span)
    });
    // A diagnostic whose message the text already contains is not added.
    let found = found.filter(|found| !text.contains(&found.message));
    match found {
        Some(found) => Said::new(
            vec![said, Piece::new(found.said.as_str(), 3)],
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
    let key = |action| keymap.shown(action).unwrap_or_default();
    match way {
        Way::GoOn => {
            let (next, step) = (key(Action::Next), key(Action::Step));
            format!("{next}, {step} or {}", key(Action::Continue))
        }
        Way::Step => format!("{} and {}", key(Action::Step), key(Action::Next)),
        Way::Restart => key(Action::Restart),
        Way::ReverseContinue => key(Action::ReverseContinue),
        Way::Follow => key(Action::WhoWrote),
        Way::Return => key(Action::Now),
        Way::Answer => key(Action::Answer),
        Way::GiveMachine => "--child NAME=FILE".to_owned(),
        Way::TakeBack => format!("{} in the tasks", key(Action::Remove)),
    }
}
