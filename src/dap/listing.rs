//! Console commands that print values, explanations, lists and help. They never change the run.

use super::command::TABLE;
use super::debuggee::Debuggee;
use super::outbox::Outbox;
use super::refusal::Refusal;
use super::scope::retry_rows;
use crate::launch::Workspace as _;
use crate::session::Command;
use crate::session::view::StatePane;
use std::fmt::Write as _;

/// Output of a command.
pub(super) type Said = Result<String, Refusal>;

impl Debuggee {
    /// Why the error occurred, and how it is handled.
    pub fn why(&mut self) -> Said {
        self.standing()?;
        let view = self.session.view();
        let mut lines = Vec::new();
        if let Some(error) = &view.data.fault {
            lines.push(format!(
                "{}: {}",
                error.fault.name(),
                error.fault.cause_text()
            ));
            lines.extend(error.because.iter().map(ToString::to_string));
            lines.extend(error.aws.clone());
        }
        let rows = retry_rows(&view, self.session.definition()).into_iter();
        lines.extend(rows.map(|row| format!("{}: {}", row.name, row.text)));
        match lines.is_empty() {
            true => Err("there is no error and no choice here".into()),
            false => Ok(lines.join("\n")),
        }
    }

    /// Status of the Map's items.
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
        let counts: Vec<String> = summary
            .iter()
            .map(|(item, count)| format!("{count} {}", item.words()))
            .collect();
        let mut text = format!("{total} items: {}", counts.join(", "));
        for item in items.iter().take(50) {
            let beside = match &item.column {
                Some(Ok(value)) => super::variable::shown(value),
                Some(Err(problem)) => problem.clone(),
                None => crate::query::abridged(&item.item, 100),
            };
            let error = item.error.as_deref().unwrap_or("");
            // Writing to a String cannot fail.
            let _ = write!(
                text,
                "\n  {} {:?} {error} {beside}",
                item.index, item.status
            );
        }
        Ok(text)
    }

    /// Lists of breakpoints, watches and the like.
    pub fn info(&self, argument: &str) -> Said {
        let view = self.session.view();
        let lines: Vec<String> = match argument {
            "" | "breakpoints" | "break" | "b" => view.breakpoints.iter().map(breakpoint).collect(),
            "watches" | "watch" | "display" => (1..)
                .zip(&view.watches)
                .map(|(number, watch)| match &watch.value {
                    Ok(value) => {
                        format!(
                            "{number}  {} = {}",
                            watch.text,
                            super::variable::shown(value)
                        )
                    }
                    Err(problem) => format!("{number}  {}: {problem}", watch.text),
                })
                .collect(),
            "frames" | "stack" => view.frames.iter().map(|frame| frame.name.clone()).collect(),
            "tasks" => view
                .tasks
                .iter()
                .map(|task| {
                    let state = self.session.definition().state(task.ask.state);
                    let name = state.map_or("", |state| &*state.name);
                    let frame = self.session.frame_name(task.ask.frame);
                    format!("{name} in {frame} waits for an answer")
                })
                .collect(),
            "stops" => {
                let moments = self.session.stops_on();
                let mut words: Vec<String> = moments.iter().map(ToString::to_string).collect();
                if self.session.stops_on_difference() {
                    words.push("difference".to_string());
                }
                vec![format!("errors that stop the run: {}", words.join(", "))]
            }
            other => {
                return Err(Refusal::new(format!(
                    "there is no list {other}; use breakpoints, watches, frames, tasks or stops"
                )));
            }
        };
        match lines.is_empty() {
            true => Ok("there are none".to_string()),
            false => Ok(lines.join("\n")),
        }
    }

    /// States whose names contain a text.
    pub fn states(&self, text: &str) -> String {
        let text = text.to_lowercase();
        let definition = self.session.definition();
        let states = definition.states.iter();
        let states = states.filter(|state| state.path.0.to_lowercase().contains(&text));
        let lines: Vec<String> = states
            .map(|state| {
                let line = definition.sources.place(state.name_span);
                let line = line.map_or(0, |place| place.line);
                format!("{}  {}  line {line}", state.path, state.caption())
            })
            .collect();
        lines.join("\n")
    }

    /// The other state machines of the file.
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

    /// The value of an expression.
    pub fn print(&self, argument: &str) -> Said {
        self.standing()?;
        let value = self.session.evaluate(argument)?;
        let text = super::variable::shown(&value);
        Ok(format!("{argument} = {text} ({})", value.type_name()))
    }
}

fn breakpoint(point: &crate::session::view::BreakpointView) -> String {
    let mut text = format!(
        "{}  {}",
        point.id.0,
        crate::wording::location(&point.breakpoint.at)
    );
    if let Some(condition) = &point.breakpoint.condition {
        text += &format!(" if {condition}");
    }
    if point.breakpoint.hit_count > 1 {
        text += &format!(" hits {}", point.breakpoint.hit_count);
    }
    if let Some(message) = &point.breakpoint.log_message {
        text += &format!(" log {message}");
    }
    if !point.enabled {
        text += "  off";
    }
    if point.hits > 0 {
        text += &format!("  hit {} times", point.hits);
    }
    text
}

/// Help on all commands or one of them.
pub(super) fn help(argument: &str) -> Said {
    let wanted = argument.trim();
    let entries = TABLE.iter();
    let entries = entries
        .filter(|own| wanted.is_empty() || own.name == wanted || own.words.contains(&wanted));
    let lines: Vec<String> = entries
        .map(|entry| format!("{} {}\n    {}", entry.name, entry.argument, entry.help))
        .collect();
    match lines.is_empty() {
        true => Err(Refusal::new(format!("no command is named {wanted}"))),
        false => Ok(lines.join("\n")),
    }
}
