//! The states as boxes with their edges, or as an outline where there is no room for boxes.
//!
//! It must not know keys, borders or the session.

use super::line::{cells, say, style};
use super::outline::{OutlinePane, badge, point_mark, state_title};
use super::{Click, Motion, Paint};
use crate::definition::StateId;
use crate::graph::{
    Arrow, Boxes, Direction, EdgeKind, EdgeRoute, Glyphs as Characters, Kind, Layout,
    Node as Drawn, NodeBox, Options, layout, line_glyph,
};
use crate::interpreter::Edge;
use crate::session::view::{StateStatus, StateView};
use crate::source::Node;
use crate::tui::glyph::BoxSet;
use crate::tui::theme::Role;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

/// Narrower than this the states are listed.
const NARROW: u16 = 34;
/// Larger definitions are laid out once, densely.
const LARGE: usize = 250;

/// A drawing and what it was made for.
#[derive(Clone, Debug)]
struct Cache {
    of: Arc<Node>,
    folded: BTreeSet<StateId>,
    ascii: bool,
    size: (u16, u16),
    layout: Rc<Layout>,
}

/// The graph pane.
#[derive(Clone, Debug, Default)]
pub struct GraphPane {
    cache: Option<Cache>,
    outline: OutlinePane,
    listed: bool,
    stood: Option<StateId>,
    selection: Option<StateId>,
    folded: BTreeSet<StateId>,
    /// The cell of the drawing at the pane's corner.
    corner: (i32, i32),
    /// Whether a person moved the picture.
    panned: bool,
    /// What is kept in view.
    shown: Option<(StateId, u16, u16)>,
    size: (u16, u16),
}

/// The window onto the drawing.
struct Window<'b> {
    buffer: &'b mut Buffer,
    area: Rect,
    corner: (i32, i32),
}

