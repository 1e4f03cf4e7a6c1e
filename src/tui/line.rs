//! One line of text being typed, with a cursor.

use crate::json::visible;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use unicode_width::UnicodeWidthStr as _;

/// Maximum length of a line, in characters.
const LONGEST: usize = 1 << 16;

/// A line of text and a cursor in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    chars: Vec<char>,
    cursor: usize,
}

impl Line {
    /// Creates a line with the cursor at its end.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let chars: Vec<char> = text.chars().collect();
        let cursor = chars.len();
        Self { chars, cursor }
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> String {
        self.chars.iter().collect()
    }

    /// The text before the cursor.
    #[must_use]
    pub fn before(&self) -> String {
        self.chars.iter().take(self.cursor).collect()
    }

    /// True if the line is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.chars.is_empty()
    }

    /// Inserts a text at the cursor. Line breaks become spaces, and text beyond the maximum length is dropped.
    pub fn insert(&mut self, text: &str) {
        let room = LONGEST.saturating_sub(self.chars.len());
        let text = text.trim_end_matches(['\n', '\r']).chars().take(room);
        let text = text.map(|c| match c {
            '\n' | '\r' | '\t' => ' ',
            c => c,
        });
        let (at, before) = (self.cursor.min(self.chars.len()), self.chars.len());
        self.chars.splice(at..at, text);
        self.cursor = at + self.chars.len().saturating_sub(before);
    }

    /// Replaces the text between the character `from` and the cursor by `text`, a completion.
    pub fn complete(&mut self, from: usize, text: &str) {
        let from = from.min(self.cursor);
        self.chars.drain(from..self.cursor.min(self.chars.len()));
        self.cursor = from;
        self.insert(text);
    }

    /// Edits the line if the key is an editing key; returns whether it is.
    pub fn key(&mut self, key: &KeyEvent) -> bool {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        match key.code {
            KeyCode::Char(c) if !control && !alt => self.insert(c.encode_utf8(&mut [0; 4])),
            KeyCode::Backspace if self.cursor > 0 && !alt => {
                self.cursor -= 1;
                self.chars.remove(self.cursor);
            }
            KeyCode::Delete if self.cursor < self.chars.len() => {
                self.chars.remove(self.cursor);
            }
            KeyCode::Left => self.cursor = self.cursor.saturating_sub(1),
            KeyCode::Right => self.cursor = self.cursor.saturating_add(1).min(self.chars.len()),
            KeyCode::Home => self.cursor = 0,
            KeyCode::End => self.cursor = self.chars.len(),
            KeyCode::Char('a') if control => self.cursor = 0,
            KeyCode::Char('e') if control => self.cursor = self.chars.len(),
            KeyCode::Char('u') if control => {
                self.chars.drain(..self.cursor.min(self.chars.len()));
                self.cursor = 0;
            }
            KeyCode::Char('k') if control => self.chars.truncate(self.cursor),
            KeyCode::Char('w') if control => self.cut_word(),
            KeyCode::Backspace if alt => self.cut_word(),
            KeyCode::Backspace | KeyCode::Delete => {}
            _ => return false,
        }
        true
    }

    fn cut_word(&mut self) {
        let before = self.chars.get(..self.cursor).unwrap_or_default();
        let end = before.iter().rposition(|c| !c.is_whitespace()).unwrap_or(0);
        let word = before.get(..end).unwrap_or_default();
        let start = word.iter().rposition(|c| c.is_whitespace());
        let start = start.map_or(0, |blank| blank + 1);
        self.chars.drain(start..self.cursor);
        self.cursor = start;
    }

    /// The part of the line that fits into `width` columns, and the column of the cursor within that part.
    #[must_use]
    pub fn window(&self, width: usize) -> (String, usize) {
        // Width of a character as it is drawn: an invisible character is shown as a symbol, and a combining mark takes
        // no cell.
        let wide = |c: &char| visible(c.encode_utf8(&mut [0; 4])).width();
        let width = width.max(2);
        let mut start = self.cursor.min(self.chars.len());
        let mut column = 0;
        while start > 0 {
            let next = self.chars.get(start - 1).map_or(0, wide);
            if column + next >= width {
                break;
            }
            column += next;
            start -= 1;
        }
        let mut text = String::new();
        let mut used = 0;
        for c in self.chars.iter().skip(start) {
            used += wide(c);
            if used > width {
                break;
            }
            text.push(*c);
        }
        // Measures the text as a whole, because characters that combine into one symbol take fewer cells than
        // separately.
        let before: String = self.chars.iter().take(self.cursor).skip(start).collect();
        let column = visible(&before).width();
        (visible(&text).into_owned(), column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(line: &mut Line, code: KeyCode, modifiers: KeyModifiers) {
        assert!(line.key(&KeyEvent::new(code, modifiers)));
    }

    #[test]
    fn edits_as_shells_do() {
        let mut line = Line::new("break Pay now");
        press(&mut line, KeyCode::Char('w'), KeyModifiers::CONTROL);
        assert_eq!(line.text(), "break Pay ");
        press(&mut line, KeyCode::Home, KeyModifiers::NONE);
        press(&mut line, KeyCode::Delete, KeyModifiers::NONE);
        press(&mut line, KeyCode::Char('é'), KeyModifiers::NONE);
        assert_eq!(
            (line.text().as_str(), line.before().as_str()),
            ("éreak Pay ", "é")
        );
        press(&mut line, KeyCode::Char('k'), KeyModifiers::CONTROL);
        press(&mut line, KeyCode::Backspace, KeyModifiers::NONE);
        press(&mut line, KeyCode::Backspace, KeyModifiers::NONE);
        assert!(line.is_empty());
        line.insert("a\nb\n");
        assert_eq!(line.text(), "a b");
        line.complete(2, "xyz");
        assert_eq!(line.text(), "a xyz");
    }

    #[test]
    fn a_line_takes_only_so_much_wherever_it_is_put() {
        let mut line = Line::new("ab");
        press(&mut line, KeyCode::Left, KeyModifiers::NONE);
        line.insert(&"x".repeat(4 << 20));
        assert_eq!(line.text().len(), LONGEST);
        assert_eq!(line.before().len(), LONGEST - 1);
        line.insert("y");
        assert!(line.text().ends_with("xb"));
    }

    #[test]
    fn the_cursor_stays_in_the_window() {
        let line = Line::new("漢字漢字漢字");
        assert_eq!(line.window(6), ("漢字".to_owned(), 4));
        let line = Line::new("abc");
        assert_eq!(line.window(10), ("abc".to_owned(), 3));
    }

    #[test]
    fn the_cursor_stands_behind_what_is_drawn() {
        // Invisible characters such as joiners are shown as symbols. Combining marks join the letter before them, and
        // several characters may form one symbol.
        for (text, drawn, column) in [
            ("a\u{200d}b", "a\u{b7}b", 3),
            ("\u{200b}\u{202e}", "\u{b7}\u{b7}", 2),
            ("e\u{301}x", "e\u{301}x", 2),
            ("\u{1f44d}\u{1f3fb}", "\u{1f44d}\u{1f3fb}", 2),
            ("\u{1b}[2J", "\u{241b}[2J", 4),
        ] {
            assert_eq!(
                Line::new(text).window(10),
                (drawn.to_owned(), column),
                "{text:?}"
            );
        }
    }
}
