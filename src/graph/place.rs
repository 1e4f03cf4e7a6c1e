//! Assigns columns to vertices (boxes, and bends of lines): important lines become straight, and every vertex is close
//! to the vertices that it is connected to. Then straightens the lines that lead back.

use super::layered::{CheckedIndex, Class, Face, Layered, Role};
use std::collections::BTreeMap;

/// A force that pulls a vertex towards a column: the column of the vertex `other`, plus `shift`. The weight is the
/// strength of the force.
#[derive(Clone, Copy, Debug, Default)]
struct Pull {
    other: usize,
    shift: i32,
    weight: i32,
}

/// Constraints on columns: a limit on the total width, and a margin reserved to the left of boxes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bounds {
    /// Width of the drawing in columns; `None` for no limit.
    pub(super) limit: Option<i32>,
    /// Number of columns that are kept free to the left of each box.
    pub(super) margin: i32,
}

/// Assigns every vertex its column; the leftmost cell of the drawing is in column 0.
pub(super) fn place(layered: &mut Layered, bounds: Bounds) {
    let (above, below) = pulls(layered);
    let mut x = vec![0i32; layered.vertices.len()];
    for rank in &layered.ranks {
        let mut last: Option<usize> = None;
        for vertex in rank {
            let column = last.map_or(0, |last| x.at(last) + apart(layered, last, *vertex, bounds));
            x.put(*vertex, column);
            last = Some(*vertex);
        }
    }
    let rounds = if layered.vertices.len() > 20_000 {
        2
    } else {
        5
    };
    for _ in 0..rounds {
        for rank in layered.ranks.iter().skip(1) {
            settle(layered, rank, &[&above], bounds, &mut x);
        }
        for rank in layered.ranks.iter().rev().skip(1) {
            settle(layered, rank, &[&below], bounds, &mut x);
        }
    }
    for rank in &layered.ranks {
        settle(layered, rank, &[&above, &below], bounds, &mut x);
    }
    let left = (layered.vertices.iter().zip(&x))
        .map(|(vertex, x)| x - vertex.reach_left)
        .min();
    for (vertex, x) in layered.vertices.iter_mut().zip(&x) {
        vertex.x = x - left.unwrap_or(0);
    }
}

fn pulls(layered: &Layered) -> (Vec<Vec<Pull>>, Vec<Vec<Pull>>) {
    let mut above = vec![Vec::new(); layered.vertices.len()];
    let mut below = vec![Vec::new(); layered.vertices.len()];
    for hop in &layered.hops {
        let bend = |vertex: usize| layered.vertices.get(vertex).is_some_and(|v| !v.real);
        let weight = match (bend(hop.from.vertex), bend(hop.to.vertex)) {
            (true, true) => hop.weight * 4,
            _ => hop.weight,
        };
        let [from, to] = hop.ends();
        for ((end, offset), (other, other_offset)) in [(from, to), (to, from)] {
            let list = match end.face {
                Face::Top => above.get_mut(end.vertex),
                Face::Bottom => below.get_mut(end.vertex),
            };
            if let (Some(list), true) = (list, end.vertex != other.vertex) {
                list.push(Pull {
                    other: other.vertex,
                    shift: other_offset - offset,
                    weight,
                });
            }
        }
    }
    (above, below)
}

/// Minimum distance, in columns, between the anchors (reference cells) of two adjacent vertices of a rank.
fn apart(layered: &Layered, left: usize, right: usize, bounds: Bounds) -> i32 {
    let (left, right) = (layered.vertices.at(left), layered.vertices.at(right));
    let blank = if left.real || right.real { 3 } else { 2 };
    // The columns kept free to the left of the right box count as blank space, unless a label reaches beyond them.
    let blank = match right.real && bounds.margin > 0 {
        true if right.reach_left > right.left + bounds.margin => 3,
        // A label of the left vertex may extend into the columns kept free beside the right box.
        true if left.reach_right > left.right => 3,
        true => (blank - bounds.margin).max(2),
        false => blank,
    };
    left.reach_right + right.reach_left + blank
}

