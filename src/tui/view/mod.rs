//! The whole screen, drawn from a scene and the model.
//!
//! It must not know the session: everything of the run is handed in.
//!
//! ```text
//! asldbg order.asl.json  run 1  !! PAUSED error raised: X  event 26/26  +00:06.412  main  spec   header
//! +- 1 Graph ------+- 2 Source -----+= 3 Data =======+
//! |                |                |                |   panes, from `layout`
//! +----------------+----------------+================+
//! +- 4 Timeline ---+- 5 State ------+- 6 Breakpoints +
//! |                |                |                |
//! +----------------+----------------+----------------+
//! ChargeCard raised X: 429 Too Many Requests. retry 3 of 3 in 8 s                      message or prompt
//! c continue  n next state  s step  f finish  C back to stop  b break  x error stops   keys for the focus,
//! Tab pane  z zoom  : command                                       ? help  q quit     from the table
//! ```

mod footer;
mod header;
mod scene;

pub use footer::{FooterKey, footer};
pub use header::is_status;
pub use scene::Scene;

use crate::json::visible;
use crate::tui::action::{Action, Pane};
use crate::tui::border::{Brush, Titles, clear, draw_box, put, put_wrapped};
use crate::tui::caption;
use crate::tui::fit::{clip, words, wrapped};
use crate::tui::layout::{Arrangement, Heights, Layout, Wish};
use crate::tui::model::{Message, Model, Prompt, PromptKind};
use crate::tui::pane::more_marks;
use crate::tui::popup::draw_line;
use crate::tui::sentence::as_sentence;
use crate::tui::tab_bar::draw_tabs;
use crate::tui::theme::Role;
use crate::tui::whereabouts;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr as _;

/// Arranges the screen for what is to be seen on it.
#[must_use]
pub fn arrange(scene: &Scene, model: &mut Model, before: &Layout, screen: Rect) -> Layout {
    let mut wish = model.wish();
    let paint = scene.paint_in(model, before, Pane::Graph);
    let room = Wish::room_of_graph(screen.width, screen.height);
    wish.graph = model.panes.graph.need(&paint, room);
    wish.needs = Some(model.panes.needs(&paint));
    let usual = Layout::of(screen, wish);
    wish.more_message = rows_missing(scene, model, usual.message);
    wish.heights = heights(scene, model, &usual);
    Layout::of(screen, wish)
}

/// What data and state have of the rows that they share, where one can stand below the other.
fn heights(scene: &Scene, model: &Model, usual: &Layout) -> Option<Heights> {
    let data = usual.place(Pane::Data)?;
    let below = usual.place(Pane::State);
    let high = data.outer.height;
    let shared = match (usual.kind, below) {
        (Arrangement::Medium, Some(below)) => [high, high + below.outer.height],
        // The first lines of a value, and what the run does next.
        (Arrangement::Compact, None) => [high * 3 / 5, high],
        _ => return None,
    };
    let paint = scene.paint_in(model, usual, Pane::Data);
    Some(model.panes.heights(&paint, data.inner.width, shared))
}

/// How many rows the message needs besides its own: its end says where one goes on.
fn rows_missing(scene: &Scene, model: &Model, area: Rect) -> u16 {
    let text = said_in(scene, model, (area.width, area.height + 1)).text;
    let missing = rows_of(scene, &text, area.width).saturating_sub(area.height);
    match &model.prompt {
        Some(_) => 0,
        None => missing,
    }
}

/// Cells that a message may lose of each row, which is broken at blanks.
const LOST: [u16; 3] = [1, 4, 8];

/// The message in so many columns and rows: as much of it as has room there.
fn said_in(scene: &Scene, model: &Model, (columns, rows): (u16, u16)) -> Message {
    let room = |lost: u16| usize::from(columns.saturating_sub(lost)) * usize::from(rows);
    let said = LOST.map(|lost| said(scene, model, room(lost)));
    let [whole, less, least] = said;
    [whole, less]
        .into_iter()
        .find(|said| rows_of(scene, &said.text, columns) <= rows)
        .unwrap_or(least)
}

/// How many rows a message takes.
fn rows_of(scene: &Scene, text: &str, columns: u16) -> u16 {
    let text = words(scene.brush.glyphs, text);
    let rows = wrapped(&visible(&text), usize::from(columns.saturating_sub(1))).len();
    u16::try_from(rows).unwrap_or(u16::MAX)
}

