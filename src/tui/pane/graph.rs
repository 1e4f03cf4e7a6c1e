//! The graph pane: states as boxes with edges between them, or as an indented list if the pane is too small for boxes.

use super::drawing::{Detail, Drawing, DrawingRequest, Drawings};
use super::graph_box::{draw_aside, draw_box};
use super::graph_draw::{
    Picture, Window, beyond, draw_edges, draw_ends, draw_marks, draw_token, state_of, visible_box,
};
use super::list::say;
use super::outline::{OutlinePane, Token, is_group, state_title};
use super::{Click, Motion, Paint, Surface, overview};
use crate::definition::StateId;
use crate::graph::{Direction, EdgeRoute, Layout, Node, NodeBox};
use crate::tui::fit::width;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use std::collections::{BTreeMap, BTreeSet};

/// Columns of the border that are not available for titles.
const BESIDE_TITLES: usize = 10;

/// Below this width, in columns, states are listed instead of drawn.
const NARROW: u16 = 20;

/// The graph pane.
#[derive(Clone, Debug, Default)]
pub struct GraphPane {
    drawings: Drawings,
    outline: OutlinePane,
    listed: bool,
    drawn_at: Option<StateId>,
    /// The states that the user folded (true) or unfolded (false).
    folds: BTreeMap<StateId, bool>,
    detail: Detail,
    /// Column and row of the drawing that are shown at the upper left corner of the pane.
    corner: (i32, i32),
    /// True if the user has scrolled the drawing.
    panned: bool,
    /// The state to which the drawing was last scrolled, and the columns and rows that the pane had then. After
    /// the user has scrolled, the drawing scrolls by itself again only if one of these changes.
    shown: Option<(StateId, u16, u16)>,
    size: (u16, u16),
    /// For each side of the pane (above, below, left, right): true if the drawing continues outside the pane there.
    beyond: [bool; 4],
    token: Option<Token>,
}

impl GraphPane {
    /// The containers, such as a Map, that are drawn folded. A container is folded if the user folded it. If the
    /// drawing is too large, a container is also folded if it contains neither the current state nor the selected
    /// state, unless the user unfolded it.
    fn folded(&mut self, paint: &Paint, size: (u16, u16)) -> BTreeSet<StateId> {
        let mut out: BTreeSet<StateId> = BTreeSet::new();
        if self.drawings.is_crowded(paint, size, self.detail) {
            let states = &paint.definition.states;
            let states = (0u32..).map(StateId).take(states.len());
            out.extend(states.filter(|state| is_group(paint, *state)));
            let around = |state: StateId| paint.definition.around(state);
            // The containers around the selected state are unfolded. The selected state itself may stay folded.
            let selected = self.selected(paint).into_iter().flat_map(around);
            let current = paint.view.current.into_iter();
            let current = current.flat_map(|state| std::iter::once(state).chain(around(state)));
            for state in current.chain(selected) {
                out.remove(&state);
            }
        }
        for (state, folded) in &self.folds {
            if *folded {
                out.insert(*state);
            } else {
                out.remove(state);
            }
        }
        out
    }

    fn layout(&mut self, paint: &Paint) -> Option<std::sync::Arc<Layout>> {
        let folded = self.folded(paint, self.size);
        self.drawings.layout(paint, &folded, self.size, self.detail)
    }

