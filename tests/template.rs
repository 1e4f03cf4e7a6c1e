//! Opens every sample in `tests/template` and compares the result with the text next to it.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::type_complexity
)]

use asldbg::json::{Value, one_line};
use asldbg::source::load::{LoadError, load};
use asldbg::source::open::{Opened, Wish, parse};
use asldbg::source::yaml::to_yaml;
use asldbg::source::{Diagnostics, Node, SourceFile, SourceMap, Span, formatted, short};
use proptest::prelude::*;
use std::fmt::Write as _;
use std::path::Path;

/// Each row: a file, the state machine to open, the values that are set, and three fields whose positions are checked.
const SAMPLES: &[(&str, &str, &[(&str, &str)], [&str; 3])] = &[
    (
        "sam-object.yaml",
        "",
        &[],
        [
            "StartAt",
            "States/Ship/Parameters/FunctionName",
            "States/Done/OutputPath",
        ],
    ),
    (
        "sam-object.yaml",
        "orders-live",
        &[("ShipFunction.Arn", "arn:x")],
        [
            "StartAt",
            "States/Ship/Resource",
            "States/Ship/Parameters/FunctionName",
        ],
    ),
    (
        "sam-uri.yaml",
        "",
        &[("Stage", "test")],
        [
            "States/Rest/Seconds",
            "States/Tell/Parameters/Message.$",
            "States/Tell/Retry",
        ],
    ),
    (
        "cfn-sub-block.yaml",
        "",
        &[],
        [
            "States/Read/Parameters/Key/id/S.$",
            "States/Read/ResultPath",
            "States/Call/Resource",
        ],
    ),
    (
        "cfn-join.yaml",
        "",
        &[],
        ["StartAt", "States/A/ResultPath", "States/B/Type"],
    ),
    (
        "cfn-substitutions.json",
        "",
        &[],
        [
            "States/Greet/Resource",
            "States/Greet/Parameters/who",
            "States/Greet/ResultPath",
        ],
    ),
    ("two-machines.yaml", "", &[], ["", "", ""]),
    (
        "two-machines.yaml",
        "First",
        &[],
        ["StartAt", "States/A/Type", "States/A/Result"],
    ),
    (
        "two-machines.yaml",
        "second-one",
        &[],
        ["StartAt", "States/B/Type", "States/B/Seconds"],
    ),
    ("two-machines.yaml", "Third", &[], ["", "", ""]),
    ("two-machines.yaml", "Frist", &[], ["", "", ""]),
    (
        "serverless.yml",
        "checkout",
        &[],
        [
            "States/Charge/Resource",
            "States/Charge/Catch",
            "States/Sorry/Cause",
        ],
    ),
    (
        "serverless.yml",
        "refund",
        &[("opt:region", "eu-west-1")],
        [
            "StartAt",
            "States/Pay back/Type",
            "States/Pay back/Resource",
        ],
    ),
    (
        "cdk.template.json",
        "",
        &[("Delay", "15")],
        [
            "States/Charge card/OutputPath",
            "States/Charge card/Parameters/FunctionName",
            "States/Wait a bit/Seconds",
        ],
    ),
    (
        "nested-function.yaml",
        "",
        &[],
        [
            "States/A/Result/queue",
            "States/A/Result/kept",
            "States/A/Result/where",
        ],
    ),
    (
        "mappings.yaml",
        "",
        &[],
        [
            "States/Rest/Seconds",
            "States/Show/Result/zone",
            "States/Show/Result/owned",
        ],
    ),
    (
        "mappings.yaml",
        "",
        &[("Stage", "test"), ("Owner", "me")],
        [
            "States/Rest/Seconds",
            "States/Show/Comment",
            "States/Show/Result/owned",
        ],
    ),
    (
        "variables.yml",
        "",
        &[],
        [
            "States/Rest/Seconds",
            "States/Show/Result/table",
            "States/Show/Result/fallback",
        ],
    ),
    ("variables.yml", "", &[("opt:stage", "live")], ["", "", ""]),
    ("wrong-indentation.yaml", "", &[], ["", "", ""]),
    ("alias-bomb.yaml", "", &[], ["", "", ""]),
    ("no-machine.yaml", "", &[], ["", "", ""]),
    (
        "describe.json",
        "",
        &[],
        ["StartAt", "States/Sum/Parameters/sum.$", "States/Sum/Next"],
    ),
    (
        "terraform-show.json",
        "",
        &[],
        ["StartAt", "States/A", "States/A/Type"],
    ),
    ("main.tf", "", &[], ["", "", ""]),
    ("stack.ts", "", &[], ["", "", ""]),
    (
        "plain.asl.yaml",
        "",
        &[],
        ["StartAt", "States/Read/Resource", "States/Stop/Comment"],
    ),
];

