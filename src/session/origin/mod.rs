//! Where a value comes from: the chain of writes that leads from a place in a run back to the input, an answer or a
//! literal; and where a value that is not there was lost.
//!
//! A value is followed place by place: from a stage to the one before it, from a state's input to the output of the
//! state before, from a Map's result into its items and from an item's input out to the Map. Only what a written field,
//! an answer or a person did to it counts as a write. Nothing is compared: each step reads the definition for what made
//! the place, and the run at that event for which data it was made of.

mod absent;
mod deciding;
mod document;
mod dropped;
mod expression;
mod failed;
mod fault;
mod hop;
mod item;
mod led_by;
mod made;
mod moment;
mod past;
mod search;
mod stage;
mod unrun;
mod variable;

pub(super) use document::value_at;
pub(super) use past::{AT_A_STOP, Past};
pub use search::Found;
pub(super) use search::Search;
pub(super) use variable::names_of;

pub use crate::session::place::*;
