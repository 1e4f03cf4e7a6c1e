//! Debugging in the terminal: everything is read here, then the front end takes over.
//!
//! It must not know how anything is drawn.

use super::kept;
use super::load::{self, Loaded};
use super::options::{DebugArguments, LayoutName, MomentName, TerminalArguments};
use crate::headless::Refusal;
use crate::interpreter::Header;
use crate::json;
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
use crate::worker::{Worker, panic_is_caught};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

/// Debugs a file in the terminal until a person quits.
///
/// # Errors
/// With the place, where something cannot be read or keeps a run from starting.
pub fn debug(arguments: &DebugArguments, settings: &Settings) -> Result<ExitCode, Refusal> {
    let Some(file) = &arguments.file else {
        return Err(Refusal::new("no FILE was given; see asldbg --help"));
    };
    let loaded = load::load_all(file, &arguments.start, settings)?;
    let mut options = terminal(&arguments.terminal, settings)?;
    options.watched.clone_from(&loaded.watch);
    options.setup.file = (file != Path::new("-")).then(|| file.clone());
    options.setup.cases.clone_from(&loaded.cases);
    options.setup.mock_file = loaded.mock.as_ref().map(|mock| mock.path.clone());
    options.setup.ask_case = loaded.case.is_none() && loaded.cases.len() > 1;
    let again = (arguments.clone(), settings.clone());
    options.setup.reload = Some(Box::new(move || reload(&again.0, &again.1)));
    let again = (arguments.clone(), settings.clone());
    let moments = arguments.terminal.stop_on.clone();
    options.setup.choose_case = Some(Box::new(move |case| {
        let mut start = again.0.start.clone();
        start.test_case = Some(case.to_string());
        let file = again.0.file.clone().unwrap_or_default();
        let loaded = load::load_all(&file, &start, &again.1).map_err(|refusal| refusal.0)?;
        Ok(begin(loaded, &moments))
    }));
    options.setup.message = guessed_input(&loaded, arguments);
    let mut session = begin(loaded, &arguments.terminal.stop_on);
    if let Some(file) = options.setup.file.clone()
        && !arguments.terminal.fresh
    {
        let restored = kept::load(&file).map(|kept| session.restore(&kept));
        if let Some(words) = restored.and_then(Restored::words) {
            let before = options.setup.message.take();
            let before = before.map_or_else(String::new, |text| format!("{text}; "));
            options.setup.message = Some(format!("{before}{words}; --fresh leaves them away"));
        }
        options.keep = Some(Box::new(move |session| {
            kept::save(&file, session.saved().as_ref());
        }));
    }
    show(session, options)
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
    let mut setup = Setup::new(Arc::new(definition), Header::new(input, Profile::Spec));
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

fn begin(loaded: Loaded, stop_on: &[MomentName]) -> Session {
    let mut setup = Setup::new(loaded.definition, loaded.header);
    setup.server = Arc::new(Worker::with_files(loaded.files));
    setup.diagnostics = loaded.diagnostics;
    setup.test_case = loaded.case.as_ref().map(|case| case.name.clone());
    setup.mock = loaded.case;
    setup.unmocked = loaded.unmocked.unwrap_or_default();
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

fn reload(arguments: &DebugArguments, settings: &Settings) -> Result<tui::Loaded, String> {
    let file = arguments.file.clone().unwrap_or_default();
    let checking =
        load::Checking::new(&arguments.start.rules, settings).map_err(|refusal| refusal.0)?;
    let opened = load::open(
        &file,
        arguments.start.state_machine.as_deref(),
        &arguments.start.values,
    )
    .map_err(|refusal| refusal.0)?;
    let children = load::children(&file, &arguments.start, settings);
    let children = Arc::new(children.map_err(|refusal| refusal.0)?);
    let sources = Arc::clone(&opened.sources);
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
        let text = source::load::load(file).map_err(|error| Refusal::new(error.to_string()))?;
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
