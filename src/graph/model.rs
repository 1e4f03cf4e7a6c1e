//! A finished drawing as plain data: boxes, edge routes and labels, with lookups and keyboard navigation.

use crate::definition::StateId;
use std::collections::{BTreeMap, BTreeSet};

/// The object that a box of the drawing represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Node {
    /// The mark `( start )` above the first state.
    Start,
    /// A state of the machine.
    State(StateId),
    /// The mark `( end )` below the last states.
    End,
}

/// Type of the state or mark that a box represents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BoxType {
    /// The start mark `( start )` or the end mark `( end )`.
    Mark,
    /// A Pass state.
    #[default]
    Pass,
    /// A Task state.
    Task,
    /// A Choice state.
    Choice,
    /// A Wait state.
    Wait,
    /// A Succeed state.
    Succeed,
    /// A Fail state.
    Fail,
    /// A Parallel state.
    Parallel,
    /// A Map state.
    Map,
}

impl BoxType {
    /// The symbol that is drawn before the name of a state of this type, one cell wide; `None` for a type without a
    /// symbol.
    #[must_use]
    pub fn mark(self, glyphs: Glyphs) -> Option<char> {
        let (unicode, ascii) = match self {
            // These symbols must differ from the status symbols and from the symbol of a breakpoint.
            Self::Choice => ('◇', '/'),
            Self::Wait => ('⋯', '@'),
            Self::Succeed => ('◉', '+'),
            Self::Fail => ('⊘', '&'),
            Self::Parallel => ('‖', '='),
            Self::Map => ('≡', '%'),
            Self::Mark | Self::Pass | Self::Task => return None,
        };
        Some(match glyphs {
            Glyphs::Unicode => unicode,
            Glyphs::Ascii => ascii,
        })
    }
}

/// The character set of a drawing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Glyphs {
    /// Box drawing characters and other Unicode symbols.
    #[default]
    Unicode,
    /// Only ASCII, except in names.
    Ascii,
}

/// How a state without inner states is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Boxes {
    /// Three rows: a frame around the name.
    #[default]
    Frame,
    /// One row: the name in brackets.
    Line,
}

/// Options of a layout.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Width in columns that the drawing should fit into if possible; `None` for no limit, with every name in one line.
    pub width: Option<i32>,
    /// How states without inner states are drawn: in a frame or in one row.
    pub boxes: Boxes,
    /// Character set of the ellipses in shortened texts and of the type symbols.
    pub glyphs: Glyphs,
    /// Parallel and Map states that are folded, which means that their content is hidden.
    pub folded: BTreeSet<StateId>,
    /// True to reserve space for the data of a run: a status symbol before the name, a badge such as `2/3` retries or
    /// `97/100` items of a Map, and two columns to the left of every box for further symbols.
    pub live: bool,
    /// True if framed boxes have two more rows: one for the target of the state's call, and one for the state's result.
    pub details: bool,
}

/// Position of a cell; x counts columns, y rows, both from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point {
    /// Column of the cell.
    pub x: i32,
    /// Row of the cell.
    pub y: i32,
}

/// A rectangle of cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rect {
    /// First column.
    pub x: i32,
    /// First row.
    pub y: i32,
    /// Width in columns.
    pub w: i32,
    /// Height in rows.
    pub h: i32,
}

impl Rect {
    /// The last column.
    #[must_use]
    pub fn right(&self) -> i32 {
        self.x + self.w - 1
    }

    /// The last row.
    #[must_use]
    pub fn bottom(&self) -> i32 {
        self.y + self.h - 1
    }

    /// True if the cell in column `x` and row `y` is inside the rectangle.
    #[must_use]
    pub fn contains(&self, x: i32, y: i32) -> bool {
        x >= self.x && x <= self.right() && y >= self.y && y <= self.bottom()
    }
}

/// One box of the drawing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeBox {
    /// The state or mark that the box represents.
    pub node: Node,
    /// Area of the box, borders included.
    pub rect: Rect,
    /// The symbol of the state's type, two cells left of the name.
    pub mark: Option<char>,
    /// The name in lines, shortened if necessary, safe to print.
    pub lines: Vec<String>,
    /// The cell where the first line of the name begins; the other lines are below.
    pub label_at: Point,
    /// The cell of the status symbol, which is followed by a blank; only with [`Options::live`].
    pub status_at: Option<Point>,
    /// A tag for an unusual mode (`.sync`, `DISTRIBUTED`) with its position on the upper border, if there is room.
    pub tag: Option<(Point, &'static str)>,
    /// Area reserved for a badge (`↻2/3`, `97/100`): on the upper border of a frame, otherwise right of the first line.
    pub badge: Option<Rect>,
    /// Area below the name, two rows high: for the target of the state's call, and for the state's result. Only with
    /// [`Options::details`].
    pub notes: Option<Rect>,
    /// The text for the first row of `notes`: a call's service and action, or the type of the state.
    pub detail: Option<String>,
    /// Total number of retries that the state's retriers allow; shown as a badge in a drawing without a run.
    pub retries: Option<u64>,
    /// Type of the state or mark that the box represents.
    pub kind: BoxType,
    /// True if inner states are drawn inside the box.
    pub group: bool,
    /// The Parallel or Map state inside which the box is drawn.
    pub parent: Option<StateId>,
}

