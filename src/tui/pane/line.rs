//! One row of a pane: pieces from the left, pieces at the right, cut where there is no room.
//!
//! It must not know what the pieces mean.

use super::super::glyph::Glyphs;
use super::super::theme::{Role, Theme};
use super::Paint;
use crate::definition::Unit;
use crate::interpreter::Millis;
use crate::json::visible;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

enum Piece {
    Text(String, Style),
    /// Clipped and padded to a width.
    Cell(String, usize, Style),
}

impl Piece {
    fn width(&self) -> usize {
        match self {
            Self::Text(text, _) => width(text),
            // What is too long for its column is cut there in any case.
            Self::Cell(_, cells, _) => *cells,
        }
    }
}

/// One row.
#[derive(Default)]
pub(super) struct Line {
    pieces: Vec<Piece>,
    right: Vec<(String, Style)>,
    rule: Option<(&'static str, Style)>,
    over: Option<Over>,
}

enum Over {
    Selected,
    Marked,
    Dim,
}

impl Line {
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// Text as it comes.
    pub(super) fn text(mut self, text: impl Into<String>, style: Style) -> Self {
        self.pieces.push(Piece::Text(text.into(), style));
        self
    }

    /// Text in a column of this width.
    pub(super) fn cell(mut self, text: impl Into<String>, width: usize, style: Style) -> Self {
        self.pieces.push(Piece::Cell(text.into(), width, style));
        self
    }

    /// Blanks.
    pub(super) fn gap(self, width: usize) -> Self {
        self.cell("", width, Style::new())
    }

    /// Text at the right end, after what stands there already.
    pub(super) fn right(mut self, text: impl Into<String>, style: Style) -> Self {
        self.right.push((text.into(), style));
        self
    }

    /// Cells that it takes where nothing is cut.
    pub(super) fn width(&self) -> usize {
        let left = self.pieces.iter().map(Piece::width);
        let right: usize = self.right.iter().map(|(text, _)| width(text)).sum();
        left.sum::<usize>() + right + usize::from(right > 0)
    }

    /// Fills what is free between left and right.
    pub(super) fn rule(mut self, glyph: &'static str, style: Style) -> Self {
        self.rule = Some((glyph, style));
        self
    }

    /// Shown as selected: strongly where the pane has the focus.
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

    /// Drawn dim throughout.
    pub(super) fn dim(mut self, dim: bool) -> Self {
        if dim && self.over.is_none() {
            self.over = Some(Over::Dim);
        }
        self
    }

    /// Draws it into the first row of `area`.
    pub(super) fn draw(self, paint: &Paint, area: Rect, buffer: &mut Buffer) {
        let area = Rect { height: 1, ..area }.intersection(buffer.area);
        if area.is_empty() {
            return;
        }
        let width = usize::from(area.width);
        let mut right: Vec<(String, Style)> = self
            .right
            .into_iter()
            .map(|(text, style)| (clip(&text, width, paint.glyphs), style))
            .collect();
        let taken = |right: &[(String, Style)]| -> usize {
            right.iter().map(|(text, _)| text.width()).sum()
        };
        // What stands at the right gives way where it would leave the left too little of what that needs.
        let left: usize = self.pieces.iter().map(Piece::width).sum();
        let room = match left {
            0 => width,
            left => (width * 3 / 5).max(width.saturating_sub(left + 1)),
        };
        while taken(&right) > room && !right.is_empty() {
            right.remove(0);
        }
        let right_width = taken(&right);
        let end = if right_width == 0 {
            width
        } else {
            width.saturating_sub(right_width + 1)
        };
        let mut pen = Pen {
            buffer,
            area,
            x: 0,
            end,
            glyphs: paint.glyphs,
        };
        for piece in self.pieces {
            match piece {
                Piece::Text(text, style) => pen.put(&text, style),
                Piece::Cell(text, cells, style) => {
                    let stop = pen.x.saturating_add(cells);
                    // A cut text does not touch the next column.
                    let room = if cells > 3 { cells - 1 } else { cells };
                    pen.put(&clip(&text, room, paint.glyphs), style);
                    pen.blank_to(stop, style.remove_modifier(Modifier::UNDERLINED));
                }
            }
        }
        if let Some((glyph, style)) = self.rule {
            if pen.x > 0 {
                pen.blank_to(pen.x.saturating_add(1), Style::new());
            }
            while pen.x < pen.end {
                let before = pen.x;
                pen.put(glyph, style);
                if pen.x == before {
                    break;
                }
            }
        }
        pen.end = width;
        pen.x = width.saturating_sub(right_width);
        for (text, style) in right {
            pen.put(&text, style);
        }
        match self.over {
            Some(Over::Selected) => over(buffer, area, paint.theme.style(Role::Selected)),
            Some(Over::Marked) => {
                buffer.set_style(area, Style::new().add_modifier(Modifier::BOLD));
            }
            Some(Over::Dim) => over(buffer, area, paint.theme.style(Role::Dim)),
            None => {}
        }
    }
}

/// One style for the whole row, so that a bar is one bar.
fn over(buffer: &mut Buffer, area: Rect, style: Style) {
    buffer.set_style(area, Style::reset().patch(style));
}

struct Pen<'a> {
    buffer: &'a mut Buffer,
    area: Rect,
    /// Cells from the area's left.
    x: usize,
    end: usize,
    glyphs: &'a Glyphs,
}

