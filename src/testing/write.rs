//! Writes a test case or its expectations into the text of a test file; all other text is kept byte for byte.

use crate::json::{Text, Value, pretty};
use crate::launch::{LaunchError, OwnWrites};
use crate::session::{Answers, CaseRefused, ExistingCase, answer_value};
use crate::source::yaml::{parse_yaml, to_yaml};
use crate::source::{Diagnostics, Node, Severity, SourceFile, SourceId, edited, parse_json};
use std::ops::Range;
use std::path::Path;

/// A test case to write.
#[derive(Clone, Debug)]
pub struct NewTest<'a> {
    /// Name of the case.
    pub name: &'a str,
    /// All other members of the case, such as its input and profile.
    pub start: Vec<(Text, Value)>,
    /// The answers for the tasks of the case.
    pub answers: &'a Answers,
    /// The expectations, as the value of the member `expect`.
    pub expect: Value,
    /// How to handle an existing case with the same name.
    pub existing: ExistingCase,
}

impl NewTest<'_> {
    /// Converts the case to the format of a test file.
    fn value(&self) -> Value {
        let mut members: Vec<(Text, Value)> = vec![("name".into(), Value::from(self.name))];
        members.extend(self.start.iter().cloned());
        if !self.answers.is_empty() {
            let states = self.answers.iter().map(|(state, answers)| {
                let calls = answers.iter().map(answer_value);
                (state.clone(), Value::array(calls.collect()))
            });
            members.push(("answers".into(), Value::object(states.collect())));
        }
        members.push(("expect".into(), self.expect.clone()));
        Value::object(members)
    }
}

/// Writes a test case into a test file; creates the file if it does not exist.
///
/// # Errors
/// If the file cannot be read or written, is not a test file, or has a case with that name that must not be replaced.
pub fn write_test(
    file: &Path,
    test: &NewTest<'_>,
    own_writes: &OwnWrites,
) -> Result<(), LaunchError> {
    own_writes.rewrite(file, |old| {
        let text = match old {
            Some(text) if !text.trim().is_empty() => text,
            _ if is_json(file) => "{\n  \"cases\": []\n}\n",
            _ => "cases:\n",
        };
        Ok(with_test(file, text, test)?)
    })
}

pub(super) fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "json")
}

/// Parses a file as JSON if its name says so, otherwise as YAML.
pub(super) fn parse_text(path: &Path, file: &SourceFile) -> (Option<Node>, Diagnostics) {
    match is_json(path) {
        true => parse_json(file, SourceId(0)),
        false => parse_yaml(file, SourceId(0)),
    }
}

/// Parses the text of a test file.
pub(super) fn tree(path: &Path, text: &str) -> Result<Node, CaseRefused> {
    let (node, diagnostics) = parse_text(path, &SourceFile::new("", text));
    let broken = diagnostics
        .iter()
        .find(|diagnostics| diagnostics.severity == Severity::Error);
    match (node, broken) {
        (Some(node), None) => Ok(node),
        (_, Some(diagnostics)) => {
            let error = &diagnostics.message;
            Err(format!("the test file cannot be read: {error}").into())
        }
        (None, None) => Err("the test file cannot be read, because it is empty".into()),
    }
}

/// Returns the text of a test file with the case added.
///
/// # Errors
/// If the text is not a test file, or already has a case with this name that must not be replaced.
fn with_test(file: &Path, text: &str, test: &NewTest<'_>) -> Result<String, CaseRefused> {
    let node = tree(file, text)?;
    let cases = node.get("cases").ok_or("the test file has no \"cases\"")?;
    let named = |case: &&Node| case.get("name").and_then(Node::as_str) == Some(test.name);
    let items = cases.items().unwrap_or_default();
    let mut edits = Edits::new(text);
    match items.iter().find(named) {
        Some(_) if test.existing == ExistingCase::Stays => {
            return Err(CaseRefused::Exists(test.name.into()));
        }
        Some(old) => edits.replace(old, &test.value()),
        None => edits.append(cases, items, &test.value()),
    }
    Ok(edits.done())
}

/// Collects changes to a text. Each change has the byte range to replace and the new content.
pub(super) struct Edits<'t> {
    text: &'t str,
    edits: Vec<(Range<usize>, String)>,
}

