//! asldbg.
pub mod definition;
pub mod json;
pub mod query;
pub mod source;
