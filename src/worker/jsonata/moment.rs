//! Built-in functions for dates, and for integers with a picture.

use super::account::{Outcome, thrown};
use super::calendar::utc;
use super::datum::Datum;
use super::evaluate::Run;
use super::moment_picture as picture;
use super::numeral::Numeral;
use super::signature::wrong_argument;
use super::text::argument;
use crate::query::format_timestamp;

/// Maximum size of a picture, and of a text parsed with one, in bytes.
const LONGEST: usize = 10_000;

/// Charges the steps for a text and its picture, and checks their lengths.
fn bounded(run: &mut Run, texts: &[Option<&str>]) -> Outcome<()> {
    for text in texts.iter().flatten() {
        if text.len() > LONGEST {
            return thrown("D3132: the picture is too long");
        }
        run.account.scan(text.len().saturating_mul(16))?;
    }
    Ok(())
}

/// The error of the reference implementation for a missing picture.
fn no_picture<T>(name: &str) -> Outcome<T> {
    thrown(format!(
        "Cannot read properties of undefined (reading '{name}')"
    ))
}

pub(super) fn format_integer(run: &mut Run, given: &[Datum]) -> Outcome {
    let Datum::Number(number, _) = *argument(given, 0) else {
        return Ok(Datum::Nothing);
    };
    let Some(picture) = argument(given, 1).as_str() else {
        return no_picture("lastIndexOf");
    };
    bounded(run, &[Some(picture)])?;
    let text = Numeral::of(picture)?.write(number.floor())?;
    run.account.text(text)
}

pub(super) fn parse_integer(run: &mut Run, given: &[Datum]) -> Outcome {
    let Some(text) = argument(given, 0).as_str() else {
        return Ok(Datum::Nothing);
    };
    let Some(picture) = argument(given, 1).as_str() else {
        return no_picture("lastIndexOf");
    };
    bounded(run, &[Some(text), Some(picture)])?;
    let numeral = Numeral::of(picture)?;
    numeral.regular(None)?;
    Ok(Datum::number(numeral.read(text)?))
}

pub(super) fn from_millis(run: &mut Run, given: &[Datum]) -> Outcome {
    let Datum::Number(millis, _) = *argument(given, 0) else {
        return Ok(Datum::Nothing);
    };
    let zone = argument(given, 2).as_str();
    let picture = argument(given, 1).as_str();
    bounded(run, &[picture, zone])?;
    let text = picture::write(millis, picture.unwrap_or(picture::ISO), zone)?;
    run.account.text(text)
}

/// Splits off this number of digits from the start of a text.
fn digits(text: &str, count: usize) -> Option<(f64, &str)> {
    let (number, rest) = text.split_at_checked(count)?;
    let all = number.bytes().all(|digit| digit.is_ascii_digit());
    Some((number.parse().ok().filter(|_| all)?, rest))
}

/// Splits off a sign and the number after it; the number is `None` if there is none.
fn behind(text: &str, sign: char, count: usize, most: f64) -> (Option<f64>, &str) {
    let number = text.strip_prefix(sign).and_then(|rest| digits(rest, count));
    match number {
        Some((number, rest)) if number <= most => (Some(number), rest),
        _ => (None, text),
    }
}

/// Parses an ISO 8601 timestamp to milliseconds since 1970; `None` if it is not one, NaN for a day that does not exist.
fn iso(text: &str) -> Option<f64> {
    let (year, rest) = digits(text, 4)?;
    let (month, rest) = behind(rest, '-', 2, 19.0);
    let (day, rest) = behind(rest, '-', 2, 39.0);
    let (mut hour, mut minute, mut second) = (0.0, 0.0, 0.0);
    let mut rest = rest;
    if let (Some(hours), after) = behind(rest, 'T', 2, 29.0) {
        let (minutes, after) = behind(after, ':', 2, 59.0);
        let (seconds, after) = behind(after, ':', 2, 59.0);
        (hour, minute, second) = (hours, minutes?, seconds?);
        rest = after;
    }
    let mut fraction = 0.0;
    if let Some(after) = rest.strip_prefix('.') {
        let count = after.bytes().take_while(u8::is_ascii_digit).count();
        let (number, after) = after.split_at_checked(count)?;
        let kept: String = number.chars().chain("000".chars()).take(3).collect();
        fraction = kept.parse().ok().filter(|_| count > 0)?;
        rest = after;
    }
    let offset = match rest {
        "" | "Z" => 0.0,
        zone => {
            let (sign, zone) = match zone.strip_prefix('-') {
                Some(zone) => (-1.0, zone),
                None => (1.0, zone.strip_prefix('+')?),
            };
            let (hours, zone) = digits(zone, 2)?;
            let (minutes, zone) = digits(zone.strip_prefix(':').unwrap_or(zone), 2)?;
            if !zone.is_empty() || hours > 29.0 || minutes > 59.0 {
                return None;
            }
            sign * (hours * 60.0 + minutes)
        }
    };
    let (month, day) = (month.unwrap_or(1.0), day.unwrap_or(1.0));
    let is_midnight = hour == 24.0 && minute + second + fraction == 0.0;
    let there = offset.abs() < 24.0 * 60.0
        && (1.0..=12.0).contains(&month)
        && (1.0..=31.0).contains(&day)
        && (hour < 24.0 || is_midnight);
    if !there {
        return Some(f64::NAN);
    }
    // Shifted by 400 years, because `utc` maps years below 100 to the 20th century.
    let century = if year < 100.0 { 400.0 } else { 0.0 };
    let millis = utc(
        [year + century, month - 1.0, day],
        [hour, minute, second, fraction],
    );
    Some(millis - century / 400.0 * 146_097.0 * 86_400_000.0 - offset * 60_000.0)
}

pub(super) fn to_millis(run: &mut Run, given: &[Datum]) -> Outcome {
    let Some(text) = argument(given, 0).as_str() else {
        return Ok(Datum::Nothing);
    };
    let picture = argument(given, 1).as_str();
    bounded(run, &[Some(text), picture])?;
    let Some(picture) = picture else {
        return match iso(text) {
            Some(millis) => Ok(Datum::number(millis)),
            None => thrown(format!(
                "D3110: The argument of the toMillis function must be an ISO 8601 formatted timestamp. Given {}",
                crate::json::Value::string(text)
            )),
        };
    };
    let now = run.service.millis();
    let millis = picture::read(text, picture, now, &mut run.account)?;
    Ok(millis.map_or(Datum::Nothing, Datum::number))
}

pub(super) fn millis(run: &mut Run, _: &[Datum]) -> Outcome {
    Ok(Datum::number(run.service.millis()))
}

pub(super) fn now(run: &mut Run, given: &[Datum]) -> Outcome {
    if given.is_empty() {
        let text = format_timestamp(run.service.now);
        return run.account.text(text);
    }
    if given.len() > 2 {
        return wrong_argument(3, "now");
    }
    let mut all = vec![Datum::number(run.service.millis())];
    all.extend(given.iter().cloned());
    from_millis(run, &all)
}
