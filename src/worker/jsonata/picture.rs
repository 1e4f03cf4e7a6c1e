//! Formats numbers for `$formatNumber` by a picture (a format string) such as `#,##0.00;(0)`.

use super::account::{MEMORY, Outcome, TIMEOUT, bound, thrown};
use super::number::{float, rounded};
use super::numeral::repeat;
use crate::query::jsonata::js_text;

const PASSIVE: &str = "D3086: The sub-picture must not contain a passive character that is preceded by an active character and that is followed by another active character";
/// The possible errors of a sub-picture (the part of a picture for positive or for negative numbers), with the messages
/// of the reference implementation. [`Parts::fault`] checks them in this order.
const FAULTS: [&str; 13] = [
    "D3081: The sub-picture must not contain more than one instance of the 'decimal-separator' character",
    "D3082: The sub-picture must not contain more than one instance of the 'percent' character",
    "D3083: The sub-picture must not contain more than one instance of the 'per-mille' character",
    "D3084: The sub-picture must not contain both a 'percent' and a 'per-mille' character",
    "D3085: The mantissa part of a sub-picture must contain at least one character that is either an 'optional digit character' or a member of the 'decimal digit family'",
    PASSIVE,
    "D3087: The sub-picture must not contain a 'grouping-separator' character that appears adjacent to a 'decimal-separator' character",
    "D3088: The sub-picture must not contain a 'grouping-separator' at the end of the integer part",
    "D3089: The sub-picture must not contain two adjacent instances of the 'grouping-separator' character",
    "D3090: The integer part of the sub-picture must not contain a member of the 'decimal digit family' that is followed by an instance of the 'optional digit character'",
    "D3091: The fractional part of the sub-picture must not contain an instance of the 'optional digit character' that is followed by a member of the 'decimal digit family'",
    "D3092: A sub-picture that contains a 'percent' or 'per-mille' character must not contain a character treated as an 'exponent-separator'",
    "D3093: The exponent part of the sub-picture must comprise only of one or more characters that are members of the 'decimal digit family'",
];

type Letters = [char];

/// The characters with a special meaning in a picture, and those that the formatted number contains.
#[derive(Clone, Debug)]
pub(super) struct Signs {
    decimal: Vec<char>,
    grouping: Vec<char>,
    exponent: Vec<char>,
    minus: String,
    percent: Vec<char>,
    per_mille: Vec<char>,
    zero: char,
    digit: Vec<char>,
    pattern: String,
}

impl Signs {
    /// The default characters. `option` returns the user's replacement for a character, by the name of the option.
    pub(super) fn of<'o>(option: &dyn Fn(&str) -> Option<&'o str>) -> Self {
        let text = |name: &str, usual: &str| option(name).unwrap_or(usual).to_string();
        let letters = |name: &str, usual: &str| text(name, usual).chars().collect();
        Self {
            decimal: letters("decimal-separator", "."),
            grouping: letters("grouping-separator", ","),
            exponent: letters("exponent-separator", "e"),
            minus: text("minus-sign", "-"),
            percent: letters("percent", "%"),
            per_mille: letters("per-mille", "‰"),
            zero: text("zero-digit", "0").chars().next().unwrap_or('0'),
            digit: letters("digit", "#"),
            pattern: text("pattern-separator", ";"),
        }
    }

    fn is_decimal_digit(&self, letter: char) -> bool {
        let zero = u32::from(self.zero);
        (zero..zero + 10).contains(&u32::from(letter))
    }

    fn is_digit(&self, letter: char) -> bool {
        self.is_decimal_digit(letter) || self.digit == [letter]
    }

    fn is_active(&self, letter: char) -> bool {
        let signs = [&self.decimal, &self.exponent, &self.grouping, &self.digit];
        self.is_decimal_digit(letter)
            || signs.into_iter().any(|sign| **sign == [letter])
            || self.pattern.chars().eq([letter])
    }
}

/// Index of the first `wanted` in the text, searching from the index `from` on.
fn find(text: &Letters, wanted: &Letters, from: usize) -> Option<usize> {
    let rest = text.get(from.min(text.len())..)?;
    let place = match wanted.len() {
        0 => Some(0),
        length => rest.windows(length).position(|part| part == wanted),
    };
    place.map(|place| place + from)
}

