//! Tests of every pane: they compare drawn panes with expected screens, and try any size, any motion and hostile data.

mod cut;
mod finding;
mod graph;
mod hostile;
mod real;
pub(crate) mod sample;
mod sample_view;

use self::sample::{Scene, check, id, json, row, screen};
use super::*;
use crate::interpreter::{FrameId, Stage};
use crate::json::Value;
use crate::session::view::{EventRow, StatePane as Content, StateStatus};
use crate::tui::theme::Theme;
use finding::finds;
use hostile::hostile;
use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// All panes, for tests that treat them alike.
#[derive(Default)]
struct Panes {
    data: DataPane,
    graph: GraphPane,
    outline: OutlinePane,
    breakpoints: BreakpointsPane,
    state: StatePane,
    timeline: TimelinePane,
}

const NAMES: [&str; 6] = ["data", "graph", "outline", "points", "state", "timeline"];

impl Panes {
    fn pane(&mut self, which: usize) -> &mut dyn Surface {
        match which % 6 {
            0 => &mut self.data,
            1 => &mut self.graph,
            2 => &mut self.outline,
            3 => &mut self.breakpoints,
            4 => &mut self.state,
            _ => &mut self.timeline,
        }
    }

    fn draw(&mut self, which: usize, paint: &Paint, area: Rect, buffer: &mut Buffer) {
        let rows = |range: std::ops::Range<u64>| -> Vec<EventRow> {
            assert!(range.end - range.start < 5000);
            range.map(|number| row(paint.definition, number)).collect()
        };
        let paint = Paint {
            rows: &rows,
            ..*paint
        };
        self.pane(which).draw(&paint, area, buffer);
    }

    fn motion(&mut self, which: usize, paint: &Paint, motion: Motion) {
        self.pane(which).motion(paint, motion);
    }

    fn click(&mut self, which: usize, paint: &Paint, area: Rect, at: (u16, u16)) -> Click {
        self.pane(which).click(paint, area, at.into())
    }

    fn other(&mut self, paint: &Paint, what: usize) {
        match what % 12 {
            0 => self.data.unfold_all(paint),
            1 => self.data.toggle_diff(),
            2 => self.data.stage(paint, true),
            3 => self.data.stage(paint, false),
            4 => {
                finds(&mut self.data, paint, "a", true);
            }
            5 => {
                finds(&mut self.data, paint, "4", false);
            }
            6 => self.graph.toggle_fold(paint),
            7 => self.graph.toggle_view(paint),
            8 => self.graph.pan(i32::MAX, i32::MIN),
            9 => self.outline.toggle_fold(paint),
            10 => self.timeline.toggle_view(),
            _ => self.data.toggle_fold(paint),
        }
    }

    fn ask(&self, paint: &Paint) {
        let _ = self.data.selected(paint);
        let _ = self.graph.selected(paint);
        let _ = self.outline.selected(paint);
        let _ = self.breakpoints.selected(paint);
        let _ = (
            self.state.selected(paint),
            self.state.frame(paint),
            self.state.span(paint),
        );
        assert!(self.timeline.selected(paint) <= paint.view.header.event_count);
        let titles = [
            self.data.title(paint),
            self.graph.title(paint),
            self.outline.title(paint),
            self.breakpoints.title(paint),
            self.state.title(paint),
            self.timeline.title(paint),
        ];
        for (left, right) in titles {
            assert!(!format!("{left}{right}").chars().any(char::is_control));
        }
    }
}

fn shown(scene: &Scene, which: &str, size: (u16, u16)) -> String {
    let which = NAMES
        .iter()
        .position(|name| *name == which)
        .expect("a pane");
    let mut panes = Panes::default();
    screen(size.0, size.1, |area, buffer| {
        panes.draw(which, &scene.paint(), area, buffer)
    })
}

#[test]
fn data_looks_so() {
    let mut scene = Scene::new();
    check("data-58x24", &shown(&scene, "data", (58, 24)));
    check("data-58x12", &shown(&scene, "data", (58, 12)));
    check("data-38x7", &shown(&scene, "data", (38, 7)));
    scene.ascii = false;
    scene.level = Level::Trace;
    check("data-trace-72x30", &shown(&scene, "data", (72, 30)));
    scene.level = Level::Info;
    check("data-info-72x20", &shown(&scene, "data", (72, 20)));
}

