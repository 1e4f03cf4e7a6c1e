//! Orders the vertices within their ranks so that few lines cross.

use super::checked_index::CheckedIndex;
use super::layered::{Class, Layered};

/// Maximum number of vertices for which more than one initial order is tried.
const FEW: usize = 400;

/// Sweeps up and down over the ranks and keeps the best order seen; with few vertices, from more than one initial
/// order.
pub(super) fn order(layered: &mut Layered) {
    let (above, below) = layered.neighbours();
    let first = layered.ranks.clone();
    let sweeps = match layered.vertices.len() {
        0..=FEW => 16,
        401..=4_000 => 8,
        _ => 4,
    };
    let mut best = swept(layered, &above, &below, sweeps);
    if best > 0 && layered.vertices.len() <= FEW {
        let mut kept = layered.ranks.clone();
        for other in [back_first(layered, &first), reversed(&first)] {
            layered.ranks = other;
            layered.number();
            let crossings = swept(layered, &above, &below, sweeps / 3);
            if crossings < best {
                best = crossings;
                kept.clone_from(&layered.ranks);
            }
        }
        layered.ranks = kept;
    }
    layered.number();
}

fn reversed(ranks: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut out = ranks.to_vec();
    out.iter_mut().for_each(|rank| rank.reverse());
    out
}

/// An initial order with the bends of back edges on the left instead of the right.
fn back_first(layered: &Layered, ranks: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let goes_back = |vertex: &usize| {
        let item = layered.vertices.get(*vertex);
        let next = item.and_then(|item| layered.hops.get(item.next?));
        next.is_some_and(|hop| hop.class == Class::Back)
    };
    let mut out = ranks.to_vec();
    for rank in &mut out {
        rank.sort_by_key(|vertex| !goes_back(vertex));
    }
    out
}

/// Sweeps from the current order; returns the number of crossings of the best order.
fn swept(layered: &mut Layered, above: &[Vec<usize>], below: &[Vec<usize>], sweeps: usize) -> u64 {
    let count = layered.vertices.len();
    let mut place: Vec<usize> = layered.vertices.iter().map(|v| v.place).collect();
    let mut ranks = layered.ranks.clone();
    let mut best = crossings(&ranks, below, &place);
    for sweep in 0..sweeps {
        if best == 0 {
            break;
        }
        if sweep % 2 == 0 {
            for rank in ranks.iter_mut().skip(1) {
                by_centre(rank, above, &mut place);
            }
        } else {
            for rank in ranks.iter_mut().rev().skip(1) {
                by_centre(rank, below, &mut place);
            }
        }
        if count <= 2_000 {
            swap_neighbours(&mut ranks, above, below, &mut place);
        }
        let now = crossings(&ranks, below, &place);
        if now < best {
            best = now;
            layered.ranks.clone_from(&ranks);
        }
    }
    best
}

/// Sorts a rank by the mean index of the neighbours on one side; vertices without neighbours keep their index.
fn by_centre(rank: &mut Vec<usize>, neighbours: &[Vec<usize>], place: &mut [usize]) {
    let mut keyed: Vec<(f64, usize)> = Vec::with_capacity(rank.len());
    for (index, vertex) in rank.iter().enumerate() {
        let list = neighbours.get(*vertex).map_or(&[][..], |list| list);
        let sum: usize = list.iter().map(|other| place.at(*other)).sum();
        let key = match list.len() {
            0 => index as f64,
            length => sum as f64 / length as f64,
        };
        keyed.push((key, *vertex));
    }
    keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
    rank.clear();
    rank.extend(keyed.into_iter().map(|(_, vertex)| vertex));
    for (index, vertex) in rank.iter().enumerate() {
        place.put(*vertex, index);
    }
}

/// Swaps adjacent vertices as long as that removes crossings.
fn swap_neighbours(
    ranks: &mut [Vec<usize>],
    above: &[Vec<usize>],
    below: &[Vec<usize>],
    place: &mut [usize],
) {
    let sorted = |lists: &[Vec<usize>], vertex: usize, place: &[usize]| {
        let list = lists.get(vertex).map_or(&[][..], |list| list);
        let mut places: Vec<usize> = list.iter().map(|other| place.at(*other)).collect();
        places.sort_unstable();
        places
    };
    for rank in ranks {
        for _ in 0..4 {
            let mut swapped = false;
            for index in 1..rank.len() {
                let (a, b) = (rank.at(index - 1), rank.at(index));
                let mut gain = 0i64;
                for side in [above, below] {
                    let (left, right) = (sorted(side, a, place), sorted(side, b, place));
                    gain += inversions(&left, &right) - inversions(&right, &left);
                }
                if gain > 0 {
                    rank.swap(index - 1, index);
                    place.put(a, index);
                    place.put(b, index - 1);
                    swapped = true;
                }
            }
            if !swapped {
                break;
            }
        }
    }
}

/// Number of pairs in which the end in `left` is greater than the one in `right`; both are sorted.
fn inversions(left: &[usize], right: &[usize]) -> i64 {
    let mut total = 0usize;
    for place in left {
        total += right.partition_point(|other| other < place);
    }
    i64::try_from(total).unwrap_or(i64::MAX)
}

fn crossings(ranks: &[Vec<usize>], below: &[Vec<usize>], place: &[usize]) -> u64 {
    let mut total = 0u64;
    for (rank, next) in ranks.iter().zip(ranks.iter().skip(1)) {
        // A Fenwick tree counts the ends seen so far by place.
        let mut tree = vec![0u32; next.len() + 1];
        let mut seen = 0u64;
        for vertex in rank {
            let list = below.get(*vertex).map_or(&[][..], |list| list);
            for other in list {
                let mut at = place.at(*other) + 1;
                let mut before = 0u64;
                while at > 0 {
                    before += u64::from(tree.at(at));
                    at &= at - 1;
                }
                total += seen - before;
            }
            for other in list {
                let mut at = place.at(*other) + 1;
                while at < tree.len() {
                    tree.put(at, tree.at(at) + 1);
                    at += at & at.wrapping_neg();
                }
                seen += 1;
            }
        }
    }
    total
}
