//! Counts where the lines of a scope cross.
//!
//! It must not know boxes or labels.

use super::model::{EdgeRoute, Point};
use std::collections::BTreeSet;

/// A line: its two ends and its corners.
pub(super) type Line<'a, N> = (N, N, &'a [Point]);

/// Crossings of edges that have no end in common.
pub(super) fn crossings(edges: &[EdgeRoute]) -> usize {
    let lines: Vec<Line<_>> = (edges.iter())
        .map(|edge| (edge.from, edge.to, edge.path.as_slice()))
        .collect();
    let cells: BTreeSet<Point> = crossed(&lines).into_iter().map(|(_, _, at)| at).collect();
    cells.len()
}

/// Lines that have no end in common, by index, and where they cross: the level one first.
pub(super) fn crossed<N: PartialEq>(lines: &[Line<N>]) -> Vec<(usize, usize, Point)> {
    let mut out = Vec::new();
    for (place, (from, to, path)) in lines.iter().enumerate() {
        for (a, b) in parts(path).filter(|(a, b)| a.y == b.y && a.x != b.x) {
            let (low, high) = (a.x.min(b.x), a.x.max(b.x));
            for (other_place, (other_from, other_to, other)) in lines.iter().enumerate() {
                if from == other_from || to == other_to {
                    continue;
                }
                for (c, d) in parts(other).filter(|(c, d)| c.x == d.x) {
                    let across = low < c.x && c.x < high;
                    if across && c.y.min(d.y) < a.y && a.y < c.y.max(d.y) {
                        out.push((place, other_place, Point { x: c.x, y: a.y }));
                    }
                }
            }
        }
    }
    out
}

fn parts(path: &[Point]) -> impl Iterator<Item = (Point, Point)> {
    path.iter().copied().zip(path.iter().copied().skip(1))
}
