//! Where the texts of lines stand: beside their own line, over nothing else.
//!
//! It must not know what the texts say.

use super::model::{Glyphs, Point, Rect};
use super::route::Routed;
use super::wording::{cut_end, cut_middle, width};
use std::collections::HashMap;

/// A text that looks for its place.
pub(super) struct Wanted {
    /// The arc it belongs to.
    pub(super) arc: usize,
    pub(super) text: String,
    /// Whether room was kept for it.
    pub(super) kept: bool,
}

/// A cell that more than one line uses.
const SEVERAL: usize = usize::MAX;

/// Finds a place for every text, those with room kept first; the text as it fits, and `None` without a place.
pub(super) fn place_labels(
    routed: &mut Routed,
    wanted: &[Wanted],
    glyphs: Glyphs,
) -> Vec<Option<(Point, String)>> {
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut ground = Ground::new(routed);
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by_key(|index| wanted.get(*index).is_none_or(|item| !item.kept));
    let mut out = vec![None; wanted.len()];
    for index in order {
        let Some(item) = wanted.get(index) else {
            continue;
        };
        let path = routed.paths.get(item.arc).map_or(&[][..], |path| path);
        let beside = routed.beside.get(item.arc).copied().flatten();
        let short = cut_end(&item.text, 10, glyphs);
        for text in [&item.text, &short] {
            let spaced = format!(" {text} ");
            let inside = ground.within(item.arc, path, width(&spaced));
            let found = match inside {
                Some(spot) if !item.kept => Some((spot, spaced)),
                _ => (ground.find(item.arc, path, beside.filter(|_| item.kept), width(text)))
                    .map(|spot| (spot, text.clone())),
            };
            if let Some((spot, text)) = found {
                let length = width(&text);
                ground.take(spot, length);
                routed.width = routed.width.max(spot.x + length);
                if let Some(slot) = out.get_mut(index) {
                    *slot = Some((spot, text));
                }
                break;
            }
        }
    }
    out
}

/// What is drawn already, by row.
struct Ground {
    /// Columns of lines and the arcs they belong to, sorted.
    lines: Vec<Vec<(i32, usize)>>,
    /// Boxes and texts, as first and last column.
    rows: HashMap<i32, Vec<(i32, i32)>>,
}

impl Ground {
    fn new(routed: &Routed) -> Self {
        let mut segments: Vec<(Point, Point, usize)> = Vec::new();
        for (arc, path) in routed.paths.iter().enumerate() {
            let parts = path.iter().zip(path.iter().skip(1));
            segments.extend(parts.map(|(from, to)| (*from, *to, arc)));
        }
        segments.sort_unstable();
        // A part that several lines take in the same way is marked once, as of several.
        segments.dedup_by(|next, kept| {
            let same = (next.0, next.1) == (kept.0, kept.1);
            if same && next.2 != kept.2 {
                kept.2 = SEVERAL;
            }
            same
        });
        let rows = usize::try_from(routed.height).unwrap_or(0);
        let mut lines: Vec<Vec<(i32, usize)>> = vec![Vec::new(); rows];
        for (from, to, arc) in segments {
            for y in from.y.min(to.y)..=from.y.max(to.y) {
                let row = usize::try_from(y).ok().and_then(|y| lines.get_mut(y));
                if let Some(row) = row {
                    row.extend((from.x.min(to.x)..=from.x.max(to.x)).map(|x| (x, arc)));
                }
            }
        }
        for row in &mut lines {
            row.sort_unstable();
            row.dedup();
        }
        let mut rows: HashMap<i32, Vec<(i32, i32)>> = HashMap::new();
        for Rect { x, y, w, h } in &routed.boxes {
            for row in *y..y + h {
                rows.entry(row).or_default().push((*x, x + w - 1));
            }
        }
        Self { lines, rows }
    }

