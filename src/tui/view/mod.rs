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

use crate::definition::Definition;
use crate::interpreter::Millis;
use crate::session::Stop;
use crate::session::view::{EventRow, RunStatus, View};
use crate::source::SourceId;
use crate::tui::action::{Action, Offer, Pane, TABLE};
use crate::tui::border::{Brush, Titles, clear, draw_box, fit, put, put_wrapped};
use crate::tui::caption;
use crate::tui::finding::Findings;
use crate::tui::keymap::Keymap;
use crate::tui::layout::{Arrangement, Layout};
use crate::tui::model::{Message, Model, Prompt, PromptKind};
use crate::tui::pane::line::clip_middle;
use crate::tui::pane::source::Text;
use crate::tui::pane::timeline::Rows;
use crate::tui::pane::{Paint, Tab};
use crate::tui::panes::Material;
use crate::tui::popup::draw_line;
use crate::tui::tab_bar::draw_tabs;
use crate::tui::theme::Role;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr as _;

/// Everything that a frame is drawn from.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    /// The run at the cursor.
    pub view: &'a View,
    /// The definition in force.
    pub definition: &'a Definition,
    /// Source text of the definition.
    pub text: Text<'a>,
    /// Access to the recorded events.
    pub rows: &'a Rows<'a>,
    /// Event at the cursor.
    pub last: Option<&'a EventRow>,
    /// Styles and signs.
    pub brush: Brush<'a>,
    /// Keys.
    pub keymap: &'a Keymap,
    /// Whether the run is in progress.
    pub busy: bool,
    /// Deadline that it waits for in real time.
    pub rest: Option<Millis>,
    /// What `check` finds in the text.
    pub findings: &'a Findings,
}

