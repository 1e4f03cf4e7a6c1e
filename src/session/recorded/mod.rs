//! A recorded execution as data: its events by frame, its answers, and the first difference of a run from it.

mod course;
mod difference;
mod event;
mod explain;
mod follow;
mod links;
mod other_path;
mod pair;
mod rest;
mod strand;
mod unrepeatable;

pub use difference::{FirstDifference, Reason};
pub use event::{Payload, RecordedEvent, kind_of};
pub use follow::Follower;
pub use rest::RecordedRow;
pub use strand::{Attempt, RecordedRun, Strand, Visit};
