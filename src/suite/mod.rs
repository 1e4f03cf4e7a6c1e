//! `asldbg test`: finds test cases, runs them on all cores and reports the results.

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
