//! Dates, and numbers written after a picture: what the engine's own functions do is asked of them once it is sure to end.
//!
//! It must not know who calls.

use super::account::{MEMORY, Outcome, Stop, thrown};
use super::datum::Datum;
use super::evaluate::Run;
use super::message::reference_words;
use super::signature::wrong_argument;
use super::text::argument;
use crate::query::format_timestamp;
use jsonata_core::evaluator::{Context, Evaluator, EvaluatorError};
use jsonata_core::parser::parse;
use jsonata_core::value::JValue;

/// Most bytes of a picture.
const LONGEST_PICTURE: usize = 1000;
/// Most of what a picture makes of a component, in characters.
const WIDEST: u64 = 1000;
/// The largest number that is written in Roman numerals: a thousand needs a letter of its own.
const MOST_ROMAN: f64 = 1e6;

/// What a function of the engine gave, as ours.
pub(super) fn lent(run: &mut Run, given: Result<JValue, impl Into<EvaluatorError>>) -> Outcome {
    match given {
        Ok(JValue::Number(number)) => Ok(Datum::Number(number)),
        Ok(JValue::String(text)) => run.account.text(text.to_string()),
        Ok(JValue::Bool(flag)) => Ok(Datum::Bool(flag)),
        Ok(JValue::Null) => Ok(Datum::Null),
        Ok(_) => Ok(Datum::Nothing),
        Err(error) => {
            let error: EvaluatorError = error.into();
            thrown(reference_words(error.message()))
        }
    }
}

/// Asks the engine's own function, in an evaluator that has nothing but the arguments.
fn ask(run: &mut Run, name: &str, given: &[Datum]) -> Outcome {
    const NAMES: [&str; 3] = ["a", "b", "c"];
    run.account.take(64)?;
    let mut context = Context::new();
    let mut text = format!("${name}(");
    for (place, (own, value)) in NAMES.iter().zip(given).enumerate() {
        let value = match value {
            Datum::Number(number) => JValue::Number(*number),
            Datum::Text(text) => JValue::string(&**text),
            _ => JValue::Undefined,
        };
        context.bind((*own).to_string(), value);
        if place > 0 {
            text.push(',');
        }
        text.push('$');
        text.push_str(own);
    }
    text.push(')');
    let tree = match parse(&text) {
        Ok(tree) => tree,
        Err(error) => return thrown(error.to_string()),
    };
    let given = Evaluator::with_context(context).evaluate(&tree, &JValue::Undefined);
    lent(run, given)
}

/// Numbers are finite and of a size that can be spelt; pictures are short and ask for nothing wide.
pub(super) fn finite(given: &[Datum]) -> Outcome<()> {
    for (place, value) in given.iter().enumerate() {
        match value {
            Datum::Number(number) if !number.is_finite() => {
                return thrown("D1001: Number out of range: Infinity");
            }
            Datum::Number(number) if number.abs() > 1e21 && place > 0 => {
                return thrown("D1001: Number out of range");
            }
            Datum::Text(text) if place > 0 && text.len() > LONGEST_PICTURE => {
                return thrown("D3132: the picture is too long");
            }
            Datum::Text(text) if place > 0 && asks_for_wide(text) => {
                return Err(Stop::Bound(MEMORY));
            }
            _ => {}
        }
    }
    Ok(())
}

fn spelt(given: &[Datum]) -> Outcome<()> {
    finite(given)?;
    match argument(given, 0) {
        Datum::Number(number) if number.abs() > 1e21 => thrown("D1001: Number out of range"),
        _ => Ok(()),
    }
}

/// Whether a width in brackets, `[Y,9999]`, is larger than anything needs.
fn asks_for_wide(picture: &str) -> bool {
    let inside = picture.split('[').skip(1);
    let widths = inside.filter_map(|part| part.split(']').next()?.split_once(','));
    widths.into_iter().any(|(_, widths)| {
        let mut numbers = widths.split(|letter: char| !letter.is_ascii_digit());
        numbers
            .any(|number| !number.is_empty() && number.parse::<u64>().unwrap_or(u64::MAX) > WIDEST)
    })
}

pub(super) fn format_integer(run: &mut Run, given: &[Datum]) -> Outcome {
    let (number, picture) = match (argument(given, 0), argument(given, 1)) {
        (Datum::Number(number), Datum::Text(picture)) => (number, picture),
        (Datum::Nothing, _) => return Ok(Datum::Nothing),
        _ => return wrong_argument(2, "formatInteger"),
    };
    spelt(given)?;
    if number.abs() > MOST_ROMAN && picture.contains(['I', 'i']) {
        return Err(Stop::Bound(MEMORY));
    }
    ask(run, "formatInteger", given)
}

pub(super) fn parse_integer(run: &mut Run, given: &[Datum]) -> Outcome {
    read_by_picture(run, "parseInteger", given)
}

/// Asks the crate's function that reads a text by a picture, both of bounded length.
fn read_by_picture(run: &mut Run, name: &'static str, given: &[Datum]) -> Outcome {
    let Datum::Text(text) = argument(given, 0) else {
        return Ok(Datum::Nothing);
    };
    run.account.scan(text.len())?;
    if text.len() > LONGEST_PICTURE * 10 {
        return thrown("D3132: the text is too long");
    }
    spelt(given)?;
    ask(run, name, given)
}

pub(super) fn from_millis(run: &mut Run, given: &[Datum]) -> Outcome {
    let Datum::Number(millis) = *argument(given, 0) else {
        return Ok(Datum::Nothing);
    };
    spelt(given)?;
    let mut given = given.to_vec();
    if let Some(first) = given.first_mut() {
        *first = Datum::Number(millis.trunc());
    }
    ask(run, "fromMillis", &given)
}

pub(super) fn to_millis(run: &mut Run, given: &[Datum]) -> Outcome {
    read_by_picture(run, "toMillis", given)
}

pub(super) fn millis(run: &mut Run, _: &[Datum]) -> Outcome {
    Ok(Datum::Number(run.service.millis()))
}

pub(super) fn now(run: &mut Run, given: &[Datum]) -> Outcome {
    if given.is_empty() {
        let text = format_timestamp(run.service.now);
        return run.account.text(text);
    }
    if given.len() > 2 {
        return wrong_argument(3, "now");
    }
    let mut all = vec![Datum::Number(run.service.millis())];
    all.extend(given.iter().cloned());
    from_millis(run, &all)
}