fn occurs_twice(text: &Letters, wanted: &Letters) -> bool {
    find(text, wanted, 0).is_some_and(|place| find(text, wanted, place + 1).is_some())
}

/// The text between two indexes; an index beyond the end means the end.
fn part(text: &Letters, start: usize, end: usize) -> &Letters {
    let end = end.min(text.len());
    text.get(start.min(end)..end).unwrap_or_default()
}

/// A sub-picture, split up. A picture consists of one sub-picture for positive and, optionally, one for negative
/// numbers.
struct Parts {
    whole: Vec<char>,
    prefix: Vec<char>,
    suffix: Vec<char>,
    active: Vec<char>,
    mantissa: Vec<char>,
    exponent: Option<Vec<char>>,
    integer: Vec<char>,
    fraction: Vec<char>,
}

impl Parts {
    fn of(text: &str, signs: &Signs) -> Outcome<Self> {
        let whole: Vec<char> = text.chars().collect();
        let bears = |letter: &char| signs.is_active(*letter) && signs.exponent != [*letter];
        let (Some(first), Some(last)) =
            (whole.iter().position(bears), whole.iter().rposition(bears))
        else {
            // AWS returns this error for a sub-picture without active characters, such as digits and separators. The
            // reference implementation has no message for this case.
            return thrown(PASSIVE);
        };
        let active = part(&whole, first, last + 1);
        let exponent_place = find(&whole, &signs.exponent, first).filter(|at| *at <= last + 1);
        let (mantissa, exponent) = match exponent_place {
            None => (active, None),
            Some(at) => (
                part(active, 0, at),
                Some(part(active, at + 1, active.len()).to_vec()),
            ),
        };
        let suffix = part(&whole, last + 1, whole.len());
        let (integer, fraction) = match find(mantissa, &signs.decimal, 0) {
            None => (mantissa, suffix),
            Some(at) => (
                part(mantissa, 0, at),
                part(mantissa, at + 1, mantissa.len()),
            ),
        };
        Ok(Self {
            prefix: part(&whole, 0, first).to_vec(),
            suffix: suffix.to_vec(),
            active: active.to_vec(),
            mantissa: mantissa.to_vec(),
            exponent,
            integer: integer.to_vec(),
            fraction: fraction.to_vec(),
            whole,
        })
    }

    /// The error in the sub-picture, if there is one. If there are several, the last one in the order of [`FAULTS`].
    fn fault(&self, signs: &Signs) -> Option<&'static str> {
        let whole = &*self.whole;
        let decimal = find(whole, &signs.decimal, 0);
        let has = |sign: &Letters| find(whole, sign, 0).is_some();
        let decimal_digit = |letter: &char| signs.is_decimal_digit(*letter);
        let beside = |at: Option<usize>| {
            let letter = at.and_then(|at| whole.get(at));
            letter.is_some_and(|letter| signs.grouping == [*letter])
        };
        let grouping_ends = self
            .integer
            .last()
            .is_some_and(|letter| signs.grouping == [*letter]);
        let doubled = [signs.grouping.clone(), signs.grouping.clone()].concat();
        let optional = find(&self.integer, &signs.digit, 0);
        let digits_before =
            optional.is_some_and(|at| part(&self.integer, 0, at).iter().any(decimal_digit));
        let last_optional = self
            .fraction
            .iter()
            .rposition(|letter| signs.digit == [*letter]);
        let digits_after = last_optional.is_some_and(|at| {
            part(&self.fraction, at, self.fraction.len())
                .iter()
                .any(decimal_digit)
        });
        let exponent = self.exponent.as_deref();
        let scaled = has(&signs.percent) || has(&signs.per_mille);
        let wrong = [
            occurs_twice(whole, &signs.decimal),
            occurs_twice(whole, &signs.percent),
            occurs_twice(whole, &signs.per_mille),
            has(&signs.percent) && has(&signs.per_mille),
            !self.mantissa.iter().any(|letter| signs.is_digit(*letter)),
            !self.active.iter().all(|letter| signs.is_active(*letter)),
            decimal.is_some_and(|at| beside(at.checked_sub(1)) || beside(Some(at + 1))),
            decimal.is_none() && grouping_ends,
            has(&doubled),
            digits_before,
            digits_after,
            exponent.is_some_and(|part| !part.is_empty()) && scaled,
            exponent.is_some_and(|part| part.is_empty() || !part.iter().all(decimal_digit)),
        ];
        let mut faults = wrong.into_iter().zip(FAULTS);
        faults.rfind(|(wrong, _)| *wrong).map(|(_, fault)| fault)
    }

    /// The number of digits to the left of each separator if `to_left`, otherwise to the right of it.
    fn groups(&self, of: &Letters, signs: &Signs, to_left: bool) -> Vec<usize> {
        let mut made = Vec::new();
        let mut at = find(of, &signs.grouping, 0);
        while let Some(place) = at {
            let side = match to_left {
                true => part(of, 0, place),
                false => part(of, place, of.len()),
            };
            made.push(
                side.iter()
                    .filter(|letter| signs.is_digit(**letter))
                    .count(),
            );
            at = find(&self.integer, &signs.grouping, place + 1);
        }
        made
    }
}

