//! Tests with broken workflows as teams write them, one per folder in `tests/faults`: after the keys that a user would
//! press, the screen must explain the cause and lead to the line.
//!
//! A folder contains a definition, its input and its answers, all with the same name, and `case.txt` with these lines:
//!
//! - `# TEXT` describes the fault.
//! - `keys K...` presses keys, in total at most four; `:TEXT` types a command. The keys of a line are pressed after
//!   those of the lines before.
//! - `reload FROM => TO` changes the definition.
//! - `see TEXT` and `not TEXT` check whether a text is on the screen, in a single row or wrapped in a pane;
//!   `see /REGEX/` searches each row.
//! - `leads KIND STATE LINE:COLUMN` is a place that the session's explanation leads to. These lines follow a `keys` or
//!   `reload` line if the places have changed. At the beginning, they list the warnings. `BLESS=1` rewrites them.
//!
//! A line that begins with a screen size applies only to that size.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that fails panics"
)]

mod support;

use libtest_mimic::{Arguments, Failed, Trial};
use std::path::Path;
use std::process::ExitCode;
use support::desk::{self, Desk};
use support::leads::{findings, leads};

/// Maximum number of keys that a user should need.
const KEYS: usize = 4;

const SIZES: [(u16, u16); 2] = [(160, 45), (80, 24)];

fn main() -> ExitCode {
    let faults = desk::faults();
    let mut tests = Vec::new();
    for (folder, name) in &faults {
        for (columns, rows) in SIZES {
            let (name, folder) = (name.clone(), folder.clone());
            let title = format!("{name}@{columns}x{rows}");
            let is_first = (columns, rows) == SIZES[0];
            tests.push(Trial::test(title, move || {
                match std::env::var_os("BLESS") {
                    Some(_) if is_first => bless(&folder, &name),
                    Some(_) => Ok(()),
                    None => check(&folder, &name, (columns, rows)),
                }
            }));
        }
    }
    libtest_mimic::run(&Arguments::from_args(), tests).exit_code()
}

/// What happens in a case at one screen size: keys or a change, and the results expected after it.
#[derive(Default)]
struct Scene {
    /// Index of the line in `case.txt` with the keys or the change.
    at: usize,
    /// The keys to press, or the change to make; `None` for the scene in which the debugger has just been opened.
    act: Option<Act>,
    /// The places that the session's explanation must lead to; empty if they are the same as before.
    leads: Vec<String>,
    /// Texts, each with a flag: true if the text must be on the screen, false if it must not.
    texts: Vec<(bool, String)>,
}

enum Act {
    Keys(Vec<String>),
    Reload(String),
}

fn case(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("case.txt")).expect("a case")
}

/// The screen size to which a line of a case applies, and the rest of the line.
fn sized(line: &str) -> (Option<&str>, &str) {
    let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
    let is_size = first.contains('x') && first.starts_with(|c: char| c.is_ascii_digit());
    match is_size {
        true => (Some(first), rest),
        false => (None, line),
    }
}

fn named((columns, rows): (u16, u16)) -> String {
    format!("{columns}x{rows}")
}

fn scenes(text: &str, size: (u16, u16)) -> Vec<Scene> {
    let title = text.lines().take_while(|line| line.starts_with('#'));
    let mut scene = Scene {
        at: title.count().saturating_sub(1),
        ..Scene::default()
    };
    let mut scenes = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let (limit, line) = sized(line);
        let applies = limit.is_none_or(|limit| limit == named(size));
        if !applies || line.starts_with('#') || line.trim().is_empty() {
            continue;
        }
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let act = match word {
            "keys" => Act::Keys(rest.split(' ').map(String::from).collect()),
            "reload" => Act::Reload(rest.to_owned()),
            "leads" => {
                scene.leads.push(rest.to_owned());
                continue;
            }
            "see" | "not" => {
                scene.texts.push((word == "see", rest.to_owned()));
                continue;
            }
            other => panic!("no step is named {other}"),
        };
        let next = Scene {
            at,
            act: Some(act),
            ..Scene::default()
        };
        scenes.push(std::mem::replace(&mut scene, next));
    }
    scenes.push(scene);
    scenes
}

/// Presses the keys or makes the change of a scene. Returns the places that the explanation then leads to or, if the
/// debugger has just been opened, the warnings.
fn play(desk: &mut Desk, scene: &Scene) -> Vec<String> {
    match &scene.act {
        None => return findings(desk.session()),
        Some(Act::Keys(keys)) => keys.iter().for_each(|key| desk.press(key)),
        Some(Act::Reload(change)) => desk.reload(change),
    }
    leads(desk.session())
}

