//! Performs the orders of the user: for the screen, data, breakpoints, other executions, files and choices.

mod breakpoint;
mod choose;
pub(in crate::tui) mod data;
mod executions;
mod graph;
pub(super) mod launch;
mod screen;
mod search;
mod tour;