impl<'t> Edits<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            text,
            edits: Vec::new(),
        }
    }

    /// The text between the start of the line and a position.
    fn line_before(&self, at: usize) -> &'t str {
        let before = self.text.get(..at).unwrap_or("");
        before.rsplit('\n').next().unwrap_or("")
    }

    /// Column of a position: the number of characters before it on its line.
    fn column(&self, at: usize) -> usize {
        self.line_before(at).chars().count()
    }

    /// Indentation of the line that contains a position.
    fn indent(&self, at: usize) -> usize {
        let line = self.line_before(at);
        line.len() - line.trim_start_matches(' ').len()
    }

    /// True if a value is written in YAML's flow style, which means in brackets as in JSON.
    fn is_flow(&self, node: &Node) -> bool {
        let text = self.text.get(node.span.range()).unwrap_or("");
        text.starts_with(['{', '['])
    }

    /// The byte range of a value in the text, without whitespace at its end.
    fn range(&self, node: &Node) -> Range<usize> {
        let range = node.span.range();
        let text = self.text.get(range.clone()).unwrap_or("");
        range.start..range.start + text.trim_end().len()
    }

    /// Replaces a value.
    pub(super) fn replace(&mut self, node: &Node, value: &Value) {
        let range = self.range(node);
        let text = match self.is_flow(node) {
            true => shifted(&pretty(value), self.indent(range.start)),
            false => shifted(to_yaml(value).trim_end(), self.column(range.start)),
        };
        self.edits.push((range, text));
    }

    /// Appends a member to an object.
    pub(super) fn add_member(&mut self, object: &Node, name: &str, value: &Value) {
        let Some(last) = object.members().and_then(<[_]>::last) else {
            return;
        };
        let column = self.column(last.key.span.range().start);
        let at = self.range(&last.value).end;
        let pad = " ".repeat(column);
        let text = if self.is_flow(object) {
            let value = shifted(&pretty(value), column);
            format!(",\n{pad}{}: {value}", Value::from(name))
        } else {
            let block = to_yaml(&Value::object(vec![(name.into(), value.clone())]));
            format!("\n{pad}{}", shifted(block.trim_end(), column))
        };
        let at = self.line_end(at, self.is_flow(object));
        self.edits.push((at..at, text));
    }

    /// Appends an item to a list.
    fn append(&mut self, list: &Node, items: &[Node], value: &Value) {
        if self.is_flow(list) {
            self.append_to_flow(list, items, value);
            return;
        }
        let (at, column) = match items.last() {
            Some(last) => {
                let Range { start, end } = self.range(last);
                let before = self.text.get(..start).unwrap_or("");
                let dash = before.rfind('-').unwrap_or(start);
                (self.line_end(end, false), self.column(dash))
            }
            // `cases:` is written, but has no value.
            None => (self.text.trim_end().len(), 2),
        };
        let block = to_yaml(&Value::array(vec![value.clone()]));
        let pad = " ".repeat(column);
        let gap = if items.is_empty() { "\n" } else { "\n\n" };
        let text = format!("{gap}{pad}{}", shifted(block.trim_end(), column));
        self.edits.push((at..at, text));
    }

    fn append_to_flow(&mut self, list: &Node, items: &[Node], value: &Value) {
        let range = list.span.range();
        let outer = self.indent(range.start);
        let pad = " ".repeat(outer + 2);
        let value = shifted(&pretty(value), outer + 2);
        match items.last() {
            Some(last) => {
                let at = last.span.range().end;
                self.edits.push((at..at, format!(",\n{pad}{value}")));
            }
            None => {
                let text = format!("[\n{pad}{value}\n{}]", " ".repeat(outer));
                self.edits.push((range, text));
            }
        }
    }

    /// The byte offset at which text can be inserted after a value that ends at `at`. In flow style, this is `at`.
    /// Otherwise it is the end of the line, which keeps a comment on the same line as the value.
    fn line_end(&self, at: usize, flow: bool) -> usize {
        let rest = self.text.get(at..).unwrap_or("");
        match flow {
            true => at,
            false => at + rest.find('\n').unwrap_or(rest.len()),
        }
    }

    pub(super) fn done(self) -> String {
        let mut text = edited(self.text, self.edits);
        if !text.ends_with('\n') {
            text.push('\n');
        }
        text
    }
}

/// Indents all lines of a text, except the first line and empty lines.
fn shifted(text: &str, columns: usize) -> String {
    let pad = format!("\n{}", " ".repeat(columns));
    let moved = text.replace('\n', &pad);
    // Empty lines stay empty.
    moved.replace(&format!("{pad}\n"), "\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpreter::Answer;
    use crate::json::parse;

    fn add(file: &str, text: &str, name: &str, existing: ExistingCase) -> String {
        let answers: Answers = vec![(
            "Pay".into(),
            vec![
                Answer::failure("Busy", "429"),
                Answer::success(parse(r#"{"id":1}"#).unwrap()),
            ],
        )];
        let test = NewTest {
            name,
            start: vec![("input".into(), parse(r#"{"a":[1]}"#).unwrap())],
            answers: &answers,
            expect: parse(r#"{"status":"SUCCEEDED"}"#).unwrap(),
            existing,
        };
        with_test(Path::new(file), text, &test).unwrap()
    }

    fn names(file: &str, text: &str) -> Vec<String> {
        let node = tree(Path::new(file), text).unwrap();
        // If `cases:` is written without a value, there are no cases yet.
        let cases = node.get("cases").and_then(Node::items).unwrap_or_default();
        let name = |case: &Node| case.get("name").and_then(Node::as_str).unwrap().to_string();
        cases.iter().map(name).collect()
    }

    #[test]
    fn a_case_goes_behind_the_others_and_the_rest_stays() {
        for (text, file) in [
            ("cases:\n", "a.test.yaml"),
            ("cases: []\n", "a.test.yaml"),
            (
                "# mine\ncases:\n  - name: a # first\n    expect: {status: FAILED} # so\n",
                "a.test.yaml",
            ),
            (
                "cases:\n- name: a\n  expect:\n    output:\n      x: 1",
                "a.test.yaml",
            ),
            (
                "definition: x.asl.json\ncases: [{name: a}]\nmock: m.json\n",
                "a.test.yaml",
            ),
            ("{\n  \"cases\": []\n}\n", "a.test.json"),
            (
                "{\n  \"cases\": [\n    {\"name\": \"a\"}\n  ]\n}\n",
                "a.test.json",
            ),
        ] {
            let before = names(file, text).len();
            let added = add(file, text, "b", ExistingCase::Stays);
            assert_eq!(names(file, &added).len(), before + 1, "{text}{added}");
            assert_eq!(names(file, &added).last().unwrap(), "b", "{added}");
            let replaced = add(file, &added, "b", ExistingCase::IsReplaced);
            assert_eq!(names(file, &replaced), names(file, &added), "{replaced}");
            assert_eq!(
                add(file, &replaced, "b", ExistingCase::IsReplaced),
                replaced
            );
            for part in ["# mine", "# first", "# so", "mock: m.json"] {
                assert_eq!(
                    text.contains(part),
                    replaced.contains(part),
                    "{part}\n{replaced}"
                );
            }
        }
    }
}
