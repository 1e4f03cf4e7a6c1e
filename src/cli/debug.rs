//! Debugging in the terminal: everything is read here, then the front end takes over.
//!
//! It must not know how anything is drawn.

use super::options::{DebugArguments, LayoutName, TerminalArguments};
use crate::headless::Refusal;
use crate::interpreter::Header;
use crate::json;
use crate::launch::choose::{self, Choice};
use crate::launch::kept;
use crate::launch::load::{self, Loaded, Opened};
use crate::query::{self, Profile};
use crate::session::answers::{MockCase, MockFile};
use crate::session::child::Children;
use crate::session::{Command, ErrorMoment, Restored, Session, Setup, Switch};
use crate::settings::{Keys, Settings};
use crate::source::{self, SourceFile, SourceId, SourceMap};
use crate::tui;
use crate::tui::keymap::Keymap;
use crate::tui::model::Model;
use crate::tui::theme::Theme;
use crate::tui::{Begun, Origin, Question};
use crate::worker::{Worker, panic_is_caught};
use std::cell::RefCell;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::rc::Rc;
use std::sync::Arc;

/// Debugs a file in the terminal until a person quits.
///
/// # Errors
/// With the place, where something cannot be read or keeps a run from starting.
pub fn debug(arguments: &DebugArguments, settings: &Settings) -> Result<ExitCode, Refusal> {
    let Some(file) = &arguments.file else {
        return Err(Refusal::new("no FILE was given; see asldbg --help"));
    };
    let mut options = terminal(&arguments.terminal, settings)?;
    let desk = Desk {
        arguments: arguments.clone(),
        settings: settings.clone(),
    };
    let (desk, choices, begun) = desk.first(file)?;
    options.setup.origin = begun.origin;
    options.setup.choices = choices.iter().map(shown).collect();
    let desk = Rc::new(RefCell::new(desk));
    let own = Rc::clone(&desk);
    options.setup.reload = Some(Box::new(move || own.borrow().reload()));
    let own = Rc::clone(&desk);
    options.setup.choose_case = Some(Box::new(move |case| {
        let mut desk = own.borrow().clone();
        desk.arguments.start.test_case = Some(case.to_string());
        let loaded = desk.open().and_then(|opened| desk.load(&opened));
        let session = desk.session(loaded.map_err(|refusal| brief(&refusal))?);
        // Reading again goes by the test case, too: children have theirs by its name.
        *own.borrow_mut() = desk;
        Ok(session)
    }));
    let asked = arguments.start.test_case.clone();
    let own = Rc::clone(&desk);
    options.setup.choose_machine = Some(Box::new(move |place, before| {
        let choice = choices.get(place).ok_or("there is no such definition")?;
        let mut other = own.borrow().with(choice);
        // What was chosen since is a test case of the definition before.
        other.arguments.start.test_case.clone_from(&asked);
        let opened = other.open().map_err(|refusal| brief(&refusal))?;
        let begun = other.begin(&opened).map_err(|refusal| brief(&refusal))?;
        own.borrow().keep(before);
        *own.borrow_mut() = other;
        Ok(begun)
    }));
    options.keep = Some(Box::new(move |session| desk.borrow().keep(session)));
    show(begun.session, options)
}

/// What is open: the arguments as if this definition alone had been asked for.
#[derive(Clone, Debug)]
struct Desk {
    arguments: DebugArguments,
    settings: Settings,
}

