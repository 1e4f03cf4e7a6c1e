//! Debugs in the terminal: loads the definition and its files, then starts the terminal UI.

use super::config;
use super::options::{Arguments, DebugArguments, DemoArguments, LayoutName, TerminalArguments};
use crate::endpoint;
use crate::headless::Refusal;
use crate::launch::{self, HistoryGiven, Note, Project};
use crate::query;
use crate::settings::{Keys, Settings};
use crate::source::did_you_mean;
use crate::tui;
use crate::tui::keymap::Keymap;
use crate::tui::model::Model;
use crate::tui::theme::Theme;
use crate::tui::tour::Tour;
use clap::CommandFactory as _;
use std::io::IsTerminal as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

/// Debugs a file in the terminal until the user quits.
///
/// # Errors
/// If a file cannot be read or its content prevents a run; the error names the place in the file.
pub fn debug(arguments: &DebugArguments, settings: &Settings) -> Result<ExitCode, Refusal> {
    if let Some(bytes) = launch::address_space().filter(|bytes| *bytes < launch::LEAST_ROOM) {
        return Err(Refusal::new(format!(
            "the debugger needs {needed} MiB of address space, but \"ulimit -v\" allows only {limit} MiB",
            needed = launch::LEAST_ROOM >> 20,
            limit = bytes >> 20
        )));
    }
    let folder = Path::new(".").to_path_buf();
    let file = match &arguments.file {
        Some(file) => file,
        None if is_terminal() => &folder,
        None => {
            return Err(Refusal::new(
                "no FILE was given; \"asldbg tour\" teaches the debugger, \"asldbg demo\" plays a sample, \"asldbg --help\" lists all commands",
            ));
        }
    };
    let mut options = terminal(&arguments.terminal, settings)?;
    if let Some(name) = &arguments.terminal.test {
        return test(arguments, file, name, settings, options);
    }
    let mut config = config::debug(arguments, file, settings)?;
    if let Some(definition) = &arguments.definition {
        // With `--definition`, FILE is the recorded execution, unless `--history` names another file.
        config.history.get_or_insert_with(|| HistoryGiven {
            file: file.clone(),
            execution: arguments.start.execution.clone(),
        });
        config.program.file.clone_from(definition);
        config.rules.profile = config::repeating(&arguments.start.rules, settings)?.profile;
    }
    // Without a terminal, the user cannot choose a definition.
    let project = if is_terminal() {
        Project::open_any(config)
    } else {
        Project::open(config)
    };
    let mut notes = Vec::new();
    let project = match (project, &arguments.file) {
        (Err(error), None) => {
            return Err(Refusal::of_lines(&format!(
                "{error}\n\"asldbg tour\" teaches the debugger in ten steps, \"asldbg demo\" plays a sample, \"asldbg --help\" lists all commands",
                error = Refusal::from(error).text()
            )));
        }
        (Err(error), Some(file)) => return Err(perhaps_a_command(error.into(), file)),
        (Ok(project), _) => project,
    };
    if let Some(address) = arguments.listen {
        let served = config::listen(arguments, address, &project, settings)?;
        options.setup.door.clone_from(&served.debugger);
        let mut problems = Vec::new();
        let server = endpoint::Server::bind(served, |text| problems.push(text.to_string()))?;
        notes.push(Note::Listening(server.address().to_string()));
        notes.extend(problems.into_iter().map(Note::Skipped));
        let thread = std::thread::Builder::new().name("server".to_string());
        thread.spawn(move || server.serve()).map_err(|error| {
            Refusal::new(format!("cannot start the thread of the server: {error}"))
        })?;
    }
    if project.config().history.is_some() {
        options
            .setup
            .script
            .splice(0..0, begin_at(arguments.terminal.at.as_deref()));
    }
    show(project, notes, options)
}

/// The debugger commands that move a recorded execution to the position given by `--at`.
fn begin_at(place: Option<&str>) -> Vec<String> {
    let id = place.map(|place| place.strip_prefix('#').unwrap_or(place));
    match place {
        Some("start") => Vec::new(),
        None | Some("end") => vec!["continue".to_string()],
        Some(_) if id.is_some_and(|id| id.parse::<u32>().is_ok()) => {
            let id = id.unwrap_or_default();
            vec!["continue".to_string(), format!("event #{id}")]
        }
        Some(state) => vec![format!("until {state}")],
    }
}

fn is_terminal() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

/// Plays an embedded sample automatically.
///
/// # Errors
/// If there is no terminal.
pub fn demo(arguments: &DemoArguments, settings: &Settings) -> Result<ExitCode, Refusal> {
    let mut options = look(settings, None, false)?;
    options.setup.play = Some(1.0);
    options.model.present = true;
    if let Some(file) = &arguments.record {
        options
            .setup
            .script
            .push(format!("record {file}", file = file.display()));
    }
    show(Project::open(launch::demo())?, Vec::new(), options)
}

