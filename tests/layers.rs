//! Tests of the structure of the source code: layers, invariants, import cycles, layout of files.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]

mod source_code;

use source_code::imports::{circles, imports};
use source_code::{bare, codes, codes_with, root, sources, with_strings, without_tests};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The names that follow each occurrence of `beginning` in the code, such as `crate::` or `std::`: a single name, or
/// several names in braces.
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

/// The top-level modules that a source file refers to, as `crate::MODULE` or by a chain of `super`.
fn modules_named(place: &str, code: &str) -> BTreeSet<String> {
    let mut depth = place.split('/').count();
    if place.ends_with("/mod.rs") {
        depth -= 1;
    }
    let up = "super::".repeat(depth);
    let mut named = after(code, "crate::");
    // A longer chain of `super` yields the name `super` itself, which is not a module.
    named.extend(after(code, &up).into_iter().filter(|name| name != "super"));
    named
}

/// The table of layers in `lib.rs`: for each module its layer and what it may import.
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

/// True if a row of the table allows importing a module of this layer. The column `may import` of a row lists layers,
/// ranges of layers, names of modules, or `all`.
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

/// Known violations of the layers, each written as `PLACE names WORD`. A line that no longer applies must be removed.
const EXCEPTIONS: &[&str] = &[];

const OUTSIDE: [&str; 5] = ["fs", "time", "thread", "process", "net"];
/// The only modules that read and write files.
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
    for (place, code) in codes {
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
    let differing: Vec<&String> = wrong.symmetric_difference(&known).collect();
    assert!(
        differing.is_empty(),
        "refused, or an exception that is none:\n{differing:#?}"
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
    let wrong: Vec<&String> = codes().keys().filter(|place| beside(place)).collect();
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

/// Modules that may take sentences apart, because they read AWS's texts, definitions, or the languages in definitions.
const READERS: [&str; 3] = ["history/import/", "source/", "query/"];

/// Other files that take sentences apart: they compare a text with a literal that contains a space, or split a text at
/// one. Each with the reason.
const SENTENCES: &[(&str, &str)] = &[
    (
        "tui/view/mod.rs",
        "two blanks part a pane's title: layout, not words",
    ),
    (
        "tui/action.rs",
        "the table of actions: the macro keeps a text beside each command",
    ),
    (
        "target/answer.rs",
        "the emulator of Lambda's runtime says in plain text alone that a function timed out",
    ),
    (
        "worker/jsonata/call.rs",
        "a call without a name of its own is worded before the name of its variable is known",
    ),
];

/// The expressions in `code` that compare a text with a literal that contains a space, or split a text at one.
fn sentences_read(code: &str) -> Vec<String> {
    let text = "«[^»]* [^»]*»";
    let methods = "split|split_once|rsplit|rsplit_once|splitn|rsplitn|split_terminator|split_inclusive|strip_prefix|strip_suffix|starts_with|ends_with|contains|find|rfind|matches|match_indices|trim_start_matches|trim_end_matches|trim_matches|replace|replacen|eq|eq_ignore_ascii_case";
    let patterns = [
        format!(r"\.(?:{methods})\(\s*&?(?:\[[^\]]*?)?{text}"),
        format!(r"[=!]=\s*[*&]*{text}"),
        format!(r"{text}\s*(?:=>|\|[^|])"),
    ];
    let found = patterns.iter().flat_map(|pattern| {
        let pattern = regex::Regex::new(pattern).expect("a pattern");
        let found = pattern
            .find_iter(code)
            .map(|found| found.as_str().to_string());
        found.collect::<Vec<_>>()
    });
    found.collect()
}

#[test]
fn no_code_reads_a_sentence_to_find_out_what_happened() {
    let mut unused: BTreeSet<&str> = SENTENCES.iter().map(|(place, _)| *place).collect();
    let mut wrong = Vec::new();
    for (place, code) in codes_with(&with_strings) {
        let reads = READERS.iter().any(|reader| place.starts_with(reader));
        let found = match reads || place.contains("/tests/") {
            true => Vec::new(),
            false => sentences_read(&code),
        };
        let is_known = SENTENCES.iter().any(|(known, _)| *known == place);
        if is_known && !found.is_empty() {
            unused.remove(place.as_str());
        } else {
            wrong.extend(found.iter().map(|found| format!("{place}: {found}")));
        }
    }
    assert!(wrong.is_empty(), "match on the reason instead:\n{wrong:#?}");
    assert!(unused.is_empty(), "exceptions that are none: {unused:?}");
}

#[test]
fn what_reads_a_sentence_is_seen() {
    for code in [
        r#"cause.split_once("). ")"#,
        r#"text.strip_prefix(&"was there ")"#,
        r#"text.starts_with(["now ", "then"])"#,
        r#"if *text == "not begun" {}"#,
        r#"match text { "cut short" | "ok" => 1 }"#,
        r##"text.contains(r#"the "+" operator"#)"##,
    ] {
        assert_eq!(sentences_read(&with_strings(code)).len(), 1, "{code}");
    }
    for code in [
        r#"text.strip_prefix("AWS:")"#,
        r#"a == "b" && say("was there")"#,
        r#"// cause.split_once("). ")"#,
    ] {
        assert!(sentences_read(&with_strings(code)).is_empty(), "{code}");
    }
}

/// Import cycles, each identified by one of its files, with the reason why it is allowed.
const CIRCLES: [(&str, &str); 4] = [
    (
        "json/value.rs",
        "a value may hold packed values, which are printed and parsed as values",
    ),
    (
        "interpreter/machine/mod.rs",
        "a machine makes its stages, a stage runs the machine of a branch or an item",
    ),
    (
        "query/jsonpath/mod.rs",
        "a path holds filters, a filter holds paths",
    ),
    (
        "worker/jsonata/evaluate.rs",
        "the evaluator calls builtins, which call functions that it evaluates",
    ),
];

#[test]
fn files_do_not_import_each_other() {
    let circles = circles();
    let is_known = |circle: &&BTreeSet<String>| CIRCLES.iter().any(|(at, _)| circle.contains(*at));
    let new: Vec<_> = circles.iter().filter(|circle| !is_known(circle)).collect();
    assert!(new.is_empty(), "circles of imports: {new:#?}");
    let is_open = |(at, _): &&(&str, &str)| !circles.iter().any(|circle| circle.contains(*at));
    let opened: Vec<_> = CIRCLES.iter().filter(is_open).collect();
    assert!(opened.is_empty(), "no circle any more: {opened:?}");
}

/// The layer of each module of `session`, from the table in its documentation.
fn session_layers() -> BTreeMap<String, usize> {
    let text = fs::read_to_string(root().join("session/mod.rs")).expect("session");
    let rows = text.lines().filter_map(|line| line.strip_prefix("//! | "));
    let mut layers = BTreeMap::new();
    for row in rows.skip(1) {
        let cells: Vec<&str> = row
            .trim_end_matches('|')
            .split('|')
            .map(str::trim)
            .collect();
        let layer = cells[0].parse().expect("the number of a layer");
        let modules = cells[2]
            .split(", ")
            .map(|module| (module.to_string(), layer));
        for (module, layer) in modules {
            assert!(layers.insert(module, layer).is_none(), "two layers: {row}");
        }
    }
    layers
}

#[test]
fn modules_of_the_session_import_from_their_layer_and_those_above() {
    let layers = session_layers();
    let layer_of = |place: &str| -> Option<usize> {
        let module = place.strip_prefix("session/")?.split(['/', '.']).next()?;
        (module != "mod").then(|| {
            let layer = layers.get(module);
            *layer.unwrap_or_else(|| panic!("{module} has no layer in session/mod.rs"))
        })
    };
    let mut wrong = Vec::new();
    let (mut seen, mut modules) = (0, BTreeSet::new());
    for (place, all) in imports() {
        let Some(layer) = layer_of(&place) else {
            continue;
        };
        modules.insert(place.split(['/', '.']).nth(1).map(str::to_string));
        for other in all {
            seen += 1;
            if layer_of(&other).is_some_and(|below| below > layer) {
                wrong.push(format!("{place} imports {other}"));
            }
        }
    }
    assert!(seen > 300, "{seen} imports");
    assert_eq!(
        modules.len(),
        layers.len(),
        "a layer of a module that is gone"
    );
    assert!(wrong.is_empty(), "{wrong:#?}");
}
