//! Formats and parses times by a picture (a format string) such as `[Y]-[M01]-[D01]`. If a text lacks the first
//! components of a time, such as the year, they are taken from the time of the run.

use super::account::{Account, MEMORY, Outcome, bound, no_property, thrown};
use super::moment::{Time, utc};
use super::number::{float, index};
use super::numeral::{Case, Numeral, leading_number};
use super::regular::Regular;
use std::collections::HashMap;

const DAYS: [&str; 7] = [
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
/// Letters of the components that are numbers.
const NUMBERS: &str = "YMDdFWwXxHhmsf";
/// Maximum width of a component, in characters, that a picture may specify.
const WIDEST: f64 = 1000.0;
/// Default picture of a time.
pub(super) const ISO: &str = "[Y0001]-[M01]-[D01]T[H01]:[m01]:[s01].[f001][Z01:01t]";

/// A part of a picture: text that is copied, or a marker.
enum Part {
    Literal(String),
    Marker(Marker),
}

/// A marker such as `[Y0001]`: the component of a time to write or read, and its format.
struct Marker {
    component: char,
    /// True if the marker ends in `t`: a zone without an offset is then written as `Z`.
    zulu: bool,
    /// Upper, lower or title case, if the component is written as a name.
    names: Option<Case>,
    numeral: Option<Numeral>,
    /// Maximum width of the component in characters, if the marker specifies one.
    widest: Option<f64>,
    /// Number of digits of a year, month or day, if the marker specifies it.
    digits: Option<f64>,
}

fn defaults(component: char) -> Option<&'static str> {
    Some(match component {
        'Y' | 'M' | 'D' | 'd' | 'W' | 'w' | 'X' | 'x' | 'H' | 'h' | 'f' => "1",
        'F' | 'P' | 'C' | 'E' => "n",
        'm' | 's' => "01",
        'Z' | 'z' => "01:01",
        _ => return None,
    })
}

fn parts(picture: &str) -> Outcome<Vec<Part>> {
    let mut made = Vec::new();
    let literal = |made: &mut Vec<Part>, text: &str| {
        if !text.is_empty() {
            made.push(Part::Literal(text.replace("]]", "]")));
        }
    };
    let mut rest = picture;
    while let Some((before, after)) = rest.split_once('[') {
        literal(&mut made, before);
        if let Some(after) = after.strip_prefix('[') {
            made.push(Part::Literal("[".to_string()));
            rest = after;
            continue;
        }
        let Some((inside, after)) = after.split_once(']') else {
            return thrown("D3135: No matching closing bracket ']' in date/time picture string");
        };
        made.push(Part::Marker(marker(inside)?));
        rest = after;
    }
    literal(&mut made, rest);
    Ok(made)
}

fn width(text: &str) -> Option<f64> {
    (text != "*").then(|| leading_number(text))
}

fn marker(inside: &str) -> Outcome<Marker> {
    let inside: String = inside.split_whitespace().collect();
    let mut letters = inside.chars();
    let component = letters.next();
    let (format, widths) = match inside.rsplit_once(',') {
        Some((format, widths)) => (format, Some(widths)),
        None => (inside.as_str(), None),
    };
    let (narrowest, widest) = match widths.map(|widths| widths.split_once('-')) {
        None => (None, None),
        Some(None) => (widths.and_then(width), None),
        Some(Some((least, most))) => (width(least), width(most)),
    };
    let given = component.and_then(|component| format.strip_prefix(component));
    let given = given.unwrap_or_default();
    let (shape, modifier) = match given.chars().last() {
        Some(last) if given.chars().count() > 1 && "atco".contains(last) => {
            (given.strip_suffix(last).unwrap_or(given), Some(last))
        }
        _ => (given, None),
    };
    let standard = component.and_then(defaults);
    let shape = match (shape, standard) {
        ("", Some(standard)) => standard,
        ("", None) => {
            let component = component.map_or(String::new(), String::from);
            return thrown(format!(
                "D3132: Unknown component specifier \"{component}\" in date/time picture string"
            ));
        }
        (shape, _) => shape,
    };
    let component = component.unwrap_or_default();
    let names = match shape.strip_prefix('N') {
        Some(rest) if rest.starts_with('n') => Some(Case::Title),
        Some(_) => Some(Case::Upper),
        None => shape.starts_with('n').then_some(Case::Lower),
    };
    let mut made = Marker {
        component,
        zulu: modifier == Some('t'),
        names,
        numeral: None,
        widest,
        digits: None,
    };
    if names.is_none() && NUMBERS.contains(component) {
        let numeral = match modifier {
            Some(modifier) => Numeral::of(&format!("{shape};{modifier}"))?,
            None => Numeral::of(shape)?,
        };
        made.number(numeral, narrowest);
    }
    if matches!(component, 'Z' | 'z') {
        made.numeral = Some(Numeral::of(shape)?);
    }
    let widths = [narrowest, widest];
    if widths.into_iter().flatten().any(|width| width > WIDEST) {
        return bound(MEMORY);
    }
    Ok(made)
}

