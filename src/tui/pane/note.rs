//! A line of text in a pane.

use crate::tui::theme::Role;

/// A line of text below a block's value.
pub(super) struct Note {
    pub(super) sign: &'static str,
    pub(super) label: String,
    pub(super) text: String,
    pub(super) role: Role,
}
