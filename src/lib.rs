//! asldbg.
pub mod definition;
pub mod graph;
pub mod json;
pub mod query;
pub mod source;
