//! Fuzz targets: functions that read a language or format, each with seed texts and pieces of the language.

use super::expressions::{Document, jsonata_seeds, paths};
use super::keys;
use super::mutate::Stock;
use super::support::expression::result;
use super::support::{
    Random, Sample, Tell as _, echo_session, files, go_at_most, never_stop, random_machine, read,
    root, sample, samples,
};
use asldbg::coverage::{self, Coverage, Covered};
use asldbg::definition::{Definition, check, lower};
use asldbg::graph;
use asldbg::headless::Refusal;
use asldbg::history::Recording;
use asldbg::history::import::import;
use asldbg::interpreter::Header;
use asldbg::json::{Value, on_line, parse, steers, xml};
use asldbg::launch;
use asldbg::query::jsonata::Failure;
use asldbg::query::{
    Evaluate as _, Expression, Path, Pattern, Profile, ReferencePath, parse_timestamp,
};
use asldbg::session::answers::MockFile;
use asldbg::session::{self, Command, Direction, Session};
use asldbg::settings::Settings;
use asldbg::source::load::LoadError;
use asldbg::source::open::{self, Wish};
use asldbg::source::yaml::to_yaml;
use asldbg::source::{Diagnostics, SourceFile, SourceId, SourceMap, Style, render, short};
use asldbg::testing::TestFile;
use asldbg::tui::keymap::Keymap;
use asldbg::tui::theme::Theme;
use asldbg::worker::{Evaluator, Worker};
use std::cell::RefCell;
use std::sync::Arc;

/// Maximum number of events when a target runs a definition.
const EVENTS: u64 = 300;
/// A size in bytes that is larger than any value that can be computed from the small documents of the targets.
const LARGE: u64 = 64 << 20;
/// The document that paths and functions are evaluated on.
const DOCUMENT: &str = r#"{"a":{"b":[1,2,{"x":"y"}]},"l":[{"x":1},{"x":2,"y":null},"one",1],"n":3,"o":{"a":{"c":1}},"t":"one, two","store.book":1,"error-info":2}"#;

/// A language or format to fuzz.
pub(crate) struct Target {
    pub(crate) name: &'static str,
    pub(crate) stock: fn() -> Stock,
    /// Reads a text in every way that the program does; returns true if the text is valid in the language.
    pub(crate) read: fn(&str) -> bool,
    /// Recreates all shared state after a panic.
    pub(crate) reset: fn(),
}

const fn target(name: &'static str, stock: fn() -> Stock, read: fn(&str) -> bool) -> Target {
    Target {
        name,
        stock,
        read,
        reset,
    }
}

pub(crate) const TARGETS: [Target; 15] = [
    target("definition", definitions, document),
    target("yaml", yaml, document),
    target("template", templates, document),
    target("dsl", programs, document),
    target("path", paths_of_every_kind, expression),
    target("intrinsic", intrinsics, expression),
    target("jsonata", jsonata, jsonata_expression),
    target("mock", mocks, mock_file),
    target("test", test_files, test_file),
    target("history", histories, history),
    target("settings", settings, settings_file),
    target("theme", themes, theme),
    target("stored", stored, stored_state),
    target("keys", keys::stock, keys::play),
    target("print", printable, printed),
];

thread_local! {
    static EVALUATOR: RefCell<Option<Evaluator>> = const { RefCell::new(None) };
    static ORDER: RefCell<Option<Arc<Sample>>> = const { RefCell::new(None) };
}

fn reset() {
    EVALUATOR.take();
}

fn order() -> Arc<Sample> {
    ORDER
        .with_borrow_mut(|order| Arc::clone(order.get_or_insert_with(|| Arc::new(sample("order")))))
}

fn clean(text: &str) {
    assert!(
        text.chars().all(|c| c == '\n' || !c.is_control()),
        "{text:?}"
    );
}

/// Renders diagnostics as they are printed.
fn render_first(diagnostics: &Diagnostics, sources: &SourceMap) {
    for diagnostic in diagnostics.iter().take(10) {
        clean(&short(diagnostic, sources));
        let _ = render(diagnostic, sources, Style::Plain);
    }
}

