//! Texts made of others by a few changes, the same for the same number.
//!
//! It must not know what the texts are read as.

use super::support::Random;
use std::ops::Range;

/// What any language may stumble over.
const ANYWHERE: [&str; 24] = [
    "\"",
    "'",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    ":",
    ",",
    "\\",
    "\n",
    " ",
    "\u{0}",
    "\u{1b}[2J",
    "\u{9b}2J",
    "\u{202e}",
    "\u{feff}",
    "\u{1f468}\u{200d}\u{1f469}",
    "é",
    "-1",
    "1e999",
    "99999999999999999999",
    "null",
];

/// Texts to begin with, and pieces of their language.
pub(crate) struct Stock {
    pub(crate) seeds: Vec<String>,
    pub(crate) pieces: &'static [&'static str],
}

impl Stock {
    /// A text of one to six changes to a seed, or of pieces alone.
    pub(crate) fn text(&self, random: &mut Random) -> String {
        if random.one_in(20) {
            return (0..random.below(12)).map(|_| self.piece(random)).collect();
        }
        let mut text = random.of(&self.seeds).clone();
        let most = *random.of(&[1, 1, 2, 6]);
        for _ in 0..=random.below(most) {
            self.change(&mut text, random);
        }
        text
    }

    fn piece(&self, random: &mut Random) -> &'static str {
        if self.pieces.is_empty() || random.one_in(4) {
            random.of::<&str>(&ANYWHERE)
        } else {
            random.of::<&str>(self.pieces)
        }
    }

    fn change(&self, text: &mut String, random: &mut Random) {
        let word = word(text, random);
        match random.below(10) {
            // What leaves most languages readable: a quoted text in another's place.
            0..=3 => {
                let (from, to) = (quoted(text, random), quoted(text, random));
                let taken = match random.below(3) {
                    0 => self.piece(random).to_string(),
                    1 => format!("\"{}\"", self.piece(random)),
                    _ => text[from].to_string(),
                };
                text.replace_range(to, &taken);
            }
            4 => text.replace_range(word, ""),
            5 => text.replace_range(word, self.piece(random)),
            6 => text.insert_str(word.start, self.piece(random)),
            7 => {
                let twice = text[word.clone()].to_string();
                text.insert_str(word.end, &twice);
            }
            8 => {
                let other = random.of(&self.seeds);
                let taken = other[line(other, random)].to_string();
                text.insert_str(line(text, random).start, &taken);
            }
            _ => text.replace_range(line(text, random), ""),
        }
    }
}

/// A place between two characters.
fn place(text: &str, random: &mut Random) -> usize {
    let mut at = random.below(text.len() + 1);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// A stretch of letters and digits, or a single other sign.
fn word(text: &str, random: &mut Random) -> Range<usize> {
    let at = place(text, random);
    let inside = |c: char| c.is_alphanumeric();
    let before = text[..at].trim_end_matches(inside).len();
    let after = text.len() - text[at..].trim_start_matches(inside).len();
    match text[before..after].is_empty() {
        true => {
            before
                ..text[before..]
                    .chars()
                    .next()
                    .map_or(before, |c| before + c.len_utf8())
        }
        false => before..after,
    }
}

/// A text with the quotes around it, or a word where nothing is quoted.
fn quoted(text: &str, random: &mut Random) -> Range<usize> {
    let at = place(text, random);
    let Some(start) = text[at..].find('"').map(|found| at + found) else {
        return word(text, random);
    };
    match text[start + 1..].find('"') {
        Some(end) => start..start + end + 2,
        None => word(text, random),
    }
}

/// A line with its end.
fn line(text: &str, random: &mut Random) -> Range<usize> {
    let at = place(text, random);
    let start = text[..at].rfind('\n').map_or(0, |found| found + 1);
    let end = text[at..]
        .find('\n')
        .map_or(text.len(), |found| at + found + 1);
    start..end
}
