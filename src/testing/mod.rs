//! Test cases of a definition: their files, and the results of running them.

mod bless;
mod case;
mod covered;
mod expected;
mod file;
mod find;
mod foreign;
mod form;
mod judge;
mod observed;
mod of_session;
mod reader;
mod rules;
mod shape;
mod write;

pub use bless::{Blessed, bless};
pub use case::{Answering, Case, Check, Expectations, Visit};
pub use covered::{ReachedByTests, reached_by_tests};
pub use expected::{Difference, Expected, Extent, Rule};
pub use file::{TestFile, Written};
pub use find::{Found, histories_of, test_file_for, test_files, test_files_of};
pub use foreign::{TakenOver, from_sfn_test, is_sfn_test};
pub use form::{CASE_KEYS, EXPECT_KEYS, FILE_KEYS, MATCHER_KEYS};
pub use judge::{Failure, judge};
pub use observed::{End, Limits, Observed, observe};
pub use of_session::{Happened, happened_in, write_run};
pub use shape::misshapen;
pub use write::{NewTest, write_test};

/// The JSON Schema of a test file, for completion in editors.
pub const SCHEMA: &str = include_str!("schema.json");