/// The kind of a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EdgeKind {
    /// From the start mark to the first state.
    Start,
    /// By the `Next` of a state.
    Next,
    /// By the rule of a Choice with this index.
    Rule(u32),
    /// By the `Default` of a Choice.
    Default,
    /// From a state with `End` to the end mark.
    End,
    /// By the catcher of the state with this index.
    Catch(u32),
}

impl EdgeKind {
    /// True if the edge belongs to a catcher and is drawn dashed.
    #[must_use]
    pub fn is_catch(self) -> bool {
        matches!(self, Self::Catch(_))
    }
}

/// The label of an edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Column of the label's first cell.
    pub x: i32,
    /// Row of the label.
    pub y: i32,
    /// The text, safe to print. A label on its line has a blank on each side.
    pub text: String,
    /// The complete text, if the shown text is shortened.
    pub whole: Option<String>,
}

/// The bit of [`Cell::dirs`] for a line to the cell above.
pub const NORTH: u8 = 1;
/// The bit of [`Cell::dirs`] for a line to the cell on the right.
pub const EAST: u8 = 2;
/// The bit of [`Cell::dirs`] for a line to the cell below.
pub const SOUTH: u8 = 4;
/// The bit of [`Cell::dirs`] for a line to the cell on the left.
pub const WEST: u8 = 8;

/// Direction of an arrow head.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arrow {
    /// `▲`
    Up,
    /// `▶`
    Right,
    /// `▼`
    Down,
    /// `◀`
    Left,
}

/// One cell of the route of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Column.
    pub x: i32,
    /// Row.
    pub y: i32,
    /// Directions in which the line leaves the cell: a sum of [`NORTH`], [`EAST`], [`SOUTH`] and [`WEST`].
    pub dirs: u8,
    /// The arrow head; only in the last cell of the edge.
    pub arrow: Option<Arrow>,
}

/// One edge with its route.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeRoute {
    /// The state or mark at which the edge starts.
    pub from: Node,
    /// The state or mark at which the edge ends.
    pub to: Node,
    /// The kind of the transition.
    pub kind: EdgeKind,
    /// The label of the edge. If several edges share a route, only the first of them has a label.
    pub label: Option<Label>,
    /// Corners of the route: the first is a border cell of `from`, the last a border cell of `to`. Empty if the edge is
    /// not drawn, because the drawing would be too large.
    pub path: Vec<Point>,
    /// True if the edge leads back to an earlier state or to the state that it leaves.
    pub back: bool,
}

impl EdgeRoute {
    /// The cells of the route between the borders of the two boxes, in order.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + '_ {
        let corners = self
            .path
            .iter()
            .zip(self.path.iter().skip(1))
            .flat_map(|(from, to)| run(*from, *to));
        // Each straight part omits its last cell, so that a corner occurs only once. The first cell is on the border.
        let mut cells = corners.skip(1).peekable();
        let mut before = self.path.first().copied();
        let end = self.path.last().copied();
        std::iter::from_fn(move || {
            let point = cells.next()?;
            let next = cells.peek().copied().or(end);
            let toward = |other: Option<Point>| other.map_or(0, |other| bit(point, other));
            let cell = Cell {
                x: point.x,
                y: point.y,
                dirs: toward(before) | toward(next),
                arrow: match (cells.peek(), end) {
                    (None, Some(end)) => arrow(point, end),
                    _ => None,
                },
            };
            before = Some(point);
            Some(cell)
        })
    }

    /// Like [`EdgeRoute::cells`], but only the cells within a window, found without visiting the other cells. A corner
    /// occurs twice, once for each of the straight parts that meet there, with the directions of that part.
    pub fn cells_within(&self, window: Rect) -> impl Iterator<Item = (Point, u8)> + '_ {
        let ends = (self.path.first().copied(), self.path.last().copied());
        let parts = self.path.iter().zip(self.path.iter().skip(1));
        parts
            .flat_map(move |(from, to)| clipped(*from, *to, window))
            .filter(move |(cell, _)| Some(*cell) != ends.0 && Some(*cell) != ends.1)
    }

    /// The last cell of the edge before the border of `to`, with the direction of the arrow head there.
    #[must_use]
    pub fn head(&self) -> Option<(Point, Arrow)> {
        let [.., before, end] = self.path.as_slice() else {
            return None;
        };
        let cell = Point {
            x: end.x - (end.x - before.x).signum(),
            y: end.y - (end.y - before.y).signum(),
        };
        // If the borders of both boxes are adjacent, there is no cell for an arrow head.
        let arrow = arrow(cell, *end)?;
        (self.path.first() != Some(&cell)).then_some((cell, arrow))
    }
}

