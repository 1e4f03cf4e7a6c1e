//! Draws boxes, edges and symbols of the graph into a window: the part of the drawing that the pane shows.

use super::Paint;
use super::outline::{Token, point_mark, taken_edges};
use crate::coverage::edge_of;
use crate::definition::StateId;
use crate::graph::{Arrow, EdgeRoute, Layout, Node as Drawn, NodeBox, Point, line_glyph};
use crate::interpreter::Edge;
use crate::tui::fit::width;
use crate::tui::glyph::BoxSet;
use crate::tui::theme::Role;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};
use std::collections::{HashMap, HashSet};

/// The part of the drawing that the pane shows.
pub(super) struct Window<'b> {
    pub(super) buffer: &'b mut Buffer,
    pub(super) area: Rect,
    pub(super) corner: (i32, i32),
}

impl Window<'_> {
    pub(super) fn at(&self, x: i32, y: i32) -> Option<Position> {
        let x = u16::try_from(x.checked_sub(self.corner.0)?).ok()?;
        let y = u16::try_from(y.checked_sub(self.corner.1)?).ok()?;
        (x < self.area.width && y < self.area.height)
            .then(|| Position::new(self.area.x + x, self.area.y + y))
    }

    /// The visible cells of the drawing.
    pub(super) fn cells(&self) -> crate::graph::Rect {
        crate::graph::Rect {
            x: self.corner.0,
            y: self.corner.1,
            w: i32::from(self.area.width),
            h: i32::from(self.area.height),
        }
    }

    pub(super) fn put(&mut self, x: i32, y: i32, symbol: &str, style: Style) {
        if let Some(cell) = self.at(x, y).and_then(|at| self.buffer.cell_mut(at)) {
            cell.set_symbol(symbol)
                .set_style(Style::reset().patch(style));
        }
    }

    /// Writes text at a position; characters left of the window are skipped.
    pub(super) fn write(&mut self, x: i32, y: i32, text: &str, room: i32, style: Style) {
        let mut at = x;
        let end = x.saturating_add(room);
        for c in text.chars() {
            let mut bytes = [0; 4];
            let symbol: &str = c.encode_utf8(&mut bytes);
            let wide = i32::try_from(width(symbol)).unwrap_or(0);
            if wide == 0 {
                continue;
            }
            if at + wide > end {
                return;
            }
            if wide == 1 || self.at(at + 1, y).is_some() {
                self.put(at, y, &crate::json::visible(symbol), style);
            } else {
                self.put(at, y, " ", style);
            }
            if wide == 2 && self.at(at, y).is_some() {
                if let Some(cell) = self.at(at + 1, y).and_then(|at| self.buffer.cell_mut(at)) {
                    cell.reset();
                    cell.set_style(style);
                }
            } else if wide == 2 {
                self.put(at + 1, y, " ", style);
            }
            at += wide;
        }
    }
}

pub(super) fn state_of(item: &NodeBox) -> Option<StateId> {
    match item.node {
        Drawn::State(state) => Some(state),
        Drawn::Start | Drawn::End => None,
    }
}

/// A drawing, with the facts about the run that several parts of the drawing show.
pub(super) struct Picture<'p> {
    pub(super) paint: &'p Paint<'p>,
    pub(super) layout: &'p Layout,
    /// The edges that the run took or the current Choice will take; while coverage is shown, the edges that test cases
    /// took.
    pub(super) taken: HashSet<(StateId, Edge)>,
    /// The box of the current state.
    pub(super) here: Option<&'p NodeBox>,
}

impl<'p> Picture<'p> {
    pub(super) fn new(paint: &'p Paint<'p>, layout: &'p Layout) -> Self {
        let here = paint.view.current;
        Self {
            paint,
            layout,
            taken: taken_edges(paint),
            here: here.and_then(|state| visible_box(paint, layout, state)),
        }
    }

    pub(super) fn is_here(&self, item: &NodeBox) -> bool {
        self.here.is_some_and(|here| here.node == item.node)
    }

    pub(super) fn is_taken(&self, edge: &EdgeRoute) -> bool {
        match (edge.from, edge.to) {
            (Drawn::Start, Drawn::State(to)) => self.paint.is_reached(to),
            (Drawn::State(from), _) => {
                edge_of(edge.kind).is_some_and(|kind| self.taken.contains(&(from, kind)))
            }
            _ => false,
        }
    }
}

/// The box of a state, or of the folded container that contains the state.
pub(super) fn visible_box<'l>(
    paint: &Paint,
    layout: &'l Layout,
    state: StateId,
) -> Option<&'l NodeBox> {
    let mut all = std::iter::once(state).chain(paint.definition.around(state));
    all.find_map(|state| layout.box_of(state))
}

