//! Tests of the terminal UI on a screen in memory, with key scripts: `tests/tui/keys.txt`.
//!
//! A script has a command of the table of commands as its heading, followed by steps: `key K...` presses keys,
//! `type TEXT` types characters, `line TEXT` types a command and Enter, `see TEXT` and `not TEXT` check the screen,
//! `found TEXT` checks the text highlighted as found, `effect TEXT` checks the requested effects, `size COLSxROWS`
//! resizes the screen.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]

use asldbg::interpreter::Header;
use asldbg::json::{Value, parse};
use asldbg::launch::{
    Begun, Choice, Field, LaunchError, NewCase, Note, Origin, OwnWrites, Question, Reloaded,
    Workspace, write_case,
};
use asldbg::query::Profile;
use asldbg::session::answers::MockFile;
use asldbg::session::{self, Session};
use asldbg::source::{SourceFile, SourceId};
use asldbg::tui::action::{Action, TABLE};
use asldbg::tui::input::Input;
use asldbg::tui::keymap::Key;
use asldbg::tui::model::Model;
use asldbg::tui::theme::{Role, Theme};
use asldbg::tui::{App, Effect, Setup, screen};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use loaded::load;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use script::{Script, scripts};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

#[path = "tui/flood.rs"]
mod flood;
#[path = "tui/host.rs"]
mod host;
#[path = "tui/loaded.rs"]
mod loaded;
#[path = "tui/played.rs"]
mod played;
#[path = "tui/script.rs"]
mod script;
#[path = "tui/visitors.rs"]
mod visitors;

const ORDER: &str = include_str!("tui/order.asl.json");
const MOCK: &str = include_str!("tui/order.mock.json");
const INPUT: &str = r#"{"order": {"id": "A-17", "qty": 2, "total": 4200, "fee": 80, "card": "tok_9"}, "parcels": [{"kg": 1}, {"kg": 2}, {"kg": 3}]}"#;

fn session(text: &str, case: Option<&str>) -> Session {
    let loaded = load(text);
    let header = Header::new(parse(INPUT).expect("json"), Profile::Spec);
    let (mocks, _) = MockFile::parse(&SourceFile::new("order.mock.json", MOCK), SourceId(0));
    let mock = case.and_then(|case| mocks?.select(&["order"], Some(case)).ok());
    Session::new(session::Setup {
        children: loaded::children(text),
        diagnostics: loaded.diagnostics,
        test_case: mock.as_ref().map(|case| case.name.clone()),
        mock,
        ..session::Setup::new(
            loaded.definition,
            header,
            Arc::new(asldbg::worker::Worker::new()),
        )
    })
}

fn choice(name: &str) -> Choice {
    Choice {
        name: name.to_owned(),
        detail: "8 states".to_owned(),
        ..Choice::default()
    }
}

/// Opens a state machine by its index: the first or the second of three. Opening the third one fails.
fn machine(place: usize) -> Result<Begun, LaunchError> {
    let names = ["Orders", "Refunds"];
    let name = names
        .get(place)
        .ok_or_else(|| LaunchError::field(Field::StateMachine, "Broken has no definition"))?;
    let asks = place == 1;
    Ok(Begun {
        session: session(ORDER, if asks { None } else { Some("Happy") }),
        origin: Origin {
            machine: Some((*name).to_owned()),
            cases: vec!["Happy".into(), "Throttled".into()],
            inputs: vec![
                "tests/tui/order.mock.json".into(),
                "events/none.json".into(),
            ],
            watched: vec!["other.yaml".into()],
            ask: match asks {
                true => vec![Question::Case, Question::Input],
                false => Vec::new(),
            },
            ..Origin::default()
        },
    })
}

/// A workspace with the order sample. It has no files except `mock_file`.
#[derive(Clone, Debug)]
struct Order {
    choices: Vec<Choice>,
    /// The definition's text, which a reload opens again; `None` if reloading is not possible.
    text: Option<Arc<Mutex<String>>>,
    mock_file: Option<PathBuf>,
}

