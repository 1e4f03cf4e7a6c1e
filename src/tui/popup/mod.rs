//! The popups over the panes: help, questions, editors and pickers. Each receives keys until it closes.
//!
//! It must not know the session: the commands to run are returned as a reply.

pub mod answer;
pub mod breakpoint;
pub mod edit;
pub mod editor;
pub mod help;
pub mod picker;
pub mod stops;
pub mod whole;

use super::border::{Brush, Titles, clear, draw_box};
use super::layout::centred;
use super::theme::Role;
use crate::definition::StateId;
use crate::session::Command;
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// What a popup requests.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// Stay open.
    Stay,
    /// Close.
    Close,
    /// Stay open and run these commands.
    Also(Vec<Command>),
    /// Close and run these commands.
    Do(Vec<Command>),
    /// Close and show this state.
    Goto(StateId),
    /// Close and use this test case.
    Case(String),
    /// Close and open the definition at this index of the choice.
    Machine(usize),
    /// Close and ask for the rest of this command.
    Ask(&'static str),
    /// Close and run this command line.
    Line(String),
    /// Close and quit the program.
    Quit,
}

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
    Edit(Box<edit::EditForm>),
    /// A breakpoint's condition, hits and message.
    Breakpoint(breakpoint::BreakpointForm),
    /// Which errors stop the run.
    Stops(stops::Stops),
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

    /// Whether leaving it quits the program.
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
            Self::Help(_) | Self::Quit | Self::Stops(_) => {}
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

    /// Draws it over what is there.
    pub fn draw(&mut self, brush: Brush, screen: Rect, buffer: &mut Buffer) {
        match self {
            Self::Help(help) => help.draw(brush, screen, buffer),
            Self::Quit => {
                let area = open(brush, screen, buffer, (44, 4), "Quit", "");
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

/// Opens a box of at most this size (borders included) in the middle and returns its inside.
fn open(
    brush: Brush,
    screen: Rect,
    buffer: &mut Buffer,
    size: (u16, u16),
    title: &str,
    keys: &str,
) -> Rect {
    let area = centred(screen, size.0, size.1);
    clear(buffer, area);
    let titles = Titles {
        left: title,
        right: "",
        below: keys,
    };
    draw_box(
        buffer,
        area,
        &brush.glyphs.focus,
        brush.style(Role::Focus),
        titles,
        brush,
    );
    Rect {
        x: area.x.saturating_add(2).min(area.right()),
        y: area.y.saturating_add(1).min(area.bottom()),
        width: area.width.saturating_sub(4),
        height: area.height.saturating_sub(2),
    }
}

/// Draws a labelled input line.
fn draw_field(
    buffer: &mut Buffer,
    area: Rect,
    row: u16,
    field: (&str, &super::line::Line, bool),
    brush: Brush,
) {
    if row >= area.height {
        return;
    }
    let (label, line, focused) = field;
    let y = area.y.saturating_add(row);
    let title = brush.style(if focused { Role::Title } else { Role::Dim });
    buffer.set_stringn(area.x, y, label, usize::from(area.width), title);
    let offset = u16::try_from(label.chars().count())
        .unwrap_or(0)
        .saturating_add(1);
    let x = area.x.saturating_add(offset).min(area.right());
    let width = area.right().saturating_sub(x);
    draw_line(buffer, (x, y), width, line, focused, brush);
}

/// Draws an input line with its cursor.
pub(super) fn draw_line(
    buffer: &mut Buffer,
    at: (u16, u16),
    width: u16,
    line: &super::line::Line,
    focused: bool,
    brush: Brush,
) {
    if width < 2 {
        return;
    }
    let (text, column) = line.window(usize::from(width));
    buffer.set_stringn(
        at.0,
        at.1,
        &text,
        usize::from(width),
        brush.style(Role::Text),
    );
    if focused {
        let column = u16::try_from(column).unwrap_or(0).min(width - 1);
        let x = at.0.saturating_add(column);
        if let Some(cell) = buffer.cell_mut((x, at.1)) {
            cell.modifier |= ratatui::style::Modifier::REVERSED;
        }
    }
}
