//! Draws a row of the definition's text with syntax colours and other highlights.

use super::Paint;
use crate::json::visible;
use crate::source::Severity;
use crate::tui::border::Pen;
use crate::tui::finding::finding_role;
use crate::tui::theme::Role;
use ratatui::style::{Modifier, Style};
use std::ops::Range;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// The highlighted parts of a line, in addition to the syntax colours.
pub(super) struct Marks {
    pub current: Option<Range<usize>>,
    pub wrong: Vec<(Range<usize>, Severity)>,
    /// Matches of a search, relative to the start of the line.
    pub matches: Vec<Range<usize>>,
}

/// Draws a part of a line; returns the columns of search matches.
pub(super) fn draw_text(
    paint: &Paint,
    pen: &mut Pen,
    text: &str,
    bytes: &Range<usize>,
    parts: &[(Range<usize>, Role)],
    marks: &Marks,
    piece: Piece,
) -> Vec<Range<u16>> {
    let mut next = 0;
    let mut run = String::new();
    let mut run_style = Style::new();
    let mut matches = Vec::new();
    let mut found_from = None;
    let mut parts = parts.iter().peekable();
    let start = pen.x;
    let indent = text.len() - text.trim_start().len();
    let mut cut_at_end = false;
    for (at, c) in text.char_indices() {
        let cell = next;
        next += cells_of(c);
        if cell < piece.skip {
            continue;
        }
        if pen.room() == 0 || piece.until.is_some_and(|end| cell >= end) {
            cut_at_end = piece.until.is_none();
            break;
        }
        while parts.next_if(|(range, _)| range.end <= at).is_some() {}
        let part = parts.peek().filter(|(range, _)| range.contains(&at));
        let role = part.map_or(Role::Text, |(_, role)| *role);
        let mut style = style_at(paint, role, bytes.start + at, marks);
        if at < indent {
            style = style.remove_modifier(Modifier::UNDERLINED);
        }
        let is_found = marks.matches.iter().any(|range| range.contains(&at));
        if style != run_style || is_found != found_from.is_some() {
            pen.put(&run, run_style);
            run.clear();
            run_style = style;
            match is_found {
                true => found_from = found_from.or(Some(pen.x)),
                false => matches.extend(found_from.take().map(|from| from..pen.x)),
            }
        }
        if c == '\t' {
            run.push_str("    ");
        } else {
            run.push_str(&visible(c.encode_utf8(&mut [0; 4])));
        }
        // The line may be very long, so the part beyond the right edge is not drawn.
        if run.len() > 4 * usize::from(pen.end) {
            pen.put(&run, run_style);
            run.clear();
        }
    }
    let room = usize::from(pen.end.saturating_sub(pen.x));
    cut_at_end |= piece.until.is_none() && run.width() > room;
    pen.put(&run, run_style);
    matches.extend(found_from.map(|from| from..pen.x));
    let dim = paint.theme.style(Role::Dim);
    let mark = paint.glyphs.cut;
    if piece.cut && !text.is_empty() && start < pen.end {
        pen.buffer
            .set_stringn(start, pen.y, mark, usize::from(pen.end - start), dim);
    }
    let marked = u16::try_from(mark.width()).unwrap_or(1);
    if cut_at_end && pen.end.saturating_sub(start) > marked {
        let at = pen.end - marked;
        pen.buffer
            .set_stringn(at, pen.y, mark, usize::from(marked), dim);
    }
    matches
}

fn style_at(paint: &Paint, role: Role, byte: usize, marks: &Marks) -> Style {
    let mut style = paint.theme.style(role);
    let current = marks.current.as_ref();
    if current.is_some_and(|range| range.contains(&byte)) {
        style = style.add_modifier(Modifier::UNDERLINED | Modifier::BOLD);
    }
    for (range, severity) in &marks.wrong {
        if range.contains(&byte) || (range.is_empty() && range.start == byte) {
            let wrong = paint.style(finding_role(*severity));
            style = style.patch(wrong).add_modifier(Modifier::UNDERLINED);
        }
    }
    style
}

/// The visible cells of every line: `dedent` cells of common indentation and `left` scrolled cells are skipped, and the
/// next `room` cells are visible.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    pub dedent: usize,
    /// Number of cells by which the user has scrolled to the right.
    pub left: usize,
    pub room: usize,
}

/// The part of a line that one row shows.
#[derive(Clone, Copy)]
pub(super) struct Piece {
    /// Number of cells at the start of the line that are not in this part.
    pub skip: usize,
    /// True if text that is not blank is cut off before this part.
    pub cut: bool,
    /// Indentation of the row, in cells.
    pub indent: usize,
    /// The cell of the line at which this part ends; `None` if the next row does not continue the line.
    pub until: Option<usize>,
}

impl Frame {
    pub fn piece(self) -> Piece {
        Piece {
            skip: self.dedent + self.left,
            cut: self.left > 0,
            indent: 0,
            until: None,
        }
    }

