//! Parses the values of a program: strings, numbers and a lenient form of JSON.

use super::ast::{self, Members, brief, node, warning};
use super::cursor::{Parsed, Parser};
use super::lexer::{Token, TokenKind};
use crate::json::{Number, Text};
use crate::source::node::Woven;
use crate::source::{Member, Node, NodeKind, SourceId, Span, StringNode};

impl Parser<'_, '_> {
    /// Converts a string token to a node.
    pub fn string_node(&self, token: Token) -> Node {
        node(NodeKind::String(self.content(token)), self.span(token))
    }

    /// The text of a string token.
    pub fn string_text(&self, token: Token) -> Text {
        self.content(token).text
    }

    fn content(&self, token: Token) -> StringNode {
        let (start, end) = self.inside(token);
        raw(self.text, self.id, start, end)
    }

    /// Two byte offsets of a string token: of the first byte after the opening quotes, and of the closing quotes.
    pub fn inside(&self, token: Token) -> (usize, usize) {
        let TokenKind::String(open, close) = token.kind else {
            return (token.start, token.end);
        };
        let start = token.start + usize::from(open);
        (
            start,
            token.end.saturating_sub(usize::from(close)).max(start),
        )
    }

    /// Parses a string.
    pub fn string(&mut self, expectation: &str) -> Parsed<Node> {
        let token = self.string_token(expectation)?;
        Ok(self.string_node(token))
    }

    /// Consumes a string token; `expectation` begins the error message, such as `expected a path`.
    pub fn string_token(&mut self, expectation: &str) -> Parsed<Token> {
        if self.is_string() {
            return Ok(self.bump());
        }
        let help = match self.kind() {
            TokenKind::Name => Some(format!(
                "write this text in quotes: \"{text}\"",
                text = self.written(self.token())
            )),
            TokenKind::Op if self.is_op(0, "$") => {
                Some("write a path in quotes: \"$.a\"".to_string())
            }
            _ => None,
        };
        self.wanted(expectation, help.as_deref())
    }

    /// Parses an integer that is at least `least`.
    pub fn whole(&mut self, least: u8, quantity: &str) -> Parsed<Node> {
        let token = self.number_token(&format!("expected {quantity}"))?;
        let written = self.written(token);
        let text = brief(written);
        let span = self.span(token);
        let read = number(written, false);
        let message = match &read {
            Ok((number, Written::Whole)) if number.as_f64() >= f64::from(least) => {
                return Ok(node(NodeKind::Number(number.clone()), span));
            }
            Ok((_, Written::Whole)) => format!("{quantity} must be at least {least}, not {text}"),
            Ok((_, Written::Real)) => format!("{quantity} must be a whole number, not {text}"),
            Err(no) => return Ok(self.no_number(token, *no)),
        };
        self.refuse(token, message, None);
        Ok(node(NodeKind::Null, span))
    }

    fn no_number(&mut self, token: Token, no: NoNumber) -> Node {
        let written = brief(self.written(token));
        let (message, help) = match no {
            NoNumber::Range => (format!("the number {written} is out of range"), None),
            NoNumber::Unknown => (
                format!("\"{written}\" is not a number"),
                Some("write a decimal number, such as 12, 1.5 or 1e3"),
            ),
        };
        self.refuse(token, message, help);
        // `null` takes the place of the number, so that later checks do not report the number again.
        node(NodeKind::Null, self.span(token))
    }

    /// True if a number begins at the current token: digits, or `-` directly before digits.
    fn is_number(&self) -> bool {
        let (sign, digits) = (self.token(), self.ahead(1));
        self.kind() == TokenKind::Number
            || self.is_op(0, "-") && digits.kind == TokenKind::Number && digits.start == sign.end
    }

    /// Consumes a number and its sign as one token.
    fn number_token(&mut self, expectation: &str) -> Parsed<Token> {
        if !self.is_number() {
            return self.wanted(expectation, None);
        }
        let first = self.bump();
        if first.kind == TokenKind::Number {
            return Ok(first);
        }
        let digits = self.bump();
        Ok(Token {
            kind: TokenKind::Number,
            end: digits.end,
            ..first
        })
    }

    /// Parses the value in a comparison: `true`, `false`, a number or a string.
    pub fn scalar(&mut self) -> Parsed<Node> {
        const EXPECTATION: &str = "expected a value: a string, a number, true or false";
        let token = self.token();
        if self.is_string() {
            self.bump();
            return Ok(self.string_node(token));
        }
        if self.is_number() {
            return self.number(EXPECTATION, false);
        }
        match self.flag() {
            Some(node) => Ok(node),
            None => self.wanted(EXPECTATION, None),
        }
    }

