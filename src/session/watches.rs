//! Watch expressions with their values at the last two stops, and the settings of the item table: a column and a
//! filter.

use super::reply::{Refused, Reply};
use super::view::WatchView;
use crate::definition::Map;
use crate::interpreter::{Frame, Item, Machine, Stage};
use crate::json::{Text, Value};
use crate::query::{Evaluate as _, Expression, Template};

/// Watches in the order in which they were added.
#[derive(Debug, Default)]
pub(super) struct Watches(Vec<Watch>);

/// A watch expression.
#[derive(Clone, Debug)]
struct Watch {
    text: Text,
    /// Value at the current stop, or why there is none.
    now: Result<Value, String>,
    /// Value at the previous stop, or why there was none.
    was: Result<Value, String>,
}

impl Watches {
    /// Adds a watch with its current value.
    pub fn add(&mut self, text: Text, value: Result<Value, String>) -> Reply {
        self.0.push(Watch {
            text: text.clone(),
            now: value.clone(),
            was: value.clone(),
        });
        Reply::Watched { text, value }
    }

    /// Records the values at a stop. The values that were recorded last become the values of the previous stop.
    pub fn sample(&mut self, values: impl FnOnce(&[&str]) -> Vec<Result<Value, String>>) {
        let texts: Vec<&str> = self.texts().map(|text| &**text).collect();
        let values = values(&texts);
        for (watch, value) in self.0.iter_mut().zip(values) {
            watch.was = std::mem::replace(&mut watch.now, value);
        }
    }

    /// Removes a watch.
    pub fn remove(&mut self, place: usize) -> Result<Reply, Refused> {
        if place >= self.0.len() {
            return Err(Refused::NoWatch(place));
        }
        self.0.remove(place);
        Ok(Reply::Done)
    }

    /// The watch expressions.
    pub fn texts(&self) -> impl Iterator<Item = &Text> {
        self.0.iter().map(|watch| &watch.text)
    }

    /// The watches for display.
    pub fn views(&self) -> Vec<WatchView> {
        let views = self.0.iter().map(|watch| WatchView {
            text: watch.text.clone(),
            value: watch.now.clone(),
            was: (watch.was != watch.now).then(|| watch.was.clone()),
        });
        views.collect()
    }
}

/// Settings of the table of a Map's items.
#[derive(Clone, Debug, Default)]
pub(super) struct ItemTable {
    /// The expression to show beside each item, as typed and as parsed.
    pub column: Option<(Text, Expression)>,
    /// The table shows only items that contain this text, which is in lower case.
    pub filter: Text,
}

/// How a Map produces the input of an item.
enum OwnInput<'m> {
    /// The input is the item itself, or the batch if the Map has an ItemBatcher.
    Item,
    /// This template (ItemSelector or Parameters) produces the input.
    Made(&'m Template),
}

fn own_input(map: &Map) -> OwnInput<'_> {
    match &map.item_selector {
        Some(template) if map.batcher.is_none() => OwnInput::Made(template),
        _ => OwnInput::Item,
    }
}

/// Maximum number of values in an item that a filter searches.
const SEARCHED: usize = 20_000;

/// Converts a path in JSONata to the same path in JSONPath; returns other texts unchanged.
fn as_path(text: &str) -> String {
    let inner = text.trim().strip_prefix("{%");
    let inner = inner.and_then(|text| text.strip_suffix("%}"));
    let inner = inner.unwrap_or(text).trim();
    let roots = [("$states.input", "$"), ("$states.context", "$$")];
    let path = roots.iter().find_map(|(word, root)| {
        let rest = inner.strip_prefix(word)?;
        (rest.is_empty() || rest.starts_with(['.', '['])).then(|| format!("{root}{rest}"))
    });
    path.unwrap_or_else(|| inner.to_string())
}

impl ItemTable {
    /// Sets the expression to show beside each item.
    pub fn show_beside(&mut self, text: Option<Text>) -> Result<Reply, Refused> {
        self.column = match text {
            None => None,
            Some(text) => match Expression::parse(&as_path(&text)) {
                Ok(expression) => Some((text, expression)),
                Err(error) => {
                    let problem = error.to_string();
                    return Err(Refused::Expression { text, problem });
                }
            },
        };
        Ok(Reply::Done)
    }

    /// Shows only items that contain this text; an empty text shows all items.
    pub fn show_holding(&mut self, text: &str) -> Reply {
        self.filter = text.to_lowercase().into();
        Reply::Done
    }

    /// Value of the column's expression for an item of the frame's Map. `$` is the item's input, as the first state of
    /// the item receives it. If that input is not available, `$` is the item itself.
    pub fn beside(
        &self,
        machine: &Machine,
        frame: &Frame,
        map: &Map,
        item: &Item,
    ) -> Option<Result<Value, String>> {
        let (_, expression) = self.column.as_ref()?;
        let input = match own_input(map) {
            OwnInput::Item => Ok(item.value.clone()),
            OwnInput::Made(template) => {
                let data = frame.visit.data.latest(Stage::AfterInputPath);
                template.eval(&machine.inspect(frame, &data).for_item(item))
            }
        };
        let value =
            input.and_then(|input| expression.eval(&machine.inspect(frame, &input).for_item(item)));
        Some(value.map_err(|error| error.to_string()))
    }

    /// Heading of the column.
    pub fn heading(&self, map: &Map) -> Option<Text> {
        let (column, _) = self.column.as_ref()?;
        // In JSONata, the result of an ItemSelector does not exist before the item starts, so the expression reads the
        // item itself. A batch exists before it starts.
        let is_raw = map.jsonata_selector.is_some() && map.batcher.is_none();
        Some(match is_raw {
            true => format!("{column} of the raw item").into(),
            false => format!("{column} of the input of each {unit}", unit = map.unit()).into(),
        })
    }
}

/// True if a value contains a text in the name of a member, or in a string, number or other scalar. The text is in
/// lower case.
pub(super) fn holds_text(value: &Value, text: &str) -> bool {
    let mut waiting = vec![value];
    for _ in 0..SEARCHED {
        let Some(value) = waiting.pop() else {
            return false;
        };
        let is_match = match value {
            Value::String(string) => string.to_lowercase().contains(text),
            Value::Number(number) => number.to_string().contains(text),
            Value::Bool(flag) => flag.to_string().contains(text),
            Value::Null => "null".contains(text),
            Value::Array(array) => {
                waiting.extend(array.from(0).take(SEARCHED));
                false
            }
            Value::Object(object) => {
                waiting.extend(object.members().iter().map(|(_, value)| value));
                let mut names = object.members().iter();
                names.any(|(name, _)| name.to_lowercase().contains(text))
            }
        };
        if is_match {
            return true;
        }
    }
    false
}
