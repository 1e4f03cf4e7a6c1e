//! A person watching a run: commands in, views and notices out; answers, timeline, stops, breakpoints, going back, reload.
//!
//! It must not know files, threads, the wall clock or the terminal.

mod answer_rule;
mod answering;
pub mod answers;
pub mod breakpoint;
mod breakpoint_location;
mod breakpoints;
pub mod child;
mod clock;
pub mod command;
pub mod execution;
mod expression;
mod ignore_failures;
mod items;
mod log;
mod record;
mod recording;
mod reload;
mod restart;
mod reverse;
mod saved;
pub mod service_response;
#[expect(
    clippy::module_inception,
    reason = "the main type of the layer has its name"
)]
mod session;
mod show;
mod snapshot;
mod stepper;
mod stepping;
pub mod stop;
mod stop_condition;
mod tally;
mod timeline;
pub mod view;

pub use breakpoint::{Breakpoint, BreakpointId, ErrorMoment, Location, Part};
pub use command::{Command, Direction, Notice, Progress, Reach, Restart, Switch};
pub use record::{Answers, seconds, with_case};
pub use saved::Restored;
pub use session::{Session, Setup, Unmocked};
pub use show::{duration, profile_name};
pub use stop::Stop;
pub use view::View;
