//! Computes the routes of the lines. A net is a group of hops that may share cells. Each net gets a row for its
//! horizontal part in its channel, which is the space between two ranks. Then the corners of every line are computed.

use super::layered::{CheckedIndex, Face, Layered, Role, Terminal, cells};
use super::model::{Point, Rect};
use std::collections::{BTreeMap, BTreeSet};

/// The rows and columns in which a net crosses its channel (the space between two ranks).
#[derive(Clone, Copy, Debug, Default)]
struct Track {
    /// Row of the net's horizontal part, counted from the top of the channel; `None` if the net runs straight down.
    row: Option<i32>,
    /// Set if the horizontal part is split in two: the row of the lower part, and the column of the line that connects
    /// both.
    dogleg: Option<(i32, i32)>,
}

/// A scope whose boxes have positions and whose lines have routes.
#[derive(Clone, Debug, Default)]
pub(super) struct Routed {
    pub(super) boxes: Vec<Rect>,
    pub(super) paths: Vec<Vec<Point>>,
    /// For every arc, the cell of its line next to which, or on which, its label belongs.
    pub(super) beside: Vec<Option<Point>>,
    pub(super) width: i32,
    pub(super) height: i32,
}

/// Assigns rows of cells to the ranks and to the channels between them. Computes the boxes' areas and the lines'
/// corners.
pub(super) fn route(layered: &Layered) -> Routed {
    let mut channels: Vec<BTreeMap<usize, Net>> = vec![BTreeMap::new(); layered.ranks.len()];
    for hop in &layered.hops {
        let Some(channel) = channels.get_mut(hop.channel) else {
            continue;
        };
        let net = channel.entry(hop.net).or_default();
        for (end, offset) in hop.ends() {
            let x = layered.vertices.at(end.vertex).x + offset;
            match end.face {
                Face::Bottom => net.uppers.insert(x),
                Face::Top => net.lowers.insert(x),
            };
        }
    }
    let mut tracks = vec![Track::default(); layered.nets];
    // `rank_at` is the first row of every rank, and `channel_at` the first row of the channel below it.
    let mut rank_at = Vec::new();
    let mut channel_at = Vec::new();
    let mut y = 0;
    // For every channel, true if a label in it is on its line instead of beside it. The channel then gets one more row.
    let mut labelled = vec![false; layered.ranks.len()];
    for hop in layered
        .hops
        .iter()
        .filter(|hop| hop.on_line && hop.label > 0)
    {
        labelled.put(
            hop.channel,
            hop.to.face == Face::Top || labelled.at(hop.channel),
        );
    }
    for (rank, channel) in layered.ranks.iter().zip(&channels) {
        rank_at.push(y);
        let tall = rank
            .iter()
            .map(|vertex| layered.vertices.at(*vertex).height);
        y += tall.max().unwrap_or(0);
        channel_at.push(y);
        y += assign(channel, &mut tracks);
        y += i32::from(labelled.at(rank_at.len() - 1));
        // Every rank but the last has one row for arrowheads below its channel.
        y += i32::from(rank_at.len() < layered.ranks.len());
    }
    let mut out = Routed {
        height: y,
        ..Routed::default()
    };
    for vertex in layered.vertices.iter().filter(|vertex| vertex.real) {
        out.boxes.push(Rect {
            x: vertex.x - vertex.left,
            y: rank_at.at(vertex.rank),
            w: vertex.left + vertex.right + 1,
            h: vertex.height,
        });
    }
    let walker = Walker {
        layered,
        tracks: &tracks,
        channel_at: &channel_at,
        boxes: &out.boxes,
    };
    out.paths = layered
        .first
        .iter()
        .zip(&layered.stems)
        .map(|(first, stem)| walker.path(stem, *first))
        .collect();
    out.beside = (layered.first.iter())
        .map(|first| {
            let hop = layered.hops.get((*first)?)?;
            let (end, offset) = match hop.to.face {
                Face::Top => (hop.to.vertex, hop.to_offset),
                Face::Bottom => (hop.from.vertex, hop.from_offset),
            };
            let x = layered.vertices.at(end).x + offset;
            let y = match (hop.to.face, out.boxes.get(end)) {
                (Face::Bottom, Some(rect)) => rect.y + (rect.h / 2).min(1),
                _ => rank_at.at(hop.channel + 1) - 1 - i32::from(hop.on_line),
            };
            Some(Point { x, y })
        })
        .collect();
    let corners = out.paths.iter().flatten().map(|point| point.x);
    let reach = layered
        .vertices
        .iter()
        .map(|vertex| vertex.x + vertex.reach_right);
    let left = corners.clone().min().unwrap_or(0).min(0);
    let right = corners.chain(reach).max().unwrap_or(-1);
    for rect in &mut out.boxes {
        rect.x -= left;
    }
    let beside = out.beside.iter_mut().flatten();
    for point in out.paths.iter_mut().flatten().chain(beside) {
        point.x -= left;
    }
    out.width = right - left + 1;
    out
}

