//! Properties of the client, and conversions of lines, columns and paths between asldbg's format and the client's.

use super::protocol::InitializeArguments;
use crate::source::SourceFile;
use std::path::{Path, PathBuf};

/// The client's capabilities and its numbering of lines and columns, as sent in `initialize`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Client {
    /// The number that the client gives to the first line of a file: 0 or 1.
    first_line: i64,
    /// The number that the client gives to the first column of a line: 0 or 1.
    first_column: i64,
    /// True if the client sends and expects file URIs in place of plain paths.
    uris: bool,
    /// True if the client shows types of variables.
    pub types: bool,
    /// True if the client requests the items of a large array in pages, not all at once.
    pub paging: bool,
    /// True if the client can show the progress of a long run.
    pub progress: bool,
    /// True if the client supports the `invalidated` event, which says that shown data must be requested again.
    pub invalidated: bool,
}

impl Client {
    /// Creates the properties from the `initialize` request.
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

    /// Converts a 1-based line to the client's numbering.
    pub fn line(self, line: usize) -> i64 {
        number(line)
            .saturating_sub(1)
            .saturating_add(self.first_line)
    }

    /// Converts a line number of the client to a 1-based line number; 0 if the line is before the first line.
    pub fn own_line(self, line: i64) -> usize {
        let line = line.saturating_sub(self.first_line).saturating_add(1);
        usize::try_from(line).unwrap_or(0)
    }

    /// Line and column of a byte offset, in the client's numbering. Columns count UTF-16 code units, as in editors.
    pub fn place(self, file: &SourceFile, offset: usize) -> (i64, i64) {
        let line = file.line_at(offset.min(file.text.len()));
        let start = file.line_range(line).map_or(0, |range| range.start);
        let before = file.text.get(start..offset).unwrap_or("");
        let column = before.encode_utf16().count();
        let column = number(column).saturating_add(self.first_column);
        (self.line(line), column)
    }

    /// Converts the client's column number to a 0-based offset in UTF-16 code units.
    pub fn own_column(self, column: i64) -> usize {
        usize::try_from(column.saturating_sub(self.first_column)).unwrap_or(0)
    }

    /// Converts the client's column number in this line to a 1-based position that counts characters, not UTF-16 units.
    pub fn character(self, column: i64, line: &str) -> usize {
        let mut left = self.own_column(column);
        let before = line.chars().take_while(|c| {
            let stands_before = c.len_utf16() <= left;
            left = left.saturating_sub(c.len_utf16());
            stands_before
        });
        before.count().saturating_add(1)
    }

    /// Converts a 0-based column to the client's numbering.
    pub fn column(self, column: usize) -> i64 {
        number(column).saturating_add(self.first_column)
    }

    /// Converts a path to the client's format: a URI if the client uses URIs.
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

    /// Converts the client's path or URI to a path.
    pub fn own_path(self, text: &str) -> PathBuf {
        if let Some(rest) = text.strip_prefix("file://") {
            return PathBuf::from(decoded(rest));
        }
        // A remote VS Code window sends URIs that begin with the name of the remote machine; the path follows the name.
        let remote = text.strip_prefix("vscode-remote://");
        match remote.and_then(|rest| rest.find('/').and_then(|root| rest.get(root..))) {
            Some(path) => PathBuf::from(decoded(path)),
            None => PathBuf::from(text),
        }
    }
}

/// Converts a count to `i64`, the type of numbers in the protocol.
pub(super) fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Converts a count from a request; `None` if the request has no count or a negative one.
pub(super) fn given_count(number: Option<i64>) -> Option<usize> {
    usize::try_from(number?).ok()
}

/// Replaces each percent escape of a URI, such as `%20`, by the byte that it stands for.
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
