//! Tests of the values of intrinsic functions, one behaviour per line.

use super::*;
use crate::json::one_line;
use crate::query::tests::Fixture;
use crate::query::trace::Shown;
use proptest::prelude::*;

const DATA: &str = r#"{"arr":[1,2,3],"a":"x","obj":{"Arg1":1,"Arg2":[],"s":"t","n":null},"t":"{} and {}","json":"{bad","half":1.5}"#;

fn shown(text: &str, bindings: &Fixture) -> String {
    match Intrinsic::parse(text) {
        Err(error) => {
            assert!(text.get(error.range.clone()).is_some(), "{text}");
            format!("error: {}", error.message)
        }
        Ok(intrinsic) => match intrinsic.eval(bindings) {
            Ok(value) => one_line(&value),
            Err(QueryError::Intrinsic { message, .. }) => message,
            Err(error) => error.reason(),
        },
    }
}

/// Asserts that a call has the expected value or error message in both profiles.
fn check(text: &str, expected: &str) {
    assert_eq!(shown(text, &Fixture::new(DATA)), expected, "{text} (spec)");
    assert_eq!(shown(text, &Fixture::aws(DATA)), expected, "{text} (aws)");
}

/// Asserts that wrong arguments give AWS's generic message.
fn wrong(text: &str) {
    let name = text.split('(').next().unwrap_or("");
    check(text, &format!("Invalid arguments in {name}"));
}

#[test]
fn numbers() {
    check("States.MathAdd(1.5, 0)", "2");
    check("States.MathAdd(-1.5, 0)", "-1");
    check("States.MathAdd(-2.5, 0)", "-2");
    check("States.MathAdd(0.5, 0)", "1");
    check("States.MathAdd(-0.5, 0.5)", "1");
    check("States.MathAdd(1.49, 1.5)", "3");
    check("States.MathAdd(-1.51, 0)", "-2");
    check("States.MathAdd(0.49999999999999994, 0)", "0");
    check("States.MathAdd($$.Map.Item.Index, 1)", "5");
    check("States.MathAdd(2147483647, 1)", "2147483648");
    wrong("States.MathAdd(2147483648, 0)");
    wrong("States.MathAdd(1e400, 0)");
    wrong("States.MathAdd('1', 0)");
    wrong("States.MathAdd(1)");
    wrong("States.MathRandom(3, 3)");
    wrong("States.MathRandom(3, 1)");
    for _ in 0..50 {
        let fixture = Fixture::new("{}");
        let random = shown("States.MathRandom(1, 4)", &fixture);
        assert!(["1", "2", "3"].contains(&random.as_str()), "{random}");
    }
    let seeded = shown(
        "States.MathRandom(-999999, 999999, 42)",
        &Fixture::new("{}"),
    );
    check("States.MathRandom(-999999, 999999, 42)", &seeded);
}