impl Default for Order {
    fn default() -> Self {
        Self {
            choices: vec![choice("Orders"), choice("Refunds"), choice("Broken")],
            text: None,
            mock_file: Some(
                concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tui/order.mock.json").into(),
            ),
        }
    }
}

impl Workspace for Order {
    fn another(&self) -> Box<dyn Workspace> {
        Box::new(self.clone())
    }

    fn choices(&self) -> &[Choice] {
        &self.choices
    }

    fn reload(&mut self) -> Result<Reloaded, LaunchError> {
        let text = self.text.as_ref().ok_or(LaunchError::NotReadAgain)?;
        Ok(load(&text.lock().expect("a text")))
    }

    fn choose_case(&mut self, name: &str, saved: Option<&Value>) -> Result<Session, LaunchError> {
        let mut session = session(ORDER, Some(name));
        if let Some(saved) = saved {
            session.restore_points(saved);
        }
        Ok(session)
    }

    fn choose_machine(&mut self, place: usize, _: Option<&Value>) -> Result<Begun, LaunchError> {
        machine(place)
    }

    fn write_case(&mut self, case: &NewCase<'_>) -> Result<PathBuf, LaunchError> {
        let file = self.mock_file.clone().ok_or(LaunchError::NowhereToWrite)?;
        write_case(&file, case, &OwnWrites::default())?;
        Ok(file)
    }
}

struct Screen {
    app: App,
    terminal: Terminal<TestBackend>,
    effects: Vec<Effect>,
}

impl Screen {
    fn new(case: Option<&str>) -> Self {
        Self::with(case, Setup::default())
    }

    fn with(case: Option<&str>, setup: Setup) -> Self {
        Self::over(ORDER, case, Order::default(), setup)
    }

    fn over(text: &str, case: Option<&str>, order: Order, setup: Setup) -> Self {
        let setup = Setup {
            ascii: true,
            workspace: Box::new(order),
            origin: Origin {
                cases: vec!["Happy".into(), "Throttled".into()],
                file: Some(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tui/order.asl.json").into()),
                ..setup.origin
            },
            ..setup
        };
        let mut screen = Self {
            app: App::new(session(text, case), setup, Model::default()),
            terminal: Terminal::new(TestBackend::new(160, 45)).expect("a screen"),
            effects: Vec::new(),
        };
        screen.settle();
        screen
    }

    fn settle(&mut self) {
        self.draw();
        let busy = self.app.is_busy();
        for _ in 0..100_000 {
            if !self.app.slice() {
                break;
            }
        }
        let mut effects = self.app.effects();
        let still = !busy && effects.is_empty();
        while let Some(job) = self.app.job() {
            job.run();
            self.app.input(Input::Read);
            while self.app.slice() {}
            effects.extend(self.app.effects());
        }
        for effect in effects {
            match effect {
                Effect::LayOut(request) => self.app.input(Input::Drawing(request.make())),
                Effect::Read | Effect::Keep => {}
                effect => self.effects.push(effect),
            }
        }
        // If `still`, nothing has changed since the last drawing, so the screen is not drawn again.
        if !still {
            self.draw();
        }
    }

    fn draw(&mut self) {
        self.terminal
            .draw(|frame| self.app.draw(frame))
            .expect("drawn");
    }

    fn input(&mut self, input: Input) {
        self.app.input(input);
        self.settle();
    }

    fn key(&mut self, key: &str) {
        let key: Key = key.parse().expect("a key");
        self.input(Input::Key(key.event()));
    }

    /// Types a text; the screen is drawn only after the last letter.
    fn typed(&mut self, text: &str) {
        for c in text.chars() {
            let key = KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE);
            self.app.input(Input::Key(key));
        }
        self.settle();
    }

    fn text(&self) -> String {
        screen::text(self.terminal.backend().buffer())
    }

