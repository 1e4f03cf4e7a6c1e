//! Groups hops (the parts of lines between neighbouring ranks) into nets. The hops of a net share one column at the
//! border of a box.

use super::layered::{CheckedIndex, Class, Face, Graph, Hop, Layered, Role, Terminal, cells};
use std::collections::{BTreeMap, HashMap};

/// Groups the hops of every channel (the space between two ranks) into nets, and assigns every net a column at each box
/// that the net connects to.
///
/// The hops of a net have one end in common, so they may share cells; two nets never share a column.
///
/// `margin` is the number of columns kept free to the left of every box.
pub(super) fn nets(layered: &mut Layered, graph: &Graph, margin: i32) {
    choose_sides(layered, graph.sizes.len());
    group(layered);
    for (vertex, size) in layered.vertices.iter_mut().zip(&graph.sizes) {
        vertex.left = (size.w - 1).max(0) / 2;
        vertex.right = (size.w - 1).max(0) - vertex.left;
    }
    spread_ports(layered);
    for vertex in &mut layered.vertices {
        vertex.reach_left = vertex.left + if vertex.real { margin } else { 0 };
        vertex.reach_right = vertex.right;
    }
    keep_room_for_labels(layered);
    place_wings(layered);
}

/// Chooses, for each box, the side on which back arcs (lines to earlier boxes) enter it, and the side on which they
/// leave it. Usually this is the side where the bends of these arcs are.
fn choose_sides(layered: &mut Layered, boxes: usize) {
    let mut into = vec![0i32; boxes];
    let mut out = vec![0i32; boxes];
    // For every box: of its neighbours in the rank above, the smallest index within that rank; and the same for the
    // rank below. Back arcs do not count.
    let mut first_above = vec![None::<usize>; boxes];
    let mut first_below = vec![None::<usize>; boxes];
    for hop in layered.hops.iter().filter(|hop| hop.class != Class::Back) {
        let (from, to) = (hop.from.vertex, hop.to.vertex);
        let least =
            |known: Option<usize>, place: usize| Some(known.map_or(place, |k| k.min(place)));
        first_below.put(from, least(first_below.at(from), layered.place(to)));
        first_above.put(to, least(first_above.at(to), layered.place(from)));
    }
    let side = |first: Option<usize>, place: usize| match first {
        Some(first) if place < first => -1,
        _ => 1,
    };
    // For every box: of its neighbours in the rank below, the smallest and the largest index within that rank; back
    // arcs do not count.
    let mut beside = vec![(usize::MAX, 0usize); boxes];
    for hop in layered.hops.iter().filter(|hop| hop.class != Class::Back) {
        let place = layered.place(hop.to.vertex);
        let (left, right) = beside.at(hop.from.vertex);
        beside.put(hop.from.vertex, (left.min(place), right.max(place)));
    }
    let real = |vertex: usize| layered.vertices.get(vertex).is_some_and(|v| v.real);
    for hop in layered.hops.iter().filter(|hop| hop.to.role == Role::Into) {
        let (from, to) = (hop.from.vertex, hop.to.vertex);
        if real(from) {
            if into.at(to) == 0 {
                // The line enters on the side where fewer lines leave the box.
                let column = layered.place(from);
                let (left, right) = beside.at(to);
                into.put(
                    to,
                    if left >= column && right > column {
                        -1
                    } else {
                        1
                    },
                );
            }
        } else {
            into.put(to, side(first_below.at(to), layered.place(from)));
        }
    }
    for hop in &layered.hops {
        let Role::Out(_) = hop.from.role else {
            continue;
        };
        let (from, to) = (hop.from.vertex, hop.to.vertex);
        let wanted = if hop.to.role == Role::Into {
            into.at(to)
        } else {
            side(first_above.at(from), layered.place(to))
        };
        let wanted = if into.at(from) == wanted {
            -wanted
        } else {
            wanted
        };
        if out.at(from) == 0 {
            out.put(from, wanted);
        }
    }
    layered.into_side = into;
    layered.out_side = out;
}

