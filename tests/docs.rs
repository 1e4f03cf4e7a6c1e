//! Checks that the pages (README, `docs`, CONTRIBUTING, CHANGELOG) agree with the program.
//!
//! `BLESS=1` rewrites the generated parts and the output in `console` blocks.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that fails panics"
)]

#[path = "docs/markdown.rs"]
mod markdown;
#[path = "docs/walk.rs"]
mod walk;

use asldbg::cli::{PAGES, options_markdown};
use asldbg::definition::field::editions_markdown;
use asldbg::definition::rules_markdown;
use asldbg::settings::settings_markdown;
use asldbg::tui::action::{commands_markdown, keys_markdown};
use asldbg::tui::theme::themes_markdown;
use markdown::{anchors, links};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Locked by every test that reads or writes pages, so that no test reads a page while another one writes it.
static PAGES_IN_USE: Mutex<()> = Mutex::new(());

fn is_blessed() -> bool {
    std::env::var_os("BLESS").is_some()
}

/// Paths of the `.md` files below a folder, relative to the repository.
fn pages_below(folder: &str) -> Vec<PathBuf> {
    let mut pages = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ext| ext == "md") {
                pages.push(path.strip_prefix(root()).expect("below").to_owned());
            }
        }
    }
    pages.sort();
    pages
}

/// All pages for users.
fn pages() -> Vec<PathBuf> {
    let mut pages = pages_below("docs");
    pages.extend(pages_below("samples"));
    pages.extend(["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(PathBuf::from));
    pages
}

/// Returns a page in which the text between the lines `<!-- NAME -->` and `<!-- /NAME -->` is replaced by `part`.
fn with_part(text: &str, name: &str, part: &str) -> String {
    let (open, close) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let (before, rest) = text
        .split_once(&open)
        .unwrap_or_else(|| panic!("no {open}"));
    let (_, after) = rest
        .split_once(&close)
        .unwrap_or_else(|| panic!("no {close}"));
    format!("{before}{open}\n{}\n\n{close}{after}", part.trim_end())
}

/// The text of the crate documentation from its first heading on, as a Markdown page.
fn crate_documentation() -> String {
    let source = read("src/lib.rs");
    let lines = source.lines().map_while(|line| line.strip_prefix("//!"));
    let lines = lines.map(|line| line.strip_prefix(' ').unwrap_or(line));
    let lines = lines.skip_while(|line| !line.starts_with("# "));
    let text = lines.fold(String::new(), |text, line| {
        let deeper = if line.starts_with('#') { "#" } else { "" };
        text + deeper + line + "\n"
    });
    let links = regex::Regex::new(r"\[(`[^`]+`)\]").expect("a pattern");
    links.replace_all(&text, "$1").into_owned()
}

#[test]
fn printed_parts_are_those_of_the_code() {
    let held = PAGES_IN_USE.lock();
    let parts = [
        ("reference/options", options_markdown()),
        ("reference/keys", keys_markdown()),
        ("reference/commands", commands_markdown()),
        ("reference/rules", rules_markdown()),
        ("reference/editions", editions_markdown()),
        ("reference/settings", settings_markdown()),
        ("reference/themes", themes_markdown()),
        ("architecture", crate_documentation()),
    ];
    let mut behind = Vec::new();
    for (name, part) in parts {
        let page = format!("docs/{name}.md");
        let text = read(&page);
        let mark = name.rsplit('/').next().expect("a name");
        let fresh = with_part(&text, mark, &part);
        if is_blessed() {
            fs::write(root().join(&page), &fresh).expect("writable");
        } else if text != fresh {
            behind.push(page);
        }
    }
    drop(held);
    assert!(
        behind.is_empty(),
        "behind the code: {behind:?}; BLESS=1 cargo test --test docs writes them anew"
    );
}

#[test]
fn pages_are_short() {
    let _held = PAGES_IN_USE.lock();
    assert!(read("README.md").lines().count() <= 200);
    for page in pages_below("docs") {
        let lines = read(&page).lines().count();
        assert!(lines <= 300, "{}: {lines} lines", page.display());
    }
}

#[test]
fn the_program_has_every_page() {
    let written: BTreeSet<String> = pages_below("docs")
        .iter()
        .map(|page| page.with_extension("").display().to_string())
        .collect();
    let embedded = PAGES.iter().map(|(name, _)| format!("docs/{name}"));
    assert_eq!(embedded.collect::<BTreeSet<_>>(), written);
    let bytes: usize = PAGES.iter().map(|(_, text)| text.len()).sum();
    assert!(bytes <= 150_000, "{bytes} bytes of pages in the program");
}

#[test]
fn links_lead_somewhere() {
    let _held = PAGES_IN_USE.lock();
    let (mut dead, mut count) = (Vec::new(), 0);
    for page in pages() {
        let text = read(&page);
        for target in links(&text) {
            count += 1;
            if target.starts_with("http") {
                continue;
            }
            let (file, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let file = match file {
                "" => page.clone(),
                file => page.parent().expect("a folder").join(file),
            };
            let exists = root().join(&file).exists();
            let has_anchor = anchor.is_empty()
                || (exists && anchors(&read(&file)).iter().any(|known| known == anchor));
            if !exists || !has_anchor {
                dead.push(format!("{}: {target}", page.display()));
            }
        }
    }
    assert!(dead.is_empty(), "dead links: {dead:#?}");
    assert!(count >= 50, "{count} links");
}

/// On each page, the commands must work and print the output that is shown, and the keys that the page tells the user
/// to press must have the effect that it describes.
#[test]
fn what_the_pages_say_to_type_works() {
    let held = PAGES_IN_USE.lock();
    let (mut wrong, mut count) = (String::new(), 0);
    let walked = std::thread::scope(|scope| {
        let pages = pages().into_iter();
        let walks: Vec<_> = pages
            .map(|page| scope.spawn(|| (walk::walk(&page, &read(&page)), page)))
            .collect();
        let walks = walks.into_iter().map(|walk| walk.join().expect("a page"));
        walks.collect::<Vec<_>>()
    });
    for (walked, page) in walked {
        count += walked.commands;
        if is_blessed() && walked.text != read(&page) {
            fs::write(root().join(&page), &walked.text).expect("writable");
        }
        for problem in walked.problems {
            wrong.push_str(&format!("{}: {problem}\n\n", page.display()));
        }
    }
    drop(held);
    assert!(wrong.is_empty(), "\n{wrong}");
    assert!(count >= 40, "{count} commands");
}

#[test]
fn every_sample_has_its_line() {
    let overview = read("samples/README.md");
    let mut count = 0;
    for entry in fs::read_dir(root().join("samples")).expect("samples") {
        let name = entry.expect("an entry").file_name();
        if let Some((stem, _)) = name.to_string_lossy().split_once(".asl.") {
            assert!(
                overview.contains(&format!("- `{stem}`:")),
                "samples/README.md does not speak of {stem}"
            );
            count += 1;
        }
    }
    assert!(count >= 10, "{count} samples");
}
