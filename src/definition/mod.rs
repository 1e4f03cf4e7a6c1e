//! What the text means: states, choice rules, retriers, catchers, with the span of every field.
//!
//! It must not know how states are run or drawn.

mod check;
mod comparator;
mod files;
mod inputs;
mod later;
mod lower;
mod machine_type;
mod model;

pub use check::{Allowed, LintRule, RULES, check, diagnose, is_variable_name};
pub use comparator::{Comparator, Relation};
pub use files::*;
pub use later::{Gone, LaterRead};
pub use lower::lower;
pub use machine_type::MachineType;
pub use model::*;