/// The cells of a straight part of a line within a window, both ends included. Each has the directions in which the
/// part continues.
fn clipped(from: Point, to: Point, window: Rect) -> impl Iterator<Item = (Point, u8)> {
    let (low, high) = (
        Point {
            x: from.x.min(to.x),
            y: from.y.min(to.y),
        },
        Point {
            x: from.x.max(to.x),
            y: from.y.max(to.y),
        },
    );
    let columns = low.x.max(window.x)..=high.x.min(window.right());
    columns.flat_map(move |x| {
        let rows = low.y.max(window.y)..=high.y.min(window.bottom());
        rows.map(move |y| {
            let mut dirs = 0;
            for (goes_on, dir) in [
                (y > low.y, NORTH),
                (x < high.x, EAST),
                (y < high.y, SOUTH),
                (x > low.x, WEST),
            ] {
                dirs |= if goes_on { dir } else { 0 };
            }
            (Point { x, y }, dirs)
        })
    })
}

/// The cells from `from` up to `to`; `to` itself is not included.
fn run(from: Point, to: Point) -> impl Iterator<Item = Point> {
    let (dx, dy) = ((to.x - from.x).signum(), (to.y - from.y).signum());
    let steps = (to.x - from.x).abs().max((to.y - from.y).abs());
    (0..steps).map(move |step| Point {
        x: from.x + dx * step,
        y: from.y + dy * step,
    })
}

fn bit(point: Point, other: Point) -> u8 {
    match ((other.x - point.x).signum(), (other.y - point.y).signum()) {
        (0, -1) => NORTH,
        (1, 0) => EAST,
        (0, 1) => SOUTH,
        (-1, 0) => WEST,
        _ => 0,
    }
}

fn arrow(point: Point, end: Point) -> Option<Arrow> {
    match bit(point, end) {
        NORTH => Some(Arrow::Up),
        EAST => Some(Arrow::Right),
        SOUTH => Some(Arrow::Down),
        WEST => Some(Arrow::Left),
        _ => None,
    }
}

/// A line between branches of a Parallel, vertical or horizontal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Separator {
    /// The first cell of the separator.
    pub from: Point,
    /// The last cell of the separator.
    pub to: Point,
}

impl Separator {
    /// True if the separator is vertical, between branches beside each other.
    #[must_use]
    pub fn is_upright(&self) -> bool {
        self.from.x == self.to.x
    }

    /// The cells of the separator.
    pub fn cells(&self) -> impl Iterator<Item = Point> + use<> {
        let Self { from, to } = *self;
        (from.y..=to.y).flat_map(move |y| (from.x..=to.x).map(move |x| Point { x, y }))
    }
}

/// The finished drawing of a state machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Width in columns.
    pub width: i32,
    /// Height in rows.
    pub height: i32,
    /// How states without inner states are drawn.
    pub frames: Boxes,
    /// Every box, an outer one before its inner ones.
    pub boxes: Vec<NodeBox>,
    /// Every edge, also the edges without a route.
    pub edges: Vec<EdgeRoute>,
    /// The lines between the branches of Parallel states.
    pub separators: Vec<Separator>,
    /// Number of edges without a route: with them, the drawing would be too large.
    pub undrawn: usize,
    /// Number of names that are shown shortened.
    pub cuts: usize,
    pub(super) by_node: BTreeMap<Node, usize>,
    /// For each box, the indices of the edges that leave it, and of the edges that enter it.
    pub(super) leaving: BTreeMap<Node, Vec<usize>>,
    pub(super) entering: BTreeMap<Node, Vec<usize>>,
}

impl Layout {
    /// The box of a state; `None` if the state is hidden by folding.
    #[must_use]
    pub fn box_of(&self, state: StateId) -> Option<&NodeBox> {
        self.node_box(Node::State(state))
    }

