//! `asldbg explore`: tries all courses of a workflow by forking one machine, and reports findings.
//!
//! In the usual run, the input and all answers are the usual ones: from the user if possible, otherwise made up. Any
//! other input or answer is a deviation. A moment is a point of a run at which a request is open; other runs fork there.
//! The way of a run is the sequence of its answers.

mod alternative;
mod choosing;
mod compensation;
mod constant;
mod deadline;
mod finding;
mod goal;
mod grow;
mod item_files;
mod lasting;
mod open;
mod poll;
mod report;
mod search;
mod signature;
mod step;
mod unreached;
mod walk;
mod world;

pub use finding::{Finding, FindingKind, Level};
pub use open::{Options, explore};
pub use report::ReportFormat;
