//! What is typed after `:`, in a script or with `--ex`: read into an action with its argument, and completed.
//!
//! It must not know how an action is done, nor which key was pressed.

use super::action::{Action, Pane, TABLE};
use super::theme::Theme;
use crate::definition::{Definition, StatePath};
use crate::json::Text;
use crate::launch::{Choice, Origin};
use crate::session::{Breakpoint, ErrorMoment, Location, Part};
use crate::source::{SourceId, SourceMap, did_you_mean};

/// One command as typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// What to do.
    pub action: Action,
    /// Whether `!` stands after the name.
    pub bang: bool,
    /// What stands after it.
    pub argument: String,
}

impl Order {
    /// An action without argument, as a key gives it.
    #[must_use]
    pub fn plain(action: Action) -> Self {
        Self {
            action,
            bang: false,
            argument: String::new(),
        }
    }
}

/// Reads a line; `None` for an empty one and for a comment (`#`).
///
/// # Errors
/// Where it names no command; the text says what may have been meant.
pub fn parse(line: &str) -> Result<Option<Order>, String> {
    let line = line.trim().trim_start_matches(':').trim_start();
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let (word, argument) = match line.split_once(char::is_whitespace) {
        Some((word, argument)) => (word, argument.trim()),
        None => (line, ""),
    };
    let (name, bang) = match word.strip_suffix('!') {
        Some(name) if !name.is_empty() => (name, true),
        _ => (word, false),
    };
    let action = match Action::named(name) {
        Some(action) => action,
        None => return Err(unknown(name)),
    };
    Ok(Some(Order {
        action,
        bang,
        argument: argument.to_owned(),
    }))
}

fn unknown(name: &str) -> String {
    let names = TABLE.iter().map(|entry| entry.name);
    match did_you_mean(name, names) {
        Some(near) => format!("no command is named {name}; {near}"),
        None => format!("no command is named {name}; ? lists them all"),
    }
}

/// Reads a count.
///
/// # Errors
/// Where it is none.
pub fn count(argument: &str) -> Result<u64, String> {
    match argument {
        "" => Ok(1),
        text => text
            .parse::<u64>()
            .ok()
            .filter(|count| (1..=100_000).contains(count))
            .ok_or_else(|| format!("{text} is not a count from 1 to 100000")),
    }
}

/// Where a typed breakpoint is meant to stand.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// A place of its own.
    At(Location),
    /// A line of a source: of this one, or of the one that is looked at.
    Line(Option<SourceId>, usize),
}

/// A breakpoint as typed: `WHERE [if COND] [hits N] [log TEXT]`.
#[derive(Clone, Debug, PartialEq)]
pub struct TypedBreak {
    /// Where.
    pub place: Place,
    /// Its condition.
    pub condition: Option<Text>,
    /// Its hit count.
    pub hits: u64,
    /// Its message.
    pub log: Option<Text>,
}

impl TypedBreak {
    /// The breakpoint at a location.
    #[must_use]
    pub fn breakpoint(&self, at: Location, once: bool) -> Breakpoint {
        Breakpoint {
            condition: self.condition.clone(),
            hit_count: self.hits,
            log_message: self.log.clone(),
            once,
            ..Breakpoint::at(at)
        }
    }
}

/// Reads a breakpoint.
///
/// # Errors
/// Where a part of it cannot be read; the text says which.
pub fn parse_break(argument: &str, definition: &Definition) -> Result<TypedBreak, String> {
    let mut rest = argument.trim();
    let mut log = None;
    if let Some((before, text)) = split_word(rest, "log") {
        log = Some(Text::from(unquote(text)));
        rest = before;
    }
    let mut hits = 0;
    let mut condition = None;
    // Either order: `if` and `hits` end where the other begins.
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
        return Err("a condition has to follow if, such as attempt >= 3".to_owned());
    }
    Ok(TypedBreak {
        place: parse_where(rest.trim(), definition)?,
        condition,
        hits,
        log,
    })
}

/// Splits at the first ` word ` outside quotes.
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
            "break where? STATE, LINE, STATE[ITEM], error MOMENT PATTERN, data PATH".into(),
        );
    }
    if let Some(rest) = text.strip_prefix("error ") {
        let (moment, pattern) = match rest.trim().split_once(' ') {
            Some((moment, pattern)) => (moment, pattern.trim()),
            None => (rest.trim(), "*"),
        };
        return Ok(Place::At(Location::Error(
            parse_moment(moment)?,
            pattern.into(),
        )));
    }
    if let Some(path) = text.strip_prefix("data ") {
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
    let names = definition.states.iter().map(|state| &*state.name);
    Err(match did_you_mean(text, names) {
        Some(near) => format!("no state is named {text}; {near}"),
        None => format!("no state is named {text}"),
    })
}

/// The source that a person names: by its path as shown, or by the end of it.
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
            let known = known.join(", ");
            Err(format!("no file {name} takes part here; there is {known}"))
        }
    }
}

fn state_path(name: &str, definition: &Definition) -> Option<StatePath> {
    let id = definition.find_by_name(unquote(name))?;
    definition.state(id).map(|state| state.path.clone())
}

/// Reads `raised`, `retried`, `caught`, `uncaught`.
///
/// # Errors
/// Where it is none of them.
pub fn parse_moment(word: &str) -> Result<ErrorMoment, String> {
    ErrorMoment::ALL
        .into_iter()
        .find(|moment| moment.to_string() == word)
        .ok_or_else(|| format!("{word} is none of raised, retried, caught, uncaught"))
}

