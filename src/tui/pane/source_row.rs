//! Draws a row of the definition's text with syntax colours and marks.

use super::Paint;
use super::source_frame::{Piece, cells_of};
use crate::json::visible;
use crate::source::Severity;
use crate::tui::theme::Role;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use std::ops::Range;
use unicode_width::UnicodeWidthStr as _;

/// Marks in a line other than syntax colours.
pub(super) struct Marks {
    pub current: Option<Range<usize>>,
    pub wrong: Vec<(Range<usize>, Severity)>,
    /// Matches of a search, relative to the start of the line.
    pub found: Vec<Range<usize>>,
}

/// Writes cells from left to right and stops at the edge.
pub(super) struct Pen<'b> {
    buffer: &'b mut Buffer,
    x: u16,
    y: u16,
    end: u16,
}

impl<'b> Pen<'b> {
    pub fn new(area: Rect, y: u16, buffer: &'b mut Buffer) -> Self {
        Self {
            buffer,
            x: area.x,
            y,
            end: area.right(),
        }
    }

    pub fn put(&mut self, text: &str, style: Style) {
        let width = usize::from(self.end.saturating_sub(self.x));
        let (x, _) = self.buffer.set_stringn(self.x, self.y, text, width, style);
        self.x = x;
    }

    fn is_full(&self) -> bool {
        self.x >= self.end
    }
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
    let mut found = Vec::new();
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
        if pen.is_full() || piece.until.is_some_and(|end| cell >= end) {
            cut_at_end = piece.until.is_none();
            break;
        }
        while parts.next_if(|(range, _)| range.end <= at).is_some() {}
        let role = parts
            .peek()
            .filter(|(range, _)| range.contains(&at))
            .map_or(Role::Text, |(_, role)| *role);
        let mut style = style_at(paint, role, bytes.start + at, marks);
        if at < indent {
            style = style.remove_modifier(Modifier::UNDERLINED);
        }
        let is_found = marks.found.iter().any(|range| range.contains(&at));
        if style != run_style || is_found != found_from.is_some() {
            pen.put(&run, run_style);
            run.clear();
            run_style = style;
            match is_found {
                true => found_from = found_from.or(Some(pen.x)),
                false => found.extend(found_from.take().map(|from| from..pen.x)),
            }
        }
        if c == '\t' {
            run.push_str("    ");
        } else {
            run.push_str(&visible(c.encode_utf8(&mut [0; 4])));
        }
        // A line may have a million characters, so only the visible part is drawn.
        if run.len() > 4 * usize::from(pen.end) {
            pen.put(&run, run_style);
            run.clear();
        }
    }
    let room = usize::from(pen.end.saturating_sub(pen.x));
    cut_at_end |= piece.until.is_none() && run.width() > room;
    pen.put(&run, run_style);
    found.extend(found_from.map(|from| from..pen.x));
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
    found
}

fn style_at(paint: &Paint, role: Role, byte: usize, marks: &Marks) -> Style {
    let mut style = paint.theme.style(role);
    if marks
        .current
        .as_ref()
        .is_some_and(|range| range.contains(&byte))
    {
        style = style.add_modifier(Modifier::UNDERLINED | Modifier::BOLD);
    }
    for (range, severity) in &marks.wrong {
        if range.contains(&byte) || (range.is_empty() && range.start == byte) {
            let role = match severity {
                Severity::Error => Role::Error,
                Severity::Warning => Role::Warning,
                Severity::Info => Role::Info,
            };
            style = style
                .patch(paint.theme.style(role))
                .add_modifier(Modifier::UNDERLINED);
        }
    }
    style
}
