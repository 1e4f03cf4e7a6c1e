//! Finds regular expressions in the text of an expression, whose slashes within brackets do not end them.
//!
//! It must not know what a regular expression matches.

use std::borrow::Cow;

/// The text with each slash within brackets of a regular expression behind a backslash, as the engine's parser needs it.
pub fn with_slashes_escaped(text: &str) -> Cow<'_, str> {
    if !text.contains('/') {
        return Cow::Borrowed(text);
    }
    let places = slashes(text).within;
    if places.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut made = String::with_capacity(text.len() + places.len());
    let mut from = 0;
    for place in places {
        made.push_str(text.get(from..place).unwrap_or_default());
        made.push('\\');
        from = place;
    }
    made.push_str(text.get(from..).unwrap_or_default());
    Cow::Owned(made)
}

/// The place of the first slash that begins no regular expression though one stands there: right behind a bracket or a
/// sign that begins a value, JSONata takes it for a division.
pub(super) fn misread(text: &str) -> Option<usize> {
    text.contains('/').then(|| slashes(text).misread).flatten()
}

/// Whether a regular expression ends where it is taken to end: no bracket is open there.
pub(super) fn is_closed(pattern: &str) -> bool {
    depth(pattern) == 0
}

fn depth(pattern: &str) -> i64 {
    let mut escaped = false;
    pattern.chars().fold(0, |depth, letter| match letter {
        _ if escaped => {
            escaped = false;
            depth
        }
        '\\' => {
            escaped = true;
            depth
        }
        '(' | '[' | '{' => depth + 1,
        ')' | ']' | '}' => depth - 1,
        _ => depth,
    })
}

/// What is found of slashes in a text.
#[derive(Default)]
struct Slashes {
    /// Those within brackets of regular expressions.
    within: Vec<usize>,
    misread: Option<usize>,
}

fn is_name(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '$')
}

fn slashes(text: &str) -> Slashes {
    let mut found = Slashes::default();
    // Whether what stands before begins a value itself: a bracket or a sign where a value may begin.
    let mut behind_prefix = false;
    // Whether a value may begin here: then a slash begins a regular expression.
    let mut begins = true;
    let mut at = 0;
    while let Some(rest) = text.get(at..)
        && let Some(letter) = rest.chars().next()
    {
        at += match letter {
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '/' if begins => {
                begins = false;
                if behind_prefix && found.misread.is_none() {
                    found.misread = Some(at);
                }
                regular(rest, at, &mut found.within)
            }
            '"' | '\'' | '`' => {
                (begins, behind_prefix) = (false, false);
                quoted(rest, letter)
            }
            _ if is_name(letter) => {
                let length = rest.find(|letter| !is_name(letter)).unwrap_or(rest.len());
                let word = rest.get(..length).unwrap_or_default();
                begins = !begins && matches!(word, "and" | "or" | "in");
                behind_prefix = false;
                length
            }
            _ => {
                if !letter.is_whitespace() {
                    behind_prefix = begins && matches!(letter, '(' | '[' | '{' | '-' | '|');
                }
                begins = match letter {
                    ')' | ']' | '}' => false,
                    // Operands where a value may begin, operators elsewhere.
                    '*' | '%' | '?' => !begins,
                    _ if letter.is_whitespace() => begins,
                    _ => true,
                };
                letter.len_utf8()
            }
        };
    }
    found
}

/// How long a quoted text is, its quotes included.
fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (place, letter) in rest.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' if quote != '`' => escaped = true,
            letter if letter == quote => return place + 1,
            _ => {}
        }
    }
    rest.len()
}

/// How long a regular expression is; it ends at a slash outside of all brackets.
fn regular(rest: &str, at: usize, places: &mut Vec<usize>) -> usize {
    let mut depth = 0_i64;
    let mut escaped = false;
    let mut inside = Vec::new();
    for (place, letter) in rest.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            '/' if depth == 0 => {
                places.append(&mut inside);
                return place + 1;
            }
            '/' => inside.push(at + place),
            _ => {}
        }
    }
    // It ends nowhere: what the parser says of it is right.
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::{is_closed, misread, with_slashes_escaped};

    #[test]
    fn behind_what_begins_a_value_it_is_a_division() {
        for (text, wanted) in [
            ("(/b/)", Some(1)),
            ("a.( /b/ )", Some(4)),
            ("[/b/]", Some(1)),
            ("{/b/: 1}", Some(1)),
            ("$match(a, /b/)", None),
            ("$f(/b/)", None),
            ("[a, /b/]", None),
            ("(a in /b/)", None),
            ("a ~> /b/", None),
            ("function($x){/b/}", None),
            ("(a) / (b)", None),
            ("- a / b", None),
            ("/b/", None),
        ] {
            assert_eq!(misread(text), wanted, "{text}");
        }
    }

    #[test]
    fn brackets_are_closed_where_a_regular_expression_ends() {
        assert!(is_closed(r"a\{1[x]"));
        assert!(!is_closed("a{1"));
        assert!(!is_closed("a)"));
    }

    #[test]
    fn slashes_within_brackets_are_escaped() {
        for (text, wanted) in [
            ("$split(a, /[/]/)", "$split(a, /[\\/]/)"),
            ("$match(a, /(x/y)+/i)", "$match(a, /(x\\/y)+/i)"),
            ("a / b[c / d]", "a / b[c / d]"),
            ("$a[0] / 2 & '/[/]/'", "$a[0] / 2 & '/[/]/'"),
            ("/* /[/]/ */ 1", "/* /[/]/ */ 1"),
            ("x.* / (y / z)", "x.* / (y / z)"),
        ] {
            assert_eq!(with_slashes_escaped(text), wanted);
        }
    }
}
