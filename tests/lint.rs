//! Tests of every rule with small definitions: `tests/lint/cases.txt` contains texts and the diagnostics expected for
//! each.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "tests may panic"
)]

mod support;

use asldbg::definition::{LintRule, MachineType, Standing, diagnose, lower, rules};
use asldbg::query::Profile;
use asldbg::source::{Diagnostic, Diagnostics, SourceFile, SourceId, SourceMap, parse_json};
use proptest::prelude::*;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// Parses, lowers and checks a text.
fn findings(file: &SourceFile, (profile, machine_type): (Profile, MachineType)) -> Diagnostics {
    let (node, mut diagnostics) = parse_json(file, SourceId(0));
    if let Some(node) = node {
        let sources = Arc::new(SourceMap::of(file.clone()));
        let (mut definition, lowered) = lower(Arc::new(node), sources, "test");
        definition.machine_type = machine_type;
        diagnostics.extend(lowered);
        diagnostics = diagnose(&definition, &diagnostics, profile);
    }
    diagnostics
}

/// The diagnostics of a STANDARD machine, each as a line like those in the cases.
fn lines(text: &str, profile: Profile) -> Vec<String> {
    lines_of(text, (profile, MachineType::Standard))
}

fn lines_of(text: &str, way: (Profile, MachineType)) -> Vec<String> {
    diagnostic_lines(text, way, false)
}

/// The diagnostics of a text as lines, optionally with their help on the same line.
fn diagnostic_lines(text: &str, way: (Profile, MachineType), with_help: bool) -> Vec<String> {
    let file = SourceFile::new("test.asl.json", text);
    findings(&file, way)
        .iter()
        .map(|diagnostic| {
            let place = diagnostic.span.map(|span| file.place(span.start as usize));
            let place = place.map_or("-".to_string(), |at| format!("{}:{}", at.line, at.column));
            let location = if diagnostic.location.is_empty() {
                "-"
            } else {
                &diagnostic.location
            };
            let end = if diagnostic.blocking {
                " (blocking)"
            } else {
                ""
            };
            let message = &diagnostic.message;
            let help = diagnostic.help.as_ref().filter(|_| with_help);
            let help = help.map_or(String::new(), |help| format!(" -- {help}"));
            format!(
                "{} {} {place} {location}: {message}{end}{help}",
                diagnostic.severity, diagnostic.rule
            )
        })
        .collect()
}

/// A case: its title, its text and the expected diagnostics.
struct Case {
    title: String,
    way: (Profile, MachineType),
    text: String,
    wanted: Vec<String>,
}

/// A line `== TITLE` begins a case: `[spec]` in the title selects that profile, `[EXPRESS]` that type of machine, and
/// `[help]` adds help texts. Lines with `> ` are the expected diagnostics. All other lines are the definition.
fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in include_str!("lint/cases.txt").lines() {
        if let Some(title) = line.strip_prefix("== ") {
            let profile = if title.contains("[spec]") {
                Profile::Spec
            } else {
                Profile::Aws
            };
            let machine_type = if title.contains("[EXPRESS]") {
                MachineType::Express
            } else {
                MachineType::Standard
            };
            cases.push(Case {
                title: title.to_string(),
                way: (profile, machine_type),
                text: String::new(),
                wanted: Vec::new(),
            });
        } else if let Some(case) = cases.last_mut() {
            match line.strip_prefix("> ") {
                Some(wanted) => case.wanted.push(wanted.to_string()),
                None => {
                    case.text.push_str(line);
                    case.text.push('\n');
                }
            }
        }
    }
    cases
}

/// Diagnostics that nearly every definition in the cases has. They are ignored unless a case expects them.
const COMMON: [&str; 4] = ["INFO 25 ", "INFO 78 ", "ERROR 98 ", "INFO 98 "];

#[test]
fn every_case_is_said() {
    let text = include_str!("lint/cases.txt");
    let first = text.find("== ").unwrap_or(text.len());
    let mut came = text[..first].to_string();
    for case in cases() {
        let with_help = case.title.contains("[help]");
        let said: Vec<String> = diagnostic_lines(case.text.trim_end(), case.way, with_help)
            .into_iter()
            .filter(|line| {
                let common = COMMON.iter().find(|kind| line.starts_with(**kind));
                common.is_none_or(|kind| case.wanted.iter().any(|wanted| wanted.starts_with(*kind)))
            })
            .collect();
        came.push_str(&format!("== {}\n{}", case.title, case.text));
        for line in said {
            came.push_str(&format!("> {line}\n"));
        }
    }
    let held = support::stored::whole("tests/lint/cases.txt", &came);
    held.unwrap_or_else(|error| panic!("{error}"));
}

