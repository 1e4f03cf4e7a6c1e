//! One value in full: what it is, the expression that made it, what was lost there, and its line. It wraps, scrolls and finds
//! a text in its rows.
//!
//! It must not know where the value comes from.

use super::dialog::{Reply, open};
use crate::tui::border::{Brush, put};
use crate::tui::fit::{words, wrapped};
use crate::tui::line::Line;
use crate::tui::theme::Role;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// What is shown, part by part.
#[derive(Clone, Debug)]
pub struct Whole {
    title: String,
    parts: Vec<Part>,
    top: usize,
    rows: usize,
    seen: usize,
    /// The rows as they were drawn last.
    drawn: Vec<String>,
    /// What is being typed to be found.
    typed: Option<Line>,
    /// What was looked for last, in lower case, and the row that has it.
    wanted: String,
    found: Option<usize>,
}

/// Some text under a heading.
#[derive(Clone, Debug)]
pub struct Part {
    /// What it is; empty for the value itself.
    pub heading: &'static str,
    /// The text, of several lines where it has them.
    pub text: String,
    /// How it is drawn.
    pub role: Role,
}

impl Whole {
    /// With its path as the title.
    #[must_use]
    pub fn new(title: String, parts: Vec<Part>) -> Self {
        Self {
            title,
            parts,
            top: 0,
            rows: 0,
            seen: 1,
            drawn: Vec::new(),
            typed: None,
            wanted: String::new(),
            found: None,
        }
    }

    /// Handles a key.
    pub fn key(&mut self, key: &KeyEvent) -> Reply {
        if self.typed.is_some() {
            self.type_wanted(key);
            return Reply::Stay;
        }
        let page = self.seen.max(2) - 1;
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        self.top = match key.code {
            KeyCode::Char('d') if control => self.top + page / 2,
            KeyCode::Char('u') if control => self.top.saturating_sub(page / 2),
            KeyCode::Down | KeyCode::Char('j') => self.top + 1,
            KeyCode::Up | KeyCode::Char('k') => self.top.saturating_sub(1),
            KeyCode::PageDown | KeyCode::Char(' ') => self.top + page,
            KeyCode::PageUp => self.top.saturating_sub(page),
            KeyCode::Home | KeyCode::Char('g') => 0,
            KeyCode::End | KeyCode::Char('G') => usize::MAX,
            KeyCode::Esc | KeyCode::Enter | KeyCode::Char('q') => return Reply::Close,
            KeyCode::Char('/') => {
                self.typed = Some(Line::default());
                self.top
            }
            KeyCode::Char('n') => self.found(true),
            KeyCode::Char('N') => self.found(false),
            _ => self.top,
        };
        self.top = self.top.min(self.rows.saturating_sub(self.seen));
        Reply::Stay
    }

    /// A key for the text that is looked for: each moves to the first row from here that has it.
    fn type_wanted(&mut self, key: &KeyEvent) {
        let Some(line) = &mut self.typed else {
            return;
        };
        match key.code {
            KeyCode::Esc => {
                self.typed = None;
                self.wanted.clear();
                self.found = None;
            }
            KeyCode::Enter => self.typed = None,
            KeyCode::Backspace if line.is_empty() => self.typed = None,
            _ => {
                line.key(key);
                self.wanted = line.text().to_lowercase();
                self.found = None;
                self.top = self.found(true);
            }
        }
    }

    /// Pastes a text into what is looked for.
    pub fn paste(&mut self, text: &str) {
        if let Some(line) = &mut self.typed {
            line.insert(text);
            self.wanted = line.text().to_lowercase();
            self.found = None;
            self.top = self.found(true);
        }
    }

