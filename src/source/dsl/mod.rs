//! Compiles the SFN DSL, an older textual language for state machines, to the same kind of tree as JSON.

mod ast;
mod condition;
mod control;
mod cursor;
mod emit;
mod lexer;
mod modifier;
mod state;
mod task;
mod value;

pub use cursor::{DslEnvironment, MAX_NESTING};
pub use emit::{Generated, GeneratedKind, generated, is_compiled};
pub use lexer::long_strings;

use super::{Diagnostic, Diagnostics, Node, Severity, SourceFile, SourceId, Span};
use ast::error;
use lexer::{Token, TokenKind, lex};
use task::known;

/// Parses an SFN DSL text. The tree is `None` if there are errors. The diagnostics are in the order of the text.
#[must_use]
pub fn parse_dsl(
    file: &SourceFile,
    id: SourceId,
    environment: &DslEnvironment,
) -> (Option<Node>, Diagnostics) {
    let mut diagnostics = Vec::new();
    if file.text.len() > super::MAX_BYTES {
        let text = format!(
            "the text has more than {limit} bytes",
            limit = super::MAX_BYTES
        );
        return (None, vec![error(Span::new(id, 0..1), text)]);
    }
    let machine = state::parse(&file.text, id, environment, &mut diagnostics);
    emit::check(&machine, &mut diagnostics);
    diagnostics.sort_by_key(|finding| finding.span.map(|span| (span.start, span.end)));
    diagnostics.dedup_by(|second, first| {
        let bad = |finding: &Diagnostic| finding.severity == Severity::Error;
        let start = |finding: &Diagnostic| finding.span.map(|span| span.start);
        bad(first) && bad(second) && start(first) == start(second)
    });
    let bad = diagnostics
        .iter()
        .any(|finding| finding.severity == Severity::Error);
    let node = (!bad).then(|| emit::emit(&machine));
    (node, diagnostics)
}

/// True if a text looks like the SFN DSL, for example because a line begins with a docstring or a state.
#[must_use]
pub fn looks_like(text: &str) -> bool {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let start = text.trim_start();
    if start.is_empty() || start.starts_with(['{', '[']) || start.starts_with("---") {
        return false;
    }
    if !text.lines().any(foreign) && (text.lines().any(line_begins) || has_header(text)) {
        return true;
    }
    let tokens = lex(text, SourceId(0), &mut Vec::new()).tokens;
    let mut lines = tokens
        .iter()
        .enumerate()
        .filter(|(at, token)| token.first && (token.depth == 0 || *at <= 1));
    lines.any(|(at, token)| {
        let rest = tokens.get(at..).unwrap_or(&[]);
        begins(text, *token, rest)
    })
}

/// True if an unindented line is a YAML key or item that cannot occur in a DSL program.
fn foreign(line: &str) -> bool {
    const OWN: [&str; 6] = [
        "version",
        "timeout",
        "else",
        "default",
        "transform",
        "error",
    ];
    let end = line.find(|c: char| !word_char(c) && !matches!(c, '-' | '.'));
    let (key, rest) = line.split_at(end.unwrap_or(line.len()));
    let after = rest.strip_prefix(':');
    let ends = after.is_some_and(|after| after.is_empty() || after.starts_with([' ', '\r']));
    let item = line == "-" || line.starts_with("- ");
    item || ends && !key.is_empty() && !OWN.contains(&key) && !known().any(|known| known == key)
}

/// True if a line begins with a DSL keyword, followed by something that is allowed after this keyword.
fn line_begins(line: &str) -> bool {
    let line = line.trim_start();
    let (word, rest) = line.split_at(line.find(|c| !word_char(c)).unwrap_or(line.len()));
    let rest = rest.trim();
    match word {
        "" => false,
        "if" | "elif" | "while" | "switch" | "case" | "goto" => {
            rest.starts_with(['"', '\'', '(']) || rest.starts_with("not")
        }
        "parallel" | "map" => rest.starts_with([':', '(']),
        "retry" | "catch" => rest.starts_with(['"', '\'', '[']),
        _ => rest.starts_with(['(', '.']) && known().any(|known| known == word),
    }
}

/// True if the first line with content is a header field of a DSL program.
fn has_header(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim_start);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
    first.is_some_and(|line| line.starts_with("version:") || line.starts_with("timeout:"))
}

fn word_char(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// True if the line at `token` begins like a line of the DSL.
fn begins(text: &str, token: Token, rest: &[Token]) -> bool {
    let written = |at: usize| {
        rest.get(at)
            .and_then(|token| text.get(token.start..token.end))
            .unwrap_or("")
    };
    let kind = |at: usize| rest.get(at).map_or(TokenKind::End, |token| token.kind);
    let string = |at: usize| matches!(kind(at), TokenKind::String(..));
    match token.kind {
        TokenKind::String(quotes, _) => {
            let whole = token.depth == 0 && !matches!(written(1), ":" | ",");
            whole && (quotes == 3 || matches!(kind(1), TokenKind::Name | TokenKind::End))
        }
        TokenKind::Name => match written(0) {
            "if" | "while" => written(1) == "(" || written(1) == "not" || string(1),
            "switch" | "goto" => string(1),
            "parallel" | "map" => written(1) == ":" && kind(2) == TokenKind::Indent,
            _ => {
                let call = if written(1) == "." { 3 } else { 1 };
                kind(call) == TokenKind::Op
                    && written(call) == "("
                    && (string(call + 1) || written(call + 1) == ")")
                    || written(0) == "Wait" && written(1) == "("
            }
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::looks_like;

    #[test]
    fn content_decides() {
        let programs = [
            "Pass()",
            "\n# c\n\"\"\"Doc\"\"\"\nLambda('x')",
            "version: \"1.0\"\ntimeout: 5\nSNS.Publish()\n    parameters:\n",
            "\u{feff}  Pass()",
            "if '$.a' == 1:\n    Pass()",
            "parallel:\n    Pass()",
            "\"\"\"Only a comment\"\"\"\n",
            "Wait(seconds=5)",
            "timeout: 5",
            "version: '1.0'Pass()",
            "version: \"1.0\"\n  Wait(seconds=1)\n    output: '$'",
            "Pass(\n  result: '$'",
            "lines \"\"\"\nWait(seconds=1)\n",
            "timeout: 5 Success()\nsomething else\nwhile('$.a' == 1):\n",
        ];
        let others = [
            "",
            " \n",
            "{\"StartAt\": \"A\"}",
            "// c\n{}",
            "# c\nStartAt: A\nStates:\n  A:\n    Type: Pass\n",
            "\"StartAt\": A\n",
            "AWSTemplateFormatVersion: '2010-09-09'\nResources:\n  M:\n    Type: AWS::Serverless::StateMachine\n",
            "Comment: calls f (twice)\nStartAt: A\n",
            "---\nPass()",
            "- a\n- b\n",
            "service: s\nfunctions: |\n  Pass()\n  if (a) b\n",
        ];
        for text in programs {
            assert!(looks_like(text), "{text}");
        }
        for text in others {
            assert!(!looks_like(text), "{text}");
        }
    }
}
