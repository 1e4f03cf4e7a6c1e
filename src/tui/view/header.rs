//! The line at the top: what the run is and how it stands.

use super::Scene;
use crate::definition::MachineType;
use crate::session::Stop;
use crate::session::view::{RunStatus, StateStatus};
use crate::source::SourceId;
use crate::tui::caption;
use crate::tui::fit::{Piece, clip, clip_middle, fit, width};
use crate::tui::layout::Layout;
use crate::tui::model::Model;
use crate::tui::pane::line::cells;
use crate::tui::theme::Role;
use crate::tui::whereabouts;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Cells of the longest status.
const STATUS: usize = 9;
/// Cells that no part is longer than.
const LONGEST: usize = 48;

/// Where a part stands: what is as wide at every step at the left and at the right, what comes and goes between them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Middle,
    Right,
}

/// The parts, those at the left first.
#[derive(Default)]
struct Parts {
    pieces: Vec<Piece>,
    looks: Vec<(Side, Role)>,
}

impl Parts {
    fn put(&mut self, side: Side, text: impl Into<String>, role: Role, rank: u8) {
        self.add(side, Piece::new(text, rank), role);
    }

    fn add(&mut self, side: Side, piece: Piece, role: Role) {
        self.pieces.push(piece);
        self.looks.push((side, role));
    }

    /// The texts on a side, with their roles.
    fn on(&self, wanted: Side) -> impl Iterator<Item = (&str, Role)> {
        let looks = self.pieces.iter().zip(&self.looks);
        let looks = looks.filter(move |(_, (side, _))| *side == wanted);
        let texts = looks.map(|(piece, (_, role))| (piece.text(), *role));
        texts.filter(|(text, _)| !text.is_empty())
    }
}

