//! Built-in functions on text, and conversion of values to text.

use super::account::{Account, Outcome, thrown};
use super::datum::{Datum, Letters};
use super::evaluate::Run;
use super::number::{float, index, shown};
use crate::query::jsonata::{number_text, padding_error};
use base64::engine::general_purpose::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::{Engine as _, alphabet};
use std::fmt::Write as _;

/// Base64 that is decoded as in JavaScript: padding is optional, and extra bits in the last character are ignored.
const FORGIVING: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// The argument at an index; no value if it is missing.
pub(super) fn argument(given: &[Datum], place: usize) -> &Datum {
    given.get(place).unwrap_or(&const { Datum::Nothing })
}

/// The value as `$string` formats it.
pub(super) fn written(value: &Datum, account: &mut Account) -> Outcome<String> {
    match value {
        Datum::Text(text, _) => Ok(text.to_string()),
        Datum::Number(number, _) if !number.is_finite() => {
            thrown("D3001: Attempting to invoke string function on Infinity or NaN")
        }
        other => laid_out(other, account, None),
    }
}

/// A value as it appears in an error message.
pub(super) fn shown_in_error(value: &Datum, account: &mut Account) -> String {
    match value {
        Datum::Nothing | Datum::Function(_) => "undefined".to_string(),
        Datum::Number(number, _) => shown(*number),
        other => laid_out(other, account, None).unwrap_or_default(),
    }
}

/// The value as JSON. If `spaces` is set, each level is indented by this number of spaces.
fn laid_out(value: &Datum, account: &mut Account, spaces: Option<usize>) -> Outcome<String> {
    account.bounded(value.clone())?;
    let mut out = String::new();
    write(&mut out, value, account, spaces, 0)?;
    Ok(out)
}

fn write(
    out: &mut String,
    value: &Datum,
    account: &mut Account,
    spaces: Option<usize>,
    level: usize,
) -> Outcome<()> {
    account.take(1)?;
    if out.len() > 1 << 16 {
        account.room(out.capacity())?;
    }
    match value {
        Datum::Nothing | Datum::Null(_) => out.push_str("null"),
        Datum::Bool(flag, _) => out.push_str(if *flag { "true" } else { "false" }),
        Datum::Number(number, _) if !number.is_finite() => {
            return thrown("D1001: Number out of range: null");
        }
        Datum::Number(number, _) => out.push_str(&number_text(*number)),
        Datum::Text(text, _) => quote(out, text, account)?,
        Datum::Function(_) => out.push_str("\"\""),
        Datum::List(list) => {
            out.push('[');
            for (place, item) in list.iter().enumerate() {
                separate(out, place, spaces, level + 1);
                write(out, item, account, spaces, level + 1)?;
            }
            close(out, list.is_empty(), spaces, level, ']');
        }
        Datum::Record(record, _) => {
            out.push('{');
            let members = record.members().iter();
            let members = members.filter(|(_, member)| !member.is_nothing());
            for (place, (name, member)) in members.enumerate() {
                separate(out, place, spaces, level + 1);
                quote(out, name, account)?;
                out.push(':');
                if spaces.is_some() {
                    out.push(' ');
                }
                write(out, member, account, spaces, level + 1)?;
            }
            close(out, record.members().is_empty(), spaces, level, '}');
        }
        Datum::Rows(rows) => {
            out.push('[');
            for (place, row) in rows.iter().enumerate() {
                separate(out, place, spaces, level + 1);
                write(out, &row.value, account, spaces, level + 1)?;
            }
            close(out, rows.is_empty(), spaces, level, ']');
        }
    }
    Ok(())
}

fn separate(out: &mut String, place: usize, spaces: Option<usize>, level: usize) {
    if place > 0 {
        out.push(',');
    }
    if let Some(spaces) = spaces {
        out.push('\n');
        out.extend(std::iter::repeat_n(' ', spaces * level));
    }
}

fn close(out: &mut String, empty: bool, spaces: Option<usize>, level: usize, sign: char) {
    if let (Some(spaces), false) = (spaces, empty) {
        out.push('\n');
        out.extend(std::iter::repeat_n(' ', spaces * level));
    }
    out.push(sign);
}

fn quote(out: &mut String, text: &str, account: &mut Account) -> Outcome<()> {
    account.scan(text.len())?;
    let length = text.bytes().fold(2_usize, |sum, byte| {
        sum + match byte {
            b'"' | b'\\' => 2,
            0..0x20 => 6,
            _ => 1,
        }
    });
    account.room(out.capacity().saturating_add(length))?;
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            control if control < ' ' => {
                out.push_str(&format!("\\u{:04x}", u32::from(control)));
            }
            other => out.push(other),
        }
    }
    out.push('"');
    Ok(())
}