    /// Shows the states at the next finer or coarser level of detail; returns the name of the level.
    pub fn turn_detail(&mut self, finer: bool) -> &'static str {
        let fitting = match self.drawings.is_framed() {
            true => Detail::Normal,
            false => Detail::Names,
        };
        self.detail = self.detail.turned(finer, fitting);
        self.shown = None;
        self.detail.name()
    }

    /// Lets the drawing have as much detail as fits into the pane.
    pub fn fit_detail(&mut self) {
        self.detail = Detail::Fitting;
        self.shown = None;
    }

    /// Shows the token that moves along an edge during playback; `None` hides the token.
    pub fn put_token(&mut self, token: Option<Token>) {
        self.token = token;
    }

    /// For each side of the pane (above, below, left, right): true if the drawing continues outside the pane there.
    #[must_use]
    pub fn beyond(&self) -> [bool; 4] {
        match self.is_outline() {
            true => [false; 4],
            false => self.beyond,
        }
    }

    /// True if a state is drawn folded.
    pub fn is_folded(&mut self, paint: &Paint, state: StateId) -> bool {
        !self.is_outline() && self.folded(paint, self.size).contains(&state)
    }

    fn note_position(&mut self, paint: &Paint) {
        if self.drawn_at != paint.view.current {
            self.drawn_at = paint.view.current;
            self.panned = false;
            self.outline.follow();
        }
    }

    /// True if the states are shown as a list: by the user's choice, for lack of room, or until a large drawing is
    /// ready.
    #[must_use]
    pub fn is_outline(&self) -> bool {
        self.listed || (self.size.0 > 0 && self.size.0 < NARROW) || self.drawings.is_awaited()
    }

    /// Returns the new request for a drawing and removes it from here; `None` if there is no new request. The caller
    /// makes the drawing in the background.
    pub fn take_request(&mut self) -> Option<DrawingRequest> {
        self.drawings.take_request()
    }

    /// Stores a drawing that was made in the background.
    pub fn put_drawing(&mut self, drawing: &Drawing) {
        self.drawings.put(drawing);
        self.shown = None;
    }

    /// Scrolls as little as possible to show the selected state and, if there is room, the next state.
    fn show(&mut self, picture: &Picture) {
        let Picture { paint, layout, .. } = picture;
        let (width, height) = (i32::from(self.size.0), i32::from(self.size.1));
        let selected = self.selected(paint);
        let wanted = selected.map(|state| (state, self.size.0, self.size.1));
        if !self.panned || self.shown != wanted {
            self.panned = false;
            self.shown = wanted;
            let item = selected.and_then(|state| visible_box(paint, layout, state));
            if let Some(item) = item {
                let next = next_edge(picture, item.node);
                let next = next.and_then(|edge| layout.node_box(edge.to));
                // First scrolls to the next state, then to the selected state. If there is no room for both, the
                // selected state is visible.
                for item in next.into_iter().chain([item]) {
                    let rect = item.rect;
                    let high = if item.group { 3 } else { rect.h };
                    self.corner.0 = keep(self.corner.0, rect.x - 2, rect.w + 2, width);
                    self.corner.1 = keep(self.corner.1, rect.y, high, height);
                }
            }
            self.corner.0 = bound(self.corner.0, layout.width, width);
            self.corner.1 = bound(self.corner.1, layout.height, height);
        }
        if layout.width <= width {
            self.corner.0 = -((width - layout.width) / 2);
        }
        if layout.height <= height {
            self.corner.1 = 0;
        }
    }

    /// The state that the user selected, otherwise the current state of the run.
    #[must_use]
    pub fn selected(&self, paint: &Paint) -> Option<StateId> {
        self.outline.selected(paint)
    }

    /// Selects a state and shows it.
    pub fn select(&mut self, paint: &Paint, state: StateId) {
        self.note_position(paint);
        self.panned = false;
        self.outline.select(paint, state);
        for owner in paint.definition.around(state) {
            if self.folds.get(&owner) == Some(&true) {
                self.folds.insert(owner, false);
            }
        }
    }

    /// Switches between boxes and the list.
    pub fn toggle_view(&mut self, paint: &Paint) {
        let selected = self.selected(paint);
        self.listed = !self.listed;
        if let Some(state) = selected.filter(|state| paint.view.current != Some(*state)) {
            self.select(paint, state);
        }
    }

    /// Scrolls the drawing.
    pub fn pan(&mut self, columns: i32, rows: i32) {
        let size = self.drawings.size();
        let (width, height) = (i32::from(self.size.0), i32::from(self.size.1));
        self.corner.0 = bound(self.corner.0.saturating_add(columns), size.0, width);
        self.corner.1 = bound(self.corner.1.saturating_add(rows), size.1, height);
        self.panned = true;
    }
}

