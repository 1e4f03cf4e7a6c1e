//! What is known of an execution that a run repeats: when things happened there, and what cannot be computed again.
//!
//! It must not know where or how that was recorded.

use super::ask::AskKey;
use super::event::Millis;
use super::fault::Fault;
use super::machine::Status;
use crate::definition::StateId;
use crate::json::{Text, Value};
use std::collections::HashMap;
use std::sync::Arc;

/// So much later than computed may AWS have gone on for it to be the same wait, in milliseconds: what was recorded there
/// is on time to a few hundredths of a second.
const LATE: Millis = 1000;
/// So much earlier, as times are rounded.
const EARLY: Millis = 50;

/// Every visit of a state, under the key of its questions with attempt 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Course {
    /// What is known of each visit.
    pub visits: HashMap<AskKey, Passage>,
    /// Frames that were stopped with their siblings, and when all was over: what they had not come to, they do not come to
    /// before. The key has the name of the Parallel or Map and visit 0.
    pub stopped: HashMap<AskKey, Millis>,
    /// The states in which frames begin whose beginning was not recorded. The keys are as those of `stopped`.
    pub begins: HashMap<AskKey, StateId>,
    /// Items that came to an end, with when and whether they succeeded. The keys are as those of `stopped`.
    pub ended: HashMap<AskKey, (Millis, bool)>,
    /// When all was over, of a run that follows the events: what is not among them does not happen before.
    pub over: Option<Millis>,
    /// Whether such a run ends where they do: not all of them are known.
    pub ends_there: bool,
    /// How it ended there, if it did not come to that by itself before.
    pub end: Option<Status>,
}

/// One visit of a state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Passage {
    /// When the state was entered, on the virtual clock.
    pub entered: Option<Millis>,
    /// The id of that event in AWS's history; 0 where it is not known.
    pub entered_id: u32,
    /// When each attempt began, on the virtual clock.
    pub attempts: Vec<Option<Millis>>,
    /// When the state was left, on the virtual clock.
    pub left: Option<Millis>,
    /// Its input, where that cannot be computed again.
    pub input: Option<Unrepeatable>,
    /// What each attempt was called with, where that cannot be computed again.
    pub calls: Vec<Option<Unrepeatable>>,
    /// Its output, where that cannot be computed again.
    pub output: Option<Unrepeatable>,
    /// What it assigned, where that cannot be computed again.
    pub assigned: Vec<(Text, Value)>,
    /// What a Map Run came to whose child executions are not known, and when.
    pub map_run: Option<MapRun>,
    /// What happened in it, where the definition does not say so itself.
    pub followed: Option<Followed>,
}

/// What happened in a visit of a state that was made of its events.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Followed {
    /// The state that came next; `None` where the scope ended, or nothing more was recorded.
    pub next: Option<Text>,
    /// How many attempts there were.
    pub tries: usize,
    /// How many items a Map had.
    pub items: Option<u32>,
    /// The attempts of a Map or Parallel.
    pub works: Vec<Work>,
    /// The error that the last one failed with, as far as it is known.
    pub work_fault: Option<Fault>,
    /// The error of the state itself, which ended the execution.
    pub fault: Option<Fault>,
    /// Whether nothing is known of how it was left.
    pub is_open: bool,
}

/// What was recorded of an attempt of a Map or Parallel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Work {
    /// When it was over, on the virtual clock.
    pub over: Option<Millis>,
    /// After how many failed items or branches it failed; `None` where it did not.
    pub fails_after: Option<u32>,
}

/// What a Map Run came to whose child executions are not known.
#[derive(Clone, Debug, PartialEq)]
pub struct MapRun {
    /// How many items it had; 0 where they were read from a file.
    pub length: u32,
    /// When it was over, on the virtual clock.
    pub ended: Option<Millis>,
    /// What came of it; `None` where that is not known.
    pub outcome: Option<MapRunOutcome>,
}

/// What came of a Map Run.
#[derive(Clone, Debug, PartialEq)]
pub enum MapRunOutcome {
    /// Its result.
    Result(Value),
    /// The output that the state made of its result, which is not known itself.
    Output(Value),
    /// Its error.
    Failure(Fault),
}

/// A value in which something cannot be computed again: a random number, a time, a name that AWS gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Unrepeatable {
    /// The value as it was.
    pub value: Value,
    /// The names of the members that cannot be computed again; an empty name is the whole value.
    pub names: Arc<[Text]>,
    /// Whether nothing of it can be computed.
    pub whole: bool,
}

impl Course {
    /// What is known of a visit.
    #[must_use]
    pub fn passage(&self, key: &AskKey) -> Option<&Passage> {
        self.visits.get(key)
    }
}

