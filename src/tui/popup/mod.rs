//! Popups over the panes: help, forms, questions, editors and lists. An open popup receives all keys.

pub mod answer;
pub mod breakpoint;
mod dialog;
pub mod editor;
pub mod help;
pub mod picker;
pub mod whole;

pub use dialog::{Dialog, Quit, Reply};

pub(super) use dialog::draw_line;

/// A popup that is open over the panes.
pub type Popup = Box<dyn Dialog>;
