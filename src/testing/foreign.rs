//! Converts test suites of the tool sfn-test (sfn-ai-local-test) to test files: cases, answers and expectations.
//!
//! Adds a note for each part of a suite that a test file cannot express.

use super::write::parse_text;
use crate::definition::{Definition, StateKind};
use crate::json::{Text, Value};
use crate::launch::{LaunchConfig, Prepared};
use crate::source::{Severity, SourceFile, load};
use std::path::{Path, PathBuf};

/// Default start time of sfn-test's executions.
const START: &str = "2024-01-01T00:00:00.000Z";

/// Members of a suite that are converted, or that have no effect here.
const SUITE: [&str; 9] = [
    "version",
    "name",
    "description",
    "stateMachine",
    "baseMock",
    "testCases",
    "assertions",
    "executionContext",
    "settings",
];
/// Members of a test case of sfn-test that get no note "unknown member": they are converted, have no effect in asldbg,
/// or get a note that says why they are not converted.
const CASE: [&str; 13] = [
    "name",
    "description",
    "input",
    "expectedOutput",
    "expectedPath",
    "expectedError",
    "stateExpectations",
    "mapExpectations",
    "parallelExpectations",
    "executionContext",
    "mockOverrides",
    "skip",
    "timeout",
];

/// The result of converting a suite of sfn-test.
#[derive(Clone, Debug)]
pub struct TakenOver {
    /// The content of the new test file.
    pub tests: Value,
    /// One sentence for each part of the suite that the test file omits or expresses differently.
    pub notes: Vec<String>,
}

/// True if the document is an sfn-test suite.
#[must_use]
pub fn is_sfn_test(document: &Value) -> bool {
    document.get("testCases").is_some_and(Value::is_array)
}

/// Reads a suite and the mock files beside it.
///
/// # Errors
/// If a file cannot be read or is not a suite of sfn-test; the error is a sentence with the reason.
pub fn from_sfn_test(file: &Path) -> Result<TakenOver, String> {
    let suite = read(file)?;
    if !is_sfn_test(&suite) {
        return Err(format!(
            "{file} is not a suite of sfn-test, because it has no list \"testCases\"",
            file = file.display()
        ));
    }
    let folder = file.parent().unwrap_or(Path::new(""));
    let mut notes = Vec::new();
    let definition = definition(&suite, folder, &mut notes);
    let mocks = match suite.get("baseMock").and_then(Value::as_str) {
        None => Mocks::default(),
        Some(name) => match mock_file(folder, name) {
            Some(path) => Mocks::of(&read(&path)?),
            None => {
                notes.push(format!(
                    "baseMock: there is no file {name} beside the suite"
                ));
                Mocks::default()
            }
        },
    };
    let mut reader = Reader {
        suite: &suite,
        mocks,
        definition: definition.as_ref().and_then(|(_, read)| read.as_ref()),
        notes,
    };
    let cases = suite.get("testCases").and_then(Value::as_array);
    let cases = cases.unwrap_or_default().iter();
    let cases = Value::array(cases.map(|case| reader.case(case)).collect());
    reader.unknown(&suite, "the suite", &SUITE);
    let notes = reader.notes;
    let mut members: Vec<(Text, Value)> = Vec::new();
    if let Some((name, _)) = definition {
        members.push(("definition".into(), Value::string(name)));
    }
    members.push(("cases".into(), cases));
    Ok(TakenOver {
        tests: Value::object(members),
        notes,
    })
}

fn read(file: &Path) -> Result<Value, String> {
    let text = load::load_argument(file).map_err(|error| error.to_string())?;
    let source = SourceFile::new(file.display().to_string(), &text.text);
    let (node, diagnostics) = parse_text(file, &source);
    let broken = diagnostics
        .iter()
        .find(|diagnostics| diagnostics.severity == Severity::Error);
    match (node, broken) {
        (_, Some(diagnostics)) => Err(format!("{}: {}", file.display(), diagnostics.message)),
        (Some(node), None) => Ok(node.to_value()),
        (None, None) => Err(format!("{file} is empty", file = file.display())),
    }
}

