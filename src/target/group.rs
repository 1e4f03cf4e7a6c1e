//! Process groups of the programs that were started for tasks. A program is ended together with its child processes.

use crate::source::store;
use std::io;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long a program may take to end after it was asked to.
const GRACE: Duration = Duration::from_secs(2);
/// How often to check whether the program has ended.
const SLICE: Duration = Duration::from_millis(10);

/// The groups that are still running; `None` once asldbg is exiting and starts no more programs.
static RUNNING: Mutex<Option<Vec<Group>>> = Mutex::new(Some(Vec::new()));

/// A program that was started.
pub(super) struct Started {
    pub(super) group: Group,
    pub(super) child: Child,
    guard: Option<Child>,
}

impl Started {
    /// Kills what is left of the group and returns the program's exit status. The program is only reaped here, because
    /// its process id can be reused afterwards.
    pub(super) fn finish(mut self) -> io::Result<ExitStatus> {
        self.group.signal(true);
        #[cfg(not(unix))]
        drop(self.child.kill());
        if let Some(mut guard) = self.guard.take() {
            // The group is gone, so the guard is no longer needed.
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
pub(super) struct Group(u32);

impl Group {
    /// Starts a program.
    pub(super) fn start(command: &mut Command) -> io::Result<Started> {
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

    /// Starts a shell that kills the group if asldbg is killed, which closes the shell's standard input.
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

    /// True if the program has ended. It is not reaped, so its process id stays reserved for the group.
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

    /// Ends the whole group: first politely, then by force.
    pub(super) fn end(self) {
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
            // The group may already have ended.
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
