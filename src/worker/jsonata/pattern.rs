//! Built-in functions that search text with a regular expression, or with a function that acts as a matcher. A search
//! is charged before it begins, by the sizes of the text and the pattern.

use super::account::{Outcome, no_property, thrown};
use super::datum::{Datum, Items, Letters};
use super::evaluate::Run;
use super::function::Function;
use super::number::{float, index};
use super::regular::Regular;
use super::text::{argument, written};
use crate::query::trace::Role;
use indexmap::IndexMap;
use std::rc::Rc;

/// A position in a text, in bytes and in UTF-16 code units.
#[derive(Clone, Copy, Debug, Default)]
struct Spot {
    byte: usize,
    unit: usize,
}

impl Spot {
    /// Returns the position of the code unit with the index `unit`, which must not be before this position.
    fn forward(self, text: &str, unit: usize) -> Self {
        let rest = text.get(self.byte..).unwrap_or_default();
        let wanted = unit.saturating_sub(self.unit);
        let mut passed = 0;
        let mut letters = rest.char_indices();
        let byte = letters
            .find(|(_, letter)| {
                let is_reached = passed >= wanted;
                passed += letter.len_utf16();
                is_reached
            })
            .map_or(rest.len(), |(byte, _)| byte);
        Self {
            byte: self.byte + byte,
            unit,
        }
    }
}

/// A match of a regular expression or of a matcher function, and how to find the next match.
struct Found {
    text: Letters,
    start: Spot,
    end: Spot,
    groups: Vec<Datum>,
    next: Next,
}

enum Next {
    Pattern(Rc<Regular>),
    /// The match is from a matcher function: the record that it returned, and the function in it that returns the next
    /// match.
    Custom(Datum, Option<Rc<Function>>),
}

/// The match that a search is for: the first or a later one.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Turn {
    First,
    Next,
}

impl Run {
    /// Searches a text from the code unit `from` on. Returns the first match as a record, or no value if there is none.
    pub(super) fn pattern_match(
        &mut self,
        pattern: &Rc<Regular>,
        text: &Letters,
        from: usize,
        turn: Turn,
    ) -> Outcome {
        let from = Spot::default().forward(text, from);
        match self.search(pattern, text, from, turn)? {
            Some(matched) => self.found_record(text, &matched),
            None => Ok(Datum::Nothing),
        }
    }

    /// The UTF-16 code units of a text. The units of the text used last are cached.
    fn units_of(&mut self, text: &Letters) -> Outcome<Rc<[u16]>> {
        if let Some((text_of_units, units)) = &self.units
            && text_of_units.same(text)
        {
            return Ok(Rc::clone(units));
        }
        self.account.scan(text.len())?;
        self.account.room(text.len().saturating_mul(2))?;
        let units: Rc<[u16]> = text.encode_utf16().collect();
        self.units = Some((text.clone(), Rc::clone(&units)));
        Ok(units)
    }

    fn search(
        &mut self,
        pattern: &Rc<Regular>,
        text: &Letters,
        from: Spot,
        turn: Turn,
    ) -> Outcome<Option<Found>> {
        if turn == Turn::Next && from.byte >= text.len() {
            return Ok(None);
        }
        self.account.take(4)?;
        self.account.look()?;
        let units = self.units_of(text)?;
        let pattern_match = pattern.search(&units, from.unit, &mut self.account)?;
        let mut places = pattern_match.unwrap_or_default().into_iter();
        let Some((start, end)) = places.next().flatten() else {
            return Ok(None);
        };
        if turn == Turn::Next && start == end {
            return thrown("D1004: Regular expression matches zero length string");
        }
        self.account.scan(end.saturating_sub(from.unit))?;
        let part = |(start, end): (usize, usize)| {
            String::from_utf16_lossy(units.get(start..end).unwrap_or_default())
        };
        self.account.room(end.saturating_sub(start))?;
        let mut groups = Vec::with_capacity(places.len());
        for group in places {
            self.account.take(1)?;
            groups.push(match group {
                Some(group) => {
                    self.account.room(group.1.saturating_sub(group.0))?;
                    Datum::text(part(group))
                }
                None => Datum::Nothing,
            });
        }
        let first = from.forward(text, start);
        Ok(Some(Found {
            text: Letters::from(part((start, end))),
            start: first,
            end: first.forward(text, end),
            groups,
            next: Next::Pattern(Rc::clone(pattern)),
        }))
    }