fn folder() -> &'static Path {
    Path::new("tests/template")
}

fn open(name: &str, machine: &str, set: &[(&str, &str)]) -> Opened {
    let file = load(&folder().join(name)).expect("a sample");
    let file = SourceFile::new(name, &file.text);
    let files = |path: &str| {
        let file = load(&folder().join(path))?;
        Ok(SourceFile::new(path, &file.text))
    };
    let wish = Wish {
        state_machine: Some(machine.to_string()).filter(|name| !name.is_empty()),
        set: set
            .iter()
            .map(|(name, value)| ((*name).to_string(), Value::string(*value)))
            .collect(),
    };
    parse(file, &files, &wish)
}

fn findings(out: &mut String, found: &Diagnostics, sources: &SourceMap) {
    for found in found {
        let _ = writeln!(out, "{}", short(found, sources));
        for (span, label) in &found.related {
            let place = sources.place(*span).map_or(0, |place| place.line);
            let _ = writeln!(out, "    {place}: {label}");
        }
        if let Some(help) = &found.help {
            let _ = writeln!(out, "    {help}");
        }
    }
}

fn shown(opened: &Opened, fields: &[&str]) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{:?} {}",
        opened.kind,
        opened.name.as_deref().unwrap_or("-")
    );
    for machine in &opened.machines {
        let label = machine.label.as_deref().map(|label| format!(" ({label})"));
        let line = opened
            .sources
            .place(machine.span)
            .map_or(0, |place| place.line);
        let read = if machine.node.is_some() {
            "read"
        } else {
            "not read"
        };
        let _ = writeln!(
            out,
            "machine {}{} line {line} {read}{}",
            machine.name,
            label.unwrap_or_default(),
            machine
                .workflow
                .as_deref()
                .map(|name| format!(" {name}"))
                .unwrap_or_default()
        );
        if opened.is_choice() {
            findings(&mut out, &machine.diagnostics, &opened.sources);
        }
    }
    if let Some(node) = &opened.node {
        let _ = writeln!(out, "{}", one_line(&node.to_value()));
    }
    for field in fields.iter().filter(|field| !field.is_empty()) {
        let node = field
            .split('/')
            .try_fold(
                opened.node.as_ref().expect("a definition"),
                |node: &Node, name| node.get(name),
            )
            .unwrap_or_else(|| panic!("no {field}"));
        let file = opened.sources.get(node.span.source).expect("a file");
        let place = file.place(node.span.start as usize);
        let text = &file.text[node.span.range()];
        let text: String = text.chars().take(60).collect();
        let _ = writeln!(
            out,
            "{field}: {}:{}:{} {text:?}",
            file.name, place.line, place.column
        );
    }
    findings(&mut out, &opened.diagnostics, &opened.sources);
    out
}

#[test]
fn samples() {
    let mut out = String::new();
    for (name, machine, set, fields) in SAMPLES {
        let values: Vec<String> = set
            .iter()
            .map(|(name, value)| format!(" {name}={value}"))
            .collect();
        let _ = writeln!(out, "## {name} {machine}{}", values.concat());
        let opened = open(name, machine, set);
        out += &shown(&opened, fields);
        out.push('\n');
    }
    let path = folder().join("expected.txt");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &out).expect("written");
    }
    let expected = load(&path).expect("what is expected");
    for (line, (got, wanted)) in out.lines().zip(expected.text.lines()).enumerate() {
        assert_eq!(got, wanted, "line {} of {}", line + 1, path.display());
    }
    assert_eq!(out.lines().count(), expected.text.lines().count());
}

