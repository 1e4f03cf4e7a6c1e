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
use asldbg::definition::field::editions_markdown;
use asldbg::definition::rules_markdown;
use asldbg::tui::action::key_table_markdown;
use std::collections::{BTreeMap, BTreeSet};
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
    fresh = with_table(&fresh, "editions", &editions_markdown());
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

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The place of a source below `src`, with `/`.
fn place(path: &Path) -> String {
    let below = path.strip_prefix(root()).expect("below src");
    below.to_string_lossy().replace('\\', "/")
}

/// Where a character literal that begins at a quote ends; `None` for a lifetime.
fn end_of_character(text: &[char], at: usize) -> Option<usize> {
    if text.get(at + 1) == Some(&'\\') {
        let rest = text.iter().skip(at + 3);
        return rest.take(10).position(|c| *c == '\'').map(|n| at + 3 + n);
    }
    (text.get(at + 2) == Some(&'\'')).then_some(at + 2)
}

/// A text with its comments and literals as blanks.
fn bare(text: &str) -> String {
    let text: Vec<char> = text.chars().collect();
    let mut out = String::new();
    let mut at = 0;
    let is = |at: usize, sign: &str| {
        sign.chars()
            .enumerate()
            .all(|(n, c)| text.get(at + n) == Some(&c))
    };
    while let Some(c) = text.get(at) {
        let hashes = text.iter().skip(at + 1).take_while(|c| **c == '#').count();
        let after_name =
            out.ends_with(|c: char| c.is_alphanumeric() || c == '_') && !out.ends_with('b');
        let end = if is(at, "//") {
            text.iter()
                .skip(at)
                .position(|c| *c == '\n')
                .map(|n| at + n)
        } else if is(at, "/*") {
            (at + 2..text.len())
                .find(|end| is(*end, "*/"))
                .map(|end| end + 2)
        } else if *c == 'r' && !after_name && text.get(at + 1 + hashes) == Some(&'"') {
            let close = format!("\"{}", "#".repeat(hashes));
            (at + 2 + hashes..text.len())
                .find(|end| is(*end, &close))
                .map(|end| end + close.len())
        } else if *c == '"' {
            let mut end = at + 1;
            while text.get(end).is_some_and(|c| *c != '"') {
                end += if text[end] == '\\' { 2 } else { 1 };
            }
            Some(end + 1)
        } else if *c == '\'' && end_of_character(&text, at).is_some() {
            end_of_character(&text, at).map(|end| end + 1)
        } else {
            out.push(*c);
            at += 1;
            continue;
        };
        out.push(' ');
        at = end.unwrap_or(text.len());
    }
    out
}

/// Takes what stands under `#[cfg(test)]` out of bare code: an item with its braces, or up to its semicolon. What is
/// left, and the names of the modules that were taken out and stand in files of their own.
fn without_tests(code: &str) -> (String, Vec<String>) {
    const MARK: &str = "#[cfg(test)]";
    let (mut out, mut files, mut rest) = (String::new(), Vec::new(), code);
    while let Some((before, after)) = rest.split_once(MARK) {
        out.push_str(before);
        let mut depth = 0_i32;
        let end = after.char_indices().find(|(_, c)| {
            depth += match c {
                '{' | '(' | '[' => 1,
                '}' | ')' | ']' => -1,
                _ => 0,
            };
            // A parenthesis or bracket may close before the item does; a brace is its end.
            depth <= 0 && matches!(c, ';' | '}')
        });
        let end = end.map_or(after.len(), |(at, c)| at + c.len_utf8());
        let item = &after[..end];
        let module = item
            .rsplit_once("mod ")
            .and_then(|(_, name)| name.strip_suffix(';'));
        files.extend(module.map(|name| name.trim().to_string()));
        rest = &after[end..];
    }
    out.push_str(rest);
    (out, files)
}

