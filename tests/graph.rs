//! Compares drawings of whole machines with the files in `tests/graph`. `BLESS=1` rewrites them.
//!
//! A machine is written with one state per line: `name | type | transitions`. Inner scopes are indented, and branches
//! are separated by `--`.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    missing_docs
)]

use asldbg::definition::StateId;
use asldbg::graph::{
    BoxType, Boxes, Clause, EdgeKind, Glyphs, Link, Options, Sketch, SketchScope, SketchState,
    layout_sketch, text,
};
use std::path::Path;
use std::sync::Arc;

/// Parses a machine from lines. The first state of every scope is its start.
fn sketch(lines: &[&str]) -> Sketch {
    let mut out = Sketch::default();
    let mut ways: Vec<(usize, usize, String)> = Vec::new();
    out.scopes.push(SketchScope::default());
    // The open scopes by depth, each with the state that contains it.
    let mut open = vec![(0usize, None::<usize>)];
    for line in lines.iter().filter(|line| !line.trim().is_empty()) {
        let depth = (line.len() - line.trim_start().len()) / 2;
        let line = line.trim();
        if line == "--" {
            open.truncate(depth);
            continue;
        }
        open.truncate(depth + 1);
        if open.len() == depth {
            let owner = open
                .last()
                .and_then(|(_, last)| *last)
                .expect("a state above");
            out.scopes.push(SketchScope::default());
            let scope = out.scopes.len() - 1;
            out.states[owner].scopes.push(scope);
            open.push((scope, None));
        }
        let (scope, last) = open.last_mut().expect("an open scope");
        let mut parts = line.split(" | ");
        let name = parts.next().unwrap_or_default().trim();
        let kind = parts.next().unwrap_or("task").trim();
        let (kind, retries) = match kind.split_once(" ~") {
            Some((kind, retries)) => (kind, retries.parse().ok()),
            None => (kind, None),
        };
        let id = out.states.len();
        *last = Some(id);
        let scope = *scope;
        out.scopes[scope].states.push(StateId(id as u32));
        out.scopes[scope].start.get_or_insert(StateId(id as u32));
        out.states.push(SketchState {
            name: name.to_string(),
            kind: match kind {
                "pass" => BoxType::Pass,
                "choice" => BoxType::Choice,
                "wait" => BoxType::Wait,
                "succeed" => BoxType::Succeed,
                "fail" => BoxType::Fail,
                "parallel" => BoxType::Parallel,
                "map" => BoxType::Map,
                _ => BoxType::Task,
            },
            retries,
            ..SketchState::default()
        });
        ways.push((id, scope, parts.next().unwrap_or_default().to_string()));
    }
    for (id, scope, ways) in ways {
        let (mut rules, mut catchers) = (0, 0);
        for way in ways.split(';').map(str::trim).filter(|way| !way.is_empty()) {
            let (text, to) = way.rsplit_once("->").expect("a way has an arrow");
            let (text, to) = (text.trim(), to.trim());
            let find = |state: &StateId| out.states[state.0 as usize].name == to;
            let to = match to {
                "end" => None,
                _ => Some(
                    *out.scopes[scope]
                        .states
                        .iter()
                        .find(|id| find(id))
                        .expect(to),
                ),
            };
            let (kind, label) = match (text, to) {
                ("", None) => (EdgeKind::End, None),
                ("", _) => (EdgeKind::Next, None),
                ("default", _) => (EdgeKind::Default, Some(Clause::Text("default".into()))),
                (text, _) => match text.strip_prefix('!') {
                    Some(text) => {
                        catchers += 1;
                        (EdgeKind::Catch(catchers - 1), Some(Clause::names(text)))
                    }
                    None => {
                        rules += 1;
                        (EdgeKind::Rule(rules - 1), Some(rule(text)))
                    }
                },
            };
            out.states[id].links.push(Link {
                to,
                kind,
                label,
                line: None,
            });
        }
    }
    out
}

