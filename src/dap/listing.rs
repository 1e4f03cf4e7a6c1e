//! Console commands that print values, explanations, lists and help, and the completion of typed console lines. None of
//! these changes the run.

use super::command::{Entry, Given, TABLE, What, given};
use super::debuggee::{Debuggee, Phase};
use super::launch::finding_line;
use super::message::{Outbox, Refusal};
use super::protocol::CompletionsArguments;
use super::scope::{reasons, shown};
use crate::json::Value;
use crate::launch::Workspace as _;
use crate::session::Command;
use crate::session::view::{BreakpointView, StatePane, TaskView, WatchView};
use crate::wording::location;
use serde_json::{Value as Json, json};

/// The output of a console command, or the reason why the command failed.
pub(super) type Said = Result<String, Refusal>;

impl Debuggee {
    /// Explains the error at the current event: why it was raised, and how the state handles it. For a Choice, explains
    /// its rules.
    pub fn why(&mut self) -> Said {
        self.standing()?;
        let view = self.session.view();
        let fault = view.data.fault.as_ref().map(|error| &error.fault);
        let error = fault.map(|fault| format!("{}: {}", fault.name(), fault.cause_text()));
        let mut lines = Vec::from_iter(error);
        lines.extend(reasons(&view, self.session.definition()));
        match lines.is_empty() {
            true => Err("no error was raised here, and the state is not a Choice".into()),
            false => Ok(lines.join("\n")),
        }
    }

    /// Counts the items of each status in the Map state that is shown, and lists up to 50 items. `argument` is an
    /// expression to evaluate for each item; if it is empty, the item itself is printed.
    pub fn items(&mut self, argument: &str, out: &mut Outbox) -> Said {
        let text = (!argument.is_empty()).then(|| argument.into());
        self.apply(Command::Items(text), out)?;
        let StatePane::Map {
            items,
            summary,
            total,
            ..
        } = self.session.view().state
        else {
            return Err("select a Map first: only a Map has items".into());
        };
        let counts = summary.iter();
        let counts = counts.map(|(item, count)| format!("{count} {}", item.words()));
        let counts: Vec<String> = counts.collect();
        let mut text = format!("{total} items: {counts}", counts = counts.join(", "));
        for item in items.iter().take(50) {
            let value = match &item.column {
                Some(Ok(value)) => shown(value),
                Some(Err(problem)) => problem.clone(),
                None => crate::query::abridged(&item.item, 100),
            };
            let error = item.lane.error.as_deref().unwrap_or("");
            text += &format!(
                "\n  {index} {status:?} {error} {value}",
                index = item.lane.index,
                status = item.lane.status
            );
        }
        Ok(text)
    }

    /// Prints the list that `argument` names, such as `watches` or `findings`; without an argument, the breakpoints.
    pub fn info(&self, argument: &str) -> Said {
        let view = self.session.view();
        let lines: Vec<String> = match argument {
            "" | "breakpoints" | "break" | "b" => view.breakpoints.iter().map(breakpoint).collect(),
            "watches" | "watch" | "display" => {
                let watches = (1..).zip(&view.watches);
                let line = |(number, watch): (u64, &WatchView)| match &watch.value {
                    Ok(value) => {
                        let (expression, value) = (&watch.text, shown(value));
                        format!("{number}  {expression} = {value}")
                    }
                    Err(problem) => {
                        let expression = &watch.text;
                        format!("{number}  {expression}: {problem}")
                    }
                };
                watches.map(line).collect()
            }
            "frames" | "stack" => view.frames.iter().map(|frame| frame.name.clone()).collect(),
            "tasks" => {
                let line = |task: &TaskView| {
                    let state = self.session.definition().state(task.ask.state);
                    let name = state.map_or("", |state| &*state.name);
                    let frame = self.session.frame_name(task.ask.frame);
                    format!("{name} in {frame} waits for an answer")
                };
                view.tasks.iter().map(line).collect()
            }
            "stops" => {
                let moments = self.session.stops_on();
                let mut words: Vec<String> = moments.iter().map(ToString::to_string).collect();
                if self.session.stops_on_difference() {
                    words.push("difference".to_string());
                }
                vec![format!(
                    "errors that stop the run: {errors}",
                    errors = words.join(", ")
                )]
            }
            "findings" => self.finding_lines(),
            list => {
                return Err(Refusal::new(format!(
                    "there is no list {list}; use breakpoints, watches, frames, tasks, stops or findings"
                )));
            }
        };
        match lines.is_empty() {
            true => Ok("the list is empty".to_string()),
            false => Ok(lines.join("\n")),
        }
    }

