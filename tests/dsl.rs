//! Tests of SFN DSL programs: valid programs must compile to the stored definitions, and in invalid programs, errors
//! must be reported on the right lines.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests may panic"
)]

#[path = "dsl/random.rs"]
mod random;
mod support;

use asldbg::definition::{Definition, Transition, diagnose, lower};
use asldbg::interpreter::Header;
use asldbg::json::{Value, parse};
use asldbg::query::Profile;
use asldbg::session::view::RunStatus;
use asldbg::session::{Command, Direction, Location, Part, Session, Setup, Stop};
use asldbg::source::dsl::{DslEnvironment, GeneratedKind, generated, looks_like, parse_dsl};
use asldbg::source::{Diagnostics, Node, Severity, SourceFile, SourceId, SourceMap};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/dsl")
        .join(name)
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Compares a result with the file of this name in `tests/dsl`.
fn stored(name: &str, came: &str) {
    let held = support::stored::whole(folder(name), came);
    held.unwrap_or_else(|error| panic!("{error}"));
}

/// Compiles a program for the region and account that the expected definitions contain.
fn compile(text: &str) -> (SourceFile, Option<Node>, Diagnostics) {
    let environment = DslEnvironment {
        region: Some("us-east-1".to_string()),
        account: Some("123456789012".to_string()),
    };
    let file = SourceFile::new("test.sfn", text);
    let (node, diagnostics) = parse_dsl(&file, SourceId(0), &environment);
    (file, node, diagnostics)
}

/// Diagnostics in the form `severity line:column message`.
fn shown(file: &SourceFile, diagnostics: &Diagnostics) -> Vec<String> {
    let show = |diagnostic: &asldbg::source::Diagnostic| {
        let place = file.place(diagnostic.span.expect("a place").start as usize);
        format!(
            "{} {}:{} {}",
            diagnostic.severity, place.line, place.column, diagnostic.message
        )
    };
    diagnostics.iter().map(show).collect()
}

/// Collects the names of the states in order, including those of nested scopes.
fn order(value: &Value, out: &mut Vec<String>) {
    if let Some(states) = value.get("States").and_then(Value::as_object) {
        for (name, state) in states.members() {
            out.push(name.to_string());
            order(state, out);
        }
    }
    for branch in value
        .get("Branches")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        order(branch, out);
    }
    if let Some(iterator) = value.get("Iterator") {
        order(iterator, out);
    }
}

/// The programs (`.sfn`) in a folder.
fn programs(name: &str) -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(folder(name)).expect("a folder");
    entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "sfn"))
        .map(|path| {
            let stem = path
                .file_stem()
                .expect("a stem")
                .to_string_lossy()
                .into_owned();
            (stem, read(&path))
        })
        .collect()
}

