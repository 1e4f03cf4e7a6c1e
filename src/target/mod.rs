//! External targets, which answer tasks: a function behind an HTTP address, a program on this machine, or the user's
//! `aws` program.
//!
//! For safety, only the user can configure targets, on the command line or in the settings. No file that comes with a
//! definition can configure targets.

mod answer;
mod aws;
mod caller;
mod http;
mod program;
mod request;
mod rule;
mod watch;

pub use aws::{Aws, UNREACHED};
pub use caller::Caller;
pub use program::{Ended, Room, end_all, find_program, run};
pub use rule::{Targets, Unread, words};
pub use watch::Watch;

use std::time::Duration;

/// Maximum size of a target's result, in bytes.
const LARGEST: usize = 6 << 20;
/// Maximum duration of a call.
const LONGEST: Duration = Duration::from_secs(900);
