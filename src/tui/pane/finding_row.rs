//! One finding of `check` as a row of a list, or as several where there is room.
//!
//! It must not know where the list stands.

use super::Paint;
use super::line::{Line, style, width, words};
use crate::source::Severity;
use crate::tui::border::wrapped;
use crate::tui::finding::FindingRow;
use crate::tui::theme::Role;

/// The sign of a finding and how it is drawn; a note has none.
pub(super) fn finding_mark(severity: Severity) -> (&'static str, Role) {
    match severity {
        Severity::Error => ("!", Role::Error),
        Severity::Warning => ("!", Role::Warning),
        Severity::Info => ("", Role::Info),
    }
}

/// A finding with its mark and line; the one that explains a failure has the arrow of what is current.
struct Shown<'a> {
    row: &'a FindingRow,
    here: &'static str,
    /// Cells of the line's number.
    digits: usize,
    role: Role,
    mark: &'static str,
}

/// Cells of the arrow and of the sign.
const MARKS: usize = 4;

impl<'a> Shown<'a> {
    fn of(paint: &Paint<'a>, place: usize) -> Option<Self> {
        let rows = paint.findings.rows();
        let row = rows.get(place)?;
        let (mark, role) = finding_mark(row.severity);
        let explains = paint.findings.explaining(paint.view, paint.definition) == Some(place);
        let digits = rows.iter().filter_map(|row| row.line).max();
        Some(Self {
            row,
            here: if explains { paint.glyphs.here } else { "" },
            digits: digits.map_or(1, |line| line.to_string().len()),
            role,
            mark,
        })
    }

    /// Rule, what was found, how to mend it; and where the last begins.
    fn text(&self, paint: &Paint) -> (String, usize) {
        let rule = match self.row.rule {
            "" => String::new(),
            rule => format!("{rule} "),
        };
        let said = format!("{rule}{}", words(paint.glyphs, &self.row.message));
        let help = self.row.help.as_ref();
        let help = help.map_or_else(String::new, |help| {
            format!("; {}", words(paint.glyphs, help))
        });
        let begins = said.len();
        (said + &help, begins)
    }

    /// How often it repeats, or how many follow from it.
    fn count(&self) -> String {
        match (self.row.more, self.row.follows) {
            (0, 0) => String::new(),
            (0, follows) => format!("+{follows} follow"),
            (more, _) => format!("{} places", more + 1),
        }
    }

    fn head(&self, paint: &Paint) -> Line {
        let theme = paint.theme;
        let line = self
            .row
            .line
            .map_or_else(String::new, |line| line.to_string());
        let digits = self.digits;
        Line::new()
            .cell(self.here, 2, style(theme, Role::Mark))
            .cell(self.mark, 2, style(theme, self.role))
            .cell(
                format!("{line:>digits$}"),
                digits + 1,
                style(theme, Role::Dim),
            )
    }

    /// A part of its text: the rule in the finding's colour, the way to mend it dim.
    fn part(&self, paint: &Paint, line: Line, text: &str, from: usize, help: usize) -> Line {
        let theme = paint.theme;
        let cut = |at: usize| {
            let mut at = at.saturating_sub(from).min(text.len());
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let (rule, help) = (cut(self.row.rule.len()), cut(help));
        let piece = |from: usize, to: usize| text.get(from..to.max(from)).unwrap_or_default();
        line.text(piece(0, rule), style(theme, self.role))
            .text(piece(rule, help), style(theme, Role::Text))
            .text(piece(help.max(rule), text.len()), style(theme, Role::Dim))
    }
}

/// How many rows a finding takes where nothing of it is cut.
pub(super) fn finding_rows(paint: &Paint, place: usize, cells: usize) -> usize {
    finding_lines(paint, place, cells, usize::MAX).len()
}

/// A finding in one row, as long as it is.
pub(super) fn finding_line(paint: &Paint, place: usize) -> Line {
    let lines = finding_lines(paint, place, usize::MAX / 2, 1);
    lines.into_iter().next().unwrap_or_default()
}

/// A finding in at most so many rows of so many cells; what the last one does not hold is cut there.
pub(super) fn finding_lines(paint: &Paint, place: usize, cells: usize, most: usize) -> Vec<Line> {
    let Some(shown) = Shown::of(paint, place) else {
        return vec![Line::new()];
    };
    let (text, help) = shown.text(paint);
    let (indent, count) = (MARKS + shown.digits + 1, shown.count());
    let behind = if count.is_empty() {
        0
    } else {
        width(&count) + 1
    };
    let room = cells.saturating_sub(indent + behind).max(8);
    let rows = match most {
        1 => vec![text.clone()],
        _ => wrapped(&text, room),
    };
    let mut lines = Vec::new();
    let mut from = 0;
    for (place, row) in rows.iter().enumerate().take(most) {
        let left = text.get(from..).unwrap_or_default();
        from += left.find(row.as_str()).unwrap_or(0);
        // The last row that there is begins with what comes next, and is cut at its end.
        let is_last = place + 1 == most;
        let own = if is_last {
            text.get(from..).unwrap_or(row)
        } else {
            row
        };
        let line = match place {
            0 => shown.head(paint),
            _ => Line::new().gap(indent),
        };
        let line = shown.part(paint, line, own, from, help);
        lines.push(match place {
            0 if !count.is_empty() => line.right(count.clone(), style(paint.theme, Role::Dim)),
            _ => line,
        });
        from += row.len();
    }
    lines
}