    /// The first match in a text. `matcher` is a regular expression or a function that finds matches.
    fn first(&mut self, matcher: &Rc<Function>, text: &Letters) -> Outcome<Option<Found>> {
        if let Function::Pattern(pattern) = &**matcher {
            return self.search(pattern, text, Spot::default(), Turn::First);
        }
        let given = vec![Datum::text(text.clone())];
        let record = self.call(matcher, given, &Datum::null())?.unwrapped();
        custom(record, text)
    }

    fn following(&mut self, matched: &Found, text: &Letters) -> Outcome<Option<Found>> {
        match &matched.next {
            Next::Pattern(pattern) => self.search(pattern, text, matched.end, Turn::Next),
            Next::Custom(_, None) => Ok(None),
            Next::Custom(_, Some(next)) => {
                self.account.look()?;
                let record = self.call(next, Vec::new(), &Datum::null())?.unwrapped();
                custom(record, text)
            }
        }
    }

    fn found_record(&mut self, text: &Letters, pattern_match: &Found) -> Outcome {
        let pattern = match &pattern_match.next {
            Next::Custom(record, _) => return Ok(record.clone()),
            Next::Pattern(pattern) => pattern,
        };
        let next = Function::Next {
            pattern: Rc::clone(pattern),
            text: text.clone(),
            from: pattern_match.end.unit,
        };
        let groups = self.found_groups(pattern_match)?;
        let members = IndexMap::from([
            (
                Letters::from("match"),
                Datum::text(pattern_match.text.clone()),
            ),
            (
                Letters::from("start"),
                Datum::number(float(pattern_match.start.unit)),
            ),
            (
                Letters::from("end"),
                Datum::number(float(pattern_match.end.unit)),
            ),
            (Letters::from("groups"), groups),
            (Letters::from("next"), Datum::Function(Rc::new(next))),
        ]);
        self.account.record(members)
    }

    fn found_groups(&mut self, pattern_match: &Found) -> Outcome {
        let mut groups = self.account.items(pattern_match.groups.len())?;
        for group in &pattern_match.groups {
            groups.push(group.clone());
        }
        self.account.list(groups)
    }
}

/// Converts the record that a matcher function returned to a match.
fn custom(record: Datum, text: &Letters) -> Outcome<Option<Found>> {
    let Datum::Record(members, _) = &record else {
        return match record {
            Datum::Nothing | Datum::Null(_) => Ok(None),
            _ => no_match("match"),
        };
    };
    let number = |name: &str| match members.get(name) {
        Some(Datum::Number(number, _)) => Some(*number),
        _ => None,
    };
    let groups = match members.get("groups") {
        Some(Datum::List(groups)) => Some(groups.to_vec()),
        _ => None,
    };
    let next = match members.get("next") {
        Some(Datum::Function(next)) => Some(Rc::clone(next)),
        _ => None,
    };
    let (start, end) = (number("start"), number("end"));
    if start.is_none() && end.is_none() && groups.is_none() && next.is_none() {
        return no_match("match");
    }
    let matched = match members.get("match") {
        Some(Datum::Text(matched, _)) => matched.clone(),
        _ => Letters::from(""),
    };
    let start = start.unwrap_or(0.0).max(0.0);
    let end = end.unwrap_or(start + float(matched.encode_utf16().count()));
    let spot = |unit: f64| Spot::default().forward(text, index(unit));
    Ok(Some(Found {
        text: matched,
        start: spot(start),
        end: spot(end.max(start)),
        groups: groups.unwrap_or_default(),
        next: Next::Custom(record.clone(), next),
    }))
}

fn no_match<T>(function: &str) -> Outcome<T> {
    thrown(format!(
        "T1010: The matcher function argument passed to function \"{function}\" does not return the correct object structure"
    ))
}

