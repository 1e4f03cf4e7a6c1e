//! A person watching a run: commands in, replies, outputs and views out; answers, timeline, stops, breakpoints, going back, reload.
//!
//! It must not know files, threads, the wall clock or the terminal.

pub mod answerer;
mod answering;
pub mod answers;
mod argument;
pub mod breakpoint;
mod breakpoint_location;
mod breakpoints;
mod callback;
pub mod child;
pub mod children;
mod clock;
pub mod command;
pub mod execution;
mod expression;
mod focus;
pub mod grammar;
mod ignore_failures;
mod items;
mod landmark;
mod log;
pub mod no_answer;
mod note;
mod record;
pub mod recorded_answer;
mod recording;
mod reload;
pub mod reply;
mod restart;
mod reverse;
mod saved;
mod seek;
mod service_metadata;
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
pub mod unattended;
pub mod view;
mod watches;
mod writer;

pub use answerer::{Answerer, Repeats, Unmocked};
pub use argument::{Direction, Reach, Restart, Switch};
pub use breakpoint::{
    Breakpoint, BreakpointId, ErrorFilter, ErrorMoment, Location, Part, SourceBreakpoint,
    StateBreakpoint,
};
pub use command::Command;
pub use landmark::Landmark;
pub use log::AnsweredBy;
pub use note::duration;
pub use record::{Answers, seconds, with_case};
pub use recorded_answer::{RecordedAnswer, RecordedAnswers};
pub use reply::{Output, Refused, Reply};
pub use saved::Restored;
pub use session::{Session, Setup};
pub use show::profile_name;
pub use stepping::Progress;
pub use stop::Stop;
pub use view::View;
