//! What the text means: states, choice rules, retriers, catchers, with the span of every field.
//!
//! It must not know how states are run or drawn.

mod check;
mod comparator;
mod files;
mod inputs;
mod lower;
mod model;

pub use check::{LintRule, RULES, check, check_express, diagnose, is_variable_name};
pub use comparator::{Comparator, Relation};
pub use files::*;
pub use lower::lower;
pub use model::*;