    /// The box of a state or of a mark.
    #[must_use]
    pub fn node_box(&self, node: Node) -> Option<&NodeBox> {
        self.boxes.get(*self.by_node.get(&node)?)
    }

    /// The edges that leave a state or mark, the most usual edge first.
    pub fn edges_from(&self, from: Node) -> impl Iterator<Item = &EdgeRoute> {
        let edge_indices = self.leaving.get(&from).map_or(&[][..], |list| list);
        edge_indices
            .iter()
            .filter_map(|index| self.edges.get(*index))
    }

    /// The edges that enter a state, or the start or end mark of a graph.
    pub fn edges_to(&self, to: Node) -> impl Iterator<Item = &EdgeRoute> {
        let edge_indices = self.entering.get(&to).map_or(&[][..], |list| list);
        edge_indices
            .iter()
            .filter_map(|index| self.edges.get(*index))
    }

    /// The edges from one state or mark to another.
    pub fn edges_between(&self, from: Node, to: Node) -> impl Iterator<Item = &EdgeRoute> {
        self.edges_from(from).filter(move |edge| edge.to == to)
    }

    /// The innermost state whose box contains the cell in column `x` and row `y`.
    #[must_use]
    pub fn hit(&self, x: i32, y: i32) -> Option<StateId> {
        self.boxes.iter().rev().find_map(|item| match item.node {
            Node::State(state) if item.rect.contains(x, y) => Some(state),
            _ => None,
        })
    }
}

/// Direction in which the user moves in the drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// `k`
    Up,
    /// `j`
    Down,
    /// `h`
    Left,
    /// `l`
    Right,
}

impl Layout {
    /// The state to select when the user moves in a direction: the nearest state inside the same Parallel or Map state,
    /// or, if there is none in that direction, outside of it. A move down from the title of a Parallel or Map state
    /// leads to the first state inside it.
    #[must_use]
    pub fn next_in(&self, direction: Direction, from: StateId) -> Option<StateId> {
        let mut current = self.box_of(from)?;
        if direction == Direction::Down && current.group {
            let inner = self.boxes.iter().filter(|item| item.parent == Some(from));
            let first = inner.min_by_key(|item| (item.rect.y, item.rect.x));
            if let Some(state) = first.and_then(state_of) {
                return Some(state);
            }
        }
        // Each iteration goes out by one nesting level, so the loop needs at most one iteration per level.
        for _ in 0..=self.boxes.len() {
            let near = (self.boxes.iter())
                .filter(|item| item.parent == current.parent && item.node != current.node)
                .filter_map(|item| {
                    Some((self.distance(direction, current, item)?, state_of(item)?))
                })
                .min();
            if let Some((_, state)) = near {
                return Some(state);
            }
            let parent = current.parent?;
            if direction == Direction::Up {
                return Some(parent);
            }
            current = self.box_of(parent)?;
        }
        None
    }

    /// Distance from `from` to `to` for a move in this direction; `None` if `to` is not in that direction.
    fn distance(&self, direction: Direction, from: &NodeBox, to: &NodeBox) -> Option<i64> {
        let (a, b) = (from.rect, to.rect);
        let (ahead, aside) = match direction {
            Direction::Down => (b.y - a.bottom(), columns_apart(a, b)),
            Direction::Up => (a.y - b.bottom(), columns_apart(a, b)),
            Direction::Right => (b.x - a.right(), 6 * rows_apart(a, b)),
            Direction::Left => (a.x - b.right(), 6 * rows_apart(a, b)),
        };
        if ahead <= 0 {
            return None;
        }
        let vertical = matches!(direction, Direction::Up | Direction::Down);
        let far = i64::from(aside) + i64::from(ahead) * if vertical { 4 } else { 1 };
        let joined = self.edges_between(from.node, to.node).next().is_some()
            || self.edges_between(to.node, from.node).next().is_some();
        let middle = i64::from((2 * a.x + a.w - 2 * b.x - b.w).abs() / 8);
        Some((if joined { far / 4 } else { far }) * 64 + if vertical { middle } else { 0 })
    }
}

fn state_of(item: &NodeBox) -> Option<StateId> {
    match item.node {
        Node::State(state) => Some(state),
        Node::Start | Node::End => None,
    }
}

fn columns_apart(a: Rect, b: Rect) -> i32 {
    (b.x - a.right()).max(a.x - b.right()).max(0)
}

fn rows_apart(a: Rect, b: Rect) -> i32 {
    (b.y - a.bottom()).max(a.y - b.bottom()).max(0)
}
