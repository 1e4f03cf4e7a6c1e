//! A multi-line editor for JSON.

use super::dialog::{Dialog, Reply, open};
use crate::interpreter::Stage;
use crate::json::{ParseError, Pointer, Value, parse, pretty, steers};
use crate::session::Command;
use crate::tui::border::{Brush, put};
use crate::tui::highlight::{Highlighter, Language};
use crate::tui::layout::cut_bottom;
use crate::tui::pane::line::cells;
use crate::tui::theme::Role;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::widgets::Widget as _;
use ratatui_textarea::{CursorMove, TextArea};
use std::fmt::Write as _;
use unicode_width::UnicodeWidthStr as _;

/// Maximum size of a value that the editor accepts, in bytes of text.
pub const LONGEST: u64 = 1 << 20;

/// Hint that is shown while the text is an unchanged suggestion.
pub const OFFERED: &str = "type to replace this text, or press an arrow key to edit the text";

/// A JSON text with a cursor and its parse error.
#[derive(Debug)]
pub struct JsonEditor {
    area: TextArea<'static>,
    problem: Option<ParseError>,
    /// True while the text is an unchanged suggestion; typing then replaces it.
    fresh: bool,
    highlighter: Highlighter,
}

impl JsonEditor {
    /// Creates an editor that initially contains this value.
    #[must_use]
    pub fn new(value: &Value) -> Self {
        let text = escape(&pretty(value));
        let mut area = TextArea::new(text.lines().map(str::to_owned).collect());
        area.set_tab_length(2);
        area.set_max_histories(200);
        area.set_cursor_line_style(Style::new());
        Self {
            area,
            problem: None,
            fresh: true,
            highlighter: Highlighter::default(),
        }
    }

    /// Creates an empty editor.
    #[must_use]
    pub fn empty() -> Self {
        let mut editor = Self::new(&Value::Null);
        editor.area = TextArea::default();
        editor.fresh = false;
        editor
    }

