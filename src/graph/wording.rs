//! Text widths, and shortening to a number of cells.

use super::checked_index::cells;
use super::model::Glyphs;
use crate::json::visible;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Width of a text, in cells.
pub(super) fn width(text: &str) -> i32 {
    // Counted by character, because that is how it is drawn.
    cells(text.chars().map(|c| c.width().unwrap_or(0)).sum())
}

/// The ellipsis that replaces the omitted part.
fn gap(glyphs: Glyphs) -> &'static str {
    match glyphs {
        Glyphs::Unicode => "…",
        Glyphs::Ascii => "..",
    }
}

/// Returns `text` safe to print, shortened in the middle to at most `max` cells.
pub(super) fn cut_middle(text: &str, max: i32, glyphs: Glyphs) -> String {
    let text = visible(text);
    if width(&text) <= max {
        return text.into_owned();
    }
    let gap = gap(glyphs);
    let rest = (max - cells(gap.width())).max(2);
    let tail = rest * 2 / 5;
    let reversed: String = text.chars().rev().collect();
    let tail: String = head(&reversed, tail).chars().rev().collect();
    format!("{}{gap}{tail}", head(&text, rest - width(&tail)))
}

/// The longest prefix of at most `max` cells.
fn head(text: &str, max: i32) -> &str {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += cells(c.width().unwrap_or(0));
        if used > max {
            return text.get(..at).unwrap_or_default();
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts() {
        let unicode = Glyphs::Unicode;
        assert_eq!(cut_middle("ValidateOrder", 13, unicode), "ValidateOrder");
        assert_eq!(cut_middle("ValidateOrderItems", 11, unicode), "Valida…tems");
        assert_eq!(
            cut_middle("ValidateOrderItems", 11, Glyphs::Ascii),
            "Valida..ems"
        );
        assert_eq!(cut_middle("漢字漢字漢字", 7, unicode), "漢字…字");
        assert!(width(&cut_middle("漢字漢字漢字", 6, unicode)) <= 6);
        assert_eq!(cut_middle("a\u{1b}[2J", 9, unicode), "a␛[2J");
    }
}
