//! The blocks of the data pane: each has a title, a value, and notes about its size and template members. Also decides
//! which blocks are open by default.

use super::Paint;
use super::folds::{Folds, Hop, Marks, Place};
use super::line::bytes;
use super::tree::{Fold, Tree};
use crate::definition::{StageGroup, State};
use crate::interpreter::{PAYLOAD_LIMIT, Stage};
use crate::json::{Pointer, Step, Value, heaviest};
use crate::session::view::StageView;
use crate::source::{Node, Span};
use crate::tui::fit::{width, words, wrapped};
use crate::tui::theme::Role;
use std::collections::HashMap;
use std::rc::Rc;

/// A titled block of the data pane: a stage, an error, the variables or the context object.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) part: Part,
    pub(super) name: String,
    /// True if the block is a separate section; false if it is a stage inside a section.
    pub(super) section: bool,
    /// Text of the field that produced the value, such as `InputPath $.order`.
    pub(super) expression: Option<String>,
    pub(super) value: Option<Value>,
    /// The value that `value` is compared with, to mark the differences.
    pub(super) base: Option<Value>,
    /// Remark at the right of the title.
    pub(super) remark: Option<(String, Role)>,
    pub(super) notes: Vec<Note>,
    /// True if the block may be open by default. Whether it is open also depends on the room in the pane.
    pub(super) open: bool,
    /// Priority of the block if the pane has too little room; the block with the lowest number is the most important.
    pub(super) rank: u8,
    /// True if the block shows the last stage that the run has reached.
    pub(super) here: bool,
    /// True if the block tells nothing new: it has no notes, and its value is the same as that of the stage before.
    pub(super) quiet: bool,
}

/// Creates a block that is a section of its own, is open by default and has no notes.
pub(super) fn plain_block(part: Part, name: &str, value: Option<Value>) -> Block {
    Block {
        part,
        name: name.to_owned(),
        section: true,
        expression: None,
        value,
        base: None,
        remark: None,
        notes: Vec::new(),
        open: true,
        rank: 7,
        here: false,
        quiet: false,
    }
}

/// The state that the data pane shows.
pub(super) fn state_of<'p>(paint: &Paint<'p>) -> Option<&'p State> {
    paint.definition.state(paint.view.data.state?)
}

/// The stage that `part` stands for, with its value; `None` if `part` is not a stage.
pub(super) fn view_of<'p>(paint: &Paint<'p>, part: Part) -> Option<&'p StageView> {
    match part {
        Part::Stage(stage) => paint.view.data.stage(stage),
        _ => None,
    }
}

/// A row of text below a block's value.
#[derive(Debug)]
pub(super) struct Note {
    pub(super) sign: &'static str,
    pub(super) label: String,
    pub(super) text: String,
    pub(super) role: Role,
}

impl Note {
    pub(super) fn new(sign: &'static str, text: impl Into<String>, role: Role) -> Self {
        Self {
            sign,
            label: String::new(),
            text: text.into(),
            role,
        }
    }
}

/// Identifies a block of the data pane by its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// The value at a stage of the state.
    Stage(Stage),
    /// The current error.
    Error,
    /// All variables that the state can read.
    Variables,
    /// The context object.
    Context,
}

/// All blocks of the data pane, and the total number of their rows.
pub(super) struct Plan {
    pub(super) blocks: Vec<Listed>,
    pub(super) len: usize,
}

#[derive(Debug)]
pub(super) struct Listed {
    pub(super) block: Block,
    pub(super) marks: Rc<Marks>,
    pub(super) folds: Rc<Folds>,
    pub(super) open: bool,
    /// True if, by default, only the first level of the value is unfolded.
    pub(super) shallow: bool,
    pub(super) tree: usize,
    pub(super) start: usize,
}

impl Listed {
    /// The block's value as a tree of rows.
    pub(super) fn tree(&self) -> Option<Tree<'_>> {
        let value = self.block.value.as_ref()?;
        Some(Tree::new(value, &self.folds, &self.marks).shallow(self.shallow))
    }

    /// Opens or closes the block. If `shallow` is true, only the first level of its value is unfolded.
    pub(super) fn set(&mut self, open: bool, shallow: bool) {
        self.open = open;
        if self.shallow != shallow {
            self.shallow = shallow;
            self.measure();
        }
    }

    /// Counts the rows of the block's value again.
    pub(super) fn measure(&mut self) {
        self.tree = self.tree().map_or(0, |tree| tree.len());
    }

    pub(super) fn rows(&self) -> usize {
        if self.open { self.full() } else { 1 }
    }

    pub(super) fn full(&self) -> usize {
        1 + self.tree + self.block.notes.len()
    }

    pub(super) fn fold(&self) -> Fold {
        match (self.full() > 1, self.open) {
            (false, _) => Fold::Leaf,
            (true, true) => Fold::Open,
            (true, false) => Fold::Closed,
        }
    }
}

