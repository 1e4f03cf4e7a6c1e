//! The engine's error texts in the words of the reference implementation, which AWS prints.
//!
//! It must not know which expression failed.

use crate::query::jsonata::FUNCTIONS;

/// What the reference implementation says, by code, where it says the same each time.
const WORDS: [(&str, &str); 29] = [
    ("T1006", "Attempted to invoke a non-function"),
    (
        "T2003",
        "The left side of the range operator (..) must evaluate to an integer",
    ),
    (
        "T2004",
        "The right side of the range operator (..) must evaluate to an integer",
    ),
    (
        "D3001",
        "Attempting to invoke string function on Infinity or NaN",
    ),
    (
        "D3010",
        "Second argument of replace function cannot be an empty string",
    ),
    (
        "D3020",
        "Third argument of split function must evaluate to a positive number",
    ),
    (
        "D3080",
        "The picture string must only contain a maximum of two sub-pictures",
    ),
    (
        "D3081",
        "The sub-picture must not contain more than one instance of the 'decimal-separator' character",
    ),
    (
        "D3082",
        "The sub-picture must not contain more than one instance of the 'percent' character",
    ),
    (
        "D3083",
        "The sub-picture must not contain more than one instance of the 'per-mille' character",
    ),
    (
        "D3084",
        "The sub-picture must not contain both a 'percent' and a 'per-mille' character",
    ),
    (
        "D3085",
        "The mantissa part of a sub-picture must contain at least one character that is either an 'optional digit character' or a member of the 'decimal digit family'",
    ),
    (
        "D3086",
        "The sub-picture must not contain a passive character that is preceded by an active character and that is followed by another active character",
    ),
    (
        "D3087",
        "The sub-picture must not contain a 'grouping-separator' character that appears adjacent to a 'decimal-separator' character",
    ),
    (
        "D3088",
        "The sub-picture must not contain a 'grouping-separator' at the end of the integer part",
    ),
    (
        "D3089",
        "The sub-picture must not contain two adjacent instances of the 'grouping-separator' character",
    ),
    (
        "D3090",
        "The integer part of the sub-picture must not contain a member of the 'decimal digit family' that is followed by an instance of the 'optional digit character'",
    ),
    (
        "D3091",
        "The fractional part of the sub-picture must not contain an instance of the 'optional digit character' that is followed by a member of the 'decimal digit family'",
    ),
    (
        "D3092",
        "A sub-picture that contains a 'percent' or 'per-mille' character must not contain a character treated as an 'exponent-separator'",
    ),
    (
        "D3093",
        "The exponent part of the sub-picture must comprise only of one or more characters that are members of the 'decimal digit family'",
    ),
    (
        "D3135",
        "No matching closing bracket ']' in date/time picture string",
    ),
    ("D1002", "Cannot negate a non-numeric value"),
    (
        "D3011",
        "Fourth argument of replace function must evaluate to a positive number",
    ),
    (
        "D3012",
        "Attempted to replace a matched string with a non-string value",
    ),
    (
        "D3040",
        "Third argument of match function must evaluate to a positive number",
    ),
    (
        "D3050",
        "The second argument of reduce function must be a function with at least two arguments",
    ),
    (
        "T2006",
        "The right side of the function application operator ~> must be a function",
    ),
    (
        "T2008",
        "The expressions within an order-by clause must evaluate to numeric or string values",
    ),
    ("T1008", "Attempted to partially apply a non-function"),
];

/// Functions that take anything: an argument never stops them.
const UNSIGNED: [&str; 2] = ["clone", "type"];

