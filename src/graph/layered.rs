//! One scope (a list of states) during layout. Its vertices are the boxes, and the bends where lines pass between
//! boxes. The vertices are divided into ranks, and are ordered within each rank so that few lines cross. A hop is the
//! part of a line between two neighbouring ranks.

/// Input of a layout: the sizes of the boxes, and the arcs (lines) between them. An arc refers to its boxes by index.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    pub(super) sizes: Vec<Size>,
    pub(super) arcs: Vec<Arc>,
    pub(super) root: Option<usize>,
}

/// Size of a box, in cells.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Size {
    pub(super) w: i32,
    pub(super) h: i32,
}

/// One line of the drawing, from one box to another.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Arc {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) catch: bool,
    /// Width reserved for the label, in cells; 0 for none.
    pub(super) label: i32,
    /// True if the label is on the line instead of beside it.
    pub(super) on_line: bool,
}

/// Class of a line: plain, of a catcher, or leading back. Lines of different classes share no cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Class {
    #[default]
    Plain,
    Catch,
    Back,
}

/// The upper or lower side of a vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Face {
    #[default]
    Top,
    Bottom,
}

/// How a hop (the part of a line between two ranks) connects to a vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Role {
    /// The hop ends at the upper or lower border of a box. Each net (group of hops that may share cells) has its own
    /// column there.
    #[default]
    Port,
    /// The hop ends at a bend, through which the line passes straight.
    Thru,
    /// The hop ends in a column beside a box: the line comes up from below and enters the side of the box.
    Into,
    /// The hop begins in a column beside a box: the line leaves the side of the box and goes up. The number is the
    /// index of the box to which the line leads; each of these boxes has a column of its own.
    Out(u32),
}

/// One end of a hop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Terminal {
    pub(super) vertex: usize,
    pub(super) face: Face,
    pub(super) role: Role,
}

/// The part of a line within one channel, which is the space between two neighbouring ranks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Hop {
    pub(super) from: Terminal,
    pub(super) to: Terminal,
    /// Index of the rank directly above the channel.
    pub(super) channel: usize,
    pub(super) class: Class,
    /// How important it is to keep the line straight; a greater number is more important.
    pub(super) weight: i32,
    pub(super) label: i32,
    /// True if the label is on the line instead of beside it.
    pub(super) on_line: bool,
    pub(super) net: usize,
    /// Column of each end of the hop, relative to the column of the vertex at that end.
    pub(super) from_offset: i32,
    pub(super) to_offset: i32,
}

impl Hop {
    /// Number of cells that the label occupies to the left and to the right of the line. For a label beside the line,
    /// `is_left` is true if the label is on the left.
    pub(super) fn label_reach(&self, is_left: bool) -> (i32, i32) {
        match (self.label, self.on_line, is_left) {
            (0, _, _) => (0, 0),
            (label, true, _) => (label / 2, label - 1 - label / 2),
            (label, false, true) => (label + 1, 0),
            (label, false, false) => (0, label + 1),
        }
    }

    /// The two ends of the hop, each with its column relative to the vertex.
    pub(super) fn ends(&self) -> [(Terminal, i32); 2] {
        [(self.from, self.from_offset), (self.to, self.to_offset)]
    }
}

/// A box, or a bend where a line passes through a rank.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Vertex {
    pub(super) rank: usize,
    /// True for a box, false for a bend.
    pub(super) real: bool,
    /// Index of the vertex within its rank.
    pub(super) place: usize,
    /// Column of the vertex's anchor: a cell of the vertex from which its extent to both sides is measured.
    pub(super) x: i32,
    /// Number of cells of the box to the left of its anchor, and to the right of it.
    pub(super) left: i32,
    pub(super) right: i32,
    /// Like `left` and `right`, but including the labels and the lines beside the box.
    pub(super) reach_left: i32,
    pub(super) reach_right: i32,
    pub(super) height: i32,
    /// The hop that continues the line after this bend.
    pub(super) next: Option<usize>,
}

