//! Tests with random programs. Deeply nested, endless, random and edited texts must be compiled or rejected, and the
//! position of every error must be within the text.

use super::{compile, definition, programs, shown};
use asldbg::definition::lower;
use asldbg::source::dsl::{generated, looks_like};
use asldbg::source::{Node, Severity, SourceFile, SourceMap};
use proptest::prelude::*;
use std::sync::Arc;

/// Repeats `before` `count` times, adds `middle`, and repeats `after` `count` times.
fn around(count: usize, before: &str, middle: &str, after: &str) -> String {
    format!("{}{middle}{}", before.repeat(count), after.repeat(count))
}

/// Nested blocks: repeats `lines` on each of `count` levels. Each line is indented by one space more than the line
/// before.
fn blocks(count: usize, lines: &[&str], inner: &str) -> String {
    let mut text = String::new();
    for level in 0..count {
        for (deeper, line) in lines.iter().enumerate() {
            text.push_str(&" ".repeat(level * lines.len() + deeper));
            text.push_str(line);
            text.push('\n');
        }
    }
    text + &" ".repeat(count * lines.len()) + inner
}

#[test]
fn deep_nesting_is_read_or_refused_with_its_place() {
    let deep = |count: usize| {
        let most = |lines: usize| count.min(1500) / lines;
        [
            format!("if {}:\n    Pass()", around(count, "(", "'$.a' == 1", ")")),
            format!(
                "if {}:\n    Pass()",
                around(count, "not ", "'$.a' == 1", "")
            ),
            format!("Pass()\n data:\n  {}", around(count, "[", "1", "]")),
            format!("Pass()\n data:\n  {}", around(count, "{\"a\":", "1", "}")),
            blocks(most(1), &["if '$.a' == 1:"], "Pass()"),
            blocks(most(1), &["while '$.a' == 1:"], "Pass()"),
            blocks(most(1), &["parallel:"], "Pass()"),
            blocks(most(2), &["map:", "iterator:"], "Pass()"),
            blocks(most(2), &["switch '$.a':", "case 1:"], "Pass()"),
            blocks(most(1), &["Lambda('f')", "catch []:"], "Pass()"),
        ]
    };
    for text in deep(200) {
        definition("deep", &text);
        let (_, node, _) = compile(&text);
        let states = generated(&node.expect("a tree"));
        assert!(states.len() < 500);
    }
    for (index, text) in deep(10_000).iter().enumerate() {
        let (file, node, diagnostics) = compile(text);
        assert!(node.is_none(), "{index}");
        let all = shown(&file, &diagnostics);
        let are_refusals = all
            .iter()
            .any(|line| line.ends_with("the text is nested more than 224 levels deep"));
        assert!(are_refusals && all.len() == 1, "{index}: {all:?}");
    }
}

#[test]
fn floods_of_errors_end() {
    let floods = [
        "Pass() ".repeat(30_000),
        "r'' ".repeat(30_000),
        "goto \"x\"\n".repeat(8_000),
        "Passs()\n".repeat(8_000),
        "if '$.a' == 1:\n".repeat(8_000),
        "'''".repeat(15_001),
        "{[(".repeat(15_000),
        ")]}".repeat(15_000),
        format!("Pass()\n data:\n  {{{}}}", "\"a\": 1, ".repeat(15_000)),
        format!(
            "if '$.a' == 1{}:\n    Pass()",
            " or '$.a' == 1".repeat(8_000)
        ),
    ];
    for text in floods {
        let (_, node, diagnostics) = compile(&text);
        assert!(diagnostics.len() <= 3000, "{}", diagnostics.len());
        assert_eq!(
            node.is_none(),
            diagnostics.iter().any(|finding| finding.blocking)
        );
    }
}

/// Checks what must be true for any text: the compiler returns a tree or errors, and the position of every error is
/// within the text.
fn holds(text: &str) {
    let _ = looks_like(text);
    let (file, node, diagnostics) = compile(text);
    assert_eq!(
        node.is_none(),
        diagnostics
            .iter()
            .any(|finding| finding.severity == Severity::Error)
    );
    for diagnostic in &diagnostics {
        let places = diagnostic
            .related
            .iter()
            .map(|(span, _)| span)
            .chain(&diagnostic.span);
        for place in places {
            assert!(
                file.text.get(place.range()).is_some(),
                "{place:?}: {diagnostic:?}"
            );
        }
        assert!(
            diagnostic.span.is_some() && !diagnostic.message.contains('\n'),
            "{diagnostic:?}"
        );
    }
    if let Some(node) = node {
        within(&file, &node);
        let _ = generated(&node);
        let _ = lower(Arc::new(node), Arc::new(SourceMap::of(file)), "random");
    }
}

fn within(file: &SourceFile, node: &Node) {
    assert!(file.text.get(node.span.range()).is_some(), "{node:?}");
    if let Some(text) = node.as_str() {
        let all = node.inner_span(0..text.len());
        assert!(file.text.get(all.range()).is_some(), "{node:?}");
    }
    for member in node.members().unwrap_or(&[]) {
        assert!(file.text.get(member.key.span.range()).is_some());
        within(file, &member.value);
    }
    for item in node.items().unwrap_or(&[]) {
        within(file, item);
    }
}

/// One change of a text: the character index, the number of characters to remove, and the text to insert.
type Edit = (usize, usize, String);

fn edited(text: &str, edits: &[Edit]) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for (at, cut, new) in edits {
        let at = at % (chars.len() + 1);
        let end = (at + cut).min(chars.len());
        chars.splice(at..end, new.chars());
    }
    chars.into_iter().collect()
}

/// Pieces of programs, and some that are not valid in any program.
const PIECES: &str = "Pass() Success() Fail(\"E\",\"C\") Wait(seconds=5) Lambda('f') SNS.Publish() Arn('arn:aws:x') if while \
    switch case default elif else parallel: map: iterator: goto \"N\" \"\"\"N\"\"\" ''' \" ' '$.a' == != < ( ) [ ] { } : , . $ \
    - 1 0 1.5 1e999 010 0x1 true null not and or retry catch [] transform: error: input: result: output: data: parameters: \
    k.$: timeout: heartbeat: version: max_concurrency: items_path: sync r'' \\ ; # é 🚀 \u{feff}";

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>(), bytes in "[ -~\n\t\r]{0,200}") {
        holds(&text);
        holds(&bytes);
    }

    #[test]
    fn any_pieces_are_read_or_refused(
        pieces in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..120),
    ) {
        let words: Vec<&str> = PIECES.split(' ').filter(|word| !word.is_empty()).collect();
        let between = [" ", "\n", "\n", "\n    ", "\n    ", "\n        ", "\n\t", "", "\r\n", "\n  "];
        let mut text = String::new();
        for (word, gap) in pieces {
            text.push_str(words[word.index(words.len())]);
            text.push_str(between[gap.index(between.len())]);
        }
        holds(&text);
    }

    #[test]
    fn edited_programs_are_read_or_refused(
        program in any::<prop::sample::Index>(),
        edits in prop::collection::vec((any::<usize>(), 0_usize..12, "([ -~\n]{0,3}|\n {0,8}|\"\"\"|é)"), 1..6),
    ) {
        let good = programs("good");
        let texts: Vec<&str> = good.values().map(String::as_str).collect();
        holds(&edited(texts[program.index(texts.len())], &edits));
    }
}
