//! Parses typed breakpoints, the moments of an error at which to stop, and the state at which a run should begin.

use crate::definition::{Definition, StateId, StatePath};
use crate::json::Text;
use crate::session::breakpoint::{Breakpoint, ErrorMoment, Location, Part};
use crate::session::command::Command;
use crate::session::condition_syntax::check_condition_at;
use crate::session::reply::Switch;
use crate::source::{SourceId, SourceMap, did_you_mean};

/// The location at which a typed breakpoint should stop the run.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// A location that was found in the definition, such as a state or a field.
    At(Location),
    /// A line (from 1) of this source; `None` means the source that is shown.
    Line(Option<SourceId>, usize),
}

/// A typed breakpoint: `WHERE [if COND] [hits N] [log TEXT]`.
pub type TypedBreakpoint = Breakpoint<Place>;

impl TypedBreakpoint {
    /// The command that sets the breakpoint. For a breakpoint on a line without other settings, this command toggles
    /// the breakpoint. A line without a file is a line of the source `shown`; with `once`, the breakpoint is removed
    /// after its first stop.
    #[must_use]
    pub fn command(self, shown: SourceId, once: bool) -> Command {
        let is_plain = self == Self::at(self.at.clone());
        let wanted = Self { once, ..self };
        match wanted.at.clone() {
            Place::At(location) => Command::Break(wanted.moved_to(location)),
            Place::Line(source, line) => {
                let source = source.unwrap_or(shown);
                match is_plain && !once {
                    true => Command::ToggleBreakLine(source, line),
                    false => Command::BreakLine(source, wanted.moved_to((line, None))),
                }
            }
        }
    }
}

/// Parses a breakpoint.
///
/// # Errors
/// A sentence that says which part is invalid.
pub fn parse_breakpoint(
    argument: &str,
    definition: &Definition,
) -> Result<TypedBreakpoint, String> {
    let mut rest = argument.trim();
    let mut log = None;
    if let Some((before, text)) = split_word(rest, "log") {
        log = Some(Text::from(unquote(text)));
        rest = before;
    }
    let mut hits = 0;
    let mut condition = None;
    // `if` and `hits` may come in either order; the text of each ends at the other word.
    for _ in 0..2 {
        if let Some((before, text)) = split_last_word(rest, "hits")
            && let Ok(number) = text.trim().parse::<u64>()
        {
            hits = number;
            rest = before;
        } else if let Some((before, text)) = split_word(rest, "if") {
            let (text, after) = match split_last_word(text, "hits") {
                Some((text, number)) if number.trim().parse::<u64>().is_ok() => {
                    (text, number.trim().parse().unwrap_or(0))
                }
                _ => (text, hits),
            };
            condition = Some(Text::from(text.trim()));
            hits = after;
            rest = before;
        }
    }
    if condition.as_deref() == Some("") {
        return Err("\"if\" needs a condition, such as attempt >= 3".to_owned());
    }
    let place = parse_where(rest.trim(), definition)?;
    if let Some(condition) = &condition {
        let at = match &place {
            Place::At(location) => Some(location),
            Place::Line(..) => None,
        };
        check_condition_at(condition, at, definition)?;
    }
    Ok(Breakpoint {
        condition,
        hit_count: hits,
        log_message: log,
        ..Breakpoint::at(place)
    })
}

/// Splits a text at the first ` word ` that is outside quotes.
fn split_word<'t>(text: &'t str, word: &str) -> Option<(&'t str, &'t str)> {
    places(text, word).next()
}

fn split_last_word<'t>(text: &'t str, word: &str) -> Option<(&'t str, &'t str)> {
    places(text, word).last()
}

fn places<'t>(text: &'t str, word: &str) -> impl Iterator<Item = (&'t str, &'t str)> {
    text.match_indices(word).filter_map(move |(at, _)| {
        let (before, after) = (text.get(..at)?, text.get(at + word.len()..)?);
        let quotes = before.matches('"').count();
        (quotes.is_multiple_of(2)
            && (before.is_empty() || before.ends_with(' '))
            && (after.is_empty() || after.starts_with(' ')))
        .then(|| (before.trim_end(), after.trim_start()))
    })
}

fn unquote(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'))
        .unwrap_or(text)
}

