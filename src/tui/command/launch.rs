//! Orders that begin a run elsewhere or with another text, or write down what was answered in it.
//!
//! It must not know which key was pressed.

use crate::json::{Value, parse};
use crate::session::{Command, with_case};
use crate::source::load::LoadError;
use crate::source::store::is_file_name;
use crate::source::{Severity, load};
use crate::tui::app::App;
use crate::tui::theme::Role;
use crate::tui::write;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

type Done = Result<(), String>;

impl App {
    /// Begins a run at a state, with another input where one is given.
    pub(in crate::tui) fn goto(&mut self, argument: &str) -> Done {
        if argument.is_empty() {
            return Err("goto which state? goto STATE, or goto STATE INPUT".into());
        }
        // A name may hold blanks: the longest beginning that names a state is meant.
        let ends = argument
            .char_indices()
            .filter(|(_, c)| c.is_whitespace())
            .map(|(at, _)| at)
            .chain([argument.len()]);
        let named = ends.rev().find_map(|end| {
            let name = argument.get(..end)?.trim();
            let id = self.session.definition().find_by_name(name)?;
            Some((id, argument.get(end..)?.trim()))
        });
        let (state, input) = match named {
            Some(named) => named,
            None => {
                let name = argument.split_whitespace().next().unwrap_or(argument);
                (self.state_named(name)?, "")
            }
        };
        let input = match input {
            "" => None,
            text => Some(read(text)?),
        };
        let given = input.is_some();
        self.begin(Some(state), input);
        if self.model.message.is_none() {
            let name = crate::tui::caption::name(self.session.definition(), Some(state));
            let with = if given { "that" } else { "the same" };
            let text = format!(
                "run {} begins at {name} with {with} input",
                self.view.header.run
            );
            self.model.say(text, Role::Info);
        }
        Ok(())
    }

    /// Begins a run with another input.
    pub(in crate::tui) fn take_input(&mut self, argument: &str) -> Done {
        if argument.is_empty() {
            return Err("input FILE, or input JSON".into());
        }
        let input = read(argument)?;
        let size = input.size();
        self.begin(None, Some(input));
        if self.model.message.is_none() {
            let run = self.view.header.run;
            self.model.say(
                format!("run {run} begins with an input of {size} bytes"),
                Role::Info,
            );
        }
        Ok(())
    }

    fn begin(&mut self, start_at: Option<crate::definition::StateId>, input: Option<Value>) {
        self.queue.clear();
        self.apply(Command::Begin { start_at, input });
    }

    /// Writes what was answered in this run into the mock file, as a test case.
    pub(in crate::tui) fn write_case(&mut self, name: &str, replace: bool) -> Done {
        if name.is_empty() || name.chars().any(char::is_control) {
            return Err("write case NAME".into());
        }
        let answers = self.session.answers();
        if answers.is_empty() {
            return Err("nothing was answered in this run yet".into());
        }
        let file = self.mock_file()?;
        let old = match load::load(&file) {
            Ok(old) => Some(old.text),
            Err(LoadError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error.to_string()),
        };
        let machine = self.view.header.machine.clone();
        let text = with_case(old.as_deref(), &machine, name, replace, &answers)?;
        write::replace(&file, text.as_bytes(), &self.setup.own_writes)
            .map_err(|error| error.to_string())?;
        if !self.setup.origin.cases.iter().any(|case| case == name) {
            self.setup.origin.cases.push(name.to_owned());
        }
        let definition = self
            .setup
            .origin
            .file
            .as_deref()
            .unwrap_or(Path::new("FILE"));
        let text = format!(
            "{} has it; run it with: asldbg run {} -m {} --test-case {}",
            name,
            word(&definition.to_string_lossy()),
            word(&file.to_string_lossy()),
            word(name)
        );
        self.model.say(text, Role::Info);
        Ok(())
    }

    /// The mock file, or where it would lie.
    fn mock_file(&self) -> Result<PathBuf, String> {
        let origin = &self.setup.origin;
        if let Some(file) = &origin.mock_file {
            return Ok(file.clone());
        }
        let file = origin
            .file
            .as_ref()
            .ok_or("the definition came from no file, so there is none to write to")?;
        let machine = &self.view.header.machine;
        if !is_file_name(machine) {
            return Err(format!(
                "the state machine's name, \"{machine}\", cannot be the name of a file: begin with --mock FILE"
            ));
        }
        Ok(file.with_file_name(format!("{machine}.mock.json")))
    }
}

impl App {
    /// Reads the definition again, which keeps the run where it can.
    pub(in crate::tui) fn reload(&mut self) {
        let Some(reload) = &mut self.setup.reload else {
            self.model
                .say("this definition cannot be read again", Role::Warning);
            return;
        };
        match reload() {
            Err(problem) => self.model.say(format!("reload: {problem}"), Role::Error),
            Ok(loaded) => {
                let errors: Vec<_> = loaded
                    .diagnostics
                    .iter()
                    .filter(|found| found.severity == Severity::Error)
                    .cloned()
                    .collect();
                let sources = loaded.definition.sources.clone();
                self.session.set_children(loaded.children);
                self.watch_also(&sources);
                let notices = self.session.reload(loaded.definition, loaded.diagnostics);
                self.model.message = None;
                self.notices(notices);
                let blocking = errors.iter().find(|found| found.blocking);
                match blocking.and_then(|found| found.span) {
                    Some(span) => self.model.panes.source.select(&sources, span),
                    None => self.model.panes.follow(),
                }
                self.refresh();
                if let Some(first) = blocking.or(errors.first()) {
                    let line = first
                        .span
                        .and_then(|span| sources.place(span))
                        .map_or_else(String::new, |place| format!(", line {}", place.line));
                    let count = match errors.len() {
                        1 => "1 error".to_owned(),
                        count => format!("{count} errors"),
                    };
                    let held = if blocking.is_some() {
                        "; the old text stays in force"
                    } else {
                        ""
                    };
                    let text = format!("reload: {count}{line}: {}{held}", first.message);
                    self.model.say(text, Role::Error);
                } else if self.model.message.is_none() && !self.session.is_busy() {
                    self.model.say("reloaded", Role::Info);
                }
            }
        }
    }
}

/// JSON as it is, or the content of a file.
fn read(text: &str) -> Result<Value, String> {
    let problem = match parse(text) {
        Ok(value) => return Ok(value),
        Err(problem) => problem,
    };
    if text.starts_with(['{', '[', '"']) {
        return Err(format!("not JSON: {problem}"));
    }
    if text == "-" {
        return Err("standard input is the terminal here; name a file".into());
    }
    let file = load::load(Path::new(text)).map_err(|error| error.to_string())?;
    parse(&file.text).map_err(|problem| format!("{text}: not JSON: {problem}"))
}

/// A word as a shell takes it.
fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:@%+,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_survive_a_shell() {
        assert_eq!(word("order.asl.json"), "order.asl.json");
        assert_eq!(word("it's so"), r"'it'\''s so'");
        assert_eq!(word(""), "''");
    }

    #[test]
    fn input_is_json_or_a_file() {
        assert_eq!(read("7"), Ok(Value::from(7)));
        assert!(read("{broken").is_err_and(|problem| problem.contains("not JSON")));
        assert!(read("no-such-file.json").is_err_and(|problem| problem.contains("no-such-file")));
    }
}
