//! Tests of placeholders: inserted values, their source positions, and the remaining placeholders.

use super::*;
use crate::source::{SourceFile, SourceId};

fn values(pairs: &[(&str, &str)]) -> Values {
    pairs
        .iter()
        .map(|(name, value)| ((*name).to_string(), Value::string(*value)))
        .collect()
}

fn filled(text: &str, pairs: &[(&str, &str)]) -> (Node, String) {
    let values = values(pairs);
    let (node, diagnostics) = parse_json_with(&SourceFile::new("t", text), SourceId(0), &values);
    let node = node.unwrap_or_else(|| panic!("{text}: {diagnostics:?}"));
    let node = substitute(node, &values, Whole::Text);
    let shown = one_line(&node.to_value());
    (node, shown)
}

#[test]
fn values_are_put_in() {
    for (text, pairs, wanted) in [
        (r#""arn:${A}:x""#, &[("A", "one")][..], r#""arn:one:x""#),
        (
            r#"["${A}${B}","${C}"]"#,
            &[("A", "1"), ("B", "2")],
            r#"["12","${C}"]"#,
        ),
        (r#"{"${A}":"${"}"#, &[("A", "k")], r#"{"k":"${"}"#),
        (
            r#"{"Seconds":"${A}","Comment":"${A}","MaxItems":${A}}"#,
            &[("A", "7")],
            r#"{"Seconds":"7","Comment":"7","MaxItems":7}"#,
        ),
        (
            r#"{"a":${A},"b":${B}}"#,
            &[("A", "[1]")],
            r#"{"a":[1],"b":"${B}"}"#,
        ),
        (
            r#"{"a":"${A}"}"#,
            &[("A", "{\"x\":1}")],
            r#"{"a":"{\"x\":1}"}"#,
        ),
        (
            r#"{"a":"${!A}"}"#,
            &[("A", "x"), ("!A", "x")],
            r#"{"a":"${!A}"}"#,
        ),
        (
            r#"{"a":"${A}"}"#,
            &[("A", "${A}${A}")],
            r#"{"a":"${A}${A}"}"#,
        ),
        (r#"[${A}${B}]"#, &[("A", "1")], r#"["1${B}"]"#),
    ] {
        assert_eq!(filled(text, pairs).1, wanted, "{text}");
    }
}

#[test]
fn places_survive() {
    let text = r#""a\n${X}cd""#;
    let (node, _) = filled(text, &[("X", "long value")]);
    assert_eq!(&text[node.inner_span(12..13).range()], "c");
    assert_eq!(node.inner_span(3..5).range(), 4..4);
    assert_eq!(&text[node.inner_span(2..12).range()], "${X}");
    assert_eq!(&text[node.inner_span(0..1).range()], "a");
}

#[test]
fn what_is_left_is_noted() {
    let (node, _) = filled(r#"{"a":"${A} ${B}","b":["${A}",${C}]}"#, &[("B", "x")]);
    let note = note(&node).expect("a note");
    assert_eq!(note.message, "2 placeholders have no value: ${A}, ${C}");
    assert_eq!(note.span.map(Span::range), Some(6..10));
    assert!(super::note(&filled("1", &[]).0).is_none());
}

#[test]
fn files_of_values() {
    let read = |text: &str| {
        let all = read_values(&SourceFile::new("v", text), SourceId(0));
        all.map(|all| {
            let shown = all
                .iter()
                .map(|(name, value)| format!("{name}={}", one_line(value)));
            shown.collect::<Vec<_>>().join(" ")
        })
        .map_err(|diagnostic| {
            diagnostic
                .first()
                .map(|diagnostic| diagnostic.message.clone())
        })
    };
    assert_eq!(
        read("{\"A\": 1, \"B\": \"x\"}").as_deref(),
        Ok("A=1 B=\"x\"")
    );
    assert_eq!(
        read("A: 1\nB: {c: d}\n").as_deref(),
        Ok("A=1 B={\"c\":\"d\"}")
    );
    assert_eq!(
        read("# x\nexport A=1\nB='y z' # n\nC=a=b # c\n").as_deref(),
        Ok("A=\"1\" B=\"y z\" C=\"a=b\"")
    );
    assert_eq!(
        read("[{\"ParameterKey\":\"A\",\"ParameterValue\":\"b\"}]").as_deref(),
        Ok("A=\"b\"")
    );
    assert!(read("A=1\nnothing\n").is_err());
    assert!(read("[1]").is_err());
    assert!(read("{").is_err());
}
