//! Blanks out quoted text and comments of an expression, so that names can be searched in it.
//!
//! It must not know what the text means.

/// The text with its comments and quoted text replaced by blanks; byte offsets are unchanged.
pub(super) fn without_literals(text: &str) -> String {
    let mut plain = text.as_bytes().to_vec();
    let mut at = 0;
    while let Some(rest) = text.as_bytes().get(at..).filter(|rest| !rest.is_empty()) {
        let length = match rest {
            // The end of a comment is searched after its beginning: `/*/` ends nothing.
            [b'/', b'*', ..] => text
                .get(at + 2..)
                .and_then(|rest| rest.find("*/"))
                .map(|place| place + 3),
            [quote @ (b'"' | b'\''), ..] => closing(rest, *quote),
            _ => {
                at += 1;
                continue;
            }
        };
        // An unclosed quote is part of a regular expression.
        let Some(length) = length else {
            return text.to_string();
        };
        if let Some(inside) = plain.get_mut(at + 1..at + length) {
            inside.fill(b' ');
        }
        at += length + 1;
    }
    String::from_utf8(plain).unwrap_or_else(|_| text.to_string())
}

/// Byte offset at which the quote at the start of `bytes` is closed.
fn closing(bytes: &[u8], quote: u8) -> Option<usize> {
    let mut escaped = false;
    for (at, byte) in bytes.iter().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            byte if *byte == quote => return Some(at),
            _ => {}
        }
    }
    None
}

/// The variables that an expression refers to, each with the members read from it: `$states.input.total` is
/// `states`, `input`, `total`. Called functions are omitted; variables bound by the expression itself are not recognised.
#[must_use]
pub fn paths(text: &str) -> Vec<Vec<String>> {
    let plain = without_literals(text);
    let mut found: Vec<Vec<String>> = Vec::new();
    let mut rest = plain.as_str();
    while let Some((_, after)) = rest.split_once('$') {
        let (name, mut end) = name_at(after);
        rest = end;
        if name.is_empty() {
            continue;
        }
        let mut path = vec![name.to_string()];
        while let Some(inner) = end.strip_prefix('.') {
            let (member, after) = name_at(inner);
            if member.is_empty() || after.trim_start().starts_with('(') {
                break;
            }
            path.push(member.to_string());
            end = after;
        }
        if path.len() > 1 || !end.trim_start().starts_with('(') {
            found.push(path);
        }
        rest = end;
    }
    let mut unique: Vec<Vec<String>> = Vec::new();
    for path in found {
        if !unique.contains(&path) {
            unique.push(path);
        }
    }
    unique
}

/// The function in an expression that may give another value each time, if it calls one.
#[must_use]
pub fn drawn(text: &str) -> Option<&'static str> {
    let plain = without_literals(text);
    let names = ["$random", "$uuid", "$now", "$millis", "$shuffle"];
    names.into_iter().find(|name| {
        let mut calls = plain.match_indices(name);
        calls.any(|(at, _)| {
            let after = plain.get(at + name.len()..).unwrap_or_default();
            after.trim_start().starts_with('(')
        })
    })
}

/// The name at the start of the text, and the rest.
fn name_at(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
    text.split_at(end.unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_found_with_their_members() {
        let check = |text: &str, wanted: &[&str]| {
            let found: Vec<String> = paths(text).iter().map(|path| path.join(".")).collect();
            assert_eq!(found, wanted, "{text}");
        };
        check("$states.input.total > $max", &["states.input.total", "max"]);
        check(
            "$count($states.input.items) > 0 and $max = $max",
            &["states.input.items", "max"],
        );
        check("'$no' & \"$no\" /* $no */ & $a.b[c = 1].d", &["a.b"]);
        check("$ > 1 and $$.x and $f . x", &["f"]);
        check("$states.input.n.$string()", &["states.input.n"]);
    }
}