pub(super) fn draw_frame(item: &NodeBox, set: BoxSet, style: Style, window: &mut Window) {
    let rect = item.rect;
    let (right, bottom) = (rect.right(), rect.bottom());
    for x in rect.x + 1..right {
        window.put(x, rect.y, set.horizontal, style);
        window.put(x, bottom, set.horizontal, style);
    }
    for y in rect.y + 1..bottom {
        window.put(rect.x, y, set.vertical, style);
        window.put(right, y, set.vertical, style);
    }
    window.put(rect.x, rect.y, set.top_left, style);
    window.put(right, rect.y, set.top_right, style);
    window.put(rect.x, bottom, set.bottom_left, style);
    window.put(right, bottom, set.bottom_right, style);
}

/// Facts about all edges that go through one cell: their directions, and whether an edge was taken or belongs to a
/// catcher.
#[derive(Clone, Copy, Default)]
struct Trace {
    dirs: u8,
    plain: bool,
    taken: u8,
    caught: bool,
}

/// Edges of which a cell may be visible in the window.
fn drawn(layout: &Layout, cells: crate::graph::Rect) -> Vec<&EdgeRoute> {
    let touches = |edge: &&EdgeRoute| {
        let reach = |axis: fn(&Point) -> i32, first: i32, last: i32| {
            let along = || edge.path.iter().map(axis);
            along().min().is_some_and(|least| least <= last)
                && along().max().is_some_and(|most| most >= first)
        };
        let label = edge.label.as_ref();
        let said = label.is_some_and(|label| label.y >= cells.y && label.y <= cells.bottom());
        reach(|point| point.y, cells.y, cells.bottom())
            && (said || reach(|point| point.x, cells.x, cells.right()))
    };
    layout.edges.iter().filter(touches).collect()
}

pub(super) fn draw_edges(picture: &Picture, window: &mut Window) {
    let Picture { paint, layout, .. } = picture;
    let edges = drawn(layout, window.cells());
    let mut traces: HashMap<(i32, i32), Trace> = HashMap::new();
    for edge in &edges {
        let taken = picture.is_taken(edge);
        for (cell, dirs) in edge.cells_within(window.cells()) {
            let trace = traces.entry((cell.x, cell.y)).or_default();
            trace.dirs |= dirs;
            trace.plain |= !edge.kind.is_catch();
            if taken {
                trace.taken |= dirs;
                trace.caught |= edge.kind.is_catch();
            }
        }
    }
    let characters = paint.glyphs.characters();
    for ((x, y), trace) in traces {
        let lit = trace.taken != 0;
        // The line is dashed only if all edges in the cell belong to catchers and no edge was taken.
        let glyph = line_glyph(trace.dirs, !trace.plain && !lit, characters);
        let glyph = if lit { heavy(glyph) } else { glyph };
        let style = edge_style(paint, lit, trace.caught && !trace.plain);
        let mut bytes = [0; 4];
        window.put(x, y, glyph.encode_utf8(&mut bytes), style);
    }
    for edge in edges {
        let lit = picture.is_taken(edge);
        if let Some((cell, arrow)) = edge.head() {
            let [down, up, left, right] = paint.glyphs.heads;
            let head = match arrow {
                Arrow::Down => down,
                Arrow::Up => up,
                Arrow::Left => left,
                Arrow::Right => right,
            };
            // If several edges share an arrow head and one of them was taken, the arrow head stays highlighted.
            let at = window.at(cell.x, cell.y);
            if lit || at.is_some_and(|at| !is_head(window, at, paint)) {
                let style = edge_style(paint, lit, lit && edge.kind.is_catch());
                window.put(cell.x, cell.y, head, style);
            }
        }
    }
    let dim = paint.style(Role::Dim);
    for line in &layout.separators {
        let glyph = match line.is_upright() {
            true => paint.glyphs.dotted,
            false => paint.glyphs.dotted_level,
        };
        for at in line.cells() {
            window.put(at.x, at.y, glyph, dim);
        }
    }
}

fn is_head(window: &Window, at: Position, paint: &Paint) -> bool {
    let symbol = window.buffer.cell(at).map_or("", |cell| cell.symbol());
    paint.glyphs.heads.contains(&symbol)
}

fn edge_style(paint: &Paint, taken: bool, caught: bool) -> Style {
    let role = match (taken, caught) {
        (true, true) => Role::Caught,
        (true, false) => Role::EdgeTaken,
        (false, _) => Role::Edge,
    };
    paint.style(role)
}

/// The thick variant of a character that draws a line.
fn heavy(glyph: char) -> char {
    match glyph {
        '─' => '━',
        '│' => '┃',
        '╭' => '┏',
        '╮' => '┓',
        '╰' => '┗',
        '╯' => '┛',
        '├' => '┣',
        '┤' => '┫',
        '┬' => '┳',
        '┴' => '┻',
        '┼' => '╋',
        other => other,
    }
}

