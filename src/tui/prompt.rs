//! Parses and completes what is typed after `:`, in a script or with `--ex`: an action and its argument.

use super::action::{Action, Entry, Pane, TABLE};
use super::theme::Theme;
use crate::definition::{Definition, StateKind};
use crate::launch::{Choice, Origin, TRIGGER_NAMES};
use crate::service::Call;
use crate::session::grammar::TypedCommand;
use crate::source::did_you_mean;

/// A typed command: an action with its argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// The action that the command performs.
    pub action: Action,
    /// True if `!` follows the name of the command.
    pub bang: bool,
    /// Text after the name of the command.
    pub argument: String,
}

impl Order {
    /// A command that performs this action without an argument, as a key press does.
    #[must_use]
    pub fn plain(action: Action) -> Self {
        Self {
            action,
            bang: false,
            argument: String::new(),
        }
    }
}

/// Parses a typed line; `None` for an empty line or a comment (`#`).
///
/// # Errors
/// If no command has the typed name. The error suggests which command may have been meant.
pub fn parse(line: &str) -> Result<Option<Order>, String> {
    let line = line.trim().trim_start_matches(':').trim_start();
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let typed = TypedCommand::of(line);
    let action = Action::named(typed.name).ok_or_else(|| unknown(typed.name))?;
    Ok(Some(Order {
        action,
        bang: typed.bang,
        argument: typed.argument.to_owned(),
    }))
}

/// Message that says that no command has this name, with a hint about what the user may have meant.
pub(super) fn unknown(name: &str) -> String {
    if let Some(entry) = TABLE.iter().find(|entry| entry.keys.contains(&name)) {
        let command = entry.name;
        return format!("{name} is a key; the command is :{command}");
    }
    let names = TABLE.iter().map(|entry| entry.name);
    let near = did_you_mean(name, names);
    match (near, commands(name).as_slice()) {
        (Some(suggestion), _) => format!("no command is named {name}; {suggestion}"),
        (None, []) => format!("no command is named {name}; ? lists all commands"),
        (None, described) => {
            let commands = described.iter().take(3);
            let commands = commands.map(|entry| format!(":{}", entry.name));
            let commands = commands.collect::<Vec<_>>().join(", ");
            format!("no command is named {name}; {name} is in the description of {commands}")
        }
    }
}

/// Names of the moments at which an error can stop the run.
const MOMENTS: [&str; 4] = ["raised", "retried", "caught", "uncaught"];

/// Parses a count from 1 to 100000; an empty text means 1.
///
/// # Errors
/// If the text is not a count from 1 to 100000.
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

/// Commands that match the typed text: first those whose name begins with the text, then those with an alias that
/// begins with the text, then those that contain each typed word in their name, label or description.
#[must_use]
pub fn commands(typed: &str) -> Vec<&'static Entry> {
    let typed = typed.trim().to_lowercase();
    let rank = |entry: &Entry| {
        let by_name = entry.name.starts_with(&typed);
        let by_other = entry.words.iter().any(|word| word.starts_with(&typed));
        let all = [entry.name, entry.label, entry.help].join(" ");
        let all = all.to_lowercase();
        let has = |word: &str| {
            let mut parts = all.split(|c: char| !c.is_alphanumeric());
            parts.any(|part| part.starts_with(word))
        };
        match (by_name, by_other) {
            (true, _) => Some(0),
            (_, true) => Some(1),
            _ if typed.chars().count() < 3 => None,
            _ => typed.split_whitespace().all(has).then_some(2),
        }
    };
    let ranked = TABLE.iter().filter_map(|entry| Some((rank(entry)?, entry)));
    let mut ranked: Vec<(u8, &Entry)> = ranked.collect();
    ranked.sort_by_key(|(rank, entry)| (*rank, entry.name));
    ranked.into_iter().map(|(_, entry)| entry).collect()
}