    fn flag(&mut self) -> Option<Node> {
        let token = self.token();
        let flag = match self.written(token) {
            "true" | "True" => true,
            "false" | "False" => false,
            _ => return None,
        };
        if token.kind != TokenKind::Name {
            return None;
        }
        self.bump();
        Some(node(NodeKind::Bool(flag), self.span(token)))
    }

    /// Parses a number. If `real` is true, an integer becomes a decimal fraction.
    pub fn number(&mut self, expectation: &str, real: bool) -> Parsed<Node> {
        let token = self.number_token(expectation)?;
        Ok(match number(self.written(token), real) {
            Ok((number, _)) => node(NodeKind::Number(number), self.span(token)),
            Err(no) => self.no_number(token, no),
        })
    }

    /// Parses any JSON value. Single quotes and trailing commas are allowed.
    pub fn json(&mut self) -> Parsed<Node> {
        const EXPECTATION: &str = "expected a JSON value";
        let token = self.token();
        if self.is_string() {
            self.bump();
            self.warn_escapes(token);
            return Ok(self.string_node(token));
        }
        if self.is_number() {
            return self.number(EXPECTATION, false);
        }
        if let Some(node) = self.flag() {
            return Ok(node);
        }
        if self.is_word(0, "null") || self.is_word(0, "Null") {
            self.bump();
            return Ok(node(NodeKind::Null, self.span(token)));
        }
        if self.eat("{") {
            let members = self.nested(Self::members)?;
            return Ok(ast::object(members, self.since(token)));
        }
        if self.eat("[") {
            let items = self.nested(Self::items)?;
            return Ok(ast::array(items, self.since(token)));
        }
        let help = match self.written(token) {
            "None" | "nil" | "NULL" => Some("write null"),
            "TRUE" | "FALSE" => Some("write true or false"),
            _ if token.kind == TokenKind::Indent => {
                Some("put the value on the same line as the name")
            }
            _ => None,
        };
        self.wanted(EXPECTATION, help)
    }

    fn members(&mut self) -> Parsed<Vec<Member>> {
        let mut members = Members::default();
        while !self.eat("}") {
            let key = self.string_token("expected a name in quotes, or \"}\"")?;
            self.expect(":")?;
            let value = self.json()?;
            let name = self.string_text(key);
            self.put(&mut members, name, self.span(key), value);
            if !self.eat(",") && !self.is_op(0, "}") {
                return self.wanted("expected \",\" or \"}\"", None);
            }
        }
        Ok(members.list)
    }

    /// Adds a member. If the object already has a member with this name, the new value replaces the old one, with a
    /// warning.
    pub fn put(&mut self, members: &mut Members, name: Text, span: Span, value: Node) {
        let text = format!(
            "\"{name}\" is repeated; the later value is used",
            name = brief(&name)
        );
        if let Some(first) = members.set(ast::member(name, span, value)) {
            self.report(warning(span, text).related(first, "the name is first written here"));
        }
    }

    fn items(&mut self) -> Parsed<Vec<Node>> {
        let mut items = Vec::new();
        while !self.eat("]") {
            items.push(self.json()?);
            if !self.eat(",") && !self.is_op(0, "]") {
                return self.wanted("expected \",\" or \"]\"", None);
            }
        }
        Ok(items)
    }

    /// Warns about a backslash that the string keeps, if the author probably meant the backslash to begin an escape.
    fn warn_escapes(&mut self, token: Token) {
        let (start, end) = self.inside(token);
        let inner = self.text.get(start..end).unwrap_or("");
        let mut chars = inner.char_indices();
        while let Some((at, c)) = chars.next() {
            let letter = match (c, chars.clone().next()) {
                ('\\', Some((_, next))) => next,
                _ => continue,
            };
            chars.next();
            if matches!(letter, 'n' | 't' | 'u' | '"' | '\\') {
                let place = Span::new(self.id, start + at..start + at + 2);
                self.report(
                    warning(place, format!("\"\\{letter}\" is kept as it is: a backslash escapes nothing in a value"))
                        .help("write the character itself; a string in three quotes may contain line breaks and quotes"),
                );
                return;
            }
        }
    }
}

