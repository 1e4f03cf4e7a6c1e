//! Helpers for the behaviour tests: they parse definitions, run sessions to their end, and make random numbers.
#![allow(dead_code, reason = "each test binary uses a part of it")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that fails panics"
)]

pub(crate) mod desk;
pub(crate) mod expression;
pub(crate) mod figures;
pub(crate) mod leads;
pub(crate) mod places;
pub(crate) mod random_machine;
pub(crate) mod stored;
pub(crate) mod traced;
pub(crate) mod views;

use asldbg::definition::{Definition, lower};
use asldbg::history::Recording;
use asldbg::interpreter::{Event, EventKind, Header};
use asldbg::json::{Value, parse};
use asldbg::query::Profile;
use asldbg::session::answers::{MockCase, MockFile};
use asldbg::session::unattended::{Happened, Unattended};
use asldbg::session::{
    Command, Direction, ErrorMoment, Repeats, Reply, Session, Setup, Stop, Switch, Unmocked,
};
use asldbg::source::{Diagnostics, SourceFile, SourceId, SourceMap, parse_json};
use asldbg::worker::{Files, Worker};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Parses a definition and returns its diagnostics; `None` if the text is not JSON at all.
pub(crate) fn definition(name: &str, text: &str) -> (Option<Arc<Definition>>, Diagnostics) {
    let file = SourceFile::new(format!("{name}.asl.json"), text);
    let (node, mut found) = parse_json(&file, SourceId(0));
    let Some(node) = node else {
        return (None, found);
    };
    let (definition, lowered) = lower(Arc::new(node), Arc::new(SourceMap::of(file)), name);
    found.extend(lowered);
    (Some(Arc::new(definition)), found)
}

/// Parses a definition that must have no blocking errors.
pub(crate) fn good(name: &str, text: &str) -> Arc<Definition> {
    let (definition, found) = definition(name, text);
    let blocking: Vec<_> = found.iter().filter(|finding| finding.blocking).collect();
    assert!(blocking.is_empty(), "{name}: {blocking:?}");
    definition.unwrap_or_else(|| panic!("{name} is no JSON"))
}

/// Parses a value.
pub(crate) fn value(text: &str) -> Value {
    parse(text).unwrap_or_else(|error| panic!("{error:?}: {text}"))
}

/// Selects a test case from the text of a mock file.
pub(crate) fn mock(machine: &str, text: &str, case: Option<&str>) -> MockCase {
    let file = SourceFile::new(format!("{machine}.mock.json"), text);
    let (mocks, found) = MockFile::parse(&file, SourceId(0));
    assert!(found.is_empty(), "{machine}: {found:?}");
    mocks
        .unwrap_or_else(|| panic!("{machine}: no mock file"))
        .select(&[machine], case)
        .unwrap_or_else(|error| panic!("{machine}: {error}"))
}

/// A mock case from lists of answers: `{"State": [{"Return": 1}, {"Throw": ...}]}`.
pub(crate) fn answers(lists: &serde_json::Value) -> Option<MockCase> {
    answers_then(lists, None)
}

/// A mock case from lists of answers. After the last answer of its list, each task returns empty objects without end.
pub(crate) fn endless_answers(lists: &serde_json::Value) -> Option<MockCase> {
    answers_then(lists, Some(serde_json::json!({ "Return": {} })))
}

fn answers_then(lists: &serde_json::Value, rest: Option<serde_json::Value>) -> Option<MockCase> {
    let lists = lists.as_object()?;
    let (mut case, mut responses) = (serde_json::Map::new(), serde_json::Map::new());
    for (state, list) in lists {
        case.insert(state.clone(), state.clone().into());
        let mut entries = serde_json::Map::new();
        let list = list.as_array()?;
        for (place, answer) in list.iter().enumerate() {
            entries.insert(place.to_string(), answer.clone());
        }
        if let Some(rest) = &rest {
            entries.insert(format!("{}-999999", list.len()), rest.clone());
        }
        responses.insert(state.clone(), entries.into());
    }
    let text = serde_json::json!({
        "StateMachines": { "case": { "TestCases": { "Case": case } } },
        "MockedResponses": responses,
    });
    Some(mock("case", &text.to_string(), Some("Case")))
}

