//! Answers to tasks that exist before the run starts: the answers of a mock file, in the format of AWS Step Functions
//! Local extended by delays, and the answers of a recorded execution.

use crate::interpreter::{Answer, Ask, AskKey, Machine};
use crate::json::{Text, Value};
pub use mock::{DEFAULT_CASE, MockCase, MockFile, RunOut};
pub(super) use reader::read_answer;
use std::collections::HashMap;

mod mock;
mod reader;
#[cfg(test)]
mod tests;

/// The recorded answer to a call of a task.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedAnswer {
    /// Input of the call. The answer is used only for a call with an equal input. `None` if the input was not recorded;
    /// the answer is then used for any input.
    pub input: Option<Value>,
    /// Outcome, duration and heartbeats of the call.
    pub answer: Answer,
}

/// Recorded answers, by the key of the request that they answer.
pub type RecordedAnswers = HashMap<AskKey, RecordedAnswer>;

impl RecordedAnswer {
    /// True if the recorded call had this input, or if its input was not recorded.
    #[must_use]
    pub fn fits(&self, input: &Value) -> bool {
        self.input.as_ref().is_none_or(|recorded| recorded == input)
    }
}

/// Recorded executions of the items of Maps, by path of the Map.
pub type RecordedItems = HashMap<Text, Vec<RecordedItem>>;

/// The recorded execution of one item of a Map.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedItem {
    /// Input of the item's execution.
    pub input: Value,
    /// Answers by request key. The keys are relative to the item's execution, as if the Map's ItemProcessor were a
    /// state machine.
    pub answers: RecordedAnswers,
}

/// Identifies an item of the run: the path of the Map, and the indices and rounds (see [`AskKey`]) of the item's frame.
type Place = (Text, Vec<u32>, Vec<(u32, u32)>);

/// Records which recorded execution has been assigned to which item of the run. Each execution is assigned only once.
#[derive(Clone, Debug, Default)]
pub(super) struct Taken {
    of_items: HashMap<Place, usize>,
}

impl Taken {
    /// The recorded answer to the request of a task inside an item. At the item's first request, the item is assigned a
    /// recorded execution with an equal input.
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
        let map_key = (map.path.0.clone(), indices, rounds);
        let place = match self.of_items.get(&map_key) {
            Some(place) => *place,
            None => {
                let mut places = (0..).zip(all);
                let is_free = |place: usize| {
                    !self
                        .of_items
                        .iter()
                        .any(|(key, taken)| key.0 == map_key.0 && *taken == place)
                };
                let (place, _) =
                    places.find(|(place, item)| item.input == *input && is_free(*place))?;
                self.of_items.insert(map_key, place);
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
