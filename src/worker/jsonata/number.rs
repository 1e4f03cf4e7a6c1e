//! Built-in functions on numbers, conversion between numbers and text, and access to list items by index.

use super::account::{Outcome, no_property, thrown};
use super::datum::Datum;
use super::evaluate::Run;
use super::picture::{self, Signs};
use super::plan::{Form, Node};
use super::text::argument;
use crate::query::jsonata::js_text;

/// Multiplies a number by a power of ten without a rounding error, by changing the exponent of its decimal text.
fn shifted(number: f64, power: f64) -> f64 {
    let text = format!("{number:e}");
    let Some((digits, exponent)) = text.split_once('e') else {
        return number;
    };
    match exponent.parse::<f64>() {
        Ok(exponent) if power.fract() == 0.0 => format!("{digits}e{}", exponent + power)
            .parse()
            .unwrap_or(f64::NAN),
        _ => f64::NAN,
    }
}

/// Rounds to `digits` decimals. A number halfway between two results becomes the one with an even last digit.
pub(super) fn rounded(number: f64, digits: f64) -> f64 {
    let moved = if digits == 0.0 {
        number
    } else {
        shifted(number, digits)
    };
    let below = moved.floor();
    let mut whole = if moved - below >= 0.5 {
        below + 1.0
    } else {
        below
    };
    if (whole - moved).abs() == 0.5 && (whole % 2.0).abs() == 1.0 {
        whole -= 1.0;
    }
    let made = if digits == 0.0 {
        whole
    } else {
        shifted(whole, -digits)
    };
    // Adding zero turns negative zero into zero.
    made + 0.0
}

/// Converts a number to an index or a count.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a value that is too large or negative becomes the nearest possible value"
)]
pub(super) fn index(number: f64) -> usize {
    number as usize
}

/// Converts a count to a number, as JSONata needs it.
#[expect(clippy::cast_precision_loss, reason = "counts are below 2^53")]
pub(super) fn float(count: usize) -> f64 {
    count as f64
}

fn of_number(given: &[Datum], make: impl FnOnce(f64) -> f64) -> Outcome {
    match argument(given, 0) {
        Datum::Number(number, _) => Ok(Datum::number(make(*number))),
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

pub(super) fn round(_: &mut Run, given: &[Datum]) -> Outcome {
    let Datum::Number(number, _) = *argument(given, 0) else {
        return Ok(Datum::Nothing);
    };
    let digits = match argument(given, 1) {
        Datum::Number(digits, _) => *digits,
        _ => 0.0,
    };
    Ok(Datum::number(rounded(number, digits)))
}

pub(super) fn sqrt(_: &mut Run, given: &[Datum]) -> Outcome {
    match argument(given, 0) {
        Datum::Number(number, _) if *number < 0.0 => thrown(format!(
            "D3060: The sqrt function cannot be applied to a negative number: {number}"
        )),
        Datum::Number(number, _) => Ok(Datum::number(number.sqrt())),
        _ => Ok(Datum::Nothing),
    }
}

pub(super) fn power(_: &mut Run, given: &[Datum]) -> Outcome {
    const UNREPRESENTABLE: &str = "D3061: The power function has resulted in a value that cannot be represented as a JSON number";
    match (argument(given, 0), argument(given, 1)) {
        (Datum::Nothing, _) => Ok(Datum::Nothing),
        (Datum::Number(base, _), Datum::Number(exponent, _)) => {
            let power = base.powf(*exponent);
            match power.is_finite() {
                true => Ok(Datum::number(power)),
                false => thrown(format!(
                    "{UNREPRESENTABLE}: base={base}, exponent={exponent}"
                )),
            }
        }
        _ => thrown(UNREPRESENTABLE),
    }
}

pub(super) fn number(run: &mut Run, given: &[Datum]) -> Outcome {
    match argument(given, 0) {
        Datum::Nothing => Ok(Datum::Nothing),
        Datum::Number(number, _) => Ok(Datum::number(*number)),
        Datum::Bool(flag, _) => Ok(Datum::number(f64::from(u8::from(*flag)))),
        Datum::Text(text, _) => {
            run.account.scan(text.len())?;
            match read(text.trim()) {
                Some(number) => Ok(Datum::number(number)),
                None => thrown(format!(
                    "D3030: Unable to cast value to a number: \"{}\"",
                    &**text
                )),
            }
        }
        _ => thrown("D3030: Unable to cast value to a number"),
    }
}

/// Parses a number in decimal, hexadecimal, octal or binary notation.
#[expect(
    clippy::cast_precision_loss,
    reason = "all numbers in JSONata are floats"
)]
fn read(text: &str) -> Option<f64> {
    for (prefixes, radix) in [(["0x", "0X"], 16), (["0o", "0O"], 8), (["0b", "0B"], 2)] {
        if let Some(digits) = prefixes.iter().find_map(|prefix| text.strip_prefix(prefix)) {
            let number = i64::from_str_radix(digits, radix).ok()?;
            return Some(number as f64);
        }
    }
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

pub(super) fn format_base(run: &mut Run, given: &[Datum]) -> Outcome {
    let Datum::Number(number, _) = *argument(given, 0) else {
        return Ok(Datum::Nothing);
    };
    let number = rounded(number, 0.0);
    let radix = match argument(given, 1) {
        Datum::Number(radix, _) => rounded(*radix, 0.0),
        _ => 10.0,
    };
    if !(2.0..=36.0).contains(&radix) {
        return thrown(format!(
            "D3100: The radix of the formatBase function must be between 2 and 36.  It was given {}",
            shown(radix)
        ));
    }
    if radix == 10.0 || !number.is_finite() {
        return run.account.text(js_text(number));
    }
    let mut left = number.abs();
    let mut digits = Vec::new();
    loop {
        let digit = u32::try_from(index(left % radix)).unwrap_or(0);
        digits.push(char::from_digit(digit, 36).unwrap_or('0'));
        left = (left / radix).floor();
        if left < 1.0 {
            break;
        }
    }
    if number < 0.0 {
        digits.push('-');
    }
    run.account.text(digits.into_iter().rev().collect())
}

/// A number as error messages show it; `null` if it is infinite or not a number.
pub(super) fn shown(number: f64) -> String {
    if number.is_finite() {
        js_text(number)
    } else {
        "null".to_string()
    }
}

pub(super) fn format_number(run: &mut Run, given: &[Datum]) -> Outcome {
    let Datum::Number(number, _) = *argument(given, 0) else {
        return Ok(Datum::Nothing);
    };
    let Datum::Text(picture, _) = argument(given, 1) else {
        return no_property("split");
    };
    run.account.scan(picture.len().saturating_mul(16))?;
    let options = match argument(given, 2) {
        Datum::Record(record, _) => Some(record),
        _ => None,
    };
    let option = |name: &str| options.and_then(|options| options.get(name)?.as_str());
    let signs = Signs::of(&option);
    let text = picture::format(number, picture, &signs)?;
    run.account.text(text)
}

/// The numbers in a list, each with its item. A value that is not a list counts as a list of one item.
fn numbers<'d>(
    run: &mut Run,
    given: &'d [Datum],
) -> Outcome<Option<impl Iterator<Item = (f64, &'d Datum)>>> {
    let list = argument(given, 0);
    if list.is_nothing() {
        return Ok(None);
    }
    run.account.take(list.items().len() / 8)?;
    Ok(Some(list.items().iter().filter_map(|item| match item {
        Datum::Number(number, _) => Some((*number, item)),
        _ => None,
    })))
}

