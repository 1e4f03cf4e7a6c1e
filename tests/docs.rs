//! Tests that the README matches the code.
//!
//! `BLESS=1` rewrites the tables in the README.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use asldbg::cli::options_markdown;
use asldbg::definition::field::editions_markdown;
use asldbg::definition::rules_markdown;
use asldbg::tui::action::key_table_markdown;
use std::fs;
use std::path::Path;

/// Replaces the text between the markers of `name`.
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
