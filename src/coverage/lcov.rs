//! Coverage as an lcov tracefile: a DA for each line; a BRDA for each Choice rule, catcher, retrier, Parallel branch
//! and alternative of a Map; states are functions.

use super::Covered;
use super::line::{is_way, lines};
use super::point::Kind;
use crate::json::Lines;

/// Returns the tracefile.
#[must_use]
pub fn lcov(all: &[Covered]) -> String {
    let mut out = Lines::default();
    for one in all {
        for file in lines(one) {
            out.add("TN:");
            out.add(format!("SF:{}", file.file.name));
            functions(&mut out, one, &file.lines);
            branches(&mut out, one, &file.lines);
            for line in &file.lines {
                out.add(format!("DA:{},{}", line.number, line.hits));
            }
            let hit = file.lines.iter().filter(|line| line.hits > 0).count();
            out.add(format!("LF:{}", file.lines.len()));
            out.add(format!("LH:{hit}"));
            out.add("end_of_record");
        }
    }
    out.into()
}

fn functions(out: &mut Lines, one: &Covered, lines: &[super::Line]) {
    let states = lines.iter().flat_map(|line| {
        let points = line.points.iter();
        let entered = points.filter(|(point, _)| point.kind == Kind::Entered);
        entered.map(|(point, hits)| (line.number, point.state, *hits))
    });
    let states: Vec<_> = states.collect();
    let name = |id| {
        let state = one.definition.state(id);
        state.map_or_else(String::new, |state| state.path.0.replace(',', " "))
    };
    for (line, state, _) in &states {
        out.add(format!("FN:{line},{}", name(*state)));
    }
    for (_, state, hits) in &states {
        out.add(format!("FNDA:{hits},{}", name(*state)));
    }
    let hit = states.iter().filter(|(_, _, hits)| *hits > 0).count();
    out.add(format!("FNF:{}", states.len()));
    out.add(format!("FNH:{hit}"));
}

fn branches(out: &mut Lines, one: &Covered, lines: &[super::Line]) {
    let (mut found, mut hit) = (0, 0);
    for line in lines {
        let ways = line.points.iter().filter(|(point, _)| is_way(point.kind));
        for (place, (point, hits)) in ways.enumerate() {
            let entered = one.coverage.hits(super::Point {
                state: point.state,
                kind: Kind::Entered,
            });
            // In lcov, a dash means that the state was never reached.
            let taken = match entered {
                0 => "-".to_string(),
                _ => hits.to_string(),
            };
            let (line, state) = (line.number, point.state.0);
            out.add(format!("BRDA:{line},{state},{place},{taken}"));
            found += 1;
            hit += usize::from(*hits > 0);
        }
    }
    out.add(format!("BRF:{found}"));
    out.add(format!("BRH:{hit}"));
}