impl Surface for GraphPane {
    fn show(&mut self, paint: &Paint, area: Rect, buffer: &mut Buffer) {
        self.note_position(paint);
        self.size = (area.width, area.height);
        if self.is_outline() && !self.drawings.is_awaited() {
            self.outline.draw(paint, area, buffer);
            return;
        }
        if paint.definition.states.is_empty() {
            say(paint, area, buffer, "no states");
            return;
        }
        let Some(layout) = self.layout(paint) else {
            self.outline.draw(paint, area, buffer);
            return;
        };
        let picture = Picture::new(paint, &layout);
        let selected = self.selected(paint);
        if self.detail == Detail::Overview {
            self.beyond = [false; 4];
            let shown = selected.and_then(|state| visible_box(paint, &layout, state));
            return overview::draw(&picture, shown, area, buffer);
        }
        self.show(&picture);
        self.beyond = beyond(&layout, self.corner, self.size);
        let mut window = Window {
            buffer,
            area,
            corner: self.corner,
        };
        draw_edges(&picture, &mut window);
        let cells = window.cells();
        let seen: Vec<&NodeBox> = (layout.boxes.iter())
            .filter(|item| {
                let rect = item.rect;
                rect.x - 2 <= cells.right()
                    && rect.right() >= cells.x
                    && rect.y <= cells.bottom()
                    && rect.bottom() >= cells.y
            })
            .collect();
        for item in &seen {
            let is_selected = state_of(item).is_some() && state_of(item) == selected;
            draw_box(&picture, item, is_selected, &mut window);
        }
        draw_ends(&picture, &mut window);
        for item in &seen {
            draw_marks(&picture, item, &mut window);
        }
        for item in &seen {
            draw_aside(&picture, item, &mut window);
        }
        if let Some(token) = self.token {
            draw_token(&picture, token, &mut window);
        }
    }

    fn title(&self, paint: &Paint) -> (String, String) {
        let is_awaited = self.drawings.is_awaited() && !self.listed;
        let name = match self.is_outline() {
            true if is_awaited => "States (the graph is being laid out)",
            true => "States",
            false => "Graph",
        };
        let undrawn = self.drawings.undrawn();
        if !self.is_outline() && undrawn > 0 {
            let name = format!("{name} (too many lines: {undrawn} are not drawn)");
            return (name, String::new());
        }
        if let Some(reached) = paint.reached {
            let name = format!("{name} reached by {cases}", cases = reached.cases);
            return (name, format!("{:.1} %", reached.percent));
        }
        let name = match self.detail {
            Detail::Fitting => name.to_owned(),
            _ if self.is_outline() => name.to_owned(),
            detail => format!("{name} {}", detail.name()),
        };
        let state = state_title(paint, self.selected(paint));
        // Inside an item or branch, the title shows the outcome of this item or branch.
        let frames = &paint.view.frames;
        let inner = frames.last().filter(|_| frames.len() > 1);
        let long = inner.map(|frame| format!("{name} of {frame}", frame = frame.name));
        let room = usize::from(self.size.0).saturating_sub(width(&state) + BESIDE_TITLES);
        match long.filter(|long| width(long) <= room) {
            Some(long) => (long, state),
            None => (name, state),
        }
    }

