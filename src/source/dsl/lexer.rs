//! Splits SFN DSL text into tokens: names, numbers, strings, operators, and changes of indentation, which delimit
//! blocks.

use super::ast::{MAX_FINDINGS, error};
use crate::source::{Diagnostic, Diagnostics, SourceId, Span};
use std::ops::Range;

/// Kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A word: letters, digits and `_`.
    Name,
    /// Any token that begins like a number.
    Number,
    /// A string, with the lengths in bytes of its opening and closing quotes.
    String(u8, u8),
    /// An operator, or an unknown character.
    Op,
    /// The indentation increases by one level.
    Indent,
    /// The indentation decreases by one level.
    Dedent,
    /// The end of the text.
    End,
}

/// A token with its source range.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub kind: TokenKind,
    /// Byte offset of the token's beginning.
    pub start: usize,
    /// Byte offset of the token's end, exclusive.
    pub end: usize,
    /// Line of the token's first byte, from 1.
    pub line: usize,
    /// Number of indentation levels around the token.
    pub depth: usize,
    /// True if the token is the first one of its line.
    pub first: bool,
}

/// The tokens of a text; the last one is always [`TokenKind::End`].
pub(super) struct Lexed {
    pub tokens: Vec<Token>,
    /// Byte offset of a bracket that is never closed, if any.
    pub unclosed: Option<usize>,
}

/// Splits a text into tokens. Each error is added to `diagnostics`, and lexing continues after the error.
pub(super) fn lex(text: &str, id: SourceId, diagnostics: &mut Diagnostics) -> Lexed {
    let mut lexer = Lexer {
        text,
        id,
        at: 0,
        line: 1,
        fresh: true,
        first: false,
        indents: Vec::new(),
        brackets: Vec::new(),
        tokens: Vec::new(),
        diagnostics,
    };
    lexer.run();
    Lexed {
        unclosed: lexer.brackets.last().copied(),
        tokens: lexer.tokens,
    }
}

/// Byte ranges of the strings that span several lines, including their quotes.
#[must_use]
pub fn long_strings(text: &str) -> Vec<Range<usize>> {
    let lexed = lex(text, SourceId(0), &mut Vec::new());
    let is_string = |token: &&Token| matches!(token.kind, TokenKind::String(..));
    let strings = lexed.tokens.iter().filter(is_string);
    let ranges = strings.map(|token| token.start..token.end);
    let is_long = |range: &Range<usize>| {
        let written = text.get(range.clone());
        written.is_some_and(|written| written.contains('\n'))
    };
    ranges.filter(is_long).collect()
}

struct Lexer<'t, 'f> {
    text: &'t str,
    id: SourceId,
    at: usize,
    line: usize,
    /// True if the next character is the first of its line.
    fresh: bool,
    /// True if the next token is the first of its line.
    first: bool,
    /// Columns of the open indentation levels.
    indents: Vec<usize>,
    /// Byte offsets of the open brackets.
    brackets: Vec<usize>,
    tokens: Vec<Token>,
    diagnostics: &'f mut Diagnostics,
}

