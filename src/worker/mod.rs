//! Answers requests of the machine that need no user: JSONata evaluation on a separate thread, item files in given
//! folders.

mod csv;
mod evaluator;
mod files;
mod item_collector;
mod items;
mod jsonata;
mod lines;
mod listing;
mod manifest;
mod serve;

pub use evaluator::{Evaluator, panic_is_caught};
pub use files::Files;
pub use items::read_text;
pub use serve::Worker;
