//! The overview: the whole drawing at a scale of one or two cells per state, with the path taken. A frame surrounds the
//! part that would be visible in the pane at full scale.

use super::graph_draw::{Picture, Window, draw_frame, state_of};
use crate::definition::StateId;
use crate::graph::{Layout, NodeBox, Rect as Cells};
use crate::session::view::StateStatus;
use crate::tui::theme::Role;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Number of cells of the drawing per cell of the pane, across and down.
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

/// Draws the overview. The frame surrounds the box `shown` and the cells around it that would be visible in the pane at
/// full scale.
pub(super) fn draw(picture: &Picture, shown: Option<&NodeBox>, area: Rect, buffer: &mut Buffer) {
    let Picture { paint, layout, .. } = picture;
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
    draw_ways(picture, scale, &mut window);
    let is_shown = |item: &NodeBox| shown.is_some_and(|shown| shown.node == item.node);
    // If several boxes share a cell, the most important one is visible.
    let is_seen = |state: StateId| match paint.reached {
        Some(_) => paint.is_reached(state),
        None => paint.view.status_of(state) != StateStatus::NotReached,
    };
    let mut boxes: Vec<&NodeBox> = layout.boxes.iter().collect();
    boxes.sort_by_key(|item| {
        let is_seen = state_of(item).is_some_and(is_seen);
        (!item.group, is_seen, picture.is_here(item), is_shown(item))
    });
    for item in boxes {
        let Some(state) = state_of(item) else {
            continue;
        };
        let [blank, seen, now] = paint.glyphs.small;
        let rect = scale.rect(item.rect);
        if item.group {
            if rect.w > 2 && rect.h > 2 {
                let item = NodeBox {
                    rect,
                    ..item.clone()
                };
                let dim = paint.style(Role::Dim);
                draw_frame(&item, paint.glyphs.border, dim, &mut window);
            }
            continue;
        }
        let is_here = picture.is_here(item);
        let symbol = match (is_here, is_seen(state)) {
            (true, _) => now,
            (false, true) => seen,
            (false, false) => blank,
        };
        let look = match (is_here, is_shown(item) && paint.focused) {
            (_, true) => Role::Selected,
            (true, _) => Role::Mark,
            _ => paint.mark_of(state).1,
        };
        let look = paint.style(look);
        let wide = rect.w.min(2);
        let middle = rect.x + (rect.w - wide) / 2;
        for x in middle..middle + wide {
            window.put(x, rect.y, symbol, look);
        }
    }
    draw_part(picture, shown.or(picture.here), scale, &mut window);
}

/// Draws the edges as dots; edges that were taken are highlighted.
fn draw_ways(picture: &Picture, scale: Scale, window: &mut Window) {
    let paint = picture.paint;
    for wanted in [false, true] {
        let edges = picture.layout.edges.iter();
        for edge in edges.filter(|edge| picture.is_taken(edge) == wanted) {
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

/// Draws the corners of the frame around the part that would be visible in the pane at full scale.
fn draw_part(picture: &Picture, shown: Option<&NodeBox>, scale: Scale, window: &mut Window) {
    let Picture { paint, layout, .. } = picture;
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
