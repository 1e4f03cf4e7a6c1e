//! The rows of the breakpoints pane that can be selected.

use super::list::Rows;
use crate::interpreter::{AskId, FrameId};
use crate::session::BreakpointId;
use crate::session::view::BreakpointView;
use crate::tui::glyph::Glyphs;
use crate::tui::theme::Role;

/// What is selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BreakpointRow {
    /// A breakpoint.
    Breakpoint(BreakpointId),
    /// A watch, by its place.
    Watch(usize),
    /// A frame.
    Frame(FrameId),
    /// A pending task.
    Task(AskId),
    /// A task that is answered, later or never.
    Held(AskId),
    /// An answer for many tasks, by its place.
    AnswerRule(usize),
    /// An entry of the mock file, by its place.
    Mock(usize),
    /// A finding, by its place.
    Finding(usize),
}

/// The rows of the breakpoints pane.
pub(super) type PointRows<'a> = Rows<'a, BreakpointRow>;

/// The sign of a breakpoint and how it is drawn.
pub(super) fn breakpoint_mark(glyphs: &Glyphs, point: &BreakpointView) -> (&'static str, Role) {
    if !point.enabled || point.gone {
        (glyphs.breakpoint_off, Role::BreakpointOff)
    } else if point.breakpoint.log_message.is_some() {
        (glyphs.breakpoint_log, Role::LogPoint)
    } else if point.breakpoint.condition.is_some() || point.breakpoint.hit_count > 1 {
        (glyphs.breakpoint_condition, Role::Breakpoint)
    } else {
        (glyphs.breakpoint, Role::Breakpoint)
    }
}
