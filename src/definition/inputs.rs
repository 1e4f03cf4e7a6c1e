//! Which places of its input a definition reads, as far as the text tells.
//!
//! It must not know what the input is.

use super::{Choice, Definition, Operand, PathField, StateKind, Test, WaitUntil};
use crate::query::{Path, Root, Template};

impl Definition {
    /// The definite paths that the states of the machine's own scope read from `$`, each once, in the order of the text.
    #[must_use]
    pub fn input_paths(&self) -> Vec<String> {
        let mut found = Vec::new();
        let scope = self.scopes.first();
        for state in scope
            .iter()
            .flat_map(|scope| &scope.states)
            .filter_map(|id| self.state(*id))
        {
            // Behind an InputPath `$` is something else.
            if let PathField::Path(path) = &state.input_path {
                note(path, &mut found);
                continue;
            }
            if let Some(template) = &state.parameters {
                note_template(template, &mut found);
            }
            match &state.kind {
                StateKind::Choice(choice) => note_choice(choice, &mut found),
                StateKind::Wait(WaitUntil::SecondsPath(path) | WaitUntil::TimestampPath(path)) => {
                    note(path, &mut found)
                }
                StateKind::Map(map) => {
                    if let PathField::Path(path) = &map.items_path {
                        note(path, &mut found);
                    }
                }
                _ => {}
            }
        }
        found
    }
}

fn note(path: &Path, found: &mut Vec<String>) {
    let text = path.text().to_string();
    let named = matches!(path.root(), Root::Data) && path.is_definite() && !path.is_identity();
    if named && !found.contains(&text) {
        found.push(text);
    }
}

fn note_template(template: &Template, found: &mut Vec<String>) {
    for (_, expression) in template.expressions() {
        for path in expression.paths() {
            note(path, found);
        }
    }
}

fn note_choice(choice: &Choice, found: &mut Vec<String>) {
    for rule in &choice.rules {
        note_test(&rule.test, found);
    }
}

fn note_test(test: &Test, found: &mut Vec<String>) {
    match test {
        Test::And(tests) | Test::Or(tests) => tests.iter().for_each(|test| note_test(test, found)),
        Test::Not(test) => note_test(test, found),
        Test::Compare(comparison) => {
            note(&comparison.variable, found);
            if let Operand::Path(path) = &comparison.operand {
                note(path, found);
            }
        }
        Test::Condition(_) | Test::Always(_) | Test::Broken(_) => {}
    }
}