/// Minimum number of columns that the vertices of a rank need.
pub(super) fn needed(layered: &Layered, rank: &[usize], bounds: Bounds) -> i32 {
    let (Some(first), Some(last)) = (rank.first(), rank.last()) else {
        return 0;
    };
    let between = rank.iter().zip(rank.iter().skip(1));
    let far: i32 = between.map(|(a, b)| apart(layered, *a, *b, bounds)).sum();
    layered.vertices.at(*first).reach_left + far + layered.vertices.at(*last).reach_right + 1
}

/// Places the vertices of a rank, those that are pulled most strongly first. Each gets the column that is closest to
/// the column it is pulled to, within the limit and far enough from the vertices placed before.
fn settle(
    layered: &Layered,
    rank: &[usize],
    pulls: &[&Vec<Vec<Pull>>],
    bounds: Bounds,
    x: &mut [i32],
) {
    // Cumulative distances: the vertices with indices i and j must be at least far[j] - far[i] columns apart.
    let mut far = Vec::with_capacity(rank.len());
    let mut total = 0;
    for (index, vertex) in rank.iter().enumerate() {
        if index > 0 {
            total += apart(layered, rank.at(index - 1), *vertex, bounds);
        }
        far.push(total);
    }
    // If there is a limit: the first possible column of the rank, and the number of columns by which the rank may move
    // to the right.
    let room = bounds.limit.map(|limit| {
        let first = rank
            .first()
            .map_or(0, |first| layered.vertices.at(*first).reach_left);
        (first, (limit - needed(layered, rank, bounds)).max(0))
    });
    let mut wishes: Vec<(i32, i32, usize)> = Vec::with_capacity(rank.len());
    for (index, vertex) in rank.iter().enumerate() {
        let mut all: Vec<(i32, i32)> = (pulls.iter())
            .filter_map(|lists| lists.get(*vertex))
            .flatten()
            .map(|pull| (x.at(pull.other) + pull.shift, pull.weight))
            .collect();
        all.sort_unstable();
        let weight: i32 = all.iter().map(|(_, weight)| *weight).sum();
        wishes.push((weight, median(&all, weight).unwrap_or(x.at(*vertex)), index));
    }
    wishes.sort_by_key(|(weight, _, index)| (-weight, *index));
    let mut placed: BTreeMap<usize, i32> = BTreeMap::new();
    for (_, wish, index) in wishes {
        let mut column = wish;
        if let Some((first, spare)) = room {
            let least = first + far.at(index);
            column = column.clamp(least, least + spare);
        }
        if let Some((left, at)) = placed.range(..index).next_back() {
            column = column.max(at + far.at(index) - far.at(*left));
        }
        if let Some((right, at)) = placed.range(index..).next() {
            column = column.min(at - (far.at(*right) - far.at(index)));
        }
        placed.insert(index, column);
        x.put(rank.at(index), column);
    }
}

/// The weighted median of sorted columns.
fn median(all: &[(i32, i32)], weight: i32) -> Option<i32> {
    let mut sum = 0;
    for (column, column_weight) in all {
        sum += column_weight;
        if sum * 2 >= weight {
            return Some(*column);
        }
    }
    None
}

/// Straightens back arcs: moves all back arcs that lead to the same box to the outermost of their columns, where that
/// column is free.
pub(super) fn align(layered: &mut Layered, limit: Option<i32>) {
    let mut lines: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    // For each bend of a back arc, the box that the back arc leads to.
    let mut target: BTreeMap<usize, usize> = BTreeMap::new();
    for (index, hop) in layered.hops.iter().enumerate().rev() {
        if hop.class != Class::Back {
            continue;
        }
        let to = match hop.to.role {
            Role::Into => Some(hop.to.vertex),
            _ => target.get(&hop.to.vertex).copied(),
        };
        let Some(to) = to else {
            continue;
        };
        if hop.from.role == Role::Thru {
            target.insert(hop.from.vertex, to);
        }
        lines.entry(to).or_default().push(index);
    }
    // For each vertex, the hops that begin or end at it.
    let mut meeting: Vec<Vec<usize>> = vec![Vec::new(); layered.vertices.len()];
    for (index, hop) in layered.hops.iter().enumerate() {
        for vertex in [hop.from.vertex, hop.to.vertex] {
            if let Some(list) = meeting.get_mut(vertex) {
                list.push(index);
            }
        }
    }
    for (to, mut hops) in lines {
        hops.reverse();
        let side = layered.into_side.at(to);
        straighten(layered, &meeting, &hops, side, limit);
    }
}

