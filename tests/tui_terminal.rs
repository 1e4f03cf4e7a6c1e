//! Tests of the terminal UI in a real terminal: however the UI ends, it restores the terminal modes.
//!
//! The child process is this test program itself, which runs the terminal UI if `ASLDBG_TEST_CHILD` is set.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may fail"
)]

use asldbg::definition::lower;
use asldbg::interpreter::Header;
use asldbg::json::Value;
use asldbg::launch::{Choice, LaunchError, Origin, Reloaded, Workspace};
use asldbg::query::Profile;
use asldbg::session::{self, Session};
use asldbg::source::{SourceFile, SourceId, SourceMap, parse_json};
use asldbg::tui::keymap::Keymap;
use asldbg::tui::{Options, Setup, run};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::io::{Read as _, Write as _};
use std::num::NonZero;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const ROWS: NonZero<u16> = NonZero::new(30).expect("not zero");
const COLUMNS: NonZero<u16> = NonZero::new(100).expect("not zero");
const CHILD: &str = "ASLDBG_TEST_CHILD";

/// A workspace that panics when the definition is reloaded.
#[derive(Debug)]
struct Panics;

impl Workspace for Panics {
    fn another(&self) -> Box<dyn Workspace> {
        Box::new(Self)
    }

    fn reload(&mut self) -> Result<Reloaded, LaunchError> {
        panic!("on purpose");
    }
}

/// A workspace that never answers in time: it blocks the UI thread when it is asked for the choices, and another thread
/// when the definition is reloaded.
#[derive(Debug)]
struct Hangs;

impl Workspace for Hangs {
    fn another(&self) -> Box<dyn Workspace> {
        Box::new(Self)
    }

    fn choices(&self) -> &[Choice] {
        std::thread::sleep(Duration::from_secs(60));
        panic!("nobody ended it");
    }

    fn reload(&mut self) -> Result<Reloaded, LaunchError> {
        std::thread::sleep(Duration::from_secs(60));
        panic!("nobody ended it");
    }
}

/// Not a test, but the program that runs in the terminal.
#[test]
fn child() {
    let Ok(way) = std::env::var(CHILD) else {
        return;
    };
    let text = include_str!("tui/order.asl.json");
    let file = SourceFile::new("order.asl.json", text);
    let (node, _) = parse_json(&file, SourceId(0));
    let node = Arc::new(node.expect("json"));
    let (definition, _) = lower(node, Arc::new(SourceMap::of(file)), "order");
    let header = Header::new(Value::empty_object(), Profile::Spec);
    let session = Session::new(session::Setup::new(
        Arc::new(definition),
        header,
        Arc::new(asldbg::worker::Worker::new()),
    ));
    let setup = Setup {
        ascii: true,
        keymap: Keymap::default(),
        origin: Origin {
            file: Some(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tui/order.asl.json").into()),
            ..Origin::default()
        },
        workspace: match way.as_str() {
            "panic" => Box::new(Panics),
            "hang" => Box::new(Hangs),
            _ => Box::default(),
        },
        ..Setup::default()
    };
    let ended = run(
        session,
        Options {
            setup,
            panic_is_caught: Some(asldbg::query::is_fenced),
            ..Options::default()
        },
    );
    println!("ended {ended:?}");
}

struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    writer: Box<dyn std::io::Write + Send>,
    output: Arc<Mutex<Vec<u8>>>,
}

impl Terminal {
    fn start(way: &str) -> Self {
        let mut command = CommandBuilder::new(std::env::current_exe().expect("this program"));
        command.args(["child", "--exact", "--nocapture", "--test-threads=1"]);
        command.env(CHILD, way);
        command.env(
            "EDITOR",
            match way {
                "reader" => "sh -c 'read line; echo got=$line; sleep 0.3'",
                _ => "asldbg-no-such-editor",
            },
        );
        Self::of(command)
    }

