//! Answers written beforehand: the mock file of AWS Step Functions Local (ASL-SEMANTICS 16), with delays added.

mod mock;
mod reader;
#[cfg(test)]
mod tests;

pub use mock::{MockCase, MockFile, RunOut};
pub(super) use reader::read_answer;
