//! One finding of `check` as a row of a list.
//!
//! It must not know where the list stands.

use super::Paint;
use super::line::{Line, style, words};
use crate::source::Severity;
use crate::tui::theme::Role;

/// The sign of a finding and how it is drawn; a note has none.
pub(super) fn finding_mark(severity: Severity) -> (&'static str, Role) {
    match severity {
        Severity::Error => ("!", Role::Error),
        Severity::Warning => ("!", Role::Warning),
        Severity::Info => ("", Role::Info),
    }
}

/// Line, rule, what was found and how to mend it; the one that explains a failure has the arrow of what is current.
pub(super) fn finding_line(paint: &Paint, place: usize) -> Line {
    let theme = paint.theme;
    let Some(row) = paint.findings.rows().get(place) else {
        return Line::new();
    };
    let dim = style(theme, Role::Dim);
    let (mark, role) = finding_mark(row.severity);
    let explains = paint.findings.explaining(paint.view) == Some(place);
    let here = if explains { paint.glyphs.here } else { "" };
    let line = row.line.map_or_else(String::new, |line| line.to_string());
    let digits = paint
        .findings
        .rows()
        .iter()
        .filter_map(|row| row.line)
        .max();
    let digits = digits.map_or(1, |line| line.to_string().len());
    let mut shown = Line::new()
        .cell(here, 2, style(theme, Role::Mark))
        .cell(mark, 2, style(theme, role))
        .cell(format!("{line:>digits$}"), digits + 1, dim);
    if !row.rule.is_empty() {
        shown = shown.text(format!("{} ", row.rule), style(theme, role));
    }
    shown = shown.text(words(paint.glyphs, &row.message), style(theme, Role::Text));
    if let Some(help) = &row.help {
        shown = shown.text(format!("; {}", words(paint.glyphs, help)), dim);
    }
    match (row.more, row.follows) {
        (0, 0) => shown,
        (0, follows) => shown.right(format!("+{follows} follow"), dim),
        (more, _) => shown.right(format!("{} places", more + 1), dim),
    }
}
