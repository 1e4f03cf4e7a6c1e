//! The source files of a definition, and positions in them as byte ranges (spans) or as lines and columns.

use std::ops::Range;
use std::sync::Arc;

/// Identifies a file in a [`SourceMap`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceId(pub u16);

/// A byte range of a source file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// The file that contains the bytes.
    pub source: SourceId,
    /// Offset of the first byte in the file.
    pub start: u32,
    /// Offset after the last byte in the file.
    pub end: u32,
}

impl Span {
    /// Creates a span of the bytes `range` in the file `source`.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a source has at most 16 MiB"
    )]
    pub fn new(source: SourceId, range: Range<usize>) -> Self {
        Self {
            source,
            start: range.start as u32,
            end: range.end.max(range.start) as u32,
        }
    }

    /// A span of only the first byte of this span. A diagnostic about a whole value uses it to mark only the beginning
    /// of the value.
    #[must_use]
    pub fn opening(self) -> Self {
        Self {
            end: self.end.min(self.start.saturating_add(1)),
            ..self
        }
    }

    /// Returns two empty spans: one at the start of this span, and one at its end.
    pub(super) fn ends(self) -> (Self, Self) {
        let (start, end) = (self.start, self.end);
        (Self { end: start, ..self }, Self { start: end, ..self })
    }

    /// The byte range of this span, without the file.
    #[must_use]
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// True if the span `other` lies within this span.
    #[must_use]
    pub fn holds(self, other: Self) -> bool {
        self.source == other.source && self.start <= other.start && other.end <= self.end
    }

    /// True if the spans have a byte in common.
    #[must_use]
    pub fn overlaps(self, other: Self) -> bool {
        self.source == other.source && self.start < other.end && other.start < self.end
    }
}

/// A position in a file: its line and its column, both counted from 1. A column is a number of characters, not bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// A source file: the name to display, the text without a byte order mark, and the positions of its lines.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Display name.
    pub name: Arc<str>,
    /// The text.
    pub text: Arc<str>,
    /// True if the text was generated from another file for display and does not exist on disk.
    pub derived: bool,
    /// True if the text contains only ASCII characters. A column is then computed from byte offsets, without counting
    /// the characters of a line.
    ascii: bool,
    starts: Arc<[usize]>,
}

impl SourceFile {
    /// Creates a file and indexes its lines.
    #[must_use]
    pub fn new(name: impl Into<Arc<str>>, text: &str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        Self {
            name: name.into(),
            text: text.into(),
            derived: false,
            ascii: text.is_ascii(),
            starts: std::iter::once(0).chain(breaks).collect(),
        }
    }

    /// Creates a file whose text was generated from another file for display.
    #[must_use]
    pub fn derived(name: impl Into<Arc<str>>, text: &str) -> Self {
        Self {
            derived: true,
            ..Self::new(name, text)
        }
    }

    /// Line and column of a byte offset. For an offset beyond the end of the text, the end is used.
    #[must_use]
    pub fn place(&self, offset: usize) -> Place {
        let offset = offset.min(self.text.len());
        let line = self.line_at(offset);
        let start = self.line_range(line).map_or(0, |range| range.start);
        let counted = self.text.get(start..offset).filter(|_| !self.ascii);
        let column = counted.map_or(offset - start, |before| before.chars().count()) + 1;
        Place { line, column }
    }

    /// The line (from 1) that contains a byte offset. If the offset is beyond the end of the text, the last line.
    #[must_use]
    pub fn line_at(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset).max(1)
    }

    /// The line to show for the value at a byte offset. Usually, this is the line of the offset. But if that line has
    /// nothing except the value's opening bracket, it is the line where the content of the value begins.
    #[must_use]
    pub fn telling_line(&self, offset: usize) -> usize {
        let mut at = offset.min(self.text.len());
        loop {
            let line = self.line_at(at);
            let Some(range) = self.line_range(line) else {
                return line;
            };
            let is_alone = matches!(self.text.get(range.clone()).map(str::trim), Some("{" | "["));
            let rest = self.text.get(range.end..).unwrap_or("");
            let inner = rest.find(|c: char| !c.is_whitespace() && !matches!(c, '}' | ']'));
            let is_first = |at: &usize| rest.get(..*at).is_some_and(|gap| gap.trim().is_empty());
            match inner.filter(|at| is_alone && is_first(at)) {
                Some(inner) => at = range.end + inner,
                None => return line,
            }
        }
    }

    /// Number of lines; at least 1.
    #[must_use]
    pub fn line_count(&self) -> usize {
        self.starts.len()
    }

    /// The text of a line (from 1) without its line break.
    #[must_use]
    pub fn line(&self, line: usize) -> &str {
        let text = self.line_range(line).and_then(|range| self.text.get(range));
        text.unwrap_or("").trim_end_matches(['\n', '\r'])
    }

    /// Byte range of a line (from 1) including its line break.
    #[must_use]
    pub fn line_range(&self, line: usize) -> Option<Range<usize>> {
        let start = *self.starts.get(line.checked_sub(1)?)?;
        Some(start..self.starts.get(line).copied().unwrap_or(self.text.len()))
    }
}

