//! Answers written beforehand: the mock file of AWS Step Functions Local (ASL-SEMANTICS 16), with delays added.
//!
//! It must not know where the file lies, nor who asks.

use crate::definition::{Definition, StateKind};
use crate::interpreter::{Answer, Millis, Outcome};
use crate::json::Text;
use crate::source::{
    Diagnostic, Diagnostics, Key, Member, Node, SourceFile, SourceId, Span, did_you_mean,
    parse_json,
};
use std::fmt;
use std::sync::Arc;

const CODE: &str = "INVALID_MOCK_FILE";

/// A mock file.
#[derive(Clone, Debug, Default)]
pub struct MockFile {
    machines: Vec<(Text, Vec<MockCase>)>,
}

/// One test case: which states are answered, and with what.
#[derive(Clone, Debug)]
pub struct MockCase {
    /// The machine that it stands under.
    pub machine: Text,
    /// Its name.
    pub name: Text,
    states: Vec<Mocked>,
}

/// A state of a case.
#[derive(Clone, Debug)]
struct Mocked {
    state: Text,
    span: Span,
    response: Arc<Response>,
}

/// A mocked response: answers for calls numbered from 0.
#[derive(Debug, Default)]
struct Response {
    name: Text,
    /// Last number of each range, ascending, with its answer.
    entries: Vec<(u64, Answer)>,
}

/// A state was called more often than its response has answers for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunOut {
    /// The state.
    pub state: Text,
    /// The response.
    pub response: Text,
    /// The last number that has an answer; `None` where there is none at all.
    pub last: Option<u64>,
}

impl fmt::Display for RunOut {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            state,
            response,
            last,
        } = self;
        match last {
            None => write!(
                out,
                "the mocked response \"{response}\" of state \"{state}\" has no answers"
            ),
            Some(last) => write!(
                out,
                "the answers for state \"{state}\" ran out: the mocked response \"{response}\" has them for calls 0 to {last}, and call {} came; add an entry \"{}\" or widen the last range",
                last.saturating_add(1),
                last.saturating_add(1)
            ),
        }
    }
}

impl MockFile {
    /// Reads a mock file, as much of it as can be had.
    #[must_use]
    pub fn parse(file: &SourceFile, id: SourceId) -> (Option<Self>, Diagnostics) {
        let (node, found) = parse_json(file, id);
        let mut reader = Reader { found };
        let mocks = node.map(|node| reader.file(&node));
        (mocks, reader.found)
    }

    /// The machines' names.
    pub fn machines(&self) -> impl Iterator<Item = &str> {
        self.machines.iter().map(|(name, _)| &**name)
    }

    /// The cases of the machine that goes by one of these names; of the only machine, where there is one only.
    #[must_use]
    pub fn cases(&self, candidates: &[&str]) -> Option<&[MockCase]> {
        let named = candidates
            .iter()
            .find_map(|name| self.machines.iter().find(|(own, _)| &**own == *name));
        let only = match self.machines.as_slice() {
            [only] => Some(only),
            _ => None,
        };
        named.or(only).map(|(_, cases)| cases.as_slice())
    }

    /// The test case to run with: the named one, or the only one.
    ///
    /// # Errors
    /// One sentence that lists what there is.
    pub fn select(&self, candidates: &[&str], case: Option<&str>) -> Result<MockCase, String> {
        let Some(cases) = self.cases(candidates) else {
            if self.machines.is_empty() {
                return Err("the mock file has no state machine under \"StateMachines\"".into());
            }
            let asked = candidates.first().copied().unwrap_or("");
            return Err(format!(
                "the mock file has no state machine \"{asked}\"; it has {}",
                listed(self.machines())
            ));
        };
        let names = || cases.iter().map(|case| &*case.name);
        match (case, cases) {
            (Some(name), _) => cases
                .iter()
                .find(|case| &*case.name == name)
                .cloned()
                .ok_or_else(|| {
                    let near = did_you_mean(name, names()).map(|near| format!("; {near}"));
                    format!(
                        "the mock file has no test case \"{name}\"{}; it has {}",
                        near.unwrap_or_default(),
                        listed(names())
                    )
                }),
            (None, [only]) => Ok(only.clone()),
            (None, []) => Err("the mock file has no test case for this state machine".into()),
            (None, _) => Err(format!(
                "the mock file has several test cases; choose one with --test-case: {}",
                listed(names())
            )),
        }
    }
}

fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let quoted: Vec<String> = names.map(|name| format!("\"{name}\"")).collect();
    if quoted.is_empty() {
        "none".to_string()
    } else {
        quoted.join(", ")
    }
}

impl MockCase {
    /// The answer to the `number`-th call (from 0) of a state; `None` where the state is not mocked.
    #[must_use]
    pub fn answer(&self, state: &str, number: u64) -> Option<Result<Answer, RunOut>> {
        let mocked = self.states.iter().find(|mocked| &*mocked.state == state)?;
        let entries = &mocked.response.entries;
        let place = entries.partition_point(|(last, _)| *last < number);
        Some(match entries.get(place) {
            Some((_, answer)) => Ok(answer.clone()),
            None => Err(RunOut {
                state: mocked.state.clone(),
                response: mocked.response.name.clone(),
                last: entries.last().map(|(last, _)| *last),
            }),
        })
    }

    /// The states that are answered.
    pub fn states(&self) -> impl Iterator<Item = &str> {
        self.states.iter().map(|mocked| &*mocked.state)
    }

    /// Warns of entries that no Task of the definition has the name of.
    #[must_use]
    pub fn unused(&self, definition: &Definition) -> Diagnostics {
        let tasks: Vec<&str> = definition
            .states
            .iter()
            .filter(|state| matches!(state.kind, StateKind::Task(_)))
            .map(|state| &*state.name)
            .collect();
        let unknown = self
            .states
            .iter()
            .filter(|mocked| !tasks.contains(&&*mocked.state));
        unknown
            .map(|mocked| {
                let name = &mocked.state;
                let other = definition
                    .find_by_name(name)
                    .and_then(|id| definition.state(id));
                let text = match other {
                    Some(state) => format!(
                        "the test case \"{}\" answers for \"{name}\", which is a {} state; only Task states ask",
                        self.name,
                        state.type_name()
                    ),
                    None => format!(
                        "the test case \"{}\" answers for \"{name}\", which the definition does not have",
                        self.name
                    ),
                };
                let mut warning = Diagnostic::warning(CODE, 0, text).at(mocked.span, "");
                warning.help = did_you_mean(name, tasks.iter().copied());
                warning
            })
            .collect()
    }
}

fn error(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(CODE, 0, message).at(span, "").blocking()
}

struct Reader {
    found: Diagnostics,
}

impl Reader {
    fn refuse(&mut self, span: Span, message: impl Into<String>) {
        self.found.push(error(span, message));
    }

    fn file(&mut self, node: &Node) -> MockFile {
        if node.members().is_none() {
            self.refuse(
                node.span,
                format!("a mock file is an object, not {}", article(node)),
            );
            return MockFile::default();
        }
        for member in node.members().unwrap_or_default() {
            if !["StateMachines", "MockedResponses"].contains(&&*member.key.text) {
                self.unknown(&member.key, &["StateMachines", "MockedResponses"]);
            }
        }
        let responses = self.responses(node);
        let Some(machines) = self.object(node, "StateMachines") else {
            return MockFile::default();
        };
        let machines = machines
            .iter()
            .map(|machine| {
                let cases = self
                    .object(&machine.value, "TestCases")
                    .unwrap_or_default()
                    .iter()
                    .map(|case| self.case(&machine.key.text, case, &responses))
                    .collect();
                (machine.key.text.clone(), cases)
            })
            .collect();
        MockFile { machines }
    }