/// The parts that a line of so many columns has room for, the file's name as long as can be.
fn fitting(scene: &Scene, model: &Model, width: u16) -> Parts {
    let header = &scene.view.header;
    let (word, sign, role) = if scene.busy {
        caption::status(&RunStatus::Running, scene.brush.glyphs)
    } else {
        caption::status(&header.status, scene.brush.glyphs)
    };
    // What went on over failures did not end well.
    let is_run_on = (scene.view.end.as_ref()).is_some_and(|end| !end.run_on.is_empty());
    let (sign, role) = match (&header.status, is_run_on) {
        (RunStatus::Succeeded { .. }, true) => {
            let raised = scene.brush.glyphs.status(StateStatus::ErrorRaised);
            (raised.trim_end(), Role::Warning)
        }
        // An error is raised there as well.
        (RunStatus::Paused(Stop::ProfilesDiffer(_)), _)
            if caption::reason(scene.view).1.is_some() =>
        {
            let raised = scene.brush.glyphs.status(StateStatus::ErrorRaised);
            (raised.trim_end(), Role::Raised)
        }
        _ => (sign, role),
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
    let signs = if scene.brush.glyphs.ascii { 3 } else { 2 };
    let status = match width {
        64.. => format!("{sign:<signs$}{word:<STATUS$}"),
        _ => format!("{sign} {word}"),
    };
    let digits = header.event_count.to_string().len().max(2);
    let event = format!("event {}/{}", header.event, header.event_count);
    let wide = "event /".len() + 2 * digits;
    let mut parts = Parts::default();
    parts.put(Side::Left, "asldbg", Role::Title, 16);
    // It is cut down before other parts are dropped, and has what they leave.
    let short = |cells| clip_middle(&file, cells, scene.brush.glyphs);
    let name = Piece::new(short(16), 5).or(short(10), 0);
    parts.add(Side::Left, name, Role::Header);
    let run = format!("run {}", header.run);
    parts.put(Side::Left, run, Role::Header, 12);
    parts.put(Side::Left, status, role, 0);
    parts.put(Side::Left, format!("{event:<wide$}"), Role::Header, 6);
    if let Some(around) = scene.child_of {
        let around = crate::json::visible(around);
        parts.put(
            Side::Middle,
            format!("child of {}", clip(&around, LONGEST, scene.brush.glyphs)),
            Role::Warning,
            3,
        );
    }
    if scene.view.frames.len() > 1 {
        parts.put(
            Side::Middle,
            format!("in {}", clip(&header.frame, LONGEST, scene.brush.glyphs)),
            Role::Header,
            3,
        );
    }
    if let Some(recorded) = &scene.view.recorded {
        let (text, role) = match &recorded.difference {
            None if recorded.is_skeleton => ("recorded, skeleton".to_owned(), Role::Info),
            None if recorded.follows => ("recorded, followed".to_owned(), Role::Info),
            None => ("recorded".to_owned(), Role::Info),
            Some(found) => {
                let at = found.event.map_or_else(String::new, |id| format!(" #{id}"));
                (format!("recorded, differs{at}"), Role::Changed)
            }
        };
        parts.put(Side::Middle, text, role, 0);
        if recorded.lacks_input {
            parts.put(Side::Middle, "input not recorded", Role::Warning, 0);
        }
        for mark in &*recorded.marks {
            parts.put(Side::Middle, mark.clone(), Role::Warning, 2);
        }
    }
    if header.not_aws {
        parts.put(Side::Middle, "not AWS", Role::Warning, 0);
    }
    if !scene.busy {
        let role = match role {
            Role::Current => Role::Header,
            other => other,
        };
        parts.add(Side::Middle, reason(scene), role);
    }
    if let Some(touched) = whereabouts::touched(header.touched) {
        parts.put(Side::Middle, touched, Role::Warning, 2);
    }
    if let Some((texts, role)) = scene.findings.header_part(scene.view, scene.definition) {
        // Its line is where one goes on; the fewest words are left beside the name of an error.
        let forms = texts.into_iter().zip([4, 3, 3]);
        let forms = forms.fold(Piece::default(), |piece, (text, rank)| piece.or(text, rank));
        parts.add(Side::Middle, forms, role);
    }
    if model.play.is_some_and(|play| play.paused) {
        parts.put(Side::Middle, "play paused", Role::Info, 7);
    }
    if header.history_id > 0 {
        let id = format!("AWS event id {}", header.history_id);
        parts.put(Side::Right, id, Role::Dim, 15);
    }
    parts.put(
        Side::Right,
        format!("clock {}", caption::clock(header.clock)),
        Role::Header,
        9,
    );
    if let Some(case) = &header.test_case {
        parts.put(Side::Right, format!("case {case}"), Role::Header, 14);
    }
    // What is as most are is dropped first.
    match scene.definition.machine_type {
        MachineType::Express => parts.put(Side::Right, "EXPRESS", Role::Header, 10),
        _ => parts.put(Side::Right, "STANDARD", Role::Dim, 18),
    }
    if scene.watching {
        parts.put(Side::Right, "watching", Role::Dim, 17);
    }
    let profile = caption::profile(header.profile);
    let profile = match width {
        100.. => format!("profile {profile}"),
        _ => profile.to_owned(),
    };
    parts.put(Side::Right, profile, Role::Header, 8);
    let room = usize::from(width) + 1;
    fit(&mut parts.pieces, 2, room, |text, _| text.to_owned());
    let texts = parts.pieces.iter().map(|piece| cells_of(piece.text()));
    let others: usize = texts
        .enumerate()
        .filter(|(place, _)| *place != NAME)
        .map(|(_, cells)| cells)
        .sum();
    if let Some(name) = parts.pieces.get_mut(NAME) {
        *name = Piece::new(short(room.saturating_sub(others + 2).min(LONGEST)), 0);
    }
    parts
}

/// The place of the file's name among the parts.
const NAME: usize = 1;

/// Cells of a part and the gap behind it.
fn cells_of(text: &str) -> usize {
    match width(text) {
        0 => 0,
        cells => cells + 2,
    }
}

/// Why it stands; what an error is called goes before how it came about is left away.
fn reason(scene: &Scene) -> Piece {
    let status = &scene.view.header.status;
    let (words, name) = caption::reason(scene.view);
    let words = clip(&words, LONGEST, scene.brush.glyphs);
    // That one stepped says little.
    let rank = match status {
        RunStatus::Paused(Stop::Step | Stop::Start | Stop::Travel | Stop::Target) => 11,
        _ => 4,
    };
    let Some(name) = name.map(|name| clip(name, LONGEST, scene.brush.glyphs)) else {
        return Piece::new(words, rank);
    };
    if words.is_empty() {
        return Piece::new(name, 2);
    }
    // The error comes first, what AWS calls it behind it.
    let whole = match status {
        RunStatus::Paused(Stop::ProfilesDiffer(_)) => format!("{name}, {words}"),
        _ => format!("{words}: {name}"),
    };
    let piece = Piece::new(clip(&whole, LONGEST, scene.brush.glyphs), 8).or(&*name, 2);
    match width(&words) < width(&name) {
        true => piece.or(words, 2),
        false => piece,
    }
}

pub(super) fn draw(scene: &Scene, model: &Model, area: Rect, buffer: &mut Buffer) {
    let brush = scene.brush;
    let parts = fitting(scene, model, area.width);
    buffer.set_style(area, brush.style(Role::Header));
    let mut x = area.x.saturating_add(1);
    let mut put = |x: u16, (text, role): (&str, Role)| -> u16 {
        let room = usize::from(area.right().saturating_sub(x));
        let style = brush.style(Role::Header).patch(brush.style(role));
        let (x, _) = buffer.set_stringn(x, area.y, text, room, style);
        x.saturating_add(2).min(area.right())
    };
    for part in parts.on(Side::Left).chain(parts.on(Side::Middle)) {
        x = put(x, part);
    }
    let wide: usize = parts.on(Side::Right).map(|(text, _)| cells_of(text)).sum();
    let mut x = area
        .right()
        .saturating_sub(cells(wide).saturating_sub(1))
        .max(x);
    for part in parts.on(Side::Right) {
        x = put(x, part);
    }
}

/// The cells of the header that say what the run is doing.
#[must_use]
pub fn is_status(scene: &Scene, model: &Model, layout: &Layout, column: u16, row: u16) -> bool {
    let parts = fitting(scene, model, layout.screen.width);
    // Name, file and number of the run stand before it.
    let before = parts.pieces.iter().take(3);
    let before: usize = before.map(|piece| cells_of(piece.text())).sum();
    row == layout.header.y && usize::from(column) <= before + 14
}
