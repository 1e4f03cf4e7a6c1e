//! The items of a Map as a person wants to see them: a column of their choice, a filter.

use super::reply::{Refused, Reply};
use crate::definition::Map;
use crate::interpreter::{Frame, Item, Machine, Stage};
use crate::json::{Text, Value};
use crate::query::Evaluate as _;
use crate::query::{Expression, Template};

/// How the items of Maps are shown.
#[derive(Clone, Debug, Default)]
pub(super) struct ItemTable {
    /// What is shown beside each item, as typed and read.
    pub column: Option<(Text, Expression)>,
    /// Only items that hold this, in lower case.
    pub filter: Text,
}

/// What the input of an item is.
enum OwnInput<'m> {
    /// The item itself, which is a batch where items are batched.
    Item,
    /// What this template makes of it.
    Made(&'m Template),
}

fn own_input(map: &Map) -> OwnInput<'_> {
    match &map.item_selector {
        Some(template) if map.batcher.is_none() => OwnInput::Made(template),
        _ => OwnInput::Item,
    }
}

/// So many nodes of an item are looked at by a filter.
const SEARCHED: usize = 20_000;

/// A path as JSONata writes it as the same path in JSONPath; any other text as it is.
fn as_path(text: &str) -> String {
    let inner = text.trim().strip_prefix("{%");
    let inner = inner.and_then(|text| text.strip_suffix("%}"));
    let inner = inner.unwrap_or(text).trim();
    let roots = [("$states.input", "$"), ("$states.context", "$$")];
    let path = roots.iter().find_map(|(own, root)| {
        let rest = inner.strip_prefix(own)?;
        (rest.is_empty() || rest.starts_with(['.', '['])).then(|| format!("{root}{rest}"))
    });
    path.unwrap_or_else(|| inner.to_string())
}

impl ItemTable {
    /// Chooses what is shown beside each item of a Map.
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

    /// Shows only the items that hold a text; an empty one shows all.
    pub fn show_holding(&mut self, text: &str) -> Reply {
        self.filter = text.to_lowercase().into();
        Reply::Done
    }

    /// What the chosen expression gives for an item of the Map that a frame is in; `$` is the item's own input, as its
    /// first state has it, or the raw item where that cannot be had here.
    pub fn beside(
        &self,
        machine: &Machine,
        frame: &Frame,
        map: &Map,
        item: &Item,
    ) -> Option<Result<Value, String>> {
        let (_, expression) = self.column.as_ref()?;
        let own = match own_input(map) {
            OwnInput::Item => Ok(item.value.clone()),
            OwnInput::Made(template) => {
                let data = frame.visit.data.latest(Stage::AfterInputPath);
                template.eval(&machine.inspect(frame, &data).for_item(item))
            }
        };
        let found =
            own.and_then(|input| expression.eval(&machine.inspect(frame, &input).for_item(item)));
        Some(found.map_err(|error| error.to_string()))
    }

    /// What stands above the column.
    pub fn heading(&self, map: &Map) -> Option<Text> {
        let (text, _) = self.column.as_ref()?;
        // A batch is made before its item begins; only what JSONata selects is not had again here.
        let is_raw = map.jsonata_selector.is_some() && map.batcher.is_none();
        Some(match is_raw {
            true => format!("{text} of the raw item").into(),
            false => format!("{text} of the input of each {}", map.unit()).into(),
        })
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
                waiting.extend(array.from(0).take(SEARCHED));
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
