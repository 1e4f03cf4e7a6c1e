//! An open definition with its configuration and its files; creates sessions.

use super::choose::{self, InFolder};
use super::config::{LaunchConfig, Questions};
use super::error::LaunchError;
use super::kept::{Kept, Known};
use super::left_out::{Choice, LeftOut, Patience};
use super::load::{Loaded, children, load};
use super::open::{Opened, open, open_all};
use super::own_writes::{NewCase, OwnWrites, write_case, write_default_case};
use super::value::Given;
use super::workspace::{Begun, Note, Origin, Question, Reloaded, Workspace};
use super::{beside, history};
use crate::json::{Text, Value, pretty};
use crate::session::{Command, ErrorMoment, ExistingCase, Session, Setup, Switch};
use crate::source;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An open definition with its configuration and its files.
#[derive(Clone, Debug)]
pub struct Project {
    /// The configuration that opens this definition. If the user named a file or folder with several definitions, this
    /// configuration names only this one.
    config: LaunchConfig,
    /// The test case that the user named at the start, for every definition. A test case that the user chooses later
    /// applies only to the definition that is open at that time.
    asked_case: Option<String>,
    /// The definitions from which the user may choose, including this definition; empty if there are no others.
    choices: Vec<Choice>,
    /// The file or folder with several definitions from which the first usable one was opened; `None` if there is
    /// only one definition, or the user has chosen one.
    picked_from: Option<PathBuf>,
    /// Files in the user's folder that the search for definitions did not examine.
    left_out: LeftOut,
    /// The data that were read when the definition was opened. The first session takes them, and then this is `None`.
    loaded: Option<Loaded>,
    /// Path of the mock file, if there is one.
    mock_file: Option<PathBuf>,
    own_writes: OwnWrites,
    /// True if a run takes its transitions and values from the recorded events, even if the definition would compute
    /// others.
    follows: bool,
    /// The settings of the definition as this program last loaded or saved them.
    known: Known,
}

impl Project {
    /// Opens the configured definition, and loads its input, answers and other files.
    ///
    /// # Errors
    /// If a file cannot be read or its content prevents a run, or if a file or folder has several definitions and none
    /// was selected; the error names the place in the file.
    pub fn open(config: LaunchConfig) -> Result<Self, LaunchError> {
        let config = history::resolved(config)?;
        let opened = open(&config.program)?;
        Self::of(config, opened)
    }

    /// Opens the configured definition. If a file or folder has several definitions, opens the first usable one; the
    /// front end lets the user choose another.
    ///
    /// # Errors
    /// If nothing can be opened; the error names the place in the file.
    pub fn open_any(config: LaunchConfig) -> Result<Self, LaunchError> {
        let config = history::resolved(config)?;
        let file = config.program.file.clone();
        let in_folder = if config.program.text.is_none() && file.is_dir() {
            let mut in_folder = choose::of_folder(&file);
            if let Some(wanted) = &config.program.state_machine {
                let is_one =
                    |choice: &Choice| choice.machine.as_ref().is_none_or(|known| known == wanted);
                in_folder.choices.retain(is_one);
            }
            in_folder
        } else {
            let mut all = open_all(&config.program)?;
            if let (Some(only), true) = (all.pop(), all.is_empty()) {
                return Self::of(config, only);
            }
            let machines = all.first().map(|document| Arc::clone(&document.machines));
            InFolder {
                choices: choose::of_file(&file, &machines.unwrap_or_default()),
                ..InFolder::default()
            }
        };
        let mut problem = None;
        let patience = Patience::new(true);
        for choice in &in_folder.choices {
            if problem.is_some() && !patience.lasts() {
                break;
            }
            let config = chosen(&config, choice);
            match open(&config.program).and_then(|opened| Self::of(config, opened)) {
                Ok(mut project) => {
                    project.choices.clear();
                    project.left_out = in_folder.left_out;
                    if in_folder.choices.len() > 1 {
                        project.choices = in_folder.choices;
                        project.picked_from = Some(file);
                    }
                    return Ok(project);
                }
                Err(error) => problem = problem.or(Some(error)),
            }
        }
        Err(problem.unwrap_or_else(|| choose::listing(&file, in_folder)))
    }

