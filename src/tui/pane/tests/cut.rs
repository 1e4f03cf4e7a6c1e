//! Checks that important texts are not cut if there is room for them.

use super::super::Surface as _;
use super::super::line::Line;
use super::sample::{Scene, json, screen};
use crate::session::view::{StatePane as Content, View};
use crate::tui::pane::state_line::Row;
use crate::tui::theme::Role;

fn drawn(columns: u16, line: impl Fn() -> Line) -> String {
    let scene = Scene::new();
    let text = screen(columns, 1, |area, buffer| {
        line().draw(scene.paint().brush(), area, buffer)
    });
    text.trim_end().to_owned()
}

#[test]
fn what_stands_at_the_right_has_what_the_left_leaves() {
    let line = || {
        let line = Line::new().text("Default", Role::Text);
        let line = line.right("will be taken ", Role::Text);
        line.right("-> Refund", Role::Text)
    };
    assert_eq!(drawn(40, line), "Default          will be taken -> Refund");
    assert_eq!(drawn(31, line), "Default will be taken -> Refund");
    assert_eq!(drawn(30, line), "Default              -> Refund");
}

#[test]
fn names_in_error_equals_are_whole() {
    let mut scene = Scene::new();
    let names = ["Screening.NoEntry", "Provider.NotReachable"];
    if let View {
        state: Content::Task(handling),
        ..
    } = &mut scene.view
    {
        for retrier in &mut handling.retriers {
            retrier.errors = names.map(Into::into).into();
        }
        for catcher in &mut handling.catchers {
            catcher.errors = names.map(Into::into).into();
            catcher.result_path = "$.failure.screening".into();
        }
    }
    for columns in [32, 45, 60, 90] {
        let mut pane = super::super::StatePane::default();
        let text = screen(columns, 60, |area, buffer| {
            pane.draw(&scene.paint(), area, buffer)
        });
        for name in names {
            assert_eq!(text.matches(name).count(), 4, "{columns}: {text}");
        }
        assert_eq!(text.matches("$.failure.screening").count(), 2, "{text}");
        assert_eq!(pane.selected(&scene.paint()), Some(Row::Retrier(0)));
    }
}

#[test]
fn names_of_members_go_on_beside_short_values() {
    let mut scene = Scene::new();
    let long = "approvedByTheBoardOfDirectors";
    let value = json(&format!("{{ \"{long}\": false }}"));
    let stages = &mut scene.view.data.stages;
    stages.truncate(1);
    stages
        .iter_mut()
        .for_each(|stage| stage.value = Some(value.clone()));
    let mut pane = super::super::DataPane::default();
    let text = screen(58, 24, |area, buffer| {
        pane.draw(&scene.paint(), area, buffer)
    });
    assert!(text.contains(long), "{text}");
}
