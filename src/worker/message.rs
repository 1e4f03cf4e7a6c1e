//! The engine's error texts in the words of the reference implementation, which AWS prints.
//!
//! It must not know which expression failed.

/// `T1006: Attempted to invoke a non-function` and the like, out of the engine's own text.
pub(super) fn reference_words(message: &str) -> String {
    let Some((code, rest)) = message.split_once(": ") else {
        return message.to_string();
    };
    let words = match code {
        "T1006" => "Attempted to invoke a non-function".to_string(),
        "T2001" | "T2002" => quoted_operator(rest),
        "D1002" => "Cannot negate a non-numeric value".to_string(),
        "D3030" => match rest.strip_prefix("Cannot convert '") {
            Some(text) => {
                let text = text.strip_suffix("' to number").unwrap_or(text);
                format!("Unable to cast value to a number: \"{text}\"")
            }
            None => rest.to_string(),
        },
        // `$error("x")` is printed with its own words alone.
        "D3137" => return rest.to_string(),
        _ => rest.to_string(),
    };
    format!("{code}: {words}")
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
            ("no code", "no code"),
        ] {
            assert_eq!(reference_words(engine), wanted);
        }
    }
}
