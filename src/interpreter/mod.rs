//! The interpreter: a [`Machine`] is a plain value that runs a definition one step at a time.
//!
//! Does not depend on the wall clock, threads, files, sessions or terminals, and never calls back.

mod ask;
mod children;
mod context;
mod course;
mod difference;
mod evaluate;
mod event;
mod event_type;
mod fault;
mod frame;
mod handling;
mod jsonata_stage;
mod limits;
mod look;
mod machine;
mod memory;
mod order;
mod profile;
mod reason;
mod retry;
mod run;
mod stage;
mod states;
mod variable;
mod visit;

pub use ask::{Answer, Ask, AskId, AskKey, Calling, Looked, Outcome, Serve, Served, Want};
pub use children::{Group, GroupWork, Item, Slot, SlotView, Slots};
pub use course::{Course, Followed, MapRun, MapRunOutcome, Passage, Unrepeatable, Work};
pub use difference::Difference;
pub use event::{Edge, Event, EventKind, FrameId, Millis, Stage};
pub use event_type::type_name;
pub use fault::{Fault, OnAws, Origin};
pub use frame::{Frame, Timer};
pub use look::{Look, Looks, Seen};
pub use machine::{FrameBindings, Machine, Status, Step};
pub use memory::{MAX_MEMORY, MemoryWatch, largest_value};
pub use profile::{HISTORY_LIMIT, PAYLOAD_LIMIT, default_timeout_seconds, no_choice_matched};
pub use reason::{Entered, Given, ItemsFrom, Needs, Reason, TooLarge};
pub use retry::{catcher_for, delay_millis, is_hidden, matches, retrier_for, takes};
pub use run::{ACCOUNT, Header, Identity, MAX_DEPTH, Run, execution_name, seed_of_child};
pub use states::{ChoiceError, NoWait, compare, failing, holds, variable};
pub use variable::Variables;
pub use visit::{Attempt, Call, Data, Handled, Phase, RetrierUse, StateVisit};