/// The diagnostics found in the definitions of all cases, each with the profile of its case.
fn found_in_cases() -> Vec<(Diagnostic, Profile)> {
    cases()
        .iter()
        .flat_map(|case| {
            let file = SourceFile::new("test.asl.json", case.text.trim_end());
            let findings = findings(&file, case.way).into_iter();
            findings
                .map(|finding| (finding, case.way.0))
                .collect::<Vec<_>>()
        })
        .collect()
}

/// True if a diagnostic agrees with an entry of the table of rules.
fn is_of(finding: &Diagnostic, profile: Profile, rule: &LintRule) -> bool {
    (finding.rule, finding.code, finding.severity)
        == (rule.number, rule.code, rule.severity(profile))
}

#[test]
fn every_finding_is_as_the_table_says() {
    for (finding, profile) in found_in_cases() {
        let known = rules().iter().any(|rule| is_of(&finding, profile, rule));
        assert!(known || finding.rule == 0, "not in the table: {finding:?}");
    }
}

#[test]
fn every_rule_and_every_exception_has_a_case() {
    let said = found_in_cases();
    let has_case = |rule: &LintRule| {
        said.iter().any(|(finding, profile)| {
            // A diagnostic shows an exception to a rule only if it differs from the diagnostic that the rule itself
            // gives.
            let is_own = rule.standing == Standing::Rule
                || LintRule::of(rule.number).is_some_and(|base| !is_of(finding, *profile, base));
            is_own && is_of(finding, *profile, rule)
        })
    };
    let left: Vec<String> = rules()
        .iter()
        .filter(|rule| !has_case(rule))
        .map(|rule| format!("{} {}", rule.number, rule.summary))
        .collect();
    assert_eq!(left, WITHOUT_CASE, "rules without a case");
}

/// Rules without a case here, because they need a very large text, text that is not JSON, or a DSL program. Other tests
/// cover them.
const WITHOUT_CASE: [&str; 6] = [
    "2 the text is empty",
    "2 if the text is blank",
    "8 if the state follows an endless loop in a program of the SFN DSL (a .sfn file)",
    "11 if the definition was compiled from a program",
    "77 the definition is larger than AWS accepts",
    "79 a constant is larger than the data of a state may be on AWS",
];

/// Every diagnostic must be created from a rule of the table; otherwise it could contradict the table.
#[test]
fn findings_are_made_from_rules_alone() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src/definition")];
    let (mut read, mut wrong) = (0, Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            if path.ends_with("definition/rule.rs") || path.extension() != Some("rs".as_ref()) {
                continue;
            }
            read += 1;
            let text = fs::read_to_string(&path).expect("a source");
            // The diagnostic `UNRESOLVED_PLACEHOLDER` belongs to no rule, so it has the number 0.
            let text = text.replace("Diagnostic::info(\"UNRESOLVED_PLACEHOLDER\", 0,", "");
            let made = ["new(", "error(", "warning(", "info("];
            if made
                .iter()
                .any(|how| text.contains(&format!("Diagnostic::{how}")))
            {
                wrong.push(path);
            }
        }
    }
    assert!(read > 30, "{read} files");
    assert!(wrong.is_empty(), "findings without a rule: {wrong:?}");
}

#[test]
fn large_things_are_said() {
    let long = "x".repeat(300_000);
    let text = format!(
        r#"{{"StartAt":"A","States":{{"A":{{"Type":"Pass","Result":"{long}","End":true}}}}}}"#
    );
    let said = lines(&text, Profile::Aws);
    assert!(
        said.iter().any(|line| line.starts_with("WARNING 79 1:")),
        "{}",
        said.len()
    );
    let less = text.replace(&long, &long[..262_000]);
    let said = lines(&less, Profile::Aws);
    assert!(said.is_empty(), "{said:?}");
    let text = format!("{}{text}", " ".repeat(1 << 20));
    let said = lines(&text, Profile::Aws);
    assert!(
        said.iter().any(|line| line.starts_with("WARNING 77 1:")),
        "{}",
        said.len()
    );
}

#[test]
fn spans_lie_in_the_text() {
    for case in cases() {
        let file = SourceFile::new("test.asl.json", &case.text);
        for finding in findings(&file, case.way) {
            let range = finding.span.expect("a place").range();
            assert!(
                file.text.get(range).is_some(),
                "{}: {finding:?}",
                case.title
            );
            assert!(
                finding.blocking || finding.help.is_some() || finding.rule == 1,
                "{}: no way out: {finding:?}",
                case.title
            );
        }
    }
}

