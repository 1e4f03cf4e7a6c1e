//! A row of a list. It consists of pieces of text at the left and at the right, which are cut to fit into the row.

use super::super::border::{Brush, Pen};
use super::super::fit::{clip, width};
use super::super::theme::Role;
use crate::definition::Unit;
use crate::interpreter::Millis;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use unicode_width::UnicodeWidthStr;

/// A count such as `1 key`, `3 keys`.
pub(super) use crate::source::counted as count;

/// A piece of text in a row.
struct Cell {
    text: String,
    /// Width of the column of this text: shorter text is padded, longer text is cut. `None` if the text is in no
    /// column.
    column: Option<usize>,
    /// True if [`align`] sets the width of the column.
    widest: bool,
    /// Role of the text, which determines its style; `None` for spaces.
    role: Option<Role>,
}

impl Cell {
    fn width(&self) -> usize {
        // Text in a column is cut to the width of the column, so it never takes more cells.
        self.column.unwrap_or_else(|| width(&self.text))
    }
}

/// A row of a list, drawn in one row of the screen.
#[derive(Default)]
pub(in crate::tui) struct Line {
    cells: Vec<Cell>,
    right: Vec<(String, Role)>,
    rule: Option<Role>,
    over: Option<Over>,
}

enum Over {
    Selected,
    Marked,
    Dim,
}

impl Line {
    pub(in crate::tui) fn new() -> Self {
        Self::default()
    }

    /// Appends text of any width.
    pub(in crate::tui) fn text(self, text: impl Into<String>, role: Role) -> Self {
        self.put(text.into(), None, Some(role))
    }

    /// Appends text in a column of this width.
    pub(in crate::tui) fn cell(self, text: impl Into<String>, width: usize, role: Role) -> Self {
        self.put(text.into(), Some(width), Some(role))
    }

    /// Appends spaces.
    pub(in crate::tui) fn gap(self, width: usize) -> Self {
        self.put(String::new(), Some(width), None)
    }

    /// Appends text in a column. [`align`] makes the column as wide as its widest text in all rows, at most `most`
    /// cells.
    pub(super) fn column(mut self, text: impl Into<String>, most: usize, role: Role) -> Self {
        self = self.put(text.into(), Some(most), Some(role));
        if let Some(cell) = self.cells.last_mut() {
            cell.widest = true;
        }
        self
    }

    fn put(mut self, text: String, column: Option<usize>, role: Option<Role>) -> Self {
        self.cells.push(Cell {
            text,
            column,
            widest: false,
            role,
        });
        self
    }

    /// Appends text at the right end of the row, after the texts already there.
    pub(in crate::tui) fn right(mut self, text: impl Into<String>, role: Role) -> Self {
        self.right.push((text.into(), role));
        self
    }

    /// Width of the row if nothing is cut, in cells.
    pub(super) fn width(&self) -> usize {
        let left = self.cells.iter().map(Cell::width);
        let right: usize = self.right.iter().map(|(text, _)| width(text)).sum();
        left.sum::<usize>() + right + usize::from(right > 0)
    }

    /// Draws a horizontal line in the free space between the texts at the left and right.
    pub(super) fn rule(mut self, role: Role) -> Self {
        self.rule = Some(role);
        self
    }

    /// Draws the row as selected; the style is stronger if the list has the focus.
    pub(super) fn selected(mut self, selected: bool, focused: bool) -> Self {
        if selected {
            self.over = Some(if focused {
                Over::Selected
            } else {
                Over::Marked
            });
        }
        self
    }

    /// Draws the whole row dim.
    pub(super) fn dim(mut self, dim: bool) -> Self {
        if dim && self.over.is_none() {
            self.over = Some(Over::Dim);
        }
        self
    }

