//! Creates texts by changing seed texts in a few places. The same random numbers always give the same text.

use super::support::Random;
use std::ops::Range;

/// The material for texts: seed texts, and pieces of their language.
pub(crate) struct Stock {
    seeds: Vec<String>,
    pieces: Vec<String>,
    /// Pieces that may cause problems in a text of any language.
    anywhere: Vec<String>,
}

/// The pieces with this name in `tests/fuzz/pieces.txt`.
fn pieces(name: &str) -> Vec<String> {
    let all = super::support::read("tests/fuzz/pieces.txt");
    let section = all
        .split("\n## ")
        .find_map(|part| part.strip_prefix(&format!("{name}\n")));
    let lines = section
        .unwrap_or_else(|| panic!("no pieces of {name}"))
        .lines();
    let written = lines.filter(|line| !line.is_empty());
    written.map(decoded).collect()
}

/// Decodes a piece: escapes such as `\u{1b}` become the characters that they denote.
fn decoded(line: &str) -> String {
    let line = line
        .replace("\\n", "\n")
        .replace("\\r", "\r")
        .replace("\\t", "\t");
    let mut parts = line.split("\\u{");
    let mut text = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let (digits, rest) = part.split_once('}').unwrap();
        text.extend(
            u32::from_str_radix(digits, 16)
                .ok()
                .and_then(char::from_u32),
        );
        text.push_str(rest);
    }
    text
}

impl Stock {
    pub(crate) fn new(seeds: Vec<String>, name: &str) -> Self {
        Self {
            seeds,
            pieces: pieces(name),
            anywhere: pieces("anywhere"),
        }
    }

    /// Creates a text by changing a seed text in one to six places, or from pieces alone.
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

    fn piece(&self, random: &mut Random) -> &str {
        let of = if random.one_in(4) {
            &self.anywhere
        } else {
            &self.pieces
        };
        random.of::<String>(of)
    }

    fn change(&self, text: &mut String, random: &mut Random) {
        let word = word(text, random);
        match random.below(10) {
            // Replaces a quoted text by another one, which keeps the text valid in most languages.
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

/// A random position between two characters.
fn place(text: &str, random: &mut Random) -> usize {
    let mut at = random.below(text.len() + 1);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The range of the word (letters and digits), or of another single character, at a random position.
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

/// The range of a random quoted text with its quotes, or of a word if nothing is quoted.
fn quoted(text: &str, random: &mut Random) -> Range<usize> {
    let at = place(text, random);
    let Some(start) = text[at..].find('"').map(|offset| at + offset) else {
        return word(text, random);
    };
    match text[start + 1..].find('"') {
        Some(end) => start..start + end + 2,
        None => word(text, random),
    }
}

/// The range of a random line, including its line break.
fn line(text: &str, random: &mut Random) -> Range<usize> {
    let at = place(text, random);
    let start = text[..at].rfind('\n').map_or(0, |offset| offset + 1);
    let end = text[at..]
        .find('\n')
        .map_or(text.len(), |offset| at + offset + 1);
    start..end
}
