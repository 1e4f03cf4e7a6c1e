//! Parses the block below a state's first line: the docstring and the modifiers.

use super::ast::{self, Branch, Catch, brief, error};
use super::cursor::{Docstring, Failed, Parsed, Parser};
use super::lexer::{Token, TokenKind};
use crate::json::Text;
use crate::source::{Member, Node, Span, did_you_mean};

/// Every modifier, with the field that it sets in the definition.
pub(super) const MODIFIERS: [(&str, &str); 12] = [
    ("timeout", "TimeoutSeconds"),
    ("heartbeat", "HeartbeatSeconds"),
    ("input", "InputPath"),
    ("result", "ResultPath"),
    ("output", "OutputPath"),
    ("items_path", "ItemsPath"),
    ("max_concurrency", "MaxConcurrency"),
    ("data", "Result"),
    ("parameters", "Parameters"),
    ("iterator", "Iterator"),
    ("retry", "Retry"),
    ("catch", "Catch"),
];

/// The modifiers that a kind of state accepts.
pub(super) struct Shape {
    /// Name of the kind of state, with an article.
    pub kind: &'static str,
    /// The allowed modifiers, separated by spaces.
    pub takes: &'static str,
}

/// The contents of the block below a state's first line.
#[derive(Default)]
pub(super) struct Body {
    /// The docstring.
    pub title: Option<Token>,
    /// The fields set by modifiers.
    pub fields: Vec<Member>,
    /// The block of `parameters`, if there is one.
    pub parameters: Option<Parameters>,
    /// The retriers from `retry` modifiers.
    pub retry: Vec<Node>,
    /// The errors and the blocks of `catch` modifiers.
    pub catch: Vec<Catch>,
    /// The block of `iterator`, if there is one.
    pub iterator: Option<Branch>,
    /// True if a part of the block had a syntax error.
    pub broken: bool,
    /// The modifiers found so far, each with its range.
    pub seen: Vec<(&'static str, Span)>,
}

/// The block below `parameters`.
pub(super) struct Parameters {
    /// Range of the keyword.
    pub word: Span,
    /// For each parameter its name, the range of the name, and its value. Names may repeat.
    pub members: Vec<(Text, Span, Node)>,
    /// Range of the block.
    pub span: Span,
}

impl Parser<'_, '_> {
    /// Parses the block below a state's first line, if there is any.
    pub fn body(&mut self, shape: &Shape) -> Box<Body> {
        let mut body = Box::<Body>::default();
        if self.kind() != TokenKind::Indent {
            return body;
        }
        let depth = self.bump().depth;
        if self.is_string() {
            body.title = Some(self.bump());
        }
        self.modifiers(shape, depth, &mut body);
        body
    }

    /// Parses the block of a keyword such as `transform` at the current token.
    pub fn tail(&mut self, shape: &Shape, body: &mut Body) {
        self.bump();
        if self.expect(":").is_err() {
            self.skip_line();
        }
        if self.kind() != TokenKind::Indent {
            let _: Parsed<()> = self.wanted("expected an indented block", None);
            return;
        }
        let depth = self.bump().depth;
        self.modifiers(shape, depth, body);
    }

    fn modifiers(&mut self, shape: &Shape, depth: usize, body: &mut Body) {
        while !matches!(self.kind(), TokenKind::Dedent | TokenKind::End) {
            let from = self.at;
            if self.modifier(shape, body).is_err() {
                body.broken = true;
                self.next_line(depth, from);
            }
        }
        if self.kind() == TokenKind::Dedent {
            self.bump();
        }
    }

    fn modifier(&mut self, shape: &Shape, body: &mut Body) -> Parsed<()> {
        let token = self.token();
        if token.kind != TokenKind::Name {
            return self.no_modifier(shape);
        }
        let word = self.written(token);
        let known = MODIFIERS.iter().find(|(known, _)| *known == word);
        let Some((word, field)) = known else {
            return self.unknown_modifier(shape, token);
        };
        self.admit(shape, token, word, body);
        self.bump();
        match *word {
            "retry" => body.retry.push(self.retrier(token)?),
            "catch" => body.catch.push(self.catcher(token)?),
            _ => {
                self.expect(":")?;
                self.field(token, field, body)?;
            }
        }
        Ok(())
    }

