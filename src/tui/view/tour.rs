//! The tour strip above the keys: what the previous step showed, and what to do now.

use super::Scene;
use crate::tui::border::{clear, put_wrapped};
use crate::tui::model::Model;
use crate::tui::theme::Role;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

pub(super) fn draw(scene: &Scene, model: &Model, area: Rect, buffer: &mut Buffer) {
    let Some(tour) = model.tour.as_ref().filter(|_| area.height > 1) else {
        return;
    };
    let brush = scene.brush;
    clear(buffer, area);
    let style = brush.style(Role::Focus);
    let rule = brush.glyphs.focus.horizontal.repeat(area.width.into());
    buffer.set_stringn(area.x, area.y, rule, area.width.into(), style);
    let titles = (
        &*tour.title(),
        ":tour begins the step again  :tour off leaves",
    );
    crate::tui::border::draw_titles(buffer, area, titles, style, brush);
    let inner = |y: u16, height: u16| Rect {
        x: area.x.saturating_add(1),
        y: area.y.saturating_add(y),
        width: area.width.saturating_sub(2),
        height,
    };
    let task = brush.style(Role::Text).add_modifier(Modifier::BOLD);
    let rows = area.height.saturating_sub(1) / 2;
    put_wrapped(
        buffer,
        inner(1, rows),
        tour.seen(),
        brush.style(Role::Ok),
        brush,
    );
    put_wrapped(buffer, inner(1 + rows, rows), tour.task(), task, brush);
}