/// How to format positive numbers, or how to format negative ones.
struct Layout {
    parts: Parts,
    integer_groups: Vec<usize>,
    regular: Option<usize>,
    fraction_groups: Vec<usize>,
    least_integer: usize,
    scale: i32,
    least_fraction: usize,
    most_fraction: usize,
    exponent: usize,
}

impl Layout {
    fn of(parts: Parts, signs: &Signs) -> Self {
        let digits = |text: &Letters| {
            text.iter()
                .filter(|letter| signs.is_decimal_digit(**letter))
                .count()
        };
        let mut least_integer = digits(&parts.integer);
        let scale = i32::try_from(least_integer).unwrap_or(i32::MAX);
        let mut least_fraction = digits(&parts.fraction);
        let any = parts
            .fraction
            .iter()
            .filter(|letter| signs.is_digit(**letter));
        let mut most_fraction = any.count();
        let exponent = parts.exponent.as_deref();
        if least_integer == 0 && most_fraction == 0 {
            if exponent.is_some() {
                (least_fraction, most_fraction) = (1, 1);
            } else {
                least_integer = 1;
            }
        }
        if exponent.is_some()
            && least_integer == 0
            && find(&parts.integer, &signs.digit, 0).is_some()
        {
            least_integer = 1;
        }
        if least_integer == 0 && least_fraction == 0 {
            least_fraction = 1;
        }
        let integer_groups = parts.groups(&parts.integer, signs, false);
        Self {
            regular: repeat(&integer_groups),
            integer_groups,
            fraction_groups: parts.groups(&parts.fraction, signs, true),
            least_integer,
            scale,
            least_fraction,
            most_fraction,
            exponent: exponent.map_or(0, digits),
            parts,
        }
    }

    fn write(&self, value: f64, signs: &Signs) -> Outcome<String> {
        let has = |sign: &Letters| find(&self.parts.whole, sign, 0).is_some();
        let mut mantissa = value;
        if has(&signs.percent) {
            mantissa *= 100.0;
        } else if has(&signs.per_mille) {
            mantissa *= 1000.0;
        }
        let mut exponent = None;
        if self.exponent > 0 {
            let (most, least) = (10_f64.powi(self.scale), 10_f64.powi(self.scale - 1));
            if mantissa <= 0.0 && least > mantissa || mantissa.is_infinite() {
                // Here the reference implementation would loop forever.
                return bound(TIMEOUT);
            }
            let mut power = 0.0;
            while mantissa < least {
                mantissa *= 10.0;
                power -= 1.0;
            }
            while mantissa > most {
                mantissa /= 10.0;
                power += 1.0;
            }
            exponent = Some(power);
        }
        if self.most_fraction > 100 {
            return thrown("toFixed() digits argument must be between 0 and 100");
        }
        let number = rounded(mantissa, float(self.most_fraction));
        let mut text = self.plain(number, signs);
        self.group(&mut text, signs);
        let decimal = find(&text, &signs.decimal, 0);
        if !has(&signs.decimal) || decimal.is_some_and(|at| at + 1 == text.len()) {
            text.pop();
        }
        if let Some(power) = exponent {
            let mut digits = fixed(power, 0, signs);
            let missing = self.exponent.saturating_sub(digits.len());
            digits.splice(0..0, std::iter::repeat_n(signs.zero, missing));
            text.extend(&signs.exponent);
            if power < 0.0 {
                text.extend(signs.minus.chars());
            }
            text.append(&mut digits);
        }
        let all = [&*self.parts.prefix, &*text, &*self.parts.suffix].concat();
        Ok(all.into_iter().collect())
    }