    fn no_modifier(&mut self, shape: &Shape) -> Parsed<()> {
        let help = match self.kind() {
            TokenKind::String(..) => {
                "only one docstring is allowed, before the modifiers; write the value of a modifier after the name of the modifier and \":\""
            }
            _ => &takes(shape),
        };
        self.wanted("expected a modifier", Some(help))
    }

    fn unknown_modifier(&mut self, shape: &Shape, token: Token) -> Parsed<()> {
        let word = self.written(token);
        if self.is_op(1, "(") || self.is_op(1, ".") {
            let text = format!("{state} cannot have states below it", state = shape.kind);
            let help = "move this line to the column of the state above";
            self.refuse(token, text, Some(help));
            return Err(Failed);
        }
        let text = format!("\"{word}\" is not a modifier", word = brief(word));
        let near = did_you_mean(word, shape.takes.split_whitespace());
        self.refuse(token, text, Some(&near.unwrap_or_else(|| takes(shape))));
        Err(Failed)
    }

    /// Records a modifier. Reports a modifier that is repeated, or that this kind of state does not take.
    fn admit(&mut self, shape: &Shape, token: Token, word: &'static str, body: &mut Body) {
        if !shape.takes.split_whitespace().any(|taken| taken == word) {
            let text = format!("{state} takes no \"{word}\"", state = shape.kind);
            self.refuse(token, text, Some(&takes(shape)));
            return;
        }
        if matches!(word, "retry" | "catch") {
            return;
        }
        let place = self.span(token);
        if let Some((_, first)) = body.seen.iter().find(|(seen, _)| *seen == word) {
            let text = format!("{state} takes only one \"{word}\"", state = shape.kind);
            let twice = error(place, text).related(*first, "the modifier is first written here");
            self.report(twice.help("remove one of the two modifiers"));
        }
        body.seen.push((word, place));
    }

    /// Parses the value of a modifier.
    fn field(&mut self, token: Token, field: &'static str, body: &mut Body) -> Parsed<()> {
        let place = self.span(token);
        let value = match field {
            "TimeoutSeconds" => self.whole(1, "the timeout")?,
            "HeartbeatSeconds" => self.whole(1, "the heartbeat")?,
            "MaxConcurrency" => self.whole(0, "the concurrency")?,
            "Result" => self.indented(Self::json)?,
            "Parameters" => {
                let from = self.ahead(1);
                let members = self.indented(Self::parameters)?;
                body.parameters = Some(Parameters {
                    word: place,
                    members,
                    span: self.since(from),
                });
                return Ok(());
            }
            "Iterator" => {
                let (_, block) = self.block(Docstring::Allowed)?;
                body.iterator = Some(Branch { head: place, block });
                return Ok(());
            }
            _ => self.string("expected a string")?,
        };
        body.fields.push(ast::member(field, place, value));
        Ok(())
    }

    /// Parses a value in an indented block.
    fn indented<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.kind() != TokenKind::Indent {
            let help = "put the value on the next line, indented more than the name";
            return self.wanted("expected an indented block", Some(help));
        }
        let depth = self.bump().depth;
        let mut read = read(self);
        if read.is_ok() && !matches!(self.kind(), TokenKind::Dedent | TokenKind::End) {
            read = self.wanted("nothing else may follow the value in this block", None);
        }
        self.skip_to_end(depth);
        if self.kind() == TokenKind::Dedent {
            self.bump();
        }
        read
    }

    fn parameters(&mut self) -> Parsed<Vec<(Text, Span, Node)>> {
        let (depth, errors) = (self.token().depth, self.errors);
        let mut members = Vec::new();
        while !matches!(self.kind(), TokenKind::Dedent | TokenKind::End) {
            let from = self.at;
            match self.parameter() {
                Ok(member) => members.push(member),
                Err(Failed) => self.next_line(depth, from),
            }
        }
        if self.errors > errors && members.is_empty() {
            return Err(Failed);
        }
        Ok(members)
    }

