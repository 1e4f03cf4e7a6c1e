//! Finds the origin of a value: the chain of writes that leads from a place in a run back to the input, an answer or a
//! literal. For a missing value, finds where the value was lost.
//!
//! A search goes back place by place: from a stage to the previous stage, from a state's input to the output of the
//! previous state, from a Map's result to the outputs of its items, and from an item's input to the Map that contains
//! it. Only fields of the definition, answers and edits by the user count as writes. The search does not compare
//! values. For each place, the definition shows which field produced it, and the run directly after the place's event
//! shows which data the field read.

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
