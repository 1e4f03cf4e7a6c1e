//! The size of a box, the positions of the texts in the box, and the wrapping and shortening of its name.

use super::layered::cells;
use super::model::{BoxType, Boxes, Glyphs, Node, NodeBox, Options, Point, Rect};
use super::sketch::{Sketch, SketchState};
use crate::definition::StateId;
use crate::json::visible;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Maximum width of a name, in cells; no name that AWS accepts is longer.
const LONGEST: i32 = 160;
/// Minimum width, in cells, to which the lines of a name may be limited.
pub(super) const LEAST: i32 = 8;
/// Minimum and maximum width, in cells, that is reserved for the two rows of details in a box.
const DETAILS: (i32, i32) = (18, 26);

/// How the name of a box is wrapped into lines and shortened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    /// Maximum number of lines that the name takes.
    pub(super) lines: usize,
    /// Maximum width of a line, in cells; `None` if the name must not be wrapped or shortened.
    pub(super) room: Option<i32>,
}

impl Default for Form {
    fn default() -> Self {
        Self {
            lines: 1,
            room: None,
        }
    }
}

/// The lines of a box's name, and true if the name was shortened.
pub(super) fn name_lines(name: &str, form: Form, glyphs: Glyphs) -> (Vec<String>, bool) {
    let name = match width(name) > LONGEST {
        true => cut_middle(name, LONGEST, glyphs),
        false => visible(name).into_owned(),
    };
    let Some(room) = form.room else {
        return match form.lines {
            0 | 1 => (vec![name], false),
            lines => (narrowest(&name, lines), false),
        };
    };
    if let Some(lines) = wrapped(&name, room) {
        return (lines, false);
    }
    // Words that are longer than a line are broken. If three lines are still not enough, the middle of the name is cut
    // out.
    let mut most = width(&name);
    let mut text = name.clone();
    while most > room {
        if let Some(lines) = broken(&text, room) {
            return (lines, text != name);
        }
        most -= 1;
        text = cut_middle(&name, most, glyphs);
    }
    (vec![cut_middle(&name, room, glyphs)], true)
}

/// Returns the box of a state, or of the start or end of the graph. The box has a size, but no position yet. Also
/// returns true if the name in the box was shortened. `inner` is the width and height of the inner states.
pub(super) fn sized(
    sketch: &Sketch,
    node: Node,
    form: Form,
    inner: Option<(i32, i32)>,
    options: &Options,
) -> (NodeBox, bool) {
    let blank = SketchState::default();
    let (state, kind, name) = match node {
        Node::Start => (&blank, BoxType::Mark, "( start )"),
        Node::End => (&blank, BoxType::Mark, "( end )"),
        Node::State(id) => {
            let state = sketch.state(id).unwrap_or(&blank);
            (state, state.kind, state.name.as_str())
        }
    };
    let name = match node {
        Node::State(id) => shown_name(sketch, id, options),
        _ => name.to_owned(),
    };
    let (lines, is_cut) = name_lines(&name, form, options.glyphs);
    let mark = kind.mark(options.glyphs);
    let badge = badge_width(state, options);
    let beside = inner.is_some() || options.boxes == Boxes::Line;
    let room = if badge > 0 && beside { badge + 1 } else { 0 };
    let before = status_width(options) + if mark.is_some() { 2 } else { 0 };
    let first = lines.first().map_or(0, |line| width(line));
    let text = before + widest(&lines).max(first + room);
    let tall = cells(lines.len());
    let notes = match &state.detail {
        Some(detail) if options.details && inner.is_none() => {
            width(detail).clamp(DETAILS.0, DETAILS.1)
        }
        _ => 0,
    };
    let tag = state.tag.filter(|_| options.details).map_or(0, width);
    let (w, h) = if let Some((wide, high)) = inner {
        let beside = if tag > 0 { tag + 3 } else { 0 };
        ((text + 6 + beside).max(wide + 2), high + 1 + tall)
    } else if kind == BoxType::Mark {
        (first, 1)
    } else if options.boxes == Boxes::Line {
        (text + 2, tall)
    } else {
        let on_brim = if badge > 0 { badge + 2 } else { 0 } + if tag > 0 { tag + 3 } else { 0 };
        let rows = if notes > 0 { 2 } else { 0 };
        (text.max(notes).max(on_brim) + 4, tall + 2 + rows)
    };
    let item = NodeBox {
        node,
        rect: Rect { x: 0, y: 0, w, h },
        mark,
        lines,
        label_at: Point::default(),
        status_at: None,
        tag: state.tag.map(|tag| (Point::default(), tag)),
        badge: (badge > 0).then_some(Rect {
            w: badge,
            h: 1,
            ..Rect::default()
        }),
        notes: (notes > 0).then_some(Rect {
            w: notes,
            h: 2,
            ..Rect::default()
        }),
        detail: state.detail.clone().filter(|_| notes > 0),
        retries: state.retries,
        kind,
        group: inner.is_some(),
        parent: None,
    };
    (item, is_cut)
}

