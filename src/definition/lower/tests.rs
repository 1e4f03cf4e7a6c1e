//! Tests of lowering small definitions.

use super::lower;
use crate::definition::{
    Definition, Operand, PathField, Quantity, ResultPath, StateKind, StatePath, Test, Transition,
    WaitUntil,
};
use crate::source::{Diagnostics, SourceFile, SourceId, SourceMap, parse_json};
use std::sync::Arc;

fn read(text: &str) -> (Definition, Diagnostics) {
    let file = SourceFile::new("test.asl.json", text);
    let (node, findings) = parse_json(&file, SourceId(0));
    assert_eq!(findings, []);
    let node = Arc::new(node.expect("JSON"));
    lower(node, Arc::new(SourceMap::of(file)), "test")
}

fn state<'d>(definition: &'d Definition, path: &str) -> &'d crate::definition::State {
    let id = definition.find(&StatePath(path.into())).expect(path);
    definition.state(id).expect(path)
}

#[test]
fn nested_scopes_have_stable_names() {
    let (definition, findings) = read(
        r#"{"StartAt":"Fan","States":{
            "Fan":{"Type":"Parallel","Next":"Orders","Branches":[
                {"StartAt":"A","States":{"A":{"Type":"Succeed"}}},
                {"StartAt":"Pay","States":{"Pay":{"Type":"Pass","End":true}}}]},
            "Orders":{"Type":"Map","End":true,"Iterator":{"StartAt":"Each","States":{
                "Each":{"Type":"Map","End":true,"ItemProcessor":{"StartAt":"Deep","States":{"Deep":{"Type":"Fail"}}}}}}}}}"#,
    );
    assert_eq!(findings, []);
    let paths: Vec<&str> = definition
        .states
        .iter()
        .map(|state| &*state.path.0)
        .collect();
    assert_eq!(
        paths,
        [
            "Fan",
            "Orders",
            "Fan[0]/A",
            "Fan[1]/Pay",
            "Orders/Each",
            "Orders/Each/Deep"
        ]
    );
    let deep = state(&definition, "Orders/Each/Deep");
    assert_eq!(
        &*deep.location,
        "/States/Orders/Iterator/States/Each/ItemProcessor/States/Deep"
    );
    assert!(deep.is_terminal());
    for scope in &definition.scopes {
        assert!(
            scope
                .start_at
                .as_ref()
                .is_some_and(|start| start.state.is_some())
        );
    }
}

#[test]
fn a_missing_target_blocks_and_says_what_was_meant() {
    let (definition, findings) = read(
        r#"{"StartAt":"A","States":{"A":{"Type":"Pass","Next":"Shipp"},"Ship":{"Type":"Map","End":true,
            "ItemProcessor":{"StartAt":"In","States":{"In":{"Type":"Pass","Next":"Ship"}}}}}}"#,
    );
    let messages: Vec<_> = findings
        .iter()
        .map(|d| {
            (
                d.rule,
                d.message.as_str(),
                d.location.as_str(),
                d.help.as_deref(),
                d.blocking,
            )
        })
        .collect();
    assert_eq!(
        messages,
        [
            (
                6,
                "Missing 'Next' target: Shipp",
                "/States/A/Next",
                Some("did you mean \"Ship\"?"),
                true
            ),
            (
                7,
                "Missing 'Next' target: Ship",
                "/States/Ship/ItemProcessor/States/In/Next",
                Some("a transition must stay inside its States object"),
                true
            ),
        ]
    );
    let next = &state(&definition, "A").transition;
    assert!(
        matches!(next, Transition::Next(target) if target.state.is_none() && &*target.name == "Shipp")
    );
}

