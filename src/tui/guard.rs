//! Terminal modes taken and given back: whatever way the program ends, the terminal is as it was.

use std::io::{self, Write as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// One thing that is changed about the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Keys arrive one by one, nothing is echoed.
    Raw,
    /// The screen beside the one with the shell's lines.
    AlternateScreen,
    /// A paste arrives as one text.
    BracketedPaste,
    /// Clicks and the wheel arrive.
    Mouse,
    /// The cursor is not shown.
    HiddenCursor,
}

/// What can be asked of a terminal; the real one is [`Screen`].
pub trait Control {
    /// Takes a mode.
    ///
    /// # Errors
    /// Where the terminal cannot be written to.
    fn take(&mut self, mode: Mode) -> io::Result<()>;

    /// Gives a mode back.
    ///
    /// # Errors
    /// Where the terminal cannot be written to.
    fn give(&mut self, mode: Mode) -> io::Result<()>;
}

/// The terminal on standard output.
#[derive(Clone, Copy, Debug, Default)]
pub struct Screen;

impl Control for Screen {
    fn take(&mut self, mode: Mode) -> io::Result<()> {
        use crossterm::{cursor, event, execute, terminal};
        let mut out = io::stdout();
        match mode {
            Mode::Raw => terminal::enable_raw_mode(),
            Mode::AlternateScreen => execute!(out, terminal::EnterAlternateScreen),
            Mode::BracketedPaste => execute!(out, event::EnableBracketedPaste),
            Mode::Mouse => execute!(out, event::EnableMouseCapture),
            Mode::HiddenCursor => execute!(out, cursor::Hide),
        }
    }

    fn give(&mut self, mode: Mode) -> io::Result<()> {
        use crossterm::{cursor, event, execute, terminal};
        let mut out = io::stdout();
        match mode {
            Mode::Raw => terminal::disable_raw_mode(),
            Mode::AlternateScreen => execute!(out, terminal::LeaveAlternateScreen),
            Mode::BracketedPaste => execute!(out, event::DisableBracketedPaste),
            Mode::Mouse => execute!(out, event::DisableMouseCapture),
            Mode::HiddenCursor => execute!(out, cursor::Show),
        }?;
        out.flush()
    }
}

/// Does work that hands the terminal to another program, and sets what that program may have left: one that was killed
/// leaves the modes that it had taken.
pub fn restored<T>(work: impl FnOnce() -> T) -> T {
    use crossterm::event::{DisableBracketedPaste, DisableFocusChange, DisableMouseCapture};
    use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
    let before = tcgetattr(io::stdin());
    let result = work();
    if let Ok(before) = before {
        // The terminal may be gone.
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

/// The modes that are always taken, in this order.
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
    /// Gives all back, the last taken first; goes on where one fails and reports the first failure.
    fn give_all(&mut self) -> io::Result<()> {
        let mut result = Ok(());
        while let Some(mode) = self.modes.pop() {
            let given = self.control.give(mode);
            result = result.and(given);
        }
        result
    }
}

/// Holds the modes that are taken and gives them back when it goes away.
pub struct Guard<C: Control> {
    taken: Arc<Mutex<Taken<C>>>,
    /// The same terminal for those who cannot wait for the lock.
    control: C,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<C: Control + Clone> Guard<C> {
    /// Takes [`MODES`], and the mouse where wanted.
    ///
    /// # Errors
    /// Where one cannot be taken; those before it are given back.
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
            // Noted first: a mode of which half was written has to be given back too.
            taken.modes.push(mode);
            taken.control.take(mode)?;
        }
        Ok(())
    }

    /// Switches the mouse on or off.
    ///
    /// # Errors
    /// Where the terminal cannot be written to.
    pub fn mouse(&self, on: bool) -> io::Result<()> {
        if on {
            return self.add(Mode::Mouse);
        }
        let mut taken = lock(&self.taken);
        if let Some(place) = taken.modes.iter().position(|mode| *mode == Mode::Mouse) {
            taken.modes.remove(place);
            taken.control.give(Mode::Mouse)?;
        }
        Ok(())
    }

    /// Gives everything back for the time of `work`, then takes it again.
    ///
    /// # Errors
    /// Where the terminal cannot be written to.
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

    /// Gives everything back now.
    ///
    /// # Errors
    /// Where the terminal cannot be written to.
    pub fn give(&self) -> io::Result<()> {
        lock(&self.taken).give_all()
    }
}

/// Sees from another thread whether modes are taken, and can give them back.
#[derive(Clone)]
pub struct Watcher<C> {
    taken: Weak<Mutex<Taken<C>>>,
    control: C,
}

impl<C: Control> Watcher<C> {
    /// Whether any mode is taken, as far as can be seen.
    #[must_use]
    pub fn holds_modes(&self) -> bool {
        self.taken.upgrade().is_some_and(|taken| {
            taken
                .try_lock()
                .map_or(true, |taken| !taken.modes.is_empty())
        })
    }

    /// Gives everything back, the keyboard first: that needs no output.
    ///
    /// What is taken by somebody else at the moment is not waited for: every mode there is is given back then.
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
            // The program ends, whatever the terminal says.
            let _ = self.control.give(mode);
        }
    }
}

impl<C: Control + Clone> Guard<C> {
    /// One who sees to it that the modes are given back when nobody else does.
    #[must_use]
    pub fn watcher(&self) -> Watcher<C> {
        Watcher {
            taken: Arc::downgrade(&self.taken),
            control: self.control.clone(),
        }
    }
}

impl<C: Control + Clone + Send + Sync + 'static> Guard<C> {
    /// Gives everything back before a panic is reported, but for panics that `caught` says somebody catches.
    pub fn on_panic(&self, caught: fn() -> bool) {
        let watcher = self.watcher();
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if caught() {
                return;
            }
            // Here and not by `Drop`: a second panic on the way there would end the program at once.
            watcher.clone().give();
            before(panic);
        }));
    }
}

impl<C: Control> Drop for Guard<C> {
    fn drop(&mut self) {
        // Nobody is left to tell of a failure.
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
        fn take(&mut self, mode: Mode) -> io::Result<()> {
            if self.refuses == Some(mode) {
                return Err(io::Error::other("no"));
            }
            lock(&self.log).push(format!("+{mode:?}"));
            Ok(())
        }

        fn give(&mut self, mode: Mode) -> io::Result<()> {
            lock(&self.log).push(format!("-{mode:?}"));
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