/// What may stand at the cursor: the character at which it begins, and the choices.
#[must_use]
pub fn complete(
    before: &str,
    definition: &Definition,
    origin: &Origin,
    machines: &[Choice],
) -> (usize, Vec<String>) {
    let Some((word, argument)) = before.split_once(' ') else {
        let mut names: Vec<String> = TABLE
            .iter()
            .filter(|entry| entry.name.starts_with(before))
            .map(|entry| entry.name.to_owned())
            .collect();
        names.sort_unstable();
        return (0, names);
    };
    let words =
        |list: &[&str]| -> Vec<String> { list.iter().map(|text| (*text).to_owned()).collect() };
    let argument = argument.trim_start();
    let choices: Vec<String> = match Action::named(word.trim_end_matches('!')) {
        Some(
            Action::Break
            | Action::TemporaryBreak
            | Action::Until
            | Action::Goto
            | Action::Show
            | Action::Open,
        ) => {
            let mut names: Vec<String> = definition
                .states
                .iter()
                .map(|state| state.path.0.to_string())
                .collect();
            names.extend(definition.states.iter().map(|state| state.name.to_string()));
            names.dedup();
            names
        }
        Some(Action::Profile) => words(&["spec", "aws"]),
        Some(Action::Level) => words(&["info", "debug", "trace"]),
        Some(Action::Mouse) => words(&["on", "off"]),
        Some(Action::StopOn) => words(&["raised", "retried", "caught", "uncaught", "difference"]),
        Some(Action::Theme) => Theme::names().map(str::to_owned).collect(),
        Some(Action::Cases) => origin.cases.clone(),
        Some(Action::Input) => origin.inputs.clone(),
        Some(Action::Machines) => machines.iter().map(|one| one.name.clone()).collect(),
        Some(Action::Focus) => Pane::ALL
            .iter()
            .map(|pane| pane.name().to_ascii_lowercase())
            .collect(),
        Some(Action::Info) => words(&["breakpoints", "watches", "frames", "tasks", "stops"]),
        Some(Action::Write) => words(&["case ", "screen "]),
        Some(Action::Help) => TABLE.iter().map(|entry| entry.name.to_owned()).collect(),
        _ => Vec::new(),
    };
    let from = before.chars().count() - argument.chars().count();
    let mut choices: Vec<String> = choices
        .into_iter()
        .filter(|choice| choice.starts_with(argument))
        .collect();
    choices.sort_unstable();
    choices.dedup();
    (from, choices)
}

/// The longest text with which all choices begin.
#[must_use]
pub fn common(choices: &[String]) -> String {
    let Some(first) = choices.first() else {
        return String::new();
    };
    let length = choices
        .iter()
        .skip(1)
        .fold(first.chars().count(), |so_far, other| {
            let same = first
                .chars()
                .zip(other.chars())
                .take_while(|(a, b)| a == b)
                .count();
            same.min(so_far)
        });
    first.chars().take(length).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::pane::sample;

    fn order(line: &str) -> Order {
        parse(line).expect("a command").expect("not empty")
    }

    #[test]
    fn words_and_abbreviations_read() {
        assert_eq!(order("c 3").action, Action::Continue);
        assert_eq!(order(":C").action, Action::ReverseContinue);
        assert!(order("  restart!  ").bang);
        assert_eq!(
            order("answer {\"a\": 1} took 2").argument,
            "{\"a\": 1} took 2"
        );
        assert_eq!(order("p $.a").action, Action::Print);
        assert_eq!(parse("# a comment"), Ok(None));
        assert_eq!(
            parse("contine"),
            Err("no command is named contine; did you mean \"continue\"?".to_owned())
        );
        assert_eq!(count("5"), Ok(5));
        assert!(count("0").is_err() && count("-1").is_err() && count("x").is_err());
    }

    #[test]
    fn breakpoints_read() {
        let definition = sample::definition();
        let read = |text: &str| parse_break(text, &definition);
        let charge = || StatePath("ChargeCard".into());
        let plain = |place| TypedBreak {
            place,
            condition: None,
            hits: 0,
            log: None,
        };
        assert_eq!(read("52"), Ok(plain(Place::Line(None, 52))));
        let first = Place::Line(Some(SourceId(0)), 7);
        assert_eq!(read("order.asl.json:7"), Ok(plain(first)));
        assert!(read("other.json:7").is_err_and(|text| text.contains("order.asl.json")));
        let colon = Location::Error(ErrorMoment::Raised, "Pay:5".into());
        assert_eq!(read("error raised Pay:5"), Ok(plain(Place::At(colon))));
        assert_eq!(
            read("ChargeCard if attempt >= 3 hits 2"),
            Ok(TypedBreak {
                condition: Some("attempt >= 3".into()),
                hits: 2,
                ..plain(Place::At(Location::State(charge())))
            })
        );
        assert_eq!(
            read("\"ChargeCard\" hits 4 if $.a == \"x if y\" log \"on={$.a}\""),
            Ok(TypedBreak {
                condition: Some("$.a == \"x if y\"".into()),
                hits: 4,
                log: Some("on={$.a}".into()),
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

    #[test]
    fn tab_completes_commands_and_their_arguments() {
        let definition = sample::definition();
        let cases = vec!["Happy".to_owned()];
        let origin = Origin {
            cases: cases.clone(),
            ..Origin::default()
        };
        let machines = [Choice {
            name: "Orders".into(),
            ..Choice::default()
        }];
        let choices = |text: &str| complete(text, &definition, &origin, &machines);
        assert_eq!(choices("machine O"), (8, vec!["Orders".to_owned()]));
        assert_eq!(choices("cont"), (0, vec!["continue".to_owned()]));
        assert_eq!(choices("break Cha"), (6, vec!["ChargeCard".to_owned()]));
        assert_eq!(choices("case "), (5, cases.clone()));
        assert!(choices("theme ").1.contains(&"mono".to_owned()));
        let (_, many) = choices("next");
        assert_eq!(common(&many), "next");
    }
}
