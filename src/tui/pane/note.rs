//! One line of words in a pane.
//!
//! It must not know what is said.

use crate::tui::theme::Role;

/// One line of words below a block's value.
pub(super) struct Note {
    pub(super) sign: &'static str,
    pub(super) label: String,
    pub(super) text: String,
    pub(super) role: Role,
}
