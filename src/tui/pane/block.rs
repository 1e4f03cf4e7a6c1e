//! A titled block of the data pane, before layout.

use super::Paint;
use super::folds::Place;
use super::folds::{Folds, Marks};
use super::tree::Tree;
use crate::definition::State;
use crate::interpreter::Stage;
use crate::json::Value;
use crate::tui::theme::Role;
use std::rc::Rc;

/// A titled block.
pub(super) struct Block {
    pub(super) part: Part,
    pub(super) name: String,
    /// True if the block is a separate section rather than an intermediate stage.
    pub(super) section: bool,
    /// Text of the field, such as `InputPath $.order`.
    pub(super) expression: Option<String>,
    pub(super) value: Option<Value>,
    /// The value to compare `value` with.
    pub(super) base: Option<Value>,
    /// Remark at the right of the title.
    pub(super) remark: Option<(String, Role)>,
    pub(super) notes: Vec<Note>,
    /// True if the block is unfolded, provided there is space.
    pub(super) open: bool,
    /// Priority for space; lower numbers come first.
    pub(super) rank: u8,
    /// True if the run is at this stage.
    pub(super) here: bool,
    /// True if the block has the same value as the previous stage and no remarks.
    pub(super) quiet: bool,
}

/// An open section without notes.
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

/// The shown state.
pub(super) fn state_of<'p>(paint: &Paint<'p>) -> Option<&'p State> {
    paint.definition.state(paint.view.data.state?)
}

/// A line of text below a block's value.
pub(super) struct Note {
    pub(super) sign: &'static str,
    pub(super) label: String,
    pub(super) text: String,
    pub(super) role: Role,
}

/// A part of the data pane that has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// A stage of the state.
    Stage(Stage),
    /// The current error.
    Error,
    /// The variables.
    Variables,
    /// The context object.
    Context,
}

/// All blocks with their lengths.
pub(super) struct Plan {
    pub(super) blocks: Vec<Listed>,
    pub(super) len: usize,
}

pub(super) struct Listed {
    pub(super) block: Block,
    pub(super) marks: Rc<Marks>,
    pub(super) folds: Rc<Folds>,
    pub(super) open: bool,
    /// True if only the first level is open by default.
    pub(super) shallow: bool,
    pub(super) tree: usize,
    pub(super) start: usize,
}

impl Listed {
    /// The rows of the value.
    pub(super) fn tree(&self) -> Option<Tree<'_>> {
        let value = self.block.value.as_ref()?;
        Some(Tree::new(value, &self.folds, &self.marks).shallow(self.shallow))
    }

    /// Opens or closes the block; `shallow` opens only the first level.
    pub(super) fn set(&mut self, open: bool, shallow: bool) {
        self.open = open;
        if self.shallow != shallow {
            self.shallow = shallow;
            self.measure();
        }
    }

    /// Counts the rows of the value.
    pub(super) fn measure(&mut self) {
        self.tree = self.tree().map_or(0, |tree| tree.len());
    }

    pub(super) fn rows(&self) -> usize {
        if self.open { self.full() } else { 1 }
    }

    pub(super) fn full(&self) -> usize {
        1 + self.tree + self.block.notes.len()
    }

    pub(super) fn can_open(&self) -> bool {
        self.full() > 1
    }
}

impl Plan {
    pub(super) fn at(&self, row: usize) -> Option<(&Listed, usize)> {
        let place = self.blocks.partition_point(|listed| listed.start <= row);
        let listed = self.blocks.get(place.checked_sub(1)?)?;
        let inner = row - listed.start;
        (inner < listed.rows()).then_some((listed, inner))
    }

    pub(super) fn spot(&self, row: usize) -> Option<(Part, Spot)> {
        let (listed, inner) = self.at(row)?;
        let spot = match inner {
            0 => Spot::Node(Place::default()),
            _ if inner <= listed.tree => {
                let tree = listed.tree()?;
                Spot::Node(tree.rows(inner - 1, 1).pop()?.place)
            }
            _ => Spot::Note(inner - 1 - listed.tree),
        };
        Some((listed.block.part, spot))
    }

    pub(super) fn listed(&self, part: Part) -> Option<&Listed> {
        self.blocks.iter().find(|listed| listed.block.part == part)
    }

    pub(super) fn row_of(&self, part: Part, spot: &Spot) -> Option<usize> {
        let listed = self.listed(part)?;
        let inner = match spot {
            Spot::Node(place) if place.0.is_empty() => 0,
            _ if !listed.open => 0,
            Spot::Node(place) => {
                let tree = listed.tree()?;
                // If the place is folded away, the nearest visible ancestor is used.
                let mut place = place.clone();
                loop {
                    if let Some(row) = tree.row_of(&place) {
                        break row + 1;
                    }
                    if place.0.pop().is_none() {
                        break 0;
                    }
                }
            }
            Spot::Note(note) => 1 + listed.tree + note,
        };
        Some(listed.start + inner.min(listed.rows().saturating_sub(1)))
    }

    /// The most important block.
    pub(super) fn first(&self) -> Option<&Listed> {
        self.blocks.iter().min_by_key(|listed| listed.block.rank)
    }
}

/// Kind of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Spot {
    /// The title (empty place), or a row of the tree.
    Node(Place),
    /// A note row.
    Note(usize),
}
