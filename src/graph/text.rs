//! Draws a finished layout as plain text, in box-drawing characters or in ASCII.

use super::model::{
    Arrow, BoxType, Boxes, EAST, Glyphs, Layout, NORTH, NodeBox, Point, Rect, SOUTH, Separator,
    WEST,
};
use crate::json::visible;
use std::collections::{BTreeMap, HashSet};
use unicode_width::UnicodeWidthChar as _;

/// The drawing as lines of text without trailing blanks.
#[must_use]
pub fn text(layout: &Layout, glyphs: Glyphs) -> String {
    text_with(layout, glyphs, &|_| "")
}

/// Like [`text`], but also draws a symbol before every name for which the layout reserved room; `sign` returns this
/// symbol.
#[must_use]
pub fn text_with<'s>(
    layout: &Layout,
    glyphs: Glyphs,
    sign: &dyn Fn(&NodeBox) -> &'s str,
) -> String {
    let mut page = Page {
        rows: Vec::new(),
        glyphs,
    };
    strokes(layout, &mut page);
    page.lines_to_characters();
    for item in &layout.boxes {
        page.node(item, layout.frames);
        if let Some(at) = item.status_at {
            page.write(at.x, at.y, sign(item));
        }
    }
    for line in &layout.separators {
        page.separator(line);
    }
    for edge in layout.edges.iter().filter(|edge| !edge.path.is_empty()) {
        if let (Some(from), Some(next)) = (edge.path.first(), edge.path.get(1)) {
            page.port(*from, *next);
        }
        if let Some((cell, arrow)) = edge.head() {
            page.put(cell.x, cell.y, arrow_glyph(arrow, glyphs));
        }
    }
    for label in layout.edges.iter().filter_map(|edge| edge.label.as_ref()) {
        page.write(label.x, label.y, &label.text);
    }
    page.finish()
}

/// The straight parts of lines, each as its first and last cell. The key of a vertical part is true and its column; the
/// key of a horizontal part is false and its row.
type Strokes = BTreeMap<(bool, i32), Vec<(i32, i32)>>;

/// Draws every cell of the lines once, even if several lines share the cell.
fn strokes(layout: &Layout, page: &mut Page) {
    let mut ends: HashSet<Point> = HashSet::new();
    let mut strokes: [Strokes; 2] = Default::default();
    for edge in &layout.edges {
        ends.extend(edge.path.first());
        ends.extend(edge.path.last());
        let [plain, dashed] = &mut strokes;
        let strokes = if edge.kind.is_catch() { dashed } else { plain };
        for (from, to) in edge.path.iter().zip(edge.path.iter().skip(1)) {
            let (line, a, b) = if from.x == to.x {
                ((true, from.x), from.y, to.y)
            } else {
                ((false, from.y), from.x, to.x)
            };
            strokes.entry(line).or_default().push((a.min(b), a.max(b)));
        }
    }
    for (strokes, is_dashed) in strokes.iter_mut().zip([false, true]) {
        for ((upright, line), parts) in strokes {
            for (first, last) in merged(parts) {
                for at in first..=last {
                    let (back, on) = if *upright {
                        (NORTH, SOUTH)
                    } else {
                        (WEST, EAST)
                    };
                    let (x, y) = if *upright { (*line, at) } else { (at, *line) };
                    let dirs = if at > first { back } else { 0 } | if at < last { on } else { 0 };
                    // The cells at the ends of a line belong to the borders of boxes.
                    if !ends.contains(&Point { x, y }) {
                        page.line(x, y, dirs, is_dashed);
                    }
                }
            }
        }
    }
}

/// Merges intervals that have a cell in common.
fn merged(parts: &mut [(i32, i32)]) -> Vec<(i32, i32)> {
    parts.sort_unstable();
    let mut out: Vec<(i32, i32)> = Vec::new();
    for (first, last) in parts.iter().copied() {
        match out.last_mut() {
            Some((_, end)) if first <= *end => *end = last.max(*end),
            _ => out.push((first, last)),
        }
    }
    out
}

fn arrow_glyph(arrow: Arrow, glyphs: Glyphs) -> char {
    match (arrow, glyphs) {
        (Arrow::Up, Glyphs::Unicode) => '▲',
        (Arrow::Right, Glyphs::Unicode) => '▶',
        (Arrow::Down, Glyphs::Unicode) => '▼',
        (Arrow::Left, Glyphs::Unicode) => '◀',
        (Arrow::Up, Glyphs::Ascii) => '^',
        (Arrow::Right, Glyphs::Ascii) => '>',
        (Arrow::Down, Glyphs::Ascii) => 'v',
        (Arrow::Left, Glyphs::Ascii) => '<',
    }
}

