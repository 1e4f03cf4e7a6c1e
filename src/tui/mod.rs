//! The terminal front end: draws the debugger's screen and handles keys and the mouse.

pub mod action;
pub mod app;

pub mod border;
pub mod caption;
mod command;
mod decode;
mod end_caption;

pub mod editor;
mod executions;
pub mod finding;
mod fit;
pub mod glyph;
pub mod guard;
pub mod highlight;
pub mod input;
pub mod keymap;
pub mod layout;
pub mod line;

pub mod model;
mod mouse;
pub mod pane;
pub mod panes;
mod play;
pub mod popup;
pub mod prompt;
pub mod run;
pub mod screen;

mod prompt_key;
mod reached;
mod reading;
mod record;
mod subject;
pub mod theme;
pub mod tour;
mod update;

pub mod view;
mod whereabouts;
pub mod wording;

pub use app::{App, Effect, Setup};
pub use command::launch::Kept;
pub use run::{Ended, Options, TuiError, run};