fn total<'d>(numbers: impl Iterator<Item = (f64, &'d Datum)>) -> f64 {
    numbers.fold(0.0, |sum, (number, _)| sum + number)
}

pub(super) fn sum(run: &mut Run, given: &[Datum]) -> Outcome {
    let all = numbers(run, given)?;
    Ok(all.map_or(Datum::Nothing, |numbers| Datum::number(total(numbers))))
}

/// The number in a list that is `preferred` to all others, such as the largest; of equal numbers, the first.
fn extreme(run: &mut Run, given: &[Datum], preferred: fn(&f64, &f64) -> bool) -> Outcome {
    let all = numbers(run, given)?;
    let best = all.and_then(|numbers| {
        numbers.reduce(|best, next| {
            if preferred(&next.0, &best.0) {
                next
            } else {
                best
            }
        })
    });
    Ok(best.map_or(Datum::Nothing, |(_, item)| item.clone()))
}

pub(super) fn max(run: &mut Run, given: &[Datum]) -> Outcome {
    extreme(run, given, f64::gt)
}

pub(super) fn min(run: &mut Run, given: &[Datum]) -> Outcome {
    extreme(run, given, f64::lt)
}

pub(super) fn average(run: &mut Run, given: &[Datum]) -> Outcome {
    let count = argument(given, 0).items().len();
    match numbers(run, given)? {
        Some(numbers) if count > 0 => Ok(Datum::number(total(numbers) / float(count))),
        _ => Ok(Datum::Nothing),
    }
}

/// The number in a predicate such as `[0]`; `None` if the predicate is not a literal number.
pub(super) fn literal_place(predicate: &Node) -> Option<f64> {
    match &predicate.form {
        Form::Literal(Datum::Number(number, _)) => Some(*number),
        _ => None,
    }
}

/// The item at an index. A negative index counts from the end.
pub(super) fn at<T>(items: &[T], place: f64) -> Option<&T> {
    let count = float(items.len());
    let mut place = place.floor();
    if place < 0.0 {
        place += count;
    }
    (place >= 0.0 && place < count)
        .then(|| items.get(index(place)))
        .flatten()
}

/// True if `number` as an index means the item at `place` in a list of `count` items. A negative number counts from the
/// end.
pub(super) fn is_place(number: f64, place: usize, count: usize) -> bool {
    let mut number = number.floor();
    if number < 0.0 {
        number += float(count);
    }
    number == float(place)
}

pub(super) fn place_number(place: usize) -> Datum {
    Datum::number(float(place))
}
