//! Parses the states that contain blocks: if, while, switch, parallel and map.

use super::ast::{Branch, Choice, Clause, State, StatementKind, warning};
use super::cursor::{Docstring, Failed, Parsed, Parser};
use super::lexer::{Token, TokenKind};
use super::modifier::{Body, Shape};
use crate::source::{Node, Span};

const CHOICE: Shape = Shape {
    kind: "a Choice state",
    takes: "input output",
};
const PARALLEL: Shape = Shape {
    kind: "a Parallel state",
    takes: "input result output",
};
const ERROR: Shape = Shape {
    kind: "an error block",
    takes: "retry catch",
};
const MAP: Shape = Shape {
    kind: "a Map state",
    takes: "input parameters result output retry catch items_path iterator max_concurrency",
};

impl Parser<'_, '_> {
    /// Parses an `if` with its `elif`, `else` and `transform` parts.
    pub fn if_state(&mut self) -> Parsed<Box<State>> {
        let token = self.token();
        let (title, first) = self.clause(Docstring::Allowed)?;
        let mut choice = Choice {
            clauses: vec![first],
            ..Choice::default()
        };
        while self.is_word(0, "elif") {
            let (_, clause) = self.clause(Docstring::Refused("elif"))?;
            choice.clauses.push(clause);
        }
        if self.is_word(0, "else") {
            choice.otherwise = Some(self.otherwise("else")?);
        }
        Ok(self.choice(token, title, choice))
    }

    /// Parses a `while` with its `transform` part.
    pub fn while_state(&mut self) -> Parsed<Box<State>> {
        let token = self.token();
        let (title, clause) = self.clause(Docstring::Allowed)?;
        let choice = Choice {
            again: true,
            clauses: vec![clause],
            ..Choice::default()
        };
        Ok(self.choice(token, title, choice))
    }

    /// Parses a keyword, its condition and its block.
    fn clause(&mut self, docstring: Docstring) -> Parsed<(Option<Token>, Clause)> {
        let token = self.bump();
        let rule = self.condition_line();
        let head = self.since(token);
        let (title, block) = self.block(docstring)?;
        let clause = Clause {
            head,
            rule: rule.members,
            block,
        };
        Ok((title, clause))
    }

    /// Parses `else` or `default`.
    fn otherwise(&mut self, word: &'static str) -> Parsed<(Span, super::ast::Block)> {
        let token = self.bump();
        if self.expect(":").is_err() {
            self.skip_line();
        }
        let (_, block) = self.block(Docstring::Refused(word))?;
        Ok((self.span(token), block))
    }

    fn choice(&mut self, token: Token, title: Option<Token>, choice: Choice) -> Box<State> {
        let first = choice.clauses.first();
        let head = first.map_or(self.span(token), |clause| clause.head);
        self.choice_at(token, head, title, choice)
    }

    fn choice_at(
        &mut self,
        token: Token,
        head: Span,
        title: Option<Token>,
        choice: Choice,
    ) -> Box<State> {
        let mut body = Box::<Body>::default();
        body.title = title;
        if self.is_word(0, "transform") {
            self.tail(&CHOICE, &mut body);
        }
        self.finish(token, head, body, StatementKind::Choice(choice))
    }

    /// Parses a `switch` with its `case`, `default` and `transform` parts.
    pub fn switch_state(&mut self) -> Parsed<Box<State>> {
        let token = self.bump();
        let path = self.switch_line();
        let head = self.since(token);
        if self.kind() != TokenKind::Indent {
            return self.wanted("expected an indented block with a \"case\"", None);
        }
        let (title, choice) = self.nested(|parser| Ok(parser.cases(path)))?;
        if choice.clauses.is_empty() && choice.otherwise.is_none() {
            self.refuse(token, "a switch needs at least one \"case\"", None);
        }
        Ok(self.choice_at(token, head, title, choice))
    }

    fn switch_line(&mut self) -> Option<Node> {
        let path = self.string("expected a path in quotes").and_then(|path| {
            if self.eat(":") {
                return Ok(path);
            }
            let help = "\"switch\" takes only a path; each \"case\" takes a value";
            self.wanted("expected \":\"", Some(help))
        });
        if path.is_err() {
            self.skip_line();
        }
        path.ok()
    }

