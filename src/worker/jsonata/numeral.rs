//! Formats and parses whole numbers by a picture (a format string): as digits with separators, words, Roman numerals or
//! letters.

use super::account::{MEMORY, Outcome, TIMEOUT, bound, thrown};
use super::number::{float, index};
use crate::query::jsonata::js_text;

/// Largest number that is written in Roman numerals. There is a limit because each thousand adds a letter.
const MOST_ROMAN: f64 = 1e6;
/// Maximum number of digits that a picture may specify.
const WIDEST: f64 = 1000.0;

const FEW: [&str; 20] = [
    "Zero",
    "One",
    "Two",
    "Three",
    "Four",
    "Five",
    "Six",
    "Seven",
    "Eight",
    "Nine",
    "Ten",
    "Eleven",
    "Twelve",
    "Thirteen",
    "Fourteen",
    "Fifteen",
    "Sixteen",
    "Seventeen",
    "Eighteen",
    "Nineteen",
];
const TENS: [&str; 8] = [
    "Twenty", "Thirty", "Forty", "Fifty", "Sixty", "Seventy", "Eighty", "Ninety",
];
const POWERS: [&str; 4] = ["Thousand", "Million", "Billion", "Trillion"];
const ROMAN: [(f64, &str); 13] = [
    (1000.0, "m"),
    (900.0, "cm"),
    (500.0, "d"),
    (400.0, "cd"),
    (100.0, "c"),
    (90.0, "xc"),
    (50.0, "l"),
    (40.0, "xl"),
    (10.0, "x"),
    (9.0, "ix"),
    (5.0, "v"),
    (4.0, "iv"),
    (1.0, "i"),
];
/// The code point of the digit zero in each script whose decimal digits a picture can use.
const ZEROS: [u32; 37] = [
    0x30, 0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6,
    0x0D66, 0x0DE6, 0x0E50, 0x0ED0, 0x0F20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80,
    0x1A90, 0x1B50, 0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0,
    0xFF10,
];

/// Upper, lower or title case of letters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Case {
    Upper,
    Lower,
    Title,
}

impl Case {
    pub(super) fn of(self, text: &str) -> String {
        match self {
            Self::Upper => text.to_uppercase(),
            Self::Lower => text.to_lowercase(),
            Self::Title => text.to_string(),
        }
    }
}

/// How a picture writes a number.
#[derive(Clone, Debug)]
pub(super) enum Form {
    Digits(Digits),
    Letters,
    Roman,
    Words,
    /// The picture asks for a numbering sequence that is not supported. The text is the picture.
    Sequence(String),
}

#[derive(Clone, Debug)]
pub(super) struct Digits {
    /// Code point of zero in the script of the picture's digits.
    zero: u32,
    pub least: f64,
    pub optional: f64,
    /// Each separator, with the number of digits to its right.
    separators: Vec<(usize, char)>,
    /// The group size and the separator, if all separators are the same and evenly spaced.
    pub regular: Option<(usize, char)>,
}

/// A parsed picture (format string) of a whole number.
#[derive(Clone, Debug)]
pub(super) struct Numeral {
    pub form: Form,
    case: Case,
    ordinal: bool,
}

impl Numeral {
    pub(super) fn of(picture: &str) -> Outcome<Self> {
        let (primary, modifier) = picture.rsplit_once(';').unwrap_or((picture, ""));
        let (form, case) = match primary {
            "A" => (Form::Letters, Case::Upper),
            "a" => (Form::Letters, Case::Lower),
            "I" => (Form::Roman, Case::Upper),
            "i" => (Form::Roman, Case::Lower),
            "W" => (Form::Words, Case::Upper),
            "w" => (Form::Words, Case::Lower),
            "Ww" => (Form::Words, Case::Title),
            _ => (digits(primary)?, Case::Lower),
        };
        Ok(Self {
            form,
            case,
            ordinal: modifier.starts_with('o'),
        })
    }

    /// The format of the digits, if the picture writes digits.
    pub(super) fn digits(&self) -> Option<&Digits> {
        match &self.form {
            Form::Digits(digits) => Some(digits),
            _ => None,
        }
    }

    /// Makes `least` the minimum number of digits, if it is larger than the present minimum or if `exactly` is true.
    pub(super) fn widen(&mut self, least: f64, exactly: bool) {
        if let Form::Digits(digits) = &mut self.form
            && (exactly || digits.least < least)
        {
            digits.least = least;
        }
    }

