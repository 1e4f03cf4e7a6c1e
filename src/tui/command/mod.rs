//! Implementations of the orders: for the screen, data, breakpoints, launch, and the user's choices.

mod breakpoint;
mod child;
mod choose;
pub(in crate::tui) mod data;
mod executions;
mod graph;
pub(super) mod launch;
mod recording;
mod screen;
pub(super) mod search;
