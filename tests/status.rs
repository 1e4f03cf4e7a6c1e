//! Steps through each broken workflow event by event, and also jumps to every third event. The graph's title, the
//! timeline's row and the state pane must all use the same word for the status of the focused state.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use libtest_mimic::{Arguments, Failed, Trial};
use regex::Regex;
use std::path::Path;
use std::process::ExitCode;
use std::sync::LazyLock;
use support::desk::{self, Desk};

/// A screen size at which the graph, the timeline and the state pane are fully visible.
const SIZE: (u16, u16) = (170, 64);
/// Maximum number of steps. It ends the test of a run that polls forever.
const STEPS: u64 = 24;

fn main() -> ExitCode {
    let faults = desk::faults().into_iter();
    let tests =
        faults.map(|(folder, name)| Trial::test(name.clone(), move || check(&folder, &name)));
    libtest_mimic::run(&Arguments::from_args(), tests.collect()).exit_code()
}

fn check(folder: &Path, name: &str) -> Result<(), Failed> {
    let mut desk = Desk::in_place(folder, name, SIZE, desk::plain())?;
    // The screen is not needed before the first step.
    for key in ["4", "v", "v"] {
        desk.key(key);
    }
    let mut problems = Vec::new();
    let mut last = u64::MAX;
    for _ in 0..STEPS {
        desk.press("s");
        let (_, event) = desk.events();
        if event == last {
            break;
        }
        last = event;
        compare(&desk, "stepped", &mut problems);
    }
    desk.command("keep-going");
    desk.press("c");
    compare(&desk, "at the end,", &mut problems);
    let (count, _) = desk.events();
    for number in (1..=count.min(STEPS)).step_by(3) {
        desk.command(&format!("event {number}"));
        compare(&desk, "gone to", &mut problems);
    }
    match problems.is_empty() {
        true => Ok(()),
        false => Err(problems.join("\n").into()),
    }
}

/// Compares the status words of the graph's title, the timeline and the state pane, and reports a problem if they
/// differ.
fn compare(desk: &Desk, how: &str, problems: &mut Vec<String>) {
    let (_, event) = desk.events();
    let text = desk.text();
    let Some((state, graph)) = graph_title(&text) else {
        return;
    };
    let in_table = table(&text).filter(|(of, _)| *of == state);
    let in_table = in_table.map(|(_, word)| word);
    for (who, word) in [("the table", in_table), ("the state pane", pane(&text))] {
        if let Some(word) = word.filter(|word| *word != graph) {
            problems.push(format!(
                "{how} {event}, {state}: the graph says {graph}, {who} says {word}"
            ));
        }
    }
}

/// Name and status of the focused state in the title of the graph.
fn graph_title(text: &str) -> Option<(String, String)> {
    static PATTERN: LazyLock<Regex> = LazyLock::new(|| {
        let text = r"1 (?:Graph|States)[^|]*?-- ?(\S+)(?: x\d+)?  ([a-z ]+?)(?: until \S+)? -*\+";
        Regex::new(text).unwrap()
    });
    let found = text.lines().find_map(|line| PATTERN.captures(line))?;
    Some((found[1].to_owned(), found[2].to_owned()))
}

/// Name and status in the current row of the timeline, which is shown as a table.
fn table(text: &str) -> Option<(String, String)> {
    let mut lines = text.lines();
    let head: Vec<char> = lines
        .find(|line| line.contains("#  state"))?
        .chars()
        .collect();
    let at = |wanted: &str| {
        let wanted: Vec<char> = wanted.chars().collect();
        head.windows(wanted.len()).position(|part| part == wanted)
    };
    let (status, tries) = (at("status  ")? + 3, at("tries")?);
    let row = lines.find(|line| line.starts_with("|=>"))?;
    let cell = |from: usize, to: usize| {
        let cells: String = row.chars().skip(from).take(to - from).collect();
        cells.trim().to_owned()
    };
    let kind = at("type")?;
    Some((cell(at("state")?, kind), cell(status, tries)))
}

/// The status that the state pane shows.
fn pane(text: &str) -> Option<String> {
    static PATTERN: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\|status +([a-z ]+?)(?:, visit \d+)? *\|").unwrap());
    let mut lines = text.lines().filter(|line| line.contains("|status "));
    let found = lines.find_map(|line| PATTERN.captures(line))?;
    // If a state was not reached, the state pane says so in these words; the graph says `not reached`.
    let word = match &found[1] {
        "not entered yet" | "not entered" => "not reached",
        word => word,
    };
    Some(word.to_owned())
}
