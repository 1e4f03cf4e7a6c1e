//! The items of a Map as a person wants to see them: a column of their choice, a filter, the way into one.
//!
//! It must not know how a table is drawn.

use super::reply::{Refused, Reply};
use super::session::Session;
use super::stop::Stop;
use crate::interpreter::{EventKind, Frame, FrameId, Machine};
use crate::json::{Text, Value};
use crate::query::Expression;

/// How the items of Maps are shown.
#[derive(Clone, Debug, Default)]
pub(super) struct ItemTable {
    /// What is shown beside each item, as typed and read.
    pub column: Option<(Text, Expression)>,
    /// Only items that hold this, in lower case.
    pub filter: Text,
}

/// So many nodes of an item are looked at by a filter.
const SEARCHED: usize = 20_000;

impl Session {
    /// Chooses what is shown beside each item of a Map.
    pub(super) fn show_beside_items(&mut self, text: Option<Text>) -> Result<Reply, Refused> {
        self.items.column = match text {
            None => None,
            Some(text) => match Expression::parse(&text) {
                Ok(expression) => Some((text, expression)),
                Err(error) => {
                    let problem = error.to_string();
                    return Err(Refused::Expression { text, problem });
                }
            },
        };
        Ok(Reply::Done)
    }

    /// What the chosen expression gives for an item; `$` is the item.
    pub(super) fn beside(
        &self,
        machine: &Machine,
        frame: &Frame,
        item: &Value,
    ) -> Option<Result<Value, String>> {
        let (_, expression) = self.items.column.as_ref()?;
        let found = expression.eval(&machine.inspect(frame, item));
        Some(found.map_err(|error| error.to_string()))
    }

    /// Travels into an item of the Map looked at: to its error where it failed, else to where it begins.
    pub(super) fn enter_item(&mut self, index: u32) -> Result<Reply, Refused> {
        let map = self.focus_frame().map(|frame| frame.id);
        let map = map.ok_or(Refused::NothingRan)?;
        let machine = &self.snapshot().machine;
        let group = machine
            .frame(map)
            .and_then(|frame| frame.visit.group.as_ref());
        if let Some(child) = group.and_then(|group| group.live_child(index)) {
            self.stepper.focus = child;
            return Ok(Reply::Focus(child));
        }
        let began = self.item_began(map, index);
        let (begun, child) = began.ok_or(Refused::ItemNotBegun(index))?;
        let until = self.recording.timeline.len();
        let mut events = (begun..=until)
            .filter_map(|number| Some((number, self.recording.timeline.get(number)?)));
        let ended = events.find(|(_, event)| event.frame == child && event.kind.ends_frame());
        let failed = ended.filter(|(_, event)| event.kind == EventKind::IterationFailed);
        let error = failed.and_then(|(end, _)| {
            let mut back = (begun..end).rev();
            back.find(|number| {
                let event = self.recording.timeline.get(*number);
                event.is_some_and(|event| event.frame == child && event.kind == EventKind::Uncaught)
            })
        });
        Ok(self.travel(error.unwrap_or(begun), Stop::Travel))
    }

    /// Where an item of a Map began last, up to the cursor or else after it.
    fn item_began(&self, map: FrameId, index: u32) -> Option<(u64, FrameId)> {
        let is_it = |number: &u64| {
            let event = self.recording.timeline.get(*number)?;
            let began = event.kind == EventKind::IterationStarted && event.arg == index;
            let lineage = began
                .then(|| self.recording.timeline.lineage(event.frame))
                .flatten()?;
            (lineage.parent == Some(map)).then_some((*number, event.frame))
        };
        let now = self.snapshot().events;
        let before = (1..=now).rev().find_map(|number| is_it(&number));
        before.or_else(|| (now..=self.recording.timeline.len()).find_map(|number| is_it(&number)))
    }
}

/// Whether a value holds a text (in lower case) in a name or a scalar.
pub(super) fn holds_text(value: &Value, text: &str) -> bool {
    let mut waiting = vec![value];
    for _ in 0..SEARCHED {
        let Some(value) = waiting.pop() else {
            return false;
        };
        let found = match value {
            Value::String(own) => own.to_lowercase().contains(text),
            Value::Number(number) => number.to_string().contains(text),
            Value::Bool(flag) => flag.to_string().contains(text),
            Value::Null => "null".contains(text),
            Value::Array(array) => {
                waiting.extend(array.items());
                false
            }
            Value::Object(object) => {
                waiting.extend(object.members().iter().map(|(_, value)| value));
                let mut names = object.members().iter();
                names.any(|(name, _)| name.to_lowercase().contains(text))
            }
        };
        if found {
            return true;
        }
    }
    false
}