    fn motion(&mut self, paint: &Paint, motion: Motion) {
        self.note_position(paint);
        if self.is_outline() {
            self.outline.motion(paint, motion);
            return;
        }
        let Some(layout) = self.layout(paint) else {
            return;
        };
        let selected = self
            .selected(paint)
            .and_then(|state| visible_box(paint, &layout, state));
        let first = || layout.boxes.iter().find_map(state_of);
        let page = i32::from(self.size.1).max(2);
        let to = match motion {
            Motion::Home => first(),
            Motion::End => layout.boxes.iter().rev().find_map(state_of),
            Motion::PageUp => return self.pan(0, 1 - page),
            Motion::PageDown => return self.pan(0, page - 1),
            Motion::HalfUp => return self.pan(0, -page / 2),
            Motion::HalfDown => return self.pan(0, page / 2),
            Motion::Up | Motion::Down | Motion::Left | Motion::Right => {
                let direction = match motion {
                    Motion::Up => Direction::Up,
                    Motion::Down => Direction::Down,
                    Motion::Left => Direction::Left,
                    _ => Direction::Right,
                };
                match selected.and_then(state_of) {
                    Some(state) => along(&Picture::new(paint, &layout), direction, state)
                        .or_else(|| layout.next_in(direction, state)),
                    None => first(),
                }
            }
        };
        if let Some(state) = to {
            self.outline.select(paint, state);
        }
    }

    fn hit(&mut self, paint: &Paint, area: Rect, at: Position) -> Click {
        self.note_position(paint);
        self.size = (area.width, area.height);
        if self.is_outline() {
            return self.outline.click(paint, area, at);
        }
        let Some(layout) = self.layout(paint) else {
            return Click::Nothing;
        };
        if self.detail == Detail::Overview {
            return Click::Nothing;
        }
        let x = i32::from(at.x - area.x) + self.corner.0;
        let y = i32::from(at.y - area.y) + self.corner.1;
        match layout.hit(x, y) {
            Some(state) => {
                self.outline.select(paint, state);
                // The pane does not scroll to the clicked state, because this state is already visible.
                self.shown = Some((state, self.size.0, self.size.1));
                self.panned = true;
                Click::State(state)
            }
            None => Click::Nothing,
        }
    }

    fn toggle_fold(&mut self, paint: &Paint) {
        if self.is_outline() {
            self.outline.toggle_fold(paint);
            return;
        }
        let Some(state) = self.selected(paint) else {
            return;
        };
        if is_group(paint, state) {
            let is_folded = self.folded(paint, self.size).contains(&state);
            self.folds.insert(state, !is_folded);
        }
    }

    fn follow(&mut self) {
        self.panned = false;
        self.outline.follow();
    }
}

/// The neighbour of `from` in this direction: a state that an edge connects with `from`. An edge that was taken is
/// preferred.
fn along(picture: &Picture, direction: Direction, from: StateId) -> Option<StateId> {
    let node = Node::State(from);
    let shown = picture.layout.node_box(node)?;
    let target = match direction {
        Direction::Down if !shown.group => next_edge(picture, node)?.to,
        Direction::Up => {
            let edges = || picture.layout.edges_to(node).filter(|edge| !edge.back);
            let taken = edges().find(|edge| picture.is_taken(edge));
            taken.or_else(|| edges().next())?.from
        }
        _ => return None,
    };
    match target {
        Node::State(state) => Some(state),
        Node::Start | Node::End => None,
    }
}

/// The edge that leads on from `from`: preferably an edge that was taken or that the current Choice will take,
/// otherwise preferably an edge that does not belong to a catcher.
fn next_edge<'p>(picture: &Picture<'p>, from: Node) -> Option<&'p EdgeRoute> {
    let layout = picture.layout;
    let forward = || layout.edges_from(from).filter(|edge| !edge.back);
    let taken = forward().find(|edge| picture.is_taken(edge));
    taken
        .or_else(|| forward().find(|edge| !edge.kind.is_catch()))
        .or_else(|| forward().next())
}

/// Scrolls along one axis as little as possible to make the cells `at..at+len` visible. `corner` is the first visible
/// cell and `room` the number of visible cells. Returns the new first visible cell.
fn keep(corner: i32, at: i32, len: i32, room: i32) -> i32 {
    let margin = ((room - len) / 2).clamp(0, 2);
    if len >= room || at - margin < corner {
        at - margin
    } else {
        corner.max(at + len + margin - room)
    }
}

fn bound(corner: i32, len: i32, room: i32) -> i32 {
    corner.min(len - room).max(0)
}