impl Desk {
    /// Begins with the only definition there is; with the first that can be opened where a person is to choose.
    fn first(self, file: &Path) -> Result<(Self, Vec<Choice>, Begun), Refusal> {
        let start = &self.arguments.start;
        let mut choices = if file.is_dir() {
            let mut choices = choose::of_folder(file);
            if let Some(wanted) = &start.state_machine {
                choices.retain(|choice| choice.machine.as_ref().is_none_or(|own| own == wanted));
            }
            let listing = choose::listing(file, &choices);
            match choices.as_slice() {
                [] => return Err(listing),
                [_] => {}
                _ if !is_terminal() => return Err(listing),
                _ => {}
            }
            choices
        } else {
            let machine = start.state_machine.as_deref();
            let mut all = load::open_all(file, machine, &start.values)?;
            if let (Some(one), true) = (all.pop(), all.is_empty()) {
                let one = one.for_reading();
                let choices = match &*one.machines {
                    [_, _, ..] => choose::of_file(file, &one.machines),
                    _ => Vec::new(),
                };
                let begun = self.begin(&one)?;
                return Ok((self, choices, begun));
            }
            if !is_terminal() {
                load::open(file, machine, &start.values)?;
            }
            let machines = all.first().map(|one| Arc::clone(&one.machines));
            choose::of_file(file, &machines.unwrap_or_default())
        };
        let mut problem = None;
        for choice in &choices {
            let desk = self.with(choice);
            match desk.open().and_then(|opened| desk.begin(&opened)) {
                Ok(mut begun) => {
                    if choices.len() > 1 {
                        begun.origin.ask.insert(0, Question::Machine);
                        let count = choices.len();
                        let text = format!("{} holds {count} definitions", file.display());
                        begun.origin.message = Some(text);
                    } else {
                        choices.clear();
                    }
                    return Ok((desk, choices, begun));
                }
                Err(refusal) => problem = problem.or(Some(refusal)),
            }
        }
        Err(problem.unwrap_or_else(|| Refusal::new("there is nothing to open")))
    }

    /// The same for another definition.
    fn with(&self, choice: &Choice) -> Self {
        let mut other = self.clone();
        other.arguments.file = Some(choice.file.clone());
        other
            .arguments
            .start
            .state_machine
            .clone_from(&choice.machine);
        other
    }

    fn file(&self) -> PathBuf {
        self.arguments.file.clone().unwrap_or_default()
    }

    fn open(&self) -> Result<Opened, Refusal> {
        let start = &self.arguments.start;
        let machine = start.state_machine.as_deref();
        load::open(&self.file(), machine, &start.values).map(Opened::for_reading)
    }

    fn load(&self, opened: &Opened) -> Result<Loaded, Refusal> {
        load::load_with(opened, &self.arguments.start, &self.settings)
    }

    fn session(&self, loaded: Loaded) -> Session {
        session(loaded, &self.arguments)
    }

    fn begin(&self, opened: &Opened) -> Result<Begun, Refusal> {
        let loaded = self.load(opened)?;
        let terminal = &self.arguments.terminal;
        let scripted = terminal.script.is_some() || !terminal.ex.is_empty();
        let mut ask = Vec::new();
        if loaded.case.is_none() && loaded.cases.len() > 1 {
            ask.push(Question::Case);
        }
        // A script says itself what it begins with.
        if !loaded.inputs.is_empty() && !scripted {
            ask.push(Question::Input);
        }
        let inputs = loaded.inputs.iter();
        let file = self.file();
        let mut origin = Origin {
            file: (file != Path::new("-")).then_some(file),
            machine: opened.name.as_ref().map(ToString::to_string),
            cases: loaded.cases.clone(),
            mock_file: loaded.mock.as_ref().map(|mock| mock.path.clone()),
            inputs: inputs.map(|path| path.display().to_string()).collect(),
            watched: loaded.watch.clone(),
            ask,
            message: message(&loaded, &self.arguments),
        };
        let mut session = self.session(loaded);
        if let Some((file, machine)) = self.kept_as() {
            let kept = kept::load(&file, machine);
            let restored = kept.map(|kept| session.restore(&kept));
            if let Some(words) = restored.and_then(Restored::words) {
                let before = origin.message.take();
                let before = before.map_or_else(String::new, |text| format!("{text}; "));
                origin.message = Some(format!("{before}{words}; --fresh leaves them away"));
            }
        }
        Ok(Begun { session, origin })
    }

    /// Under what is kept what is worth keeping.
    fn kept_as(&self) -> Option<(PathBuf, Option<&str>)> {
        let file = self.file();
        let is_kept = file != Path::new("-") && !self.arguments.terminal.fresh;
        is_kept.then_some((file, self.arguments.start.state_machine.as_deref()))
    }

    fn keep(&self, session: &Session) {
        if let Some((file, machine)) = self.kept_as() {
            kept::save(&file, machine, session.saved().as_ref());
        }
    }

