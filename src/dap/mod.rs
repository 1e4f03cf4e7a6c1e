//! The front end for editors: the Debug Adapter Protocol over a session.
//!
//! It must not know how states run, nor any other front end: requests become commands of a session, and what its view
//! shows becomes responses and events.

mod adapter;
mod aim;
mod answer;
mod body;
mod breakpoint;
mod breakpoint_list;
mod capabilities;
mod child;
mod client;
mod command;
mod completion;
mod console;
mod data_breakpoint;
mod debuggee;
mod edit;
mod evaluate;
mod exception;
mod finding;
mod handle;
mod launch;
mod launch_arguments;
mod listing;
mod outbox;
mod progress;
mod protocol;
mod refusal;
mod reload;
mod run;
mod scope;
mod serve;
mod source;
mod stack;
mod stop;
mod target;
mod variable;
mod wire;
mod wording;
mod write;

pub use adapter::{Adapter, Effect};
pub use command::{Given, TABLE, given};
pub use serve::{listen, serve_stdio};
pub use wire::{MAX_MESSAGE, Reader, WireError, write};