/// Applies a function to one text.
fn of_text(
    run: &mut Run,
    given: &[Datum],
    make: impl FnOnce(&mut Run, &Letters) -> Outcome,
) -> Outcome {
    match argument(given, 0) {
        Datum::Text(text, _) => {
            run.account.scan(text.len())?;
            make(run, text)
        }
        _ => Ok(Datum::Nothing),
    }
}

pub(super) fn string(run: &mut Run, given: &[Datum]) -> Outcome {
    let pretty = match argument(given, 1) {
        Datum::Bool(true, _) => Some(2),
        _ => None,
    };
    match argument(given, 0) {
        Datum::Nothing => Ok(Datum::Nothing),
        text @ Datum::Text(_, _) => Ok(text.clone()),
        Datum::Function(_) => Ok(Datum::text("")),
        value @ (Datum::List(_) | Datum::Record(_, _)) => {
            let text = laid_out(value, &mut run.account, pretty)?;
            run.account.text(text)
        }
        value => {
            let text = written(value, &mut run.account)?;
            run.account.text(text)
        }
    }
}

pub(super) fn length(run: &mut Run, given: &[Datum]) -> Outcome {
    of_text(run, given, |_, text| {
        Ok(Datum::number(float(text.chars().count())))
    })
}

pub(super) fn uppercase(run: &mut Run, given: &[Datum]) -> Outcome {
    in_case(run, given, str::to_uppercase)
}

pub(super) fn lowercase(run: &mut Run, given: &[Datum]) -> Outcome {
    in_case(run, given, str::to_lowercase)
}

fn in_case(run: &mut Run, given: &[Datum], change: fn(&str) -> String) -> Outcome {
    of_text(run, given, |run, text| {
        run.account.room(text.len().saturating_mul(2))?;
        run.account.text(change(text))
    })
}

pub(super) fn trim(run: &mut Run, given: &[Datum]) -> Outcome {
    of_text(run, given, |run, text| {
        let mut out = String::with_capacity(text.len());
        let words = text.split([' ', '\t', '\n', '\r']);
        for word in words.filter(|word| !word.is_empty()) {
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(word);
        }
        run.account.text(out)
    })
}

pub(super) fn substring(run: &mut Run, given: &[Datum]) -> Outcome {
    of_text(run, given, |run, text| {
        let count = float(text.chars().count());
        let start = match argument(given, 1) {
            Datum::Number(start, _) => *start,
            _ if given.len() > 2 => return Ok(Datum::text("")),
            _ => return Ok(Datum::text(text.clone())),
        };
        let start = if count + start < 0.0 { 0.0 } else { start };
        let end = match argument(given, 2) {
            Datum::Number(length, _) if *length <= 0.0 => return Ok(Datum::text("")),
            Datum::Number(length, _) if start >= 0.0 => start + length,
            Datum::Number(length, _) => count + start + length,
            _ => count,
        };
        // Like `slice` in JavaScript: fractions are truncated, negative indexes count from the end.
        let place = |place: f64| {
            let place = place.trunc();
            let place = if place < 0.0 { place + count } else { place };
            place.clamp(0.0, count)
        };
        let (start, end) = (place(start), place(end));
        let length = index((end - start).max(0.0));
        let part: String = text.chars().skip(index(start)).take(length).collect();
        run.account.text(part)
    })
}

pub(super) fn substring_before(run: &mut Run, given: &[Datum]) -> Outcome {
    part(run, given, |(before, _)| before)
}

pub(super) fn substring_after(run: &mut Run, given: &[Datum]) -> Outcome {
    part(run, given, |(_, after)| after)
}

/// The part of a text before or after its first separator; the whole text if it has none.
fn part(
    run: &mut Run,
    given: &[Datum],
    choose: for<'t> fn((&'t str, &'t str)) -> &'t str,
) -> Outcome {
    of_text(run, given, |run, text| {
        // JavaScript turns a missing separator into the text `undefined`.
        let separator = argument(given, 1).as_str().unwrap_or("undefined");
        match text.split_once(separator).map(choose) {
            Some(part) => run.account.text(part.to_string()),
            None => Ok(Datum::text(text.clone())),
        }
    })
}

