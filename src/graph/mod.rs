//! Lays out a state machine as a drawing in cells: boxes in ranks and columns, and routes of lines. Also prints the
//! drawing as plain text.

mod clause;
mod distinct_labels;
mod export;
mod fit;
mod frame;
mod label;
mod layered;
mod model;
mod narrowing;
mod net;
mod place;
mod plan;
mod rank;
mod route;
mod scope;
mod sketch;
mod text;

pub use clause::Clause;
pub use export::{Tone, svg};
pub use export::{dot, mermaid, mermaid_with};
pub use model::Direction;
pub use model::{
    Arrow, BoxType, Boxes, Cell, EAST, EdgeKind, EdgeRoute, Glyphs, Label, Layout, NORTH, Node,
    NodeBox, Options, Point, Rect, SOUTH, Separator, WEST,
};
pub use scope::{layout, layout_sketch};
pub use sketch::{Link, Sketch, SketchScope, SketchState};
pub use sketch::{OutlineRow, outline};
pub use text::{brackets, line_glyph, text, text_with};
