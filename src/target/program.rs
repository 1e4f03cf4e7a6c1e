//! Finds programs, runs them with a text on their standard input, and reads their output. Each program has its own
//! process group, so that its child processes end with it.

use super::watch::Watch;
use crate::source::store;
use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use std::{io, thread};

/// Number of bytes of standard error to keep. If there are more, the last bytes are kept.
const LAST_SAID: usize = 64 << 10;
/// Time between two checks of whether the program has ended.
const SLICE: Duration = Duration::from_millis(5);
/// How long to wait for more output after the program has ended, because its child processes may still write to the
/// same pipes.
const MORE_OUTPUT: Duration = Duration::from_millis(500);
/// How long to wait after SIGTERM before SIGKILL is sent.
const GRACE: Duration = Duration::from_secs(2);

/// The executable file of a program. A name with folders is a path; any other name is searched in the folders of PATH.
/// Relative folders in PATH are skipped: they depend on the current folder, in which other people may have put
/// programs.
#[must_use]
pub fn find_program(name: &str) -> Option<PathBuf> {
    if Path::new(name).components().count() > 1 {
        return std::path::absolute(name)
            .ok()
            .filter(|path| is_program(path));
    }
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
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

/// How a program ended.
#[derive(Debug)]
pub enum Ended {
    /// The program ended by itself: its exit status, its standard output and the end of its standard error.
    Itself(ExitStatus, Vec<u8>, Vec<u8>),
    /// The program printed too much.
    TooLarge,
    /// The program was killed because it took too long or its answer is no longer needed.
    Forced,
    /// The program could not be started.
    Unstarted(io::Error),
}

/// Limits on the output of a program.
#[derive(Clone, Copy)]
pub struct Room<'r> {
    /// Maximum number of bytes of standard output.
    pub limit: usize,
    /// Returns true if the program has written too much to a place other than standard output, such as a file.
    pub is_over: &'r dyn Fn() -> bool,
}

/// Runs a program with this text on its standard input.
pub fn run(mut command: Command, input: &str, room: &Room<'_>, watch: &Watch) -> Ended {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut started = match Group::start(&mut command) {
        Ok(started) => started,
        Err(error) => return Ended::Unstarted(error),
    };
    let pipes = Pipes::of(&mut started.child, input, room.limit);
    let end = loop {
        if started.group.has_ended() || is_over(&mut started.child) {
            pipes.settle();
            break None;
        }
        if pipes.out.is_over(room.limit) || (room.is_over)() {
            break Some(Ended::TooLarge);
        }
        if watch.is_over() {
            break Some(Ended::Forced);
        }
        thread::sleep(SLICE);
    };
    if end.is_some() {
        started.group.end();
    }
    let status = started.finish();
    let (out, said) = (pipes.out.taken(), pipes.said.taken());
    match (end, status) {
        (Some(end), _) => end,
        (None, Ok(_)) if out.len() > room.limit => Ended::TooLarge,
        (None, Ok(status)) => Ended::Itself(status, out, said),
        (None, Err(error)) => Ended::Unstarted(error),
    }
}

/// True if the program has ended. Only used on platforms other than Unix, because on Unix `try_wait` would reap the
/// process.
fn is_over(child: &mut Child) -> bool {
    cfg!(not(unix)) && !matches!(child.try_wait(), Ok(None))
}

/// The program's pipes. Each is handled by a thread of its own, because a program may read its input late or never, and
/// write at any time.
struct Pipes {
    out: Kept,
    said: Kept,
    threads: Vec<JoinHandle<()>>,
}

impl Pipes {
    fn of(child: &mut Child, body: &str, limit: usize) -> Self {
        let (out, said) = (Kept::default(), Kept::default());
        let (stdin, body) = (child.stdin.take(), body.as_bytes().to_vec());
        // Writing fails if the program ends or closes its standard input without reading it.
        drop(spawn(move || {
            drop(stdin.map(|mut stdin| stdin.write_all(&body)))
        }));
        let (stdout, kept) = (child.stdout.take(), out.clone());
        let first = move || kept.read(stdout, |bytes| bytes.truncate(limit + 1));
        let (stderr, kept) = (child.stderr.take(), said.clone());
        let last = |bytes: &mut Vec<u8>| {
            let rest = bytes.len().saturating_sub(LAST_SAID);
            bytes.drain(..rest);
        };
        let threads = [spawn(first), spawn(move || kept.read(stderr, last))];
        let threads = threads.into_iter().flatten().collect();
        Self { out, said, threads }
    }