    fn of(config: LaunchConfig, opened: Opened) -> Result<Self, LaunchError> {
        let opened = opened.in_form(config.form);
        let choices = match &*opened.machines {
            [_, _, ..] => choose::of_file(&config.program.file, &opened.machines),
            _ => Vec::new(),
        };
        let loaded = load(&opened, &config)?;
        Ok(Self {
            asked_case: config.test_case.clone(),
            choices,
            picked_from: None,
            left_out: LeftOut::default(),
            mock_file: loaded.mock.as_ref().and_then(|mock| mock.path.clone()),
            follows: loaded
                .history
                .as_ref()
                .is_some_and(|history| history.follows),
            loaded: Some(loaded),
            own_writes: OwnWrites::default(),
            known: Known::default(),
            config,
        })
    }

    /// The configuration that opens this definition. If the user named a file or folder with several definitions, this
    /// configuration names only this one.
    #[must_use]
    pub fn config(&self) -> &LaunchConfig {
        &self.config
    }

    /// Path of the mock file, if there is one.
    #[must_use]
    pub fn mock_file(&self) -> Option<&Path> {
        self.mock_file.as_deref()
    }

    /// Returns everything that a run starts from. The first call returns the data that were read when the definition
    /// was opened; later calls read the files again.
    ///
    /// # Errors
    /// If a file cannot be read or its content prevents a run; the error names the place in the file.
    pub fn load(&mut self) -> Result<Loaded, LaunchError> {
        match self.loaded.take() {
            Some(loaded) => Ok(loaded),
            None => load(&self.read()?, &self.config),
        }
    }

    /// Loads everything that a run starts from, as the setup of a session.
    ///
    /// # Errors
    /// The errors of [`Project::load`].
    pub fn setup(&mut self) -> Result<Setup, LaunchError> {
        self.load().map(Loaded::setup)
    }

    /// Starts a session, and restores the settings that were kept for the definition.
    ///
    /// # Errors
    /// The errors of [`Project::load`].
    pub fn session(&mut self) -> Result<Session, LaunchError> {
        self.begin().map(|begun| begun.session)
    }

    /// Starts a session and restores the kept settings; also returns the session's files, choices and notes.
    ///
    /// # Errors
    /// The errors of [`Project::load`].
    pub fn begin(&mut self) -> Result<Begun, LaunchError> {
        let loaded = self.load()?;
        let mut origin = self.origin(&loaded);
        let mut session = self.fresh_session(loaded);
        if let Some(kept) = self.kept().and_then(Kept::load) {
            let restored = session.restore(&kept);
            if !restored.is_nothing() {
                origin.notes.push(Note::Restored(restored));
            }
            self.known.is(session.saved());
        }
        if let Some(place) = self.picked_from.clone() {
            let count = self.choices.len();
            origin.ask.insert(0, Question::Machine);
            origin.notes = vec![Note::Several { place, count }];
        }
        if self.left_out.is_some() {
            origin.notes.push(Note::Skipped(self.left_out.to_string()));
        }
        Ok(Begun { session, origin })
    }

    fn origin(&self, loaded: &Loaded) -> Origin {
        let mut ask = Vec::new();
        if loaded.case.is_none() && loaded.cases.len() > 1 {
            ask.push(Question::Case);
        }
        if !loaded.inputs.is_empty() && self.config.questions == Questions::Ask {
            ask.push(Question::Input);
        }
        let skipped = loaded.skipped.iter().cloned();
        let mut notes: Vec<Note> = skipped.map(Note::Skipped).collect();
        let targets = loaded.targets.sentences(&loaded.definition);
        notes.extend(targets.into_iter().map(Note::Target));
        if let Some(recorded) = &loaded.history {
            let notes_of_recording = recorded.notes.iter().chain(&recorded.view_only);
            notes.extend(notes_of_recording.cloned().map(Note::Recording));
            if !loaded.has_input && !recorded.follows {
                let text =
                    "the execution's input was not recorded; the empty object {} is used instead";
                notes.push(Note::Recording(text.to_string()));
            }
        } else if !loaded.has_input {
            let reads = loaded.definition.input_paths();
            notes.extend((!reads.is_empty()).then_some(Note::NoInput { reads }));
        }
        let inputs = loaded.inputs.iter();
        Origin {
            file: self.config.program.on_disk().map(Path::to_path_buf),
            machine: loaded.machine.as_ref().map(ToString::to_string),
            cases: loaded.cases.clone(),
            inputs: inputs.map(|path| path.display().to_string()).collect(),
            watched: loaded.watch.clone(),
            ask,
            notes,
        }
    }

