//! Tests of drawing the graph and of moving the selection in it.

use super::super::*;
use super::sample::{Scene, check, id, screen};
use super::shown;

#[test]
fn graph_looks_so() {
    let mut scene = Scene::new();
    let map = id(&scene.definition, "Parcels");
    scene.view.states[map.0 as usize].progress = Some((97, 100));
    check("graph-66x22", &shown(&scene, "graph", (66, 22)));
    check("graph-44x12", &shown(&scene, "graph", (44, 12)));
    check("graph-24x12", &shown(&scene, "graph", (24, 12)));
    scene.ascii = false;
    check("graph-unicode-80x56", &shown(&scene, "graph", (80, 56)));
    check("outline-60x12", &shown(&scene, "outline", (60, 12)));
}

#[test]
fn graph_goes_along_and_folds() {
    let scene = Scene::new();
    let paint = scene.paint();
    let mut pane = GraphPane::default();
    let draw = |pane: &mut GraphPane| {
        screen(66, 24, |area, buffer| {
            pane.draw(&scene.paint(), area, buffer)
        })
    };
    draw(&mut pane);
    assert_eq!(
        pane.selected(&paint),
        Some(id(&scene.definition, "ChargeCard"))
    );
    pane.motion(&paint, Motion::Up);
    assert_eq!(
        pane.selected(&paint),
        Some(id(&scene.definition, "InStock?"))
    );
    pane.select(&paint, id(&scene.definition, "Parcels"));
    pane.toggle_fold(&paint);
    assert!(!draw(&mut pane).contains("Weigh"));
    pane.select(&paint, id(&scene.definition, "Weigh"));
    assert!(draw(&mut pane).contains("Weigh"));
}

#[test]
fn what_is_folded_for_room_opens_and_closes_at_one_press() {
    let scene = Scene::new();
    let paint = scene.paint();
    let mut pane = GraphPane::default();
    let shows = |pane: &mut GraphPane| {
        let drawn = screen(40, 5, |area, buffer| pane.draw(&paint, area, buffer));
        drawn.contains("Weigh")
    };
    shows(&mut pane);
    pane.select(&paint, id(&scene.definition, "Parcels"));
    assert!(!shows(&mut pane), "folded");
    pane.toggle_fold(&paint);
    assert!(shows(&mut pane), "opened");
    pane.toggle_fold(&paint);
    assert!(!shows(&mut pane), "closed");
}