/// Draws the labels of edges, and the cells of box borders at which edges start.
pub(super) fn draw_ends(picture: &Picture, window: &mut Window) {
    let Picture { paint, layout, .. } = picture;
    for edge in drawn(layout, window.cells()) {
        if let Some(label) = &edge.label {
            let is_beside = |other: &&EdgeRoute| other.kind.is_catch() == edge.kind.is_catch();
            let mut sharing = layout.edges_between(edge.from, edge.to).filter(is_beside);
            let lit = sharing.any(|edge| picture.is_taken(edge));
            let role = match (lit, edge.kind.is_catch()) {
                (true, true) => Role::Caught,
                (true, false) => Role::EdgeTaken,
                (false, _) => Role::Dim,
            };
            let style = match lit {
                true => paint.style(role).add_modifier(Modifier::BOLD),
                false => paint.style(role),
            };
            window.write(label.x, label.y, &label.text, i32::MAX / 2, style);
        }
        if paint.glyphs.ascii {
            continue;
        }
        if let (Some(at), Some(next)) = (edge.path.first(), edge.path.get(1)) {
            let Some(place) = window.at(at.x, at.y) else {
                continue;
            };
            let symbol = window.buffer.cell(place).map_or(" ", |cell| cell.symbol());
            let joint = match (symbol, next.x.cmp(&at.x), next.y.cmp(&at.y)) {
                ("│", std::cmp::Ordering::Greater, _) => "├",
                ("│", std::cmp::Ordering::Less, _) => "┤",
                ("─", _, std::cmp::Ordering::Greater) => "┬",
                ("─", _, std::cmp::Ordering::Less) => "┴",
                ("║", std::cmp::Ordering::Greater, _) => "╟",
                ("║", std::cmp::Ordering::Less, _) => "╢",
                ("═", _, std::cmp::Ordering::Greater) => "╤",
                ("═", _, std::cmp::Ordering::Less) => "╧",
                _ => continue,
            };
            if let Some(cell) = window.buffer.cell_mut(place) {
                cell.set_symbol(joint);
            }
        }
    }
}

/// Draws the arrow at the current state and the symbols of breakpoints, in the two columns left of every box.
pub(super) fn draw_marks(picture: &Picture, item: &NodeBox, window: &mut Window) {
    let Some(state) = state_of(item) else {
        return;
    };
    let (paint, here) = (picture.paint, picture.is_here(item));
    let (row, left) = (item.label_at.y, item.rect.x);
    let (mark, role) = point_mark(paint, state);
    if here && mark.is_empty() {
        window.write(left - 2, row, paint.glyphs.here, 2, paint.style(Role::Mark));
    } else if here {
        let arrow = paint.glyphs.here_narrow;
        window.put(left - 2, row, arrow, paint.style(Role::Mark));
    }
    if !mark.is_empty() {
        window.put(left - 1, row, mark, paint.style(role));
    }
}

/// Draws the token, which moves along an edge during playback, at its current cell.
pub(super) fn draw_token(picture: &Picture, token: Token, window: &mut Window) {
    let Picture { paint, layout, .. } = picture;
    let mut edges = layout.edges_from(Drawn::State(token.from));
    let Some(edge) = edges.find(|edge| edge_of(edge.kind) == Some(token.edge)) else {
        return;
    };
    let cells: Vec<_> = edge.cells().collect();
    // `token.way` is between 0 and 1, so the product is at most the number of cells, which a float can hold.
    let place = (token.way * cells.len() as f64) as usize;
    let place = place.min(cells.len().saturating_sub(1));
    if let Some(cell) = cells.get(place) {
        let mark = paint.style(Role::Mark).add_modifier(Modifier::BOLD);
        window.put(cell.x, cell.y, paint.glyphs.token, mark);
    }
}

/// For each side of the window (above, below, left, right): true if the drawing continues outside the window there.
pub(super) fn beyond(layout: &Layout, corner: (i32, i32), size: (u16, u16)) -> [bool; 4] {
    let (width, height) = (i32::from(size.0), i32::from(size.1));
    [
        corner.1 > 0,
        layout.height - corner.1 > height,
        corner.0 > 0,
        layout.width - corner.0 > width,
    ]
}

/// For each side of an area beyond which the drawing continues, draws a symbol: at the right end of the first or the
/// last row, or in the middle of the left or the right side. Symbols are in the area's border if it has one.
pub fn more_marks(paint: &Paint, more: [bool; 4], area: Rect, border: bool, buffer: &mut Buffer) {
    let mark = paint.style(Role::Mark);
    let out = u16::from(border);
    let (left, right) = (
        area.x.saturating_sub(out),
        area.right().saturating_sub(1).saturating_add(out),
    );
    let (top, bottom) = (area.y, area.bottom().saturating_sub(1));
    let middle = area.y + area.height / 2;
    let places = [
        (right, top),
        (right, bottom),
        (left, middle),
        (right, middle),
    ];
    for ((more, at), symbol) in more.into_iter().zip(places).zip(paint.glyphs.more) {
        if more && let Some(cell) = buffer.cell_mut(Position::from(at)) {
            cell.set_symbol(symbol)
                .set_style(Style::reset().patch(mark));
        }
    }
}
