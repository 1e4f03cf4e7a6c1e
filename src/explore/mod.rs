//! `asldbg explore`: tries all courses of a workflow by forking one machine, and reports findings.

mod alternative;
mod choosing;
mod compensation;
mod constant;
mod deadline;
mod finding;
mod goal;
mod grow;
mod held;
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
