//! asldbg.
pub mod cli;
pub mod definition;
pub mod graph;
pub mod headless;
pub mod history;
pub mod interpreter;
pub mod json;
pub mod query;
pub mod session;
pub mod settings;
pub mod source;
pub mod tui;
pub mod worker;
