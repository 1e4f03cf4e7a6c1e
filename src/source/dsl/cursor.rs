//! Walks over the tokens, says what was expected where, and finds the place to go on after an error.
//!
//! It must not know the states.

use super::lexer::{Lexed, Token, TokenKind};
use super::{DslEnvironment, MAX_FINDINGS, MAX_NESTING, brief, error, span};
use crate::source::{Diagnostic, Diagnostics, Severity, SourceId, Span};

/// Something could not be read; a diagnostic says what.
pub(super) struct Failed;

/// What was read.
pub(super) type Parsed<T> = Result<T, Failed>;

/// The parser: a place in the tokens, and what was found so far.
pub(super) struct Parser<'t, 'f> {
    /// The text.
    pub text: &'t str,
    /// Whose text it is.
    pub id: SourceId,
    /// What resource names are completed with.
    pub environment: &'t DslEnvironment,
    /// Whether something was skipped in which a state may have stood.
    pub lost: bool,
    tokens: Vec<Token>,
    unclosed: Option<usize>,
    at: usize,
    depth: usize,
    gave_up: bool,
    failed_at: Option<usize>,
    errors: usize,
    warnings: usize,
    found: &'f mut Diagnostics,
}

impl<'t, 'f> Parser<'t, 'f> {
    /// A parser at the beginning of a text.
    pub fn new(
        text: &'t str,
        id: SourceId,
        environment: &'t DslEnvironment,
        lexed: Lexed,
        found: &'f mut Diagnostics,
    ) -> Self {
        Self {
            text,
            id,
            environment,
            lost: false,
            tokens: lexed.tokens,
            unclosed: lexed.unclosed,
            at: 0,
            depth: 0,
            gave_up: false,
            failed_at: None,
            errors: found.len(),
            warnings: 0,
            found,
        }
    }

    /// The token some places ahead; the end of the text beyond it.
    pub fn ahead(&self, count: usize) -> Token {
        let end = self.text.len();
        let nothing = Token {
            kind: TokenKind::End,
            start: end,
            end,
            line: 1,
            depth: 0,
            first: false,
        };
        let wanted = self.tokens.get(self.at.saturating_add(count));
        *wanted.or_else(|| self.tokens.last()).unwrap_or(&nothing)
    }

    /// The token here.
    pub fn token(&self) -> Token {
        self.ahead(0)
    }

    /// What the token here is.
    pub fn kind(&self) -> TokenKind {
        self.token().kind
    }

    /// How many tokens were passed.
    pub fn position(&self) -> usize {
        self.at
    }

