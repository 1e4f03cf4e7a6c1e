//! The terminal front end.
//!
//! It must not know how states run: it sends commands to a session and draws its views.

pub mod action;
pub mod glyph;
pub mod guard;
pub mod highlight;
pub mod input;
pub mod keymap;
pub mod layout;
pub mod line;
pub mod pane;
pub mod prompt;
pub mod theme;
pub mod watch;