/// Draws everything.
pub fn draw(scene: &Scene, model: &mut Model, layout: &Layout, buffer: &mut Buffer) {
    let screen = layout.screen;
    clear(buffer, screen);
    let brush = scene.brush;
    if layout.kind == Arrangement::TooSmall {
        let text = format!(
            "asldbg needs 40x10, this is {}x{}",
            screen.width, screen.height
        );
        put(buffer, screen, 0, &text, brush.style(Role::Text), brush);
        return;
    }
    header::draw(scene, model, layout.header, buffer);
    for place in &layout.panes {
        let paint = scene.paint_in(model, layout, place.pane);
        let pane = model.panes.pane(place.pane, &paint);
        pane.draw(&paint, place.inner, buffer);
        if layout.borders() {
            draw_border(scene, model, layout, place.pane, buffer);
        } else if place.pane == Pane::Graph && !paint.outline {
            let more = model.panes.graph.beyond();
            more_marks(&paint, more, place.inner, false, buffer);
        }
    }
    draw_tabs(layout, brush, buffer);
    if let Some(area) = layout.caption {
        draw_caption(scene, area, buffer);
    }
    // The projector's caption says the same.
    if layout.caption.is_none() || model.prompt.is_some() || model.message.is_some() {
        draw_message(scene, model, layout.message, buffer);
    }
    footer::draw(scene, model, layout.footer, buffer);
    if let Some(popup) = &mut model.popup {
        popup.draw(brush, screen, buffer);
    }
}

fn draw_border(scene: &Scene, model: &mut Model, layout: &Layout, pane: Pane, buffer: &mut Buffer) {
    let Some(place) = layout.place(pane) else {
        return;
    };
    let brush = scene.brush;
    let paint = scene.paint_in(model, layout, pane);
    let surface = model.panes.pane(pane, &paint);
    let (mut left, right) = surface.title(&paint);
    let rows = surface.hidden();
    let both = left.width() + right.width();
    if left == pane.name() && both + 11 > usize::from(place.outer.width) {
        left = pane.short_name().to_owned();
    }
    let focused = model.focus == pane;
    let (set, role) = if focused {
        (&brush.glyphs.focus, Role::Focus)
    } else {
        (&brush.glyphs.border, Role::Border)
    };
    let tabs = layout.tabs.iter().find(|tab| tab.area.y == place.outer.y);
    let has_tabs = tabs.is_some();
    if let Some(first) = tabs {
        let room = usize::from(first.area.x.saturating_sub(place.outer.x + 5));
        left = beside_tab(pane, &left, room);
        left = clip(&left, room, brush.glyphs);
    } else {
        left = format!("{} {left}", pane.number());
    }
    let free = usize::from(place.outer.width).saturating_sub(left.width() + 9);
    let right = match has_tabs {
        true => right,
        false => whole_parts(right, free),
    };
    // What does not fit beside the name of a state stands below, where there are its hidden rows, too.
    let is_below = has_tabs || (pane == Pane::State && right.width() > free);
    let below = if is_below {
        right.clone()
    } else {
        String::new()
    };
    let mut hidden = hidden_rows(brush, rows);
    if let Some(decision) = model
        .panes
        .state
        .out_of_sight()
        .filter(|_| pane == Pane::State)
    {
        hidden = format!("{hidden}: {decision}");
    }
    let below = match (below.is_empty(), hidden.is_empty()) {
        (false, false) => format!("{below}  {hidden}"),
        _ => below + &hidden,
    };
    let titles = Titles {
        left: &left,
        right: if is_below { "" } else { &right },
        below: &below,
    };
    draw_box(buffer, place.outer, set, brush.style(role), titles, brush);
    if pane == Pane::Graph && !paint.outline {
        let more = model.panes.graph.beyond();
        more_marks(&paint, more, place.inner, true, buffer);
    }
}

/// What a title tells besides the pane's number and name, which its tab has: what it shows before of which type that is.
fn beside_tab(pane: Pane, title: &str, room: usize) -> String {
    let told = [pane.name(), pane.short_name()]
        .into_iter()
        .find_map(|name| title.strip_prefix(name))
        .unwrap_or(title)
        .trim_start();
    match told.split_once("  ") {
        Some((_, name)) if told.width() > room => name.to_owned(),
        _ => told.to_owned(),
    }
}

/// A title without the last of its parts, which two blanks part, as far as it fits.
fn whole_parts(mut title: String, room: usize) -> String {
    while title.width() > room
        && let Some(end) = title.rfind("  ")
    {
        title.truncate(end);
    }
    title
}

/// `⋯ 3 above, 12 more`: the rows of a pane that are not seen; nothing where all are.
fn hidden_rows(brush: Brush, (above, below): (usize, usize)) -> String {
    let mark = if brush.glyphs.ascii { "..." } else { "⋯" };
    match (above, below) {
        (0, 0) => String::new(),
        (0, below) => format!("{mark} {below} more"),
        (above, 0) => format!("{mark} {above} above"),
        (above, below) => format!("{mark} {above} above, {below} more"),
    }
}