/// Asserts that every span of a tree is within its file and does not split a character.
fn sound(node: &Node, sources: &SourceMap) {
    let inside = |span: asldbg::source::Span| {
        let file = sources.get(span.source).expect("a file");
        assert!(file.text.get(span.range()).is_some(), "{span:?}");
    };
    inside(node.span);
    if let Some(string) = node.string() {
        for (at, c) in string.text.char_indices() {
            inside(node.inner_span(at..at + c.len_utf8()));
        }
    }
    for item in node.items().unwrap_or_default() {
        sound(item, sources);
    }
    for member in node.members().unwrap_or_default() {
        inside(member.key.span);
        sound(&member.value, sources);
    }
}

fn opened(text: &str, set: &[(&str, &str)]) -> Opened {
    let file = SourceFile::new("t", text);
    let files = |path: &str| {
        Err(LoadError::NotText {
            name: path.to_string(),
            at: 0,
        })
    };
    let set = set
        .iter()
        .map(|(name, value)| ((*name).to_string(), Value::string(*value)))
        .collect();
    parse(
        file,
        &files,
        &Wish {
            state_machine: None,
            set,
        },
    )
}

#[test]
fn types_are_those_of_the_document() {
    let definition = r#"{"StartAt":"A","States":{"A":{"Type":"Succeed"}}}"#;
    let text = definition.replace('"', "\\\"");
    let check = |document: &str, wanted: Option<&str>| {
        let document = document.replace("DEFINITION", definition);
        let document = document.replace("TEXT", &text);
        let opened = opened(&document, &[]);
        assert!(opened.node.is_some(), "{document}");
        assert_eq!(opened.workflow.as_deref(), wanted, "{document}");
    };
    for kind in ["STANDARD", "EXPRESS"] {
        for document in [
            r#"{"Resources":{"M":{"Type":"AWS::Serverless::StateMachine","Properties":{"Type":"KIND","Definition":DEFINITION}}}}"#,
            r#"{"Resources":{"M":{"Type":"AWS::StepFunctions::StateMachine","Properties":{"StateMachineType":"KIND","Definition":DEFINITION}}}}"#,
            r#"{"Parameters":{"K":{"Type":"String","Default":"KIND"}},"Resources":{"M":{"Type":"AWS::StepFunctions::StateMachine","Properties":{"StateMachineType":{"Ref":"K"},"Definition":DEFINITION}}}}"#,
            r#"{"service":"s","provider":{},"stepFunctions":{"stateMachines":{"M":{"type":"KIND","definition":DEFINITION}}}}"#,
            r#"{"name":"M","type":"KIND","definition":"TEXT"}"#,
            r#"{"terraform_version":"1","values":{"root_module":{"resources":[{"address":"a.M","mode":"managed","type":"aws_sfn_state_machine","values":{"type":"KIND","definition":"TEXT"}}]}}}"#,
        ] {
            check(&document.replace("KIND", kind), Some(kind));
        }
    }
    for document in [
        "DEFINITION",
        r#"{"name":"M","definition":"TEXT"}"#,
        r#"{"name":"M","type":null,"definition":"TEXT"}"#,
        r#"{"Resources":{"M":{"Type":"AWS::Serverless::StateMachine","Properties":{"Type":{"Ref":"K"},"Definition":DEFINITION}}}}"#,
        r#"{"Resources":{"M":{"Type":"AWS::Serverless::StateMachine","Properties":{"Type":7,"Definition":DEFINITION}}}}"#,
    ] {
        check(document, None);
    }
}

