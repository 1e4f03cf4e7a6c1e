//! Tests that draw the panes of a session that runs a definition.

use super::sample::{self, json, screen};
use crate::interpreter::{Answer, Header};
use crate::query::Profile;
use crate::session::{Command, Direction, Progress, Session};
use crate::tui::pane::*;
use crate::tui::theme::Theme;
use std::sync::Arc;

fn run(session: &mut Session, command: Command) {
    drop(session.apply(command));
    while session.advance(1000) == Progress::Running {}
}

#[test]
fn a_run_is_drawn() {
    let definition = Arc::new(sample::definition());
    let input = json(
        r#"{"order":{"id":"A-17","sku":"SKU-9","qty":2,"card":"tok_9","total":4200,"fee":80},"stock":{"onHand":12},"parcels":[1,2,3]}"#,
    );
    let setup = crate::session::Setup::new(
        definition.clone(),
        Header::new(input.clone(), Profile::Spec),
        Arc::new(crate::worker::Worker::new()),
    );
    let mut session = Session::new(setup);
    for step in 0..40 {
        let view = session.view();
        if let Some(task) = view.tasks.first() {
            let name = definition
                .state(task.ask.state)
                .map(|state| state.name.clone())
                .unwrap_or_default();
            let answer = if &*name == "ChargeCard" && step < 12 {
                Answer::failure(
                    "Payment.Throttled",
                    "{\"code\":429,\"text\":\"Too Many Requests\"}",
                )
            } else if &*name == "ChargeCard" {
                Answer::success(json(r#"{"receiptId":"r-1","x":2}"#))
            } else {
                Answer::success(input.clone())
            };
            run(&mut session, Command::Answer(task.ask.id, answer));
        }
        run(&mut session, Command::Step(Direction::Forward));
        let view = session.view();
        let theme = Theme::default();
        let rows = |range| session.rows(range);
        let findings = crate::tui::finding::Findings::default();
        let paint = Paint {
            view: &view,
            definition: &definition,
            theme: &theme,
            glyphs: crate::tui::glyph::Glyphs::of(false),
            focused: true,
            level: Level::Debug,
            findings: &findings,
            reached: None,
            text: Text {
                sources: &definition.sources,
                diagnostics: &[],
                in_force: true,
                machine: None,
            },
            rows: &rows,
            alone: false,
        };
        let data = screen(80, 22, |area, buffer| {
            DataPane::default().draw(&paint, area, buffer)
        });
        let state = screen(60, 16, |area, buffer| {
            StatePane::default().draw(&paint, area, buffer)
        });
        let timeline = screen(80, 9, |area, buffer| {
            TimelinePane::default().draw(&paint, area, buffer);
        });
        let graph = screen(70, 20, |area, buffer| {
            GraphPane::default().draw(&paint, area, buffer)
        });
        assert!(data.contains("Input") && !state.trim().is_empty());
        assert!(timeline.contains("▶") && graph.contains("║"), "{graph}");
    }
    let view = session.view();
    let weigh = definition.find_by_name("Weigh").expect("there");
    assert!(
        view.states
            .get(weigh.0 as usize)
            .is_some_and(|state| state.visits == 3)
    );
}
