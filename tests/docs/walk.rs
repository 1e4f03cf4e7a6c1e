//! Executes the instructions of a page in a folder with a copy of the samples.
//!
//! - `sh` blocks are run by bash in a terminal. A command must exit with status 0, or with N if its comment says
//!   `status N`. If a block opens the debugger, `q` quits it, unless a table of keys or a `diff` follows.
//! - `console` blocks have commands after `$ ` and their output, which `BLESS=1` rewrites.
//! - The keys in a table headed "Press" are typed into the debugger that the block before the table opened. The bold
//!   texts in a row must then be on the screen.
//! - A `diff FILE` block is applied to that file.
//!
//! Programs that are not part of the project are replaced: `cargo run --` runs this program; other commands of `cargo`,
//! and commands of `docker`, `npx`, `code` and editors, do nothing; `aws` answers from files.

use super::markdown::{Part, parts};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const ROWS: u16 = 45;
const COLUMNS: u16 = 160;
/// Maximum time to wait for anything on a busy machine.
const PATIENCE: Duration = Duration::from_secs(40);

/// The result of executing a page.
pub(crate) struct Walked {
    /// The page with the current output of its commands.
    pub(crate) text: String,
    pub(crate) problems: Vec<String>,
    /// Number of commands and keys that were tried.
    pub(crate) commands: usize,
}

/// Executes the instructions of a page.
pub(crate) fn walk(page: &Path, text: &str) -> Walked {
    let mut walker = Walker {
        folder: Folder::new(page),
        open: None,
        text: text.to_owned(),
        problems: Vec::new(),
        commands: 0,
    };
    let parts = parts(text);
    for (place, part) in parts.iter().enumerate() {
        let is_kept = matches!(parts.get(place + 1), Some(Part::Press { .. }))
            || matches!(parts.get(place + 1), Some(Part::Block { info, .. }) if info.starts_with("diff "));
        walker.part(part, is_kept);
    }
    walker.close();
    Walked {
        text: walker.text,
        problems: walker.problems,
        commands: walker.commands,
    }
}

struct Walker {
    folder: Folder,
    /// The terminal of the last block, if the debugger is still open in it.
    open: Option<Terminal>,
    text: String,
    problems: Vec<String>,
    commands: usize,
}

impl Walker {
    fn part(&mut self, part: &Part, is_kept: bool) {
        match part {
            Part::Block { info, lines } => match info.split_once(' ').unwrap_or((info, "")) {
                ("sh", _) => self.sh(lines, is_kept),
                ("console", _) => self.console(lines),
                ("diff", file) => {
                    if let Err(problem) = change(&self.folder.path.join(file), lines) {
                        self.problems.push(format!("{file}: {problem}"));
                    }
                }
                ("yaml" | "json", file) if !file.is_empty() => {
                    fs::write(self.folder.path.join(file), lines.join("\n") + "\n").unwrap();
                }
                _ => {}
            },
            Part::Press { keys, seen } => self.press(keys, seen),
        }
    }

    fn sh(&mut self, lines: &[String], is_kept: bool) {
        self.close();
        let mut script = String::from("set -e\n");
        for line in lines {
            let status = line.rsplit_once("status ").map(|(_, status)| status);
            let status = status.and_then(|status| status.trim_end_matches(['.', ')']).parse().ok());
            let status: u8 = status.unwrap_or(0);
            let is_command = !line.trim_start().starts_with('#') && !line.trim().is_empty();
            self.commands += usize::from(is_command);
            match line.split(" #").next().unwrap_or(line) {
                command if status > 0 => {
                    script += &format!("set +e\n{command}\n[ $? = {status} ] || exit 99\nset -e\n");
                }
                _ => script += &format!("{line}\n"),
            }
        }
        let mut command = self.folder.command("bash");
        command.args(["-c", &script]);
        let mut terminal = Terminal::of(command);
        let ended = terminal.run(is_kept);
        match ended {
            Some(0) => {}
            None => self.open = Some(terminal),
            Some(status) => {
                let screen = terminal.shown();
                let block = lines.join("\n");
                self.problems
                    .push(format!("status {status} of\n{block}\n{screen}"));
            }
        }
    }

    fn console(&mut self, lines: &[String]) {
        self.close();
        let mut fresh = Vec::new();
        for command in lines.iter().filter(|line| line.starts_with("$ ")) {
            self.commands += 1;
            fresh.push(command.clone());
            let script = format!("{{ {}\n}} 2>&1", &command[2..]);
            let mut run = Command::new("bash");
            run.args(["-c", &script]).current_dir(&self.folder.path);
            for (name, value) in self.folder.variables() {
                run.env(name, value);
            }
            let done = run.env("NO_COLOR", "1").output().unwrap();
            let printed = String::from_utf8_lossy(&done.stdout).into_owned();
            fresh.extend(printed.lines().map(|line| line.trim_end().to_owned()));
        }
        let (before, after) = (lines.join("\n"), fresh.join("\n"));
        if timeless(&before) != timeless(&after) {
            if std::env::var_os("BLESS").is_some() {
                self.text = self.text.replacen(&before, &after, 1);
            } else {
                self.problems
                    .push(format!("the page has\n{before}\nnow it prints\n{after}"));
            }
        }
    }

