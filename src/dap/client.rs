//! What the client said of itself, and lines, columns and paths as it counts and writes them.

use super::protocol::InitializeArguments;
use crate::source::{SourceFile, Span};
use std::path::{Path, PathBuf};

/// What the client said of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Client {
    /// The number of the first line, 0 or 1.
    first_line: i64,
    /// The number of the first column.
    first_column: i64,
    /// Whether files are named by URIs.
    uris: bool,
    /// Whether variables have types.
    pub types: bool,
    /// Whether it asks for large values in parts.
    pub paging: bool,
    /// Whether progress is shown.
    pub progress: bool,
    /// Whether `invalidated` is understood.
    pub invalidated: bool,
}

impl Client {
    /// As it said.
    pub fn new(arguments: &InitializeArguments) -> Self {
        let first = |from_one: Option<bool>| i64::from(from_one.unwrap_or(true));
        Self {
            first_line: first(arguments.lines_start_at1),
            first_column: first(arguments.columns_start_at1),
            uris: arguments.path_format.as_deref() == Some("uri"),
            types: arguments.supports_variable_type,
            paging: arguments.supports_variable_paging,
            progress: arguments.supports_progress_reporting,
            invalidated: arguments.supports_invalidated_event,
        }
    }

    /// A line from 1 as the client counts it.
    pub fn line(self, line: usize) -> i64 {
        number(line)
            .saturating_sub(1)
            .saturating_add(self.first_line)
    }

    /// A line of the client from 1; 0 for one before the first.
    pub fn own_line(self, line: i64) -> usize {
        let line = line.saturating_sub(self.first_line).saturating_add(1);
        usize::try_from(line).unwrap_or(0)
    }

    /// Line and column of a byte of a text. Columns count UTF-16, as editors do.
    pub fn place(self, file: &SourceFile, offset: usize) -> (i64, i64) {
        let line = file.line_at(offset.min(file.text.len()));
        let start = file.line_range(line).map_or(0, |range| range.start);
        let before = file.text.get(start..offset).unwrap_or("");
        let column = before.encode_utf16().count();
        let column = number(column).saturating_add(self.first_column);
        (self.line(line), column)
    }

    /// Line and column of the end of a span.
    pub fn end(self, file: &SourceFile, span: Span) -> (i64, i64) {
        self.place(file, span.end as usize)
    }

    /// A place in a text that was typed: how many UTF-16 units stand before it.
    pub fn own_column(self, column: i64) -> usize {
        usize::try_from(column.saturating_sub(self.first_column)).unwrap_or(0)
    }

    /// The character of a line, from 1, that a column of the client means.
    pub fn character(self, column: i64, line: &str) -> usize {
        let mut left = self.own_column(column);
        let before = line.chars().take_while(|c| {
            let stands_before = c.len_utf16() <= left;
            left = left.saturating_sub(c.len_utf16());
            stands_before
        });
        before.count().saturating_add(1)
    }

    /// A column from 0 as the client counts it.
    pub fn column(self, column: usize) -> i64 {
        number(column).saturating_add(self.first_column)
    }

    /// A file as the client names it.
    pub fn path(self, path: &Path) -> String {
        let text = path.to_string_lossy();
        if !self.uris {
            return text.into_owned();
        }
        let mut uri = String::from("file://");
        for byte in text.bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                    uri.push(char::from(byte));
                }
                other => uri.push_str(&format!("%{other:02X}")),
            }
        }
        uri
    }

    /// The file that the client names.
    pub fn own_path(self, text: &str) -> PathBuf {
        if let Some(rest) = text.strip_prefix("file://") {
            return PathBuf::from(decoded(rest));
        }
        // A window on another machine names its own files by where that machine is.
        let remote = text.strip_prefix("vscode-remote://");
        match remote.and_then(|rest| rest.find('/').and_then(|root| rest.get(root..))) {
            Some(path) => PathBuf::from(decoded(path)),
            None => PathBuf::from(text),
        }
    }
}

/// A count as the protocol has it.
pub(super) fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// A text of a URI without its escapes.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escaped = match after {
            [high, low, ..] if *first == b'%' => {
                let digits = [*high, *low];
                let digits = std::str::from_utf8(&digits).ok();
                digits.and_then(|digits| u8::from_str_radix(digits, 16).ok())
            }
            _ => None,
        };
        bytes.push(escaped.unwrap_or(*first));
        rest = match escaped {
            Some(_) => after.get(2..).unwrap_or_default(),
            None => after,
        };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceFile;

    #[test]
    fn lines_columns_and_paths_are_the_clients() {
        let from_zero = Client::new(&InitializeArguments {
            lines_start_at1: Some(false),
            columns_start_at1: Some(false),
            path_format: Some("uri".to_string()),
            ..InitializeArguments::default()
        });
        let from_one = Client::new(&InitializeArguments::default());
        let file = SourceFile::new("a", "x\n\u{1f600}é b\n");
        let at = file.text.find('b').expect("b");
        assert_eq!(from_one.place(&file, at), (2, 5));
        assert_eq!(from_zero.place(&file, at), (1, 4));
        assert_eq!((from_one.own_line(2), from_zero.own_line(1)), (2, 2));
        assert_eq!(
            (from_one.character(5, "ä😀xb"), from_zero.character(0, "b")),
            (4, 1)
        );
        assert_eq!(from_one.own_line(-5), 0);
        assert_eq!(from_one.own_line(i64::MIN), 0);
        let path = Path::new("/tmp/a b/é.json");
        assert_eq!(from_one.path(path), "/tmp/a b/é.json");
        assert_eq!(from_zero.path(path), "file:///tmp/a%20b/%C3%A9.json");
        assert_eq!(from_zero.own_path(&from_zero.path(path)), path);
        assert_eq!(from_one.own_path("/tmp/100%"), Path::new("/tmp/100%"));
    }
}