/// The name of a state. If the state is folded, the number of states that it hides is added.
pub(super) fn shown_name(sketch: &Sketch, id: StateId, options: &Options) -> String {
    let Some(state) = sketch.state(id) else {
        return String::new();
    };
    if !options.folded.contains(&id) {
        return state.name.clone();
    }
    match hidden_states(sketch, state) {
        count if count > 0 => {
            let states = if count == 1 { "state" } else { "states" };
            format!("{} ({count} {states})", state.name)
        }
        _ => state.name.clone(),
    }
}

/// Number of states inside a folded state.
fn hidden_states(sketch: &Sketch, state: &SketchState) -> usize {
    let mut open: Vec<usize> = state.scopes.clone();
    let mut count = 0;
    // Each scope belongs to only one state, so the loop needs at most as many iterations as there are scopes.
    for _ in 0..sketch.scopes.len() {
        let Some(scope) = open.pop().and_then(|scope| sketch.scopes.get(scope)) else {
            break;
        };
        count += scope.states.len();
        let inner = scope.states.iter().filter_map(|id| sketch.state(*id));
        open.extend(inner.flat_map(|state| state.scopes.iter().copied()));
    }
    count
}

/// Width of the status symbol with its blank (`✓ ` or `ok `), in cells.
fn status_width(options: &Options) -> i32 {
    match (options.live, options.glyphs) {
        (false, _) => 0,
        (true, Glyphs::Unicode) => 2,
        (true, Glyphs::Ascii) => 3,
    }
}

/// Width, in cells, reserved for the badge, which counts retries or items: `↻2/3` or `97/100` in a run, `↻3` without a
/// run.
fn badge_width(state: &SketchState, options: &Options) -> i32 {
    let retries = state.retries.map_or(0, |count| {
        let digits = cells(count.to_string().len().min(4));
        if options.live {
            2 + 2 * digits
        } else {
            1 + digits
        }
    });
    let items = match (options.live, state.kind, options.boxes) {
        (true, BoxType::Map, _) => 7,
        // This badge shows how often the state was entered. It is on the upper border of a framed box.
        (true, _, Boxes::Frame) => 3,
        _ => 0,
    };
    retries.max(items)
}

/// Sets the position of a box and of its texts.
pub(super) fn settle(item: &mut NodeBox, rect: Rect, options: &Options) {
    item.rect = rect;
    if item.kind == BoxType::Mark {
        let x = rect.x + (rect.w - widest(&item.lines)) / 2;
        item.label_at = Point { x, y: rect.y };
        return;
    }
    let (margin, row) = match (item.group, options.boxes) {
        (true, _) => (3, 0),
        (false, Boxes::Line) => (1, 0),
        (false, Boxes::Frame) => (2, 1),
    };
    let y = rect.y + row;
    let mut x = rect.x + margin;
    let brim = !item.group && options.boxes == Boxes::Frame;
    let room = match item.badge {
        Some(badge) if !brim => badge.w + 1,
        _ => 0,
    };
    let before = status_width(options) + if item.mark.is_some() { 2 } else { 0 };
    let first = item.lines.first().map_or(0, |line| width(line));
    let text = before + widest(&item.lines).max(first + room);
    if !item.group && item.notes.is_none() {
        x += (rect.right() - margin + 1 - x - text).max(0) / 2;
    }
    if options.live {
        item.status_at = Some(Point { x, y });
    }
    x += before;
    item.label_at = Point { x, y };
    if let Some(badge) = &mut item.badge {
        (badge.x, badge.y) = match brim {
            true => (rect.right() - badge.w - 1, rect.y),
            false => (x + first + 1, y),
        };
    }
    item.tag = item.tag.and_then(|(_, tag)| {
        let (begin, end) = match (brim, item.group) {
            // In a framed box without inner states, the tag (such as `.sync`) is to the left of the badge. In a box
            // with inner states, the tag is to the right of the name and the badge.
            (true, _) => (
                rect.x + 3,
                item.badge.map_or(rect.right(), |badge| badge.x - 1),
            ),
            (_, true) => {
                let end = item.badge.map_or(0, |badge| badge.x + badge.w);
                (end.max(x + first) + 2, rect.right() - 1)
            }
            _ => return None,
        };
        let at = match item.group {
            true => end - 1 - width(tag),
            false => begin,
        };
        (at >= begin && at + width(tag) < end).then_some((Point { x: at, y: rect.y }, tag))
    });
    if let Some(notes) = &mut item.notes {
        notes.x = rect.x + 2;
        notes.w = rect.w - 4;
        notes.y = y + cells(item.lines.len());
    }
}

