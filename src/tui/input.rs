//! Everything that can come from outside, as one closed list in one channel; the threads behind it only wait.
//!
//! It must not know what an input does.

use crossterm::event::{self, Event, KeyEvent, KeyEventKind, MouseEvent};
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;

/// What came from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A key was pressed.
    Key(KeyEvent),
    /// The mouse did something.
    Mouse(MouseEvent),
    /// A text was pasted.
    Paste(String),
    /// The screen has another size.
    Resize(u16, u16),
    /// The definition's file was written by somebody else.
    FileChanged,
    /// The system wants something.
    Signal(Signal),
    /// The time that was asked for has come.
    Deadline,
    /// The terminal is gone.
    Closed,
}

/// What the system wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// An end: SIGTERM, SIGHUP.
    End,
    /// The same as Ctrl-C: SIGINT.
    Interrupt,
    /// A stop: SIGTSTP.
    Stop,
    /// Stopped no longer: SIGCONT.
    Continue,
}

/// Lets the terminal's thread read the next key only when the last one was dealt with.
///
/// While the loop deals with a key, nobody reads the terminal: an editor started then has it alone.
#[derive(Clone, Debug, Default)]
struct Gate {
    open: Arc<(Mutex<bool>, Condvar)>,
}

impl Gate {
    fn wait(&self) {
        let (flag, changed) = &*self.open;
        let mut open = flag.lock().unwrap_or_else(PoisonError::into_inner);
        while !*open {
            open = changed.wait(open).unwrap_or_else(PoisonError::into_inner);
        }
        *open = false;
    }

    fn release(&self) {
        let (flag, changed) = &*self.open;
        *flag.lock().unwrap_or_else(PoisonError::into_inner) = true;
        changed.notify_one();
    }
}

/// The receiving end of all inputs.
#[derive(Debug)]
pub struct Inputs {
    receiver: Receiver<Input>,
    sender: Sender<Input>,
    gate: Gate,
}

impl Default for Inputs {
    fn default() -> Self {
        let (sender, receiver) = channel();
        Self {
            receiver,
            sender,
            gate: Gate::default(),
        }
    }
}

impl Inputs {
    /// Where others may send inputs to.
    #[must_use]
    pub fn sender(&self) -> Sender<Input> {
        self.sender.clone()
    }

    /// Waits for the next input, at most for `time`; `None` when the time is over.
    #[must_use]
    pub fn next(&self, time: Option<std::time::Duration>) -> Option<Input> {
        match time {
            Some(time) => self.receiver.recv_timeout(time).ok(),
            None => Some(self.receiver.recv().unwrap_or(Input::Closed)),
        }
    }

    /// Says that an input was dealt with, so that the next key may be read.
    pub fn done(&self, input: &Input) {
        if matches!(input, Input::Key(_)) {
            self.gate.release();
        }
    }

    /// Starts the thread that reads the terminal.
    ///
    /// # Errors
    /// Where no thread can be started.
    pub fn listen_to_terminal(&self) -> io::Result<()> {
        let (sender, gate) = (self.sender.clone(), self.gate.clone());
        thread::Builder::new()
            .name("terminal".into())
            .spawn(move || read_terminal(&sender, &gate))
            .map(drop)
    }

    /// Starts the thread that waits for signals.
    ///
    /// # Errors
    /// Where signals cannot be had or no thread can be started.
    pub fn listen_to_signals(&self) -> io::Result<()> {
        use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGTERM, SIGTSTP};
        let mut signals =
            signal_hook::iterator::Signals::new([SIGTERM, SIGHUP, SIGINT, SIGTSTP, SIGCONT])?;
        let sender = self.sender.clone();
        thread::Builder::new()
            .name("signals".into())
            .spawn(move || {
                for signal in signals.forever() {
                    let signal = match signal {
                        SIGINT => Signal::Interrupt,
                        SIGTSTP => Signal::Stop,
                        SIGCONT => Signal::Continue,
                        _ => Signal::End,
                    };
                    if sender.send(Input::Signal(signal)).is_err() {
                        break;
                    }
                }
            })
            .map(drop)
    }
}

fn read_terminal(sender: &Sender<Input>, gate: &Gate) {
    loop {
        let input = match event::read() {
            Ok(Event::Key(key)) if key.kind == KeyEventKind::Release => continue,
            Ok(Event::Key(key)) => Input::Key(key),
            Ok(Event::Mouse(mouse)) => Input::Mouse(mouse),
            Ok(Event::Paste(text)) => Input::Paste(text),
            Ok(Event::Resize(columns, rows)) => Input::Resize(columns, rows),
            Ok(Event::FocusGained | Event::FocusLost) => continue,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => Input::Closed,
        };
        let is_key = matches!(input, Input::Key(_));
        let is_end = input == Input::Closed;
        if sender.send(input).is_err() || is_end {
            return;
        }
        if is_key {
            gate.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossterm::event::{KeyCode, KeyModifiers};
    use std::time::Duration;

    #[test]
    fn the_gate_opens_once_for_each_key() {
        let inputs = Inputs::default();
        let key = Input::Key(KeyEvent::new(KeyCode::Char('n'), KeyModifiers::NONE));
        let (gate, sender) = (inputs.gate.clone(), inputs.sender());
        let reader = thread::spawn(move || {
            gate.wait();
            let _ = sender.send(Input::Deadline);
        });
        assert_eq!(inputs.next(Some(Duration::from_millis(20))), None);
        inputs.done(&key);
        assert_eq!(inputs.next(None), Some(Input::Deadline));
        assert!(reader.join().is_ok());
    }
}
