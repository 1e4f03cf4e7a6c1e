//! Implementations of the orders: for the screen, data, breakpoints, launch, and the user's choices.

mod breakpoint;
mod child;
mod choose;
mod coverage;
pub(in crate::tui) mod data;
mod executions;
mod graph;
pub(super) mod launch;
mod read;
mod recording;
mod screen;
mod search;
mod tour;