/// A scope divided into ranks. The first vertices are the boxes, with the same indices as in the [`Graph`].
#[derive(Clone, Debug, Default)]
pub(super) struct Layered {
    pub(super) vertices: Vec<Vertex>,
    pub(super) hops: Vec<Hop>,
    /// The vertices of every rank, left to right.
    pub(super) ranks: Vec<Vec<usize>>,
    /// For every arc, its first hop after its stem (see `stems`), or simply its first hop if it has no stem; `None` if
    /// the arc gets no route, because the drawing would be too large.
    pub(super) first: Vec<Option<usize>>,
    /// For every arc, its stem: the hops at its beginning that it may share with other arcs from the same box. Often
    /// empty.
    pub(super) stems: Vec<Vec<usize>>,
    /// For every arc, true if it is a back arc: an arc that leads to an earlier box or to the same box.
    pub(super) back: Vec<bool>,
    /// Number of nets. A net is a group of hops that may share cells, because they have an end in common. Every hop
    /// stores the index of its net.
    pub(super) nets: usize,
    /// For every box, the side (-1 left, 1 right) on which lines come up beside the box to enter it.
    pub(super) into_side: Vec<i32>,
    /// For every box, the side (-1 left, 1 right) on which lines leave the box to go up beside it.
    pub(super) out_side: Vec<i32>,
}

impl Layered {
    /// For every vertex, its neighbours in the rank above and in the rank below. Neighbours are vertices that a hop
    /// connects.
    pub(super) fn neighbours(&self) -> (Vec<Vec<usize>>, Vec<Vec<usize>>) {
        let mut above = vec![Vec::new(); self.vertices.len()];
        let mut below = vec![Vec::new(); self.vertices.len()];
        for hop in &self.hops {
            let (a, b) = match (hop.from.face, hop.to.face) {
                (Face::Bottom, Face::Top) => (hop.from.vertex, hop.to.vertex),
                (Face::Top, Face::Bottom) => (hop.to.vertex, hop.from.vertex),
                _ => continue,
            };
            if let Some(list) = below.get_mut(a) {
                list.push(b);
            }
            if let Some(list) = above.get_mut(b) {
                list.push(a);
            }
        }
        (above, below)
    }

    /// Stores in every vertex its index within its rank, according to `ranks`.
    pub(super) fn number(&mut self) {
        for rank in &self.ranks {
            for (place, vertex) in rank.iter().enumerate() {
                if let Some(vertex) = self.vertices.get_mut(*vertex) {
                    vertex.place = place;
                }
            }
        }
    }

    /// Index of a vertex within its rank.
    pub(super) fn place(&self, vertex: usize) -> usize {
        self.vertices.get(vertex).map_or(0, |vertex| vertex.place)
    }
}

/// Maximum number of vertices of a scope for which more than one initial order is tried.
const FEW: usize = 400;

/// Orders the vertices within their ranks so that few lines cross. Starting with an initial order, goes down and up
/// over the ranks several times and keeps the best order. If there are few vertices, tries several initial orders.
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

/// Returns an initial order in which the bends of back arcs are at the left end of each rank, not at the right end.
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

/// Improves the current order by going down and up over the ranks, and keeps the best order that is found. Returns the
/// number of crossings in that order.
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

/// Sorts the vertices of a rank by the mean index of their neighbours in the rank above or below. A vertex without
/// neighbours there is sorted by its own index.
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

/// Swaps adjacent vertices of each rank if this removes crossings, in at most four passes.
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

/// Number of pairs of an item of `left` and a smaller item of `right`. `right` must be sorted.
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
        // A Fenwick tree with an entry for each vertex of the lower rank: it counts the hops to the vertex seen so far.
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

/// Access to the items of a list that never panics, even with an index beyond its end.
pub(super) trait CheckedIndex<T> {
    /// The item at `index`; the type's default value if there is none.
    fn at(&self, index: usize) -> T;
    /// Overwrites the item at `index`, if there is one.
    fn put(&mut self, index: usize, value: T);
}

impl<T: Copy + Default> CheckedIndex<T> for [T] {
    fn at(&self, index: usize) -> T {
        self.get(index).copied().unwrap_or_default()
    }

    fn put(&mut self, index: usize, value: T) {
        if let Some(slot) = self.get_mut(index) {
            *slot = value;
        }
    }
}

impl<T: Copy + Default> CheckedIndex<T> for Vec<T> {
    fn at(&self, index: usize) -> T {
        self.as_slice().at(index)
    }

    fn put(&mut self, index: usize, value: T) {
        self.as_mut_slice().put(index, value);
    }
}

/// Converts a count of cells to a coordinate.
pub(super) fn cells(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX / 4)
}