    /// Waits until the threads have read the rest of the program's output, but for a limited time.
    fn settle(&self) {
        let since = Instant::now();
        let is_read = |thread: &JoinHandle<()>| thread.is_finished();
        while !self.threads.iter().all(is_read) && since.elapsed() < MORE_OUTPUT {
            thread::sleep(SLICE);
        }
    }
}

fn spawn(work: impl FnOnce() + Send + 'static) -> Option<JoinHandle<()>> {
    let thread = thread::Builder::new().name("program".to_string());
    thread.spawn(work).ok()
}

/// The part of a program's output that is kept.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Kept {
    fn read(&self, from: Option<impl Read>, cut: impl Fn(&mut Vec<u8>)) {
        let Some(mut from) = from else { return };
        let mut buffer = [0; 16 << 10];
        while let Ok(count @ 1..) = from.read(&mut buffer) {
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            kept.extend_from_slice(buffer.get(..count).unwrap_or_default());
            cut(&mut kept);
        }
    }

    fn is_over(&self, limit: usize) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len() > limit
    }

    fn taken(&self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The process groups that are still running; `None` once asldbg ends and may start no more programs.
static RUNNING: Mutex<Option<Vec<Group>>> = Mutex::new(Some(Vec::new()));

/// A program that was started.
struct Started {
    group: Group,
    child: Child,
    guard: Option<Child>,
}

impl Started {
    /// Kills the rest of the process group, then reaps the program and returns its exit status. The program is reaped
    /// last, because its process id may be reused from then on.
    fn finish(mut self) -> io::Result<ExitStatus> {
        self.group.signal(true);
        #[cfg(not(unix))]
        drop(self.child.kill());
        if let Some(mut guard) = self.guard.take() {
            // The guard is a shell that ends the process group if asldbg is killed. The group has ended, so the guard
            // may end, too.
            let _ = guard.kill();
            let _ = guard.wait();
        }
        let status = self.child.wait();
        for groups in running().iter_mut() {
            groups.retain(|group| *group != self.group);
        }
        status
    }
}

/// The process group of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Group(u32);

impl Group {
    /// Starts a program in a new process group.
    fn start(command: &mut Command) -> io::Result<Started> {
        let mut running = running();
        let running = running.as_mut().ok_or(io::ErrorKind::Interrupted)?;
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        let child = command.spawn()?;
        let group = Self(child.id());
        running.push(group);
        let guard = group.guard();
        Ok(Started {
            group,
            child,
            guard,
        })
    }

    /// Starts a shell as a guard: if asldbg is killed, the shell's standard input is closed, and the shell kills the
    /// group.
    #[cfg(unix)]
    fn guard(self) -> Option<Child> {
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", "read -r _; kill -9 -\"$0\"", &self.0.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.spawn().ok()
    }

    #[cfg(not(unix))]
    fn guard(self) -> Option<Child> {
        None
    }

    /// True if the program has ended. The program is not reaped, so that no other process gets the id of the group.
    #[cfg(unix)]
    fn has_ended(self) -> bool {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let pid = i32::try_from(self.0).ok().and_then(Pid::from_raw);
        pid.is_none_or(|pid| !matches!(waitid(WaitId::Pid(pid), look), Ok(None)))
    }

    #[cfg(not(unix))]
    fn has_ended(self) -> bool {
        false
    }

    /// Ends the whole process group: first with SIGTERM, then with SIGKILL.
    fn end(self) {
        self.signal(false);
        let since = Instant::now();
        while !self.has_ended() && since.elapsed() < GRACE {
            thread::sleep(SLICE);
        }
        self.signal(true);
    }

    #[cfg(unix)]
    fn signal(self, force: bool) {
        use rustix::process::{Pid, Signal, kill_process_group};
        let signal = if force { Signal::KILL } else { Signal::TERM };
        if let Some(pid) = i32::try_from(self.0).ok().and_then(Pid::from_raw) {
            // Sending a signal fails if the group has already ended.
            let _ = kill_process_group(pid, signal);
        }
    }

    #[cfg(not(unix))]
    fn signal(self, _: bool) {}
}

/// Ends all programs that were started for tasks, removes their files, and prevents new ones from starting.
pub fn end_all() {
    store::abandon();
    let groups = running().take().unwrap_or_default();
    for group in &groups {
        group.signal(false);
    }
    let since = Instant::now();
    let is_left = |group: &Group| !group.has_ended();
    while groups.iter().any(is_left) && since.elapsed() < GRACE {
        thread::sleep(SLICE);
    }
    for group in groups {
        group.signal(true);
    }
}

fn running() -> MutexGuard<'static, Option<Vec<Group>>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}
