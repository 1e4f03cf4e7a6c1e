//! The meaning of a definition: states, Choice rules, retriers and catchers, with the span of every field.

mod check;
mod choice;
mod compiled;
mod condition;
mod edition;
pub mod field;
mod field_at;
mod field_value;
mod implies;
mod lower;
mod map;
mod model;
mod outline;
mod rule;
mod rule_table;
mod scope;
mod step;
mod step_table;
mod task;

pub use check::{DroppedRead, check, diagnose, is_variable_name, lacking, variables_read};
pub use choice::*;
pub use compiled::Compiled;
pub use condition::{Ask, Asked, Condition, Family, Place, Term, Type};
pub use edition::Edition;
pub use field_at::{FieldAt, Owner};
pub use field_value::{
    Jsonata, PathField, Payload, Quantity, ResultPath, ScopeId, StateId, StatePath, Target,
};
pub use implies::implies;
pub use lower::lower;
pub use map::*;
pub use model::*;
pub use rule::{LintRule, Severities, Standing};
pub use rule_table::{Allowed, rules, rules_markdown};
pub use scope::{Outer, reach};
pub use step::{Make, Makes, Source, Stage, StageGroup, StageStep, Steps};
pub use task::{CallPattern, Integration, Task};
