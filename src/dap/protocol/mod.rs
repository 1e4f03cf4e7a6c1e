//! The messages of the Debug Adapter Protocol 1.68 according to its published schema; only the part that is used here.

mod arguments;
mod body;
mod event;
mod message;
mod types;

pub use arguments::*;
pub use body::*;
pub use event::*;
pub use message::*;
pub use types::*;
