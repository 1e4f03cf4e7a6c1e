//! Determines statically which places of its input a state or a definition reads.

use super::{
    Comparator, Comparison, Definition, Operand, PathField, QueryLanguage, State, StateKind, Test,
    WaitUntil,
};
use crate::query::{Path, Root, Template};

impl Definition {
    /// The definite paths that the states in the machine's own scope read from `$`, in the order of the text and
    /// without duplicates.
    #[must_use]
    pub fn input_paths(&self) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        let scope = self.scopes.first();
        let states = scope.iter().flat_map(|scope| &scope.states);
        for path in states.filter_map(|id| self.state(*id)).flat_map(reads) {
            let text = path.text().to_string();
            if !found.contains(&text) {
                found.push(text);
            }
        }
        found
    }
}

/// The definite paths below `$` that a state reads from its raw input.
pub(super) fn reads(state: &State) -> Vec<&Path> {
    let mut found = Vec::new();
    if state.language == QueryLanguage::Jsonata {
        return found;
    }
    // With an InputPath, `$` is no longer the raw input.
    match &state.input_path {
        PathField::Path(path) => {
            note(path, &mut found);
            return found;
        }
        PathField::Null => return found,
        PathField::Whole => {}
    }
    if let Some(template) = state.template("Parameters") {
        note_template(template, &mut found);
    }
    match &state.kind {
        StateKind::Choice(choice) => {
            for comparison in choice.rules.iter().flat_map(|rule| rule.test.comparisons()) {
                note(&comparison.variable, &mut found);
                if let Operand::Path(path) = &comparison.operand {
                    note(path, &mut found);
                }
            }
        }
        StateKind::Wait(WaitUntil::SecondsPath(path) | WaitUntil::TimestampPath(path)) => {
            note(path, &mut found);
        }
        StateKind::Map(map) => {
            if let PathField::Path(path) = &map.items_path {
                note(path, &mut found);
            }
        }
        _ => {}
    }
    found
}

/// The paths that a Choice tests with IsPresent.
pub(super) fn tested_for_presence(state: &State) -> Vec<&Path> {
    let StateKind::Choice(choice) = &state.kind else {
        return Vec::new();
    };
    let all = choice.rules.iter().flat_map(|rule| rule.test.comparisons());
    all.filter(|one| one.comparator == Comparator::IsPresent)
        .map(|one| &one.variable)
        .collect()
}

fn note<'d>(path: &'d Path, found: &mut Vec<&'d Path>) {
    if matches!(path.root(), Root::Data) && path.is_definite() && !path.is_identity() {
        found.push(path);
    }
}

fn note_template<'d>(template: &'d Template, found: &mut Vec<&'d Path>) {
    for (_, expression) in template.expressions() {
        for path in expression.paths() {
            note(path, found);
        }
    }
}

impl Test {
    /// Every comparison in the test, in the order of the text.
    #[must_use]
    pub fn comparisons(&self) -> Vec<&Comparison> {
        match self {
            Self::And(tests) | Self::Or(tests) => {
                tests.iter().flat_map(Self::comparisons).collect()
            }
            Self::Not(test) => test.comparisons(),
            Self::Compare(comparison) => vec![comparison],
            Self::Condition(_) | Self::Always(_) | Self::Broken(_) => Vec::new(),
        }
    }
}
