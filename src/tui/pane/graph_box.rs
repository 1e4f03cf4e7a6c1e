//! Draws one box of the graph: its frame, status, name, badge and notes. A badge is a count of retries, items or
//! visits.

use super::Paint;
use super::graph_draw::{Picture, Window, draw_frame, state_of};
use super::line::span_of_time;
use super::outline::{badges, short_badge, status_word, times};
use crate::definition::{StateId, Unit};
use crate::graph::{BoxType, Boxes, Layout, Node, NodeBox, brackets};
use crate::interpreter::Edge;
use crate::session::view::{RunStatus, StateStatus, StateView};
use crate::tui::fit::{clip, width};
use crate::tui::reached::{ReachedState, Share};
use crate::tui::theme::Role;
use ratatui::style::{Modifier, Style};

/// Columns to the left of a box, for the symbols that mark the current state and breakpoints.
const MARKS: i32 = 2;
/// Maximum width, in cells, of a badge (a count such as `×4`) that is drawn beside its box.
const ASIDE: usize = 9;

fn cells(text: &str) -> i32 {
    i32::try_from(width(text)).unwrap_or(0)
}

/// A box and how to draw it.
struct Shown<'a> {
    item: &'a NodeBox,
    view: StateView,
    /// True if the run is in this state.
    here: bool,
    status: Style,
    frame: Style,
    label: Style,
    /// Number of columns by which the title is moved to the right to stay visible, if the frame begins left of the
    /// window.
    shift: i32,
}

/// Draws a box.
pub(super) fn draw_box(picture: &Picture, item: &NodeBox, selected: bool, window: &mut Window) {
    let paint = picture.paint;
    let here = picture.is_here(item);
    let view = state_of(item).and_then(|state| paint.view.of_state(state));
    let view = view.cloned().unwrap_or_default();
    let status = match state_of(item) {
        Some(state) => paint.style(paint.mark_of(state).1),
        None => mark_style(picture, item.node),
    };
    let is_unseen = match reached_of(paint, item) {
        Some(reached) => reached.share == Share::Nothing,
        None => view.status == StateStatus::NotReached,
    };
    let mut label = if item.kind == BoxType::Mark || is_unseen {
        status
    } else {
        paint.style(Role::Text)
    };
    if here {
        label = paint.style(Role::Title);
    }
    if (selected && paint.focused) || (here && !paint.focused) {
        label = paint.style(if here { Role::Current } else { Role::Selected });
    }
    let shown = Shown {
        frame: match here {
            true => status.add_modifier(Modifier::BOLD),
            false => status,
        },
        shift: shift(item, window.corner.0),
        item,
        view,
        here,
        status,
        label,
    };
    draw_rim(picture, &shown, window);
    if let Some((at, tag)) = item.tag {
        let dim = paint.style(Role::Dim);
        window.write(at.x - 1, at.y, &format!(" {tag} "), cells(tag) + 2, dim);
    }
    draw_text(paint, &shown, window);
    draw_badge(picture, &shown, window);
    draw_notes(paint, &shown, window);
}

/// Coverage of the box's state; `None` while no coverage is shown.
fn reached_of(paint: &Paint, item: &NodeBox) -> Option<ReachedState> {
    Some(paint.reached?.state(state_of(item)?))
}

/// Style of the graph's start symbol or end symbol. The start symbol is highlighted once the run has begun, and the end
/// symbol once the run has reached the end.
fn mark_style(picture: &Picture, node: Node) -> Style {
    let Picture { paint, taken, .. } = picture;
    let ends = |(state, edge): &(StateId, Edge)| {
        let scope = paint.definition.state(*state).map(|state| state.scope.0);
        *edge == Edge::End && scope == Some(0)
    };
    let succeeded = matches!(paint.view.header.status, RunStatus::Succeeded { .. });
    let is_lit = match node {
        Node::Start if paint.reached.is_some() => !taken.is_empty(),
        Node::Start => paint.view.states.iter().any(|state| state.visits > 0),
        Node::End => taken.iter().any(ends) || paint.reached.is_none() && succeeded,
        Node::State(_) => false,
    };
    paint.style(if is_lit { Role::Ok } else { Role::Dim })
}

