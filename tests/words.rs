//! Tests that no screen contains broken text. The broken workflows of `tests/faults` and the samples are stepped
//! through at two sizes. No pane may repeat a word, join two punctuation marks or use the plural for a single thing.
//!
//! `WORDS_DUMP=FOLDER WORDS_EVENTS=60 cargo test --test words` writes more screens to a folder for review.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use asldbg::tui::Setup;
use libtest_mimic::{Arguments, Failed, Trial};
use regex::Regex;
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::LazyLock;
use support::desk::{self, Desk};

const SIZES: [(u16, u16); 2] = [(160, 45), (80, 24)];

/// Maximum number of events examined in a run, spread over the run; `WORDS_EVENTS=60` examines more.
const EVENTS: u64 = 4;

/// Regular expressions of texts that must not appear in any pane.
const BROKEN: [(&str, &str); 5] = [
    (
        "two signs",
        r"[^.]\.\.([^.]|$)|\.[;,:]|,[,;.:]|;[;,.]|: :| [;,] ",
    ),
    (
        "a word twice",
        r"(?i)(^| )(the the|is is|a a|of of|to to|in in|at at|and and|that that|line line|not not)( |$)",
    ),
    (
        "one in the plural",
        r"(^|[ (])1 (items|errors|events|keys|fields|rules|branches|retries|tries|times|states|lines|tasks|rows|retriers|catchers|values|seconds|warnings|notes|findings)\b",
    ),
    (
        "all of one",
        r"\ball 1\b|\b1 of \d+ \w+ of \w+ have\b|\b0 of 0\b|\b1 more were\b",
    ),
    ("nothing said", r"\( +\)|\bnull null\b"),
];

/// Regular expressions of texts that are not examined: abbreviated values, keys, and texts from the definitions.
const QUOTED: [&str; 7] = [
    r#"".*"|'.*'|^\s*\d+ .*"[^"]*$"#,
    r"\{\.\.|\[\.\.|[{,\[] \.\.( [}\]])?",
    // Truncated texts, and rows that contain a source line.
    r"\S*….*|^ *, .*|^ *,$",
    r"\( \) other",
    r"\w\(\)",
    r"\{.*\}|\[.*\]",
    r"= .*",
];

fn main() -> ExitCode {
    let mut tests = Vec::new();
    for (folder, name) in desk::faults().into_iter().chain(desk::samples()) {
        for size in SIZES {
            let (folder, name) = (folder.clone(), name.clone());
            let title = format!("{name}@{}x{}", size.0, size.1);
            tests.push(Trial::test(title, move || walk(&folder, &name, size)));
        }
    }
    libtest_mimic::run(&Arguments::from_args(), tests).exit_code()
}

fn walk(folder: &Path, name: &str, size: (u16, u16)) -> Result<(), Failed> {
    let mut desk = Desk::in_place(folder, name, size, Setup::default())?;
    let mut screens = BTreeMap::from([("0000-open".to_owned(), desk.text())]);
    desk.press("c");
    for at in 0..6 {
        let text = desk.text();
        if screens
            .last_key_value()
            .is_some_and(|(_, last)| *last == text)
        {
            break;
        }
        screens.insert(format!("9{at:03}-c"), text);
        desk.press("c");
    }
    let (all, _) = desk.events();
    let wanted = std::env::var("WORDS_EVENTS").ok();
    let wanted = wanted.and_then(|text| text.parse().ok()).unwrap_or(EVENTS);
    let step = usize::try_from(all.div_ceil(wanted).max(1)).expect("a step");
    for event in (1..=all).step_by(step).chain([all]) {
        desk.command(&format!("event {event}"));
        screens.insert(format!("{event:04}"), desk.text());
        if size.0 == 80 {
            for pane in ["5", "4", "2"] {
                desk.press(pane);
                screens.insert(format!("{event:04}-{pane}"), desk.text());
            }
            desk.key("3");
        }
    }
    if let Ok(dump) = std::env::var("WORDS_DUMP") {
        let folder = Path::new(&dump).join(format!("{name}@{}x{}", size.0, size.1));
        std::fs::create_dir_all(&folder)?;
        for (at, text) in &screens {
            std::fs::write(folder.join(format!("{at}.txt")), text)?;
        }
    }
    let broken = broken(&screens);
    match broken.is_empty() {
        true => Ok(()),
        false => Err(broken.into()),
    }
}

/// The broken texts on the screens, without duplicate rows.
fn broken(screens: &BTreeMap<String, String>) -> String {
    static RULES: LazyLock<[(&str, Regex); 5]> =
        LazyLock::new(|| BROKEN.map(|(name, rule)| (name, Regex::new(rule).expect("a rule"))));
    static QUOTES: LazyLock<[Regex; 7]> =
        LazyLock::new(|| QUOTED.map(|rule| Regex::new(rule).expect("a rule")));
    let (mut out, mut seen) = (String::new(), HashSet::new());
    for (at, text) in screens {
        for part in text.lines().flat_map(|line| line.split(['│', '┃'])) {
            if !seen.insert(part) {
                continue;
            }
            let said = QUOTES.iter().fold(part.to_owned(), |said, rule| {
                rule.replace_all(&said, "x").into_owned()
            });
            if let Some((name, _)) = RULES.iter().find(|(_, rule)| rule.is_match(&said)) {
                writeln!(out, "{at}: {name}: {}", part.trim()).expect("written");
            }
        }
    }
    out
}
