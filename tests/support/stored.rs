//! Compares results with the expected ones, which are stored in files. `BLESS=1 cargo test` replaces the expected ones.

use asldbg::source::{Node, SourceFile, SourceId, parse_json};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// True if actual results replace the expected ones.
pub(crate) fn blessing() -> bool {
    std::env::var_os("BLESS").is_some()
}

/// Compares the whole text of a file of the repository with the actual text.
pub(crate) fn whole(path: impl AsRef<Path>, came: &str) -> Result<(), String> {
    let path = super::root().join(path);
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    if known == came {
        return Ok(());
    }
    if blessing() {
        std::fs::write(&path, came).unwrap();
        return Ok(());
    }
    let same = known.lines().zip(came.lines());
    let line = same.take_while(|(known, came)| known == came).count();
    Err(format!(
        "{} differs from line {} on (BLESS=1 writes it anew)\nwanted {}\nfound  {}",
        path.display(),
        line + 1,
        known.lines().nth(line).unwrap_or("the end"),
        came.lines().nth(line).unwrap_or("the end"),
    ))
}

/// Byte ranges, each with the text that replaces it.
type Edits = Vec<(Range<usize>, String)>;

/// The recorded replacements of each file, which `write` applies.
static PARTS: Mutex<BTreeMap<PathBuf, Edits>> = Mutex::new(BTreeMap::new());

/// Records that a range of a file is to be replaced by a text; `write` does it.
pub(crate) fn replace(path: &Path, part: Range<usize>, text: String) {
    let mut parts = PARTS.lock().unwrap();
    let edits = parts.entry(path.to_path_buf()).or_default();
    let edit = (part, text);
    if !edits.contains(&edit) {
        edits.push(edit);
    }
}

/// Applies the recorded replacements, from the end of each file to its start.
pub(crate) fn write() {
    for (path, mut edits) in std::mem::take(&mut *PARTS.lock().unwrap()) {
        let mut text = super::read(&path);
        // Insertions at the same position keep their order.
        edits.sort_by_key(|(part, _)| part.start);
        for (part, new) in edits.into_iter().rev() {
            text.replace_range(part, &new);
        }
        std::fs::write(&path, text).unwrap();
    }
}

/// The value at a path of a JSON text.
pub(crate) fn find(text: &str, path: &[&str]) -> Option<Node> {
    let (node, _) = parse_json(&SourceFile::new("stored.json", text), SourceId(0));
    path.iter().try_fold(node?, |node, step| {
        let items = node
            .items()
            .and_then(|items| items.get(step.parse::<usize>().ok()?));
        items.or_else(|| node.get(step)).cloned()
    })
}

/// Sets a member of an object in a JSON text: replaces the member with this name, or adds one after the last.
pub(crate) fn set(path: &Path, text: &str, object: &[&str], name: &str, value: &str) {
    let node = find(text, object).unwrap_or_else(|| panic!("no {object:?}"));
    let span = node.span.range();
    match (node.get(name), node.members().unwrap_or_default().last()) {
        (Some(known), _) => replace(path, known.span.range(), value.to_string()),
        (None, Some(last)) => {
            let end = last.value.span.range().end;
            replace(path, end..end, format!(", {name:?}: {value}"));
        }
        (None, None) => replace(path, span, format!("{{ {name:?}: {value} }}")),
    }
}

/// JSON on one line with blanks, the notation of the test cases.
pub(crate) fn spaced(value: &serde_json::Value) -> String {
    use serde_json::Value as Json;
    match value {
        Json::Array(items) => {
            let items: Vec<String> = items.iter().map(spaced).collect();
            format!("[{}]", items.join(", "))
        }
        Json::Object(members) if members.is_empty() => "{}".to_string(),
        Json::Object(members) => {
            let members = members.iter();
            let members: Vec<String> = members
                .map(|(name, value)| format!("{}: {}", Json::from(name.as_str()), spaced(value)))
                .collect();
            format!("{{ {} }}", members.join(", "))
        }
        other => other.to_string(),
    }
}
