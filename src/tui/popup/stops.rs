//! The switches for stops: on which errors, and whether on a difference between the profiles.
//!
//! It must not know how a stop is found.

use super::dialog::{Reply, open};
use crate::session::{Command, ErrorMoment, Switch};
use crate::tui::border::{Brush, put};
use crate::tui::theme::Role;
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// The switches.
#[derive(Clone, Debug)]
pub struct Stops {
    moments: Vec<ErrorMoment>,
    difference: bool,
    row: usize,
}

const ROWS: usize = 6;
const HINTS: [&str; ROWS] = [
    "error raised, before Retry and Catch",
    "a retrier takes it",
    "caught by a catcher",
    "not caught: the item, branch or run fails",
    "spec and AWS behave differently here",
    "a pattern of names: raised Payment.*",
];

impl Stops {
    /// As they are.
    #[must_use]
    pub fn new(moments: Vec<ErrorMoment>, difference: bool) -> Self {
        Self {
            moments,
            difference,
            row: 0,
        }
    }

    /// Whether a difference between the profiles stops.
    #[must_use]
    pub fn difference(&self) -> bool {
        self.difference
    }

    /// A key.
    pub fn key(&mut self, key: &KeyEvent) -> Reply {
        match key.code {
            KeyCode::Esc | KeyCode::Char('q' | 'x') => return Reply::Close,
            KeyCode::Down | KeyCode::Tab | KeyCode::Char('j') => self.row = (self.row + 1) % ROWS,
            KeyCode::Up | KeyCode::BackTab | KeyCode::Char('k') => {
                self.row = (self.row + ROWS - 1) % ROWS;
            }
            KeyCode::Char(digit @ '1'..='6') => {
                self.row = usize::from(digit as u8 - b'1');
                return self.toggle();
            }
            KeyCode::Char(' ') | KeyCode::Enter => return self.toggle(),
            _ => {}
        }
        Reply::Stay
    }

    fn toggle(&mut self) -> Reply {
        let switch = |on: bool| if on { Switch::On } else { Switch::Off };
        if self.row + 1 == ROWS {
            return Reply::Ask("stop-on raised ");
        }
        let Some(moment) = ErrorMoment::ALL.get(self.row).copied() else {
            self.difference = !self.difference;
            return Reply::Also(vec![Command::StopOnDifference(switch(self.difference))]);
        };
        let on = !self.moments.contains(&moment);
        if on {
            self.moments.push(moment);
        } else {
            self.moments.retain(|other| *other != moment);
        }
        Reply::Also(vec![Command::StopOn(moment, switch(on))])
    }

    /// Draws it.
    pub fn draw(&mut self, brush: Brush, screen: Rect, buffer: &mut Buffer) {
        let keys = "Space switch  Esc close";
        let area = open(
            brush,
            screen,
            buffer,
            (96, 8),
            "Stop when an error is",
            keys,
        );
        let names =
            ErrorMoment::ALL.map(|moment| (moment.to_string(), self.moments.contains(&moment)));
        let last = ("different on AWS".to_owned(), self.difference);
        let some = ("only some".to_owned(), false);
        for (place, (name, on)) in names.into_iter().chain([last, some]).enumerate() {
            let mark = match (on, place + 1 == ROWS) {
                (_, true) => "...",
                (true, _) => "[x]",
                (false, _) => "[ ]",
            };
            let hint = HINTS.get(place).copied().unwrap_or("");
            let style = brush.style(if place == self.row {
                Role::Selected
            } else {
                Role::Text
            });
            let row = u16::try_from(place).unwrap_or(0);
            put(
                buffer,
                area,
                row,
                &format!("{mark} {name:<17} {hint}"),
                style,
                brush,
            );
        }
    }
}