/// Parses a rule in one of the forms `$.a = 1`, `= 1`, `$.a is present` or a name.
fn rule(text: &str) -> Clause {
    let text = match text.starts_with('=') {
        true => format!(" {text}"),
        false => text.to_owned(),
    };
    let mut words = text.splitn(3, ' ');
    let mut word = || words.next().unwrap_or_default();
    Clause::is(word(), word(), word())
}

/// Drawings of a machine with different options, one below the other.
fn drawings(sketch: &Sketch) -> String {
    let frame = Options::default();
    let line = Options {
        boxes: Boxes::Line,
        live: true,
        glyphs: Glyphs::Ascii,
        ..Options::default()
    };
    let mut out = String::new();
    for (options, glyphs) in [(frame, Glyphs::Unicode), (line, Glyphs::Ascii)] {
        let layout = layout_sketch(sketch, &options);
        out.push_str(&format!("==== {} x {}\n", layout.width, layout.height));
        out.push_str(&text(&layout, glyphs));
    }
    out
}

/// Drawings of difficult machines at a small, a medium and a large width.
fn fitted(sketch: &Sketch) -> String {
    let mut out = String::new();
    for width in [48, 78, 158] {
        let options = Options {
            width: Some(width),
            ..Options::default()
        };
        let layout = layout_sketch(sketch, &options);
        out.push_str(&format!(
            "==== {width}: {} x {}, {} names cut\n",
            layout.width, layout.height, layout.cuts
        ));
        out.push_str(&text(&layout, Glyphs::Unicode));
    }
    out
}

#[test]
fn drawings_are_as_recorded() {
    recorded("tests/graph", &drawings);
}

#[test]
fn hard_drawings_are_as_recorded() {
    recorded("tests/graph/hard", &fitted);
}

