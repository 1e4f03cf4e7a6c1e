//! Handles signals that end a command without a terminal UI: files that are still being written are removed first.

use crate::source::store;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;

/// Exit status of a command that was ended by Ctrl-C, as shells report it.
pub const INTERRUPTED_STATUS: u8 = 130;

/// True if the first SIGINT must not end the program: it only sets [`INTERRUPTED`], and the program then ends its run
/// itself.
static HEEDED: AtomicBool = AtomicBool::new(false);
/// True once SIGINT has been received.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);
/// Set once the signal thread has been started.
static LISTENING: OnceLock<()> = OnceLock::new();

/// Functions to call before a signal ends the program.
static LAST: Mutex<Vec<fn()>> = Mutex::new(Vec::new());

/// Registers a function to call before a signal ends the program.
pub fn before_end(act: fn()) {
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if !last.iter().any(|known| std::ptr::fn_addr_eq(*known, act)) {
        last.push(act);
    }
}

/// Starts to handle signals: a signal that ends the program first removes unfinished files. Signals that the parent
/// process ignores are still ignored.
pub fn listen_to_signals() {
    LISTENING.get_or_init(|| {
        let ignored = ignored();
        let is_heard = |signal: &i32| ignored & (1 << (signal - 1)) == 0;
        let heard = [SIGTERM, SIGHUP, SIGINT];
        // Without the thread, signals still end the program, but leave unfinished files behind.
        if let Ok(mut signals) = Signals::new(heard.iter().filter(|signal| is_heard(signal))) {
            let _ = thread::Builder::new()
                .name("signals".into())
                .spawn(move || signals.forever().for_each(received));
        }
    });
}

/// Returns a flag that becomes true when the user presses Ctrl-C. After this call, the first Ctrl-C only sets the flag;
/// the second Ctrl-C ends the program.
#[must_use]
pub fn interrupted() -> &'static AtomicBool {
    listen_to_signals();
    HEEDED.store(true, Ordering::Relaxed);
    &INTERRUPTED
}

fn received(signal: i32) {
    let again = signal == SIGINT && INTERRUPTED.swap(true, Ordering::Relaxed);
    if signal == SIGINT && !again && HEEDED.load(Ordering::Relaxed) {
        return;
    }
    let last = LAST.lock().unwrap_or_else(PoisonError::into_inner).clone();
    last.iter().for_each(|act| act());
    store::abandon();
    if again {
        std::process::exit(i32::from(INTERRUPTED_STATUS));
    }
    // No message is printed, because the shell reports that a signal ended the program.
    let _ = emulate_default_handler(signal);
}

/// Bit mask of ignored signals; 0 if the system does not provide it.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}
