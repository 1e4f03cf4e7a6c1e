//! The stages that produce the input of a Map's items: the field for each, and what it omits from the item.

use crate::definition::{Definition, Map, Quantity, State, StateKind};
use crate::interpreter::{Frame, Stage};
use crate::json::{Step, Text};
use crate::query::{Root, Template};
use crate::source::Node;

/// Short text to show after the field's name: the resource that is read, the size of a batch.
pub(super) fn in_short(definition: &Definition, state: &State, stage: Stage) -> Option<String> {
    let StateKind::Map(map) = &state.kind else {
        return None;
    };
    match stage {
        Stage::AfterItemReader => {
            let resource = &map.reader.as_ref()?.resource;
            let short = resource.rsplit(":::").next().unwrap_or(resource);
            Some(short.to_owned())
        }
        Stage::AfterItemBatcher => {
            let batcher = map.batcher.as_ref()?;
            let node = definition.node.at(state.field("ItemBatcher")?.value)?;
            let limits = [
                ("MaxItemsPerBatch", &batcher.max_items),
                ("MaxInputBytesPerBatch", &batcher.max_bytes),
            ];
            let limits = limits.into_iter().filter_map(|(name, limit)| {
                Some(format!(
                    "{name} {}",
                    limit_text(node, name, limit.as_ref()?)
                ))
            });
            Some(limits.collect::<Vec<_>>().join(", "))
        }
        _ => None,
    }
}

fn limit_text(node: &Node, name: &str, limit: &Quantity<u64>) -> String {
    match limit {
        Quantity::Constant(number) => number.to_string(),
        Quantity::Path(path) => path.text().to_string(),
        Quantity::Expression(_) => node
            .get(name)
            .and_then(Node::as_str)
            .unwrap_or_default()
            .to_owned(),
    }
}

/// Index of the item whose input is shown at a stage; `None` if the stage shows all items, or none yet.
pub(super) fn item_at(frame: &Frame, stage: Stage) -> Option<u32> {
    let group = frame.visit.group.as_ref()?;
    group.selected.filter(|_| stage == Stage::AfterItemSelector)
}

/// Members of the item that ItemSelector does not read.
pub(super) fn unread(map: &Map, frame: &Frame) -> Option<Vec<Text>> {
    let group = frame.visit.group.as_ref()?;
    let item = group.work.item(group.selected?)?.value;
    let read = item_members(map.item_selector.as_ref()?)?;
    let members = item.as_object()?.members();
    let names = members.iter().map(|(name, _)| name.clone());
    Some(names.filter(|name| !read.contains(name)).collect())
}

/// Members of the item that a template reads; `None` if it may read all of them.
fn item_members(template: &Template) -> Option<Vec<Text>> {
    let mut read = Vec::new();
    for (_, expression) in template.expressions() {
        for path in expression.paths() {
            if !matches!(path.root(), Root::Context) {
                continue;
            }
            let names = path.names();
            let member = |place: usize| match names.as_ref()?.get(place)? {
                Step::Member(name) => Some(name.clone()),
                Step::Item(_) => None,
            };
            let is = |place: usize, name: &str| member(place).is_some_and(|own| &*own == name);
            if names.is_some() && (!is(0, "Map") || is(1, "Item") && is(2, "Index")) {
                continue;
            }
            read.push(member(3)?);
        }
    }
    Some(read)
}
