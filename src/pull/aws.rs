//! Runs the user's `aws` program, without a shell, and reads its responses.

use super::complaint::{Complaint, Kind};
use crate::headless;
use crate::json::{Text, Value, one_line, parse};
use std::ffi::OsStr;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// Maximum size of a response, in bytes.
const LARGEST: u64 = 128 << 20;
/// Maximum size of an error message to read, in bytes.
const LARGEST_COMPLAINT: u64 = 64 << 10;
/// Maximum pause before a throttled request is repeated, in seconds; pauses start at one second and double.
const LONGEST_PAUSE: u64 = 8;

/// Child processes that have not ended; `None` once asldbg is exiting and must not start any more.
static RUNNING: Mutex<Option<Vec<Child>>> = Mutex::new(Some(Vec::new()));

/// The program with the options for every call.
#[derive(Clone, Debug)]
pub(super) struct Aws {
    program: PathBuf,
    options: Vec<String>,
    region: Option<String>,
}

impl Aws {
    /// Finds the program in the absolute folders of PATH.
    ///
    /// # Errors
    /// If it is not found.
    pub(super) fn find(options: &[String], region: &str) -> Result<Self, Complaint> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let program = program_in(&path).ok_or_else(Complaint::missing)?;
        headless::before_end(end_all);
        let has_region = options
            .iter()
            .any(|option| option == "--region" || option.starts_with("--region="));
        Ok(Self {
            program,
            options: options.to_vec(),
            region: (!has_region).then(|| region.to_string()),
        })
    }

    /// The user's option `--profile NAME`, if given.
    pub(super) fn profile(&self) -> Option<&str> {
        let mut options = self.options.iter();
        while let Some(option) = options.next() {
            if option == "--profile" {
                return options.next().map(String::as_str);
            }
            if let Some(name) = option.strip_prefix("--profile=") {
                return Some(name);
            }
        }
        None
    }

    /// Makes one request.
    ///
    /// # Errors
    /// If the program reports an error.
    pub(super) fn call(
        &self,
        service: &str,
        operation: &str,
        input: Vec<(Text, Value)>,
    ) -> Result<Value, Complaint> {
        let input = one_line(&Value::object(input));
        let mut pause = 1;
        loop {
            match self.call_once(service, operation, &input) {
                Err(complaint) if complaint.kind == Kind::Throttled && pause <= LONGEST_PAUSE => {
                    thread::sleep(Duration::from_secs(pause));
                    pause *= 2;
                }
                answered => return answered,
            }
        }
    }

    fn call_once(&self, service: &str, operation: &str, input: &str) -> Result<Value, Complaint> {
        let mut command = Command::new(&self.program);
        command
            .args([service, operation])
            .args(&self.options)
            .args([
                "--cli-input-json",
                input,
                "--no-paginate",
                "--output",
                "json",
            ]);
        if let Some(region) = &self.region {
            command.args(["--region", region]);
        }
        command
            .env("AWS_PAGER", "")
            .env("AWS_CLI_AUTO_PROMPT", "off")
            // Makes the program print UTF-8, whatever the terminal's encoding.
            .env("PYTHONIOENCODING", "utf-8")
            .env("PYTHONUTF8", "1")
            .env("AWS_CLI_OUTPUT_ENCODING", "UTF-8")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let answer =
            run(&mut command).map_err(|error| Complaint::unstarted(&self.program, &error))?;
        if answer.is_too_large {
            return Err(Complaint::too_large(LARGEST));
        }
        if is_interrupted(answer.status) {
            thread::sleep(Duration::from_secs(1));
        }
        if !answer.status.success() {
            let said = String::from_utf8_lossy(&answer.stderr);
            return Err(Complaint::of(&said, answer.status, self.profile()));
        }
        let text = String::from_utf8_lossy(&answer.stdout);
        parse(&text).map_err(|error| Complaint::unreadable(&error.to_string()))
    }
}

struct Answer {
    status: ExitStatus,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    is_too_large: bool,
}

fn run(command: &mut Command) -> std::io::Result<Answer> {
    let (id, out, err) = {
        let mut running = running();
        let running = running.as_mut().ok_or_else(being_ended)?;
        let mut child = command.spawn()?;
        let (id, pipes) = (child.id(), (child.stdout.take(), child.stderr.take()));
        running.push(child);
        (id, pipes.0, pipes.1)
    };
    let (stdout, stderr) = thread::scope(|scope| {
        let complaint = scope.spawn(move || read(err, LARGEST_COMPLAINT));
        let answer = read(out, LARGEST + 1);
        if answer.len() as u64 > LARGEST {
            end(id);
        }
        (answer, complaint.join().unwrap_or_default())
    });
    let is_too_large = stdout.len() as u64 > LARGEST;
    loop {
        let mut running = running();
        let running = running.as_mut().ok_or_else(being_ended)?;
        let place = running.iter().position(|child| child.id() == id);
        let child = place
            .and_then(|place| running.get_mut(place))
            .ok_or_else(being_ended)?;
        if let Some(status) = child.try_wait()? {
            running.retain(|child| child.id() != id);
            return Ok(Answer {
                status,
                stdout,
                stderr,
                is_too_large,
            });
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// Reads up to a limit. The rest is read and discarded, unless the writer will be killed.
fn read(from: Option<impl Read>, limit: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(mut from) = from {
        // If reading stops early, the program's exit status decides what the output is worth.
        let _ = from.by_ref().take(limit).read_to_end(&mut bytes);
        if limit <= LARGEST {
            let _ = std::io::copy(&mut from, &mut std::io::sink());
        }
    }
    bytes
}

/// The signal that killed the child process is about to end asldbg too, so nothing is reported.
fn being_ended() -> std::io::Error {
    thread::sleep(Duration::from_secs(5));
    std::io::Error::from(std::io::ErrorKind::Interrupted)
}

/// True if Ctrl-C ended the program; a terminal sends it to asldbg as well.
fn is_interrupted(status: ExitStatus) -> bool {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    let signal = None;
    signal == Some(2) || status.code() == Some(130)
}

fn running() -> MutexGuard<'static, Option<Vec<Child>>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

fn end(id: u32) {
    for child in running().iter_mut().flatten() {
        if child.id() == id {
            // It may have ended by itself.
            let _ = child.kill();
        }
    }
}

/// Kills all child processes and prevents new ones.
fn end_all() {
    for mut child in running().take().into_iter().flatten() {
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// Finds the program in PATH. Relative folders are skipped, because they depend on the current folder, which may be
/// anyone's.
fn program_in(path: &OsStr) -> Option<PathBuf> {
    let name = format!("aws{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(&name))
        .find(|file| is_program(file))
}

fn is_program(file: &Path) -> bool {
    let known = std::fs::metadata(file);
    #[cfg(unix)]
    let may_run = |known: &std::fs::Metadata| {
        std::os::unix::fs::PermissionsExt::mode(&known.permissions()) & 0o111 != 0
    };
    #[cfg(not(unix))]
    let may_run = |_: &std::fs::Metadata| true;
    known.is_ok_and(|known| known.is_file() && may_run(&known))
}
