//! Commands that need no terminal UI: they run to the end, check, convert, or test a single state.

mod check;
mod convert;
mod ending;
mod events;
mod explain;
mod output;
mod replay;
mod report;
mod request;
mod run;
mod test_result;
mod test_state;

pub use check::{CheckFormat, Checked, check, refused};
pub use convert::{GraphFormat, document, graph, redacted};
pub use ending::{INTERRUPTED_STATUS, before_end, interrupted, listen_to_signals};
pub use explain::{unanswered, unanswered_in_test_case};
pub use output::{
    Progress, Refusal, gate_panics, print, print_json, print_value, shell_word, warn, warn_lines,
};
pub use replay::{ReplayFormat, replay, replay_children};
pub use report::{
    CoverageFormat, CoverageOptions, Printed, Record, RunFormat, RunOptions, report_coverage,
    run_and_report,
};
pub use request::{Configuration, Mock, configuration_of, mock_of};
pub use run::run;
pub use test_result::{Level, TestFormat};
pub use test_state::TestState;
