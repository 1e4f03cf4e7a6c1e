//! What the panes share: drawing context, motions and click results.
//!
//! It must not know keys, layouts or borders; a pane draws inside the rectangle it is given.

use super::finding::Findings;
use super::glyph::Glyphs;
use super::reached::Reached;
use super::theme::Theme;
use crate::definition::{Definition, StateId};
use crate::interpreter::{AskId, FrameId};
use crate::session::BreakpointId;
use crate::session::view::View;

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
mod matched;
mod note;
mod part;
mod pipeline;
mod place;
mod recorded_rest;
mod rule_form;
mod rule_line;
#[cfg(test)]
pub(crate) mod sample;
#[cfg(test)]
mod sample_view;
mod search;
mod stages;
mod state_line;
mod state_row;
mod task_line;
mod test_text;
mod timeline_column;
mod timeline_said;

pub use breakpoints::{BreakpointRow, BreakpointsPane, Tab};
pub use data::{DataPane, DataSearch, Looked, Selected};
pub use drawing::{Drawing, DrawingRequest};
pub use graph::GraphPane;
pub use graph_draw::more_marks;
pub use outline::OutlinePane;
pub use part::Part;
pub use search::Match;
pub use source::SourcePane;
pub use state::StatePane;
pub use state_row::Row;
pub use timeline::TimelinePane;
pub use way::Token;

/// Drawing context of a pane.
#[derive(Clone, Copy)]
pub struct Paint<'a> {
    /// The run at the cursor.
    pub view: &'a View,
    /// The definition the run uses.
    pub definition: &'a Definition,
    /// Styles.
    pub theme: &'a Theme,
    /// Signs.
    pub glyphs: &'a Glyphs,
    /// Whether the pane has the focus.
    pub focused: bool,
    /// How much of the pipeline is shown.
    pub level: Level,
    /// What `check` finds in the text.
    pub findings: &'a Findings,
    /// What test cases reached, while that is looked at.
    pub reached: Option<&'a Reached>,
}

/// How much of the pipeline is shown (TestState's inspection levels).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// Input and output.
    Info,
    /// Every stage that has a field.
    #[default]
    Debug,
    /// All stages, variables and the context object.
    Trace,
}

impl Level {
    /// The next one, round and round.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Info => Self::Debug,
            Self::Debug => Self::Trace,
            Self::Trace => Self::Info,
        }
    }

    /// `INFO`, `DEBUG`, `TRACE`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "INFO",
            Self::Debug => "DEBUG",
            Self::Trace => "TRACE",
        }
    }
}

/// A move inside a pane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Motion {
    /// One row up.
    Up,
    /// One row down.
    Down,
    /// Left, or fold.
    Left,
    /// Right, or unfold.
    Right,
    /// One page up.
    PageUp,
    /// One page down.
    PageDown,
    /// Half a page up.
    HalfUp,
    /// Half a page down.
    HalfDown,
    /// To the first row.
    Home,
    /// To the last row.
    End,
}

/// Result of a click. The pane has selected or folded already; the caller does the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Click {
    /// Nothing.
    Nothing,
    /// A row, which is selected now.
    Selected,
    /// A fold mark; it is folded or unfolded now.
    Folded,
    /// A tab; it is shown now.
    Tab,
    /// A state, which is selected now.
    State(StateId),
    /// The event of the slider position, to travel to.
    Event(u64),
    /// The mark of a breakpoint, to be toggled.
    Breakpoint(BreakpointId),
    /// A frame, which is selected now.
    Frame(FrameId),
    /// A pending task, which is selected now.
    Task(AskId),
}

#[cfg(test)]
mod tests;
