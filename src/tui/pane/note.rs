//! One line of words in a pane.

use crate::tui::theme::Role;

/// One line of words below a block's value.
pub(super) struct Note {
    pub(super) sign: &'static str,
    pub(super) label: String,
    pub(super) text: String,
    pub(super) role: Role,
}