    /// Starts the real program with a sample.
    fn real(arguments: &[&str], state: &Path) -> Self {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_asldbg"));
        command.args(arguments);
        command.arg(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/samples/order.asl.json"
        ));
        command.env("ASLDBG_STATE_DIR", state);
        Self::of(command)
    }

    fn of(mut command: CommandBuilder) -> Self {
        let size = PtySize {
            rows: 30,
            cols: 100,
            pixel_width: 0,
            pixel_height: 0,
        };
        let pair = native_pty_system().openpty(size).expect("a terminal");
        command.env_remove("VISUAL");
        command.env("RUST_BACKTRACE", "0");
        let child = pair.slave.spawn_command(command).expect("started");
        let mut reader = pair.master.try_clone_reader().expect("a reader");
        let output = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&output);
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut bytes) {
                let read = bytes.get(..count).unwrap_or_default();
                sink.lock().expect("unlocked").extend_from_slice(read);
            }
        });
        let writer = pair.master.take_writer().expect("a writer");
        let terminal = Self {
            child,
            master: pair.master,
            writer,
            output,
        };
        terminal.wait_for("Graph");
        terminal
    }

    fn screen(&self) -> vt100::Parser {
        let mut parser = vt100::Parser::new(ROWS, COLUMNS, 0);
        parser.process(&self.output.lock().expect("unlocked"));
        parser
    }

    fn wait_for(&self, text: &str) {
        let started = Instant::now();
        while !self.screen().screen().contents().contains(text) {
            let shown = self.screen().screen().contents();
            assert!(
                started.elapsed() < Duration::from_secs(20),
                "{text} is not seen:\n{shown}"
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn keys(&mut self, keys: &str) {
        self.writer.write_all(keys.as_bytes()).expect("written");
        self.writer.flush().expect("written");
    }

    fn signal(&self, name: &str) {
        let id = self.child.process_id().expect("an id").to_string();
        let status = std::process::Command::new("kill")
            .args([name, &id])
            .status();
        assert!(status.expect("kill").success());
    }

    /// Waits until the program has ended, and returns the final screen.
    fn end(mut self) -> vt100::Parser {
        let started = Instant::now();
        while self.child.try_wait().expect("asked").is_none() {
            assert!(
                started.elapsed() < Duration::from_secs(20),
                "it does not end"
            );
            std::thread::sleep(Duration::from_millis(10));
        }
        std::thread::sleep(Duration::from_millis(50));
        let parser = self.screen();
        let screen = parser.screen();
        assert!(!screen.alternate_screen(), "the alternate screen is left");
        assert!(!screen.hide_cursor(), "the cursor is seen");
        assert!(!screen.bracketed_paste(), "pastes are plain");
        assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
        drop(self.master);
        parser
    }
}

#[test]
fn quitting_gives_the_terminal_back() {
    let mut terminal = Terminal::start("quit");
    assert!(terminal.screen().screen().alternate_screen());
    assert!(terminal.screen().screen().bracketed_paste());
    terminal.keys("M");
    terminal.wait_for("mouse on");
    // These keys are typed ahead: the program handles each key after it has finished the work for the key before.
    terminal.keys("sss");
    terminal.wait_for("waits for an answer");
    terminal.keys("qy");
    let screen = terminal.end();
    assert!(screen.screen().contents().contains("ended Ok(Quit)"));
}

#[test]
fn a_signal_gives_the_terminal_back() {
    for (signal, number) in [
        ("-TERM", libc::SIGTERM),
        ("-HUP", libc::SIGHUP),
        ("-QUIT", libc::SIGQUIT),
        ("-ABRT", libc::SIGABRT),
        ("-ALRM", libc::SIGALRM),
        ("-USR1", libc::SIGUSR1),
        ("-XCPU", libc::SIGXCPU),
    ] {
        let terminal = Terminal::start("signal");
        terminal.signal(signal);
        let screen = terminal.end();
        let said = format!("ended Ok(Signal(Ending({number})))");
        assert!(screen.screen().contents().contains(&said));
    }
}

#[test]
fn the_first_ctrl_c_stops_a_run() {
    // The default limit is long because other tests run at the same time; `INTERRUPT_MS` sets a stricter one.
    let limit = std::env::var("INTERRUPT_MS").ok();
    let limit = limit.and_then(|text| text.parse().ok()).unwrap_or(15_000);
    let folder = std::env::temp_dir().join(format!("asldbg-runs-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let definition = folder.join("loop.asl.json");
    let text = r#"{"StartAt":"A","States":{"A":{"Type":"Pass","Next":"B"},"B":{"Type":"Choice","Choices":[{"Variable":"$.end","IsPresent":true,"Next":"C"}],"Default":"A"},"C":{"Type":"Succeed"}}}"#;
    std::fs::write(&definition, text).expect("written");
    let built = || env!("CARGO_BIN_EXE_asldbg").into();
    let program = std::env::var_os("ASLDBG_BIN").unwrap_or_else(built);
    let mut command = CommandBuilder::new(program);
    command.args(["--fresh", "--profile", "spec"]);
    command.arg(&definition);
    command.env("ASLDBG_STATE_DIR", folder.join("state"));
    let mut terminal = Terminal::of(command);
    // The run stops once at 25,000 events, where AWS would end it.
    terminal.keys("c");
    terminal.wait_for("(25000)");
    let mut longest = Duration::ZERO;
    for round in 0_u64..6 {
        terminal.keys("c");
        terminal.wait_for("Ctrl-C pauses");
        std::thread::sleep(Duration::from_millis(37 * round * round));
        let sent = Instant::now();
        match round % 2 {
            0 => terminal.keys("\u{3}"),
            _ => terminal.signal("-INT"),
        }
        while terminal
            .screen()
            .screen()
            .contents()
            .contains("Ctrl-C pauses")
        {
            assert!(sent.elapsed() < Duration::from_millis(limit), "it runs on");
            std::thread::sleep(Duration::from_millis(2));
        }
        longest = longest.max(sent.elapsed());
    }
    println!("at most {longest:?}");
    terminal.keys("qy");
    terminal.end();
    std::fs::remove_dir_all(&folder).expect("removed");
}

#[cfg(unix)]
#[test]
fn a_call_is_abandoned_by_a_key() {
    let folder = std::env::temp_dir().join(format!("asldbg-calls-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let definition = folder.join("call.asl.json");
    let text = r#"{"StartAt":"A","States":{"A":{"Type":"Task","Resource":"arn:aws:lambda:eu-west-1:123456789012:function:f","End":true}}}"#;
    std::fs::write(&definition, text).expect("written");
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_asldbg"));
    command.args(["--fresh", "--task", "*=sleep 60"]);
    command.arg(&definition);
    command.env("ASLDBG_STATE_DIR", folder.join("state"));
    let mut terminal = Terminal::of(command);
    for key in ["p", "\u{1b}", "\u{3}"] {
        terminal.keys("c");
        terminal.wait_for("is calling");
        terminal.keys(key);
        terminal.wait_for("waits for an answer");
        terminal.keys(":restart!\r");
        terminal.wait_for("is ready at A");
    }
    terminal.keys("qy");
    terminal.end();
    std::fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn a_loop_that_hangs_is_ended_by_a_signal() {
    let mut terminal = Terminal::start("hang");
    terminal.keys(":m");
    std::thread::sleep(Duration::from_millis(200));
    terminal.signal("-TERM");
    let started = Instant::now();
    terminal.end();
    // Listing the choices takes a minute. The signal must end the program long before that.
    assert!(started.elapsed() < Duration::from_secs(15));
}

#[test]
fn keys_are_answered_while_a_file_is_read() {
    let mut terminal = Terminal::start("hang");
    terminal.keys("\u{12}");
    terminal.wait_for("reading the definition");
    // Keys that need no file still work; keys that need a file must wait.
    terminal.keys("M");
    terminal.wait_for("mouse on");
    terminal.keys("\u{12}");
    terminal.wait_for("reading the definition");
    terminal.keys("\u{1b}");
    terminal.wait_for("nothing has changed");
    let started = Instant::now();
    terminal.signal("-TERM");
    terminal.end();
    assert!(started.elapsed() < Duration::from_secs(15));
}

/// Runs the real program several times in a terminal that stays open. However the program ends, the terminal's settings
/// must be as before.
#[test]
fn every_end_gives_the_keyboard_back() {
    let starts = std::env::var("ASLDBG_TEST_STARTS").ok();
    let starts = starts.and_then(|text| text.parse().ok()).unwrap_or(12);
    let pair = native_pty_system()
        .openpty(PtySize::default())
        .expect("a terminal");
    let modes = || format!("{:?}", pair.master.get_termios());
    let before = modes();
    assert!(before.contains("ICANON"), "{before}");
    let mut reader = pair.master.try_clone_reader().expect("a reader");
    std::thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(1..) = reader.read(&mut bytes) {}
    });
    let mut writer = pair.master.take_writer().expect("a writer");
    for start in 0..starts {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_asldbg"));
        let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/order.asl.json");
        command.args(["--fresh", sample]);
        let mut child = pair.slave.spawn_command(command).expect("started");
        let id = child.process_id().expect("an id").to_string();
        std::thread::sleep(Duration::from_millis([0, 30, 100, 300, 500][start % 5]));
        let started = Instant::now();
        while child.try_wait().expect("asked").is_none() {
            assert!(started.elapsed() < Duration::from_secs(20), "{start}");
            match start % 4 {
                0 => writer.write_all(b"qy").expect("written"),
                1 => writer.write_all(b"\x03\x03").expect("written"),
                way => {
                    let name = if way == 2 { "-TERM" } else { "-HUP" };
                    let sent = std::process::Command::new("kill")
                        .args([name, &id])
                        .output();
                    assert!(sent.is_ok());
                }
            }
            std::thread::sleep(Duration::from_millis(60));
        }
        assert_eq!(modes(), before, "start {start}");
    }
}

#[test]
fn a_terminal_that_goes_away_is_no_panic() {
    let pair = native_pty_system()
        .openpty(PtySize::default())
        .expect("a terminal");
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_asldbg"));
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/order.asl.json");
    command.args(["--fresh", sample]);
    let mut child = pair.slave.spawn_command(command).expect("started");
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().expect("a reader");
    let (mut seen, mut bytes) = (String::new(), [0; 4096]);
    while !seen.contains("\u{1b}[?1049h") {
        let count = reader.read(&mut bytes).expect("read");
        seen += &String::from_utf8_lossy(bytes.get(..count).unwrap_or_default());
    }
    drop(reader);
    drop(pair.master);
    assert_eq!(child.wait().expect("ended").exit_code(), 129);
}

#[test]
fn what_is_no_regular_file_does_not_hold_the_screen() {
    let mut terminal = Terminal::start("files");
    for (line, said) in [
        (":input -\r", "standard input is the debugger's terminal"),
        (":input /dev/tty\r", "/dev/tty is a device"),
        (":source /dev/zero\r", "/dev/zero is a device"),
        (":theme /dev/stdin\r", "/dev/stdin is a device"),
    ] {
        terminal.keys(line);
        terminal.wait_for(said);
    }
    // Escape sequences and pastes that are never finished do not swallow the keys that follow them.
    terminal.keys("\u{1b}[<");
    std::thread::sleep(Duration::from_millis(200));
    terminal.keys("?");
    terminal.wait_for("j k scroll");
    terminal.keys("\u{1b}");
    terminal.keys("\u{1b}[200~abc");
    std::thread::sleep(Duration::from_millis(300));
    terminal.keys("\u{3}\u{3}");
    terminal.end();
}

#[test]
fn a_panic_gives_the_terminal_back_and_is_read() {
    let mut terminal = Terminal::start("panic");
    terminal.keys("\u{12}");
    let screen = terminal.end();
    let shown = screen.screen().contents();
    assert!(shown.contains("on purpose"), "{shown}");
}

#[cfg(debug_assertions)]
#[test]
fn a_panic_of_the_real_program_gives_the_terminal_back() {
    let mut terminal = Terminal::real(&["--fresh"], &std::env::temp_dir());
    terminal.keys(":panic\r");
    let screen = terminal.end();
    let shown = screen.screen().contents();
    assert!(shown.contains("on purpose"), "{shown}");
}

#[test]
fn a_killed_program_has_kept_what_was_set_up() {
    let folder = std::env::temp_dir().join(format!("asldbg-killed-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let watches = || -> Vec<String> {
        let entries = std::fs::read_dir(&folder).expect("read");
        let mut files = entries.map(|entry| entry.expect("an entry").path());
        let Some(file) = files.find(|file| file.extension().is_some_and(|end| end == "json"))
        else {
            return Vec::new();
        };
        // The file may be read at any moment, so it must always be complete.
        let text = std::fs::read_to_string(file).expect("text");
        let kept: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let list = kept["watches"].as_array().cloned().unwrap_or_default();
        list.iter().map(ToString::to_string).collect()
    };
    let mut known: Vec<String> = Vec::new();
    for round in 0..6 {
        let mut terminal = Terminal::real(&[], &folder);
        terminal.keys(&format!(":watch $.w{round}\r"));
        if round == 5 {
            let started = Instant::now();
            while !watches().contains(&"\"$.w5\"".to_string()) {
                assert!(
                    started.elapsed() < Duration::from_secs(20),
                    "it is not kept"
                );
                std::thread::sleep(Duration::from_millis(5));
            }
        } else {
            std::thread::sleep(Duration::from_millis(5 * round));
        }
        terminal.signal("-KILL");
        terminal.child.wait().expect("killed");
        let now = watches();
        assert!(
            known.iter().all(|watch| now.contains(watch)),
            "{known:?} {now:?}"
        );
        known = now;
    }
    std::fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn an_error_at_the_start_leaves_the_terminal_alone() {
    let pair = native_pty_system()
        .openpty(PtySize::default())
        .expect("a terminal");
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_asldbg"));
    command.args(["no-such-file.asl.json"]);
    command.env("ASLDBG_STATE_DIR", std::env::temp_dir());
    let mut reader = pair.master.try_clone_reader().expect("a reader");
    let mut child = pair.slave.spawn_command(command).expect("started");
    drop(pair.slave);
    assert_eq!(child.wait().expect("ended").exit_code(), 2);
    drop(pair.master);
    let mut output = Vec::new();
    // On some systems, reading from a terminal that was closed is an error.
    let _ = reader.read_to_end(&mut output);
    let text = String::from_utf8_lossy(&output);
    assert!(text.contains("no-such-file.asl.json"), "{text}");
    assert!(!text.contains("\u{1b}[?"), "no mode is touched: {text:?}");
}

#[test]
fn an_editor_that_is_not_there_does_no_harm() {
    let mut terminal = Terminal::start("editor");
    terminal.keys("2E");
    terminal.wait_for("cannot start the editor asldbg-no-such-editor");
    terminal.keys("q");
    terminal.wait_for("Quit?");
    terminal.keys("y");
    terminal.end();
}

#[test]
fn a_stop_gives_the_terminal_back_and_comes_again() {
    let mut terminal = Terminal::start("stop");
    terminal.keys("\u{1a}");
    let started = Instant::now();
    while terminal.screen().screen().alternate_screen() {
        assert!(
            started.elapsed() < Duration::from_secs(20),
            "the screen is not given back"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(!terminal.screen().screen().hide_cursor());
    terminal.signal("-CONT");
    let started = Instant::now();
    while !terminal.screen().screen().alternate_screen() {
        assert!(
            started.elapsed() < Duration::from_secs(20),
            "the screen does not come again"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
    terminal.wait_for("Graph");
    terminal.keys("\u{3}\u{3}");
    terminal.end();
}

#[test]
fn an_editor_has_the_terminal_alone() {
    let mut terminal = Terminal::start("reader");
    terminal.keys("2E");
    let started = Instant::now();
    while terminal.screen().screen().alternate_screen() {
        assert!(started.elapsed() < Duration::from_secs(20), "no editor");
        std::thread::sleep(Duration::from_millis(10));
    }
    terminal.keys("qqyy\r");
    terminal.wait_for("got=qqyy");
    let started = Instant::now();
    while !terminal.screen().screen().alternate_screen() {
        assert!(
            started.elapsed() < Duration::from_secs(20),
            "it does not come again"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
    terminal.wait_for("Graph");
    terminal.keys("\u{3}\u{3}");
    terminal.end();
}
