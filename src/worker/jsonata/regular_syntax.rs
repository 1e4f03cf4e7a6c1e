//! Parses regular expressions as JavaScript does without the `u` flag.

use std::ops::RangeInclusive;

/// Maximum nesting depth of groups.
const DEEPEST: usize = 200;
/// Maximum number of capturing groups.
const MOST_GROUPS: usize = 1000;

/// A node of a regular expression.
#[derive(Clone, Debug)]
pub(super) enum Part {
    Empty,
    /// One code unit in a set.
    Unit(Set),
    /// `^`
    Start,
    /// `$`
    End,
    /// `\b` or `\B`.
    Boundary(bool),
    /// A back reference to the group with this number.
    Back(usize),
    /// A capturing group with its number.
    Group(usize, Box<Part>),
    All(Vec<Part>),
    Either(Vec<Part>),
    Repeat {
        part: Box<Part>,
        least: u32,
        most: u32,
        greedy: bool,
        /// Numbers of the capturing groups in the repeated part: the first, and one past the last.
        groups: (usize, usize),
    },
    /// A lookahead or lookbehind, positive or negative.
    Around {
        part: Box<Part>,
        ahead: bool,
        wanted: bool,
    },
}

/// A set of code units.
#[derive(Clone, Debug, Default)]
pub(super) struct Set {
    pub ranges: Vec<RangeInclusive<u16>>,
    /// True if the set consists of the code units that are in none of the ranges.
    pub negated: bool,
}

impl Set {
    /// The set of all code units that are in at least one of these ranges.
    pub(super) fn of(ranges: Vec<RangeInclusive<u16>>) -> Self {
        let negated = false;
        Self { ranges, negated }
    }

    fn single(unit: u16) -> Self {
        Self::of(vec![unit..=unit])
    }

    fn holds(&self, unit: u16) -> bool {
        self.ranges.iter().any(|range| range.contains(&unit)) != self.negated
    }

    /// True if a unit is in the set; `fold` ignores case.
    pub(super) fn fits(&self, unit: u16, fold: bool) -> bool {
        if !fold {
            return self.holds(unit);
        }
        let inside = |unit| self.ranges.iter().any(|range| range.contains(&unit));
        let folded = upper(unit);
        let any = inside(unit) || inside(folded) || inside(lower(folded));
        any != self.negated
    }

    /// The ranges of the set, with negation resolved.
    fn flat(mut self) -> Vec<RangeInclusive<u16>> {
        if !self.negated {
            return self.ranges;
        }
        self.ranges.sort_by_key(|range| *range.start());
        let mut made = Vec::new();
        let mut next = 0_u32;
        for range in &self.ranges {
            let (start, end) = (u32::from(*range.start()), u32::from(*range.end()));
            if start > next {
                made.push(unit(next)..=unit(start - 1));
            }
            next = next.max(end + 1);
        }
        if next <= 0xFFFF {
            made.push(unit(next)..=u16::MAX);
        }
        made
    }
}

fn unit(number: u32) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}

/// The unit in upper case, if the upper-case form is a single unit.
pub(super) fn upper(unit: u16) -> u16 {
    changed(unit, |letter| letter.to_uppercase().collect())
}

fn lower(unit: u16) -> u16 {
    changed(unit, |letter| letter.to_lowercase().collect())
}

fn changed(unit: u16, change: impl Fn(char) -> String) -> u16 {
    let Some(letter) = char::from_u32(u32::from(unit)) else {
        return unit;
    };
    let made = change(letter);
    let mut units = made.encode_utf16();
    match (units.next(), units.next()) {
        (Some(other), None) if unit < 128 || other >= 128 => other,
        _ => unit,
    }
}

/// The set that `\d`, `\w`, `\s` or the negation `\D`, `\W`, `\S` stands for.
fn class(letter: char) -> Option<Set> {
    let mut set = match letter.to_ascii_lowercase() {
        'd' => Set::of(vec![u16::from(b'0')..=u16::from(b'9')]),
        'w' => word(),
        's' => Set::of(vec![
            9..=13,
            32..=32,
            0xA0..=0xA0,
            0x1680..=0x1680,
            0x2000..=0x200A,
            0x2028..=0x2029,
            0x202F..=0x202F,
            0x205F..=0x205F,
            0x3000..=0x3000,
            0xFEFF..=0xFEFF,
        ]),
        _ => return None,
    };
    set.negated = letter.is_ascii_uppercase();
    Some(set)
}