    /// Number of lines.
    #[must_use]
    pub fn line_count(&self) -> usize {
        self.area.lines().len()
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    /// The value of the text. If the text is not JSON, returns `None` and moves the cursor to the error.
    pub fn value(&mut self) -> Option<Value> {
        match parse(&self.text()) {
            Ok(value) => {
                self.problem = None;
                Some(value)
            }
            Err(problem) => {
                let row = u16::try_from(problem.line.saturating_sub(1)).unwrap_or(u16::MAX);
                let column = u16::try_from(problem.column.saturating_sub(1)).unwrap_or(u16::MAX);
                self.area.move_cursor(CursorMove::Jump(row, column));
                self.problem = Some(problem);
                None
            }
        }
    }

    /// Handles a key other than Enter and Esc.
    pub fn key(&mut self, key: &KeyEvent) {
        let chords = KeyModifiers::CONTROL | KeyModifiers::ALT;
        if matches!(key.code, KeyCode::Char(_)) && !key.modifiers.intersects(chords) {
            self.give_way();
        }
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        // A deleting key, such as Backspace, removes the whole suggestion, as if the suggestion were selected.
        let takes_away = match key.code {
            KeyCode::Backspace | KeyCode::Delete => true,
            KeyCode::Char(c) => control && matches!(c, 'u' | 'k' | 'w' | 'h' | 'd'),
            _ => false,
        };
        if self.fresh && takes_away {
            self.give_way();
            self.fresh = false;
            self.problem = None;
            return;
        }
        self.fresh = false;
        match key.code {
            KeyCode::Enter => self.area.insert_newline(),
            // Ctrl-u deletes the text before the cursor, as in all other input lines. The text widget's own Ctrl-u
            // would undo the last edit.
            KeyCode::Char('u') if control => {
                self.area.delete_line_by_head();
            }
            KeyCode::Char('z') if control => {
                self.area.undo();
            }
            KeyCode::Char('j') if control => {
                self.area.insert_newline();
            }
            KeyCode::Char(c) if is_hidden(c) && !key.modifiers.intersects(chords) => {
                self.area.insert_str(escape(c.encode_utf8(&mut [0; 4])));
            }
            _ => {
                self.area.input(*key);
            }
        }
        // The text has changed, so the error message may be wrong now and is removed.
        self.problem = None;
    }

    /// Inserts pasted text.
    pub fn paste(&mut self, text: &str) {
        self.give_way();
        self.fresh = false;
        self.area.insert_str(escape(text));
        self.problem = None;
    }

    /// Removes the text if it is an unchanged suggestion. Called before other text is inserted.
    fn give_way(&mut self) {
        if self.fresh {
            self.area.select_all();
            self.area.cut();
        }
    }

    /// Draws the editor; the last row shows the error.
    pub fn draw(&mut self, brush: Brush, area: Rect, focused: bool, buffer: &mut Buffer) {
        let (text, last) = cut_bottom(area, 1);
        self.area.set_style(brush.style(Role::Text));
        let cursor = match focused {
            true => Modifier::REVERSED,
            false => Modifier::empty(),
        };
        self.area
            .set_cursor_style(Style::new().add_modifier(cursor));
        if text.height > 0 && text.width > 0 {
            (&self.area).render(text, buffer);
            self.colour(brush, text, buffer);
        }
        let (line, role) = match &self.problem {
            Some(problem) => (format!("the text is not JSON: {problem}"), Role::Error),
            None if self.fresh => (OFFERED.to_owned(), Role::Dim),
            None => (String::new(), Role::Dim),
        };
        put(buffer, last, 0, &line, brush.style(role), brush);
    }

    /// Applies syntax colours to the lines that were drawn.
    fn colour(&mut self, brush: Brush, area: Rect, buffer: &mut Buffer) {
        let (top, left) = self.area.scroll_offset();
        for (row, y) in (usize::from(top)..).zip(area.top()..area.bottom()) {
            let Some(line) = self.area.lines().get(row) else {
                return;
            };
            let parts = self.highlighter.line(Language::Json, line);
            let mut parts = parts.iter().peekable();
            let column = self.area.screen_to_data(row, left.into()).1;
            let mut at = line.char_indices().nth(column).map(|(at, _)| at);
            let mut x = area.x;
            while let Some(byte) = at.filter(|_| x < area.right()) {
                while parts.next_if(|(range, _)| range.end <= byte).is_some() {}
                let (Some((_, role)), Some(cell)) = (parts.peek(), buffer.cell_mut((x, y))) else {
                    break;
                };
                if let Some(colour) = brush.style(*role).fg {
                    cell.set_fg(colour);
                }
                let symbol = cell.symbol();
                let rest = line.get(byte..).unwrap_or_default();
                // If the cell shows another symbol than the next one in the line, a wide character was cut at the edge
                // of the editor. The rest of the line is then not coloured.
                let length = if rest.starts_with(symbol) {
                    symbol.len()
                } else {
                    0
                };
                at = (length > 0).then_some(byte + length);
                x = x.saturating_add(u16::try_from(symbol.width().max(1)).unwrap_or(1));
            }
        }
    }
}

/// Writes invisible characters as JSON escapes, so that no character can control the terminal. The value of the JSON
/// text stays the same.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\r' => {}
            '\t' => out.push_str("  "),
            _ if is_hidden(c) => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    // Writing to a String cannot fail.
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
            _ => out.push(c),
        }
    }
    out
}

/// True if a character is invisible or would control the terminal.
fn is_hidden(c: char) -> bool {
    c != '\n' && steers(c)
}

/// The form for editing a value.
#[derive(Debug)]
pub struct EditForm {
    stage: Stage,
    at: Pointer,
    editor: JsonEditor,
}

impl EditForm {
    /// Creates the form with the current value.
    #[must_use]
    pub fn new(stage: Stage, at: Pointer, value: &Value) -> Self {
        Self {
            stage,
            at,
            editor: JsonEditor::new(value),
        }
    }
}

impl Dialog for EditForm {
    fn key(&mut self, key: &KeyEvent) -> Reply {
        match key.code {
            KeyCode::Esc => Reply::Close,
            KeyCode::Enter if !key.modifiers.contains(KeyModifiers::ALT) => {
                match self.editor.value() {
                    Some(value) => Reply::Do(vec![Command::Edit {
                        stage: self.stage,
                        at: self.at.clone(),
                        value,
                    }]),
                    None => Reply::Stay,
                }
            }
            _ => {
                self.editor.key(key);
                Reply::Stay
            }
        }
    }

    fn paste(&mut self, text: &str) {
        self.editor.paste(text);
    }

