//! Panes, and their common types: drawing context, motions and click results.

mod block;
pub mod breakpoints;
pub mod data;
pub mod graph;
pub mod outline;
mod overview;
mod slider;
pub mod source;
mod source_frame;
mod source_row;
pub mod state;
pub mod timeline;
pub mod tree;
mod visit_row;
mod visit_table;
mod way;

mod control;
mod data_line;
mod data_plan;
mod difference_line;
mod drawing;
mod end_line;
mod finding_row;
mod folds;
mod gauge;
mod graph_box;
mod graph_draw;
mod handling_line;
mod how;
mod how_read;
mod item_field;
pub(in crate::tui) mod line;
pub(in crate::tui) mod list;
mod matched;
mod note;
mod paint;
mod part;
mod pipeline;
mod place;
mod point_row;
mod recorded_rest;
mod rule_line;
#[cfg(test)]
pub(crate) mod sample;
#[cfg(test)]
mod sample_view;
pub(in crate::tui) mod search;
mod stages;
mod state_line;
mod state_row;
mod surface;
mod task_line;
mod test_text;
mod timeline_column;
mod timeline_said;

pub use breakpoints::{BreakpointsPane, Tab};
pub use control::{Click, Motion};
pub use data::{DataPane, DataSearch, Looked, Selected};
pub use drawing::{Drawing, DrawingRequest};
pub use graph::GraphPane;
pub use graph_draw::more_marks;
pub use outline::OutlinePane;
pub use paint::{Level, Paint, Rows, Text};
pub use part::Part;
pub use point_row::BreakpointRow;
pub use search::Match;
pub use source::SourcePane;
pub use state::StatePane;
pub use state_row::Row;
pub use surface::Surface;
pub use timeline::TimelinePane;
pub use way::Token;

#[cfg(test)]
mod tests;
