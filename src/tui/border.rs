//! Draws boxes with titles, and lines of text, which are cut to the available width.

use super::fit::{clip, words, wrapped_in};
use super::glyph::{BoxSet, Glyphs, PLUS};
use super::theme::{Role, Theme};
use crate::json::visible;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::symbols::merge::MergeStrategy;
use unicode_width::UnicodeWidthStr as _;

/// The theme and the glyphs, which all drawing functions need.
#[derive(Clone, Copy, Debug)]
pub struct Brush<'a> {
    /// Styles.
    pub theme: &'a Theme,
    /// Glyphs.
    pub glyphs: &'a Glyphs,
}

impl Brush<'_> {
    /// The style that the theme has for texts of this role, such as warnings.
    #[must_use]
    pub fn style(&self, role: Role) -> Style {
        self.theme.style(role)
    }
}

/// Writes text from left to right into one row of the screen, up to a right edge.
pub(super) struct Pen<'b> {
    pub(super) buffer: &'b mut Buffer,
    pub(super) x: u16,
    pub(super) y: u16,
    pub(super) end: u16,
}

impl<'b> Pen<'b> {
    /// Creates a pen at the left edge of an area. `y` is the row of the screen in which the pen writes.
    pub(super) fn new(area: Rect, y: u16, buffer: &'b mut Buffer) -> Self {
        let (x, end) = (area.x, area.right());
        Self { buffer, x, y, end }
    }

    /// Number of cells between the pen and the right edge.
    pub(super) fn room(&self) -> usize {
        self.end.saturating_sub(self.x).into()
    }

    /// Writes text at the pen, up to the right edge; drops the rest of the text.
    pub(super) fn put(&mut self, text: &str, style: Style) {
        let room = self.room();
        (self.x, _) = self.buffer.set_stringn(self.x, self.y, text, room, style);
    }

    /// Moves the pen to the right without changing the skipped cells.
    pub(super) fn skip(&mut self, cells: u16) {
        self.x = self.x.saturating_add(cells).min(self.end);
    }
}

/// Writes one line, cut to the width of the area; returns the number of columns used.
pub fn put(
    buffer: &mut Buffer,
    area: Rect,
    row: u16,
    text: &str,
    style: Style,
    brush: Brush,
) -> u16 {
    if row >= area.height {
        return 0;
    }
    let width = usize::from(area.width);
    let text = clip(&words(brush.glyphs, text), width, brush.glyphs);
    let y = area.y.saturating_add(row);
    let (x, _) = buffer.set_stringn(area.x, y, &text, width, style);
    x.saturating_sub(area.x)
}

/// Writes text into an area, wrapped at spaces if possible. If the text needs more rows than the area has, cuts the
/// last row.
pub fn put_wrapped(buffer: &mut Buffer, area: Rect, text: &str, style: Style, brush: Brush) {
    let text = words(brush.glyphs, text);
    let width = usize::from(area.width.saturating_sub(1));
    let lines = wrapped_in(&visible(&text), width, area.height.into());
    for (row, line) in (0_u16..).zip(&lines) {
        put(buffer, area, row, &format!(" {line}"), style, brush);
    }
}

/// Clears an area.
pub fn clear(buffer: &mut Buffer, area: Rect) {
    let area = area.intersection(buffer.area);
    if area.is_empty() {
        return;
    }
    for y in area.top()..area.bottom() {
        let start = buffer.index_of(area.left(), y);
        let row = start..start + usize::from(area.width);
        for cell in buffer.content.get_mut(row).unwrap_or_default() {
            cell.reset();
        }
    }
}

/// Draws a box. If the box touches boxes that were drawn before, their lines are joined.
pub fn draw_box(buffer: &mut Buffer, area: Rect, set: &BoxSet, style: Style) {
    let area = area.intersection(buffer.area);
    if area.width < 2 || area.height < 2 {
        return;
    }
    let (right, bottom) = (area.right() - 1, area.bottom() - 1);
    let mut join = |x: u16, y: u16, symbol: &str| {
        let Some(cell) = buffer.cell_mut((x, y)) else {
            return;
        };
        // The ASCII corner `+` also fits where lines of several boxes meet, so no other line is drawn over it.
        let is_corner = cell.symbol() == PLUS.top_left && symbol != set.top_left;
        if !is_corner {
            cell.merge_symbol(symbol, MergeStrategy::Exact);
        }
        cell.set_style(style);
    };
    for x in area.x + 1..right {
        join(x, area.y, set.horizontal);
        join(x, bottom, set.horizontal);
    }
    for y in area.y + 1..bottom {
        join(area.x, y, set.vertical);
        join(right, y, set.vertical);
    }
    join(area.x, area.y, set.top_left);
    join(right, area.y, set.top_right);
    join(area.x, bottom, set.bottom_left);
    join(right, bottom, set.bottom_right);
}

/// Writes one title at the left end and one at the right end of a box's first row.
pub fn draw_titles(
    buffer: &mut Buffer,
    area: Rect,
    (left, right): (&str, &str),
    style: Style,
    brush: Brush,
) {
    let area = area.intersection(buffer.area);
    if area.width < 4 || area.is_empty() {
        return;
    }
    let room = usize::from(area.width) - 4;
    let left = titled(left, room, brush);
    let title = brush.style(Role::Title).patch(style);
    buffer.set_stringn(area.x + 2, area.y, &left, room, title);
    let free = room.saturating_sub(left.width() + 1);
    // The right title is cut to the free cells. If only a few of its letters would fit, it is left out.
    if !right.is_empty() && free >= 16.min(right.width() + 2) {
        let right = titled(right, free, brush);
        let width = u16::try_from(right.width()).unwrap_or(0);
        let x = area.right().saturating_sub(width + 2);
        buffer.set_stringn(x, area.y, &right, free, style);
    }
}

fn titled(text: &str, room: usize, brush: Brush) -> String {
    if text.is_empty() || room < 3 {
        return String::new();
    }
    format!(" {} ", clip(text, room - 2, brush.glyphs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_never_leaves_its_area() {
        let theme = Theme::default();
        let glyphs = Glyphs::of(true);
        let brush = Brush {
            theme: &theme,
            glyphs,
        };
        for (width, height) in [(0, 0), (1, 1), (2, 2), (9, 3), (30, 4)] {
            let mut buffer = Buffer::empty(Rect::new(0, 0, 30, 4));
            let area = Rect::new(0, 0, width, height);
            draw_box(&mut buffer, area, &glyphs.focus, Style::new());
            let titles = ("a long title", "right");
            draw_titles(&mut buffer, area, titles, Style::new(), brush);
            for position in buffer.area.positions() {
                let blank = buffer
                    .cell(position)
                    .is_some_and(|cell| cell.symbol() == " ");
                assert!(blank || area.contains(position));
            }
        }
    }
}
