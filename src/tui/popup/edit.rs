//! The form for editing the value of a stage.

use super::dialog::{Reply, open};
use super::editor::JsonEditor;
use crate::interpreter::Stage;
use crate::json::{Pointer, Value};
use crate::session::Command;
use crate::tui::border::Brush;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// The edit form.
#[derive(Debug)]
pub struct EditForm {
    stage: Stage,
    at: Pointer,
    editor: JsonEditor,
}

impl EditForm {
    /// Starts with the current value.
    #[must_use]
    pub fn new(stage: Stage, at: Pointer, value: &Value) -> Self {
        Self {
            stage,
            at,
            editor: JsonEditor::new(value),
        }
    }

    /// Handles a key.
    pub fn key(&mut self, key: &KeyEvent) -> Reply {
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

    /// Inserts pasted text.
    pub fn paste(&mut self, text: &str) {
        self.editor.paste(text);
    }

    /// Draws the form.
    pub fn draw(&mut self, brush: Brush, screen: Rect, buffer: &mut Buffer) {
        let rows = u16::try_from(self.editor.line_count()).unwrap_or(u16::MAX);
        let size = (
            screen.width.saturating_sub(8).min(90),
            rows.saturating_add(4)
                .clamp(8, screen.height.saturating_sub(2).max(8)),
        );
        let title = format!(
            "Edit {} of {}, then go on in a new run",
            self.at,
            self.stage.name()
        );
        let keys = "Enter go on  Alt-Enter new line  Esc cancel";
        let area = open(brush, screen, buffer, size, &title, keys);
        self.editor.draw(brush, area, true, buffer);
    }
}