#[test]
fn strings() {
    check(
        "States.StringSplit('This.is+a,test=string', '.+,=')",
        r#"["This","is","a","test","string"]"#,
    );
    check("States.StringSplit(',,,,', ',')", "[]");
    check("States.StringSplit(', , ,', ',')", r#"[" "," "]"#);
    check("States.StringSplit('a\nb', '\n')", r#"["a","b"]"#);
    check("States.StringSplit('ab', '')", r#"["ab"]"#);
    wrong("States.StringSplit(1, ',')");
    check(
        "States.Base64Encode('Data to encode')",
        r#""RGF0YSB0byBlbmNvZGU=""#,
    );
    check(
        "States.Base64Decode('RGF0YSB0byBlbmNvZGU=')",
        r#""Data to encode""#,
    );
    check("States.Base64Encode('')", r#""""#);
    check("States.Base64Decode('')", r#""""#);
    wrong("States.Base64Decode('%')");
    wrong("States.Base64Decode('/w==')");
    check(
        "States.Hash('input data', 'SHA-1')",
        r#""aaff4a450a104cd177d28d18d74485e8cae074b7""#,
    );
    check(
        "States.Hash('', 'MD5')",
        r#""d41d8cd98f00b204e9800998ecf8427e""#,
    );
    check(
        "States.Hash('', 'SHA-256')",
        r#""e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855""#,
    );
    wrong("States.Hash('', 'sha-1')");
    wrong("States.Hash(null, 'MD5')");
    wrong(&format!("States.Hash('{}', 'MD5')", "x".repeat(10_001)));
    check(
        &format!(
            "States.ArrayLength(States.Array(States.Hash('{}', 'MD5')))",
            "é".repeat(10_000)
        ),
        "1",
    );
    let id = shown("States.UUID()", &Fixture::new("{}"));
    assert!(id.len() == 38 && id.get(15..16) == Some("4"), "{id}");
    wrong("States.UUID(1)");
}

#[test]
fn json() {
    check("States.StringToJson('')", "null");
    check("States.StringToJson(' ')", "null");
    check("States.StringToJson('-0')", "0");
    check(
        r#"States.StringToJson('\{"a": [1, 2.50]\}')"#,
        r#"{"a":[1,2.50]}"#,
    );
    check(r#"States.StringToJson('{"a":1}')"#, r#"{"a":1}"#);
    check(
        "States.JsonToString($.obj)",
        r#""{\"Arg1\":1,\"Arg2\":[],\"s\":\"t\",\"n\":null}""#,
    );
    wrong("States.StringToJson()");
    wrong("States.StringToJson($.a, $.a)");
    wrong("States.StringToJson(1)");
    let bad = shown("States.StringToJson($.json)", &Fixture::new(DATA));
    assert!(
        bad.starts_with("Cannot convert String to Json in States.StringToJson, caused by: "),
        "{bad}"
    );
    check(
        r#"States.JsonMerge(States.StringToJson('{"a":{"x":1},"b":1}'), States.StringToJson('{"a":{"y":2},"c":3}'), false)"#,
        r#"{"a":{"y":2},"b":1,"c":3}"#,
    );
    wrong("States.JsonMerge($.arr, $.obj, false)");
    wrong("States.JsonMerge($.obj, $.obj)");
}

#[test]
fn arrays() {
    check("States.Array()", "[]");
    check(
        "States.Array(1, 'x', null, true, false, $.arr)",
        r#"[1,"x",null,true,false,[1,2,3]]"#,
    );
    check(
        "States.ArrayPartition(States.Array(1,2,3,4,5), 2)",
        "[[1,2],[3,4],[5]]",
    );
    check("States.ArrayPartition(States.Array(), 4)", "[]");
    check("States.ArrayPartition($.arr, $.half)", "[[1,2],[3]]");
    wrong("States.ArrayPartition($.arr, 0)");
    wrong("States.ArrayPartition($.arr, -1)");
    check("States.ArrayContains(States.Array(), null)", "false");
    check("States.ArrayContains($.arr, 2.0)", "true");
    check("States.ArrayContains(States.Array($.obj), $.obj)", "true");
    check("States.ArrayRange(0, 10, 3)", "[0,3,6,9]");
    check("States.ArrayRange(1, 9, 9)", "[1]");
    check("States.ArrayRange(1, 1, 1)", "[1]");
    check("States.ArrayRange(5, 1, -2)", "[5,3,1]");
    check("States.ArrayRange(5, 1, 2)", "[]");
    check("States.ArrayRange(1, 5, -1)", "[]");
    check("States.ArrayRange(0.5, 2.4, 1)", "[1,2]");
    check("States.ArrayLength(States.ArrayRange(1, 1000, 1))", "1000");
    wrong("States.ArrayRange(0, 1000, 1)");
    wrong("States.ArrayRange(0, 1, 0)");
    check("States.ArrayGetItem($.arr, 2)", "3");
    wrong("States.ArrayGetItem($.arr, 3)");
    wrong("States.ArrayGetItem($.arr, -1)");
    wrong("States.ArrayGetItem($.arr, '1')");
    wrong("States.ArrayGetItem('not-array', 0)");
    check("States.ArrayLength($.arr)", "3");
    wrong("States.ArrayLength('x')");
    check(
        "States.ArrayUnique(States.Array(1, 2, 1.0, 'a', 'a', null, null, $.obj, $.obj, $.arr, 0, -0))",
        r#"[1,2,"a",null,{"Arg1":1,"Arg2":[],"s":"t","n":null},[1,2,3],0]"#,
    );
}

#[test]
fn format() {
    check(
        "States.Format('{}, {}\\'s turn', 'Hi', $.a)",
        r#""Hi, x's turn""#,
    );
    check(
        "States.Format('{}{}{}{}', 1.1, null, true, 'é')",
        r#""1.1nulltrueé""#,
    );
    check(r"States.Format('\{{}\} \\', 1)", r#""{1} \\""#);
    check("States.Format($.t, 1, 2)", r#""1 and 2""#);
    check("States.Format('plain')", r#""plain""#);
    wrong("States.Format('{}')");
    wrong("States.Format('{}', 1, 2)");
    wrong("States.Format(1)");
    wrong("States.Format()");
    let open = "Invalid template in States.Format: matching '}' not found for '{'.";
    let close = "Invalid template in States.Format: matching '{' not found for '}'.";
    check("States.Format('Hello {', $.a)", open);
    check("States.Format('Hello {{}}', $.a)", open);
    check("States.Format('}')", close);
}

#[test]
fn profiles_differ() {
    let deep = r#"States.JsonMerge(States.StringToJson('{"a":{"x":1,"z":0}}'), States.StringToJson('{"a":{"x":2,"y":3}}'), true)"#;
    let wrong = |name: &str| format!("Invalid arguments in States.{name}");
    for (text, spec, aws) in [
        (
            deep,
            r#"{"a":{"x":2,"z":0,"y":3}}"#.to_string(),
            wrong("JsonMerge"),
        ),
        (
            "States.JsonMerge($.obj, $.obj, 'x')",
            wrong("JsonMerge"),
            r#"{"Arg1":1,"Arg2":[],"s":"t","n":null}"#.to_string(),
        ),
        (
            "States.Format('{}', $.obj)",
            wrong("Format"),
            r#""{Arg1=1, Arg2=[], s=t, n=null}""#.to_string(),
        ),
        (
            "States.Format('{}', $.arr)",
            wrong("Format"),
            r#""[1, 2, 3]""#.to_string(),
        ),
        (
            "States.ArrayGetItem($.arr, 1.2)",
            wrong("ArrayGetItem"),
            "2".to_string(),
        ),
    ] {
        assert_eq!(shown(text, &Fixture::new(DATA)), spec, "{text}");
        assert_eq!(shown(text, &Fixture::aws(DATA)), aws, "{text}");
    }
}

#[test]
fn reasons() {
    fn check(text: &str, name: &str, expected: &str) {
        let error = Intrinsic::parse(text)
            .expect("call")
            .eval(&Fixture::new(r#"{"arr":[1,2,3]}"#))
            .expect_err("fails");
        assert_eq!(
            (error.spec_name(), error.reason().as_str()),
            (name, expected)
        );
    }
    check(
        "States.ArrayGetItem($.arr, 3)",
        "States.IntrinsicFailure",
        "There was an error while evaluating the intrinsic function: States.ArrayGetItem($.arr, 3). Invalid arguments in States.ArrayGetItem",
    );
    check(
        "States.StringToJson($.missing)",
        "States.ParameterPathFailure",
        r#"The function 'States.StringToJson($.missing)' had the following error: The JsonPath argument for the field '$.missing' could not be found in the input '{"arr":[1,2,3]}'"#,
    );
    check(
        "States.Array($none)",
        "States.ParameterPathFailure",
        "The variable '$none' has not been assigned a value",
    );
}

#[test]
fn arguments_are_read() {
    check(
        "States.Array( $.arr[0] , $['a'],$.arr[?(@ > 99)] )",
        r#"[1,"x",[]]"#,
    );
    check("States.Array($.arr[?(@.x == 'a)' || (@.y))])", "[[]]");
    check("States.Array($order.items[0], $$.Map.Item.Index)", "[7,4]");
    check("States.Array('a\\\\b', ' \n ')", r#"["a\\b"," \n "]"#);
    check("States.Array(-1.50e2)", "[-1.50e2]");
    check("States.Array(States.Array(), States.Array(1))", "[[],[1]]");
}

#[test]
fn refused() {
    fn check(text: &str, expected: &str, range: Range<usize>, help: Option<&str>) {
        let error = Intrinsic::parse(text).expect_err(text);
        assert!(
            error.message.contains(expected)
                && error.range == range
                && error.help.as_deref() == help,
            "{text}: {error:?}"
        );
    }
    let deep = "States.Array(".repeat(11);
    check("", "path or an intrinsic", 0..0, None);
    check("hello", "path or an intrinsic", 0..5, None);
    check(
        "States.UUID",
        "path or an intrinsic",
        0..11,
        Some("write States.UUID(…)"),
    );
    check("States.UUID ()", "No space", 11..12, None);
    check(
        "States.Uuid()",
        "not an intrinsic",
        0..11,
        Some("did you mean States.UUID?"),
    );
    check(
        "States.Formt('')",
        "not an intrinsic",
        0..12,
        Some("did you mean States.Format?"),
    );
    check(
        "uuid()",
        "not an intrinsic",
        0..4,
        Some("did you mean States.UUID?"),
    );
    check("Whatever.At()", "not an intrinsic", 0..11, None);
    check("States.UUID() x", "Nothing can follow", 14..15, None);
    check(
        "States.Array(",
        "argument is missing",
        13..13,
        Some("add )"),
    );
    check("States.Array(1", "not closed", 0..14, Some("add )"));
    check("States.Array(1,)", "is expected", 15..16, None);
    check("States.Array(1 2)", "',' or ')'", 15..16, None);
    check(
        "States.Array(\"x\")",
        "single quotes",
        13..14,
        Some("write '…'"),
    );
    check(
        "States.Array('x)",
        "string is not closed",
        13..16,
        Some("add '"),
    );
    check(
        "States.Array('x\\",
        "string is not closed",
        13..16,
        Some("add '"),
    );
    check(
        r#"States.Array('\"')"#,
        "not an escape",
        14..16,
        Some(r"the escapes are \' \{ \} \\"),
    );
    check(
        r"States.Array('\né')",
        "not an escape",
        14..16,
        Some(r"the escapes are \' \{ \} \\"),
    );
    check("States.Array(01)", "not a JSON number", 13..15, None);
    check("States.Array($.a..)", "name is missing", 18..18, None);
    check(
        "States.Array($.a.length())",
        "path function",
        17..25,
        Some("use States.ArrayLength"),
    );
    check("States.Array(x)", "path or an intrinsic", 13..14, None);
    check(&deep, "nested at most 10", 130..142, None);
}

#[test]
fn parts_can_be_looked_at() {
    let text = "States.Format('{} {}', States.Hash($.a, 'MD5'), $.b)";
    let intrinsic = Intrinsic::parse(text).expect("call");
    assert_eq!(intrinsic.name(), "States.Format");
    let calls = intrinsic.calls();
    let names: Vec<_> = calls.iter().map(|call| call.function.name).collect();
    assert_eq!(names, ["States.Format", "States.Hash"]);
    assert_eq!(calls[0].placeholders, Some(Ok(2)));
    assert_eq!(calls[0].arguments.len(), 3);
    assert_eq!(calls[1].arguments[1].literal, Some(&Value::from("MD5")));
    let paths: Vec<_> = intrinsic.paths().iter().map(|path| path.text()).collect();
    assert_eq!(paths, ["$.a", "$.b"]);
    let (_, trace) = intrinsic.trace(&Fixture::new(r#"{"a":""}"#));
    let shown = trace.acts.iter().map(|act| {
        let part = &text[intrinsic.range(act.node.node).expect("a part")];
        format!("{part} {}", act.value != Shown::Nothing)
    });
    let shown: Vec<String> = shown.collect();
    assert_eq!(
        shown,
        [
            &format!("{text} false"),
            "'{} {}' true",
            "States.Hash($.a, 'MD5') true",
            "$.a true",
            "'MD5' true",
            "$.b false",
        ]
    );
    assert_eq!(trace.failed, Some(5));
}

#[test]
fn huge_values_are_refused() {
    let mut doubled = Value::from("x");
    for _ in 0..80 {
        doubled = Value::array(vec![doubled.clone(), doubled]);
    }
    let fixture = Fixture::of(doubled);
    for name in [
        "JsonToString($)",
        "ArrayUnique($)",
        "Format('{}', $)",
        "ArrayContains($, $)",
    ] {
        let text = format!("States.{name}");
        assert!(
            Intrinsic::parse(&text)
                .expect("call")
                .eval(&fixture)
                .is_err(),
            "{text}"
        );
    }
}

#[test]
fn number_of_functions() {
    assert_eq!(FUNCTIONS.len(), 18);
}

proptest! {
    #[test]
    fn nothing_panics(text in "States\\.(Format|Array|MathAdd|ArrayRange)\\([$.a'{}\\\\,()\\[\\]0-9eE \\-\"é]{0,24}\\)?") {
        match Intrinsic::parse(&text) {
            Ok(intrinsic) => {
                let fixture = Fixture::aws(DATA);
                let _ = intrinsic.eval(&fixture);
                let _ = intrinsic.trace(&fixture);
            }
            Err(error) => prop_assert!(text.get(error.range).is_some()),
        }
    }

    #[test]
    fn any_text(text in any::<String>()) {
        for text in [text.clone(), format!("States.Format({text}"), format!("States.Format('{text}')")] {
            if let Err(error) = crate::query::Expression::parse(&text) {
                prop_assert!(text.get(error.range).is_some());
            }
            let _ = crate::query::Pattern::parse(&text).map(|pattern| pattern.matches(&text));
            let _ = crate::query::parse_timestamp(&text);
        }
    }

    #[test]
    fn any_number(number in any::<f64>(), seed in any::<i64>()) {
        let fixture = Fixture::new("{}");
        for text in [
            format!("States.MathAdd({number:e}, {seed})"),
            format!("States.ArrayRange({number}, {seed}, {seed})"),
            format!("States.ArrayRange({seed}, -9223372036854775808, -1)"),
            format!("States.MathRandom({number}, 5, {seed})"),
            format!("States.ArrayPartition(States.Array(1), {number})"),
        ] {
            if let Ok(intrinsic) = Intrinsic::parse(&text) {
                let _ = intrinsic.eval(&fixture);
            }
        }
    }
}