impl<'a> Scene<'a> {
    fn paint(&self, model: &Model, pane: Pane) -> Paint<'a> {
        Paint {
            view: self.view,
            definition: self.definition,
            theme: self.brush.theme,
            glyphs: self.brush.glyphs,
            focused: model.focus == pane && model.popup.is_none(),
            level: model.level,
            findings: self.findings,
        }
    }

    /// What a pane draws from.
    #[must_use]
    pub fn material(&self, model: &Model, layout: &Layout, pane: Pane) -> Material<'a> {
        Material {
            paint: self.paint(model, pane),
            text: self.text,
            rows: self.rows,
            alone: layout.panes.len() == 1,
            outline: !layout.kind.has_boxes() && !model.present,
        }
    }
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
    draw_header(scene, model, layout.header, buffer);
    for place in &layout.panes {
        let material = scene.material(model, layout, place.pane);
        model.panes.draw(place.pane, material, place.inner, buffer);
        if layout.borders() {
            draw_border(scene, model, layout, place.pane, buffer);
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
    draw_footer(scene, model, layout.footer, buffer);
    if let Some(popup) = &mut model.popup {
        popup.draw(brush, screen, buffer);
    }
}

fn draw_border(scene: &Scene, model: &Model, layout: &Layout, pane: Pane, buffer: &mut Buffer) {
    let Some(place) = layout.place(pane) else {
        return;
    };
    let brush = scene.brush;
    let (mut left, right) = model.panes.title(pane, scene.material(model, layout, pane));
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
    let mut left = format!("{} {left}", pane.number());
    let tabs = layout.tabs.iter().find(|tab| tab.area.y == place.outer.y);
    let has_tabs = tabs.is_some();
    if let Some(first) = tabs {
        let room = first.area.x.saturating_sub(place.outer.x + 5);
        left = fit(&left, usize::from(room), brush.glyphs.cut);
    }
    let titles = Titles {
        left: &left,
        right: if has_tabs { "" } else { &right },
        below: if has_tabs { &right } else { "" },
    };
    draw_box(buffer, place.outer, set, brush.style(role), titles, brush);
}

/// Rank of the file's name.
const FILE: u8 = 1;
/// The file's name is cut down to this many cells before other parts are dropped.
const SHORT_FILE: usize = 16;

/// The header's parts; if they do not fit, the one with the highest rank is dropped first.
fn header_parts(scene: &Scene, model: &Model, width: u16) -> Vec<(String, Role, u8)> {
    let header = &scene.view.header;
    let (word, sign, role) = if scene.busy {
        caption::status(&RunStatus::Running, scene.brush.glyphs)
    } else {
        caption::status(&header.status, scene.brush.glyphs)
    };
    let plays = model.play.filter(|play| !play.paused);
    let (word, role) = match (&plays, &header.status) {
        (Some(_), RunStatus::Paused(_)) => ("PLAYING", Role::Running),
        _ => (word, role),
    };
    let file = match scene.text.machine {
        Some(machine) if width < 100 => crate::json::visible(machine).into_owned(),
        _ => scene.text.title(SourceId(0)),
    };
    let mut parts = vec![
        ("asldbg".to_owned(), Role::Title, 9),
        (file, Role::Header, FILE),
        (format!("run {}", header.run), Role::Header, 10),
        (format!("{sign} {word}"), role, 0),
    ];
    if header.not_aws {
        parts.push(("not AWS".to_owned(), Role::Warning, 0));
    }
    if let Some(touched) = caption::touched(header.touched) {
        parts.push((touched, Role::Warning, 2));
    }
    parts.extend(scene.findings.header_part(scene.view));
    let reason = caption::reason(&header.status, width >= 120);
    if !reason.is_empty() && !scene.busy {
        let role = match role {
            Role::Current => Role::Header,
            other => other,
        };
        parts.push((reason, role, 7));
    }
    parts.push((
        format!("event {}/{}", header.event, header.event_count),
        Role::Header,
        5,
    ));
    if header.history_id > 0 {
        parts.push((format!("AWS id {}", header.history_id), Role::Dim, 14));
    }
    parts.push((
        format!("clock {}", caption::clock(header.clock)),
        Role::Header,
        4,
    ));
    if scene.view.frames.len() > 1 {
        parts.push((format!("in {}", header.frame), Role::Header, 3));
    }
    if let Some(case) = &header.test_case {
        parts.push((format!("case {case}"), Role::Header, 13));
    }
    parts.push((
        format!("profile {}", caption::profile(header.profile)),
        Role::Header,
        0,
    ));
    if model.play.is_some_and(|play| play.paused) {
        parts.push(("play paused".to_owned(), Role::Info, 6));
    }
    parts
}

fn draw_header(scene: &Scene, model: &Model, area: Rect, buffer: &mut Buffer) {
    let brush = scene.brush;
    let mut parts = header_parts(scene, model, area.width);
    for (text, _, _) in &mut parts {
        *text = fit(text, 48, brush.glyphs.cut);
    }
    // The file's name is shortened before the status of the run, but never dropped.
    let taken = |parts: &[(String, Role, u8)]| -> usize {
        let cells = |(text, _, rank): &(String, Role, u8)| match *rank {
            FILE => text.width().min(SHORT_FILE) + 2,
            _ => text.width() + 2,
        };
        parts.iter().map(cells).sum()
    };
    let room = usize::from(area.width) + 1;
    while taken(&parts) > room {
        let last = parts
            .iter()
            .enumerate()
            .filter(|(_, (_, _, rank))| *rank > FILE)
            .max_by_key(|(_, (_, _, rank))| *rank)
            .map(|(place, _)| place);
        match last {
            Some(place) => drop(parts.remove(place)),
            None => break,
        }
    }
    let others = parts.iter().filter(|(_, _, rank)| *rank != FILE);
    let others: usize = others.map(|(text, _, _)| text.width() + 2).sum();
    if let Some((file, _, _)) = parts.iter_mut().find(|(_, _, rank)| *rank == FILE) {
        *file = clip_middle(file, room.saturating_sub(others + 2), brush.glyphs);
    }
    buffer.set_style(area, brush.style(Role::Header));
    let mut x = area.x.saturating_add(1);
    for (text, role, _) in &parts {
        let room = usize::from(area.right().saturating_sub(x));
        let style = brush.style(Role::Header).patch(brush.style(*role));
        (x, _) = buffer.set_stringn(x, area.y, text, room, style);
        x = x.saturating_add(2).min(area.right());
    }
}

/// The cells of the header that say what the run is doing.
#[must_use]
pub fn is_status(scene: &Scene, model: &Model, layout: &Layout, column: u16, row: u16) -> bool {
    let before: usize = header_parts(scene, model, layout.screen.width)
        .iter()
        .take_while(|(_, _, rank)| *rank > 0)
        .map(|(text, _, _)| text.width() + 2)
        .sum();
    row == layout.header.y && usize::from(column) <= before + 14
}

/// The message line's content while no prompt is open.
fn said(scene: &Scene, model: &Model, room: usize) -> Message {
    if let Some(message) = &model.message {
        return message.clone();
    }
    let paint = scene.paint(model, model.focus);
    if let Some((text, role)) = model.panes.found(model.focus, &paint, &scene.text) {
        return Message { text, role };
    }
    let (mut text, role) =
        caption::sentence(scene.view, scene.definition, scene.last, scene.keymap, room);
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
    let room = usize::from(area.width.saturating_sub(2)) * usize::from(area.height);
    let Message { text, role } = said(scene, model, room);
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
    let (text, role) =
        caption::sentence(scene.view, scene.definition, scene.last, scene.keymap, room);
    let state = caption::name(scene.definition, scene.view.current);
    let made = caption::generated(scene.definition, scene.view.current);
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
    let more = scene.view.data.forecast.iter().find(|line| {
        let line = line.split_whitespace().filter(|word| *word != "now");
        !said.contains(&caption::as_sentence(&line.collect::<Vec<_>>().join(" ")))
    });
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

/// A key in the footer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FooterKey {
    /// The action it triggers.
    pub action: Action,
    /// Its cells on the screen.
    pub area: Rect,
    key: String,
    label: &'static str,
}

/// The keys that are offered now, with their places.
#[must_use]
pub fn footer(scene: &Scene, model: &Model, area: Rect) -> Vec<FooterKey> {
    let status = &scene.view.header.status;
    let past = *status == RunStatus::Past;
    let over = matches!(
        status,
        RunStatus::Succeeded { .. } | RunStatus::Failed(_) | RunStatus::TimedOut
    );
    let asks = matches!(status, RunStatus::Paused(Stop::Ask(_)));
    let plays = model.play.is_some();
    let is_offered = |offer: Offer| match offer {
        Offer::Always => true,
        Offer::Stopped => !scene.busy,
        Offer::Going => !scene.busy && !over,
        // The first two events are the start and the entry of the first state.
        Offer::Behind => !scene.busy && scene.view.header.event > 2,
        Offer::Running => scene.busy,
        Offer::Asking => !scene.view.tasks.is_empty() && !scene.busy,
        Offer::Past => past && !scene.busy,
        Offer::In(panes) => panes.contains(&model.focus) && !scene.busy,
        Offer::Never => false,
    };
    let key = |action: Action| scene.keymap.shown(action);
    let last = [Action::Help, Action::Quit];
    let wide =
        |key: &str, label: &str| u16::try_from(key.width() + label.width() + 3).unwrap_or(u16::MAX);
    let label = |action: Action| action.entry().map_or("", |entry| entry.label);
    let ending: u16 = last
        .iter()
        .filter_map(|action| Some(wide(&key(*action)?, label(*action))))
        .sum();
    let mut keys = Vec::new();
    let (mut x, mut row) = (area.x.saturating_add(1), 0_u16);
    let bottom = area.height.saturating_sub(1);
    // The most likely next action comes first.
    let first = match (over, asks, plays) {
        (_, _, true) => Some(Action::Toggle),
        (true, ..) => Some(Action::Restart),
        (_, true, _) => Some(Action::Answer),
        _ => None,
    };
    let others = TABLE.iter().filter(|entry| {
        Some(entry.action) != first
            && is_offered(entry.offer)
            && does_something(scene, model, entry.action, area)
    });
    for entry in first.and_then(Action::entry).into_iter().chain(others) {
        if last.contains(&entry.action) {
            continue;
        }
        let words = match entry.action {
            Action::Toggle if plays => "play or pause",
            _ => entry.label,
        };
        let Some(key) = key(entry.action) else {
            continue;
        };
        let width = wide(&key, words);
        // The two blanks behind the last key of a line may fall off its edge.
        let end = if row == bottom {
            area.right().saturating_sub(ending)
        } else {
            area.right().saturating_add(2)
        };
        if x.saturating_add(width) > end {
            if row == bottom {
                break;
            }
            row += 1;
            x = area.x.saturating_add(1);
        }
        keys.push(FooterKey {
            action: entry.action,
            area: Rect {
                x,
                y: area.y.saturating_add(row),
                width: width.saturating_sub(2),
                height: 1,
            },
            key,
            label: words,
        });
        x = x.saturating_add(width);
    }
    let mut x = area.right().saturating_sub(ending);
    for action in last {
        let Some(key) = key(action) else {
            continue;
        };
        let width = wide(&key, label(action));
        let y = area.y.saturating_add(bottom);
        keys.push(FooterKey {
            action,
            area: Rect {
                x,
                y,
                width: width.saturating_sub(2),
                height: 1,
            },
            key,
            label: label(action),
        });
        x = x.saturating_add(width);
    }
    keys
}

/// Whether a key that is offered for a pane has something to work on there.
fn does_something(scene: &Scene, model: &Model, action: Action, footer: Rect) -> bool {
    let panes = &model.panes;
    match (model.focus, action) {
        (Pane::Graph, Action::View) => {
            model.present || Arrangement::of(footer.width, footer.bottom()).has_boxes()
        }
        (Pane::State, Action::Activate) => panes.state.has_rows(scene.view),
        (Pane::Breakpoints, Action::Toggle | Action::EditBreak) => {
            panes.breakpoints.tab() == Tab::Break && !scene.view.breakpoints.is_empty()
        }
        (Pane::Breakpoints, Action::Remove) => match panes.breakpoints.tab() {
            Tab::Break => !scene.view.breakpoints.is_empty(),
            Tab::Watch => !scene.view.watches.is_empty(),
            Tab::Frames | Tab::Tasks | Tab::Findings => false,
        },
        (Pane::Breakpoints, Action::Activate) => match panes.breakpoints.tab() {
            Tab::Break => !scene.view.breakpoints.is_empty(),
            Tab::Watch => false,
            Tab::Frames => !scene.view.frames.is_empty(),
            Tab::Findings => !scene.findings.rows().is_empty(),
            Tab::Tasks => !scene.view.tasks.is_empty(),
        },
        _ => true,
    }
}

fn draw_footer(scene: &Scene, model: &Model, area: Rect, buffer: &mut Buffer) {
    let brush = scene.brush;
    for FooterKey {
        area: at,
        key,
        label,
        ..
    } in footer(scene, model, area)
    {
        let room = usize::from(area.right().saturating_sub(at.x));
        let (x, _) = buffer.set_stringn(at.x, at.y, &key, room, brush.style(Role::Key));
        let room = usize::from(area.right().saturating_sub(x)).saturating_sub(1);
        buffer.set_stringn(
            x.saturating_add(1),
            at.y,
            label,
            room,
            brush.style(Role::Dim),
        );
    }
}

#[cfg(test)]
mod tests;
