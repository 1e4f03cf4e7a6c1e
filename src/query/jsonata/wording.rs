//! The engine's words for what does not parse, with JSONata's own signs in them.
//!
//! It must not know where in an expression the words belong.

/// The engine's names of signs as they are written.
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

/// The message as JSONata has it: without its code, the tokens as they are written.
pub(super) fn in_signs(message: &str) -> String {
    let message = without_code(message);
    // What was found ends the message and may hold blanks.
    for before in ["Syntax error: ", ", got "] {
        if let Some((head, token)) = message.split_once(before) {
            return format!("{}{before}{}", each_word(head), sign(token));
        }
    }
    each_word(message)
}

/// The message without `S0207: ` and the like.
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

/// A token as JSON writes what it stands for.
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
