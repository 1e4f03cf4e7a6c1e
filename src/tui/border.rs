//! Boxes with titles, and lines that are cut where there is no room.
//!
//! It must not know what is inside a box.

use super::glyph::{BoxSet, Glyphs};
use super::theme::{Role, Theme};
use crate::json::visible;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use std::borrow::Cow;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Styles and glyphs to draw with.
#[derive(Clone, Copy, Debug)]
pub struct Brush<'a> {
    /// Styles.
    pub theme: &'a Theme,
    /// Signs.
    pub glyphs: &'a Glyphs,
}

impl Brush<'_> {
    /// The style of a role.
    #[must_use]
    pub fn style(&self, role: Role) -> Style {
        self.theme.style(role)
    }
}

/// `text` made safe to show and cut to `width` columns, with the glyph for cut text at its end.
#[must_use]
pub fn fit(text: &str, width: usize, cut: &str) -> String {
    let text = visible(text);
    if text.width() <= width {
        return text.into_owned();
    }
    let room = width.saturating_sub(cut.width());
    let mut fitted = String::new();
    let mut used = 0;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > room {
            break;
        }
        fitted.push(c);
    }
    if cut.width() <= width {
        fitted.push_str(cut);
    }
    fitted
}

/// `text` with its symbols replaced by those of the glyph set.
pub(super) fn plain<'t>(text: &'t str, glyphs: &Glyphs) -> Cow<'t, str> {
    if !glyphs.ascii || text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let text = text.replace('→', "->").replace(['·', '−', '–'], "-");
    Cow::Owned(text.replace('×', "x").replace('…', ".."))
}

/// Writes one line, cut to the area's width; returns the columns used.
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
    let text = fit(&plain(text, brush.glyphs), width, brush.glyphs.cut);
    let y = area.y.saturating_add(row);
    let (x, _) = buffer.set_stringn(area.x, y, &text, width, style);
    x.saturating_sub(area.x)
}

/// Writes a text over the rows of an area, broken at blanks where it can be; the last row is cut.
pub fn put_wrapped(buffer: &mut Buffer, area: Rect, text: &str, style: Style, brush: Brush) {
    let text = plain(text, brush.glyphs);
    let width = usize::from(area.width.saturating_sub(1));
    let mut lines = wrapped(&visible(&text), width);
    let rows = usize::from(area.height);
    if lines.len() > rows {
        let rest = lines.split_off(rows.saturating_sub(1)).join(" ");
        lines.push(rest);
    }
    for (row, line) in (0_u16..).zip(&lines) {
        put(buffer, area, row, &format!(" {line}"), style, brush);
    }
}

/// A text as lines of at most `width` cells, broken at blanks where it can be; a longer word behind the sign that ends a part
/// of it, where there is one in the last third of a line.
#[must_use]
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = Vec::new();
    let (mut line, mut used) = (String::new(), 0);
    for word in text.split_inclusive(' ') {
        let own = word.trim_end().width();
        if used > 0 && used + own > width {
            lines.push(std::mem::take(&mut line).trim_end().to_owned());
            used = 0;
        }
        if own <= width {
            line.push_str(word);
            used += word.width();
            continue;
        }
        for c in word.chars() {
            let cells = c.width().unwrap_or(0);
            if used + cells > width {
                let end = line.rfind(PARTS).map(|at| at + 1);
                let end =
                    end.filter(|end| line.get(..*end).unwrap_or_default().width() * 3 > width * 2);
                let rest = line.split_off(end.unwrap_or(line.len()));
                lines.push(std::mem::replace(&mut line, rest));
                used = line.width();
            }
            line.push(c);
            used += cells;
        }
    }
    if !line.trim_end().is_empty() || lines.is_empty() {
        lines.push(line.trim_end().to_owned());
    }
    lines
}

/// Signs that end a part of a long word: of an ARN, an address, a path.
const PARTS: [char; 8] = [':', '/', '.', ',', '-', '_', '&', '='];

/// Empties an area.
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

/// The titles of a box.
#[derive(Clone, Copy, Debug, Default)]
pub struct Titles<'a> {
    /// At the left of the upper border.
    pub left: &'a str,
    /// At the right of the upper border.
    pub right: &'a str,
    /// At the right of the lower border.
    pub below: &'a str,
}

/// Draws a box.
pub fn draw_box(
    buffer: &mut Buffer,
    area: Rect,
    set: &BoxSet,
    style: Style,
    titles: Titles,
    brush: Brush,
) {
    let area = area.intersection(buffer.area);
    if area.width < 2 || area.height < 2 {
        return;
    }
    let inside = usize::from(area.width) - 2;
    let (right, bottom) = (area.right() - 1, area.bottom() - 1);
    for (y, left, end) in [
        (area.y, set.top_left, set.top_right),
        (bottom, set.bottom_left, set.bottom_right),
    ] {
        buffer.set_string(area.x, y, left, style);
        buffer.set_string(area.x + 1, y, set.horizontal.repeat(inside), style);
        buffer.set_string(right, y, end, style);
    }
    for y in area.y + 1..bottom {
        buffer.set_string(area.x, y, set.vertical, style);
        buffer.set_string(right, y, set.vertical, style);
    }
    let title = brush.style(Role::Title).patch(style);
    let room = inside.saturating_sub(2);
    let left = titled(titles.left, room, brush);
    buffer.set_stringn(area.x + 2, area.y, &left, room, title);
    let free = room.saturating_sub(left.width() + 1);
    let put_right = |buffer: &mut Buffer, y: u16, text: &str, free: usize| {
        let text = titled(text, free, brush);
        let width = u16::try_from(text.width()).unwrap_or(0);
        let x = right.saturating_sub(width + 1);
        buffer.set_stringn(x, y, &text, free, style);
    };
    // A few letters of it would say nothing.
    if !titles.right.is_empty() && free >= 16.min(titles.right.width() + 2) {
        put_right(buffer, area.y, titles.right, free);
    }
    if !titles.below.is_empty() {
        put_right(buffer, bottom, titles.below, room);
    }
}

fn titled(text: &str, room: usize, brush: Brush) -> String {
    if text.is_empty() || room < 3 {
        return String::new();
    }
    format!(" {} ", fit(text, room - 2, brush.glyphs.cut))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_by_columns_and_made_safe() {
        assert_eq!(fit("漢字漢字", 5, ".."), "漢..");
        assert_eq!(fit("abc", 3, ".."), "abc");
        assert_eq!(fit("a\u{1b}[2J", 10, ".."), "a␛[2J");
        assert_eq!(fit("abc", 1, ".."), "");
    }

    #[test]
    fn long_words_break_between_their_parts() {
        let lines = |text: &str, width| wrapped(text, width).join("|");
        let arn = "arn:aws:lambda:eu-central-1:1:function:release-stock";
        assert_eq!(
            lines(arn, 24),
            "arn:aws:lambda:eu-|central-1:1:function:|release-stock"
        );
        assert_eq!(lines("abcdefgh", 3), "abc|def|gh");
        assert_eq!(lines("at a.bcdefgh", 6), "at|a.bcde|fgh");
    }

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
            let titles = Titles {
                left: "a long title",
                right: "right",
                below: "x",
            };
            let area = Rect::new(0, 0, width, height);
            draw_box(
                &mut buffer,
                area,
                &glyphs.focus,
                Style::new(),
                titles,
                brush,
            );
            for position in buffer.area.positions() {
                let blank = buffer
                    .cell(position)
                    .is_some_and(|cell| cell.symbol() == " ");
                assert!(blank || area.contains(position));
            }
        }
    }
}
