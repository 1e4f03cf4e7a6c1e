//! A person watching a run: commands in, views and notices out; answers, timeline, stops, breakpoints, going back, reload.
//!
//! It must not know files, threads, the wall clock or the terminal.

mod again;
mod answering;
pub mod answers;
mod back;
pub mod breakpoint;
pub mod child;
mod clock;
pub mod command;
mod drive;
pub mod execution;
mod going;
mod halt;
mod items;
mod log;
mod place;
mod placed;
mod point;
mod record;
mod reload;
mod saved;
#[expect(
    clippy::module_inception,
    reason = "the main type of the layer has its name"
)]
mod session;
pub mod shape;
mod show;
mod standing;
pub mod stop;
mod tally;
mod timeline;
pub mod view;
mod watch;

pub use breakpoint::{Breakpoint, BreakpointId, ErrorMoment, Location, Part};
pub use command::{Command, Direction, Notice, Progress, Reach, Restart, Switch};
pub use record::{Answers, seconds, with_case};
pub use saved::Restored;
pub use session::{Session, Setup, Unmocked};
pub use show::{duration, profile_name};
pub use stop::Stop;
pub use view::View;
