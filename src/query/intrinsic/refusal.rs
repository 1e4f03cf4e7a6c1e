//! JSON syntax errors in the words of Jackson, the parser that AWS uses, as far as these are known. Only rewords the
//! errors of `json::parse`.

use crate::json::ParseError;

/// Jackson's placeholder for the source text.
const SOURCE: &str = "[Source: REDACTED (`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION` disabled)";
/// Jackson's list of expected values.
const VALUES: &str = "(JSON String, Number, Array, Object or token 'null', 'true' or 'false')";

/// The error for `text` in AWS's words, or in ours if AWS's are not known.
pub(super) fn in_aws_words(text: &str, error: &ParseError) -> String {
    let line = text.lines().nth(error.line.saturating_sub(1)).unwrap_or("");
    let at = error.column.saturating_sub(1);
    // Columns count bytes; none of the known errors points inside a character.
    let (Some(before), Some(rest)) = (line.get(..at), line.get(at..)) else {
        return error.to_string();
    };
    let column = before.encode_utf16().count() + 1;
    let wanted = match error.message.as_str() {
        "key must be a string" => "was expecting double-quote to start field name",
        "trailing comma" if rest.starts_with('}') => {
            "was expecting double-quote to start field name"
        }
        "expected `,` or `]`" => "was expecting comma to separate Array entries",
        "expected `,` or `}`" => "was expecting comma to separate Object entries",
        "expected `:`" => "was expecting a colon to separate field name and value",
        "expected value" | "expected ident" | "EOF while parsing a value" => {
            return no_value(before, rest, error);
        }
        _ => return error.to_string(),
    };
    match rest.chars().next() {
        Some(found) => format!(
            "Unexpected character ('{found}' (code {})): {wanted}\n at {SOURCE}; line: {}, column: {column}]",
            u32::from(found),
            error.line
        ),
        None => error.to_string(),
    }
}

/// The error for a word that is not a literal, or for a character that cannot begin a value.
fn no_value(before: &str, rest: &str, error: &ParseError) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let outside = before.trim_end_matches(is_part);
    let begun = before.strip_prefix(outside).unwrap_or_default();
    let word: String = begun
        .chars()
        .chain(rest.chars())
        .take_while(|c| is_part(*c))
        .collect();
    let column = outside.encode_utf16().count() + 1;
    if word.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$') {
        let column = column + word.encode_utf16().count();
        return format!(
            "Unrecognized token '{word}': was expecting {VALUES}\n at {SOURCE}; line: {}, column: {column}]",
            error.line
        );
    }
    match rest.chars().next() {
        Some(found) if word.is_empty() && !matches!(found, ']' | '}' | ',') => format!(
            "Unexpected character ('{found}' (code {})): expected a valid value {VALUES}\n at {SOURCE}; line: {}, column: {column}]",
            u32::from(found),
            error.line
        ),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn words() {
        for (text, wanted, place) in [
            (
                "{b}",
                "Unexpected character ('b' (code 98)): was expecting double-quote to start field name",
                2,
            ),
            (
                "{\"a\":1,}",
                "Unexpected character ('}' (code 125)): was expecting double-quote to start field name",
                8,
            ),
            (
                "[1 2]",
                "Unexpected character ('2' (code 50)): was expecting comma to separate Array entries",
                4,
            ),
            (
                "{\"a\" 1}",
                "Unexpected character ('1' (code 49)): was expecting a colon to separate field name and value",
                6,
            ),
            (
                "Hello",
                "Unrecognized token 'Hello': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')",
                6,
            ),
            (
                "tru",
                "Unrecognized token 'tru': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')",
                4,
            ),
            (
                "nulx ",
                "Unrecognized token 'nulx': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')",
                5,
            ),
            (
                "[é]",
                "Unrecognized token 'é': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')",
                3,
            ),
            (
                "'x'",
                "Unexpected character (''' (code 39)): expected a valid value (JSON String, Number, Array, Object or token 'null', 'true' or 'false')",
                1,
            ),
        ] {
            let error = parse(text).expect_err(text);
            assert_eq!(
                in_aws_words(text, &error),
                format!("{wanted}\n at {SOURCE}; line: 1, column: {place}]"),
                "{error}"
            );
        }
        let other = parse("\"x").expect_err("no end");
        assert_eq!(in_aws_words("\"x", &other), other.to_string());
    }
}
