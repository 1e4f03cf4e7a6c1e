//! The key hints of the footer, made from the table of actions. The most useful keys come first, then those of the
//! focused pane.

use super::Scene;
use crate::session::Stop;
use crate::session::view::{RunStatus, StatePane};
use crate::tui::action::{Action, Offer, Pane, TABLE, refused};
use crate::tui::border::Pen;
use crate::tui::model::Model;
use crate::tui::pane::{BreakpointRow, Part, Tab};
use crate::tui::theme::Role;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr as _;

/// A key that the footer shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FooterKey {
    /// The action that the key triggers.
    pub action: Action,
    /// The area of the screen in which the key and its label are drawn.
    pub area: Rect,
    key: String,
    label: &'static str,
}

/// Maximum number of keys in the footer.
const KEYS: usize = 8;

/// The keys of the footer with their areas, the most useful keys first. The key for help is at the right.
#[must_use]
pub fn footer(scene: &Scene, model: &Model, area: Rect) -> Vec<FooterKey> {
    let placed = |action: Action, label: &'static str, place: &dyn Fn(u16) -> u16| {
        let key = scene.keymap.shown(action);
        let width = wide(&key, label);
        let area = Rect {
            x: place(width),
            width: width.saturating_sub(2),
            ..area
        };
        (!key.is_empty()).then_some(FooterKey {
            action,
            area,
            key,
            label,
        })
    };
    let right = |width| area.right().saturating_sub(width);
    let help = placed(Action::Help, label_of(scene, Action::Help), &right);
    let noted = note(model, area).map_or(0, |(key, label)| wide(key, label));
    let end = help.as_ref().map_or(area.right(), |help| help.area.x);
    let end = end.saturating_sub(noted);
    let mut keys = Vec::new();
    let mut x = area.x.saturating_add(1);
    for (action, label) in offered(scene, model) {
        let Some(key) = placed(action, label, &|_| x) else {
            continue;
        };
        let next = key.area.right().saturating_add(2);
        if keys.len() + 1 >= KEYS || next > end {
            break;
        }
        keys.push(key);
        x = next;
    }
    keys.extend(help);
    keys
}

/// The actions whose keys the footer offers, with their labels. The most useful action comes first.
fn offered(scene: &Scene, model: &Model) -> Vec<(Action, &'static str)> {
    let status = &scene.view.header.status;
    let past = *status == RunStatus::Past;
    let over = status.is_over();
    let asks = matches!(status, RunStatus::Paused(Stop::Ask(_)));
    let is_offered = |offer: Offer| match offer {
        Offer::Always => true,
        Offer::Stopped => !scene.busy,
        Offer::Going => !scene.busy && !over,
        // The user cannot go back from event 2, which enters the first state: before it, event 1 only starts the run.
        Offer::Behind => !scene.busy && scene.view.header.event > 2,
        Offer::Running => scene.busy,
        Offer::Asking => !scene.busy && !over && (asks || has_task(scene, model)),
        Offer::Past => past && !scene.busy,
        Offer::In(panes) => panes.contains(&model.focus) && !scene.busy,
        Offer::Never => false,
    };
    let named = |action: Action| (action, label_of(scene, action));
    let mut keys: Vec<(Action, &'static str)> = Vec::new();
    if model.play.is_some() {
        keys.push((Action::Toggle, "play or pause"));
    } else if over {
        if model.focus == Pane::State && does_something(scene, model, Action::Activate) {
            keys.push(named(Action::Activate));
        }
        let raised = scene.view.end.as_ref().is_some_and(|end| end.raised > 0);
        if raised && model.focus != Pane::State {
            keys.push((Action::FocusState, "show errors"));
        }
        keys.extend(at_the_end());
    } else if asks {
        keys.push(named(Action::Answer));
    }
    if !scene.busy {
        let about = about_value(scene, model).unwrap_or("where from");
        let place = match over {
            // After the end of the run, the key `W` comes first, because the most useful question is where the result
            // comes from.
            true => 0,
            false => keys.len() + 3,
        };
        let moves = [Action::Continue, Action::Next, Action::Step];
        keys.extend(moves.into_iter().filter(|_| !over).map(named));
        keys.insert(place.min(keys.len()), (Action::WhoWrote, about));
        keys.extend(into(scene).map(|label| (Action::FrameDown, label)));
    }
    let others = TABLE.iter().filter(|entry| {
        is_offered(entry.offer)
            && refused(entry.action, scene.view, scene.busy).is_none()
            && does_something(scene, model, entry.action)
    });
    for entry in others {
        let is_new = !keys.iter().any(|(action, _)| *action == entry.action);
        if is_new && entry.action != Action::Help {
            keys.push(named(entry.action));
        }
    }
    keys
}

/// Label of the key that goes into an item or branch; `None` unless the state pane shows a Map with items or a
/// Parallel.
fn into(scene: &Scene) -> Option<&'static str> {
    let is_past = scene.view.header.status == RunStatus::Past;
    match &scene.view.state {
        StatePane::Map {
            total, no_items, ..
        } if *total > 0 || is_past && no_items.is_none() => Some("enter item"),
        StatePane::Parallel { lanes, .. } if !lanes.is_empty() => Some("enter branch"),
        _ => None,
    }
}