impl Lexer<'_, '_> {
    fn run(&mut self) {
        loop {
            if self.fresh && self.brackets.is_empty() {
                self.line_start();
            }
            self.blanks();
            match self.peek() {
                None => break,
                Some('\n') => self.newline(),
                Some(c) => self.token(c),
            }
        }
        if let Some(open) = self.brackets.last().copied() {
            let bracket = self.text.get(open..=open).unwrap_or("");
            let end = self.text.len();
            let place = Span::new(self.id, end..end);
            let unclosed = error(
                place,
                format!("the text ends before \"{bracket}\" is closed"),
            );
            self.report(unclosed.related(
                Span::new(self.id, open..open + 1),
                "this bracket is never closed",
            ));
        }
        let end = self.text.len();
        self.fresh = false;
        while self.indents.pop().is_some() {
            self.push(TokenKind::Dedent, end, end, self.line);
        }
        self.push(TokenKind::End, end, end, self.line);
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < MAX_FINDINGS {
            self.diagnostics.push(diagnostic);
        }
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn newline(&mut self) {
        self.at += 1;
        self.line += 1;
        self.fresh = self.brackets.is_empty();
    }

    fn push(&mut self, kind: TokenKind, start: usize, end: usize, line: usize) {
        let marks = matches!(kind, TokenKind::Indent | TokenKind::Dedent);
        self.tokens.push(Token {
            kind,
            start,
            end,
            line,
            depth: self.indents.len(),
            first: self.first && !marks,
        });
        if !marks {
            self.first = false;
        }
    }

    /// Skips blank lines and comments, then determines the indentation of the next line.
    fn line_start(&mut self) {
        let mut column = 0_usize;
        while let Some(c) = self.peek() {
            match c {
                ' ' => column += 1,
                '\t' => column = (column / 8 + 1) * 8,
                '\u{c}' | '\r' => column = 0,
                '#' => {
                    self.comment();
                    continue;
                }
                '\n' => {
                    self.line += 1;
                    column = 0;
                }
                _ => {
                    self.fresh = false;
                    self.indentation(column);
                    self.first = true;
                    return;
                }
            }
            self.at += 1;
        }
    }

    fn comment(&mut self) {
        let length = self.rest().find('\n').unwrap_or(self.rest().len());
        self.at += length;
    }

    fn indentation(&mut self, column: usize) {
        let top = self.indents.last().copied().unwrap_or(0);
        if column > top {
            self.indents.push(column);
            self.push(TokenKind::Indent, self.at, self.at, self.line);
            return;
        }
        while let Some(top) = self.indents.last().copied().filter(|top| *top > column) {
            let below = self.indents.len().checked_sub(2);
            let below = below.and_then(|at| self.indents.get(at)).copied();
            if below.unwrap_or(0) < column && top > column {
                self.ragged();
                self.indents.pop();
                self.indents.push(column);
                return;
            }
            self.indents.pop();
            self.push(TokenKind::Dedent, self.at, self.at, self.line);
        }
    }

    /// Reports a line that is indented by an amount between two open levels. The line is treated as part of the deeper
    /// level.
    fn ragged(&mut self) {
        let length = self.peek().map_or(0, char::len_utf8);
        let place = Span::new(self.id, self.at..self.at + length);
        self.report(
            error(place, "the indentation of this line matches no line above")
                .help("move the line to the column of its block; a tab moves to the next column that is a multiple of 8"),
        );
    }

    /// Skips whitespace, comments and line continuations.
    fn blanks(&mut self) {
        while let Some(c) = self.peek() {
            match c {
                ' ' | '\t' | '\u{c}' | '\r' => self.at += 1,
                '#' => self.comment(),
                '\\' if self.rest().starts_with("\\\n") => self.join(2),
                '\\' if self.rest().starts_with("\\\r\n") => self.join(3),
                _ => return,
            }
        }
    }

    /// Skips a backslash and the line break after it, `length` bytes in total.
    fn join(&mut self, length: usize) {
        let sign = Span::new(self.id, self.at..self.at + 1);
        self.at += length;
        self.line += 1;
        if self.rest().is_empty() {
            let place = Span::new(self.id, self.at..self.at);
            let ends = error(place, "the text ends where a line should continue");
            self.report(ends.related(
                sign,
                "this backslash joins the line with the next line, but no line follows",
            ));
        }
    }

    fn token(&mut self, c: char) {
        let next = self.rest().chars().nth(1);
        let digit = next.is_some_and(|next| next.is_ascii_digit());
        match c {
            '"' | '\'' => self.string(c),
            '0'..='9' => self.number(),
            '.' if digit => self.number(),
            _ if c == '_' || c.is_alphanumeric() => self.name(),
            _ => self.operator(c),
        }
    }

    fn name(&mut self) {
        let rest = self.rest();
        let after = rest.trim_start_matches(|c: char| c == '_' || c.is_alphanumeric());
        let name = rest.strip_suffix(after).unwrap_or("").to_ascii_lowercase();
        let quoted = after.starts_with(['"', '\'']);
        let (start, end) = (self.at, self.text.len() - after.len());
        self.at = end;
        let prefix = matches!(
            name.as_str(),
            "r" | "u" | "b" | "f" | "br" | "rb" | "fr" | "rf"
        );
        if quoted && prefix {
            self.report(
                error(
                    Span::new(self.id, start..end),
                    format!("a string cannot have the prefix \"{name}\""),
                )
                .help("remove the prefix: strings are always kept as they are written"),
            );
            return;
        }
        self.push(TokenKind::Name, start, end, self.line);
    }

    fn number(&mut self) {
        let length = number_length(self.rest());
        self.push(TokenKind::Number, self.at, self.at + length, self.line);
        self.at += length;
    }

    fn string(&mut self, quote: char) {
        let rest = self.rest();
        let long: String = std::iter::repeat_n(quote, 3).collect();
        let marks = if rest.starts_with(&long) { 3 } else { 1 };
        let (length, closed) = string_length(rest, quote, marks);
        let written = rest.get(..length).unwrap_or("");
        let lines = written.matches('\n').count();
        let (start, end) = (self.at, self.at + length);
        let quotes = u8::try_from(marks).unwrap_or(1);
        let closing = if closed { quotes } else { 0 };
        self.push(TokenKind::String(quotes, closing), start, end, self.line);
        if !closed {
            let place = Span::new(self.id, start..start + marks);
            let text = "the string that begins here is not closed";
            let quote = if marks == 3 { long } else { quote.to_string() };
            self.report(error(place, text).help(format!("end the string with {quote}")));
        }
        self.at = end;
        self.line += lines;
    }

    fn operator(&mut self, c: char) {
        let two = self.rest().get(..2);
        let length = match two {
            Some("==" | "!=" | "<=" | ">=") => 2,
            _ => c.len_utf8(),
        };
        match c {
            '(' | '[' | '{' => self.brackets.push(self.at),
            ')' | ']' | '}' => {
                self.brackets.pop();
            }
            _ => {}
        }
        self.push(TokenKind::Op, self.at, self.at + length, self.line);
        self.at += length;
    }
}

/// Length in bytes of the string at the start of `text`, which begins with `marks` quotes. The flag is true if the
/// string is closed.
fn string_length(text: &str, quote: char, marks: usize) -> (usize, bool) {
    let (mut run, mut escaped) = (0_usize, false);
    let mut chars = text.char_indices().skip(marks).peekable();
    while let Some((at, c)) = chars.next() {
        if escaped {
            escaped = c == '\r' && matches!(chars.peek(), Some((_, '\n')));
            continue;
        }
        match c {
            '\\' => (run, escaped) = (0, true),
            '\n' if marks == 1 => {
                let kept = text.get(..at).unwrap_or("").trim_end_matches('\r');
                return (kept.len(), false);
            }
            _ if c == quote => {
                run += 1;
                if run == marks {
                    return (at + 1, true);
                }
            }
            _ => run = 0,
        }
    }
    (text.len(), false)
}

/// Length in bytes of the number at the start of `text`.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let byte = |at: usize| bytes.get(at).copied().unwrap_or(0);
    if byte(0) == b'0'
        && byte(1).is_ascii_alphabetic()
        && !matches!(byte(1), b'e' | b'E' | b'j' | b'J')
    {
        let word = |c: char| c == '_' || c.is_ascii_alphanumeric();
        return text.find(|c| !word(c)).unwrap_or(text.len());
    }
    let digits = |from: usize| {
        let mut at = from;
        while byte(at).is_ascii_digit()
            || (byte(at) == b'_' && at > from && byte(at + 1).is_ascii_digit())
        {
            at += 1;
        }
        at
    };
    let whole = digits(0);
    let mut at = whole;
    if byte(at) == b'.' {
        at = digits(at + 1);
    }
    if matches!(byte(at), b'e' | b'E') {
        let signed = usize::from(matches!(byte(at + 1), b'+' | b'-'));
        let end = digits(at + 1 + signed);
        if end > at + 1 + signed {
            at = end;
        }
    }
    if matches!(byte(at), b'j' | b'J') {
        return at + 1;
    }
    if at == whole && byte(0) == b'0' {
        return zeros(text);
    }
    at
}