impl Plan {
    pub(super) fn at(&self, row: usize) -> Option<(&Listed, usize)> {
        let place = self.blocks.partition_point(|listed| listed.start <= row);
        let listed = self.blocks.get(place.checked_sub(1)?)?;
        let inner = row - listed.start;
        (inner < listed.rows()).then_some((listed, inner))
    }

    /// The block to which a row of the pane belongs, and the place in the block's value that the row shows. A title row
    /// shows the whole value.
    pub(super) fn spot(&self, row: usize) -> Option<(Part, Place)> {
        let (listed, inner) = self.at(row)?;
        let place = match inner {
            0 => Place::default(),
            _ if inner <= listed.tree => listed.tree()?.rows(inner - 1, 1).pop()?.place,
            _ => Place(vec![Hop::Note(inner - 1 - listed.tree)]),
        };
        Some((listed.block.part, place))
    }

    pub(super) fn listed(&self, part: Part) -> Option<&Listed> {
        self.blocks.iter().find(|listed| listed.block.part == part)
    }

    pub(super) fn row_of(&self, part: Part, place: &Place) -> Option<usize> {
        let listed = self.listed(part)?;
        let inner = match place.0.as_slice() {
            [] => 0,
            _ if !listed.open => 0,
            [Hop::Note(note)] => 1 + listed.tree + note,
            hops => {
                let tree = listed.tree()?;
                // If the place is hidden in something folded, takes the row of the nearest visible container around it.
                let above = (0..hops.len()).map(|count| hops.len() - count);
                let mut above = above.filter_map(|count| hops.get(..count));
                let row = above.find_map(|hops| tree.row_of(&Place(hops.to_vec())));
                row.map_or(0, |row| row + 1)
            }
        };
        Some(listed.start + inner.min(listed.rows().saturating_sub(1)))
    }

    /// The most important block, which is the one with the lowest rank.
    pub(super) fn first(&self) -> Option<&Listed> {
        self.blocks.iter().min_by_key(|listed| listed.block.rank)
    }
}

/// Wraps the notes of a block, so that they fit into the width of the pane.
pub(super) fn wrap_notes(paint: &Paint, block: &mut Block, cells: usize) {
    let labels = block.notes.iter().map(|note| width(&note.label));
    let label = match labels.max().unwrap_or(0) {
        0 => 0,
        label => label + 2,
    };
    let room = cells.saturating_sub(4 + label).max(16);
    for mut note in std::mem::take(&mut block.notes) {
        for text in wrapped(&words(paint.glyphs, &note.text), room) {
            let label = std::mem::take(&mut note.label);
            let first = Note::new(std::mem::take(&mut note.sign), text, note.role);
            block.notes.push(Note { label, ..first });
        }
    }
}

/// Blocks with this [`Block::rank`] or a lower one are opened even if there is no room: the error and the current
/// stage, for example.
const ALWAYS: u8 = 1;

/// Chooses the blocks to open, in the order of importance, but `asked` first. Opens blocks with only the first level of
/// their values while there is room; then unfolds the other levels of the opened blocks for which there is room. In the
/// result, true means that only the first level is unfolded.
pub(super) fn opened(
    listed: &mut [Listed],
    height: usize,
    asked: Option<Part>,
) -> HashMap<Part, bool> {
    let mut open = HashMap::new();
    let mut used = listed.len();
    let order = listed.iter_mut().filter(|listed| listed.block.open);
    let mut order: Vec<&mut Listed> = order.collect();
    order.sort_by_key(|listed| (Some(listed.block.part) != asked, listed.block.rank));
    for listed in &mut order {
        listed.set(false, true);
        let more = listed.full().saturating_sub(1);
        if used + more <= height || open.is_empty() || listed.block.rank <= ALWAYS {
            used += more;
            open.insert(listed.block.part, true);
        }
    }
    for listed in order {
        let Some(shallow) = open.get_mut(&listed.block.part) else {
            continue;
        };
        let before = listed.full();
        listed.set(false, false);
        let more = listed.full().saturating_sub(before);
        if used + more <= height {
            used += more;
            *shallow = false;
        }
    }
    open
}

/// Width of the bar that shows the size of a value, in cells.
const BAR: usize = 10;
/// Maximum number of parts of a large value to list with their sizes.
const PLACES: usize = 3;

/// Size of a value as a percentage of AWS's payload limit, with a style role; `None` below half of the limit.
pub(super) fn size_share(value: &Value) -> Option<(String, Role)> {
    let percent_of_limit = percent(value);
    let role = match percent_of_limit {
        0..50 => return None,
        50..=100 if value.size() <= PAYLOAD_LIMIT => Role::Warning,
        _ => Role::Error,
    };
    Some((format!(" {percent_of_limit} %"), role))
}

fn percent(value: &Value) -> u64 {
    value.size().saturating_mul(100) / PAYLOAD_LIMIT
}

