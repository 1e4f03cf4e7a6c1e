//! Writes the answers of a run as a test case into the text of a mock file. All existing text is kept byte for byte.

use super::answers::DEFAULT_CASE;
use super::log::{EntryKind, Log};
use crate::interpreter::{Answer, AskId, Millis, Outcome};
use crate::json::{Number, Text, Value};
use crate::source::{Node, Severity, SourceFile, SourceId, edited, parse_json};
use std::collections::BTreeMap;

/// For each state, the answers to its calls, in the order of the calls.
pub type Answers = Vec<(Text, Vec<Answer>)>;

/// All answers in the log, from the user and from all other sources.
pub(super) fn answers_of(log: &Log) -> Answers {
    let mut calls = Calls::new();
    for entry in log.iter() {
        if let EntryKind::Answer {
            ask, state, answer, ..
        } = &entry.kind
        {
            // If the user replaced the answer to a call before that answer arrived, only the last answer counts.
            calls.insert(*ask, (state.clone(), answer.clone()));
        }
    }
    by_state(calls)
}

/// State and answer of each call, in the order of the calls; the answers may have come in another order.
pub(super) type Calls = BTreeMap<AskId, (Text, Answer)>;

pub(super) fn by_state(calls: Calls) -> Answers {
    let mut states: Answers = Vec::new();
    for (state, answer) in calls.into_values() {
        match states.iter_mut().find(|(name, _)| *name == state) {
            Some((_, answers)) => answers.push(answer),
            None => states.push((state, vec![answer])),
        }
    }
    states
}

/// The reaction if a test case with the same name exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExistingCase {
    /// Keep the existing case and refuse the new one.
    Stays,
    /// Replace the existing case with the new one.
    IsReplaced,
}

/// Parts of field names that suggest a secret, in lower case and without separators.
const SECRETS: [&str; 12] = [
    "password",
    "passwd",
    "secretkey",
    "secretaccesskey",
    "secretstring",
    "secretbinary",
    "clientsecret",
    "privatekey",
    "apikey",
    "accesstoken",
    "sessiontoken",
    "authorization",
];

/// The first field in the answers whose name suggests that it contains a secret.
fn secret_field(answers: &Answers) -> Option<Text> {
    let outcomes = answers.iter().flat_map(|(_, answers)| answers);
    let mut waiting: Vec<&Value> = outcomes
        .filter_map(|answer| match &answer.outcome {
            Outcome::Success(value) => Some(value),
            _ => None,
        })
        .collect();
    while let Some(value) = waiting.pop() {
        waiting.extend(value.as_array().into_iter().flatten());
        for (name, value) in value.as_object().map_or(&[][..], |object| object.members()) {
            let signs = name.chars().filter(char::is_ascii_alphanumeric);
            let plain = signs.collect::<String>().to_ascii_lowercase();
            if value.as_str().is_some() && SECRETS.iter().any(|part| plain.contains(part)) {
                return Some(name.clone());
            }
            waiting.push(value);
        }
    }
    None
}

/// Why a test case is not written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CaseRefused {
    /// There is a test case with this name.
    #[error("there is already a test case {name}", name = .0)]
    Exists(Text),
    /// The name of this field in an answer suggests that it contains a secret.
    #[error("an answer contains the field {field}, which may be secret", field = .0)]
    Secret(Text),
    /// The text is not a valid mock file; this sentence says why.
    #[error("{0}")]
    MockFile(String),
}

impl From<&str> for CaseRefused {
    fn from(problem: &str) -> Self {
        Self::MockFile(problem.to_string())
    }
}

impl From<String> for CaseRefused {
    fn from(problem: String) -> Self {
        Self::MockFile(problem)
    }
}