fn draw_rim(picture: &Picture, shown: &Shown, window: &mut Window) {
    let Picture { paint, layout, .. } = picture;
    let (item, rect) = (shown.item, shown.item.rect);
    if item.group || (item.kind != BoxType::Mark && layout.frames == Boxes::Frame) {
        let set = match shown.here {
            true => paint.glyphs.current,
            false => paint.glyphs.border,
        };
        draw_frame(item, set, shown.frame, window);
        return;
    }
    if item.kind == BoxType::Mark {
        return;
    }
    for (y, (open, close)) in (rect.y..).zip(brackets(item, paint.glyphs.characters())) {
        let (mut opening, mut closing) = ([0; 4], [0; 4]);
        let (open, close): (&str, &str) = match shown.here && rect.h == 1 {
            true => (paint.glyphs.current.vertical, paint.glyphs.current.vertical),
            false => (
                open.encode_utf8(&mut opening),
                close.encode_utf8(&mut closing),
            ),
        };
        window.put(rect.x, y, open, shown.frame);
        window.put(rect.right(), y, close, shown.frame);
    }
}

fn draw_text(paint: &Paint, shown: &Shown, window: &mut Window) {
    let item = shown.item;
    let mark_width = if item.mark.is_some() { 2 } else { 0 };
    let x = item.label_at.x + shown.shift;
    let row = item.label_at.y;
    if item.group {
        // On the frame of a container, the title has a space on both sides.
        let first = item.lines.first().map_or(0, |line| cells(line));
        let begin = item
            .status_at
            .map_or(x - mark_width, |at| at.x + shown.shift)
            - 1;
        for at in begin..=x + first {
            window.put(at, row, " ", shown.frame);
        }
    }
    if let Some(at) = item.status_at {
        let sign = state_of(item).map_or("", |state| paint.mark_of(state).0);
        let room = x - mark_width - at.x - shown.shift;
        window.write(at.x + shown.shift, at.y, sign, room, shown.status);
    }
    if let Some(mark) = item.mark {
        let mut bytes = [0; 4];
        // The symbol for the type of state is always dim, whatever the status of the state.
        let dim = paint.style(Role::Dim);
        window.put(x - 2, row, mark.encode_utf8(&mut bytes), dim);
    }
    for (y, line) in (row..).zip(&item.lines) {
        window.write(x, y, line, cells(line), shown.label);
    }
}

fn draw_badge(picture: &Picture, shown: &Shown, window: &mut Window) {
    let Picture { paint, layout, .. } = picture;
    let item = shown.item;
    let Some(place) = item.badge else { return };
    // On the frame of a container, the badge may extend to the tag on the same row; a tag is a word such as
    // `DISTRIBUTED`.
    let end = (item.tag).map_or(item.rect.right() - 2, |(at, _)| at.x - 3);
    let is_on_brim = !item.group && layout.frames == Boxes::Frame;
    let room = match (item.group, is_on_brim) {
        (true, _) => place.w.max(end - place.x - shown.shift),
        (_, true) => {
            let begin = item.tag.map_or(item.rect.x, |(at, tag)| at.x + cells(tag));
            place.w.max(place.x + place.w - begin - 2)
        }
        _ => place.w,
    };
    let text = match reached_of(paint, item) {
        Some(_) => String::new(),
        None => short_badge(paint, &shown.view, usize::try_from(room).unwrap_or(0)),
    };
    if text.is_empty() {
        return;
    }
    let x = match is_on_brim {
        true => place.x + place.w - cells(&text),
        false => place.x + shown.shift,
    };
    window.write(x, place.y, &text, cells(&text), shown.status);
    if item.group {
        window.put(x + cells(&text), place.y, " ", shown.frame);
    }
}

/// Draws the badge beside a box that has no room for it inside, if the cells there are free.
pub(super) fn draw_aside(picture: &Picture, item: &NodeBox, window: &mut Window) {
    let Picture { paint, layout, .. } = picture;
    let is_line = !item.group && layout.frames == Boxes::Line && item.kind != BoxType::Mark;
    let view = state_of(item).and_then(|state| paint.view.of_state(state));
    let Some(view) = view.filter(|_| is_line && reached_of(paint, item).is_none()) else {
        return;
    };
    let inside = item.badge.map_or(0, |place| place.w);
    let inside = short_badge(paint, view, usize::try_from(inside).unwrap_or(0));
    // If the box has room for the other badges inside, only the number of visits is drawn beside the box.
    let texts = match inside.is_empty() {
        true => badges(paint, view),
        false if view.visits > 1 && view.progress.is_none() => vec![times(paint, view.visits)],
        false => return,
    };
    let texts = (texts.into_iter())
        .filter(|text| !text.is_empty() && *text != inside && width(text) <= ASIDE);
    for text in texts {
        if let Some(x) = spot_aside(layout, item, cells(&text), window) {
            let style = paint.style(Role::of(view.status));
            window.write(x, item.label_at.y, &text, cells(&text), style);
            return;
        }
    }
}

