//! Tests properties that the drawing of any machine must have: boxes do not overlap, lines are unbroken and pass
//! through no box, and unrelated lines cross only at right angles.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    missing_docs
)]

use asldbg::definition::StateId;
use asldbg::graph::{
    BoxType, Boxes, Clause, Direction, EdgeKind, Glyphs, Layout, Link, Node, Options, Sketch,
    SketchScope, SketchState, layout_sketch, text,
};
use proptest::prelude::*;
use std::collections::{HashMap, HashSet};

/// An edge that passes through a cell of the drawing: the edge's source and target, and the directions in which the
/// edge leaves the cell.
type Passage = (Node, Node, u8);

/// The links of a state: for each, the number of its target, its kind, and true if it has a label.
type Ways = Vec<(u8, u8, bool)>;

fn build(states: Vec<(String, Ways, u8)>) -> Sketch {
    let mut out = Sketch::default();
    out.scopes.push(SketchScope::default());
    let mut scope_of = Vec::new();
    for (index, (name, _, place)) in states.iter().enumerate() {
        let id = StateId(index as u32);
        // Some states have inner scopes, in which later states may be placed.
        let scope = usize::from(*place) % out.scopes.len();
        scope_of.push(scope);
        out.scopes[scope].states.push(id);
        out.scopes[scope].start.get_or_insert(id);
        let inner = if place % 5 == 4 {
            usize::from(place / 5) % 3 + 1
        } else {
            0
        };
        let scopes: Vec<usize> = (0..inner).map(|n| out.scopes.len() + n).collect();
        out.scopes
            .extend(scopes.iter().map(|_| SketchScope::default()));
        out.states.push(SketchState {
            name: name.clone(),
            kind: if inner > 0 {
                BoxType::Parallel
            } else {
                BoxType::Task
            },
            retries: (place % 7 == 3).then_some(u64::from(*place)),
            tag: (place % 3 == 1).then_some(".sync"),
            scopes,
            ..SketchState::default()
        });
    }
    for (index, (_, ways, _)) in states.iter().enumerate() {
        let states_of_scope = out.scopes[scope_of[index]].states.clone();
        for (to, kind, labelled) in ways {
            let to = states_of_scope
                .get(usize::from(*to) % (states_of_scope.len() + 1))
                .copied();
            let number = u32::from(*kind);
            let kind = match (kind % 4, to) {
                (_, None) => EdgeKind::End,
                (0, _) => EdgeKind::Next,
                (1, _) => EdgeKind::Catch(number),
                (2, _) => EdgeKind::Rule(number),
                _ => EdgeKind::Default,
            };
            let label = labelled.then(|| Clause::is("$.value", ">", &number.to_string()));
            out.states[index].links.push(Link {
                to,
                kind,
                label,
                line: None,
            });
        }
    }
    out
}

fn machine(most: usize) -> impl Strategy<Value = Sketch> {
    let ways = prop::collection::vec((any::<u8>(), any::<u8>(), any::<bool>()), 0..4);
    let name = prop_oneof![
        "[A-Za-z ]{1,12}",
        "[A-Za-z]{30,60}",
        "[漢字かな]{1,30}",
        "\\PC{0,8}",
        Just("\u{1b}[2J\u{202e}".to_string()),
    ];
    prop::collection::vec((name, ways, any::<u8>()), 1..most).prop_map(build)
}

fn options() -> impl Strategy<Value = Options> {
    (
        (any::<bool>(), any::<bool>(), any::<bool>()),
        prop::option::of(4..120i32),
        prop::collection::btree_set(0..20u32, 0..3),
    )
        .prop_map(|((line, live, details), width, folded)| Options {
            boxes: if line { Boxes::Line } else { Boxes::Frame },
            live,
            details,
            width,
            folded: folded.into_iter().map(StateId).collect(),
            ..Options::default()
        })
}

