//! Where the texts of lines stand: beside their own line, over nothing else.
//!
//! It must not know what the texts say.

use super::model::{Glyphs, Point, Rect};
use super::route::Routed;
use super::wording::{cut_end, width};
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
const SHARED: usize = usize::MAX;

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
            let length = width(text);
            let spot = ground.find(item.arc, path, beside.filter(|_| item.kept), length);
            if let Some(spot) = spot {
                ground.take(spot, length);
                routed.width = routed.width.max(spot.x + length);
                if let Some(slot) = out.get_mut(index) {
                    *slot = Some((spot, text.clone()));
                }
                break;
            }
        }
    }
    out
}

/// What is drawn already.
struct Ground {
    lines: HashMap<Point, usize>,
    /// Boxes and texts of every row, as first and last column.
    rows: HashMap<i32, Vec<(i32, i32)>>,
}

impl Ground {
    fn new(routed: &Routed) -> Self {
        let mut segments: HashMap<(Point, Point), usize> = HashMap::new();
        for (arc, path) in routed.paths.iter().enumerate() {
            for (from, to) in path.iter().zip(path.iter().skip(1)) {
                let owner = segments.entry((*from, *to)).or_insert(arc);
                if *owner != arc {
                    *owner = SHARED;
                }
            }
        }
        let mut lines: HashMap<Point, usize> = HashMap::new();
        for ((from, to), arc) in segments {
            for y in from.y.min(to.y)..=from.y.max(to.y) {
                for x in from.x.min(to.x)..=from.x.max(to.x) {
                    let owner = lines.entry(Point { x, y }).or_insert(arc);
                    if *owner != arc {
                        *owner = SHARED;
                    }
                }
            }
        }
        let mut rows: HashMap<i32, Vec<(i32, i32)>> = HashMap::new();
        for Rect { x, y, w, h } in &routed.boxes {
            for row in *y..y + h {
                rows.entry(row).or_default().push((*x, x + w - 1));
            }
        }
        Self { lines, rows }
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
            && (first..=last).all(|x| !self.lines.contains_key(&Point { x, y }))
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
        if let Some(spot) = beside.map(right).filter(free) {
            return Some(spot);
        }
        let own = |at: &Point| self.lines.get(at) == Some(&arc);
        let segments = || path.iter().copied().zip(path.iter().copied().skip(1));
        // Beside an upright part, first where the line comes to its target.
        for (from, to) in segments().filter(|(from, to)| from.x == to.x).take(64) {
            let rows = from.y.min(to.y)..=from.y.max(to.y);
            let cells = rows
                .rev()
                .map(|y| Point { x: from.x, y })
                .take(64)
                .filter(own);
            let spots = cells.flat_map(|at| [right(at), left(at)]);
            if let Some(spot) = spots.into_iter().find(free) {
                return Some(spot);
            }
        }
        // Within a level part of its own, with some of the line left on both sides.
        for (from, to) in segments().filter(|(from, to)| from.y == to.y).take(64) {
            let (low, high) = (from.x.min(to.x), from.x.max(to.x));
            let mut run = 0;
            for x in low..=high {
                run = if own(&Point { x, y: from.y }) {
                    run + 1
                } else {
                    0
                };
                if run >= length + 4 {
                    let spot = Point {
                        x: x - length - 1,
                        y: from.y,
                    };
                    let row = self.rows.get(&spot.y).map_or(&[][..], |row| row);
                    let last = spot.x + length - 1;
                    if row.iter().all(|(a, b)| *b + 1 < spot.x || *a > last + 1) {
                        return Some(spot);
                    }
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
    cut_end(&out, max, glyphs)
}