    /// Formats a whole number as the picture specifies.
    pub(super) fn write(&self, value: f64) -> Outcome<String> {
        let size = value.abs();
        let text = match &self.form {
            Form::Letters => letters(size, if self.case == Case::Upper { b'A' } else { b'a' })?,
            Form::Roman => self.case.of(&roman(size)?),
            Form::Words => {
                if !size.is_finite() {
                    return thrown("Maximum call stack size exceeded");
                }
                self.case.of(&words(size, false, self.ordinal))
            }
            Form::Digits(digits) => digits.write(size, self.ordinal)?,
            Form::Sequence(start) => return unknown_sequence(start),
        };
        Ok(if value < 0.0 {
            format!("-{text}")
        } else {
            text
        })
    }

    /// A regular expression that matches the text of a number. `exactly` is the required number of digits, if there is
    /// one.
    pub(super) fn regular(&self, exactly: Option<f64>) -> Outcome<String> {
        let upper = self.case == Case::Upper;
        Ok(match &self.form {
            Form::Letters if upper => "[A-Z]+".to_string(),
            Form::Letters => "[a-z]+".to_string(),
            Form::Roman if upper => "[MDCLXVI]+".to_string(),
            Form::Roman => "[mdclxvi]+".to_string(),
            Form::Words => {
                let all: Vec<String> = known_words().map(|(word, _)| word).collect();
                format!("(?:{}|and|[\\-, ])+", all.join("|"))
            }
            Form::Digits(digits) => {
                let count = match exactly {
                    Some(count) if count > 0.0 && digits.optional == 0.0 => {
                        format!("{{{}}}", js_text(count))
                    }
                    Some(count) if count > 0.0 => {
                        let least = js_text(count - digits.optional);
                        format!("{{{least},{}}}", js_text(count))
                    }
                    _ => "+".to_string(),
                };
                let suffix = if self.ordinal { "(?:th|st|nd|rd)" } else { "" };
                format!("[0-9]{count}{suffix}")
            }
            Form::Sequence(start) => return unknown_sequence(start),
        })
    }

    /// Parses a text; NaN if the text is not a number in this form.
    pub(super) fn read(&self, text: &str) -> Outcome<f64> {
        let upper = self.case == Case::Upper;
        match &self.form {
            Form::Letters => {
                let first = if upper { b'A' } else { b'a' };
                let units: Vec<u16> = text.encode_utf16().collect();
                Ok(units.iter().fold(0.0, |sum, unit| {
                    sum * 26.0 + f64::from(*unit) - f64::from(first) + 1.0
                }))
            }
            Form::Roman if upper => Ok(of_roman(text)),
            Form::Roman => Ok(of_roman(&text.to_uppercase())),
            Form::Words => Ok(of_words(&text.to_lowercase())),
            Form::Digits(digits) => digits.read(text, self.ordinal),
            Form::Sequence(start) => unknown_sequence(start),
        }
    }
}

fn unknown_sequence<T>(start: &str) -> Outcome<T> {
    thrown(format!(
        "D3130: Formatting or parsing an integer as a sequence starting with \"{start}\" is not supported by this implementation"
    ))
}

fn digits(picture: &str) -> Outcome<Form> {
    let mut zero = None;
    let (mut least, mut optional, mut place) = (0.0, 0.0, 0);
    let mut separators = Vec::new();
    for letter in picture.chars().rev() {
        let code = u32::from(letter);
        let family = ZEROS
            .iter()
            .find(|zero| (**zero..**zero + 10).contains(&code));
        match family {
            Some(family) => {
                if *zero.get_or_insert(*family) != *family {
                    return thrown(
                        "D3131: In a decimal digit pattern, all digits must be from the same decimal group",
                    );
                }
                least += 1.0;
                place += 1;
            }
            None if letter == '#' => {
                optional += 1.0;
                place += 1;
            }
            None => separators.push((place, letter)),
        }
    }
    let Some(zero) = zero else {
        return Ok(Form::Sequence(picture.to_string()));
    };
    let regular = regular(&separators);
    Ok(Form::Digits(Digits {
        zero,
        least,
        optional,
        separators,
        regular,
    }))
}

/// The group size and the separator, if all separators are the same and evenly spaced.
fn regular(separators: &[(usize, char)]) -> Option<(usize, char)> {
    let (_, letter) = *separators.first()?;
    if separators.iter().any(|(_, other)| *other != letter) {
        return None;
    }
    let places: Vec<usize> = separators.iter().map(|(place, _)| *place).collect();
    let factor = repeat(&places)?;
    Some((factor, letter))
}

