//! Tests that the screen is stable while the user steps through a run: nothing moves, and no text appears twice. Runs
//! all broken workflows of `tests/faults` and all samples on a large and on a small screen, and every third of them
//! also on a screen of 120x36. With `CALM_ALL=1`, all of them run on all three screens, with more steps.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that fails panics"
)]

mod support;

use asldbg::tui::action::Pane;
use libtest_mimic::{Arguments, Failed, Trial};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use support::desk::{self, Desk};

const SIZES: [(u16, u16); 3] = [(160, 45), (120, 36), (80, 24)];
/// Maximum number of steps per run.
fn most_steps() -> usize {
    if is_thorough() { 60 } else { 30 }
}

/// True if the environment variable `CALM_ALL` is set. Then every workflow is also run on the screen of 120x36, and
/// each run has up to 60 steps instead of 30.
fn is_thorough() -> bool {
    std::env::var_os("CALM_ALL").is_some()
}

/// A text with at least this number of words must not appear twice on a screen.
const WORDS: usize = 6;
/// Maximum number of items in the header. The header separates its items by two spaces. The limit allows for the file,
/// the status, the event, the clock, the frame and two more items.
const FACTS: usize = 7;

fn main() -> ExitCode {
    let mut subjects: Vec<(PathBuf, String)> = desk::faults();
    subjects.extend(desk::samples());
    subjects.sort();
    let mut tests = Vec::new();
    for (place, (folder, name)) in subjects.into_iter().enumerate() {
        for (at, size) in SIZES.into_iter().enumerate() {
            // The screen of 120x36 is tested with every third workflow or, with `CALM_ALL=1`, with every workflow.
            if at == 1 && place % 3 != 0 && !is_thorough() {
                continue;
            }
            let (folder, name) = (folder.clone(), name.clone());
            let title = format!("{name}@{}x{}", size.0, size.1);
            tests.push(Trial::test(title, move || check(&folder, &name, size)));
        }
    }
    libtest_mimic::run(&Arguments::from_args(), tests).exit_code()
}

fn check(folder: &Path, name: &str, size: (u16, u16)) -> Result<(), Failed> {
    let mut desk = Desk::in_place(folder, name, size, desk::plain())?;
    let first = desk.places().to_vec();
    let source = std::fs::read_to_string(folder.join(format!("{name}.asl.json")))?;
    let source: String = source.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut entered: Option<String> = None;
    for step in 0..most_steps() {
        let fail = |what: &str| {
            let screen = desk.text();
            Err(Failed::from(format!("step {step}: {what}\n{screen}")))
        };
        if desk.places() != first {
            return fail("a pane moved");
        }
        let [header, footer] = desk.edges();
        let facts = header.split("  ").filter(|fact| !fact.trim().is_empty());
        if facts.count() > FACTS {
            return fail("the header has too many facts");
        }
        if !footer.contains("? help") {
            return fail("the last row is not that of the keys");
        }
        let banner = desk.banner();
        if banner.trim().is_empty() {
            return fail("the banner is empty");
        }
        if size.0 >= 120 && (banner.contains(".. ") || banner.ends_with("..")) {
            return fail("the banner is cut");
        }
        // In the timeline, the columns of the row for event 2, which enters the first state, must not move.
        let row = second(&desk);
        match (&entered, &row) {
            (Some(before), Some(now)) if before != now => return fail("a column moved"),
            _ => entered = entered.or(row),
        }
        if let Some(twice) = said_twice(&texts(&desk), &source) {
            return fail(&format!("said twice: {twice}"));
        }
        let (_, event) = desk.events();
        desk.press("s");
        if desk.events().1 == event {
            return Ok(());
        }
    }
    Ok(())
}

/// The beginning of the timeline's row for event 2: the event's number, clock, frame and state.
fn second(desk: &Desk) -> Option<String> {
    let timeline = desk
        .places()
        .iter()
        .find(|place| place.pane == Pane::Timeline)?;
    let rows = desk.rows_of(timeline.inner);
    let row = rows
        .iter()
        .find(|row| row[2..].trim_start().starts_with("2 "))?;
    let definition = desk.session().definition();
    let first = definition.scopes.first()?.start_at.as_ref()?.state;
    let name: String = definition.state(first?)?.name.chars().take(4).collect();
    let end = row.find(&name)? + name.len();
    Some(row[2..end].to_owned())
}

/// The texts of all panes on the screen except the source pane, and of the banner.
fn texts(desk: &Desk) -> Vec<String> {
    let panes = desk
        .places()
        .iter()
        .filter(|place| place.pane != Pane::Source);
    // Removes quoted values, because several panes may show them.
    let unquoted = |row: &String| row.split('"').step_by(2).collect::<Vec<_>>().join(" ");
    let panes = panes.map(|place| desk.rows_of(place.inner));
    let texts = panes.map(|rows| rows.iter().map(unquoted).collect::<Vec<_>>().join(" "));
    texts.chain([unquoted(&desk.banner())]).collect()
}

/// A sequence of words that two of the texts contain but `source`, the text of the source file, does not contain.
fn said_twice(texts: &[String], source: &str) -> Option<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    for (place, text) in texts.iter().enumerate() {
        let words: Vec<&str> = text
            .split_whitespace()
            .filter(|word| word.chars().any(char::is_alphanumeric))
            .collect();
        for run in words.windows(WORDS) {
            let run = run.join(" ");
            if seen.get(&run).is_some_and(|before| *before != place) && !source.contains(&run) {
                return Some(run);
            }
            seen.insert(run, place);
        }
    }
    None
}
