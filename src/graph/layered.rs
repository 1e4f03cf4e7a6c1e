//! One scope during layout: vertices in ranks, and hops between neighbouring ranks.

/// Input of a layout: boxes of known size and the arcs between them, by index.
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

/// One line of the drawing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Arc {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) catch: bool,
    /// Width reserved for the label, in cells; 0 for none.
    pub(super) label: i32,
    /// True if the label is on its line instead of beside it.
    pub(super) on_line: bool,
}

/// Class of a line; lines of different classes do not share cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Class {
    #[default]
    Plain,
    Catch,
    Back,
}

/// A side of a vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Face {
    #[default]
    Top,
    Bottom,
}

/// How a hop connects to a vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Role {
    /// At the upper or lower border of a box; each net has a column of its own.
    #[default]
    Port,
    /// The line passes straight through a bend.
    Thru,
    /// In a column beside the box, coming up from below and entering its side.
    Into,
    /// In a column beside the box, leaving its side and going up; the number distinguishes the columns of one box.
    Out(u32),
}

/// One end of a hop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Terminal {
    pub(super) vertex: usize,
    pub(super) face: Face,
    pub(super) role: Role,
}

/// The part of a line within one channel, the space between two ranks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Hop {
    pub(super) from: Terminal,
    pub(super) to: Terminal,
    /// The rank above the channel.
    pub(super) channel: usize,
    pub(super) class: Class,
    /// Priority of keeping the line straight.
    pub(super) weight: i32,
    pub(super) label: i32,
    /// True if the label is on its line.
    pub(super) on_line: bool,
    pub(super) net: usize,
    /// Columns of the two ends, relative to the anchors of their vertices.
    pub(super) from_offset: i32,
    pub(super) to_offset: i32,
}

impl Hop {
    /// Cells that the label takes left and right of its line; `is_left` if it is on the left side.
    pub(super) fn label_reach(&self, is_left: bool) -> (i32, i32) {
        match (self.label, self.on_line, is_left) {
            (0, _, _) => (0, 0),
            (label, true, _) => (label / 2, label - 1 - label / 2),
            (label, false, true) => (label + 1, 0),
            (label, false, false) => (0, label + 1),
        }
    }

    /// The two ends: vertex, face, offset.
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
    /// Index within its rank.
    pub(super) place: usize,
    /// Column of its anchor.
    pub(super) x: i32,
    /// Width of the box left and right of the anchor, in cells.
    pub(super) left: i32,
    pub(super) right: i32,
    /// Width left and right of the anchor including wings and labels, in cells.
    pub(super) reach_left: i32,
    pub(super) reach_right: i32,
    pub(super) height: i32,
    /// The hop that continues after a bend.
    pub(super) next: Option<usize>,
}

/// A scope divided into ranks. The first vertices are the boxes, with the same indices as in the graph.
#[derive(Clone, Debug, Default)]
pub(super) struct Layered {
    pub(super) vertices: Vec<Vertex>,
    pub(super) hops: Vec<Hop>,
    /// The vertices of every rank, left to right.
    pub(super) ranks: Vec<Vec<usize>>,
    /// The first hop of every arc after its stem; `None` if the arc is too long to be drawn.
    pub(super) first: Vec<Option<usize>>,
    /// The hops before `first`, which an arc shares with other arcs of its source.
    pub(super) stems: Vec<Vec<usize>>,
    /// True for back arcs.
    pub(super) back: Vec<bool>,
    /// Number of nets; every hop stores the index of its own.
    pub(super) nets: usize,
    /// Side of the `Into` columns of every box (-1 left, 1 right).
    pub(super) into_side: Vec<i32>,
    /// Side of the `Out` columns of every box (-1 left, 1 right).
    pub(super) out_side: Vec<i32>,
}

impl Layered {
    /// Vertices above and below every vertex.
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

    /// Updates the index of every vertex within its rank from `ranks`.
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
