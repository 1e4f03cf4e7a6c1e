//! Fuzz tests: random texts are passed through everything that reads them. Nothing may panic or run without end, and
//! data must be preserved.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test that fails panics"
)]

#[path = "fuzz/expressions.rs"]
mod expressions;
#[path = "fuzz/hours.rs"]
mod hours;
#[path = "fuzz/keys.rs"]
mod keys;
#[path = "fuzz/mutate.rs"]
mod mutate;
mod support;
#[path = "fuzz/target.rs"]
mod target;

use asldbg::definition::{Definition, check};
use asldbg::graph;
use asldbg::interpreter::{Header, Status};
use asldbg::json::{Value, parse, visible};
use asldbg::query::{Expression, Path, Pattern, Profile, ReferencePath, parse_timestamp};
use asldbg::session::answers::MockFile;
use asldbg::session::{Command, Direction};
use asldbg::source::{SourceFile, SourceId, Style, render, short};
use proptest::prelude::*;
use std::sync::Arc;
use support::{Random, definition, echo_session, go_at_most, random_machine, samples};

/// Maximum number of events of a run.
const EVENTS: u64 = 3000;

/// How far a text came: true if it was lowered to a definition without blocking errors, and true if this definition was
/// run.
#[derive(Clone, Copy, Default)]
struct Came {
    lowered: bool,
    ran: bool,
}

/// Parses, checks, draws and runs a text in every way that needs no terminal.
fn through(text: &str, input: &Value) -> Came {
    let (definition, diagnostics) = definition("fuzz", text);
    for diagnostic in &diagnostics {
        if let Some(definition) = &definition {
            let shown = short(diagnostic, &definition.sources);
            assert!(
                shown.chars().all(|c| c == '\n' || !c.is_control()),
                "{shown:?}"
            );
        }
    }
    let Some(definition) = definition else {
        return Came::default();
    };
    for profile in [Profile::Spec, Profile::Aws] {
        for diagnostic in check(&definition, profile).iter().take(20) {
            let _ = render(diagnostic, &definition.sources, Style::Plain);
        }
    }
    draw(&definition);
    if diagnostics.iter().any(|diagnostic| diagnostic.blocking) {
        return Came::default();
    }
    Came {
        lowered: true,
        ran: run(&definition, input),
    }
}

fn draw(definition: &Definition) {
    let layout = graph::layout(definition, &graph::Options::default());
    for id in definition.state_ids() {
        if let Some(placed) = layout.box_of(id) {
            assert!(placed.rect.w > 0 && placed.rect.h > 0);
        }
    }
    let text = graph::text(&layout, graph::Glyphs::Unicode);
    assert!(
        text.chars().all(|c| c == '\n' || !c.is_control()),
        "{text:?}"
    );
    let _ = graph::mermaid(definition);
    let _ = graph::dot(definition);
    let _ = graph::outline(definition);
}

/// Runs a definition whose tasks return sample responses, reads the views and goes back. Returns true if at least ten
/// events happened.
fn run(definition: &Arc<Definition>, input: &Value) -> bool {
    for profile in [Profile::Spec, Profile::Aws] {
        let mut session = echo_session(definition, Header::new(input.clone(), profile));
        let ended = go_at_most(&mut session, EVENTS);
        drop(session.apply(Command::Pause));
        let view = session.view();
        assert_eq!(view.header.event, session.event_count());
        let _ = session.rows(1..session.event_count().min(200));
        if !ended {
            assert!(*session.machine().status() == Status::Running || session.event_count() > 0);
        }
        let count = session.event_count();
        support::command(&mut session, Command::Travel(count / 2));
        let _ = session.view();
        drop(session.apply(Command::Step(Direction::Backward)));
        session.advance(5000);
        let _ = session.view();
        if count < 10 && profile == Profile::Aws {
            return false;
        }
    }
    true
}

