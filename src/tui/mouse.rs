//! Handles clicks, the wheel and dragging. The areas of the last drawing tell what is under the mouse pointer.

use super::action::{Action, Pane};
use super::app::{App, scene};
use super::layout::{Place, holds};
use super::pane::Click;
use super::prompt::Order;
use super::view;
use crate::definition::StateId;
use crate::session::Command;
use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use std::time::{Duration, Instant};

/// Number of rows that one notch of the wheel scrolls.
const NOTCH: i32 = 3;
/// Maximum time between the two clicks of a double click.
const DOUBLE: Duration = Duration::from_millis(400);

impl App {
    /// Handles a mouse event.
    pub(super) fn mouse(&mut self, mouse: MouseEvent) {
        let (column, row) = (mouse.column, mouse.row);
        match mouse.kind {
            MouseEventKind::ScrollUp => self.wheel(column, row, -NOTCH),
            MouseEventKind::ScrollDown => self.wheel(column, row, NOTCH),
            _ if self.model.popup.is_some() || self.model.prompt.is_some() => {}
            MouseEventKind::Down(MouseButton::Left) => self.press(column, row),
            MouseEventKind::Drag(MouseButton::Left) => self.drag(column, row),
            MouseEventKind::Up(MouseButton::Left) => self.model.drag = None,
            _ => {}
        }
    }

    /// Scrolls the open popup; otherwise scrolls the pane under the mouse pointer, even if another pane has the focus.
    fn wheel(&mut self, column: u16, row: u16, rows: i32) {
        if let Some(popup) = &mut self.model.popup {
            popup.scroll(rows);
            return;
        }
        let Some(place) = self.layout.hit(column, row) else {
            return;
        };
        self.change(place.pane, |panes, paint| {
            panes.pane(place.pane).scroll(paint, rows);
        });
    }

    fn press(&mut self, column: u16, row: u16) {
        self.model.message = None;
        let (pressed, on_status) = {
            scene!(self, scene);
            let keys = view::footer(&scene, &self.model, self.layout.footer);
            let pressed = keys.iter().find(|key| holds(key.area, column, row));
            let on_status = view::is_status(&scene, &self.model, &self.layout, column, row);
            (pressed.map(|key| key.action), on_status)
        };
        if let Some(action) = pressed {
            self.order(&Order::plain(action));
        } else if on_status {
            let action = match self.is_at_work() {
                true => Action::Pause,
                false => Action::Continue,
            };
            self.order(&Order::plain(action));
        } else if let Some(pane) = self.layout.hit_tab(column, row) {
            self.model.focus_on(pane);
        } else if let Some(place) = self.layout.hit(column, row) {
            self.model.focus_on(place.pane);
            if holds(place.inner, column, row) {
                self.click(place, column, row);
            } else {
                self.model.drag = Some((place.pane, column, row));
            }
        }
    }

    fn click(&mut self, place: Place, column: u16, row: u16) {
        let at = ratatui::layout::Position::new(column, row);
        let click = self.change(place.pane, |panes, paint| {
            panes.pane(place.pane).click(paint, place.inner, at)
        });
        match click {
            Click::Folded if place.pane == Pane::Source => {
                self.order(&Order::plain(Action::Break));
            }
            Click::Event(event) => self.apply(Command::Travel(event)),
            Click::Breakpoint(id) => self.apply(Command::SwitchBreak(id)),
            Click::Frame(frame) => self.apply(Command::Focus(frame)),
            Click::State(state) => {
                let now = Instant::now();
                let is_again = |(before, at): (StateId, Instant)| {
                    before == state && now.duration_since(at) < DOUBLE
                };
                let again = self.model.clicked.is_some_and(is_again);
                self.model.clicked = Some((state, now));
                if again {
                    self.apply(Command::ToggleBreak(state));
                    self.model.clicked = None;
                }
            }
            Click::Nothing | Click::Selected | Click::Folded => {}
        }
    }

    /// Makes the pane larger or smaller while its border is dragged to the mouse position.
    fn drag(&mut self, column: u16, row: u16) {
        let Some((pane, from_column, from_row)) = self.model.drag else {
            return;
        };
        let Some(place) = self.layout.place(pane) else {
            return;
        };
        let is_left = from_column == place.outer.x;
        let is_top = from_row == place.outer.y;
        let moved = |now: u16, before: u16| i32::from(now) - i32::from(before);
        let wide = moved(column, from_column) * if is_left { -1 } else { 1 };
        let high = moved(row, from_row) * if is_top { -1 } else { 1 };
        let by = wide / 2 + high;
        if by != 0 {
            self.model.sizes.grow(pane, i16::try_from(by).unwrap_or(0));
            self.model.drag = Some((pane, column, row));
        }
    }
}
