//! Where a value comes from: the chain of writes that leads from a place in a run back to the input, an answer or a
//! literal; and where a value that is not there was lost.
//!
//! A value is followed place by place: from a stage to the one before it, from a state's input to the output of the
//! state before, from a Map's result into its items and from an item's input out to the Map. Only what a written field,
//! an answer or a person did to it counts as a write. Nothing is compared: each step reads the definition for what made
//! the place, and the run at that event for which data it was made of.
//!
//! It must not know a session, nor how a chain is shown or travelled.

mod absent;
mod assigned;
mod chain;
mod deciding;
mod document;
mod dropped;
mod expression;
mod failed;
mod fault;
mod hop;
mod item;
mod lead;
mod led_by;
mod loss;
mod made;
mod moment;
mod odd;
mod onward;
mod past;
mod search;
mod site;
mod stage;
mod unrun;
mod variable;

pub use assigned::{Assigned, Reach};
pub(super) use document::value_at;
pub use lead::{Between, DecidingTest, Lead, LeftBy};
pub use loss::{Absence, Absent, Drop, Passed, Withheld};
pub(super) use odd::of_other_type;
pub use odd::{Items, Odd, Oddity};
pub use onward::{Onward, Why};
pub(super) use past::{AT_A_STOP, Past};
pub use search::Found;
pub(super) use search::Search;
pub(super) use variable::names_of;

pub use chain::{Answered, Condition, Gathered, How, LedTo, Note, Origin, Root, Write};
use chain::{Hop, Loss};
use site::joined;
pub use site::{Holder, Site};
