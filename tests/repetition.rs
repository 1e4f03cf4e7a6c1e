//! Tests that a run has the same result however it is repeated, and that nothing outside is called twice. The machines
//! have states in both query languages, and use files, batches, variables and tokens.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that fails panics"
)]

mod support;

use asldbg::definition::{Definition, StatePath};
use asldbg::interpreter::{Answer, Ask, AskKey, Event, EventKind, Header, Serve, Stage, Want};
use asldbg::json::Pointer;
use asldbg::query::Profile;
use asldbg::session::answers::MockCase;
use asldbg::session::{Command, Direction, Restart, Session, Setup, Stop, Unmocked};
use asldbg::worker::{Files, Worker};
use serde_json::json;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use support::views::{Tally, check_views, look_at, plain};
use support::{Random, Tell as _, command, events, go, good, random_machine, value};

/// A temporary folder with the files that generated machines read, which is removed with its machine.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("asldbg-made-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(path.join("bucket")).unwrap();
        for (file, text) in random_machine::FILES {
            std::fs::write(path.join("bucket").join(file), text).unwrap();
        }
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

/// Answers the requests of a run (calls of tasks, files read, files written), and counts how often each is made.
#[derive(Debug)]
struct Counting {
    worker: Worker,
    /// True if calls of tasks are answered too, as by a program that a user connects.
    tasks: bool,
    asked: Mutex<HashMap<(&'static str, AskKey), usize>>,
    evaluations: AtomicUsize,
}

impl Counting {
    fn new(folder: &Folder, tasks: bool) -> Self {
        let files = Files {
            read_root: Some(folder.0.clone()),
            write_root: Some(folder.0.clone()),
            readers: Vec::new(),
        };
        Self {
            worker: Worker::with_files(files),
            tasks,
            asked: Mutex::default(),
            evaluations: AtomicUsize::new(0),
        }
    }

    /// The requests that were made more than once.
    fn twice(&self) -> Vec<String> {
        let asked = self.asked.lock().unwrap();
        let twice = asked.iter().filter(|(_, count)| **count > 1);
        let twice = twice.map(|((what, key), count)| format!("{what} {key:?}: {count} times"));
        twice.collect()
    }