impl Window<'_> {
    fn at(&self, x: i32, y: i32) -> Option<Position> {
        let x = u16::try_from(x.checked_sub(self.corner.0)?).ok()?;
        let y = u16::try_from(y.checked_sub(self.corner.1)?).ok()?;
        (x < self.area.width && y < self.area.height)
            .then(|| Position::new(self.area.x + x, self.area.y + y))
    }

    fn put(&mut self, x: i32, y: i32, symbol: &str, style: Style) {
        if let Some(cell) = self.at(x, y).and_then(|at| self.buffer.cell_mut(at)) {
            cell.set_symbol(symbol)
                .set_style(Style::reset().patch(style));
        }
    }

    fn is_blank(&self, x: i32, y: i32) -> bool {
        self.at(x, y)
            .and_then(|at| self.buffer.cell(at))
            .is_some_and(|cell| cell.symbol() == " ")
    }

    /// Text that begins there; what is left of the window is left out, character by character.
    fn write(&mut self, x: i32, y: i32, text: &str, room: i32, style: Style) {
        let mut at = x;
        let end = x.saturating_add(room);
        for c in text.chars() {
            let mut bytes = [0; 4];
            let symbol: &str = c.encode_utf8(&mut bytes);
            let wide = i32::try_from(super::line::width(symbol)).unwrap_or(0);
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

impl GraphPane {
    fn stand(&mut self, paint: &Paint) {
        if self.stood != paint.view.current {
            self.stood = paint.view.current;
            self.selection = None;
            self.panned = false;
        }
    }

    /// Whether the states are listed, by wish or for want of room.
    #[must_use]
    pub fn is_outline(&self) -> bool {
        self.listed || (self.size.0 > 0 && self.size.0 < NARROW)
    }

    fn layout(&mut self, paint: &Paint) -> Rc<Layout> {
        let node = &paint.definition.node;
        let ascii = paint.glyphs.ascii;
        if let Some(cache) = &self.cache
            && Arc::ptr_eq(&cache.of, node)
            && cache.folded == self.folded
            && cache.ascii == ascii
            && cache.size == self.size
        {
            return cache.layout.clone();
        }
        let made = Rc::new(self.make(paint, ascii));
        self.cache = Some(Cache {
            of: node.clone(),
            folded: self.folded.clone(),
            ascii,
            size: self.size,
            layout: made.clone(),
        });
        made
    }

    /// The roomiest drawing that fits, else one that fits in width, else the densest.
    fn make(&self, paint: &Paint, ascii: bool) -> Layout {
        let options = |max_name, max_label, boxes| Options {
            max_name,
            max_label,
            boxes,
            glyphs: if ascii {
                Characters::Ascii
            } else {
                Characters::Unicode
            },
            folded: self.folded.clone(),
            live: true,
        };
        let (width, height) = (i32::from(self.size.0), i32::from(self.size.1));
        let densest = || layout(paint.definition, &options(13, 6, Boxes::Line));
        if paint.definition.states.len() > LARGE {
            return densest();
        }
        let mut narrow_enough = None;
        for (name, label, boxes) in [
            (28, 20, Boxes::Frame),
            (18, 12, Boxes::Frame),
            (28, 20, Boxes::Line),
            (18, 12, Boxes::Line),
            (13, 6, Boxes::Line),
        ] {
            let made = layout(paint.definition, &options(name, label, boxes));
            if made.width <= width {
                if made.height <= height {
                    return made;
                }
                if boxes == Boxes::Line {
                    return made;
                }
                narrow_enough = Some(made);
            }
        }
        narrow_enough.unwrap_or_else(densest)
    }

    /// Moves the picture so that the state is seen: only when it leaves the middle.
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
        self.stand(paint);
        self.size = (area.width, area.height);
        if self.is_outline() {
            self.outline.draw(paint, area, buffer);
            return;
        }
        if paint.definition.states.is_empty() {
            say(paint, area, buffer, "no states");
            return;
        }
        let layout = self.layout(paint);
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
            Kind::Mark => style(theme, Role::Dim),
            _ => theme.status(view.status),
        };
        let frame_style = if here {
            status.add_modifier(Modifier::BOLD)
        } else {
            status
        };
        if item.group || (item.kind != Kind::Mark && layout.frames == Boxes::Frame) {
            let set = if here {
                paint.glyphs.current
            } else {
                paint.glyphs.state
            };
            draw_frame(item, set, frame_style, window);
        } else if item.kind != Kind::Mark {
            let (open, close) = match item.kind {
                _ if here => (paint.glyphs.current.vertical, paint.glyphs.current.vertical),
                Kind::Choice => ("<", ">"),
                _ => ("[", "]"),
            };
            window.put(rect.x, rect.y, open, frame_style);
            window.put(rect.right(), rect.y, close, frame_style);
        }
        let mut label = if item.kind == Kind::Mark || view.status == StateStatus::NotReached {
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
        let end = item.badge.map_or(rect.right(), |badge| badge.x + badge.w);
        if let Some(at) = item.status_at {
            if item.group {
                window.put(at.x - 1, at.y, " ", label);
                let width = item.label_at.x - at.x;
                window.write(
                    at.x,
                    at.y,
                    &" ".repeat(usize::try_from(width).unwrap_or(0)),
                    width,
                    label,
                );
            }
            let sign = paint.glyphs.status(view.status);
            window.write(at.x, at.y, sign, item.label_at.x - at.x, status);
        }
        let room = end.max(rect.right() + 1) - item.label_at.x;
        window.write(item.label_at.x, item.label_at.y, &item.label, room, label);
        let text = badge(paint, &view);
        if let Some(place) = item.badge.filter(|_| !text.is_empty()) {
            // On a frame the text stands between blanks.
            let text = if item.group {
                format!(" {text} ")
            } else {
                text
            };
            let shift = i32::from(item.group);
            window.write(place.x - shift, place.y, &text, place.w + 2 * shift, status);
        } else if item.group {
            let end = item.label_at.x + i32::try_from(super::line::width(&item.label)).unwrap_or(0);
            window.put(end, item.label_at.y, " ", status);
        }
    }

    /// Whether the run stands in it, or in what is folded into it.
    fn box_is_current(&self, paint: &Paint, layout: &Layout, item: &NodeBox) -> bool {
        let current = paint.view.current;
        let shown = current.and_then(|state| visible_box(paint, layout, state));
        shown.is_some_and(|shown| shown.node == item.node)
    }

    /// Left and right of the border's title.
    #[must_use]
    pub fn title(&self, paint: &Paint) -> (String, String) {
        let name = if self.is_outline() { "States" } else { "Graph" };
        (name.to_owned(), state_title(paint, self.selected(paint)))
    }

    /// Moves the selection along the drawing; pages move the picture.
    pub fn motion(&mut self, paint: &Paint, motion: Motion) {
        self.stand(paint);
        if self.is_outline() {
            self.outline.motion(paint, motion);
            return;
        }
        let layout = self.layout(paint);
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
        self.stand(paint);
        self.size = (area.width, area.height);
        if self.is_outline() {
            return self.outline.click(paint, area, column, row);
        }
        let layout = self.layout(paint);
        let x = i32::from(column - area.x) + self.corner.0;
        let y = i32::from(row - area.y) + self.corner.1;
        match layout.hit(x, y) {
            Some(state) => {
                self.selection = Some(state);
                // What was clicked is seen already.
                self.shown = Some((state, self.size.0, self.size.1));
                self.panned = true;
                Click::State(state)
            }
            None => Click::Nothing,
        }
    }

    /// The selected state; the one the run stands in until another is selected.
    #[must_use]
    pub fn selected(&self, paint: &Paint) -> Option<StateId> {
        if self.is_outline() {
            return self.outline.selected(paint);
        }
        let stands = self.stood == paint.view.current;
        let own = self.selection.filter(|_| stands);
        let there = |state: &StateId| paint.definition.state(*state).is_some();
        own.filter(there).or(paint.view.current)
    }

    /// Selects a state and shows it.
    pub fn select(&mut self, paint: &Paint, state: StateId) {
        self.stand(paint);
        self.selection = Some(state);
        self.panned = false;
        self.outline.select(paint, state);
        let mut scope = paint.definition.state(state).map(|state| state.scope);
        while let Some(owner) = scope.and_then(|scope| paint.definition.scope(scope)?.owner) {
            self.folded.remove(&owner);
            scope = paint.definition.state(owner).map(|state| state.scope);
        }
    }

    /// Goes back to following the run.
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

    /// Moves the picture under the window.
    pub fn pan(&mut self, columns: i32, rows: i32) {
        let size = self
            .cache
            .as_ref()
            .map_or((0, 0), |cache| (cache.layout.width, cache.layout.height));
        let (width, height) = (i32::from(self.size.0), i32::from(self.size.1));
        self.corner.0 = bound(self.corner.0.saturating_add(columns), size.0, width);
        self.corner.1 = bound(self.corner.1.saturating_add(rows), size.1, height);
        self.panned = true;
    }
}

/// The corner so that `at..at+len` is in the middle of `room` cells, moved only if it leaves the middle.
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

fn state_of(item: &NodeBox) -> Option<StateId> {
    match item.node {
        Drawn::State(state) => Some(state),
        Drawn::Start | Drawn::End => None,
    }
}

/// The box of a state, or of what it is folded into.
fn visible_box<'l>(paint: &Paint, layout: &'l Layout, state: StateId) -> Option<&'l NodeBox> {
    let mut state = state;
    loop {
        if let Some(item) = layout.box_of(state) {
            return Some(item);
        }
        let scope = paint.definition.state(state)?.scope;
        state = paint.definition.scope(scope)?.owner?;
    }
}

