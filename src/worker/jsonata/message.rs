//! The error texts of the crate's functions in the words of the reference implementation, which AWS prints.
//!
//! It must not know which function failed.

/// What the reference implementation says, by code, where it says the same each time.
const WORDS: [(&str, &str); 15] = [
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
];

/// A code with the words that always go with it.
pub(super) fn words_of(code: &str) -> String {
    let words = WORDS.iter().find(|(own, _)| *own == code);
    format!("{code}: {}", words.map_or("", |(_, words)| *words))
}

/// The reference implementation's words for an error of one of the crate's functions.
pub(super) fn reference_words(message: &str) -> String {
    let Some((code, rest)) = message.split_once(": ") else {
        return message.to_string();
    };
    let same = WORDS.iter().find(|(own, _)| *own == code);
    let words = match (code, same) {
        (_, Some((_, words))) => (*words).to_string(),
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

#[cfg(test)]
mod tests {
    use super::reference_words;

    #[test]
    fn words() {
        for (engine, wanted) in [
            (
                "D3081: more than one",
                "D3081: The sub-picture must not contain more than one instance of the 'decimal-separator' character",
            ),
            (
                "D3030: Cannot convert 'x' to number",
                "D3030: Unable to cast value to a number: \"x\"",
            ),
            (
                "D3100: Radix must be between 2 and 36, got 1",
                "D3100: The radix of the formatBase function must be between 2 and 36.  It was given 1",
            ),
            ("no code", "no code"),
        ] {
            assert_eq!(reference_words(engine), wanted);
        }
    }
}
