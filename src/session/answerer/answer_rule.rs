//! Two ways to answer many requests of tasks: a rule of the user, and a mock file. A rule answers all further requests
//! of one state, of one Resource or of some items. A mock file answers by the number of the call, so this module also
//! numbers the calls.
//!
//! Like AWS Step Functions Local, the debugger numbers the calls of a state from 0, in the order in which they are
//! made. Each request gets its number only once: a call keeps its number when the run goes back, forks or is repeated
//! after a reload, even if the calls of concurrent branches and items then arrive in another order. Calls that a fork
//! discards also keep their numbers. If the run makes such a call again, the call gets the answer that the user has
//! seen for it; only new requests get new numbers.

use crate::definition::{Definition, StateKind, StatePath};
use crate::interpreter::{Answer, Ask, AskKey, Machine, Serve, Want};
use crate::json::Text;
use crate::session::expression;
use crate::session::reply::Reach;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A rule of the user: one answer for many requests.
#[derive(Clone, Debug)]
pub struct AnswerRule {
    scope: Scope,
    pub(super) answer: Answer,
}

/// The requests that a rule answers.
#[derive(Clone, Debug)]
enum Scope {
    /// The requests of all tasks that have this Resource.
    Resource(Text),
    /// All requests of a state.
    State(StatePath),
    /// Requests of a state in the frames for which this condition is true.
    Items(StatePath, Text),
}

impl AnswerRule {
    /// Creates the rule that gives `answer` to the requests that `reach` selects: all requests of the state that made
    /// `ask`, only the requests of some items, or all calls of the Resource that `ask` calls.
    ///
    /// # Errors
    /// One sentence that says why this rule is not possible.
    pub fn new(
        machine: &Machine,
        ask: &Ask,
        reach: &Reach,
        answer: Answer,
        server: &dyn Serve,
    ) -> Result<Self, String> {
        let state = machine.definition().state(ask.state);
        let path = state
            .map(|state| state.path.clone())
            .ok_or("the waiting state is not in the definition")?;
        let scope = match reach {
            Reach::State => Scope::State(path),
            Reach::Items(condition) => {
                if let Some(frame) = machine.frame(ask.frame) {
                    expression::condition(machine, frame, condition, server)?;
                }
                Scope::Items(path, condition.clone())
            }
            Reach::Resource => match &ask.want {
                Want::Call { resource, .. } => Scope::Resource(resource.clone()),
                _ => return Err("only a Task has a Resource; answer this state instead".into()),
            },
        };
        Ok(Self { scope, answer })
    }

    /// The answer to each request that the rule matches.
    #[must_use]
    pub fn answer(&self) -> &Answer {
        &self.answer
    }

    /// The requests that the rule answers, as text: `Pay`, `Pay where $.amount > 10`.
    #[must_use]
    pub fn text(&self, definition: &Definition) -> String {
        let name = |path: &StatePath| {
            let state = definition.find(path).and_then(|id| definition.state(id));
            state.map_or_else(|| path.0.to_string(), |state| state.name.to_string())
        };
        match &self.scope {
            Scope::State(path) => name(path),
            Scope::Resource(resource) => format!("every call of {resource}"),
            Scope::Items(path, condition) => {
                format!("{state} where {condition}", state = name(path))
            }
        }
    }

    /// Tells how narrow the rule is: 0 for a Resource, 1 for a state, 2 for some items. If several rules match a
    /// request, the rule with the highest number answers it.
    pub(super) fn narrowness(&self) -> u8 {
        match self.scope {
            Scope::Resource(_) => 0,
            Scope::State(_) => 1,
            Scope::Items(..) => 2,
        }
    }

    /// True if the rule answers a request.
    #[must_use]
    pub fn fits(&self, machine: &Machine, ask: &Ask, server: &dyn Serve) -> bool {
        if !self.is_of(machine.definition(), &ask.key) {
            return false;
        }
        let Scope::Items(_, condition) = &self.scope else {
            return true;
        };
        machine.frame(ask.frame).is_some_and(|frame| {
            expression::condition(machine, frame, condition, server).unwrap_or(false)
        })
    }

    /// True if the request with this key comes from the rule's state, or from a task with the rule's Resource. Ignores
    /// the rule's condition.
    #[must_use]
    pub fn is_of(&self, definition: &Definition, key: &AskKey) -> bool {
        match &self.scope {
            Scope::State(path) | Scope::Items(path, _) => path.0 == key.path,
            Scope::Resource(resource) => {
                let id = definition.find(&StatePath(key.path.clone()));
                let state = id.and_then(|id| definition.state(id));
                matches!(state.map(|state| &state.kind), Some(StateKind::Task(task)) if task.resource == *resource)
            }
        }
    }
}

