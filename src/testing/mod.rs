//! Tests of a definition: finds, reads and writes files of test cases, runs the cases, and checks the results.

mod bless;
mod expected;
mod file;
mod find;
mod foreign;
mod judge;
mod observed;
mod reader;
mod repeat;
mod write;

pub use bless::{Blessed, bless, write_run};
pub use expected::Difference;
pub use file::{
    Answering, CASE_KEYS, Case, EXPECT_KEYS, Expectations, FILE_KEYS, MATCHER_KEYS, TestFile,
    Written,
};
pub use find::{Found, RECORDINGS, histories_of, test_files, test_files_of};
pub use foreign::from_sfn_test;
pub use judge::{Failure, judge, misshapen};
pub use observed::{End, Limits, Observed, observe, reached_by_tests, run_to_end};
pub use repeat::{ReplayOutcome, replay_one};

/// The JSON Schema of a test file, for completion in editors.
pub const SCHEMA: &str = include_str!("schema.json");
