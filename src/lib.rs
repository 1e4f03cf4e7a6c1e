//! asldbg.
pub mod json;
pub mod query;
pub mod source;
