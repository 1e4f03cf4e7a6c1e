//! The states that a state leads to.

use super::model::{State, StateKind, Transition};
use super::target::Target;

impl State {
    /// Every target that it names: of Next, of rules and Default, of catchers.
    pub fn targets(&self) -> impl Iterator<Item = &Target> {
        self.next_targets().chain(self.catch_targets())
    }

    /// The targets without an error: of Next, of rules and Default.
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

    /// The targets of its catchers.
    pub fn catch_targets(&self) -> impl Iterator<Item = &Target> {
        let catchers = self.catch.iter();
        catchers.filter_map(|catcher| catcher.next.as_ref())
    }
}
