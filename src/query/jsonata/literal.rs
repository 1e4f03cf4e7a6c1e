//! An expression's text without what stands in quotes and comments, so that names can be found in it.
//!
//! It must not know what the text means.

/// The text with blanks in place of its comments and of what stands in quotes, byte for byte.
pub(super) fn without_literals(text: &str) -> String {
    let mut plain = text.as_bytes().to_vec();
    let mut at = 0;
    while let Some(rest) = text.as_bytes().get(at..).filter(|rest| !rest.is_empty()) {
        let length = match rest {
            // Its end is looked for behind its beginning: `/*/` ends nothing.
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
        // What is never closed is part of a regular expression.
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

/// Where the quote that begins the bytes is closed.
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

/// The variables that the text of an expression names, each with the members read off it: `$states.input.total` is
/// `states`, `input`, `total`. Functions that are called are left aside; what the expression itself binds is not known.
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

/// The name that the text begins with, and what follows it.
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
