//! URL encoding and decoding as in JavaScript.

use std::fmt::Write as _;

/// Characters that `encodeURIComponent` does not escape, besides letters and digits.
const MARKS: &[u8] = b"-_.!~*'()";
/// Characters that `encodeURI` additionally does not escape, and `decodeURI` does not unescape.
pub(super) const RESERVED: &[u8] = b";/?:@&=+$,#";

/// Escapes a text except for the characters in `kept`.
pub(super) fn encoded(text: &str, kept: &[u8]) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        let plain = u8::try_from(letter).is_ok_and(|byte| {
            byte.is_ascii_alphanumeric() || MARKS.contains(&byte) || kept.contains(&byte)
        });
        if plain {
            out.push(letter);
        } else {
            for byte in letter.encode_utf8(&mut [0; 4]).bytes() {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

/// Unescapes a text except for the characters in `kept`; `None` if an escape is malformed or the result is not UTF-8.
pub(super) fn decoded(text: &str, kept: &[u8]) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first != b'%' {
            out.push(*first);
            continue;
        }
        let escape = rest.get(..2)?;
        let digits = std::str::from_utf8(escape).ok()?;
        let hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        let byte = u8::from_str_radix(digits, 16).ok().filter(|_| hex)?;
        if kept.contains(&byte) {
            out.push(b'%');
            out.extend_from_slice(escape);
        } else {
            out.push(byte);
        }
        rest = rest.get(2..)?;
    }
    String::from_utf8(out).ok()
}
