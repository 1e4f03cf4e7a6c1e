//! The panes, and the types that they share: drawing context, motions, results of clicks.

mod block;
pub mod breakpoints;
pub mod data;
pub mod graph;
pub mod outline;
mod overview;
pub mod source;
mod source_row;
pub mod state;
pub mod timeline;
pub mod tree;
mod visit_row;
mod visit_table;

mod data_line;
mod drawing;
mod end_line;
mod folds;
mod graph_box;
mod graph_draw;
mod handling_line;
mod how;
pub(in crate::tui) mod line;
pub(in crate::tui) mod list;
mod paint;
mod pipeline;
mod rule_line;
pub(in crate::tui) mod search;
mod stages;
mod state_line;
mod surface;
mod task_line;
mod timeline_column;

pub use block::Part;
pub use breakpoints::{BreakpointRow, BreakpointsPane, Tab};
pub use data::{DataPane, DataSearch, Looked, Selected};
pub use drawing::{Drawing, DrawingRequest};
pub use graph::GraphPane;
pub use graph_draw::more_marks;
pub use outline::{OutlinePane, Token};
pub use paint::{Level, Paint, Rows, Text};
pub use search::Match;
pub use source::SourcePane;
pub use state::StatePane;
pub use state_line::Row;
pub use surface::Surface;
pub use surface::{Click, Motion};
pub use timeline::TimelinePane;

#[cfg(test)]
pub(crate) mod tests;
