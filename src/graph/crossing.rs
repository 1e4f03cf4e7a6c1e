//! Counts where the lines of a scope cross.
//!
//! It must not know boxes or labels.

use super::model::{EdgeRoute, Point};

/// Crossings of lines that have no end in common.
pub(super) fn crossings(edges: &[EdgeRoute]) -> usize {
    let parts = |edge: &EdgeRoute| {
        let pairs: Vec<(Point, Point)> = (edge.path.iter().copied())
            .zip(edge.path.iter().copied().skip(1))
            .collect();
        pairs
    };
    let all: Vec<_> = edges.iter().map(parts).collect();
    let mut cells = std::collections::BTreeSet::new();
    for (place, edge) in edges.iter().enumerate() {
        for (other_place, other) in edges.iter().enumerate() {
            if edge.from == other.from || edge.to == other.to {
                continue;
            }
            let (Some(level), Some(upright)) = (all.get(place), all.get(other_place)) else {
                continue;
            };
            for (a, b) in level.iter().filter(|(a, b)| a.y == b.y && a.x != b.x) {
                for (c, d) in upright.iter().filter(|(c, d)| c.x == d.x) {
                    let across = a.x.min(b.x) < c.x && c.x < a.x.max(b.x);
                    let along = c.y.min(d.y) < a.y && a.y < c.y.max(d.y);
                    if across && along {
                        cells.insert((c.x, a.y));
                    }
                }
            }
        }
    }
    cells.len()
}
