//! An error for display, what raised it, and what led to it.

use super::finding::Finding;
use super::place::{Absence, Absent, Lead};
use crate::definition::StateId;
use crate::interpreter::{Fault, Stage};
use crate::json::{Text, Value};
use crate::source::Span;

/// An error for display.
#[derive(Clone, Debug, PartialEq)]
pub struct FaultView {
    /// The error.
    pub fault: Fault,
    /// The stage in which the error arose; `None` for the state's work itself.
    pub stage: Option<Stage>,
    /// Description of the problem: `$.parcel.insuredCents finds nothing`, `NoSuchKey: the key does not exist`.
    pub finding: Finding,
    /// The path that found nothing, if `finding` reports that.
    pub misses: Option<Text>,
    /// Location of the failed path or expression in the source.
    pub span: Option<Span>,
    /// Explanations, such as the steps of a path or the keys that exist instead of the missing one.
    pub because: Vec<Finding>,
    /// `AWS: States.Runtime, cannot be caught`, if the profiles differ.
    pub aws: Option<String>,
    /// Why the state was not retried, if a retrier is the reason: it has no attempts left (`Retry[1], line 48
    /// (States.Timeout), used up: 2 of 2`), or it names a similar error (`Retry[1], line 139, is for BedLocked`). Also
    /// the location of that name.
    pub no_retry: Option<(String, Span)>,
    /// AWS's event id in the cause of the error, and the number of that event in the run.
    pub entered: Option<(u32, u64)>,
}

/// Code of the advice to make the value that an expression reads optional.
pub(super) const MAY_BE_ABSENT: &str = "may-be-absent";
/// Code of the finding that shows step by step what a path selects, for paths that can select several values.
pub const AFTER_SEVERAL: &str = "after-several";

impl FaultView {
    /// Drops the advice to make a value optional if the run had the value and lost it, because the value should then
    /// be
    /// passed on instead.
    pub(super) fn drop_advice_on_lost(&mut self, missing: Option<&Absent>) {
        if missing.is_some_and(|missing| missing.absence != Absence::Never) {
            self.because.retain(|one| one.code != MAY_BE_ABSENT);
        }
    }
}

/// An error raised by a state inside the displayed one.
#[derive(Clone, Debug, PartialEq)]
pub struct Raised {
    /// Number of the event that raised the error.
    pub number: u64,
    /// Readable name of the frame: `Orders[12]`.
    pub frame: String,
    /// The state that raised the error.
    pub state: StateId,
    /// The error, with its reason and location.
    pub fault: FaultView,
    /// Why a value is missing, if that caused the error.
    pub missing: Option<Box<Absent>>,
}

/// The transition or error that led to a Fail state.
#[derive(Clone, Debug, PartialEq)]
pub struct Led {
    /// The last transition on the way to the Fail state that could have gone elsewhere.
    pub lead: Lead,
    /// The caught error, as it was where it was raised.
    pub raised: Option<Box<Raised>>,
    /// The value that the Choice rule tested, if it is a single one.
    pub compared: Option<Value>,
}