/// A definition that uses most features.
const WHOLE: &str = r#"{"StartAt":"A","TimeoutSeconds":9,"States":{"A":{"Type":"Task","Resource":"arn:aws:states:::sqs:sendMessage.waitForTaskToken",
"Parameters":{"MessageBody.$":"States.Format('{} {}', $.x, $$.Task.Token)","QueueUrl":["$.c"]},"ResultSelector":{"r.$":"$.a[?(@.b == 1)]"},"ResultPath":"$.r","TimeoutSecondsPath":"$.t",
"Retry":[{"ErrorEquals":["States.ALL"],"BackoffRate":1.5,"JitterStrategy":"FULL"}],"Catch":[{"ErrorEquals":["States.ALL"],"Next":"F","ResultPath":null}],"Next":"C"},
"C":{"Type":"Choice","Choices":[{"And":[{"Variable":"$.a","IsPresent":true},{"Not":{"Variable":"$.b","TimestampLessThan":"2024-01-01T00:00:00Z"}}],"Next":"M"}],"Default":"P"},
"M":{"Type":"Map","ItemsPath":"$.l","MaxConcurrency":2,"ItemSelector":{"v.$":"$$.Map.Item.Value"},"ItemProcessor":{"ProcessorConfig":{"Mode":"DISTRIBUTED","ExecutionType":"STANDARD"},
"StartAt":"I","States":{"I":{"Type":"Wait","SecondsPath":"$.s","Assign":{"v":1},"End":true}}},"Next":"P"},
"P":{"Type":"Parallel","Branches":[{"StartAt":"B","States":{"B":{"Type":"Pass","Result":{"x":1},"End":true}}}],"Next":"S"},
"S":{"Type":"Succeed","QueryLanguage":"JSONata","Output":"{% 1 %}"},"F":{"Type":"Fail","ErrorPath":"$.e","CausePath":"States.JsonToString($)"}}}"#;

/// Words that occur in definitions.
fn word() -> impl Strategy<Value = String> {
    let words = [
        "StartAt",
        "States",
        "Type",
        "Task",
        "Map",
        "Parallel",
        "Choice",
        "Next",
        "End",
        "A",
        "Branches",
        "ItemProcessor",
        "Choices",
        "And",
        "Not",
        "Variable",
        "IsNull",
        "Retry",
        "Catch",
        "ErrorEquals",
        "States.ALL",
        "$.a",
        "$$",
        "$",
        "$..",
        "$v",
        "a.$",
        "States.Format('{}', $.a)",
        "States.Hash(",
        "{% 1 %}",
        "${X}",
        "Assign",
        "Parameters",
        "Result",
        "é\\u0000",
        "Seconds",
        "Timestamp",
        "Label",
        "ItemReader",
        "ReaderConfig",
        "Resource",
        "QueryLanguage",
        "JSONata",
        "",
        "ProcessorConfig",
    ];
    proptest::sample::select(words.to_vec()).prop_map(str::to_string)
}

fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_string()),
        Just("true".to_string()),
        Just("-1".to_string()),
        Just("1e400".to_string()),
        Just("99999999999999999999".to_string()),
        word().prop_map(|word| format!("\"{word}\"")),
    ];
    leaf.prop_recursive(8, 80, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4)
                .prop_map(|items| format!("[{}]", items.join(","))),
            proptest::collection::vec((word(), inner), 0..6).prop_map(|members| {
                let members: Vec<String> = members
                    .iter()
                    .map(|(name, value)| format!("\"{name}\":{value}"))
                    .collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

proptest! {
    #[test]
    fn no_text_panics(text in json(), state in json()) {
        for profile in [Profile::Spec, Profile::Aws] {
            lines(&text, profile);
            lines(&format!(r#"{{"StartAt":"A","States":{{"A":{state}}}}}"#), profile);
        }
    }

    #[test]
    fn no_edit_panics(at in 0..WHOLE.len(), cut in 0..12_usize, put in word()) {
        let end = (at + cut).min(WHOLE.len());
        let text = format!("{}{put}{}", &WHOLE[..at], &WHOLE[end..]);
        lines(&text, Profile::Aws);
    }

    #[test]
    fn no_exchanged_value_panics(pick in any::<prop::sample::Index>(), value in json()) {
        let places: Vec<usize> = WHOLE.match_indices("\":").map(|(at, _)| at + 2).collect();
        let at = places[pick.index(places.len())];
        let rest = &WHOLE[at..];
        let end = rest.find([',', '}']).unwrap_or(0);
        lines(&format!("{}{value}{}", &WHOLE[..at], &rest[end..]), Profile::Spec);
    }
}

#[test]
fn a_whole_definition_has_no_errors() {
    let said = lines(WHOLE, Profile::Aws);
    assert!(
        !said.iter().any(|line| line.starts_with("ERROR")),
        "{said:#?}"
    );
}
