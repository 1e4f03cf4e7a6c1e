//! What is done without a terminal: run to the end, check, convert, test one state.
//!
//! It must not know how arguments are spelt: all it needs is handed in.

mod check;
mod convert;
mod graph;
mod output;
mod request;
mod run;
mod single_state;
mod test_state;
mod trace;

pub use check::{CheckFormat, Checked, check};
pub use convert::{convert, convert_to_yaml};
pub use graph::{GraphFormat, graph};
pub use output::{Refusal, print, warn};
pub use request::{Configuration, Mock, context_refused};
pub use run::{RunFormat, RunOptions, run};
pub use test_state::{Level, TestState};