impl Pen<'_> {
    fn put(&mut self, text: &str, style: Style) {
        let room = self.end.saturating_sub(self.x);
        if room == 0 || text.is_empty() {
            return;
        }
        let text = clip(text, room, self.glyphs);
        let x = self.area.x.saturating_add(cells(self.x));
        let (next, _) = self.buffer.set_stringn(x, self.area.y, text, room, style);
        self.x = usize::from(next.saturating_sub(self.area.x));
    }

    fn blank_to(&mut self, stop: usize, style: Style) {
        let stop = stop.min(self.end);
        let missing = stop.saturating_sub(self.x);
        if missing > 0 {
            let x = self.area.x.saturating_add(cells(self.x));
            self.buffer
                .set_stringn(x, self.area.y, " ".repeat(missing), missing, style);
            self.x = stop;
        }
    }
}

/// As a count of cells of a screen.
pub(super) fn cells(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}

/// `text` made safe and cut to `width` cells, with a mark where something was cut.
pub(super) fn clip(text: &str, width: usize, glyphs: &Glyphs) -> String {
    if width == 0 {
        return String::new();
    }
    let mut used = 0_usize;
    let mut fits = 0_usize;
    let mark = glyphs.cut.width();
    let mut short = 0_usize;
    let mut zero = 0_usize;
    for (place, c) in text.char_indices() {
        let safe = safe_width(c);
        zero = if safe == 0 { zero + 1 } else { 0 };
        if used + safe > width || zero > 8 {
            let head = text
                .get(..if width > mark { short } else { fits })
                .unwrap_or("");
            let mut cut = visible(head).into_owned();
            if width > mark {
                cut.push_str(glyphs.cut);
            }
            return cut;
        }
        used += safe;
        fits = place + c.len_utf8();
        if used + mark <= width {
            short = fits;
        }
    }
    visible(text).into_owned()
}

/// Cells of a character after `visible` has seen it.
fn safe_width(c: char) -> usize {
    c.width()
        .filter(|width| *width > 0)
        .unwrap_or_else(|| usize::from(!is_combining(c)))
}

/// Whether `visible` leaves it and it takes no cell of its own.
fn is_combining(c: char) -> bool {
    let mut bytes = [0; 4];
    let text: &str = c.encode_utf8(&mut bytes);
    c.width() == Some(0) && matches!(visible(text), std::borrow::Cow::Borrowed(_))
}

/// Cells of a text once it is made safe.
pub(super) fn width(text: &str) -> usize {
    text.chars().map(safe_width).sum()
}

/// `text` cut in its middle to `width` cells.
pub(in crate::tui) fn clip_middle(text: &str, width_wanted: usize, glyphs: &Glyphs) -> String {
    if width(text) <= width_wanted {
        return visible(text).into_owned();
    }
    let mark = glyphs.cut.width();
    if width_wanted <= mark + 2 {
        return clip(text, width_wanted, glyphs);
    }
    let room = width_wanted - mark;
    let tail_room = room / 2;
    let mut head = String::new();
    let mut used = 0;
    for c in text.chars() {
        used += safe_width(c);
        if used > room - tail_room {
            break;
        }
        head.push(c);
    }
    let mut tail: Vec<char> = Vec::new();
    used = 0;
    for c in text.chars().rev() {
        used += safe_width(c);
        if used > tail_room {
            break;
        }
        tail.push(c);
    }
    let tail: String = tail.into_iter().rev().collect();
    format!("{}{}{}", visible(&head), glyphs.cut, visible(&tail))
}

/// `+00:06.412`, `+1:00:06.412`.
pub(super) fn clock(time: Millis) -> String {
    crate::tui::caption::clock(time)
}

/// `89 ms`, `2 s`, `1.5 s`, `3 min`, `2 h 5 min`.
pub(super) fn span_of_time(time: Millis) -> String {
    crate::session::note::duration(time)
}

/// `104 B`, `12.3 kB`, `4.0 MB`.
pub(super) fn bytes(size: u64) -> String {
    let tenths = |unit: u64| format!("{}.{}", size / unit, size % unit * 10 / unit);
    match size {
        0..1000 => format!("{size} B"),
        1000..1_000_000 => format!("{} kB", tenths(1000)),
        1_000_000..1_000_000_000 => format!("{} MB", tenths(1_000_000)),
        _ => "> 1 GB".to_owned(),
    }
}

