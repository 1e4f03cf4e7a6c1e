//! Formats texts as sentences.

/// Capitalizes the first letter.
pub(super) fn as_sentence(line: &str) -> String {
    let mut letters = line.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// Appends a full stop.
pub(super) fn as_ended(text: &str) -> String {
    match text.ends_with(['.', '…', '!', '?']) {
        true => text.to_owned(),
        false => format!("{text}."),
    }
}