/// The group size, if the separators are evenly spaced. Each of `places` is the number of digits beside a separator.
pub(super) fn repeat(places: &[usize]) -> Option<usize> {
    fn divisor(a: usize, b: usize) -> usize {
        if b == 0 { a } else { divisor(b, a % b) }
    }
    let factor = places.iter().copied().reduce(divisor)?;
    let all = (1..=places.len()).all(|turn| places.contains(&(turn * factor)));
    (all && factor > 0).then_some(factor)
}

impl Digits {
    fn write(&self, value: f64, ordinal: bool) -> Outcome<String> {
        let mut text: Vec<char> = js_text(value).chars().collect();
        if self.least > WIDEST {
            return bound(MEMORY);
        }
        let missing = index((self.least - float(text.len())).max(0.0));
        let mut all = vec!['0'; missing];
        all.append(&mut text);
        if self.zero != 0x30 {
            let moved = |letter: char| char::from_u32(u32::from(letter) + self.zero - 0x30);
            all = all.into_iter().filter_map(moved).collect();
        }
        if let Some((every, letter)) = self.regular {
            let turns = all.len().saturating_sub(1) / every;
            for turn in (1..=turns).rev() {
                all.insert(all.len() - turn * every, letter);
            }
        } else {
            for (place, letter) in self.separators.iter().rev() {
                match all.len().checked_sub(*place) {
                    Some(at) => all.insert(at, *letter),
                    // As in JavaScript's `slice`, a negative index counts from the end.
                    None => {
                        let over = place - all.len();
                        let from = all.len().saturating_sub(over);
                        let mut rest = all.split_off(from);
                        all = vec![*letter];
                        all.append(&mut rest);
                    }
                }
            }
        }
        if ordinal {
            let before = all.len().checked_sub(2).and_then(|place| all.get(place));
            let suffix = match all.last() {
                _ if before == Some(&'1') => "th",
                Some('1') => "st",
                Some('2') => "nd",
                Some('3') => "rd",
                _ => "th",
            };
            all.extend(suffix.chars());
        }
        Ok(all.into_iter().collect())
    }

    fn read(&self, text: &str, ordinal: bool) -> Outcome<f64> {
        let mut letters: Vec<char> = text.chars().collect();
        if ordinal {
            letters.truncate(letters.len().saturating_sub(2));
        }
        match self.regular {
            Some(_) => letters.retain(|letter| *letter != ','),
            None => letters.retain(|letter| {
                self.separators
                    .iter()
                    .all(|(_, separator)| separator != letter)
            }),
        }
        let mut digits = String::with_capacity(letters.len());
        for letter in letters {
            let code = i64::from(u32::from(letter)) - i64::from(self.zero) + 0x30;
            match u32::try_from(code).ok().and_then(char::from_u32) {
                Some(digit) => digits.push(digit),
                None => return thrown(format!("Invalid code point {code}")),
            }
        }
        Ok(leading_number(&digits))
    }
}

/// Parses the whole number at the start of a text, as JavaScript's `parseInt` does.
pub(super) fn leading_number(text: &str) -> f64 {
    let text = text.trim_start();
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    let hexadecimal = rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X"));
    if let Some(rest) = hexadecimal {
        let digits = rest.chars().map_while(|letter| letter.to_digit(16));
        let mut value = None;
        for digit in digits {
            value = Some(value.unwrap_or(0.0) * 16.0 + f64::from(digit));
        }
        return value.map_or(f64::NAN, |value| sign * value);
    }
    let end = rest.find(|letter: char| !letter.is_ascii_digit());
    let digits = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
    digits.parse::<f64>().map_or(f64::NAN, |value| sign * value)
}

fn letters(value: f64, first: u8) -> Outcome<String> {
    if value.is_infinite() {
        return bound(TIMEOUT);
    }
    let mut left = value;
    let mut made = Vec::new();
    while left > 0.0 {
        let place = index((left - 1.0) % 26.0);
        made.push(char::from(
            first.saturating_add(u8::try_from(place).unwrap_or(0)),
        ));
        left = ((left - 1.0) / 26.0).floor();
    }
    Ok(made.into_iter().rev().collect())
}

fn roman(value: f64) -> Outcome<String> {
    if value > MOST_ROMAN {
        return bound(MEMORY);
    }
    let mut left = value;
    let mut made = String::new();
    for (size, letters) in ROMAN {
        while left >= size {
            made.push_str(letters);
            left -= size;
        }
    }
    Ok(made)
}

