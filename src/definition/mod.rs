//! What the text means: states, choice rules, retriers, catchers, with the span of every field.
//!
//! It must not know how states are run or drawn.

mod model;

pub use model::*;
