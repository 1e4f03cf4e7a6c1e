//! A recorded execution: its events, split by frame, and its answers to tasks. Also finds the first difference between
//! the recorded execution and a run that repeats it.

mod course;
mod event;
mod explain;
mod follow;
mod frame;
mod links;
mod other_path;
mod pair;

pub use event::{Payload, RecordedEvent};
pub(super) use explain::{changes, words};
pub use follow::Follower;
pub use frame::{Attempt, RecordedFrame, RecordedRow, RecordedRun, Visit};
pub use other_path::{FirstDifference, Reason};