/// If the file does not exist and its name is similar to the name of a command, returns an error that suggests the
/// command.
fn perhaps_a_command(refusal: Refusal, file: &Path) -> Refusal {
    let word = file.to_string_lossy();
    if file.exists() || word.contains(['/', '.']) {
        return refusal;
    }
    let command = Arguments::command();
    let names = command.get_subcommands().map(clap::Command::get_name);
    match did_you_mean(&word, names) {
        Some(suggestion) => {
            Refusal::new(format!("no file or command is named {word}; {suggestion}"))
        }
        None => refusal,
    }
}

/// Starts the tour on a temporary copy of an embedded sample.
///
/// # Errors
/// If there is no terminal, or the copy cannot be created.
pub fn tour(settings: &Settings) -> Result<ExitCode, Refusal> {
    let mut options = look(settings, None, false)?;
    options.setup.tour = true;
    options.setup.script.push("tour 1".to_owned());
    options.model.tour = Some(Tour::default());
    let name = format!("asldbg-tour-{}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    // This must fail if the folder exists already, because an existing folder may belong to another user.
    std::fs::create_dir(&folder).map_err(|error| {
        Refusal::new(format!(
            "cannot create the folder {folder}: {error}",
            folder = folder.display()
        ))
    })?;
    let shown = launch::tour(&folder)
        .and_then(Project::open)
        .map_err(Refusal::from)
        .and_then(|project| show(project, Vec::new(), options));
    drop(std::fs::remove_dir_all(&folder));
    shown
}

/// Debugs a test case. Starts at the event at which the run differs from the expectation of the case, or at the
/// beginning if the user gave breakpoints.
fn test(
    arguments: &DebugArguments,
    file: &Path,
    name: &str,
    settings: &Settings,
    mut options: tui::Options,
) -> Result<ExitCode, Refusal> {
    let opened = super::proof::case(file, name)?;
    let (tested, case) = (file.to_path_buf(), name.to_owned());
    options.setup.verdict = Some(Arc::new(move || match super::proof::case(&tested, &case) {
        Ok(opened) => opened.verdict,
        Err(refusal) => refusal.text().to_owned(),
    }));
    let mut config = config::debug(arguments, file, settings)?;
    config.program = opened.config.program.clone();
    config.questions = launch::Questions::Leave;
    config.stop_on.extend(opened.config.stop_on.iter().copied());
    let config = launch::LaunchConfig {
        form: config.form,
        stop_on: config.stop_on,
        state_folder: config.state_folder,
        max_memory: config.max_memory,
        ..opened.config
    };
    let terminal = &arguments.terminal;
    let free = terminal.breakpoints.is_empty()
        && terminal.ex.is_empty()
        && terminal.script.is_none()
        && terminal.play.is_none();
    let mut project = Project::open(config)?;
    let mut begun = project.begin()?;
    if let (Some(event), true) = (opened.event, free) {
        super::proof::go_to(&mut begun.session, event);
    }
    begun.origin.notes.insert(0, Note::Test(opened.verdict));
    present(project, begun, options)
}

fn show(
    mut project: Project,
    notes: Vec<Note>,
    options: tui::Options,
) -> Result<ExitCode, Refusal> {
    let mut begun = project.begin()?;
    begun.origin.notes.extend(notes);
    present(project, begun, options)
}

fn present(
    project: Project,
    begun: launch::Begun,
    mut options: tui::Options,
) -> Result<ExitCode, Refusal> {
    options.setup.origin = begun.origin;
    options.setup.workspace = Box::new(project);
    match tui::run(begun.session, options) {
        Ok(tui::Ended::Quit) => Ok(ExitCode::SUCCESS),
        // The exit status that a shell reports for a program which a signal ended.
        Ok(tui::Ended::Signal(ending)) => Ok(ExitCode::from(ending.status())),
        Err(error) => Err(Refusal::new(error.to_string())),
    }
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
        let text = launch::read_text(file)?;
        script.extend(text.text.lines().map(str::to_string));
    }
    script.extend(arguments.ex.iter().cloned());
    script.retain(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
    options.setup.script = script;
    Ok(options)
}

/// The theme, the glyphs and the key bindings of the terminal UI.
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
        (_, Some(value)) => {
            return Err(Refusal::new(format!(
                "unknown value in the setting glyphs = \"{value}\"; use \"unicode\" or \"ascii\""
            )));
        }
    };
    options.setup.keymap = keymap(settings)?;
    options.editor.clone_from(&settings.editor);
    options.editor_detached = settings.editor_waits == Some(false);
    options.panic_is_caught = Some(query::is_fenced);
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
            "no theme and no file is named \"{name}\"; the themes are {themes}",
            themes = known.join(", ")
        )));
    }
    let file = launch::read_text(path)?;
    Theme::parse(name, &file.text)
        .map_err(|error| Refusal::new(format!("the theme {name} is not usable: {error}")))
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
        .map_err(|error| Refusal::new(format!("the setting \"keys\" is not usable: {error}")))
}

/// True if the locale indicates that the terminal can display UTF-8.
fn locale_is_utf8() -> bool {
    let said = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
    said.is_some_and(|value| {
        let value = value.to_lowercase();
        value.contains("utf-8") || value.contains("utf8")
    })
}
