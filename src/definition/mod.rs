//! What the text means: states, choice rules, retriers, catchers, with the span of every field.
//!
//! It must not know how states are run or drawn.

mod branch;
mod check;
mod comparator;
mod compiled;
mod concurrency;
mod condition;
mod edition;
pub mod field;
mod field_at;
mod field_value;
mod files;
mod handling;
mod implies;
mod inputs;
mod lower;
mod machine_type;
mod model;
mod next;
mod outer;
mod outline;
mod rule;
mod rule_table;
mod stage;
mod step;
mod step_table;
mod target;
mod token;

pub use check::{DroppedRead, check, diagnose, is_variable_name, lacking, variables_read};
pub use comparator::{Comparator, Relation};
pub use compiled::Compiled;
pub use condition::{Ask, Asked, Condition, Family, Place, Term, Type};
pub use edition::Edition;
pub use field_at::{FieldAt, Owner};
pub use field_value::{Jsonata, PathField, Payload, Quantity, ResultPath};
pub use files::*;
pub use handling::{Catcher, Jitter, Retrier};
pub use lower::lower;
pub use machine_type::MachineType;
pub use model::*;
pub use outer::Outer;
pub use rule::{LintRule, Severities, Standing};
pub use rule_table::{Allowed, rules, rules_markdown};
pub use stage::{Stage, StageGroup};
pub use step::{Make, Makes, Source, StageStep, Steps};
pub use target::{ScopeId, StateId, StatePath, Target};
