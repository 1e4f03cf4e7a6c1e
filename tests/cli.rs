//! Tests of the command line: each file in `tests/cli` contains arguments, files and expected results.
//!
//! A line `=== NAME` begins a section of a file:
//!
//! - `args`, `stdin`, `env`: the arguments, the standard input, and environment variables as lines `NAME=VALUE`
//! - `file NAME`: a file that the program can read
//! - `status`, `stdout`, `stderr`: the exit status, and the whole texts of standard output and standard error
//! - `stdout has`, `stderr has`, `wrote NAME`: lines that standard output, standard error or the written file must
//!   contain
//! - `absent NAME`: a file that must not exist after the run
//! - `twice`: a second run must print the same
//! - `aws OPERATION`, `aws-fails OPERATION`: the response or the error message of a fake `aws` program, which is first
//!   in PATH; `OPERATION.2` is for the second call, `OPERATION@NAME` for ARNs that end with NAME
//! - `aws called`: arguments that the fake program must have received, one per line
//!
//! `BLESS=1` rewrites `status`, `stdout` and `stderr`.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that fails panics"
)]

#[path = "pull/fake.rs"]
mod fake;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

#[derive(Clone)]
struct Section {
    name: String,
    text: String,
}

struct Case {
    name: String,
    sections: Vec<Section>,
}

impl Case {
    fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap();
        let mut sections: Vec<Section> = Vec::new();
        for line in text.lines() {
            if let Some(name) = line.strip_prefix("=== ") {
                sections.push(Section {
                    name: name.trim().to_string(),
                    text: String::new(),
                });
            } else if let Some(section) = sections.last_mut() {
                section.text.push_str(line);
                section.text.push('\n');
            }
        }
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        Self { name, sections }
    }

    fn get(&self, name: &str) -> Option<&str> {
        let found = self.sections.iter().find(|section| section.name == name);
        found.map(|section| section.text.as_str())
    }

    fn named<'c>(&'c self, kind: &'c str) -> impl Iterator<Item = (&'c str, &'c str)> {
        self.sections.iter().filter_map(move |section| {
            let name = section.name.strip_prefix(kind)?.strip_prefix(' ')?;
            Some((name, section.text.as_str()))
        })
    }

    fn run(&self, folder: &Path) -> Output {
        let args = words(self.get("args").unwrap_or_default());
        let mut command = Command::new(env!("CARGO_BIN_EXE_asldbg"));
        if self.named("aws").next().is_some() || self.named("aws-fails").next().is_some() {
            command.env("PATH", fake::path(folder));
        }
        for line in self.get("env").unwrap_or_default().lines() {
            command.envs(line.split_once('='));
        }
        let mut child = command
            .args(args)
            .current_dir(folder)
            .env("XDG_CONFIG_HOME", folder.join("config"))
            .env("HOME", folder)
            .env_remove("NO_COLOR")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = self.get("stdin").unwrap_or_default();
        // A program that does not read its input may already have ended.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        child.wait_with_output().unwrap()
    }

    fn check(&self, path: &Path) -> Vec<String> {
        let folder = Folder::new(&self.name);
        for (name, text) in self.named("file") {
            let path = folder.0.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        for (ending, kind) in [("json", "aws"), ("err", "aws-fails")] {
            for (operation, text) in self.named(kind).filter(|(name, _)| *name != "called") {
                fake::answer(&folder.0, &format!("{operation}.{ending}"), text);
            }
        }
        let output = self.run(&folder.0);
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        let mut wrong: Vec<String> = [("stdout", &stdout), ("stderr", &stderr)]
            .iter()
            .filter_map(|(what, text)| {
                let steers = |c: &char| !matches!(c, '\n' | '\t') && asldbg::json::steers(*c);
                let found = text.chars().find(steers)?;
                Some(format!("{what} has {found:?} as it is"))
            })
            .collect();
        let mut came = self.sections.clone();
        let mut differ = |what: &str, wanted: &str, got: &str| {
            let stored = came.iter_mut().find(|section| section.name == what);
            if let Some(section) = stored.filter(|_| std::env::var_os("BLESS").is_some()) {
                // Keep the blank line before the next section.
                let end = wanted.get(wanted.trim_end().len()..).unwrap_or_default();
                section.text = got.trim_end().to_string() + end;
            } else if wanted.trim_end() != got.trim_end() {
                wrong.push(format!("{what}: wanted\n{wanted}got\n{got}"));
            }
        };
        let status = output
            .status
            .code()
            .map_or("none".to_string(), |code| code.to_string());
        differ("status", self.get("status").unwrap_or("0"), &status);
        if let Some(wanted) = self.get("stdout") {
            differ("stdout", wanted, &stdout);
        }
        if let Some(wanted) = self.get("stderr") {
            differ("stderr", wanted, &stderr);
        }
        if self.get("twice").is_some() {
            let again = self.run(&folder.0);
            differ(
                "the second run",
                &stdout,
                &String::from_utf8_lossy(&again.stdout),
            );
        }
        if std::env::var_os("BLESS").is_some() {
            let came = came
                .iter()
                .map(|section| format!("=== {}\n{}", section.name, section.text));
            std::fs::write(path, came.collect::<String>()).unwrap();
        }
        let mut holds = |what: &str, text: &str, lines: &str| {
            for line in lines
                .lines()
                .filter(|line| !line.is_empty() && !text.contains(*line))
            {
                wrong.push(format!("{what} does not have: {line}\nbut\n{text}"));
            }
        };
        holds(
            "stdout",
            &stdout,
            self.get("stdout has").unwrap_or_default(),
        );
        holds(
            "stderr",
            &stderr,
            self.get("stderr has").unwrap_or_default(),
        );
        if let Some(lines) = self.get("aws called") {
            holds("aws", &fake::calls(&folder.0), lines);
        }
        for (name, lines) in self.named("wrote") {
            let text = std::fs::read_to_string(folder.0.join(name)).unwrap_or_default();
            holds(name, &text, lines);
        }
        for (name, _) in self.named("absent") {
            if folder.0.join(name).exists() {
                wrong.push(format!("{name} was written"));
            }
        }
        let left = std::fs::read_dir(&folder.0).unwrap().flatten();
        wrong.extend(
            left.filter(|entry| entry.file_name().to_string_lossy().ends_with(".part"))
                .map(|entry| format!("left behind: {:?}", entry.file_name())),
        );
        wrong
    }
}

