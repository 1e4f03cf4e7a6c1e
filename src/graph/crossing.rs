//! Counts the crossings of the lines in a scope.

use super::model::{EdgeRoute, Point};
use std::collections::{BTreeMap, BTreeSet};

/// Number of rows per band; a line is compared only with lines in the same band.
const BAND: i32 = 64;

/// Number of cells in which edges without a common end cross.
pub(super) fn crossings(edges: &[EdgeRoute]) -> usize {
    // By band: column, first row, last row and edge of every vertical part in it, sorted by column.
    let mut upright: BTreeMap<i32, Vec<(i32, i32, i32, usize)>> = BTreeMap::new();
    for (place, edge) in edges.iter().enumerate() {
        for (a, b) in parts(&edge.path).filter(|(a, b)| a.x == b.x) {
            let (top, bottom) = (a.y.min(b.y), a.y.max(b.y));
            for band in top.div_euclid(BAND)..=bottom.div_euclid(BAND) {
                let own = upright.entry(band).or_default();
                own.push((a.x, top, bottom, place));
            }
        }
    }
    upright.values_mut().for_each(|own| own.sort_unstable());
    let mut cells = BTreeSet::new();
    for edge in edges {
        for (a, b) in parts(&edge.path).filter(|(a, b)| a.y == b.y) {
            let (low, high) = (a.x.min(b.x), a.x.max(b.x));
            let upright = upright.get(&a.y.div_euclid(BAND));
            let upright = upright.map_or(&[][..], |own| own);
            let first = upright.partition_point(|(x, ..)| *x <= low);
            let beside = upright.iter().skip(first).take_while(|(x, ..)| *x < high);
            let across = beside.filter(|(_, top, bottom, _)| *top < a.y && a.y < *bottom);
            let unrelated = across.filter(|(.., other)| {
                let other = edges.get(*other);
                other.is_some_and(|other| other.from != edge.from && other.to != edge.to)
            });
            cells.extend(unrelated.map(|(x, ..)| (*x, a.y)));
        }
    }
    cells.len()
}

fn parts(path: &[Point]) -> impl Iterator<Item = (Point, Point)> {
    path.iter().copied().zip(path.iter().copied().skip(1))
}
