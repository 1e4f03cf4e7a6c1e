//! The form for a breakpoint's condition, hit count and message.

use super::dialog::{Dialog, Reply, draw_field, motion, open};
use crate::session::view::BreakpointView;
use crate::session::{Breakpoint, BreakpointId, Command, ErrorMoment, Switch, check_condition};
use crate::tui::border::{Brush, put};
use crate::tui::glyph::Glyphs;
use crate::tui::line::Line;
use crate::tui::pane::line::Line as Row;
use crate::tui::pane::list::{List, Rows};
use crate::tui::theme::Role;
use crate::wording;
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// The form in which the user edits a breakpoint.
#[derive(Clone, Debug)]
pub struct BreakpointForm {
    replaces: Option<BreakpointId>,
    breakpoint: Breakpoint,
    fields: [Line; 3],
    field: usize,
    problem: String,
}

const LABELS: [&str; 3] = ["if  ", "hits", "log "];
const HINTS: [&str; 3] = [
    "stops only if this condition is true, such as $.total > 100, attempt >= 3, $error.Error == \"X\"",
    "stops only from the hit with this number on; if empty, at every hit",
    "logs this text instead of stopping; {$.id} becomes the value of $.id",
];

impl BreakpointForm {
    /// Creates the form for an existing breakpoint.
    #[must_use]
    pub fn edit(view: &BreakpointView) -> Self {
        Self {
            replaces: Some(view.id),
            ..Self::new(view.breakpoint.clone())
        }
    }

    /// Creates the form for a new breakpoint.
    #[must_use]
    pub fn new(breakpoint: Breakpoint) -> Self {
        let hits = match breakpoint.hit_count {
            0 => String::new(),
            count => count.to_string(),
        };
        Self {
            replaces: None,
            fields: [
                Line::new(breakpoint.condition.as_deref().unwrap_or("")),
                Line::new(&hits),
                Line::new(breakpoint.log_message.as_deref().unwrap_or("")),
            ],
            breakpoint,
            field: 0,
            problem: String::new(),
        }
    }

    fn turn(&mut self, steps: usize) {
        self.field = (self.field + steps) % self.fields.len();
    }

    fn wrong(&mut self, field: usize, problem: String) -> Reply {
        (self.field, self.problem) = (field, problem);
        Reply::Stay
    }

    fn done(&mut self) -> Reply {
        let [condition, hits, log] = self
            .fields
            .each_ref()
            .map(|line| line.text().trim().to_owned());
        let count = match hits.as_str() {
            "" => Ok(0),
            hits => hits.parse::<u64>(),
        };
        let Ok(hit_count) = count else {
            return self.wrong(
                1,
                format!("{hits} is not a number; enter the number of a hit"),
            );
        };
        if !condition.is_empty()
            && let Err(problem) = check_condition(&condition, true)
        {
            return self.wrong(0, problem);
        }
        let some = |text: String| (!text.is_empty()).then(|| text.into());
        let breakpoint = Breakpoint {
            condition: some(condition),
            hit_count,
            log_message: some(log),
            ..self.breakpoint.clone()
        };
        Reply::Do(vec![match self.replaces {
            Some(id) => Command::ChangeBreak(id, breakpoint),
            None => Command::Break(breakpoint),
        }])
    }
}

impl Dialog for BreakpointForm {
    fn key(&mut self, key: &KeyEvent) -> Reply {
        self.problem.clear();
        match key.code {
            KeyCode::Esc => return Reply::Close,
            KeyCode::Enter => return self.done(),
            KeyCode::Tab | KeyCode::Down => self.turn(1),
            KeyCode::BackTab | KeyCode::Up => self.turn(self.fields.len() - 1),
            _ => {
                if let Some(line) = self.fields.get_mut(self.field) {
                    line.key(key);
                }
            }
        }
        Reply::Stay
    }

    fn paste(&mut self, text: &str) {
        if let Some(line) = self.fields.get_mut(self.field) {
            line.insert(text);
        }
    }