fn parse_where(text: &str, definition: &Definition) -> Result<Place, String> {
    let text = unquote(text);
    if text.is_empty() {
        return Err(
            "\"break\" needs a place: STATE, LINE, STATE[ITEM], error MOMENT PATTERN, data PATH"
                .into(),
        );
    }
    if let Some(("error", rest)) = text.split_once(' ') {
        let (moment, pattern) = match rest.trim().split_once(' ') {
            Some((moment, pattern)) => (moment, pattern.trim()),
            None => (rest.trim(), "*"),
        };
        return Ok(Place::At(Location::Error(
            parse_moment(moment)?,
            pattern.into(),
        )));
    }
    if let Some(("data", path)) = text.split_once(' ') {
        let path = path.trim().trim_end_matches("changes").trim();
        return Ok(Place::At(Location::Data(path.into())));
    }
    let (file, line) = match text.rsplit_once(':') {
        Some((file, line)) => (Some(file), line),
        None => (None, text),
    };
    if let Some(line) = line.parse::<usize>().ok().filter(|line| *line > 0)
        && definition.find_by_name(text).is_none()
    {
        let source = file.map(|file| source_named(file, &definition.sources));
        return Ok(Place::Line(source.transpose()?, line));
    }
    if let Some(path) = state_path(text, definition) {
        return Ok(Place::At(Location::State(path)));
    }
    if let Some((name, index)) = text
        .strip_suffix(']')
        .and_then(|text| text.rsplit_once('['))
        && let (Some(path), Ok(index)) = (state_path(name, definition), index.parse::<u32>())
    {
        return Ok(Place::At(Location::Item(path, index)));
    }
    if let Some((name, field)) = text.rsplit_once(['.', ' '])
        && let Some(path) = state_path(name.trim(), definition)
    {
        return Ok(Place::At(Location::Part(path, Part::Field(field.into()))));
    }
    Err(no_state(text, definition))
}

/// The state with this name or path.
///
/// # Errors
/// If there is no such state; the text suggests the most similar name.
pub fn state_named(name: &str, definition: &Definition) -> Result<StateId, String> {
    let state = definition.find_by_name(name);
    state.ok_or_else(|| no_state(name, definition))
}

fn no_state(name: &str, definition: &Definition) -> String {
    let names = definition.states.iter().map(|state| &*state.name);
    match did_you_mean(name, names) {
        Some(suggestion) => format!("no state is named {name}; {suggestion}"),
        None => format!("no state is named {name}"),
    }
}

/// The source with this path, or the source whose path ends with this text.
fn source_named(name: &str, sources: &SourceMap) -> Result<SourceId, String> {
    let ends = |file: &&str| {
        file.strip_suffix(name)
            .is_some_and(|before| before.is_empty() || before.ends_with(['/', '\\']))
    };
    let names = || sources.files().iter().map(|file| &*file.name);
    let place = names().position(|file| ends(&file));
    match place.and_then(|place| u16::try_from(place).ok()) {
        Some(place) => Ok(SourceId(place)),
        None => {
            let known: Vec<&str> = names().collect();
            let files = known.join(", ");
            Err(format!("the definition has no file {name}, only {files}"))
        }
    }
}

fn state_path(name: &str, definition: &Definition) -> Option<StatePath> {
    let id = definition.find_by_name(unquote(name))?;
    definition.state(id).map(|state| state.path.clone())
}

/// Parses `raised`, `retried`, `caught` or `uncaught`.
///
/// # Errors
/// If the word is none of these.
pub fn parse_moment(word: &str) -> Result<ErrorMoment, String> {
    ErrorMoment::ALL
        .into_iter()
        .find(|moment| moment.to_string() == word)
        .ok_or_else(|| {
            format!("{word} is not a moment of an error; use raised, retried, caught or uncaught")
        })
}

/// Parses `KIND [on|off]`, where the kind is an error moment or `difference`. Without on or off, toggles the kind. A
/// moment with a name pattern (`raised Payment.*`) becomes a breakpoint on errors that match the pattern.
///
/// # Errors
/// If the kind or the text after it is invalid.
pub fn parse_stop_on(
    argument: &str,
    stops_on: &[ErrorMoment],
    stops_on_difference: bool,
) -> Result<Command, String> {
    let (word, rest) = argument.split_once(' ').unwrap_or((argument, ""));
    let wanted = match rest.trim() {
        "" => None,
        "on" => Some(Switch::On),
        "off" => Some(Switch::Off),
        pattern => {
            let moment = parse_moment(word)?;
            let names = Location::Error(moment, pattern.into());
            return Ok(Command::Break(Breakpoint::at(names)));
        }
    };
    let flip = |is_on: bool| {
        wanted.unwrap_or(match is_on {
            true => Switch::Off,
            false => Switch::On,
        })
    };
    if word == "difference" {
        return Ok(Command::StopOnDifference(flip(stops_on_difference)));
    }
    let moment = parse_moment(word)?;
    Ok(Command::StopOn(moment, flip(stops_on.contains(&moment))))
}

