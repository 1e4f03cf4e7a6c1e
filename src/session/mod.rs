//! A person watching a run: commands in, replies, outputs and views out; answers, timeline, stops, breakpoints, going back, reload.
//!
//! It must not know files, threads, the wall clock or the terminal.

pub mod answerer;
pub mod answers;
mod argument;
mod asked;
pub mod breakpoint;
pub mod breakpoint_location;
mod breakpoints;
pub mod callback;
pub mod child;
pub mod children;
mod clock;
pub mod command;
mod condition_syntax;
mod differing;
mod end_view;
mod event_row;
pub mod execution;
mod expression;
mod failed_child;
mod forecast;
mod goal;
pub mod grammar;
mod item_standing;
mod items;
mod landmark;
mod lane_view;
mod led;
mod log;
mod misfit;
pub mod no_answer;
mod no_items;
pub mod note;
mod on_aws;
pub mod origin;
mod phrase;
mod raised;
mod reason;
mod record;
pub mod recorded;
pub mod recorded_answer;
mod recorded_items;
mod recording;
pub mod remark;
mod repeat;
mod replay;
pub mod reply;
mod retry_wait;
mod rule_view;
mod saved;
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
pub mod stop;
mod stop_condition;
mod sweep;
mod tally;
mod timeline;
mod trail;
pub mod unattended;
pub mod view;
mod visit_view;
mod watches;

pub use answerer::{Answerer, Repeats, Unmocked};
pub use argument::{Direction, Reach, Restart, Sought, Switch};
pub use breakpoint::{
    Breakpoint, BreakpointId, ErrorFilter, ErrorMoment, Location, Part, SourceBreakpoint,
    StateBreakpoint,
};
pub use command::{Command, Progress};
pub use condition_syntax::{check_condition, check_condition_at};
pub use expression::{stage_named, word_of};
pub use landmark::Landmark;
pub use led::Led;
pub use log::AnsweredBy;
pub use misfit::{Misfit, misfits};
pub use no_answer::NoAnswer;
pub use no_items::NoItems;
pub use note::{EventNote, duration};
pub use phrase::Phrase;
pub use raised::Raised;
pub use record::{Answers, CaseRefused, ExistingCase, answer_value, seconds, with_case};
pub use recorded_answer::{RecordedAnswer, RecordedAnswers};
pub use recorded_items::{RecordedItem, RecordedItems};
pub use remark::Remark;
pub use repeat::Repetition;
pub use reply::{Output, Refused, Reply};
pub use saved::Restored;
pub use session::{Session, Setup};
pub use show::fault_place;
pub use show::profile_name;
pub use stop::Stop;
pub use stop_condition::pattern_fits;
pub use view::View;