/// Each of these documents refers to itself, or grows very large when it is expanded. Opening it must still end.
#[test]
fn documents_that_name_themselves_end() {
    let template = |parts: &str, comment: &str| {
        let definition = format!(
            r#"{{"StartAt":"A","States":{{"A":{{"Type":"Succeed","Comment":{comment}}}}}}}"#
        );
        format!(
            r#"{{{parts},"Resources":{{"M":{{"Type":"AWS::Serverless::StateMachine","Properties":{{"Definition":{definition}}}}}}}}}"#
        )
    };
    let asked = |condition: &str| {
        let parts = format!(r#""Conditions":{{{condition},"End":{{"Fn::Equals":["a","a"]}}}}"#);
        template(&parts, r#"{"Fn::If":["C0","yes","no"]}"#)
    };
    let many: Vec<String> = (0..8)
        .map(|at| {
            let next = [r#"{"Condition":"NEXT"}"#; 30].join(",");
            let name = if at < 7 {
                format!("C{}", at + 1)
            } else {
                "End".to_string()
            };
            format!(r#""C{at}":{{"Fn::And":[{}]}}"#, next.replace("NEXT", &name))
        })
        .collect();
    let mapping = |value: &str| format!(r#""Mappings":{{"M":{{"a":{{"b":{value}}}}}}}"#);
    let find = r#"{"Fn::FindInMap":["M","a","b"]}"#;
    let variables: Vec<String> = (0..6)
        .map(|at| {
            format!(
                r#""v{at}":"{}""#,
                format!("${{self:custom.v{}}}", at + 1).repeat(300)
            )
        })
        .collect();
    let serverless = format!(
        r#"{{"service":"s","provider":{{}},"custom":{{{},"v6":"x"}},"stepFunctions":{{"stateMachines":{{"m":{{"definition":{{"StartAt":"A","States":{{"A":{{"Type":"Succeed","Comment":"${{self:custom.v0}}"}}}}}}}}}}}}}}"#,
        variables.join(",")
    );
    for document in [
        asked(r#""C0":{"Condition":"C0"}"#),
        asked(r#""C0":{"Fn::Equals":[{"Fn::If":["C0","a","b"]},"a"]}"#),
        asked(&many.join(",")),
        template(
            &mapping(&format!("[{find}]")),
            &format!(r#"{{"Fn::Join":[",",{find}]}}"#),
        ),
        template(&mapping(find), find),
        serverless,
    ] {
        let start: String = document.chars().take(200).collect();
        let opened = opened(&document, &[]);
        let node = opened.node.expect(&start);
        let size = node.to_value().size();
        assert!(size < 4 << 20, "{size} bytes of {start}");
    }
}

#[test]
fn places_of_joined_text_lead_to_the_pieces() {
    for (name, field, part) in [
        (
            "cdk.template.json",
            ["Charge card", "OutputPath"],
            "$.Payload",
        ),
        ("cfn-join.yaml", ["A", "ResultPath"], "$.made"),
        ("cfn-sub-block.yaml", ["Read", "ResultPath"], "$.found["),
        ("describe.json", ["Sum", "Next"], "Nowhere"),
    ] {
        let opened = open(name, "", &[]);
        let node = opened.node.as_ref().and_then(|node| node.get("States"));
        let node = field
            .iter()
            .try_fold(node.expect("states"), |node, name| node.get(name));
        let span = node.expect("a field").inner_span(0..part.len());
        let file = opened.sources.get(span.source).expect("a file");
        assert_eq!(&file.text[span.range()], part, "{name}");
    }
}

#[test]
fn growth_and_depth_are_bounded() {
    let quotes = "{\"Fn::ToJsonString\":".repeat(100) + "\"\\\"\\\"\\\"\"" + &"}".repeat(100);
    let _ = opened(
        &format!(
            "{{\"Resources\":{{\"A\":{{\"Type\":\"AWS::StepFunctions::StateMachine\",\"Properties\":{{\"DefinitionString\":{{\"Fn::Sub\":[\"${{x}}\",{{\"x\":{quotes}}}]}}}}}}}}}}"
        ),
        &[],
    );
    let join = "{\"Fn::Join\":[\"\",[\"a\",".repeat(160) + "\"\"" + &"]]}".repeat(160);
    let _ = opened(
        &format!(
            "{{\"Resources\":{{\"A\":{{\"Type\":\"AWS::StepFunctions::StateMachine\",\"Properties\":{{\"DefinitionString\":{join}}}}}}}}}"
        ),
        &[],
    );
    let big = "x".repeat(1 << 20);
    let many = "${A}".repeat(10_000);
    let opened_big = opened(&format!("{{\"StartAt\":\"{many}\"}}"), &[("A", &big)]);
    assert!(
        opened_big
            .node
            .is_some_and(|node| one_line(&node.to_value()).len() < 16 << 20)
    );
    for text in [
        "[".repeat(10_000),
        "{\"a\":".repeat(10_000),
        "a: {".repeat(10_000),
        "- ".repeat(10_000),
        "!Sub [".repeat(10_000),
    ] {
        let found = opened(&text, &[]).diagnostics;
        assert!(
            found
                .iter()
                .any(|diagnostic| diagnostic.blocking && diagnostic.span.is_some()),
            "{found:?}"
        );
    }
}

#[test]
fn every_definition_comes_back_from_yaml() {
    for (name, machine, set, _) in SAMPLES {
        let opened = open(name, machine, set);
        let nodes = opened
            .machines
            .iter()
            .filter_map(|machine| machine.node.as_ref());
        for node in nodes.chain(&opened.node) {
            let text = to_yaml(&node.to_value());
            let again = opened_yaml(&text);
            assert_eq!(again, Some(node.to_value()), "{name} {machine}\n{text}");
        }
    }
}

/// Opens a YAML text like a file; returns the definition in it.
fn opened_yaml(text: &str) -> Option<Value> {
    let opened = opened(text, &[]);
    Some(opened.node?.to_value())
}

/// Each row: a file, the state machine to open, and how line 4 of the formatted text begins. This beginning is empty if
/// the original text is readable and so is not formatted.
const DENSE: &[(&str, &str, &str)] = &[
    ("cdk.template.json", "", "    \"Charge card\": {"),
    ("describe.json", "", "    \"Sum\": {"),
    ("sam-object.yaml", "", ""),
    ("sam-uri.yaml", "", ""),
    ("cfn-join.yaml", "", ""),
    ("two-machines.yaml", "Second", ""),
];

#[test]
fn what_a_tool_wrote_on_one_line_is_formatted() {
    for (file, machine, fourth) in DENSE {
        let opened = open(file, machine, &[]);
        let mut sources = opened.sources.clone();
        let node = opened.node.expect(file);
        let made = formatted(&node, &opened.diagnostics, &mut sources, "x (formatted)");
        let Some((made, found)) = made else {
            assert_eq!(*fourth, "", "{file}");
            continue;
        };
        let text = sources.files().last().expect(file);
        assert!(text.derived && sources.named().all(|file| !file.derived));
        assert_eq!(text.line(4), *fourth, "{file}");
        assert_eq!(made.to_value(), node.to_value(), "{file}");
        let last = made.span.source;
        assert_eq!(&*sources.get(last).expect(file).name, "x (formatted)");
        // Each diagnostic of the original text must now refer to the formatted text.
        for (before, after) in opened.diagnostics.iter().zip(&found) {
            let at = |span: Option<Span>| span.map(|span| span.source);
            assert_eq!(before.message, after.message);
            assert!(before.span.is_none() || at(after.span) == Some(last));
        }
        assert_eq!(found.len(), opened.diagnostics.len(), "{file}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_template_opens_or_says_why(
        sample in prop::sample::select(SAMPLES.to_vec()),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), "([{}\\[\\]:,\"'|>&*!\\n $-]|!Sub |Fn::Join|\\$\\{[A-Z]\\}|Ref|é|\\\\|  ){0,3}"), 1..4),
    ) {
        let file = load(&folder().join(sample.0)).expect("a sample");
        let mut text: Vec<char> = file.text.chars().collect();
        for (from, length, put) in cuts {
            let from = from.index(text.len());
            let to = (from + length.index(24)).min(text.len());
            text.splice(from..to, put.chars());
        }
        let text: String = text.into_iter().collect();
        let result = opened(&text, &[("A", "1"), ("Stage", "${Stage}é")]);
        prop_assert!(result.node.is_some() || result.machines.len() > 1 || !result.diagnostics.is_empty(), "{}", text);
        for machine in &result.machines {
            if let Some(node) = &machine.node {
                sound(node, &result.sources);
            }
        }
        if let Some(node) = &result.node {
            sound(node, &result.sources);
        }
        for found in &result.diagnostics {
            let _ = short(found, &result.sources);
        }
    }
}
