//! Tests that compare screens, as text, with expected texts, in every arrangement and with every popup. `BLESS=1`
//! updates the expected texts.

use super::*;
use crate::interpreter::AskId;
use crate::json::parse;
use crate::session::view::{AnswerOffer, View};
use crate::tui::finding::Findings;
use crate::tui::glyph::Glyphs;
use crate::tui::keymap::Keymap;
use crate::tui::model::Play;
use crate::tui::pane::Text;
use crate::tui::pane::tests::sample;
use crate::tui::theme::Theme;
use crate::tui::{popup, screen};
use std::path::Path;

/// Draws the screen of the sample run at this size; `change` changes the model first.
fn drawn(columns: u16, rows: u16, theme: &Theme, change: impl FnOnce(&mut Model)) -> Buffer {
    drawn_of(columns, rows, theme, (None, |_| {}), change)
}

/// Like `drawn`, but with a name for the state machine and with a function that changes the view first.
fn drawn_of(
    columns: u16,
    rows: u16,
    theme: &Theme,
    (machine, see): (Option<&str>, impl FnOnce(&mut View)),
    change: impl FnOnce(&mut Model),
) -> Buffer {
    let definition = sample::definition();
    let mut view = sample::view(&definition);
    see(&mut view);
    let keymap = Keymap::default();
    let events = |numbers: std::ops::Range<u64>| {
        numbers
            .take_while(|number| *number <= view.header.event_count)
            .map(|number| sample::row(&definition, number))
            .collect()
    };
    let last = sample::row(&definition, view.header.event);
    let scene = Scene {
        execution: None,
        child_of: None,
        view: &view,
        definition: &definition,
        text: Text {
            sources: &definition.sources,
            diagnostics: &[],
            in_force: true,
            machine,
        },
        rows: &events,
        last: Some(&last),
        brush: Brush {
            theme,
            glyphs: Glyphs::of(true),
        },
        keymap: &keymap,
        busy: false,
        rest: None,
        findings: &Findings::default(),
        reached: None,
    };
    let mut model = Model::default();
    model.focus_on(Pane::Data);
    change(&mut model);
    let area = Rect::new(0, 0, columns, rows);
    let mut buffer = Buffer::empty(area);
    let layout = Layout::of(area, model.wish());
    draw(&scene, &mut model, &layout, &mut buffer);
    buffer
}

fn snapshot(name: &str, buffer: &Buffer) {
    let text = screen::text(buffer);
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/tui/{name}.txt"));
    if std::env::var_os("BLESS").is_some() {
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
        std::fs::write(&file, &text).expect("written");
    }
    let known = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        known == text,
        "{name} differs; BLESS=1 writes it anew:\n{text}"
    );
}

#[test]
fn every_size_has_its_screen() {
    for (columns, rows) in [
        (240, 60),
        (160, 45),
        (120, 36),
        (100, 28),
        (80, 24),
        (64, 18),
        (40, 10),
        (30, 8),
    ] {
        let buffer = drawn(columns, rows, &Theme::default(), |_| {});
        snapshot(&format!("main-{columns}x{rows}"), &buffer);
    }
}

#[test]
fn the_header_says_at_every_width_what_is_run_and_how_it_stands() {
    for columns in 40..=160 {
        let buffer = drawn(columns, 12, &Theme::default(), |_| {});
        let text = screen::text(&buffer);
        let header = text.lines().next().unwrap_or("");
        for (part, from) in [
            ("or", 40),
            ("PAUSED", 40),
            ("event 26/26", 48),
            ("+00:06", 64),
        ] {
            let there = columns < from || header.contains(part);
            assert!(there, "{columns}: {header}");
        }
    }
    for columns in 64..=160 {
        let see = |view: &mut View| view.header.not_aws = true;
        let long = (Some("the-state-machine-of-all-orders"), see);
        let buffer = drawn_of(columns, 12, &Theme::default(), long, |_| {});
        let text = screen::text(&buffer);
        let header = text.lines().next().unwrap_or("");
        for part in ["PAUSED", "unlike AWS"] {
            assert!(header.contains(part), "{columns}: {header}");
        }
    }
}

#[test]
fn what_opens_over_the_panes() {
    let theme = Theme::default();
    let draw = |name: &str, open: &dyn Fn(&mut Model)| {
        snapshot(name, &drawn(100, 30, &theme, open));
    };
    draw("help", &|model| {
        let help = popup::help::Help::new(Pane::Data, &Keymap::default(), None);
        model.popup = Some(Box::new(help));
    });
    draw("help-answer", &|model| {
        let only = Some(crate::tui::action::Action::Answer);
        let help = popup::help::Help::new(Pane::Data, &Keymap::default(), only);
        model.popup = Some(Box::new(help));
    });
    draw("quit", &|model| model.popup = Some(Box::new(popup::Quit)));
    draw("stop-on", &|model| {
        let stops =
            popup::breakpoint::Stops::new(vec![crate::session::ErrorMoment::Uncaught], true);
        model.popup = Some(Box::new(stops));
    });
    draw("answer", &|model| {
        let offer = AnswerOffer {
            whole: None,
            ask: AskId(1),
            state: sample::id(&sample::definition(), "ChargeCard"),
            result: parse("{\"receiptId\":\"r-1\"}").expect("json"),
            before: None,
            errors: vec![(
                "Payment.Declined".into(),
                "catch[0] -> NotifyDeclined".into(),
            )],
            then: "$.payment = result, -> Parcels".into(),
            heartbeat: None,
        };
        let form = popup::answer::AnswerForm::new(offer, "ChargeCard");
        model.popup = Some(Box::new(form));
    });
    draw("evaluate", &|model| {
        model.ask(PromptKind::Evaluate, "$.order.total");
        if let Some(prompt) = &mut model.prompt {
            prompt.notes = vec![
                ("4200".into(), Role::Text),
                ("number, 4 bytes".into(), Role::Dim),
            ];
        }
    });
    draw("present", &|model| {
        model.present = true;
        model.play = Some(Play {
            factor: 1.0,
            next: std::time::Instant::now(),
            paused: true,
            travel: None,
        });
    });
}

#[test]
fn every_theme_and_focus_draws_at_every_size() {
    const SIZES: [(u16, u16); 11] = [
        (160, 45),
        (40, 10),
        (0, 0),
        (1, 1),
        (39, 10),
        (63, 17),
        (64, 18),
        (99, 28),
        (101, 29),
        (151, 39),
        (300, 90),
    ];
    for (place, name) in Theme::names().enumerate() {
        let theme = Theme::named(name).expect("a theme");
        // The sizes of the areas do not depend on the theme. Therefore only the first theme is tested at all sizes, and
        // each other theme at one wide and one narrow size.
        let sizes = if place == 0 { &SIZES[..] } else { &SIZES[..2] };
        for (columns, rows) in sizes.iter().copied() {
            for pane in Pane::ALL {
                drawn(columns, rows, &theme, |model| {
                    model.focus_on(pane);
                    model.zoom = columns % 2 == 1;
                });
            }
        }
    }
}

#[test]
fn the_footer_has_one_row_of_at_most_eight_keys() {
    for (columns, rows) in [(160, 45), (100, 28), (80, 24)] {
        let buffer = drawn(columns, rows, &Theme::default(), |_| {});
        let text = screen::text(&buffer);
        let footer = text.lines().next_back().unwrap_or("");
        for key in ["c continue", "W where from", "? help"] {
            assert!(footer.contains(key), "{columns}: {footer}");
        }
        let keys = footer.split("  ").filter(|key| !key.trim().is_empty());
        assert!(keys.count() <= 8, "{columns}: {footer}");
    }
}