fn draw_frame(item: &NodeBox, set: BoxSet, style: Style, window: &mut Window) {
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

/// What several edges leave in one cell.
#[derive(Clone, Copy, Default)]
struct Trace {
    dirs: u8,
    plain: bool,
    taken: u8,
    caught: bool,
}

fn is_taken(paint: &Paint, taken: &HashSet<(StateId, Edge)>, edge: &EdgeRoute) -> bool {
    let visited = |state: StateId| {
        paint
            .view
            .states
            .get(state.0 as usize)
            .is_some_and(|view: &StateView| view.visits > 0)
    };
    match (edge.from, edge.to) {
        (Drawn::Start, Drawn::State(to)) => visited(to),
        (Drawn::State(from), _) => {
            let kind = match edge.kind {
                EdgeKind::Start => return false,
                EdgeKind::Next => Edge::Next,
                EdgeKind::Rule(index) => Edge::Rule(index),
                EdgeKind::Default => Edge::Default,
                EdgeKind::End => Edge::End,
                EdgeKind::Catch(index) => Edge::Catch(index),
            };
            taken.contains(&(from, kind))
        }
        _ => false,
    }
}

fn taken_edges(paint: &Paint) -> HashSet<(StateId, Edge)> {
    let edges = paint.view.edges.iter();
    edges
        .filter(|(_, _, times)| *times > 0)
        .map(|(from, edge, _)| (*from, *edge))
        .collect()
}

fn drawn<'l>(layout: &'l Layout) -> impl Iterator<Item = &'l EdgeRoute> {
    layout.edges.iter().filter(|edge| !edge.path.is_empty())
}