/// The path of the definition as the suite writes it, and the parsed definition.
fn definition(
    suite: &Value,
    folder: &Path,
    notes: &mut Vec<String>,
) -> Option<(String, Option<Definition>)> {
    let name = suite.get("stateMachine")?.as_str()?;
    let path = folder.join(name);
    if !path.is_file() {
        notes.push(format!(
            "stateMachine: there is no file {name} beside the suite; write the path of the definition into the test file, as \"definition\""
        ));
        return None;
    }
    let prepared = Prepared::of(&LaunchConfig::of(&path)).ok();
    let definition = prepared.map(|prepared| Definition::clone(&prepared.definition));
    let name = name.strip_prefix("./").unwrap_or(name);
    Some((name.to_string(), definition))
}

/// Finds a mock file by its path, or by its name in the folders where sfn-test keeps mock files.
fn mock_file(folder: &Path, name: &str) -> Option<PathBuf> {
    let names = [
        name.to_string(),
        format!("{name}.mock.yaml"),
        format!("{name}.yaml"),
        format!("mocks/{name}.mock.yaml"),
        format!("../mocks/{name}.mock.yaml"),
        format!("../mocks/{name}.yaml"),
    ];
    let mut paths = names.iter().map(|name| folder.join(name));
    paths.find(|path| path.is_file())
}

struct Reader<'s> {
    suite: &'s Value,
    mocks: Mocks,
    definition: Option<&'s Definition>,
    notes: Vec<String>,
}

