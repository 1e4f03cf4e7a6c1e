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
use crate::tui::caption;
use crate::tui::fit::{clip, clip_middle};
use crate::tui::layout::Layout;
use crate::tui::model::Model;
use crate::tui::theme::Role;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr as _;

/// Rank of the file's name.
const FILE: u8 = 1;
/// The file's name is cut down to this many cells before other parts are dropped; to the fewer before what names an error is.
const SHORT_FILE: usize = 16;
const SHORTEST_FILE: usize = 10;
/// Parts above this rank are dropped before the file's name is cut down to the fewer cells.
const SMALL: u8 = 4;
/// Cells of the longest status.
const STATUS: usize = 9;

/// One part in its forms, the most telling first; if they do not fit, the form of the highest rank gives way first, to the
/// next one or to nothing.
struct Part {
    forms: Vec<(String, u8)>,
    /// How many of them gave way.
    gone: usize,
    role: Role,
}

fn part(text: impl Into<String>, role: Role, rank: u8) -> Part {
    Part {
        forms: vec![(text.into(), rank)],
        gone: 0,
        role,
    }
}

impl Part {
    fn text(&self) -> &str {
        self.forms.get(self.gone).map_or("", |(text, _)| text)
    }

    fn is_shown(&self) -> bool {
        self.gone < self.forms.len()
    }

    fn rank(&self) -> u8 {
        self.forms.get(self.gone).map_or(0, |(_, rank)| *rank)
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
        let all = self.fixed.iter().chain(&self.changing).chain(&self.last);
        all.filter(|part| part.is_shown())
    }

    /// What gave way and fits beside what is left comes back, what matters most first.
    fn fill(&mut self, room: usize) {
        while self.bring_back_one(room) {}
    }

    /// Brings back the longer form of the lowest rank that there is room for; whether there was one.
    fn bring_back_one(&mut self, room: usize) -> bool {
        let lists = [&self.fixed, &self.changing, &self.last];
        let gone = lists.iter().enumerate().flat_map(|(list, parts)| {
            let before = |part: &Part| Some(part.forms.get(part.gone.checked_sub(1)?)?.1);
            let gone = parts.iter().enumerate();
            gone.filter_map(move |(place, part)| Some((before(part)?, list, place)))
        });
        let mut gone: Vec<(u8, usize, usize)> = gone.collect();
        gone.sort_unstable();
        for (_, list, place) in gone {
            self.part_at(list, place, |part| part.gone -= 1);
            if self.cells() <= room {
                return true;
            }
            self.part_at(list, place, |part| part.gone += 1);
        }
        false
    }

    fn part_at(&mut self, list: usize, place: usize, change: impl Fn(&mut Part)) {
        let lists = [&mut self.fixed, &mut self.changing, &mut self.last];
        let part = lists
            .into_iter()
            .nth(list)
            .and_then(|own| own.get_mut(place));
        if let Some(part) = part {
            change(part);
        }
    }

    /// Drops the form of the highest rank above that of the file's name; whether there was one.
    fn drop_one(&mut self) -> bool {
        let worst = self.worst();
        for list in [&mut self.last, &mut self.changing, &mut self.fixed] {
            let mut parts = list.iter_mut().rev();
            let part = parts.find(|part| part.is_shown() && part.rank() == worst);
            if let Some(part) = part.filter(|_| worst > FILE) {
                part.gone += 1;
                return true;
            }
        }
        false
    }

    fn worst(&self) -> u8 {
        self.all().map(Part::rank).max().unwrap_or(0)
    }

