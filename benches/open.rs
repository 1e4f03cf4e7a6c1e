//! Measures opening a text as a definition that can be run: parsing, lowering and checking all rules.
//!
//! Targets (two shared cores): 1,000 states in YAML, or in a program of the SFN DSL, within 50 ms.

#![allow(clippy::expect_used, clippy::panic, missing_docs)]

use asldbg::definition::{diagnose, lower};
use asldbg::query::Profile;
use asldbg::source::SourceFile;
use asldbg::source::load::LoadError;
use asldbg::source::open::{Wish, parse};
use divan::Bencher;
use std::fmt::Write as _;
use std::sync::Arc;

fn main() {
    divan::main();
}

/// Opens a definition's text as the program opens a file; returns the number of its states.
fn open(file: &SourceFile) -> usize {
    let none = |name: &str| -> Result<SourceFile, LoadError> {
        Err(LoadError::Outside {
            name: name.to_string(),
        })
    };
    let opened = parse(file.clone(), &none, &Wish::default());
    let node = opened
        .node
        .expect("the bench's own text holds a definition");
    let (definition, lowered) = lower(Arc::new(node), Arc::new(opened.sources), "bench");
    let found: Vec<_> = opened.diagnostics.into_iter().chain(lowered).collect();
    let found = diagnose(&definition, &found, Profile::Spec);
    assert!(
        !found.iter().any(|diagnostic| diagnostic.blocking),
        "{found:?}"
    );
    definition.states.len()
}

/// A definition with `count` states of the usual kinds, such as tasks with templates, retriers and catchers.
fn yaml(count: usize) -> String {
    let mut text = String::from("Comment: made for the bench\nStartAt: State 0\nStates:\n");
    for at in 0..count - 1 {
        let next = at + 1;
        let state = match at % 4 {
            0 => format!(
                "    Type: Task\n    Resource: arn:aws:states:::lambda:invoke\n    Parameters:\n      FunctionName: ${{Function}}\n      Payload:\n        order.$: $.order\n        text.$: States.Format('{{}} of {{}}', $.order.id, $$.Execution.Name)\n    ResultSelector:\n      id.$: $.Payload.id\n    ResultPath: $.answer\n    Retry:\n      - ErrorEquals: [Lambda.ServiceException, Lambda.TooManyRequestsException]\n        IntervalSeconds: 2\n        MaxAttempts: 6\n        BackoffRate: 2\n    Catch:\n      - ErrorEquals: [States.ALL]\n        ResultPath: $.error\n        Next: Done\n    Next: State {next}\n"
            ),
            1 => format!(
                "    Type: Choice\n    Choices:\n      - And:\n          - {{Variable: $.order.id, IsPresent: true}}\n          - Variable: $.order.total\n            NumericGreaterThan: 100\n        Next: Done\n    Default: State {next}\n"
            ),
            2 => format!(
                "    Type: Pass\n    Comment: >\n      a comment\n      of two lines\n    Parameters: {{\"sum.$\": \"States.MathAdd($.a, 1)\"}}\n    ResultPath: $.sum\n    Next: State {next}\n"
            ),
            _ => format!("    Type: Wait\n    Seconds: 5\n    Next: State {next}\n"),
        };
        write!(text, "  State {at}:\n{state}").expect("a string takes everything");
    }
    write!(
        text,
        "  State {}:\n    Type: Pass\n    Next: Done\n",
        count - 1
    )
    .expect("a string takes everything");
    text.push_str("  Done:\n    Type: Succeed\n");
    text
}

#[divan::bench(args = [100, 1_000])]
fn yaml_states(bencher: Bencher, count: usize) {
    let file = SourceFile::new("bench.asl.yaml", &yaml(count));
    assert_eq!(open(&file), count + 1);
    bencher.bench(|| open(&file));
}

/// A program of the SFN DSL that compiles to `count` states or one more. The program repeats blocks of ten states:
/// loops, conditions, cases, branches and handlers.
fn program(count: usize) -> String {
    let mut text = String::from("\"\"\"Made for the bench\"\"\"\n");
    for at in 0..count / 10 {
        write!(
            text,
            r#"
Lambda('Work{at}')
    """Work {at}
    Something to do"""
    result: "$.work"
    retry ["Busy", "Slow"] 2 6 2.0
    catch []: "$.error"
        Pass()
            """Mend {at}"""
while "$.left" > 0 and not ("$.order.id" == "none" or "$.order.total" <= 100.5):
    """Left {at}"""
    Wait(seconds=5)
        """Rest {at}"""
switch "$.kind":
    """Kind {at}"""
    case "post":
        SNS.Publish()
            """Tell {at}"""
            parameters:
                TopicArn: "arn:aws:sns:eu-west-1:123456789012:t"
                Message.$: "$.work.text"
    default:
        Pass()
            """Nothing {at}"""
            data:
                {{"a": [1, 2.5, null], "b": "text"}}
parallel:
    """Both {at}"""
    Pass()
        """One {at}"""
"#
        )
        .expect("a string takes everything");
    }
    text.push_str("Success()\n    \"\"\"Done\"\"\"\n");
    text
}

#[divan::bench(args = [100, 1_000])]
fn program_states(bencher: Bencher, count: usize) {
    let file = SourceFile::new("bench.sfn", &program(count));
    let states = open(&file);
    assert!(states > count && states < count + 2, "{states}");
    bencher.bench(|| open(&file));
}
