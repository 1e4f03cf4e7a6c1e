//! The states as boxes with their edges, or as an outline where there is no room for boxes.
//!
//! It must not know keys, borders or the session.

use super::drawing::{Drawing, DrawingRequest, Drawings};
use super::graph_draw::{
    Window, characters, draw_edges, draw_ends, draw_frame, draw_marks, more_marks, state_of,
    visible_box,
};
use super::line::{say, style};
use super::outline::{OutlinePane, short_badge, state_title};
use super::{Click, Motion, Paint};
use crate::definition::StateId;
use crate::graph::{BoxType, Boxes, Direction, Layout, NodeBox, brackets};
use crate::session::view::StateStatus;
use crate::tui::theme::Role;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use std::collections::BTreeSet;

/// Below this width, in columns, the states are listed.
const NARROW: u16 = 34;
/// The graph pane.
#[derive(Clone, Debug, Default)]
pub struct GraphPane {
    drawings: Drawings,
    outline: OutlinePane,
    listed: bool,
    drawn_at: Option<StateId>,
    selection: Option<StateId>,
    folded: BTreeSet<StateId>,
    /// Cell of the drawing at the pane's upper left corner.
    corner: (i32, i32),
    /// Whether a person moved the drawing.
    panned: bool,
    /// The state kept in view, and the size of the pane in columns and rows when it was shown.
    shown: Option<(StateId, u16, u16)>,
    size: (u16, u16),
}

impl GraphPane {
    fn note_position(&mut self, paint: &Paint) {
        if self.drawn_at != paint.view.current {
            self.drawn_at = paint.view.current;
            self.selection = None;
            self.panned = false;
        }
    }

    /// Whether the states are listed: by choice, for lack of space, or until a large drawing is there.
    #[must_use]
    pub fn is_outline(&self) -> bool {
        self.listed || (self.size.0 > 0 && self.size.0 < NARROW) || self.drawings.is_awaited()
    }

    /// The drawing that is to be made elsewhere, once.
    pub fn take_request(&mut self) -> Option<DrawingRequest> {
        self.drawings.take_request()
    }

    /// Takes a drawing that was requested.
    pub fn put_drawing(&mut self, drawing: &Drawing) {
        self.drawings.put(drawing);
        self.shown = None;
    }

    /// The cells that a drawing in lines takes, of the roomiest drawing that leaves the other panes room; `None` where the states are listed.
    pub fn need(&mut self, paint: &Paint, room: (u16, u16)) -> Option<(u16, u16)> {
        let listed = self.listed;
        (!listed).then(|| self.drawings.need(paint, &self.folded, room))?
    }