    /// Splits a line into at most `most` rows. If the line needs more rows, the returned rows are those up to the row
    /// with the cell `wanted`, which is the end of a search match.
    pub fn pieces(self, text: &str, most: usize, wanted: usize) -> Vec<Piece> {
        let indent = indent_of(text).unwrap_or(0).saturating_sub(self.dedent) + 4;
        let indent = indent.min(self.room / 2);
        if self.room == 0 {
            return vec![self.piece()];
        }
        let most = most.clamp(1, WRAPPED);
        let rows = self.rows(text, self.room - indent, |count, end| {
            count >= most && end >= wanted
        });
        let at = rows.iter().position(|row| row.end >= wanted).unwrap_or(0);
        let first = (at + 1).saturating_sub(most);
        let last = rows.len().min(first + most) - 1;
        let shown = rows.iter().enumerate().skip(first).take(most);
        shown
            .map(|(place, row)| Piece {
                skip: row.start,
                cut: place == first && first > 0,
                indent: if place == 0 { 0 } else { indent },
                until: (place < last).then_some(row.end),
            })
            .collect()
    }

    /// Splits a line into rows and returns the range of cells of each; rows after the first are `step` cells wide. If a
    /// word or a part of a path ends in the last third of a row, the row ends there. A line can be as long as the file,
    /// so the splitting stops when `enough` returns true for the number of rows and the end of the last row.
    fn rows(
        self,
        text: &str,
        step: usize,
        enough: impl Fn(usize, usize) -> bool,
    ) -> Vec<Range<usize>> {
        let mut rows = Vec::new();
        let (mut start, mut room, mut cell) = (self.dedent, self.room, 0);
        // The two positions at which a row may end: `ends[0]` is after the last space or JSON punctuation so far,
        // `ends[1]` after the last other punctuation.
        let mut ends = [0; 2];
        for c in text.chars() {
            let char_cells = cells_of(c);
            if cell + char_cells > start + room && cell > start {
                // A row should not begin with the punctuation that ends a name or a value. To avoid this, the previous
                // row may be shorter.
                let least = match c {
                    ',' | ':' | '"' => start + room / 3,
                    _ => start + room * 2 / 3,
                };
                let end = ends.into_iter().find(|end| *end > least).unwrap_or(cell);
                rows.push(start..end);
                if enough(rows.len(), end) {
                    return rows;
                }
                (start, room) = (end, step.max(1));
            }
            cell += char_cells;
            match c {
                ' ' | '\t' | ',' | ':' | '[' | ']' | '{' | '}' => ends[0] = cell,
                '.' | '/' | '(' | ')' | '-' | '_' => ends[1] = cell,
                _ => {}
            }
        }
        rows.push(start..cell.max(start));
        rows
    }
}

/// Maximum number of rows for a line.
const WRAPPED: usize = 8;

pub(super) fn cells_of(c: char) -> usize {
    if c == '\t' { 4 } else { c.width().unwrap_or(1) }
}

/// Indentation of a line, in cells; `None` for a blank line.
pub(super) fn indent_of(text: &str) -> Option<usize> {
    let blank = text.len() - text.trim_start().len();
    (blank < text.len()).then(|| {
        text.chars()
            .take_while(|c| c.is_whitespace())
            .map(cells_of)
            .sum()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str, room: usize) -> Vec<String> {
        let frame = Frame {
            dedent: 0,
            left: 0,
            room,
        };
        let pieces = frame.pieces(text, 8, 0);
        let part = |piece: &Piece| -> String {
            let rest = text.chars().skip(piece.skip);
            rest.take(piece.until.unwrap_or(text.len()) - piece.skip)
                .collect()
        };
        pieces.iter().map(part).collect()
    }

    #[test]
    fn rows_end_where_words_do() {
        for (text, room, expected) in [
            (
                "\"id.$\": \"$.reservation.id\"",
                18,
                vec!["\"id.$\": \"$.reserva", "tion.id\""],
            ),
            (
                "\"id.$\": \"$.reservation.id\"",
                24,
                vec!["\"id.$\": \"$.reservation.", "id\""],
            ),
            (
                "{ \"a\": [1, 2], \"b\": true }",
                20,
                vec!["{ \"a\": [1, 2], \"b\": ", "true }"],
            ),
            ("abcdefghijklmnop", 8, vec!["abcdefgh", "ijkl", "mnop"]),
            ("short", 8, vec!["short"]),
        ] {
            assert_eq!(rows(text, room), expected);
        }
    }

    #[test]
    fn what_is_looked_for_is_in_a_row() {
        let text = "word ".repeat(100);
        let frame = Frame {
            dedent: 0,
            left: 0,
            room: 20,
        };
        let pieces = frame.pieces(&text, 3, 400);
        let (first, last) = (pieces.first().expect("one"), pieces.last().expect("one"));
        assert!(
            first.cut && first.skip < 400 && last.skip + 16 >= 400,
            "{}",
            last.skip
        );
        assert!(pieces.len() == 3 && last.until.is_none());
    }
}