    fn fresh_session(&self, loaded: Loaded) -> Session {
        let mut session = Session::new(loaded.setup());
        if !self.config.stop_on.is_empty() {
            for moment in ErrorMoment::ALL {
                let switch = match self.config.stop_on.contains(&moment) {
                    true => Switch::On,
                    false => Switch::Off,
                };
                // The command `StopOn` always succeeds.
                drop(session.apply(Command::StopOn(moment, switch)));
            }
        }
        session
    }

    fn read(&self) -> Result<Opened, LaunchError> {
        Ok(open(&self.config.program)?.in_form(self.config.form))
    }

    /// Identifies the settings that are kept for the definition; `None` if no settings are kept for it.
    fn kept(&self) -> Option<Kept<'_>> {
        let program = &self.config.program;
        let kept = Kept {
            folder: self.config.state_folder.as_deref(),
            file: program.on_disk()?,
            machine: program.state_machine.as_deref(),
        };
        (!self.config.fresh).then_some(kept)
    }
}

impl Workspace for Project {
    fn choices(&self) -> &[Choice] {
        &self.choices
    }

    fn another(&self) -> Box<dyn Workspace> {
        Box::new(self.clone())
    }

    fn reload(&mut self) -> Result<Reloaded, LaunchError> {
        if self.config.program.on_disk().is_none() {
            return Err(LaunchError::NotReadAgain);
        }
        let opened = self.read()?;
        let children = Arc::new(children(&self.config)?);
        let mut recorded = None;
        let (definition, diagnostics) = match opened.lower(&self.config.rules) {
            Ok((definition, diagnostics)) => {
                let given = self.config.history.clone();
                let read = given.map(|given| history::recorded(&given, &definition, &self.config));
                let read = read.transpose()?;
                self.follows = read.as_ref().is_some_and(|history| history.follows);
                let definition = match self.follows {
                    true => definition.outline(),
                    false => definition,
                };
                recorded = read.map(|history| history.repetition());
                (definition, self.config.rules.seen(diagnostics))
            }
            Err(diagnostics) => {
                // If the definition cannot be parsed, an empty definition is used instead, with the same text and the
                // diagnostics.
                let empty = source::Node {
                    span: source::Span::default(),
                    kind: source::NodeKind::Object(Vec::new()),
                };
                let sources = Arc::clone(&opened.sources);
                let (definition, _) =
                    crate::definition::lower(Arc::new(empty), sources, &opened.name());
                (definition, diagnostics)
            }
        };
        Ok(Reloaded {
            definition: Arc::new(definition),
            diagnostics,
            children,
            recorded,
        })
    }

    fn choose_case(&mut self, name: &str, saved: Option<&Value>) -> Result<Session, LaunchError> {
        let mut config = self.config.clone();
        config.test_case = Some(name.to_string());
        let loaded = load(&self.read()?, &config)?;
        // Keep the new test case for later reloads, too: they load the child machines again, whose answers in the mock
        // file are in the test case of the same name.
        self.config = config;
        let mut session = self.fresh_session(loaded);
        if let Some(saved) = saved {
            session.restore_points(saved);
        }
        Ok(session)
    }

    fn choose_machine(
        &mut self,
        place: usize,
        saved: Option<&Value>,
    ) -> Result<Begun, LaunchError> {
        let choice = self.choices.get(place).ok_or(LaunchError::NoChoice)?;
        let mut config = chosen(&self.config, choice);
        config.test_case.clone_from(&self.asked_case);
        let opened = open(&config.program)?;
        let mut other = Self {
            choices: self.choices.clone(),
            own_writes: self.own_writes.clone(),
            ..Self::of(config, opened)?
        };
        let begun = other.begin()?;
        self.keep(saved);
        *self = other;
        Ok(begun)
    }

