//! Prepared answers: the mock file format of AWS Step Functions Local (ASL-SEMANTICS 16), extended by delays.

mod mock;
mod reader;
#[cfg(test)]
mod tests;

pub use mock::{DEFAULT_CASE, MockCase, MockFile, RunOut};
pub(super) use reader::read_answer;