/// Makes one small change to a JSON text: removes a line, repeats a part, replaces a word, or changes a byte.
fn edited(text: &str, random: &mut Random) -> String {
    const WORDS: [&str; 16] = [
        "\"Pass\"",
        "\"Task\"",
        "\"Map\"",
        "\"Choice\"",
        "\"$.order\"",
        "\"$$.Execution\"",
        "null",
        "[]",
        "{}",
        "-1",
        "1e999",
        "true",
        "\"States.Format('{}', $.x)\"",
        "\"\\u001b[31m\"",
        "\"States.ALL\"",
        "\"$..*\"",
    ];
    let mut text = text.to_string();
    for _ in 0..=random.below(2) {
        let lines: Vec<&str> = text.lines().collect();
        let at = random.below(lines.len());
        text = match random.below(10) {
            // Changes that keep the text valid JSON: replace a value with another one, of the same field or of any
            // field.
            0..=5 => {
                let values: Vec<usize> = text
                    .match_indices("\": \"")
                    .map(|(start, _)| start)
                    .collect();
                if values.is_empty() {
                    continue;
                }
                let start = values[random.below(values.len())];
                let value_at = |start: usize| {
                    let from = start + 3;
                    let end = text[from + 1..]
                        .find('"')
                        .map_or(text.len(), |end| from + end + 2);
                    (from, end)
                };
                let field = |start: usize| text[..start].rsplit('"').next().unwrap_or("");
                let alike: Vec<usize> = values
                    .iter()
                    .copied()
                    .filter(|other| field(*other) == field(start))
                    .collect();
                let (from, end) = value_at(start);
                let other = value_at(alike[random.below(alike.len())]);
                let word = if random.one_in(2) {
                    random.of(&WORDS)
                } else {
                    &text[other.0..other.1]
                };
                format!("{}{word}{}", &text[..from], &text[end..])
            }
            6 => lines
                .iter()
                .enumerate()
                .filter(|(place, _)| *place != at)
                .map(|(_, line)| format!("{line}\n"))
                .collect(),
            7 => lines
                .iter()
                .enumerate()
                .map(|(place, line)| {
                    if place == at {
                        format!("{line}\n{line}\n")
                    } else {
                        format!("{line}\n")
                    }
                })
                .collect(),
            8 => {
                let mut cut = random.below(text.len());
                while !text.is_char_boundary(cut) {
                    cut -= 1;
                }
                format!(
                    "{}{}{}",
                    &text[..cut],
                    random.of(&["\"", "}", "{", ",", "\u{202e}", "\u{1b}", "\\", "x"]),
                    &text[cut..]
                )
            }
            _ => text.replacen("\"End\": true", "\"Next\": \"Ship\"", 1),
        };
    }
    text
}

#[test]
fn edits_of_the_samples() {
    let all = samples();
    let mut random = Random::new(2024);
    let (mut count, mut lowered, mut ran) = (0, 0, 0);
    for _ in 0..support::cases(10) {
        for sample in &all {
            let text = edited(&sample.text, &mut random);
            let came = through(&text, &sample.input);
            count += 1;
            lowered += usize::from(came.lowered);
            ran += usize::from(came.ran);
        }
    }
    println!("{count} edited samples: {lowered} can be run, {ran} of them ran ten events or more");
    assert!(2 * lowered >= count, "{lowered} of {count}");
    assert!(2 * ran >= count, "{ran} of {count}");
}

#[test]
fn edits_of_made_machines() {
    let (mut count, mut lowered, mut ran) = (0, 0, 0);
    for seed in 0..support::cases(75).into() {
        let mut random = Random::new(1000 + seed);
        let made = random_machine::machine(&mut random);
        let text = serde_json::to_string_pretty(&made.definition).unwrap();
        let text = if random.one_in(3) {
            edited(&text, &mut random)
        } else {
            text
        };
        let came = through(&text, &support::value(&made.input.to_string()));
        count += 1;
        lowered += usize::from(came.lowered);
        ran += usize::from(came.ran);
    }
    println!("{count} made machines: {lowered} can be run, {ran} of them ran ten events or more");
    assert!(
        2 * lowered >= count && 2 * ran >= count,
        "{lowered} and {ran} of {count}"
    );
}

const HOSTILE: [&str; 12] = [
    "\u{1b}[31mred",
    "\u{1b}]52;c;aGk=\u{7}",
    "\u{9b}2J",
    "\u{202e}evil",
    "\u{2066}a\u{2069}",
    "a\u{200b}b",
    "\u{feff}bom",
    "\u{0}nul",
    "\r\n\t",
    "\u{85}",
    "e\u{301}\u{301}\u{301}",
    "\u{1f468}\u{200d}\u{1f469}",
];

