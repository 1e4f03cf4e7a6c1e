//! Parses source text to a tree with source ranges, and relates every diagnostic to the text.

mod diagnostic;
pub mod dsl;
mod edited;
mod excerpt;
mod formatted;
mod group;
mod json;
mod language;
pub mod load;
mod node;
pub mod open;
pub mod placeholder;
mod render;
pub mod store;
mod suggest;
pub mod template;
mod text;
pub mod yaml;

pub use diagnostic::{Diagnostic, Diagnostics, Severity};
pub use edited::edited;
pub use formatted::formatted;
pub use group::{FindingGroup, grouped};
pub use json::{MAX_BYTES, MAX_DEPTH, parse_json};
pub use language::is_program;
pub use node::{Key, Member, Node, NodeKind, OffsetMap, StringNode};
pub use render::{Style, render, render_with, short};
pub use suggest::{did_you_mean, nearest};
pub use text::{Place, SourceFile, SourceId, SourceMap, Span};
