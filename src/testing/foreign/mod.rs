//! Converts test suites of sfn-test (sfn-ai-local-test) to test files: cases, answers and expectations.
//!
//! Adds a note for everything that a test file cannot express.

mod answer;
mod path;

use self::answer::{Mocks, answer, text};
use self::path::{Matching, visits};
use crate::definition::Definition;
use crate::json::{Text, Value};
use crate::launch::{LaunchConfig, Prepared};
use crate::source::load;
use crate::source::yaml::parse_yaml;
use crate::source::{Severity, SourceFile, SourceId, parse_json};
use std::path::{Path, PathBuf};

/// Default start time of sfn-test's executions.
const START: &str = "2024-01-01T00:00:00.000Z";

/// A converted suite.
#[derive(Clone, Debug)]
pub struct TakenOver {
    /// The test file.
    pub tests: Value,
    /// One sentence for each part of the suite that the test file omits or expresses differently.
    pub notes: Vec<String>,
}

/// True if the document is an sfn-test suite.
#[must_use]
pub fn is_sfn_test(document: &Value) -> bool {
    document
        .get("testCases")
        .is_some_and(|cases| cases.as_array().is_some())
}

/// Reads a suite and the mocks beside it.
///
/// # Errors
/// If a file cannot be read or is not such a suite; the error is a sentence.
pub fn from_sfn_test(file: &Path) -> Result<TakenOver, String> {
    let suite = read(file)?;
    if !is_sfn_test(&suite) {
        return Err(format!(
            "{} is no suite of sfn-test: it has no list \"testCases\"",
            file.display()
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
    let cases = cases
        .unwrap_or_default()
        .iter()
        .map(|case| reader.case(case));
    let cases = Value::array(cases.collect());
    reader.unknown(
        &suite,
        "the suite",
        &[
            "version",
            "name",
            "description",
            "stateMachine",
            "baseMock",
            "testCases",
            "assertions",
            "executionContext",
            "settings",
        ],
    );
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
    let is_json = file.extension().is_some_and(|ending| ending == "json");
    let source = SourceFile::new(file.display().to_string(), &text.text);
    let (node, found) = match is_json {
        true => parse_json(&source, SourceId(0)),
        false => parse_yaml(&source, SourceId(0)),
    };
    let broken = found.iter().find(|found| found.severity == Severity::Error);
    match (node, broken) {
        (_, Some(found)) => Err(format!("{}: {}", file.display(), found.message)),
        (Some(node), None) => Ok(node.to_value()),
        (None, None) => Err(format!("{} holds nothing", file.display())),
    }
}

/// The definition's file as the suite names it, and the parsed definition.
fn definition(
    suite: &Value,
    folder: &Path,
    notes: &mut Vec<String>,
) -> Option<(String, Option<Definition>)> {
    let name = suite.get("stateMachine")?.as_str()?;
    let path = folder.join(name);
    if !path.is_file() {
        notes.push(format!(
            "stateMachine: there is no file {name} beside the suite; write its path as definition"
        ));
        return None;
    }
    let prepared = Prepared::of(&LaunchConfig::of(&path)).ok();
    let definition = prepared.map(|prepared| Definition::clone(&prepared.definition));
    let name = name.strip_prefix("./").unwrap_or(name);
    Some((name.to_string(), definition))
}

/// The mock file: given as a path, or by its name in the usual folders.
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
        let input = case
            .get("input")
            .cloned()
            .unwrap_or_else(Value::empty_object);
        let mut members: Vec<(Text, Value)> = vec![("name".into(), Value::from(name))];
        if let Some(comment) = text(case, "description") {
            members.push(("comment".into(), Value::from(comment)));
        }
        if case.get("skip").and_then(Value::as_bool) == Some(true) {
            members.push(("skip".into(), Value::from("skipped in the suite")));
        }
        members.push(("input".into(), input.clone()));
        let context = [case, self.suite].map(|own| own.get("executionContext"));
        let context: Vec<&Value> = context.into_iter().flatten().collect();
        let told = |name: &str| context.iter().find_map(|own| text(own, name));
        let start = told("startTime").unwrap_or(START);
        members.push(("start_time".into(), Value::from(start)));
        let own = [("Name", told("name")), ("RoleArn", told("roleArn"))];
        let own = own
            .into_iter()
            .filter_map(|(name, own)| Some((name.into(), Value::from(own?))));
        let own: Vec<(Text, Value)> = own.collect();
        if !own.is_empty() {
            let execution = vec![("Execution".into(), Value::object(own))];
            members.push(("context".into(), Value::object(execution)));
        }
        // In sfn-test, a task without a mock returns its input.
        members.push(("unmocked".into(), Value::from("echo")));
        let answers = self.answers(name, case, &input);
        if !answers.is_empty() {
            members.push(("answers".into(), Value::object(answers)));
            // sfn-test does not validate the shape of mocked answers.
            members.push(("field_validation".into(), Value::from("none")));
        }
        members.push(("expect".into(), self.expectations(name, case)));
        self.unknown(
            case,
            &format!("\"{name}\""),
            &[
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
            ],
        );
        Value::object(members)
    }

    fn answers(&mut self, name: &str, case: &Value, input: &Value) -> Vec<(Text, Value)> {
        let own = Mocks::of_list(case.get("mockOverrides"));
        let mut answers: Vec<(Text, Value)> = Vec::new();
        for (state, mock) in own.over(&self.mocks) {
            match answer(mock, input) {
                Ok((given, note)) => {
                    answers.push((state.clone(), given));
                    let note = note.map(|note| format!("\"{name}\", {state}: {note}"));
                    self.notes.extend(note);
                }
                Err(why) => self.notes.push(format!("\"{name}\", {state}: {why}")),
            }
        }
        answers
    }

    fn expectations(&mut self, name: &str, case: &Value) -> Value {
        let assertions = self.suite.get("assertions");
        let matching = |key: &str| assertions.and_then(|own| text(own, key));
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
            let (pattern, others) = visits(path, matching, self.definition);
            expect.push(("visits".into(), pattern));
            if others > 0 {
                self.notes.push(format!(
                    "\"{name}\", expectedPath: of several paths the first is taken"
                ));
            }
        }
        let states = case.get("stateExpectations").and_then(Value::as_array);
        let mut inputs: Vec<(Text, Value)> = Vec::new();
        for own in states.unwrap_or_default() {
            let state = text(own, "state").unwrap_or_default();
            let is_exact = match text(own, "outputMatching") {
                Some(matching) => matching == "exact",
                None => is_exact,
            };
            if let Some(input) = own.get("input") {
                let wanted = match is_exact {
                    true => input.clone(),
                    false => rule("$includes", input.clone()),
                };
                let plain = state.rsplit('.').next().unwrap_or(state);
                inputs.push((format!("{plain}#1").into(), wanted));
            }
            for key in ["output", "variables"] {
                if own.get(key).is_some() {
                    self.notes
                        .push(format!("\"{name}\", {key} of {state} is not taken over"));
                }
            }
        }
        if !inputs.is_empty() {
            expect.push(("inputs".into(), Value::object(inputs)));
        }
        for key in ["mapExpectations", "parallelExpectations"] {
            if case.get(key).is_some() {
                self.notes
                    .push(format!("\"{name}\": {key} is not taken over"));
            }
        }
        Value::object(expect)
    }

    /// Adds a note for each unknown member.
    fn unknown(&mut self, value: &Value, place: &str, known: &[&str]) {
        let members = value.as_object().map(crate::json::Object::members);
        for (name, _) in members.unwrap_or_default() {
            if !known.contains(&&**name) {
                self.notes
                    .push(format!("{place}: {name} is not taken over"));
            }
        }
    }
}

fn rule(name: &str, value: Value) -> Value {
    Value::object(vec![(name.into(), value)])
}
