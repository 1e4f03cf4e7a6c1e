//! The popup with a value in full, its expression, its loss and its source line. Wraps and scrolls, and can search its
//! rows.

use super::dialog::{Reply, motion, open, rim, wheel};
use crate::tui::border::Brush;
use crate::tui::fit::{words, wrapped};
use crate::tui::line::Line;
use crate::tui::pane::line::{Line as Row, cells};
use crate::tui::pane::list::{List, Rows};
use crate::tui::pane::search::{holds, next_match};
use crate::tui::theme::Role;
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// The contents, part by part.
#[derive(Clone, Debug)]
pub struct Whole {
    title: String,
    parts: Vec<Part>,
    list: List<()>,
    /// The rows as last drawn.
    drawn: Vec<String>,
    /// The search text being typed.
    typed: Option<Line>,
    /// The last search text in lower case, and the row that contains it.
    wanted: String,
    found: Option<usize>,
}

/// A text with a heading.
#[derive(Clone, Debug)]
pub struct Part {
    /// The heading; empty for the value itself.
    pub heading: &'static str,
    /// The text, which may have several lines.
    pub text: String,
    /// Role for drawing the text.
    pub role: Role,
}

impl Whole {
    /// The title is the path of the value.
    #[must_use]
    pub fn new(title: String, parts: Vec<Part>) -> Self {
        Self {
            title,
            parts,
            list: List::default(),
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
        match key.code {
            KeyCode::Esc | KeyCode::Enter | KeyCode::Char('q') => return Reply::Close,
            KeyCode::Char('/') => self.typed = Some(Line::default()),
            KeyCode::Char('n') => self.find(true),
            KeyCode::Char('N') => self.find(false),
            _ => {
                if let Some(motion) = motion(key, true) {
                    self.found = None;
                    self.list.scroll(motion);
                }
            }
        }
        Reply::Stay
    }

    /// Handles a key of the search; moves to the first matching row from here.
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
                self.look();
            }
        }
    }

    /// Inserts pasted text into the search.
    pub fn paste(&mut self, text: &str) {
        if let Some(line) = &mut self.typed {
            line.insert(text);
            self.look();
        }
    }

    /// Goes to the first row from here that matches the typed text.
    fn look(&mut self) {
        let typed = self.typed.as_ref().map(Line::text);
        self.wanted = typed.unwrap_or_default().to_lowercase();
        self.found = None;
        self.find(true);
    }

    /// Goes to the next or previous matching row, cyclically.
    fn find(&mut self, forward: bool) {
        let at = self.found.unwrap_or_else(|| match forward {
            true => self.list.top().wrapping_sub(1),
            false => self.list.top(),
        });
        let next = next_match(&self.matches(), at, forward);
        self.found = next.map(|(_, row)| row);
    }

    fn matches(&self) -> Vec<usize> {
        if self.wanted.is_empty() {
            return Vec::new();
        }
        let rows = self.drawn.iter().enumerate();
        let rows = rows.filter(|(_, row)| holds(row, &self.wanted));
        rows.map(|(place, _)| place).collect()
    }

    /// Text of the lower border.
    fn keys(&self) -> String {
        let matches = self.matches();
        let count = match self.found {
            Some(row) => {
                let number = matches.iter().position(|own| *own == row);
                let number = number.map_or(0, |place| place + 1);
                format!("row {number} of {}", matches.len())
            }
            None if self.wanted.is_empty() => String::new(),
            None if matches.is_empty() => "not found".to_owned(),
            None => format!("found in {} rows", matches.len()),
        };
        if let Some(line) = &self.typed {
            return format!("/{}  {count}  Enter  Esc", line.text());
        }
        let (above, hidden) = self.list.hidden();
        let more = match hidden {
            0 => String::new(),
            1 => "1 more row below  ".to_owned(),
            more => format!("{more} more rows below  "),
        };
        let scroll = match above + hidden > 0 {
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
        self.found = None;
        wheel(rows).for_each(|motion| self.list.scroll(motion));
    }

    /// Draws the popup.
    pub fn draw(&mut self, brush: Brush, screen: Rect, buffer: &mut Buffer) {
        let width = screen.width.saturating_sub(4).min(140);
        let lines = self.lines(usize::from(width.saturating_sub(6)), brush);
        self.drawn = lines.iter().map(|(text, _)| text.clone()).collect();
        let mut rows = Rows::new(brush.glyphs, width.into());
        rows.start_at(Some(()));
        for (place, (text, role)) in lines.into_iter().enumerate() {
            let line = Row::new().text(text, role);
            match self.found == Some(place) {
                true => rows.row((), line),
                false => rows.say(line),
            }
        }
        let height = cells(rows.len()).saturating_add(2);
        let size = (width, height.min(screen.height.saturating_sub(2)));
        let area = open(brush, screen, buffer, size, &self.title, "");
        self.list.draw(rows, (brush, true), area, buffer);
        // Drawn last, because the number of hidden rows is known only now.
        rim(brush, screen, buffer, size, &self.title, &self.keys());
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
