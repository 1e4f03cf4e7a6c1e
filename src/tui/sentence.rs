//! Texts as sentences.

/// A text with its first letter in upper case.
pub(super) fn as_sentence(line: &str) -> String {
    let mut letters = line.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// A text with a stop at its end.
pub(super) fn as_ended(text: &str) -> String {
    match text.ends_with(['.', '…', '!', '?']) {
        true => text.to_owned(),
        false => format!("{text}."),
    }
}