/// The code of every source below `src`, by its place: no comments, no literals, no tests.
fn codes() -> BTreeMap<String, String> {
    let mut files = Vec::new();
    sources(&root(), &mut files);
    let (mut codes, mut tests) = (BTreeMap::new(), Vec::new());
    for path in &files {
        let text = fs::read_to_string(path).expect("a source");
        let (code, modules) = without_tests(&bare(&text));
        let folder = match path
            .file_stem()
            .is_some_and(|stem| stem == "mod" || stem == "lib")
        {
            true => path.parent().expect("a folder").to_path_buf(),
            false => path.with_extension(""),
        };
        for module in modules {
            let beside = path.with_file_name(format!("{module}.rs"));
            let own = [
                folder.join(format!("{module}.rs")),
                folder.join(&module).join("mod.rs"),
                beside,
            ];
            tests.extend(own.into_iter().find(|path| path.exists()));
        }
        codes.insert(place(path), code);
    }
    for path in tests {
        codes.remove(&place(&path));
    }
    codes
}

/// The names that follow a path's beginning: `crate::` or `std::`, one by one or in braces.
fn after(code: &str, beginning: &str) -> BTreeSet<String> {
    let name = |text: &str| -> String {
        let text = text.trim_start().trim_start_matches("r#");
        text.chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect()
    };
    let mut names = BTreeSet::new();
    for (at, _) in code.match_indices(beginning) {
        if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let rest = code[at + beginning.len()..].trim_start();
        let Some(list) = rest.strip_prefix('{') else {
            names.insert(name(rest));
            continue;
        };
        let (mut depth, mut fresh) = (0, true);
        for (at, c) in list.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => fresh = true,
                c if fresh && !c.is_whitespace() => {
                    names.insert(name(&list[at..]));
                    fresh = false;
                }
                _ => {}
            }
        }
    }
    names.remove("");
    names
}

/// The modules at the top that a source names, as `crate::MODULE` or up to there by `super`.
fn modules_named(place: &str, code: &str) -> BTreeSet<String> {
    let mut depth = place.split('/').count();
    if place.ends_with("/mod.rs") {
        depth -= 1;
    }
    let up = "super::".repeat(depth);
    let mut named = after(code, "crate::");
    // A longer chain of `super` ends with a shorter one, but leads no higher than the crate.
    named.extend(after(code, &up).into_iter().filter(|name| name != "super"));
    named
}

/// Each row of the table of layers in `lib.rs`: module, layer, what it may import.
fn layers() -> BTreeMap<String, (u8, String)> {
    let text = fs::read_to_string(root().join("lib.rs")).expect("lib.rs");
    let (_, table) = text
        .split_once("| layer | module |")
        .expect("the table of layers");
    let rows = table
        .lines()
        .skip(2)
        .map_while(|line| line.strip_prefix("//! | "));
    let mut layers = BTreeMap::new();
    for row in rows {
        let cells: Vec<&str> = row
            .trim_end_matches('|')
            .split('|')
            .map(str::trim)
            .collect();
        let layer = cells[0].parse().expect("the number of a layer");
        for module in cells[1].split(", ") {
            let module = module.trim_matches(['[', ']', '`']).to_string();
            layers.insert(module, (layer, cells[3].to_string()));
        }
    }
    layers
}

/// Whether what a row allows has a module of a layer: layers and ranges of them, names of modules, or `all`.
fn allows(allowed: &str, module: &str, layer: u8) -> bool {
    allowed.split(", ").any(|part| match part.split_once('–') {
        _ if part == "all" => true,
        Some((from, to)) => match (from.parse::<u8>(), to.parse::<u8>()) {
            (Ok(from), Ok(to)) => (from..=to).contains(&layer),
            _ => false,
        },
        None => part.trim_matches(['[', ']', '`']) == module || part.parse() == Ok(layer),
    })
}

/// What is still to be mended, as `PLACE names WORD`; a line that no longer holds has to go.
const EXCEPTIONS: &[&str] = &[];

const OUTSIDE: [&str; 5] = ["fs", "time", "thread", "process", "net"];
/// The one reader of files and the one writer.
const FILES: [&str; 3] = [
    "source/load.rs",
    "source/store/mod.rs",
    "source/store/folder.rs",
];
const PURE: [&str; 9] = [
    "json",
    "source",
    "query",
    "service",
    "definition",
    "graph",
    "interpreter",
    "session",
    "history",
];