    /// Goes to the next or previous row that has the text, around the end; the row to be at the top then.
    fn found(&mut self, forward: bool) -> usize {
        let rows = self.matches();
        let at = self.found;
        let next = match (at, forward) {
            (None, true) => rows.iter().find(|row| **row >= self.top),
            (Some(at), true) => rows.iter().find(|row| **row > at),
            (at, false) => {
                let at = at.unwrap_or(self.top);
                rows.iter().rev().find(|row| **row < at)
            }
        };
        let around = if forward { rows.first() } else { rows.last() };
        self.found = next.or(around).copied();
        match self.found {
            Some(row) if row < self.top || row >= self.top + self.seen => {
                row.saturating_sub(self.seen / 2)
            }
            _ => self.top,
        }
    }

    fn matches(&self) -> Vec<usize> {
        if self.wanted.is_empty() {
            return Vec::new();
        }
        let rows = self.drawn.iter().enumerate();
        let rows = rows.filter(|(_, row)| row.to_lowercase().contains(&self.wanted));
        rows.map(|(place, _)| place).collect()
    }

    /// What the lower border says.
    fn keys(&self) -> String {
        let matches = self.matches();
        let count = match self.found {
            Some(row) => {
                let number = matches.iter().position(|own| *own == row);
                let number = number.map_or(0, |place| place + 1);
                format!("row {number} of {}", matches.len())
            }
            None if self.wanted.is_empty() => String::new(),
            None => "not found".to_owned(),
        };
        if let Some(line) = &self.typed {
            return format!("/{}  {count}  Enter  Esc", line.text());
        }
        let hidden = self.rows.saturating_sub(self.top + self.seen);
        let more = match hidden {
            0 => String::new(),
            1 => "1 more row below  ".to_owned(),
            more => format!("{more} more rows below  "),
        };
        let scroll = match self.rows > self.seen {
            true => "j k PgDn scroll  ",
            false => "",
        };
        match count.is_empty() {
            true => format!("{more}{scroll}/ find  Esc closes"),
            false => format!("{count}  n N next, back  Esc closes"),
        }
    }

    /// Scrolls.
    pub fn scroll(&mut self, rows: i32) {
        let by = usize::try_from(rows.unsigned_abs()).unwrap_or(0);
        let top = match rows < 0 {
            true => self.top.saturating_sub(by),
            false => self.top + by,
        };
        self.top = top.min(self.rows.saturating_sub(self.seen));
    }

    /// Draws it.
    pub fn draw(&mut self, brush: Brush, screen: Rect, buffer: &mut Buffer) {
        let width = screen.width.saturating_sub(4).min(140);
        let lines = self.lines(usize::from(width.saturating_sub(6)), brush);
        self.rows = lines.len();
        let height = u16::try_from(lines.len()).unwrap_or(u16::MAX);
        let height = height
            .saturating_add(2)
            .min(screen.height.saturating_sub(2));
        self.seen = usize::from(height.saturating_sub(2)).max(1);
        self.top = self.top.min(self.rows.saturating_sub(self.seen));
        self.drawn = lines.iter().map(|(text, _)| text.clone()).collect();
        let keys = self.keys();
        let area = open(brush, screen, buffer, (width, height), &self.title, &keys);
        let shown = lines.iter().enumerate().skip(self.top).take(self.seen);
        for (row, (place, (text, role))) in (0_u16..).zip(shown) {
            let role = match self.found == Some(place) {
                true => Role::Selected,
                false => *role,
            };
            put(buffer, area, row, text, brush.style(role), brush);
        }
    }

    fn lines(&self, width: usize, brush: Brush) -> Vec<(String, Role)> {
        let mut lines = Vec::new();
        for part in &self.parts {
            if !part.heading.is_empty() {
                if !lines.is_empty() {
                    lines.push((String::new(), Role::Text));
                }
                lines.push((part.heading.to_owned(), Role::Title));
            }
            let text = words(brush.glyphs, &part.text);
            for line in text.lines() {
                let indent = line.len() - line.trim_start().len();
                let indent = indent.min(width / 2);
                let blank = " ".repeat(indent);
                let rows = wrapped(&crate::json::visible(line.trim_start()), width - indent);
                lines.extend(
                    rows.into_iter()
                        .map(|row| (format!("{blank}{row}"), part.role)),
                );
            }
        }
        lines
    }
}
