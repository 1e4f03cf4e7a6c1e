//! Sets and resets terminal modes. However the program ends, the modes are reset.

use std::io::{self, Write as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// A terminal mode that the program sets while it uses the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Raw mode: keys arrive one by one and are not echoed.
    Raw,
    /// The alternate screen, so that the shell's output reappears at the end.
    AlternateScreen,
    /// A paste arrives as one text.
    BracketedPaste,
    /// Mouse clicks and wheel events are reported.
    Mouse,
    /// The cursor is hidden.
    HiddenCursor,
}

/// A terminal whose modes can be set; [`Screen`] is the real one.
pub trait Control {
    /// Sets or resets a mode.
    ///
    /// # Errors
    /// If writing to the terminal fails.
    fn set(&mut self, mode: Mode, on: bool) -> io::Result<()>;
}

/// The terminal on standard output.
#[derive(Clone, Copy, Debug, Default)]
pub struct Screen;

impl Control for Screen {
    fn set(&mut self, mode: Mode, on: bool) -> io::Result<()> {
        use crossterm::{cursor, event, execute, terminal};
        let mut out = io::stdout();
        match (mode, on) {
            (Mode::Raw, true) => terminal::enable_raw_mode(),
            (Mode::Raw, false) => terminal::disable_raw_mode(),
            (Mode::AlternateScreen, true) => execute!(out, terminal::EnterAlternateScreen),
            (Mode::AlternateScreen, false) => execute!(out, terminal::LeaveAlternateScreen),
            (Mode::BracketedPaste, true) => execute!(out, event::EnableBracketedPaste),
            (Mode::BracketedPaste, false) => execute!(out, event::DisableBracketedPaste),
            (Mode::Mouse, true) => execute!(out, event::EnableMouseCapture),
            (Mode::Mouse, false) => execute!(out, event::DisableMouseCapture),
            (Mode::HiddenCursor, true) => execute!(out, cursor::Hide),
            (Mode::HiddenCursor, false) => execute!(out, cursor::Show),
        }?;
        out.flush()
    }
}

/// Calls `work`, which lets another program use the terminal. Afterwards resets the modes that the other program may
/// have left set, for example because it was killed.
pub fn restored<T>(work: impl FnOnce() -> T) -> T {
    use crossterm::event::{DisableBracketedPaste, DisableFocusChange, DisableMouseCapture};
    use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
    let before = tcgetattr(io::stdin());
    let result = work();
    if let Ok(before) = before {
        // The result is ignored: this fails only if the terminal is gone, and then there is nothing to restore.
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &before);
    }
    let _ = crossterm::execute!(
        io::stdout(),
        DisableMouseCapture,
        DisableBracketedPaste,
        DisableFocusChange
    );
    result
}

/// Modes that the program always sets, in this order.
pub const MODES: [Mode; 4] = [
    Mode::Raw,
    Mode::AlternateScreen,
    Mode::BracketedPaste,
    Mode::HiddenCursor,
];

struct Taken<C> {
    control: C,
    modes: Vec<Mode>,
}

impl<C: Control> Taken<C> {
    /// Resets all modes in reverse order. If a reset fails, continues with the other modes and returns the first error.
    fn give_all(&mut self) -> io::Result<()> {
        let mut result = Ok(());
        while let Some(mode) = self.modes.pop() {
            let given = self.control.set(mode, false);
            result = result.and(given);
        }
        result
    }
}

/// Sets terminal modes, remembers which modes are set, and resets them on drop.
pub struct Guard<C: Control> {
    taken: Arc<Mutex<Taken<C>>>,
    /// A second handle to the terminal, so that a [`Watcher`] can reset modes without waiting for the lock.
    control: C,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<C: Control + Clone> Guard<C> {
    /// Sets [`MODES`], and the mouse mode if wanted.
    ///
    /// # Errors
    /// If a mode cannot be set. The modes that were already set are then reset.
    pub fn take(control: C, mouse: bool) -> io::Result<Self> {
        let guard = Self {
            taken: Arc::new(Mutex::new(Taken {
                control: control.clone(),
                modes: Vec::new(),
            })),
            control,
        };
        for mode in MODES {
            guard.add(mode)?;
        }
        if mouse {
            guard.add(Mode::Mouse)?;
        }
        Ok(guard)
    }

    fn add(&self, mode: Mode) -> io::Result<()> {
        let mut taken = lock(&self.taken);
        if !taken.modes.contains(&mode) {
            // The mode is recorded before it is set. It must be reset even if setting it fails halfway.
            taken.modes.push(mode);
            taken.control.set(mode, true)?;
        }
        Ok(())
    }

    /// Turns mouse events on or off.
    ///
    /// # Errors
    /// If writing to the terminal fails.
    pub fn mouse(&self, on: bool) -> io::Result<()> {
        if on {
            return self.add(Mode::Mouse);
        }
        let mut taken = lock(&self.taken);
        if let Some(place) = taken.modes.iter().position(|mode| *mode == Mode::Mouse) {
            taken.modes.remove(place);
            taken.control.set(Mode::Mouse, false)?;
        }
        Ok(())
    }

    /// Resets all modes, calls `work`, and then sets the same modes again.
    ///
    /// # Errors
    /// If writing to the terminal fails.
    pub fn released<T>(&self, work: impl FnOnce() -> T) -> io::Result<T> {
        let modes = {
            let mut taken = lock(&self.taken);
            let modes = taken.modes.clone();
            taken.give_all()?;
            modes
        };
        let result = work();
        for mode in modes {
            self.add(mode)?;
        }
        Ok(result)
    }

    /// Resets all modes now.
    ///
    /// # Errors
    /// If writing to the terminal fails.
    pub fn give(&self) -> io::Result<()> {
        lock(&self.taken).give_all()
    }
}

/// Lets another thread check whether any mode is set, and reset all modes.
#[derive(Clone)]
pub struct Watcher<C> {
    taken: Weak<Mutex<Taken<C>>>,
    control: C,
}

impl<C: Control> Watcher<C> {
    /// True if any mode is set. Also true if another thread holds the lock, because then the modes are unknown.
    #[must_use]
    pub fn holds_modes(&self) -> bool {
        self.taken.upgrade().is_some_and(|taken| {
            taken
                .try_lock()
                .map_or(true, |taken| !taken.modes.is_empty())
        })
    }