/// Each file in a folder contains a machine and its drawings. Compares these drawings with new ones.
fn recorded(folder: &str, drawn: &dyn Fn(&Sketch) -> String) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|end| end == "txt"))
        .collect();
    files.sort();
    assert!(!files.is_empty());
    let mut wrong = Vec::new();
    for path in files {
        let recorded = std::fs::read_to_string(&path).expect("readable");
        let machine: Vec<&str> = (recorded.lines())
            .take_while(|line| !line.starts_with("===="))
            .collect();
        let now = format!(
            "{}\n{}",
            machine.join("\n").trim_end(),
            drawn(&sketch(&machine))
        );
        if now != recorded {
            if std::env::var_os("BLESS").is_some() {
                std::fs::write(&path, now).expect("writable");
            } else {
                wrong.push(format!("{}\n{now}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_picture_has_every_name_and_no_markup_of_its_own() {
    let machine = sketch(&[
        "All <orders> & more | map | -> Ok; !ALL -> Bad",
        "  Pay \"now\" | task ~3 | -> end",
        "Ok | succeed",
        "Bad | fail",
    ]);
    let layout = layout_sketch(&machine, &Options::default());
    let tone = |_: &asldbg::graph::NodeBox| asldbg::graph::Tone::Ok;
    let picture = asldbg::graph::svg(&layout, &tone, &|_| asldbg::graph::Tone::Dim);
    for text in [
        "All &lt;orders&gt; &amp; more",
        "Pay &quot;now&quot;",
        ">Ok<",
        ">Bad<",
        "↻3",
        "ALL",
    ] {
        assert!(picture.contains(text), "{text}: {picture}");
    }
    assert!(!picture.contains("<orders>"));
    assert_eq!(picture.matches("stroke-dasharray=\"5 4\"").count(), 1);
}

fn definition_of(written: &str) -> asldbg::definition::Definition {
    let file = asldbg::source::SourceFile::new("order.asl.json", written);
    let mut sources = asldbg::source::SourceMap::default();
    let id = sources.add(file.clone());
    let (node, _) = asldbg::source::parse_json(&file, id);
    let node = Arc::new(node.expect("a tree"));
    asldbg::definition::lower(node, Arc::new(sources), "order").0
}

#[test]
fn what_is_unusual_stands_on_the_frame_where_there_is_room() {
    let definition = definition_of(
        r#"{"StartAt": "Start a long job", "States": {
        "Start a long job": {"Type": "Task", "Resource": "arn:aws:states:::ecs:runTask.sync", "Next": "Ask a person"},
        "Ask a person": {"Type": "Task", "Resource": "arn:aws:states:::sqs:sendMessage.waitForTaskToken", "Next": "Ask"},
        "Ask": {"Type": "Task", "Resource": "arn:aws:states:::sqs:sendMessage.waitForTaskToken", "Next": "Each"},
        "Each": {"Type": "Map", "End": true, "ItemProcessor": {
            "ProcessorConfig": {"Mode": "DISTRIBUTED", "ExecutionType": "EXPRESS"}, "StartAt": "One of the very many items", "States": {
            "One of the very many items": {"Type": "Pass", "End": true}}}}}}"#,
    );
    let drawn =
        |options: &Options| text(&asldbg::graph::layout(&definition, options), Glyphs::Ascii);
    let ascii = Options {
        glyphs: Glyphs::Ascii,
        ..Options::default()
    };
    let plain = drawn(&ascii);
    for part in ["+- .sync ---", "+- callback ---", "= DISTRIBUTED EXPRESS ="] {
        assert!(plain.contains(part), "{part}\n{plain}");
    }
    // A box without details has no room for the second label `callback`; a box with details has room.
    assert_eq!(plain.matches("callback").count(), 1, "{plain}");
    let details = Options {
        details: true,
        ..ascii
    };
    assert_eq!(drawn(&details).matches("callback").count(), 2);
}

#[test]
fn a_definition_is_drawn() {
    let written = r#"{"StartAt": "Kind?", "States": {
        "Kind?": {"Type": "Choice", "Default": "Bad", "Choices": [
            {"Variable": "$.order.qty", "NumericGreaterThan": 0, "Next": "Pay"},
            {"Variable": "$.vip", "BooleanEquals": true, "Next": "Pay"},
            {"And": [{"Variable": "$.a", "IsPresent": false}, {"Variable": "$.b", "StringEquals": "x"}],
             "Next": "Each"}]},
        "Pay": {"Type": "Task", "Resource": "arn:aws:lambda:eu-west-1:123456789012:function:pay", "End": true,
            "Retry": [{"ErrorEquals": ["States.Timeout"], "MaxAttempts": 2}, {"ErrorEquals": ["States.ALL"]}],
            "Catch": [{"ErrorEquals": ["States.Timeout", "Pay.No"], "Next": "Bad"}]},
        "Each": {"Type": "Map", "End": true, "ItemProcessor": {"StartAt": "One", "States": {
            "One": {"Type": "Pass", "End": true}}}},
        "Bad": {"Type": "Fail"}}}"#;
    let definition = definition_of(written);
    let sketch = Sketch::of(&definition);
    let labels: Vec<String> = (sketch.states.iter())
        .flat_map(|state| &state.links)
        .filter_map(|link| link.label.as_ref().map(Clause::whole))
        .collect();
    let expected = [
        "qty > 0",
        "$.vip",
        "$.a is not present and $.b = \"x\"",
        "default",
        "Timeout, Pay.No",
    ];
    assert_eq!(labels, expected);
    let retries: Vec<_> = sketch.states.iter().map(|state| state.retries).collect();
    assert!(retries.contains(&Some(5)));
    let layout = asldbg::graph::layout(&definition, &Options::default());
    let each = definition.find_by_name("Each").expect("a state");
    let state = definition.find_by_name("One").expect("a state");
    assert_eq!(
        layout.box_of(state).and_then(|item| item.parent),
        Some(each)
    );
    let folded = Options {
        folded: [each].into(),
        ..Options::default()
    };
    assert!(
        asldbg::graph::layout(&definition, &folded)
            .box_of(state)
            .is_none()
    );
    let names: Vec<&str> = asldbg::graph::outline(&definition)
        .iter()
        .filter_map(|row| definition.state(row.state))
        .map(|state| &*state.name)
        .collect();
    assert_eq!(names, ["Kind?", "Pay", "Bad", "Each", "One"]);
}
