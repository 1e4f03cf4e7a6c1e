//! The comparisons of a Choice, and the paths that the Choice tests for presence.

use super::{Comparator, Comparison, Operand, State, StateKind, Test};
use crate::query::Path;

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

impl Comparison {
    /// The paths in the comparison.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        let operand = match &self.operand {
            Operand::Path(path) => Some(path),
            Operand::Constant(_) | Operand::Pattern(..) => None,
        };
        std::iter::once(&self.variable).chain(operand)
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