/// The character for a cell whose line leaves it in these directions.
#[must_use]
pub fn line_glyph(dirs: u8, dashed: bool, glyphs: Glyphs) -> char {
    const ACROSS: u8 = EAST | WEST;
    const UPRIGHT: u8 = NORTH | SOUTH;
    let (plain, broken, ascii, broken_ascii) = match dirs & (ACROSS | UPRIGHT) {
        NORTH | SOUTH | UPRIGHT => ('│', '╎', '|', ':'),
        EAST | WEST | ACROSS => ('─', '╌', '-', '.'),
        d if d == SOUTH | EAST => ('╭', '╭', '.', '.'),
        d if d == SOUTH | WEST => ('╮', '╮', '.', '.'),
        d if d == NORTH | EAST => ('╰', '╰', '\'', '\''),
        d if d == NORTH | WEST => ('╯', '╯', '\'', '\''),
        d if d == UPRIGHT | EAST => ('├', '├', '+', '+'),
        d if d == UPRIGHT | WEST => ('┤', '┤', '+', '+'),
        d if d == ACROSS | SOUTH => ('┬', '┬', '+', '+'),
        d if d == ACROSS | NORTH => ('┴', '┴', '+', '+'),
        0 => (' ', ' ', ' ', ' '),
        _ => ('┼', '┼', '+', '+'),
    };
    match (glyphs, dashed) {
        (Glyphs::Unicode, false) => plain,
        (Glyphs::Unicode, true) => broken,
        (Glyphs::Ascii, false) => ascii,
        (Glyphs::Ascii, true) => broken_ascii,
    }
}

/// The characters to the left and right of the name, for every row of a box without a frame.
#[must_use]
pub fn brackets(item: &NodeBox, glyphs: Glyphs) -> Vec<(char, char)> {
    let rows = usize::try_from(item.rect.h).unwrap_or(0);
    let (top, middle, bottom) = match glyphs {
        Glyphs::Unicode => (('┌', '┐'), ('│', '│'), ('└', '┘')),
        Glyphs::Ascii => (('/', '\\'), ('|', '|'), ('\\', '/')),
    };
    match (rows, item.kind) {
        (1, BoxType::Choice) => vec![('<', '>')],
        (1, _) => vec![('[', ']')],
        _ => (0..rows)
            .map(|row| match row {
                0 => top,
                row if row + 1 == rows => bottom,
                _ => middle,
            })
            .collect(),
    }
}

/// One cell of the page; a character that is two cells wide is followed by `COVERED`.
#[derive(Clone, Copy)]
struct Spot {
    dirs: u8,
    dashed: bool,
    glyph: char,
}

const COVERED: char = '\0';

const EMPTY: Spot = Spot {
    dirs: 0,
    dashed: true,
    glyph: ' ',
};

struct Page {
    rows: Vec<Vec<Spot>>,
    glyphs: Glyphs,
}

impl Page {
    fn spot(&mut self, x: i32, y: i32) -> Option<&mut Spot> {
        let (x, y) = (usize::try_from(x).ok()?, usize::try_from(y).ok()?);
        if y >= self.rows.len() {
            self.rows.resize(y + 1, Vec::new());
        }
        let row = self.rows.get_mut(y)?;
        if x >= row.len() {
            row.resize(x + 1, EMPTY);
        }
        row.get_mut(x)
    }

    fn line(&mut self, x: i32, y: i32, dirs: u8, dashed: bool) {
        if let Some(spot) = self.spot(x, y) {
            spot.dirs |= dirs;
            spot.dashed &= dashed;
        }
    }

    fn lines_to_characters(&mut self) {
        let glyphs = self.glyphs;
        for spot in self.rows.iter_mut().flatten() {
            spot.glyph = line_glyph(spot.dirs, spot.dashed, glyphs);
        }
    }

    fn put(&mut self, x: i32, y: i32, glyph: char) {
        if let Some(spot) = self.spot(x, y) {
            spot.glyph = glyph;
        }
    }

    fn write(&mut self, x: i32, y: i32, text: &str) {
        let mut at = x;
        for c in visible(text).chars() {
            let wide = c.width().unwrap_or(0);
            if wide == 0 {
                continue;
            }
            let glyph = match (c, self.glyphs) {
                ('…', Glyphs::Ascii) => '~',
                _ => c,
            };
            self.put(at, y, glyph);
            if wide > 1 {
                self.put(at + 1, y, COVERED);
            }
            at += if wide > 1 { 2 } else { 1 };
        }
    }

