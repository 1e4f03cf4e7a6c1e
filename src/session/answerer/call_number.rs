//! The number that each call has for the mock file, which counts calls and knows no keys.
//!
//! AWS Step Functions Local numbers the calls of a state from 0 in the order in which they are made. So do these, once
//! for each question: a call keeps its number when the run goes back, forks or is repeated after a reload, in whatever
//! order the calls of concurrent branches and items then come. What a fork gives up keeps its numbers, too: a question
//! that is asked there once more gets the answer that a person has seen for it, and only a new one takes a new number.

use crate::interpreter::AskKey;
use crate::json::Text;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Whether a run may ask the same question again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeats {
    /// It goes straight to its end: nothing need be kept of a call that was numbered.
    Never,
    /// It goes back, forks and is repeated.
    MayBe,
}

/// The numbers of a run, by the mock file's entry.
#[derive(Clone, Debug)]
pub(super) struct CallNumbers {
    repeats: Repeats,
    entries: HashMap<Text, Numbers>,
}

/// The numbers of one entry.
#[derive(Clone, Debug, Default)]
struct Numbers {
    /// By the path of the state; none of it is ever moved as a whole, however many there are.
    given: BTreeMap<Text, BTreeMap<AskKey, u64>>,
    /// Numbers below `next` that were taken back.
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

    /// The number of a call that an entry answers: the one that it had, else the lowest that no call has.
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

    /// The number that the next call of an entry is given.
    pub(super) fn next(&self, entry: &Text) -> u64 {
        let numbers = self.entries.get(entry);
        numbers.map_or(0, |numbers| {
            let free = numbers.free.first();
            free.copied().unwrap_or(numbers.next)
        })
    }

    /// The number that a call has been given.
    pub(super) fn given(&self, entry: &Text, key: &AskKey) -> Option<u64> {
        let given = self.entries.get(entry)?.given.get(&key.path)?;
        given.get(key).copied()
    }

    /// Takes back the numbers of calls whose state, named by its path, is gone.
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

    /// Numbers from 0 again; what was given is handed over, to be dropped where that may take a while.
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
