//! Parses conditions into Choice rules.

use super::build;
use super::cursor::{Failed, Parsed, Parser};
use super::diagnostic::{brief, error, warning};
use super::lexer::{Token, TokenKind};
use super::timestamp::{is_timestamp, looks_like_date};
use crate::source::{Member, Node, NodeKind, Span};

/// A Choice rule without `Next`.
pub(super) struct Rule {
    pub members: Vec<Member>,
    /// Source range of the condition.
    pub span: Span,
}

impl Rule {
    fn node(self) -> Node {
        build::object(self.members, self.span)
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

    /// Parses terms joined by `word` into a flat list. A single term is returned unchanged.
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
        let list = build::array(rules, span);
        Ok(Rule {
            members: vec![build::member(name, place, list)],
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
        self.wanted_or("a path", Some(help.to_string()))
    }

    fn comparator(&mut self) -> Parsed<Token> {
        let written = self.written(self.token());
        if self.kind() == TokenKind::Op && COMPARATORS.iter().any(|(op, _)| *op == written) {
            return Ok(self.bump());
        }
        let help = match written {
            "=" => "write == to compare",
            _ => "a path is compared with a value: '$.a' == true",
        };
        self.wanted_or("a comparison (== != < <= > >=)", Some(help.to_string()))
    }

    /// The rule that compares a path with a value.
    pub fn compare(&mut self, path: &Node, op: (&str, Span), value: Node, span: Span) -> Rule {
        let (written, place) = op;
        let comparator = COMPARATORS
            .iter()
            .find(|(op, _)| *op == written)
            .map_or("Equals", |(_, name)| name);
        let kind = self.comparable(&value);
        if kind == "Boolean" && comparator != "Equals" {
            let wrong = error(
                path.span,
                format!("\"{written}\" cannot compare with true or false"),
            );
            self.report(wrong.help("use == or !="));
        }
        let rule = Rule {
            members: vec![
                build::member("Variable", path.span, path.clone()),
                build::member(format!("{kind}{comparator}"), place, value),
            ],
            span,
        };
        if written == "!=" {
            negated(rule, place, span)
        } else {
            rule
        }
    }

    /// The type prefix of the comparator's name, which depends on the value.
    fn comparable(&mut self, value: &Node) -> &'static str {
        match &value.kind {
            NodeKind::Number(_) => "Numeric",
            NodeKind::Bool(_) => "Boolean",
            NodeKind::String(string) if is_timestamp(&string.text) => "Timestamp",
            NodeKind::String(string) => {
                if looks_like_date(&string.text) {
                    let text = format!("\"{}\" is compared as a string", brief(&string.text));
                    self.report(
                        warning(value.span, text)
                            .help("a timestamp is written as 2024-01-02T03:04:05Z"),
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
        members: vec![build::member("Not", place, inner.node())],
        span,
    }
}
