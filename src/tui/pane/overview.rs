//! The overview: the whole drawing with one or two cells per state, the path taken, and a frame around the part that
//! would be visible in more detail.

use super::Paint;
use super::graph_draw::{Window, draw_frame, state_of, visible_box};
use super::outline::{is_taken, taken_edges};
use crate::graph::{BoxType, Layout, NodeBox, Rect as Cells};
use crate::session::view::StateStatus;
use crate::tui::theme::Role;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Number of cells of the drawing per cell of the pane.
#[derive(Clone, Copy)]
struct Scale {
    x: i32,
    y: i32,
}

impl Scale {
    fn of(layout: &Layout, area: Rect) -> Self {
        let per = |whole: i32, room: u16| (whole + i32::from(room) - 1) / i32::from(room).max(1);
        Self {
            x: per(layout.width, area.width).max(1),
            y: per(layout.height, area.height).max(1),
        }
    }

    fn rect(self, rect: Cells) -> Cells {
        let (x, y) = (rect.x / self.x, rect.y / self.y);
        Cells {
            x,
            y,
            w: rect.right() / self.x - x + 1,
            h: rect.bottom() / self.y - y + 1,
        }
    }
}

/// Draws the overview; the frame surrounds the part of the drawing around `shown` that fits into the pane unscaled.
pub(super) fn draw(
    paint: &Paint,
    layout: &Layout,
    shown: Option<&NodeBox>,
    area: Rect,
    buffer: &mut Buffer,
) {
    let scale = Scale::of(layout, area);
    let spare = |room: u16, whole: i32, scale: i32| (i32::from(room) - whole / scale).max(0) / 2;
    let corner = (
        -spare(area.width, layout.width, scale.x),
        -spare(area.height, layout.height, scale.y),
    );
    let mut window = Window {
        buffer,
        area,
        corner,
    };
    draw_ways(paint, layout, scale, &mut window);
    let current = paint.view.current;
    let here = current.and_then(|state| visible_box(paint, layout, state));
    let status_of = |item: &NodeBox| {
        let view = state_of(item).and_then(|state| paint.view.states.get(state.0 as usize));
        view.map_or(StateStatus::NotReached, |view| view.status)
    };
    let is_one = |item: &NodeBox, wanted: Option<&NodeBox>| {
        wanted.is_some_and(|wanted| wanted.node == item.node)
    };
    // If several boxes share a cell, the most important one is visible.
    let mut boxes: Vec<&NodeBox> = layout.boxes.iter().collect();
    boxes.sort_by_key(|item| {
        let reached = paint.reached.zip(state_of(item));
        let is_reached = match reached {
            Some((reached, state)) => reached.state(state).times > 0,
            None => status_of(item) != StateStatus::NotReached,
        };
        (
            !item.group,
            is_reached,
            is_one(item, here),
            is_one(item, shown),
        )
    });
    for item in boxes {
        let Some(state) = state_of(item) else {
            continue;
        };
        let status = status_of(item);
        let [blank, seen, now] = paint.glyphs.small;
        let reached = paint.reached.map(|reached| reached.state(state));
        let rect = scale.rect(item.rect);
        if item.group {
            if rect.w > 2 && rect.h > 2 {
                let item = NodeBox {
                    rect,
                    ..item.clone()
                };
                draw_frame(
                    &item,
                    paint.glyphs.state,
                    paint.style(Role::Dim),
                    &mut window,
                );
            }
            continue;
        }
        let (is_here, is_shown) = (is_one(item, here), is_one(item, shown));
        let symbol = match (is_here, status) {
            (true, _) => now,
            (false, _) if reached.is_some_and(|own| own.times == 0) => blank,
            (false, StateStatus::NotReached) if reached.is_none() => blank,
            (false, _) => seen,
        };
        let look = match (is_here, is_shown && paint.focused) {
            (_, true) => paint.style(Role::Selected),
            (true, _) => paint.style(Role::Mark),
            _ => match reached {
                Some(own) => paint.style(own.share.role()),
                None => paint.style(Role::of(status)),
            },
        };
        let wide = if item.kind == BoxType::Mark {
            1
        } else {
            rect.w.min(2)
        };
        let middle = rect.x + (rect.w - wide) / 2;
        for x in middle..middle + wide {
            window.put(x, rect.y, symbol, look);
        }
    }
    draw_part(paint, layout, shown.or(here), scale, &mut window);
}

/// Draws edges as dots; those that were taken are highlighted.
fn draw_ways(paint: &Paint, layout: &Layout, scale: Scale, window: &mut Window) {
    let taken = taken_edges(paint);
    for wanted in [false, true] {
        for edge in layout
            .edges
            .iter()
            .filter(|edge| is_taken(paint, &taken, edge) == wanted)
        {
            let role = if wanted { Role::EdgeTaken } else { Role::Edge };
            for (from, to) in edge.path.iter().zip(edge.path.iter().skip(1)) {
                let (x, y) = (from.x.min(to.x) / scale.x, from.y.min(to.y) / scale.y);
                let (right, bottom) = (from.x.max(to.x) / scale.x, from.y.max(to.y) / scale.y);
                for y in y..=bottom {
                    for x in x..=right {
                        window.put(x, y, paint.glyphs.dot, paint.style(role));
                    }
                }
            }
        }
    }
}

/// Draws the corners of the part that would be visible in more detail.
fn draw_part(
    paint: &Paint,
    layout: &Layout,
    shown: Option<&NodeBox>,
    scale: Scale,
    window: &mut Window,
) {
    let Some(shown) = shown else { return };
    let (wide, high) = (i32::from(window.area.width), i32::from(window.area.height));
    if layout.width <= wide && layout.height <= high {
        return;
    }
    let place =
        |at: i32, len: i32, whole: i32, room: i32| (at - (room - len) / 2).min(whole - room).max(0);
    let rect = scale.rect(Cells {
        x: place(shown.rect.x, shown.rect.w, layout.width, wide),
        y: place(shown.rect.y, shown.rect.h, layout.height, high),
        w: wide.min(layout.width),
        h: high.min(layout.height),
    });
    let set = paint.glyphs.focus;
    let look = paint.style(Role::Focus);
    for (x, y, symbol) in [
        (rect.x, rect.y, set.top_left),
        (rect.right(), rect.y, set.top_right),
        (rect.x, rect.bottom(), set.bottom_left),
        (rect.right(), rect.bottom(), set.bottom_right),
    ] {
        window.put(x, y, symbol, look);
    }
}