/// The message line's content while no prompt is open.
fn said(scene: &Scene, model: &Model, room: usize) -> Message {
    if let Some(message) = &model.message {
        return message.clone();
    }
    let paint = scene.paint(model, model.focus);
    if let Some((text, role)) = model.panes.found(model.focus, &paint) {
        return Message { text, role };
    }
    let (mut text, role) = scene.sentence(room);
    if scene.busy {
        let key = scene.keymap.shown(Action::Pause).unwrap_or_default();
        text = match scene.rest {
            Some(due) => format!(
                "waits until {} in real time; {key} or Ctrl-C pauses",
                caption::clock(due)
            ),
            None => format!("running; {key} or Ctrl-C pauses"),
        };
    } else if let Some(switched) = &model.switched {
        text = format!("{text} ({switched})");
    }
    Message { text, role }
}

fn draw_message(scene: &Scene, model: &Model, area: Rect, buffer: &mut Buffer) {
    let brush = scene.brush;
    if let Some(prompt) = &model.prompt {
        draw_prompt(prompt, area, brush, buffer);
        return;
    }
    let Message { text, role } = said_in(scene, model, (area.width, area.height));
    put_wrapped(buffer, area, &text, brush.style(role), brush);
}

fn draw_prompt(prompt: &Prompt, area: Rect, brush: Brush, buffer: &mut Buffer) {
    clear(buffer, area);
    let sign = match prompt.kind {
        PromptKind::Command | PromptKind::Find => prompt.kind.sign().to_owned(),
        PromptKind::Watch | PromptKind::Evaluate => format!("{} ", prompt.kind.sign()),
    };
    let used = put(buffer, area, 0, &sign, brush.style(Role::Title), brush);
    let at = (area.x.saturating_add(used), area.y);
    draw_line(
        buffer,
        at,
        area.width.saturating_sub(used),
        &prompt.line,
        true,
        brush,
    );
    // What helps stands above, over the panes.
    let rows = u16::try_from(prompt.notes.len())
        .unwrap_or(0)
        .min(area.y.saturating_sub(2));
    if rows == 0 {
        return;
    }
    let widest = prompt
        .notes
        .iter()
        .map(|(text, _)| text.width())
        .max()
        .unwrap_or(0);
    let outer = Rect {
        x: area.x,
        y: area.y - rows.min(area.y) - 1,
        width: u16::try_from(widest + 4)
            .unwrap_or(u16::MAX)
            .clamp(12, area.width.max(12)),
        height: rows + 1,
    }
    .intersection(buffer.area);
    clear(buffer, outer);
    let inner = Rect {
        x: outer.x + 1,
        y: outer.y + 1,
        width: outer.width.saturating_sub(2),
        height: rows,
    };
    let border = brush.glyphs.border;
    let rule = border
        .horizontal
        .repeat(usize::from(outer.width.saturating_sub(2)));
    let rule = format!("{}{rule}{}", border.top_left, border.top_right);
    let style = brush.style(Role::Border);
    buffer.set_stringn(outer.x, outer.y, rule, usize::from(outer.width), style);
    for y in inner.top()..inner.bottom() {
        buffer.set_string(outer.x, y, border.vertical, style);
        buffer.set_string(outer.right().saturating_sub(1), y, border.vertical, style);
    }
    for (row, (text, role)) in prompt.notes.iter().enumerate().take(usize::from(rows)) {
        let row = u16::try_from(row).unwrap_or(u16::MAX);
        put(buffer, inner, row, text, brush.style(*role), brush);
    }
}

fn draw_caption(scene: &Scene, area: Rect, buffer: &mut Buffer) {
    let brush = scene.brush;
    let room = usize::from(area.width);
    let (text, role) = scene.sentence(room);
    let state = whereabouts::name(scene.definition, scene.view.current);
    let made = whereabouts::generated(scene.definition, scene.view.current);
    put(
        buffer,
        area,
        0,
        &format!(" {state}{made}"),
        brush.style(Role::Title),
        brush,
    );
    put(
        buffer,
        area,
        1,
        &format!(" {text}"),
        brush.style(role),
        brush,
    );
    let said = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let more = scene
        .view
        .data
        .forecast
        .iter()
        .find(|line| !said.contains(&as_sentence(&line.sentence())));
    if let Some(forecast) = more {
        put(
            buffer,
            area,
            2,
            &format!(" {forecast}"),
            brush.style(Role::Dim),
            brush,
        );
    }
}

#[cfg(test)]
mod tests;