impl Marker {
    fn number(&mut self, mut numeral: Numeral, narrowest: Option<f64>) {
        if let Some(least) = narrowest {
            numeral.widen(least, false);
        }
        if matches!(self.component, 'Y' | 'M' | 'D') {
            match self.widest {
                Some(most) => {
                    self.digits = Some(most);
                    numeral.widen(most, true);
                }
                None => {
                    let digits = numeral.digits();
                    let all = digits.map_or(f64::NAN, |digits| digits.least + digits.optional);
                    self.digits = (all >= 2.0).then_some(all);
                }
            }
        }
        self.numeral = Some(numeral);
    }

    /// The name of the month or day with this number, in the case and width that the marker specifies.
    fn name(&self, place: f64) -> Outcome<String> {
        let all: &[&str] = match self.component {
            'M' | 'x' => &MONTHS,
            'F' => &DAYS,
            other => return no_names(other),
        };
        let case = self.names.unwrap_or(Case::Title);
        let name = all.get(index(place - 1.0));
        let name = match name {
            Some(name) if place >= 1.0 => case.of(name),
            _ => match case {
                Case::Upper => return no_property("toUpperCase"),
                Case::Lower => return no_property("toLowerCase"),
                Case::Title if self.widest.is_some() => return no_property("length"),
                Case::Title => return Ok("undefined".to_string()),
            },
        };
        Ok(match self.widest {
            Some(most) => name.chars().take(index(most)).collect(),
            None => name,
        })
    }

    fn write(&self, time: Time, zone: &Zone) -> Outcome<String> {
        let Some(value) = time.part(self.component) else {
            return self.other(time, zone);
        };
        let value = match (self.component, self.digits) {
            ('Y', Some(digits)) => value % 10_f64.powf(digits),
            _ => value,
        };
        match (&self.numeral, self.names) {
            (_, Some(_)) if self.component != 'f' => self.name(value),
            (Some(numeral), _) => numeral.write(value),
            _ => no_property("primary"),
        }
    }

    /// Formats a component that is not a number, such as `am` or the time zone.
    fn other(&self, time: Time, zone: &Zone) -> Outcome<String> {
        Ok(match self.component {
            'P' => {
                let half = if time.is_afternoon() { "pm" } else { "am" };
                match self.names {
                    Some(Case::Upper) => half.to_uppercase(),
                    _ => half.to_string(),
                }
            }
            'Z' | 'z' => self.zone(zone)?,
            'C' | 'E' => "ISO".to_string(),
            _ => "undefined".to_string(),
        })
    }

    fn zone(&self, zone: &Zone) -> Outcome<String> {
        let offset = zone.hours * 100.0 + zone.minutes;
        let Some(numeral) = &self.numeral else {
            return Ok("undefined".to_string());
        };
        let mut text = match numeral.digits() {
            Some(digits) if digits.regular.is_some() => numeral.write(offset)?,
            Some(digits) if matches!(digits.least, 1.0 | 2.0) => {
                let hours = numeral.write(zone.hours)?;
                if zone.minutes == 0.0 {
                    hours
                } else {
                    let minutes = Numeral::of("00")?.write(zone.minutes.floor())?;
                    format!("{hours}:{minutes}")
                }
            }
            Some(digits) if matches!(digits.least, 3.0 | 4.0) => numeral.write(offset)?,
            _ => {
                return thrown(
                    "D3134: The timezone integer format specifier cannot have more than four digits",
                );
            }
        };
        if offset >= 0.0 {
            text = format!("+{text}");
        }
        if self.component == 'z' {
            text = format!("GMT{text}");
        }
        if offset == 0.0 && self.zulu {
            text = "Z".to_string();
        }
        Ok(text)
    }

