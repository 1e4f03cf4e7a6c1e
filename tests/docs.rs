//! Holds the README together with the code that it speaks of, and the layers with their invariants.
//!
//! `BLESS=1` writes the tables of the README anew.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]

use asldbg::cli::options_markdown;
use asldbg::definition::rules_markdown;
use asldbg::tui::action::key_table_markdown;
use std::fs;
use std::path::{Path, PathBuf};

/// `text` with what stands between the marks of `name` replaced.
fn with_table(text: &str, name: &str, table: &str) -> String {
    let (open, close) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let (before, rest) = text
        .split_once(&open)
        .unwrap_or_else(|| panic!("no {open}"));
    let (_, after) = rest
        .split_once(&close)
        .unwrap_or_else(|| panic!("no {close}"));
    format!("{before}{open}\n{table}\n{close}{after}")
}

#[test]
fn tables_of_the_readme_are_those_of_the_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let text = fs::read_to_string(&path).expect("README.md");
    let mut fresh = with_table(&text, "options", &options_markdown());
    fresh = with_table(&fresh, "keys", &key_table_markdown());
    fresh = with_table(&fresh, "rules", &rules_markdown());
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, &fresh).expect("README.md can be written");
    }
    let now = fs::read_to_string(&path).expect("README.md");
    assert!(
        now == fresh,
        "README.md is behind the code: BLESS=1 cargo test --test docs writes it anew"
    );
}

#[test]
fn the_rules_in_the_crate_documentation_are_those_of_the_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/definition/rules.md");
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, rules_markdown()).expect("rules.md can be written");
    }
    let now = fs::read_to_string(&path).expect("rules.md");
    assert!(
        now == rules_markdown(),
        "rules.md is behind the code: BLESS=1 cargo test --test docs writes it anew"
    );
}

#[test]
fn every_sample_has_its_line() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let told = fs::read_to_string(folder.join("README.md")).expect("samples/README.md");
    let mut count = 0;
    for entry in fs::read_dir(&folder).expect("samples") {
        let name = entry
            .expect("an entry")
            .file_name()
            .to_string_lossy()
            .into_owned();
        if let Some((stem, _)) = name.split_once(".asl.") {
            assert!(
                told.contains(&format!("- `{stem}`:")),
                "samples/README.md does not speak of {stem}"
            );
            count += 1;
        }
    }
    assert!(count >= 10, "{count} samples");
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// The code of a file: comments and its tests left out.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("a source");
    let text = text.split("#[cfg(test)]").next().unwrap_or("").to_string();
    let lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Which modules may not name which words.
const LAYERS: &[(&str, &[&str])] = &[
    (
        "json",
        &[
            "crate::source",
            "crate::query",
            "crate::definition",
            "crate::interpreter",
            "crate::session",
        ],
    ),
    (
        "source",
        &[
            "crate::query",
            "crate::definition",
            "crate::interpreter",
            "crate::session",
        ],
    ),
    (
        "query",
        &[
            "crate::source",
            "crate::definition",
            "crate::interpreter",
            "crate::session",
        ],
    ),
    (
        "definition",
        &["crate::interpreter", "crate::session", "crate::graph"],
    ),
    ("graph", &["crate::interpreter", "crate::session"]),
    (
        "interpreter",
        &["crate::source", "crate::session", "crate::graph"],
    ),
    (
        "session",
        &[
            "crate::tui",
            "crate::headless",
            "crate::cli",
            "crate::graph",
        ],
    ),
    ("history", &["crate::tui", "crate::headless", "crate::cli"]),
    ("headless", &["crate::tui", "crate::cli"]),
    (
        "tui",
        &[
            "crate::headless",
            "crate::cli",
            "crate::interpreter::Machine",
        ],
    ),
];

const OUTSIDE: [&str; 5] = [
    "std::fs",
    "std::time",
    "std::thread",
    "std::process",
    "std::net",
];
const PURE: [&str; 8] = [
    "json",
    "source",
    "query",
    "definition",
    "graph",
    "interpreter",
    "session",
    "history",
];

#[test]
fn layers_know_only_what_they_may() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    assert!(files.len() > 100, "{} sources", files.len());
    let mut wrong = Vec::new();
    for path in &files {
        let place = path
            .strip_prefix(&root)
            .expect("below src")
            .to_string_lossy()
            .replace('\\', "/");
        let module = place.split(['/', '.']).next().unwrap_or("");
        let text = code(path);
        let mut refuse = |word: &str| {
            if text.contains(word) {
                wrong.push(format!("{place} names {word}"));
            }
        };
        for (layer, words) in LAYERS {
            if *layer == module && !place.contains("test") {
                words.iter().for_each(|word| refuse(word));
            }
        }
        if PURE.contains(&module) && place != "source/load.rs" && !place.contains("test") {
            OUTSIDE.iter().for_each(|word| refuse(word));
        }
        if module != "tui" {
            refuse("ratatui");
            refuse("crossterm");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_module_says_what_it_is() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let silent: Vec<String> = files
        .iter()
        .filter(|path| {
            !fs::read_to_string(path)
                .expect("a source")
                .starts_with("//!")
        })
        .map(|path| path.display().to_string())
        .collect();
    assert!(
        silent.is_empty(),
        "no opening sentence: {}",
        silent.join(", ")
    );
}
