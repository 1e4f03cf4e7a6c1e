//! The header line: the file, the frame, the status of the run, the event, remarks and the clock.

use super::Scene;
use crate::definition::MachineType;
use crate::query::Profile;
use crate::session::Stop;
use crate::session::view::{RunStatus, StateStatus};
use crate::source::SourceId;
use crate::tui::action::Action;
use crate::tui::border::Pen;
use crate::tui::fit::{clip, clip_middle, width};
use crate::tui::layout::Layout;
use crate::tui::model::Model;
use crate::tui::pane::line::cells;
use crate::tui::theme::Role;
use crate::tui::{caption, whereabouts};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Width of the longest word for a status, in cells.
const STATUS: usize = 9;
/// Maximum width of a remark, in cells.
const LONGEST: usize = 48;
/// Minimum width of the screen, in columns, at which the remark about findings also names the key that lists them.
const WIDE: u16 = 100;

/// Maximum number of remarks that the header shows.
const MORE: usize = 2;

/// The texts of the header line: the file name, then the texts that follow it with their style roles, and the text at
/// the right edge.
struct Parts {
    file: String,
    left: Vec<(String, Role)>,
    right: String,
}

/// Symbol and word for the status of the run, as one text, and the style role of this text.
fn status(scene: &Scene, model: &Model, width: u16) -> (String, Role) {
    let header = &scene.view.header;
    let glyphs = scene.brush.glyphs;
    let status = match scene.busy {
        true => &RunStatus::Running,
        false => &header.status,
    };
    let (word, sign, role) = caption::status(status, glyphs);
    let raised = glyphs.status(StateStatus::ErrorRaised).trim_end();
    // A run that continued although AWS would have failed it is shown with a warning, even if it succeeded.
    let is_run_on = (scene.view.end.as_ref()).is_some_and(|end| !end.run_on.is_empty());
    let (sign, role) = match status {
        RunStatus::Succeeded { .. } if is_run_on => (raised, Role::Warning),
        RunStatus::Paused(Stop::ProfilesDiffer(_)) if scene.view.data.fault.is_some() => {
            (raised, Role::Raised)
        }
        _ => (sign, role),
    };
    let plays = model.play.is_some_and(|play| !play.paused);
    let (word, role) = match status {
        RunStatus::Paused(_) if plays => ("PLAYING", Role::Running),
        _ => (word, role),
    };
    let signs = if glyphs.ascii { 3 } else { 2 };
    let text = match width {
        64.. => format!("{sign:<signs$}{word:<STATUS$}"),
        _ => format!("{sign} {word}"),
    };
    (text, role)
}

/// Remarks about anything unusual, the most important first, with their style roles.
fn remarks(scene: &Scene, model: &Model, columns: u16) -> Vec<(String, Role)> {
    let header = &scene.view.header;
    let mut parts = Vec::new();
    let mut put = |text: String, role| parts.push((text, role));
    if let Some(execution) = scene.execution {
        let execution = clip(execution, LONGEST, scene.brush.glyphs);
        put(execution, Role::Warning);
    }
    if let Some(parent) = scene.child_of {
        let parent = clip(parent, LONGEST, scene.brush.glyphs);
        put(format!("child of {parent}"), Role::Warning);
    }
    if header.not_aws {
        put("unlike AWS".to_owned(), Role::Warning);
    }
    if let Some(recorded) = &scene.view.recorded {
        let (text, role) = match &recorded.difference {
            None if recorded.is_skeleton => ("recorded, no definition".to_owned(), Role::Info),
            None if recorded.follows => ("follows the recording".to_owned(), Role::Info),
            None => ("recorded".to_owned(), Role::Info),
            Some(difference) => {
                let event = difference
                    .event
                    .map_or_else(String::new, |id| format!(" #{id}"));
                (format!("differs from recording{event}"), Role::Changed)
            }
        };
        put(text, role);
        if recorded.lacks_input {
            put("input not recorded".to_owned(), Role::Warning);
        }
        for mark in &*recorded.marks {
            put(mark.clone(), Role::Warning);
        }
    }
    if let Some(touched) = whereabouts::touched(header.touched) {
        put(touched, Role::Warning);
    }
    match header.calls {
        0 => {}
        1 => put("1 real call".to_owned(), Role::Warning),
        calls => put(format!("{calls} real calls"), Role::Warning),
    }
    let key = match columns >= WIDE {
        true => scene.keymap.shown(Action::Findings),
        false => String::new(),
    };
    if let Some((text, role)) = scene
        .findings
        .header_part(scene.view, scene.definition, &key)
    {
        put(text, role);
    }
    if model.play.is_some_and(|play| play.paused) {
        put("playback paused".to_owned(), Role::Info);
    }
    if header.profile != Profile::default() {
        let profile = caption::profile(header.profile);
        put(format!("profile {profile}"), Role::Info);
    }
    if scene.definition.machine_type == MachineType::Express {
        put("EXPRESS".to_owned(), Role::Info);
    }
    if header.history_id > 0 && scene.view.recorded.is_some() {
        let id = header.history_id;
        put(format!("AWS event id {id}"), Role::Dim);
    }
    if header.run > 1 {
        put(format!("run {run}", run = header.run), Role::Dim);
    }
    if let Some(test_case) = &header.test_case {
        put(format!("case {test_case}"), Role::Dim);
    }
    parts
}