/// Notes about the size of a value: a bar with the percentage of AWS's limit, and the largest parts.
pub(super) fn size_notes(paint: &Paint, value: &Value) -> Vec<Note> {
    let percent = percent(value);
    let filled = (percent.saturating_mul(BAR as u64) / 100).min(BAR as u64) as usize;
    let (full, empty) = (paint.glyphs.full, paint.glyphs.empty);
    let bar = full.repeat(filled) + &empty.repeat(BAR - filled);
    let role = size_share(value).map_or(Role::Dim, |(_, role)| role);
    let over = match value.size() > PAYLOAD_LIMIT {
        true => ": too large for AWS",
        false => "",
    };
    let note = |text: String| Note::new("", text, role);
    let mut notes = vec![note(format!(
        "{bar} {percent} % of AWS's limit of 256 KiB{over}"
    ))];
    let places = heaviest(value, PLACES).into_iter();
    let places = places.map(|(place, size)| format!("{place} {size}", size = bytes(size)));
    let places: Vec<String> = places.collect();
    if !places.is_empty() {
        let dot = format!(" {} ", paint.glyphs.dot);
        notes.push(note(format!(
            "largest parts: {parts}",
            parts = places.join(&dot)
        )));
    }
    notes
}

/// Maximum number of template members to list.
const MOST: usize = 60;

/// A member of a payload template, with the expression or literal that gives its value.
pub(super) struct Made {
    pub(super) at: Pointer,
    pub(super) name: String,
    pub(super) expression: String,
    /// True if `expression` is a path or a JSONata expression; false if it is a literal.
    pub(super) computed: bool,
    pub(super) span: Span,
}

/// Adds to `made` the innermost members of a template: those whose values contain no members or items.
pub(super) fn flatten(node: &Node, at: &Pointer, made: &mut Vec<Made>) {
    if made.len() >= MOST {
        return;
    }
    let below = |step: Step| Pointer(at.0.iter().cloned().chain([step]).collect());
    if let Some(members) = node.members().filter(|members| !members.is_empty()) {
        for member in members {
            let bare = member.key.text.strip_suffix(".$");
            let name = bare.unwrap_or(&member.key.text);
            let at = below(Step::Member(name.into()));
            match bare {
                Some(_) => made.push(leaf(&member.value, at, true)),
                None => flatten(&member.value, &at, made),
            }
        }
        return;
    }
    if let Some(items) = node.items().filter(|items| !items.is_empty()) {
        for (place, item) in items.iter().enumerate() {
            flatten(item, &below(Step::Item(place)), made);
        }
        return;
    }
    let text = node.as_str();
    let computed = text.is_some_and(|text| text.trim_start().starts_with("{%"));
    made.push(leaf(node, at.clone(), computed));
}

fn leaf(node: &Node, at: Pointer, computed: bool) -> Made {
    let name = at.to_string();
    let name = name.trim_start_matches('$').trim_start_matches('.');
    Made {
        name: name.to_owned(),
        expression: node
            .as_str()
            .map_or_else(|| node.to_value().to_string(), str::to_owned),
        computed,
        span: node.span,
        at,
    }
}

/// Names the field that produced the input of the shown item: `ItemSelector of RenewEach`.
pub(super) fn item_field(paint: &Paint) -> Option<String> {
    let item = paint.view.data.item.as_ref()?;
    let map = paint.definition.state(item.map)?;
    Some(format!(
        "{field} of {map}",
        field = item.field,
        map = map.name
    ))
}

/// True if the state has an ItemReader.
pub(super) fn reads_items(paint: &Paint) -> bool {
    paint.view.data.stage(Stage::AfterItemReader).is_some()
}

/// Title of the block for a stage that a Map has for its items, such as `Each item`; `None` for other stages.
pub(super) fn item_name(paint: &Paint, view: &StageView) -> Option<String> {
    Some(match (view.stage, view.item) {
        (Stage::AfterItemReader, _) => "Read from".to_owned(),
        (Stage::AfterItemsPath, _) if reads_items(paint) => "Items read".to_owned(),
        (Stage::AfterBatchInput, _) => "Each batch".to_owned(),
        (Stage::AfterItemSelector, Some(index)) => format!("Item {index}"),
        (Stage::AfterItemSelector, None) => "Each item".to_owned(),
        (Stage::AfterItemBatcher, _) => "Batches".to_owned(),
        _ => return None,
    })
}

/// Maximum number of template members to list for a stage that a Map has for its items.
const MOST_MEMBERS: usize = 24;

/// Notes for a stage of a Map's items that has no value yet. They list the template members of the field that will
/// produce the value.
pub(super) fn item_fields(paint: &Paint, view: &StageView) -> Vec<Note> {
    let listed = view.stage.group() == StageGroup::Item || view.stage == Stage::AfterItemReader;
    let node = view.span.and_then(|span| paint.definition.node.at(span));
    let mut made = Vec::new();
    if let Some(node) = node.filter(|_| listed) {
        flatten(node, &Pointer::root(), &mut made);
    }
    made.truncate(MOST_MEMBERS);
    let notes = made.into_iter().map(|field| Note {
        label: field.name,
        ..Note::new(
            "",
            format!("= {expression}", expression = field.expression),
            Role::Path,
        )
    });
    notes.collect()
}