    fn resize(&mut self, columns: u16, rows: u16) {
        self.terminal.backend_mut().resize(columns, rows);
        self.input(Input::Resize(columns, rows));
    }

    /// The text highlighted as found, cell by cell.
    fn found(&self) -> String {
        let style = Theme::default().style(Role::Match);
        let cells = self.terminal.backend().buffer().content().iter();
        let found = cells.filter(|cell| Some(cell.bg) == style.bg && Some(cell.fg) == style.fg);
        found.map(|cell| cell.symbol()).collect()
    }

    fn step(&mut self, step: &str) -> Result<(), String> {
        let (word, rest) = step.split_once(' ').unwrap_or((step, ""));
        match word {
            "key" => rest.split(' ').for_each(|key| self.key(key)),
            "type" => self.typed(rest),
            "line" => {
                self.key(":");
                self.typed(rest);
                self.key("Enter");
            }
            "paste" => self.input(Input::Paste(rest.to_owned())),
            "see" if !self.text().contains(rest) => return Err(format!("does not see {rest:?}")),
            "not" if self.text().contains(rest) => return Err(format!("sees {rest:?}")),
            "see" | "not" => {}
            "found" if self.found() != rest => return Err(format!("found {:?}", self.found())),
            "found" => {}
            "size" => match rest.split_once('x').map(|(x, y)| (x.parse(), y.parse())) {
                Some((Ok(columns), Ok(rows))) => self.resize(columns, rows),
                _ => return Err(format!("{rest} is no size")),
            },
            "effect" => {
                let effects = format!("{:?}", self.effects);
                if !effects.contains(rest) {
                    return Err(format!("no effect {rest:?} in {effects}"));
                }
            }
            _ => return Err(format!("no step is named {word}")),
        }
        Ok(())
    }
}

#[test]
fn every_command_has_a_script_that_uses_its_key_or_word() {
    let scripts = scripts();
    for entry in TABLE {
        let matching: Vec<_> = scripts
            .iter()
            .filter(|script| script.name == entry.name)
            .collect();
        assert!(
            !matching.is_empty(),
            "{} has no script in tests/tui/keys.txt",
            entry.name
        );
        let mut steps = matching.iter().flat_map(|script| &script.steps);
        let used = steps.any(|step| {
            let (word, rest) = step.split_once(' ').unwrap_or((step, ""));
            match word {
                "key" => rest.split(' ').any(|key| entry.keys.contains(&key)),
                "line" => (rest.split([' ', '!']).next())
                    .is_some_and(|word| Action::named(word) == Some(entry.action)),
                _ => false,
            }
        });
        assert!(used, "the script of {} does not use it", entry.name);
    }
    for Script { name, .. } in &scripts {
        assert!(
            TABLE.iter().any(|entry| entry.name == name),
            "{name} is no command"
        );
    }
}

