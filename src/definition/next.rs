//! The successors of a state.

use super::model::{State, StateKind, Transition};
use super::target::Target;

impl State {
    /// All targets of a state: those of Next, of rules and Default, and of catchers.
    pub fn targets(&self) -> impl Iterator<Item = &Target> {
        self.next_targets().chain(self.catch_targets())
    }

    /// The targets of transitions without an error: those of Next, and of rules and Default.
    pub fn next_targets(&self) -> impl Iterator<Item = &Target> {
        let next = match &self.transition {
            Transition::Next(target) => Some(target),
            _ => None,
        };
        let choice = match &self.kind {
            StateKind::Choice(choice) => Some(choice),
            _ => None,
        };
        let rules = choice.into_iter().flat_map(|choice| {
            let rules = choice.rules.iter().filter_map(|rule| rule.next.as_ref());
            rules.chain(&choice.default)
        });
        next.into_iter().chain(rules)
    }

    /// The targets of the catchers.
    pub fn catch_targets(&self) -> impl Iterator<Item = &Target> {
        let catchers = self.catch.iter();
        catchers.filter_map(|catcher| catcher.next.as_ref())
    }
}
