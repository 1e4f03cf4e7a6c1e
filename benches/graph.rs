//! Measures the layout of graphs with different numbers of states.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]

use asldbg::definition::StateId;
use asldbg::graph::{
    BoxType, Clause, EdgeKind, Link, Options, Sketch, SketchScope, SketchState, layout_sketch, text,
};
use divan::{Bencher, black_box};

fn main() {
    divan::main();
}

/// A machine of `count` states: Choices, Tasks with catchers, and loops. The same count always gives the same machine.
fn machine(count: u32) -> Sketch {
    let mut seed = 7u64;
    let mut random = |below: u32| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        ((seed >> 33) % u64::from(below.max(1))) as u32
    };
    let states = (0..count).map(|id| {
        let near = |far: u32| Some(StateId((id + far).min(count - 1)));
        let mut links = Vec::new();
        let mut link = |to, kind, label: Option<Clause>| {
            links.push(Link {
                to,
                kind,
                label,
                line: None,
            });
        };
        let choice = random(5) == 0;
        if id + 1 == count {
            link(None, EdgeKind::End, None);
        } else if choice {
            let above = |value| Some(Clause::is("$.value", ">", value));
            link(near(1 + random(3)), EdgeKind::Rule(0), above("10"));
            link(near(1 + random(6)), EdgeKind::Rule(1), above("5"));
            if random(4) == 0 {
                let back = StateId(id.saturating_sub(1 + random(6)));
                let label = Clause::Text("default".to_owned());
                link(Some(back), EdgeKind::Default, Some(label));
            }
        } else {
            link(near(1), EdgeKind::Next, None);
            if random(3) == 0 {
                link(
                    near(2 + random(20)),
                    EdgeKind::Catch(0),
                    Some(Clause::names("States.ALL")),
                );
            }
        }
        SketchState {
            name: format!("State number {id}"),
            kind: if choice {
                BoxType::Choice
            } else {
                BoxType::Task
            },
            links,
            ..SketchState::default()
        }
    });
    Sketch {
        states: states.collect(),
        scopes: vec![SketchScope {
            start: Some(StateId(0)),
            states: (0..count).map(StateId).collect(),
        }],
    }
}

#[divan::bench(args = [8, 60, 1_000, 10_000], max_time = 5)]
fn layout(bencher: Bencher<'_, '_>, count: u32) {
    let sketch = machine(count);
    let options = Options::default();
    bencher.bench(|| layout_sketch(black_box(&sketch), &options));
}

#[divan::bench(args = [8, 60, 1_000], max_time = 5)]
fn drawing(bencher: Bencher<'_, '_>, count: u32) {
    let layout = layout_sketch(&machine(count), &Options::default());
    bencher.bench(|| text(black_box(&layout), asldbg::graph::Glyphs::Unicode));
}