#[test]
fn good_programs_compile_to_their_definitions() {
    let mut wrong = Vec::new();
    for (name, text) in programs("good") {
        let wanted = parse(&read(&folder("good").join(format!("{name}.json")))).expect("JSON");
        let (file, node, diagnostics) = compile(&text);
        let Some(got) = node.map(|node| node.to_value()) else {
            wrong.push(format!("{name}: {:?}", shown(&file, &diagnostics)));
            continue;
        };
        let (mut first, mut second) = (Vec::new(), Vec::new());
        order(&wanted, &mut first);
        order(&got, &mut second);
        let same = got.to_serde() == wanted.to_serde();
        if (!same || first != second) && support::stored::blessing() {
            let text = asldbg::json::pretty(&got) + "\n";
            support::stored::whole(format!("tests/dsl/good/{name}.json"), &text).expect("written");
        } else if !same || first != second {
            wrong.push(format!("{name}:\n{wanted}\n{got}"));
        }
        assert!(looks_like(&text), "{name} does not look like a program");
    }
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Checks the errors in invalid programs. Each line of `bad.txt` contains the name of a program, the line in which an
/// error must be reported and, after `|`, the positions of all errors.
#[test]
fn bad_programs_name_the_bad_line() {
    let programs = programs("bad");
    let lines = read(&folder("bad.txt"));
    let (mut wrong, mut came) = (Vec::new(), String::new());
    for entry in lines.lines() {
        let (name, rest) = entry.split_once(' ').expect("a name");
        let (line, places) = rest.split_once(" | ").expect("a line and places");
        let (file, node, diagnostics) = compile(&programs[name]);
        let errors: Diagnostics = diagnostics
            .into_iter()
            .filter(|finding| finding.severity == Severity::Error)
            .collect();
        let got: Vec<String> = errors
            .iter()
            .map(|error| {
                let place = file.place(error.span.expect("a place").start as usize);
                format!("{}:{}", place.line, place.column)
            })
            .collect();
        let hit = got
            .iter()
            .any(|place| place.starts_with(&format!("{line}:")));
        let silent = node.is_some() || errors.iter().any(|error| !error.blocking);
        let got = got.join(" ");
        writeln!(came, "{name} {line} | {got}").expect("a String");
        // `BLESS=1` does not change the line in which an error must be reported.
        if !hit || silent || (got != places && !support::stored::blessing()) {
            let shown = shown(&file, &errors);
            wrong.push(format!("{name} {line} | {got}\n{shown:#?}"));
        }
    }
    assert_eq!(lines.lines().count(), programs.len());
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    stored("bad.txt", &came);
}

/// The definition compiled from a program, which must have no errors.
fn definition(name: &str, text: &str) -> Arc<Definition> {
    let (file, node, diagnostics) = compile(text);
    let node = node.unwrap_or_else(|| panic!("{name}: {:?}", shown(&file, &diagnostics)));
    let (definition, lowered) = lower(Arc::new(node), Arc::new(SourceMap::of(file)), name);
    let blocking: Vec<_> = lowered
        .iter()
        .filter(|diagnostic| diagnostic.blocking)
        .collect();
    assert!(blocking.is_empty(), "{name}: {blocking:?}");
    Arc::new(definition)
}

/// Sets a breakpoint on this line; returns the state, or the part of a state, at which the breakpoint stops a run.
fn meaning(definition: &Arc<Definition>, line: usize) -> Option<String> {
    let header = Header::new(Value::Null, Profile::Spec);
    let mut session = Session::new(Setup::new(
        Arc::clone(definition),
        header,
        Arc::new(asldbg::worker::Worker::new()),
    ));
    drop(session.apply(Command::ToggleBreakLine(SourceId(0), line)));
    let view = session.view();
    Some(match &view.breakpoints.first()?.breakpoint.at {
        Location::State(path) => path.to_string(),
        Location::Part(path, Part::Field(name)) => format!("{path} field {name}"),
        Location::Part(path, Part::Retrier(index)) => format!("{path} retrier {index}"),
        Location::Part(path, Part::Catcher(index)) => format!("{path} catcher {index}"),
        Location::Part(path, Part::Rule(index)) => format!("{path} rule {index}"),
        Location::Part(path, Part::Default) => format!("{path} default"),
        other => format!("{other:?}"),
    })
}

#[test]
fn every_line_is_the_place_of_what_it_says() {
    let text = read(&folder("places.sfn"));
    let definition = definition("places", &text);
    let mut wrong = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let Some((_, wanted)) = line.split_once("#> ") else {
            continue;
        };
        let got = meaning(&definition, index + 1);
        if got.as_deref() != Some(wanted) {
            wrong.push(format!("{}: {got:?}, not {wanted}", index + 1));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_state_is_at_its_span() {
    let mut programs = programs("good");
    let with_tail =
        "while '$.a' == 1:\n    Pass()\n    Wait(seconds=1)\ntransform:\n    output: \"$.r\"\n";
    programs.insert("while with a tail".to_string(), with_tail.to_string());
    for (name, text) in programs {
        let definition = definition(&name, &text);
        for state in &definition.states {
            let node = definition.node_of(state);
            let target = node.and_then(|node| node.get("Next")?.as_str());
            let next = match &state.transition {
                Transition::Next(target) => Some(&*target.name),
                _ => None,
            };
            assert!(node.is_some() && target == next, "{name}: {}", state.name);
        }
    }
}

#[test]
fn states_that_nobody_wrote_are_told() {
    let text = read(&folder("places.sfn"));
    let (file, node, _) = compile(&text);
    let mut got: Vec<String> = generated(&node.expect("a tree"))
        .iter()
        .map(|state| {
            let kind = match state.kind {
                GeneratedKind::Loop => "loop",
                GeneratedKind::Default => "default",
                GeneratedKind::Goto => "goto",
            };
            let line = file.place(state.span.start as usize).line;
            format!("{} {kind} {line}", state.location)
        })
        .collect();
    let marks = text
        .lines()
        .filter_map(|line| line.strip_prefix("# generated: "));
    let mut wanted: Vec<String> = marks.map(str::to_string).collect();
    got.sort();
    wanted.sort();
    assert_eq!(got, wanted);
    let json = SourceFile::new("t.json", &node_text(&text));
    let (plain, _) = asldbg::source::parse_json(&json, SourceId(0));
    assert_eq!(generated(&plain.expect("a tree")), []);
}

/// The program compiled to JSON text.
fn node_text(text: &str) -> String {
    compile(text).1.expect("a tree").to_value().to_string()
}

#[test]
fn the_sample_runs_to_its_end() {
    let text = support::read("samples/parcels.sfn");
    let (file, _, diagnostics) = compile(&text);
    assert!(diagnostics.is_empty(), "{:?}", shown(&file, &diagnostics));
    let definition = definition("parcels", &text);
    let findings = diagnose(&definition, &[], Profile::Spec);
    let errors = findings
        .iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Error);
    assert_eq!(errors.count(), 0, "{:?}", shown(&file, &findings));
    let input = support::value(&support::read("samples/parcels.input.json"));
    let mock = support::mock("parcels", &support::read("samples/parcels.mock.json"), None);
    for profile in [Profile::Spec, Profile::Aws] {
        let header = Header::new(input.clone(), profile);
        let mut session = support::session(&definition, header, Some(mock.clone()));
        let stop = support::go(&mut session);
        assert!(matches!(stop, asldbg::session::Stop::End), "{stop:?}");
        let trace = support::trace(&session);
        assert_eq!(
            trace.last().map(String::as_str),
            Some("On the road"),
            "{trace:?}"
        );
        let entered = |name: &str| trace.iter().filter(|state| *state == name).count();
        let states = [
            "Scale",
            "Flat rate",
            "Freight",
            "Mail",
            "Dock taken?Loop",
            "Load",
            "Ask the dock",
        ];
        assert_eq!(states.map(entered), [3, 1, 1, 2, 2, 2, 2], "{trace:?}");
    }
}

/// The compiler reports all errors in a text at once and without duplicates.
#[test]
fn all_errors_come_at_once() {
    let text = r#"timeout: "5"
Lambad('F')
    """First"""
    timout: 5
    retry [] 1, 2
    parameters:
        "a": 1
        b: [1, 2
            3]
        c: nil
    catch [] "$.e":
        Pass()
            data: 5
switch $.a:
    case '$.b' == 1:
        Wait(5)
            input: $.a
    defalt:
        Pass()
if '$.a' = 1:
    goto Start
elif not:
    SNS.Publsh("x")
        retry "E" 0 1.5 0.5
else
    Fail()
paralel:
    Pass()
while '$.a' >= true and ('$.b' == 1
    or '$.c' == 2:
    Pass()
"#;
    let (file, node, diagnostics) = compile(text);
    assert!(node.is_none());
    let wanted = [
        "1:10 expected the timeout, found a string",
        "2:1 there is no kind of state named \"Lambad\"",
        "4:5 \"timout\" is not a modifier",
        "5:15 expected a number, found \",\"",
        "7:9 expected the name of a parameter, found a string",
        "9:13 expected \",\" or \"]\", found the number 3",
        "10:12 expected a JSON value, found \"nil\"",
        "11:14 expected \":\", found a string",
        "13:19 expected an indented block, found the number 5",
        "14:8 expected a path in quotes, found \"$\"",
        "15:16 expected \":\", found \"==\"",
        "16:14 expected the time to wait, found the number 5",
        "17:20 expected a string, found \"$\"",
        "18:5 expected \"case\" or \"default\", found \"defalt\"",
        "20:10 expected a comparison (== != < <= > >=), found \"=\"",
        "21:10 expected the name of a state in quotes, found \"Start\"",
        "22:9 expected a path, found \":\"",
        "23:9 asldbg knows no function \"Publsh\" of \"SNS\"",
        "23:16 \"SNS\" takes no argument",
        "24:19 the interval must be at least 1, not 0",
        "24:21 the number of attempts must be a whole number, not 1.5",
        "24:25 the backoff rate must be at least 1.0",
        "26:5 expected \":\", found a line that is indented",
        "26:10 expected the name of the error in quotes, found \")\"",
        "27:8 expected \"(\", found \":\"",
        "29:7 the operator \">=\" cannot compare a path with true or false",
        "32:1 the text ends before \"(\" is closed",
    ];
    let got: Vec<String> = shown(&file, &diagnostics)
        .iter()
        .map(|line| line.trim_start_matches("ERROR ").to_string())
        .collect();
    assert_eq!(got, wanted, "{got:#?}");
    let help = |line: usize| {
        let at = |diagnostic: &&asldbg::source::Diagnostic| {
            file.place(diagnostic.span.expect("a place").start as usize)
                .line
                == line
        };
        diagnostics
            .iter()
            .find(at)
            .and_then(|finding| finding.help.clone())
            .unwrap_or_default()
    };
    assert_eq!(help(2), "did you mean \"Lambda\"?");
    assert_eq!(help(4), "did you mean \"timeout\"?");
    assert_eq!(help(10), "write null");
    assert_eq!(help(23), "did you mean \"Publish\"?");
    assert_eq!(help(27), "did you mean \"parallel\"?");
}

#[test]
fn names_are_completed_from_the_environment() {
    let check = |region: Option<&str>, text: &str, wanted: &str| {
        let environment = DslEnvironment {
            region: region.map(str::to_string),
            account: None,
        };
        let file = SourceFile::new("test.sfn", text);
        let (node, _) = parse_dsl(&file, SourceId(0), &environment);
        let value = node.expect("a tree").to_value();
        let state = value.get("States").and_then(|states| states.get("Line1"));
        let resource = state
            .and_then(|state| state.get("Resource"))
            .and_then(Value::as_str);
        assert_eq!(resource, Some(wanted));
    };
    let publish = "SNS.Publish()\n    parameters:\n        Message: \"m\"";
    check(None, "Lambda('f')", "arn:aws:lambda:::function:f");
    check(
        Some("eu-west-1"),
        "Activity('a')",
        "arn:aws:states:eu-west-1::activity:a",
    );
    check(Some("eu-west-1"), publish, "arn:aws:states:::sns:publish");
    let (_, node, _) = compile("Lambda('name')");
    let node = node.expect("a tree");
    let state = node.get("States").and_then(|states| states.get("Line1"));
    let resource = state
        .and_then(|state| state.get("Resource"))
        .expect("a resource");
    let at = resource
        .as_str()
        .and_then(|text| text.find("name"))
        .expect("the name");
    assert_eq!(resource.inner_span(at..at + 4).range(), 8..12);
}

/// Steps through the sample `parcels.sfn`. Each line of `stops.txt` describes a stop: its source line, its state and
/// the kind of its event.
#[test]
fn every_stop_stands_on_its_line() {
    let text = support::read("samples/parcels.sfn");
    let definition = definition("parcels", &text);
    let input = support::value(&support::read("samples/parcels.input.json"));
    let mock = support::mock("parcels", &support::read("samples/parcels.mock.json"), None);
    let header = Header::new(input, Profile::Spec);
    let mut session = support::session(&definition, header, Some(mock));
    let file = SourceFile::new("test.sfn", &text);
    let mut got = String::new();
    while support::command(&mut session, Command::Step(Direction::Forward)) == Stop::Step {
        let span = session.view().current_span.expect("a line");
        let events = support::events(&session);
        let event = events.last().expect("an event");
        let (line, state) = (
            file.place(span.start as usize).line,
            support::state_of(&session, event),
        );
        writeln!(got, "{line} {state}: {:?}", event.kind).expect("a String");
    }
    stored("stops.txt", &got);
}

/// Each case in `findings.txt` has a title after `==`, a program, and the diagnostics of the compiled definition after
/// `>`. A line `aws` before the program selects the profile `aws`.
#[test]
fn findings_speak_of_the_program() {
    let cases = read(&folder("findings.txt"));
    let mut got = String::new();
    for case in format!("\n{cases}").trim_end().split("\n== ").skip(1) {
        let (title, rest) = case.split_once('\n').expect("a title");
        let (profile, rest) = match rest.strip_prefix("aws\n") {
            Some(rest) => (Profile::Aws, rest),
            None => (Profile::Spec, rest),
        };
        let lines = rest.lines().filter(|line| !line.starts_with("> "));
        let text: String = lines.map(|line| format!("{line}\n")).collect();
        let (file, node, _) = compile(&text);
        let node = node.unwrap_or_else(|| panic!("{title} does not compile"));
        let sources = Arc::new(SourceMap::of(file.clone()));
        let (definition, lowered) = lower(Arc::new(node), sources, title);
        let aws = if profile == Profile::Aws { "aws\n" } else { "" };
        write!(got, "== {title}\n{aws}{text}").expect("a String");
        for diagnostic in diagnose(&definition, &lowered, profile) {
            let place = file.place(diagnostic.span.expect("a place").start as usize);
            let help = diagnostic.help.unwrap_or_default();
            let (line, column) = (place.line, place.column);
            writeln!(
                got,
                "> {} {line}:{column} {}; {help}",
                diagnostic.severity, diagnostic.message
            )
            .expect("a String");
        }
    }
    stored("findings.txt", &got);
}

#[test]
fn one_entry_answers_all_that_call_a_function() {
    let text = "Lambda('f')\nLambda('f')\nPass()\n";
    let mock = r#"{"StateMachines": {"m": {"TestCases": {"C": {"f": "r"}}}},
        "MockedResponses": {"r": {"0": {"Return": 1}, "1": {"Return": 2}}}}"#;
    let header = Header::new(Value::Null, Profile::Spec);
    let mock = support::mock("m", mock, None);
    let mut session = support::session(&definition("m", text), header, Some(mock));
    support::go(&mut session);
    let status = session.view().header.status.clone();
    let wanted = Value::from(2_i64);
    assert!(matches!(status, RunStatus::Succeeded { output } if output == wanted));
}
