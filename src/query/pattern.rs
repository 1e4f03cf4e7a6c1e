//! The pattern of `StringMatches`: `*` matches any text; `\*` and `\\` match a star and a backslash.

use super::SyntaxError;
use super::scan::Scanner;
use crate::json::Text;

/// A compiled pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    text: Text,
    /// The literal pieces before, between and after the stars. The number of pieces is the number of stars plus one.
    pieces: Vec<String>,
}

impl Pattern {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// If a backslash is followed by anything but `*` or a backslash.
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        let mut scanner = Scanner::new(text);
        let mut pieces = Vec::new();
        let mut piece = String::new();
        while let Some(c) = scanner.bump() {
            match c {
                '*' => pieces.push(std::mem::take(&mut piece)),
                '\\' => match scanner.peek() {
                    Some(c @ ('*' | '\\')) => {
                        scanner.bump();
                        piece.push(c);
                    }
                    _ => {
                        let backslash = scanner.at().saturating_sub(1);
                        return Err(scanner
                            .error_since(
                                backslash,
                                "A backslash can only come before '*' or a backslash",
                            )
                            .help("write \\\\ for a backslash"));
                    }
                },
                c => piece.push(c),
            }
        }
        pieces.push(piece);
        Ok(Self {
            text: text.into(),
            pieces,
        })
    }

    /// The pattern as written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// True if all of `text` matches.
    #[must_use]
    pub fn matches(&self, text: &str) -> bool {
        let Some((first, rest)) = self.pieces.split_first() else {
            return text.is_empty();
        };
        let Some((last, middle)) = rest.split_last() else {
            return text == first;
        };
        // Each piece is matched at the first position where it occurs, which leaves the most text for the other pieces.
        let Some(mut left) = text.strip_prefix(first.as_str()) else {
            return false;
        };
        for piece in middle {
            let Some((_, after)) = left.split_once(piece.as_str()) else {
                return false;
            };
            left = after;
        }
        left.ends_with(last.as_str())
    }

    /// True if this pattern matches every text that the other pattern matches.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        // Replace each star of the other pattern by a letter that no literal of this pattern contains. Only a star of
        // this pattern can match that letter, and that star then matches any text in its place.
        let is_own = |letter: char| self.pieces.iter().any(|piece| piece.contains(letter));
        let private = ('\u{e000}'..='\u{f8ff}').find(|letter| !is_own(*letter));
        private.is_some_and(|letter| self.matches(&other.pieces.join(&letter.to_string())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matching() {
        fn check(pattern: &str, text: &str, expected: bool) {
            let pattern = Pattern::parse(pattern).expect("pattern");
            assert_eq!(pattern.matches(text), expected, "{pattern:?} {text}");
        }
        check("log-*.txt", "log-.txt", true);
        check("log-*.txt", "log-a.b.txt", true);
        check("log-*.txt", "log-a.txt.gz", false);
        check(r"a\*b", "a*b", true);
        check(r"a\*b", "axb", false);
        check(r"a\\*", r"a\xyz", true);
        check("", "", true);
        check("", "x", false);
        check("*", "", true);
        check("a*a", "a", false);
        check("a*a", "aa", true);
        check("*a*b*", "xxaxxbxx", true);
        check("*a*b*", "xxbxxaxx", false);
        check("**", "é", true);
        check("a?c", "abc", false);
        check("A", "a", false);
        let many = "*a".repeat(200) + "*b";
        check(&many, &"a".repeat(20_000), false);
    }

    #[test]
    fn covering() {
        fn check(wide: &str, narrow: &str, expected: bool) {
            let parsed = |text: &str| Pattern::parse(text).expect("pattern");
            assert_eq!(
                parsed(wide).covers(&parsed(narrow)),
                expected,
                "{wide} {narrow}"
            );
        }
        check("PROP-*", "PROP-COM-*", true);
        check("PROP-COM-*", "PROP-*", false);
        check("*", "a*b", true);
        check("a*b*", "a*b", true);
        check("a*b", "a*b*", false);
        check("*.txt", "log-*.txt", true);
        check("a", "a", true);
        check("a", "a*", false);
        check(r"a\*", "a*", false);
        check("a*", r"a\*", true);
    }

    #[test]
    fn lone_backslashes() {
        for (text, range) in [(r"a\b", 1..2), (r"ab\", 2..3)] {
            assert_eq!(Pattern::parse(text).expect_err(text).range, range);
        }
    }
}
