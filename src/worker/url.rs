//! The functions of JSONata that encode and decode URLs, as JavaScript's: the engine's own escape too much or too little.
//!
//! It must not know which expression calls.

use super::function::thrown;
use super::guard::call;
use jsonata_core::evaluator::{Evaluator, EvaluatorError};
use jsonata_core::value::JValue;
use std::fmt::Write as _;

/// What `encodeURIComponent` leaves as it is, beside letters and digits.
const MARKS: &[u8] = b"-_.!~*'()";
/// What `encodeURI` leaves as it is beside those, and `decodeURI` leaves escaped.
const RESERVED: &[u8] = b";/?:@&=+$,#";

/// Puts the functions into an evaluator.
pub(super) fn register(evaluator: &mut Evaluator) -> Result<(), EvaluatorError> {
    for (name, kept) in [("encodeUrlComponent", &b""[..]), ("encodeUrl", RESERVED)] {
        evaluator.register_fn_override(name, move |args: &[JValue]| match args {
            [JValue::String(text)] => Ok(JValue::string(encoded(text, kept))),
            _ => call(name, args),
        })?;
    }
    for (name, kept) in [("decodeUrlComponent", &b""[..]), ("decodeUrl", RESERVED)] {
        evaluator.register_fn_override(name, move |args: &[JValue]| match args {
            [JValue::String(text)] => match decoded(text, kept) {
                Some(text) => Ok(JValue::string(text)),
                None => Err(thrown(&format!(
                    "D3140: Malformed URL passed to ${name}(): \"{text}\""
                ))),
            },
            _ => call(name, args),
        })?;
    }
    Ok(())
}

fn encoded(text: &str, kept: &[u8]) -> String {
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

/// The text without escapes, but for those of `kept`; `None` where an escape is broken or the bytes are no UTF-8.
fn decoded(text: &str, kept: &[u8]) -> Option<String> {
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