/// The texts of the header for this many columns. If there is too little room, the clock and remarks are left out, and
/// the file name is cut.
fn fitting(scene: &Scene, model: &Model, columns: u16) -> Parts {
    let header = &scene.view.header;
    let glyphs = scene.brush.glyphs;
    let digits = header.event_count.to_string().len().max(2);
    let event = format!("event {}/{}", header.event, header.event_count);
    let wide = "event /".len() + 2 * digits;
    let mut left = vec![
        status(scene, model, columns),
        (format!("{event:<wide$}"), Role::Header),
    ];
    if scene.view.frames.len() > 1 {
        let frame = clip(&header.frame, LONGEST, glyphs);
        left.push((format!("in {frame}"), Role::Header));
    }
    let mut right = caption::clock(header.clock);
    let fixed = left.len();
    left.extend(remarks(scene, model, columns).into_iter().take(MORE));
    let file = match scene.text.machine {
        Some(machine) if columns < 100 => crate::json::visible(machine).into_owned(),
        _ => scene.text.title(SourceId(0)),
    };
    let room = usize::from(columns.saturating_sub(1));
    let taken = |left: &[(String, Role)], right: &str| -> usize {
        left.iter().map(|(text, _)| cells_of(text)).sum::<usize>() + cells_of(right)
    };
    let least = width(&file).min(16) + 2;
    if left.len() > fixed + 1 && taken(&left, &right) + least > room {
        left.pop();
    }
    if taken(&left, &right) + least > room {
        right.clear();
    }
    while left.len() > fixed && taken(&left, &right) + least > room {
        left.pop();
    }
    if taken(&left, &right) + least > room {
        left.truncate(1);
    }
    let cells = room.saturating_sub(taken(&left, &right) + 2);
    Parts {
        file: clip_middle(&file, cells.min(LONGEST), glyphs),
        left,
        right,
    }
}

/// Width of a text of the header and the gap after it, in cells.
fn cells_of(text: &str) -> usize {
    match width(text) {
        0 => 0,
        cells => cells + 2,
    }
}

pub(super) fn draw(scene: &Scene, model: &Model, area: Rect, buffer: &mut Buffer) {
    let brush = scene.brush;
    let parts = fitting(scene, model, area.width);
    buffer.set_style(area, brush.style(Role::Header));
    let mut pen = Pen::new(area, area.y, buffer);
    pen.skip(1);
    let put = |pen: &mut Pen, text: &str, role: Role| {
        pen.put(text, brush.style(Role::Header).patch(brush.style(role)));
        pen.skip(2);
    };
    put(&mut pen, &parts.file, Role::Title);
    for (text, role) in &parts.left {
        put(&mut pen, text, *role);
    }
    let at = area.right().saturating_sub(cells(width(&parts.right)) + 1);
    pen.x = pen.x.max(at);
    put(&mut pen, &parts.right, Role::Header);
}

/// True if a cell of the header belongs to the status.
#[must_use]
pub fn is_status(scene: &Scene, model: &Model, layout: &Layout, column: u16, row: u16) -> bool {
    let parts = fitting(scene, model, layout.screen.width);
    let before = 1 + cells_of(&parts.file);
    let wide = parts.left.first().map_or(0, |(text, _)| width(text));
    let column = usize::from(column);
    row == layout.header.y && (before..before + wide).contains(&column)
}
