//! Tests of projects with files in temporary folders.

use super::{
    Given, LaunchConfig, LaunchError, NewCase, Note, Program, Project, Question, Questions,
    Workspace, demo, open_all,
};
use crate::interpreter::{Answer, AskKey};
use crate::json::{Value, parse};
use crate::session::view::RunStatus;
use crate::session::{Command, Direction, ExistingCase, Progress, RecordedAnswer, Session, Stop};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// A machine with one task.
const TASK: &str = r#"{"StartAt": "T", "States": {"T": {"Type": "Task", "Resource": "arn:aws:lambda:eu-west-1:1:function:f", "End": true}}}"#;
/// A mock file with two test cases for the machine `m`.
const MOCK: &str = r#"{"StateMachines": {"m": {"TestCases": {"A": {"T": "One"}, "B": {"T": "Two"}}}},
 "MockedResponses": {"One": {"0": {"Return": 1}}, "Two": {"0": {"Return": 2}}}}"#;
/// A template with two machines.
const TWO: &str = "Resources:\n  First:\n    Type: AWS::StepFunctions::StateMachine\n    Properties:\n      Definition: {StartAt: P, States: {P: {Type: Pass, End: true}}}\n  Second:\n    Type: AWS::StepFunctions::StateMachine\n    Properties:\n      Definition: {StartAt: Q, States: {Q: {Type: Succeed}}}\n";

/// A folder that is deleted when dropped.
struct Folder(PathBuf);

