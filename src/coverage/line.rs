//! Coverage by line of the source text.

use super::Covered;
use super::point::{Kind, Point, points};
use crate::source::SourceFile;
use std::collections::BTreeMap;

/// A line that has points on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Line number, starting at 1.
    pub number: usize,
    /// How often the line was reached: the count of the state on it, otherwise the highest count of its alternatives.
    pub hits: u64,
    /// Points on the line, each with how often it was reached.
    pub points: Vec<(Point, u64)>,
}

impl Line {
    /// True if every point on the line was reached.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.points.iter().all(|(_, hits)| *hits > 0)
    }

    /// Points on the line that are alternatives: all except states entered and a state's only transition.
    pub fn ways(&self) -> impl Iterator<Item = &(Point, u64)> {
        let points = self.points.iter();
        points.filter(|(point, _)| is_way(point.kind))
    }
}

/// True if another point of the same state could have been reached instead.
pub(super) fn is_way(kind: Kind) -> bool {
    use crate::interpreter::Edge;
    !matches!(kind, Kind::Entered | Kind::Left(Edge::Next | Edge::End))
}

/// The lines of one file, in ascending order.
#[derive(Clone, Debug)]
pub struct FileLines {
    /// The file.
    pub file: SourceFile,
    /// Source id of the file within the definition.
    pub source: crate::source::SourceId,
    /// The lines with points.
    pub lines: Vec<Line>,
}

/// Returns the lines of each file of a definition.
#[must_use]
pub fn lines(covered: &Covered) -> Vec<FileLines> {
    let (definition, coverage) = (&covered.definition, &covered.coverage);
    let mut found: BTreeMap<u16, BTreeMap<usize, Vec<(Point, u64)>>> = BTreeMap::new();
    for point in points(definition) {
        let span = point.span(definition);
        let Some(place) = definition.sources.place(span) else {
            continue;
        };
        let lines = found.entry(span.source.0).or_default();
        let hits = coverage.hits(point);
        lines.entry(place.line).or_default().push((point, hits));
    }
    let files = found.into_iter().filter_map(|(source, lines)| {
        let file = definition.sources.get(crate::source::SourceId(source))?;
        let lines = lines.into_iter();
        Some(FileLines {
            file: file.clone(),
            source: crate::source::SourceId(source),
            lines: lines.map(|(number, points)| line(number, points)).collect(),
        })
    });
    files.collect()
}

fn line(number: usize, points: Vec<(Point, u64)>) -> Line {
    let entered = points
        .iter()
        .filter(|(point, _)| point.kind == Kind::Entered);
    let entered: u64 = entered.map(|(_, hits)| hits).sum();
    let most = points.iter().map(|(_, hits)| *hits).max().unwrap_or(0);
    let is_state = points.iter().any(|(point, _)| point.kind == Kind::Entered);
    Line {
        number,
        hits: if is_state { entered } else { most },
        points,
    }
}