/// When something is over that was computed to be over between two times: as it was recorded, unless that is another wait.
#[must_use]
pub fn due(recorded: Option<Millis>, earliest: Millis, latest: Millis) -> Option<Millis> {
    let is_same =
        |at: &Millis| at.saturating_add(EARLY) >= earliest && *at <= latest.saturating_add(LATE);
    recorded.filter(is_same)
}

impl Unrepeatable {
    /// The computed value with what cannot be computed again as it was: texts and numbers, not shapes.
    #[must_use]
    pub fn taken(&self, computed: Value) -> Value {
        if self.whole {
            return self.value.clone();
        }
        if self.names.iter().any(|name| name.is_empty()) {
            return match same_shape(&computed, &self.value, 0) {
                true => self.value.clone(),
                false => computed,
            };
        }
        members_taken(&computed, &self.value, &self.names, 0)
    }
}

fn members_taken(computed: &Value, recorded: &Value, names: &[Text], depth: u32) -> Value {
    if depth > DEEPEST || computed == recorded {
        return computed.clone();
    }
    match (computed, recorded) {
        (Value::Object(own), Value::Object(other)) => {
            let member = |(name, value): &(Text, Value)| {
                let twin = other.get(name);
                let value = match twin {
                    Some(twin) if names.contains(name) && same_shape(value, twin, depth) => {
                        twin.clone()
                    }
                    Some(twin) => members_taken(value, twin, names, depth + 1),
                    None => value.clone(),
                };
                (name.clone(), value)
            };
            Value::object(own.members().iter().map(member).collect())
        }
        (Value::Array(own), Value::Array(other)) => {
            let pairs =
                (0..own.items().len()).filter_map(|at| own.items().get(at).map(|v| (at, v)));
            let items = pairs.map(|(at, value)| match other.items().get(at) {
                Some(twin) => members_taken(value, twin, names, depth + 1),
                None => value.clone(),
            });
            Value::array(items.collect())
        }
        _ => computed.clone(),
    }
}

/// Deeper than this values are taken for different.
const DEEPEST: u32 = 100;

fn same_shape(one: &Value, other: &Value, depth: u32) -> bool {
    if depth > DEEPEST {
        return false;
    }
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let (one, other) = (one.members(), other.members());
            // What AWS adds to the context object from time to time is no other shape.
            let same = |(name, value): &(Text, Value)| {
                let twin = other.iter().find(|(own, _)| own == name);
                twin.is_none_or(|(_, twin)| same_shape(value, twin, depth + 1))
            };
            let shared = one
                .iter()
                .any(|(name, _)| other.iter().any(|(own, _)| own == name));
            (shared || one.is_empty() && other.is_empty()) && one.iter().all(same)
        }
        (Value::Array(one), Value::Array(other)) => {
            let pairs = one.items().iter().zip(other.items());
            one.items().len() == other.items().len()
                && pairs
                    .into_iter()
                    .all(|(one, other)| same_shape(one, other, depth + 1))
        }
        (Value::String(_) | Value::Number(_), Value::String(_) | Value::Number(_)) => true,
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_the_recorded_one_unless_that_is_another() {
        assert_eq!(due(Some(10_003), 10_000, 10_000), Some(10_003));
        assert_eq!(due(Some(9_980), 10_000, 10_000), Some(9_980));
        assert_eq!(due(Some(5_003), 10_000, 10_000), None);
        assert_eq!(due(Some(15_003), 10_000, 10_000), None);
        // With jitter any delay up to the computed one is as good.
        assert_eq!(due(Some(1_003), 0, 10_000), Some(1_003));
    }

    #[test]
    fn only_what_differs_in_texts_and_numbers_is_taken() {
        let value = |text: &str| crate::json::parse(text).expect("JSON");
        let check = |names: &[&str], computed: &str, recorded: &str, expected: &str| {
            let names = names.iter().map(|name| Text::from(*name)).collect();
            let there = Unrepeatable {
                value: value(recorded),
                names,
                whole: false,
            };
            assert_eq!(there.taken(value(computed)), value(expected));
        };
        check(
            &["id"],
            r#"{"id":"a","n":1}"#,
            r#"{"id":"b","n":2}"#,
            r#"{"id":"b","n":1}"#,
        );
        check(
            &[""],
            r#"{"id":"a","n":1}"#,
            r#"{"id":"b","n":2}"#,
            r#"{"id":"b","n":2}"#,
        );
        check(&["id"], r#"{"id":"a"}"#, r#"{"id":[7]}"#, r#"{"id":"a"}"#);
        check(
            &["id"],
            r#"[{"id":"a"}]"#,
            r#"[{"id":"c"},2]"#,
            r#"[{"id":"c"}]"#,
        );
        check(&[""], r#"{"ok":true}"#, r#"{"ok":false}"#, r#"{"ok":true}"#);
    }
}
