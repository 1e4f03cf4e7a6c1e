//! `asldbg test`: finds test cases, runs them on all cores, says what came of each.
//!
//! It must not know how arguments are spelt, nor how a case is run.

mod json;
mod junit;
mod plan;
mod repeat;
mod result;
mod run;
mod tap;
mod test;
mod text;
mod watch;

pub use result::{CaseResult, Outcome};
pub use test::{Options, Order, ReportFormat, test};
