//! The popups over the panes: help, questions, editors and pickers. An open popup receives all keys.

pub mod answer;
pub mod breakpoint;
mod dialog;
pub mod editor;
pub mod help;
pub mod picker;
pub mod whole;

pub use dialog::Reply;
pub(super) use dialog::draw_line;

use super::border::Brush;
use super::theme::Role;
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// The open popup.
#[derive(Debug)]
pub enum Popup {
    /// Keys and commands.
    Help(help::Help),
    /// Confirmation before quitting.
    Quit,
    /// An answer to a task.
    Answer(Box<answer::AnswerForm>),
    /// Editor for a value.
    Edit(Box<editor::EditForm>),
    /// A breakpoint's condition, hits and message.
    Breakpoint(breakpoint::BreakpointForm),
    /// The switches for errors that stop the run.
    Stops(breakpoint::Stops),
    /// Selection from a list.
    Picker(picker::Picker),
    /// A value in full.
    Whole(whole::Whole),
}

impl Popup {
    /// Handles a key.
    pub fn key(&mut self, key: &KeyEvent) -> Reply {
        match self {
            Self::Help(help) => help.key(key),
            Self::Quit => match key.code {
                KeyCode::Char('y' | 'Y' | 'q') | KeyCode::Enter => Reply::Quit,
                KeyCode::Char('n' | 'N') | KeyCode::Esc => Reply::Close,
                _ => Reply::Stay,
            },
            Self::Answer(form) => form.key(key),
            Self::Edit(form) => form.key(key),
            Self::Breakpoint(form) => form.key(key),
            Self::Stops(stops) => stops.key(key),
            Self::Picker(picker) => picker.key(key),
            Self::Whole(whole) => whole.key(key),
        }
    }

    /// True if closing the popup quits the program.
    #[must_use]
    pub fn leaves(&self) -> bool {
        matches!(self, Self::Picker(picker) if picker.leaves())
    }

    /// Inserts pasted text.
    pub fn paste(&mut self, text: &str) {
        match self {
            Self::Answer(form) => form.paste(text),
            Self::Edit(form) => form.paste(text),
            Self::Breakpoint(form) => form.paste(text),
            Self::Picker(picker) => picker.paste(text),
            Self::Whole(whole) => whole.paste(text),
            Self::Help(help) => help.paste(text),
            Self::Quit | Self::Stops(_) => {}
        }
    }

    /// Handles the mouse wheel.
    pub fn scroll(&mut self, rows: i32) {
        match self {
            Self::Help(help) => help.scroll(rows),
            Self::Picker(picker) => picker.scroll(rows),
            Self::Whole(whole) => whole.scroll(rows),
            _ => {}
        }
    }

    /// Draws the popup over the screen.
    pub fn draw(&mut self, brush: Brush, screen: Rect, buffer: &mut Buffer) {
        match self {
            Self::Help(help) => help.draw(brush, screen, buffer),
            Self::Quit => {
                let area = dialog::open(brush, screen, buffer, (44, 4), "Quit", "");
                let text = brush.style(Role::Text);
                super::border::put(buffer, area, 0, "The run is unfinished. Quit?", text, brush);
                let keys = "y quit   n or Esc stay";
                super::border::put(buffer, area, 1, keys, brush.style(Role::Dim), brush);
            }
            Self::Answer(form) => form.draw(brush, screen, buffer),
            Self::Edit(form) => form.draw(brush, screen, buffer),
            Self::Breakpoint(form) => form.draw(brush, screen, buffer),
            Self::Stops(stops) => stops.draw(brush, screen, buffer),
            Self::Picker(picker) => picker.draw(brush, screen, buffer),
            Self::Whole(whole) => whole.draw(brush, screen, buffer),
        }
    }
}
