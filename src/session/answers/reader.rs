//! Converts the JSON tree of a mock file to test cases and responses. Reports all errors, not only the first.

use super::mock::{CODE, DEFAULT_CASE, MockCase, MockFile, Mocked, Response, listed};
use crate::interpreter::{Answer, Millis, Outcome};
use crate::json::{Text, Value};
use crate::source::{
    Diagnostic, Diagnostics, Key, Member, Node, Severity, SourceFile, SourceId, Span, did_you_mean,
    parse_json, with_article,
};
use std::sync::Arc;

fn error(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(CODE, 0, message).at(span, "").blocking()
}

impl MockFile {
    /// Reads a mock file. Returns the valid parts of the file, and diagnostics for the invalid parts.
    #[must_use]
    pub fn parse(file: &SourceFile, id: SourceId) -> (Option<Self>, Diagnostics) {
        let (node, diagnostics) = parse_json(file, id);
        let mut reader = Reader { diagnostics };
        let mocks = node.map(|node| reader.file(&node));
        (mocks, reader.diagnostics)
    }

    /// Checks a mock file that asldbg generated. Returns each error, with the name of the mocked response that contains
    /// it.
    #[must_use]
    pub fn misread(mock: &Value) -> Vec<(Diagnostic, Option<Text>)> {
        let file = SourceFile::new("", &mock.to_string());
        let (node, diagnostics) = parse_json(&file, SourceId(0));
        let mut reader = Reader { diagnostics };
        let Some(node) = node else {
            return Vec::new();
        };
        reader.file(&node);
        let responses = node.get("MockedResponses").and_then(Node::members);
        let name = |span: Span| {
            let mut all = responses.unwrap_or_default().iter();
            let holds = |member: &&Member| {
                member.key.span.start <= span.start && span.end <= member.value.span.end
            };
            all.find(holds).map(|member| member.key.text.clone())
        };
        let wrong = reader.diagnostics.into_iter();
        wrong
            .filter(|diagnostic| diagnostic.severity == Severity::Error)
            .map(|diagnostic| {
                let name = diagnostic.span.and_then(name);
                (diagnostic, name)
            })
            .collect()
    }
}

/// Reads a single answer, such as `{"Return": 1}`; `None` if it is not valid.
#[must_use]
pub(in crate::session) fn read_answer(value: &Value) -> Option<Answer> {
    let file = SourceFile::new("", &value.to_string());
    let (node, diagnostics) = parse_json(&file, SourceId(0));
    let mut reader = Reader { diagnostics };
    reader.answer(&node?)
}

/// Reads the JSON tree of a mock file and collects the diagnostics.
struct Reader {
    diagnostics: Diagnostics,
}

impl Reader {
    fn refuse(&mut self, span: Span, message: impl Into<String>) {
        self.diagnostics.push(error(span, message));
    }

    /// Reports a value of the wrong type; `requirement` says what is expected instead.
    fn not(&mut self, node: &Node, requirement: &str) {
        let actual_type = with_article(node.type_name());
        self.refuse(node.span, format!("{requirement}, not {actual_type}"));
    }

    /// Warns of members whose names are not among `known`.
    fn only(&mut self, members: &[Member], known: &[&str]) {
        for member in members {
            if !known.contains(&&*member.key.text) {
                self.unknown(&member.key, known);
            }
        }
    }

    /// Reads the root object of the mock file.
    fn file(&mut self, node: &Node) -> MockFile {
        let Some(members) = node.members() else {
            self.not(node, "a mock file must be an object");
            return MockFile::default();
        };
        self.only(members, &["StateMachines", "MockedResponses"]);
        let responses = self.responses(node);
        let Some(machines) = self.object(node, "StateMachines") else {
            return MockFile::default();
        };
        let machines = machines
            .iter()
            .map(|machine| {
                let cases = self.object(&machine.value, "TestCases").unwrap_or_default();
                let name = &machine.key.text;
                let default = self.default_case(&machine.value, cases);
                let cases = cases.iter().map(|case| MockCase {
                    is_default: Some(&*case.key.text) == default,
                    ..self.case(name, case, &responses)
                });
                (name.clone(), cases.collect())
            })
            .collect();
        MockFile { machines }
    }