struct Walker<'a> {
    layered: &'a Layered,
    tracks: &'a [Track],
    channel_at: &'a [i32],
    boxes: &'a [Rect],
}

impl Walker<'_> {
    /// The corners of a line. The line runs through the hops of `stem`, and then, unless `first` is `None`, through the
    /// hop `first` and the hops after it.
    fn path(&self, stem: &[usize], first: Option<usize>) -> Vec<Point> {
        let mut out = Vec::new();
        let mut stem = stem.iter().copied();
        let mut next = match first {
            None => None,
            first => stem.next().or(first),
        };
        let mut then = first.filter(|first| next != Some(*first));
        while let Some(hop) = next.and_then(|index| self.layered.hops.get(index)) {
            let x = |end: Terminal, offset: i32| self.layered.vertices.at(end.vertex).x + offset;
            let from = x(hop.from, hop.from_offset);
            let to = x(hop.to, hop.to_offset);
            if out.is_empty() {
                self.border(hop.from, from, false, &mut out);
            }
            let track = self.tracks.at(hop.net);
            let top = self.channel_at.at(hop.channel);
            // If the horizontal part is split, the ends at the rank above connect to the upper part, and the ends at
            // the rank below to the lower part.
            let row = |end: Terminal| match (track.dogleg, end.face) {
                (Some((row, _)), Face::Top) => Some(row),
                _ => track.row,
            };
            if let (Some(a), Some(b)) = (row(hop.from), row(hop.to)) {
                push(&mut out, from, top + a);
                if let (true, Some((_, column))) = (a != b, track.dogleg) {
                    push(&mut out, column, top + a);
                    push(&mut out, column, top + b);
                }
                push(&mut out, to, top + b);
            }
            let vertex = self.layered.vertices.at(hop.to.vertex);
            if vertex.real {
                self.border(hop.to, to, true, &mut out);
                break;
            }
            next = match vertex.next {
                None => stem.next().or_else(|| then.take()),
                next => next,
            };
        }
        out
    }

    /// Appends the cell in which a line meets the border of a box. If the line runs in a column beside the box, also
    /// appends the corner in that column.
    fn border(&self, end: Terminal, x: i32, arrives: bool, out: &mut Vec<Point>) {
        let Some(rect) = self.boxes.get(end.vertex).copied() else {
            return;
        };
        let row = rect.y + (rect.h / 2).min(1);
        let side = if x < rect.x { rect.x } else { rect.right() };
        match (end.role, end.face) {
            (Role::Into | Role::Out(_), _) if arrives => {
                push(out, x, row);
                push(out, side, row);
            }
            (Role::Into | Role::Out(_), _) => {
                push(out, side, row);
                push(out, x, row);
            }
            (_, Face::Top) => push(out, x, rect.y),
            (_, Face::Bottom) => push(out, x, rect.bottom()),
        }
    }
}