    fn cases(&mut self, path: Option<Node>) -> (Option<Token>, Choice) {
        let depth = self.bump().depth;
        let title = self.is_string().then(|| self.bump());
        let mut choice = Choice::default();
        while !matches!(self.kind(), TokenKind::Dedent | TokenKind::End) {
            let from = self.at;
            if self.case(path.as_ref(), &mut choice).is_err() {
                self.lost = true;
                self.next_line(depth, from);
            }
        }
        if self.kind() == TokenKind::Dedent {
            self.bump();
        }
        (title, choice)
    }

    /// Parses a `case` or the `default`.
    fn case(&mut self, path: Option<&Node>, choice: &mut Choice) -> Parsed<()> {
        let token = self.token();
        if self.is_word(0, "default") && choice.otherwise.is_none() {
            choice.otherwise = Some(self.otherwise("default")?);
            return Ok(());
        }
        if !self.is_word(0, "case") {
            let help = match token.kind {
                TokenKind::String(..) => {
                    Some("only one docstring is allowed, before the first \"case\"")
                }
                TokenKind::Name => {
                    Some("states belong in the block of a \"case\" or of \"default\"")
                }
                _ => None,
            };
            return self.wanted("expected \"case\" or \"default\"", help);
        }
        if choice.otherwise.is_some() {
            let help = "move \"default\" after the last \"case\"";
            self.refuse(token, "a \"case\" cannot follow \"default\"", Some(help));
        }
        self.bump();
        let value = self.scalar().and_then(|value| {
            self.expect(":")?;
            Ok(value)
        });
        if value.is_err() {
            self.skip_line();
        }
        let head = self.since(token);
        let rule = match (path, value) {
            (Some(path), Ok(value)) => {
                let place = value.span;
                self.compare(path, ("==", place), value, head).members
            }
            _ => Vec::new(),
        };
        let (_, block) = self.block(Docstring::Refused("case"))?;
        choice.clauses.push(Clause { head, rule, block });
        Ok(())
    }

    /// Parses consecutive `parallel` blocks. A block without a docstring belongs to the same state as the block before
    /// it.
    pub fn parallel(&mut self) -> Parsed<Box<State>> {
        let token = self.token();
        let (title, first) = self.branch(Docstring::Allowed)?;
        let head = first.head;
        let mut branches = vec![first];
        while self.is_word(0, "parallel") && self.is_op(1, ":") && !self.begins_parallel() {
            match self.branch(Docstring::Allowed) {
                Ok((_, branch)) => branches.push(branch),
                Err(Failed) => break,
            }
        }
        let mut body = Box::<Body>::default();
        body.title = title;
        if self.is_word(0, "transform") {
            self.tail(&PARALLEL, &mut body);
        }
        if self.is_word(0, "error") {
            self.tail(&ERROR, &mut body);
        }
        Ok(self.finish(token, head, body, StatementKind::Parallel(branches)))
    }

    /// True if the `parallel` at the cursor has a docstring. It then begins a new state.
    fn begins_parallel(&self) -> bool {
        self.ahead(2).kind == TokenKind::Indent
            && matches!(self.ahead(3).kind, TokenKind::String(..))
    }

    fn branch(&mut self, docstring: Docstring) -> Parsed<(Option<Token>, Branch)> {
        let token = self.bump();
        self.bump();
        let head = self.since(token);
        let (title, block) = self.block(docstring)?;
        Ok((title, Branch { head, block }))
    }

    /// Parses a `map` with its iterator.
    pub fn map(&mut self) -> Parsed<Box<State>> {
        let token = self.bump();
        self.bump();
        let head = self.since(token);
        let has_block = self.kind() == TokenKind::Indent;
        let mut body = self.nested(|parser| Ok(parser.body(&MAP)))?;
        if body.iterator.is_none() && !body.broken {
            let message = if has_block {
                "a map needs an iterator"
            } else {
                "a map needs an indented block with an iterator"
            };
            let help = "below \"iterator:\", write the states that process each item";
            self.refuse(token, message, Some(help));
        }
        let iterator = body.iterator.take().unwrap_or_default();
        let state = self.finish(token, head, body, StatementKind::Map(iterator));
        self.ignored_tail(&PARALLEL, "transform");
        self.ignored_tail(&ERROR, "error");
        Ok(state)
    }

    /// Parses the block of the keyword `word` after a `map`, if there is one, and warns that the block has no effect.
    fn ignored_tail(&mut self, shape: &Shape, word: &str) {
        if !self.is_word(0, word) {
            return;
        }
        let place = self.span(self.token());
        self.report(
            warning(place, format!("\"{word}\" after a map is ignored"))
                .help("write these modifiers in the block of the map"),
        );
        self.tail(shape, &mut Body::default());
    }
}
