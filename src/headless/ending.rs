//! Signals that end a program without a terminal of its own: files that were begun are removed first.

use crate::source::store;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;

/// Whether somebody ends by himself when SIGINT comes.
static HEEDED: AtomicBool = AtomicBool::new(false);
/// Whether SIGINT has come.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);
/// Whether signals are waited for.
static LISTENING: OnceLock<()> = OnceLock::new();

/// What else is done before the program ends.
static LAST: Mutex<Vec<fn()>> = Mutex::new(Vec::new());

/// Has something done when a signal ends the program.
pub fn before_end(act: fn()) {
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if !last.iter().any(|known| std::ptr::fn_addr_eq(*known, act)) {
        last.push(act);
    }
}

/// From now on a signal that ends the program removes first what it was writing; those that whoever started it wants
/// ignored still are.
pub fn listen_to_signals() {
    LISTENING.get_or_init(|| {
        let ignored = ignored();
        let is_heard = |signal: &i32| ignored & (1 << (signal - 1)) == 0;
        let heard = [SIGTERM, SIGHUP, SIGINT];
        // Without a thread signals end the program all the same, only less tidily.
        if let Ok(mut signals) = Signals::new(heard.iter().filter(|signal| is_heard(signal))) {
            let _ = thread::Builder::new()
                .name("signals".into())
                .spawn(move || signals.forever().for_each(received));
        }
    });
}

/// Set when a person presses Ctrl-C, which does not end the program then; the second time it does.
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
        // As a run says that was interrupted once.
        std::process::exit(130);
    }
    // What there is to say of it, the shell says.
    let _ = emulate_default_handler(signal);
}

/// A bit for each signal that is ignored; none where the system does not tell.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}
