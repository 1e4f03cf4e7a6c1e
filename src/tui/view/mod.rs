//! The whole screen, drawn from a scene and the model.
//!
//! ```text
//! order.asl.json  ▶ PAUSED  event 26/26                        clock +00:06.412   header
//! ChargeCard raised X: 429 Too Many Requests.  retry 3 of 3 in 8 s                banner
//! ┌ 1 Graph ───────┬ 2 Source ──────┬ 3 Data ────────┐
//! │                │                │                │   panes, from `layout`
//! ├ 4 Timeline ────┴────────────────┼ 5 State ───────┤
//! │                                 │                │
//! └─────────────────────────────────┴────────────────┘
//! copied 12 bytes                                                    message or prompt
//! c continue  n next state  s step  W where from              ? help   footer
//! ```

use super::action::Pane;
use super::border::{Brush, clear, draw_box, draw_titles, put, put_wrapped};
use super::fit::{clip, words, wrapped};
use super::layout::{Arrangement, Layout, Place, TabPlace, Wish, holds};
use super::model::{Message, Model, Prompt, PromptKind};
use super::pane::more_marks;
use super::popup::draw_line;
use super::theme::Role;
use crate::json::visible;
use crate::session::view::View;
pub use footer::{FooterKey, footer};
pub use header::is_status;
use ratatui::buffer::Buffer;
use ratatui::layout::{Margin, Rect};
use ratatui::style::Modifier;
pub use scene::Scene;
use unicode_width::UnicodeWidthStr as _;

mod banner;
mod footer;
mod header;
mod scene;

/// Computes the layout of the screen for this view and model.
#[must_use]
pub fn arrange(view: &View, model: &Model, screen: Rect) -> Layout {
    let points = !(view.breakpoints.is_empty() && view.watches.is_empty());
    let wish = Wish {
        points,
        ..model.wish()
    };
    Layout::of(screen, wish)
}

/// Draws the whole screen.
pub fn draw(scene: &Scene, model: &mut Model, layout: &Layout, buffer: &mut Buffer) {
    let screen = layout.screen;
    clear(buffer, screen);
    let brush = scene.brush;
    if layout.kind == Arrangement::TooSmall {
        let (width, height) = (screen.width, screen.height);
        let text = format!("asldbg needs 40x10, terminal is {width}x{height}");
        put(buffer, screen, 0, &text, brush.style(Role::Text), brush);
        return;
    }
    header::draw(scene, model, layout.header, buffer);
    banner::draw(scene, model, layout, buffer);
    for place in &layout.panes {
        let paint = scene.paint_in(model, layout, place.pane);
        let pane = model.panes.pane(place.pane);
        pane.draw(&paint, place.inner, buffer);
    }
    if layout.borders() {
        draw_borders(scene, model, layout, buffer);
    }
    draw_tabs(layout, brush, buffer);
    footer::draw(scene, model, layout.footer, buffer);
    draw_tour(scene, model, layout.tour, buffer);
    draw_message(scene, model, layout, buffer);
    if let Some(popup) = &mut model.popup {
        let height = match layout.tour.height {
            0 => screen.height,
            _ => layout.tour.y.saturating_sub(screen.y),
        };
        popup.draw(brush, Rect { height, ..screen }, buffer);
    }
}

/// Draws the borders, which adjacent panes share, and then the titles. The border of the focused pane is heavier and is
/// drawn over the other borders.
fn draw_borders(scene: &Scene, model: &mut Model, layout: &Layout, buffer: &mut Buffer) {
    let brush = scene.brush;
    let focus = model.focus;
    let mut places: Vec<Place> = layout.panes.clone();
    places.sort_by_key(|place| place.pane == focus);
    let look = |pane: Pane| match pane == focus {
        true => (&brush.glyphs.focus, Role::Focus),
        false => (&brush.glyphs.border, Role::Border),
    };
    for place in &places {
        let (set, role) = look(place.pane);
        draw_box(buffer, place.outer, set, brush.style(role));
    }
    for place in &places {
        let (left, right) = titles(scene, model, layout, *place);
        let style = brush.style(look(place.pane).1);
        draw_titles(buffer, place.outer, (&left, &right), style, brush);
    }
    if let Some(place) = layout.place(Pane::Graph) {
        let paint = scene.paint_in(model, layout, Pane::Graph);
        let more = model.panes.graph.beyond();
        more_marks(&paint, more, place.inner, true, buffer);
    }
}