/// Appends a corner to a line. If the line runs straight through the previous corner, removes that corner.
fn push(out: &mut Vec<Point>, x: i32, y: i32) {
    let point = Point { x, y };
    if out.last() == Some(&point) {
        return;
    }
    if let [.., before, last] = out.as_slice()
        && ((before.x == last.x && last.x == x) || (before.y == last.y && last.y == y))
    {
        out.pop();
    }
    out.push(point);
}

/// The columns in which a net meets the rank above its channel, and the columns in which it meets the rank below.
#[derive(Clone, Debug, Default)]
struct Net {
    uppers: BTreeSet<i32>,
    lowers: BTreeSet<i32>,
}

/// A horizontal part of a net. It gets a row of the channel.
struct Part {
    net: usize,
    uppers: Vec<i32>,
    lowers: Vec<i32>,
    low: i32,
    high: i32,
    /// True for the lower part of a net whose horizontal part is split in two.
    second: bool,
}

impl Part {
    fn new(net: usize, uppers: Vec<i32>, lowers: Vec<i32>, second: bool) -> Self {
        let ends = || uppers.iter().chain(&lowers).copied();
        Self {
            net,
            low: ends().min().unwrap_or(0),
            high: ends().max().unwrap_or(0),
            uppers,
            lowers,
            second,
        }
    }

    /// Number of crossings between this part and `other` if this part is above `other`.
    fn crossings_above(&self, other: &Self) -> i64 {
        let within = |xs: &[i32], low: i32, high: i32| {
            xs.partition_point(|x| *x <= high) - xs.partition_point(|x| *x < low)
        };
        let count = within(&other.uppers, self.low, self.high)
            + within(&self.lowers, other.low, other.high);
        i64::try_from(count).unwrap_or(AVOIDED)
    }

    /// Cost of placing this part above `other`. Crossings that the opposite order would avoid count most, then all
    /// crossings.
    fn cost_above(&self, other: &Self) -> i64 {
        let crossings = self.crossings_above(other);
        (crossings - other.crossings_above(self)) * AVOIDED + crossings
    }
}

/// Weight of a crossing that the opposite order of two parts would avoid. Every crossing has the weight 1 in addition.
const AVOIDED: i64 = 4_096;

/// Maximum number of parts of a channel that are ordered by their crossings. If there are more, they are ordered by
/// column, which is faster.
const MANY: usize = 300;

