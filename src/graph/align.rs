//! Straightens back edges: moves their bends, and their columns beside boxes, outwards to a common column.

use super::checked_index::CheckedIndex;
use super::layered::{Class, Layered, Role};
use std::collections::BTreeMap;

/// Moves the columns of all back edges to one box to the outermost of them, if that column is free.
pub(super) fn align(layered: &mut Layered, limit: Option<i32>) {
    let mut lines: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    // For each bend, the box to which its line leads.
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
    // For each vertex, the hops that end at it.
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

/// Moves one end of a hop to the column, if the column is further out and free.
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
    // The text beside the line moves along.
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