/// Reads the maximum number of matches from the argument at `place`; there is no maximum if it is missing. A negative
/// number is the error `negative`.
fn limit(given: &[Datum], place: usize, round: fn(f64) -> f64, negative: &str) -> Outcome<usize> {
    match argument(given, place) {
        Datum::Number(limit, _) if *limit < 0.0 => thrown(negative),
        Datum::Number(limit, _) => Ok(index(round(*limit))),
        _ => Ok(usize::MAX),
    }
}

pub(super) fn contains(run: &mut Run, given: &[Datum]) -> Outcome {
    let Datum::Text(text, _) = argument(given, 0) else {
        return Ok(Datum::Nothing);
    };
    run.account.scan(text.len())?;
    match argument(given, 1) {
        Datum::Text(part, _) => Ok(Datum::bool(text.contains(&**part))),
        Datum::Function(matcher) => Ok(Datum::bool(run.first(matcher, text)?.is_some())),
        _ => no_property("apply"),
    }
}

pub(super) fn matches(run: &mut Run, given: &[Datum]) -> Outcome {
    let Datum::Text(text, _) = argument(given, 0) else {
        return Ok(Datum::Nothing);
    };
    let most = limit(
        given,
        2,
        f64::ceil,
        "D3040: Third argument of match function must evaluate to a positive number",
    )?;
    let mut all = Items::default();
    if let (Datum::Function(matcher), true) = (argument(given, 1), most > 0) {
        let mut next_match = run.first(matcher, text)?;
        while let Some(matched) = next_match {
            let groups = run.found_groups(&matched)?;
            let members = IndexMap::from([
                (Letters::from("match"), Datum::text(matched.text.clone())),
                (
                    Letters::from("index"),
                    Datum::number(float(matched.start.unit)),
                ),
                (Letters::from("groups"), groups),
            ]);
            let record = run.account.record(members)?;
            run.account.push(&mut all, record)?;
            next_match = run.following(&matched, text)?;
            if all.len() >= most {
                break;
            }
        }
    }
    run.account.sequence(all)
}

pub(super) fn split(run: &mut Run, given: &[Datum]) -> Outcome {
    let Datum::Text(text, _) = argument(given, 0) else {
        return Ok(Datum::Nothing);
    };
    let most = limit(
        given,
        2,
        f64::floor,
        "D3020: Third argument of split function must evaluate to a positive number",
    )?;
    let mut parts = Items::default();
    run.account.scan(text.len())?;
    match argument(given, 1) {
        Datum::Text(separator, _) if separator.is_empty() => {
            for letter in text.chars().take(most) {
                run.account.room(64)?;
                run.account.take(1)?;
                run.account
                    .push(&mut parts, Datum::text(letter.to_string()))?;
            }
        }
        Datum::Text(separator, _) => {
            for part in text.split(&**separator).take(most) {
                run.account.room(part.len() + 64)?;
                run.account.take(1)?;
                run.account.push(&mut parts, Datum::text(part))?;
            }
        }
        Datum::Function(matcher) if most > 0 => {
            let mut from = 0;
            let mut next_match = run.first(matcher, text)?;
            while let Some(matched) = next_match
                && parts.len() < most
            {
                let part = text.get(from..matched.start.byte).unwrap_or_default();
                run.account.room(part.len() + 64)?;
                run.account.push(&mut parts, Datum::text(part))?;
                from = matched.end.byte;
                next_match = run.following(&matched, text)?;
            }
            if parts.len() < most {
                let rest = text.get(from..).unwrap_or_default();
                run.account.push(&mut parts, Datum::text(rest))?;
            }
        }
        Datum::Function(_) => {}
        _ => return no_match("split"),
    }
    run.account.list(parts)
}