/// `1 key`, `3 keys`.
pub(super) fn count(number: usize, word: &str) -> String {
    format!("{number} {word}{}", if number == 1 { "" } else { "s" })
}

/// So many items or batches.
pub(super) fn counted(unit: Unit, number: usize) -> String {
    unit.counted(u32::try_from(number).unwrap_or(u32::MAX))
}

/// Words that the run made, with their few signs as the glyph set has them.
pub(super) fn words(glyphs: &Glyphs, text: &str) -> String {
    if !glyphs.ascii || text.is_ascii() {
        return text.to_owned();
    }
    text.replace('→', "->")
        .replace('↝', "~>")
        .replace('×', "x")
        .replace('≤', "<=")
        .replace('≥', ">=")
        .replace('≠', "!=")
        .replace(['−', '–', '—'], "-")
        .replace('·', "-")
        .replace('…', "..")
}

/// One line of words for a pane that has nothing to show.
pub(super) fn say(paint: &Paint, area: Rect, buffer: &mut Buffer, words: &str) {
    let style = paint.theme.style(Role::Dim);
    let rows = crate::tui::border::wrapped(words, usize::from(area.width));
    for (row, text) in area.rows().zip(&rows) {
        Line::new().text(text, style).draw(paint, row, buffer);
    }
}

/// The first row to show so that `row` of `len` is seen in `height` rows, moving as little as can be.
pub(super) fn scroll(top: usize, row: usize, len: usize, height: usize) -> usize {
    if height == 0 {
        return row;
    }
    let margin = (height / 4).min(2);
    let least = (row + margin + 1)
        .min(len.max(row + 1))
        .saturating_sub(height);
    let most = row.saturating_sub(margin);
    top.max(least)
        .min(most.max(least))
        .min(len.saturating_sub(height).max(least))
}

/// A row after a motion.
pub(super) fn moved(motion: super::Motion, row: usize, len: usize, page: usize) -> usize {
    use super::Motion;
    let page = page.max(1);
    let half = (page / 2).max(1);
    match motion {
        Motion::Up => row.saturating_sub(1),
        Motion::Down => row.saturating_add(1),
        Motion::PageUp => row.saturating_sub(page),
        Motion::PageDown => row.saturating_add(page),
        Motion::HalfUp => row.saturating_sub(half),
        Motion::HalfDown => row.saturating_add(half),
        Motion::Home => 0,
        Motion::End => usize::MAX,
        Motion::Left | Motion::Right => row,
    }
    .min(len.saturating_sub(1))
}

/// The style of a role.
pub(super) fn style(theme: &Theme, role: Role) -> Style {
    theme.style(role)
}

/// Text in pieces of at most `room` columns, at blanks where there are some.
pub(super) fn wrap(text: &str, room: usize) -> Vec<String> {
    let room = room.max(8);
    let mut pieces = Vec::new();
    let mut piece = String::new();
    for word in text.split_inclusive(' ') {
        if !piece.is_empty() && width(&piece) + width(word.trim_end()) > room {
            pieces.push(std::mem::take(&mut piece));
        }
        for c in word.chars() {
            if width(&piece) >= room {
                pieces.push(std::mem::take(&mut piece));
                if c == ' ' {
                    continue;
                }
            }
            piece.push(c);
        }
    }
    if !piece.is_empty() {
        pieces.push(piece);
    }
    // A very long text says no more in its twentieth line.
    pieces.truncate(20);
    pieces
}

#[cfg(test)]
mod tests {
    use super::super::super::glyph::{ASCII, UNICODE};
    use super::*;

    #[test]
    fn cuts_by_cells() {
        assert_eq!(clip("abcdef", 6, &ASCII), "abcdef");
        assert_eq!(clip("abcdefg", 6, &ASCII), "abcd..");
        assert_eq!(clip("漢字漢字", 5, &UNICODE), "漢字…");
        assert_eq!(clip("漢字漢字", 1, &UNICODE), "");
        assert_eq!(clip("\u{1b}[2J", 3, &UNICODE), "␛[…");
        assert_eq!(clip("e\u{301}".repeat(4).as_str(), 4, &ASCII).width(), 4);
        let many = format!("e{}x", "\u{301}".repeat(100));
        assert!(clip(&many, 9, &ASCII).chars().count() < 20);
        assert_eq!(clip_middle("NotifyDeclined", 9, &ASCII), "Noti..ned");
    }

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

    #[test]
    fn scrolling_moves_little() {
        assert_eq!(scroll(0, 3, 100, 10), 0);
        assert_eq!(scroll(0, 9, 100, 10), 2);
        assert_eq!(scroll(50, 52, 100, 10), 50);
        assert_eq!(scroll(50, 51, 100, 10), 49);
        assert_eq!(scroll(0, 99, 100, 10), 90);
        assert_eq!(scroll(95, 99, 100, 10), 90);
        assert_eq!(scroll(9, 0, 1, 1), 0);
        assert_eq!(scroll(5, 0, 0, 0), 0);
    }
}
