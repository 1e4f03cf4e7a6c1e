//! The meaning of a definition: states, Choice rules, retriers and catchers, with the span of every field.

mod check;
mod choice;
mod compiled;
mod condition;
mod edition;
pub mod field;
mod field_at;
mod implies;
mod lower;
mod map;
mod model;
mod rule;
mod step;
mod step_table;
mod target;
mod task;

pub use check::{DroppedRead, check, diagnose, is_variable_name, lacking, variables_read};
pub use choice::*;
pub use compiled::{Compiled, Jsonata, PathField, Payload, Quantity, ResultPath};
pub use condition::{Ask, Asked, Condition, Family, Place, Term, Type};
pub use edition::Edition;
pub use field_at::{FieldAt, Owner};
pub use implies::implies;
pub use lower::lower;
pub use map::*;
pub use model::*;
pub use rule::{Allowed, LintRule, Severities, Standing, rules, rules_markdown};
pub use step::{Make, Makes, Source, Stage, StageGroup, StageStep, Steps};
pub use target::{Outer, ScopeId, StateId, StatePath, Target};
pub use task::{CallPattern, Integration, Task};
