//! Text as lines with their line ends, read lazily.

/// Maximum length of a line, in bytes.
pub(super) const LONGEST_LINE: usize = 16 << 20;

/// Lines with their line ends; an error ends them.
pub(super) type Lines<'t> = Box<dyn Iterator<Item = Result<String, String>> + 't>;

/// The lines of a text in memory.
pub(super) fn lines_of(text: &str) -> Lines<'_> {
    Box::new(text.split_inclusive('\n').map(|line| Ok(line.to_string())))
}