#[test]
fn hostile_text_stays_data() {
    for hostile in HOSTILE {
        let name = format!("S{hostile}");
        let machine = serde_json::json!({
            "Comment": hostile,
            "StartAt": name,
            "States": {
                name.clone(): { "Type": "Task", "Resource": "arn:aws:lambda:us-east-1:123456789012:function:f", "Comment": hostile,
                    "Parameters": { hostile: hostile, "k.$": "$" }, "ResultPath": "$.r", "TimeoutSeconds": 5,
                    "Catch": [{ "ErrorEquals": [hostile], "ResultPath": "$.e", "Next": "F" }], "Next": "F" },
                "F": { "Type": "Fail", "Error": hostile, "Cause": hostile },
            },
        });
        let input = serde_json::json!({ hostile: hostile });
        for text in [
            machine.to_string(),
            serde_json::to_string_pretty(&machine).unwrap(),
        ] {
            assert!(
                through(&text, &support::value(&input.to_string())).lowered,
                "{hostile:?}"
            );
        }
        // The text passes through a run unchanged, as an error name and as a cause.
        let definition = support::good("hostile", &machine.to_string());
        let mock = support::answers(
            &serde_json::json!({ name.clone(): [{ "Throw": { "Error": hostile, "Cause": hostile } }] }),
        );
        let mut session = support::session(
            &definition,
            Header::new(support::value(&input.to_string()), Profile::Aws),
            mock,
        );
        support::go(&mut session);
        let Status::Failed(fault) = session.machine().status() else {
            panic!("{hostile:?}")
        };
        assert_eq!((fault.name(), fault.cause_text()), (hostile, hostile));
        assert_eq!(support::trace(&session), [name, "F".to_string()]);
        // When the text is displayed, no control characters remain in it.
        let shown = visible(hostile);
        assert!(shown.chars().all(|c| !c.is_control()), "{shown:?}");
        assert!(
            !shown.contains(['\u{202e}', '\u{2066}', '\u{200b}', '\u{feff}']),
            "{shown:?}"
        );
        let value = Value::from(hostile).to_string();
        assert_eq!(parse(&value).ok(), Some(Value::from(hostile)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: support::cases(75), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_without_panic(text in any::<String>()) {
        through(&text, &Value::Null);
        let _ = parse(&text);
        let _ = MockFile::parse(&SourceFile::new("fuzz.mock.json", &text), SourceId(0));
        paths_and_patterns(&text);
    }

    #[test]
    fn any_text_of_json_signs_is_read_without_panic(text in "[\\[\\]{}\",:0-9a-z\\\\ \\n\\t$.-]{0,300}") {
        through(&text, &Value::Null);
        let _ = parse(&text);
        let _ = MockFile::parse(&SourceFile::new("fuzz.mock.json", &text), SourceId(0));
    }

    #[test]
    fn any_path_is_read_and_applied_without_panic(text in "[$][$.a-c0-9\\[\\]'\"*?@()<=&|!:, \\\\-]{0,40}", call in "States[.A-Za-z(),' $0-9{}\\\\]{0,40}") {
        paths_and_patterns(&text);
        paths_and_patterns(&call);
        let state = serde_json::json!({ "StartAt": "A", "States": {
            "A": { "Type": "Pass", "InputPath": text, "Parameters": { "p.$": text, "c.$": call }, "ResultPath": text, "OutputPath": text, "Next": "B" },
            "B": { "Type": "Choice", "Choices": [{ "Variable": text, "StringMatches": text, "Next": "C" }], "Default": "C" },
            "C": { "Type": "Pass", "End": true } } });
        let input = support::value(r#"{"a":{"b":[1,2,{"c":"x"}]},"b":"text","c":null}"#);
        through(&state.to_string(), &input);
        // Each state has only one of these fields. Otherwise, an invalid path in one field could hide an error in
        // another.
        for field in ["InputPath", "OutputPath", "ResultPath", "ItemsPath"] {
            let kind = if field == "ItemsPath" { "Map" } else { "Pass" };
            let mut state = serde_json::json!({ "Type": kind, field: text, "End": true });
            if kind == "Map" {
                state["ItemProcessor"] = serde_json::json!({ "StartAt": "I", "States": { "I": { "Type": "Pass", "End": true } } });
            }
            let machine = serde_json::json!({ "StartAt": "A", "States": { "A": state } });
            through(&machine.to_string(), &input);
        }
    }

    #[test]
    fn any_watch_is_evaluated_without_panic(text in "[$a-c.0-9\\[\\]'\"<>=!&|() {}-]{0,40}") {
        let sample = support::sample("routing");
        let mut session = sample.session(Profile::Spec);
        let _ = session.evaluate(&text);
        drop(session.apply(Command::Watch(text.as_str().into())));
        support::go(&mut session);
        let _ = session.view();
    }
}

fn paths_and_patterns(text: &str) {
    let document = support::value(r#"{"a":{"b":[1,2,{"c":"x"}]},"b":"text"}"#);
    let _ = Path::parse(text);
    let _ = Expression::parse(text);
    let _ = parse_timestamp(text);
    let _ = Pattern::parse(text);
    if let Ok(path) = ReferencePath::parse(text) {
        let _ = path.insert(&document, Value::Null);
    }
}

#[test]
fn deep_and_wide_definitions() {
    let mut inner =
        serde_json::json!({ "StartAt": "P", "States": { "P": { "Type": "Pass", "End": true } } });
    for depth in 0..30 {
        inner = serde_json::json!({ "StartAt": format!("N{depth}"), "States": { format!("N{depth}"): { "Type": "Parallel", "Branches": [inner], "End": true } } });
    }
    assert!(through(&inner.to_string(), &Value::Null).ran);
    let open = "[".repeat(200_000);
    assert!(!through(&open, &Value::Null).lowered);
    assert!(!through(&format!("{{\"a\":{open}"), &Value::Null).lowered);
    let mut states = serde_json::Map::new();
    for place in 0..300 {
        states.insert(
            format!("S{place}"),
            serde_json::json!({ "Type": "Pass", "Next": format!("S{}", place + 1) }),
        );
    }
    states.insert("S300".to_string(), serde_json::json!({ "Type": "Succeed" }));
    let long = serde_json::json!({ "StartAt": "S0", "States": states });
    assert!(through(&long.to_string(), &Value::Null).ran);
}
