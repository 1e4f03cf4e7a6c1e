//! Data of a recorded execution that a run repeats: times, and values that cannot be computed again.

use super::ask::AskKey;
use super::event::Millis;
use super::fault::Fault;
use super::machine::Status;
use crate::definition::StateId;
use crate::json::{Text, Value};
use std::collections::HashMap;
use std::sync::Arc;

/// Tolerance in milliseconds if a recorded time is later than the computed one; recorded times are off by some
/// hundredths of a second at most.
const LATE: Millis = 1000;
/// Tolerance in milliseconds if a recorded time is earlier than the computed one, because times are rounded.
const EARLY: Millis = 50;

/// The recorded course of an execution. Visits are keyed by the request key with attempt 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Course {
    /// Recorded data of each visit to a state.
    pub visits: HashMap<AskKey, Passage>,
    /// Frames that were aborted with their siblings, and when that happened: a state that such a frame had not entered
    /// is not entered before that time. The key has the name of the Parallel or Map and visit 0.
    pub stopped: HashMap<AskKey, Millis>,
    /// First states of frames whose beginning was not recorded. Keyed like `stopped`.
    pub begins: HashMap<AskKey, StateId>,
    /// Map items that ended: when, and whether they succeeded. Keyed like `stopped`.
    pub ended: HashMap<AskKey, (Millis, bool)>,
    /// End of the recording, if the run follows the recorded events. Until then, only recorded events happen.
    pub over: Option<Millis>,
    /// True if the run stops at the end of the recording, because the later events are not known.
    pub ends_there: bool,
    /// How the recorded execution ended; used if the run does not end by itself before.
    pub end: Option<Status>,
}

/// Recorded data of a visit to a state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Passage {
    /// When the state was entered, on the virtual clock.
    pub entered: Option<Millis>,
    /// Id of the StateEntered event in AWS's history; 0 if unknown.
    pub entered_id: u32,
    /// When each attempt began, on the virtual clock.
    pub attempts: Vec<Option<Millis>>,
    /// When the state was exited, on the virtual clock.
    pub left: Option<Millis>,
    /// The state's input, if it cannot be computed again.
    pub input: Option<Unrepeatable>,
    /// The input of each attempt's call, if it cannot be computed again.
    pub calls: Vec<Option<Unrepeatable>>,
    /// The state's output, if it cannot be computed again.
    pub output: Option<Unrepeatable>,
    /// The assigned variables that cannot be computed again.
    pub assigned: Vec<(Text, Value)>,
    /// Outcome and end of a Map Run whose child executions are not known.
    pub map_run: Option<MapRun>,
    /// Recorded next state, attempts and items, if the definition alone does not determine them.
    pub followed: Option<Followed>,
}

/// Recorded next state, attempts and items of a visit, if the definition was reconstructed from the events.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Followed {
    /// Name of the next state; `None` if the scope ended, or nothing more was recorded.
    pub next: Option<Text>,
    /// Number of attempts.
    pub tries: usize,
    /// Number of items of a Map.
    pub items: Option<u32>,
    /// The attempts of a Map or Parallel.
    pub works: Vec<Work>,
    /// The error of the last attempt of a Map or Parallel, as far as it is known.
    pub work_fault: Option<Fault>,
    /// The state's own error, which ended the execution.
    pub fault: Option<Fault>,
    /// True if it is not known how the state was exited.
    pub is_open: bool,
    /// True if the state was exited as if its task had not failed.
    pub leaves: bool,
}

/// Recorded data of an attempt of a Map or Parallel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Work {
    /// When the attempt ended, on the virtual clock.
    pub over: Option<Millis>,
    /// Number of failed items or branches after which the attempt failed; `None` if it did not fail.
    pub fails_after: Option<u32>,
}

/// Recorded data of a Map Run whose child executions are unknown.
#[derive(Clone, Debug, PartialEq)]
pub struct MapRun {
    /// Number of items; 0 if they were read from a file.
    pub length: u32,
    /// When the Map Run ended, on the virtual clock.
    pub ended: Option<Millis>,
    /// The outcome; `None` if unknown.
    pub outcome: Option<MapRunOutcome>,
}

/// Outcome of a Map Run.
#[derive(Clone, Debug, PartialEq)]
pub enum MapRunOutcome {
    /// The result.
    Result(Value),
    /// The state's output, if only that is known and not the result.
    Output(Value),
    /// The error.
    Failure(Fault),
}

/// A value parts of which cannot be computed again: a random number, a time, a name that AWS assigned.
#[derive(Clone, Debug, PartialEq)]
pub struct Unrepeatable {
    /// The recorded value.
    pub value: Value,
    /// Names of the members that cannot be computed again; an empty name means the whole value.
    pub names: Arc<[Text]>,
    /// True if no part of the value can be computed.
    pub whole: bool,
}

impl Course {
    /// Recorded data of a visit.
    #[must_use]
    pub fn passage(&self, key: &AskKey) -> Option<&Passage> {
        self.visits.get(key)
    }
}

/// Returns the recorded end of a wait that was computed to end between two times; `None` if it cannot be the same wait.
#[must_use]
pub fn due(recorded: Option<Millis>, earliest: Millis, latest: Millis) -> Option<Millis> {
    let is_same =
        |at: &Millis| at.saturating_add(EARLY) >= earliest && *at <= latest.saturating_add(LATE);
    recorded.filter(is_same)
}

impl Unrepeatable {
    /// Replaces the unrepeatable parts of a computed value by the recorded ones if they have the same shape; if no part
    /// can be computed, returns the recorded value.
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

/// Values nested deeper than this are considered different.
const DEEPEST: u32 = 100;

fn same_shape(one: &Value, other: &Value, depth: u32) -> bool {
    if depth > DEEPEST {
        return false;
    }
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let (one, other) = (one.members(), other.members());
            // Members that only one of the two has do not matter: AWS sometimes adds members to the context object.
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
        // With jitter, any delay up to the computed one is acceptable.
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
