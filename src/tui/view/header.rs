//! The line at the top: what the run is and how it stands.
//!
//! It must not know how a run is made.
//!
//! What is as wide at every step stands at the left and at the right, what comes and goes between them, so that nothing
//! jumps while one steps.

use super::Scene;
use crate::definition::MachineType;
use crate::session::Stop;
use crate::session::view::{RunStatus, StateStatus};
use crate::source::SourceId;
use crate::tui::border::fit;
use crate::tui::caption;
use crate::tui::layout::Layout;
use crate::tui::model::Model;
use crate::tui::pane::line::clip_middle;
use crate::tui::theme::Role;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr as _;

/// Rank of the file's name.
const FILE: u8 = 1;
/// The file's name is cut down to this many cells before other parts are dropped.
const SHORT_FILE: usize = 16;
/// Cells of the longest status.
const STATUS: usize = 9;

/// One part; if they do not fit, the one of the highest rank is dropped first.
struct Part {
    text: String,
    role: Role,
    rank: u8,
}

fn part(text: impl Into<String>, role: Role, rank: u8) -> Part {
    Part {
        text: text.into(),
        role,
        rank,
    }
}

/// The parts at the left, in the middle and at the right.
struct Parts {
    fixed: Vec<Part>,
    changing: Vec<Part>,
    last: Vec<Part>,
}

impl Parts {
    fn all(&self) -> impl Iterator<Item = &Part> {
        self.fixed.iter().chain(&self.changing).chain(&self.last)
    }

    /// Drops the part of the highest rank above that of the file's name; whether there was one.
    fn drop_one(&mut self) -> bool {
        let worst = self.all().map(|part| part.rank).max().unwrap_or(0);
        for list in [&mut self.last, &mut self.changing, &mut self.fixed] {
            let place = list.iter().rposition(|part| part.rank == worst);
            if let Some(place) = place.filter(|_| worst > FILE) {
                list.remove(place);
                return true;
            }
        }
        false
    }
}

fn parts(scene: &Scene, model: &Model, width: u16) -> Parts {
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
    let fixed = vec![
        part("asldbg", Role::Title, 15),
        part(file, Role::Header, FILE),
        part(format!("run {}", header.run), Role::Header, 11),
        part(status, role, 0),
        part(format!("{event:<wide$}"), Role::Header, 5),
    ];
    let mut changing = Vec::new();
    if let Some(around) = scene.child_of {
        let around = crate::json::visible(around);
        changing.push(part(format!("child of {around}"), Role::Warning, 3));
    }
    if scene.view.frames.len() > 1 {
        changing.push(part(format!("in {}", header.frame), Role::Header, 3));
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
        changing.push(part(text, role, 0));
        if recorded.lacks_input {
            changing.push(part("input not recorded", Role::Warning, 0));
        }
        for mark in &*recorded.marks {
            changing.push(part(mark.clone(), Role::Warning, 2));
        }
    }
    if header.not_aws {
        changing.push(part("not AWS", Role::Warning, 0));
    }
    let reason = caption::reason(scene.view, width >= 100);
    if !reason.is_empty() && !scene.busy {
        let role = match role {
            Role::Current => Role::Header,
            other => other,
        };
        // That one stepped says little; an error's name is what one looks for.
        let rank = match &header.status {
            RunStatus::Paused(Stop::Step | Stop::Start | Stop::Travel | Stop::Target) => 10,
            _ => 4,
        };
        changing.push(part(reason, role, rank));
    }
    if let Some(touched) = caption::touched(header.touched) {
        changing.push(part(touched, Role::Warning, 2));
    }
    let found = scene.findings.header_part(scene.view, width);
    changing.extend(found.map(|(text, role, rank)| part(text, role, rank)));
    if model.play.is_some_and(|play| play.paused) {
        changing.push(part("play paused", Role::Info, 6));
    }
    let mut last = Vec::new();
    if header.history_id > 0 {
        let id = format!("AWS event id {}", header.history_id);
        last.push(part(id, Role::Dim, 14));
    }
    last.push(part(
        format!("clock {}", caption::clock(header.clock)),
        Role::Header,
        8,
    ));
    if let Some(case) = &header.test_case {
        last.push(part(format!("case {case}"), Role::Header, 13));
    }
    // What is as most are is dropped first.
    last.push(match scene.definition.machine_type {
        MachineType::Express => part("EXPRESS", Role::Header, 9),
        _ => part("STANDARD", Role::Dim, 17),
    });
    if scene.watching {
        last.push(part("watching", Role::Dim, 16));
    }
    let profile = caption::profile(header.profile);
    let profile = match width {
        100.. => format!("profile {profile}"),
        _ => profile.to_owned(),
    };
    last.push(part(profile, Role::Header, 7));
    Parts {
        fixed,
        changing,
        last,
    }
}

pub(super) fn draw(scene: &Scene, model: &Model, area: Rect, buffer: &mut Buffer) {
    let brush = scene.brush;
    let mut parts = parts(scene, model, area.width);
    let all = [&mut parts.fixed, &mut parts.changing, &mut parts.last];
    for part in all.into_iter().flatten() {
        part.text = fit(&part.text, 48, brush.glyphs.cut);
    }
    let room = usize::from(area.width) + 1;
    // The file's name is shortened before the status of the run, but never dropped.
    let taken = |parts: &Parts| -> usize {
        let cells = |part: &Part| match part.rank {
            FILE => part.text.width().min(SHORT_FILE) + 2,
            _ => part.text.width() + 2,
        };
        parts.all().map(cells).sum()
    };
    while taken(&parts) > room && parts.drop_one() {}
    let others = parts.all().filter(|part| part.rank != FILE);
    let others: usize = others.map(|part| part.text.width() + 2).sum();
    if let Some(file) = parts.fixed.iter_mut().find(|part| part.rank == FILE) {
        file.text = clip_middle(&file.text, room.saturating_sub(others + 2), brush.glyphs);
    }
    buffer.set_style(area, brush.style(Role::Header));
    let mut x = area.x.saturating_add(1);
    let mut put = |x: u16, part: &Part| -> u16 {
        let room = usize::from(area.right().saturating_sub(x));
        let style = brush.style(Role::Header).patch(brush.style(part.role));
        let (x, _) = buffer.set_stringn(x, area.y, &part.text, room, style);
        x.saturating_add(2).min(area.right())
    };
    for part in parts.fixed.iter().chain(&parts.changing) {
        x = put(x, part);
    }
    let wide: usize = parts.last.iter().map(|part| part.text.width() + 2).sum();
    let wide = u16::try_from(wide).unwrap_or(u16::MAX).saturating_sub(1);
    let mut x = area.right().saturating_sub(wide).max(x);
    for part in &parts.last {
        x = put(x, part);
    }
}

/// The cells of the header that say what the run is doing.
#[must_use]
pub fn is_status(scene: &Scene, model: &Model, layout: &Layout, column: u16, row: u16) -> bool {
    let before: usize = parts(scene, model, layout.screen.width)
        .fixed
        .iter()
        .take_while(|part| part.rank > 0)
        .map(|part| part.text.width() + 2)
        .sum();
    row == layout.header.y && usize::from(column) <= before + 14
}
