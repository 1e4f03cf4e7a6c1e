//! Parses the commands that the user types, with locations of breakpoints, answers and names of states.

mod answer;
mod breakpoint;
mod command;

pub use answer::{TypedAnswer, beats, parse_answer, seconds};
pub use breakpoint::{
    Place, TypedBreakpoint, parse_breakpoint, parse_goto, parse_moment, parse_stop_on, state_named,
};
pub use command::TypedCommand;