impl Reader<'_> {
    fn case(&mut self, case: &Value) -> Value {
        let name = text(case, "name").unwrap_or("a case");
        let input = case.get("input").cloned();
        let input = input.unwrap_or_else(Value::empty_object);
        let mut members: Vec<(Text, Value)> = vec![("name".into(), Value::from(name))];
        if let Some(comment) = text(case, "description") {
            members.push(("comment".into(), Value::from(comment)));
        }
        if case.get("skip").and_then(Value::as_bool) == Some(true) {
            members.push(("skip".into(), Value::from("the suite skips this test case")));
        }
        members.push(("input".into(), input.clone()));
        let context = [case, self.suite].map(|place| place.get("executionContext"));
        let context: Vec<&Value> = context.into_iter().flatten().collect();
        let given = |name: &str| context.iter().find_map(|context| text(context, name));
        let start = given("startTime").unwrap_or(START);
        members.push(("start_time".into(), Value::from(start)));
        let execution = [("Name", given("name")), ("RoleArn", given("roleArn"))].into_iter();
        let execution =
            execution.filter_map(|(name, value)| Some((name.into(), Value::from(value?))));
        let execution: Vec<(Text, Value)> = execution.collect();
        if !execution.is_empty() {
            let execution = vec![("Execution".into(), Value::object(execution))];
            members.push(("context".into(), Value::object(execution)));
        }
        // In sfn-test, a task without a mock returns its input.
        members.push(("unmocked".into(), Value::from("echo")));
        let answers = self.answers(name, case, &input);
        if !answers.is_empty() {
            members.push(("answers".into(), Value::object(answers)));
            // sfn-test does not check whether mocked answers have the members that a real result has.
            members.push(("field_validation".into(), Value::from("none")));
        }
        members.push(("expect".into(), self.expectations(name, case)));
        self.unknown(case, &format!("test case \"{name}\""), &CASE);
        Value::object(members)
    }

    fn answers(&mut self, name: &str, case: &Value, input: &Value) -> Vec<(Text, Value)> {
        let overrides = Mocks::of_list(case.get("mockOverrides"));
        let mut answers: Vec<(Text, Value)> = Vec::new();
        for (state, mock) in overrides.over(&self.mocks) {
            match answer(mock, input) {
                Ok((given, note)) => {
                    answers.push((state.clone(), given));
                    let note = note.map(|note| format!("test case \"{name}\", {state}: {note}"));
                    self.notes.extend(note);
                }
                Err(why) => self
                    .notes
                    .push(format!("test case \"{name}\", {state}: {why}")),
            }
        }
        answers
    }

    fn expectations(&mut self, name: &str, case: &Value) -> Value {
        let assertions = self.suite.get("assertions");
        let matching = |key: &str| assertions.and_then(|assertions| text(assertions, key));
        let is_exact = matching("outputMatching") == Some("exact");
        let mut expect: Vec<(Text, Value)> = Vec::new();
        match text(case, "expectedError") {
            Some(error) => {
                expect.push(("status".into(), Value::from("FAILED")));
                expect.push(("error".into(), rule("$contains", Value::from(error))));
            }
            None => expect.push(("status".into(), Value::from("SUCCEEDED"))),
        }
        if let Some(output) = case.get("expectedOutput") {
            let key = if is_exact {
                "output"
            } else {
                "output_includes"
            };
            expect.push((key.into(), output.clone()));
        }
        if let Some(path) = case.get("expectedPath") {
            let matching = Matching::named(matching("pathMatching"));
            let (pattern, others) = visit_pattern(path, matching, self.definition);
            expect.push(("visits".into(), pattern));
            if others > 0 {
                self.notes.push(format!(
                    "test case \"{name}\", expectedPath: only the first of several paths is used"
                ));
            }
        }
        let states = case.get("stateExpectations").and_then(Value::as_array);
        let mut inputs: Vec<(Text, Value)> = Vec::new();
        for expected in states.unwrap_or_default() {
            let state = text(expected, "state").unwrap_or_default();
            let is_exact = match text(expected, "outputMatching") {
                Some(matching) => matching == "exact",
                None => is_exact,
            };
            if let Some(input) = expected.get("input") {
                let wanted = match is_exact {
                    true => input.clone(),
                    false => rule("$includes", input.clone()),
                };
                let plain = state.rsplit('.').next().unwrap_or(state);
                inputs.push((format!("{plain}#1").into(), wanted));
            }
            for key in ["output", "variables"] {
                if expected.get(key).is_some() {
                    let note =
                        format!("test case \"{name}\": the {key} of {state} is not imported");
                    self.notes.push(note);
                }
            }
        }
        if !inputs.is_empty() {
            expect.push(("inputs".into(), Value::object(inputs)));
        }
        for key in ["mapExpectations", "parallelExpectations"] {
            if case.get(key).is_some() {
                let note = format!("test case \"{name}\": {key} is not imported");
                self.notes.push(note);
            }
        }
        Value::object(expect)
    }

    /// Adds a note for each member of `value` that is not in `known`.
    fn unknown(&mut self, value: &Value, place: &str, known: &[&str]) {
        let members = value.as_object().map(crate::json::Object::members);
        for (name, _) in members.unwrap_or_default() {
            if !known.contains(&&**name) {
                let note = format!("{place}: the member {name} is not imported");
                self.notes.push(note);
            }
        }
    }
}

fn rule(name: &str, value: Value) -> Value {
    Value::object(vec![(name.into(), value)])
}

/// The mocks of a mock file or of a test case, each with its state's name. If a name occurs twice, the first mock is
/// used.
#[derive(Debug, Default)]
struct Mocks(Vec<(Text, Value)>);

impl Mocks {
    /// Reads the mocks in a mock file.
    fn of(file: &Value) -> Self {
        Self::of_list(file.get("mocks"))
    }

    /// Reads the mocks in a list.
    fn of_list(list: Option<&Value>) -> Self {
        let mut all: Vec<(Text, Value)> = Vec::new();
        for mock in list.and_then(Value::as_array).unwrap_or_default() {
            let state = text(mock, "state").unwrap_or_default();
            if !all.iter().any(|(known, _)| &**known == state) {
                all.push((state.into(), mock.clone()));
            }
        }
        Self(all)
    }