/// Assigns rows to the horizontal parts of the nets of a channel; returns the number of rows.
fn assign(channel: &BTreeMap<usize, Net>, tracks: &mut [Track]) -> i32 {
    let mut parts: Vec<Part> = Vec::new();
    let mut columns = BTreeSet::new();
    let mut upper_at = BTreeMap::new();
    for (id, net) in channel {
        columns.extend(net.uppers.iter().chain(&net.lowers).copied());
        let part = Part::new(
            *id,
            net.uppers.iter().copied().collect(),
            net.lowers.iter().copied().collect(),
            false,
        );
        if part.low < part.high {
            for x in &part.uppers {
                upper_at.insert(*x, parts.len());
            }
            parts.push(part);
        }
    }
    // For each part, the parts that must be above it. If one part has a line to the lower rank in a column, and another
    // part has a line to the upper rank in the same column, the first part must be below, because otherwise these
    // vertical lines would overlap.
    let mut waits: Vec<BTreeSet<usize>> = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let over = part.lowers.iter().filter_map(|x| upper_at.get(x).copied());
        waits.push(over.filter(|other| *other != index).collect());
    }
    let mut score: Vec<i64> = vec![0; parts.len()];
    if parts.len() <= MANY {
        for (index, part) in parts.iter().enumerate() {
            score.put(
                index,
                parts.iter().map(|other| part.cost_above(other)).sum(),
            );
        }
    } else {
        for (index, part) in parts.iter().enumerate() {
            let right = part.uppers.first() <= part.lowers.first();
            let key = if right { -part.high } else { part.low };
            score.put(index, i64::from(key));
        }
    }
    let mut awaited: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (index, over) in waits.iter().enumerate() {
        for other in over {
            awaited.entry(*other).or_default().push(index);
        }
    }
    let mut open: BTreeSet<usize> = (0..parts.len()).collect();
    // Parts above which no other part remains to be placed, in the order in which they get rows.
    let mut ready: BTreeSet<(i64, usize)> = (open.iter())
        .filter(|index| waits.get(**index).is_none_or(BTreeSet::is_empty))
        .map(|index| (score.at(*index), *index))
        .collect();
    let mut skyline = Skyline::over(parts.iter().map(|part| (part.low, part.high)));
    let mut rows = 0;
    while !open.is_empty() {
        let free = ready.pop_first().map(|(_, index)| index);
        let chosen = free.or_else(|| {
            // The remaining parts wait for each other in a cycle, so one of them is split in two, each with a row of
            // its own.
            let index = *open.first()?;
            let column = free_column(&columns, parts.get(index)?)?;
            columns.insert(column);
            let part = parts.get_mut(index)?;
            let second = Part::new(
                part.net,
                vec![column],
                std::mem::take(&mut part.lowers),
                true,
            );
            *part = Part::new(
                part.net,
                std::mem::take(&mut part.uppers),
                vec![column],
                false,
            );
            skyline.cut(second.low, second.high);
            skyline.cut(part.low, part.high);
            let mut waiting = waits.get_mut(index).map(std::mem::take).unwrap_or_default();
            open.insert(parts.len());
            waiting.insert(index);
            for other in &waiting {
                awaited.entry(*other).or_default().push(parts.len());
            }
            waits.push(waiting);
            score.push(score.at(index));
            parts.push(second);
            Some(index)
        });
        let Some(index) = chosen else {
            break;
        };
        open.remove(&index);
        for other in awaited.remove(&index).unwrap_or_default() {
            let Some(waiting) = waits.get_mut(other) else {
                continue;
            };
            if waiting.remove(&index) && waiting.is_empty() && open.contains(&other) {
                ready.insert((score.at(other), other));
            }
        }
        let Some(part) = parts.get(index) else {
            break;
        };
        let row = skyline.row_for(part.low, part.high);
        if parts.len() <= MANY {
            for other in &open {
                if let Some(item) = parts.get(*other) {
                    let cost = item.cost_above(part);
                    let (before, after) = (score.at(*other), score.at(*other) - cost);
                    score.put(*other, after);
                    if ready.remove(&(before, *other)) {
                        ready.insert((after, *other));
                    }
                }
            }
        }
        let (net, second) = (part.net, part.second);
        let column = part.uppers.first().copied();
        let track = tracks.at(net);
        tracks.put(
            net,
            match (second, column) {
                (true, Some(column)) => Track {
                    dogleg: Some((row, column)),
                    ..track
                },
                _ => Track {
                    row: Some(row),
                    ..track
                },
            },
        );
        rows = rows.max(row + 1);
    }
    rows
}

/// An unused column of the channel, as close to the middle of the part as possible.
fn free_column(columns: &BTreeSet<i32>, part: &Part) -> Option<i32> {
    let middle = part.low + (part.high - part.low) / 2;
    (0..=cells(columns.len()) + 1)
        .flat_map(|far| [middle + far, middle - far])
        .find(|column| !columns.contains(column))
}

/// Maximum number of stretches (ranges of columns) in a [`Skyline`]. If there are more, they are no longer split.
const FINE: usize = 2_000;

/// For each stretch (range of columns), the first free row below all horizontal parts of lines that are placed there.
/// Rows are counted from the top of the channel.
#[derive(Clone, Debug, Default)]
struct Skyline {
    /// First column of every stretch, ascending.
    starts: Vec<i32>,
    /// Segment tree over the stretches: for each node, the greatest first free row of the stretches below the node.
    most: Vec<i32>,
    /// For each node of the segment tree, the greatest first free row that was set for all of its stretches together.
    whole: Vec<i32>,
    leaves: usize,
}

impl Skyline {
    /// A skyline with stretches for parts with these first and last columns.
    pub(super) fn over(parts: impl Iterator<Item = (i32, i32)>) -> Self {
        let mut starts: Vec<i32> = parts
            .flat_map(|(low, high)| [low - 1, low, high + 1, high + 2])
            .collect();
        starts.sort_unstable();
        starts.dedup();
        Self::of(starts)
    }

