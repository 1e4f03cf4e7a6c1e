//! Finding a text in the data pane, at once and bit by bit.
//!
//! It must not know how a pane is made.

use super::super::sample::Scene;
use super::super::*;

/// Whether a text is found; it is selected then.
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
        let found = loop {
            match slow.look(&paint, &mut search, || false) {
                Looked::Further(_) => {}
                found => break found,
            }
        };
        assert_eq!(found, wanted, "{text}");
        assert_eq!(slow.selected(&paint), whole.selected(&paint), "{text}");
    }
}
