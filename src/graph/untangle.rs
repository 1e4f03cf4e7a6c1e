//! Places the boxes of a scope and routes its lines; where a few lines of a small drawing cross, other orders are drawn,
//! and the one that crosses least is kept.
//!
//! It must not know names, labels or the scopes around it.

use super::crossing::{Line, crossed};
use super::layered::{Graph, Layered};
use super::model::Point;
use super::place::{Bounds, place};
use super::route::{Routed, route};
use super::{align, net, order};
use std::collections::BTreeSet;

/// Drawings with more crossings or vertices than this are left as they are.
const FEW: usize = 6;
const SMALL: usize = 120;
/// Vertices that are drawn anew in all orders that are tried, together.
const EFFORT: usize = 2_400;
/// Rows that a drawing may be higher, and columns that one without a limit may be wider, for one crossing less.
const MORE_ROWS: i32 = 3;
const MORE_COLUMNS: i32 = 12;

/// Columns, rows and routes of a scope in order.
pub(super) fn placed(layered: &mut Layered, graph: &Graph, bounds: Bounds) -> Routed {
    net::nets(layered, graph, bounds.margin);
    place(layered, bounds);
    align::align(layered, bounds.limit);
    route(layered)
}

/// The same, in an order in which few lines cross.
pub(super) fn untangled(layered: &mut Layered, graph: &Graph, bounds: Bounds) -> Routed {
    let first = placed(layered, graph, bounds);
    if layered.vertices.len() > SMALL {
        return first;
    }
    let mut best = Drawing::of(layered.clone(), first, graph);
    if best.crossings() == 0 || best.crossings() > FEW {
        return best.routed;
    }
    let mut left = EFFORT / layered.vertices.len().max(1);
    let mut tried: BTreeSet<Vec<Vec<usize>>> = BTreeSet::from([best.layered.ranks.clone()]);
    while let Some(better) = best.better(graph, bounds, &mut tried, &mut left) {
        best = better;
    }
    *layered = best.layered;
    best.routed
}

/// One order of a scope, drawn.
struct Drawing {
    layered: Layered,
    routed: Routed,
    /// The lines that cross, by index of their arcs, and where.
    crossed: Vec<(usize, usize, Point)>,
}

impl Drawing {
    fn of(layered: Layered, routed: Routed, graph: &Graph) -> Self {
        let lines: Vec<Line<usize>> = (graph.arcs.iter().zip(&routed.paths))
            .map(|(arc, path)| (arc.from, arc.to, path.as_slice()))
            .collect();
        let crossed = crossed(&lines);
        Self {
            layered,
            routed,
            crossed,
        }
    }

    /// Number of cells in which lines cross.
    fn crossings(&self) -> usize {
        let cells: BTreeSet<Point> = self.crossed.iter().map(|(_, _, at)| *at).collect();
        cells.len()
    }

    /// The first drawing with fewer crossings that moving something of what crosses leads to.
    fn better(
        &self,
        graph: &Graph,
        bounds: Bounds,
        tried: &mut BTreeSet<Vec<Vec<usize>>>,
        left: &mut usize,
    ) -> Option<Self> {
        let now = self.crossings();
        if now == 0 {
            return None;
        }
        for ranks in self.orders(graph) {
            if *left == 0 {
                return None;
            }
            if !tried.insert(ranks.clone()) {
                continue;
            }
            *left -= 1;
            let mut layered = self.layered.clone();
            layered.ranks = ranks;
            layered.number();
            let routed = placed(&mut layered, graph, bounds);
            let most = match bounds.limit {
                Some(limit) => self.routed.width.max(limit),
                None => self.routed.width + MORE_COLUMNS,
            };
            if routed.width > most || routed.height > self.routed.height + MORE_ROWS {
                continue;
            }
            let other = Self::of(layered, routed, graph);
            if other.crossings() < now {
                return Some(other);
            }
        }
        None
    }

    /// Other orders: with the boxes and bends of lines that cross at other places of their ranks.
    fn orders(&self, graph: &Graph) -> Vec<Vec<Vec<usize>>> {
        let mut moved: Vec<Vec<usize>> = Vec::new();
        for (level, upright, _) in &self.crossed {
            for arc in [*level, *upright] {
                let Some(ends) = graph.arcs.get(arc) else {
                    continue;
                };
                moved.extend([self.bends(arc), vec![ends.to], vec![ends.from]]);
            }
        }
        let mut out = Vec::new();
        for vertices in moved {
            for side in [Side::First, Side::Last] {
                let ranks = self.at_side(&vertices, side);
                out.push(self.resettled(&ranks, &vertices));
                out.push(ranks);
            }
            if let [vertex] = vertices.as_slice() {
                for ranks in self.elsewhere(*vertex) {
                    out.push(self.resettled(&ranks, &vertices));
                    out.push(ranks);
                }
            }
        }
        out
    }

    /// The bends of an arc.
    fn bends(&self, arc: usize) -> Vec<usize> {
        let mut out = Vec::new();
        let first = self.layered.first.get(arc).copied().flatten();
        let stem = self.layered.stems.get(arc).map_or(&[][..], |stem| stem);
        let hops = stem.iter().copied().chain(first);
        for hop in hops.filter_map(|hop| self.layered.hops.get(hop)) {
            let mut at = hop.to.vertex;
            while let Some(vertex) = self.layered.vertices.get(at).filter(|v| !v.real) {
                out.push(at);
                let next = vertex.next.and_then(|hop| self.layered.hops.get(hop));
                let Some(next) = next else { break };
                at = next.to.vertex;
            }
        }
        out.dedup();
        out
    }

    /// The ranks with these vertices at one side of them.
    fn at_side(&self, vertices: &[usize], side: Side) -> Vec<Vec<usize>> {
        let mut ranks = self.layered.ranks.clone();
        for rank in &mut ranks {
            match side {
                Side::First => rank.sort_by_key(|vertex| !vertices.contains(vertex)),
                Side::Last => rank.sort_by_key(|vertex| vertices.contains(vertex)),
            }
        }
        ranks
    }

    /// The ranks with a vertex at each of the other places of its rank, the nearest first.
    fn elsewhere(&self, vertex: usize) -> Vec<Vec<Vec<usize>>> {
        let Some(own) = self.layered.vertices.get(vertex) else {
            return Vec::new();
        };
        let count = self.layered.ranks.get(own.rank).map_or(0, Vec::len);
        let mut places: Vec<usize> = (0..count).filter(|place| *place != own.place).collect();
        places.sort_by_key(|place| place.abs_diff(own.place));
        let moved = places.into_iter().map(|place| {
            let mut ranks = self.layered.ranks.clone();
            if let Some(rank) = ranks.get_mut(own.rank) {
                rank.retain(|other| *other != vertex);
                rank.insert(place.min(rank.len()), vertex);
            }
            ranks
        });
        moved.collect()
    }

    /// The ranks above and below what was moved, each ordered by the one before.
    fn resettled(&self, ranks: &[Vec<usize>], moved: &[usize]) -> Vec<Vec<usize>> {
        let of = |vertex: &usize| self.layered.vertices.get(*vertex).map(|own| own.rank);
        let (first, last) = (
            moved.iter().filter_map(of).min().unwrap_or(0),
            moved.iter().filter_map(of).max().unwrap_or(0),
        );
        order::around(&self.layered, ranks, (first, last))
    }
}

/// A side of a rank.
#[derive(Clone, Copy)]
enum Side {
    First,
    Last,
}
