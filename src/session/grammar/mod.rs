//! Parses what the user types to a session: locations of breakpoints, answers, names of states.

mod answer;
mod breakpoint;
mod run;
mod stop_on;

pub use answer::{TypedAnswer, beats, parse_answer, seconds};
pub use breakpoint::{Place, TypedBreakpoint, parse_breakpoint, parse_moment, state_named};
pub use run::parse_goto;
pub use stop_on::parse_stop_on;
