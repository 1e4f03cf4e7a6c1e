//! The test cases of a mock file. A test case says which states get mocked answers, and which answer each call gets.

use crate::definition::{Definition, State, StateKind, Task};
use crate::interpreter::Answer;
use crate::json::Text;
use crate::source::{Diagnostic, Diagnostics, SourceId, Span, did_you_mean};
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

pub(super) const CODE: &str = "INVALID_MOCK_FILE";
/// Field of a state machine in a mock file. It names the test case for runs that do not select a test case.
pub const DEFAULT_CASE: &str = "DefaultTestCase";

/// The content of a mock file: the test cases of each state machine.
#[derive(Clone, Debug, Default)]
pub struct MockFile {
    pub(super) machines: Vec<(Text, Vec<MockCase>)>,
}

/// A test case of a mock file: which states get mocked answers, and which answers they get.
#[derive(Clone, Debug, PartialEq)]
pub struct MockCase {
    /// True if runs that do not select a test case use this one.
    pub is_default: bool,
    /// The state machine that the case belongs to.
    pub machine: Text,
    /// Name of the test case.
    pub name: Text,
    pub(super) states: Vec<Mocked>,
}

/// An entry of a test case: a state (or a function or resource), and the mocked response for its calls.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Mocked {
    pub(super) state: Text,
    pub(super) span: Span,
    pub(super) response: Arc<Response>,
}

/// A mocked response: answers by call number, starting at 0.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Response {
    pub(super) name: Text,
    /// For each range of call numbers, in ascending order: the last number of the range, and the answer to these calls.
    pub(super) entries: Vec<(u64, Answer)>,
}

/// The error for a state that makes more calls than its mocked response has answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunOut {
    /// Name of the state, as in the test case.
    pub state: Text,
    /// Name of the mocked response.
    pub response: Text,
    /// The last call number (from 0) that has an answer; `None` if the response has no answers.
    pub last: Option<u64>,
}

impl RunOut {
    /// The text of this error, for a test case that lists the answers of the state directly instead of naming a mocked
    /// response.
    #[must_use]
    pub fn of_test_case(&self) -> String {
        let count = self.last.map_or(0, |last| last.saturating_add(1));
        format!(
            "the answers for state \"{state}\" ran out: the test case answers {count} {calls}, but this is call {number}; add an answer to the list of the state, or write a single answer without a list for all calls",
            state = self.state,
            calls = if count == 1 { "call" } else { "calls" },
            number = count.saturating_add(1)
        )
    }
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
                "the answers for state \"{state}\" ran out: the mocked response \"{response}\" has answers for calls 0 to {last}, but this is call {call}; add an entry \"{call}\" or widen the last range",
                call = last.saturating_add(1)
            ),
        }
    }
}

impl MockFile {
    /// Names of the state machines in the mock file.
    pub fn machines(&self) -> impl Iterator<Item = &str> {
        self.machines.iter().map(|(name, _)| &**name)
    }

    /// Test cases of the first state machine that has one of the names in `candidates`. If none has and the file has a
    /// single state machine, returns the test cases of that state machine.
    #[must_use]
    pub fn cases(&self, candidates: &[&str]) -> Option<&[MockCase]> {
        match (self.named(candidates), self.machines.as_slice()) {
            (Some(cases), _) => Some(cases),
            (None, [(_, only)]) => Some(only),
            (None, _) => None,
        }
    }

    /// Test cases of the first state machine that has one of the names in `candidates`; empty if there is none. Unlike
    /// [`Self::cases`], never returns test cases of a state machine with another name.
    #[must_use]
    pub fn cases_of(&self, candidates: &[&str]) -> &[MockCase] {
        self.named(candidates).unwrap_or_default()
    }

    fn named(&self, candidates: &[&str]) -> Option<&[MockCase]> {
        let mut names = candidates.iter();
        let machine = names.find_map(|name| {
            self.machines
                .iter()
                .find(|(machine, _)| &**machine == *name)
        });
        machine.map(|(_, cases)| cases.as_slice())
    }