    /// The members of an object that must be there.
    fn object<'n>(&mut self, node: &'n Node, name: &str) -> Option<&'n [Member]> {
        let Some(found) = node.get(name) else {
            self.refuse(
                node.span,
                format!("\"{name}\" is missing in this part of the mock file"),
            );
            return None;
        };
        let members = found.members();
        if members.is_none() {
            self.refuse(
                found.span,
                format!("\"{name}\" is an object, not {}", article(found)),
            );
        }
        members
    }

    fn unknown(&mut self, key: &Key, known: &[&str]) {
        let text = format!(
            "\"{}\" means nothing here; known are {}",
            key.text,
            listed(known.iter().copied())
        );
        let help = did_you_mean(&key.text, known.iter().copied());
        let mut warning = Diagnostic::warning(CODE, 0, text).at(key.span, "");
        warning.help = help;
        self.found.push(warning);
    }

    fn case(&mut self, machine: &Text, case: &Member, responses: &[Arc<Response>]) -> MockCase {
        let mut states = Vec::new();
        if case.value.members().is_none() {
            let text = format!(
                "a test case is an object of state names and response names, not {}",
                article(&case.value)
            );
            self.refuse(case.value.span, text);
        }
        for member in case.value.members().unwrap_or_default() {
            let Some(name) = member.value.as_str() else {
                let text = format!(
                    "the name of a mocked response is a string, not {}",
                    article(&member.value)
                );
                self.refuse(member.value.span, text);
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
                    self.found.push(diagnostic);
                }
            }
        }
        MockCase {
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
                "the response \"{}\" is an object with an entry \"0\" at least",
                member.key.text
            );
            self.refuse(member.value.span, text);
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
                    let text = format!("\"{}\" is not a call number", entry.key.text);
                    let help = "write \"0\" for the first call, \"1-3\" for several";
                    self.found.push(error(entry.key.span, text).help(help));
                }
            }
        }
        ranges.sort_by_key(|(first, ..)| *first);
        let mut next = 0;
        let mut before: Option<Span> = None;
        for (first, last, span, answer) in ranges {
            if first != next {
                let what = if first > next {
                    "nothing answers"
                } else {
                    "two entries answer"
                };
                let text = format!(
                    "{what} call {}: call numbers begin at 0 and go on without gap or overlap",
                    first.min(next)
                );
                let mut diagnostic = error(span, text);
                if let Some(before) = before {
                    diagnostic = diagnostic.related(before, "the entry before");
                }
                self.found.push(diagnostic);
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
            let text = format!(
                "an answer is an object with Return or Throw, not {}",
                article(node)
            );
            self.refuse(node.span, text);
            return None;
        };
        for member in members {
            if !KNOWN.contains(&&*member.key.text) {
                self.unknown(&member.key, &KNOWN);
            }
        }
        let ways: Vec<&Member> = members
            .iter()
            .filter(|member| ["Return", "Throw", "Never"].contains(&&*member.key.text))
            .collect();
        let [way] = ways.as_slice() else {
            let span = ways.get(1).map_or(node.span, |second| second.key.span);
            self.refuse(span, "an answer has exactly one of Return, Throw and Never");
            return None;
        };
        let outcome = match &*way.key.text {
            "Return" => Outcome::Success(way.value.to_value()),
            "Throw" => self.thrown(&way.value)?,
            _ if way.value.as_bool() == Some(true) => Outcome::Never,
            _ => {
                self.refuse(way.value.span, "\"Never\" can only be true");
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
                self.refuse(
                    list.span,
                    format!(
                        "\"Heartbeats\" is an array of seconds, not {}",
                        article(list)
                    ),
                );
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
                Some(found) => {
                    let text = found.string().map(|string| string.text.clone());
                    if text.is_none() {
                        let text = format!("\"{name}\" is a string, not {}", article(found));
                        self.refuse(found.span, text);
                    }
                    text
                }
            }
        };
        let (error, cause) = (part("Error"), part("Cause"));
        let (error, cause) = (error?, cause?);
        // Both empty is how a failure without error and cause is written.
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
    fn millis(&mut self, node: &Node, what: &str) -> Option<Millis> {
        let seconds = node.as_number().map(crate::json::Number::as_f64);
        match seconds.filter(|seconds| (0.0..=4e9).contains(seconds)) {
            Some(seconds) => Some((seconds * 1000.0).round() as Millis),
            None => {
                self.refuse(
                    node.span,
                    format!("{what} is a number of seconds, 0 or more"),
                );
                None
            }
        }
    }
}