fn straighten(
    layered: &mut Layered,
    meeting: &[Vec<usize>],
    hops: &[usize],
    side: i32,
    limit: Option<i32>,
) {
    let mut columns = Vec::new();
    for hop in hops.iter().filter_map(|index| layered.hops.get(*index)) {
        for (end, offset) in hop.ends() {
            if !matches!(end.role, Role::Port) {
                columns.push(layered.vertices.at(end.vertex).x + offset);
            }
        }
    }
    let outermost = if side < 0 {
        columns.iter().min()
    } else {
        columns.iter().max()
    };
    let Some(column) = outermost.copied() else {
        return;
    };
    for index in hops {
        for last in [false, true] {
            move_end(layered, meeting, (*index, last), column, limit);
        }
    }
}

/// Moves one end of a hop to the given column if there is room there. The end is a bend, or is in a column beside a
/// box.
fn move_end(
    layered: &mut Layered,
    meeting: &[Vec<usize>],
    (index, last): (usize, bool),
    column: i32,
    limit: Option<i32>,
) {
    let Some(hop) = layered.hops.get(index).copied() else {
        return;
    };
    let (end, offset) = if last {
        (hop.to, hop.to_offset)
    } else {
        (hop.from, hop.from_offset)
    };
    let vertex = layered.vertices.at(end.vertex);
    let now = vertex.x + offset;
    if now == column || end.role == Role::Port {
        return;
    }
    let outwards = if column > now { 1 } else { -1 };
    let rank = layered.ranks.get(vertex.rank).map_or(&[][..], |rank| rank);
    let beyond = match outwards {
        1 => rank.get(vertex.place + 1),
        _ => vertex
            .place
            .checked_sub(1)
            .and_then(|place| rank.get(place)),
    };
    // The label beside the line moves with the line, so it needs room too.
    let extra = match (outwards, end.role) {
        (1, Role::Thru) => vertex.reach_right,
        (_, Role::Thru) => vertex.reach_left,
        (1, _) => vertex.reach_right - offset,
        (_, _) => vertex.reach_left + offset,
    };
    let within = limit.is_none_or(|limit| match outwards {
        1 => column + extra < limit,
        _ => column - extra >= 0,
    });
    let free = within
        && beyond.is_none_or(|other| {
            let other = layered.vertices.at(*other);
            if outwards > 0 {
                column + extra + 1 < other.x - other.reach_left
            } else {
                column - extra - 1 > other.x + other.reach_right
            }
        });
    if !free {
        return;
    }
    let side = match end.role {
        Role::Into => layered.into_side.at(end.vertex),
        Role::Out(_) => layered.out_side.at(end.vertex),
        _ => outwards,
    };
    if side != outwards {
        return;
    }
    let Some(item) = layered.vertices.get_mut(end.vertex) else {
        return;
    };
    if end.role == Role::Thru {
        item.x = column;
        return;
    }
    let moved = column - item.x;
    if outwards > 0 {
        item.reach_right = item.reach_right.max(moved + extra);
    } else {
        item.reach_left = item.reach_left.max(extra - moved);
    }
    let vertex = end.vertex;
    for index in meeting.get(vertex).map_or(&[][..], |list| list) {
        let Some(other) = layered.hops.get_mut(*index) else {
            continue;
        };
        if other.from.vertex == vertex && other.from == end {
            other.from_offset = moved;
        }
        if other.to.vertex == vertex && other.to == end {
            other.to_offset = moved;
        }
    }
}
