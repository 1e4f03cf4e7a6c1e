//! Parses JSON-like text leniently: Python and JavaScript literals, and text that was cut off.

use crate::json::{Number, Text, Value};
use std::iter::Peekable;
use std::str::CharIndices;

/// Maximum nesting depth.
const DEEPEST: usize = 100;

/// A value parsed from the beginning of a text.
#[derive(Debug)]
pub(super) struct Read {
    /// The value; if the text was cut off, only its complete parts.
    pub value: Value,
    /// True if the value is complete.
    pub is_whole: bool,
    /// Number of bytes that the value takes in the text.
    pub end: usize,
}

/// Parses the value at the beginning of a text; `None` if no value begins there.
pub(super) fn read(text: &str) -> Option<Read> {
    let mut reader = Reader {
        text,
        chars: text.char_indices().peekable(),
        is_broken: false,
    };
    reader.blanks();
    let value = reader.value(0)?;
    let end = reader.at();
    Some(Read {
        value,
        is_whole: !reader.is_broken,
        end,
    })
}

struct Reader<'t> {
    text: &'t str,
    chars: Peekable<CharIndices<'t>>,
    is_broken: bool,
}

impl Reader<'_> {
    fn at(&mut self) -> usize {
        self.chars.peek().map_or(self.text.len(), |(at, _)| *at)
    }

    fn peek(&mut self) -> Option<char> {
        self.chars.peek().map(|(_, c)| *c)
    }

    fn blanks(&mut self) {
        while self.chars.next_if(|(_, c)| c.is_whitespace()).is_some() {}
    }

    fn broken<T>(&mut self) -> Option<T> {
        self.is_broken = true;
        None
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        if depth > DEEPEST {
            return self.broken();
        }
        match self.peek()? {
            '{' => Some(self.object(depth)),
            '[' => Some(self.array(depth)),
            '(' => Some(self.in_parentheses(depth)),
            quote @ ('"' | '\'') => self.pieces(quote).map(Value::string),
            c if c == '-' || c.is_ascii_digit() => self.number(),
            c if c.is_alphabetic() || c == '_' => self.word(depth),
            _ => self.broken(),
        }
    }

    fn object(&mut self, depth: usize) -> Value {
        self.chars.next();
        let mut members: Vec<(Text, Value)> = Vec::new();
        loop {
            self.blanks();
            let name = match self.peek() {
                Some('}') => {
                    self.chars.next();
                    break;
                }
                Some(',') => {
                    self.chars.next();
                    continue;
                }
                Some(quote @ ('"' | '\'')) => self.string(quote),
                Some(c) if c.is_alphanumeric() || c == '_' || c == '$' => Some(self.bare()),
                _ => self.broken(),
            };
            let Some(name) = name else { break };
            self.blanks();
            if self.chars.next_if(|(_, c)| *c == ':').is_none() {
                self.is_broken = true;
                break;
            }
            self.blanks();
            let value = self.value(depth + 1);
            // A truncated string is dropped; a truncated list or object is kept without its missing parts.
            let is_list = matches!(&value, Some(Value::Array(_) | Value::Object(_)));
            if let Some(value) = value.filter(|_| !self.is_broken || is_list) {
                members.push((name.into(), value));
            }
            if self.is_broken {
                break;
            }
        }
        Value::object(members)
    }

    /// Parses a tuple to an array, or a single text in parentheses to that text.
    fn in_parentheses(&mut self, depth: usize) -> Value {
        let list = self.array(depth);
        match list.as_array() {
            Some([Value::String(text)]) => Value::String(text.clone()),
            _ => list,
        }
    }

    fn array(&mut self, depth: usize) -> Value {
        let close = if self.peek() == Some('(') { ')' } else { ']' };
        self.chars.next();
        let mut items = Vec::new();
        loop {
            self.blanks();
            match self.peek() {
                Some(c) if c == close => {
                    self.chars.next();
                    break;
                }
                Some(',') => {
                    self.chars.next();
                    continue;
                }
                Some(_) => {}
                None => {
                    self.is_broken = true;
                    break;
                }
            }
            let before = self.at();
            let item = self.value(depth + 1);
            // A truncated item is useful only if it contains a list.
            let holds = |value: &Value| {
                let members = value.as_object().map(|object| object.members());
                let mut members = members.unwrap_or_default().iter();
                members.any(|(_, value)| matches!(value, Value::Array(_)))
            };
            if let Some(item) = item.filter(|item| !self.is_broken || holds(item)) {
                items.push(item);
            }
            if self.is_broken || self.at() == before {
                self.is_broken = true;
                break;
            }
        }
        Value::array(items)
    }

    /// Parses a string, and joins it with the strings directly after it: Python's printer divides a long string into
    /// several.
    fn pieces(&mut self, quote: char) -> Option<String> {
        let mut text = self.string(quote)?;
        loop {
            self.blanks();
            match self.peek() {
                Some(quote @ ('"' | '\'')) => text.push_str(&self.string(quote)?),
                _ => return Some(text),
            }
        }
    }

    fn string(&mut self, quote: char) -> Option<String> {
        self.chars.next();
        let mut text = String::new();
        let mut high: Option<u16> = None;
        loop {
            let Some((_, c)) = self.chars.next() else {
                return self.broken();
            };
            if c == quote {
                return Some(text);
            }
            if c != '\\' {
                text.push(c);
                continue;
            }
            let Some((_, escaped)) = self.chars.next() else {
                return self.broken();
            };
            match escaped {
                'n' => text.push('\n'),
                't' => text.push('\t'),
                'r' => text.push('\r'),
                'b' => text.push('\u{8}'),
                'f' => text.push('\u{c}'),
                'u' | 'x' => {
                    let digits = if escaped == 'u' { 4 } else { 2 };
                    let hex: String = (0..digits)
                        .filter_map(|_| self.chars.next().map(|(_, c)| c))
                        .collect();
                    let Ok(unit) = u16::from_str_radix(&hex, 16) else {
                        return self.broken();
                    };
                    match high.take() {
                        Some(first) => {
                            let pair = char::decode_utf16([first, unit]).filter_map(Result::ok);
                            text.extend(pair);
                        }
                        None if (0xd800..0xdc00).contains(&unit) => high = Some(unit),
                        None => text.extend(char::from_u32(u32::from(unit))),
                    }
                }
                '\n' => {}
                other => text.push(other),
            }
        }
    }

    fn bare(&mut self) -> String {
        let mut name = String::new();
        while let Some((_, c)) = self
            .chars
            .next_if(|(_, c)| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '-'))
        {
            name.push(c);
        }
        name
    }

    fn number(&mut self) -> Option<Value> {
        let mut text = String::new();
        while let Some((_, c)) = self
            .chars
            .next_if(|(_, c)| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.'))
        {
            text.push(c);
        }
        // Numbers in Python's literals may have leading zeros.
        let digits = text.trim_start_matches('0');
        let plain = match text.bytes().all(|byte| byte.is_ascii_digit()) {
            true if digits.is_empty() => "0",
            true => digits,
            false => &text,
        };
        match Number::parse(plain) {
            // At the end of the text, the number may have been cut off.
            Some(number) if self.peek().is_some() => Some(Value::Number(number)),
            _ => self.broken(),
        }
    }

    /// Parses a word or a call, such as `true`, `None` or `datetime.datetime(2024, 5, 1, 12, 0, tzinfo=tzlocal())`.
    fn word(&mut self, depth: usize) -> Option<Value> {
        let word = self.bare();
        match &*word {
            "true" | "True" => return Some(Value::Bool(true)),
            "false" | "False" => return Some(Value::Bool(false)),
            "null" | "None" | "undefined" | "NaN" => return Some(Value::Null),
            "b" | "u" | "r" => {
                if let Some(quote @ ('"' | '\'')) = self.peek() {
                    return self.string(quote).map(Value::string);
                }
            }
            _ => {}
        }
        self.blanks();
        match self.peek() {
            Some('=') => {
                self.chars.next();
                self.value(depth + 1)
            }
            Some('(') => {
                let Value::Array(arguments) = self.array(depth + 1) else {
                    return None;
                };
                let items = arguments.items();
                match &*word {
                    "datetime.datetime" | "datetime" => Some(Value::string(moment(items))),
                    "datetime.timezone" | "timezone" | "tzoffset" | "dateutil.tz.tzoffset" => {
                        let seconds = items.iter().rev().find_map(whole);
                        Some(seconds.map_or(Value::Null, |seconds| Value::string(offset(seconds))))
                    }
                    "datetime.timedelta" | "timedelta" => Some(seconds_in(items)),
                    "new" | "Date" => items.first().cloned(),
                    _ => Some(items.first().cloned().unwrap_or_default()),
                }
            }
            // A name such as `datetime.timezone.utc` stands for a value that is not needed.
            Some(',' | ')' | ']' | '}') => Some(Value::Null),
            _ => self.broken(),
        }
    }
}

