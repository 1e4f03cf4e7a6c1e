//! The row of tabs for panes that share a place.

use super::border::{Brush, put};
use super::layout::Layout;
use super::theme::Role;
use ratatui::buffer::Buffer;

/// Draws the tabs of the panes that share a place, with the selected one in brackets.
pub(super) fn draw_tabs(layout: &Layout, brush: Brush, buffer: &mut Buffer) {
    for tab in &layout.tabs {
        let long = usize::from(tab.area.width) > 3;
        let name = if long { tab.pane.short_name() } else { "" };
        let number = tab.pane.number();
        let text = match (tab.shown, long) {
            (true, true) => format!("[{number} {name}]"),
            (false, true) => format!(" {number} {name} "),
            (true, false) => format!("[{number}]"),
            (false, false) => format!(" {number} "),
        };
        let role = if tab.shown { Role::Title } else { Role::Dim };
        put(buffer, tab.area, 0, &text, brush.style(role), brush);
    }
}