    /// A token as written.
    pub fn written(&self, token: Token) -> &'t str {
        self.text.get(token.start..token.end).unwrap_or("")
    }

    /// Where a token stands.
    pub fn span(&self, token: Token) -> Span {
        span(self.id, token.start..token.end)
    }

    /// From a token to the last one that was passed.
    pub fn since(&self, from: Token) -> Span {
        let passed = self.tokens.get(..self.at).unwrap_or(&[]);
        let last = passed
            .iter()
            .rev()
            .find(|token| token.end > token.start)
            .map_or(from.end, |token| token.end);
        span(self.id, from.start..last.max(from.end))
    }

    /// Passes the token here.
    pub fn bump(&mut self) -> Token {
        let token = self.token();
        if token.kind != TokenKind::End {
            self.at += 1;
        }
        token
    }

    /// Whether the token some places ahead is this word.
    pub fn is_word(&self, count: usize, word: &str) -> bool {
        let token = self.ahead(count);
        token.kind == TokenKind::Name && self.written(token) == word
    }

    /// Whether the token some places ahead is this operator.
    pub fn is_op(&self, count: usize, op: &str) -> bool {
        let token = self.ahead(count);
        token.kind == TokenKind::Op && self.written(token) == op
    }

    /// Whether the token here is a string.
    pub fn is_string(&self) -> bool {
        matches!(self.kind(), TokenKind::String(..))
    }

    /// Passes this operator where it stands here.
    pub fn eat(&mut self, op: &str) -> bool {
        let here = self.is_op(0, op);
        if here {
            self.bump();
        }
        here
    }

    /// Passes this operator, or says that it is missing.
    pub fn expect(&mut self, op: &str) -> Parsed<()> {
        if self.eat(op) {
            return Ok(());
        }
        let help = (op == ":" && self.kind() == TokenKind::Indent)
            .then_some("the line before the block ends with \":\"");
        self.wanted_or(&format!("\"{op}\""), help.map(str::to_string))
    }

    /// Says what was expected here.
    pub fn wanted<T>(&mut self, what: &str) -> Parsed<T> {
        self.wanted_or(what, None)
    }

    /// Says what was expected here, with a way out.
    pub fn wanted_or<T>(&mut self, what: &str, help: Option<String>) -> Parsed<T> {
        if self.failed_at == Some(self.at) {
            return Err(Failed);
        }
        self.failed_at = Some(self.at);
        let (place, found) = self.here();
        let mut diagnostic = error(place, format!("expected {what}, found {found}"));
        diagnostic.help = help;
        self.report(diagnostic);
        Err(Failed)
    }

    /// The place and the words for what stands here.
    fn here(&self) -> (Span, String) {
        let token = self.token();
        let written = brief(self.written(token));
        let words = match token.kind {
            TokenKind::Name | TokenKind::Op => format!("\"{written}\""),
            TokenKind::Number => format!("the number {written}"),
            TokenKind::String(..) => "a string".to_string(),
            TokenKind::Indent => "a line that is indented".to_string(),
            TokenKind::Dedent => "the end of the block".to_string(),
            TokenKind::End => "the end of the text".to_string(),
        };
        let place = match token.kind {
            TokenKind::Indent | TokenKind::Dedent => self.span(self.next_written()),
            _ => self.span(token),
        };
        (place, words)
    }

    fn next_written(&self) -> Token {
        let rest = self.tokens.get(self.at..).unwrap_or(&[]);
        let marks = |kind| matches!(kind, TokenKind::Indent | TokenKind::Dedent);
        rest.iter()
            .find(|token| !marks(token.kind))
            .copied()
            .unwrap_or_else(|| self.token())
    }

    /// Notes a finding; nothing is said of text behind a bracket that is never closed.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        let start = diagnostic.span.map_or(0, |span| span.start as usize);
        if self.gave_up || self.unclosed.is_some_and(|open| start > open) {
            return;
        }
        let bad = diagnostic.severity == Severity::Error;
        let count = if bad {
            &mut self.errors
        } else {
            &mut self.warnings
        };
        if *count < MAX_FINDINGS {
            *count += 1;
            self.found.push(diagnostic);
        } else if bad {
            self.give_up();
        }
    }

    /// Ends the reading of the text.
    fn give_up(&mut self) {
        self.gave_up = true;
        self.lost = true;
        self.at = self.tokens.len().saturating_sub(1);
    }

    /// How many errors there are so far.
    pub fn error_count(&self) -> usize {
        self.errors
    }

    /// Notes an error at a token.
    pub fn refuse(&mut self, token: Token, message: impl Into<String>, help: Option<String>) {
        let mut diagnostic = error(self.span(token), message);
        diagnostic.help = help;
        self.report(diagnostic);
    }

    /// Reads something one level deeper; too deep ends the reading of the whole text.
    pub fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_NESTING {
            let token = self.next_written();
            self.refuse(token, format!("nested more than {MAX_NESTING} deep"), None);
            self.give_up();
            return Err(Failed);
        }
        self.depth += 1;
        let read = read(self);
        self.depth -= 1;
        read
    }

    /// Goes to the end of this line.
    pub fn skip_line(&mut self) {
        while !self.token().first
            && !matches!(
                self.kind(),
                TokenKind::Indent | TokenKind::Dedent | TokenKind::End
            )
        {
            self.bump();
        }
    }

    /// Goes behind the block that begins here, if one does.
    pub fn skip_block(&mut self) {
        if self.kind() != TokenKind::Indent {
            return;
        }
        let depth = self.bump().depth;
        self.skip_to_end(depth);
        if self.kind() == TokenKind::Dedent {
            self.bump();
        }
    }

    /// Goes to the end of the block of this depth.
    pub fn skip_to_end(&mut self, depth: usize) {
        while self.kind() != TokenKind::End
            && !(self.kind() == TokenKind::Dedent && self.token().depth < depth)
        {
            self.bump();
        }
    }

    /// Goes to the next line of a block of this depth; `from` is where the line that failed began.
    pub fn next_line(&mut self, depth: usize, from: usize) {
        if self.at == from {
            self.bump();
        }
        loop {
            let token = self.token();
            let ends = token.kind == TokenKind::Dedent && token.depth < depth;
            if ends || token.kind == TokenKind::End || token.first && token.depth <= depth {
                return;
            }
            self.bump();
        }
    }
}
