//! Built-in functions for times and for whole numbers, which are formatted and parsed by a picture (a format string).
//! Calendar calculations give the same results as in JavaScript.

use super::account::{Outcome, no_property, thrown};
use super::builtin::wrong_argument;
use super::datum::Datum;
use super::evaluate::Run;
use super::moment_picture as picture;
use super::numeral::Numeral;
use super::text::argument;
use crate::query::format_timestamp;

/// Maximum length, in bytes, of a picture (format string), of a time zone and of a text that is parsed.
const LONGEST: usize = 10_000;

/// Charges the steps for processing the texts, such as a picture, and fails if one of them is too long.
fn bounded(run: &mut Run, texts: &[Option<&str>]) -> Outcome<()> {
    for text in texts.iter().flatten() {
        if text.len() > LONGEST {
            return thrown("D3132: the picture is too long");
        }
        run.account.scan(text.len().saturating_mul(16))?;
    }
    Ok(())
}

pub(super) fn format_integer(run: &mut Run, given: &[Datum]) -> Outcome {
    let Datum::Number(number, _) = *argument(given, 0) else {
        return Ok(Datum::Nothing);
    };
    let Some(picture) = argument(given, 1).as_str() else {
        return no_property("lastIndexOf");
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
        return no_property("lastIndexOf");
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

/// Splits the first `count` digits off a text; returns their number and the rest of the text.
fn digits(text: &str, count: usize) -> Option<(f64, &str)> {
    let (number, rest) = text.split_at_checked(count)?;
    let all = number.bytes().all(|digit| digit.is_ascii_digit());
    Some((number.parse().ok().filter(|_| all)?, rest))
}

/// Splits a sign and the `count` digits after it off a text; returns their number and the rest. If the text does not
/// begin with them, or the number is above `most`, returns `None` and the whole text.
fn behind(text: &str, sign: char, count: usize, most: f64) -> (Option<f64>, &str) {
    let number = text.strip_prefix(sign).and_then(|rest| digits(rest, count));
    match number {
        Some((number, rest)) if number <= most => (Some(number), rest),
        _ => (None, text),
    }
}

/// Parses an ISO 8601 timestamp to milliseconds since 1970; `None` if the text is no timestamp, NaN if the day does not
/// exist.
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
    let is_valid = offset.abs() < 24.0 * 60.0
        && (1.0..=12.0).contains(&month)
        && (1.0..=31.0).contains(&day)
        && (hour < 24.0 || is_midnight);
    if !is_valid {
        return Some(f64::NAN);
    }
    // The year is shifted by 400 years, because `utc` maps years below 100 to the 20th century.
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

/// Milliseconds in a day.
const DAY: f64 = 86_400_000.0;
/// The latest valid time, in milliseconds since 1970.
const FURTHEST: f64 = 8.64e15;

/// A time in milliseconds since 1970; NaN if invalid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Time(f64);

/// Number of days from 1970 to the first day of a month. Months count from 0; a month above 11 is in a later year.
fn day_of(year: f64, month: f64) -> f64 {
    let year = year + (month / 12.0).floor();
    let month = month.rem_euclid(12.0) + 1.0;
    // For this calculation a year begins in March, so that the leap day is its last day.
    let year = if month <= 2.0 { year - 1.0 } else { year };
    let era = (year / 400.0).floor();
    let of_era = year - era * 400.0;
    let shifted = if month > 2.0 {
        month - 3.0
    } else {
        month + 9.0
    };
    let of_year = ((153.0 * shifted + 2.0) / 5.0).floor();
    let days = of_era * 365.0 + (of_era / 4.0).floor() - (of_era / 100.0).floor() + of_year;
    era * 146_097.0 + days - 719_468.0
}

/// Converts a date (year, month, day) and a time of day to milliseconds since 1970. Years from 0 to 99 mean 1900 to
/// 1999.
pub(super) fn utc(date: [f64; 3], time: [f64; 4]) -> f64 {
    let [year, month, day] = date.map(f64::trunc);
    let [hour, minute, second, fraction] = time.map(f64::trunc);
    let year = if (0.0..=99.0).contains(&year) {
        year + 1900.0
    } else {
        year
    };
    if year.abs() > 400_000.0 || month.abs() > 5_000_000.0 {
        return f64::NAN;
    }
    let days = day_of(year, month) + day - 1.0;
    let within = hour * 3_600_000.0 + minute * 60_000.0 + second * 1000.0 + fraction;
    clip(days * DAY + within)
}

fn clip(millis: f64) -> f64 {
    if millis.abs() <= FURTHEST {
        millis.trunc() + 0.0
    } else {
        f64::NAN
    }
}

fn first_of(year: f64, month: f64) -> f64 {
    utc([year, month, 1.0], [0.0; 4])
}

/// The start of the first week of a month, or of a year if the month is 0, in milliseconds since 1970. Weeks begin on
/// Monday; the first week has at least four days in the month or year.
fn first_week(year: f64, month: f64) -> f64 {
    let first = first_of(year, month);
    let weekday = Time::new(first).weekday();
    if weekday > 4.0 {
        first + (8.0 - weekday) * DAY
    } else {
        first - (weekday - 1.0) * DAY
    }
}

fn next_month(year: f64, month: f64) -> (f64, f64) {
    if month == 11.0 {
        (year + 1.0, 0.0)
    } else {
        (year, month + 1.0)
    }
}

fn previous_month(year: f64, month: f64) -> (f64, f64) {
    if month == 0.0 {
        (year - 1.0, 11.0)
    } else {
        (year, month - 1.0)
    }
}

fn weeks(start: f64, end: f64) -> f64 {
    (end - start) / (DAY * 7.0) + 1.0
}

impl Time {
    pub(super) fn new(millis: f64) -> Self {
        Self(clip(millis))
    }

    fn days(self) -> f64 {
        (self.0 / DAY).floor()
    }

    fn within(self) -> f64 {
        self.0 - self.days() * DAY
    }

    /// The date: year, month (from 0) and day (from 1).
    fn date(self) -> (f64, f64, f64) {
        let days = self.days() + 719_468.0;
        let era = (days / 146_097.0).floor();
        let of_era = days - era * 146_097.0;
        let year = ((of_era - (of_era / 1460.0).floor() + (of_era / 36_524.0).floor()
            - (of_era / 146_096.0).floor())
            / 365.0)
            .floor();
        let of_year = of_era - (365.0 * year + (year / 4.0).floor() - (year / 100.0).floor());
        let shifted = ((5.0 * of_year + 2.0) / 153.0).floor();
        let day = of_year - ((153.0 * shifted + 2.0) / 5.0).floor() + 1.0;
        let month = if shifted < 10.0 {
            shifted + 2.0
        } else {
            shifted - 10.0
        };
        let year = year + era * 400.0 + if month <= 1.0 { 1.0 } else { 0.0 };
        (year, month, day)
    }

    /// Day of the week, from 1 for Monday.
    fn weekday(self) -> f64 {
        (self.days() + 3.0).rem_euclid(7.0) + 1.0
    }

    fn hour(self) -> f64 {
        (self.within() / 3_600_000.0).floor()
    }

    /// True from noon on.
    pub(super) fn is_afternoon(self) -> bool {
        self.hour() >= 12.0
    }

    /// The month (from 0) and the day of the month that the nth day of a year is.
    pub(super) fn of_day_in_year(year: f64, day: f64) -> (f64, f64) {
        let (_, month, day) = Self::new(first_of(year, 0.0) + (day - 1.0) * DAY).date();
        (month, day)
    }

    /// The number that a picture's component letter stands for, such as the year for `Y`; `None` if the component is
    /// not a number.
    pub(super) fn part(self, letter: char) -> Option<f64> {
        let (year, month, day) = self.date();
        let today = utc([year, month, day], [0.0; 4]);
        // A week at the start or the end of a year may belong to the previous or the next year.
        let years = [year - 1.0, year, year + 1.0];
        let months = [
            previous_month(year, month),
            (year, month),
            next_month(year, month),
        ];
        let week = |most: f64, [last, this, next]: [f64; 3]| {
            let week = weeks(this, today);
            match week {
                _ if week > most && today >= next => 1.0,
                _ if week < 1.0 => weeks(last, today).floor(),
                _ => week.floor(),
            }
        };
        let around = |[(_, last), (start, this), (end, next)]: [(f64, f64); 3]| match self.0 {
            time if time < start => last,
            time if time >= end => next,
            _ => this,
        };
        Some(match letter {
            'Y' => year,
            'M' => month + 1.0,
            'D' => day,
            'd' => (today - first_of(year, 0.0)) / DAY + 1.0,
            'F' => self.weekday(),
            'W' => week(52.0, years.map(|year| first_week(year, 0.0))),
            'w' => week(4.0, months.map(|(year, month)| first_week(year, month))),
            'X' => around(years.map(|year| (first_week(year, 0.0), year))),
            'x' => around(months.map(|(year, month)| (first_week(year, month), month + 1.0))),
            'H' => self.hour(),
            'h' => match self.hour() % 12.0 {
                0.0 => 12.0,
                hour => hour,
            },
            'm' => (self.within() / 60_000.0).floor() % 60.0,
            's' => (self.within() / 1000.0).floor() % 60.0,
            'f' => self.within() % 1000.0,
            _ => return None,
        })
    }
}
