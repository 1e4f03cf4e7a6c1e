//! Coverage: the states, transitions, retriers, item counts of Maps, and branches of a definition that runs reached;
//! and reports about it.

#[expect(
    clippy::module_inception,
    reason = "the module is named after the layer's main type"
)]
mod coverage;
mod html;
mod point;
mod report;

pub use coverage::{Coverage, Covered, Line, lines, total};
pub use html::html;
pub use point::{Kind, Point, edge_of, points};
pub use report::{cobertura, json, lcov, source_lines, table};
