//! What happens next: a machine that is a plain value, stepped by whoever holds it.
//!
//! It must not know the wall clock, threads, files, sessions or terminals, and never calls back.

pub mod ask;
pub mod event;
pub mod fault;

pub use ask::{Answer, Ask, AskId, AskKey, Outcome, Want};
pub use event::{Edge, Event, EventKind, FrameId, Millis, Stage};
pub use fault::{AwsFault, Fault, Origin};
