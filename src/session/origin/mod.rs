//! Finds the origin of a value: the chain of writes that leads from a place in a run back to the input, an answer or a
//! literal; and for a missing value, where it was lost.
//!
//! A value is followed place by place: from a stage to the previous one, from a state's input to the output of the
//! previous state, from a Map's result into its items, and from an item's input out to the Map. Only fields of the
//! definition, answers and edits by the user count as writes. Values are not compared: each step reads the definition
//! to see what produced the place, and the run at that event to see which data it was produced from.

mod absent;
mod document;
mod dropped;
mod expression;
mod failed;
mod fewer;
mod history;
mod item;
mod led_by;
mod provenance;
mod search;
mod stage;
mod step_back;
mod variable;

pub(super) use document::{split, value_at};
pub(super) use history::{AT_A_STOP, Past};
pub use search::Found;
pub(super) use search::Search;
pub(super) use variable::names_of;

pub use crate::session::place::*;