    /// A regular expression that matches the marker's text.
    fn regular(&self) -> Outcome<String> {
        if matches!(self.component, 'Z' | 'z') {
            let start = if self.component == 'z' { "GMT" } else { "" };
            let rest = match self.separator() {
                Some(letter) => format!("{letter}[0-9]+"),
                None => String::new(),
            };
            return Ok(format!("{start}[-+][0-9]+{rest}"));
        }
        match &self.numeral {
            Some(numeral) => numeral.regular(self.digits),
            None if matches!(self.component, 'M' | 'x' | 'F' | 'P') => Ok("[a-zA-Z]+".to_string()),
            None => no_names(self.component),
        }
    }

    fn separator(&self) -> Option<char> {
        let digits = self.numeral.as_ref()?.digits()?;
        digits.regular.map(|(_, letter)| letter)
    }

    /// Parses the text that the marker matched as a number; `None` for an unknown name.
    fn read(&self, text: &str) -> Outcome<Option<f64>> {
        if matches!(self.component, 'Z' | 'z') {
            return Ok(Some(self.offset(text)));
        }
        if let Some(numeral) = &self.numeral {
            return numeral.read(text).map(Some);
        }
        let all: &[&str] = match self.component {
            'P' => {
                return Ok(match text {
                    "am" | "AM" => Some(0.0),
                    "pm" | "PM" => Some(1.0),
                    _ => None,
                });
            }
            'F' => &DAYS,
            _ => &MONTHS,
        };
        let most = match self.widest {
            Some(most) if most > 0.0 => index(most),
            _ => usize::MAX,
        };
        // If several names are equal after truncation, the last of them is used.
        let place = all
            .iter()
            .rposition(|name| name.chars().take(most).eq(text.chars()));
        Ok(place.map(|place| float(place + 1)))
    }

    /// Parses a time zone and returns its offset from UTC in minutes.
    fn offset(&self, text: &str) -> f64 {
        let text = match self.component {
            'z' => text.get(3..).unwrap_or_default(),
            _ => text,
        };
        let (hours, minutes) = match self.separator() {
            Some(letter) => match text.split_once(letter) {
                Some((hours, minutes)) => (leading_number(hours), leading_number(minutes)),
                None => (f64::NAN, f64::NAN),
            },
            None if text.len() <= 3 => (leading_number(text), 0.0),
            None => {
                let (hours, minutes) = text.split_at_checked(3).unwrap_or((text, ""));
                (leading_number(hours), leading_number(minutes))
            }
        };
        hours * 60.0 + minutes
    }
}

fn no_names<T>(component: char) -> Outcome<T> {
    thrown(format!(
        "D3133: The 'name' modifier can only be applied to months and days in the date/time picture string, not \"{component}\""
    ))
}

/// Offset of a time zone from UTC.
struct Zone {
    hours: f64,
    minutes: f64,
}

/// Formats a time, in milliseconds since 1970, by a picture. `zone` is a time zone such as `-0500`.
pub(super) fn write(millis: f64, picture: &str, zone: Option<&str>) -> Outcome<String> {
    let offset = zone.map_or(0.0, leading_number);
    let zone = Zone {
        hours: (offset / 100.0).floor(),
        minutes: offset % 100.0,
    };
    let time = Time::new(millis + (60.0 * zone.hours + zone.minutes) * 60_000.0);
    let mut text = String::new();
    for part in parts(picture)? {
        match part {
            Part::Literal(literal) => text.push_str(&literal),
            Part::Marker(marker) => text.push_str(&marker.write(time, &zone)?),
        }
    }
    Ok(text)
}

/// Parses a text by a picture and returns milliseconds since 1970. A missing date is the date of `now`. `None` if the
/// text does not match or the picture has no component.
pub(super) fn read(
    text: &str,
    picture: &str,
    now: f64,
    account: &mut Account,
) -> Outcome<Option<f64>> {
    let parts = parts(picture)?;
    let mut regular = "^".to_string();
    for part in &parts {
        regular.push('(');
        match part {
            Part::Literal(literal) => {
                for letter in literal.chars() {
                    if ".*+?^${}()|[]\\".contains(letter) {
                        regular.push('\\');
                    }
                    regular.push(letter);
                }
            }
            Part::Marker(marker) => regular.push_str(&marker.regular()?),
        }
        regular.push(')');
    }
    regular.push('$');
    let regular = Regular::new(&regular, "i")?;
    let units: Vec<u16> = text.encode_utf16().collect();
    let Some(places) = regular.search(&units, 0, account)? else {
        return Ok(None);
    };
    let mut fields = Found::default();
    for (part, place) in parts.iter().zip(places.iter().skip(1)) {
        let (Part::Marker(marker), Some((start, end))) = (part, place) else {
            continue;
        };
        let text = String::from_utf16_lossy(units.get(*start..*end).unwrap_or_default());
        let value = marker.read(&text)?;
        fields.0.insert(marker.component, value);
    }
    if fields.0.is_empty() {
        return Ok(None);
    }
    fields.millis(Time::new(now)).map(Some)
}