/// The text between two quotes, with a map to the source. Each `\r\n` becomes `\n`.
fn raw(text: &str, id: SourceId, start: usize, end: usize) -> StringNode {
    let inner = text.get(start..end).unwrap_or("");
    joined(text, id, inner.split("\r\n"))
}

/// Joins lines with `\n`. Each line must be a slice of `text`, because its position is computed from its address.
fn joined<'t>(text: &str, id: SourceId, lines: impl Iterator<Item = &'t str>) -> StringNode {
    let mut woven = Woven::default();
    for (count, line) in lines.enumerate() {
        let start = (line.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
        if count > 0 {
            woven.copied("\n", Span::new(id, start..start));
        }
        woven.copied(line, Span::new(id, start..start + line.len()));
    }
    woven.string(Span::default())
}

/// Name and comment from a docstring.
pub(super) struct Title {
    /// The first line, trimmed; may be empty.
    pub name: String,
    /// Everything after the first line.
    pub comment: Option<StringNode>,
}

/// Splits the text of a docstring into its name and its comment.
pub(super) fn title(text: &str, id: SourceId, start: usize, end: usize) -> Title {
    let inner = text.get(start..end).unwrap_or("");
    let (name, rest) = match inner.split_once('\n') {
        Some((name, rest)) => (name, Some(rest)),
        None => (inner, None),
    };
    // Trims a line. For a blank line, returns the empty slice at its beginning, because `joined` computes the position
    // of a line from the address of its slice.
    fn kept(line: &str) -> &str {
        match line.trim() {
            "" => line.get(..0).unwrap_or(line),
            kept => kept,
        }
    }
    Title {
        name: name.trim().to_string(),
        comment: rest.map(|rest| joined(text, id, rest.split('\n').map(kept))),
    }
}

/// Notation of a number: a whole number or a decimal fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// Only digits.
    Whole,
    /// With a decimal point or an exponent.
    Real,
}

/// The reason why a number literal is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoNumber {
    /// The notation is not supported, such as hexadecimal or imaginary numbers.
    Unknown,
    /// The number is out of range.
    Range,
}

/// Parses a number. With `real`, an integer is converted to a decimal fraction: `2` becomes `2.0`.
pub(super) fn number(text: &str, real: bool) -> Result<(Number, Written), NoNumber> {
    let plain: String = text.chars().filter(|c| *c != '_').collect();
    let (sign, digits) = plain
        .strip_prefix('-')
        .map_or(("", plain.as_str()), |digits| ("-", digits));
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) && !real {
        let kept = digits.trim_start_matches('0');
        let exact = if kept.is_empty() {
            "0".to_string()
        } else {
            format!("{sign}{kept}")
        };
        let number = Number::parse(&exact).ok_or(NoNumber::Unknown)?;
        return Ok((number, Written::Whole));
    }
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return Err(NoNumber::Unknown);
    }
    let value: f64 = plain.parse().map_err(|_| NoNumber::Unknown)?;
    if !value.is_finite() {
        return Err(NoNumber::Range);
    }
    let number = Number::parse(&format!("{value:?}")).ok_or(NoNumber::Unknown)?;
    Ok((number, Written::Real))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        number(text, false).map_or_else(|no| format!("{no:?}"), |(number, _)| number.to_string())
    }

    #[test]
    fn numbers() {
        let texts = "0 00 1_000 1.50 .5 2. 1e3 1.5E-2 123456789012345678901234567890 -3 -0 1e999 0x10 1j 1e-7 1e22";
        let all: Vec<String> = texts.split(' ').map(shown).collect();
        assert_eq!(
            all.join(" "),
            "0 0 1000 1.5 0.5 2.0 1000.0 0.015 123456789012345678901234567890 -3 0 Range Unknown Unknown 1e-7 1e22"
        );
        assert_eq!(
            number("2", true).map(|(number, _)| number.to_string()),
            Ok("2.0".to_string())
        );
    }

    #[test]
    fn comments_lead_back() {
        let text = "\"\"\" N \r\n  first\n\n   second \"\"\"";
        let title = title(text, SourceId(0), 3, text.len() - 3);
        let comment = title.comment.expect("a comment");
        assert_eq!(
            (title.name.as_str(), &*comment.text),
            ("N", "first\n\nsecond")
        );
        let at = comment.text.find("second").expect("second");
        assert_eq!(&text[comment.map.span(at..at + 6).range()], "second");
        let kept = raw("'a\r\nb'", SourceId(0), 1, 5);
        assert_eq!((&*kept.text, kept.map.span(2..3).range()), ("a\nb", 4..5));
    }
}
