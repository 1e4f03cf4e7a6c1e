//! The JSON value that a run works on. Values are shared by `Arc`, so cloning is cheap. The order of members and the
//! text of numbers are preserved.
//!
//! This module does not depend on any other module of the crate.

mod array;
mod footprint;
mod number;
mod parse;
mod pointer;
mod print;
mod value;

pub(crate) use array::CHUNK;
pub use array::{Array, Chunk, Growing};
pub use footprint::Footprint;
pub use number::Number;
pub use parse::{MOST_PARSED, ParseError, parse, parsed_memory, structure};
pub use pointer::{Change, ChangeKind, Pointer, Step, diff, heaviest};
pub(crate) use print::every_byte;
pub use print::{
    Lines, bare, escaped, on_line, one_line, pretty, pretty_in_parts, steers, visible, xml,
};
pub use value::{NOT_RECORDED, Object, Text, Value, count, is_not_recorded, not_recorded};