    fn of(starts: Vec<i32>) -> Self {
        let leaves = starts.len().next_power_of_two();
        Self {
            starts,
            most: vec![0; 2 * leaves],
            whole: vec![0; 2 * leaves],
            leaves,
        }
    }

    /// Splits stretches so that a part from column `low` to `high` consists of whole stretches. If there are more than
    /// [`FINE`] stretches, does nothing; the part then occupies every stretch that it touches.
    pub(super) fn cut(&mut self, low: i32, high: i32) {
        if self.starts.len() > FINE {
            return;
        }
        let new = [low - 1, low, high + 1, high + 2];
        let mut starts = [&self.starts[..], &new].concat();
        starts.sort_unstable();
        starts.dedup();
        let mut finer = Self::of(starts);
        for stretch in 0..finer.starts.len() {
            let first = finer.starts.at(stretch);
            let row = self.free(1, 0, self.leaves, self.stretches(first, first));
            finer.take(1, 0, finer.leaves, (stretch, stretch + 1), row);
        }
        *self = finer;
    }

    /// Returns the first row below all parts that overlap the new part or are directly beside it, and occupies that row
    /// for the new part.
    fn row_for(&mut self, low: i32, high: i32) -> i32 {
        let row = self.free(1, 0, self.leaves, self.stretches(low - 1, high + 1));
        let stretches = self.stretches(low, high);
        self.take(1, 0, self.leaves, stretches, row + 1);
        row
    }

    /// The first index of the stretches with columns from `first` to `last`, and the index after the last of them.
    fn stretches(&self, first: i32, last: i32) -> (usize, usize) {
        let from = self.starts.partition_point(|start| *start <= first);
        let to = self.starts.partition_point(|start| *start <= last);
        (from.saturating_sub(1), to)
    }

    fn free(&self, node: usize, from: usize, to: usize, wanted: (usize, usize)) -> i32 {
        if wanted.1 <= from || to <= wanted.0 {
            return 0;
        }
        if wanted.0 <= from && to <= wanted.1 {
            return self.most.at(node);
        }
        let middle = from.midpoint(to);
        let left = self.free(2 * node, from, middle, wanted);
        let right = self.free(2 * node + 1, middle, to, wanted);
        self.whole.at(node).max(left).max(right)
    }

    fn take(&mut self, node: usize, from: usize, to: usize, wanted: (usize, usize), row: i32) {
        if wanted.1 <= from || to <= wanted.0 {
            return;
        }
        self.most.put(node, self.most.at(node).max(row));
        if wanted.0 <= from && to <= wanted.1 {
            self.whole.put(node, self.whole.at(node).max(row));
            return;
        }
        let middle = from.midpoint(to);
        self.take(2 * node, from, middle, wanted, row);
        self.take(2 * node + 1, middle, to, wanted, row);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks, with random parts, that each part gets the first row below all earlier parts that overlap it or are
    /// directly beside it.
    #[test]
    fn rows_are_those_of_a_search_through_all_parts() {
        let mut state = 7u32;
        let mut random = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            i32::try_from((state >> 8) % below).unwrap_or(0)
        };
        for _ in 0..200 {
            let parts: Vec<(i32, i32)> = (0..40)
                .map(|_| {
                    let low = random(60) - 20;
                    (low, low + random(15))
                })
                .collect();
            let mut skyline = Skyline::over(parts.iter().copied().take(30));
            let mut placed: Vec<(i32, i32, i32)> = Vec::new();
            for (low, high) in parts {
                let near = placed
                    .iter()
                    .filter(|(a, b, _)| *a <= high + 1 && low <= *b + 1);
                let wanted = near.map(|(_, _, row)| row + 1).max().unwrap_or(0);
                skyline.cut(low, high);
                assert_eq!(skyline.row_for(low, high), wanted);
                placed.push((low, high, wanted));
            }
        }
    }
}