#[test]
fn fields_are_read_with_their_defaults() {
    let (definition, findings) = read(
        r#"{"StartAt":"T","TimeoutSeconds":9,"States":{"T":{"Type":"Task","Resource":"arn:aws:states:::sqs:sendMessage","End":true,
            "InputPath":null,"OutputPath":"$","ResultPath":null,"HeartbeatSecondsPath":"$.h","TimeoutSeconds":7,
            "Retry":[{"ErrorEquals":["E"]}],"Catch":[{"ErrorEquals":["States.ALL"],"Next":"W","ResultPath":"$.e"}]},
            "W":{"Type":"Wait","Seconds":0,"Next":"C"},
            "C":{"Type":"Choice","Choices":[
                {"And":[{"Variable":"$.a","IsPresent":true},{"Not":{"Variable":"$.a","NumericEqualsPath":"$.b"}}],"Next":"T"},
                {"Variable":"$.a","StringMatches":"x*","Next":"T"}]}}}"#,
    );
    assert_eq!(findings, []);
    assert_eq!(definition.timeout_seconds, Some(9));
    let task = state(&definition, "T");
    assert!(matches!(task.input_path, PathField::Null));
    assert!(matches!(task.output_path, PathField::Whole));
    assert!(matches!(task.result_path, ResultPath::Discard));
    let retrier = task.retry.first().expect("a retrier");
    assert_eq!(
        (
            retrier.interval_seconds,
            retrier.max_attempts,
            retrier.backoff_rate
        ),
        (1, 3, 2.0)
    );
    let StateKind::Task(inner) = &task.kind else {
        unreachable!()
    };
    assert!(matches!(inner.timeout, Some(Quantity::Constant(7))));
    assert!(matches!(inner.heartbeat, Some(Quantity::Path(_))));
    assert!(matches!(
        state(&definition, "W").kind,
        StateKind::Wait(WaitUntil::Seconds(0))
    ));
    let StateKind::Choice(choice) = &state(&definition, "C").kind else {
        unreachable!()
    };
    let tests: Vec<&Test> = choice.rules.iter().map(|rule| &rule.test).collect();
    assert!(matches!(tests.first(), Some(Test::And(both)) if both.len() == 2));
    assert!(
        matches!(tests.get(1), Some(Test::Compare(it)) if matches!(it.operand, Operand::Pattern(..)))
    );
}

#[test]
fn what_cannot_run_says_why() {
    let (definition, findings) = read(
        r#"{"StartAt":"A","States":{
            "A":{"Type":"Pass","QueryLanguage":"JSONata","Output":"{% 1 + %}","Next":"B"},
            "B":{"Type":"Pass","QueryLanguage":"JSONata","Next":"C"},
            "C":{"Type":"Map","ItemReader":{"Resource":"r"},"ItemProcessor":{"StartAt":"X","States":{"X":{"Type":"Pass","End":true}}},"Next":"D"},
            "D":{"Type":"Tsk","End":true}}}"#,
    );
    let broken = |path: &str| state(&definition, path).broken.clone();
    assert_eq!(
        broken("A").as_deref(),
        Some("Output: Unexpected end of expression")
    );
    assert_eq!(broken("B"), None);
    assert_eq!(broken("C"), None);
    assert!(broken("D").is_some());
    assert_eq!(findings.len(), 1);
    assert_eq!(
        findings.first().and_then(|d| d.help.as_deref()),
        Some("did you mean \"Task\"?")
    );
}

#[test]
fn deep_nesting_is_read() {
    let mut text = r#"{"Type":"Pass","End":true}"#.to_string();
    for depth in 0..60 {
        text = format!(
            r#"{{"Type":"Map","End":true,"ItemProcessor":{{"StartAt":"S{depth}","States":{{"S{depth}":{text}}}}}}}"#
        );
    }
    let (definition, findings) = read(&format!(r#"{{"StartAt":"A","States":{{"A":{text}}}}}"#));
    assert_eq!((definition.states.len(), findings.len()), (61, 0));
    let mut rule = r#"{"Variable":"$.a","IsNull":true}"#.to_string();
    for _ in 0..160 {
        rule = format!(r#"{{"Not":{rule}}}"#);
    }
    let rule = format!(r#"{{"Next":"A",{}"#, rule.trim_start_matches('{'));
    let (_, findings) = read(&format!(
        r#"{{"StartAt":"A","States":{{"A":{{"Type":"Choice","Choices":[{rule}]}}}}}}"#
    ));
    assert_eq!(findings, []);
}