    fn press(&mut self, keys: &[String], seen: &[String]) {
        self.commands += 1;
        let Some(terminal) = &mut self.open else {
            self.problems.push(format!("{keys:?}: no debugger is open"));
            return;
        };
        for key in keys {
            terminal.key(key);
        }
        for text in seen {
            if !terminal.sees(text) {
                let screen = terminal.shown();
                self.problems
                    .push(format!("after {keys:?} no \"{text}\" on\n{screen}"));
            }
        }
    }

    fn close(&mut self) {
        if let Some(mut terminal) = self.open.take()
            && terminal.run(false) != Some(0)
        {
            self.problems
                .push(format!("left with an error:\n{}", terminal.shown()));
        }
    }
}

/// Replaces the times in a text by `TIME`, because they differ from run to run.
fn timeless(text: &str) -> String {
    let times = regex::Regex::new(r"\d+\.\d+ ?s\b|\d{4}-\d\d-\d\dT[0-9:.]+Z").unwrap();
    times.replace_all(text, "TIME").into_owned()
}

/// Applies a diff without line numbers: the old lines are found by their text.
fn change(file: &Path, lines: &[String]) -> Result<(), String> {
    let old = |line: &&String| !line.starts_with('+');
    let new = |line: &&String| !line.starts_with('-');
    let side = |wanted: &dyn Fn(&&String) -> bool| {
        let kept = lines.iter().filter(|line| wanted(line));
        let kept = kept.map(|line| line.get(1..).unwrap_or_default().to_owned());
        kept.collect::<Vec<_>>().join("\n")
    };
    let text = fs::read_to_string(file).map_err(|error| error.to_string())?;
    let changed = text.replacen(&side(&old), &side(&new), 1);
    if changed == text {
        return Err(format!("nothing to change:\n{text}"));
    }
    fs::write(file, changed).map_err(|error| error.to_string())
}

/// A folder with the samples, and with fake programs in place of those that are not part of the project.
struct Folder {
    path: PathBuf,
}

const PROGRAMS: [(&str, &str); 10] = [
    (
        "cargo",
        "[ \"$1\" != run ] || { while [ \"$1\" != -- ]; do shift; done; shift; exec asldbg \"$@\"; }",
    ),
    ("docker", ":"),
    ("npx", ":"),
    ("code", ":"),
    ("vi", ":"),
    ("git", ":"),
    ("curl", "[ \"$1\" = -s ] || :"),
    ("pytest", "[ -n \"$AWS_ENDPOINT_URL_SFN\" ]"),
    ("cp", "exec /bin/cp \"$@\""),
    ("aws", "cat \"$(dirname \"$0\")/$2.json\""),
];

impl Folder {
    fn new(page: &Path) -> Self {
        let name = page.display().to_string().replace('/', "-");
        let name = format!("asldbg-docs-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let programs = path.join(".programs");
        fs::create_dir_all(&programs).unwrap();
        copy(&super::root().join("samples"), &path.join("samples"));
        for (name, script) in PROGRAMS {
            let file = programs.join(name);
            fs::write(&file, format!("#!/bin/bash\n{script}\n")).unwrap();
            let may_run = std::os::unix::fs::PermissionsExt::from_mode(0o755);
            fs::set_permissions(&file, may_run).unwrap();
        }
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_asldbg"), programs.join("asldbg")).unwrap();
        for (name, text) in account(&path) {
            fs::write(programs.join(name), text).unwrap();
        }
        Self { path }
    }

    fn variables(&self) -> Vec<(&'static str, std::ffi::OsString)> {
        let known = std::env::var_os("PATH").unwrap_or_default();
        let programs = std::iter::once(self.path.join(".programs"));
        let path = std::env::join_paths(programs.chain(std::env::split_paths(&known))).unwrap();
        vec![
            ("PATH", path),
            ("HOME", self.path.join(".home").into()),
            ("ASLDBG_STATE_DIR", self.path.join(".state").into()),
            ("EDITOR", "vi".into()),
            ("TERM", "xterm-256color".into()),
        ]
    }

    fn command(&self, program: &str) -> CommandBuilder {
        let mut command = CommandBuilder::new(program);
        command.cwd(&self.path);
        for (name, value) in self.variables() {
            command.env(name, value);
        }
        for name in ["VISUAL", "XDG_CONFIG_HOME", "BLESS"] {
            command.env_remove(name);
        }
        command
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.path));
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, target).unwrap();
        }
    }
}