/// `T1006: Attempted to invoke a non-function` and the like, out of the engine's own text for a failed expression.
pub(super) fn reference_words(message: &str, expression: &str) -> String {
    let Some((code, rest)) = message.split_once(": ") else {
        return message.to_string();
    };
    let same = WORDS.iter().find(|(own, _)| *own == code);
    let words = match (code, same) {
        (_, Some((_, words))) => (*words).to_string(),
        ("T2001" | "T2002", _) => quoted_operator(rest),
        ("T0410" | "T0412", _) => argument(code, rest, expression),
        ("D3030", _) => match rest.strip_prefix("Cannot convert '") {
            Some(text) => {
                let text = text.strip_suffix("' to number").unwrap_or(text);
                format!("Unable to cast value to a number: \"{text}\"")
            }
            None => rest.to_string(),
        },
        ("D3100", _) => rest.replace(
            "Radix must be between 2 and 36, got ",
            "The radix of the formatBase function must be between 2 and 36.  It was given ",
        ),
        ("D3132", _) if rest.chars().count() == 1 => {
            format!("Unknown component specifier \"{rest}\" in date/time picture string")
        }
        _ => rest.to_string(),
    };
    format!("{code}: {words}")
}

/// `Argument 1 of function "sum" must be an array of "numbers"`; the engine's own words where it may be one of several functions.
fn argument(code: &str, rest: &str, expression: &str) -> String {
    let (place, expected) = if let Some(counts) =
        rest.strip_prefix("Argument count mismatch: expected ")
        && let Some((most, given)) = counts.split_once(", got ")
    {
        // The first that is missing, or the first too many.
        let fewer = most
            .parse::<u32>()
            .unwrap_or(0)
            .min(given.parse().unwrap_or(0));
        ((fewer + 1).to_string(), "")
    } else if let Some((place, expected)) = rest
        .strip_prefix("Argument ")
        .and_then(|rest| rest.split_once(" must be "))
    {
        (place.to_string(), expected)
    } else {
        return rest.to_string();
    };
    let mut called = called(expression);
    let (Some(function), None) = (called.next(), called.next()) else {
        return rest.to_string();
    };
    let items = expected.strip_prefix("an array of ");
    match (code, items) {
        ("T0412", Some(items)) => format!(
            "Argument {place} of function \"{function}\" must be an array of \"{}s\"",
            items.to_lowercase()
        ),
        _ => {
            format!("Argument {place} of function \"{function}\" does not match function signature")
        }
    }
}

/// Functions with a signature that an expression names, each once.
fn called(expression: &str) -> impl Iterator<Item = &'static str> {
    let names: Vec<&str> = expression
        .split('$')
        .skip(1)
        .map(|rest| {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
            end.and_then(|end| rest.get(..end)).unwrap_or(rest)
        })
        .collect();
    let signed = FUNCTIONS
        .into_iter()
        .filter(|name| !UNSIGNED.contains(name));
    signed.filter(move |name| names.contains(name))
}

/// `The left side of the + operator ...` with the operator in quotes.
fn quoted_operator(rest: &str) -> String {
    let parts = rest
        .split_once(" side of the ")
        .and_then(|(side, rest)| Some((side, rest.split_once(" operator ")?)));
    match parts {
        Some((side, (operator, rest))) if !operator.starts_with('"') => {
            format!("{side} side of the \"{operator}\" operator {rest}")
        }
        _ => rest.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::reference_words;

    #[test]
    fn words() {
        for (engine, wanted) in [
            (
                "T1006: Attempted to invoke a non-function: $f",
                "T1006: Attempted to invoke a non-function",
            ),
            (
                "T2001: The left side of the + operator must evaluate to a number",
                "T2001: The left side of the \"+\" operator must evaluate to a number",
            ),
            (
                "D3030: Cannot convert 'x' to number",
                "D3030: Unable to cast value to a number: \"x\"",
            ),
            (
                "T0410: Argument 1 must be String",
                "T0410: Argument 1 of function \"length\" does not match function signature",
            ),
            (
                "T0412: Argument 1 must be an array of Number",
                "T0412: Argument 1 of function \"length\" must be an array of \"numbers\"",
            ),
            (
                "D3100: Radix must be between 2 and 36, got 1",
                "D3100: The radix of the formatBase function must be between 2 and 36.  It was given 1",
            ),
            ("no code", "no code"),
        ] {
            assert_eq!(reference_words(engine, "$length(5) + $length($v)"), wanted);
        }
        let two = "T0410: Argument 1 must be String";
        assert_eq!(reference_words(two, "$length(5) & $trim(5)"), two);
    }
}
