//! Parses a text as a state machine: its header, its blocks and the simple states.

use super::ast::{self, Block, Machine, State, StatementKind, error};
use super::cursor::{Docstring, DslEnvironment, Failed, Parsed, Parser};
use super::lexer::{Token, TokenKind, lex};
use super::modifier::{Body, MODIFIERS, Parameters, Shape};
use super::value;
use crate::json::Text;
use crate::source::{Diagnostics, Member, NodeKind, SourceId, Span};

const PASS: Shape = Shape {
    kind: "a Pass state",
    takes: "input result output data parameters",
};
const SUCCEED: Shape = Shape {
    kind: "a Success state",
    takes: "input output",
};
const FAIL: Shape = Shape {
    kind: "a Fail state",
    takes: "",
};
const WAIT: Shape = Shape {
    kind: "a Wait state",
    takes: "input output",
};

const WAITS: [(&str, &str); 4] = [
    ("seconds", "Seconds"),
    ("seconds_path", "SecondsPath"),
    ("timestamp", "Timestamp"),
    ("timestamp_path", "TimestampPath"),
];

/// Parses the text of a program. Errors are added to `diagnostics`.
pub(super) fn parse(
    text: &str,
    id: SourceId,
    environment: &DslEnvironment,
    diagnostics: &mut Diagnostics,
) -> Machine {
    let lexed = lex(text, id, diagnostics);
    let mut parser = Parser::new(text, id, environment, lexed, diagnostics);
    let mut fields = Vec::new();
    if parser.header(&mut fields).is_err() {
        parser.next_line(0, usize::MAX);
    }
    let states = parser.states(0);
    if states.is_empty() && parser.errors == 0 {
        let place = fields
            .first()
            .map_or(Span::new(id, 0..0), |field| field.key.span);
        let none = error(place, "the text has no states");
        parser.report(
            none.help("begin with a state, such as Pass(), Lambda('name') or if '$.a' == 1:"),
        );
    }
    Machine {
        span: Span::new(id, 0..text.len()),
        fields,
        states,
        lost: parser.lost,
    }
}

impl Parser<'_, '_> {
    /// Parses the comment, the version and the timeout, in this order.
    fn header(&mut self, fields: &mut Vec<Member>) -> Parsed<()> {
        if self.is_string() {
            let token = self.bump();
            let comment = self.string_node(token);
            fields.push(ast::member("Comment", comment.span, comment));
        }
        if self.is_word(0, "version") && self.is_op(1, ":") {
            let word = self.bump();
            self.bump();
            let place = self.span(word);
            let help = (self.kind() == TokenKind::Number).then(|| {
                format!(
                    "put the version in quotes: \"{number}\"",
                    number = self.written(self.token())
                )
            });
            if !self.is_string() {
                return self.wanted("expected a version in quotes", help.as_deref());
            }
            let version = self.string("expected a version")?;
            fields.push(ast::member("Version", place, version));
        }
        if self.is_word(0, "timeout") && self.is_op(1, ":") {
            let word = self.bump();
            self.bump();
            let place = self.span(word);
            let timeout = self.whole(1, "the timeout")?;
            fields.push(ast::member("TimeoutSeconds", place, timeout));
        }
        Ok(())
    }

    /// Parses the states of the block that has this depth, up to the end of the block.
    pub fn states(&mut self, depth: usize) -> Vec<State> {
        let mut states = Vec::new();
        let mut line = None;
        loop {
            let token = self.token();
            match token.kind {
                TokenKind::End => return states,
                TokenKind::Dedent if token.depth < depth => return states,
                TokenKind::Dedent => {
                    self.bump();
                }
                TokenKind::Indent => self.stray_block(states.last()),
                _ => {
                    let again = line.replace(token.line) == Some(token.line);
                    let from = self.at;
                    match self.state() {
                        Ok(state) => {
                            if again
                                && states.last().map(|last: &State| &last.name) == Some(&state.name)
                            {
                                self.same_line(token);
                            }
                            states.push(*state);
                        }
                        Err(Failed) => self.next_state(depth, from),
                    }
                }
            }
        }
    }

    /// Reports that a second state begins on the same line. Without docstrings, both states would have the same name.
    fn same_line(&mut self, second: Token) {
        let help = "begin each state on a line of its own, because a state without a docstring is named after its line";
        let text = "a second state begins on this line";
        self.refuse(second, text, Some(help));
    }

