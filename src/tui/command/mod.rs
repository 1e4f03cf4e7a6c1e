//! What each kind of order does: to the screen, the data, the breakpoints, the launch, and what a person chooses.

mod breakpoint;
mod child;
mod choose;
mod coverage;
pub(in crate::tui) mod data;
mod graph;
mod launch;
mod read;
mod recording;
mod screen;
mod search;
mod tour;
