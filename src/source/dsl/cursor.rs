//! The parser's position in the token list. Reports unexpected tokens, and finds the place where parsing resumes after
//! an error.

use super::ast::{MAX_FINDINGS, brief, error};
use super::lexer::{Lexed, Token, TokenKind};
use crate::source::{Diagnostic, Diagnostics, Severity, SourceId, Span};

/// Stands for a syntax error that has already been reported.
pub(super) struct Failed;

/// A parsed value, or `Err` if there was a syntax error, which has been reported.
pub(super) type Parsed<T> = Result<T, Failed>;

/// The parser: a position in the token list, and the diagnostics found so far.
pub(super) struct Parser<'t, 'f> {
    pub text: &'t str,
    /// The file that spans refer to.
    pub id: SourceId,
    /// Region and account for completing resource names.
    pub environment: &'t DslEnvironment,
    /// True if the parser skipped text that may have contained a state.
    pub lost: bool,
    tokens: Vec<Token>,
    unclosed: Option<usize>,
    /// Number of tokens consumed so far.
    pub at: usize,
    depth: usize,
    gave_up: bool,
    failed_at: Option<usize>,
    /// Number of errors found so far.
    pub errors: usize,
    warnings: usize,
    diagnostics: &'f mut Diagnostics,
}

impl<'t, 'f> Parser<'t, 'f> {
    /// Creates a parser at the beginning of a text.
    pub fn new(
        text: &'t str,
        id: SourceId,
        environment: &'t DslEnvironment,
        lexed: Lexed,
        diagnostics: &'f mut Diagnostics,
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
            errors: diagnostics.len(),
            warnings: 0,
            diagnostics,
        }
    }

    /// The token `count` places after the current token. Beyond the last token, [`TokenKind::End`].
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

    /// The current token.
    pub fn token(&self) -> Token {
        self.ahead(0)
    }

    /// The kind of the current token.
    pub fn kind(&self) -> TokenKind {
        self.token().kind
    }

    /// The source text of a token.
    pub fn written(&self, token: Token) -> &'t str {
        self.text.get(token.start..token.end).unwrap_or("")
    }

    /// The source range of a token.
    pub fn span(&self, token: Token) -> Span {
        Span::new(self.id, token.start..token.end)
    }

    /// The range from a token to the last consumed token.
    pub fn since(&self, from: Token) -> Span {
        let passed = self.tokens.get(..self.at).unwrap_or(&[]);
        let mut passed = passed.iter().rev();
        let last = passed.find(|token| token.end > token.start);
        let last = last.map_or(from.end, |token| token.end);
        Span::new(self.id, from.start..last.max(from.end))
    }

    /// Consumes the current token.
    pub fn bump(&mut self) -> Token {
        let token = self.token();
        if token.kind != TokenKind::End {
            self.at += 1;
        }
        token
    }

    /// True if the token `count` places ahead is this word.
    pub fn is_word(&self, count: usize, word: &str) -> bool {
        let token = self.ahead(count);
        token.kind == TokenKind::Name && self.written(token) == word
    }

    /// True if the token `count` places ahead is this operator.
    pub fn is_op(&self, count: usize, op: &str) -> bool {
        let token = self.ahead(count);
        token.kind == TokenKind::Op && self.written(token) == op
    }

    /// True if the current token is a string.
    pub fn is_string(&self) -> bool {
        matches!(self.kind(), TokenKind::String(..))
    }

    /// Consumes the current token if it is this operator. Returns true if the token was consumed.
    pub fn eat(&mut self, op: &str) -> bool {
        let is_next = self.is_op(0, op);
        if is_next {
            self.bump();
        }
        is_next
    }

    /// Consumes this operator, or reports that it is missing.
    pub fn expect(&mut self, op: &str) -> Parsed<()> {
        if self.eat(op) {
            return Ok(());
        }
        let help = (op == ":" && self.kind() == TokenKind::Indent)
            .then_some("the line before an indented block must end with \":\"");
        self.wanted(&format!("expected \"{op}\""), help)
    }

    /// Reports that the current token is not what was expected. `expectation` begins the message, such as `expected a
    /// path`.
    pub fn wanted<T>(&mut self, expectation: &str, help: Option<&str>) -> Parsed<T> {
        if self.failed_at == Some(self.at) {
            return Err(Failed);
        }
        self.failed_at = Some(self.at);
        let (place, present) = self.here();
        let mut diagnostic = error(place, format!("{expectation}, {present}"));
        diagnostic.help = help.map(str::to_string);
        self.report(diagnostic);
        Err(Failed)
    }

    /// Range of the current token, and a phrase that describes it, such as `found a string`.
    fn here(&self) -> (Span, String) {
        let token = self.token();
        let written = brief(self.written(token));
        let words = match token.kind {
            TokenKind::Name | TokenKind::Op => format!("found \"{written}\""),
            TokenKind::Number => format!("found the number {written}"),
            TokenKind::String(..) => "found a string".to_string(),
            TokenKind::Indent => "found a line that is indented".to_string(),
            TokenKind::Dedent => "found the end of the block".to_string(),
            TokenKind::End => "found the end of the text".to_string(),
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
        let next = rest.iter().find(|token| !marks(token.kind));
        next.copied().unwrap_or_else(|| self.token())
    }

    /// Adds a diagnostic. After a bracket that is never closed, diagnostics are ignored. If there are too many errors,
    /// parsing ends.
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
            self.diagnostics.push(diagnostic);
        } else if bad {
            self.give_up();
        }
    }

    /// Moves to the end of the text, which ends parsing.
    fn give_up(&mut self) {
        self.gave_up = true;
        self.lost = true;
        self.at = self.tokens.len().saturating_sub(1);
    }

    /// Reports an error at a token.
    pub fn refuse(&mut self, token: Token, message: impl Into<String>, help: Option<&str>) {
        let mut diagnostic = error(self.span(token), message);
        diagnostic.help = help.map(str::to_string);
        self.report(diagnostic);
    }

    /// Calls `read` one nesting level deeper. If the nesting is too deep, parsing ends.
    pub fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_NESTING {
            let token = self.next_written();
            self.refuse(
                token,
                format!("the text is nested more than {MAX_NESTING} levels deep"),
                None,
            );
            self.give_up();
            return Err(Failed);
        }
        self.depth += 1;
        let read = read(self);
        self.depth -= 1;
        read
    }

    /// Skips to the end of the line.
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

    /// Skips the block that begins here, if there is one.
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

    /// Skips the tokens up to the end of the block that has this depth.
    pub fn skip_to_end(&mut self, depth: usize) {
        while self.kind() != TokenKind::End
            && !(self.kind() == TokenKind::Dedent && self.token().depth < depth)
        {
            self.bump();
        }
    }

    /// Skips to the next line of the block that has this depth, or to its end. `from` is the token at which the faulty
    /// line began.
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

/// Tells whether a block may begin with a docstring.
#[derive(Clone, Copy)]
pub(super) enum Docstring {
    /// A docstring is allowed.
    Allowed,
    /// A docstring is not allowed in a block that begins with this keyword.
    Refused(&'static str),
}

/// Maximum nesting depth of blocks and values.
pub const MAX_NESTING: usize = 224;

/// Region and account for completing the names of Lambda functions and activities.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DslEnvironment {
    /// AWS region; if unset, names contain an empty region.
    pub region: Option<String>,
    /// AWS account; if unset, names contain an empty account.
    pub account: Option<String>,
}
