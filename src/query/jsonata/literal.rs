//! An expression's text without what stands in quotes and comments, so that names can be found in it.
//!
//! It must not know what the text means.

/// The text with blanks in place of its comments and of what stands in quotes, byte for byte.
pub(super) fn without_literals(text: &str) -> String {
    let mut plain = text.as_bytes().to_vec();
    let mut at = 0;
    while let Some(rest) = text.as_bytes().get(at..).filter(|rest| !rest.is_empty()) {
        let length = match rest {
            [b'/', b'*', ..] => text.get(at..).and_then(|rest| rest.find("*/")),
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