    /// The test case for a run: the test case with the name `case`; without a name, the only test case or the default
    /// one.
    ///
    /// # Errors
    /// One sentence that says what is missing and lists the available names.
    pub fn select(&self, candidates: &[&str], case: Option<&str>) -> Result<MockCase, String> {
        let Some(cases) = self.cases(candidates) else {
            if self.machines.is_empty() {
                return Err("the mock file has no state machine under \"StateMachines\"".into());
            }
            let name = candidates.first().copied().unwrap_or("");
            return Err(format!(
                "the mock file has no state machine \"{name}\"; it has {machines}",
                machines = listed(self.machines())
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
                        "the mock file has no test case \"{name}\"{did_you_mean}; it has {names}",
                        did_you_mean = near.unwrap_or_default(),
                        names = listed(names())
                    )
                }),
            (None, [only]) => Ok(only.clone()),
            (None, several) if let Some(default) = MockCase::default_of(several) => {
                Ok(default.clone())
            }
            (None, []) => Err("the mock file has no test case for this state machine".into()),
            (None, _) => Err(format!(
                "the mock file has several test cases ({names}); choose one with --test-case, or set \"{DEFAULT_CASE}\" next to \"TestCases\" to the name of one",
                names = listed(names())
            )),
        }
    }
}

pub(super) fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let quoted: Vec<String> = names.map(|name| format!("\"{name}\"")).collect();
    if quoted.is_empty() {
        "none".to_string()
    } else {
        quoted.join(", ")
    }
}

/// Names by which an entry of a test case may refer to what a task calls: the whole ARN, and the name of the function
/// or activity with and without version.
fn names_of(task: &Task) -> impl Iterator<Item = &str> {
    let called = task.function.iter().chain([&task.resource]);
    called.flat_map(|called| {
        let after = |kind| called.split_once(kind).map(|(_, name)| name);
        let name = after(":function:").or_else(|| after(":activity:"));
        let name = name.unwrap_or(called);
        let is_plain = |name: &&str| !name.starts_with("arn:");
        let plain = name.split(':').next().filter(is_plain);
        [&**called, name]
            .into_iter()
            .chain(plain)
            .chain(of_template(name))
    })
}

/// Logical ids of the CloudFormation resource in a placeholder such as `${Check.Arn}`: as written, and without the hash
/// that CDK appends.
fn of_template(name: &str) -> impl Iterator<Item = &str> {
    const HASH: usize = 8;
    let inner = name
        .strip_prefix("${")
        .and_then(|rest| rest.split_once('}'));
    let logical = inner.and_then(|(inner, _)| inner.split('.').next());
    let of_cdk = logical.and_then(|name| {
        let (plain, hash) = name.split_at_checked(name.len().checked_sub(HASH)?)?;
        let is_hash = hash
            .chars()
            .all(|sign| matches!(sign, '0'..='9' | 'A'..='F'));
        (is_hash && !plain.is_empty()).then_some(plain)
    });
    logical.into_iter().chain(of_cdk)
}

/// True if a state makes requests that a mock file can answer: a Task, or a Map with an ItemReader.
fn asks(state: &State) -> bool {
    match &state.kind {
        StateKind::Task(_) => true,
        StateKind::Map(map) => map.reader.is_some(),
        _ => false,
    }
}

impl MockCase {
    /// The test case among `cases` for runs that do not select a test case.
    #[must_use]
    pub fn default_of(cases: &[Self]) -> Option<&Self> {
        cases.iter().find(|case| case.is_default)
    }

    /// A test case that gives the same answer to every call of one state.
    #[must_use]
    pub fn always(machine: &str, state: &str, answer: Answer) -> Self {
        let response = Response {
            name: state.into(),
            entries: vec![(u64::MAX, answer)],
        };
        Self {
            is_default: false,
            machine: machine.into(),
            name: state.into(),
            states: vec![Mocked {
                state: state.into(),
                span: Span::new(SourceId(0), 0..0),
                response: Arc::new(response),
            }],
        }
    }

