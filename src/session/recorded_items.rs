//! Answers that the tasks of a DISTRIBUTED Map's items got, each item in an execution of its own.
//!
//! Which item an execution was of is told by its input alone: executions begin in any order.

use super::recorded_answer::{RecordedAnswer, RecordedAnswers};
use crate::interpreter::{Ask, AskKey, Machine};
use crate::json::{Text, Value};
use std::collections::HashMap;

/// The executions of all Maps, by the path of the Map.
pub type RecordedItems = HashMap<Text, Vec<RecordedItem>>;

/// What the tasks of one item got.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedItem {
    /// The input of its execution.
    pub input: Value,
    /// Under the keys of their questions, as if the execution were a machine of its own.
    pub answers: RecordedAnswers,
}

/// An item of a run: the Map's path, and the indexes and rounds of the item's frame.
type Place = (Text, Vec<u32>, Vec<(u32, u32)>);

/// The executions that were taken for items.
#[derive(Clone, Debug, Default)]
pub(super) struct Taken {
    of_items: HashMap<Place, usize>,
}

impl Taken {
    /// What was recorded for a question of a task in an item.
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