fn group(layered: &mut Layered) {
    let mut entering: HashMap<(Terminal, Class), usize> = HashMap::new();
    let mut leaving: HashMap<(Terminal, Class), usize> = HashMap::new();
    for hop in &layered.hops {
        *entering.entry((hop.to, hop.class)).or_default() += 1;
        *leaving.entry((hop.from, hop.class)).or_default() += 1;
    }
    let mut known: HashMap<(bool, Terminal, Class), usize> = HashMap::new();
    for hop in &mut layered.hops {
        let enter = entering.get(&(hop.to, hop.class)).copied().unwrap_or(0);
        let leave = leaving.get(&(hop.from, hop.class)).copied().unwrap_or(0);
        let merge = match (hop.to.role, hop.from.role) {
            (Role::Port, Role::Port) => enter > 1 && leave < 2 && hop.label == 0,
            _ => enter > 1,
        };
        let key = if merge {
            (true, hop.to, hop.class)
        } else {
            (false, hop.from, hop.class)
        };
        let next = known.len();
        hop.net = *known.entry(key).or_insert(next);
    }
    layered.nets = known.len();
}

/// One column at the upper or lower border of a box, in which the lines of one net meet the box.
#[derive(Clone, Copy, Debug, Default)]
struct Port {
    net: usize,
    weight: i32,
    /// `places` is the sum of the indices, within their ranks, of the vertices at the other ends of the column's hops.
    /// `ends` is the number of these vertices.
    places: usize,
    ends: usize,
    /// 1 if the column must be the rightmost, -1 if it must be the leftmost, otherwise 0.
    brim: i32,
    /// Of the net's hops, the one with the longest label.
    said: Hop,
    offset: i32,
}

impl Port {
    /// Compares the order of two columns from left to right: by `brim`, then by the mean index of the vertices at the
    /// other ends of their hops.
    fn compare(&self, other: &Self) -> std::cmp::Ordering {
        let mine = self.places * other.ends.max(1);
        let theirs = other.places * self.ends.max(1);
        (self.brim.cmp(&other.brim)).then(mine.cmp(&theirs))
    }
}

fn spread_ports(layered: &mut Layered) {
    let mut ports: BTreeMap<(usize, Face), Vec<Port>> = BTreeMap::new();
    let mut known: HashMap<(usize, Face, usize), usize> = HashMap::new();
    for hop in &layered.hops {
        for (end, other) in [(hop.from, hop.to), (hop.to, hop.from)] {
            if end.role != Role::Port {
                continue;
            }
            let list = ports.entry((end.vertex, end.face)).or_default();
            let at = *known
                .entry((end.vertex, end.face, hop.net))
                .or_insert(list.len());
            if at == list.len() {
                list.push(Port {
                    net: hop.net,
                    ..Port::default()
                });
            }
            let Some(port) = list.get_mut(at) else {
                continue;
            };
            port.weight = port.weight.max(hop.weight);
            port.places += layered.place(other.vertex);
            port.ends += 1;
            if end.vertex == other.vertex {
                port.brim = layered.into_side.at(end.vertex);
            }
            if end == hop.to && hop.label > port.said.label {
                port.said = *hop;
            }
        }
    }
    let mut offsets: HashMap<(usize, Face, usize), i32> = HashMap::new();
    for ((vertex, face), list) in &mut ports {
        let Some(item) = layered.vertices.get_mut(*vertex) else {
            continue;
        };
        spread(list, item.left, item.right);
        for port in list {
            item.left = item.left.max(1 - port.offset);
            item.right = item.right.max(port.offset + 1);
            offsets.insert((*vertex, *face, port.net), port.offset);
        }
    }
    for hop in &mut layered.hops {
        let offset = |end: Terminal| offsets.get(&(end.vertex, end.face, hop.net)).copied();
        if hop.from.role == Role::Port {
            hop.from_offset = offset(hop.from).unwrap_or(0);
        }
        if hop.to.role == Role::Port {
            hop.to_offset = offset(hop.to).unwrap_or(0);
        }
    }
}

/// Places the column with the greatest weight in the middle of the box, and the other columns to the left and right of
/// it.
fn spread(ports: &mut [Port], left: i32, right: i32) {
    ports.sort_by(Port::compare);
    let heaviest = (0..ports.len())
        .rev()
        .max_by_key(|index| ports.get(*index).map_or(0, |port| port.weight));
    let several = ports.len() > 1;
    // If there are several columns, the label of the leftmost one is to its left. The other labels are to the right.
    let reach: Vec<(i32, i32)> = (ports.iter().enumerate())
        .map(|(index, port)| port.said.label_reach(several && index == 0))
        .collect();
    let apart = |index: usize| {
        let (a, b) = (reach.at(index), reach.at(index + 1));
        // Two labels side by side have two blanks between them.
        if a.1 + b.0 == 0 { 0 } else { a.1 + b.0 + 3 }
    };
    let middle = heaviest.unwrap_or(0);
    if let Some(port) = ports.get_mut(middle) {
        port.offset = 0;
    }
    let after = cells(ports.len().saturating_sub(middle + 1));
    let step = ((right - 1) / (after + 1)).clamp(2, 6);
    let mut last = 0;
    for index in middle + 1..ports.len() {
        last += step.max(apart(index - 1));
        if let Some(port) = ports.get_mut(index) {
            port.offset = last;
        }
    }
    let step = ((left - 1) / (cells(middle) + 1)).clamp(2, 6);
    let mut last = 0;
    for index in (0..middle).rev() {
        last -= step.max(apart(index));
        if let Some(port) = ports.get_mut(index) {
            port.offset = last;
        }
    }
}

