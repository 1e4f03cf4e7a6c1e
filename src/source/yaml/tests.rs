//! Tests that the YAML parser returns the right values, positions and errors, and that it never panics.

use super::*;
use crate::json::{Number, Value, one_line};
use proptest::prelude::*;

fn read(text: &str) -> (Option<Node>, Vec<String>) {
    let file = SourceFile::new("t.yaml", text);
    let (node, diagnostics) = parse_yaml(&file, SourceId(0));
    let shown = diagnostics
        .iter()
        .map(|diagnostic| {
            let place = diagnostic.span.map(|span| file.place(span.start as usize));
            let (line, column) = place.map_or((0, 0), |place| (place.line, place.column));
            format!(
                "{} {line}:{column} {}",
                diagnostic.severity, diagnostic.message
            )
        })
        .collect();
    (node, shown)
}

fn value(text: &str) -> String {
    let (node, diagnostics) = read(text);
    let node = node.unwrap_or_else(|| panic!("{text}: {diagnostics:?}"));
    one_line(&node.to_value())
}

/// Returns the source text from which the substring `part` was decoded. `part` is in the string at the path `path`.
fn behind<'t>(text: &'t str, path: &[&str], part: &str) -> &'t str {
    let (node, diagnostics) = read(text);
    let mut node = node.unwrap_or_else(|| panic!("{diagnostics:?}"));
    for name in path {
        node = node
            .get(name)
            .unwrap_or_else(|| panic!("no {name}"))
            .clone();
    }
    let decoded = node.as_str().expect("a string");
    let at = decoded
        .find(part)
        .unwrap_or_else(|| panic!("{decoded:?} has no {part:?}"));
    &text[node.inner_span(at..at + part.len()).range()]
}