/// The first column of `wide` free cells beside a box; `None` if too few cells are free.
fn spot_aside(layout: &Layout, item: &NodeBox, wide: i32, window: &Window) -> Option<i32> {
    // A badge has one space on each side. The columns left of a box are for the symbols of the current state and of
    // breakpoints.
    let y = item.label_at.y;
    let (right, left) = (item.rect.right() + 2, item.rect.x - MARKS - 1 - wide);
    [right, left].into_iter().find(|x| {
        let (first, last) = (x - 1, x + wide);
        let is_box = |other: &NodeBox| {
            let rows = other.rect.y..=other.rect.bottom();
            let near = rows.contains(&y) && other.node != item.node && !other.group;
            // A badge with another box on its left would seem to belong to that box.
            let meant = *x == left && other.rect.right() < first;
            near && (meant || other.rect.x - MARKS <= last && other.rect.right() >= first)
        };
        let is_empty = |x: i32| {
            let place = window.at(x, y);
            let cell = place.and_then(|place| window.buffer.cell(place));
            cell.is_some_and(|cell| cell.symbol().chars().eq([' ']))
        };
        !layout.boxes.iter().any(is_box) && (first..=last).all(is_empty)
    })
}

/// Draws the notes in a box: what the state calls, and its outcome.
fn draw_notes(paint: &Paint, shown: &Shown, window: &mut Window) {
    let Some(place) = shown.item.notes else {
        return;
    };
    let dim = paint.style(Role::Dim);
    let room = usize::try_from(place.w).unwrap_or(0);
    let clipped = |text: &str| clip(text, room, paint.glyphs);
    if let Some(detail) = &shown.item.detail {
        window.write(place.x, place.y, &clipped(detail), place.w, dim);
    }
    let mut below = |text: &str| {
        window.write(place.x, place.y + 1, &clipped(text), place.w, shown.status);
    };
    if let Some(reached) = reached_of(paint, shown.item) {
        let words = match reached.times {
            0 | 1 => reached.share.words().to_owned(),
            times => format!("{share}, {times} times", share = reached.share.words()),
        };
        return below(&words);
    }
    let mut parts = Vec::new();
    let view = &shown.view;
    if view.status != StateStatus::NotReached {
        parts.push(status_word(paint, view.status).to_owned());
    }
    parts.extend(view.took.filter(|took| *took > 0).map(span_of_time));
    if let Some((used, max)) = view.retries {
        parts.push(format!("retry {used}/{max}"));
    }
    if let Some((done, all)) = view.progress {
        let unit = state_of(shown.item).map_or(Unit::Item, |id| paint.definition.unit(id));
        let items = unit.counted(all);
        parts.push(match view.runs {
            0 | 1 => format!("{done}/{items}"),
            runs => format!("{done}/{items} in {runs} runs"),
        });
        if view.items_failed > 0 {
            parts.push(format!("{failed} failed", failed = view.items_failed));
        }
    }
    if view.visits > 1 {
        parts.push(format!("{visits} times", visits = view.visits));
    }
    if parts.is_empty()
        && let Some(retries) = shown.item.retries
    {
        parts.push(format!("up to {retries} retries"));
    }
    below(&parts.join(", "));
}

/// Number of columns by which the title of a container is moved to the right to stay visible, if the container's frame
/// begins left of the window; 0 for other boxes.
fn shift(item: &NodeBox, corner: i32) -> i32 {
    if !item.group {
        return 0;
    }
    let room = item.badge.map_or(0, |badge| badge.w + 1);
    let first = item.lines.first().map_or(0, |line| cells(line));
    let end = item.label_at.x + first + room;
    let begin = item.status_at.map_or(item.label_at.x, |at| at.x);
    let out = corner + 2 - begin;
    out.min(item.rect.right() - 1 - end).max(0)
}
