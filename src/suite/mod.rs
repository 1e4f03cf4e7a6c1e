//! `asldbg test`: finds test cases, runs them on all cores and reports the results.

mod plan;
mod report;
mod result;
mod run;
mod test;

pub use test::{Options, ReportFormat, test};
