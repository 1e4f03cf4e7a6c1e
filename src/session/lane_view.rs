//! Branches of a Parallel and items of a Map, for display.

use super::failed_child::Inner;
use super::view::StateStatus;
use crate::definition::StateId;
use crate::interpreter::FrameId;
use crate::json::{Text, Value};

/// A branch of a Parallel.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneView {
    /// Index of the branch.
    pub index: u32,
    /// Frame of the branch, while it is live.
    pub frame: Option<FrameId>,
    /// The current state, or the state that failed.
    pub state: Option<StateId>,
    /// The branch or item inside that state that caused the failure, if any.
    pub inner: Option<Inner>,
    /// Status of the branch.
    pub status: StateStatus,
    /// The error with which the branch ended.
    pub error: Option<Text>,
}

/// An item of a Map.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemView {
    /// Index of the item.
    pub index: u32,
    /// Frame of the item, while it is live.
    pub frame: Option<FrameId>,
    /// The current state, or the state that failed.
    pub state: Option<StateId>,
    /// The branch or item inside that state that caused the failure, if any.
    pub inner: Option<Inner>,
    /// Status of the item.
    pub status: StateStatus,
    /// The whole item; front ends shorten it.
    pub item: Value,
    /// Value of the column's expression.
    pub column: Option<Result<Value, String>>,
    /// Number of attempts: 1, plus one for each retry in the item.
    pub tries: u32,
    /// The error with which the item ended.
    pub error: Option<Text>,
    /// Output of the item.
    pub result: Option<Value>,
    /// True if the breakpoint on the item is enabled; `None` if there is no breakpoint.
    pub point: Option<bool>,
}
