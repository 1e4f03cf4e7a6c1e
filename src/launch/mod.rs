//! From plain configuration to a session: files, what lies beside them, machines and test cases, children, what is kept.
//!
//! It must not know arguments, a terminal or a protocol: a front end fills a [`LaunchConfig`] and opens a [`Project`].

mod beside;
mod case;
mod child;
mod choice;
mod choose;
mod config;
mod demo;
mod error;
mod history;
mod kept;
mod left_out;
mod load;
mod map_run;
mod mock;
mod open;
mod origin;
mod own_writes;
mod project;
mod read;
#[cfg(test)]
mod tests;
mod tour;
mod value;
mod watch;
mod workspace;

pub use beside::mock_in;
pub use case::{NewCase, write_case};
pub use choice::Choice;
pub use choose::definitions_in;
pub use config::{Checking, HistoryGiven, LaunchConfig, Program, Questions, TextForm};
pub use demo::demo;
pub use error::{Field, LaunchError};
pub use history::{Recorded, beside as recorded_beside, is_history_file, read_history};
pub use load::{Loaded, Prepared};
pub use map_run::{histories_of_children, item_processor, map_of};
pub use mock::Mock;
pub use open::{Opened, open, open_all, open_json};
pub use origin::{Begun, Note, Origin, Question};
pub use own_writes::OwnWrites;
pub use project::Project;
pub use tour::tour;
pub use value::{Given, read_text};
pub use watch::{Watch, watch};
pub use workspace::{Reloaded, Workspace};
