//! Sentences made of pieces.

use super::fit::{Piece, clip, fit};
use super::glyph::Glyphs;

/// A text with its first letter in upper case.
pub(super) fn as_sentence(line: &str) -> String {
    let mut letters = line.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// A text with a stop at its end.
fn as_ended(text: &str) -> String {
    match text.ends_with(['.', '…', '!', '?']) {
        true => text.to_owned(),
        false => format!("{text}."),
    }
}

/// As much of the pieces as so many cells hold, each as a sentence of its own.
pub(super) fn told(mut pieces: Vec<Piece>, room: usize) -> String {
    let cut = |text: &str, cells| clip(text, cells, Glyphs::of(false));
    fit(&mut pieces, 2, room, cut);
    let texts = pieces.iter().map(Piece::text);
    let texts = texts.filter(|text| !text.is_empty()).map(as_ended);
    texts.collect::<Vec<_>>().join(" ")
}