/// Parses `STATE [INPUT]`; returns the state and the text after it, which may be empty.
///
/// A name may contain spaces, so the longest prefix that names a state is used.
///
/// # Errors
/// If the text is empty or does not begin with the name of a state.
pub fn parse_goto<'t>(
    argument: &'t str,
    definition: &Definition,
) -> Result<(StateId, &'t str), String> {
    if argument.is_empty() {
        return Err("\"goto\" needs a state: goto STATE, or goto STATE INPUT".to_owned());
    }
    let blanks = argument.char_indices().filter(|(_, c)| c.is_whitespace());
    let ends = blanks.map(|(at, _)| at).chain([argument.len()]);
    let named = ends.rev().find_map(|end| {
        let (name, rest) = argument.split_at_checked(end)?;
        let id = definition.find_by_name(name.trim())?;
        Some((id, rest.trim()))
    });
    named.map_or_else(
        || {
            let name = argument.split_whitespace().next().unwrap_or(argument);
            Ok((state_named(name, definition)?, ""))
        },
        Ok,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::lower;
    use crate::source::{SourceFile, parse_json};
    use std::sync::Arc;

    const TEXT: &str = r#"{"StartAt": "ChargeCard", "States": {
        "ChargeCard": {"Type": "Pass", "ResultPath": null, "Next": "Parcels"},
        "Parcels": {"Type": "Succeed"}}}"#;

    fn definition() -> Definition {
        let file = SourceFile::new("order.asl.json", TEXT);
        let (node, _) = parse_json(&file, SourceId(0));
        let node = Arc::new(node.expect("json"));
        lower(node, Arc::new(SourceMap::of(file)), "order").0
    }

    #[test]
    fn breakpoints_read() {
        let definition = definition();
        let read = |text: &str| parse_breakpoint(text, &definition);
        let charge = || StatePath("ChargeCard".into());
        let plain = TypedBreakpoint::at;
        assert_eq!(read("52"), Ok(plain(Place::Line(None, 52))));
        let first = Place::Line(Some(SourceId(0)), 7);
        assert_eq!(read("order.asl.json:7"), Ok(plain(first)));
        assert!(read("other.json:7").is_err_and(|text| text.contains("order.asl.json")));
        let colon = Location::Error(ErrorMoment::Raised, "Pay:5".into());
        assert_eq!(read("error raised Pay:5"), Ok(plain(Place::At(colon))));
        assert_eq!(
            read("ChargeCard if attempt >= 3 hits 2"),
            Ok(TypedBreakpoint {
                condition: Some("attempt >= 3".into()),
                hit_count: 2,
                ..plain(Place::At(Location::State(charge())))
            })
        );
        assert_eq!(
            read("\"ChargeCard\" hits 4 if $.a == \"x if y\" log \"on={$.a}\""),
            Ok(TypedBreakpoint {
                condition: Some("$.a == \"x if y\"".into()),
                hit_count: 4,
                log_message: Some("on={$.a}".into()),
                ..plain(Place::At(Location::State(charge())))
            })
        );
        assert_eq!(
            read("Parcels[3]"),
            Ok(plain(Place::At(Location::Item(
                StatePath("Parcels".into()),
                3
            ))))
        );
        assert_eq!(
            read("ChargeCard.ResultPath"),
            Ok(plain(Place::At(Location::Part(
                charge(),
                Part::Field("ResultPath".into())
            ))))
        );
        assert_eq!(
            read("error raised Payment.*"),
            Ok(plain(Place::At(Location::Error(
                ErrorMoment::Raised,
                "Payment.*".into()
            ))))
        );
        assert_eq!(
            read("data $.payment changes"),
            Ok(plain(Place::At(Location::Data("$.payment".into()))))
        );
        assert_eq!(
            read("ChargCard"),
            Err("no state is named ChargCard; did you mean \"ChargeCard\"?".to_owned())
        );
        assert!(
            read("").is_err() && read("ChargeCard if").is_err() && read("error thrown").is_err()
        );
    }
}
