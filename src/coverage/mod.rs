//! Coverage: which states, transitions, retriers, items and branches of a definition runs reached; and its reports.

mod cobertura;
#[expect(
    clippy::module_inception,
    reason = "the main type of the layer has its name"
)]
mod coverage;
mod html;
mod json;
mod lcov;
mod line;
mod point;
mod table;

pub use cobertura::cobertura;
pub use coverage::{Coverage, Covered, Tally, total};
pub use html::html;
pub use json::json;
pub use lcov::lcov;
pub use line::{FileLines, Line, lines};
pub use point::{Count, Kind, Point, edge_of, points};
pub use table::{source_lines, table};