    fn reload(&self) -> Result<tui::Loaded, String> {
        let rules = &self.arguments.start.rules;
        let checking = load::Checking::new(rules, &self.settings);
        let checking = checking.map_err(|refusal| brief(&refusal))?;
        let opened = self.open().map_err(|refusal| brief(&refusal))?;
        let children = load::children(&self.file(), &self.arguments.start, &self.settings);
        let children = Arc::new(children.map_err(|refusal| brief(&refusal))?);
        match opened.lower(&checking) {
            Ok((definition, diagnostics)) => Ok(tui::Loaded {
                definition: Arc::new(definition),
                diagnostics: checking.seen(diagnostics),
                children,
            }),
            Err(diagnostics) => {
                // Nothing can be drawn of it, but its text and what is wrong with it are shown.
                let empty = source::Node {
                    span: source::Span::default(),
                    kind: source::NodeKind::Object(Vec::new()),
                };
                let sources = Arc::clone(&opened.sources);
                let (definition, _) =
                    crate::definition::lower(Arc::new(empty), sources, &opened.name());
                Ok(tui::Loaded {
                    definition: Arc::new(definition),
                    diagnostics,
                    children,
                })
            }
        }
    }
}

/// The first line of a refusal, for the message line.
fn brief(refusal: &Refusal) -> String {
    let first = refusal.0.lines().next().unwrap_or("");
    first.strip_prefix("error: ").unwrap_or(first).to_string()
}

fn shown(choice: &Choice) -> tui::Choice {
    tui::Choice {
        name: choice.name.clone(),
        detail: choice.detail.clone(),
    }
}

fn is_terminal() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

/// Plays an embedded sample by itself.
///
/// # Errors
/// Where there is no terminal.
pub fn demo(settings: &Settings) -> Result<ExitCode, Refusal> {
    let broken = |what: &str| Refusal::new(format!("the embedded sample's {what} cannot be read"));
    let file = SourceFile::new("demo.asl.json", include_str!("../../samples/demo.asl.json"));
    let (node, found) = source::parse_json(&file, SourceId(0));
    let node = node.ok_or_else(|| broken("definition"))?;
    let (definition, lowered) =
        crate::definition::lower(Arc::new(node), Arc::new(SourceMap::of(file)), "demo");
    let input =
        json::parse(include_str!("../../samples/demo.input.json")).map_err(|_| broken("input"))?;
    let answers = SourceFile::new(
        "demo.mock.json",
        include_str!("../../samples/demo.mock.json"),
    );
    let (mock, _) = MockFile::parse(&answers, SourceId(0));
    let case = mock.and_then(|mock| mock.select(&["demo"], None).ok());
    let found: source::Diagnostics = found.into_iter().chain(lowered).collect();
    let diagnostics = crate::definition::diagnose(&definition, &found, Profile::Spec);
    let mut setup = Setup::new(
        Arc::new(definition),
        Header::new(input, Profile::Spec),
        Arc::new(Worker::new()),
    );
    setup.diagnostics = diagnostics;
    setup.test_case = case.as_ref().map(|case: &MockCase| case.name.clone());
    setup.mock = case;
    let mut options = look(settings, None, false)?;
    options.setup.play = Some(1.0);
    options.model.present = true;
    show(Session::new(setup), options)
}

fn show(session: Session, options: tui::Options) -> Result<ExitCode, Refusal> {
    match tui::run(session, options) {
        Ok(tui::Ended::Quit) => Ok(ExitCode::SUCCESS),
        // As the shell says of a program that a signal ended.
        Ok(tui::Ended::Signal) => Ok(ExitCode::from(143)),
        Err(error) => Err(Refusal::new(error.to_string())),
    }
}

fn session(loaded: Loaded, arguments: &DebugArguments) -> Session {
    let stop_on = &arguments.terminal.stop_on;
    let server = Arc::new(Worker::with_files(loaded.files));
    let mut setup = Setup::new(loaded.definition, loaded.header, server);
    setup.diagnostics = loaded.diagnostics;
    setup.test_case = loaded.case.as_ref().map(|case| case.name.clone());
    setup.mock = loaded.case;
    setup.unmocked = loaded.unmocked.unwrap_or_default();
    setup.memory_limit = arguments.start.memory_limit();
    setup.children = Arc::new(Children {
        machines: loaded.children,
        unmocked: setup.unmocked,
    });
    let mut session = Session::new(setup);
    if !stop_on.is_empty() {
        for moment in ErrorMoment::ALL {
            let on = stop_on.iter().any(|wanted| wanted.moment() == moment);
            session.apply(Command::StopOn(
                moment,
                if on { Switch::On } else { Switch::Off },
            ));
        }
    }
    session
}

