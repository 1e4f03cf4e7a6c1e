//! The terminal front end.
//!
//! It must not know how states run: it sends commands to a session and draws its views.

pub mod glyph;
pub mod pane;
pub mod theme;
