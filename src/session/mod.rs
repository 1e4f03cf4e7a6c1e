//! The session: takes commands; gives replies, outputs and views; manages answers, timeline, stops, breakpoints,
//! stepping back and reload.
//!
//! A module imports only from its own layer and from the layers above it in this table.
//!
//! | layer | contents | modules |
//! |---|---|---|
//! | 1 | basic types and helpers | answers, breakpoint, breakpoint_location, callback, choice, clock, condition_syntax, differing, execution, expression, finding, forecast, item_standing, landmark, no_answer, no_items, phrase, recorded_answer, recorded_items, service_metadata, service_response, spent_retrier, state_status, text_hint, values_read, written |
//! | 2 | the recording of a run, and the recorded execution that it repeats | answer_note, children, end_view, event_row, failed_child, lane_view, log, note, on_aws, record, recorded, recording, replay, retry_wait, snapshot, tally, timeline, visit_view |
//! | 3 | places in a run | fault_view, place |
//! | 4 | answers, stops, replies | answerer, argument, breakpoints, goal, items, reply, stop, stop_condition, sweep |
//! | 5 | views as plain data, and the saved settings | saved, view, watches |
//! | 6 | explanations of errors | fault |
//! | 7 | origins of values, and losses | origin, stepper, trail |
//! | 8 | the session | answering, child, session |
//! | 9 | computing the views | also_true, failure_cause, first_error, repeat, show, unattended |
//! | 10 | commands | command |
//! | 11 | parsing typed commands | grammar |

mod also_true;
pub mod answer_note;
pub mod answerer;
mod answering;
pub mod answers;
mod argument;
pub mod breakpoint;
pub mod breakpoint_location;
mod breakpoints;
pub mod callback;
pub mod child;
pub mod children;
mod choice;
mod clock;
pub mod command;
mod condition_syntax;
mod differing;
mod end_view;
mod event_row;
pub mod execution;
mod expression;
mod failed_child;
mod failure_cause;
mod fault;
mod fault_view;
mod finding;
mod first_error;
mod forecast;
mod goal;
pub mod grammar;
mod item_standing;
mod items;
mod landmark;
mod lane_view;
mod log;
pub mod no_answer;
mod no_items;
pub mod note;
mod on_aws;
pub mod origin;
mod phrase;
mod place;
mod record;
pub mod recorded;
pub mod recorded_answer;
mod recorded_items;
mod recording;
mod repeat;
mod replay;
pub mod reply;
mod retry_wait;
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
mod spent_retrier;
mod state_status;
mod stepper;
pub mod stop;
mod stop_condition;
mod sweep;
mod tally;
mod text_hint;
mod timeline;
mod trail;
pub mod unattended;
mod values_read;
pub mod view;
mod visit_view;
mod watches;
mod written;

pub use answer_note::Remark;
pub use answerer::{Answerer, Repeats, Unmocked};
pub use argument::{Direction, Reach, Restart, Sought, Switch};
pub use breakpoint::{
    Breakpoint, BreakpointId, ErrorFilter, ErrorMoment, Location, Part, SourceBreakpoint,
    StateBreakpoint,
};
pub use choice::{Misfit, misfit, misfits};
pub use command::{Command, Progress};
pub use condition_syntax::{check_condition, check_condition_at};
pub use expression::{stage_named, word_of};
pub use fault::fault_place;
pub use fault_view::{AFTER_SEVERAL, Led, Raised};
pub use finding::Finding;
pub use landmark::Landmark;
pub use log::AnsweredBy;
pub use no_answer::NoAnswer;
pub use no_items::NoItems;
pub use note::{EventNote, duration};
pub use phrase::Phrase;
pub use record::{
    Answers, CaseRefused, ExistingCase, answer_value, seconds, with_case, with_default_case,
};
pub use recorded_answer::{RecordedAnswer, RecordedAnswers};
pub use recorded_items::{RecordedItem, RecordedItems};
pub use repeat::Repetition;
pub use reply::{Output, Refused, Reply};
pub use saved::Restored;
pub use session::{Session, Setup};
pub use show::profile_name;
pub use stop::Stop;
pub use stop_condition::pattern_fits;
pub use view::View;
