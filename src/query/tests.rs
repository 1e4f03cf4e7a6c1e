//! Bindings for the tests of `query`, and tests of templates, one behaviour per line.

use super::trace::Evaluate;
use super::{Bindings, Profile, QueryError, Template, fenced, is_fenced};
use crate::json::{Value, one_line, parse};
use std::cell::Cell;

pub(super) struct Fixture {
    data: Value,
    profile: Profile,
    random: Cell<u64>,
    /// Maximum number of values that one step of a path may select.
    pub(super) selects: usize,
}

impl Fixture {
    pub(super) fn new(data: &str) -> Self {
        Self {
            data: parse(data).expect("json"),
            profile: Profile::Spec,
            random: Cell::new(0),
            selects: 10_000_000,
        }
    }

    pub(super) fn of(data: Value) -> Self {
        Self {
            data,
            profile: Profile::Spec,
            random: Cell::new(0),
            selects: 10_000_000,
        }
    }

    pub(super) fn aws(data: &str) -> Self {
        Self {
            profile: Profile::Aws,
            ..Self::new(data)
        }
    }
}

impl Bindings for Fixture {
    fn data(&self) -> &Value {
        &self.data
    }

    fn context(&self) -> Value {
        parse(r#"{"Execution":{"Input":{"a":1}},"Map":{"Item":{"Index":4}}}"#).expect("json")
    }

    fn variable(&self, name: &str) -> Option<Value> {
        match name {
            "order" => parse(r#"{"items":[7,8,9]}"#).ok(),
            "nothing" => Some(Value::Null),
            "größe" => Some(Value::from(3)),
            _ => None,
        }
    }

    fn random(&self) -> u64 {
        let next = self.random.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
        self.random.set(next);
        next
    }

    fn profile(&self) -> Profile {
        self.profile
    }

    fn selects_at_most(&self) -> usize {
        self.selects
    }
}

fn check(template: &str, data: &str, expected: &str) {
    let (template, errors) = Template::compile(&parse(template).expect("json"));
    assert_eq!(errors, [], "{template:?}");
    let shown = match template.eval(&Fixture::new(data)) {
        Ok(value) => one_line(&value),
        Err(error) => error.reason(),
    };
    assert_eq!(shown, expected, "{template:?}");
}

#[test]
fn fields() {
    let vals = r#"{"vals":[0,10,20,30,40,50]}"#;
    check(
        r#"{"a.$":"$.vals[0]","b.$":"$.vals[-3:]"}"#,
        vals,
        r#"{"a":0,"b":[30,40,50]}"#,
    );
    check(r#"{"v.$":"$.nope[*]"}"#, "{}", r#"{"v":[]}"#);
    check(
        r#"{"who.$":"$.name","fixed":1}"#,
        r#"{"name":"Ana","age":41}"#,
        r#"{"who":"Ana","fixed":1}"#,
    );
    check(
        r#"{"l":[{"x.$":"$.a"},"$.a",{"y":"$.a"}],"o":{"p":{"q.$":"$$.Map.Item.Index"}}}"#,
        r#"{"a":1}"#,
        r#"{"l":[{"x":1},"$.a",{"y":"$.a"}],"o":{"p":{"q":4}}}"#,
    );
    check(
        r#"{"n.$":"States.MathAdd($.a, 1)","v.$":"$order.items[0]"}"#,
        r#"{"a":1}"#,
        r#"{"n":2,"v":7}"#,
    );
    check(r#"[{"a.$":"$"}]"#, "5", r#"[{"a":5}]"#);
    check("7", "{}", "7");
    check(
        r#"{"value.$":"$.no_such_jsonpath"}"#,
        r#"{"int-literal": 0}"#,
        r#"The JSONPath '$.no_such_jsonpath' specified for the field 'value.$' could not be found in the input '{"int-literal":0}'"#,
    );
    check(
        r#"{"value.$":"$$.Execution.Input.no_such_jsonpath"}"#,
        "{}",
        "The JSONPath '$$.Execution.Input.no_such_jsonpath' specified for the field 'value.$' could not be found in the input '{}'",
    );
}

#[test]
fn literals_are_shared() {
    let value = parse(r#"{"a":{"b":[1,{"c":"$.x"}]}}"#).expect("json");
    let (template, _) = Template::compile(&value);
    assert!(
        template
            .eval(&Fixture::new("{}"))
            .is_ok_and(|out| out.same(&value))
    );
    let mixed = parse(r#"{"keep":{"b":[1]},"x.$":"$"}"#).expect("json");
    let (template, _) = Template::compile(&mixed);
    let out = template.eval(&Fixture::new("{}")).expect("value");
    assert!(
        out.get("keep")
            .zip(mixed.get("keep"))
            .is_some_and(|(a, b)| a.same(b))
    );
}

#[test]
fn all_errors_are_told() {
    let value = parse(
        r#"{"a":1,"a.$":"$.x","n.$":5,"l":[{"parsed.$":"States.StringToJson('\\\"')"}],"ok.$":"$"}"#,
    )
    .expect("json");
    let (template, errors) = Template::compile(&value);
    let shown: Vec<String> = errors
        .iter()
        .map(|error| {
            format!(
                "{} {:?} {:?}: {}",
                error.at,
                error.kind,
                error.error.range,
                error.message()
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            "$['a.$'] Duplicate 0..0: The fields \"a\" and \"a.$\" would have the same name in the result",
            "$['n.$'] NotText 0..0: The value for the field 'n.$' must be a valid JSONPath or a valid intrinsic function call",
            "$.l[0]['parsed.$'] Expression 21..23: The value for the field 'parsed.$' must be a valid JSONPath or a valid intrinsic function call",
        ]
    );
    let fails = template
        .eval(&Fixture::new(r#"{"x":1}"#))
        .expect_err("fails");
    assert_eq!(
        fails,
        QueryError::Field {
            field: "n.$".into()
        }
    );
}

#[test]
fn places_of_expressions() {
    let value = parse(r#"{"l":[{"cents.$":"$.a"}],"no.$":"$.none","b.$":"States.Array(1)"}"#)
        .expect("json");
    let (template, _) = Template::compile(&value);
    let (_, trace) = template.trace(&Fixture::new(r#"{"a":5}"#));
    let failed = trace.failed.and_then(|act| trace.act(act));
    assert_eq!(failed.map(|act| act.node.expression), Some(1));
    let places: Vec<String> = template
        .expressions()
        .iter()
        .map(|(at, expression)| format!("{at} {}", expression.text()))
        .collect();
    assert_eq!(
        places,
        [
            "$.l[0]['cents.$'] $.a",
            "$['no.$'] $.none",
            "$['b.$'] States.Array(1)"
        ]
    );
}

#[test]
fn a_panic_inside_is_told_from_one_outside() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| assert!(is_fenced())));
    assert_eq!(fenced(|| fenced(|| 1)), Some(Some(1)));
    assert!(!is_fenced());
    assert_eq!(fenced(|| panic!("inside")), None::<()>);
    assert!(!is_fenced());
    std::panic::set_hook(before);
}
