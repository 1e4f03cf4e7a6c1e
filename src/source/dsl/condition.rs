//! Parses conditions into Choice rules. The comparator depends on the value that a path is compared with: a string that
//! is a timestamp, for example, is compared as a time.

use super::ast::{self, brief, error, warning};
use super::cursor::{Failed, Parsed, Parser};
use super::lexer::{Token, TokenKind};
use crate::source::{Member, Node, NodeKind, Span};

/// A Choice rule without its `Next`, which depends on the states that follow.
pub(super) struct Rule {
    pub members: Vec<Member>,
    /// Source range of the condition.
    pub span: Span,
}

impl Rule {
    fn node(self) -> Node {
        ast::object(self.members, self.span)
    }
}

const COMPARATORS: [(&str, &str); 6] = [
    ("==", "Equals"),
    ("!=", "Equals"),
    ("<", "LessThan"),
    ("<=", "LessThanEquals"),
    (">", "GreaterThan"),
    (">=", "GreaterThanEquals"),
];

impl Parser<'_, '_> {
    /// Parses a condition.
    pub fn condition(&mut self) -> Parsed<Rule> {
        self.chain("or", "Or", |parser| parser.chain("and", "And", Self::term))
    }

    /// Parses operands that are joined by `word`, and returns one flat rule. A single operand is returned unchanged.
    fn chain(
        &mut self,
        word: &str,
        name: &'static str,
        read: impl Fn(&mut Self) -> Parsed<Rule>,
    ) -> Parsed<Rule> {
        let from = self.token();
        let first = read(self)?;
        if !self.is_word(0, word) {
            return Ok(first);
        }
        let place = self.span(self.token());
        let mut rules = vec![first.node()];
        while self.is_word(0, word) {
            self.bump();
            rules.push(read(self)?.node());
        }
        let span = self.since(from);
        let list = ast::array(rules, span);
        Ok(Rule {
            members: vec![ast::member(name, place, list)],
            span,
        })
    }

    fn term(&mut self) -> Parsed<Rule> {
        if self.is_word(0, "not") {
            let word = self.bump();
            let inner = self.nested(Self::term)?;
            return Ok(negated(inner, self.span(word), self.since(word)));
        }
        if !self.eat("(") {
            return self.comparison();
        }
        let inner = self.nested(Self::condition)?;
        self.expect(")")?;
        Ok(inner)
    }

    fn comparison(&mut self) -> Parsed<Rule> {
        let from = self.token();
        let path = self.path()?;
        let op = self.comparator()?;
        let value = self.scalar()?;
        let span = self.since(from);
        let name = self.written(op);
        Ok(self.compare(&path, (name, self.span(op)), value, span))
    }

    fn path(&mut self) -> Parsed<Node> {
        if self.is_string() {
            let token = self.bump();
            return Ok(self.string_node(token));
        }
        let help = match self.kind() {
            TokenKind::Op if self.is_op(0, "$") => "write the path in quotes: '$.a'",
            _ => "a comparison begins with a path in quotes: '$.a' == 1",
        };
        self.wanted("expected a path", Some(help))
    }

    fn comparator(&mut self) -> Parsed<Token> {
        let written = self.written(self.token());
        if self.kind() == TokenKind::Op && COMPARATORS.iter().any(|(op, _)| *op == written) {
            return Ok(self.bump());
        }
        let help = match written {
            "=" => "write == to compare",
            _ => "compare the path with a value: '$.a' == true",
        };
        self.wanted("expected a comparison (== != < <= > >=)", Some(help))
    }

    /// The rule that compares a path with a value.
    pub fn compare(&mut self, path: &Node, op: (&str, Span), value: Node, span: Span) -> Rule {
        let (written, place) = op;
        let comparator = COMPARATORS.iter().find(|(op, _)| *op == written);
        let comparator = comparator.map_or("Equals", |(_, name)| name);
        let kind = self.comparable(&value);
        if kind == "Boolean" && comparator != "Equals" {
            let text =
                format!("the operator \"{written}\" cannot compare a path with true or false");
            self.report(error(path.span, text).help("use == or !="));
        }
        let rule = Rule {
            members: vec![
                ast::member("Variable", path.span, path.clone()),
                ast::member(format!("{kind}{comparator}"), place, value),
            ],
            span,
        };
        if written == "!=" {
            negated(rule, place, span)
        } else {
            rule
        }
    }

    /// Returns the beginning of the name of the comparator for a value: `Numeric` (as in `NumericEquals`) for a number.
    fn comparable(&mut self, value: &Node) -> &'static str {
        match &value.kind {
            NodeKind::Number(_) => "Numeric",
            NodeKind::Bool(_) => "Boolean",
            NodeKind::String(string) if is_timestamp(&string.text) => "Timestamp",
            NodeKind::String(string) => {
                if looks_like_date(&string.text) {
                    let text = format!(
                        "\"{text}\" is compared as a string, not as a time",
                        text = brief(&string.text)
                    );
                    self.report(
                        warning(value.span, text).help("write a timestamp as 2024-01-02T03:04:05Z"),
                    );
                }
                "String"
            }
            _ => "String",
        }
    }

    /// Parses a condition and its colon. On a syntax error, skips the line and returns an empty rule.
    pub fn condition_line(&mut self) -> Rule {
        let from = self.token();
        let read = self.condition().and_then(|rule| {
            self.expect(":")?;
            Ok(rule)
        });
        read.unwrap_or_else(|Failed| {
            self.skip_line();
            Rule {
                members: Vec::new(),
                span: self.since(from),
            }
        })
    }
}

