//! Lists every sentence that the program can print, so that an AWS engineer and a native speaker can review them.
//!
//! `tests/sentences.txt` is created from the source. `BLESS=1` rewrites it; review the difference.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Source files and folders with messages. The messages of `check` are not here: they stand next to its rules, and the
/// test of the table of rules covers them.
const SPEAKING: [&str; 10] = [
    "src/wording",
    "src/session",
    "src/tui",
    "src/dap",
    "src/headless",
    "src/testing/repeat.rs",
    "src/launch",
    "src/cli",
    "src/history",
    "src/interpreter/fault.rs",
];

/// Misleading words, each with the words used instead.
const MISLEADING: [(&str, &str); 30] = [
    ("nothing takes", "X is not caught"),
    ("a catcher takes", "X caught → Refund"),
    ("the branch or item fails", "not caught: item 2 fails"),
    ("does not name", "X is not in ErrorEquals"),
    ("asked when retries run out", "tried after retries"),
    ("an error stands in", "error raised, before Retry and Catch"),
    ("part company", "spec and AWS behave differently here"),
    ("what the state gives", "raw result"),
    ("it goes on as it is", "no field: passed through"),
    ("the focus is", "stepping in main"),
    ("typing takes its place", "type to replace"),
    ("in all", "duration"),
    ("left over", "left"),
    (
        "the old text stays in force",
        "still running the last valid version",
    ),
    ("for one stop stands", "a one-time breakpoint was set there"),
    ("leaves them away", "ignores them"),
    (" live", "running"),
    ("took seconds (0)", "duration in seconds"),
    ("If ok", "On success"),
    ("if ok", "on success"),
    ("no rule holds", "no rule matches"),
    ("not asked yet", "not evaluated yet"),
    ("tried again", "retried"),
    ("tries again", "retries"),
    ("means nothing", "unknown field"),
    ("is none of", "use raised, retried, caught or uncaught"),
    ("puts this one", "replaces it"),
    ("takes it back", "removes the answer"),
    ("gives back", "returns"),
    ("left away", "left out"),
];

#[test]
fn the_list_is_what_the_source_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for place in SPEAKING {
        collect(&root.join(place), &mut files);
    }
    files.sort();
    let mut list = String::new();
    for file in &files {
        let text = std::fs::read_to_string(file).expect("a source file");
        let mut sentences: Vec<String> = literals(&text)
            .into_iter()
            .filter(|text| is_said(text))
            .collect();
        sentences.dedup();
        if sentences.is_empty() {
            continue;
        }
        let name = file.strip_prefix(root).expect("inside").display();
        writeln!(list, "\n# {name}").expect("written");
        for sentence in sentences {
            writeln!(list, "{sentence}").expect("written");
        }
    }
    let path = root.join("tests/sentences.txt");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, list.trim_start()).expect("written");
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    for (said, wanted) in list.trim_start().lines().zip(expected.lines()) {
        assert_eq!(
            said, wanted,
            "BLESS=1 writes tests/sentences.txt anew; read what it adds"
        );
    }
    assert_eq!(list.trim_start().lines().count(), expected.lines().count());
}

#[test]
fn what_misled_people_is_not_said() {
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sentences.txt");
    let list = std::fs::read_to_string(list).expect("the list");
    let said = MISLEADING.iter().filter(|(words, _)| {
        let lines = list.lines().filter(|line| !line.starts_with('#'));
        lines.into_iter().any(|line| line.contains(words))
    });
    let said: Vec<_> = said.collect();
    assert!(
        said.is_empty(),
        "said, though other words are better: {said:?}"
    );
}

fn collect(place: &Path, files: &mut Vec<PathBuf>) {
    if place.is_file() {
        files.push(place.to_owned());
        return;
    }
    for entry in std::fs::read_dir(place).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let is_test = name.starts_with("tests") || name.starts_with("sample");
        if !is_test && (path.is_dir() || name.ends_with(".rs")) {
            collect(&path, files);
        }
    }
}

/// True if a literal is a message rather than a name.
fn is_said(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    text.trim().contains(' ') && letters >= 6
}

/// The string literals in a source file, without comments and tests.
fn literals(source: &str) -> Vec<String> {
    let end = source
        .find("#[cfg(test)]\nmod tests")
        .unwrap_or(source.len());
    let mut found = Vec::new();
    let mut rest = source.get(..end).unwrap_or(source).chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '/' if rest.peek() == Some(&'/') => {
                for c in rest.by_ref() {
                    if c == '\n' {
                        break;
                    }
                }
            }
            '\'' => {
                // This quote begins either a character literal or a lifetime.
                let mut ahead = rest.clone();
                let is_escape = ahead.next() == Some('\\');
                if is_escape || ahead.next() == Some('\'') {
                    let mut escaped = false;
                    for c in rest.by_ref() {
                        if c == '\'' && !escaped {
                            break;
                        }
                        escaped = c == '\\' && !escaped;
                    }
                }
            }
            '"' => found.push(literal(&mut rest)),
            _ => {}
        }
    }
    found
}

fn literal(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) -> String {
    let mut text = String::new();
    while let Some(c) = rest.next() {
        match c {
            '"' => break,
            '\\' => match rest.next() {
                Some('\n') => while rest.next_if(|c| c.is_whitespace()).is_some() {},
                Some('n') => text.push('⏎'),
                Some(other) => text.push(other),
                None => break,
            },
            '\n' => text.push('⏎'),
            other => text.push(other),
        }
    }
    text
}
