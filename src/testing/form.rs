//! The form of a test file: which keys there are, how answers are checked, the code of what is wrong in one.
//!
//! It must not know how one is read.

use crate::json::{Text, Value};
use crate::source::Node;

/// The code of what is wrong with a test file.
pub(super) const CODE: &str = "INVALID_TEST_FILE";

/// What a test file may hold.
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

/// What a case may hold.
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

/// What may be expected.
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

/// The rules that may stand in the place of a value.
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

/// A mock file with one case: states with what each of their calls gets.
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

/// Whether an object holds rules: all its names begin with `$`.
pub(super) fn is_rules(node: &Node) -> bool {
    let members = node.members().unwrap_or_default();
    !members.is_empty()
        && members
            .iter()
            .all(|member| member.key.text.starts_with('$'))
}