/// Length in bytes of the zeros at the start of `text`. The zeros are a token of their own: `010` is read as `0` and
/// `10`.
fn zeros(text: &str) -> usize {
    text.find(|c: char| c != '0' && c != '_')
        .map_or(text.len(), |end| {
            text.get(..end).unwrap_or("0").trim_end_matches('_').len()
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let mut diagnostics = Vec::new();
        let lexed = lex(text, SourceId(0), &mut diagnostics);
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        let show = |token: &Token| match token.kind {
            TokenKind::Indent => ">".to_string(),
            TokenKind::Dedent => "<".to_string(),
            TokenKind::End => format!("end {}", token.line),
            _ => text[token.start..token.end].to_string(),
        };
        lexed.tokens.iter().map(show).collect()
    }

    #[test]
    fn tokens() {
        let text = "a(1_0, 1e3,.5, 2., 010)\n  # c\n  b.$: \"x\\\"y\" [\n] 3\n\tc\nd";
        assert_eq!(
            shown(text).join(" "),
            "a ( 1_0 , 1e3 , .5 , 2. , 0 10 ) > b . $ : \"x\\\"y\" [ ] 3 > c < < d end 6"
        );
        assert_eq!(
            shown("0x1f 1j 00 '''a\n'b''' ''").join(" "),
            "0x1f 1j 00 '''a\n'b''' '' end 2"
        );
        assert_eq!(shown("a \\\n b\r\nc").join(" "), "a b c end 3");
    }

    #[test]
    fn a_ragged_line_stays_in_its_block() {
        let mut diagnostics = Vec::new();
        let lexed = lex("a\n    b\n  c\n  d\ne", SourceId(0), &mut diagnostics);
        assert_eq!(diagnostics.len(), 1);
        let depths: Vec<usize> = lexed.tokens.iter().map(|token| token.depth).collect();
        assert_eq!(depths, [0, 1, 1, 1, 1, 0, 0, 0]);
    }
}