#[test]
fn scripts_of_keys() {
    let mut problems = Vec::new();
    for Script {
        name,
        case,
        file,
        steps,
    } in scripts()
    {
        let text = file.map(|file| {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tui");
            std::fs::read_to_string(path.join(file)).expect("a definition of tests/tui")
        });
        let text = text.as_deref().unwrap_or(ORDER);
        let mut screen = Screen::over(text, case.as_deref(), Order::default(), Setup::default());
        for step in &steps {
            if let Err(problem) = screen.step(step) {
                problems.push(format!("{name}: at {step:?}: {problem}\n{}", screen.text()));
                break;
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn no_key_panics_anywhere() {
    let keys: Vec<&str> = TABLE
        .iter()
        .flat_map(|entry| entry.keys.iter().copied())
        .collect();
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut screen = Screen::new(Some("Throttled"));
    for turn in 0..1_500_u32 {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        let key = keys[(seed % keys.len() as u64) as usize];
        // Keys that would end or suspend the test itself are left out.
        if !matches!(key, "Ctrl-z" | "Ctrl-c") {
            screen.key(key);
        }
        if turn % 7 == 0 {
            let (column, row) = ((seed % 170) as u16, (seed / 170 % 50) as u16);
            let kind = [
                MouseEventKind::Down(MouseButton::Left),
                MouseEventKind::ScrollDown,
                MouseEventKind::Drag(MouseButton::Left),
            ][(seed % 3) as usize];
            screen.input(Input::Mouse(MouseEvent {
                kind,
                column,
                row,
                modifiers: KeyModifiers::NONE,
            }));
        }
        if turn % 50 == 0 {
            let (columns, rows) =
                [(160, 45), (80, 24), (100, 30), (44, 12), (20, 5)][(turn / 50 % 5) as usize];
            screen.resize(columns, rows);
        }
    }
}

#[test]
fn a_script_runs_line_by_line_and_stops_at_a_mistake() {
    let setup = Setup {
        script: [
            "# a demonstration",
            "break ChargeCard",
            "c",
            "n 2",
            "nonsense",
            "quit!",
        ]
        .map(String::from)
        .to_vec(),
        ..Setup::default()
    };
    let screen = Screen::with(Some("Happy"), setup);
    let text = screen.text();
    assert!(text.contains("no command is named nonsense"), "{text}");
    assert!(text.contains("Parcels"), "{text}");
    assert!(screen.effects.is_empty());
}

#[test]
fn a_reload_with_errors_keeps_the_old_text_in_force() {
    let text = Arc::new(Mutex::new(ORDER.to_owned()));
    let order = Order {
        text: Some(Arc::clone(&text)),
        ..Order::default()
    };
    let mut screen = Screen::over(ORDER, Some("Happy"), order, Setup::default());
    screen.key("n");
    *text.lock().expect("a text") =
        ORDER.replace("\"Next\": \"InStock?\"", "\"Next\": \"InStok?\"");
    screen.input(Input::FileChanged);
    let shown = screen.text();
    assert!(shown.contains("reload: 1 error, line "), "{shown}");
    assert!(shown.contains("not in use"), "{shown}");
    *text.lock().expect("a text") = ORDER.to_owned();
    screen.input(Input::FileChanged);
    let shown = screen.text();
    assert!(!shown.contains("not in use"), "{shown}");
}

#[test]
fn a_reload_judges_the_test_case_and_says_once_what_differs() {
    let text = Arc::new(Mutex::new(ORDER.replace("\"Parcels\"", "\"Packages\"")));
    let order = Order {
        text: Some(text),
        ..Order::default()
    };
    let setup = Setup {
        verdict: Some(Arc::new(|| "the test case paid passes".to_owned())),
        ..Setup::default()
    };
    let mut screen = Screen::over(ORDER, Some("Happy"), order, setup);
    screen.key("c");
    screen.input(Input::FileChanged);
    for text in ["the test case paid passes", "Run 2 differs at event"] {
        screen.step(&format!("see {text}")).expect("said");
    }
    assert!(!screen.text().contains("run 2 differs"));
}

#[test]
fn a_run_becomes_a_test_case() {
    let folder = std::env::temp_dir().join(format!("asldbg-case-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("it's.mock.json");
    std::fs::write(&file, MOCK).expect("written");
    let order = Order {
        mock_file: Some(file.clone()),
        ..Order::default()
    };
    let mut screen = Screen::over(ORDER, Some("Throttled"), order, Setup::default());
    screen.step("key c").expect("done");
    screen.step("line write case Again").expect("done");
    screen
        .step("see answers written to test case Again; run it with: asldbg run")
        .expect("said");
    let written = std::fs::read_to_string(&file).expect("read");
    let left = std::fs::read_dir(&folder).expect("read").count();
    let _ = std::fs::remove_dir_all(&folder);
    assert_eq!(left, 1);
    let (mocks, _) = MockFile::parse(&SourceFile::new("m", &written), SourceId(0));
    let mocks = mocks.expect("a mock file");
    let case = |name: &str| mocks.select(&["order"], Some(name)).expect("the case");
    let (old, new) = (case("Throttled"), case("Again"));
    for number in 0..3 {
        let answer = |case: &session::answers::MockCase| {
            case.answer("ChargeCard", number).and_then(Result::ok)
        };
        assert_eq!(answer(&old), answer(&new));
    }
    screen.step("line case Again").expect("done");
}

#[test]
fn deadlines_take_real_time_where_that_is_wanted() {
    let setup = Setup {
        realtime: Some(200.0),
        ..Setup::default()
    };
    let mut screen = Screen::with(Some("Throttled"), setup);
    screen.key("c");
    screen.step("see in real time").expect("it waits");
    screen.step("see RUNNING").expect("it waits");
    let began = std::time::Instant::now();
    let mut waits = 0;
    while let Some(at) = screen.app.deadline() {
        std::thread::sleep(at.saturating_duration_since(std::time::Instant::now()));
        screen.input(Input::Deadline);
        waits += 1;
        assert!(waits < 100, "{}", screen.text());
    }
    assert!(waits > 1);
    assert!(began.elapsed() >= std::time::Duration::from_millis(20));
    screen.step("not in real time").expect("it goes on");
    // The run can be paused while it waits; then the clock stops.
    screen.key("r");
    screen.key("c");
    screen.key("p");
    screen.step("not in real time").expect("paused");
    assert_eq!(screen.app.deadline(), None);
}

#[test]
fn points_survive_another_test_case() {
    let mut screen = Screen::new(Some("Happy"));
    screen
        .step("line break ChargeCard if attempt >= 2")
        .expect("done");
    screen.step("line watch $.order.id").expect("done");
    screen.step("line case Throttled").expect("done");
    screen.step("key c").expect("done");
    screen.step("see attempt >= 2").expect("still there");
    screen.step("line info watches").expect("done");
    screen.step("see $.order.id").expect("still there");
}

#[test]
fn what_is_open_at_the_start_is_asked_before_the_script_runs() {
    let setup = || Setup {
        origin: Origin {
            ask: vec![Question::Machine],
            notes: vec![Note::Several {
                place: "stack.yaml".into(),
                count: 3,
            }],
            ..Origin::default()
        },
        script: vec!["break ChargeCard".into()],
        ..Setup::default()
    };
    let mut screen = Screen::with(None, setup());
    let steps = [
        "see stack.yaml contains 3 definitions",
        "see Enter pick  Esc quit",
        "not breakpoint 1",
        // If a machine cannot be opened, this is reported and another one can be selected.
        "key Down Down Enter",
        "see Broken has no definition",
        "see Enter pick  Esc quit",
        "type ref",
        "key Enter",
        "see order.asl.json > Refunds",
        "effect Watch([\"other.yaml\"])",
        "see Test case",
        "not breakpoint 1",
        "key Down Enter",
        "see case Throttled",
        "see = Input =",
        "not breakpoint 1",
        "key Enter",
        "see v Input",
        "see MockedResponses",
        "see breakpoint 1",
    ];
    for step in steps {
        let done = screen.step(step);
        done.unwrap_or_else(|problem| panic!("{step}: {problem}\n{}", screen.text()));
    }
    for leave in ["key Esc", "key q", "key Ctrl-c"] {
        let mut screen = Screen::with(None, setup());
        screen.step(leave).expect("done");
        screen.step("effect Quit").expect(leave);
    }
}

#[test]
#[ignore = "a measurement: cargo test --release --test tui -- --ignored frame"]
fn a_frame_takes_less_than_four_milliseconds() {
    let mut screen = Screen::new(Some("Throttled"));
    screen.terminal.backend_mut().resize(200, 60);
    screen.key("c");
    let started = std::time::Instant::now();
    for _ in 0..100 {
        screen.draw();
    }
    let each = started.elapsed() / 100;
    println!("{each:?}");
    assert!(each < std::time::Duration::from_millis(4), "{each:?}");
}