    /// The answer that an entry of the test case gives to call `number` (from 0), or an error if the answers of the
    /// entry ran out; `None` if the test case does not have this entry.
    #[must_use]
    pub fn answer(&self, entry: &str, number: u64) -> Option<Result<Answer, RunOut>> {
        let mocked = self.states.iter().find(|mocked| &*mocked.state == entry)?;
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

    /// The entry of the test case for a state. An entry with the state's name comes first, then one with its Resource,
    /// then one with the name of its function or activity.
    #[must_use]
    pub fn entry_of(&self, state: &State) -> Option<&Text> {
        let task = match &state.kind {
            StateKind::Task(task) => Some(task),
            _ => None,
        };
        let called = task.into_iter().flat_map(names_of);
        let names = std::iter::once(&*state.name).chain(called);
        let mut entries = names.filter_map(|name| {
            let mut states = self.states.iter().map(|mocked| &mocked.state);
            states.find(|state| &***state == name)
        });
        entries.next()
    }

    /// The entries of the test case: names of states, functions or resources.
    pub fn entries(&self) -> impl Iterator<Item = &Text> {
        self.states.iter().map(|mocked| &mocked.state)
    }

    /// Name of the mocked response of an entry.
    #[must_use]
    pub fn response_of(&self, entry: &str) -> Option<&Text> {
        let mocked = self.states.iter().find(|mocked| &*mocked.state == entry)?;
        Some(&mocked.response.name)
    }

    /// Mocked answers for a state, in the order of its calls.
    pub fn answers_for(&self, state: &State) -> impl Iterator<Item = &Answer> {
        let entry = self.entry_of(state);
        let mocked =
            entry.and_then(|entry| self.states.iter().find(|mocked| mocked.state == *entry));
        let entries = mocked
            .into_iter()
            .flat_map(|mocked| &mocked.response.entries);
        entries.map(|(_, answer)| answer)
    }

    /// The entries of the test case as strings: names of states, functions or resources.
    pub fn states(&self) -> impl Iterator<Item = &str> {
        self.states.iter().map(|mocked| &*mocked.state)
    }

    /// Warns of entries that no state of the definition uses.
    #[must_use]
    pub fn unused(&self, definition: &Definition) -> Diagnostics {
        let used: HashSet<&Text> = (definition.states.iter())
            .filter(|state| asks(state))
            .filter_map(|state| self.entry_of(state))
            .collect();
        let tasks = (definition.states.iter()).filter_map(|state| match &state.kind {
            StateKind::Task(task) => Some((&*state.name, task)),
            _ => None,
        });
        let (tasks, called): (Vec<&str>, Vec<&Task>) = tasks.unzip();
        let called: HashSet<&str> = called.into_iter().flat_map(names_of).collect();
        let unknown = self
            .states
            .iter()
            .filter(|mocked| !used.contains(&mocked.state));
        unknown
            .map(|mocked| {
                let name = &mocked.state;
                let other = definition
                    .find_by_name(name)
                    .and_then(|id| definition.state(id));
                let text = match other {
                    Some(state) => format!(
                        "the test case \"{test_case}\" has answers for \"{name}\", which is a {kind} state; only Task states and ItemReaders can be answered",
                        test_case = self.name,
                        kind = state.type_name()
                    ),
                    None if called.contains(&**name) => format!(
                        "the answers of the test case \"{test_case}\" for \"{name}\" are never used: each state that calls \"{name}\" has its own entry",
                        test_case = self.name
                    ),
                    None => format!(
                        "the test case \"{test_case}\" has answers for \"{name}\", which the definition does not have",
                        test_case = self.name
                    ),
                };
                let mut warning = Diagnostic::warning(CODE, 0, text).at(mocked.span, "");
                warning.help = did_you_mean(name, tasks.iter().copied());
                warning
            })
            .collect()
    }
}
