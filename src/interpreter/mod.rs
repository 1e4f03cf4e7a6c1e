//! The interpreter: a [`Machine`] is a plain value that runs a definition one step at a time.
//!
//! The interpreter uses no wall clock, threads, files, sessions or terminals, and calls no callbacks.

mod ask;
mod children;
mod context;
mod evaluate;
mod event;
mod fault;
mod frame;
mod handling;
mod limits;
mod machine;
mod reason;
mod run;
mod stage;
mod states;
mod visit;

pub use ask::{Answer, Ask, AskId, AskKey, Calling, Looked, Outcome, Serve, Served, Want};
pub use children::{Group, GroupWork, Item, Slot, SlotView, Slots};
pub use evaluate::{FailedEvaluation, Look, Looks, Seen};
pub use event::{Edge, Event, EventKind, FrameId, Millis, Stage, kind_of, type_name};
pub use fault::{
    Difference, Fault, OnAws, Origin, RetrierUse, catcher_for, delay_millis, is_hidden, matches,
    retrier_for, takes, whole,
};
pub use frame::{Frame, Timer, Variables};
pub use limits::{MAX_MEMORY, MemoryWatch, largest_value};
pub use machine::{FrameBindings, Machine, Status, Step};
pub use reason::{
    Entered, Given, HISTORY_LIMIT, ItemsFrom, Needs, PAYLOAD_LIMIT, Reason, TooLarge,
    no_choice_matched,
};
pub use run::{
    ACCOUNT, Course, Followed, Header, Identity, MAX_DEPTH, MapRun, MapRunOutcome, Passage, Run,
    Unrepeatable, Work, execution_name, seed_of_child,
};
pub use states::{ChoiceError, NoWait, compare, evaluated, failing, holds};
pub use visit::{Attempt, Call, Data, Handled, Phase, StateVisit};