/// Titles at the left and right of a pane's upper border.
fn titles(scene: &Scene, model: &mut Model, layout: &Layout, place: Place) -> (String, String) {
    let pane = place.pane;
    let paint = scene.paint_in(model, layout, pane);
    let surface = model.panes.pane(pane);
    let (mut left, right) = surface.title(&paint);
    let hidden = hidden_rows(scene.brush, surface.hidden());
    let is_on =
        |tab: &&TabPlace| tab.area.y == place.outer.y && holds(place.outer, tab.area.x, tab.area.y);
    let tabs = layout.tabs.iter().find(is_on);
    if let Some(first) = tabs {
        let room = usize::from(first.area.x.saturating_sub(place.outer.x + 5));
        left = beside_tab(pane, &left, room);
        return (clip(&left, room, scene.brush.glyphs), String::new());
    }
    let both = left.width() + right.width() + hidden.width();
    if left == pane.name() && both + 13 > usize::from(place.outer.width) {
        left = pane.short_name().to_owned();
    }
    left = format!("{} {left}", pane.number());
    let free = usize::from(place.outer.width).saturating_sub(left.width() + 9);
    let right = match (right.is_empty(), hidden.is_empty()) {
        (false, false) => whole_parts(format!("{hidden}  {right}"), free),
        _ => whole_parts(right + &hidden, free),
    };
    (left, right)
}

/// The title without the pane's name, which the pane's tab already shows. If this text is wider than `room`, its first
/// part, such as the type of a state, is left out, too.
fn beside_tab(pane: Pane, title: &str, room: usize) -> String {
    let mut names = [pane.name(), pane.short_name()].into_iter();
    let rest = names.find_map(|name| title.strip_prefix(name));
    let rest = rest.unwrap_or(title).trim_start();
    match rest.split_once("  ") {
        Some((_, name)) if rest.width() > room => name.to_owned(),
        _ => rest.to_owned(),
    }
}

/// Removes parts from the end of a title until the title fits or has only one part. Two spaces separate the parts.
fn whole_parts(mut title: String, room: usize) -> String {
    while title.width() > room
        && let Some(end) = title.rfind("  ")
    {
        title.truncate(end);
    }
    title
}

/// Text about the number of hidden rows of a pane, such as `⋯ 3 above, 12 more`; empty if all rows are visible.
fn hidden_rows(brush: Brush, (above, below): (usize, usize)) -> String {
    let mark = if brush.glyphs.ascii { "..." } else { "⋯" };
    match (above, below) {
        (0, 0) => String::new(),
        (0, rows_below) => format!("{mark} {rows_below} more"),
        (rows_above, 0) => format!("{mark} {rows_above} above"),
        (rows_above, rows_below) => format!("{mark} {rows_above} above, {rows_below} more"),
    }
}

/// Maximum number of pane rows that a message may cover.
const MOST_ROWS: u16 = 4;

/// Draws the prompt if it is open. Otherwise, draws the last message or, if there is none, the finding at the
/// selection.
fn draw_message(scene: &Scene, model: &Model, layout: &Layout, buffer: &mut Buffer) {
    let area = layout.message;
    let brush = scene.brush;
    if let Some(prompt) = &model.prompt {
        draw_prompt(prompt, area, brush, buffer);
        return;
    }
    let paint = scene.paint(model, model.focus);
    let finding = || model.panes.finding(model.focus, &paint);
    let said = model.message.clone();
    let said = said.or_else(|| finding().map(|(text, role)| Message { text, role }));
    if let Some(Message { text, role }) = said {
        // A long message temporarily covers the last rows of the panes.
        let width = usize::from(area.width.saturating_sub(1));
        let rows = wrapped(&visible(&words(brush.glyphs, &text)), width).len();
        // During a tour, the message has only its own row, so that it does not cover the text of the tour above it.
        let most = if layout.tour.height > 0 { 0 } else { MOST_ROWS };
        let more = u16::try_from(rows.saturating_sub(1)).unwrap_or(0).min(most);
        let y = area.y.saturating_sub(more);
        let area = Rect::new(area.x, y, area.width, area.bottom().saturating_sub(y));
        clear(buffer, area);
        put_wrapped(buffer, area, &text, brush.style(role), brush);
    }
}