#[test]
fn data_shows_a_finished_state() {
    let mut scene = Scene::new();
    let data = &mut scene.view.data;
    let put =
        |stage: &mut crate::session::view::StageView, text: &str| stage.value = Some(json(text));
    data.fault = None;
    data.forecast.clear();
    data.now = Some(Stage::Output);
    data.variables = vec![("total".into(), Value::from(4280))];
    let order = r#"{"id":"A-17","sku":"SKU-9","qty":2,"card":"tok_9","total":4200,"fee":80}"#;
    let output = format!(r#"{{"order":{order},"stock":{{"onHand":11}},"payment":{{"id":"r-1"}}}}"#);
    for stage in &mut data.stages {
        match stage.stage {
            Stage::Result => put(
                stage,
                r#"{"receiptId":"r-1","raw":"{\"status\":\"ok\",\"lines\":[1,2]}"}"#,
            ),
            Stage::AfterResultSelector => put(stage, r#"{"id":"r-1"}"#),
            Stage::AfterResultPath | Stage::Output => put(stage, &output),
            _ => {}
        }
    }
    check("data-done-60x32", &shown(&scene, "data", (60, 32)));
    check("data-done-60x16", &shown(&scene, "data", (60, 16)));
}

#[test]
fn data_selects_and_folds() {
    let scene = Scene::new();
    let paint = scene.paint();
    let mut pane = DataPane::default();
    let draw = |pane: &mut DataPane| {
        screen(58, 24, |area, buffer| {
            pane.draw(&scene.paint(), area, buffer)
        })
    };
    draw(&mut pane);
    let first = pane.selected(&paint).expect("something");
    assert_eq!((first.part, first.path.as_str()), (Part::Error, "$"));
    assert!(finds(&mut pane, &paint, "SKU-9", false));
    let selected = pane.selected(&paint).expect("found");
    assert_eq!(selected.value, Value::from("SKU-9"));
    pane.motion(&paint, Motion::Home);
    pane.motion(&paint, Motion::Down);
    let order = pane.selected(&paint).expect("order");
    assert_eq!(
        (order.path.as_str(), order.part),
        ("$.order", Part::Stage(Stage::Input))
    );
    pane.motion(&paint, Motion::Left);
    assert_eq!(draw(&mut pane).matches("A-17").count(), 0);
    pane.motion(&paint, Motion::Right);
    pane.motion(&paint, Motion::Right);
    assert_eq!(pane.selected(&paint).expect("id").path, "$.order.id");
    pane.stage(&paint, true);
    pane.motion(&paint, Motion::Down);
    pane.motion(&paint, Motion::Down);
    let cents = pane.selected(&paint).expect("cents");
    assert_eq!(cents.path, "$.cents");
    assert_eq!(
        cents.expression.as_deref(),
        Some("States.MathAdd($.total, $.fee)")
    );
}

#[test]
fn large_values_and_graphs_stay_fast() {
    let mut scene = Scene::new();
    let items: Vec<Value> = (0..50_000_i64)
        .map(|n| Value::object(vec![("n".into(), Value::from(n))]))
        .collect();
    let output = Value::object(vec![
        ("items".into(), Value::array(items.clone())),
        ("n".into(), Value::from(1)),
    ]);
    for stage in &mut scene.view.data.stages {
        stage.value = Some(Value::object(vec![(
            "items".into(),
            Value::array(items.clone()),
        )]));
        if stage.stage == Stage::Output {
            stage.value = Some(output.clone());
        }
    }
    let mut pane = DataPane::default();
    let draw = |pane: &mut DataPane| {
        screen(58, 24, |area, buffer| {
            pane.draw(&scene.paint(), area, buffer)
        })
    };
    draw(&mut pane);
    pane.motion(&scene.paint(), Motion::Home);
    pane.unfold_all(&scene.paint());
    pane.motion(&scene.paint(), Motion::End);
    draw(&mut pane);
    pane.motion(&scene.paint(), Motion::PageUp);
    draw(&mut pane);
    assert!(finds(&mut pane, &scene.paint(), "49999", true));
    let states: Vec<String> = (0..600)
        .map(|n| {
            format!(
                r#""S{n}":{{"Type":"Task","Resource":"r","Next":"S{}"}}"#,
                n + 1
            )
        })
        .collect();
    let text = format!(
        r#"{{"StartAt":"S0","States":{{{},"S600":{{"Type":"Succeed"}}}}}}"#,
        states.join(",")
    );
    scene.definition = sample::definition_of(&text);
    scene.view.states = vec![Default::default(); 601];
    scene.view.current = Some(id(&scene.definition, "S300"));
    let mut pane = GraphPane::default();
    let draw = |pane: &mut GraphPane| {
        screen(58, 24, |area, buffer| {
            pane.draw(&scene.paint(), area, buffer)
        })
    };
    // Until the drawing is ready, the states are listed; the drawing is requested only once.
    assert!(draw(&mut pane).contains("S300"));
    assert!(pane.is_outline());
    let request = pane.take_request().expect("a large drawing is requested");
    draw(&mut pane);
    assert!(pane.take_request().is_none());
    pane.put_drawing(&request.make());
    assert!(draw(&mut pane).contains("#.. S300#"));
    assert!(!pane.is_outline());
    screen(40, 30, |area, buffer| {
        pane.draw(&scene.paint(), area, buffer)
    });
    assert!(pane.take_request().is_none());
}

#[test]
fn timeline_looks_so() {
    let mut scene = Scene::new();
    check("timeline-60x10", &shown(&scene, "timeline", (60, 10)));
    check("timeline-38x6", &shown(&scene, "timeline", (38, 6)));
    scene.view.header.event = 15;
    scene.ascii = false;
    check(
        "timeline-past-100x12",
        &shown(&scene, "timeline", (100, 12)),
    );
    let mut pane = TimelinePane::default();
    pane.toggle_view();
    let rows = |range: std::ops::Range<u64>| -> Vec<EventRow> {
        range.map(|number| row(&scene.definition, number)).collect()
    };
    let text = screen(80, 12, |area, buffer| {
        let paint = Paint {
            rows: &rows,
            ..scene.paint()
        };
        pane.draw(&paint, area, buffer)
    });
    check("timeline-table-80x12", &text);
}

#[test]
fn ten_million_events_are_not_asked_for() {
    let mut scene = Scene::new();
    scene.view.header.event_count = 10_000_000;
    scene.view.header.event = 5_000_000;
    let asked = std::cell::RefCell::new(0);
    let rows = |range: std::ops::Range<u64>| -> Vec<EventRow> {
        *asked.borrow_mut() += range.end - range.start;
        range.map(|number| row(&scene.definition, number)).collect()
    };
    let mut pane = TimelinePane::default();
    for motion in [Motion::Home, Motion::End, Motion::PageUp, Motion::Up] {
        pane.motion(&scene.paint(), motion);
        screen(60, 10, |area, buffer| {
            let paint = Paint {
                rows: &rows,
                ..scene.paint()
            };
            pane.draw(&paint, area, buffer)
        });
    }
    assert!(*asked.borrow() <= 1000);
    // The selection was moved up nine rows from the last row, and each row shows two events.
    assert_eq!(pane.selected(&scene.paint()), 9_999_974);
    let area = Rect::new(0, 0, 60, 10);
    assert_eq!(
        pane.click(&scene.paint(), area, (0, 9).into()),
        Click::Event(0)
    );
    assert_eq!(
        pane.click(&scene.paint(), area, (59, 9).into()),
        Click::Event(10_000_000)
    );
}

#[test]
fn state_looks_so() {
    let mut scene = Scene::new();
    check("state-task-50x16", &shown(&scene, "state", (50, 16)));
    check("state-task-32x8", &shown(&scene, "state", (32, 8)));
    let contents = [
        ("choice", sample::rules()),
        ("map", sample::map(&scene.definition)),
        ("parallel", sample::lanes(&scene.definition)),
        (
            "wait",
            Content::Wait {
                since: 412,
                until: Some(30_412),
                date: Some("2025-01-01T00:00:30.412Z".into()),
                written: Some("SecondsPath $.delay".into()),
                no_wait: None,
                cut: None,
            },
        ),
        ("nothing", Content::Nothing),
    ];
    for (name, content) in contents {
        scene.view.state = content;
        check(
            &format!("state-{name}-54x9"),
            &shown(&scene, "state", (54, 9)),
        );
        check(
            &format!("state-{name}-30x9"),
            &shown(&scene, "state", (30, 9)),
        );
    }
}

#[test]
fn state_names_frames() {
    let mut scene = Scene::new();
    scene.view.state = sample::map(&scene.definition);
    let paint = scene.paint();
    let mut pane = StatePane::default();
    screen(50, 10, |area, buffer| pane.draw(&paint, area, buffer));
    assert_eq!(pane.selected(&paint), Some(Row::Item(12)));
    assert_eq!(pane.frame(&paint), None);
    pane.motion(&paint, Motion::Down);
    pane.motion(&paint, Motion::Down);
    assert_eq!(pane.frame(&paint), Some(FrameId(139)));
}

#[test]
fn points_look_so() {
    let mut scene = Scene::new();
    scene.findings = sample::findings(&scene.definition);
    let mut text = String::new();
    for width in [64, 48, 30] {
        let mut pane = BreakpointsPane::default();
        // The list of mocked answers is left out, because this test has no mock file.
        for _ in Tab::ALL.iter().filter(|tab| **tab != Tab::Mocks) {
            text.push_str(&format!("== {} ==\n", pane.title(&scene.paint()).1));
            let drawn = screen(width, 7, |area, buffer| {
                pane.draw(&scene.paint(), area, buffer)
            });
            text.push_str(&drawn);
            pane.motion(&scene.paint(), Motion::Right);
        }
        assert_eq!(pane.tab(), Tab::Break);
    }
    check("points", &text);
}

#[test]
fn hostile_text_reaches_no_terminal_and_breaks_no_column() {
    for level in [Level::Debug, Level::Trace] {
        let mut scene = Scene::new();
        hostile(&mut scene);
        scene.level = level;
        let mut panes = Panes::default();
        for (which, name) in NAMES.iter().enumerate() {
            for tab in Tab::ALL {
                panes.breakpoints.show(tab);
                // `screen` asserts that no cell contains a control character and that nothing is drawn outside.
                let text = screen(47, 23, |area, buffer| {
                    panes.draw(which, &scene.paint(), area, buffer)
                });
                let bad = |c: char| {
                    c != '\n'
                        && matches!(
                            crate::json::visible(c.encode_utf8(&mut [0; 4])),
                            std::borrow::Cow::Owned(_)
                        )
                };
                assert!(!text.contains(bad), "{name}:\n{text}");
                panes.data.unfold_all(&scene.paint());
            }
        }
        panes.ask(&scene.paint());
    }
}

#[test]
fn every_status_has_a_word_and_no_theme_hides_it() {
    for name in Theme::names() {
        let mut scene = Scene::new();
        scene.theme = Theme::named(name).expect("embedded");
        scene.view.states[0].status = StateStatus::Caught;
        assert!(
            shown(&scene, "outline", (60, 12)).contains("caught"),
            "{name}"
        );
    }
}

#[test]
fn before_the_first_state_there_are_words() {
    let mut scene = Scene::new();
    scene.view.current = None;
    scene.view.data = Default::default();
    scene.view.state = Content::Nothing;
    scene.view.header.event = 0;
    scene.view.header.event_count = 0;
    scene.view.breakpoints.clear();
    let words: Vec<String> = ["data", "points", "state", "timeline"]
        .map(|which| shown(&scene, which, (60, 1)).trim().to_owned())
        .into();
    let wanted = [
        "no state entered yet: s steps into the first state",
        "no breakpoints: b sets one at the cursor",
        "not reached",
        "no events yet: c runs, s steps",
    ];
    assert_eq!(words, wanted);
}

fn any_motion() -> impl Strategy<Value = Motion> {
    prop::sample::select(vec![
        Motion::Up,
        Motion::Down,
        Motion::Left,
        Motion::Right,
        Motion::PageUp,
        Motion::PageDown,
        Motion::HalfUp,
        Motion::HalfDown,
        Motion::Home,
        Motion::End,
    ])
}

#[derive(Clone, Debug)]
enum Act {
    Motion(Motion),
    Click(u16, u16),
    Other(usize),
    Resize(u16, u16),
    Event(u64),
    Level(Level),
}

fn any_act() -> impl Strategy<Value = Act> {
    prop_oneof![
        4 => any_motion().prop_map(Act::Motion),
        2 => (0_u16..90, 0_u16..40).prop_map(|(x, y)| Act::Click(x, y)),
        2 => (0_usize..12).prop_map(Act::Other),
        1 => (0_u16..90, 0_u16..40).prop_map(|(w, h)| Act::Resize(w, h)),
        1 => (0_u16..3, 0_u16..3).prop_map(|(w, h)| Act::Resize(w, h)),
        1 => (0_u64..27).prop_map(Act::Event),
        1 => prop::sample::select(vec![Level::Info, Level::Debug, Level::Trace]).prop_map(Act::Level),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn nothing_panics(
        which in 0_usize..6,
        size in (0_u16..90, 0_u16..40),
        acts in prop::collection::vec(any_act(), 0..24),
        harm: bool,
        ascii: bool,
        content in 0_usize..6,
    ) {
        let mut scene = Scene::new();
        scene.view.state = match content {
            0 => sample::rules(),
            1 => sample::map(&scene.definition),
            2 => sample::lanes(&scene.definition),
            3 => Content::Wait { since: u64::MAX, until: Some(3), date: None, written: None, no_wait: None, cut: None },
            4 => Content::Nothing,
            _ => scene.view.state,
        };
        if harm {
            hostile(&mut scene);
        }
        scene.ascii = ascii;
        let mut panes = Panes::default();
        let mut size = size;
        screen(size.0, size.1, |area, buffer| panes.draw(which, &scene.paint(), area, buffer));
        for act in acts {
            match act {
                Act::Motion(motion) => panes.motion(which, &scene.paint(), motion),
                Act::Click(x, y) => {
                    let area = Rect::new(1, 1, size.0, size.1);
                    panes.click(which, &scene.paint(), area, (x, y));
                }
                Act::Other(what) => panes.other(&scene.paint(), what),
                Act::Resize(w, h) => size = (w, h),
                Act::Event(number) => scene.view.header.event = number,
                Act::Level(level) => scene.level = level,
            }
            screen(size.0, size.1, |area, buffer| panes.draw(which, &scene.paint(), area, buffer));
        }
        panes.ask(&scene.paint());
    }
}
