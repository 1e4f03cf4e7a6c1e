//! A recorded execution as data: its events by frame, its answers, and the first difference of a run from it.

mod course;
mod event;
mod explain;
mod follow;
mod links;
mod other_path;
mod pair;
mod strand;

pub use event::{Payload, RecordedEvent};
pub(super) use explain::{changes, words};
pub use follow::Follower;
pub use other_path::{FirstDifference, Reason};
pub use strand::{Attempt, RecordedRow, RecordedRun, Strand, Visit};
