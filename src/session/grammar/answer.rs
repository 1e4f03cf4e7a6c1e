//! Parses a typed answer: the JSON of the result, the seconds until the task ends, the times of heartbeats, and the
//! other requests to which the answer applies.

use crate::interpreter::{Answer, Millis, Outcome};
use crate::json::parse;
use crate::session::Reach;

/// A typed answer.
#[derive(Clone, Debug, PartialEq)]
pub struct TypedAnswer {
    /// The answer, with its duration and heartbeats.
    pub answer: Answer,
    /// The other requests to which the answer also applies.
    pub reach: Option<Reach>,
}

const WORDS: [&str; 4] = [" took ", " beats ", " for ", " where "];

/// Parses `JSON [took SECONDS] [beats SECONDS...] [for state|for resource|where EXPR]`. `beats SECONDS...` alone only
/// sends heartbeats; the task then continues to wait.
///
/// # Errors
/// A sentence that says which part is invalid.
pub fn parse_answer(text: &str) -> Result<TypedAnswer, String> {
    // Only heartbeats, without a result.
    if let Some(("beats", seconds)) = text.trim().split_once(' ') {
        let answer = Answer {
            heartbeats: beats(seconds)?,
            ..Answer::of(Outcome::Never)
        };
        return Ok(TypedAnswer {
            answer,
            reach: None,
        });
    }
    let mut ends: Vec<usize> = WORDS
        .iter()
        .flat_map(|word| text.match_indices(word).map(|(at, _)| at))
        .collect();
    ends.sort_unstable();
    ends.push(text.len());
    // The JSON may contain the keywords too, so takes the shortest prefix that is valid JSON.
    let json = ends.iter().find_map(|end| {
        let (json, rest) = text.split_at_checked(*end)?;
        Some((parse(json).ok()?, rest))
    });
    let Some((value, mut rest)) = json else {
        let error = parse(text).err().map(|error| error.to_string());
        return Err(format!(
            "not JSON: {error}",
            error = error.unwrap_or_default()
        ));
    };
    let mut typed = TypedAnswer {
        answer: Answer::success(value),
        reach: None,
    };
    while let Some((word, after)) = rest.trim_start().split_once(' ') {
        let (argument, next) = match word {
            "where" => (after, ""),
            _ => after.trim_start().split_once(' ').unwrap_or((after, "")),
        };
        match (word, argument.trim()) {
            ("took", text) => typed.answer.took = seconds(text)?,
            ("beats", text) => typed.answer.heartbeats = beats(text)?,
            ("for", "state") => typed.reach = Some(Reach::State),
            ("for", "resource") => typed.reach = Some(Reach::Resource),
            ("for", word) => {
                return Err(format!(
                    "write \"for state\" or \"for resource\", not \"for {word}\""
                ));
            }
            ("where", text) if !text.is_empty() => {
                typed.reach = Some(Reach::Items(text.into()));
            }
            _ => {
                return Err(format!(
                    "unknown word {word}: only \"took\", \"beats\", \"for\" or \"where\" can follow the JSON"
                ));
            }
        }
        rest = next;
    }
    match rest.trim() {
        "" => Ok(typed),
        word => Err(format!("{word} needs a value")),
    }
}

/// Parses the times of heartbeats in seconds after the call, separated by commas or spaces; returns them in ascending
/// order.
///
/// # Errors
/// A sentence that names the text that is not a number of seconds.
pub fn beats(text: &str) -> Result<Vec<Millis>, String> {
    let parts = text.split([',', ' ']).filter(|part| !part.is_empty());
    let mut beats = parts.map(seconds).collect::<Result<Vec<_>, _>>()?;
    beats.sort_unstable();
    Ok(beats)
}

/// Parses seconds and converts them to milliseconds.
///
/// # Errors
/// If the text is not a number of seconds.
pub fn seconds(text: &str) -> Result<u64, String> {
    let text = text.trim().trim_end_matches('s').trim();
    if text.is_empty() {
        return Ok(0);
    }
    let refused = || format!("{text} is not a number of seconds");
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    if !digits(whole) || !digits(part) || (whole.is_empty() && part.is_empty()) {
        return Err(refused());
    }
    let whole: u64 = if whole.is_empty() {
        0
    } else {
        whole.parse().map_err(|_| refused())?
    };
    let part: String = part.chars().chain("000".chars()).take(3).collect();
    let part: u64 = part.parse().map_err(|_| refused())?;
    Ok(whole.saturating_mul(1_000).saturating_add(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, wanted: &str) {
        let got = match parse_answer(text) {
            Ok(typed) => format!(
                "{:?} {} {:?} {:?}",
                typed.answer.outcome, typed.answer.took, typed.answer.heartbeats, typed.reach
            ),
            Err(problem) => problem,
        };
        let got = got.replace("Success(String(", "").replace("Success(", "");
        assert!(got.contains(wanted), "{text}: {got}");
    }

    #[test]
    fn answers_are_read() {
        check("1", " 0 [] None");
        check("\"a took 2\" took 1.5", "a took 2");
        check("\"a took 2\" took 1.5", " 1500 [] None");
        check(
            "1 took 9 beats 4,2 for state",
            " 9000 [2000, 4000] Some(State)",
        );
        check("1 for resource", " 0 [] Some(Resource)");
        check(
            "1 took 2 where $.a == \"for state\"",
            " 2000 [] Some(Items(\"$.a == \\\"for state\\\"\"))",
        );
        check("beats 8 3", "Never 0 [3000, 8000] None");
        check("beats x", "x is not a number of seconds");
        check("{\"a\": ", "not JSON");
        check(
            "1 for ever",
            "write \"for state\" or \"for resource\", not \"for ever\"",
        );
        check("1 took x", "x is not a number of seconds");
        check("1 took", "not JSON");
    }

    #[test]
    fn seconds_read() {
        assert_eq!(seconds(" 2.25 s"), Ok(2_250));
        assert_eq!(seconds(".5"), Ok(500));
        assert_eq!(seconds(""), Ok(0));
        assert!(seconds("-1").is_err() && seconds("1e3").is_err() && seconds(".").is_err());
    }
}
