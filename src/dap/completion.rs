//! Completion in the debug console: commands, their arguments, and paths of the data.

use super::client::number;
use super::command::{Given, TABLE, What, given};
use super::debuggee::Debuggee;
use super::protocol::{CompletionItem, CompletionsArguments, CompletionsBody};
use crate::json::Value;

/// Maximum number of completions.
const OFFERED: usize = 200;

impl Debuggee {
    /// The completions of a line.
    pub fn completions(&self, arguments: &CompletionsArguments) -> CompletionsBody {
        let line = arguments.line.map_or(1, |line| self.client.own_line(line));
        let text = arguments
            .text
            .lines()
            .nth(line.saturating_sub(1))
            .unwrap_or("");
        let units: Vec<u16> = text.encode_utf16().collect();
        let until = self.client.own_column(arguments.column).min(units.len());
        let before = String::from_utf16_lossy(units.get(..until).unwrap_or_default());
        let (from, typed, choices) = self.choices(&before);
        let start = before.get(..from).unwrap_or("").encode_utf16().count();
        let length = until.saturating_sub(start);
        let fitting = choices
            .into_iter()
            .filter(|(label, ..)| label.starts_with(&typed) && *label != typed);
        let targets = fitting
            .take(OFFERED)
            .map(|(label, detail, kind)| CompletionItem {
                label,
                detail,
                r#type: Some(kind),
                start: Some(self.client.column(start)),
                length: Some(number(length)),
            });
        CompletionsBody {
            targets: targets.collect(),
        }
    }

    /// Start of the word at the cursor, the word, and its possible completions.
    fn choices(&self, before: &str) -> (usize, String, Vec<Choice>) {
        let colon = before.starts_with(':');
        let line = before.trim_start_matches([':', ' ']);
        let skipped = before.len() - line.len();
        let Some((word, argument)) = line.split_once(' ') else {
            if line.starts_with('$') {
                return self.paths(skipped, line);
            }
            let mut all: Vec<Choice> = TABLE
                .iter()
                .map(|entry| {
                    let detail = Some(entry.help.to_string());
                    (entry.name.to_string(), detail, "function")
                })
                .collect();
            all.sort();
            return (skipped, line.to_string(), all);
        };
        let argument = argument.trim_start();
        let from = before.len() - argument.len();
        let Some(Given::Command { what, .. }) = given(word) else {
            return match colon {
                true => (from, argument.to_string(), Vec::new()),
                false => {
                    let last = before.rfind([' ', '(', '=', ',']).map_or(0, |at| at + 1);
                    self.paths(last, before.get(last..).unwrap_or(""))
                }
            };
        };
        if matches!(
            what,
            What::Print | What::Watch | What::WhoWrote | What::Edit | What::Items
        ) {
            return self.paths(from, argument);
        }
        let words = |list: &[&str]| -> Vec<Choice> {
            list.iter()
                .map(|text| ((*text).to_string(), None, "value"))
                .collect()
        };
        let choices = match what {
            What::Break | What::TemporaryBreak | What::Until | What::Goto | What::States => {
                self.state_names()
            }
            What::Profile => words(&["spec", "aws"]),
            What::StopOn => words(&["raised", "retried", "caught", "uncaught", "difference"]),
            What::Info => words(&["breakpoints", "watches", "frames", "tasks", "stops"]),
            What::Write => words(&["case "]),
            What::Cases => {
                let cases: Vec<&str> = self.origin.cases.iter().map(String::as_str).collect();
                words(&cases)
            }
            What::Input => {
                let inputs: Vec<&str> = self.origin.inputs.iter().map(String::as_str).collect();
                words(&inputs)
            }
            What::Help => {
                let names: Vec<&str> = TABLE.iter().map(|entry| entry.name).collect();
                words(&names)
            }
            What::Fail => self.errors(),
            _ => Vec::new(),
        };
        (from, argument.to_string(), choices)
    }

    fn state_names(&self) -> Vec<Choice> {
        let states = self.session.definition().states.iter();
        let mut names: Vec<Choice> = states
            .map(|state| {
                let kind = state.caption().to_string();
                (state.name.to_string(), Some(kind), "class")
            })
            .collect();
        names.sort();
        names.dedup();
        names
    }

    /// Errors that the waiting task can fail with, each with what would follow.
    fn errors(&self) -> Vec<Choice> {
        let tasks = self.session.view().tasks;
        let ask = tasks.first().map(|task| task.ask.id);
        let offer = ask.and_then(|ask| self.session.offer(ask));
        let errors = offer.map(|offer| offer.errors).unwrap_or_default();
        let choice =
            |(name, then): (crate::json::Text, String)| (name.to_string(), Some(then), "value");
        errors.into_iter().map(choice).collect()
    }

    /// Members of the value before the last dot of a path.
    fn paths(&self, from: usize, path: &str) -> (usize, String, Vec<Choice>) {
        let Some((parent, typed)) = path.rsplit_once('.') else {
            let words = ["$input", "$effective", "$result", "$output", "$error", "$$"];
            let words = words
                .iter()
                .map(|word| ((*word).to_string(), None, "variable"));
            let variables = self.session.view().data.variables.into_iter();
            let variables = variables.map(|(name, _)| (format!("${name}"), None, "variable"));
            return (from, path.to_string(), words.chain(variables).collect());
        };
        let from = from.saturating_add(parent.len()).saturating_add(1);
        let value = match self.phase {
            super::debuggee::Phase::Stopped => self.session.evaluate(parent).ok(),
            _ => None,
        };
        let members = match &value {
            Some(Value::Object(object)) => object.members(),
            _ => &[],
        };
        let choices = members.iter().map(|(name, value)| {
            let kind = value.type_name().to_string();
            (name.to_string(), Some(kind), "property")
        });
        (from, typed.to_string(), choices.collect())
    }
}

/// A completion: its text, a description and its type.
type Choice = (String, Option<String>, &'static str);
