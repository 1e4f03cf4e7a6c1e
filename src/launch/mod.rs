//! Turns a configuration into a session: reads files, finds what belongs to them, selects machines and test cases, and
//! keeps settings between sessions.

mod beside;
mod case;
mod child;
mod choice;
mod choose;
mod config;
mod demo;
mod error;
mod history;
mod history_file;
mod item_processor;
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
mod trigger;
mod value;
mod visit;
mod watch;
mod workspace;

pub use beside::mock_in;
pub use case::{NewCase, write_case, write_default_case};
pub use choice::Choice;
pub use choose::definitions_in;
pub use config::{Checking, HistoryGiven, LaunchConfig, Program, Questions, TextForm};
pub use demo::demo;
pub use error::{Field, LaunchError};
pub use history::beside as recorded_beside;
pub use history_file::{Recorded, is_history_file, read_history};
pub use item_processor::item_processor;
pub use load::{LEAST_ROOM, Loaded, Prepared, address_space};
pub use map_run::{histories_of_children, map_of};
pub use mock::Mock;
pub use open::{Opened, open, open_all, open_json};
pub use origin::{Begun, Note, Origin, Question};
pub use own_writes::OwnWrites;
pub use project::Project;
pub use tour::tour;
pub use trigger::{TRIGGER_NAMES, Trigger, triggers};
pub use value::{Given, read_text};
pub use visit::{Client, Door, Visit};
pub use watch::{Watch, watch};
pub use workspace::{Reloaded, Workspace};