#[test]
fn values() {
    for (text, wanted) in [
        (
            "a: 1\nb: [x, 'y', \"z\"]\nc: {d: ~}\ne:\n",
            r#"{"a":1,"b":["x","y","z"],"c":{"d":null},"e":null}"#,
        ),
        (
            "- 1.50\n- 1e3\n- -0\n- 12345678901234567890123\n- +1\n- .5\n- 1.\n- 0x1F\n- 0o17\n",
            r#"[1.50,1e3,-0,12345678901234567890123,1,0.5,1,31,15]"#,
        ),
        (
            "- true\n- False\n- NULL\n- 'true'\n- !!str true\n- !!int \"7\"\n",
            r#"[true,false,null,"true","true",7]"#,
        ),
        (
            "- 012\n- 1_000\n- 12:30:00\n- 2010-09-09\n- 1.2.3\n- 0x\n- .inf\n-\n",
            r#"["012","1_000","12:30:00","2010-09-09","1.2.3","0x",".inf",null]"#,
        ),
        (
            "a: |\n  x\n   y\n\n  z\nb: >-\n  x\n  y\n\n  z\nc: |+\n  x\n\nd: |2\n    x\n",
            r#"{"a":"x\n y\n\nz\n","b":"x y\nz","c":"x\n\n","d":"  x\n"}"#,
        ),
        (
            "a: 'it''s\n  two\n\n  lines'\nb: \"x\\ty\\u00e9 \\\n  z\"\n",
            r#"{"a":"it's two\nlines","b":"x\tyé z"}"#,
        ),
        (
            "a: &x {p: 1, q: 2}\nb: {<<: *x, q: 3}\nc:\n  r: 0\n  <<: [*x, {s: 4}]\nd: *x\n",
            r#"{"a":{"p":1,"q":2},"b":{"p":1,"q":3},"c":{"r":0,"p":1,"q":2,"s":4},"d":{"p":1,"q":2}}"#,
        ),
        (
            "a: !Ref X\nb: !GetAtt F.Arn\nc: !Sub\n  - ${x}\n  - x: !Ref Y\nd: !Sub |\n  {\"a\": 1}\ne: !Join ['', [a, !Ref B]]\nf: !Ref\n",
            r#"{"a":{"Ref":"X"},"b":{"Fn::GetAtt":"F.Arn"},"c":{"Fn::Sub":["${x}",{"x":{"Ref":"Y"}}]},"d":{"Fn::Sub":"{\"a\": 1}\n"},"e":{"Fn::Join":["",["a",{"Ref":"B"}]]},"f":{"Ref":""}}"#,
        ),
        (
            "'N': '1'\n1: x\nnull: y\n",
            r#"{"N":"1","1":"x","null":"y"}"#,
        ),
        ("# only\n---\na: 1 # b\n...\n", r#"{"a":1}"#),
        ("[a: b, c]\r\n", r#"[{"a":"b"},"c"]"#),
        ("\"x\"\n", "\"x\""),
    ] {
        assert_eq!(value(text), wanted, "{text}");
    }
}

#[test]
fn findings() {
    for (text, wanted) in [
        (
            "a: yes\nOn: 1\n",
            "WARNING 1:4 yes is read as true, as in YAML 1.1, but YAML 1.2 reads yes as text|WARNING 2:1 the key On is a boolean in YAML 1.1",
        ),
        (
            "a: 0644\n",
            "WARNING 1:4 0644 is kept as text; YAML 1.1 reads it as a number",
        ),
        ("a: 1\nb: 2\na: 3\n", "ERROR 3:1 duplicate key \"a\""),
        (
            "a: &x\n  b: *x\n",
            "ERROR 2:6 the alias *x is inside the value of its own anchor",
        ),
        (
            "a: *nobody\n",
            "ERROR 1:4 no anchor of this name precedes the alias",
        ),
        (
            "a: 1\n  b: 2\n",
            "ERROR 2:4 unexpected \": \": no key can begin here",
        ),
        (
            "a:\n\tb: 2\n",
            "ERROR 2:2 a tab in the indentation; YAML allows only spaces",
        ),
        (
            "a:\n    b: 2\n  c: 3\n",
            "ERROR 3:3 expected a key: the line does not fit the lines above",
        ),
        ("a: 'x\n", "ERROR 1:4 the quotes are not closed"),
        (
            "a: b\nc:\n  d: \"x\ne: f\n",
            "ERROR 3:6 the quotes are not closed before a line that is indented less",
        ),
        (
            "{{x}}: 1\n",
            "ERROR 1:2 a key must be text|ERROR 1:1 a key must be text",
        ),
        (
            "a: !Foo x\n",
            "WARNING 1:4 the tag !Foo is unknown, so the value is read without the tag",
        ),
        (
            "a: 1\n---\nb: 1\n",
            "WARNING 2:1 asldbg reads only the first YAML document of the text",
        ),
        ("a: \u{1}\n", "ERROR 1:4 YAML allows no control characters"),
        (
            "<<: 3\n",
            "ERROR 1:5 the value of the merge key << must be an object or a list of objects",
        ),
        (" \n", "ERROR 1:1 the text is empty"),
    ] {
        assert_eq!(read(text).1.join("|"), wanted, "{text}");
    }
}

#[test]
fn depth_and_growth_are_bounded() {
    let flow = format!("a: {}", "[".repeat(10_000));
    assert_eq!(
        read(&flow).1,
        ["ERROR 1:259 brackets are nested more than 255 levels deep"]
    );
    let block = "- ".repeat(10_000);
    assert_eq!(
        read(&block).1,
        ["ERROR 1:1025 the text is nested more than 512 levels deep"]
    );
    let keys = "? ".repeat(10_000);
    assert_eq!(
        read(&keys).1,
        ["ERROR 1:1025 the text is nested more than 512 levels deep"]
    );
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_string();
    for level in 1..12 {
        let inner = format!("*a{}, ", level - 1).repeat(9);
        bomb += &format!("a{level}: &a{level} [{inner}]\n");
    }
    let (node, diagnostics) = read(&bomb);
    assert!(node.is_none());
    assert_eq!(diagnostics.len(), 1);
    assert!(
        diagnostics[0].contains("more than 250000 nodes"),
        "{diagnostics:?}"
    );
    let mut ladder = "a0: &a0 [x]\n".to_string();
    for level in 1..60 {
        let (open, shut) = ("[".repeat(10), "]".repeat(10));
        ladder += &format!("a{level}: &a{level} {open}*a{}{shut}\n", level - 1);
    }
    assert!(read(&ladder).1[0].contains("deep through the alias"));
}

#[test]
fn places() {
    let text = "a:\n  é: \"x\\ty$.b\" # ü\n  k:   plain $.p\n  q: 'it''s $.q'\n  l: |\n    one\n    two $.l\n\n    three\n  f: !Sub >-\n    one\n    two $.f\n\n      more\n    last $.g\n  m: plain\n    over $.m\n  d: \"over\n    $.d \\\n    $.e\"\n";
    for (path, part) in [
        (["a", "é"], "$.b"),
        (["a", "k"], "$.p"),
        (["a", "q"], "$.q"),
        (["a", "l"], "$.l"),
        (["a", "l"], "three"),
        (["a", "m"], "$.m"),
        (["a", "d"], "$.d"),
        (["a", "d"], "$.e"),
    ] {
        assert_eq!(behind(text, &path, part), part);
    }
    for part in ["one", "$.f", "more", "$.g"] {
        assert_eq!(behind(text, &["a", "f", "Fn::Sub"], part), part);
    }
    assert_eq!(behind(text, &["a", "q"], "'"), "''");
    assert_eq!(behind(text, &["a", "é"], "\t"), "\\t");
    let (node, _) = read(text);
    let node = node.expect("valid");
    let inner = node.get("a").expect("a");
    let shown: Vec<String> = inner
        .members()
        .expect("an object")
        .iter()
        .map(|member| text[member.value.span.range()].to_string())
        .collect();
    assert_eq!(shown[0], "\"x\\ty$.b\"");
    assert_eq!(shown[1], "plain $.p");
    assert_eq!(shown[3], "one\n    two $.l\n\n    three");
    assert!(shown[4].starts_with("!Sub >-") && shown[4].ends_with("$.g"));
    let empty = "a:\nb: [1, {c: 2} ]\n";
    let (node, _) = read(empty);
    let node = node.expect("valid");
    assert_eq!(node.get("a").map(|node| node.span.range()), Some(2..2));
    assert_eq!(
        node.get("b").map(|node| &empty[node.span.range()]),
        Some("[1, {c: 2} ]")
    );
    assert_eq!(node.get("a").map(Node::is_null), Some(true));
}

/// Asserts that the source range of every value, key and decoded character is inside the text and begins and ends
/// between characters.
fn leads_home(node: &Node, text: &str) {
    assert!(node.span.range().end <= text.len() && text.get(node.span.range()).is_some());
    if let Some(string) = node.string() {
        for (at, c) in string.text.char_indices() {
            let range = node.inner_span(at..at + c.len_utf8()).range();
            assert!(
                text.get(range.clone()).is_some(),
                "{range:?} cuts a character"
            );
        }
    }
    for item in node.items().unwrap_or_default() {
        leads_home(item, text);
    }
    for member in node.members().unwrap_or_default() {
        assert!(text.get(member.key.span.range()).is_some());
        leads_home(&member.value, text);
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        "[a-zA-Z0-9 :#'\"{}\\[\\],&*!|>%@`$.~=<?\\\\-]{0,12}",
        "(yes|no|on|y|N|null|~|0[0-9]{1,3}|[0-9:_.+e-]{1,8}|true|---|\\.\\.\\.|<<)",
        "[a-z :#\\n\\t'\"é\u{a0}😀\u{85}\u{2028}\u{1}\u{feff}-]{0,16}",
        ".{0,8}",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        "(-?[1-9][0-9]{0,24}|0|-?0\\.[0-9]{1,5}|[1-9]e-?[0-9]{1,2})"
            .prop_map(|text| Number::parse(&text).map_or(Value::Null, Value::Number)),
        text.clone().prop_map(Value::string),
    ];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::array),
            prop::collection::vec((text.clone(), inner), 0..4).prop_map(|members| {
                Value::object(
                    members
                        .into_iter()
                        .map(|(name, value)| (name.into(), value))
                        .collect(),
                )
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_reads_back(value in any_value()) {
        let text = to_yaml(&value);
        let (node, diagnostics) = read(&text);
        prop_assert!(diagnostics.is_empty(), "{diagnostics:?}\n{text}");
        let back = node.map(|node| one_line(&node.to_value()));
        prop_assert_eq!(back, Some(one_line(&value)), "{}", text);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "([ \\n]{0,3}|a: |- |\\? |[\\[{}\\],:#&*!|>'\"\\\\%@`~?-]|&a |\\*a|!Sub |!!int |<<: |\\||>-|\\n  |\\n    |\\t|\\r\\n|\\r|é|😀|\u{feff}|\u{0}|\u{85}|x|0|---\\n|\\.\\.\\.\\n|%TAG ! x\\n){0,60}") {
        let (node, diagnostics) = read(&text);
        prop_assert!(node.is_some() || !diagnostics.is_empty(), "{text:?}");
        let file = SourceFile::new("t", &text);
        if let (Some(node), _) = parse_yaml(&file, SourceId(0)) {
            leads_home(&node, &file.text);
        }
    }
}