    fn draw(&mut self, brush: Brush, screen: Rect, buffer: &mut Buffer) {
        let title = format!("Break: {at}", at = wording::location(&self.breakpoint.at));
        let keys = "Enter set  Tab next field  Esc cancel";
        let area = open(brush, screen, buffer, (84, 8), &title, keys);
        for (place, (label, line)) in LABELS.iter().zip(&self.fields).enumerate() {
            let row = u16::try_from(place).unwrap_or(0);
            draw_field(buffer, area, row, (label, line, place == self.field), brush);
        }
        let (text, role) = if self.problem.is_empty() {
            (HINTS.get(self.field).copied().unwrap_or(""), Role::Dim)
        } else {
            (self.problem.as_str(), Role::Error)
        };
        put(buffer, area, 4, text, brush.style(role), brush);
    }
}

/// Dialog in which the user chooses whether the run stops at errors, and whether it stops where the specification and
/// AWS differ.
#[derive(Clone, Debug)]
pub struct Stops {
    moments: Vec<ErrorMoment>,
    difference: bool,
    list: List<usize>,
}

const ROWS: usize = 6;
const STOP_HINTS: [&str; ROWS] = [
    "error raised, before Retry and Catch",
    "handled by a retrier",
    "caught by a catcher",
    "not caught: the item, branch or run fails",
    "spec and AWS behave differently here",
    "a pattern of error names: raised Payment.*",
];

impl Stops {
    /// Creates the dialog with the current settings.
    #[must_use]
    pub fn new(moments: Vec<ErrorMoment>, difference: bool) -> Self {
        Self {
            moments,
            difference,
            list: List::default(),
        }
    }

    /// True if the user chose to stop where the specification and AWS behave differently.
    #[must_use]
    pub fn difference(&self) -> bool {
        self.difference
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
            self.moments.retain(|kept| *kept != moment);
        }
        Reply::Also(vec![Command::StopOn(moment, switch(on))])
    }

    fn rows<'g>(&self, glyphs: &'g Glyphs) -> Rows<'g, usize> {
        let names =
            ErrorMoment::ALL.map(|moment| (moment.to_string(), self.moments.contains(&moment)));
        let last = ("different on AWS".to_owned(), self.difference);
        let some = ("some error names".to_owned(), false);
        let names = names.into_iter().chain([last, some]);
        let mut rows = Rows::new(glyphs, 0);
        for (place, ((name, on), hint)) in names.zip(STOP_HINTS).enumerate() {
            let mark = match (on, place + 1 == ROWS) {
                (_, true) => "...",
                (true, _) => "[x]",
                (false, _) => "[ ]",
            };
            let text = format!("{mark} {name:<17} {hint}");
            rows.row(place, Row::new().text(text, Role::Text));
        }
        rows
    }
}

impl Dialog for Stops {
    fn key(&mut self, key: &KeyEvent) -> Reply {
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

    fn draw(&mut self, brush: Brush, screen: Rect, buffer: &mut Buffer) {
        let (title, keys) = ("Stop when an error is", "Space switch  Esc close");
        let area = open(brush, screen, buffer, (96, 8), title, keys);
        let rows = self.rows(brush.glyphs);
        self.list.draw(rows, (brush, true), area, buffer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::StatePath;
    use crate::session::Location;
    use crossterm::event::KeyModifiers;

    #[test]
    fn fields_become_a_breakpoint() {
        let at = Breakpoint::at(Location::State(StatePath("Pay".into())));
        let mut form = BreakpointForm::new(at.clone());
        let press =
            |form: &mut BreakpointForm, code| form.key(&KeyEvent::new(code, KeyModifiers::NONE));
        form.paste("attempt >= 3");
        press(&mut form, KeyCode::Tab);
        press(&mut form, KeyCode::Char('x'));
        assert_eq!(press(&mut form, KeyCode::Enter), Reply::Stay);
        press(&mut form, KeyCode::Backspace);
        press(&mut form, KeyCode::Char('2'));
        let made = Breakpoint {
            condition: Some("attempt >= 3".into()),
            hit_count: 2,
            ..at
        };
        assert_eq!(
            press(&mut form, KeyCode::Enter),
            Reply::Do(vec![Command::Break(made)])
        );
    }
}
