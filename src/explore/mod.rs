//! `asldbg explore`: tries every way a workflow can go, by forks of one machine, and says what it found.
//!
//! It must not know how arguments are spelt, nor what happens inside a machine.

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
