//! Tools for parsing the text of an expression: a cursor, the error for text that does not parse, and the search for
//! the name that was probably meant.

use std::fmt;
use std::ops::Range;

/// A text and the offset of the next byte to read.
#[derive(Clone, Debug)]
pub(super) struct Scanner<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Scanner<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    /// The whole text.
    pub(super) fn text(&self) -> &'t str {
        self.text
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    pub(super) fn slice(&self, range: Range<usize>) -> &'t str {
        self.text.get(range).unwrap_or("")
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn bump(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    pub(super) fn is_done(&self) -> bool {
        self.at >= self.text.len()
    }

    pub(super) fn starts(&self, with: &str) -> bool {
        self.rest().starts_with(with)
    }

    /// Consumes `text` if it comes next, and returns true if it did.
    pub(super) fn eat(&mut self, text: &str) -> bool {
        let is_next = self.starts(text);
        if is_next {
            self.at += text.len();
        }
        is_next
    }

    /// Consumes and returns the characters that satisfy `wanted`.
    pub(super) fn eat_while(&mut self, wanted: impl Fn(char) -> bool) -> &'t str {
        let start = self.at;
        while self.peek().is_some_and(&wanted) {
            self.bump();
        }
        self.slice(start..self.at)
    }

    pub(super) fn blanks(&mut self) {
        self.eat_while(|c| matches!(c, ' ' | '\t' | '\n' | '\r'));
    }

    /// Byte range of the next character; empty at the end of the text.
    pub(super) fn here(&self) -> Range<usize> {
        self.at..self.at + self.peek().map_or(0, char::len_utf8)
    }

    /// Creates an error at the next character.
    pub(super) fn error(&self, message: impl Into<String>) -> SyntaxError {
        SyntaxError::new(message, self.here())
    }

    /// Creates an error for the range from `start` to the cursor.
    pub(super) fn error_since(&self, start: usize, message: impl Into<String>) -> SyntaxError {
        SyntaxError::new(message, start..self.at)
    }

    /// Resolves the escape after a backslash: `\uXXXX`, including surrogate pairs. Any other character is converted by
    /// `plain`.
    pub(super) fn escape(&mut self, plain: impl Fn(char) -> char) -> Option<char> {
        let before = self.at;
        match self.bump()? {
            'u' => {
                if let Some(c) = self.code_units() {
                    return Some(c);
                }
                self.at = before + 1;
                Some(plain('u'))
            }
            other => Some(plain(other)),
        }
    }

    /// Reads four hexadecimal digits, or a surrogate pair of two such groups.
    fn code_units(&mut self) -> Option<char> {
        let first = self.four_digits()?;
        if let Some(c) = char::from_u32(first) {
            return Some(c);
        }
        let back = self.at;
        if self.eat("\\u")
            && let Some(second) = self.four_digits()
            && (0xd800..0xdc00).contains(&first)
            && (0xdc00..0xe000).contains(&second)
        {
            return char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00));
        }
        self.at = back;
        Some(char::REPLACEMENT_CHARACTER)
    }

    fn four_digits(&mut self) -> Option<u32> {
        let digits = self.rest().get(..4)?;
        if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        self.at += 4;
        u32::from_str_radix(digits, 16).ok()
    }

    /// Reads the rest of a string after its opening `quote`; backslash escapes work as in Java.
    pub(super) fn quoted(&mut self, quote: char) -> Result<String, SyntaxError> {
        let start = self.at.saturating_sub(1);
        let mut out = String::new();
        loop {
            match self.bump() {
                None => {
                    return Err(self
                        .error_since(start, "The quoted text is not closed")
                        .help(format!("add {quote}")));
                }
                Some(c) if c == quote => return Ok(out),
                Some('\\') => {
                    let unescaped = self.escape(|c| match c {
                        'b' => '\u{8}',
                        'f' => '\u{c}',
                        'n' => '\n',
                        'r' => '\r',
                        't' => '\t',
                        other => other,
                    });
                    match unescaped {
                        Some(c) => out.push(c),
                        None => {
                            return Err(self.error_since(start, "The quoted text is not closed"));
                        }
                    }
                }
                Some(c) => out.push(c),
            }
        }
    }
}

/// A syntax error in an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// Description of the error.
    pub message: String,
    /// Byte range of the error in the expression.
    pub range: Range<usize>,
    /// Advice on what to write instead, if known.
    pub help: Option<String>,
}

impl SyntaxError {
    /// Creates an error without advice.
    #[must_use]
    pub fn new(message: impl Into<String>, range: Range<usize>) -> Self {
        Self {
            message: message.into(),
            range,
            help: None,
        }
    }

    /// Sets the advice on what to write instead.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Moves the error by `by` bytes, for an expression inside a longer text.
    #[must_use]
    pub fn shifted(mut self, by: usize) -> Self {
        self.range = self.range.start.saturating_add(by)..self.range.end.saturating_add(by);
        self
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for SyntaxError {}

/// The known name that is nearest to `typed`, ignoring case; `None` if no known name is within a few edits.
pub(super) fn nearest<'n>(
    typed: &str,
    known: impl IntoIterator<Item = &'n str>,
) -> Option<&'n str> {
    let wanted: Vec<char> = lower(typed);
    // For a single letter, any edit would match every other letter.
    let allowed = match wanted.len() {
        0 | 1 => 0,
        length => (length / 3).clamp(1, 4),
    };
    known
        .into_iter()
        .take(5_000)
        .filter(|name| *name != typed && name.len() < 200 && wanted.len() < 200)
        .filter_map(|name| {
            let name_chars = lower(name);
            (name_chars.len().abs_diff(wanted.len()) <= allowed)
                .then(|| (edits(&wanted, &name_chars), name))
        })
        .filter(|(edits, _)| *edits <= allowed)
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, name)| name)
}

fn lower(text: &str) -> Vec<char> {
    text.chars().flat_map(char::to_lowercase).collect()
}

/// Number of insertions, deletions and substitutions from `a` to `b`.
fn edits(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        let mut next = vec![left];
        for (j, to) in b.iter().enumerate() {
            let above = row.get(j + 1).copied().unwrap_or(usize::MAX / 2);
            left = (diagonal + usize::from(from != to))
                .min(above + 1)
                .min(left + 1);
            diagonal = above;
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found() {
        let known = ["Payload", "StatusCode", "items"];
        for (typed, expected) in [
            ("payload", Some("Payload")),
            ("Paylod", Some("Payload")),
            ("item", Some("items")),
            ("other", None),
            ("", None),
        ] {
            assert_eq!(nearest(typed, known), expected, "{typed}");
        }
    }
}
