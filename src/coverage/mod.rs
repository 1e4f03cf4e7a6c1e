//! What runs reached of a definition: states, transitions, retriers, items and branches; and the reports of it.
//!
//! It must not know who ran what, nor where a report goes.

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

pub use cobertura::{cobertura, xml};
pub use coverage::{Coverage, Tally};
pub use html::html;
pub use json::json;
pub use lcov::lcov;
pub use line::{FileLines, Line, lines};
pub use point::{Count, Kind, Point, edge_of, points};
pub use table::{source_lines, table};

/// A definition with what runs reached of it.
#[derive(Clone, Debug)]
pub struct Covered {
    /// The definition.
    pub definition: std::sync::Arc<crate::definition::Definition>,
    /// What was reached.
    pub coverage: Coverage,
}

/// What some definitions come to together.
#[must_use]
pub fn total(all: &[Covered]) -> Tally {
    let tallies = all.iter().map(|one| one.coverage.tally(&one.definition));
    tallies.fold(Tally::default(), Tally::and)
}
