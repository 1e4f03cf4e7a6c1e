//! Selectable rows of the state pane.

use super::list::Rows;
use crate::definition::StateId;

/// A selectable row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Row {
    /// A retrier, by index.
    Retrier(usize),
    /// A catcher, by index.
    Catcher(usize),
    /// An attempt, by number.
    Attempt(u32),
    /// A rule, by index in the list; Default comes last.
    Rule(usize),
    /// A test in a rule, by the indices of both.
    Test(usize, usize),
    /// A branch.
    Lane(u32),
    /// An item.
    Item(u32),
    /// An event in the summary of a finished run.
    Event(u64),
    /// A state that the finished run did not reach, and the Choice that led elsewhere.
    LeftOut(StateId, Option<StateId>),
}

/// The rows of the state pane.
pub(super) type StateRows<'a> = Rows<'a, Row>;
