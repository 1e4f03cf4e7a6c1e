//! Rewords the engine's parse errors to show JSONata's own symbols.
//!
//! It must not know where in an expression an error occurred.

/// The engine's token names and the symbols they denote.
const SIGNS: [(&str, &str); 38] = [
    ("LeftParen", "("),
    ("RightParen", ")"),
    ("LeftBracket", "["),
    ("RightBracket", "]"),
    ("LeftBrace", "{"),
    ("RightBrace", "}"),
    ("Semicolon", ";"),
    ("Colon", ":"),
    ("ColonEqual", ":="),
    ("Comma", ","),
    ("Question", "?"),
    ("QuestionQuestion", "??"),
    ("QuestionColon", "?:"),
    ("Pipe", "|"),
    ("Dot", "."),
    ("DotDot", ".."),
    ("Plus", "+"),
    ("Minus", "-"),
    ("Star", "*"),
    ("StarStar", "**"),
    ("Slash", "/"),
    ("Percent", "%"),
    ("Equal", "="),
    ("NotEqual", "!="),
    ("LessThan", "<"),
    ("LessThanOrEqual", "<="),
    ("GreaterThan", ">"),
    ("GreaterThanOrEqual", ">="),
    ("And", "and"),
    ("Or", "or"),
    ("In", "in"),
    ("Ampersand", "&"),
    ("TildeArrow", "~>"),
    ("Caret", "^"),
    ("Hash", "#"),
    ("At", "@"),
    ("Eof", "(end)"),
    ("ParentVariable(\"\")", "$$"),
];

/// The message in JSONata's form: without its code, with tokens as they are written.
pub(super) fn in_signs(message: &str) -> String {
    let message = without_code(message);
    // The offending token ends the message and may contain blanks.
    for before in ["Syntax error: ", ", got "] {
        if let Some((head, token)) = message.split_once(before) {
            return format!("{}{before}{}", each_word(head), sign(token));
        }
    }
    each_word(message)
}

/// The message without a code such as `S0207: `.
fn without_code(message: &str) -> &str {
    let message = ["Invalid syntax: ", "Invalid number: "]
        .into_iter()
        .find_map(|kind| message.strip_prefix(kind))
        .unwrap_or(message);
    match message.split_once(": ") {
        Some((code, rest))
            if code.len() == 5
                && code.starts_with(|first: char| first.is_ascii_uppercase())
                && code.bytes().skip(1).all(|digit| digit.is_ascii_digit()) =>
        {
            rest
        }
        _ => message,
    }
}

fn each_word(text: &str) -> String {
    let words = text.split(' ').map(|word| {
        let known = SIGNS.iter().any(|(name, _)| *name == word);
        if known { sign(word) } else { word.to_string() }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// A token as the symbol or JSON text it denotes.
fn sign(token: &str) -> String {
    if let Some((_, sign)) = SIGNS.iter().find(|(name, _)| *name == token) {
        return format!("\"{sign}\"");
    }
    let held = |name: &str| {
        token
            .strip_prefix(name)?
            .strip_prefix('(')?
            .strip_suffix(')')
    };
    if let Some(number) = held("Number") {
        return number.strip_suffix(".0").unwrap_or(number).to_string();
    }
    match token {
        "True" | "False" | "Null" => token.to_lowercase(),
        _ => [
            "String",
            "Identifier",
            "Variable",
            "ParentVariable",
            "Function",
        ]
        .into_iter()
        .find_map(held)
        .unwrap_or(token)
        .to_string(),
    }
}
