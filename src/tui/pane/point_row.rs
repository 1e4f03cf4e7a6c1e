//! Selectable rows of the breakpoints pane.

use super::list::Rows;
use crate::interpreter::{AskId, FrameId};
use crate::session::BreakpointId;
use crate::session::view::BreakpointView;
use crate::tui::glyph::Glyphs;
use crate::tui::theme::Role;

/// A selectable row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BreakpointRow {
    /// A breakpoint.
    Breakpoint(BreakpointId),
    /// A watch, by index.
    Watch(usize),
    /// A frame.
    Frame(FrameId),
    /// A pending task.
    Task(AskId),
    /// A task that has an answer, which arrives later or never.
    Held(AskId),
    /// An answer rule, by index.
    AnswerRule(usize),
    /// An entry of the mock file, by index.
    Mock(usize),
    /// A finding, by index.
    Finding(usize),
}

/// The rows of the breakpoints pane.
pub(super) type PointRows<'a> = Rows<'a, BreakpointRow>;

/// Symbol and role of a breakpoint.
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
