//! Lays out a state machine: ranks, columns and edge routes in cells, and the drawing as plain text.

mod align;
mod bundle;
mod checked_index;
mod clause;
mod condition;
mod crossing;
mod distinct_labels;
mod export;
mod fit;
mod frame;
mod inner;
mod label;
mod layered;
mod model;
mod narrowing;
mod net;
mod order;
mod outline;
mod place;
mod plan;
mod rank;
mod route;
mod scope;
mod sketch;
mod skyline;
mod svg;
mod text;
mod walk;
mod wording;
mod wrap;

pub use clause::Clause;
pub use export::{dot, mermaid, mermaid_with};
pub use model::{
    Arrow, BoxType, Boxes, Cell, EAST, EdgeKind, EdgeRoute, Glyphs, Label, Layout, NORTH, Node,
    NodeBox, Options, Point, Rect, SOUTH, Separator, WEST,
};
pub use outline::{OutlineRow, outline};
pub use scope::{layout, layout_sketch};
pub use sketch::{Link, Sketch, SketchScope, SketchState};
pub use svg::{Tone, svg};
pub use text::{brackets, line_glyph, text, text_with};
pub use walk::Direction;
