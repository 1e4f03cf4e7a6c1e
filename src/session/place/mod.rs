//! Places in a run, and information about their values: the chain of writes that produced a value, or the write that
//! dropped it.

mod assigned;
mod chain;
mod follow_up;
mod loss;
mod outlier;
mod site;
mod transition;

pub(super) use assigned::assigned;
pub use assigned::{Assigned, Reach};
pub use chain::{
    Answered, Condition, Gathered, How, LedTo, Note, Origin, Root, Took, WAIT_FIELDS, Write,
};
pub(super) use chain::{Hop, Loss};
pub use follow_up::{Onward, Why};
pub use loss::{Absence, Absent, Drop, Passed, Withheld};
pub use outlier::{Items, Odd, Oddity};
pub(super) use outlier::{MOST, odd, of_other_type};
pub(super) use site::joined;
pub use site::{Holder, Site};
pub use transition::{Between, DecidingTest, Lead, LeftBy};