    fn frame(&mut self, rect: Rect, double: bool) {
        let [level, upright, nw, ne, sw, se] = match (self.glyphs, double) {
            (Glyphs::Unicode, false) => ['─', '│', '┌', '┐', '└', '┘'],
            (Glyphs::Unicode, true) => ['═', '║', '╔', '╗', '╚', '╝'],
            (Glyphs::Ascii, false) => ['-', '|', '+', '+', '+', '+'],
            (Glyphs::Ascii, true) => ['=', '#', '#', '#', '#', '#'],
        };
        let (right, bottom) = (rect.right(), rect.bottom());
        for x in rect.x..=right {
            self.put(x, rect.y, level);
            self.put(x, bottom, level);
        }
        for y in rect.y..=bottom {
            self.put(rect.x, y, upright);
            self.put(right, y, upright);
        }
        self.put(rect.x, rect.y, nw);
        self.put(right, rect.y, ne);
        self.put(rect.x, bottom, sw);
        self.put(right, bottom, se);
    }

    fn separator(&mut self, line: &Separator) {
        let (upright, level) = match self.glyphs {
            Glyphs::Unicode => ('┊', '┈'),
            Glyphs::Ascii => (':', '.'),
        };
        let glyph = if line.is_upright() { upright } else { level };
        for at in line.cells() {
            self.put(at.x, at.y, glyph);
        }
        if self.glyphs == Glyphs::Ascii || !line.is_upright() {
            return;
        }
        let ends = [(line.from.y - 1, '═', '╤'), (line.to.y + 1, '═', '╧')];
        for (y, border, joint) in ends {
            // The joint, a character that connects the separator with the border, replaces only border cells. So it
            // never overwrites the title of the box.
            if self
                .spot(line.from.x, y)
                .is_some_and(|spot| spot.glyph == border)
            {
                self.put(line.from.x, y, joint);
            }
        }
    }

    fn node(&mut self, item: &NodeBox, frames: Boxes) {
        let rect = item.rect;
        let first = item.label_at.x - if item.mark.is_some() { 2 } else { 0 };
        if item.group {
            self.frame(rect, true);
            let end = item
                .badge
                .map_or(item.label_at.x, |badge| badge.x + badge.w);
            let begin = item.status_at.map_or(first, |at| at.x) - 1;
            let line = item
                .lines
                .first()
                .map_or(0, |line| super::frame::width(line));
            let end = end.max(item.label_at.x + line);
            (begin..=end).for_each(|x| self.put(x, rect.y, ' '));
        } else if item.kind != BoxType::Mark && frames == Boxes::Frame {
            self.frame(rect, false);
        } else if item.kind != BoxType::Mark {
            for (y, (open, close)) in (rect.y..).zip(brackets(item, self.glyphs)) {
                self.put(rect.x, y, open);
                self.put(rect.right(), y, close);
            }
        }
        if let Some(mark) = item.mark {
            self.put(first, item.label_at.y, mark);
        }
        for (y, line) in (item.label_at.y..).zip(&item.lines) {
            self.write(item.label_at.x, y, line);
        }
        if let Some((at, tag)) = item.tag {
            self.write(at.x - 1, at.y, &format!(" {tag} "));
        }
        if let (Some(badge), Some(retries)) = (item.badge, item.retries) {
            let sign = match self.glyphs {
                Glyphs::Unicode => '↻',
                Glyphs::Ascii => 'r',
            };
            let count = if retries > 9_999 { 9_999 } else { retries };
            self.write(badge.x, badge.y, &format!("{sign}{count}"));
        }
    }

    /// Draws a joint, a character that connects two lines, in the border cell where a line leaves a framed box.
    fn port(&mut self, at: Point, next: Point) {
        if self.glyphs == Glyphs::Ascii {
            return;
        }
        let (level, upright) = match next.x.cmp(&at.x) {
            std::cmp::Ordering::Greater => ('├', '╟'),
            std::cmp::Ordering::Less => ('┤', '╢'),
            std::cmp::Ordering::Equal => ('┬', '╤'),
        };
        if let Some(spot) = self.spot(at.x, at.y) {
            spot.glyph = match spot.glyph {
                '─' | '│' => level,
                '═' | '║' => upright,
                other => other,
            };
        }
    }

    fn finish(self) -> String {
        let mut out = String::new();
        for row in self.rows {
            let glyphs = row.iter().map(|spot| spot.glyph);
            let line: String = glyphs.filter(|glyph| *glyph != COVERED).collect();
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }
}
