//! The rows of the state pane that can be selected.

use super::list::Rows;
use crate::definition::StateId;

/// A row that can be selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Row {
    /// A retrier, by its place.
    Retrier(usize),
    /// A catcher, by its place.
    Catcher(usize),
    /// An attempt, by its number.
    Attempt(u32),
    /// A rule, by its place in the list; Default is the last.
    Rule(usize),
    /// A test in a rule, by the places of both.
    Test(usize, usize),
    /// A branch.
    Lane(u32),
    /// An item.
    Item(u32),
    /// An event that the end of a run tells of.
    Event(u64),
    /// A state that a run that is over did not reach, and the Choice that led elsewhere.
    LeftOut(StateId, Option<StateId>),
}

/// The rows of the state pane.
pub(super) type StateRows<'a> = Rows<'a, Row>;