    fn count(&self, what: &str) -> usize {
        let asked = self.asked.lock().unwrap();
        asked.keys().filter(|(key, _)| *key == what).count()
    }
}

impl Serve for Counting {
    fn serve(&self, ask: &Ask) -> Option<Answer> {
        let what = match &ask.want {
            Want::Call { .. } => "task",
            Want::Read { .. } => "read",
            Want::Write { .. } => "write",
            Want::Evaluate(_) => {
                self.evaluations.fetch_add(1, Ordering::Relaxed);
                return self.worker.serve(ask);
            }
        };
        let answer = match &ask.want {
            Want::Call { .. } if self.tasks => Some(handled(ask)),
            _ => self.worker.serve(ask),
        }?;
        *self
            .asked
            .lock()
            .unwrap()
            .entry((what, ask.key.clone()))
            .or_default() += 1;
        Some(answer)
    }
}

/// The answer of a simulated task handler, which sometimes fails at first and sometimes takes up to 3 seconds.
fn handled(ask: &Ask) -> Answer {
    let letters: usize = ask.key.path.bytes().map(usize::from).sum();
    let mut answer = match (letters % 4, ask.key.attempt) {
        (0, 1) => Answer::failure("Made.Busy", "at first"),
        (1, _) => Answer::failure("Made.Refused", "always"),
        _ => Answer::success(value(r#"{"made":1}"#)),
    };
    answer.took = (letters as u64 % 3) * 1500;
    answer
}

struct Subject {
    name: String,
    text: String,
    definition: Arc<Definition>,
    made: random_machine::Made,
    profile: Profile,
    folder: Folder,
}

impl Subject {
    fn new(seed: u64) -> Self {
        let made = random_machine::rich(&mut Random::new(seed + 1));
        let text = serde_json::to_string_pretty(&made.definition).unwrap();
        Self {
            name: format!("made with seed {seed}: {text}"),
            definition: good("made", &text),
            text,
            made,
            profile: if seed.is_multiple_of(2) {
                Profile::Spec
            } else {
                Profile::Aws
            },
            folder: Folder::new(),
        }
    }

    fn mock(&self) -> Option<MockCase> {
        support::answers(&self.made.answers)
    }

    /// Creates a session, and the `Counting` that answers its requests. If `tasks` is true, the `Counting` also answers
    /// the tasks; otherwise the mock file does.
    fn session(&self, tasks: bool) -> (Session, Arc<Counting>) {
        let mut header = Header::new(value(&self.made.input.to_string()), self.profile);
        header.seed = 7;
        let server = Arc::new(Counting::new(&self.folder, tasks));
        let mut setup = Setup::new(
            Arc::clone(&self.definition),
            header,
            Arc::new(asldbg::worker::Worker::new()),
        );
        setup.mock = if tasks { None } else { self.mock() };
        setup.unmocked = Unmocked::Echo;
        setup.server = Arc::clone(&server) as Arc<dyn Serve>;
        let mut session = Session::new(setup);
        support::never_stop(&mut session);
        (session, server)
    }
}

#[test]
fn the_view_of_a_rich_run_is_the_same_when_one_comes_back() {
    let mut tally = Tally::default();
    let (mut reads, mut writes, mut evaluations) = (0, 0, 0);
    let cases = support::cases(40);
    for seed in 0..cases.into() {
        let subject = Subject::new(seed);
        let (mut session, server) = subject.session(false);
        check_views(&subject.name, &mut session, &mut Random::new(seed));
        tally.count(&mut session);
        reads += server.count("read");
        writes += server.count("write");
        evaluations += server.evaluations.load(Ordering::Relaxed);
        assert!(server.worker.evaluator().started() <= 1, "{}", subject.name);
    }
    let Tally { ends, kinds } = tally;
    println!(
        "{ends:?} succeeded, failed, timed out, stuck; {reads} files read, {writes} written, {evaluations} evaluations; {} kinds of events",
        kinds.len()
    );
    let least = cases as usize / 5;
    assert!(ends[0] > least && ends[1] > least, "{ends:?}");
    assert!(
        reads > cases as usize / 4 && writes > cases as usize / 40 && evaluations > 20 * least,
        "{reads} {writes} {evaluations}"
    );
    assert!(kinds.len() > 32, "{}", kinds.len());
}

/// Repeats a run by steps, a restart, reloads and an edit. The events must be the same each time.
fn repeat(session: &mut Session, subject: &Subject, random: &mut Random) {
    let all = events(session);
    let count = all.len() as u64;
    let same = |session: &mut Session, how: &str| {
        command(session, Command::Now);
        go(session);
        let now = events(session);
        let first = all
            .iter()
            .zip(&now)
            .position(|(event, other)| !alike(event, other));
        assert!(
            first.is_none() && now.len() == all.len(),
            "{how}: {} and {} events, first at {first:?}: {}",
            all.len(),
            now.len(),
            subject.name
        );
    };
    for _ in 0..4 {
        let at = 1 + random.below(count as usize) as u64;
        command(session, Command::Travel(at));
        command(session, Command::Step(Direction::Backward));
        command(session, Command::Next(Direction::Backward));
        command(session, Command::Step(Direction::Forward));
        command(session, Command::Continue(Direction::Forward));
    }
    same(session, "travel");
    command(session, Command::Restart(Restart::KeepAnswers));
    go(session);
    same(session, "restart");
    for at in [2, count / 2, count] {
        command(session, Command::Travel(at));
        drop(session.reload(good("made", &subject.text), Vec::new()));
        session.settle();
        assert_eq!(
            *session.stop(),
            Stop::Reload(None),
            "reload at {at}: {}",
            subject.name
        );
        go(session);
        same(session, "reload");
    }
    // An edit that changes nothing creates a fork with the same requests.
    let entered = all
        .iter()
        .position(|event| event.kind == EventKind::StateEntered);
    let at = entered.unwrap() as u64 + 1;
    command(session, Command::Travel(at));
    look_at(session, &all[at as usize - 1]);
    let input = session
        .machine()
        .frames()
        .next()
        .unwrap()
        .visit
        .data
        .latest(Stage::Input);
    session.tell(Command::Edit {
        stage: Stage::Input,
        at: Pointer::root(),
        value: input,
    });
    session.settle();
    go(session);
    assert_eq!(
        session.view().header.run,
        6,
        "a fork after a restart and three reloads"
    );
}

/// True if both events have the same kind, state, frame, argument and time.
fn alike(one: &Event, other: &Event) -> bool {
    (one.kind, one.state, one.frame, one.arg, one.time)
        == (other.kind, other.state, other.frame, other.arg, other.time)
}

#[test]
fn nothing_outside_is_asked_twice_by_repeating() {
    let (mut tasks, mut reads, mut writes) = (0, 0, 0);
    let cases = support::cases(40);
    for seed in 0..cases.into() {
        let subject = Subject::new(500 + seed);
        let (mut session, server) = subject.session(true);
        go(&mut session);
        repeat(&mut session, &subject, &mut Random::new(seed));
        let twice = server.twice();
        assert!(twice.is_empty(), "{twice:#?}\n{}", subject.name);
        assert!(server.worker.evaluator().started() <= 1, "{}", subject.name);
        tasks += server.count("task");
        reads += server.count("read");
        writes += server.count("write");
    }
    println!("{tasks} tasks called, {reads} files read, {writes} written, each once");
    assert!(
        tasks > cases as usize * 5 / 4 && reads > cases as usize / 4 && writes > 0,
        "{tasks} {reads} {writes}"
    );
}

#[test]
fn a_restart_that_drops_the_answers_asks_again() {
    let folder = Folder::new();
    let text = json!({ "StartAt": "M", "States": { "M": { "Type": "Map", "End": true,
        "ItemReader": { "Resource": "arn:aws:states:::s3:getObject", "Parameters": { "Bucket": "bucket", "Key": "list.json" }, "ReaderConfig": { "InputType": "JSON" } },
        "ResultWriter": { "Resource": "arn:aws:states:::s3:putObject", "Parameters": { "Bucket": "out", "Prefix": "p" } },
        "ItemProcessor": { "ProcessorConfig": { "Mode": "DISTRIBUTED", "ExecutionType": "STANDARD" }, "StartAt": "V", "States": { "V": { "Type": "Task", "Resource": "arn:aws:states:::sqs:sendMessage", "End": true } } } } } });
    let server = Arc::new(Counting::new(&folder, true));
    let mut setup = Setup::new(
        good("files", &text.to_string()),
        Header::new(value("{}"), Profile::Aws),
        Arc::new(asldbg::worker::Worker::new()),
    );
    setup.server = Arc::clone(&server) as Arc<dyn Serve>;
    let mut session = Session::new(setup);
    assert_eq!(go(&mut session), Stop::End);
    for (kept, most) in [
        (Restart::KeepAnswers, 1),
        (Restart::Fresh, 2),
        (Restart::KeepAnswers, 2),
    ] {
        command(&mut session, Command::Restart(kept));
        assert_eq!(go(&mut session), Stop::End);
        let asked = server.asked.lock().unwrap();
        assert_eq!(asked.len(), 5, "a file read, three tasks, a file written");
        assert!(
            asked.values().all(|count| *count == most),
            "{kept:?}: {asked:?}"
        );
    }
    // The changed definition reads another file, which is a new request.
    let other = text
        .to_string()
        .replace("list.json", "rows.jsonl")
        .replace("\"JSON\"", "\"JSONL\"");
    drop(session.reload(good("files", &other), Vec::new()));
    session.settle();
    go(&mut session);
    let read = server
        .asked
        .lock()
        .unwrap()
        .iter()
        .filter(|((what, _), _)| *what == "read")
        .map(|(_, count)| *count)
        .sum::<usize>();
    assert_eq!(read, 3);
}

#[test]
fn a_machine_without_jsonata_starts_no_evaluator() {
    for sample in support::samples() {
        let folder = Folder::new();
        let jsonata = sample.text.contains("JSONata");
        for profile in [Profile::Spec, Profile::Aws] {
            let server = Arc::new(Counting::new(&folder, false));
            let mut setup = Setup::new(
                Arc::clone(&sample.definition),
                Header::new(sample.input.clone(), profile),
                Arc::new(asldbg::worker::Worker::new()),
            );
            setup.mock = Some(sample.mock.clone());
            setup.unmocked = Unmocked::Echo;
            setup.server = Arc::clone(&server) as Arc<dyn Serve>;
            let mut session = Session::new(setup);
            support::never_stop(&mut session);
            go(&mut session);
            session.tell(Command::Watch("$.n".into()));
            let _ = session.view();
            let started = server.worker.evaluator().started();
            assert_eq!(started, 0, "{}: nothing in it takes long", sample.name);
            assert_eq!(
                server.evaluations.load(Ordering::Relaxed) > 0,
                jsonata,
                "{}",
                sample.name
            );
        }
    }
}

#[test]
fn a_rich_run_is_gone_back_in_while_it_waits_for_answers() {
    for seed in 0..support::cases(20).into() {
        let subject = Subject::new(900 + seed);
        let server = Arc::new(Counting::new(&subject.folder, false));
        let mut setup = Setup::new(
            Arc::clone(&subject.definition),
            Header::new(value(&subject.made.input.to_string()), subject.profile),
            Arc::new(asldbg::worker::Worker::new()),
        );
        setup.server = Arc::clone(&server) as Arc<dyn Serve>;
        setup.checkpoint_budget = 100_000;
        let mut session = Session::new(setup);
        support::never_stop(&mut session);
        let mut random = Random::new(seed);
        while let Stop::Ask(ask) = go(&mut session) {
            let at = session.event_count();
            let event = *session.event(at).unwrap();
            look_at(&mut session, &event);
            let before = plain(session.view());
            command(
                &mut session,
                Command::Travel(1 + random.below(at as usize) as u64),
            );
            command(&mut session, Command::Now);
            look_at(&mut session, &event);
            assert!(
                before == plain(session.view()),
                "{}",
                support::views::differing(&before, &plain(session.view()))
            );
            let key = session
                .machine()
                .ask(ask)
                .map(|ask| ask.key.path.clone())
                .unwrap();
            assert!(StatePath(key).0.contains('S'));
            let answer = match random.below(4) {
                0 => Answer::failure("Made.Busy", "typed"),
                1 => Answer {
                    heartbeats: vec![1000, 4000, 9000],
                    took: 12_000,
                    ..Answer::success(value("3"))
                },
                2 => Answer {
                    took: 600_000,
                    ..Answer::success(value("4"))
                },
                _ => Answer::success(value(r#"{"typed":true}"#)),
            };
            session.tell(Command::Answer(ask, answer));
            if session.event_count() > 5000 {
                break;
            }
        }
        let twice = server.twice();
        assert!(twice.is_empty(), "{twice:#?}\n{}", subject.name);
    }
}
