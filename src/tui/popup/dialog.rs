//! Shared parts of all popups: replies, boxes and input lines.

use crate::definition::StateId;
use crate::session::Command;
use crate::tui::border::{Brush, Pen, clear, draw_box, draw_titles, put};
use crate::tui::layout::{centred, cut_bottom};
use crate::tui::line::Line;
use crate::tui::pane::Motion;
use crate::tui::pane::line::cells;
use crate::tui::theme::Role;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::buffer::Buffer;
use ratatui::layout::{Margin, Rect};

/// The action of the app after a popup has handled a key.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// Keep the popup open.
    Stay,
    /// Close the popup.
    Close,
    /// Keep the popup open and run these commands.
    Also(Vec<Command>),
    /// Close the popup and run these commands.
    Do(Vec<Command>),
    /// Close the popup and select this state in the panes.
    Goto(StateId),
    /// Close the popup and open the definition with this index in the list of definitions.
    Machine(usize),
    /// Close the popup and open the prompt, which then contains the beginning of this command.
    Ask(&'static str),
    /// Close the popup and run this text as a line typed in the prompt.
    Line(String),
    /// Close the popup and quit the program.
    Quit,
}

/// A popup over the panes. While it is open, it receives all keys.
pub trait Dialog: std::fmt::Debug {
    /// Handles a key.
    fn key(&mut self, key: &KeyEvent) -> Reply;

    /// Inserts pasted text.
    fn paste(&mut self, _text: &str) {}

    /// Handles the mouse wheel.
    fn scroll(&mut self, _rows: i32) {}

    /// Draws the popup over the screen.
    fn draw(&mut self, brush: Brush, screen: Rect, buffer: &mut Buffer);

    /// True if closing the popup quits the program.
    fn leaves(&self) -> bool {
        false
    }
}

/// The popup that asks for confirmation before the program quits.
#[derive(Debug)]
pub struct Quit;

impl Dialog for Quit {
    fn key(&mut self, key: &KeyEvent) -> Reply {
        match key.code {
            KeyCode::Char('y' | 'Y' | 'q') | KeyCode::Enter => Reply::Quit,
            KeyCode::Char('n' | 'N') | KeyCode::Esc => Reply::Close,
            _ => Reply::Stay,
        }
    }

    fn draw(&mut self, brush: Brush, screen: Rect, buffer: &mut Buffer) {
        let area = open(brush, screen, buffer, (44, 4), "Quit", "");
        let text = brush.style(Role::Text);
        put(buffer, area, 0, "The run is unfinished. Quit?", text, brush);
        let keys = "y quit   n or Esc stay";
        put(buffer, area, 1, keys, brush.style(Role::Dim), brush);
    }
}

/// The motion in a list that this key causes. Letters such as `j` cause a motion only if `letters` is true; otherwise,
/// they are typed text.
pub(super) fn motion(key: &KeyEvent, letters: bool) -> Option<Motion> {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    Some(match key.code {
        KeyCode::Down | KeyCode::Tab => Motion::Down,
        KeyCode::Up | KeyCode::BackTab => Motion::Up,
        KeyCode::PageDown => Motion::PageDown,
        KeyCode::PageUp => Motion::PageUp,
        KeyCode::Char('n') if control => Motion::Down,
        KeyCode::Char('p') if control => Motion::Up,
        _ if !letters => return None,
        KeyCode::Char('d') if control => Motion::HalfDown,
        KeyCode::Char('u') if control => Motion::HalfUp,
        KeyCode::Char('j') => Motion::Down,
        KeyCode::Char('k') => Motion::Up,
        KeyCode::Char(' ') => Motion::PageDown,
        KeyCode::Home | KeyCode::Char('g') => Motion::Home,
        KeyCode::End | KeyCode::Char('G') => Motion::End,
        _ => return None,
    })
}

/// The motions in a list that turning the wheel by this many rows causes.
pub(super) fn wheel(rows: i32) -> impl Iterator<Item = Motion> {
    let motion = if rows < 0 { Motion::Up } else { Motion::Down };
    (0..rows.abs()).map(move |_| motion)
}

/// Draws an empty box in the middle of the screen, and returns the area inside its border. `size` is the maximum size
/// of the box, including the border.
pub(super) fn open(
    brush: Brush,
    screen: Rect,
    buffer: &mut Buffer,
    size: (u16, u16),
    title: &str,
    keys: &str,
) -> Rect {
    clear(buffer, centred(screen, size.0, size.1));
    rim(brush, screen, buffer, size, title, keys)
}

/// Draws the border of a popup and returns the area inside it.
pub(super) fn rim(
    brush: Brush,
    screen: Rect,
    buffer: &mut Buffer,
    size: (u16, u16),
    title: &str,
    keys: &str,
) -> Rect {
    let area = centred(screen, size.0, size.1);
    let style = brush.style(Role::Focus);
    draw_box(buffer, area, &brush.glyphs.focus, style);
    draw_titles(buffer, area, (title, ""), style, brush);
    let (_, last) = cut_bottom(area, 1);
    draw_titles(buffer, last, ("", keys), style, brush);
    area.inner(Margin::new(2, 1))
}

/// Draws a labelled input line.
pub(super) fn draw_field(
    buffer: &mut Buffer,
    area: Rect,
    row: u16,
    field: (&str, &Line, bool),
    brush: Brush,
) {
    if row >= area.height {
        return;
    }
    let (label, line, focused) = field;
    let title = brush.style(if focused { Role::Title } else { Role::Dim });
    let mut pen = Pen::new(area, area.y.saturating_add(row), buffer);
    pen.put(label, title);
    pen.skip(1);
    let (at, width) = ((pen.x, pen.y), pen.end - pen.x);
    draw_line(buffer, at, width, line, focused, brush);
}

/// Draws an input line with its cursor.
pub(in crate::tui) fn draw_line(
    buffer: &mut Buffer,
    at: (u16, u16),
    width: u16,
    line: &Line,
    focused: bool,
    brush: Brush,
) {
    if width < 2 {
        return;
    }
    let (text, column) = line.window(usize::from(width));
    let style = brush.style(Role::Text);
    buffer.set_stringn(at.0, at.1, &text, width.into(), style);
    if focused {
        let column = cells(column).min(width - 1);
        let x = at.0.saturating_add(column);
        if let Some(cell) = buffer.cell_mut((x, at.1)) {
            cell.modifier |= ratatui::style::Modifier::REVERSED;
        }
    }
}