/// Returns the text of a mock file with a test case added.
///
/// # Errors
///
/// If the text is not a mock file. If `existing` is `Stays`, also if the test case already exists or if the answers may
/// contain secrets. `IsReplaced` means that the user has confirmed to write the test case.
pub fn with_case(
    text: Option<&str>,
    machine: &str,
    case: &str,
    existing: ExistingCase,
    answers: &Answers,
) -> Result<String, CaseRefused> {
    let text = match text {
        Some(text) if !text.trim().is_empty() => text,
        _ => "{\n  \"StateMachines\": {},\n  \"MockedResponses\": {}\n}\n",
    };
    let node = mock_node(text)?;
    let (machines, responses) = (
        node.get("StateMachines")
            .ok_or("the mock file has no \"StateMachines\"")?,
        node.get("MockedResponses")
            .ok_or("the mock file has no \"MockedResponses\"")?,
    );
    let mut edits = Edits {
        text,
        edits: Vec::new(),
    };
    let existing_machine = named_or_only(machines, machine);
    let cases = existing_machine.and_then(|node| node.get("TestCases"));
    let old = cases.and_then(|cases| cases.get(case));
    if existing == ExistingCase::Stays {
        if old.is_some() {
            return Err(CaseRefused::Exists(case.into()));
        }
        if let Some(field) = secret_field(answers) {
            return Err(CaseRefused::Secret(field));
        }
    }
    let mut names: Vec<(Text, Value)> = Vec::new();
    let mut added: Vec<(String, String)> = Vec::new();
    for (state, answers) in answers {
        // A response of the old test case may be replaced only if no other test case uses it.
        let was = old.and_then(|old| old.get(state)).and_then(Node::as_str);
        let shared = |name: &str| uses(machines, name) > 1;
        let base = format!("{case}_{state}");
        let mut name = base.clone();
        let mut number = 2;
        while responses.get(&name).is_some() && (was != Some(name.as_str()) || shared(&name)) {
            name = format!("{base}_{number}");
            number += 1;
        }
        let body = response(answers);
        match responses.get(&name) {
            Some(node) => edits.replace(node, &body),
            None => added.push((name.clone(), body)),
        }
        names.push((state.clone(), Value::string(name.as_str())));
    }
    let body = lines(
        names
            .iter()
            .map(|(state, name)| (&**state, name.to_string())),
    );
    match (old, cases, existing_machine) {
        (Some(old), ..) => edits.replace(old, &body),
        (None, Some(cases), _) => edits.insert(cases, &[(case.to_owned(), body)])?,
        (None, None, Some(node)) => {
            edits.insert(node, &[("TestCases".to_owned(), nest(case, &body))])?;
        }
        (None, None, None) => {
            let body = nest("TestCases", &nest(case, &body));
            edits.insert(machines, &[(machine.to_owned(), body)])?;
        }
    }
    edits.insert(responses, &added)?;
    Ok(edits.done())
}

/// Returns the text of a mock file in which a test case becomes the default of a machine, for runs that name no case.
///
/// # Errors
/// If the text is not a mock file or has no such case.
pub fn with_default_case(text: &str, machine: &str, case: &str) -> Result<String, CaseRefused> {
    let file = mock_node(text)?;
    let machines = file.get("StateMachines");
    let node = machines.and_then(|machines| named_or_only(machines, machine));
    let cases = node.and_then(|node| node.get("TestCases"));
    let node = node.filter(|_| cases.is_some_and(|cases| cases.get(case).is_some()));
    let node = node.ok_or_else(|| {
        CaseRefused::MockFile(format!("the mock file has no test case \"{case}\""))
    })?;
    let mut edits = Edits {
        text,
        edits: Vec::new(),
    };
    let name = Value::string(case).to_string();
    match node.get(DEFAULT_CASE) {
        Some(before) => edits.replace(before, &name),
        None => edits.insert(node, &[(DEFAULT_CASE.to_owned(), name)])?,
    }
    Ok(edits.done())
}

/// Parses the text of a mock file.
fn mock_node(text: &str) -> Result<Node, CaseRefused> {
    let (node, diagnostics) = parse_json(&SourceFile::new("", text), SourceId(0));
    let broken = diagnostics
        .iter()
        .find(|diagnostic| diagnostic.severity == Severity::Error)
        .map(|diagnostic| diagnostic.message.clone());
    if let Some(problem) = broken {
        let problem = format!("the mock file is not JSON: {problem}");
        return Err(CaseRefused::MockFile(problem));
    }
    Ok(node.ok_or("the mock file is not JSON")?)
}

/// The machine with this name; if there is none, the only machine in the file.
fn named_or_only<'n>(machines: &'n Node, name: &str) -> Option<&'n Node> {
    machines.get(name).or_else(|| match machines.members() {
        Some([only]) => Some(&only.value),
        _ => None,
    })
}

/// Number of states in all test cases that use the response with this name.
fn uses(machines: &Node, name: &str) -> usize {
    let machines = machines.members().unwrap_or_default().iter();
    let cases = machines.filter_map(|machine| machine.value.get("TestCases")?.members());
    cases
        .flatten()
        .filter_map(|case| case.value.members())
        .flatten()
        .filter(|state| state.value.as_str() == Some(name))
        .count()
}

/// The members of a response, with one line per answer; consecutive equal answers share a line.
fn response(answers: &[Answer]) -> String {
    let mut ranges: Vec<(usize, usize, &Answer)> = Vec::new();
    for (number, answer) in answers.iter().enumerate() {
        match ranges.last_mut() {
            Some((_, last, before)) if *before == answer => *last = number,
            _ => ranges.push((number, number, answer)),
        }
    }
    lines(ranges.into_iter().map(|(first, last, answer)| {
        let name = match first == last {
            true => first.to_string(),
            false => format!("{first}-{last}"),
        };
        (name, answer_value(answer).to_string())
    }))
}