    fn parameter(&mut self) -> Parsed<(Text, Span, Node)> {
        let token = self.token();
        if token.kind != TokenKind::Name {
            let help = self
                .is_string()
                .then_some("write a parameter's name without quotes, such as key.$: \"$.a\"");
            return self.wanted("expected the name of a parameter", help);
        }
        self.bump();
        let mut name = self.written(token).to_string();
        if self.eat(".") {
            self.expect("$")?;
            name.push_str(".$");
        }
        let span = self.since(token);
        if self.is_op(0, "-") {
            let help = "a parameter's name has only letters, digits and _";
            return self.wanted("expected \":\"", Some(help));
        }
        self.expect(":")?;
        Ok((name.into(), span, self.json()?))
    }

    fn retrier(&mut self, from: Token) -> Parsed<Node> {
        let errors = self.errors()?;
        let mut members = vec![errors];
        let place = self.span(from);
        let interval = self.retry_number(|parser| parser.whole(1, "the interval"))?;
        members.push(ast::member("IntervalSeconds", interval.span, interval));
        let attempts = self.retry_number(|parser| parser.whole(0, "the number of attempts"))?;
        members.push(ast::member("MaxAttempts", attempts.span, attempts));
        let rate = self.retry_number(|parser| parser.number("expected the backoff rate", true))?;
        if rate.as_number().is_some_and(|rate| rate.as_f64() < 1.0) {
            self.report(error(rate.span, "the backoff rate must be at least 1.0"));
        }
        members.push(ast::member("BackoffRate", rate.span, rate));
        Ok(ast::object(members, ast::from_to(place, self.since(from))))
    }

    fn retry_number(&mut self, read: impl FnOnce(&mut Self) -> Parsed<Node>) -> Parsed<Node> {
        if self.kind() != TokenKind::Number {
            let help = "write retry ERRORS INTERVAL ATTEMPTS RATE without commas, such as retry [] 1 3 2.0";
            return self.wanted("expected a number", Some(help));
        }
        read(self)
    }

    fn catcher(&mut self, from: Token) -> Parsed<Catch> {
        let fields = self.catcher_line().unwrap_or_else(|Failed| {
            self.skip_line();
            Vec::new()
        });
        let head = self.since(from);
        let (_, block) = self.block(Docstring::Refused("catch"))?;
        Ok(Catch {
            head,
            fields,
            block,
        })
    }

    fn catcher_line(&mut self) -> Parsed<Vec<Member>> {
        let mut fields = vec![self.errors()?];
        self.expect(":")?;
        if self.is_string() {
            let path = self.string("expected a path")?;
            fields.push(ast::member("ResultPath", path.span, path));
        }
        Ok(fields)
    }

    /// Parses `ErrorEquals`: one error name or a list of error names. An empty list matches every error.
    fn errors(&mut self) -> Parsed<Member> {
        let from = self.token();
        let mut names = Vec::new();
        if self.is_string() {
            names.push(self.string("expected the name of an error")?);
        } else if self.eat("[") {
            while !self.is_op(0, "]") || !names.is_empty() {
                names.push(self.string("expected the name of an error")?);
                if !self.eat(",") {
                    break;
                }
            }
            self.expect("]")?;
        } else {
            return self.wanted("expected the name of an error, or a list of names", None);
        }
        let span = self.since(from);
        if names.is_empty() {
            names.push(ast::made("States.ALL", span));
        }
        Ok(ast::member("ErrorEquals", span, ast::array(names, span)))
    }
}

fn takes(shape: &Shape) -> String {
    match shape.takes {
        "" => format!(
            "{state} takes a docstring, but no modifiers",
            state = shape.kind
        ),
        takes => format!("{} takes {}", shape.kind, takes.replace(' ', ", ")),
    }
}