    /// Handles an indented block that belongs to no state, and reports it. Errors inside the block are also reported,
    /// if possible.
    fn stray_block(&mut self, before: Option<&State>) {
        let goto = before.is_some_and(|state| matches!(state.kind, StatementKind::Goto(..)));
        let token = self.ahead(1);
        if goto {
            self.refuse(token, "a goto takes no docstring and no modifiers", None);
            self.skip_block();
            return;
        }
        let help = "begin the line in the column of the state above";
        self.refuse(
            token,
            "this line is indented, but belongs to no block",
            Some(help),
        );
        if matches!(token.kind, TokenKind::String(..)) {
            self.skip_block();
        } else {
            self.bump();
        }
    }

    /// After a syntax error, skips to the next state of the block that has this depth.
    fn next_state(&mut self, depth: usize, from: usize) {
        self.lost = true;
        self.next_line(depth, from);
        while self.token().first && self.clause_word() {
            let from = self.at;
            self.next_line(depth, from);
        }
    }

    /// True if the current token is a word such as `elif` or `case`, which continues the state above.
    fn clause_word(&self) -> bool {
        ["elif", "else", "case", "default", "transform", "error"]
            .iter()
            .any(|word| self.is_word(0, word))
            && (!self.is_op(1, "(") || self.is_word(0, "elif"))
    }

    /// Parses the block after a line that ended with a colon: an optional docstring, and states.
    pub fn block(&mut self, docstring: Docstring) -> Parsed<(Option<Token>, Block)> {
        if self.kind() != TokenKind::Indent {
            return self.wanted("expected an indented block", None);
        }
        self.nested(|parser| parser.block_inside(docstring))
    }

    fn block_inside(&mut self, docstring: Docstring) -> Parsed<(Option<Token>, Block)> {
        let errors = self.errors;
        let depth = self.bump().depth;
        let from = self.token();
        let mut title = None;
        if self.is_string() {
            let token = self.bump();
            match docstring {
                Docstring::Allowed => title = Some(token),
                Docstring::Refused(word) => self.refuse(
                    token,
                    format!("the block of \"{word}\" takes no docstring"),
                    Some("only a docstring in a state's first block names the state; write a comment with #"),
                ),
            }
        }
        let states = self.states(depth);
        if states.is_empty() && self.errors == errors {
            self.refuse(from, "a block needs at least one state", None);
        }
        let span = self.since(from);
        if self.kind() == TokenKind::Dedent {
            self.bump();
        }
        Ok((title, Block { states, span }))
    }

    /// Parses one state.
    fn state(&mut self) -> Parsed<Box<State>> {
        let token = self.token();
        if token.kind != TokenKind::Name {
            let help = match token.kind {
                TokenKind::String(..) => {
                    Some("indent the docstring below the first line of its state")
                }
                _ => None,
            };
            return self.wanted("expected a state", help);
        }
        match self.written(token) {
            "if" => self.if_state(),
            "while" => self.while_state(),
            "switch" => self.switch_state(),
            "goto" => self.goto(),
            "parallel" if self.is_op(1, ":") => self.parallel(),
            "map" if self.is_op(1, ":") => self.map(),
            "Pass" => Ok(self.simple(&PASS, StatementKind::Plain("Pass"), |_| Ok(Vec::new()))),
            "Success" => Ok(
                self.simple(&SUCCEED, StatementKind::Terminal("Succeed"), |_| {
                    Ok(Vec::new())
                }),
            ),
            "Fail" => Ok(self.simple(&FAIL, StatementKind::Terminal("Fail"), Self::fail_arguments)),
            "Wait" => Ok(self.simple(&WAIT, StatementKind::Plain("Wait"), Self::wait_argument)),
            word => match self.misplaced(word) {
                Some((text, help)) => {
                    self.refuse(token, text, Some(help));
                    Err(Failed)
                }
                None => self.task(),
            },
        }
    }

    /// Returns a message and advice, which say why a known word cannot begin a state.
    fn misplaced(&self, word: &str) -> Option<(String, &'static str)> {
        let colon = self.is_op(1, ":");
        let call = self.is_op(1, "(") || self.is_op(1, ".");
        let modifier = MODIFIERS.iter().any(|(known, _)| *known == word);
        let help = match word {
            _ if call && word != "elif" => return None,
            "elif" | "else" => {
                "\"elif\" and \"else\" continue an \"if\" in the column of the \"if\"; \"else\" comes last"
            }
            "case" | "default" => "\"case\" and \"default\" belong in the block of a \"switch\"",
            "transform" | "error" if colon => {
                "write \"transform\" and \"error\" after the blocks of their state, in the column of the state; \"error\" comes last"
            }
            "version" if colon => {
                "the text must begin with the comment, the version and the timeout, in this order"
            }
            _ if modifier && (colon || matches!(word, "retry" | "catch")) => {
                "indent the modifier below the first line of its state"
            }
            _ => return None,
        };
        Some((format!("\"{word}\" does not belong to any state"), help))
    }