/// A session with these answers that stops only at the end.
pub(crate) fn session(
    definition: &Arc<Definition>,
    header: Header,
    mock: Option<MockCase>,
) -> Session {
    let mut setup = Setup::new(
        Arc::clone(definition),
        header,
        Arc::new(asldbg::worker::Worker::new()),
    );
    setup.mock = mock;
    let mut session = Session::new(setup);
    never_stop(&mut session);
    session
}

/// Switches off the stops at errors and at differences between the profiles.
pub(crate) fn never_stop(session: &mut Session) {
    for moment in ErrorMoment::ALL {
        session.tell(Command::StopOn(moment, Switch::Off));
    }
    session.tell(Command::StopOnDifference(Switch::Off));
}

/// A session that stops only at the end, in which every task returns a sample of its response.
pub(crate) fn echo_session(definition: &Arc<Definition>, header: Header) -> Session {
    let mut setup = Setup::new(
        Arc::clone(definition),
        header,
        Arc::new(asldbg::worker::Worker::new()),
    );
    setup.unmocked = Unmocked::Echo;
    let mut session = Session::new(setup);
    never_stop(&mut session);
    session
}

/// Applies a command that the session must not refuse.
pub(crate) trait Tell {
    fn tell(&mut self, command: Command) -> Reply;
}

impl Tell for Session {
    fn tell(&mut self, command: Command) -> Reply {
        let text = format!("{command:?}");
        self.apply(command)
            .unwrap_or_else(|refused| panic!("{text}: {refused:?}"))
    }
}

/// Takes the outputs of a session and returns them as texts.
pub(crate) fn said(session: &mut Session) -> Vec<String> {
    let outputs = session.take_outputs();
    let keymap = asldbg::tui::keymap::Keymap::default();
    let definition = session.definition();
    let texts = outputs
        .iter()
        .map(|output| asldbg::tui::wording::output(output, definition, &keymap));
    texts.map(|(text, _)| text).collect()
}

/// Continues to the next stop.
pub(crate) fn go(session: &mut Session) -> Stop {
    command(session, Command::Continue(Direction::Forward))
}

/// Executes a command, waits for the work that it starts, and returns the stop.
pub(crate) fn command(session: &mut Session, command: Command) -> Stop {
    drop(session.apply(command));
    session.settle();
    session.stop().clone()
}

/// Runs at most `events` events; returns true if the session has stopped.
pub(crate) fn go_at_most(session: &mut Session, events: u64) -> bool {
    session.tell(Command::Continue(Direction::Forward));
    session.advance(events);
    !session.is_busy()
}

/// The recorded events in order.
pub(crate) fn events(session: &Session) -> Vec<Event> {
    (1..=session.event_count())
        .filter_map(|number| session.event(number).copied())
        .collect()
}

/// The name of an event's state.
pub(crate) fn state_of(session: &Session, event: &Event) -> String {
    event
        .state
        .and_then(|id| session.definition().state(id))
        .map_or_else(String::new, |state| state.name.to_string())
}

/// The names of the states entered, in order.
pub(crate) fn trace(session: &Session) -> Vec<String> {
    events(session)
        .iter()
        .filter(|event| event.kind == EventKind::StateEntered)
        .map(|event| state_of(session, event))
        .collect()
}

/// The profile with this name, `spec` or `aws`; both profiles if there is no name.
pub(crate) fn profiles(name: Option<&str>) -> Vec<Profile> {
    match name {
        None | Some("both") => vec![Profile::Spec, Profile::Aws],
        Some("spec") => vec![Profile::Spec],
        Some("aws") => vec![Profile::Aws],
        Some(other) => panic!("no profile {other}"),
    }
}