    /// Draws the row into the first row of `area`.
    pub(in crate::tui) fn draw(self, brush: Brush, area: Rect, buffer: &mut Buffer) {
        let height = area.height.min(1);
        let area = Rect { height, ..area }.intersection(buffer.area);
        if area.is_empty() {
            return;
        }
        let width = usize::from(area.width);
        let clipped = |(text, role): (String, Role)| (clip(&text, width, brush.glyphs), role);
        let mut right: Vec<(String, Role)> = self.right.into_iter().map(clipped).collect();
        let taken = |right: &[(String, Role)]| -> usize {
            right.iter().map(|(text, _)| text.width()).sum()
        };
        // Text at the right is omitted if it would leave too little room for the text at the left.
        let left: usize = self.cells.iter().map(Cell::width).sum();
        let room = match left {
            0 => width,
            left => (width * 3 / 5).max(width.saturating_sub(left + 1)),
        };
        while taken(&right) > room && !right.is_empty() {
            right.remove(0);
        }
        let right_width = taken(&right);
        let glyphs = brush.glyphs;
        let put = |pen: &mut Pen, text: &str, style| {
            let text = clip(text, pen.room(), glyphs);
            pen.put(&text, style);
        };
        let blank = |pen: &mut Pen, cells, style| {
            let blank = " ".repeat(pen.room().min(cells));
            pen.put(&blank, style);
        };
        let mut pen = Pen::new(area, area.y, buffer);
        let reserved = cells(right_width + usize::from(right_width > 0));
        pen.end = area.right().saturating_sub(reserved).max(area.x);
        for cell in self.cells {
            let style = cell.role.map_or(Style::new(), |role| brush.style(role));
            let Some(column) = cell.column else {
                put(&mut pen, &cell.text, style);
                continue;
            };
            let start = pen.x;
            // If text in a column is cut, a gap remains before the next column.
            let room = if column > 3 { column - 1 } else { column };
            put(&mut pen, &clip(&cell.text, room, glyphs), style);
            let used = usize::from(pen.x - start);
            let style = style.remove_modifier(Modifier::UNDERLINED);
            blank(&mut pen, column.saturating_sub(used), style);
        }
        if let Some(role) = self.rule {
            let gap = usize::from(pen.x > area.x);
            blank(&mut pen, gap, Style::new());
            let glyph = glyphs.border.horizontal;
            let free = pen.room() / glyph.width().max(1);
            put(&mut pen, &glyph.repeat(free), brush.style(role));
        }
        pen.end = area.right();
        pen.x = pen.end.saturating_sub(cells(right_width));
        for (text, role) in right {
            put(&mut pen, &text, brush.style(role));
        }
        // The whole row gets one style, so that a selected row looks like a bar.
        let whole = |role| Style::reset().patch(brush.style(role));
        let over = match self.over {
            Some(Over::Selected) => whole(Role::Selected),
            Some(Over::Marked) => Style::new().add_modifier(Modifier::BOLD),
            Some(Over::Dim) => whole(Role::Dim),
            None => return,
        };
        buffer.set_style(area, over);
    }
}

/// Makes each column of a table as wide as its widest text plus two spaces; a column without text has no width.
pub(super) fn align(lines: &mut [Line]) {
    let count = lines.iter().map(|line| line.cells.len()).max();
    for place in 0..count.unwrap_or(0) {
        let texts = lines.iter().filter_map(|line| line.cells.get(place));
        let widest = texts.map(|cell| width(&cell.text)).max().unwrap_or(0);
        for line in lines.iter_mut() {
            let Some(cell) = line.cells.get_mut(place).filter(|cell| cell.widest) else {
                continue;
            };
            cell.widest = false;
            cell.column = match widest {
                0 => Some(0),
                _ => cell.column.map(|most| widest.min(most) + 2),
            };
        }
    }
}

/// Converts a width in cells to the terminal library's type.
pub(in crate::tui) fn cells(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}

/// A time such as `+00:06.412`, `+1:00:06.412`.
pub(super) fn clock(time: Millis) -> String {
    crate::tui::caption::clock(time)
}

/// A duration such as `89 ms`, `2 s`, `1.5 s`, `3 min`, `2 h 5 min`.
pub(super) fn span_of_time(time: Millis) -> String {
    crate::session::note::duration(time)
}

/// A size such as `104 B`, `12.3 kB`, `4.0 MB`.
pub(super) fn bytes(size: u64) -> String {
    let tenths = |unit: u64| format!("{}.{}", size / unit, size % unit * 10 / unit);
    match size {
        0..1000 => format!("{size} B"),
        1000..1_000_000 => format!("{} kB", tenths(1000)),
        1_000_000..1_000_000_000 => format!("{} MB", tenths(1_000_000)),
        _ => "> 1 GB".to_owned(),
    }
}

/// A number of items or batches, such as `3 items`.
pub(super) fn counted(unit: Unit, number: usize) -> String {
    unit.counted(u32::try_from(number).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_numbers() {
        assert_eq!(clock(6412), "+00:06.412");
        assert_eq!(clock(3_600_000), "+1:00:00.000");
        assert_eq!(span_of_time(2000), "2 s");
        assert_eq!(span_of_time(1500), "1.5 s");
        assert_eq!(span_of_time(90_000), "1 min 30 s");
        assert_eq!(span_of_time(u64::MAX), "213503982334 d 14 h");
        assert_eq!(bytes(1500), "1.5 kB");
    }
}
