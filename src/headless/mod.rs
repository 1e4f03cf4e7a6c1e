//! Commands that need no terminal UI: run to the end, check, convert, test a single state.

mod check;
mod checked;
mod convert;
mod coverage_report;
mod ending;
mod error_members;
mod graph;
mod history_file;
mod missing;
mod output;
mod progress;
mod refused;
mod replay;
mod report;
mod request;
mod run;
mod sarif;
mod single_state;
mod test_result;
mod test_state;
mod test_state_request;
mod trace;
mod unanswered;

pub use check::{CheckFormat, check};
pub use checked::Checked;
pub use convert::{convert, convert_to_yaml, document, redacted};
pub use coverage_report::{CoverageFormat, CoverageOptions, report_coverage};
pub use ending::{before_end, interrupted, listen_to_signals};
pub use graph::{GraphFormat, graph};
pub use output::{
    Refusal, gate_panics, print, print_json, print_rendered, shell_word, style_of_results, warn,
    warn_lines,
};
pub use progress::Progress;
pub use refused::refused;
pub use replay::{
    Repeated, ReplayFormat, ReplayOutcome, Replayed, replay, replay_children, replay_one,
};
pub use report::{Record, RunFormat, RunOptions, run_and_report};
pub use request::{Configuration, Mock, context_refused};
pub use run::{Observer, RunEnd, RunLimits, RunResult, run};
pub use test_result::{Level, TestFormat, TestResult};
pub use test_state::TestState;
pub use test_state_request::{configuration_of, mock_of};
pub use unanswered::{in_test_case as unanswered_in_test_case, text as unanswered};