fn of_roman(text: &str) -> f64 {
    let mut sum = 0.0;
    let mut most = 1.0;
    for letter in text.chars().rev() {
        let is_it = |roman: &str| letter.is_uppercase() && roman.chars().eq(letter.to_lowercase());
        let known = ROMAN.iter().find(|(_, roman)| is_it(roman));
        let value = known.map_or(f64::NAN, |(value, _)| *value);
        if value < most {
            sum -= value;
        } else {
            most = value;
            sum += value;
        }
    }
    sum
}

fn word(all: &[&'static str], place: f64) -> &'static str {
    all.get(index(place)).copied().unwrap_or_default()
}

fn words(value: f64, after: bool, ordinal: bool) -> String {
    let and = if after { " and " } else { "" };
    let comma = if after { ", " } else { "" };
    let of = |word: &str| match ordinal {
        true => ordinal_of(word),
        false => word.to_string(),
    };
    if value <= 19.0 {
        return format!("{and}{}", of(word(&FEW, value)));
    }
    if value < 100.0 {
        let tens = word(&TENS, (value / 10.0).floor() - 2.0);
        let rest = value % 10.0;
        if rest > 0.0 {
            return format!("{and}{tens}-{}", words(rest, false, ordinal));
        }
        return format!("{and}{}", of(tens));
    }
    let (head, rest) = if value < 1000.0 {
        let hundreds = word(&FEW, (value / 100.0).floor());
        (format!("{comma}{hundreds} Hundred"), value % 100.0)
    } else {
        let power = (value.log10() / 3.0).floor().min(4.0);
        let factor = 10_f64.powf(power * 3.0);
        let count = (value / factor).floor();
        let name = word(&POWERS, power - 1.0);
        let count_words = words(count, false, false);
        (
            format!("{comma}{count_words} {name}"),
            value - count * factor,
        )
    };
    if rest > 0.0 {
        format!("{head}{}", words(rest, true, ordinal))
    } else if ordinal {
        format!("{head}th")
    } else {
        head
    }
}

/// Turns the word for a number into the ordinal word: `One` into `First`.
fn ordinal_of(word: &str) -> String {
    let irregular = match word {
        "One" => "First",
        "Two" => "Second",
        "Three" => "Third",
        "Five" => "Fifth",
        "Eight" => "Eighth",
        "Nine" => "Ninth",
        "Twelve" => "Twelfth",
        _ => {
            return match word.strip_suffix('y') {
                Some(stem) => format!("{stem}ieth"),
                None => format!("{word}th"),
            };
        }
    };
    irregular.to_string()
}

/// The words from which numbers are composed, cardinal and ordinal, in lower case, each with its value.
fn known_words() -> impl Iterator<Item = (String, f64)> {
    let few = (FEW.iter().enumerate()).map(|(place, word)| (word, float(place)));
    let tens = (TENS.iter().enumerate()).map(|(place, word)| (word, float((place + 2) * 10)));
    let powers = POWERS.iter().zip([1e3, 1e6, 1e9, 1e12]);
    let all = few.chain(tens).chain([(&"Hundred", 100.0)]).chain(powers);
    all.flat_map(|(word, value)| {
        let ordinal = ordinal_of(word).to_lowercase();
        [(word.to_lowercase(), value), (ordinal, value)]
    })
}

fn of_words(text: &str) -> f64 {
    let known: std::collections::HashMap<String, f64> = known_words().collect();
    let mut sums = vec![0.0_f64];
    for word in split_words(text) {
        let value = known.get(&word).copied().unwrap_or(f64::NAN);
        let top = sums.pop().unwrap_or(0.0);
        if value < 100.0 {
            if top >= 1000.0 {
                sums.push(top);
                sums.push(value);
            } else {
                sums.push(top + value);
            }
        } else {
            sums.push(top * value);
        }
    }
    sums.iter().sum()
}

/// Splits the words of a number apart: at each comma before a blank, at each `and` between blanks, and at any other
/// blank, dash or backslash.
fn split_words(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let mut made = vec![String::new()];
    let mut at = 0;
    while let Some(letter) = letters.get(at) {
        let blank = |place: usize| {
            letters
                .get(place)
                .is_some_and(|letter| letter.is_whitespace())
        };
        let and = letters.get(at + 1..at + 4) == Some(&['a', 'n', 'd']) && blank(at + 4);
        let length = match letter {
            ',' if blank(at + 1) => 2,
            letter if letter.is_whitespace() && and => 5,
            '-' | '\\' => 1,
            letter if letter.is_whitespace() => 1,
            _ => 0,
        };
        if length > 0 {
            made.push(String::new());
            at += length;
            continue;
        }
        if let Some(last) = made.last_mut() {
            last.push(*letter);
        }
        at += 1;
    }
    made
}