pub(super) fn replace(run: &mut Run, given: &[Datum]) -> Outcome {
    let Datum::Text(text, _) = argument(given, 0) else {
        return Ok(Datum::Nothing);
    };
    let (pattern, replacement) = (argument(given, 1), argument(given, 2));
    if pattern.as_str() == Some("") {
        return thrown("D3010: Second argument of replace function cannot be an empty string");
    }
    let most = limit(
        given,
        3,
        f64::ceil,
        "D3011: Fourth argument of replace function must evaluate to a positive number",
    )?;
    run.account.scan(text.len())?;
    let mut out = String::new();
    let mut from = 0;
    match (pattern, replacement) {
        (Datum::Text(part, _), Datum::Text(replacement, _)) => {
            for (start, _) in text.match_indices(&**part).take(most) {
                run.account.take(1)?;
                let kept = text.get(from..start).unwrap_or_default();
                add(run, &mut out, kept)?;
                add(run, &mut out, replacement)?;
                from = start + part.len();
            }
        }
        (Datum::Function(matcher), Datum::Text(_, _) | Datum::Function(_)) if most > 0 => {
            // The text decides how often the callback is called. The trace records this dependency even if nothing
            // matches.
            if let (Datum::Function(_), Some(tracer)) = (replacement, &mut run.tracer) {
                tracer.reads(argument(given, 0), Role::Decides);
            }
            let mut next_match = run.first(matcher, text)?;
            let mut count = 0;
            while let Some(matched) = next_match
                && count < most
            {
                let kept = text.get(from..matched.start.byte).unwrap_or_default();
                add(run, &mut out, kept)?;
                match replacement {
                    Datum::Text(template, _) => fill(run, &mut out, template, &matched)?,
                    Datum::Function(function) => {
                        let record = run.found_record(text, &matched)?;
                        match run.call_back(function, &[record])?.unwrapped() {
                            Datum::Text(made, _) => add(run, &mut out, &made)?,
                            _ => {
                                return thrown(
                                    "D3012: Attempted to replace a matched string with a non-string value",
                                );
                            }
                        }
                    }
                    _ => {}
                }
                from = matched.end.byte.max(from);
                count += 1;
                next_match = run.following(&matched, text)?;
            }
        }
        (Datum::Text(_, _), Datum::Function(_)) => {
            return thrown(
                "T0410: Argument 3 of function \"replace\" does not match function signature",
            );
        }
        _ => return Ok(Datum::text(text.clone())),
    }
    let rest = text.get(from..).unwrap_or_default();
    add(run, &mut out, rest)?;
    run.account.text(out)
}

fn add(run: &mut Run, out: &mut String, part: &str) -> Outcome<()> {
    if out.len() + part.len() > out.capacity() {
        run.account.scan(part.len())?;
        run.account
            .room(out.capacity().saturating_mul(2).saturating_add(part.len()))?;
    }
    out.push_str(part);
    Ok(())
}

/// Adds a replacement to `out`. In the template, `$0` stands for the match, `$1` and so on for its groups, and `$$` for
/// `$`.
fn fill(run: &mut Run, out: &mut String, template: &str, pattern_match: &Found) -> Outcome<()> {
    let count = pattern_match.groups.len();
    let most_digits = if count == 0 {
        1
    } else {
        count.to_string().len()
    };
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('$') {
        run.account.take(1)?;
        add(run, out, before)?;
        rest = after;
        if let Some(after) = rest.strip_prefix('$') {
            out.push('$');
            rest = after;
            continue;
        }
        if let Some(after) = rest.strip_prefix('0') {
            add(run, out, &pattern_match.text)?;
            rest = after;
            continue;
        }
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let number = |length: usize| {
            let digits = rest.get(..length.min(digits)).unwrap_or_default();
            digits.parse::<usize>().ok()
        };
        let mut group = number(most_digits);
        if most_digits > 1 && group.is_some_and(|group| group > count) {
            group = number(most_digits - 1);
        }
        let Some(group) = group else {
            out.push('$');
            continue;
        };
        match group
            .checked_sub(1)
            .and_then(|place| pattern_match.groups.get(place))
        {
            None | Some(Datum::Nothing) => {}
            Some(Datum::Text(text, _)) => add(run, out, text)?,
            Some(other) => {
                let text = written(other, &mut run.account)?;
                add(run, out, &text)?;
            }
        }
        rest = rest.get(group.to_string().len()..).unwrap_or_default();
    }
    add(run, out, rest)
}
