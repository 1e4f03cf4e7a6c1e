//! Answers written beforehand: the mock file of AWS Step Functions Local (ASL-SEMANTICS 16), with delays added.
//!
//! It must not know where the file lies, nor who asks.

mod mock;
mod reader;
#[cfg(test)]
mod tests;

pub use mock::{DEFAULT_CASE, MockCase, MockFile, RunOut};
pub(super) use reader::read_answer;