/// Letters, digits and the underscore.
pub(super) fn word() -> Set {
    let ranges = [(b'0', b'9'), (b'A', b'Z'), (b'_', b'_'), (b'a', b'z')];
    let ranges = ranges.map(|(first, last)| u16::from(first)..=u16::from(last));
    Set::of(ranges.to_vec())
}

/// Parses a regular expression; returns its tree and the number of its groups.
pub(super) fn read(text: &str) -> Result<(Part, usize), &'static str> {
    let letters: Vec<char> = text.chars().collect();
    let (count, names) = groups(&letters)?;
    let mut reader = Reader {
        letters,
        at: 0,
        opened: 0,
        depth: 0,
        count,
        names,
    };
    let part = reader.either()?;
    if reader.at < reader.letters.len() {
        return Err("Unmatched ')'");
    }
    Ok((part, count))
}

/// Names of groups with their numbers.
type Names = Vec<(String, usize)>;

/// Counts the capturing groups and collects the names of named ones.
fn groups(letters: &[char]) -> Result<(usize, Names), &'static str> {
    let mut count = 0;
    let mut names = Vec::new();
    let mut inside = false;
    let mut at = 0;
    while let Some(letter) = letters.get(at) {
        let rest = letters.get(at + 1..).unwrap_or_default();
        match letter {
            '\\' => at += 1,
            '[' => inside = true,
            ']' => inside = false,
            '(' if !inside => match rest {
                ['?', '<', next, ..] if !matches!(next, '=' | '!') => {
                    count += 1;
                    let named = rest.get(2..).unwrap_or_default().iter();
                    let name: String = named.take_while(|letter| **letter != '>').collect();
                    names.push((name, count));
                }
                ['?', ..] => {}
                _ => count += 1,
            },
            _ => {}
        }
        at += 1;
    }
    if count > MOST_GROUPS {
        return Err("Too many captures");
    }
    Ok((count, names))
}

struct Reader {
    letters: Vec<char>,
    at: usize,
    /// Number of capturing groups opened so far.
    opened: usize,
    depth: usize,
    count: usize,
    names: Names,
}

impl Reader {
    fn peek(&self) -> Option<char> {
        self.letters.get(self.at).copied()
    }

    fn eat(&mut self, wanted: &str) -> bool {
        let fits = wanted
            .chars()
            .enumerate()
            .all(|(place, letter)| self.letters.get(self.at + place) == Some(&letter));
        if fits {
            self.at += wanted.chars().count();
        }
        fits
    }