/// An answer in the format of a mock file.
#[must_use]
pub fn answer_value(answer: &Answer) -> Value {
    let text = |part: &Option<Text>| Value::string(part.as_deref().unwrap_or(""));
    let mut members: Vec<(Text, Value)> = vec![match &answer.outcome {
        Outcome::Success(result) => ("Return".into(), result.clone()),
        Outcome::Failure { error, cause } => (
            "Throw".into(),
            Value::object(vec![
                ("Error".into(), text(error)),
                ("Cause".into(), text(cause)),
            ]),
        ),
        // The results of evaluations are not logged as answers, so `Evaluated` does not occur here.
        Outcome::Never | Outcome::Evaluated(_) => ("Never".into(), Value::from(true)),
    }];
    if answer.took > 0 {
        members.push(("Delay".into(), seconds(answer.took)));
    }
    if !answer.heartbeats.is_empty() {
        let beats = answer.heartbeats.iter().map(|at| seconds(*at)).collect();
        members.push(("Heartbeats".into(), Value::array(beats)));
    }
    Value::object(members)
}

/// Milliseconds in seconds, without trailing zeros.
#[must_use]
pub fn seconds(millis: Millis) -> Value {
    let text = format!("{}.{:03}", millis / 1000, millis % 1000);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    Number::parse(text).map_or(Value::Null, Value::Number)
}

fn quoted(name: &str) -> String {
    Value::string(name).to_string()
}

/// An object with one member per line.
fn lines<N: AsRef<str>>(members: impl Iterator<Item = (N, String)>) -> String {
    let rows: Vec<String> = members
        .map(|(name, body)| format!("  {}: {body}", quoted(name.as_ref())))
        .collect();
    if rows.is_empty() {
        return "{}".to_owned();
    }
    format!("{{\n{}\n}}", rows.join(",\n"))
}

fn nest(name: &str, body: &str) -> String {
    format!("{{\n  {}: {}\n}}", quoted(name), body.replace('\n', "\n  "))
}

/// Edits of a text: each has the range to replace and the new text.
struct Edits<'t> {
    text: &'t str,
    edits: Vec<(std::ops::Range<usize>, String)>,
}

impl Edits<'_> {
    /// Indentation before a position; `None` if the same line has other text before the position.
    fn indent(&self, at: usize) -> Option<&str> {
        let before = self.text.get(..at)?;
        let line = before.rfind('\n').map_or(0, |end| end + 1);
        before
            .get(line..)
            .filter(|blanks| blanks.chars().all(|c| c == ' ' || c == '\t'))
    }

    /// Indentation of the line that contains a position.
    fn line_indent(&self, at: usize) -> String {
        let before = self.text.get(..at).unwrap_or("");
        let line = before.rsplit('\n').next().unwrap_or("");
        line.chars()
            .take_while(|c| *c == ' ' || *c == '\t')
            .collect()
    }

    fn replace(&mut self, node: &Node, body: &str) {
        let range = node.span.range();
        let indent = format!("\n{}", self.line_indent(range.start));
        self.edits.push((range, body.replace('\n', &indent)));
    }

    /// Appends members to an object.
    fn insert(&mut self, object: &Node, members: &[(String, String)]) -> Result<(), String> {
        if members.is_empty() {
            return Ok(());
        }
        let existing = object
            .members()
            .ok_or("StateMachines, each state machine, TestCases and MockedResponses must be objects in the mock file")?;
        let range = object.span.range();
        let (at, indent, behind) = match existing.last() {
            Some(last) => {
                let indent = self.indent(last.key.span.range().start);
                let indent = indent.map_or_else(
                    || format!("{}  ", self.line_indent(range.start)),
                    str::to_owned,
                );
                (last.value.span.range().end, indent, String::new())
            }
            None => {
                let outer = self.line_indent(range.start);
                (range.start + 1, format!("{outer}  "), format!("\n{outer}"))
            }
        };
        let mut text = String::new();
        for (place, (name, body)) in members.iter().enumerate() {
            if place > 0 || !existing.is_empty() {
                text.push(',');
            }
            let (name, body) = (quoted(name), body.replace('\n', &format!("\n{indent}")));
            text.push_str(&format!("\n{indent}{name}: {body}"));
        }
        text.push_str(&behind);
        let end = if existing.is_empty() {
            range.end.saturating_sub(1).max(at)
        } else {
            at
        };
        self.edits.push((at..end, text));
        Ok(())
    }

    fn done(self) -> String {
        edited(self.text, self.edits)
    }
}

