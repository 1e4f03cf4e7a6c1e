//! The session: executes commands, and returns replies, outputs and views. Manages answers, the timeline, stops,
//! breakpoints, stepping back and reloads.
//!
//! A module imports only from its own layer and from the layers above it in this table.
//!
//! | layer | contents | modules |
//! |---|---|---|
//! | 1 | basic types and helpers | answers, breakpoint, choice, condition_syntax, execution, expression, finding, in_state, no_answer, no_items, service_response, values_read, visit_view, written |
//! | 2 | what a run records (events, log), and the AWS execution that a run repeats | end_view, event_row, log, note, on_aws, record, recorded, replay, snapshot, tally, timeline |
//! | 3 | places in a run | place |
//! | 4 | answers, stops, replies | answerer, breakpoints, reply, stop_condition |
//! | 5 | views as plain data, and the saved settings | saved, view, watches |
//! | 6 | explanations of errors | fault |
//! | 7 | origins of values, and losses | origin, stepper |
//! | 8 | the session | child, session |
//! | 9 | computing the views | first_error, repeat, show, unattended |
//! | 10 | commands | command |
//! | 11 | parsing typed commands | grammar |

pub mod answerer;
pub mod answers;
pub mod breakpoint;
mod breakpoints;
pub mod child;
mod choice;
pub mod command;
mod condition_syntax;
mod end_view;
mod event_row;
pub mod execution;
mod expression;
mod fault;
mod finding;
mod first_error;
pub mod grammar;
mod in_state;
mod log;
pub mod no_answer;
mod no_items;
pub mod note;
mod on_aws;
pub mod origin;
mod place;
mod record;
pub mod recorded;
mod repeat;
mod replay;
pub mod reply;
mod saved;
pub mod service_response;
#[expect(
    clippy::module_inception,
    reason = "the module is named after the layer's main type"
)]
mod session;
mod show;
mod snapshot;
mod stepper;
mod stop_condition;
mod tally;
mod timeline;
pub mod unattended;
mod values_read;
pub mod view;
mod visit_view;
mod watches;
mod written;

pub use answerer::{Answerer, Repeats, Sources, Unmocked};
pub use answers::{RecordedAnswer, RecordedAnswers, RecordedItem, RecordedItems};
pub use breakpoint::{
    Breakpoint, BreakpointId, ErrorFilter, ErrorMoment, Location, Part, SourceBreakpoint,
    StateBreakpoint,
};
pub use choice::{Misfit, misfits};
pub use command::{Command, Progress};
pub use condition_syntax::{check_condition, check_condition_at};
pub use expression::{stage_named, word_of};
pub use fault::fault_place;
pub use finding::{Finding, Phrase};
pub use log::AnsweredBy;
pub use no_answer::{NoAnswer, Remark};
pub use no_items::NoItems;
pub use note::{EventNote, duration};
pub use place::{AFTER_SEVERAL, Led, Raised};
pub use record::{
    Answers, CaseRefused, ExistingCase, answer_value, seconds, with_case, with_default_case,
};
pub use repeat::Repetition;
pub use reply::{Direction, Landmark, Output, Reach, Refused, Reply, Restart, Sought, Switch};
pub use saved::Restored;
pub use session::{Left, Outer, Session, Setup};
pub use show::profile_name;
pub use stop_condition::{Stop, pattern_fits};
pub use view::View;