fn draw_prompt(prompt: &Prompt, area: Rect, brush: Brush, buffer: &mut Buffer) {
    // The box with completions is drawn over the panes. The prompt covers the lower border of this box.
    let rows = u16::try_from(prompt.notes.len()).unwrap_or(u16::MAX);
    let rows = rows.min(area.y.saturating_sub(2));
    if rows > 0 {
        let widths = prompt.notes.iter().map(|(text, _)| text.width());
        let widest = u16::try_from(widths.max().unwrap_or(0) + 4).unwrap_or(u16::MAX);
        let width = widest.clamp(12, area.width.max(12));
        let outer = Rect::new(area.x, area.y - rows - 1, width, rows + 2);
        clear(buffer, outer);
        draw_box(
            buffer,
            outer,
            &brush.glyphs.border,
            brush.style(Role::Border),
        );
        let inner = outer.intersection(buffer.area).inner(Margin::new(1, 1));
        for (row, (text, role)) in (0..rows).zip(&prompt.notes) {
            put(buffer, inner, row, text, brush.style(*role), brush);
        }
    }
    clear(buffer, area);
    let sign = match prompt.kind {
        PromptKind::Command | PromptKind::Find => prompt.kind.sign().to_owned(),
        PromptKind::Watch | PromptKind::Evaluate => format!("{} ", prompt.kind.sign()),
    };
    let used = put(buffer, area, 0, &sign, brush.style(Role::Title), brush);
    let at = (area.x.saturating_add(used), area.y);
    let width = area.width.saturating_sub(used);
    draw_line(buffer, at, width, &prompt.line, true, brush);
}

/// Draws the tabs of the panes that share one area of the screen, with the tab of the visible pane in brackets.
pub(super) fn draw_tabs(layout: &Layout, brush: Brush, buffer: &mut Buffer) {
    for tab in &layout.tabs {
        let long = usize::from(tab.area.width) > 3;
        let name = if long { tab.pane.short_name() } else { "" };
        let number = tab.pane.number();
        let text = match (tab.shown, long) {
            (true, true) => format!("[{number} {name}]"),
            (false, true) => format!(" {number} {name} "),
            (true, false) => format!("[{number}]"),
            (false, false) => format!(" {number} "),
        };
        let role = if tab.shown { Role::Title } else { Role::Dim };
        put(buffer, tab.area, 0, &text, brush.style(role), brush);
    }
}

fn draw_tour(scene: &Scene, model: &Model, area: Rect, buffer: &mut Buffer) {
    let Some(tour) = model.tour.as_ref().filter(|_| area.height > 1) else {
        return;
    };
    let brush = scene.brush;
    clear(buffer, area);
    let style = brush.style(Role::Focus);
    let rule = brush.glyphs.focus.horizontal.repeat(area.width.into());
    buffer.set_stringn(area.x, area.y, rule, area.width.into(), style);
    let titles = (&*tour.title(), ":tour restarts step, :tour off ends tour");
    crate::tui::border::draw_titles(buffer, area, titles, style, brush);
    let inner = |y: u16, height: u16| Rect {
        x: area.x.saturating_add(1),
        y: area.y.saturating_add(y),
        width: area.width.saturating_sub(2),
        height,
    };
    let task = brush.style(Role::Text).add_modifier(Modifier::BOLD);
    let rows = area.height.saturating_sub(1) / 2;
    let seen = brush.style(Role::Ok);
    put_wrapped(buffer, inner(1, rows), tour.seen(), seen, brush);
    put_wrapped(buffer, inner(1 + rows, rows), tour.task(), task, brush);
}

#[cfg(test)]
mod tests;
