//! Tests of the data pane.
//!
//! It must not know other panes.

use super::super::sample::{Scene, json, screen};
use super::*;

fn shown(scene: &Scene, pane: &mut DataPane, width: u16, height: u16) -> String {
    screen(width, height, |area, buffer| {
        pane.draw(&scene.paint(), area, buffer)
    })
}

#[test]
fn look() {
    let mut scene = Scene::new();
    for (w, h) in [(58, 34), (58, 24), (58, 12), (38, 9)] {
        println!("{w}x{h}\n{}", shown(&scene, &mut DataPane::default(), w, h));
    }
    scene.ascii = false;
    scene.level = crate::tui::pane::Level::Trace;
    println!("{}", shown(&scene, &mut DataPane::default(), 70, 50));
    scene.level = crate::tui::pane::Level::Info;
    println!("{}", shown(&scene, &mut DataPane::default(), 70, 20));
    let _ = json("1");
}
