//! Orders of the user that choose the definition, the test case or the input, before or during a run.

use crate::launch::{Note, Question, Workspace};
use crate::session::{Outer, Session};
use crate::source::SourceMap;
use crate::tui::app::App;
use crate::tui::model::Queued;
use crate::tui::popup::Reply;
use crate::tui::popup::picker::{Item, Picker};
use crate::tui::theme::Role;
use crate::wording;
use std::path::PathBuf;

type Done = Result<(), String>;

impl App {
    /// Shows the notes about the start of the run, such as restored settings, as a message.
    pub(in crate::tui) fn say_origin(&mut self) {
        let notes = std::mem::take(&mut self.setup.origin.notes);
        for note in &notes {
            if let Note::Listening(address) = note {
                self.executions.listens_at(address);
            }
        }
        let words: Vec<String> = notes.iter().filter_map(words).collect();
        if !words.is_empty() {
            self.model.say(words.join("; "), Role::Info);
        }
    }

    /// Opens the next question that must be answered at the start, if any. After the last one, executes the commands
    /// given at the start.
    pub(in crate::tui) fn ask(&mut self) {
        if self.model.popup.is_some() || self.reading.is_open() {
            return;
        }
        let asks = &mut self.setup.origin.ask;
        // Until the question about the definition is answered, nothing else happens.
        let asked = match asks.first().copied() {
            Some(Question::Machine) => self.pick_machine(),
            Some(question) => {
                asks.remove(0);
                match question {
                    Question::Case => self.pick_case(),
                    _ => self.pick_input(),
                }
            }
            None => {
                let script = std::mem::take(&mut self.setup.script);
                self.queue.extend(script.into_iter().map(Queued::Line));
                Ok(())
            }
        };
        self.done(asked);
    }

    /// Opens a list of names; `more` is a further item at its end. When the user picks a name, executes `command` with
    /// this name as its argument.
    fn pick(&mut self, title: &str, names: Vec<String>, command: &str, more: Option<Item>) -> Done {
        let names = names.iter();
        let items = names.map(|name| Item::new(name, "", Reply::Line(format!("{command} {name}"))));
        let items = items.chain(more).collect();
        self.open(Picker::new(title, items, ""));
        Ok(())
    }

    /// Opens a list of test cases. When the user picks one, starts a run with its answers.
    pub(in crate::tui) fn pick_case(&mut self) -> Done {
        let cases = self.setup.origin.cases.clone();
        if cases.is_empty() {
            return Err("no mock file with test cases was found".into());
        }
        self.pick("Test case", cases, "case", None)
    }

    /// Opens a list of test cases. The test case that the user picks becomes the default for runs that name no test
    /// case.
    pub(in crate::tui) fn pick_default_case(&mut self) -> Done {
        let cases = self.setup.origin.cases.clone();
        let none = Item::new("none", "every run must name its test case", Reply::Close);
        let title = "Test case for runs that do not name a test case";
        self.pick(title, cases, "write default", Some(none))
    }

    /// Opens a list of definitions. At the start, the program quits if the user closes the list without a choice.
    pub(in crate::tui) fn pick_machine(&mut self) -> Done {
        let choices = self.setup.workspace.choices().iter().enumerate();
        let items: Vec<Item> = choices
            .map(|(place, choice)| Item::new(&choice.name, &choice.detail, Reply::Machine(place)))
            .collect();
        if items.is_empty() {
            return Err("this file contains no other definition".into());
        }
        let mut picker = Picker::new("State machine", items, "");
        if self.setup.origin.ask.first() == Some(&Question::Machine) {
            picker = picker.or_quit();
        }
        self.open(picker);
        Ok(())
    }

    /// Opens a list of files that may be inputs.
    pub(in crate::tui) fn pick_input(&mut self) -> Done {
        let inputs = self.setup.origin.inputs.clone();
        self.pick("Input", inputs, "input", None)
    }

    /// Starts a run of another definition: the one with this name in the list of definitions.
    pub(in crate::tui) fn machine_named(&mut self, name: &str) -> Done {
        let choices = self.setup.workspace.choices();
        let names = || choices.iter().map(|choice| choice.name.as_str());
        let place = names()
            .position(|choice| choice == name)
            .or_else(|| names().position(|choice| choice.ends_with(&format!(" > {name}"))));
        let Some(place) = place else {
            let suggestion = crate::source::did_you_mean(name, names());
            let suggestion = suggestion.map_or_else(String::new, |text| format!("; {text}"));
            return Err(format!("no state machine is named {name}{suggestion}"));
        };
        self.choose_machine(place);
        Ok(())
    }

    /// Starts a run of another definition. `place` is the index of the definition in the list.
    pub(in crate::tui) fn choose_machine(&mut self, place: usize) {
        let choice = self.setup.workspace.choices().get(place);
        let name = choice.map_or_else(String::new, |choice| choice.name.clone());
        let saved = self.file_session().saved();
        let work =
            move |workspace: &mut dyn Workspace| workspace.choose_machine(place, saved.as_ref());
        self.read(name, work, |app, begun| match begun {
            Ok(begun) => {
                app.take_session(begun.session);
                app.setup.origin = begun.origin;
                app.say_origin();
                let watched = app.setup.origin.watched.clone();
                app.effects.push(crate::tui::Effect::Watch(watched));
            }
            Err(problem) => app.model.say(problem.brief(), Role::Error),
        });
    }

    /// Starts a new run of the same definition, with the answers of another test case.
    pub(in crate::tui) fn choose_case(&mut self, name: &str) -> Done {
        let case = name.to_owned();
        let saved = self.file_session().saved();
        let work =
            move |workspace: &mut dyn Workspace| workspace.choose_case(&case, saved.as_ref());
        self.read(name, work, |app, session| match session {
            Ok(session) => app.take_session(session),
            Err(problem) => app.model.say(problem.brief(), Role::Error),
        });
        Ok(())
    }

    /// Replaces the session of the opened file by a new one.
    fn take_session(&mut self, session: Session) {
        self.show_file();
        self.session = session;
        self.outer = Outer::default();
        self.other_execution();
    }

    /// Called after the definition was read again. The files to which it newly refers are then also watched for
    /// changes.
    pub(in crate::tui) fn watch_also(&mut self, sources: &SourceMap) {
        let watched = &mut self.setup.origin.watched;
        let before = watched.len();
        for file in sources.named() {
            let path = PathBuf::from(&*file.name);
            if !watched.contains(&path) {
                watched.push(path);
            }
        }
        if watched.len() > before {
            let watched = watched.clone();
            self.effects.push(crate::tui::Effect::Watch(watched));
        }
    }
}

/// Text for a note about how the run was started.
fn words(note: &Note) -> Option<String> {
    match note {
        Note::Restored(_) => {
            let restored = wording::note(note, "")?;
            Some(format!(
                "{restored}; start asldbg with --fresh to ignore saved settings"
            ))
        }
        _ => wording::note(
            note,
            "press e to type an input, or start asldbg with -i FILE",
        ),
    }
}
