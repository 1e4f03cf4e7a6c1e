//! What a Map does to each of its items: ItemReader, ItemSelector and ItemBatcher, at the Map and in an item's input.
//!
//! It must not know scrolling, selection or how a block is drawn.

use super::block::{Block, plain_block, state_of};
use super::note::Note;
use super::part::Part;
use super::{Level, Paint};
use crate::interpreter::Stage;
use crate::source::Node;
use crate::tui::theme::Role;

/// At most so many members are listed.
const MOST: usize = 24;

/// `ItemSelector of RenewEach`: what made the input of an item.
pub(super) fn of_input(paint: &Paint) -> Option<String> {
    let item = paint.view.data.item.as_ref()?;
    let map = paint.definition.state(item.map)?;
    Some(format!("{} of {}", item.field, map.name))
}

/// Adds a block for each of the fields that a Map has, with a line for each of their members.
pub(super) fn add(paint: &Paint, blocks: &mut Vec<Block>) {
    let Some(state) = state_of(paint).filter(|_| paint.level >= Level::Debug) else {
        return;
    };
    let (reader, batcher) = (state.field("ItemReader"), state.field("ItemBatcher"));
    let mut made = Vec::new();
    for field in [reader, state.item_selector(), batcher]
        .into_iter()
        .flatten()
    {
        let Some(node) = paint.definition.node.at(field.value) else {
            continue;
        };
        let mut lines = Vec::new();
        flatten(node, "", &mut lines);
        let name = match &*field.name {
            "ItemReader" => "Items are read",
            "ItemBatcher" => "Each batch",
            _ => "Each item",
        };
        let mut block = plain_block(Part::Item(field.value.start), name, None);
        block.section = false;
        block.expression = Some(field.name.to_string());
        block.notes = lines.into_iter().map(note).collect();
        made.push(block);
    }
    let after = blocks.iter().rposition(|block| {
        matches!(
            block.part,
            Part::Stage(Stage::Input | Stage::AfterInputPath | Stage::AfterItemsPath)
        )
    });
    let place = after.map_or(0, |place| place + 1);
    blocks.splice(place..place, made);
}

fn note((label, text): (String, String)) -> Note {
    Note {
        sign: "",
        label,
        text,
        role: Role::Path,
    }
}

/// The members of a template that hold a text or a literal, each with the way there.
fn flatten(node: &Node, above: &str, lines: &mut Vec<(String, String)>) {
    if lines.len() >= MOST {
        return;
    }
    let Some(members) = node.members() else {
        let text = node.as_str().map(str::to_owned);
        let text = text.unwrap_or_else(|| node.to_value().to_string());
        lines.push((above.to_owned(), format!("= {text}")));
        return;
    };
    for member in members {
        let name = member.key.text.trim_end_matches(".$");
        let name = match above {
            "" => name.to_owned(),
            above => format!("{above}.{name}"),
        };
        flatten(&member.value, &name, lines);
    }
}