/// Tells how often a run may make the same request: once, or several times because the run goes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeats {
    /// The run never goes back, so the call numbers need not be kept.
    Never,
    /// The run may go back, fork or be repeated. Call numbers are kept, because the run may make a request again.
    MayBe,
}

/// The numbers of a run's calls, counted separately for each entry of the mock file's test case.
#[derive(Clone, Debug)]
pub(super) struct CallNumbers {
    repeats: Repeats,
    entries: HashMap<Text, Numbers>,
}

/// Call numbers of one entry of the test case.
#[derive(Clone, Debug, Default)]
struct Numbers {
    /// Ordinal number of each call, counted from 0, by state path and request key. A tree map, because a hash map would
    /// copy all numbers when it grows.
    given: BTreeMap<Text, BTreeMap<AskKey, u64>>,
    /// Numbers below `next` that no call has any more.
    free: BTreeSet<u64>,
    next: u64,
}

impl CallNumbers {
    pub(super) fn new(repeats: Repeats) -> Self {
        Self {
            repeats,
            entries: HashMap::new(),
        }
    }

    /// The number of a call. A call without a number gets the lowest free number.
    pub(super) fn number(&mut self, entry: &Text, key: &AskKey) -> u64 {
        let numbers = self.entries.entry(entry.clone()).or_default();
        let given = numbers.given.get(&key.path);
        if let Some(number) = given.and_then(|given| given.get(key)) {
            return *number;
        }
        let number = numbers.free.pop_first().unwrap_or_else(|| {
            numbers.next += 1;
            numbers.next - 1
        });
        if self.repeats == Repeats::MayBe {
            let given = numbers.given.entry(key.path.clone()).or_default();
            given.insert(key.clone(), number);
        }
        number
    }

    /// The number that the next new call of an entry of the test case will get.
    pub(super) fn next(&self, entry: &Text) -> u64 {
        let numbers = self.entries.get(entry);
        numbers.map_or(0, |numbers| {
            let free = numbers.free.first();
            free.copied().unwrap_or(numbers.next)
        })
    }

    /// The number of a call, if it has one.
    pub(super) fn given(&self, entry: &Text, key: &AskKey) -> Option<u64> {
        let given = self.entries.get(entry)?.given.get(&key.path)?;
        given.get(key).copied()
    }

    /// Releases the numbers of all calls of states that no longer exist. `is_left` receives the path of a state and
    /// returns true if the state still exists.
    pub(super) fn retain(&mut self, is_left: impl Fn(&Text) -> bool) {
        for Numbers { given, free, .. } in self.entries.values_mut() {
            given.retain(|path, calls| {
                let left = is_left(path);
                if !left {
                    free.extend(calls.values());
                }
                left
            });
        }
    }

    /// Forgets all numbers, so that calls are numbered from 0 again. Returns the old numbers, because it may take a
    /// while to drop them.
    pub(super) fn clear(&mut self) -> impl Send + use<> {
        std::mem::take(&mut self.entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(path: &str, item: u32) -> AskKey {
        AskKey {
            path: path.into(),
            indices: vec![item],
            rounds: vec![(1, 1)],
            visit: 1,
            attempt: 1,
        }
    }

    #[test]
    fn a_call_keeps_its_number_in_whatever_order_calls_come_again() {
        let mut numbers = CallNumbers::new(Repeats::MayBe);
        let entry: Text = "T".into();
        let mut asked = |path: &str, item: u32| numbers.number(&entry, &key(path, item));
        assert_eq!(
            (asked("M/T", 0), asked("M/T", 2), asked("M/T", 1)),
            (0, 1, 2)
        );
        assert_eq!(
            (asked("M/T", 1), asked("M/T", 0), asked("M/T", 2)),
            (2, 0, 1)
        );
        assert_eq!(asked("M/T", 3), 3);
    }

    #[test]
    fn numbers_of_states_that_are_gone_are_given_again() {
        let mut numbers = CallNumbers::new(Repeats::MayBe);
        let entry: Text = "f".into();
        assert_eq!(numbers.number(&entry, &key("A", 0)), 0);
        assert_eq!(numbers.number(&entry, &key("B", 0)), 1);
        numbers.retain(|path| &**path == "B");
        assert_eq!(numbers.number(&entry, &key("C", 0)), 0);
        assert_eq!(numbers.number(&entry, &key("B", 0)), 1);
        assert_eq!(numbers.number(&entry, &key("C", 1)), 2);
        drop(numbers.clear());
        assert_eq!(numbers.number(&entry, &key("C", 1)), 0);
    }
}