fn draw_edges(paint: &Paint, layout: &Layout, window: &mut Window) {
    let taken = taken_edges(paint);
    let mut traces: HashMap<(i32, i32), Trace> = HashMap::new();
    for edge in drawn(layout) {
        let taken = is_taken(paint, &taken, edge);
        for cell in edge.cells() {
            if window.at(cell.x, cell.y).is_none() {
                continue;
            }
            let trace = traces.entry((cell.x, cell.y)).or_default();
            trace.dirs |= cell.dirs;
            trace.plain |= !edge.kind.is_catch();
            if taken {
                trace.taken |= cell.dirs;
                trace.caught |= edge.kind.is_catch();
            }
        }
    }
    let characters = characters(paint);
    for ((x, y), trace) in traces {
        let lit = trace.taken != 0;
        // A cell that a taken edge passes shows that edge whole.
        let glyph = line_glyph(trace.dirs, !trace.plain && !lit, characters);
        let glyph = if lit { heavy(glyph) } else { glyph };
        let style = edge_style(paint, lit, trace.caught && !trace.plain);
        let mut bytes = [0; 4];
        window.put(x, y, glyph.encode_utf8(&mut bytes), style);
    }
    for edge in drawn(layout) {
        let lit = is_taken(paint, &taken, edge);
        let last = edge.cells().last();
        if let Some((cell, arrow)) = last.and_then(|cell| Some((cell, cell.arrow?))) {
            let [down, up, left, right] = paint.glyphs.heads;
            let head = match arrow {
                Arrow::Down => down,
                Arrow::Up => up,
                Arrow::Left => left,
                Arrow::Right => right,
            };
            // An arrow that several edges share stays lit.
            if lit
                || window
                    .at(cell.x, cell.y)
                    .is_some_and(|at| !is_head(window, at, paint))
            {
                window.put(
                    cell.x,
                    cell.y,
                    head,
                    edge_style(paint, lit, lit && edge.kind.is_catch()),
                );
            }
        }
    }
    let dim = style(paint.theme, Role::Dim);
    for line in &layout.separators {
        for y in line.top..=line.bottom {
            window.put(line.x, y, paint.glyphs.dotted, dim);
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
    style(paint.theme, role)
}

fn characters(paint: &Paint) -> Characters {
    if paint.glyphs.ascii {
        Characters::Ascii
    } else {
        Characters::Unicode
    }
}

/// The thick form of a line.
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

/// Labels, and the border cells that edges leave from.
fn draw_ends(paint: &Paint, layout: &Layout, window: &mut Window) {
    let taken = taken_edges(paint);
    for edge in drawn(layout) {
        let lit = is_taken(paint, &taken, edge);
        if let Some(label) = &edge.label {
            let role = match (lit, edge.kind.is_catch()) {
                (true, true) => Role::Caught,
                (true, false) => Role::EdgeTaken,
                (false, _) => Role::Dim,
            };
            window.write(
                label.x,
                label.y,
                &label.text,
                i32::MAX / 2,
                style(paint.theme, role),
            );
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

/// The arrow at the current state and the marks of breakpoints: beside the box where nothing is drawn, else on its brim.
fn draw_marks(paint: &Paint, layout: &Layout, item: &NodeBox, state: StateId, window: &mut Window) {
    let theme = paint.theme;
    let row = item.label_at.y;
    let left = item.rect.x;
    let current = paint
        .view
        .current
        .and_then(|state| visible_box(paint, layout, state));
    let here = current.is_some_and(|current| current.node == item.node);
    let (mark, role) = point_mark(paint, state);
    let mut x = left;
    if !mark.is_empty() {
        let free = window.is_blank(left - 1, row) && (item.group || window.is_blank(left - 2, row));
        x = if free { left - 1 } else { left };
        window.put(x, row, mark, style(theme, role));
    }
    if here {
        let x = x.min(left - 1) - 1;
        let x = if mark.is_empty() { left - 2 } else { x - 1 };
        if window.is_blank(x, row) && window.is_blank(x + 1, row) {
            window.write(x, row, paint.glyphs.here, 2, style(theme, Role::Mark));
        }
    }
}

/// Arrow heads at the rims behind which the drawing goes on.
fn more_marks(paint: &Paint, layout: &Layout, corner: (i32, i32), area: Rect, buffer: &mut Buffer) {
    let dim = style(paint.theme, Role::Mark);
    let [down, up, left, right] = paint.glyphs.heads;
    let (width, height) = (i32::from(area.width), i32::from(area.height));
    let last = (
        area.right().saturating_sub(1),
        area.bottom().saturating_sub(1),
    );
    let middle = (
        area.x + area.width / 2,
        area.y + cells(usize::from(area.height / 2)),
    );
    let ends = [
        (corner.1 > 0, (last.0, area.y), up),
        (layout.height - corner.1 > height, last, down),
        (corner.0 > 0, (area.x, middle.1), left),
        (layout.width - corner.0 > width, (last.0, middle.1), right),
    ];
    for (more, at, symbol) in ends {
        if more && let Some(cell) = buffer.cell_mut(Position::from(at)) {
            cell.set_symbol(symbol).set_style(Style::reset().patch(dim));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{Scene, screen};
    use super::*;

    #[test]
    fn look() {
        let mut scene = Scene::new();
        for (w, h) in [(60, 50), (44, 28), (30, 10)] {
            let mut pane = GraphPane::default();
            println!(
                "{}",
                screen(w, h, |area, buffer| pane.draw(&scene.paint(), area, buffer))
            );
        }
        scene.ascii = false;
        for (w, h) in [(70, 50), (44, 28), (44, 14)] {
            let mut pane = GraphPane::default();
            println!(
                "{}",
                screen(w, h, |area, buffer| pane.draw(&scene.paint(), area, buffer))
            );
        }
    }
}