/// Completions of the text before the cursor. Returns the candidates, and the position in the line of the first
/// character that a candidate replaces.
#[must_use]
pub fn complete(
    before: &str,
    definition: &Definition,
    origin: &Origin,
    machines: &[Choice],
) -> (usize, Vec<String>) {
    let typed = before.split_once(' ').and_then(|(word, argument)| {
        let action = Action::named(word.trim_end_matches('!'))?;
        Some((action, argument))
    });
    let Some((action, argument)) = typed else {
        let matching = commands(before);
        let is_named = |entry: &&&Entry| entry.name.starts_with(before);
        let named: Vec<_> = matching.iter().filter(is_named).copied().collect();
        let entries = if named.is_empty() { matching } else { named };
        let names = entries.into_iter().map(|entry| entry.name.to_owned());
        return (0, names.collect());
    };
    let words =
        |list: &[&str]| -> Vec<String> { list.iter().map(|text| (*text).to_owned()).collect() };
    let argument = argument.trim_start();
    let mut choices: Vec<String> = match action {
        Action::Break
        | Action::TemporaryBreak
        | Action::Until
        | Action::Goto
        | Action::Show
        | Action::Open => {
            let states = definition.states.iter();
            let paths = states.clone().map(|state| state.path.0.to_string());
            let names = states.map(|state| state.name.to_string());
            let mut names: Vec<String> = paths.chain(names).collect();
            let first = argument.split_once(' ').map(|(word, _)| word);
            if first == Some("error") {
                let moments = MOMENTS.iter().flat_map(|moment| {
                    errors(definition).map(move |name| format!("error {moment} {name}"))
                });
                names.extend(moments);
            }
            names
        }
        Action::Profile => words(&["spec", "aws"]),
        Action::Level => words(&["info", "debug", "trace"]),
        Action::Mouse => words(&["on", "off"]),
        Action::StopOn => words(&[&MOMENTS[..], &["difference"]].concat()),
        Action::Fail => errors(definition).collect(),
        Action::Theme => Theme::names().map(str::to_owned).collect(),
        Action::Cases => origin.cases.clone(),
        Action::Input => {
            let events = TRIGGER_NAMES.map(|name| format!("event:{name}"));
            origin.inputs.iter().cloned().chain(events).collect()
        }
        Action::Machines => machines
            .iter()
            .map(|machine| machine.name.clone())
            .collect(),
        Action::Focus => Pane::ALL
            .iter()
            .map(|pane| pane.name().to_ascii_lowercase())
            .collect(),
        Action::Info => words(&["breakpoints", "watches", "frames", "tasks", "stops"]),
        Action::Write => words(&["case ", "screen "]),
        Action::Help => TABLE.iter().map(|entry| entry.name.to_owned()).collect(),
        _ => Vec::new(),
    };
    let from = before.chars().count() - argument.chars().count();
    choices.retain(|choice| choice.starts_with(argument));
    choices.sort_unstable();
    choices.dedup();
    (from, choices)
}

/// Names of errors: the names in Retry and Catch, and the names of the errors that the tasks may raise.
fn errors(definition: &Definition) -> impl Iterator<Item = String> {
    definition.states.iter().flat_map(|state| {
        let retried = state.retry.iter().map(|retrier| &retrier.error_equals);
        let named = retried.chain(state.catch.iter().map(|catcher| &catcher.error_equals));
        let call = match &state.kind {
            StateKind::Task(task) => task.call(),
            _ => None,
        };
        let raised = call.map(Call::raised).unwrap_or_default();
        let named = named.flatten().map(ToString::to_string);
        named.chain(raised)
    })
}

/// The longest text with which all candidates begin.
#[must_use]
pub fn common(choices: &[String]) -> String {
    let Some((first, others)) = choices.split_first() else {
        return String::new();
    };
    let lengths = others.iter().map(|other| {
        let pairs = first.chars().zip(other.chars());
        pairs.take_while(|(a, b)| a == b).count()
    });
    let length = lengths.min().unwrap_or(usize::MAX);
    first.chars().take(length).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::pane::tests::sample;

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
        assert_eq!(
            parse(":W $.a"),
            Err("W is a key; the command is :who".to_owned())
        );
        assert_eq!(count("5"), Ok(5));
        assert!(count("0").is_err() && count("-1").is_err() && count("x").is_err());
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
        // Checks that a command is found by any word of its description, and that more words narrow the result.
        assert!(choices("origin").1.contains(&"who".to_owned()));
        assert_eq!(choices("value origin"), (0, vec!["who".to_owned()]));
        assert_eq!(choices("break Cha"), (6, vec!["ChargeCard".to_owned()]));
        assert_eq!(choices("case "), (5, cases.clone()));
        assert_eq!(choices("input event:sq"), (6, vec!["event:sqs".to_owned()]));
        let (_, errors) = choices("break error raised Payment.");
        assert!(!errors.is_empty() && errors.iter().all(|name| name.starts_with("error ")));
        assert!(choices("theme ").1.contains(&"mono".to_owned()));
        let (from, errors) = choices("fail Payment.");
        assert!(from == 5 && !errors.is_empty());
        let (_, many) = choices("next");
        assert_eq!(common(&many), "next");
    }
}
