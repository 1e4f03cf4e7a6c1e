//! Implementations of the orders: for the screen, data, breakpoints, launch, and the user's choices.

mod breakpoint;
mod choose;
pub(in crate::tui) mod data;
mod executions;
mod graph;
pub(super) mod launch;
mod screen;
mod search;
mod tour;
