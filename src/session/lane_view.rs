//! The branches of a Parallel and the items of a Map, as they are shown.

use super::failed_child::Inner;
use super::view::StateStatus;
use crate::definition::StateId;
use crate::interpreter::FrameId;
use crate::json::{Text, Value};

/// One branch of a Parallel.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneView {
    /// Which.
    pub index: u32,
    /// Its frame, while it lives.
    pub frame: Option<FrameId>,
    /// The state it is in, or that it failed in.
    pub state: Option<StateId>,
    /// What it failed because of, where that was inside of that state.
    pub inner: Option<Inner>,
    /// How it stands.
    pub status: StateStatus,
    /// The error it ended with.
    pub error: Option<Text>,
}

/// One item of a Map.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemView {
    /// Which.
    pub index: u32,
    /// Its frame, while it lives.
    pub frame: Option<FrameId>,
    /// The state it is in, or that it failed in.
    pub state: Option<StateId>,
    /// What it failed because of, where that was inside of that state.
    pub inner: Option<Inner>,
    /// How it stands.
    pub status: StateStatus,
    /// The item, abridged by who draws it.
    pub item: Value,
    /// What the column's expression gives for it.
    pub column: Option<Result<Value, String>>,
    /// 1, and one more for each retry in it.
    pub tries: u32,
    /// The error it ended with.
    pub error: Option<Text>,
    /// What it gave.
    pub result: Option<Value>,
    /// Whether a breakpoint stands on it, and whether that is on.
    pub point: Option<bool>,
}
