//! Findings of `check` as rows of a list.

use super::Paint;
use super::line::Line;
use super::list::Rows;
use crate::interpreter::{AskId, FrameId};
use crate::session::BreakpointId;
use crate::session::view::BreakpointView;
use crate::source::Severity;
use crate::tui::finding::{FindingRow, finding_role};
use crate::tui::fit::{width, words, wrapped_in};
use crate::tui::glyph::Glyphs;
use crate::tui::theme::Role;

/// Symbol and role of a finding; notes have no symbol.
pub(super) fn finding_mark(severity: Severity, glyphs: &Glyphs) -> (&'static str, Role) {
    let is_seen = severity > Severity::Info;
    let sign = if is_seen { glyphs.finding } else { "" };
    (sign, finding_role(severity))
}

/// Rule, message and help.
fn text(paint: &Paint, row: &FindingRow) -> String {
    let help = row.help.iter().map(|help| format!("; {help}"));
    let said = format!("{} {}", row.rule, row.message);
    words(
        paint.glyphs,
        (said + &help.collect::<String>()).trim_start(),
    )
}

/// Number of repetitions, or of consequences.
fn count(row: &FindingRow) -> String {
    match (row.more, row.follows) {
        (0, 0) => String::new(),
        (0, follows) => format!("+{follows} follow"),
        (more, _) => format!("{} places", more + 1),
    }
}

/// The findings, with the one that explains a failure first; each uses as many rows as are free.
pub(super) fn finding_rows(paint: &Paint, height: usize, rows: &mut PointRows) {
    let all = paint.findings.rows();
    let first = paint.findings.explaining(paint.view, paint.definition);
    let line_of = |row: &FindingRow| row.line.map_or_else(String::new, |line| line.to_string());
    let digits = all
        .iter()
        .map(|row| width(&line_of(row)))
        .max()
        .unwrap_or(0);
    let indent = 4 + digits + 1;
    let mut free = height.saturating_sub(all.len());
    let others = (0..all.len()).filter(|place| Some(*place) != first);
    for place in first.into_iter().chain(others) {
        let Some(row) = all.get(place) else {
            continue;
        };
        let (mark, role) = finding_mark(row.severity, paint.glyphs);
        let (text, count) = (text(paint, row), count(row));
        let room = rows.cells.saturating_sub(indent + width(&count) + 1).max(8);
        let parts = wrapped_in(&text, room, free + 1);
        free = (free + 1).saturating_sub(parts.len());
        let here = if first == Some(place) {
            paint.glyphs.here
        } else {
            ""
        };
        let head = Line::new()
            .cell(here, 2, Role::Mark)
            .cell(mark, 2, role)
            .cell(format!("{:>digits$}", line_of(row)), digits + 1, Role::Dim);
        let mut parts = parts.into_iter();
        let head = head.text(parts.next().unwrap_or_default(), Role::Text);
        rows.row(BreakpointRow::Finding(place), head.right(count, Role::Dim));
        for part in parts {
            rows.say(Line::new().gap(indent).text(part, Role::Text));
        }
    }
}

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