    /// The name of a test case that the machine's field `DefaultTestCase` contains. Reports an error if none of `cases`
    /// has that name.
    fn default_case<'n>(&mut self, machine: &'n Node, cases: &[Member]) -> Option<&'n str> {
        let written = machine.get(DEFAULT_CASE)?;
        let named = written.as_str();
        let is_there = cases.iter().any(|case| Some(&*case.key.text) == named);
        if !is_there {
            let names = listed(cases.iter().map(|case| &*case.key.text));
            let text = format!("\"{DEFAULT_CASE}\" must be one of the test cases: {names}");
            self.refuse(written.span, text);
        }
        named.filter(|_| is_there)
    }

    /// The members of the required object `name` in `node`. Reports an error if the object is missing or has another
    /// type.
    fn object<'n>(&mut self, node: &'n Node, name: &str) -> Option<&'n [Member]> {
        let Some(value) = node.get(name) else {
            let text = format!("\"{name}\" is missing in this part of the mock file");
            self.refuse(node.span, text);
            return None;
        };
        let members = value.members();
        if members.is_none() {
            self.not(value, &format!("\"{name}\" must be an object"));
        }
        members
    }

    fn unknown(&mut self, key: &Key, known: &[&str]) {
        let text = format!(
            "unknown field \"{field}\"; use {known_fields}",
            field = key.text,
            known_fields = listed(known.iter().copied())
        );
        let help = did_you_mean(&key.text, known.iter().copied());
        let mut warning = Diagnostic::warning(CODE, 0, text).at(key.span, "");
        warning.help = help;
        self.diagnostics.push(warning);
    }

    fn case(&mut self, machine: &Text, case: &Member, responses: &[Arc<Response>]) -> MockCase {
        let mut states = Vec::new();
        if case.value.members().is_none() {
            let wanted = "a test case must be an object that maps state names to response names";
            self.not(&case.value, wanted);
        }
        for member in case.value.members().unwrap_or_default() {
            let Some(name) = member.value.as_str() else {
                let wanted = "the name of a mocked response must be a string";
                self.not(&member.value, wanted);
                continue;
            };
            let known = responses.iter().find(|response| &*response.name == name);
            match known {
                Some(response) => states.push(Mocked {
                    state: member.key.text.clone(),
                    span: member.key.span,
                    response: Arc::clone(response),
                }),
                None => {
                    let names = responses.iter().map(|response| &*response.name);
                    let text = format!("\"MockedResponses\" has no response \"{name}\"");
                    let mut diagnostic = error(member.value.span, text);
                    diagnostic.help = did_you_mean(name, names);
                    self.diagnostics.push(diagnostic);
                }
            }
        }
        MockCase {
            is_default: false,
            machine: machine.clone(),
            name: case.key.text.clone(),
            states,
        }
    }

    fn responses(&mut self, node: &Node) -> Vec<Arc<Response>> {
        let Some(members) = self.object(node, "MockedResponses") else {
            return Vec::new();
        };
        members
            .iter()
            .map(|member| Arc::new(self.response(member)))
            .collect()
    }

    fn response(&mut self, member: &Member) -> Response {
        let mut response = Response {
            name: member.key.text.clone(),
            entries: Vec::new(),
        };
        let Some(entries) = member.value.members().filter(|all| !all.is_empty()) else {
            let text = format!(
                "the response \"{response}\" must be an object with at least an entry \"0\"",
                response = response.name
            );
            let help = "write {\"0\": {\"Return\": ...}}";
            self.diagnostics
                .push(error(member.value.span, text).help(help));
            return response;
        };
        let mut ranges = Vec::new();
        for entry in entries {
            let range = range_of(&entry.key.text);
            let answer = self.answer(&entry.value);
            match range {
                Some((first, last)) => {
                    ranges.push((first, last, entry.key.span, answer));
                }
                None => {
                    let text = format!("\"{key}\" is not a call number", key = entry.key.text);
                    let help = "write \"0\" for the first call, \"1-3\" for a range of calls";
                    self.diagnostics
                        .push(error(entry.key.span, text).help(help));
                }
            }
        }
        ranges.sort_by_key(|(first, ..)| *first);
        let mut next = 0;
        let mut before: Option<Span> = None;
        for (first, last, span, answer) in ranges {
            if first != next {
                let entries = if first > next {
                    "no entry has an answer"
                } else {
                    "two entries have an answer"
                };
                let text = format!(
                    "{entries} for call {call}: call numbers must begin at 0, without gaps or overlaps",
                    call = first.min(next)
                );
                let mut diagnostic = error(span, text);
                if let Some(before) = before {
                    diagnostic = diagnostic.related(before, "the previous entry");
                }
                self.diagnostics.push(diagnostic);
            }
            next = next.max(last.saturating_add(1));
            before = Some(span);
            if let Some(answer) = answer {
                response.entries.push((last, answer));
            }
        }
        response
    }

    fn answer(&mut self, node: &Node) -> Option<Answer> {
        const KNOWN: [&str; 5] = ["Return", "Throw", "Never", "Delay", "Heartbeats"];
        let Some(members) = node.members() else {
            self.not(node, "an answer must be an object with Return or Throw");
            return None;
        };
        self.only(members, &KNOWN);
        let ways: Vec<&Member> = members
            .iter()
            .filter(|member| ["Return", "Throw", "Never"].contains(&&*member.key.text))
            .collect();
        let [way] = ways.as_slice() else {
            let span = ways.get(1).map_or(node.span, |second| second.key.span);
            self.refuse(
                span,
                "an answer must have exactly one of Return, Throw and Never",
            );
            return None;
        };
        let outcome = match &*way.key.text {
            "Return" => Outcome::Success(way.value.to_value()),
            "Throw" => self.thrown(&way.value)?,
            _ if way.value.as_bool() == Some(true) => Outcome::Never,
            _ => {
                self.refuse(way.value.span, "\"Never\" must be true");
                return None;
            }
        };
        let took = match node.get("Delay") {
            None => 0,
            Some(delay) => self.millis(delay, "Delay")?,
        };
        let mut heartbeats = Vec::new();
        if let Some(list) = node.get("Heartbeats") {
            let Some(items) = list.items() else {
                self.not(list, "\"Heartbeats\" must be an array of seconds");
                return None;
            };
            for item in items {
                heartbeats.push(self.millis(item, "a heartbeat")?);
            }
            heartbeats.sort_unstable();
        }
        Some(Answer {
            outcome,
            took,
            heartbeats,
        })
    }

    fn thrown(&mut self, node: &Node) -> Option<Outcome> {
        let mut part = |name: &str| -> Option<Text> {
            match node.get(name) {
                None => {
                    self.refuse(node.span, format!("\"Throw\" needs a string \"{name}\""));
                    None
                }
                Some(value) => {
                    let text = value.string().map(|string| string.text.clone());
                    if text.is_none() {
                        self.not(value, &format!("\"{name}\" must be a string"));
                    }
                    text
                }
            }
        };
        let (error, cause) = (part("Error"), part("Cause"));
        let (error, cause) = (error?, cause?);
        // In a mock file, an empty Error and an empty Cause stand for a failure without error and cause.
        let nothing = error.is_empty() && cause.is_empty();
        Some(Outcome::Failure {
            error: Some(error).filter(|_| !nothing),
            cause: Some(cause).filter(|_| !nothing),
        })
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the number is positive and far below 2^53"
    )]
    fn millis(&mut self, node: &Node, field: &str) -> Option<Millis> {
        let seconds = node.as_number().map(crate::json::Number::as_f64);
        match seconds.filter(|seconds| (0.0..=4e9).contains(seconds)) {
            Some(seconds) => Some((seconds * 1000.0).round() as Millis),
            None => {
                self.refuse(
                    node.span,
                    format!("{field} must be a number of seconds, 0 or more"),
                );
                None
            }
        }
    }
}

/// Parses the call numbers of an entry, `3` or `1-3`, as the first and last number.
fn range_of(text: &str) -> Option<(u64, u64)> {
    let number = |part: &str| {
        let digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        part.parse().ok().filter(|_| digits)
    };
    let (first, last) = match text.split_once('-') {
        Some((first, last)) => (number(first)?, number(last)?),
        None => (number(text)?, number(text)?),
    };
    (first <= last).then_some((first, last))
}
