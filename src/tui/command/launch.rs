//! Orders of the user that start another run, reload the definition, or write the run to files.

use crate::definition::{StateId, lacking};
use crate::json::Value;
use crate::launch::{Given, LaunchError, NewCase, Reloaded, TRIGGER_NAMES, Workspace};
use crate::session::{Command, ExistingCase, grammar};
use crate::source::{Severity, counted, did_you_mean, grouped};
use crate::testing;
use crate::tui::app::App;
use crate::tui::theme::Role;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::thread::JoinHandle;

type Done = Result<(), String>;

impl App {
    /// Starts a new run at a state. The argument names the state and may contain another input.
    pub(in crate::tui) fn goto(&mut self, argument: &str) -> Done {
        let (state, input) = grammar::parse_goto(argument, self.session.definition())?;
        if input.is_empty() {
            self.begin_at(state, None);
        } else {
            let then = move |app: &mut Self, input| app.begin_at(state, Some(input));
            self.with_input(input, then);
        }
        Ok(())
    }

    fn begin_at(&mut self, state: StateId, input: Option<Value>) {
        let input_used = if input.is_some() {
            "the given input"
        } else {
            "the same input"
        };
        self.begin(Some(state), input);
        if self.model.message.is_none() {
            let state = crate::tui::whereabouts::name(self.session.definition(), Some(state));
            let run = self.view.header.run;
            let text = format!("run {run} begins at {state} with {input_used}");
            self.model.say(text, Role::Info);
        }
    }

    /// Starts a new run with another input.
    pub(in crate::tui) fn take_input(&mut self, argument: &str) -> Done {
        if argument.is_empty() {
            return Err("type \"input FILE\", \"input JSON\" or \"input event:SERVICE\"".into());
        }
        let trigger = match Given::of(argument) {
            Given::Event(trigger) => Some(trigger),
            _ => None,
        };
        if let (Some(name), None) = (argument.strip_prefix("event:"), &trigger) {
            let near = did_you_mean(name, TRIGGER_NAMES);
            let all = || format!("the services are {names}", names = TRIGGER_NAMES.join(", "));
            let suggestion = near.unwrap_or_else(all);
            return Err(format!("no service is named {name}; {suggestion}"));
        }
        self.with_input(argument, move |app, input| {
            let size = input.size();
            let definition = app.session.definition();
            let lacks = trigger.map(|sent| lacking(definition, &sent.event, &sent.from));
            app.begin(None, Some(input));
            if app.model.message.is_none() {
                let run = app.view.header.run;
                let begun = format!("run {run} begins with an input of {size} bytes");
                let texts = std::iter::once(begun).chain(lacks.into_iter().flatten());
                let text = texts.collect::<Vec<_>>().join("; ");
                app.model.say(text, Role::Info);
            }
        });
        Ok(())
    }

    fn begin(&mut self, start_at: Option<StateId>, input: Option<Value>) {
        self.queue.clear();
        self.apply(Command::Begin { start_at, input });
    }

    /// Writes the input of this run to a file beside the definition; replaces an existing file if `replace` is true.
    pub(in crate::tui) fn write_input(&mut self, replace: bool) -> Done {
        let existing = existing(replace);
        let input = self.session.machine().run().header.input.clone();
        let written = self.setup.workspace.write_input(&input, existing);
        let file = written.map_err(|error| match error {
            LaunchError::InputExists(_) => {
                format!(
                    "{error}; type \"write! input\" to replace the file",
                    error = error.brief()
                )
            }
            _ => error.brief(),
        })?;
        self.model
            .say(format!("wrote {file}", file = file.display()), Role::Info);
        Ok(())
    }

