//! The front end for editors: an adapter that connects a session to the Debug Adapter Protocol.

mod adapter;
mod breakpoint;
mod child;
mod client;
mod command;
mod console;
mod data_breakpoint;
mod debuggee;
mod evaluate;
mod handle;
mod launch;
mod launch_arguments;
mod listing;
mod message;
mod protocol;
mod run;
mod scope;
mod serve;
mod source;
mod stack;
mod stop;

pub use adapter::{Adapter, Effect};
pub use command::{Given, TABLE, given};
pub use serve::{MAX_MESSAGE, Reader, listen, serve_stdio, write};