    /// Findings of `check`, each with its line and its rule.
    fn finding_lines(&self) -> Vec<String> {
        let sources = self.session.sources();
        let findings = self.session.diagnostics().iter();
        findings
            .map(|finding| finding_line(finding, sources))
            .collect()
    }

    /// Lists the states whose path contains a text, each with its type and line. The search ignores case.
    pub fn states(&self, text: &str) -> String {
        let text = text.to_lowercase();
        let definition = self.session.definition();
        let states = definition.states.iter();
        let states = states.filter(|state| state.path.0.to_lowercase().contains(&text));
        let lines = states.map(|state| {
            let place = definition.sources.place(state.name_span);
            let line = place.map_or(0, |place| place.line);
            let (path, kind) = (&state.path, state.caption());
            format!("{path}  {kind}  line {line}")
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Without a name, lists the state machines of the definition's file. With a name, says how to debug the state
    /// machine with this name. Returns an error if the file has only one state machine.
    pub fn machines(&self, name: &str) -> Said {
        let choices = self.project.choices();
        if choices.is_empty() {
            return Err("there is no other definition in this file".into());
        }
        if !name.is_empty() {
            return Err(Refusal::new(format!(
                "to debug another state machine, launch with \"stateMachine\": \"{name}\""
            )));
        }
        let names: Vec<&str> = choices.iter().map(|choice| choice.name.as_str()).collect();
        Ok(names.join("\n"))
    }

    /// Evaluates an expression, and returns its text with its value and JSON type.
    pub fn print(&self, argument: &str) -> Said {
        self.standing()?;
        let value = self.session.evaluate(argument)?;
        let text = shown(&value);
        Ok(format!(
            "{argument} = {text} ({json_type})",
            json_type = value.type_name()
        ))
    }
}

fn breakpoint(point: &BreakpointView) -> String {
    let mut text = format!("{}  {}", point.id.0, location(&point.breakpoint.at));
    if let Some(condition) = &point.breakpoint.condition {
        text += &format!(" if {condition}");
    }
    if point.breakpoint.hit_count > 1 {
        text += &format!(" hits {count}", count = point.breakpoint.hit_count);
    }
    if let Some(message) = &point.breakpoint.log_message {
        text += &format!(" log {message}");
    }
    if !point.enabled {
        text += "  off";
    }
    if point.hits > 0 {
        text += &format!("  hit {count} times", count = point.hits);
    }
    text
}

/// The help text for all commands, or only for the command that `argument` names.
pub(super) fn help(argument: &str) -> Said {
    let name = argument.trim();
    let is_wanted =
        |entry: &&Entry| name.is_empty() || entry.name == name || entry.words.contains(&name);
    let lines = TABLE.iter().filter(is_wanted);
    let lines = lines.map(|entry| format!("{} {}\n    {}", entry.name, entry.argument, entry.help));
    let lines: Vec<String> = lines.collect();
    match lines.is_empty() {
        true => Err(Refusal::new(format!("no command is named {name}"))),
        false => Ok(lines.join("\n")),
    }
}

/// Maximum number of completions that the client gets for one line.
const OFFERED: usize = 200;

impl Debuggee {
    /// Handles the request `completions`: returns texts that can replace the word before the cursor.
    pub fn completions(&self, arguments: &CompletionsArguments) -> Json {
        let line = arguments.line.map_or(1, |line| self.client.own_line(line));
        let text = arguments.text.lines().nth(line.saturating_sub(1));
        let text = text.unwrap_or("");
        let units: Vec<u16> = text.encode_utf16().collect();
        let until = self.client.own_column(arguments.column).min(units.len());
        let before = String::from_utf16_lossy(units.get(..until).unwrap_or_default());
        let (from, typed, choices) = self.choices(&before);
        let start = before.get(..from).unwrap_or("").encode_utf16().count();
        let length = until.saturating_sub(start);
        let choices = choices.into_iter();
        let fitting = choices.filter(|(label, ..)| label.starts_with(&typed) && *label != typed);
        let targets = fitting.take(OFFERED).map(|(label, detail, kind)| {
            json!({
                "label": label, "detail": detail, "type": kind,
                "start": self.client.column(start), "length": length,
            })
        });
        json!({"targets": targets.collect::<Vec<_>>()})
    }

    /// Finds what can be typed at the end of the text `before` the cursor. Returns the byte offset at which the text to
    /// complete starts, this text, and its possible completions.
    fn choices(&self, before: &str) -> (usize, String, Vec<Choice>) {
        let colon = before.starts_with(':');
        let line = before.trim_start_matches([':', ' ']);
        let skipped = before.len() - line.len();
        let Some((word, argument)) = line.split_once(' ') else {
            if line.starts_with('$') {
                return self.paths(skipped, line);
            }
            let all = TABLE.iter().map(|entry| {
                let detail = Some(entry.help.to_string());
                (entry.name.to_string(), detail, "function")
            });
            let mut all: Vec<Choice> = all.collect();
            all.sort_unstable();
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
            let words = list.iter().map(ToString::to_string);
            words.map(|word| (word, None, "value")).collect()
        };
        let named = |names: &[String]| -> Vec<Choice> {
            let names = names.iter().cloned();
            names.map(|name| (name, None, "value")).collect()
        };
        let choices = match what {
            What::Break | What::TemporaryBreak | What::Until | What::Goto | What::States => {
                self.state_names()
            }
            What::Profile => words(&["spec", "aws"]),
            What::StopOn => words(&["raised", "retried", "caught", "uncaught", "difference"]),
            What::Info => words(&[
                "breakpoints",
                "watches",
                "frames",
                "tasks",
                "stops",
                "findings",
            ]),
            What::Write => words(&["case ", "test ", "input"]),
            What::Cases => named(&self.origin.cases),
            What::Input => named(&self.origin.inputs),
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
        let names = states.map(|state| {
            let kind = state.caption().to_string();
            (state.name.to_string(), Some(kind), "class")
        });
        let mut names: Vec<Choice> = names.collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The errors with which the first waiting task can fail, each with a description of what the run would do then.
    fn errors(&self) -> Vec<Choice> {
        let tasks = self.session.view().tasks;
        let ask = tasks.first().map(|task| task.ask.id);
        let offer = ask.and_then(|ask| self.session.offer(ask));
        let errors = offer.map(|offer| offer.errors).unwrap_or_default();
        let errors = errors.into_iter();
        errors
            .map(|(name, then)| (name.to_string(), Some(then), "value"))
            .collect()
    }

    /// Completions of a path: the members of the value before the last dot. If there is no dot, the words and variables
    /// with which a path can begin.
    fn paths(&self, from: usize, path: &str) -> (usize, String, Vec<Choice>) {
        let Some((parent, typed)) = path.rsplit_once('.') else {
            let words = ["$input", "$effective", "$result", "$output", "$error", "$$"];
            let words = words.map(|word| (word.to_string(), None, "variable"));
            let variables = self.session.view().data.variables.into_iter();
            let variables = variables.map(|(name, _)| (format!("${name}"), None, "variable"));
            return (
                from,
                path.to_string(),
                words.into_iter().chain(variables).collect(),
            );
        };
        let from = from.saturating_add(parent.len()).saturating_add(1);
        let value = match self.phase {
            Phase::Stopped => self.session.evaluate(parent).ok(),
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

/// A completion: the text to insert, an optional description, and the protocol's word for its type, such as `value`.
type Choice = (String, Option<String>, &'static str);