fn negated(inner: Rule, place: Span, span: Span) -> Rule {
    Rule {
        members: vec![ast::member("Not", place, inner.node())],
        span,
    }
}

/// True if a text is an RFC 3339 timestamp such as `2024-01-02T03:04:05Z`, optionally with a fraction or a numeric
/// offset.
fn is_timestamp(text: &str) -> bool {
    let mut rest = Scan(text);
    let date = rest.date(Some('-'), (2, 2));
    let time = rest.eat('T') && rest.time();
    rest.fraction('.');
    date && time && (rest.eat('Z') || rest.zone(true)) && rest.0.is_empty()
}

/// True if the text is probably meant as a date or a time but is no RFC 3339 timestamp: for example a year alone, or a
/// date without a time zone.
fn looks_like_date(text: &str) -> bool {
    let mut rest = Scan(text);
    if rest.0.len() == 6 && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return false;
    }
    let dashed = text.get(4..5) == Some("-");
    let date = if dashed {
        rest.date(Some('-'), (1, 0))
    } else {
        rest.date(None, (2, 0))
    };
    if !date {
        return false;
    }
    if rest.eat('T') || rest.eat(' ') {
        if !rest.loose_time() {
            return false;
        }
        let _ = rest.eat('Z') || rest.zone(false);
    }
    rest.0.is_empty()
}

/// The unread rest of a text.
struct Scan<'t>(&'t str);

impl Scan<'_> {
    fn eat(&mut self, c: char) -> bool {
        let rest = self.0.strip_prefix(c);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    /// Reads at least `least` and at most `most` digits.
    fn digits(&mut self, least: usize, most: usize) -> Option<u32> {
        let digits = self.0.bytes().take_while(u8::is_ascii_digit);
        let count = digits.take(most).count();
        if count < least {
            return None;
        }
        let (digits, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        digits.parse().ok()
    }

    /// Reads a year, a month and a day. If `dash` is given, a dash separates the three numbers, and the month and the
    /// day have at least `digits.0` digits. Without a dash, both have two digits. If `digits.1` is 0, the month and the
    /// day may be missing.
    fn date(&mut self, dash: Option<char>, digits: (usize, usize)) -> bool {
        let Some(year) = self.digits(4, 4).filter(|year| *year > 0) else {
            return false;
        };
        let mut parts = [1_u32, 1];
        for part in &mut parts {
            let before = self.0;
            let has_dash = dash.is_none_or(|dash| self.eat(dash));
            let least = if dash.is_some() { digits.0 } else { 2 };
            match self.digits(least, 2).filter(|_| has_dash) {
                Some(number) => *part = number,
                None if digits.1 == 0 => {
                    self.0 = before;
                    break;
                }
                None => return false,
            }
        }
        let [month, day] = parts;
        (1..=12).contains(&month) && (1..=days(year, month)).contains(&day)
    }

    fn time(&mut self) -> bool {
        let hour = self.digits(2, 2).is_some_and(|hour| hour < 24);
        let minute = self.eat(':') && self.digits(2, 2).is_some_and(|minute| minute < 60);
        let second = self.eat(':') && self.digits(2, 2).is_some_and(|second| second < 60);
        hour && minute && second
    }

    fn loose_time(&mut self) -> bool {
        let Some(hour) = self.digits(2, 2) else {
            return false;
        };
        let mut fine = hour < 24;
        for least in [2, 1] {
            let before = self.0;
            let _ = self.eat(':');
            match self.digits(least, 2) {
                Some(number) => fine &= number < 60,
                None => {
                    self.0 = before;
                    break;
                }
            }
        }
        self.fraction('.');
        self.fraction(',');
        fine
    }

    fn fraction(&mut self, point: char) {
        let before = self.0;
        if self.eat(point) {
            let rest = self.0.trim_start_matches(|c: char| c.is_ascii_digit());
            self.0 = if rest.len() < self.0.len() {
                rest
            } else {
                before
            };
        }
    }

    fn zone(&mut self, strict: bool) -> bool {
        if !self.eat('+') && !self.eat('-') {
            return false;
        }
        let hour = self.digits(2, 2).is_some_and(|hour| hour < 24);
        let colon = self.eat(':');
        let minute = self.digits(2, 2);
        hour && minute.is_none_or(|minute| minute < 60) && (!strict || colon && minute.is_some())
    }
}

fn days(year: u32, month: u32) -> u32 {
    let leap = year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strict_and_loose() {
        let strict = [
            "2024-01-02T03:04:05Z",
            "2024-01-02T03:04:05.123456789Z",
            "2024-02-29T03:04:05+05:30",
        ];
        let loose = [
            "2024",
            "2024-01",
            "20240102",
            "2024-1-2",
            "2024-01-02",
            "2024-01-02 03:04",
            "2024-01-02T03:04:05",
            "2024-01-02T03:04:05-0800",
            "2024-01-02 03:04:05Z",
        ];
        let neither = [
            "",
            "202401",
            "0000",
            "2024-13-02",
            "2023-02-29T00:00:00Z",
            "2024-01-02T24:00:00Z",
            "2024-01-02t03:04:05z",
            " 2024",
            "2024 ",
            "2024-",
            "abc",
            "2016-12-31T23:59:60Z",
        ];
        for text in strict {
            assert!(is_timestamp(text) && looks_like_date(text), "{text}");
        }
        for text in loose {
            assert!(!is_timestamp(text) && looks_like_date(text), "{text}");
        }
        for text in neither {
            assert!(!is_timestamp(text) && !looks_like_date(text), "{text}");
        }
    }
}