/// Gives each back arc that enters or leaves a box at its side a column beside the box.
fn place_wings(layered: &mut Layered) {
    let mut outs: BTreeMap<usize, Vec<(usize, u32, i32)>> = BTreeMap::new();
    for hop in &layered.hops {
        if let Role::Out(number) = hop.from.role {
            let list = outs.entry(hop.from.vertex).or_default();
            list.push((layered.place(hop.to.vertex), number, hop.label));
        }
    }
    let mut columns: HashMap<Terminal, i32> = HashMap::new();
    for (vertex, mut list) in outs {
        let side = layered.out_side.at(vertex);
        list.sort_unstable();
        list.dedup_by_key(|item| item.1);
        if side < 0 {
            list.reverse();
        }
        let mut column = 3;
        for (_, number, label) in list {
            let role = Role::Out(number);
            let face = Face::Top;
            let end = Terminal { vertex, face, role };
            columns.insert(end, side * column);
            column += 2 + if label > 0 { label + 1 } else { 0 };
        }
    }
    let texts: Vec<(i32, i32)> = (layered.vertices.iter())
        .map(|v| {
            (
                (v.reach_left - v.left).max(0),
                (v.reach_right - v.right).max(0),
            )
        })
        .collect();
    for hop in &mut layered.hops {
        if let Some(column) = columns.get(&hop.from)
            && let Some(item) = layered.vertices.get_mut(hop.from.vertex)
        {
            let room = if hop.label > 0 { hop.label + 2 } else { 0 };
            // The line must be further out than the labels of the lines that enter the box from above.
            let (left, right) = texts.at(hop.from.vertex);
            let past = if *column < 0 { left } else { right };
            hop.from_offset = beside(item, *column, room, past);
        }
        if hop.to.role == Role::Into {
            let side = layered.into_side.at(hop.to.vertex);
            if let Some(item) = layered.vertices.get_mut(hop.to.vertex) {
                hop.to_offset = beside(item, side * 3, 0, 0);
            }
        }
    }
}

/// Reserves a column for a line beside a box. Returns the distance of the column from the box's anchor. `column` is the
/// distance from the side of the box, negative on the left. `room` is the number of columns for a label on the outer
/// side of the line. `past` is the width of the labels between the box and the line.
fn beside(item: &mut super::layered::Vertex, column: i32, room: i32, past: i32) -> i32 {
    // One more column separates the line from the labels next to the box, so that each label is closest to its own
    // line.
    let past = if past > 0 { past + 1 } else { 0 };
    if column < 0 {
        let offset = item.left - column + past;
        item.reach_left = item.reach_left.max(offset + room);
        -offset
    } else {
        let offset = item.right + column + past;
        item.reach_right = item.reach_right.max(offset + room);
        offset
    }
}

fn keep_room_for_labels(layered: &mut Layered) {
    let mut most: HashMap<usize, (i32, i32)> = HashMap::new();
    for hop in layered.hops.iter().filter(|hop| hop.to.face == Face::Top) {
        let at = hop.to_offset;
        let (least, greatest) = most.entry(hop.to.vertex).or_insert((at, at));
        *least = at.min(*least);
        *greatest = at.max(*greatest);
    }
    for hop in &layered.hops {
        let (least, greatest) = most.get(&hop.to.vertex).copied().unwrap_or_default();
        let Some(item) = layered.vertices.get_mut(hop.to.vertex) else {
            continue;
        };
        if hop.label == 0 || hop.to.face != Face::Top {
            continue;
        }
        let (left, right) = hop.label_reach(least < greatest && hop.to_offset == least);
        if left > 0 {
            item.reach_left = item.reach_left.max(left - hop.to_offset);
        }
        if right > 0 {
            item.reach_right = item.reach_right.max(hop.to_offset + right);
        }
    }
}
