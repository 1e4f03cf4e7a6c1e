//! The messages of the Debug Adapter Protocol 1.68, as its published schema has them: the part that is spoken here.

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