/// Opens the debugger on a broken workflow. On a small screen, expands the banner.
fn open(folder: &Path, name: &str, size: (u16, u16)) -> Result<Desk, Failed> {
    let mut desk = Desk::open(folder, name, size)?;
    if size != SIZES[0] {
        desk.press("Z");
    }
    Ok(desk)
}

fn check(folder: &Path, name: &str, size: (u16, u16)) -> Result<(), Failed> {
    let mut desk = open(folder, name, size)?;
    let (mut pressed, mut problems) = (0, Vec::new());
    let mut expected = Vec::new();
    for scene in scenes(&case(folder), size) {
        if let Some(Act::Keys(keys)) = &scene.act {
            pressed += keys.len();
        }
        let found = play(&mut desk, &scene);
        if !scene.leads.is_empty() || scene.act.is_none() {
            expected = scene.leads;
        }
        if found != expected {
            problems.push(format!("leads to {found:#?}, expected {expected:#?}"));
        }
        for (wanted, text) in scene.texts {
            match (wanted, shows(&desk.text(), &text)) {
                (true, false) => problems.push(format!("does not see: {text}")),
                (false, true) => problems.push(format!("sees: {text}")),
                _ => {}
            }
        }
        if !problems.is_empty() {
            break;
        }
    }
    if pressed > KEYS {
        problems.push(format!("{pressed} keys, a person presses {KEYS}"));
    }
    match problems.is_empty() {
        true => Ok(()),
        false => Err(format!("{}\n{}", problems.join("\n"), desk.text()).into()),
    }
}

/// Rewrites the `leads` lines of a case for both sizes.
fn bless(folder: &Path, name: &str) -> Result<(), Failed> {
    let text = case(folder);
    let is_lead = |line: &&str| sized(line).1.starts_with("leads ");
    let lines: Vec<&str> = text.lines().filter(|line| !is_lead(line)).collect();
    let text = lines.join("\n");
    let mut all: Vec<(usize, Vec<String>, String)> = Vec::new();
    for size in SIZES {
        let mut desk = open(folder, name, size)?;
        let mut before = Vec::new();
        for scene in scenes(&text, size) {
            let found = play(&mut desk, &scene);
            if found != before {
                all.push((scene.at, found.clone(), named(size)));
            }
            before = found;
        }
    }
    let mut out = String::new();
    for (at, line) in lines.iter().enumerate() {
        out += &format!("{line}\n");
        let here: Vec<_> = all.iter().filter(|(of, ..)| *of == at).collect();
        match here.as_slice() {
            [(_, first, _), (_, second, _)] if first == second => {
                out.extend(first.iter().map(|lead| format!("leads {lead}\n")));
            }
            each => {
                for (_, leads, size) in each {
                    out.extend(leads.iter().map(|lead| format!("{size} leads {lead}\n")));
                }
            }
        }
    }
    std::fs::write(folder.join("case.txt"), out)?;
    Ok(())
}

/// True if a text is on the screen or, for `/REGEX/`, if the pattern matches a row.
fn shows(text: &str, wanted: &str) -> bool {
    if let Some(pattern) = wanted
        .strip_prefix('/')
        .and_then(|rest| rest.strip_suffix('/'))
    {
        let pattern = regex::Regex::new(pattern).expect("a regular expression");
        return text.lines().any(|line| pattern.is_match(line));
    }
    text.contains(wanted) || is_wrapped(text, wanted)
}

/// True if a text is wrapped within a pane, so that it continues at the beginning of the pane's next row.
fn is_wrapped(text: &str, wanted: &str) -> bool {
    let rows: Vec<Vec<char>> = text.lines().map(|line| line.chars().collect()).collect();
    let words: Vec<char> = wanted.chars().filter(|c| *c != ' ').collect();
    rows.iter().enumerate().any(|(y, row)| {
        let starts = (0..row.len()).filter(|x| row.get(*x) == words.first());
        starts.into_iter().any(|x| follows(&rows, y, x, &words))
    })
}

fn follows(rows: &[Vec<char>], mut y: usize, mut x: usize, words: &[char]) -> bool {
    let Some(row) = rows.get(y) else {
        return false;
    };
    // The left border of the pane or of the screen.
    let left = (0..x).rev().find(|at| row.get(*at) == Some(&'|'));
    let left = left.map_or(0, |at| at + 1);
    let right = (x..row.len()).find(|at| row.get(*at) == Some(&'|') && words.first() != Some(&'|'));
    let right = right.unwrap_or(usize::MAX);
    for wanted in words {
        loop {
            let row = rows.get(y);
            let found = row.and_then(|row| row.get(x)).filter(|_| x < right);
            match found {
                Some(' ') => x += 1,
                Some(c) if c == wanted => {
                    x += 1;
                    break;
                }
                Some(_) => return false,
                None if row.is_none() => return false,
                None => (y, x) = (y + 1, left),
            }
        }
    }
    true
}
