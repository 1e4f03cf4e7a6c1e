//! Tests that patterns replace the values that they match, and that all other values are kept.

use super::Redaction;
use crate::json::{Value, one_line, parse};

/// Checks the redaction of a document by these patterns.
fn check(patterns: &[&str], before: &str, after: &str) {
    let patterns: Vec<String> = patterns.iter().map(ToString::to_string).collect();
    let mut redaction = Redaction::of(&patterns).unwrap();
    let document = parse(before).unwrap();
    redaction.learn(&document);
    let replaced = one_line(&redaction.replace(&document));
    assert_eq!(replaced, one_line(&parse(after).unwrap()), "{patterns:?}");
}

#[test]
fn fields_keep_their_shape_and_equal_values_stay_equal() {
    check(
        &["email", "card*", "$.customer.age"],
        r#"{"events":[{"type":"PassStateEntered","id":2,"stateEnteredEventDetails":{"name":"email","input":"{\"Email\":\"bob@example.com\",\"cardNumber\":4111,\"cards\":[{\"ok\":true,\"no\":null}],\"customer\":{\"age\":7},\"age\":8}"}},{"type":"X","output":"{\"to\":\"bob@example.com\",\"other\":\"eve@example.com\"}"}]}"#,
        r#"{"events":[{"type":"PassStateEntered","id":2,"stateEnteredEventDetails":{"name":"email","input":"{\"Email\":\"redacted-1\",\"cardNumber\":0,\"cards\":[{\"ok\":false,\"no\":null}],\"customer\":{\"age\":0},\"age\":8}"}},{"type":"X","output":"{\"to\":\"redacted-1\",\"other\":\"eve@example.com\"}"}]}"#,
    );
}

#[test]
fn values_are_found_in_causes_names_and_texts_inside_texts() {
    check(
        &["token"],
        r#"{"executionArn":"arn:aws:states:r:1:execution:M:for-s3cret","name":"for-s3cret","cause":"bad s3cret here","input":"{\"body\":\"{\\\"token\\\":\\\"s3cret\\\"}\",\"s3cret\":1}"}"#,
        r#"{"executionArn":"arn:aws:states:r:1:execution:M:for-redacted-1","name":"for-redacted-1","cause":"bad redacted-1 here","input":"{\"body\":\"{\\\"token\\\":\\\"redacted-1\\\"}\",\"redacted-1\":1}"}"#,
    );
}

/// Checks the redaction of an error's cause if the field `k` of the input has the value `value` and is to be replaced.
fn check_cause(value: &str, cause: &str, after: &str) {
    let input = one_line(&Value::object(vec![("k".into(), Value::string(value))]));
    let document = Value::object(vec![
        ("input".into(), Value::string(input)),
        ("cause".into(), Value::string(cause)),
    ]);
    let mut redaction = Redaction::of(&["k".to_string()]).unwrap();
    redaction.learn(&document);
    let replaced = redaction.replace(&document);
    assert_eq!(replaced.get("cause"), Some(&Value::string(after)));
}

#[test]
fn values_are_found_in_every_form_that_json_writes() {
    for (value, form) in [
        ("Jürgen", r"J\u00fcrgen"),
        ("Jürgen", r"J\\u00FCrgen"),
        ("a \"x\" b", r#"a \\\"x\\\" b"#),
        ("line\nend\ttab", r"line\\nend\\ttab"),
        ("a/b/c", r"a\/b\/c"),
        ("<b>&'", r"\u003cb\u003e\u0026\u0027"),
        ("漢字秘😀", r"\u6f22\u5b57\u79d8\ud83d\ude00"),
        (r"dir\new", r"dir\\new"),
        ("name", r"\u006E\u0061me"),
    ] {
        for form in [value, form] {
            let cause = format!(r#"cannot store {{\"k\":\"{form}\"}}, {form}!"#);
            let after = r#"cannot store {\"k\":\"redacted-1\"}, redacted-1!"#;
            check_cause(value, &cause, after);
        }
    }
}

#[test]
fn numbers_are_found_by_their_value() {
    check(
        &["pin"],
        r#"{"input":"{\"pin\":4111,\"copies\":[4111.0,4.111e3,\"4111\",4112]}"}"#,
        r#"{"input":"{\"pin\":0,\"copies\":[0,0,\"redacted-1\",4112]}"}"#,
    );
}

#[test]
fn long_values_take_no_longer_for_repeating_themselves() {
    let long = "a".repeat(256 << 10);
    check_cause(&long, &format!("{long}b"), "redacted-1b");
    let nested = "name".to_string() + &"u003".repeat(64 << 10) + "u0030";
    check_cause(&nested, &nested, "redacted-1");
}

#[test]
fn short_values_go_only_where_their_field_is() {
    check(
        &["state"],
        r#"{"input":"{\"state\":\"CA\",\"other\":\"CA\",\"text\":\"CARD\"}"}"#,
        r#"{"input":"{\"state\":\"redacted-1\",\"other\":\"CA\",\"text\":\"CARD\"}"}"#,
    );
}

#[test]
fn expressions_replace_parts_wherever_they_stand() {
    check(
        &["/[0-9]{12}/", "/@[a-z.]+/"],
        r#"{"executionArn":"arn:aws:states:r:123456789012:execution:M:1","input":"{\"to\":\"a@b.c and 123456789012\",\"n\":123456789012,\"m\":12}","timestamp":1700000000.123}"#,
        r#"{"executionArn":"arn:aws:states:r:redacted-1:execution:M:1","input":"{\"to\":\"aredacted-2 and redacted-1\",\"n\":0,\"m\":12}","timestamp":1700000000.123}"#,
    );
}

#[test]
fn definitions_keep_their_expressions_and_log_lines_theirs() {
    check(
        &["email"],
        r#"{"StartAt":"A","States":{"A":{"Type":"Pass","Parameters":{"email.$":"$.email","copy":{"email":"bob@example.com"}},"Comment":"not for bob@example.com","Next":"B"}}}"#,
        r#"{"StartAt":"A","States":{"A":{"Type":"Pass","Parameters":{"email.$":"$.email","copy":{"email":"redacted-1"}},"Comment":"not for redacted-1","Next":"B"}}}"#,
    );
    check(
        &["email"],
        r#"{"events":[{"message":"{\"type\":\"PassStateExited\",\"details\":{\"output\":\"{\\\"email\\\":\\\"bob@example.com\\\"}\",\"assignedVariables\":{\"email\":\"\\\"carl\\\"\",\"n\":\"5\"}}}"}]}"#,
        r#"{"events":[{"message":"{\"type\":\"PassStateExited\",\"details\":{\"output\":\"{\\\"email\\\":\\\"redacted-1\\\"}\",\"assignedVariables\":{\"email\":\"\\\"redacted-2\\\"\",\"n\":\"5\"}}}"}]}"#,
    );
}

#[test]
fn untouched_texts_stay_as_they_are_written() {
    let spaced = r#"{"input":"{ \"a\" : 1.50 }"}"#;
    check(&["email"], spaced, spaced);
}

#[test]
fn what_is_no_pattern_is_refused_with_a_way_out() {
    for (pattern, said) in [
        ("/[/", "--redact /[/"),
        ("/x", "between two slashes"),
        ("//", "between two slashes"),
        ("$.a[0]", "the end of a path"),
        ("", "the name of a field"),
    ] {
        let refused = Redaction::of(&[pattern.to_string()]).unwrap_err();
        assert!(refused.contains(said), "{refused}");
    }
}