    /// Cells that they take, the file's name cut down as far as it is by then.
    fn cells(&self) -> usize {
        let short = match self.worst() > SMALL {
            true => SHORT_FILE,
            false => SHORTEST_FILE,
        };
        let cells = |part: &Part| match part.rank() {
            FILE => part.text().width().min(short) + 2,
            _ => part.text().width() + 2,
        };
        self.all().map(cells).sum()
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
    if !scene.busy {
        let role = match role {
            Role::Current => Role::Header,
            other => other,
        };
        changing.extend(reason(scene, role));
    }
    if let Some(touched) = caption::touched(header.touched) {
        changing.push(part(touched, Role::Warning, 2));
    }
    if let Some((texts, role)) = scene.findings.header_part(scene.view, scene.definition) {
        // Its line is where one goes on; the fewest words are left beside the name of an error.
        let forms = texts.into_iter().zip([4, 3, 3]).collect();
        changing.push(Part {
            forms,
            gone: 0,
            role,
        });
    }
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

/// Why it stands; what an error is called goes before how it came about is left away.
fn reason(scene: &Scene, role: Role) -> Option<Part> {
    let status = &scene.view.header.status;
    let (words, name) = caption::reason(scene.view);
    // That one stepped says little.
    let rank = match status {
        RunStatus::Paused(Stop::Step | Stop::Start | Stop::Travel | Stop::Target) => 10,
        _ => 4,
    };
    let forms = match (words.is_empty(), name) {
        (true, None) => return None,
        (true, Some(name)) => vec![(name.to_owned(), 2)],
        (false, None) => vec![(words, rank)],
        (false, Some(name)) => {
            // The error comes first, what AWS calls it behind it.
            let whole = match status {
                RunStatus::Paused(Stop::ProfilesDiffer(_)) => format!("{name}, {words}"),
                _ => format!("{words}: {name}"),
            };
            let whole = (whole, 7);
            let mut forms = vec![whole, (name.to_owned(), 2)];
            if words.width() < name.width() {
                forms.push((words, 2));
            }
            forms
        }
    };
    Some(Part {
        forms,
        gone: 0,
        role,
    })
}

/// The parts that a line of so many columns has room for, the file's name as long as can be.
fn fitting(scene: &Scene, model: &Model, width: u16) -> Parts {
    let brush = scene.brush;
    let mut parts = parts(scene, model, width);
    let all = [&mut parts.fixed, &mut parts.changing, &mut parts.last];
    for part in all.into_iter().flatten() {
        for (text, _) in &mut part.forms {
            *text = clip(text, 48, brush.glyphs);
        }
    }
    let room = usize::from(width) + 1;
    while parts.cells() > room && parts.drop_one() {}
    parts.fill(room);
    let others = parts.all().filter(|part| part.rank() != FILE);
    let others: usize = others.map(|part| part.text().width() + 2).sum();
    let mut fixed = parts.fixed.iter_mut().flat_map(|part| &mut part.forms);
    if let Some((file, _)) = fixed.find(|(_, rank)| *rank == FILE) {
        *file = clip_middle(file, room.saturating_sub(others + 2), brush.glyphs);
    }
    parts
}

pub(super) fn draw(scene: &Scene, model: &Model, area: Rect, buffer: &mut Buffer) {
    let brush = scene.brush;
    let parts = fitting(scene, model, area.width);
    buffer.set_style(area, brush.style(Role::Header));
    let mut x = area.x.saturating_add(1);
    let mut put = |x: u16, part: &Part| -> u16 {
        let room = usize::from(area.right().saturating_sub(x));
        let style = brush.style(Role::Header).patch(brush.style(part.role));
        let (x, _) = buffer.set_stringn(x, area.y, part.text(), room, style);
        x.saturating_add(2).min(area.right())
    };
    let shown = parts.fixed.iter().chain(&parts.changing);
    for part in shown.filter(|part| part.is_shown()) {
        x = put(x, part);
    }
    let last = || parts.last.iter().filter(|part| part.is_shown());
    let wide: usize = last().map(|part| part.text().width() + 2).sum();
    let wide = u16::try_from(wide).unwrap_or(u16::MAX).saturating_sub(1);
    let mut x = area.right().saturating_sub(wide).max(x);
    for part in last() {
        x = put(x, part);
    }
}

/// The cells of the header that say what the run is doing.
#[must_use]
pub fn is_status(scene: &Scene, model: &Model, layout: &Layout, column: u16, row: u16) -> bool {
    let before: usize = fitting(scene, model, layout.screen.width)
        .fixed
        .iter()
        .filter(|part| part.is_shown())
        .take_while(|part| part.rank() > 0)
        .map(|part| part.text().width() + 2)
        .sum();
    row == layout.header.y && usize::from(column) <= before + 14
}