    /// Resets all modes. Starts with raw mode, because resetting it writes nothing to the terminal.
    ///
    /// If another thread holds the lock, does not wait for the lock, but resets every mode that the guard can set.
    pub fn give(mut self) {
        let Some(taken) = self.taken.upgrade() else {
            return;
        };
        let modes = match taken.try_lock() {
            Ok(mut taken) => std::mem::take(&mut taken.modes),
            Err(_) => MODES.into_iter().chain([Mode::Mouse]).collect(),
        };
        let (raw, others): (Vec<Mode>, Vec<Mode>) =
            modes.into_iter().partition(|mode| *mode == Mode::Raw);
        for mode in raw.into_iter().chain(others.into_iter().rev()) {
            // The program is ending, so failures are ignored.
            let _ = self.control.set(mode, false);
        }
    }
}

impl<C: Control + Clone> Guard<C> {
    /// Creates a watcher, with which another thread can reset the modes if this guard does not.
    #[must_use]
    pub fn watcher(&self) -> Watcher<C> {
        Watcher {
            taken: Arc::downgrade(&self.taken),
            control: self.control.clone(),
        }
    }
}

impl<C: Control + Clone + Send + Sync + 'static> Guard<C> {
    /// Makes a panic reset all modes before the panic is reported. If `caught` returns true, the panic will be caught,
    /// so the modes stay set.
    pub fn on_panic(&self, caught: fn() -> bool) {
        let watcher = self.watcher();
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if caught() {
                return;
            }
            // The modes are reset here and not only in `drop`: a second panic before `drop` would abort the program.
            watcher.clone().give();
            before(panic);
        }));
    }
}

impl<C: Control> Drop for Guard<C> {
    fn drop(&mut self) {
        // The error is ignored, because `drop` cannot report it.
        let _ = lock(&self.taken).give_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Default)]
    struct Fake {
        log: Arc<Mutex<Vec<String>>>,
        refuses: Option<Mode>,
    }

    impl Control for Fake {
        fn set(&mut self, mode: Mode, on: bool) -> io::Result<()> {
            if on && self.refuses == Some(mode) {
                return Err(io::Error::other("no"));
            }
            let sign = if on { '+' } else { '-' };
            lock(&self.log).push(format!("{sign}{mode:?}"));
            Ok(())
        }
    }

    fn log(fake: &Fake) -> String {
        let log = lock(&fake.log).join(" ");
        lock(&fake.log).clear();
        log
    }

    #[test]
    fn gives_back_in_the_other_order() {
        let fake = Fake::default();
        let guard = Guard::take(fake.clone(), true).expect("taken");
        assert_eq!(
            log(&fake),
            "+Raw +AlternateScreen +BracketedPaste +HiddenCursor +Mouse"
        );
        guard.mouse(false).expect("off");
        guard.mouse(false).expect("off already");
        assert_eq!(log(&fake), "-Mouse");
        drop(guard);
        assert_eq!(
            log(&fake),
            "-HiddenCursor -BracketedPaste -AlternateScreen -Raw"
        );
    }

    #[test]
    fn an_error_on_the_way_leaks_nothing() {
        let fake = Fake {
            refuses: Some(Mode::BracketedPaste),
            ..Fake::default()
        };
        assert!(Guard::take(fake.clone(), false).is_err());
        assert_eq!(
            log(&fake),
            "+Raw +AlternateScreen -BracketedPaste -AlternateScreen -Raw"
        );
    }

    #[test]
    fn takes_again_what_it_had() {
        let fake = Fake::default();
        let guard = Guard::take(fake.clone(), true).expect("taken");
        log(&fake);
        let inner = guard.released(|| log(&fake)).expect("released");
        assert_eq!(
            inner,
            "-Mouse -HiddenCursor -BracketedPaste -AlternateScreen -Raw"
        );
        assert_eq!(
            log(&fake),
            "+Raw +AlternateScreen +BracketedPaste +HiddenCursor +Mouse"
        );
        guard.give().expect("given");
        guard.give().expect("nothing left");
        drop(guard);
        assert_eq!(log(&fake).matches("-Raw").count(), 1);
    }

    #[test]
    fn a_panic_that_is_caught_keeps_the_screen() {
        thread_local! { static CAUGHT: std::cell::Cell<bool> = const { std::cell::Cell::new(false) }; }
        let fake = Fake::default();
        let guard = Guard::take(fake.clone(), false).expect("taken");
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        guard.on_panic(|| CAUGHT.get());
        log(&fake);
        CAUGHT.set(true);
        let _ = std::panic::catch_unwind(|| panic!("caught"));
        CAUGHT.set(false);
        assert_eq!(log(&fake), "");
        let _ = std::panic::catch_unwind(|| panic!("fatal"));
        assert_eq!(
            log(&fake),
            "-Raw -HiddenCursor -BracketedPaste -AlternateScreen"
        );
        drop(guard);
        assert_eq!(log(&fake), "");
        std::panic::set_hook(before);
    }
}