    /// Scrolls so that the state is visible, only if it leaves the middle.
    fn show(&mut self, paint: &Paint, layout: &Layout) {
        let (width, height) = (i32::from(self.size.0), i32::from(self.size.1));
        let selected = self.selected(paint);
        let wanted = selected.map(|state| (state, self.size.0, self.size.1));
        if !self.panned || self.shown != wanted {
            self.panned = false;
            self.shown = wanted;
            let item = selected.and_then(|state| visible_box(paint, layout, state));
            if let Some(item) = item {
                let rect = item.rect;
                let height_shown = if item.group { 3 } else { rect.h };
                self.corner.0 = keep(self.corner.0, rect.x, rect.w, width);
                self.corner.1 = keep(self.corner.1, rect.y, height_shown, height);
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

    /// Draws it inside `area`.
    pub fn draw(&mut self, paint: &Paint, area: Rect, buffer: &mut Buffer) {
        if area.is_empty() {
            return;
        }
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
        let drawing = self.drawings.layout(paint, &self.folded, self.size);
        let Some(layout) = drawing else {
            self.outline.draw(paint, area, buffer);
            return;
        };
        self.show(paint, &layout);
        let mut window = Window {
            buffer,
            area,
            corner: self.corner,
        };
        draw_edges(paint, &layout, &mut window);
        for item in &layout.boxes {
            self.draw_box(paint, &layout, item, &mut window);
        }
        draw_ends(paint, &layout, &mut window);
        let marks: Vec<(&NodeBox, StateId)> = layout
            .boxes
            .iter()
            .filter_map(|item| Some((item, state_of(item)?)))
            .collect();
        for (item, state) in marks {
            draw_marks(paint, &layout, item, state, &mut window);
        }
        more_marks(paint, &layout, self.corner, area, window.buffer);
    }

    fn draw_box(&self, paint: &Paint, layout: &Layout, item: &NodeBox, window: &mut Window) {
        let theme = paint.theme;
        let rect = item.rect;
        let state = state_of(item);
        let view = state
            .and_then(|state| paint.view.states.get(state.0 as usize))
            .cloned()
            .unwrap_or_default();
        let here = state.is_some() && self.box_is_current(paint, layout, item);
        let selected = state.is_some() && self.selected(paint) == state;
        let status = match item.kind {
            BoxType::Mark => style(theme, Role::Dim),
            _ => theme.status(view.status),
        };
        let frame_style = if here {
            status.add_modifier(Modifier::BOLD)
        } else {
            status
        };
        if item.group || (item.kind != BoxType::Mark && layout.frames == Boxes::Frame) {
            let set = if here {
                paint.glyphs.current
            } else {
                paint.glyphs.state
            };
            draw_frame(item, set, frame_style, window);
        } else if item.kind != BoxType::Mark {
            let characters = characters(paint);
            for (y, (open, close)) in (rect.y..).zip(brackets(item, characters)) {
                let mut bytes = [0; 4];
                let open = open.encode_utf8(&mut bytes);
                let mut bytes = [0; 4];
                let close = close.encode_utf8(&mut bytes);
                let (open, close): (&str, &str) = match (here, rect.h) {
                    (true, 1) => (paint.glyphs.current.vertical, paint.glyphs.current.vertical),
                    _ => (open, close),
                };
                window.put(rect.x, y, open, frame_style);
                window.put(rect.right(), y, close, frame_style);
            }
        }
        let mut label = if item.kind == BoxType::Mark || view.status == StateStatus::NotReached {
            status
        } else {
            style(theme, Role::Text)
        };
        if here {
            label = style(theme, Role::Title);
        }
        if (selected && paint.focused) || (here && !paint.focused) {
            label = style(theme, if here { Role::Current } else { Role::Selected });
        }
        let text = item.badge.map_or_else(String::new, |badge| {
            short_badge(paint, &view, usize::try_from(badge.w).unwrap_or(0))
        });
        let shift = self.shift(item);
        let mark_width = if item.mark.is_some() { 2 } else { 0 };
        let label_x = item.label_at.x + shift;
        let row = item.label_at.y;
        let cells = |text: &str| i32::try_from(super::line::width(text)).unwrap_or(0);
        let first = item.lines.first().map_or(0, |line| cells(line));
        if item.group {
            // On a frame the title stands between blanks.
            let begin = item
                .status_at
                .map_or(label_x - mark_width, |at| at.x + shift)
                - 1;
            for x in begin..=label_x + first {
                window.put(x, row, " ", frame_style);
            }
        }
        if let Some(at) = item.status_at {
            let sign = paint.glyphs.status(view.status);
            let room = label_x - mark_width - at.x - shift;
            window.write(at.x + shift, at.y, sign, room, status);
        }
        if let Some(mark) = item.mark {
            let mut bytes = [0; 4];
            window.put(label_x - 2, row, mark.encode_utf8(&mut bytes), status);
        }
        for (y, line) in (row..).zip(&item.lines) {
            window.write(label_x, y, line, cells(line), label);
        }
        if let Some(place) = item.badge.filter(|_| !text.is_empty()) {
            let brim =
                place.y == rect.y && rect.h > 1 && !item.group && layout.frames == Boxes::Frame;
            let x = match brim {
                true => place.x + place.w - cells(&text),
                false => place.x + shift,
            };
            window.write(x, place.y, &text, place.w, status);
            if item.group {
                window.put(x + cells(&text), place.y, " ", status);
            }
        }
    }

    /// Offset in cells of the title of a frame that begins left of the window, so that it stays visible.
    fn shift(&self, item: &NodeBox) -> i32 {
        if !item.group {
            return 0;
        }
        let cells = |text: &str| i32::try_from(super::line::width(text)).unwrap_or(0);
        let room = item.badge.map_or(0, |badge| badge.w + 1);
        let first = item.lines.first().map_or(0, |line| cells(line));
        let end = item.label_at.x + first + room;
        let begin = item.status_at.map_or(item.label_at.x, |at| at.x);
        let out = self.corner.0 + 2 - begin;
        out.min(item.rect.right() - 1 - end).max(0)
    }

    /// Whether the current state is in the box or folded into it.
    fn box_is_current(&self, paint: &Paint, layout: &Layout, item: &NodeBox) -> bool {
        let current = paint.view.current;
        let shown = current.and_then(|state| visible_box(paint, layout, state));
        shown.is_some_and(|shown| shown.node == item.node)
    }

    /// Left and right of the border's title.
    #[must_use]
    pub fn title(&self, paint: &Paint) -> (String, String) {
        let name = match self.is_outline() {
            true if self.drawings.is_awaited() && !self.listed => {
                "States, until the graph is laid out"
            }
            true => "States",
            false => "Graph",
        };
        let undrawn = self.drawings.undrawn();
        if !self.is_outline() && undrawn > 0 {
            let name = format!("{name} ({undrawn} lines too many to draw)");
            return (name, String::new());
        }
        (name.to_owned(), state_title(paint, self.selected(paint)))
    }

    /// Moves the selection along the drawing; pages move the picture.
    pub fn motion(&mut self, paint: &Paint, motion: Motion) {
        self.note_position(paint);
        if self.is_outline() {
            self.outline.motion(paint, motion);
            return;
        }
        let drawing = self.drawings.layout(paint, &self.folded, self.size);
        let Some(layout) = drawing else {
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
                    Some(state) => layout.next_in(direction, state),
                    None => first(),
                }
            }
        };
        if to.is_some() {
            self.selection = to;
        }
    }

    /// Selects the state there.
    pub fn click(&mut self, paint: &Paint, area: Rect, column: u16, row: u16) -> Click {
        if !area.contains((column, row).into()) {
            return Click::Nothing;
        }
        self.note_position(paint);
        self.size = (area.width, area.height);
        if self.is_outline() {
            return self.outline.click(paint, area, column, row);
        }
        let drawing = self.drawings.layout(paint, &self.folded, self.size);
        let Some(layout) = drawing else {
            return Click::Nothing;
        };
        let x = i32::from(column - area.x) + self.corner.0;
        let y = i32::from(row - area.y) + self.corner.1;
        match layout.hit(x, y) {
            Some(state) => {
                self.selection = Some(state);
                // The clicked state is visible already.
                self.shown = Some((state, self.size.0, self.size.1));
                self.panned = true;
                Click::State(state)
            }
            None => Click::Nothing,
        }
    }

    /// The selected state; the current state of the run until another is selected.
    #[must_use]
    pub fn selected(&self, paint: &Paint) -> Option<StateId> {
        if self.is_outline() {
            return self.outline.selected(paint);
        }
        let unmoved = self.drawn_at == paint.view.current;
        let own = self.selection.filter(|_| unmoved);
        let there = |state: &StateId| paint.definition.state(*state).is_some();
        own.filter(there).or(paint.view.current)
    }

    /// Selects a state and shows it.
    pub fn select(&mut self, paint: &Paint, state: StateId) {
        self.note_position(paint);
        self.selection = Some(state);
        self.panned = false;
        self.outline.select(paint, state);
        let mut scope = paint.definition.state(state).map(|state| state.scope);
        while let Some(owner) = scope.and_then(|scope| paint.definition.scope(scope)?.owner) {
            self.folded.remove(&owner);
            scope = paint.definition.state(owner).map(|state| state.scope);
        }
    }

    /// Follows the run again.
    pub fn follow(&mut self) {
        self.selection = None;
        self.panned = false;
        self.outline.follow();
    }

    /// Folds or unfolds the children of the selected state.
    pub fn toggle_fold(&mut self, paint: &Paint) {
        if self.is_outline() {
            self.outline.toggle_fold(paint);
            return;
        }
        let Some(state) = self.selected(paint) else {
            return;
        };
        let group = paint
            .definition
            .state(state)
            .is_some_and(|state| !state.inner().is_empty());
        if !self.folded.remove(&state) && group {
            self.folded.insert(state);
        }
    }

    /// Boxes or outline.
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

/// Scrolls so that `at..at+len` is in the middle of `room` cells, only if it leaves the middle; the new corner.
fn keep(corner: i32, at: i32, len: i32, room: i32) -> i32 {
    let margin = ((room - len) / 4).max(0);
    let inside = at - corner >= margin && at + len - corner <= room - margin;
    if inside {
        corner
    } else if len >= room {
        at
    } else {
        at - (room - len) / 2
    }
}

fn bound(corner: i32, len: i32, room: i32) -> i32 {
    corner.min(len - room).max(0)
}
