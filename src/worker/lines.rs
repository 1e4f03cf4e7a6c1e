//! Text as lines with their ends, each read when it is wanted.
//!
//! It must not know files, nor what a line holds.

/// A longer line is not read.
pub(super) const LONGEST_LINE: usize = 16 << 20;

/// Lines of a text with their ends, or why there are no more.
pub(super) type Lines<'t> = Box<dyn Iterator<Item = Result<String, String>> + 't>;

/// The lines of a text that is at hand.
pub(super) fn lines_of(text: &str) -> Lines<'_> {
    Box::new(text.split_inclusive('\n').map(|line| Ok(line.to_string())))
}
