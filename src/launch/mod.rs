//! From plain configuration to a run: files, what lies beside them, machines and test cases, children, what is kept.
//!
//! It must not know arguments, a terminal or a protocol: a front end hands in what it was asked for.

pub mod beside;
mod child;
pub mod choose;
pub mod kept;
pub mod load;
pub mod value;