/// Maximum number of lines of a name.
pub(super) const LINES: usize = 3;

/// Splits a text into pieces. A line may end after each piece.
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

/// Joins pieces into lines of at most `room` cells; `None` if that takes more than `most` lines.
fn filled(pieces: &[&str], room: i32, most: usize) -> Option<Vec<String>> {
    let mut out: Vec<String> = Vec::new();
    let mut used = 0;
    for piece in pieces {
        let piece_width = width(piece);
        let bare = width(piece.trim_end());
        let count = out.len();
        match out.last_mut() {
            Some(line) if used + bare <= room => {
                line.push_str(piece);
                used += piece_width;
            }
            _ if bare > room || count == most => return None,
            _ => {
                out.push((*piece).to_owned());
                used = piece_width;
            }
        }
    }
    for line in &mut out {
        line.truncate(line.trim_end().len());
    }
    Some(out)
}

/// Wraps a text into lines of at most `room` cells; `None` if that takes more than [`LINES`] lines.
fn wrapped(text: &str, room: i32) -> Option<Vec<String>> {
    filled(&pieces(text), room, LINES)
}

/// Like [`wrapped`], but breaks words that are longer than a line.
pub(super) fn broken(text: &str, room: i32) -> Option<Vec<String>> {
    let mut parts = Vec::new();
    for piece in pieces(text) {
        let mut start = 0;
        let mut used = 0;
        for (at, c) in piece.char_indices() {
            let char_width = cells(c.width().unwrap_or(0));
            if used + char_width > room && c != ' ' {
                parts.extend(piece.get(start..at));
                (start, used) = (at, 0);
            }
            used += char_width;
        }
        parts.extend(piece.get(start..));
    }
    filled(&parts, room, LINES)
}

/// Wraps a text into at most `lines` lines that are as narrow as possible.
fn narrowest(text: &str, lines: usize) -> Vec<String> {
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

/// Width of a text, in cells.
pub(super) fn width(text: &str) -> i32 {
    // The width is summed by character, because the text is drawn by character.
    cells(text.chars().map(|c| c.width().unwrap_or(0)).sum())
}

/// The ellipsis that replaces an omitted part of a name.
fn gap(glyphs: Glyphs) -> &'static str {
    match glyphs {
        Glyphs::Unicode => "…",
        Glyphs::Ascii => "..",
    }
}

/// Returns `text` safe to print, shortened in the middle to at most `max` cells.
fn cut_middle(text: &str, max: i32, glyphs: Glyphs) -> String {
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

/// The longest beginning of the text that is at most `max` cells wide.
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
    fn a_name_is_cut_only_when_three_lines_do_not_hold_it() {
        let form = |room| Form {
            lines: 3,
            room: Some(room),
        };
        let lines = |name: &str, room| name_lines(name, form(room), Glyphs::Unicode);
        assert_eq!(
            lines("Get File Input", 8),
            (vec!["Get File".into(), "Input".into()], false)
        );
        assert_eq!(
            lines("abcdefghijklmnop", 8),
            (vec!["abcdefgh".into(), "ijklmnop".into()], false)
        );
        let (cut, is_cut) = lines("abcdefghijklmnopqrstuvwxyz0123456789", 8);
        assert!(is_cut && cut.len() == 3, "{cut:?}");
        assert!(cut.iter().all(|line| width(line) <= 8), "{cut:?}");
    }

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
