//! Test cases written into mock files: what goes in is read back, and the rest stays as it is.

use super::*;
use crate::session::answers::MockFile;

const FILE: &str = r#"{
  // The shop's answers
  "StateMachines": {
    "order": { "TestCases": { "Happy": { "Pay": "Paid" } } }
  },
  "MockedResponses": {
    "Paid": { "0": { "Return": {"id":   1} } }
  }
}
"#;

fn answers() -> Answers {
    let failure = Answer::failure("Busy", "429");
    let slow = Answer {
        took: 1500,
        ..Answer::success(Value::from(7))
    };
    vec![
        ("Pay".into(), vec![failure.clone(), failure, slow]),
        (
            "A \"b\"".into(),
            vec![Answer::success(Value::empty_object())],
        ),
    ]
}

fn read(text: &str, case: &str) -> Vec<Answer> {
    let (file, found) = MockFile::parse(&SourceFile::new("m", text), SourceId(0));
    assert!(
        found.iter().all(|found| found.severity != Severity::Error),
        "{found:?}\n{text}"
    );
    let case = file
        .expect("a mock file")
        .select(&["order"], Some(case))
        .expect("the case");
    (0..3)
        .filter_map(|number| case.answer("Pay", number)?.ok())
        .collect()
}

#[test]
fn a_case_goes_in_and_the_rest_stays() {
    let text = with_case(Some(FILE), "order", "Busy", false, &answers()).expect("written");
    assert_eq!(read(&text, "Busy"), answers().remove(0).1);
    assert_eq!(read(&text, "Happy").len(), 1);
    assert!(text.contains("// The shop's answers"));
    assert!(text.contains("\"Return\": {\"id\":   1}"));
    assert!(text.contains("\"0-1\": {\"Throw\":"), "{text}");
    assert!(text.contains("\"Delay\":1.5"), "{text}");
    // What was there is still there, in its order.
    let mut rest = text.as_str();
    for part in FILE
        .split_inclusive(['}', '{', '\n'])
        .filter(|part| part.len() > 3)
    {
        let at = rest.find(part.trim_end()).expect("kept");
        rest = rest.get(at..).unwrap_or("");
    }
}

#[test]
fn a_name_is_not_taken_twice_unless_that_is_wanted() {
    let refused = with_case(Some(FILE), "order", "Happy", false, &answers());
    assert!(refused.is_err_and(|problem| problem.contains("Happy")));
    let once = with_case(Some(FILE), "order", "Happy", true, &answers()).expect("written");
    assert_eq!(read(&once, "Happy"), answers().remove(0).1);
    // Written again it is the same: nothing piles up.
    let twice = with_case(Some(&once), "order", "Happy", true, &answers()).expect("written");
    assert_eq!(once, twice);
}

#[test]
fn a_file_is_begun_and_odd_ones_are_refused() {
    let text = with_case(None, "order", "First", false, &answers()).expect("written");
    assert_eq!(read(&text, "First").len(), 3);
    let second = with_case(Some(&text), "order", "Second", false, &answers()).expect("written");
    assert_eq!(read(&second, "First"), read(&second, "Second"));
    let other = r#"{"StateMachines": {"a": {}, "b": {"TestCases": {}}}, "MockedResponses": {}}"#;
    for machine in ["a", "b", "c"] {
        let text = with_case(Some(other), machine, "X", false, &answers()).expect("written");
        let (file, found) = MockFile::parse(&SourceFile::new("m", &text), SourceId(0));
        let broken = found
            .iter()
            .filter(|found| !found.message.contains("TestCases"))
            .any(|found| found.severity == Severity::Error);
        assert!(!broken, "{found:?}\n{text}");
        assert!(
            file.is_some_and(|file| file.select(&[machine], Some("X")).is_ok()),
            "{text}"
        );
    }
    for broken in [
        "[]",
        "{",
        "{}",
        r#"{"StateMachines": 1, "MockedResponses": 2}"#,
    ] {
        assert!(
            with_case(Some(broken), "order", "X", false, &answers()).is_err(),
            "{broken}"
        );
    }
}