    /// The mocks of `self`, followed by those of `others` for states that `self` does not mock.
    fn over(&self, others: &Self) -> Vec<(Text, Value)> {
        let is_mocked = |name: &Text| self.0.iter().any(|(mocked, _)| mocked == name);
        let others = others.0.iter().filter(|(name, _)| !is_mocked(name));
        self.0.iter().chain(others).cloned().collect()
    }
}

/// Returns the answer for a state and, if needed, a note for the user.
///
/// # Errors
/// The reason, if a test file cannot express the answer.
fn answer(mock: Value, input: &Value) -> Result<(Value, Option<String>), String> {
    let delay = mock.get("delay").cloned();
    let next = mock
        .get("response")
        .and_then(|response| response.get("Next"));
    if next.is_some() {
        return Err("an answer in place of a Choice's rules is not imported".into());
    }
    match text(&mock, "type") {
        Some("fixed") => match mock.get("response") {
            Some(response) => Ok((given(response.clone(), delay.as_ref()), None)),
            None => Err("the answer in a separate file is not imported".into()),
        },
        Some("error") => {
            let note =
                "the task always fails, although the mock gives a \"probability\" of the failure";
            let note = mock.get("probability").map(|_| note.to_string());
            let error = mock.get("error").cloned();
            let error = error.unwrap_or_else(Value::empty_object);
            Ok((thrown(&error, delay.as_ref()), note))
        }
        Some("stateful") => stateful(&mock, delay.as_ref()),
        Some("conditional") => conditional(&mock, input, delay.as_ref()),
        Some("itemReader") => match mock.get("data") {
            Some(data) => Ok((given(data.clone(), None), None)),
            None => Err("the items in a separate file are not imported".into()),
        },
        other => Err(format!(
            "an answer of type {mock_type} is not imported",
            mock_type = other.unwrap_or("nothing")
        )),
    }
}

/// Converts a mock that gives a different answer for each call.
fn stateful(mock: &Value, delay: Option<&Value>) -> Result<(Value, Option<String>), String> {
    let responses = mock.get("responses").and_then(Value::as_array);
    let responses = responses.filter(|all| !all.is_empty());
    let responses = responses.ok_or("the answers in a separate file are not imported")?;
    let calls = responses
        .iter()
        .map(|response| match response.get("error") {
            Some(error) => thrown(error, delay),
            None => given(response.clone(), delay),
        });
    let note = "after the last answer, sfn-test starts over with the first answer, but in asldbg the task has no further answer";
    Ok((Value::array(calls.collect()), Some(note.to_string())))
}

/// Converts a mock whose answer depends on the input. The conditions are evaluated with the input of the case, because
/// the input of the state is not known before the run.
fn conditional(
    mock: &Value,
    input: &Value,
    delay: Option<&Value>,
) -> Result<(Value, Option<String>), String> {
    let conditions = mock.get("conditions").and_then(Value::as_array);
    let conditions = conditions.unwrap_or_default();
    let matches = |condition: &&Value| {
        let when = condition.get("when").and_then(|when| when.get("input"));
        when.is_some_and(|wanted| {
            let inner = ["Payload", "input"].map(|name| wanted.get(name));
            let mut ways = std::iter::once(wanted).chain(inner.into_iter().flatten());
            ways.any(|wanted| is_part(wanted, input))
        })
    };
    let met = conditions.iter().find(matches);
    let default = || {
        conditions
            .iter()
            .find(|condition| condition.get("default").is_some())
    };
    let met = met.or_else(default);
    let met = met.ok_or(
        "no answer fits: the input of the test case meets none of the answers' conditions",
    )?;
    let delay = met.get("delay").or(delay);
    let response = met.get("response").or_else(|| met.get("default"));
    let answer = match (met.get("error"), response) {
        (Some(error), _) => thrown(error, delay),
        (None, Some(response)) => given(response.clone(), delay),
        (None, None) => return Err("the answer in a separate file is not imported".into()),
    };
    let note = "the conditions were checked against the input of the test case, not against the input of the state";
    let note = (conditions.len() > 1).then(|| note.to_string());
    Ok((answer, note))
}

