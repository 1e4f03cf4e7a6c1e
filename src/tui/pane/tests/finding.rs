//! Tests of searches in the data pane: a search that is interrupted after every step finds the same as an uninterrupted
//! search.

use super::super::*;
use super::sample::{Scene, json, screen};

/// Searches for a text, and selects the match; returns true if there is a match.
pub(super) fn finds(pane: &mut DataPane, paint: &Paint, text: &str, forward: bool) -> bool {
    let Some(mut search) = pane.begin_find(paint, text, forward) else {
        return false;
    };
    matches!(pane.look(paint, &mut search, || true), Looked::Here(_))
}

#[test]
fn a_search_is_gone_on_with_bit_by_bit() {
    let scene = Scene::new();
    let paint = scene.paint();
    let (mut whole, mut slow) = (DataPane::default(), DataPane::default());
    for (forward, text) in [
        (true, "a"),
        (true, "a"),
        (false, "a"),
        (true, "o"),
        (false, "card"),
    ] {
        let mut search = whole.begin_find(&paint, text, forward).expect("a text");
        let wanted = whole.look(&paint, &mut search, || true);
        let mut search = slow.begin_find(&paint, text, forward).expect("a text");
        let looked = loop {
            match slow.look(&paint, &mut search, || false) {
                Looked::Further(_) => {}
                looked => break looked,
            }
        };
        assert_eq!(looked, wanted, "{text}");
        assert_eq!(slow.selected(&paint), whole.selected(&paint), "{text}");
    }
}

/// Words that follow a number in a row, such as `3 items`. The search must not find them, because counts are not
/// searched.
const COUNTED: [&str; 9] = [
    "key",
    "keys",
    "item",
    "items",
    "kB",
    "characters",
    "Enter",
    "opens",
    "them",
];

#[test]
fn every_word_of_a_row_is_found() {
    let mut scene = Scene::new();
    scene.ascii = false;
    for level in [Level::Debug, Level::Trace] {
        scene.level = level;
        let paint = scene.paint();
        let mut pane = DataPane::default();
        let text = screen(90, 90, |area, buffer| pane.draw(&paint, area, buffer));
        let words = text.split(|c: char| c.is_whitespace() || "\"{}[],=:".contains(c));
        let words = words.filter(|word| word.chars().filter(|c| c.is_alphabetic()).count() > 1);
        let words: Vec<&str> = words.filter(|word| !COUNTED.contains(word)).collect();
        assert!(words.len() > 40, "{text}");
        for word in words {
            assert!(finds(&mut pane, &paint, word, true), "{word} in\n{text}");
        }
    }
}

#[test]
fn what_is_found_stands_under_its_own_title() {
    let mut scene = Scene::new();
    let many = |name: &str| {
        let members = (0..30).map(|n| format!("\"{name}{n}\": {n}"));
        json(&format!("{{ {} }}", members.collect::<Vec<_>>().join(", ")))
    };
    let stages = &mut scene.view.data.stages;
    let names: Vec<String> = (0..stages.len()).map(|n| format!("stage{n}x")).collect();
    for (stage, name) in stages.iter_mut().zip(&names) {
        stage.value = Some(many(name));
    }
    let paint = scene.paint();
    for height in [4, 9, 24] {
        let mut pane = DataPane::default();
        pane.toggle_diff();
        for name in &names {
            let wanted = format!("{name}20");
            if !finds(&mut pane, &paint, &wanted, true) {
                continue;
            }
            let text = screen(58, height, |area, buffer| pane.draw(&paint, area, buffer));
            let part = pane.selected(&paint).expect("found").part;
            let blocks = super::super::pipeline::blocks(&paint);
            let block = blocks.into_iter().find(|block| block.part == part);
            let title = block.expect("its block").name;
            let before = text.split(&wanted).next().expect("a row before");
            let is_title = |line: &&str| !line.starts_with("    ");
            // The row of the match is skipped, because it may be indented as little as a title and would be taken for
            // one.
            let above = before.lines().rev().skip(1).find(is_title);
            let is_below_title = above.is_some_and(|above| above.contains(&title));
            assert!(
                is_below_title && text.contains(&wanted),
                "{title} at {height}:\n{text}"
            );
        }
    }
}
