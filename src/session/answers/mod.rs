//! Prepared answers: the mock file format of AWS Step Functions Local (ASL-SEMANTICS 16), extended by delays; and answers
//! that were recorded elsewhere.

use crate::interpreter::{Answer, Ask, AskKey, Machine};
use crate::json::{Text, Value};
pub use mock::{DEFAULT_CASE, MockCase, MockFile, RunOut};
pub(super) use reader::read_answer;
use std::collections::HashMap;

mod mock;
mod reader;
#[cfg(test)]
mod tests;

/// The answer to a call.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedAnswer {
    /// Input of the call; the answer is used only for the same input. `None` if it was not recorded.
    pub input: Option<Value>,
    /// Outcome, duration and heartbeats.
    pub answer: Answer,
}

/// Recorded answers by the key of their request.
pub type RecordedAnswers = HashMap<AskKey, RecordedAnswer>;

impl RecordedAnswer {
    /// True if the recording shows this answer for a call with this input.
    #[must_use]
    pub fn fits(&self, input: &Value) -> bool {
        self.input.as_ref().is_none_or(|own| own == input)
    }
}

/// Executions of all Maps, by path of the Map.
pub type RecordedItems = HashMap<Text, Vec<RecordedItem>>;

/// Answers to the tasks of one item.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedItem {
    /// Input of the item's execution.
    pub input: Value,
    /// Answers by request key, as if the item's execution ran its own state machine.
    pub answers: RecordedAnswers,
}

/// An item of a run: path of the Map, and indices and rounds of the item's frame.
type Place = (Text, Vec<u32>, Vec<(u32, u32)>);

/// Executions that have been assigned to items.
#[derive(Clone, Debug, Default)]
pub(super) struct Taken {
    of_items: HashMap<Place, usize>,
}

impl Taken {
    /// The recorded answer to a request of a task in an item.
    pub fn answer<'r>(
        &mut self,
        items: &'r RecordedItems,
        machine: &Machine,
        ask: &Ask,
    ) -> Option<&'r RecordedAnswer> {
        if items.is_empty() {
            return None;
        }
        let (frame, input) = machine.execution_around(ask.frame)?;
        let around = machine.frame(frame.parent?)?;
        let map = machine.definition().state(around.visit.state)?;
        let all = items.get(&map.path.0)?;
        let AskKey {
            indices, rounds, ..
        } = machine.key(frame);
        let depth = indices.len();
        let own = (map.path.0.clone(), indices, rounds);
        let place = match self.of_items.get(&own) {
            Some(place) => *place,
            None => {
                let mut places = (0..).zip(all);
                let is_free = |place: usize| {
                    !self
                        .of_items
                        .iter()
                        .any(|(key, taken)| key.0 == own.0 && *taken == place)
                };
                let (place, _) =
                    places.find(|(place, item)| item.input == *input && is_free(*place))?;
                self.of_items.insert(own, place);
                place
            }
        };
        let key = AskKey {
            indices: ask.key.indices.get(depth..)?.to_vec(),
            rounds: ask.key.rounds.get(depth..)?.to_vec(),
            ..ask.key.clone()
        };
        all.get(place)?.answers.get(&key)
    }
}
