//! Places in a run, and information about their values: the chain of writes that produced a value, or the write that
//! dropped it.

mod assigned;
mod chain;
mod lead;
mod loss;
mod odd;
mod onward;
mod site;

pub(super) use assigned::assigned;
pub use assigned::{Assigned, Reach};
pub use chain::{Answered, Condition, Gathered, How, LedTo, Note, Origin, Root, Write};
pub(super) use chain::{Hop, Loss};
pub use lead::{Between, DecidingTest, Lead, LeftBy};
pub use loss::{Absence, Absent, Drop, Passed, Withheld};
pub use odd::{Items, Odd, Oddity};
pub(super) use odd::{MOST, odd, of_other_type};
pub use onward::{Onward, Why};
pub(super) use site::joined;
pub use site::{Holder, Site};
