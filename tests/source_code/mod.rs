//! The source files of the crate as text, for tests that check its structure.

#![allow(dead_code, reason = "each test binary uses a part of it")]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test that fails panics"
)]

pub mod imports;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

pub fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The path of a source file below `src`, with `/` as separator.
pub fn place(path: &Path) -> String {
    let below = path.strip_prefix(root()).expect("below src");
    below.to_string_lossy().replace('\\', "/")
}

/// The index of the quote that ends the character literal at `at`; `None` if a lifetime begins there.
fn end_of_character(text: &[char], at: usize) -> Option<usize> {
    if text.get(at + 1) == Some(&'\\') {
        let rest = text.iter().skip(at + 3);
        return rest.take(10).position(|c| *c == '\'').map(|n| at + 3 + n);
    }
    (text.get(at + 2) == Some(&'\'')).then_some(at + 2)
}

/// Replaces comments and literals in a text by spaces.
pub fn bare(text: &str) -> String {
    shown(text, &|_| " ".to_string())
}

/// Replaces comments by spaces, and puts strings between `«` and `»`. Brackets and semicolons in strings become `_`.
pub fn with_strings(text: &str) -> String {
    shown(text, &|literal| {
        let inner = literal.trim_start_matches(['r', '#']).strip_prefix('"');
        let inner = inner.and_then(|inner| inner.trim_end_matches('#').strip_suffix('"'));
        let safe = |c: char| if "{}()[];«»".contains(c) { '_' } else { c };
        inner.map_or_else(
            || " ".to_string(),
            |inner| format!("«{}»", inner.chars().map(safe).collect::<String>()),
        )
    })
}

/// Replaces each comment and each literal of a text by the result of `as_code`.
fn shown(text: &str, as_code: &dyn Fn(&str) -> String) -> String {
    let text: Vec<char> = text.chars().collect();
    let mut out = String::new();
    let mut at = 0;
    let is = |at: usize, sign: &str| {
        sign.chars()
            .enumerate()
            .all(|(n, c)| text.get(at + n) == Some(&c))
    };
    while let Some(c) = text.get(at) {
        if !matches!(c, '/' | 'r' | '"' | '\'') {
            out.push(*c);
            at += 1;
            continue;
        }
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
        let end = end.unwrap_or(text.len()).min(text.len());
        out.push_str(&as_code(&text[at..end].iter().collect::<String>()));
        at = end;
    }
    out
}

/// Removes items under `#[cfg(test)]` from code without comments and literals. Such an item ends with its closing brace
/// or its semicolon. Returns the remaining code, and the names of removed modules that are in separate files.
pub fn without_tests(code: &str) -> (String, Vec<String>) {
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
            // A closing parenthesis or bracket does not end the item; the brace or semicolon at depth 0 does.
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

/// The code of every source file below `src`, by path: without comments, literals and tests.
pub fn codes() -> &'static BTreeMap<String, String> {
    static CODES: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| codes_with(&bare));
    &CODES
}

/// Like `codes`, but `bare` selects how comments and literals are replaced.
pub fn codes_with(bare: &dyn Fn(&str) -> String) -> BTreeMap<String, String> {
    let mut files = Vec::new();
    sources(&root(), &mut files);
    let (mut codes, mut tests) = (BTreeMap::new(), Vec::new());
    for path in &files {
        let text = fs::read_to_string(path).expect("a source");
        let text = text.replace("#[cfg(all(test, unix))]", "#[cfg(test)]");
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
            let test_files = [
                folder.join(format!("{module}.rs")),
                folder.join(&module).join("mod.rs"),
                beside,
            ];
            tests.extend(test_files.into_iter().find(|path| path.exists()));
        }
        codes.insert(place(path), code);
    }
    for path in tests {
        codes.remove(&place(&path));
    }
    codes
}