/// Processes a text as `asldbg FILE` would: reads, checks, draws and runs it.
fn document(text: &str) -> bool {
    let no_file = |name: &str| {
        Err(LoadError::Enough {
            name: name.to_string(),
            limit: 0,
        })
    };
    let opened = open::parse(SourceFile::new("fuzz", text), &no_file, &Wish::default());
    render_first(&opened.diagnostics, &opened.sources);
    let sources = Arc::new(opened.sources);
    let machines = opened.machines.into_iter();
    let mut nodes: Vec<_> = machines.filter_map(|machine| machine.node).collect();
    nodes.extend(opened.node);
    let mut ran = false;
    for node in nodes {
        let (definition, diagnostics) = lower(Arc::new(node), Arc::clone(&sources), "fuzz");
        render_first(&diagnostics, &sources);
        ran |= definition_is_run(&Arc::new(definition), &diagnostics);
    }
    ran
}

fn definition_is_run(definition: &Arc<Definition>, diagnostics: &Diagnostics) -> bool {
    for profile in [Profile::Spec, Profile::Aws] {
        render_first(&check(definition, profile), &definition.sources);
    }
    let layout = graph::layout(definition, &graph::Options::default());
    clean(&graph::text(&layout, graph::Glyphs::Unicode));
    if diagnostics.iter().any(|diagnostic| diagnostic.blocking) {
        return false;
    }
    for profile in [Profile::Spec, Profile::Aws] {
        let header = Header::new(super::support::value(DOCUMENT), profile);
        let mut session = echo_session(definition, header);
        go_at_most(&mut session, EVENTS);
        drop(session.apply(Command::Pause));
        look(&mut session);
    }
    true
}

/// Reads the session's view at the current event, and halfway through the run.
fn look(session: &mut Session) {
    let _ = session.view();
    let count = session.event_count();
    let _ = session.rows(1..count.min(50));
    drop(session.apply(Command::Travel(count / 2)));
    session.advance(EVENTS);
    let _ = session.view();
}

fn expression(text: &str) -> bool {
    let _ = Path::parse(text);
    let _ = parse_timestamp(text);
    let _ = Pattern::parse(text);
    let mut understood = false;
    if let Ok(path) = ReferencePath::parse(text) {
        let _ = path.insert(&super::support::value(DOCUMENT), Value::Null);
    }
    if let Ok(expression) = Expression::parse(text) {
        understood = true;
        for profile in [Profile::Spec, Profile::Aws] {
            let document = Document {
                data: super::support::value(DOCUMENT),
                profile,
            };
            if let Ok(values) = expression.eval(&document) {
                assert!(values.size() < LARGE, "{text}");
            }
            let _ = expression.trace(&document);
        }
    }
    understood
}

fn jsonata_expression(text: &str) -> bool {
    EVALUATOR.with_borrow_mut(|evaluator| {
        let came = result(evaluator.get_or_insert_with(Evaluator::new), text);
        match &came {
            Ok(Ok(value)) => assert!(value.size() < LARGE, "{text}"),
            Ok(Err(Failure::Overdue(_))) => *evaluator = None,
            _ => {}
        }
        came.is_ok()
    })
}

fn mock_file(text: &str) -> bool {
    let file = SourceFile::new("order.mock.json", text);
    let (mocks, diagnostics) = MockFile::parse(&file, SourceId(0));
    render_first(&diagnostics, &SourceMap::of(file));
    let Some(mocks) = mocks else { return false };
    let machines: Vec<String> = mocks.machines().map(str::to_string).collect();
    let mut ran = false;
    for machine in machines.iter().take(2) {
        for case in mocks.cases(&[machine]).unwrap_or_default().iter().take(3) {
            let order = order();
            render_first(&case.unused(&order.definition), &SourceMap::default());
            let mut setup = order.setup(Profile::Aws);
            setup.mock = Some(case.clone());
            run(setup);
            ran = true;
        }
    }
    ran
}

fn run(setup: session::Setup) {
    let mut session = Session::new(setup);
    never_stop(&mut session);
    go_at_most(&mut session, EVENTS);
    drop(session.apply(Command::Pause));
    look(&mut session);
}

fn test_file(text: &str) -> bool {
    let path = root().join("samples/order.test.yaml");
    let (file, sources, diagnostics) =
        TestFile::parse(&path, SourceFile::new("order.test.yaml", text));
    render_first(&diagnostics, &sources);
    let Some(file) = file else { return false };
    render_first(&file.unknown_states(&order().definition), &sources);
    for case in file.cases.iter().take(3) {
        let _ = file.config_of(case, &[]);
    }
    true
}

