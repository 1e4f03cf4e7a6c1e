//! What serves a machine's questions without a person: JSONata evaluation on a thread of its own, item files in given folders.
//!
//! It must not know sessions, terminals or what a state does with an answer.

mod csv;
mod evaluator;
mod files;
mod items;
mod jsonata;
mod lines;
mod listing;
mod made;
mod manifest;
mod serve;

pub use evaluator::{Evaluator, panic_is_caught};
pub use files::Files;
pub use items::read_text;
pub use serve::Worker;
