//! Turns a configuration into a session: reads the definition and the files that belong to it, selects the machine and
//! the test case, and keeps settings between sessions.

mod beside;
mod child;
mod choose;
mod config;
mod demo;
mod error;
mod history;
mod history_file;
mod kept;
mod left_out;
mod load;
mod map_run;
mod open;
mod own_writes;
mod project;
#[cfg(test)]
mod tests;
mod value;
mod visit;
mod watch;
mod workspace;

pub use beside::{Mock, mock_in};
pub use choose::definitions_in;
pub use config::{Checking, HistoryGiven, LaunchConfig, Program, Questions, TextForm};
pub use demo::{demo, tour};
pub use error::{Field, LaunchError};
pub use history::beside as recorded_beside;
pub use history_file::{Recorded, is_history_file, read_history};
pub use left_out::Choice;
pub use load::{LEAST_ROOM, Loaded, Prepared, address_space};
pub use map_run::{histories_of_children, map_of};
pub use open::{Opened, open, open_all, open_json};
pub use own_writes::{NewCase, OwnWrites, write_case, write_default_case};
pub use project::{Project, item_processor};
pub use value::{Given, TRIGGER_NAMES, Trigger, read_text, triggers};
pub use visit::{Client, Door, Visit};
pub use watch::{Watch, watch};
pub use workspace::{Begun, Note, Origin, Question, Reloaded, Workspace};