    /// Parses a state with arguments in parentheses and a body.
    fn simple(
        &mut self,
        shape: &Shape,
        kind: StatementKind,
        arguments: impl FnOnce(&mut Self) -> Parsed<Vec<Member>>,
    ) -> Box<State> {
        let token = self.bump();
        let read = self.in_brackets(arguments);
        let arguments = read.unwrap_or_else(|Failed| {
            self.skip_line();
            Vec::new()
        });
        let head = self.since(token);
        let mut body = self.body(shape);
        body.fields.splice(0..0, arguments);
        self.finish(token, head, body, kind)
    }

    fn in_brackets<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.expect("(")?;
        let read = read(self)?;
        self.expect(")")?;
        Ok(read)
    }

    fn fail_arguments(&mut self) -> Parsed<Vec<Member>> {
        let error = self.string("expected the name of the error in quotes")?;
        if !self.eat(",") {
            let help =
                "write the name of the error and the cause, such as Fail(\"My.Error\", \"why\")";
            return self.wanted("expected \",\" and the cause", Some(help));
        }
        let cause = self.string("expected the cause in quotes")?;
        Ok(vec![
            ast::member("Error", error.span, error),
            ast::member("Cause", cause.span, cause),
        ])
    }

    fn wait_argument(&mut self) -> Parsed<Vec<Member>> {
        let token = self.token();
        let word = self.written(token);
        let field = WAITS.iter().find(|(known, _)| *known == word);
        let Some((_, field)) = field.filter(|_| token.kind == TokenKind::Name) else {
            let help = "write one of seconds=, seconds_path=, timestamp=, timestamp_path=";
            return self.wanted("expected the time to wait", Some(help));
        };
        self.bump();
        self.expect("=")?;
        let value = if self.is_string() {
            self.string("expected a string")?
        } else {
            self.whole(1, "the time to wait")?
        };
        Ok(vec![ast::member(*field, self.span(token), value)])
    }

    fn goto(&mut self) -> Parsed<Box<State>> {
        let token = self.bump();
        let label = self.string_token("expected the name of a state in quotes")?;
        let head = self.since(token);
        let target = StatementKind::Goto(self.string_text(label), self.span(label));
        Ok(self.finish(token, head, Box::default(), target))
    }

    /// Builds a state from its parsed parts.
    pub fn finish(
        &mut self,
        token: Token,
        head: Span,
        body: Box<Body>,
        kind: StatementKind,
    ) -> Box<State> {
        let (name, comment) = self.named(token, body.title);
        let mut fields: Vec<Member> = comment.into_iter().collect();
        fields.extend(body.fields);
        fields.extend(
            body.parameters
                .map(|parameters| self.parameters_field(parameters)),
        );
        Box::new(State {
            name,
            head,
            span: self.since(token),
            fields,
            retry: body.retry,
            catch: body.catch,
            kind,
        })
    }

    fn parameters_field(&mut self, parameters: Parameters) -> Member {
        let mut members = ast::Members::default();
        for (name, span, value) in parameters.members {
            self.put(&mut members, name, span, value);
        }
        let value = ast::object(members.list, parameters.span);
        ast::member("Parameters", parameters.word, value)
    }

    /// Returns the name and the comment of a state from its docstring. If there is no name, the state is named after
    /// its line.
    fn named(&self, token: Token, title: Option<Token>) -> (Text, Option<Member>) {
        let line = || Text::from(format!("Line{}", token.line));
        let Some(docstring) = title else {
            return (line(), None);
        };
        let (start, end) = self.inside(docstring);
        let title = value::title(self.text, self.id, start, end);
        let name = if title.name.is_empty() {
            line()
        } else {
            title.name.into()
        };
        let place = self.span(docstring);
        let comment = title
            .comment
            .map(|text| ast::member("Comment", place, ast::node(NodeKind::String(text), place)));
        (name, comment)
    }
}
