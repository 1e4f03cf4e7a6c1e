//! Places in the data of a run, and explanations of their values: the chain of writes that produced a value, or the
//! write that dropped a missing value.

mod chain;
mod follow_up;
mod loss;
mod site;

pub use chain::{
    Answered, Condition, Gathered, How, Items, LedTo, Note, Odd, Oddity, Origin, Root, TOLERANCES,
    Took, WAIT_FIELDS, Write,
};
pub(super) use chain::{Hop, Loss, MOST, odd, of_other_type};
pub use follow_up::{Onward, Why};
pub use loss::{
    AFTER_SEVERAL, Absence, Absent, Assigned, Drop, FaultView, Led, Passed, Raised, Reach, Withheld,
};
pub(super) use loss::{MAY_BE_ABSENT, assigned};
pub(super) use site::joined;
pub use site::{Between, DecidingTest, Holder, Lead, LeftBy, Site};
