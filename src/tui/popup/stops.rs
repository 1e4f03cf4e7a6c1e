//! The popup with switches for stops on errors and on differences between the profiles.

use super::dialog::{Reply, motion, open};
use crate::session::{Command, ErrorMoment, Switch};
use crate::tui::border::Brush;
use crate::tui::glyph::Glyphs;
use crate::tui::pane::line::Line;
use crate::tui::pane::list::{List, Rows};
use crate::tui::theme::Role;
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// The switches.
#[derive(Clone, Debug)]
pub struct Stops {
    moments: Vec<ErrorMoment>,
    difference: bool,
    list: List<usize>,
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
    /// Starts with the current settings.
    #[must_use]
    pub fn new(moments: Vec<ErrorMoment>, difference: bool) -> Self {
        Self {
            moments,
            difference,
            list: List::default(),
        }
    }

    /// True if the run stops at differences between the profiles.
    #[must_use]
    pub fn difference(&self) -> bool {
        self.difference
    }

    /// Handles a key.
    pub fn key(&mut self, key: &KeyEvent) -> Reply {
        match key.code {
            KeyCode::Esc | KeyCode::Char('q' | 'x') => return Reply::Close,
            KeyCode::Char(digit @ '1'..='6') => {
                self.list.select(usize::from(digit as u8 - b'1'));
                return self.toggle();
            }
            KeyCode::Char(' ') | KeyCode::Enter => return self.toggle(),
            _ => {
                let rows = self.rows(Glyphs::of(true));
                if let Some(motion) = motion(key, true) {
                    self.list.motion(&rows, motion);
                }
            }
        }
        Reply::Stay
    }

    fn toggle(&mut self) -> Reply {
        let switch = |on: bool| if on { Switch::On } else { Switch::Off };
        let row = self.list.selected(&self.rows(Glyphs::of(true)));
        let row = row.unwrap_or(0);
        if row + 1 == ROWS {
            return Reply::Ask("stop-on raised ");
        }
        let Some(moment) = ErrorMoment::ALL.get(row).copied() else {
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

    fn rows<'g>(&self, glyphs: &'g Glyphs) -> Rows<'g, usize> {
        let names =
            ErrorMoment::ALL.map(|moment| (moment.to_string(), self.moments.contains(&moment)));
        let last = ("different on AWS".to_owned(), self.difference);
        let some = ("only some".to_owned(), false);
        let names = names.into_iter().chain([last, some]);
        let mut rows = Rows::new(glyphs, 0);
        for (place, ((name, on), hint)) in names.zip(HINTS).enumerate() {
            let mark = match (on, place + 1 == ROWS) {
                (_, true) => "...",
                (true, _) => "[x]",
                (false, _) => "[ ]",
            };
            let text = format!("{mark} {name:<17} {hint}");
            rows.row(place, Line::new().text(text, Role::Text));
        }
        rows
    }

    /// Draws the switches.
    pub fn draw(&mut self, brush: Brush, screen: Rect, buffer: &mut Buffer) {
        let (title, keys) = ("Stop when an error is", "Space switch  Esc close");
        let area = open(brush, screen, buffer, (96, 8), title, keys);
        let rows = self.rows(brush.glyphs);
        self.list.draw(rows, (brush, true), area, buffer);
    }
}
