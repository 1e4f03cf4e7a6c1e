//! Who answers tasks outside of this program: a function behind an HTTP address, or a program on this machine.
//!
//! Only a person names one, on the command line or in the settings; nothing that can come with a definition does.

mod answer;
mod caller;
mod group;
mod http;
mod pattern;
mod program;
mod request;
mod rule;
mod watch;

pub use caller::Caller;
pub use group::end_all;
pub use rule::{Targets, Unread};

use std::time::Duration;

/// The largest result that is read, in bytes.
const LARGEST: usize = 6 << 20;
/// The longest time for one call.
const LONGEST: Duration = Duration::from_secs(900);
