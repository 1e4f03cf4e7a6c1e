//! Programs that were started for tasks, each with all that it starts itself: ended together.

use std::io;
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long a program may take to end by itself.
const GRACE: Duration = Duration::from_secs(2);
/// How often it is looked after.
const SLICE: Duration = Duration::from_millis(10);

/// Those that have not ended; `None` once asldbg ends and starts none any more.
static RUNNING: Mutex<Option<Vec<Group>>> = Mutex::new(Some(Vec::new()));

/// A program with all that it started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Group(u32);

impl Group {
    /// Starts a program.
    pub(super) fn start(command: &mut Command) -> io::Result<(Self, Child)> {
        let mut running = running();
        let running = running.as_mut().ok_or(io::ErrorKind::Interrupted)?;
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        let child = command.spawn()?;
        let group = Self(child.id());
        running.push(group);
        Ok((group, child))
    }

    /// Whether the program has ended. What it left behind is still there, and so is its number.
    #[cfg(unix)]
    pub(super) fn has_ended(self) -> bool {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let pid = i32::try_from(self.0).ok().and_then(Pid::from_raw);
        pid.is_none_or(|pid| !matches!(waitid(WaitId::Pid(pid), look), Ok(None)))
    }

    #[cfg(not(unix))]
    pub(super) fn has_ended(self) -> bool {
        false
    }

    /// Ends all of it: asked first, then forced.
    pub(super) fn end(self) {
        self.signal(false);
        let since = Instant::now();
        while !self.has_ended() && since.elapsed() < GRACE {
            thread::sleep(SLICE);
        }
        self.signal(true);
    }

    /// Ends what is left of it.
    pub(super) fn force(self) {
        self.signal(true);
    }

    #[cfg(unix)]
    fn signal(self, force: bool) {
        use rustix::process::{Pid, Signal, kill_process_group};
        let signal = if force { Signal::KILL } else { Signal::TERM };
        if let Some(pid) = i32::try_from(self.0).ok().and_then(Pid::from_raw) {
            // It may have ended by itself.
            let _ = kill_process_group(pid, signal);
        }
    }

    #[cfg(not(unix))]
    fn signal(self, _: bool) {}

    /// Says that nothing of it is left, before its number can be another program's.
    pub(super) fn is_gone(self) {
        for groups in running().iter_mut() {
            groups.retain(|group| *group != self);
        }
    }
}

/// Ends every program that was started for a task, and lets none be started any more.
pub fn end_all() {
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
