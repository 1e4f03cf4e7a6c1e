//! The states as an indented list in reading order, for panes that are too narrow for boxes.

use super::sketch::Sketch;
use crate::definition::{Definition, StateId};

/// One row of the outline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutlineRow {
    /// The state.
    pub state: StateId,
    /// Nesting depth: the number of enclosing states.
    pub depth: usize,
    /// Index of the enclosing Parallel's branch, from 0.
    pub branch: Option<u32>,
    /// True for the first row of a branch or item processor.
    pub first: bool,
    /// True if the state cannot be reached.
    pub unreachable: bool,
}

/// All states in reading order: along `Next` first, then rules, defaults and catchers; unreachable ones last.
#[must_use]
pub fn outline(definition: &Definition) -> Vec<OutlineRow> {
    outline_of(&Sketch::of(definition))
}

/// A scope that is being listed.
struct Level {
    rows: std::vec::IntoIter<(StateId, bool)>,
    branch: Option<u32>,
    first: bool,
}

pub(super) fn outline_of(sketch: &Sketch) -> Vec<OutlineRow> {
    let mut out = Vec::new();
    let mut listed = vec![false; sketch.scopes.len()];
    // For each depth, the scopes still to be listed; the next one is last.
    let mut depths: Vec<Vec<Level>> = Vec::new();
    depths.push(level(sketch, 0, None, &mut listed).into_iter().collect());
    while let Some(levels) = depths.last_mut() {
        let Some(current) = levels.last_mut() else {
            depths.pop();
            continue;
        };
        let Some((state, unreachable)) = current.rows.next() else {
            levels.pop();
            continue;
        };
        let (branch, first) = (current.branch, current.first);
        current.first = false;
        out.push(OutlineRow {
            state,
            depth: depths.len() - 1,
            branch,
            first,
            unreachable,
        });
        let scopes = sketch.state(state).map_or(&[][..], |state| &state.scopes);
        let mut inner = Vec::new();
        for (index, scope) in (0u32..).zip(scopes) {
            let branch = (scopes.len() > 1).then_some(index);
            inner.extend(level(sketch, *scope, branch, &mut listed));
        }
        inner.reverse();
        if !inner.is_empty() {
            depths.push(inner);
        }
    }
    out
}

fn level(sketch: &Sketch, scope: usize, branch: Option<u32>, listed: &mut [bool]) -> Option<Level> {
    let flag = listed.get_mut(scope)?;
    if std::mem::replace(flag, true) {
        return None;
    }
    let rows = reading_order(sketch, scope);
    Some(Level {
        rows: rows.into_iter(),
        branch,
        first: true,
    })
}

/// The states of one scope, each with true if it is unreachable.
fn reading_order(sketch: &Sketch, scope: usize) -> Vec<(StateId, bool)> {
    let Some(scope) = sketch.scopes.get(scope) else {
        return Vec::new();
    };
    let own: std::collections::BTreeSet<StateId> = scope.states.iter().copied().collect();
    let mut seen = std::collections::BTreeSet::new();
    let mut out = Vec::new();
    let roots = scope.start.map(|start| (start, false)).into_iter();
    for (root, unreachable) in roots.chain(scope.states.iter().map(|id| (*id, true))) {
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            if !own.contains(&id) || !seen.insert(id) {
                continue;
            }
            out.push((id, unreachable));
            let links = sketch.state(id).map_or(&[][..], |state| &state.links);
            stack.extend(links.iter().rev().filter_map(|link| link.to));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::model::EdgeKind;
    use super::super::sketch::{Link, SketchScope, SketchState};
    use super::*;

    #[test]
    fn reads_along_the_usual_way() {
        let mut sketch = Sketch::default();
        // State 0 has branches 1 and 2 of one state each, continues to 3, and catches to 4; nothing leads to 5.
        let ways: [&[u32]; 6] = [&[3, 4], &[], &[], &[], &[3], &[3]];
        for (index, ways) in ways.iter().enumerate() {
            sketch.states.push(SketchState {
                links: (ways.iter())
                    .map(|to| Link {
                        to: Some(StateId(*to)),
                        kind: EdgeKind::Next,
                        label: None,
                        line: None,
                    })
                    .collect(),
                scopes: if index == 0 { vec![1, 2] } else { Vec::new() },
                ..SketchState::default()
            });
        }
        for states in [&[5u32, 4, 3, 0][..], &[1], &[2]] {
            sketch.scopes.push(SketchScope {
                start: states.last().map(|id| StateId(*id)),
                states: states.iter().map(|id| StateId(*id)).collect(),
            });
        }
        let rows: Vec<_> = (outline_of(&sketch).iter())
            .map(|row| (row.state.0, row.depth, row.branch, row.unreachable))
            .collect();
        let expected = [
            (0, 0, None, false),
            (1, 1, Some(0), false),
            (2, 1, Some(1), false),
            (3, 0, None, false),
            (4, 0, None, false),
            (5, 0, None, true),
        ];
        assert_eq!(rows, expected);
    }
}