impl Folder {
    fn with(files: &[(&str, &str)]) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("asldbg-launch-{}-{number}", std::process::id());
        let folder = Self(std::env::temp_dir().join(name));
        for (name, text) in files {
            folder.write(name, text);
        }
        folder
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    }

    fn config(&self, name: &str) -> LaunchConfig {
        LaunchConfig {
            state_folder: Some(self.0.join("state")),
            ..LaunchConfig::of(self.0.join(name))
        }
    }

    fn project(&self, name: &str) -> Project {
        Project::open(self.config(name)).expect("opened")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn run(session: &mut Session) -> Stop {
    session
        .apply(Command::Continue(Direction::Forward))
        .expect("done");
    while session.advance(1000) == Progress::Running {}
    session.stop().clone()
}

fn output(session: &mut Session) -> Option<Value> {
    run(session);
    match session.view().header.status {
        RunStatus::Succeeded { output } => Some(output),
        _ => None,
    }
}

#[test]
fn what_lies_beside_is_found_and_what_is_given_counts_first() {
    let folder = Folder::with(&[
        ("m.asl.json", TASK),
        ("m.input.json", r#"{"from": "beside"}"#),
        ("other.json", r#"{"from": "named"}"#),
        ("m.mock.json", MOCK),
        ("m.s3/bucket/key", ""),
    ]);
    let loaded = folder.project("m.asl.json").load().expect("loaded");
    assert_eq!(
        loaded.header.input.get("from"),
        Some(&Value::string("beside"))
    );
    assert_eq!(loaded.cases, ["A", "B"]);
    assert!(loaded.case.is_none(), "two, and none was named");
    assert_eq!(loaded.files.read_root, Some(folder.0.join("m.s3")));
    assert_eq!(loaded.files.write_root, None);
    for name in ["m.asl.json", "m.input.json", "m.mock.json"] {
        assert!(loaded.watch.contains(&folder.0.join(name)), "{name}");
    }
    let forms = [
        Given::File(folder.0.join("other.json")),
        Given::Json(r#"{"from": "named"}"#.into()),
        Given::Value(parse(r#"{"from": "named"}"#).expect("json")),
    ];
    for given in forms {
        let mut config = folder.config("m.asl.json");
        config.input = Some(given);
        config.test_case = Some("B".into());
        let mut project = Project::open(config).expect("opened");
        let loaded = project.load().expect("loaded");
        assert_eq!(
            loaded.header.input.get("from"),
            Some(&Value::string("named"))
        );
        assert_eq!(
            loaded.case.map(|case| case.name.to_string()),
            Some("B".into())
        );
        let mut session = project.session().expect("a session");
        assert_eq!(run(&mut session), Stop::End);
    }
}

#[test]
fn an_input_is_asked_for_only_where_somebody_is_there() {
    let folder = Folder::with(&[("m.asl.json", TASK), ("events/one.json", "{}")]);
    let mut config = folder.config("m.asl.json");
    let begun = Project::open(config.clone()).and_then(|mut project| project.begin());
    assert_eq!(begun.expect("begun").origin.ask, []);
    config.questions = Questions::Ask;
    let begun = Project::open(config).and_then(|mut project| project.begin());
    let origin = begun.expect("begun").origin;
    assert_eq!(origin.ask, [Question::Input]);
    let file = folder.0.join("events").join("one.json");
    assert_eq!(origin.inputs, [file.display().to_string()]);
}

#[test]
fn of_several_definitions_one_is_named_or_the_first_opened_to_choose_from() {
    let folder = Folder::with(&[("two.yaml", TWO)]);
    let config = folder.config("two.yaml");
    let refused = Project::open(config.clone()).expect_err("two");
    assert!(
        matches!(&refused, LaunchError::SeveralMachines { names, .. } if *names == ["First", "Second"]),
        "{refused}"
    );
    let mut project = Project::open_any(config).expect("opened");
    let begun = project.begin().expect("begun");
    assert_eq!(begun.origin.machine.as_deref(), Some("First"));
    assert_eq!(begun.origin.ask, [Question::Machine]);
    let place = folder.0.join("two.yaml");
    assert_eq!(begun.origin.notes, [Note::Several { place, count: 2 }]);
    let names: Vec<&str> = project
        .choices()
        .iter()
        .map(|choice| &*choice.name)
        .collect();
    assert_eq!(names, ["First", "Second"]);
    let second = project
        .choose_machine(1, begun.session.saved().as_ref())
        .expect("chosen");
    assert_eq!(second.origin.machine.as_deref(), Some("Second"));
    assert_eq!(second.origin.ask, []);
    assert_eq!(second.session.definition().states.len(), 1);
    assert_eq!(project.choices().len(), 2, "another may be chosen again");
    let none = project.choose_machine(2, second.session.saved().as_ref());
    assert!(matches!(none, Err(LaunchError::NoChoice)));
    // A folder with two definitions also offers choices. `open`, which lets nobody choose, rejects the folder.
    let mut config = folder.config("");
    config.program.file = folder.0.clone();
    let any = Project::open_any(config.clone()).expect("opened");
    assert_eq!(any.choices().len(), 2);
    let refused = Project::open(config).expect_err("a folder");
    assert!(
        refused.to_string().contains("--state-machine Second"),
        "{refused}"
    );
}

#[test]
fn a_definition_is_read_again_whatever_became_of_it() {
    let folder = Folder::with(&[("m.asl.json", TASK)]);
    let mut project = folder.project("m.asl.json");
    let reload = |project: &mut Project| project.reload();
    let diagnostics = reload(&mut project).expect("read").diagnostics;
    assert!(diagnostics.iter().all(|diagnostic| !diagnostic.blocking));
    folder.write("m.asl.json", "{\"StartAt\": \"T\", ");
    let broken = reload(&mut project).expect("a text");
    assert!(
        broken
            .diagnostics
            .iter()
            .any(|diagnostic| diagnostic.blocking)
    );
    assert!(
        broken
            .definition
            .sources
            .files()
            .iter()
            .any(|file| file.text.contains("StartAt"))
    );
    std::fs::remove_file(folder.0.join("m.asl.json")).expect("removed");
    let gone = reload(&mut project).expect_err("no file");
    assert!(gone.brief().contains("m.asl.json"), "{gone}");
}

#[test]
fn another_test_case_keeps_the_breakpoints() {
    let folder = Folder::with(&[("m.asl.json", TASK), ("m.mock.json", MOCK)]);
    let mut project = folder.project("m.asl.json");
    let mut session = project.session().expect("a session");
    let state = session.definition().find_by_name("T").expect("T");
    session.apply(Command::ToggleBreak(state)).expect("done");
    let chosen = project
        .choose_case("B", session.saved().as_ref())
        .expect("B");
    assert_eq!(chosen.view().breakpoints.len(), 1);
    let refused = project
        .choose_case("C", session.saved().as_ref())
        .expect_err("no C");
    assert!(refused.to_string().contains("\"C\""), "{refused}");
    assert_eq!(project.config().test_case.as_deref(), Some("B"));
}

#[test]
fn what_was_answered_becomes_a_test_case() {
    let folder = Folder::with(&[("m.asl.json", TASK)]);
    let mut project = folder.project("m.asl.json");
    let mut session = project.session().expect("a session");
    let Stop::Ask(ask) = run(&mut session) else {
        panic!("{:?}", session.stop());
    };
    session
        .apply(Command::Answer(ask, Answer::success(Value::from(7))))
        .expect("done");
    while session.advance(1000) == Progress::Running {}
    let answers = session.answers();
    let case = |existing| NewCase {
        machine: "m",
        name: "Seven",
        answers: &answers,
        existing,
    };
    let file = project
        .write_case(&case(ExistingCase::Stays))
        .expect("written");
    assert_eq!(file, folder.0.join("m.mock.json"));
    let again = project
        .write_case(&case(ExistingCase::Stays))
        .expect_err("it is there");
    assert!(again.to_string().contains("Seven"), "{again}");
    project
        .write_case(&case(ExistingCase::IsReplaced))
        .expect("replaced");
    let mut again = folder.project("m.asl.json").session().expect("a session");
    assert_eq!(output(&mut again), Some(Value::from(7)));
    let elsewhere = NewCase {
        machine: "../m",
        ..case(ExistingCase::Stays)
    };
    let mut other = Folder::with(&[("m.asl.json", TASK)]).project_of("m.asl.json");
    let refused = other.write_case(&elsewhere).expect_err("no file's name");
    assert!(
        matches!(refused, LaunchError::NoFileName { .. }),
        "{refused}"
    );
}

impl Folder {
    /// Opens a project from this folder; the folder is deleted when this function returns.
    fn project_of(self, name: &str) -> Project {
        self.project(name)
    }
}

#[test]
fn answers_from_outside_are_all_that_an_importer_hands_in() {
    let folder = Folder::with(&[("m.asl.json", TASK)]);
    let mut config = folder.config("m.asl.json");
    let key = AskKey {
        path: "T".into(),
        indices: Vec::new(),
        rounds: Vec::new(),
        visit: 1,
        attempt: 1,
    };
    let recorded = RecordedAnswer {
        input: None,
        answer: Answer::success(Value::from(9)),
    };
    config.recorded = Arc::new(HashMap::from([(key, recorded)]));
    let session = Project::open(config).and_then(|mut project| project.session());
    assert_eq!(
        output(&mut session.expect("a session")),
        Some(Value::from(9))
    );
}

#[test]
fn what_a_person_set_up_comes_back_unless_the_run_is_fresh() {
    let folder = Folder::with(&[("m.asl.json", TASK)]);
    let mut project = folder.project("m.asl.json");
    let mut session = project.session().expect("a session");
    session.apply(Command::Watch("$.a".into())).expect("done");
    project.keep(session.saved().as_ref());
    let begun = folder.project("m.asl.json").begin().expect("begun");
    assert_eq!(begun.session.view().watches.len(), 1);
    let restored = |note: &Note| matches!(note, Note::Restored(_));
    assert!(begun.origin.notes.iter().any(restored));
    let mut config = folder.config("m.asl.json");
    config.fresh = true;
    let mut fresh = Project::open(config).expect("opened");
    let session = fresh.session().expect("a session");
    assert!(session.view().watches.is_empty());
    // A fresh project does not remove the settings that another project has kept.
    fresh.keep(session.saved().as_ref());
    let begun = folder.project("m.asl.json").begin().expect("begun");
    assert_eq!(begun.session.view().watches.len(), 1);
}

#[test]
fn two_at_a_time_keep_what_each_set_up() {
    let folder = Folder::with(&[("m.asl.json", TASK)]);
    let watched = |session: &Session| -> Vec<String> {
        let view = session.view();
        let watches = view.watches.iter();
        watches.map(|watch| watch.text.to_string()).collect()
    };
    let begin = || {
        let mut project = folder.project("m.asl.json");
        let session = project.session().expect("a session");
        (project, session)
    };
    let watch = |(project, session): &mut (Project, Session), text: &str| {
        session.apply(Command::Watch(text.into())).expect("done");
        project.keep(session.saved().as_ref());
    };
    watch(&mut begin(), "$.before");
    let (mut first, mut second) = (begin(), begin());
    watch(&mut first, "$.one");
    watch(&mut second, "$.other");
    assert_eq!(watched(&begin().1), ["$.before", "$.one", "$.other"]);
    // If one session removes a watch, the kept settings lose this watch, even though the other session still has it.
    first.1.apply(Command::Unwatch(0)).expect("done");
    watch(&mut first, "$.more");
    watch(&mut second, "$.last");
    assert_eq!(
        watched(&begin().1),
        ["$.one", "$.other", "$.more", "$.last"]
    );
    // Keeping the same settings again changes nothing.
    first.0.keep(first.1.saved().as_ref());
    assert_eq!(
        watched(&begin().1),
        ["$.one", "$.other", "$.more", "$.last"]
    );
}

#[test]
fn a_child_is_read_and_told_apart_by_name() {
    let start = r#"{"StartAt": "S", "States": {"S": {"Type": "Task", "Resource": "arn:aws:states:::states:startExecution.sync:2", "Parameters": {"StateMachineArn": "arn:aws:states:eu-west-1:1:stateMachine:Second"}, "End": true}}}"#;
    let folder = Folder::with(&[("m.asl.json", start), ("two.yaml", TWO)]);
    let with = |name: &str, file: &str| {
        let mut config = folder.config("m.asl.json");
        config.children = vec![(name.into(), folder.0.join(file))];
        Project::open(config)
    };
    let mut session = with("Second", "two.yaml").and_then(|mut project| project.session());
    assert_eq!(session.as_mut().map(run).expect("a session"), Stop::End);
    let refused = |name, file| with(name, file).expect_err("refused").to_string();
    assert!(refused("Third", "two.yaml").contains("none is named Third: First, Second"));
    assert!(refused("Second", "none.yaml").contains("--child Second: cannot read"));
    let kid = "{\"StartAt\": \"K\", \"States\": {\"K\": {\"Type\": \"Succeed\"}}}";
    folder.write("kid.asl.json", kid);
    let mut project = with("Second", "kid.asl.json").expect("opened");
    folder.write(
        "kid.asl.json",
        &kid.replace("\"StartAt\": \"K\"", "\n\"StartAt\": \"L\""),
    );
    let broken = project
        .reload()
        .expect_err("a child that cannot be run")
        .brief();
    assert!(broken.starts_with("kid.asl.json (line 2): "), "{broken}");
}

#[test]
fn what_cannot_be_is_refused_with_its_field() {
    let folder = Folder::with(&[("m.asl.json", TASK), ("m.mock.json", MOCK)]);
    type Change = fn(&mut LaunchConfig);
    let cases: [(&str, Change); 8] = [
        ("--start-time: \"noon\"", |config| {
            config.start_time = Some("noon".into())
        }),
        ("no state \"U\"", |config| {
            config.start_at = Some("U".into())
        }),
        ("--var: \"1x\"", |config| {
            config.variables = vec![("1x".into(), Given::Json("1".into()))];
        }),
        ("--context must be an object, not an array", |config| {
            config.context = Some(Given::Json("[]".into()));
        }),
        ("m.mock.json", |config| config.test_case = Some("C".into())),
        ("--mock: cannot read", |config| {
            config.mock = Some(Given::File("none.json".into()))
        }),
        ("cannot both be standard input", |config| {
            config.input = Some(Given::File("-".into()));
            config.program = Program {
                text: Some(TASK.into()),
                ..Program::of("-")
            };
        }),
        ("INVALID_JSON", |config| {
            config.input = Some(Given::Json("{1".into()))
        }),
    ];
    for (expected, change) in cases {
        let mut config = folder.config("m.asl.json");
        change(&mut config);
        let said = Project::open(config).expect_err(expected).to_string();
        assert!(said.contains(expected), "{expected}: {said}");
    }
}

#[test]
fn a_file_includes_only_so_much_however_often_it_names_it() {
    let large = format!("{{\"a\":[{}0]}}", "0,".repeat(50_000));
    let machines: String = (0..7)
        .map(|place| {
            format!(
                "  M{place}:\n    Type: AWS::Serverless::StateMachine\n    Properties:\n      DefinitionUri: large.json\n"
            )
        })
        .collect();
    let folder = Folder::with(&[
        ("large.json", large.as_str()),
        ("t.yaml", &format!("Resources:\n{machines}")),
    ]);
    let opened = open_all(&Program::of(folder.0.join("t.yaml"))).expect("read");
    let diagnostics = opened
        .iter()
        .map(|document| format!("{:?}", document.found));
    let refused = diagnostics.filter(|diagnostics| diagnostics.contains("MiB of memory"));
    assert_eq!(refused.count(), 1);
}

#[test]
fn the_demo_is_a_project_that_touches_no_file() {
    let mut project = Project::open(demo()).expect("opened");
    let begun = project.begin().expect("begun");
    assert_eq!(begun.origin.file, None);
    assert_eq!(begun.origin.watched, Vec::<PathBuf>::new());
    assert!(matches!(project.reload(), Err(LaunchError::NotReadAgain)));
    let answers = begun.session.answers();
    let case = NewCase {
        machine: "demo",
        name: "X",
        answers: &answers,
        existing: ExistingCase::Stays,
    };
    let refused = project.write_case(&case).expect_err("no file");
    assert!(matches!(refused, LaunchError::NowhereToWrite), "{refused}");
    assert!(project.value("-").is_err() && project.text(Path::new("-")).is_err());
}
