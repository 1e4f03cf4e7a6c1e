//! The JSON value that a run works on: shared by `Arc` and cheap to clone, with member order and number text preserved.
//!
//! Does not depend on any other module of the crate.

mod count;
mod diff;
mod footprint;
mod heaviest;
mod number;
mod packed;
mod parse;
mod pointer;
mod print;
mod reader;
mod unknown;
mod value;
mod visible;

pub use count::count;
pub use diff::{Change, ChangeKind, diff};
pub use footprint::Footprint;
pub use heaviest::heaviest;
pub use number::Number;
pub(crate) use packed::CHUNK;
pub use packed::{Chunk, Growing};
pub use parse::{MOST_PARSED, ParseError, parse, parsed_memory, structure};
pub use pointer::{Pointer, Step};
pub use print::{bare, one_line, pretty, pretty_in_parts};
pub use unknown::{NOT_RECORDED, is_not_recorded, not_recorded};
pub use value::{Array, Object, Text, Value};
pub(crate) use visible::every_byte;
pub use visible::{Lines, escaped, on_line, steers, visible, xml};
