//! A cursor for parsing the text of an expression.

use super::SyntaxError;
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
        let there = self.starts(text);
        if there {
            self.at += text.len();
        }
        there
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

    /// Resolves the escape after a backslash: `\uXXXX`, including surrogate pairs, and `plain` for any other character.
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
                        .error_since(start, "The quote is not closed")
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
                        None => return Err(self.error_since(start, "The quote is not closed")),
                    }
                }
                Some(c) => out.push(c),
            }
        }
    }
}
