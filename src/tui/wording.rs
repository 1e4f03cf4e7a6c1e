//! What a session says in its sentences, ways to go on named as their keys are bound, and the colour of each.

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

/// What a command did; `None` where that is seen anyway.
#[must_use]
pub fn reply(reply: &Reply, keymap: &Keymap) -> Option<String> {
    wording::reply(reply, &|way| key(way, keymap))
}

/// Why a command was not done, and how much that matters.
#[must_use]
pub fn refused(refused: &Refused, keymap: &Keymap) -> (String, Role) {
    coloured(wording::refused(refused, &|way| key(way, keymap)))
}

/// What came up: where a stop moved the focus to stands in its own sentence.
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

/// What came up, and how much it matters.
#[must_use]
pub fn output(output: &Output, definition: &Definition, keymap: &Keymap) -> (String, Role) {
    coloured(wording::output(output, definition, &|way| key(way, keymap)))
}

/// What the banner says to an answer to `who`: the answer, then what `check` finds at the place that it leads to.
#[must_use]
pub fn explained(
    output: &Output,
    definition: &Definition,
    findings: &Findings,
    keymap: &Keymap,
) -> Said {
    let (text, role) = self::output(output, definition, keymap);
    let span = match output {
        // What is at fault with a text that was left as it is, the sentence says itself.
        Output::Origin { origin, place, .. } if !origin.is_left_as_text(*place) => {
            origin.span(*place)
        }
        _ => None,
    };
    let found = span.and_then(|span| {
        let line = definition.sources.place(span)?.line;
        findings.at(line, span)
    });
    // So it does where the finding is what failed.
    let found = found.filter(|found| !text.contains(&found.message));
    let Some(found) = found else {
        return Said::plain(text, role);
    };
    let pieces = vec![
        Piece::cut(&text, 0, HEADLINE),
        Piece::new(found.said.as_str(), 3),
    ];
    Said::new(pieces, Role::Warning)
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
