//! One scope on its way to a drawing: vertices in ranks, and hops from rank to rank.
//!
//! It must not know states, names or the scopes around it.

/// What is to be laid out: boxes of known size and the arcs between them, by index.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    pub(super) sizes: Vec<Size>,
    pub(super) arcs: Vec<Arc>,
    pub(super) root: Option<usize>,
}

/// Cells of a box.
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
    /// Cells of the text that room has to be kept for; 0 is none.
    pub(super) label: i32,
}

/// Lines of different classes do not share cells.
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

/// How a hop meets a vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Role {
    /// At the upper or lower border of a box, a column for every net.
    #[default]
    Port,
    /// Through the column of a bend.
    Thru,
    /// By a column beside the box that comes up from below and goes into its side.
    Into,
    /// By a column beside the box that leaves its side and goes up; the number tells apart the columns of one box.
    Out(u32),
}

/// An end of hops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Terminal {
    pub(super) vertex: usize,
    pub(super) face: Face,
    pub(super) role: Role,
}

/// The part of a line within one channel, the room between two ranks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Hop {
    pub(super) from: Terminal,
    pub(super) to: Terminal,
    /// The rank above the channel.
    pub(super) channel: usize,
    pub(super) class: Class,
    /// How much it should be straight.
    pub(super) weight: i32,
    pub(super) label: i32,
    pub(super) net: usize,
    /// Columns of its two ends from the anchors of their vertices.
    pub(super) from_offset: i32,
    pub(super) to_offset: i32,
}

impl Hop {
    /// The two ends: vertex, face, offset.
    pub(super) fn ends(&self) -> [(Terminal, i32); 2] {
        [(self.from, self.from_offset), (self.to, self.to_offset)]
    }
}

/// A box, or a bend of a line that passes a rank.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Vertex {
    pub(super) rank: usize,
    /// Whether it is a box.
    pub(super) real: bool,
    /// Its place among those of its rank.
    pub(super) place: usize,
    /// The column of its anchor.
    pub(super) x: i32,
    /// Cells of the box left of and right of the anchor.
    pub(super) left: i32,
    pub(super) right: i32,
    /// The same with wings and labels.
    pub(super) reach_left: i32,
    pub(super) reach_right: i32,
    pub(super) height: i32,
    /// The hop that leaves a bend.
    pub(super) next: Option<usize>,
}

/// A scope cut into ranks. The first vertices are the boxes, with the indices of the graph.
#[derive(Clone, Debug, Default)]
pub(super) struct Layered {
    pub(super) vertices: Vec<Vertex>,
    pub(super) hops: Vec<Hop>,
    /// The vertices of every rank from left to right.
    pub(super) ranks: Vec<Vec<usize>>,
    /// The first hop of every arc; `None` where it is too far to be drawn.
    pub(super) first: Vec<Option<usize>>,
    /// Whether the arc goes back.
    pub(super) back: Vec<bool>,
    /// How many nets there are; every hop names its own.
    pub(super) nets: usize,
    /// Side of the columns `Into` (-1 left, 1 right) of every box.
    pub(super) into_side: Vec<i32>,
    /// Side of the columns `Out`.
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

    /// Writes the place of every vertex from the order in `ranks`.
    pub(super) fn number(&mut self) {
        for rank in &self.ranks {
            for (place, vertex) in rank.iter().enumerate() {
                if let Some(vertex) = self.vertices.get_mut(*vertex) {
                    vertex.place = place;
                }
            }
        }
    }

    /// The place of a vertex among those of its rank.
    pub(super) fn place(&self, vertex: usize) -> usize {
        self.vertices.get(vertex).map_or(0, |vertex| vertex.place)
    }
}
