//! Tests that the tour can be completed with its keys: each step ends when its keys are pressed, and can be restarted
//! by its number. The texts of the tour fit into their area, which never moves.

#![allow(clippy::expect_used, reason = "a test that fails panics")]

mod support;

use asldbg::tui::Setup;
use libtest_mimic::{Arguments, Failed, Trial};
use std::path::Path;
use std::process::ExitCode;
use support::desk::Desk;

const SIZES: [(u16, u16); 4] = [(240, 60), (160, 45), (120, 36), (80, 24)];

/// The keys of each step, as listed in its text.
const KEYS: [&str; 10] = [
    "c",
    "r s s s",
    "j Enter Esc",
    "c W",
    "N",
    "b r c",
    "s s s",
    "r s s s j e 4 0 0 Enter",
    "c m Enter",
    ":tour_fix c c",
];

fn main() -> ExitCode {
    let mut tests = Vec::new();
    for size in SIZES {
        let title = format!("all steps at {}x{}", size.0, size.1);
        tests.push(Trial::test(title, move || all(size)));
    }
    for number in 1..=KEYS.len() {
        tests.push(Trial::test(format!("step {number} alone"), move || {
            alone(number)
        }));
    }
    libtest_mimic::run(&Arguments::from_args(), tests).exit_code()
}

fn begin(size: (u16, u16), line: &str) -> Result<Desk, Failed> {
    let setup = Setup {
        ascii: true,
        tour: true,
        script: vec![line.to_owned()],
        ..Setup::default()
    };
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    Desk::with(&samples, "tour", size, setup)
}

fn is_at(desk: &Desk, step: usize) -> Result<(), Failed> {
    let tour = desk.model().tour.as_ref().ok_or("the tour is over")?;
    let title = match step {
        11 => "Tour: the end".to_owned(),
        step => format!("Tour {step} of 10"),
    };
    match tour.title().starts_with(&title) {
        true => Ok(()),
        false => Err(format!("not at {title}\n{}", desk.text()).into()),
    }
}

fn all(size: (u16, u16)) -> Result<(), Failed> {
    let mut desk = begin(size, "tour 1")?;
    let place = desk.tour();
    for (number, keys) in (1..).zip(KEYS) {
        for key in keys.split(' ') {
            is_at(&desk, number)?;
            desk.press(key);
            if desk.tour() != place {
                return Err(format!("the tour moved\n{}", desk.text()).into());
            }
            let tour = desk.model().tour.as_ref().ok_or("the tour is over")?;
            let rows = desk.rows_of(place).join(" ");
            let shown: Vec<&str> = rows.split_whitespace().collect();
            for text in [tour.seen(), tour.task()] {
                let words: Vec<&str> = text.split_whitespace().collect();
                if !shown.windows(words.len()).any(|window| window == words) {
                    return Err(format!("not whole: {text}\n{}", desk.text()).into());
                }
            }
        }
        is_at(&desk, number + 1)?;
    }
    desk.press(":tour_off");
    match desk.tour().height {
        0 => Ok(()),
        _ => Err("the tour was not left".into()),
    }
}

fn alone(number: usize) -> Result<(), Failed> {
    let mut desk = begin((120, 36), &format!("tour {number}"))?;
    is_at(&desk, number)?;
    let keys = KEYS.get(number - 1).ok_or("no such step")?;
    keys.split(' ').for_each(|key| desk.press(key));
    is_at(&desk, number + 1)
}