fn check(layout: &Layout) {
    let parent_of = |node: Node| layout.node_box(node).expect("a box").parent;
    for (place, item) in layout.boxes.iter().enumerate() {
        let a = item.rect;
        assert!(a.x >= 0 && a.y >= 0 && a.right() < layout.width && a.bottom() < layout.height);
        if let Some(parent) = item.parent {
            let outer = layout.box_of(parent).expect("drawn").rect;
            assert!(a.x > outer.x && a.right() < outer.right());
            assert!(a.y > outer.y && a.bottom() < outer.bottom());
        }
        if let Some((at, tag)) = item.tag {
            let end = at.x + i32::try_from(tag.len()).expect("short");
            assert!(at.y == a.y && at.x > a.x && end <= a.right(), "{item:?}");
        }
        for other in layout.boxes.iter().skip(place + 1) {
            let b = other.rect;
            let apart = a.right() < b.x || b.right() < a.x || a.bottom() < b.y || b.bottom() < a.y;
            let mut above = other.parent;
            let mut within = false;
            while let Some(parent) = above {
                within |= Node::State(parent) == item.node;
                above = parent_of(Node::State(parent));
            }
            assert!(apart || within, "{item:?} {other:?}");
        }
    }
    // For each cell of the drawing, the edges that pass through it, each with its directions.
    let mut used: HashMap<(i32, i32), Vec<Passage>> = HashMap::new();
    for edge in &layout.edges {
        let (from, to) = (
            layout.node_box(edge.from).unwrap(),
            layout.node_box(edge.to).unwrap(),
        );
        let border = |rect: asldbg::graph::Rect, x, y| {
            rect.contains(x, y)
                && (x == rect.x || x == rect.right() || y == rect.y || y == rect.bottom())
        };
        let (first, last) = (edge.path[0], edge.path[edge.path.len() - 1]);
        assert!(border(from.rect, first.x, first.y), "{edge:?}");
        assert!(border(to.rect, last.x, last.y), "{edge:?}");
        let cells: Vec<_> = edge.cells().collect();
        assert!(!cells.is_empty());
        assert!(cells.last().unwrap().arrow.is_some());
        let whole = asldbg::graph::Rect {
            x: 0,
            y: 0,
            w: layout.width,
            h: layout.height,
        };
        let mut seen: HashMap<(i32, i32), u8> = HashMap::new();
        for (cell, dirs) in edge.cells_within(whole) {
            *seen.entry((cell.x, cell.y)).or_default() |= dirs;
        }
        let walked: HashMap<(i32, i32), u8> = cells
            .iter()
            .map(|cell| ((cell.x, cell.y), cell.dirs))
            .collect();
        assert_eq!(seen, walked, "{edge:?}");
        let end = cells
            .last()
            .and_then(|cell| Some(((cell.x, cell.y), cell.arrow?)));
        assert_eq!(edge.head().map(|(at, arrow)| ((at.x, at.y), arrow)), end);
        let mut before = (first.x, first.y);
        for cell in &cells {
            let here = (cell.x, cell.y);
            assert_eq!(
                (here.0 - before.0).abs() + (here.1 - before.1).abs(),
                1,
                "{edge:?}"
            );
            assert!(cell.x >= 0 && cell.y >= 0 && cell.x < layout.width && cell.y < layout.height);
            assert_eq!(cell.dirs.count_ones(), 2);
            used.entry(here)
                .or_default()
                .push((edge.from, edge.to, cell.dirs));
            before = here;
        }
        assert_eq!((last.x - before.0).abs() + (last.y - before.1).abs(), 1);
        for item in layout
            .boxes
            .iter()
            .filter(|item| item.parent == from.parent)
        {
            for cell in &cells {
                assert!(
                    !item.rect.contains(cell.x, cell.y),
                    "{edge:?} through {item:?}"
                );
            }
        }
    }
    for (cell, lines) in &used {
        for (from, to, dirs) in lines {
            for (other_from, other_to, other_dirs) in lines {
                let related = from == other_from || to == other_to;
                assert!(related || dirs & other_dirs == 0, "{cell:?} {lines:?}");
                // Unrelated lines may only cross at a right angle.
                let straight = |dirs: u8| dirs == 5 || dirs == 10;
                assert!(
                    related || (straight(*dirs) && straight(*other_dirs)),
                    "{cell:?}"
                );
            }
        }
    }
    let mut written: HashSet<(i32, i32)> = HashSet::new();
    for label in layout.edges.iter().filter_map(|edge| edge.label.as_ref()) {
        for x in label.x..label.x + label.text.chars().count() as i32 {
            assert!(
                x < layout.width && written.insert((x, label.y)),
                "{label:?}"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn any_machine_is_drawn_soundly(sketch in machine(24), options in options()) {
        let layout = layout_sketch(&sketch, &options);
        check(&layout);
        prop_assert_eq!(&layout, &layout_sketch(&sketch, &options));
        let drawn = text(&layout, Glyphs::Unicode);
        prop_assert!(drawn.lines().count() <= layout.height.max(1) as usize);
        let escapes = drawn.contains('\u{1b}');
        prop_assert!(!escapes);
        let _ = text(&layout, Glyphs::Ascii);
        for item in &layout.boxes {
            if let Node::State(id) = item.node {
                let (x, y) = (item.rect.x, item.rect.y);
                prop_assert_eq!(layout.hit(x, y), Some(id));
                for direction in [Direction::Up, Direction::Down, Direction::Left, Direction::Right] {
                    prop_assert_ne!(layout.next_in(direction, id), Some(id));
                }
            }
        }
    }
}

#[test]
fn a_state_with_thirty_ways_in_keeps_one_line() {
    let states: Vec<(String, Ways, u8)> = (0..31)
        .map(|n| {
            (
                format!("State {n}"),
                if n == 30 {
                    vec![]
                } else {
                    vec![(n + 1, 0, false), (30, 1, false)]
                },
                0,
            )
        })
        .collect();
    let layout = layout_sketch(&build(states), &Options::default());
    check(&layout);
    assert!(layout.width < 40, "{}", layout.width);
}

/// The size of a drawing is limited. In this machine, every state leads to every state: all boxes are drawn, but only
/// as many lines as the maximum size allows.
#[test]
fn a_drawing_has_bounds() {
    let count = 120;
    let state = |number: u32| SketchState {
        name: format!("S{number}"),
        kind: BoxType::Choice,
        links: (0..count)
            .map(|to| Link {
                to: Some(StateId(to)),
                kind: EdgeKind::Rule(to),
                label: Some(Clause::is("$.x", "=", &to.to_string())),
                line: None,
            })
            .collect(),
        ..SketchState::default()
    };
    let sketch = Sketch {
        states: (0..count).map(state).collect(),
        scopes: vec![SketchScope {
            start: Some(StateId(0)),
            states: (0..count).map(StateId).collect(),
        }],
    };
    let layout = layout_sketch(&sketch, &Options::default());
    assert_eq!(layout.boxes.len(), count as usize + 1);
    assert!(
        layout.width * layout.height < 10_000_000,
        "{} x {}",
        layout.width,
        layout.height
    );
    let lines = layout.edges.len();
    assert!(
        layout.undrawn > 0 && layout.undrawn < lines,
        "{} of {lines}",
        layout.undrawn
    );
    let drawn = layout.edges.iter().filter(|edge| !edge.path.is_empty());
    assert_eq!(drawn.count(), lines - layout.undrawn);
}
