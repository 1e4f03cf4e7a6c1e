//! The keys that are offered: what is worth doing here first, then those of the focus, printed from the table.
//!
//! It must not know what a key does.

use super::Scene;
use crate::definition::{StateKind, Unit};
use crate::session::Stop;
use crate::session::view::RunStatus;
use crate::tui::action::{Action, Offer, Pane, TABLE};
use crate::tui::layout::Arrangement;
use crate::tui::model::Model;
use crate::tui::pane::{Part, Tab};
use crate::tui::theme::Role;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr as _;

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
        Offer::Asking => !scene.busy && !over && (asks || has_task(scene, model)),
        Offer::Past => past && !scene.busy,
        Offer::In(panes) => panes.contains(&model.focus) && !scene.busy,
        Offer::Never => false,
    };
    let key = |action: Action| scene.keymap.shown(action);
    let label = |action: Action| label_of(scene, action);
    let ending = ending(scene);
    let noted = match note(model, area) {
        Some((key, label)) => wide(key, label),
        None => 0,
    };
    let mut keys = Vec::new();
    let (mut x, mut row) = (area.x.saturating_add(1), 0_u16);
    let bottom = area.height.saturating_sub(1);
    let first = match (over, asks, plays) {
        (_, _, true) => vec![(Action::Toggle, "play or pause")],
        (true, ..) => at_the_end(scene, model),
        (_, true, _) => vec![(Action::Answer, label(Action::Answer))],
        _ if model.focus == Pane::State => at_a_rule(scene, model),
        _ => at_an_error(scene, model),
    };
    let inside = scene.view.frames.len() > 1 && !scene.busy;
    let sibling = sibling(scene);
    let others = TABLE.iter().filter(|entry| {
        !first.iter().any(|(action, _)| *action == entry.action)
            && is_offered(entry.offer)
            && does_something(scene, model, entry.action, area)
    });
    let others = others.flat_map(|entry| {
        let own = key(entry.action).map(|key| (entry.action, key, label(entry.action)));
        // What moves among items and branches follows what runs them.
        let moves = [
            (Action::PreviousSibling, Action::NextSibling, sibling),
            (Action::FrameUp, Action::FrameDown, "frame out, in"),
        ];
        let moves = moves.into_iter().filter_map(move |(one, other, label)| {
            let keys = format!("{} {}", key(one)?, key(other)?);
            (inside && entry.action == Action::Finish).then_some((other, keys, label))
        });
        own.into_iter().chain(moves)
    });
    let firsts = first
        .iter()
        .filter_map(|(action, label)| Some((*action, key(*action)?, *label)));
    for (action, key, words) in firsts.chain(others) {
        if LAST.contains(&action) {
            continue;
        }
        let width = wide(&key, words);
        // The two blanks behind the last key of a line may fall off its edge.
        let end = if row == bottom {
            area.right().saturating_sub(ending + noted)
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
            action,
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
    for action in LAST {
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

/// Whether there is a task to answer in the frame that is looked at, or in the list of all.
fn has_task(scene: &Scene, model: &Model) -> bool {
    let view = scene.view;
    let own = view.frames.last().map(|frame| frame.frame);
    let lists = model.focus == Pane::Breakpoints && model.panes.breakpoints.tab() == Tab::Tasks;
    let waiting = view.tasks.iter().map(|task| task.ask.frame);
    let mut frames = waiting.chain(view.held.iter().map(|task| task.ask.frame));
    frames.any(|frame| lists || Some(frame) == own)
}

/// What a key does here.
fn label_of(scene: &Scene, action: Action) -> &'static str {
    match action {
        Action::Answer if scene.view.has_answer => "change answer",
        _ => action.entry().map_or("", |entry| entry.label),
    }
}

/// What runs beside the frame in focus.
fn sibling(scene: &Scene) -> &'static str {
    let outer = scene.view.frames.iter().nth_back(1);
    let outer = outer.and_then(|frame| scene.definition.state(frame.state?));
    match outer.map(|state| &state.kind) {
        Some(StateKind::Map(map)) => match map.unit() {
            Unit::Item => "other item",
            Unit::Batch => "other batch",
        },
        _ => "other branch",
    }
}

/// The last keys of the footer.
const LAST: [Action; 2] = [Action::Help, Action::Quit];

/// The cells of a key, with the blanks behind it.
fn wide(key: &str, label: &str) -> u16 {
    u16::try_from(key.width() + label.width() + 3).unwrap_or(u16::MAX)
}

/// The cells that the last keys take.
fn ending(scene: &Scene) -> u16 {
    let entries = LAST.iter().filter_map(|action| action.entry());
    let keys = entries.filter_map(|entry| {
        let key = scene.keymap.shown(entry.action)?;
        Some(wide(&key, entry.label))
    });
    keys.sum()
}

/// What stands before the last keys: while the mouse works here, the terminal selects text only so.
fn note(model: &Model, area: Rect) -> Option<(&'static str, &'static str)> {
    let note = ("Shift-drag", "selects text");
    (model.mouse && area.width >= 60).then_some(note)
}

/// After the end one asks how it came to it.
fn at_the_end(scene: &Scene, model: &Model) -> Vec<(Action, &'static str)> {
    let timed_out = scene.view.header.status == RunStatus::TimedOut;
    let look = match timed_out {
        true => "look at who was waiting",
        false => "look at the previous state",
    };
    let mut keys = vec![
        (Action::ReverseNext, "state back"),
        (Action::PreviousState, look),
    ];
    if model.focus == Pane::Data {
        keys.extend(about_value(scene, model));
    }
    keys.push((Action::ReverseContinue, "back to stop"));
    keys.push((Action::Restart, "restart"));
    keys
}

/// At a rule of a Choice one asks where what it looks at comes from.
fn at_a_rule(scene: &Scene, model: &Model) -> Vec<(Action, &'static str)> {
    let asks = asks(scene, model);
    let from = (Action::WhoWrote, "where from");
    asks.then_some(from).into_iter().collect()
}

/// Whether what is selected in the state pane looks at a value.
fn asks(scene: &Scene, model: &Model) -> bool {
    let paint = scene.paint(model, Pane::State);
    !scene.busy && model.panes.state.test(&paint).is_some()
}

/// At an error one asks for its cause.
fn at_an_error(scene: &Scene, model: &Model) -> Vec<(Action, &'static str)> {
    let view = scene.view;
    if scene.busy || model.focus != Pane::Data || view.data.fault.is_none() {
        return Vec::new();
    }
    let own = about_value(scene, model);
    match &view.missing {
        Some(absent) if absent.leads_on() => vec![(Action::WhoWrote, "where it was lost")],
        _ => own.filter(|_| view.led.is_some()).into_iter().collect(),
    }
}

/// What there is to ask of the selected value; nothing where the row has none.
fn about_value(scene: &Scene, model: &Model) -> Option<(Action, &'static str)> {
    let selected = model.panes.data.selected(&scene.paint(model, Pane::Data))?;
    let led = scene.view.led.is_some() && selected.part == Part::Error;
    let label = if led { "what led here" } else { "where from" };
    Some((Action::WhoWrote, label))
}

/// Whether a key that is offered for a pane has something to work on there.
fn does_something(scene: &Scene, model: &Model, action: Action, footer: Rect) -> bool {
    let panes = &model.panes;
    match (model.focus, action) {
        (Pane::Data, Action::WhoWrote) => about_value(scene, model).is_some(),
        (Pane::Graph, Action::View) => {
            model.present || Arrangement::of(footer.width, footer.bottom()).has_boxes()
        }
        (Pane::State, Action::Activate) => {
            let paint = scene.paint(model, Pane::State);
            panes.state.selected(&paint).is_some()
        }
        (Pane::State, Action::WhoWrote) => asks(scene, model),
        (Pane::Breakpoints, Action::Toggle | Action::EditBreak) => {
            panes.breakpoints.tab() == Tab::Break && !scene.view.breakpoints.is_empty()
        }
        (Pane::Breakpoints, Action::Remove) => match panes.breakpoints.tab() {
            Tab::Break => !scene.view.breakpoints.is_empty(),
            Tab::Watch => !scene.view.watches.is_empty(),
            Tab::Frames | Tab::Tasks | Tab::Mocks | Tab::Findings => false,
        },
        (Pane::Breakpoints, Action::Activate) => match panes.breakpoints.tab() {
            Tab::Break => !scene.view.breakpoints.is_empty(),
            Tab::Watch => false,
            Tab::Frames => !scene.view.frames.is_empty(),
            Tab::Findings => !scene.findings.rows().is_empty(),
            Tab::Tasks => !scene.view.tasks.is_empty(),
            Tab::Mocks => !scene.view.to_come.entries.is_empty(),
        },
        _ => true,
    }
}

pub(super) fn draw(scene: &Scene, model: &Model, area: Rect, buffer: &mut Buffer) {
    let brush = scene.brush;
    let mut put = |at: (u16, u16), key: &str, label: &str| {
        let room = usize::from(area.right().saturating_sub(at.0));
        let (x, _) = buffer.set_stringn(at.0, at.1, key, room, brush.style(Role::Key));
        let room = usize::from(area.right().saturating_sub(x)).saturating_sub(1);
        let style = brush.style(Role::Dim);
        buffer.set_stringn(x.saturating_add(1), at.1, label, room, style);
    };
    for key in footer(scene, model, area) {
        put((key.area.x, key.area.y), &key.key, key.label);
    }
    if let Some((key, label)) = note(model, area) {
        let x = area
            .right()
            .saturating_sub(ending(scene) + wide(key, label));
        put((x, area.bottom().saturating_sub(1)), key, label);
    }
}