/// The folder of the repository.
pub(crate) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The text of a file of the repository.
pub(crate) fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files in a folder whose names end with `ending`, sorted by name.
pub(crate) fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let entries =
        std::fs::read_dir(root().join(folder)).unwrap_or_else(|error| panic!("{folder}: {error}"));
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.to_string_lossy().ends_with(ending))
        .collect();
    found.sort();
    found
}

/// One sample: its definition, input and mock case.
pub(crate) struct Sample {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) definition: Arc<Definition>,
    pub(crate) input: Value,
    pub(crate) mock: MockCase,
}

impl Sample {
    /// The setup of a session with the sample.
    pub(crate) fn setup(&self, profile: Profile) -> Setup {
        let header = Header::new(self.input.clone(), profile);
        let mut setup = Setup::new(
            Arc::clone(&self.definition),
            header,
            Arc::new(asldbg::worker::Worker::new()),
        );
        setup.mock = Some(self.mock.clone());
        setup.server = Arc::new(Worker::with_files(Files {
            read_root: Some(root().join(format!("samples/{}.s3", self.name))),
            ..Files::default()
        }));
        setup
    }

    /// A session with the sample that stops only at the end.
    pub(crate) fn session(&self, profile: Profile) -> Session {
        let mut session = Session::new(self.setup(profile));
        never_stop(&mut session);
        session
    }
}

/// Every sample, by name.
pub(crate) fn samples() -> Vec<Sample> {
    files("samples", ".asl.json")
        .iter()
        .map(|path| {
            let name = path
                .file_name()
                .map(|name| name.to_string_lossy().replace(".asl.json", ""))
                .unwrap_or_default();
            sample(&name)
        })
        .collect()
}

/// The sample with this name.
pub(crate) fn sample(name: &str) -> Sample {
    let text = read(format!("samples/{name}.asl.json"));
    let (definition, found) = definition(name, &text);
    assert!(found.is_empty(), "{name}: {found:?}");
    let mocks = read(format!("samples/{name}.mock.json"));
    let file = SourceFile::new(format!("{name}.mock.json"), &mocks);
    let (parsed, _) = MockFile::parse(&file, SourceId(0));
    let first = parsed.as_ref().and_then(|parsed| {
        parsed
            .cases(&[name])?
            .first()
            .map(|case| case.name.to_string())
    });
    Sample {
        definition: definition.unwrap_or_else(|| panic!("{name} is no JSON")),
        input: value(&read(format!("samples/{name}.input.json"))),
        mock: mock(name, &mocks, first.as_deref()),
        name: name.to_string(),
        text,
    }
}

/// Number of random cases to try: `usual`, multiplied by the environment variable `CASES` if it is set.
pub(crate) fn cases(usual: u32) -> u32 {
    let times = std::env::var("CASES").ok();
    usual * times.map_or(1, |times| times.parse().unwrap())
}

/// Random numbers from a fixed seed (xorshift64*), so that failures can be reproduced.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.bits() % (end.max(1) as u64)) as usize
    }

    /// True with a probability of one in `many`.
    pub(crate) fn one_in(&mut self, many: usize) -> bool {
        self.below(many) == 0
    }

    /// A random item of a list.
    pub(crate) fn of<'l, T>(&mut self, list: &'l [T]) -> &'l T {
        &list[self.below(list.len())]
    }
}

/// The history of a complete run, in AWS's form.
pub(crate) fn recorded(setup: &Setup) -> String {
    let mut run = Unattended::start(
        Arc::new(setup.run()),
        setup.answerer(Repeats::Never),
        1 << 30,
    );
    let mut out = Recording::new(Vec::new());
    loop {
        match run.step() {
            Happened::Event(event) => out.note(run.machine(), &event).unwrap(),
            Happened::Nothing => {}
            _ => break,
        }
    }
    let text = out.finish().unwrap();
    String::from_utf8(text).unwrap()
}
