//! Functions of numbers.
//!
//! It must not know who calls.

use super::account::{Outcome, thrown};
use super::datum::Datum;
use super::evaluate::Run;
use super::moment::{finite, lent};
use super::text::argument;
use jsonata_core::functions::{numeric, string};
use jsonata_core::value::{JMap, JValue};
use std::rc::Rc;

/// Most members of the options of `$formatNumber`.
const OPTIONS: usize = 32;

/// A number as text: 15 digits that count.
pub(super) fn number_text(number: f64) -> String {
    if number.fract() == 0.0 && number.abs() < 1e15 {
        // Adding zero takes the sign of a negative zero away.
        return format!("{:.0}", number + 0.0);
    }
    match string::string(&JValue::Number(number), None) {
        Ok(JValue::String(text)) => text.to_string(),
        _ => String::new(),
    }
}

/// A whole number that is not negative, as a place or a count.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "what is too large or below zero becomes the nearest that can be"
)]
pub(super) fn index(number: f64) -> usize {
    number as usize
}

/// A count as a number.
#[expect(clippy::cast_precision_loss, reason = "counts are below 2^53")]
pub(super) fn float(count: usize) -> f64 {
    count as f64
}

fn of_number(given: &[Datum], make: impl FnOnce(f64) -> f64) -> Outcome {
    match argument(given, 0) {
        Datum::Number(number) => Ok(Datum::Number(make(*number))),
        _ => Ok(Datum::Nothing),
    }
}

pub(super) fn abs(_: &mut Run, given: &[Datum]) -> Outcome {
    of_number(given, f64::abs)
}

pub(super) fn floor(_: &mut Run, given: &[Datum]) -> Outcome {
    of_number(given, f64::floor)
}

pub(super) fn ceil(_: &mut Run, given: &[Datum]) -> Outcome {
    of_number(given, f64::ceil)
}

pub(super) fn round(run: &mut Run, given: &[Datum]) -> Outcome {
    let Datum::Number(number) = *argument(given, 0) else {
        return Ok(Datum::Nothing);
    };
    #[expect(
        clippy::cast_possible_truncation,
        reason = "more digits than there are change nothing"
    )]
    let digits = match argument(given, 1) {
        Datum::Number(digits) => Some(digits.clamp(-400.0, 400.0) as i32),
        _ => None,
    };
    lent(run, numeric::round(number, digits))
}

pub(super) fn sqrt(run: &mut Run, given: &[Datum]) -> Outcome {
    match argument(given, 0) {
        Datum::Number(number) => lent(run, numeric::sqrt(*number)),
        _ => Ok(Datum::Nothing),
    }
}

pub(super) fn power(run: &mut Run, given: &[Datum]) -> Outcome {
    match (argument(given, 0), argument(given, 1)) {
        (Datum::Nothing, _) => Ok(Datum::Nothing),
        (Datum::Number(base), Datum::Number(exponent)) => {
            lent(run, numeric::power(*base, *exponent))
        }
        _ => thrown(
            "D3061: The power function has resulted in a value that cannot be represented as a JSON number",
        ),
    }
}

pub(super) fn number(run: &mut Run, given: &[Datum]) -> Outcome {
    match argument(given, 0) {
        Datum::Nothing => Ok(Datum::Nothing),
        Datum::Number(number) => Ok(Datum::Number(*number)),
        Datum::Bool(flag) => Ok(Datum::Number(f64::from(u8::from(*flag)))),
        Datum::Text(text) => {
            run.account.scan(text.len())?;
            lent(run, numeric::number(&JValue::string(&**text)))
        }
        _ => thrown("D3030: Unable to cast value to a number"),
    }
}

pub(super) fn format_base(run: &mut Run, given: &[Datum]) -> Outcome {
    let Datum::Number(number) = *argument(given, 0) else {
        return Ok(Datum::Nothing);
    };
    finite(given)?;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "what is too large is refused as such"
    )]
    let radix = match argument(given, 1) {
        Datum::Number(radix) => Some(*radix as i64),
        _ => None,
    };
    lent(run, numeric::format_base(number, radix))
}

pub(super) fn format_number(run: &mut Run, given: &[Datum]) -> Outcome {
    let (Datum::Number(number), Datum::Text(picture)) = (argument(given, 0), argument(given, 1))
    else {
        return Ok(Datum::Nothing);
    };
    finite(given)?;
    let options = match argument(given, 2) {
        Datum::Record(record) => {
            if record.members().len() > OPTIONS {
                return thrown("D3141: $formatNumber takes fewer options");
            }
            let mut map = JMap::default();
            for (name, member) in record.members() {
                if let Datum::Text(text) = member
                    && text.len() <= 16
                {
                    map.insert(name.to_string(), JValue::string(&**text));
                }
            }
            Some(JValue::Object(Rc::new(map)))
        }
        _ => None,
    };
    lent(
        run,
        numeric::format_number(*number, picture, options.as_ref()),
    )
}

/// The numbers of a list; what is no list is one of its own.
fn numbers<'d>(
    run: &mut Run,
    given: &'d [Datum],
) -> Outcome<Option<impl Iterator<Item = f64> + 'd>> {
    let list = argument(given, 0);
    if list.is_nothing() {
        return Ok(None);
    }
    run.account.take(list.items().len() / 8)?;
    Ok(Some(list.items().iter().filter_map(|item| match item {
        Datum::Number(number) => Some(*number),
        _ => None,
    })))
}

pub(super) fn sum(run: &mut Run, given: &[Datum]) -> Outcome {
    match numbers(run, given)? {
        Some(numbers) => Ok(Datum::Number(numbers.fold(0.0, |sum, number| sum + number))),
        None => Ok(Datum::Nothing),
    }
}

pub(super) fn max(run: &mut Run, given: &[Datum]) -> Outcome {
    let all = numbers(run, given)?;
    let most = all.and_then(|numbers| {
        numbers.reduce(|most, number| if number > most { number } else { most })
    });
    Ok(most.map_or(Datum::Nothing, Datum::Number))
}

pub(super) fn min(run: &mut Run, given: &[Datum]) -> Outcome {
    let all = numbers(run, given)?;
    let least = all.and_then(|numbers| {
        numbers.reduce(|least, number| if number < least { number } else { least })
    });
    Ok(least.map_or(Datum::Nothing, Datum::Number))
}

pub(super) fn average(run: &mut Run, given: &[Datum]) -> Outcome {
    let count = argument(given, 0).items().len();
    match numbers(run, given)? {
        Some(numbers) if count > 0 => {
            let sum = numbers.fold(0.0, |sum, number| sum + number);
            Ok(Datum::Number(sum / float(count)))
        }
        _ => Ok(Datum::Nothing),
    }
}