    /// The lines in a row from the first to the last of these columns.
    fn drawn(&self, y: i32, first: i32, last: i32) -> &[(i32, usize)] {
        let row = usize::try_from(y).ok().and_then(|y| self.lines.get(y));
        let row = row.map_or(&[][..], |row| row);
        let from = row.partition_point(|(x, _)| *x < first);
        let to = row.partition_point(|(x, _)| *x <= last);
        row.get(from..to).unwrap_or_default()
    }

    /// Whether this arc is the only one drawn there.
    fn is_own(&self, arc: usize, x: i32, y: i32) -> bool {
        matches!(self.drawn(y, x, x), [(_, one)] if *one == arc)
    }

    fn take(&mut self, at: Point, length: i32) {
        let row = self.rows.entry(at.y).or_default();
        row.push((at.x, at.x + length - 1));
    }

    /// Whether nothing is drawn on these cells nor on the next one on each side, but lines beside.
    fn free(&self, x: i32, y: i32, length: i32) -> bool {
        let (first, last) = (x, x + length - 1);
        let row = self.rows.get(&y).map_or(&[][..], |row| row);
        x >= 0
            && row.iter().all(|(a, b)| *b + 1 < first || *a > last + 1)
            && self.drawn(y, first - 1, last + 1).is_empty()
    }

    fn find(
        &self,
        arc: usize,
        path: &[Point],
        beside: Option<Point>,
        length: i32,
    ) -> Option<Point> {
        let right = |at: Point| Point { x: at.x + 2, ..at };
        let left = |at: Point| Point {
            x: at.x - 1 - length,
            ..at
        };
        let free = |spot: &Point| self.free(spot.x, spot.y, length);
        if let Some(at) = beside {
            // An inner column beside a box keeps its room one row higher than the outermost.
            let above = Point { y: at.y - 1, ..at };
            let spots = [right(at), left(at), right(above), left(above)];
            return spots
                .into_iter()
                .find(free)
                .or_else(|| self.along(arc, path, length));
        }
        self.within(arc, path, length)
            .or_else(|| self.along(arc, path, length))
    }

    /// A place beside an upright part, first where the line comes to its target; then one within a level part.
    fn along(&self, arc: usize, path: &[Point], length: i32) -> Option<Point> {
        let segments = path.iter().copied().zip(path.iter().copied().skip(1));
        for (from, to) in segments.filter(|(from, to)| from.x == to.x).take(64) {
            let rows = from.y.min(to.y)..=from.y.max(to.y);
            for y in rows.rev().take(64) {
                let x = from.x;
                if !self.is_own(arc, x, y) {
                    continue;
                }
                for x in [x + 2, x - 1 - length] {
                    if self.free(x, y, length) {
                        return Some(Point { x, y });
                    }
                }
            }
        }
        self.within(arc, path, length)
    }

    /// A place within a level part that no other line uses, with some of the line left on both sides.
    fn within(&self, arc: usize, path: &[Point], length: i32) -> Option<Point> {
        let segments = path.iter().copied().zip(path.iter().copied().skip(1));
        for (from, to) in segments.filter(|(from, to)| from.y == to.y).take(64) {
            let (step, y) = ((to.x - from.x).signum(), from.y);
            let mut run = 0;
            for far in 1..(to.x - from.x).abs() {
                let x = from.x + step * far;
                run = if self.is_own(arc, x, y) { run + 1 } else { 0 };
                if run < length + 2 {
                    continue;
                }
                let x = if step > 0 { x - length } else { x + 1 };
                let row = self.rows.get(&y).map_or(&[][..], |row| row);
                if row.iter().all(|(a, b)| *b + 1 < x || *a > x + length) {
                    return Some(Point { x, y });
                }
            }
        }
        None
    }
}

/// The text of lines that share a way.
pub(super) fn joined(texts: &[String], max: i32, glyphs: Glyphs) -> String {
    let mut out = texts.first().cloned().unwrap_or_default();
    for text in texts.iter().skip(1) {
        out.push_str(" | ");
        out.push_str(text);
    }
    cut_middle(&out, max, glyphs)
}