/// The number of seconds that Python's `timedelta(days=-1, seconds=61200)` stands for. The names of the arguments are
/// not kept: a single argument means seconds, and two arguments mean days and seconds.
fn seconds_in(parts: &[Value]) -> Value {
    let part = |at: usize| parts.get(at).and_then(whole).unwrap_or(0);
    let seconds = match parts.len() {
        0 | 1 => part(0),
        _ => part(0).saturating_mul(86_400).saturating_add(part(1)),
    };
    Value::from(seconds)
}

fn whole(value: &Value) -> Option<i64> {
    value.as_number().and_then(Number::as_i64)
}

/// Formats Python's `datetime` as RFC 3339; a zone without a numeric offset is treated as UTC.
fn moment(parts: &[Value]) -> String {
    let part = |at: usize| parts.get(at).and_then(whole).unwrap_or(0);
    // Python omits the microseconds if they are zero, and the seconds if both are zero. The zone is the only string
    // among the arguments.
    let zone = parts.iter().skip(3).rev().find_map(|part| match part {
        Value::String(zone) => Some(zone.to_string()),
        _ => None,
    });
    format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}{}",
        part(0),
        part(1),
        part(2),
        part(3),
        part(4),
        part(5),
        part(6),
        zone.as_deref().unwrap_or("Z")
    )
}

/// A time zone offset as text, such as `+02:00`.
fn offset(seconds: i64) -> String {
    let sign = if seconds < 0 { '-' } else { '+' };
    let minutes = seconds.unsigned_abs() / 60;
    format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}