#[test]
fn layers_know_only_what_they_may() {
    let (layers, codes) = (layers(), codes());
    assert!(layers.len() > 10, "{layers:?}");
    assert!(codes.len() > 100, "{} sources", codes.len());
    let mut wrong = BTreeSet::new();
    for (place, code) in &codes {
        let module = place.split(['/', '.']).next().unwrap_or("");
        let mut refuse = |word: &str| wrong.insert(format!("{place} names {word}"));
        if !["tui", "lib", "main"].contains(&module) {
            for word in ["ratatui", "crossterm"] {
                if code.contains(&format!("{word}::")) {
                    refuse(word);
                }
            }
        }
        if ["lib", "main"].contains(&module) {
            continue;
        }
        let (_, allowed) = layers
            .get(module)
            .unwrap_or_else(|| panic!("{module} has no row in the table of layers of lib.rs"));
        for named in modules_named(place, code) {
            let other = layers.get(&named);
            if named != module && other.is_some_and(|(layer, _)| !allows(allowed, &named, *layer)) {
                refuse(&named);
            }
        }
        if module == "tui" && code.contains("interpreter::Machine") {
            refuse("interpreter::Machine");
        }
        if PURE.contains(&module) && !FILES.contains(&place.as_str()) {
            for word in OUTSIDE {
                if after(code, "std::").contains(word) {
                    refuse(&format!("std::{word}"));
                }
            }
        }
    }
    let known: BTreeSet<String> = EXCEPTIONS.iter().map(|line| (*line).to_string()).collect();
    let told: Vec<&String> = wrong.symmetric_difference(&known).collect();
    assert!(
        told.is_empty(),
        "refused, or an exception that is none:\n{told:#?}"
    );
}

#[test]
fn what_is_read_of_a_source_is_its_code() {
    let text = r##"
        use crate::{json::Value, source::{Span, Node}, /* tui, */ query}; // crate::cli
        #[cfg(test)]
        use crate::tui::App;
        const A: &str = "crate::headless { "; const B: char = '"'; const C: &str = r#"crate::history " "#;
        fn one<'a>(x: &'a str) -> char { '\'' }
        #[cfg(test)]
        #[allow(dead_code)]
        mod tests { use crate::worker; fn two() { if true { one("}") } } }
        #[cfg(test)]
        mod cases;
        use super::super::definition; use super::near; fn last() { crate::graph::layout() }
    "##;
    let (code, files) = without_tests(&bare(text));
    let named: Vec<String> = modules_named("a/b.rs", &code).into_iter().collect();
    assert_eq!(
        named,
        ["definition", "graph", "json", "query", "source"],
        "{code}"
    );
    assert_eq!(files, ["cases"]);
}

#[test]
fn a_module_with_a_folder_stands_in_it() {
    let beside = |place: &String| root().join(place.trim_end_matches(".rs")).is_dir();
    let wrong: Vec<String> = codes().into_keys().filter(beside).collect();
    assert!(wrong.is_empty(), "to be its folder's mod.rs: {wrong:?}");
}

#[test]
fn tests_of_a_module_stand_in_it_or_in_its_folder() {
    let mut files = Vec::new();
    sources(&root(), &mut files);
    for path in files {
        let text = fs::read_to_string(&path).expect("a source");
        let name = path.file_name().expect("a name").to_string_lossy();
        assert!(!name.ends_with("_test.rs"), "{}", path.display());
        assert!(!text.contains("#[path"), "{}", path.display());
    }
}

#[test]
fn no_file_is_too_long_to_be_read() {
    let mut files = Vec::new();
    for folder in ["src", "tests", "benches"] {
        sources(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join(folder),
            &mut files,
        );
    }
    let length = |path: &PathBuf| fs::read_to_string(path).expect("a source").lines().count();
    let long = files.iter().map(|path| (length(path), path));
    let long: Vec<_> = long.filter(|(lines, _)| *lines > 600).collect();
    assert!(long.is_empty(), "more than 600 lines: {long:?}");
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
