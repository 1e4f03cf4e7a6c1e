//! Performs the orders of the user. Each module performs those for one subject: the screen, data, breakpoints, other
//! executions, files, or choices.

mod breakpoint;
mod choose;
pub(in crate::tui) mod data;
mod executions;
mod graph;
pub(super) mod launch;
mod screen;
mod search;
mod tour;
