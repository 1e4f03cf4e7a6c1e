//! Coverage: the states, transitions, retriers, numbers of items and branches of a definition that runs reached; and
//! reports about them.

#[expect(
    clippy::module_inception,
    reason = "the layer's main type has the same name as the layer"
)]
mod coverage;
mod html;
mod point;
mod report;

pub use coverage::{Coverage, Covered, Line, lines, total};
pub use html::html;
pub use point::{Kind, Point, edge_of, points};
pub use report::{cobertura, json, lcov, source_lines, table};
