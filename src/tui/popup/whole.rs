//! One value in full: what it is, the expression that made it, what was lost there, and its line. It wraps and scrolls.
//!
//! It must not know where the value comes from.

use super::{Reply, open};
use crate::tui::border::{Brush, put, wrapped};
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
        }
    }

    /// Handles a key.
    pub fn key(&mut self, key: &KeyEvent) -> Reply {
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
            _ => self.top,
        };
        self.top = self.top.min(self.rows.saturating_sub(self.seen));
        Reply::Stay
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
        let hidden = self.rows.saturating_sub(self.top + self.seen);
        let keys = match hidden {
            0 => "Esc closes".to_owned(),
            more => format!("{more} more rows below  j k PgDn scroll  Esc closes"),
        };
        let area = open(brush, screen, buffer, (width, height), &self.title, &keys);
        let shown = lines.iter().skip(self.top).take(self.seen);
        for (row, (text, role)) in (0_u16..).zip(shown) {
            put(buffer, area, row, text, brush.style(*role), brush);
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
            let text = crate::tui::border::plain(&part.text, brush.glyphs);
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
