//! Broken workflows as teams write them, a folder each in `tests/faults`: what stands on the screen after the keys that a
//! person presses says the cause in words and leads to the line.
//!
//! A folder holds a definition with its input and its answers, named like it, and `case.txt`, whose lines are
//! `# TEXT` on the fault, `keys K...` to press (at most four; `:TEXT` types a command), `see TEXT` and `not TEXT` on what
//! must and must not stand there then, in one row or wrapped inside a pane, `see /REGEX/` within a row, and `reload FROM => TO`,
//! which changes the definition. A line that begins with a size holds there alone. Several `keys` go on from one another.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use support::desk::Desk;

/// A person presses no more than so many keys.
const KEYS: usize = 4;

const SIZES: [(u16, u16); 2] = [(160, 45), (80, 24)];

fn main() -> ExitCode {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults");
    let mut faults: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("tests/faults")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_dir())
        .collect();
    faults.sort();
    let mut tests = Vec::new();
    for folder in &faults {
        let name = folder.file_name().expect("a name").to_string_lossy();
        for (columns, rows) in SIZES {
            let (name, folder) = (name.to_string(), folder.clone());
            let title = format!("{name}@{columns}x{rows}");
            tests.push(Trial::test(title, move || {
                check(&folder, &name, (columns, rows))
            }));
        }
    }
    libtest_mimic::run(&Arguments::from_args(), tests).exit_code()
}

/// What a case says for one size, line by line.
fn steps(folder: &Path, (columns, rows): (u16, u16)) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(folder.join("case.txt")).expect("a case");
    let own = format!("{columns}x{rows}");
    let mut steps = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
        let is_size = first.contains('x') && first.starts_with(|c: char| c.is_ascii_digit());
        if line.trim().is_empty() || (is_size && first != own) {
            continue;
        }
        let line = if is_size { rest } else { line };
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        steps.push((word.to_owned(), rest.to_owned()));
    }
    steps
}

fn check(folder: &Path, name: &str, size: (u16, u16)) -> Result<(), Failed> {
    let mut desk = Desk::open(folder, name, size)?;
    let (mut pressed, mut problems) = (0, Vec::new());
    for (word, rest) in steps(folder, size) {
        match word.as_str() {
            "keys" => {
                for key in rest.split(' ') {
                    pressed += 1;
                    desk.press(key);
                }
            }
            "reload" => desk.reload(&rest),
            "see" if !shows(&desk.text(), &rest) => problems.push(format!("does not see: {rest}")),
            "not" if shows(&desk.text(), &rest) => problems.push(format!("sees: {rest}")),
            "see" | "not" => {}
            other => problems.push(format!("no step is named {other}")),
        }
        if !problems.is_empty() && matches!(word.as_str(), "keys" | "reload") {
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

/// Whether a text stands on the screen, or a row that a pattern fits.
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

/// Whether a text stands wrapped in a pane: each row goes on where the pane's next row begins.
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
    // The pane's left border, or the screen's.
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