#[cfg(test)]
mod tests {
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
        let (file, diagnostics) = MockFile::parse(&SourceFile::new("m", text), SourceId(0));
        let broken = diagnostics
            .iter()
            .any(|diagnostic| diagnostic.severity == Severity::Error);
        assert!(!broken, "{diagnostics:?}\n{text}");
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
        let text = with_case(Some(FILE), "order", "Busy", ExistingCase::Stays, &answers())
            .expect("written");
        assert_eq!(read(&text, "Busy"), answers().remove(0).1);
        assert_eq!(read(&text, "Happy").len(), 1);
        assert!(text.contains("// The shop's answers"));
        assert!(text.contains("\"Return\": {\"id\":   1}"));
        assert!(text.contains("\"0-1\": {\"Throw\":"), "{text}");
        assert!(text.contains("\"Delay\":1.5"), "{text}");
        // All existing text is still there, in order.
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
        let refused = with_case(
            Some(FILE),
            "order",
            "Happy",
            ExistingCase::Stays,
            &answers(),
        );
        assert!(refused.is_err_and(|problem| problem == CaseRefused::Exists("Happy".into())));
        let secret = Value::object(vec![("apiKey".into(), Value::from("k"))]);
        let secret = vec![("Pay".into(), vec![Answer::success(secret)])];
        let case = |existing| with_case(Some(FILE), "order", "New", existing, &secret);
        let refused = case(ExistingCase::Stays);
        assert_eq!(refused, Err(CaseRefused::Secret("apiKey".into())));
        assert!(case(ExistingCase::IsReplaced).is_ok());
        let once = with_case(
            Some(FILE),
            "order",
            "Happy",
            ExistingCase::IsReplaced,
            &answers(),
        )
        .expect("written");
        assert_eq!(read(&once, "Happy"), answers().remove(0).1);
        // A second write of the same case changes nothing.
        let twice = with_case(
            Some(&once),
            "order",
            "Happy",
            ExistingCase::IsReplaced,
            &answers(),
        )
        .expect("written");
        assert_eq!(once, twice);
    }

    #[test]
    fn a_file_is_begun_and_odd_ones_are_refused() {
        let text =
            with_case(None, "order", "First", ExistingCase::Stays, &answers()).expect("written");
        assert_eq!(read(&text, "First").len(), 3);
        let second = with_case(
            Some(&text),
            "order",
            "Second",
            ExistingCase::Stays,
            &answers(),
        )
        .expect("written");
        assert_eq!(read(&second, "First"), read(&second, "Second"));
        let machines =
            r#"{"StateMachines": {"a": {}, "b": {"TestCases": {}}}, "MockedResponses": {}}"#;
        for machine in ["a", "b", "c"] {
            let text = with_case(
                Some(machines),
                machine,
                "X",
                ExistingCase::Stays,
                &answers(),
            )
            .expect("written");
            let (file, diagnostics) = MockFile::parse(&SourceFile::new("m", &text), SourceId(0));
            let broken = diagnostics
                .iter()
                .filter(|diagnostic| !diagnostic.message.contains("TestCases"))
                .any(|diagnostic| diagnostic.severity == Severity::Error);
            assert!(!broken, "{diagnostics:?}\n{text}");
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
                with_case(Some(broken), "order", "X", ExistingCase::Stays, &answers()).is_err(),
                "{broken}"
            );
        }
    }

    #[test]
    fn the_default_case_is_written_and_replaced() {
        let text = with_case(Some(FILE), "order", "Busy", ExistingCase::Stays, &answers())
            .expect("written");
        let mut text = text;
        for case in ["Busy", "Happy"] {
            text = with_default_case(&text, "order", case).expect("written");
            let file = SourceFile::new("m", text.as_str());
            let (mocks, diagnostics) = MockFile::parse(&file, SourceId(0));
            let blocks = diagnostics.iter().any(|diagnostic| diagnostic.blocking);
            assert!(!blocks, "{diagnostics:?}\n{text}");
            let chosen = mocks.expect("a mock file").select(&["order"], None);
            assert_eq!(&*chosen.expect("a case").name, case);
            assert_eq!(text.matches(DEFAULT_CASE).count(), 1);
        }
        let refused = with_default_case(&text, "order", "Other").expect_err("no such case");
        assert!(matches!(refused, CaseRefused::MockFile(_)), "{refused:?}");
        let misspelt = text.replace(
            r#""DefaultTestCase": "Happy""#,
            r#""DefaultTestCase": "Hapy""#,
        );
        let (_, diagnostics) =
            MockFile::parse(&SourceFile::new("m", misspelt.as_str()), SourceId(0));
        // Two diagnostics: one about the misspelt name, and one about the comment.
        assert_eq!(diagnostics.len(), 2, "{diagnostics:?}");
    }
}