fn history(text: &str) -> bool {
    let Ok(imported) = import(text.as_bytes()) else {
        return false;
    };
    for execution in imported.executions.into_iter().take(2) {
        let _ = execution.context();
        let skeleton = asldbg::history::skeleton(&execution.events);
        let (rebuilt, diagnostics) = super::support::definition("skeleton", &skeleton);
        let rebuilt = rebuilt.filter(|_| !diagnostics.iter().any(|finding| finding.blocking));
        for definition in [Some(Arc::clone(&order().definition)), rebuilt]
            .into_iter()
            .flatten()
        {
            let recorded = launch::recorded_beside(execution.clone(), Vec::new(), &definition);
            let input = recorded.execution.input.value();
            let mut header = Header::new(input.unwrap_or_else(Value::empty_object), Profile::Aws);
            header.course = Some(Arc::clone(&recorded.course));
            let mut setup = session::Setup::new(definition, header, Arc::new(Worker::new()));
            setup.recorded = Arc::clone(&recorded.answers);
            setup.repeats = Some(Arc::clone(&recorded.run));
            run(setup);
        }
    }
    true
}

fn settings_file(text: &str) -> bool {
    let keys = Keymap::parse(text).is_ok();
    match Settings::parse(text) {
        Ok(_) => true,
        Err(problem) => {
            let _ = asldbg::json::visible(&problem);
            keys
        }
    }
}

fn theme(text: &str) -> bool {
    Theme::parse("fuzz", text).is_ok()
}

fn stored_state(text: &str) -> bool {
    let Ok(kept) = parse(text) else { return false };
    let order = order();
    let mut setup = order.setup(Profile::Spec);
    setup.mock = None;
    let mut session = Session::new(setup);
    let restored = session.restore(&kept);
    go_at_most(&mut session, EVENTS);
    drop(session.apply(Command::Pause));
    look(&mut session);
    let saved = session.saved();
    // Restoring saved settings must save the same settings again.
    if let Some(saved) = &saved {
        let mut again = Session::new(order.setup(Profile::Spec));
        again.restore(saved);
    }
    !restored.is_nothing()
}

fn texts(seeds: Vec<String>, pieces: &str) -> Stock {
    Stock::new(seeds, pieces)
}

fn machines() -> Vec<String> {
    let mut all: Vec<String> = samples().into_iter().map(|sample| sample.text).collect();
    for seed in 0..30 {
        let random = &mut Random::new(seed);
        let made = if seed % 2 == 0 {
            random_machine::machine(random)
        } else {
            random_machine::rich(random)
        };
        all.push(serde_json::to_string_pretty(&made.definition).unwrap());
    }
    all
}

fn of_folder(folder: &str, endings: &[&str]) -> Vec<String> {
    let paths = endings.iter().flat_map(|ending| files(folder, ending));
    paths.map(read).collect()
}

fn definitions() -> Stock {
    texts(machines(), "definition")
}

fn yaml() -> Stock {
    let all = machines().into_iter().take(40);
    let mut seeds: Vec<String> = all
        .map(|text| to_yaml(&super::support::value(&text)))
        .collect();
    seeds.extend(of_folder("tests/template", &[".yaml"]));
    texts(seeds, "yaml")
}

fn templates() -> Stock {
    texts(
        of_folder("tests/template", &[".yaml", ".json", ".tf"]),
        "template",
    )
}

fn programs() -> Stock {
    texts(of_folder("tests/dsl/good", &[".sfn"]), "dsl")
}

fn paths_of_every_kind() -> Stock {
    let paths = paths()
        .into_iter()
        .filter(|path| !path.starts_with("States."));
    texts(paths.collect(), "path")
}

fn intrinsics() -> Stock {
    let calls = paths()
        .into_iter()
        .filter(|path| path.starts_with("States."));
    texts(calls.collect(), "path")
}

fn jsonata() -> Stock {
    texts(jsonata_seeds(), "jsonata")
}

fn mocks() -> Stock {
    let mut seeds = of_folder("samples", &[".mock.json"]);
    seeds.push(read("tests/tui/order.mock.json"));
    texts(seeds, "mock")
}

fn test_files() -> Stock {
    texts(of_folder("samples", &[".test.yaml"]), "test")
}

/// The histories of some samples, in each supported format.
fn histories() -> Stock {
    let mut seeds = Vec::new();
    for name in ["order", "fanout", "backoff", "callback", "saga"] {
        let history = written(&sample(name));
        let value: serde_json::Value = serde_json::from_str(&history).unwrap();
        let lines = value["events"].as_array().into_iter().flatten();
        seeds.push(lines.map(|line| format!("{line}\n")).collect());
        seeds.push(value["events"].to_string());
        seeds.push(history);
    }
    texts(seeds, "history")
}

