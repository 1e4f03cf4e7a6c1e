//! Runs a program with text on its standard input, and reads its output.

use super::group::Group;
use super::watch::Watch;
use std::io::{self, Read, Write as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Maximum number of bytes of standard error that are kept; only the last ones are.
const LAST_SAID: usize = 64 << 10;
/// How often to check whether the program has ended.
const SLICE: Duration = Duration::from_millis(5);
/// How long to wait for more output after the program has ended, because its child processes may still have the
/// pipes open.
const GRACE: Duration = Duration::from_millis(500);

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

/// Limits of a program's output.
#[derive(Clone, Copy)]
pub struct Room<'r> {
    /// Maximum number of bytes of standard output.
    pub limit: usize,
    /// Returns true if the program has written too much elsewhere, such as to a file.
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

/// True if the program has ended. Only used on platforms other than Unix, because `try_wait` reaps the process.
fn is_over(child: &mut Child) -> bool {
    cfg!(not(unix)) && !matches!(child.try_wait(), Ok(None))
}

/// The program's pipes, each handled by its own thread, because a program may read late, write early, or do neither.
struct Pipes {
    out: Kept,
    said: Kept,
    threads: Vec<JoinHandle<()>>,
}

impl Pipes {
    fn of(child: &mut Child, body: &str, limit: usize) -> Self {
        let (out, said) = (Kept::default(), Kept::default());
        let (stdin, body) = (child.stdin.take(), body.as_bytes().to_vec());
        // A program that does not read its input closes the pipe.
        drop(spawn(move || {
            drop(stdin.map(|mut stdin| stdin.write_all(&body)))
        }));
        let (stdout, own) = (child.stdout.take(), out.clone());
        let first = move || own.read(stdout, |bytes| bytes.truncate(limit + 1));
        let (stderr, own) = (child.stderr.take(), said.clone());
        let last = |bytes: &mut Vec<u8>| {
            let rest = bytes.len().saturating_sub(LAST_SAID);
            bytes.drain(..rest);
        };
        let threads = [spawn(first), spawn(move || own.read(stderr, last))];
        let threads = threads.into_iter().flatten().collect();
        Self { out, said, threads }
    }

    /// Waits until the output that the program printed before it ended is read.
    fn settle(&self) {
        let since = Instant::now();
        let is_read = |thread: &JoinHandle<()>| thread.is_finished();
        while !self.threads.iter().all(is_read) && since.elapsed() < GRACE {
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