/// True if a task can be answered. Considers only tasks of the shown frame, unless the list of tasks has the focus.
fn has_task(scene: &Scene, model: &Model) -> bool {
    let view = scene.view;
    let shown = view.frames.last().map(|frame| frame.frame);
    let lists = model.focus == Pane::Breakpoints && model.panes.breakpoints.tab() == Tab::Tasks;
    let waiting = view.tasks.iter().map(|task| task.ask.frame);
    let mut frames = waiting.chain(view.held.iter().map(|task| task.ask.frame));
    frames.any(|frame| lists || Some(frame) == shown)
}

/// Label of an action's key, which may depend on the situation.
fn label_of(scene: &Scene, action: Action) -> &'static str {
    match action {
        Action::Answer if scene.view.has_answer => "change answer",
        Action::FrameDown => into(scene).unwrap_or("inner frame"),
        _ => action.entry().map_or("", |entry| entry.label),
    }
}

/// Width of a key with its label and the gaps between and after them, in cells.
fn wide(key: &str, label: &str) -> u16 {
    u16::try_from(key.width() + label.width() + 3).unwrap_or(u16::MAX)
}

/// Hint about selecting text: while the program receives mouse events, the terminal selects text only with Shift.
fn note(model: &Model, area: Rect) -> Option<(&'static str, &'static str)> {
    let note = ("Shift-drag", "selects text");
    (model.mouse && area.width >= 60).then_some(note)
}

/// The actions that the footer offers at the end of the run: step back and restart.
fn at_the_end() -> [(Action, &'static str); 2] {
    [
        (Action::ReverseNext, "previous state"),
        (Action::Restart, "restart"),
    ]
}

/// Label of the key `W`, if the error at the cursor allows a more specific label than the usual `where from`.
fn about_value(scene: &Scene, model: &Model) -> Option<&'static str> {
    let view = scene.view;
    let lost = (view.missing.as_ref()).is_some_and(|absent| absent.leads_on());
    if view.data.fault.is_some() && lost {
        return Some("go to the loss");
    }
    view.led.as_ref()?;
    let part = model.panes.data.part(&scene.paint(model, Pane::Data))?;
    (part == Part::Error).then_some("go to the cause")
}

/// False if the action needs a selection in the focused pane and nothing suitable is selected there.
fn does_something(scene: &Scene, model: &Model, action: Action) -> bool {
    let panes = &model.panes;
    match (model.focus, action) {
        (Pane::Data, Action::Edit) => {
            let part = panes.data.part(&scene.paint(model, Pane::Data));
            matches!(part, Some(Part::Stage(_)))
        }
        (Pane::State, Action::Activate) => {
            let paint = scene.paint(model, Pane::State);
            panes.state.selected(&paint).is_some()
        }
        (Pane::Breakpoints, _) => {
            let row = panes
                .breakpoints
                .selected(&scene.paint(model, Pane::Breakpoints));
            let is_breakpoint = matches!(row, Some(BreakpointRow::Breakpoint(_)));
            let is_watch = matches!(row, Some(BreakpointRow::Watch(_)));
            match action {
                Action::Toggle | Action::EditBreak => is_breakpoint,
                Action::Remove => is_breakpoint || is_watch,
                Action::Activate => row.is_some() && !is_watch,
                _ => true,
            }
        }
        _ => true,
    }
}

pub(super) fn draw(scene: &Scene, model: &Model, area: Rect, buffer: &mut Buffer) {
    let brush = scene.brush;
    let mut put = |x: u16, key: &str, label: &str| {
        let mut pen = Pen::new(Rect { x, ..area }, area.y, buffer);
        pen.end = area.right();
        pen.put(key, brush.style(Role::Key));
        pen.skip(1);
        pen.put(label, brush.style(Role::Dim));
    };
    let keys = footer(scene, model, area);
    for key in &keys {
        put(key.area.x, &key.key, key.label);
    }
    if let Some((key, label)) = note(model, area) {
        let end = keys.last().map_or(area.right(), |help| help.area.x);
        put(end.saturating_sub(wide(key, label)), key, label);
    }
}
