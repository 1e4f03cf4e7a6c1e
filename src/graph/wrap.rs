//! Wraps a name into up to three lines: at blanks, `_`, `-`, in camelCase, and around wide characters.

use super::checked_index::cells;
use super::wording::width;
use unicode_width::UnicodeWidthChar as _;

/// Maximum number of lines of a name.
pub(super) const LINES: usize = 3;

/// The pieces of a text between which a line may end.
fn pieces(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut start = 0;
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    for (place, (at, c)) in chars.iter().enumerate().skip(1) {
        let before = place.checked_sub(1).and_then(|place| chars.get(place));
        let Some((_, before)) = before else { continue };
        let after = chars.get(place + 1).map(|(_, c)| *c);
        let hump = c.is_uppercase()
            && (before.is_lowercase()
                || before.is_numeric()
                || (before.is_uppercase() && after.is_some_and(char::is_lowercase)));
        let wide = |c: char| c.width().unwrap_or(0) > 1;
        let parted = (*before == ' ' && *c != ' ')
            || (matches!(before, '_' | '-') && !matches!(c, '_' | '-' | ' '))
            || hump
            || ((wide(*c) || wide(*before)) && c.width().unwrap_or(0) > 0);
        if parted {
            out.extend(text.get(start..*at));
            start = *at;
        }
    }
    out.extend(text.get(start..));
    out
}

/// Fills lines of `room` cells with pieces; `None` if that takes more than `most` lines.
fn filled(pieces: &[&str], room: i32, most: usize) -> Option<Vec<String>> {
    let mut out: Vec<String> = Vec::new();
    let mut used = 0;
    for piece in pieces {
        let own = width(piece);
        let bare = width(piece.trim_end());
        let count = out.len();
        match out.last_mut() {
            Some(line) if used + bare <= room => {
                line.push_str(piece);
                used += own;
            }
            _ if bare > room || count == most => return None,
            _ => {
                out.push((*piece).to_owned());
                used = own;
            }
        }
    }
    for line in &mut out {
        line.truncate(line.trim_end().len());
    }
    Some(out)
}

/// Wraps a text into lines of `room` cells; `None` if that takes more than [`LINES`] lines.
pub(super) fn wrapped(text: &str, room: i32) -> Option<Vec<String>> {
    filled(&pieces(text), room, LINES)
}

/// Like `wrapped`, but breaks words that are longer than a line.
pub(super) fn broken(text: &str, room: i32) -> Option<Vec<String>> {
    let mut parts = Vec::new();
    for piece in pieces(text) {
        let mut start = 0;
        let mut used = 0;
        for (at, c) in piece.char_indices() {
            let own = cells(c.width().unwrap_or(0));
            if used + own > room && c != ' ' {
                parts.extend(piece.get(start..at));
                (start, used) = (at, 0);
            }
            used += own;
        }
        parts.extend(piece.get(start..));
    }
    filled(&parts, room, LINES)
}

/// The narrowest wrapping of a text into at most this many lines.
pub(super) fn narrowest(text: &str, lines: usize) -> Vec<String> {
    let pieces = pieces(text);
    let whole = width(text);
    let mut low = whole / cells(lines.max(1)) - 1;
    let mut high = whole;
    while low + 1 < high {
        let middle = low + (high - low) / 2;
        if filled(&pieces, middle, lines).is_some() {
            high = middle;
        } else {
            low = middle;
        }
    }
    filled(&pieces, high, lines).unwrap_or_else(|| vec![text.to_owned()])
}

/// Width of the longest line, in cells.
pub(super) fn widest(lines: &[String]) -> i32 {
    lines.iter().map(|line| width(line)).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_where_words_do() {
        let check = |text: &str, lines: usize, expected: &[&str]| {
            assert_eq!(narrowest(text, lines), expected, "{text}");
        };
        check("Get File Input", 2, &["Get File", "Input"]);
        check("Get File Input", 3, &["Get", "File", "Input"]);
        check("CreateHTTPServerNow", 2, &["CreateHTTP", "ServerNow"]);
        check("CreateHTTPServerNow", 3, &["Create", "HTTP", "ServerNow"]);
        check("check_order-total", 3, &["check_", "order-", "total"]);
        check("abcdefghij", 3, &["abcdefghij"]);
        check("漢字かな", 2, &["漢字", "かな"]);
        check("Retry2Times", 2, &["Retry2", "Times"]);
        check("a  b", 2, &["a", "b"]);
        check("", 2, &[""]);
        assert_eq!(wrapped("aa bb cc dd", 2), None);
        assert_eq!(
            wrapped("aa bb cc dd", 5),
            Some(vec!["aa bb".into(), "cc dd".into()])
        );
    }
}