/// `3` or `1-3`.
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

fn article(node: &Node) -> String {
    match node.type_name() {
        "null" => "null".to_string(),
        name @ ("array" | "object") => format!("an {name}"),
        name => format!("a {name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a response; what is said of it, then the answers to calls 0, 1, ... as far as there are any.
    fn check(response: &str, wanted: &str) {
        let text = format!(
            r#"{{"StateMachines": {{"m": {{"TestCases": {{"C": {{"T": "r"}}}}}}}}, "MockedResponses": {{"r": {response}}}}}"#
        );
        let (file, found) = MockFile::parse(&SourceFile::new("mock", &text), SourceId(0));
        let mut got: Vec<String> = found.iter().map(|one| one.message.clone()).collect();
        let case = file.and_then(|file| file.select(&["m"], None).ok());
        if let Some(case) = case.filter(|_| found.is_empty()) {
            for number in 0.. {
                match case.answer("T", number) {
                    Some(Ok(answer)) => got.push(shown(&answer)),
                    Some(Err(run_out)) => {
                        assert_eq!(run_out.last, number.checked_sub(1));
                        break;
                    }
                    None => break,
                }
            }
        }
        assert_eq!(got.join("; "), wanted, "{response}");
    }

    fn shown(answer: &Answer) -> String {
        let outcome = match &answer.outcome {
            Outcome::Success(value) => value.to_string(),
            Outcome::Failure { error, cause } => format!("{error:?}/{cause:?}"),
            Outcome::Never => "never".to_string(),
        };
        let beats = match answer.heartbeats.as_slice() {
            [] => String::new(),
            beats => format!(" {beats:?}"),
        };
        match answer.took {
            0 => outcome + &beats,
            took => format!("{outcome} after {took}{beats}"),
        }
    }

    #[test]
    fn answers_are_read() {
        check(r#"{"0": {"Return": 1}}"#, "1");
        check(
            r#"{"0-1": {"Return": 1}, "2": {"Return": {"a": null}}}"#,
            r#"1; 1; {"a":null}"#,
        );
        check(r#"{"1": {"Return": 1}, "0": {"Return": 0}}"#, "0; 1");
        check(
            r#"{"0": {"Throw": {"Error": "E", "Cause": "c"}}}"#,
            r#"Some("E")/Some("c")"#,
        );
        check(
            r#"{"0": {"Throw": {"Error": "", "Cause": ""}}}"#,
            "None/None",
        );
        check(
            r#"{"0": {"Throw": {"Error": "E", "Cause": ""}}}"#,
            r#"Some("E")/Some("")"#,
        );
        check(r#"{"0": {"Return": 1, "Delay": 2.25}}"#, "1 after 2250");
        check(
            r#"{"0": {"Never": true, "Heartbeats": [3, 1.5]}}"#,
            "never [1500, 3000]",
        );
    }

    #[test]
    fn wrong_answers_are_refused() {
        let gap = ": call numbers begin at 0 and go on without gap or overlap";
        check(
            "{}",
            r#"the response "r" is an object with an entry "0" at least"#,
        );
        check(
            "[]",
            r#"the response "r" is an object with an entry "0" at least"#,
        );
        check(
            r#"{"1": {"Return": 1}}"#,
            &format!("nothing answers call 0{gap}"),
        );
        check(
            r#"{"0": {"Return": 1}, "2": {"Return": 1}}"#,
            &format!("nothing answers call 1{gap}"),
        );
        check(
            r#"{"0-2": {"Return": 1}, "2": {"Return": 1}}"#,
            &format!("two entries answer call 2{gap}"),
        );
        check(
            r#"{"0": {}}"#,
            "an answer has exactly one of Return, Throw and Never",
        );
        check(
            r#"{"0": {"Return": 1, "Throw": {"Error": "E", "Cause": "c"}}}"#,
            "an answer has exactly one of Return, Throw and Never",
        );
        check(
            r#"{"0": 5}"#,
            "an answer is an object with Return or Throw, not a number",
        );
        check(
            r#"{"0": {"Throw": {"Error": "E"}}}"#,
            r#""Throw" needs a string "Cause""#,
        );
        check(
            r#"{"0": {"Throw": {"Error": 1, "Cause": "c"}}}"#,
            r#""Error" is a string, not a number"#,
        );
        check(
            r#"{"0": {"Return": 1, "Delay": -1}}"#,
            "Delay is a number of seconds, 0 or more",
        );
        check(
            r#"{"0": {"Return": 1, "Heartbeats": 4}}"#,
            r#""Heartbeats" is an array of seconds, not a number"#,
        );
        check(r#"{"0": {"Never": false}}"#, r#""Never" can only be true"#);
        check(r#"{"-1": {"Return": 1}}"#, r#""-1" is not a call number"#);
        check(r#"{"3-1": {"Return": 1}}"#, r#""3-1" is not a call number"#);
        check(
            r#"{"0": {"Retrun": 1}}"#,
            r#""Retrun" means nothing here; known are "Return", "Throw", "Never", "Delay", "Heartbeats"; an answer has exactly one of Return, Throw and Never"#,
        );
        check(
            r#"{"0": {"Return": 1}, "0": {"Return": 2}}"#,
            &format!("duplicate key \"0\"; two entries answer call 0{gap}"),
        );
    }

    /// What choosing a case comes to.
    fn select(machines: &[&str], cases: &[&str], asked: (&str, Option<&str>), wanted: &str) {
        let cases: Vec<String> = cases
            .iter()
            .map(|case| format!(r#""{case}": {{}}"#))
            .collect();
        let cases = cases.join(", ");
        let machines: Vec<String> = machines
            .iter()
            .map(|name| format!(r#""{name}": {{"TestCases": {{{cases}}}}}"#))
            .collect();
        let text = format!(
            r#"{{"StateMachines": {{{}}}, "MockedResponses": {{}}}}"#,
            machines.join(", ")
        );
        let (file, found) = MockFile::parse(&SourceFile::new("mock", &text), SourceId(0));
        assert!(found.is_empty(), "{found:?}");
        let got = file.unwrap_or_default().select(&[asked.0], asked.1);
        let got = match got {
            Ok(case) => format!("{}#{}", case.machine, case.name),
            Err(text) => text,
        };
        assert_eq!(got, wanted);
    }

    #[test]
    fn cases_are_chosen() {
        select(&["m"], &["A"], ("m", None), "m#A");
        select(&["other"], &["A"], ("m", None), "other#A");
        select(&["x", "m"], &["A", "B"], ("m", Some("B")), "m#B");
        select(
            &["x", "y"],
            &["A"],
            ("m", None),
            r#"the mock file has no state machine "m"; it has "x", "y""#,
        );
        select(
            &["m"],
            &["A", "B"],
            ("m", None),
            r#"the mock file has several test cases; choose one with --test-case: "A", "B""#,
        );
        select(
            &["m"],
            &["Alpha"],
            ("m", Some("Alpa")),
            r#"the mock file has no test case "Alpa"; did you mean "Alpha"?; it has "Alpha""#,
        );
        select(
            &["m"],
            &[],
            ("m", None),
            "the mock file has no test case for this state machine",
        );
    }

    #[test]
    fn unknown_responses_are_refused() {
        let text = r#"{"StateMachines": {"m": {"TestCases": {"C": {"T": "rr"}}}}, "MockedResponses": {"r": {"0": {"Return": 1}}}}"#;
        let (_, found) = MockFile::parse(&SourceFile::new("mock", text), SourceId(0));
        let got: Vec<_> = found
            .iter()
            .map(|one| (one.message.as_str(), one.help.as_deref()))
            .collect();
        let wanted = (
            r#""MockedResponses" has no response "rr""#,
            Some(r#"did you mean "r"?"#),
        );
        assert_eq!(got, [wanted]);
    }
}