/// The value of each component that was parsed, by its letter; `None` for an unknown name.
#[derive(Default)]
struct Found(HashMap<char, Option<f64>>);

impl Found {
    fn get(&self, component: char) -> Option<f64> {
        self.0.get(&component).copied().flatten()
    }

    fn number(&self, component: char) -> f64 {
        self.get(component).unwrap_or(f64::NAN)
    }

    /// A bit mask with one bit per component, the first component highest. A bit is set if its component was parsed and
    /// is not zero.
    fn mask(&self, components: &str) -> u32 {
        components.chars().fold(0, |mask, component| {
            let is_set = self
                .get(component)
                .is_some_and(|value| value != 0.0 && !value.is_nan());
            mask * 2 + u32::from(is_set)
        })
    }

    fn millis(mut self, now: Time) -> Outcome<f64> {
        // True if the mask has a bit of `these` and no other bit.
        let only = |mask: u32, these: u32| mask & !these == 0 && mask & these != 0;
        let mask = self.mask("YXMxWwdD");
        let of_month = only(mask, 0b1010_0001);
        let of_year = !of_month && only(mask, 0b1000_0010);
        let of_week_in_month = only(mask, 0b0101_0100);
        let of_week = !of_week_in_month && only(mask, 0b0100_1000);
        let mask = self.mask("PHhmsf");
        let half_days = !only(mask, 0b01_0111) && only(mask, 0b10_1111);
        let date = match (of_year, of_week_in_month, of_week) {
            (true, ..) => "YD",
            (_, true, _) => "XxwF",
            (_, _, true) => "XWF",
            _ => "YMD",
        };
        let time = if half_days { "Phmsf" } else { "Hmsf" };
        self.fill(&[date, time].concat(), now)?;
        if of_week_in_month || of_week {
            return missing();
        }
        let month = self.number('M');
        let month = if month > 0.0 { month - 1.0 } else { 0.0 };
        let (month, day) = if of_year {
            Time::of_day_in_year(self.number('Y'), self.number('d'))
        } else {
            (month, self.number('D'))
        };
        let mut hour = self.number('H');
        if half_days {
            hour = self.number('h');
            if hour == 12.0 {
                hour = 0.0;
            }
            if self.get('P') == Some(1.0) {
                hour += 12.0;
            }
        }
        let [minute, second, fraction] = ['m', 's', 'f'].map(|part| self.number(part));
        let millis = utc(
            [self.number('Y'), month, day],
            [hour, minute, second, fraction],
        );
        let said = |offset: &f64| *offset != 0.0 && !offset.is_nan();
        let offset = self.get('Z').filter(said).or(self.get('z').filter(said));
        Ok(millis - offset.unwrap_or(0.0) * 60_000.0)
    }

    /// Adds the components that were not parsed. Before the first parsed one they come from `now`; after the last one
    /// they get their lowest value. A gap between two parsed components is an error.
    fn fill(&mut self, components: &str, now: Time) -> Outcome<()> {
        let (mut started, mut ended) = (false, false);
        for component in components.chars() {
            if self.get(component).is_some() {
                started = true;
                if ended {
                    return missing();
                }
                continue;
            }
            let value = if started {
                ended = true;
                Some(if "MDd".contains(component) { 1.0 } else { 0.0 })
            } else {
                now.part(component)
            };
            self.0.insert(component, value);
        }
        Ok(())
    }
}

fn missing<T>() -> Outcome<T> {
    thrown(
        "D3136: The date/time picture string is missing specifiers required to parse the timestamp",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_written_by_a_picture() {
        for (picture, wanted) in [
            (ISO, "2018-03-23T10:33:36.617Z"),
            ("[FNn], [D1o] [MNn] [Y]", "Friday, 23rd March 2018"),
            ("[X]-W[W01]-[F1]", "2018-W12-5"),
            ("[h]:[m01] [P]", "10:33 am"),
        ] {
            assert_eq!(
                write(1_521_801_216_617.0, picture, None).ok().as_deref(),
                Some(wanted)
            );
        }
    }
}