/// The files of a definition. The first one is the file that was opened.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    /// Creates a map with one file.
    #[must_use]
    pub fn of(file: SourceFile) -> Self {
        Self { files: vec![file] }
    }

    /// Adds a file and returns its identifier.
    pub fn add(&mut self, file: SourceFile) -> SourceId {
        let id = SourceId(u16::try_from(self.files.len()).unwrap_or(u16::MAX));
        self.files.push(file);
        id
    }

    /// Returns the file that `id` identifies; `None` if there is none.
    #[must_use]
    pub fn get(&self, id: SourceId) -> Option<&SourceFile> {
        self.files.get(usize::from(id.0))
    }

    /// All files of the definition, the opened file first.
    #[must_use]
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// The files that are read because the opened file refers to them, directly or indirectly.
    pub fn named(&self) -> impl Iterator<Item = &SourceFile> {
        self.files.iter().skip(1).filter(|file| !file.derived)
    }

    /// The source text that a span covers; `None` if there is no such text.
    #[must_use]
    pub fn written(&self, span: Span) -> Option<&str> {
        self.get(span.source)?.text.get(span.range())
    }

    /// Line and column of the beginning of a span.
    #[must_use]
    pub fn place(&self, span: Span) -> Option<Place> {
        Some(self.get(span.source)?.place(span.start as usize))
    }

    /// The line to show for a span, as [`SourceFile::telling_line`] finds it; `None` without a span.
    #[must_use]
    pub fn line(&self, span: impl Into<Option<Span>>) -> Option<usize> {
        let span = span.into()?;
        Some(self.get(span.source)?.telling_line(span.start as usize))
    }
}

/// A number with a noun in singular or plural: `1 event`, `2 events`.
#[must_use]
pub fn counted(count: usize, thing: &str) -> String {
    let end = if count == 1 { "" } else { "s" };
    format!("{count} {thing}{end}")
}

/// A name with its indefinite article, such as `an array` or `a Task`. The name `null` gets no article.
#[must_use]
pub fn with_article(name: &str) -> String {
    match name {
        "null" => name.to_string(),
        _ if name.starts_with(['a', 'e', 'i', 'o', 'u']) => format!("an {name}"),
        _ => format!("a {name}"),
    }
}

/// A line number in parentheses, after a space: ` (line 12)`. An empty string if `line` is `None`.
#[must_use]
pub fn in_line(line: Option<usize>) -> String {
    line.map_or_else(String::new, |line| format!(" (line {line})"))
}

/// Returns the text in which each of the byte ranges is replaced by its new text. The ranges must not overlap.
#[must_use]
pub fn edited(text: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
    edits.sort_by_key(|(range, _)| range.start);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (range, new) in edits {
        out.push_str(text.get(at..range.start).unwrap_or(""));
        out.push_str(&new);
        at = range.end;
    }
    out.push_str(text.get(at..).unwrap_or(""));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_characters() {
        let file = SourceFile::new("x", "\u{feff}aé\nbc\r\n\nz");
        assert_eq!(file.place(0), Place { line: 1, column: 1 });
        assert_eq!(file.place(3), Place { line: 1, column: 3 });
        assert_eq!(file.place(4), Place { line: 2, column: 1 });
        assert_eq!(file.place(999), Place { line: 4, column: 2 });
        assert_eq!((file.line(2), file.line(3), file.line(9)), ("bc", "", ""));
    }

    #[test]
    fn lone_brackets_are_passed_over() {
        let file = SourceFile::new("x", "\"a\": [\n  {\n\n    \"b\": 1\n  }\n]\n[\n{ }]");
        let lines = [0, 9, 13, 26, 30].map(|offset| file.telling_line(offset));
        assert_eq!(lines, [1, 4, 4, 5, 8]);
    }
}