/// True if `actual` has all members and values of `wanted`.
fn is_part(wanted: &Value, actual: &Value) -> bool {
    match (wanted.as_object(), actual.as_object()) {
        (Some(wanted), Some(actual)) => wanted.members().iter().all(|(name, value)| {
            actual
                .get(name)
                .is_some_and(|actual| is_part(value, actual))
        }),
        _ => wanted == actual,
    }
}

fn given(value: Value, delay: Option<&Value>) -> Value {
    with_delay(vec![("Return".into(), value)], delay)
}

fn thrown(error: &Value, delay: Option<&Value>) -> Value {
    let cause = text(error, "cause").or_else(|| text(error, "message"));
    let name = text(error, "type").unwrap_or("Error");
    let error = Value::object(vec![
        ("Error".into(), Value::from(name)),
        ("Cause".into(), Value::from(cause.unwrap_or("Mock error"))),
    ]);
    with_delay(vec![("Throw".into(), error)], delay)
}

/// Adds a delay to an answer; sfn-test has milliseconds, a test file has seconds.
fn with_delay(mut members: Vec<(Text, Value)>, delay: Option<&Value>) -> Value {
    let seconds = delay.and_then(Value::as_number);
    let seconds = seconds.map(|delay| delay.as_f64() / 1000.0);
    if let Some(seconds) = seconds.filter(|seconds| *seconds > 0.0)
        && let Ok(seconds) = crate::json::parse(&seconds.to_string())
    {
        members.push(("Delay".into(), seconds));
    }
    Value::object(members)
}

fn text<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    value.get(name).and_then(Value::as_str)
}

/// How the expected path is compared with the path of a run, which is the list of the states that the run visits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Matching {
    /// The path is equal to the expected path.
    Exact,
    /// The path contains the expected states directly after each other.
    Includes,
    /// The path contains the expected states in this order, possibly with others in between.
    Sequence,
}

impl Matching {
    /// The mode that has this name in sfn-test; [`Self::Sequence`] for any other name.
    fn named(name: Option<&str>) -> Self {
        match name {
            Some("exact") => Self::Exact,
            Some("includes") => Self::Includes,
            _ => Self::Sequence,
        }
    }
}

/// Returns the first of the expected paths as a pattern, and the number of the other expected paths. The pattern lets a
/// run enter any states inside Map and Parallel states, because sfn-test's paths omit these.
fn visit_pattern(
    path: &Value,
    matching: Matching,
    definition: Option<&Definition>,
) -> (Value, usize) {
    let items = path.as_array().unwrap_or_default();
    let several = items.first().and_then(Value::as_array);
    let first = several.unwrap_or(items);
    let any = || Value::from("…");
    let mut pattern: Vec<Value> = Vec::new();
    if matching != Matching::Exact {
        pattern.push(any());
    }
    let last = first.len().saturating_sub(1);
    for (place, state) in first.iter().enumerate() {
        pattern.push(state.clone());
        let is_last = place == last;
        let gap = match matching {
            Matching::Sequence => true,
            Matching::Includes => is_last || holds_states(state, definition),
            Matching::Exact => holds_states(state, definition),
        };
        if gap {
            pattern.push(any());
        }
    }
    let others = several.map_or(0, |_| items.len() - 1);
    (Value::array(pattern), others)
}

fn holds_states(state: &Value, definition: Option<&Definition>) -> bool {
    let state = definition
        .and_then(|definition| definition.state(definition.find_by_name(state.as_str()?)?));
    state.is_some_and(|state| matches!(state.kind, StateKind::Map(_) | StateKind::Parallel { .. }))
}
