//! Tests of JSONata: expressions with their expected results (`tests/jsonata/*.txt`), mutated expressions, item files,
//! and going back in a run.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that fails panics"
)]

mod support;

use asldbg::interpreter::{Header, Status};
use asldbg::json::{Number, Value};
use asldbg::query::Profile;
use asldbg::query::jsonata::{Budget, Expression, Failure};
use asldbg::session::{Command, Direction, Session, Setup, Stop};
use asldbg::worker::{Evaluator, Files, Worker};
use jsonata_core::functions::{numeric, string};
use jsonata_core::value::JValue;
use proptest::prelude::*;
use std::sync::Arc;
use support::expression::{cases, evaluation, judge, result};
use support::{good, value};

#[test]
fn expressions_give_what_they_should() {
    let evaluator = Evaluator::new();
    let mut wrong = String::new();
    let mut count = 0;
    for file in ["language.txt", "service.txt", "aws.txt"] {
        for case in cases(file) {
            count += 1;
            wrong += &judge(&evaluator, Budget::Run, file, &case);
        }
    }
    support::stored::write();
    assert!(wrong.is_empty(), "\n{wrong}");
    assert!(count >= 120, "{count} cases");
}

#[test]
fn the_same_request_has_the_same_results() {
    let evaluator = Evaluator::new();
    for text in ["$uuid()", "$random()", "$shuffle([1..20])", "$now()"] {
        let first = result(&evaluator, text).unwrap();
        assert_eq!(first, result(&Evaluator::new(), text).unwrap(), "{text}");
    }
}

/// Evaluates `text`. Returns the resulting number or text, or the code of the error.
fn outcome(evaluator: &Evaluator, text: &str) -> Result<Value, String> {
    match result(evaluator, text).unwrap() {
        Ok(value) => Ok(value),
        Err(Failure::Thrown(message)) => Err(message.chars().take(5).collect()),
        Err(other) => Err(other.to_string()),
    }
}

/// The result of a function of the library `jsonata-core`, converted as `outcome` returns results.
fn theirs<E: std::fmt::Display>(given: Result<JValue, E>) -> Result<Value, String> {
    match given {
        Ok(JValue::Number(number)) => Ok(Value::Number(Number::from_f64(number).unwrap())),
        Ok(JValue::String(text)) => Ok(Value::string(&*text)),
        Ok(other) => panic!("{other:?}"),
        Err(error) => {
            let message = error.to_string();
            let code = message.find("D3").and_then(|at| message.get(at..at + 5));
            Err(code.unwrap_or(&message).to_string())
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn numbers_are_computed_as_by_jsonata_core(
        x in prop_oneof![any::<f64>().prop_filter("finite", |x| x.is_finite()), -1e3..1e3, -1e18..1e18],
        y in -9_i32..9,
        text in "[ ]?(0[xob])?[-+]?[0-9a-f.e]{0,6}[ ]?",
    ) {
        let evaluator = Evaluator::new();
        let number = |number: f64| format!("({number:e})");
        for (expression, other) in [
            (format!("$sqrt({})", number(x)), theirs(numeric::sqrt(x))),
            (format!("$power({}, {y})", number(x)), theirs(numeric::power(x, f64::from(y)))),
            (format!("$string({})", number(x)), theirs(string::string(&JValue::Number(x), None))),
            (format!("$number('{text}')"), theirs(numeric::number(&JValue::string(&*text)))),
        ] {
            prop_assert_eq!(outcome(&evaluator, &expression), other, "{}", expression);
        }
    }
}

#[test]
fn a_request_can_end_at_the_first_true() {
    let mut request = evaluation("false").unwrap();
    let more = ["true", "$error('never')"]
        .map(|text| Arc::new(Expression::parse(text, "Output").unwrap()));
    request.expressions.extend(more);
    request.until_true = true;
    let results = Evaluator::new().evaluate(&request);
    assert_eq!(results, [Ok(Value::from(false)), Ok(Value::from(true))]);
}

fn run(definition: &str, input: &str, files: Files) -> Session {
    let mut header = Header::new(value(input), Profile::Aws);
    header.seed = 5;
    let mut setup = Setup::new(
        good("machine", definition),
        header,
        Arc::new(asldbg::worker::Worker::new()),
    );
    setup.server = Arc::new(Worker::with_files(files));
    let mut session = Session::new(setup);
    while support::command(&mut session, Command::Continue(Direction::Forward)) != Stop::End {}
    session
}

fn output(session: &Session) -> Value {
    match session.machine().status() {
        Status::Succeeded(output) => output.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_run_is_repeated_with_the_same_values() {
    let definition = r#"{"QueryLanguage":"JSONata","StartAt":"A","States":{
        "A":{"Type":"Pass","Assign":{"id":"{% $uuid() %}","all":"{% [1..50] %}"},"Output":{"id":"{% $uuid() %}"},"Next":"M"},
        "M":{"Type":"Map","Items":"{% $all %}","ItemSelector":{"n":"{% $states.context.Map.Item.Value %}","r":"{% $random() %}"},
            "ItemProcessor":{"StartAt":"P","States":{"P":{"Type":"Pass","Output":"{% $states.input.r & $id %}","End":true}}},"End":true}}}"#;
    let mut session = run(definition, "{}", Files::default());
    let whole = output(&session);
    let events = session.event_count();
    for at in [events / 2, 3, events - 2] {
        support::command(&mut session, Command::Travel(at));
        let frames: Vec<Value> = session
            .machine()
            .frames()
            .map(|frame| frame.visit.data.latest(asldbg::interpreter::Stage::Output))
            .collect();
        support::command(&mut session, Command::Travel(1));
        support::command(&mut session, Command::Travel(at));
        let again: Vec<Value> = session
            .machine()
            .frames()
            .map(|frame| frame.visit.data.latest(asldbg::interpreter::Stage::Output))
            .collect();
        assert_eq!(frames, again, "at event {at}");
    }
    support::command(&mut session, Command::Now);
    assert_eq!(output(&session), whole);
}

struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("asldbg-{name}-{}", std::process::id()));
        std::fs::create_dir_all(path.join("bucket/in")).unwrap();
        Self(path)
    }

    fn put(&self, name: &str, text: &str) {
        std::fs::write(self.0.join("bucket/in").join(name), text).unwrap();
    }

    fn files(&self) -> Files {
        Files {
            read_root: Some(self.0.clone()),
            write_root: Some(self.0.clone()),
            readers: Vec::new(),
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

fn over(map: &str) -> String {
    format!(
        r#"{{"StartAt":"M","States":{{"M":{{"Type":"Map","End":true,{map},
        "ItemProcessor":{{"ProcessorConfig":{{"Mode":"DISTRIBUTED","ExecutionType":"STANDARD"}},"StartAt":"P","States":{{"P":{{"Type":"Pass","End":true}}}}}}}}}}}}"#
    )
}