fn written(sample: &Sample) -> String {
    let mut session = sample.session(Profile::Aws);
    let mut recording = Recording::new(Vec::new());
    session.tell(Command::Continue(Direction::Forward));
    while session.is_busy() {
        let before = session.event_count();
        session.advance(1);
        if session.event_count() > before {
            let event = *session.event(session.event_count()).unwrap();
            recording.note(session.machine(), &event).unwrap();
        }
    }
    String::from_utf8(recording.finish().unwrap()).unwrap()
}

fn settings() -> Stock {
    let seeds = vec![
        "profile = \"aws\"\ntheme = \"light\"\nglyphs = \"ascii\"\neditor = \"vi +{line} {file}\"\neditor_waits = false\nunmocked = \"echo\"\nallow = [\"long-retry\"]\n\n[keys]\nstep = [\"s\", \"F10\"]\ncontinue = \"c\"\n".to_string(),
        "continue = [\"c\", \"F5\"]\nstep = \"Ctrl-s\"\nquit = \"Alt-x\"\n".to_string(),
    ];
    texts(seeds, "settings")
}

fn printable() -> Stock {
    let seeds = ["Charge card", "States.Timeout: after 3 s", "C:\\temp\\new"];
    texts(seeds.map(str::to_string).to_vec(), "print")
}

/// Prints a text in every kind of output: as a line, in XML, as a message, and as the name and the error of a machine
/// in every report.
fn printed(text: &str) -> bool {
    let line = on_line(text);
    assert!(!line.trim_start().starts_with("::"), "{line:?}");
    for part in [
        line.into_owned(),
        xml(text),
        Refusal::new(text).text().to_string(),
    ] {
        assert!(!part.chars().any(steers), "{part:?}");
    }
    assert!(!xml(text).contains(['<', '"', '>']), "{text:?}");
    let name = Value::string(format!("A{text}")).to_string();
    let error = Value::string(text).to_string();
    let machine = format!(
        r#"{{"Comment":{error},"StartAt":{name},"States":{{{name}:{{"Type":"Fail","Error":{error},"Cause":{error}}}}}}}"#
    );
    let (Some(definition), diagnostics) = super::support::definition(text, &machine) else {
        return false;
    };
    render_first(&diagnostics, &definition.sources);
    let layout = graph::layout(&definition, &graph::Options::default());
    let all = [Covered {
        definition: Arc::clone(&definition),
        coverage: Coverage::default(),
    }];
    for report in [
        coverage::table(&all),
        coverage::source_lines(&all[0]),
        coverage::lcov(&all),
        coverage::cobertura(&all, 0),
        coverage::html(&all),
        graph::text(&layout, graph::Glyphs::Unicode),
    ] {
        let raw = |c: char| c != '\n' && steers(c);
        assert!(!report.contains(raw), "{report:?}");
        let mut lines = report.lines().map(str::trim_start);
        assert!(!lines.any(|line| line.starts_with("::error::")), "{report}");
    }
    true
}

fn themes() -> Stock {
    texts(of_folder("themes", &[".toml"]), "theme")
}

fn stored() -> Stock {
    let seeds = vec![
        r#"{"points": [{"state": "Ship", "if": "attempt >= 2", "hits": 3, "log": "{$.order}"}, {"state": "Ship", "item": 3}, {"state": "Ship", "field": "ResultPath"}, {"state": "ChargeCard", "retrier": 1}, {"state": "ChargeCard", "catcher": 0, "off": true}, {"state": "InStock?", "rule": 0}, {"state": "InStock?", "default": true}, {"error": "caught", "pattern": "Payment.*"}, {"data": "$.payment"}], "watches": ["$.order.id", "{% $states.input %}"]}"#.to_string(),
        r#"{"answers": [{"state": "ChargeCard", "indices": [], "rounds": [], "visit": 1, "attempt": 1, "input": {"order": 1}, "answer": {"Return": {"receiptId": "r"}}}, {"state": "Ship", "indices": [0], "rounds": [[1, 1]], "visit": 1, "attempt": 1, "input": null, "answer": {"Throw": {"Error": "A", "Cause": "b"}}}]}"#.to_string(),
    ];
    texts(seeds, "stored")
}
