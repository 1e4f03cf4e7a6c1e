//! An error as front ends show it, what raised it, and what led to it.

use super::finding::Finding;
use super::place::{Absence, Absent, Lead};
use crate::definition::StateId;
use crate::interpreter::{Fault, Stage};
use crate::json::{Text, Value};
use crate::source::Span;

/// An error as shown.
#[derive(Clone, Debug, PartialEq)]
pub struct FaultView {
    /// The error.
    pub fault: Fault,
    /// The stage in which it arose; `None` for the work itself.
    pub stage: Option<Stage>,
    /// What went wrong: `$.parcel.insuredCents finds nothing`, `NoSuchKey: the key does not exist`.
    pub finding: Finding,
    /// The path that finds nothing, if the finding says that.
    pub misses: Option<Text>,
    /// Where in the text it arose, the bytes of the path or expression.
    pub span: Option<Span>,
    /// Why: steps walked, the keys that were there instead.
    pub because: Vec<Finding>,
    /// `AWS: States.Runtime, cannot be caught`, where the profiles part company.
    pub aws: Option<String>,
    /// Why it was not tried again, where a retrier tells: it has no tries left (`Retry[1], line 48 (States.Timeout), used up:
    /// 2 of 2`), or names an error close to this one (`Retry[1], line 139, is for BedLocked`).
    pub no_retry: Option<String>,
    /// AWS's event that its cause names, by its id, and the run's event that this is.
    pub entered: Option<(u32, u64)>,
}

/// The code of the advice to make what an expression reads optional.
pub(super) const MAY_BE_ABSENT: &str = "may-be-absent";

impl FaultView {
    /// Drops the advice to do without a value that the run had and lost: it is to be handed on.
    pub(super) fn drop_advice_on_lost(&mut self, missing: Option<&Absent>) {
        if missing.is_some_and(|missing| missing.absence != Absence::Never) {
            self.because.retain(|one| one.code != MAY_BE_ABSENT);
        }
    }
}

/// The error of a state inside of the one that is looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct Raised {
    /// The event that raised it.
    pub number: u64,
    /// Its frame in words: `Orders[12]`.
    pub frame: String,
    /// The state that raised it.
    pub state: StateId,
    /// The error, with its reason and its place in the text.
    pub fault: FaultView,
    /// Why the value is missing that it failed for.
    pub missing: Option<Box<Absent>>,
}

/// What led to a Fail state.
#[derive(Clone, Debug, PartialEq)]
pub struct Led {
    /// By what the last state on the way that could have gone elsewhere was left.
    pub lead: Lead,
    /// The error that was caught, where it was raised.
    pub raised: Option<Box<Raised>>,
    /// What the rule of a Choice looked at, where that is one place.
    pub compared: Option<Value>,
}