    /// Writes the answers of this run into the mock file, as a test case.
    pub(in crate::tui) fn write_case(&mut self, name: &str, replace: bool) -> Done {
        if name.is_empty() || name.chars().any(char::is_control) {
            return Err(
                "the name of the test case is missing or not valid; type \"write case NAME\""
                    .into(),
            );
        }
        if self.executions.shows_foreign() {
            return Err(
                "a client created this state machine, so there is no mock file for the answers"
                    .into(),
            );
        }
        let answers = self.session.answers();
        if answers.is_empty() {
            return Err("no task was answered in this run yet".into());
        }
        let machine = self.view.header.machine.to_string();
        let case = NewCase {
            machine: &machine,
            name,
            answers: &answers,
            existing: existing(replace),
        };
        let written = self.setup.workspace.write_case(&case);
        let file = written.map_err(|error| error.of_case(name))?;
        if !self.setup.origin.cases.iter().any(|case| case == name) {
            self.setup.origin.cases.push(name.to_owned());
        }
        let definition = self.setup.origin.file.as_deref();
        let definition = definition.unwrap_or(Path::new("FILE"));
        let mut text = format!(
            "answers written to test case {name}; run it with: asldbg run {file} -m {mock_file} --test-case {case}",
            file = word(&definition.to_string_lossy()),
            mock_file = word(&file.to_string_lossy()),
            case = word(name)
        );
        let is_second = self.setup.origin.cases.len() == 2;
        if self.view.header.touched.1 > 0 {
            text += &format!(
                ". The test case does not contain the values that you edited, so a run of the test case may differ from this run; :write test {name} saves the outcome of this run for comparison"
            );
        }
        self.model.say(text, Role::Info);
        match is_second {
            true => self.pick_default_case(),
            false => Ok(()),
        }
    }

    /// Sets the test case that gives the answers of runs that name no test case.
    pub(in crate::tui) fn write_default_case(&mut self, name: &str) -> Done {
        let machine = self.view.header.machine.to_string();
        let written = self.setup.workspace.write_default_case(&machine, name);
        let file = written.map_err(|error| error.brief())?;
        let file = file.display();
        let text =
            format!("{file}: runs that do not name a test case now use the test case {name}");
        self.model.say(text, Role::Info);
        Ok(())
    }

    /// Writes a test case into the test file beside the definition. The test case expects the results of this run.
    pub(in crate::tui) fn write_test(&mut self, name: &str, replace: bool) -> Done {
        let definition = self.setup.origin.file.clone();
        let existing = existing(replace);
        let writes = self.setup.workspace.own_writes();
        let file = testing::write_run(
            &self.session,
            definition.as_deref(),
            name,
            existing,
            &writes,
        )?;
        let definition = definition.unwrap_or_default();
        let mut text = format!(
            "the test in {test_file} now expects the outcome of this run; run it with: asldbg test {file}",
            test_file = file.display(),
            file = word(&definition.to_string_lossy())
        );
        if self.view.header.touched.1 > 0 {
            text +=
                ". The test fails until the workflow itself produces the values that you edited";
        }
        self.model.say(text, Role::Info);
        Ok(())
    }

    /// Reads the input that the user typed, or the file whose name the user typed; then calls `then` with this input.
    fn with_input(&mut self, typed: &str, then: impl FnOnce(&mut Self, Value) + Send + 'static) {
        let typed = typed.to_owned();
        let shown = shortened(&typed);
        let work = move |workspace: &mut dyn Workspace| workspace.value(&typed);
        self.read(shown, work, |app, read| match read {
            Ok(input) => then(app, input),
            Err(error) => {
                app.done(Err(match error {
                    LaunchError::Invalid { .. } => {
                        format!("the input is not JSON: {error}", error = error.brief())
                    }
                    _ => error.brief(),
                }));
            }
        });
    }

    /// The settings and answers of this session to save for the next one, together with the access to files that saves
    /// them.
    pub(in crate::tui) fn kept(&self) -> Kept {
        Kept {
            workspace: self.setup.workspace.another(),
            saved: self.file_session().saved(),
        }
    }

    /// Reloads the definition; keeps the run if possible.
    pub(in crate::tui) fn reload(&mut self) {
        let verdict = self.setup.verdict.clone();
        let work = move |workspace: &mut dyn Workspace| {
            let read = workspace.reload();
            let verdict = verdict.filter(|_| read.is_ok()).map(|verdict| verdict());
            (read, verdict)
        };
        let then = |app: &mut Self, (read, verdict)| app.reloaded(read, verdict);
        self.read("the definition", work, then);
    }