/// What is said at the start: of files that were not looked for, and of the input that was taken.
fn message(loaded: &Loaded, arguments: &DebugArguments) -> Option<String> {
    let guessed = guessed_input(loaded, arguments);
    let all: Vec<String> = loaded.skipped.iter().cloned().chain(guessed).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

/// Says which input is taken where none was named, and what the definition would read from one.
fn guessed_input(loaded: &Loaded, arguments: &DebugArguments) -> Option<String> {
    let none = arguments.start.input.is_none()
        && loaded
            .header
            .input
            .as_object()
            .is_some_and(|object| object.members().is_empty());
    if !none {
        return None;
    }
    let reads = loaded.definition.input_paths();
    let shown: Vec<&str> = reads.iter().take(6).map(String::as_str).collect();
    let more = if reads.len() > shown.len() {
        " …"
    } else {
        ""
    };
    (!shown.is_empty()).then(|| {
        format!("no input was found, so it is {{}}; the definition reads {}{more}; e types one, -i names a file", shown.join(", "))
    })
}

fn terminal(arguments: &TerminalArguments, settings: &Settings) -> Result<tui::Options, Refusal> {
    let mut options = look(settings, arguments.theme.as_deref(), arguments.ascii)?;
    options.model.mouse = arguments.mouse;
    options.model.present = arguments.layout == LayoutName::Graph;
    options.model.zoom = arguments.layout == LayoutName::Data;
    options.setup.play = arguments.play;
    options.setup.realtime = arguments.realtime;
    if arguments.play.is_some() {
        options.model.present = true;
    }
    let mut script: Vec<String> = arguments
        .breakpoints
        .iter()
        .map(|place| format!("break {place}"))
        .collect();
    if let Some(file) = &arguments.script {
        let text =
            source::load::load_argument(file).map_err(|error| Refusal::new(error.to_string()))?;
        script.extend(text.text.lines().map(str::to_string));
    }
    script.extend(arguments.ex.iter().cloned());
    script.retain(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
    options.setup.script = script;
    Ok(options)
}

/// Colours, glyphs and keys.
fn look(settings: &Settings, theme: Option<&str>, ascii: bool) -> Result<tui::Options, Refusal> {
    let mut options = tui::Options {
        model: Model::default(),
        ..tui::Options::default()
    };
    let colourless = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let wanted = theme.or(if colourless {
        Some("mono")
    } else {
        settings.theme.as_deref()
    });
    if let Some(name) = wanted {
        options.setup.theme = find_theme(name)?;
    }
    options.setup.ascii = match (ascii, settings.glyphs.as_deref()) {
        (true, _) | (_, Some("ascii")) => true,
        (_, Some("unicode")) => false,
        (_, None) => !locale_is_utf8(),
        (_, Some(other)) => {
            return Err(Refusal::new(format!(
                "the setting glyphs = \"{other}\" means nothing; there are \"unicode\" and \"ascii\""
            )));
        }
    };
    options.setup.keymap = keymap(settings)?;
    options.editor.clone_from(&settings.editor);
    options.editor_detached = settings.editor_waits == Some(false);
    options.panic_is_caught = Some(|| panic_is_caught() || query::is_fenced());
    Ok(options)
}

fn find_theme(name: &str) -> Result<Theme, Refusal> {
    if let Some(theme) = Theme::named(name) {
        return Ok(theme);
    }
    let path = Path::new(name);
    if !path.exists() {
        let known: Vec<&str> = Theme::names().collect();
        return Err(Refusal::new(format!(
            "there is no theme \"{name}\" and no such file; there are {}",
            known.join(", ")
        )));
    }
    let file = source::load::load(path).map_err(|error| Refusal::new(error.to_string()))?;
    Theme::parse(name, &file.text).map_err(|error| Refusal::new(format!("{name}: {error}")))
}

fn keymap(settings: &Settings) -> Result<Keymap, Refusal> {
    let mut table = toml::Table::new();
    for (action, keys) in &settings.keys {
        let value = match keys {
            Keys::One(key) => toml::Value::from(key.clone()),
            Keys::Several(keys) => toml::Value::from(keys.clone()),
        };
        table.insert(action.clone(), value);
    }
    Keymap::parse(&table.to_string())
        .map_err(|error| Refusal::new(format!("the setting keys: {error}")))
}

/// Whether the locale says that the terminal shows more than ASCII.
fn locale_is_utf8() -> bool {
    let said = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
    said.is_some_and(|value| {
        let value = value.to_lowercase();
        value.contains("utf-8") || value.contains("utf8")
    })
}