/// The data of the fake AWS account: the failed execution `run-1` of the tour's workflow.
fn account(folder: &Path) -> Vec<(&'static str, String)> {
    let definition = super::read("samples/tour.asl.json");
    let input = super::read("samples/tour.input.json");
    let history = folder.join(".history.json");
    let made = Command::new(env!("CARGO_BIN_EXE_asldbg"))
        .args(["run", "samples/tour.asl.json", "--profile", "aws"])
        .args(["--start-time", "2026-05-01T12:00:00Z", "--write-history"])
        .arg(&history)
        .current_dir(super::root())
        .output()
        .unwrap();
    assert_eq!(made.status.code(), Some(1), "{made:?}");
    let events = fs::read_to_string(&history).unwrap();
    drop(fs::remove_file(history));
    let machine = "arn:aws:states:eu-west-1:123456789012:stateMachine:Refunds";
    let execution = "arn:aws:states:eu-west-1:123456789012:execution:Refunds:run-1";
    let about = serde_json::json!({ "executionArn": execution, "stateMachineArn": machine, "name": "run-1",
        "status": "FAILED", "startDate": 1_777_636_800.0, "stopDate": 1_777_636_802.0, "input": input });
    let described = serde_json::json!({ "stateMachineArn": machine, "name": "Refunds", "definition": definition,
        "type": "STANDARD", "roleArn": "arn:aws:iam::123456789012:role/r", "updateDate": 1.0 });
    let listed = serde_json::json!({ "executions": [about] });
    vec![
        ("describe-execution.json", about.to_string()),
        (
            "describe-state-machine-for-execution.json",
            described.to_string(),
        ),
        ("describe-state-machine.json", described.to_string()),
        ("list-executions.json", listed.to_string()),
        ("get-execution-history.json", events),
    ]
}

/// A terminal with a shell running in it.
struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    writer: Box<dyn std::io::Write + Send>,
    output: Arc<Mutex<Vec<u8>>>,
    _master: Box<dyn MasterPty + Send>,
}

impl Terminal {
    fn of(command: CommandBuilder) -> Self {
        let size = PtySize {
            rows: ROWS,
            cols: COLUMNS,
            pixel_width: 0,
            pixel_height: 0,
        };
        let pair = native_pty_system().openpty(size).expect("a terminal");
        let child = pair.slave.spawn_command(command).expect("started");
        let mut reader = pair.master.try_clone_reader().expect("a reader");
        let output = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&output);
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut bytes) {
                sink.lock().unwrap().extend_from_slice(&bytes[..count]);
            }
        });
        Self {
            child,
            writer: pair.master.take_writer().expect("a writer"),
            output,
            _master: pair.master,
        }
    }

    /// Waits until the shell has ended and returns its status. Quits the debugger with `q`; but if `is_kept`, leaves it
    /// open and returns `None`.
    fn run(&mut self, is_kept: bool) -> Option<u32> {
        let started = Instant::now();
        while started.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait().expect("asked") {
                std::thread::sleep(Duration::from_millis(20));
                return Some(status.exit_code());
            }
            let screen = self.screen();
            if screen.screen().alternate_screen() && screen.screen().contents().contains(" Graph") {
                if is_kept {
                    return None;
                }
                self.key("q");
                if self.screen().screen().contents().contains("quit?") {
                    self.key("y");
                }
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        drop(self.child.kill());
        Some(98)
    }

    /// Types a key, or a command with `Enter`, and waits until the screen no longer changes.
    fn key(&mut self, key: &str) {
        let typed = match key {
            "Enter" => "\r".to_owned(),
            "Esc" => "\u{1b}".to_owned(),
            "Tab" => "\t".to_owned(),
            "Space" => " ".to_owned(),
            command if command.starts_with(':') && command.len() > 1 => format!("{command}\r"),
            other => other.to_owned(),
        };
        let before = self.length();
        // The terminal may already be closed if the program has ended.
        drop(self.writer.write_all(typed.as_bytes()));
        drop(self.writer.flush());
        let started = Instant::now();
        let mut known = before;
        let mut quiet = Instant::now();
        while started.elapsed() < Duration::from_secs(2)
            && quiet.elapsed() < Duration::from_millis(150)
        {
            std::thread::sleep(Duration::from_millis(10));
            let now = self.length();
            if now != known || now == before {
                (known, quiet) = (now, Instant::now());
            }
        }
    }

    fn length(&self) -> usize {
        self.output.lock().unwrap().len()
    }

    fn screen(&self) -> vt100::Parser {
        let (rows, columns) = (ROWS.try_into().unwrap(), COLUMNS.try_into().unwrap());
        let mut parser = vt100::Parser::new(rows, columns, 0);
        parser.process(&self.output.lock().unwrap());
        parser
    }

    fn shown(&self) -> String {
        self.screen().screen().contents()
    }

    /// Waits until a text is on the screen; returns false if it does not appear in time.
    fn sees(&self, text: &str) -> bool {
        let started = Instant::now();
        while started.elapsed() < Duration::from_secs(10) {
            if self.shown().contains(text) {
                return true;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        false
    }
}