pub(super) fn pad(run: &mut Run, given: &[Datum]) -> Outcome {
    of_text(run, given, |run, text| {
        let Datum::Number(width, _) = *argument(given, 1) else {
            return Ok(Datum::text(text.clone()));
        };
        if let Some(error) = padding_error(width) {
            return thrown(error);
        }
        let missing = width.abs() - float(text.chars().count());
        if missing > 0.0 && missing.fract() != 0.0 {
            return thrown("Invalid array length");
        }
        let padding = match argument(given, 2).as_str() {
            None | Some("") => " ",
            Some(padding) => padding,
        };
        let wanted = index(width.abs().trunc());
        let missing = wanted.saturating_sub(text.chars().count());
        run.account.scan(missing)?;
        run.account.room(missing.saturating_mul(4))?;
        let padding = padding.chars().cycle().take(missing);
        let out: String = if width < 0.0 {
            padding.chain(text.chars()).collect()
        } else {
            text.chars().chain(padding).collect()
        };
        run.account.text(out)
    })
}

pub(super) fn join(run: &mut Run, given: &[Datum]) -> Outcome {
    let texts = match argument(given, 0) {
        Datum::Nothing => return Ok(Datum::Nothing),
        value => value.items(),
    };
    let between = argument(given, 1).as_str().unwrap_or("");
    let bytes = texts.iter().fold(0_usize, |sum, text| {
        let length = text.as_str().map_or(0, str::len);
        sum.saturating_add(length).saturating_add(between.len())
    });
    run.account.take(texts.len() / 8)?;
    run.account.room(bytes)?;
    let mut out = String::with_capacity(bytes);
    for (place, text) in texts.iter().enumerate() {
        if place > 0 {
            out.push_str(between);
        }
        out.push_str(text.as_str().unwrap_or_default());
    }
    run.account.text(out)
}

pub(super) fn base64encode(run: &mut Run, given: &[Datum]) -> Outcome {
    of_text(run, given, |run, text| {
        run.account.room(text.len().saturating_mul(2))?;
        // Each code unit becomes one byte; its high byte is dropped.
        let bytes: Vec<u8> = text
            .encode_utf16()
            .map(|unit| unit.to_le_bytes()[0])
            .collect();
        run.account.text(STANDARD.encode(bytes))
    })
}

pub(super) fn base64decode(run: &mut Run, given: &[Datum]) -> Outcome {
    of_text(run, given, |run, text| {
        run.account.room(text.len().saturating_mul(2))?;
        let text: String = text
            .chars()
            .filter(|letter| !letter.is_whitespace())
            .collect();
        match FORGIVING.decode(text) {
            Ok(bytes) => run
                .account
                .text(bytes.into_iter().map(char::from).collect()),
            Err(_) => thrown("The string to be decoded is not correctly encoded."),
        }
    })
}

fn encoded(run: &mut Run, given: &[Datum], kept: &[u8]) -> Outcome {
    of_text(run, given, |run, text| {
        run.account.scan(text.len())?;
        run.account.room(text.len().saturating_mul(3))?;
        run.account.text(url_encoded(text, kept))
    })
}

fn decoded(run: &mut Run, given: &[Datum], kept: &[u8], name: &str) -> Outcome {
    of_text(run, given, |run, text| {
        run.account.room(text.len())?;
        match url_decoded(text, kept) {
            Some(decoded) => run.account.text(decoded),
            None => {
                let shown: String = text.chars().take(200).collect();
                thrown(format!(
                    "D3140: Malformed URL passed to ${name}(): \"{shown}\""
                ))
            }
        }
    })
}

pub(super) fn encode_url(run: &mut Run, given: &[Datum]) -> Outcome {
    encoded(run, given, RESERVED)
}

pub(super) fn encode_url_component(run: &mut Run, given: &[Datum]) -> Outcome {
    encoded(run, given, b"")
}

pub(super) fn decode_url(run: &mut Run, given: &[Datum]) -> Outcome {
    decoded(run, given, RESERVED, "decodeUrl")
}

pub(super) fn decode_url_component(run: &mut Run, given: &[Datum]) -> Outcome {
    decoded(run, given, b"", "decodeUrlComponent")
}

/// Characters that `encodeURIComponent` does not escape, besides letters and digits.
const MARKS: &[u8] = b"-_.!~*'()";
/// Characters that `encodeURI` additionally does not escape, and `decodeURI` does not unescape.
const RESERVED: &[u8] = b";/?:@&=+$,#";

/// Escapes a text except for the characters in `kept`.
fn url_encoded(text: &str, kept: &[u8]) -> String {
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
fn url_decoded(text: &str, kept: &[u8]) -> Option<String> {
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