    fn write_case(&mut self, case: &NewCase<'_>) -> Result<PathBuf, LaunchError> {
        let file = match &self.mock_file {
            Some(file) => file.clone(),
            None => beside::mock_file(&self.config.program, case.machine)?,
        };
        write_case(&file, case, &self.own_writes)?;
        Ok(file)
    }

    fn write_default_case(&mut self, machine: &str, case: &str) -> Result<PathBuf, LaunchError> {
        let file = match &self.mock_file {
            Some(file) => file.clone(),
            None => beside::mock_file(&self.config.program, machine)?,
        };
        write_default_case(&file, machine, case, &self.own_writes)?;
        Ok(file)
    }

    fn write_input(
        &mut self,
        input: &Value,
        existing: ExistingCase,
    ) -> Result<PathBuf, LaunchError> {
        let program = self.config.program.on_disk();
        let program = program.ok_or(LaunchError::NowhereToWrite)?;
        let file = program.with_file_name(format!("{}.input.json", beside::stem(program)));
        self.own_writes.rewrite(&file, |old| match old {
            Some(_) if existing == ExistingCase::Stays => {
                Err(LaunchError::InputExists(file.clone()))
            }
            _ => Ok(format!("{}\n", crate::json::pretty(input))),
        })?;
        Ok(file)
    }

    fn keep(&mut self, saved: Option<&Value>) {
        if let Some(kept) = self.kept() {
            kept.save(saved, &self.known);
        }
    }

    fn own_writes(&self) -> OwnWrites {
        self.own_writes.clone()
    }
}

/// The configuration that opens the definition `choice`.
fn chosen(config: &LaunchConfig, choice: &Choice) -> LaunchConfig {
    let mut config = config.clone();
    config.program.file.clone_from(&choice.file);
    config.program.state_machine.clone_from(&choice.machine);
    config
}

/// Loads the item processor of a Map as a state machine of its own; `None` if the definition has no Map with this name
/// or label.
///
/// # Errors
/// If the definition cannot be read, or something in it prevents a run.
pub fn item_processor(config: &LaunchConfig, map: &str) -> Result<Option<Loaded>, LaunchError> {
    let whole = open(&config.program)?.readable()?.to_value();
    let Some((name, processor)) = find(&whole, map) else {
        return Ok(None);
    };
    let mut members: Vec<(Text, Value)> = Vec::new();
    if let Some(language) = whole.get("QueryLanguage") {
        members.push(("QueryLanguage".into(), language.clone()));
    }
    let written = processor.as_object().map(crate::json::Object::members);
    let written = written.unwrap_or_default().iter();
    members.extend(
        written
            .filter(|(name, _)| &**name != "ProcessorConfig")
            .cloned(),
    );
    let mut config = config.clone();
    let file = config.program.file.display().to_string();
    config.program.file = PathBuf::from(format!("{file} > {name}"));
    config.program.text = Some(Arc::from(pretty(&Value::object(members))));
    config.program.state_machine = None;
    config.history = None;
    config.input = Some(Given::Json("{}".to_string()));
    Project::open(config)?.load().map(Some)
}

/// Finds the Map whose label is `map` or, if it has no label, whose name is `map`; returns its name and item processor.
fn find<'v>(machine: &'v Value, map: &str) -> Option<(&'v str, &'v Value)> {
    let states = machine.get("States")?.as_object()?.members();
    states.iter().find_map(|(name, state)| {
        let processor = state.get("ItemProcessor").or_else(|| state.get("Iterator"));
        let label = state.get("Label").and_then(Value::as_str);
        if let Some(processor) = processor {
            let is_it = label.map_or(&**name == map, |label| label == map);
            return match is_it {
                true => Some((&**name, processor)),
                false => find(processor, map),
            };
        }
        let branches = state.get("Branches").and_then(Value::as_array);
        let mut branches = branches.unwrap_or_default().iter();
        branches.find_map(|branch| find(branch, map))
    })
}
