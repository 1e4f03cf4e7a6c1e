//! Format of a test file: its keys, the format of answers, and the code of its diagnostics.

use crate::json::{Text, Value};
use crate::source::Node;

/// Diagnostic code for errors in a test file.
pub(super) const CODE: &str = "INVALID_TEST_FILE";

/// Keys of a test file.
pub const FILE_KEYS: [&str; 9] = [
    "$schema",
    "definition",
    "state_machine",
    "mock",
    "set",
    "children",
    "s3_root",
    "field_validation",
    "cases",
];

/// Keys of a case.
pub const CASE_KEYS: [&str; 15] = [
    "name",
    "skip",
    "input",
    "input_file",
    "answers",
    "profile",
    "seed",
    "start_time",
    "context",
    "variables",
    "start_at",
    "unmocked",
    "field_validation",
    "expect",
    "comment",
];

/// Keys of `expect`.
pub const EXPECT_KEYS: [&str; 12] = [
    "status",
    "error",
    "cause",
    "output",
    "output_includes",
    "visits",
    "never",
    "attempts",
    "inputs",
    "calls",
    "variables",
    "duration",
];

/// Keys of the rules that may replace a value.
pub const MATCHER_KEYS: [&str; 11] = [
    "$any",
    "$absent",
    "$type",
    "$min",
    "$max",
    "$length",
    "$matches",
    "$contains",
    "$includes",
    "$one_of",
    "$equals",
];

/// A mock file with one case: states with the answer to each of their calls.
pub(super) fn mock_of(machine: &str, case: &Text, states: Vec<(Text, Value)>) -> Value {
    let named = states.iter();
    let named = named.map(|(state, _)| (state.clone(), Value::String(state.clone())));
    let cases = Value::object(vec![(case.clone(), Value::object(named.collect()))]);
    let cases = Value::object(vec![("TestCases".into(), cases)]);
    Value::object(vec![
        (
            "StateMachines".into(),
            Value::object(vec![(machine.into(), cases)]),
        ),
        ("MockedResponses".into(), Value::object(states)),
    ])
}

/// True if an object consists of rules: all its keys begin with `$`.
pub(super) fn is_rules(node: &Node) -> bool {
    let members = node.members().unwrap_or_default();
    !members.is_empty()
        && members
            .iter()
            .all(|member| member.key.text.starts_with('$'))
}