    /// The digits without grouping separators, with as many zeros as the picture requires.
    fn plain(&self, number: f64, signs: &Signs) -> Vec<char> {
        let mut text = fixed(number, self.most_fraction, signs);
        match text.iter().position(|letter| *letter == '.') {
            Some(at) => {
                text.splice(at..=at, signs.decimal.iter().copied());
            }
            None => text.extend(&signs.decimal),
        }
        let zeros = text.iter().take_while(|letter| **letter == signs.zero);
        text.drain(..zeros.count());
        while text.last() == Some(&signs.zero) {
            text.pop();
        }
        let decimal = find(&text, &signs.decimal, 0).unwrap_or(0);
        let after = text.len().saturating_sub(decimal + 1);
        let left = self.least_integer.saturating_sub(decimal);
        let right = self.least_fraction.saturating_sub(after);
        text.splice(0..0, std::iter::repeat_n(signs.zero, left));
        text.extend(std::iter::repeat_n(signs.zero, right));
        text
    }

    fn group(&self, text: &mut Vec<char>, signs: &Signs) {
        let insert = |text: &mut Vec<char>, at: Option<usize>, beyond: usize| {
            // A negative position counts from the end of the text, as in JavaScript.
            let at = at.unwrap_or_else(|| text.len().saturating_sub(beyond));
            let at = at.min(text.len());
            text.splice(at..at, signs.grouping.iter().copied());
        };
        let mut decimal = find(text, &signs.decimal, 0).unwrap_or(0);
        if let Some(every) = self.regular {
            for turn in 1..=decimal.saturating_sub(1) / every {
                insert(text, decimal.checked_sub(turn * every), 0);
            }
        } else {
            for place in &self.integer_groups {
                let beyond = place.saturating_sub(decimal);
                insert(text, decimal.checked_sub(*place), beyond);
                decimal += 1;
            }
        }
        let decimal = find(text, &signs.decimal, 0).unwrap_or(0);
        for place in &self.fraction_groups {
            insert(text, Some(place + decimal + 1), 0);
        }
    }
}

/// The digits of the absolute value of a number, with `digits` decimals.
fn fixed(number: f64, digits: usize, signs: &Signs) -> Vec<char> {
    let size = number.abs();
    let text = if size < 1e21 {
        format!("{size:.digits$}")
    } else {
        js_text(size)
    };
    let moved = |letter: char| match letter.to_digit(10) {
        Some(digit) if signs.zero != '0' => char::from_u32(u32::from(signs.zero) + digit),
        _ => Some(letter),
    };
    text.chars().filter_map(moved).collect()
}

/// Formats a number by a picture with one or two sub-pictures.
pub(super) fn format(value: f64, picture: &str, signs: &Signs) -> Outcome<String> {
    let pictures: Vec<&str> = picture.split(signs.pattern.as_str()).collect();
    if pictures.len() > 2 {
        return thrown("D3080: The picture string must only contain a maximum of two sub-pictures");
    }
    let mut all = Vec::with_capacity(2);
    for picture in &pictures {
        all.push(Parts::of(picture, signs)?);
    }
    if let Some(message) = all.iter().find_map(|parts| parts.fault(signs)) {
        return thrown(message);
    }
    if picture.len() > 100_000 {
        return bound(MEMORY);
    }
    let is_negative = value < 0.0 || value.is_nan();
    let chosen = if is_negative && all.len() > 1 {
        all.pop()
    } else {
        None
    };
    let parts = match chosen {
        Some(second) => second,
        None => {
            let mut first = all.swap_remove(0);
            if is_negative {
                first.prefix.splice(0..0, signs.minus.chars());
            }
            first
        }
    };
    Layout::of(parts, signs).write(value, signs)
}