#[test]
fn items_are_read_from_files() {
    let folder = Folder::new("read");
    folder.put("one.json", r#"{"a":{"x":1}}"#);
    folder.put("deep.json", r#"{"in":{"items":[1,2,3]}}"#);
    folder.put("rows.jsonl", "1\n{\"a\":2}\n\n");
    folder.put("table.csv", "id;n\n1;2\n3\n");
    let reader = |key: &str, config: &str| {
        over(&format!(
            r#""ItemReader":{{"Resource":"arn:aws:states:::s3:getObject","Parameters":{{"Bucket":"bucket","Key":"in/{key}"}},"ReaderConfig":{config}}}"#
        ))
    };
    for (definition, wanted) in [
        (
            reader("one.json", r#"{"InputType":"JSON"}"#),
            r#"[{"Key":"a","Value":{"x":1}}]"#,
        ),
        (
            reader(
                "deep.json",
                r#"{"InputType":"JSON","ItemsPointer":"/in/items","MaxItems":2}"#,
            ),
            "[1,2]",
        ),
        (
            reader("rows.jsonl", r#"{"InputType":"JSONL"}"#),
            r#"[1,{"a":2}]"#,
        ),
        (
            reader(
                "table.csv",
                r#"{"InputType":"CSV","CSVHeaderLocation":"FIRST_ROW","CSVDelimiter":"SEMICOLON"}"#,
            ),
            r#"[{"id":"1","n":"2"},{"id":"3","n":""}]"#,
        ),
    ] {
        let session = run(&definition, "{}", folder.files());
        assert_eq!(output(&session), value(wanted), "{definition}");
    }
    for (definition, wanted) in [
        (
            reader("gone.json", "{}"),
            "The specified key does not exist",
        ),
        (
            reader("../../x.json", "{}"),
            "in/../../x.json is outside the folder",
        ),
        (
            reader("one.json", r#"{"InputType":"PARQUET"}"#),
            "asldbg cannot read InputType PARQUET",
        ),
        (
            reader("one.json", r#"{"MaxItems":-1}"#),
            "field MaxItems must be positive",
        ),
    ] {
        let session = run(&definition, "{}", folder.files());
        let Status::Failed(fault) = session.machine().status() else {
            panic!("{definition}");
        };
        assert_eq!(fault.name(), "States.ItemReaderFailed");
        assert!(
            fault.cause_text().starts_with(wanted),
            "{}",
            fault.cause_text()
        );
    }
    let listed = over(
        r#""ItemReader":{"Resource":"arn:aws:states:::s3:listObjectsV2","Parameters":{"Bucket":"bucket","Prefix":"in/o"}},"ItemSelector":{"k.$":"$$.Map.Item.Value.Key","s.$":"$$.Map.Item.Source"}"#,
    );
    let session = run(&listed, "{}", folder.files());
    assert_eq!(
        output(&session),
        value(r#"[{"k":"in/one.json","s":"S3://bucket"}]"#)
    );
    let read = over(
        r#""ItemReader":{"Resource":"arn:aws:states:::s3:getObject","Parameters":{"Bucket":"bucket","Key":"in/rows.jsonl"},"ReaderConfig":{"InputType":"JSONL","MaxItems":1}},"ItemSelector":{"s.$":"$$.Map.Item.Source"}"#,
    );
    let session = run(&read, "{}", folder.files());
    assert_eq!(
        output(&session),
        value(r#"[{"s":"S3://bucket/in/rows.jsonl"}]"#)
    );
}

#[test]
fn items_are_batched() {
    for (batcher, wanted) in [
        (
            r#"{"MaxItemsPerBatch":2,"BatchInput":{"b.$":"$.b"}}"#,
            r#"[{"BatchInput":{"b":7},"Items":[1,2]},{"BatchInput":{"b":7},"Items":[3]}]"#,
        ),
        (
            r#"{"MaxInputBytesPerBatchPath":"$.bytes"}"#,
            r#"[{"Items":[1,2]},{"Items":[3]}]"#,
        ),
    ] {
        let definition = over(&format!(r#""ItemsPath":"$.items","ItemBatcher":{batcher}"#));
        let session = run(
            &definition,
            r#"{"items":[1,2,3],"b":7,"bytes":16}"#,
            Files::default(),
        );
        assert_eq!(output(&session), value(wanted), "{batcher}");
    }
    let definition = r#"{"QueryLanguage":"JSONata","StartAt":"M","States":{"M":{"Type":"Map","End":true,"Items":"{% $states.input.items %}",
        "ItemSelector":"{% $states.context.Map.Item.Value * 10 %}","ItemBatcher":{"MaxItemsPerBatch":"{% 1 + 1 %}","BatchInput":{"b":"{% $states.input.b %}"}},
        "ItemProcessor":{"ProcessorConfig":{"Mode":"DISTRIBUTED","ExecutionType":"STANDARD"},"StartAt":"P","States":{"P":{"Type":"Pass","End":true}}}}}}"#;
    let session = run(definition, r#"{"items":[1,2,3],"b":7}"#, Files::default());
    assert_eq!(
        output(&session),
        value(r#"[{"BatchInput":{"b":7},"Items":[10,20]},{"BatchInput":{"b":7},"Items":[30]}]"#)
    );
}

#[test]
fn results_are_written_to_files() {
    let folder = Folder::new("write");
    let definition = over(
        r#""ResultWriter":{"Resource":"arn:aws:states:::s3:putObject","Parameters":{"Bucket":"bucket","Prefix":"out"}}"#,
    );
    let session = run(&definition, "[1,2]", folder.files());
    let result = output(&session);
    let details = result.get("ResultWriterDetails").unwrap();
    let key = details.get("Key").and_then(Value::as_str).unwrap();
    let manifest = std::fs::read_to_string(folder.0.join("bucket").join(key)).unwrap();
    let manifest = value(&manifest);
    let files = manifest
        .get("ResultFiles")
        .unwrap()
        .get("SUCCEEDED")
        .unwrap();
    let first = files.as_array().unwrap()[0]
        .get("Key")
        .and_then(Value::as_str)
        .unwrap();
    let written = value(&std::fs::read_to_string(folder.0.join("bucket").join(first)).unwrap());
    let outputs: Vec<_> = written
        .as_array()
        .unwrap()
        .iter()
        .map(|result| result.get("Output").cloned().unwrap())
        .collect();
    assert_eq!(outputs, [Value::from("1"), Value::from("2")]);
    let shaped =
        over(r#""ResultWriter":{"WriterConfig":{"OutputType":"JSON","Transformation":"FLATTEN"}}"#);
    assert_eq!(
        output(&run(&shaped, "[[1],[2,3]]", Files::default())),
        value("[1,2,3]")
    );
}

#[test]
fn a_person_may_ask_in_jsonata() {
    let definition = r#"{"QueryLanguage":"JSONata","StartAt":"A","States":{
        "A":{"Type":"Pass","Assign":{"x":4},"Next":"B"},"B":{"Type":"Pass","Output":1,"End":true}}}"#;
    let mut setup = Setup::new(
        good("machine", definition),
        Header::new(value(r#"{"n":[1,2]}"#), Profile::Aws),
        Arc::new(asldbg::worker::Worker::new()),
    );
    setup.server = Arc::new(Worker::new());
    let mut session = Session::new(setup);
    let state = session.machine().definition().find_by_name("B").unwrap();
    support::command(&mut session, Command::RunTo(state));
    assert_eq!(
        session.evaluate("{% $sum($states.input.n) + $x %}"),
        Ok(Value::from(7))
    );
    // In a JSONata state, the delimiters `{% %}` may be omitted. A JSONPath such as `$.n[1]` is still accepted.
    let seven = Ok(Value::from(7));
    assert_eq!(session.evaluate("$sum($states.input.n) + $x"), seven);
    assert_eq!(session.evaluate("$states.input.n[0] + 6"), seven);
    assert_eq!(session.evaluate("$.n[1]"), Ok(Value::from(2)));
    assert!(session.evaluate("{% $nothing %}").is_err());
    assert!(session.evaluate("{% ( %}").is_err());
}
