//! Finds regular expressions in the text of an expression, whose slashes within brackets do not end them.
//!
//! It must not know what a regular expression matches.

use std::borrow::Cow;

/// The text with each slash within brackets of a regular expression behind a backslash, as the engine's parser needs it.
pub fn with_slashes_escaped(text: &str) -> Cow<'_, str> {
    if !text.contains('/') {
        return Cow::Borrowed(text);
    }
    let places = slashes_within(text);
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

fn is_name(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '$')
}

/// The places of slashes within brackets of regular expressions.
fn slashes_within(text: &str) -> Vec<usize> {
    let mut places = Vec::new();
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
                regular(rest, at, &mut places)
            }
            '"' | '\'' | '`' => {
                begins = false;
                quoted(rest, letter)
            }
            _ if is_name(letter) => {
                let length = rest.find(|letter| !is_name(letter)).unwrap_or(rest.len());
                let word = rest.get(..length).unwrap_or_default();
                begins = !begins && matches!(word, "and" | "or" | "in");
                length
            }
            _ => {
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
    places
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
    use super::with_slashes_escaped;

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
