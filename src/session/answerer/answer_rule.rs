//! Answers for many requests: the user's rules (all requests of a state, of a Resource or of some items, from now on), and
//! the numbers of calls for the mock file, which counts calls and does not know request keys.
//!
//! AWS Step Functions Local numbers the calls of a state from 0 in the order in which they are made. The same is done
//! here, but only once per request: a call keeps its number when the run goes back, forks or is repeated after a
//! reload, even if the calls of concurrent branches and items then arrive in another order. Calls that a fork
//! discards keep their numbers, too: if the same request is made again, it gets the answer that the user has seen for
//! it; only new requests get new numbers.

use crate::definition::{Definition, StateKind, StatePath};
use crate::interpreter::{Answer, Ask, AskKey, Machine, Serve, Want};
use crate::json::Text;
use crate::session::expression;
use crate::session::reply::Reach;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// One answer for many requests.
#[derive(Clone, Debug)]
pub struct AnswerRule {
    scope: Scope,
    pub(super) answer: Answer,
}

/// The requests that a rule answers.
#[derive(Clone, Debug)]
enum Scope {
    /// Tasks with this Resource.
    Resource(Text),
    /// All requests of a state.
    State(StatePath),
    /// Requests of a state for which a condition is true.
    Items(StatePath, Text),
}

impl AnswerRule {
    /// Creates a rule for `ask` and the similar requests that `reach` selects.
    ///
    /// # Errors
    /// One sentence that says why there is no such rule.
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

    /// Returns the answer.
    #[must_use]
    pub fn answer(&self) -> &Answer {
        &self.answer
    }

    /// Description of the requests that the rule answers.
    #[must_use]
    pub fn text(&self, definition: &Definition) -> String {
        let name = |path: &StatePath| {
            let state = definition.find(path).and_then(|id| definition.state(id));
            state.map_or_else(|| path.0.to_string(), |state| state.name.to_string())
        };
        match &self.scope {
            Scope::State(path) => name(path),
            Scope::Resource(resource) => format!("every {resource}"),
            Scope::Items(path, condition) => format!("{} where {condition}", name(path)),
        }
    }

    /// Rank among the rules that answer a request: the one with the highest rank is used.
    pub(super) fn narrowness(&self) -> u8 {
        match self.scope {
            Scope::Resource(_) => 0,
            Scope::State(_) => 1,
            Scope::Items(..) => 2,
        }
    }

    /// True if the rule is for a request.
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

    /// True if a request with this key belongs to the rule's state or Resource.
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

/// Tells if a run may make the same request again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeats {
    /// The run goes straight to its end, so the numbers of calls need not be kept.
    Never,
    /// The run may go back, fork or be repeated.
    MayBe,
}

/// Call numbers of a run, by entry of the mock file.
#[derive(Clone, Debug)]
pub(super) struct CallNumbers {
    repeats: Repeats,
    entries: HashMap<Text, Numbers>,
}

/// Call numbers of one entry.
#[derive(Clone, Debug, Default)]
struct Numbers {
    /// Numbers by state path and key. A tree, so that no insertion ever copies all of them, however many there are.
    given: BTreeMap<Text, BTreeMap<AskKey, u64>>,
    /// Numbers below `next` that were released.
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

    /// The number of a call: its existing number, otherwise the lowest free number.
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

    /// The number that the next new call of an entry will get.
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

    /// Makes the numbers of calls available again if their state no longer exists. `is_left` receives the path of a
    /// state and returns true if it still exists.
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

    /// Starts again with number 0; returns the old numbers, because dropping them may take a while.
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
