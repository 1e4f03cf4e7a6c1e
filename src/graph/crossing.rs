//! Counts where the lines of a scope cross.
//!
//! It must not know boxes or labels.

use super::model::{EdgeRoute, Point};
use std::collections::{BTreeMap, BTreeSet};

/// A line: its two ends and its corners.
pub(super) type Line<'a, N> = (N, N, &'a [Point]);

/// Rows that are looked through together.
const BAND: i32 = 64;

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
    // Column, first and last row, line: by column, in every band of rows that it passes.
    let mut upright: BTreeMap<i32, Vec<(i32, i32, i32, usize)>> = BTreeMap::new();
    for (place, (_, _, path)) in lines.iter().enumerate() {
        for (a, b) in parts(path).filter(|(a, b)| a.x == b.x) {
            let (top, bottom) = (a.y.min(b.y), a.y.max(b.y));
            for band in top.div_euclid(BAND)..=bottom.div_euclid(BAND) {
                let own = upright.entry(band).or_default();
                own.push((a.x, top, bottom, place));
            }
        }
    }
    upright.values_mut().for_each(|own| own.sort_unstable());
    let mut out = Vec::new();
    for (place, (from, to, path)) in lines.iter().enumerate() {
        for (a, b) in parts(path).filter(|(a, b)| a.y == b.y) {
            let (low, high) = (a.x.min(b.x), a.x.max(b.x));
            let upright = upright.get(&a.y.div_euclid(BAND));
            let upright = upright.map_or(&[][..], |own| own);
            let first = upright.partition_point(|(x, ..)| *x <= low);
            let beside = upright.iter().skip(first).take_while(|(x, ..)| *x < high);
            let across = beside.filter(|(_, top, bottom, _)| *top < a.y && a.y < *bottom);
            let unrelated = across.filter(|(.., other)| {
                let other = lines.get(*other);
                other.is_some_and(|other| other.0 != *from && other.1 != *to)
            });
            let mut own: Vec<_> = unrelated
                .map(|(x, .., other)| (place, *other, Point { x: *x, y: a.y }))
                .collect();
            own.sort_by_key(|(_, other, _)| *other);
            out.append(&mut own);
        }
    }
    out
}

fn parts(path: &[Point]) -> impl Iterator<Item = (Point, Point)> {
    path.iter().copied().zip(path.iter().copied().skip(1))
}