    fn draw(&mut self, brush: Brush, screen: Rect, buffer: &mut Buffer) {
        let rows = cells(self.editor.line_count() + 4);
        let most = screen.height.saturating_sub(2).max(8);
        let size = (screen.width.saturating_sub(8).min(90), rows.clamp(8, most));
        let title = format!(
            "Edit {path} of {stage}, then continue in a new run",
            path = self.at,
            stage = self.stage.name()
        );
        let keys = "Enter continue  Alt-Enter new line  Esc cancel";
        let area = open(brush, screen, buffer, size, &title, keys);
        self.editor.draw(brush, area, true, buffer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(editor: &mut JsonEditor, text: &str) {
        for c in text.chars() {
            editor.key(&KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE));
        }
    }

    #[test]
    fn a_mistake_is_named_with_its_place() {
        let mut editor = JsonEditor::empty();
        press(&mut editor, "{\"a\": }");
        assert_eq!(editor.value(), None);
        assert_eq!(
            editor.problem.as_ref().map(ToString::to_string).as_deref(),
            Some("expected value at line 1 column 7")
        );
        assert_eq!(editor.area.cursor(), (0, 6));
        press(&mut editor, "1");
        assert_eq!(editor.value(), parse("{\"a\":1}").ok());
    }

    #[test]
    fn keys_edit_it_as_every_typed_line() {
        let control = |c| KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL);
        let plain = |code| KeyEvent::new(code, KeyModifiers::NONE);
        // Each case has the keys that are pressed while the suggestion `{"a": 1}` is shown, and the text that remains.
        for (keys, left) in [
            (vec![plain(KeyCode::Backspace)], ""),
            (vec![plain(KeyCode::Delete)], ""),
            (vec![control('u')], ""),
            (vec![control('k')], ""),
            (vec![control('w')], ""),
            (vec![control('a')], "{\n  \"a\": 1\n}"),
            (
                vec![plain(KeyCode::End), plain(KeyCode::Backspace)],
                "\n  \"a\": 1\n}",
            ),
            (
                vec![plain(KeyCode::Down), plain(KeyCode::End), control('u')],
                "{\n\n}",
            ),
            (
                vec![plain(KeyCode::Down), plain(KeyCode::End), control('w')],
                "{\n  \"a\": \n}",
            ),
            (
                vec![
                    plain(KeyCode::Down),
                    plain(KeyCode::End),
                    control('a'),
                    control('k'),
                ],
                "{\n\n}",
            ),
        ] {
            let mut editor = JsonEditor::new(&parse("{\"a\": 1}").expect("JSON"));
            keys.iter().for_each(|key| editor.key(key));
            assert_eq!(editor.text(), left, "{keys:?}");
        }
    }

    #[test]
    fn words_have_the_colours_of_the_source() {
        let theme = crate::tui::theme::Theme::default();
        let glyphs = crate::tui::glyph::Glyphs::of(true);
        let brush = Brush {
            theme: &theme,
            glyphs,
        };
        let value = parse("{\"漢\": [12, true, \"$.a b\", null]}").expect("JSON");
        let (mut editor, area) = (JsonEditor::new(&value), Rect::new(0, 0, 30, 9));
        let mut buffer = Buffer::empty(area);
        editor.draw(brush, area, true, &mut buffer);
        let role_at = |x, y| {
            let colour = Some(buffer[(x, y)].fg);
            let is_drawn = |role: &&Role| theme.style(**role).fg == colour;
            let roles = [
                Role::Key,
                Role::Number,
                Role::Keyword,
                Role::Path,
                Role::String,
            ];
            roles.iter().find(is_drawn).copied()
        };
        for (x, y, role) in [
            (2, 1, Role::Key),
            (5, 1, Role::Key),
            (4, 2, Role::Number),
            (4, 3, Role::Keyword),
            (4, 4, Role::String),
            (5, 4, Role::Path),
            (9, 4, Role::String),
            (4, 5, Role::Keyword),
        ] {
            assert_eq!(role_at(x, y), Some(role), "{x} {y} {buffer:?}");
        }
        assert_eq!(role_at(9, 1), None);
    }

    #[test]
    fn hidden_characters_are_escapes_of_themselves() {
        let value = Value::from("a\u{202e}\u{1b}\u{e0001}b");
        let mut editor = JsonEditor::new(&value);
        assert_eq!(editor.text(), "\"a\\u202e\\u001b\\udb40\\udc01b\"");
        assert_eq!(editor.value(), Some(value));
        let mut editor = JsonEditor::empty();
        press(&mut editor, "\"a\u{200d}\u{1b}b\"");
        assert_eq!(editor.text(), "\"a\\u200d\\u001bb\"");
    }
}