/// A temporary folder for a case, which is removed with the case.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("asldbg-cli-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Splits a text at spaces, except inside single quotes.
fn words(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted) = (Vec::new(), None::<String>, false);
    for c in text.trim().chars() {
        match c {
            '\'' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            c if c.is_whitespace() && !quoted => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[test]
fn cases() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    paths.sort();
    let mut wrong = String::new();
    for path in &paths {
        let case = Case::read(path);
        for fault in case.check(path) {
            wrong += &format!("\n--- {}: {fault}", case.name);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(paths.len() > 40, "{} cases", paths.len());
}

#[test]
fn samples_run() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    for entry in std::fs::read_dir(&folder).unwrap().flatten() {
        let path = entry.path();
        if !path.to_string_lossy().ends_with(".asl.json") {
            continue;
        }
        let run = |command: &str, args: &[&str]| {
            Command::new(env!("CARGO_BIN_EXE_asldbg"))
                .arg(command)
                .arg(&path)
                .args(args)
                .output()
                .unwrap()
        };
        let checked = run("check", &["--format", "json"]);
        assert_eq!(checked.status.code(), Some(0), "{}", path.display());
        let mut ran = run("run", &["--format", "json"]);
        if ran.status.code() == Some(2) {
            // The exit status is 2 if a test case must be selected; the mock file has several.
            let mock = path.to_string_lossy().replace(".asl.json", ".mock.json");
            let mock = std::fs::read_to_string(mock).unwrap();
            let mock: serde_json::Value = serde_json::from_str(&mock).unwrap();
            let machines = mock.get("StateMachines").unwrap().as_object().unwrap();
            let cases = machines.values().next().unwrap().get("TestCases").unwrap();
            let name = cases.as_object().unwrap().keys().next().unwrap();
            ran = run("run", &["--format", "json", "--test-case", name]);
        }
        let text = String::from_utf8_lossy(&ran.stderr);
        assert!(
            matches!(ran.status.code(), Some(0 | 1)),
            "{}: {text}",
            path.display()
        );
    }
}

/// A machine that never ends.
const ENDLESS: &str =
    r#"{"StartAt": "A", "States": {"A": {"Type": "Pass", "Next": "A"}, "Z": {"Type": "Succeed"}}}"#;

#[test]
fn a_reader_that_goes_away_is_no_error() {
    use std::io::Read as _;
    let folder = Folder::new("pipe");
    let mut child = Command::new(env!("CARGO_BIN_EXE_asldbg"))
        .args([
            "run",
            "m.asl.json",
            "--format",
            "jsonl",
            "--max-steps",
            "100000",
        ])
        .current_dir({
            let end = ENDLESS.replace(r#""Next": "A""#, r#""End": true"#);
            std::fs::write(folder.0.join("m.asl.json"), end).unwrap();
            &folder.0
        })
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut text = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    let status = child.wait().unwrap();
    assert!(
        !text.contains("panicked") && !text.contains("pipe"),
        "{text}"
    );
    assert_eq!(status.code(), Some(0));
}

#[cfg(unix)]
/// Waits for the exit status of a program. If the program does not end, kills it, because it would write without end.
fn within_a_minute(child: &mut std::process::Child, signals: &[&str]) -> std::process::ExitStatus {
    for _ in 0..600 {
        if let Some(ended) = child.try_wait().unwrap() {
            return ended;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    child.kill().unwrap();
    panic!("{signals:?} did not end it: are they ignored where the tests were started?");
}

#[cfg(unix)]
#[test]
fn what_ends_a_run_leaves_no_file() {
    // Each row: the signals to send, a signal that the program ignores, and how the program must end: with an exit
    // status, or by a signal.
    for (signals, ignored, status, by) in [
        (&["INT"][..], "", Some(130), None),
        (&["TERM"], "", None, Some(15)),
        (&["HUP"], "", None, Some(1)),
        (&["HUP", "TERM"], "HUP", None, Some(15)),
    ] {
        let folder = Folder::new(&format!("ended-{}", signals.join("-")));
        std::fs::write(folder.0.join("m.asl.json"), ENDLESS).unwrap();
        let run = "exec \"$0\" run m.asl.json --max-steps 100000000000 --write-history h.json";
        let trap = match ignored {
            "" => String::new(),
            signal => format!("trap '' {signal}; "),
        };
        let mut child = Command::new("sh")
            .args(["-c", &format!("{trap}{run}"), env!("CARGO_BIN_EXE_asldbg")])
            .current_dir(&folder.0)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Wait for the history file, which is created when the run starts.
        for _ in 0..500 {
            if std::fs::read_dir(&folder.0).unwrap().count() > 1 {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        for signal in signals {
            let killed = Command::new("kill")
                .args([&format!("-{signal}"), &child.id().to_string()])
                .status()
                .unwrap();
            assert!(killed.success());
            if *signal == ignored {
                std::thread::sleep(std::time::Duration::from_millis(100));
                assert!(child.try_wait().unwrap().is_none(), "{signal} was ignored");
            }
        }
        let ended = within_a_minute(&mut child, signals);
        let signal = std::os::unix::process::ExitStatusExt::signal(&ended);
        assert_eq!((ended.code(), signal), (status, by), "{signals:?}");
        let left = std::fs::read_dir(&folder.0).unwrap().count();
        assert_eq!(left, 1, "{signals:?}: only the definition is left");
    }
}
