//! asldbg.
pub mod definition;
pub mod graph;
pub mod interpreter;
pub mod json;
pub mod query;
pub mod session;
pub mod source;
pub mod tui;