    fn either(&mut self) -> Result<Part, &'static str> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("Regular expression too large");
        }
        let mut ways = vec![self.all()?];
        while self.eat("|") {
            ways.push(self.all()?);
        }
        self.depth -= 1;
        match ways.len() {
            1 => Ok(ways.pop().unwrap_or(Part::Empty)),
            _ => Ok(Part::Either(ways)),
        }
    }

    fn all(&mut self) -> Result<Part, &'static str> {
        let mut parts = Vec::new();
        while let Some(letter) = self.peek() {
            if matches!(letter, '|' | ')') {
                break;
            }
            let before = self.opened;
            let (part, repeats) = self.atom()?;
            let part = self.repeated(part, repeats, before)?;
            parts.extend(part);
        }
        match parts.len() {
            0 => Ok(Part::Empty),
            1 => Ok(parts.pop().unwrap_or(Part::Empty)),
            _ => Ok(Part::All(parts)),
        }
    }

    /// Parses an atom. Returns its nodes, and true if the last of them may be repeated.
    fn atom(&mut self) -> Result<(Vec<Part>, bool), &'static str> {
        let Some(letter) = self.peek() else {
            return Ok((Vec::new(), false));
        };
        self.at += 1;
        let part = match letter {
            '^' => return Ok((vec![Part::Start], false)),
            '$' => return Ok((vec![Part::End], false)),
            '(' => return self.group(),
            '.' => Part::Unit(Set {
                negated: true,
                ..super::regular::line_ends()
            }),
            '[' => Part::Unit(self.set()?),
            '*' | '+' | '?' => return Err("Nothing to repeat"),
            '{' => {
                self.at -= 1;
                if self.count_in_braces().is_some() {
                    return Err("Nothing to repeat");
                }
                self.at += 1;
                Part::Unit(Set::single(u16::from(b'{')))
            }
            '\\' => return self.escaped(),
            other => return Ok((units(other), true)),
        };
        Ok((vec![part], true))
    }

    fn group(&mut self) -> Result<(Vec<Part>, bool), &'static str> {
        let around = [("?=", true, true), ("?!", true, false)]
            .into_iter()
            .chain([("?<=", false, true), ("?<!", false, false)])
            .find(|(sign, ..)| self.eat(sign));
        if let Some((_, ahead, wanted)) = around {
            let part = self.closed()?;
            let around = Part::Around {
                part: Box::new(part),
                ahead,
                wanted,
            };
            return Ok((vec![around], ahead));
        }
        if self.eat("?:") {
            return Ok((vec![self.closed()?], true));
        }
        if self.eat("?<") {
            while let Some(letter) = self.peek() {
                self.at += 1;
                if letter == '>' {
                    break;
                }
                if !(letter.is_alphanumeric() || matches!(letter, '_' | '$')) {
                    return Err("Invalid capture group name");
                }
            }
        } else if self.peek() == Some('?') {
            return Err("Invalid group");
        }
        self.opened += 1;
        let number = self.opened;
        let part = self.closed()?;
        Ok((vec![Part::Group(number, Box::new(part))], true))
    }

    fn closed(&mut self) -> Result<Part, &'static str> {
        let part = self.either()?;
        if !self.eat(")") {
            return Err("Unterminated group");
        }
        Ok(part)
    }

    fn repeated(
        &mut self,
        mut parts: Vec<Part>,
        repeats: bool,
        before: usize,
    ) -> Result<Vec<Part>, &'static str> {
        let (least, most) = if self.eat("*") {
            (0, u32::MAX)
        } else if self.eat("+") {
            (1, u32::MAX)
        } else if self.eat("?") {
            (0, 1)
        } else {
            match self.count_in_braces() {
                Some(counts) => counts,
                None => return Ok(parts),
            }
        };
        let greedy = !self.eat("?");
        if least > most {
            return Err("numbers out of order in {} quantifier");
        }
        let (true, Some(last)) = (repeats, parts.pop()) else {
            return Err("Nothing to repeat");
        };
        parts.push(Part::Repeat {
            part: Box::new(last),
            least,
            most,
            greedy,
            groups: (before + 1, self.opened + 1),
        });
        Ok(parts)
    }

    /// Parses `{2}`, `{2,}` or `{2,3}`; anything else is literal text.
    fn count_in_braces(&mut self) -> Option<(u32, u32)> {
        let start = self.at;
        let counts = self.counts();
        if counts.is_none() {
            self.at = start;
        }
        counts
    }

    fn counts(&mut self) -> Option<(u32, u32)> {
        if !self.eat("{") {
            return None;
        }
        let least = self.number()?;
        let most = match self.eat(",") {
            false => least,
            true if self.peek() == Some('}') => u32::MAX,
            true => self.number()?,
        };
        self.eat("}").then_some((least, most))
    }

    fn number(&mut self) -> Option<u32> {
        let mut number: Option<u32> = None;
        while let Some(digit) = self.peek().and_then(|letter| letter.to_digit(10)) {
            self.at += 1;
            let so_far = number.unwrap_or(0).saturating_mul(10);
            number = Some(so_far.saturating_add(digit));
        }
        number
    }

    fn escaped(&mut self) -> Result<(Vec<Part>, bool), &'static str> {
        let Some(letter) = self.peek() else {
            return Err("\\ at end of pattern");
        };
        let part = match letter {
            'b' | 'B' => {
                self.at += 1;
                return Ok((vec![Part::Boundary(letter == 'b')], false));
            }
            'k' if !self.names.is_empty() => {
                self.at += 1;
                if !self.eat("<") {
                    return Err("Invalid named reference");
                }
                let rest = self.letters.get(self.at..).unwrap_or_default().iter();
                let name: String = rest.take_while(|letter| **letter != '>').collect();
                self.at += name.chars().count() + 1;
                match self.names.iter().find(|(key, _)| *key == name) {
                    Some((_, number)) => Part::Back(*number),
                    None => return Err("Invalid named capture referenced"),
                }
            }
            '1'..='9' => {
                let start = self.at;
                match self
                    .number()
                    .and_then(|number| usize::try_from(number).ok())
                {
                    Some(number) if number <= self.count => Part::Back(number),
                    _ => {
                        self.at = start;
                        Part::Unit(Set::single(self.character()))
                    }
                }
            }
            other => match class(other) {
                Some(set) => {
                    self.at += 1;
                    Part::Unit(set)
                }
                None if u32::from(other) > 0xFFFF => {
                    self.at += 1;
                    return Ok((units(other), true));
                }
                None => Part::Unit(Set::single(self.character())),
            },
        };
        Ok((vec![part], true))
    }

    /// The code unit that an escape denotes; called after the backslash.
    fn character(&mut self) -> u16 {
        let Some(letter) = self.peek() else { return 0 };
        self.at += 1;
        match letter {
            't' => 9,
            'n' => 10,
            'v' => 11,
            'f' => 12,
            'r' => 13,
            'c' => match self.peek() {
                Some(control) if control.is_ascii_alphabetic() => {
                    self.at += 1;
                    unit(u32::from(control) % 32)
                }
                _ => {
                    // Without a valid escape, the backslash is a literal character.
                    self.at -= 1;
                    u16::from(b'\\')
                }
            },
            'x' => self.hexadecimal(2).unwrap_or(u16::from(b'x')),
            'u' => self.hexadecimal(4).unwrap_or(u16::from(b'u')),
            '0'..='7' => {
                let mut number = letter.to_digit(8).unwrap_or(0);
                while let Some(digit) = self.peek().and_then(|letter| letter.to_digit(8))
                    && number * 8 + digit <= 0xFF
                {
                    self.at += 1;
                    number = number * 8 + digit;
                }
                unit(number)
            }
            other => unit(u32::from(other)),
        }
    }

    fn hexadecimal(&mut self, count: usize) -> Option<u16> {
        let digits = self.letters.get(self.at..self.at + count)?;
        let text: String = digits.iter().collect();
        if !text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        self.at += count;
        u16::from_str_radix(&text, 16).ok()
    }

    fn set(&mut self) -> Result<Set, &'static str> {
        let negated = self.eat("^");
        let mut ranges = Vec::new();
        loop {
            match self.peek() {
                None => return Err("Unterminated character class"),
                Some(']') => {
                    self.at += 1;
                    return Ok(Set { ranges, negated });
                }
                Some(_) => {}
            }
            let first = self.member();
            let is_range = self.peek() == Some('-')
                && !matches!(self.letters.get(self.at + 1), None | Some(']'));
            if !is_range {
                ranges.extend(first);
                continue;
            }
            self.at += 1;
            let last = self.member();
            match (single(&first), single(&last)) {
                (Some(start), Some(end)) if start <= end => ranges.push(start..=end),
                (Some(_), Some(_)) => return Err("Range out of order in character class"),
                // A class such as `\d` cannot be the start or end of a range.
                _ => {
                    ranges.extend(first);
                    ranges.push(u16::from(b'-')..=u16::from(b'-'));
                    ranges.extend(last);
                }
            }
        }
    }

    fn member(&mut self) -> Vec<RangeInclusive<u16>> {
        let Some(letter) = self.peek() else {
            return Vec::new();
        };
        self.at += 1;
        if letter != '\\' {
            let mut both = [0; 2];
            let both = letter.encode_utf16(&mut both);
            return both.iter().map(|unit| *unit..=*unit).collect();
        }
        match self.peek() {
            Some('b') => {
                self.at += 1;
                vec![8..=8]
            }
            Some(other) => match class(other) {
                Some(set) => {
                    self.at += 1;
                    set.flat()
                }
                None => {
                    let unit = self.character();
                    vec![unit..=unit]
                }
            },
            None => vec![u16::from(b'\\')..=u16::from(b'\\')],
        }
    }
}

fn single(ranges: &[RangeInclusive<u16>]) -> Option<u16> {
    match ranges {
        [only] if only.start() == only.end() => Some(*only.start()),
        _ => None,
    }
}

/// A character as its UTF-16 code units.
fn units(letter: char) -> Vec<Part> {
    let mut both = [0; 2];
    let both = letter.encode_utf16(&mut both);
    both.iter()
        .map(|unit| Part::Unit(Set::single(*unit)))
        .collect()
}