    fn reloaded(&mut self, read: Result<Reloaded, LaunchError>, verdict: Option<String>) {
        self.leave_children();
        match read {
            Err(problem) => {
                let text = format!(
                    "reload: {problem}; still running the last valid version",
                    problem = problem.brief()
                );
                self.model.say(text, Role::Error);
            }
            Ok(loaded) => {
                let errors = loaded.diagnostics.iter();
                let errors = errors.filter(|finding| finding.severity == Severity::Error);
                let errors: Vec<_> = errors.cloned().collect();
                let sources = loaded.definition.sources.clone();
                self.session.set_children(loaded.children);
                self.watch_also(&sources);
                if let Some(recorded) = loaded.recorded {
                    self.session.take_recording(recorded);
                }
                let result = self.session.reload(loaded.definition, loaded.diagnostics);
                self.model.message = None;
                self.told(result);
                let blocking = errors.iter().find(|error| error.blocking);
                match blocking.and_then(|error| error.span) {
                    Some(span) => self.model.panes.source.select(&sources, span),
                    None => self.model.panes.follow(),
                }
                self.refresh();
                if let Some(first) = blocking.or(errors.first()) {
                    let line = first.span.and_then(|span| sources.line(span));
                    let line = line.map_or_else(String::new, |line| format!(", line {line}"));
                    // An error that is only a consequence of another error is not counted.
                    let count = counted(grouped(&errors).len(), "error");
                    let version = if blocking.is_some() {
                        "; still running the last valid version"
                    } else {
                        ""
                    };
                    let text = format!(
                        "reload: {count}{line}: {message}{version}",
                        message = first.message
                    );
                    self.model.say(text, Role::Error);
                } else if let Some(verdict) = verdict {
                    self.model.say(verdict, Role::Info);
                } else if self.model.message.is_none() && !self.session.is_busy() {
                    self.model.say("reloaded", Role::Info);
                }
            }
        }
    }
}

fn existing(replace: bool) -> ExistingCase {
    match replace {
        true => ExistingCase::IsReplaced,
        false => ExistingCase::Stays,
    }
}

/// The typed text, shortened to fit on one line.
fn shortened(typed: &str) -> String {
    match typed.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", typed.get(..end).unwrap_or_default()),
        None => typed.to_owned(),
    }
}

/// Quotes a word for a shell.
fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:@%+,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// Settings and answers of a session, to be saved for the next session.
#[derive(Debug)]
pub struct Kept {
    /// Access to the files that save the settings.
    pub workspace: Box<dyn Workspace>,
    /// The settings and answers to save, if any.
    pub saved: Option<Value>,
}

/// Saves settings and answers in a background thread, in the order in which saving was requested. Each save replaces
/// the previous one.
#[derive(Debug, Default)]
pub(in crate::tui) struct Keeper {
    thread: Option<(Sender<Kept>, JoinHandle<()>)>,
}

impl Keeper {
    /// Asks the background thread to save. If no thread can be started, saves at once.
    pub fn keep(&mut self, kept: Kept) {
        if self.thread.is_none() {
            let (sender, jobs) = channel();
            let named = thread::Builder::new().name("keeper".into());
            let begun = named.spawn(move || keep_all(&jobs));
            self.thread = begun.ok().map(|thread| (sender, thread));
        }
        let left = match &self.thread {
            Some((sender, _)) => sender.send(kept).err().map(|back| back.0),
            None => Some(kept),
        };
        if let Some(Kept {
            mut workspace,
            saved,
        }) = left
        {
            workspace.keep(saved.as_ref());
        }
    }

    /// Waits until everything is saved, and ends the background thread.
    pub fn finish(&mut self) {
        if let Some((sender, thread)) = self.thread.take() {
            drop(sender);
            // If the thread panicked, the settings were not saved, and the panic has already been reported.
            let _ = thread.join();
        }
    }
}

fn keep_all(jobs: &Receiver<Kept>) {
    while let Ok(kept) = jobs.recv() {
        // If several saves are waiting, only the newest one is performed.
        let Kept {
            mut workspace,
            saved,
        } = jobs.try_iter().last().unwrap_or(kept);
        workspace.keep(saved.as_ref());
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
}
