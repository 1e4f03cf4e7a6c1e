//! All inputs of the front end, as one enum that is sent through one channel. Each sending thread does nothing but wait
//! for its inputs.

use super::decode::Decoder;
use super::pane::Drawing;
use crossterm::event::{Event, KeyEvent, KeyEventKind, MouseEvent};
use mio::unix::SourceFd;
use mio::{Events, Interest, Poll, Token};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd as _, AsRawFd as _};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::Duration;

/// An event that the front end must handle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A key was pressed.
    Key(KeyEvent),
    /// A mouse event.
    Mouse(MouseEvent),
    /// A text was pasted.
    Paste(String),
    /// The screen has a new size.
    Resize(u16, u16),
    /// The definition's file was changed by another program.
    FileChanged,
    /// A background job, such as reading files, has finished.
    Read,
    /// A client of the API server of `--listen` started an execution, or an execution of a client changed.
    Visitors,
    /// A signal from the operating system.
    Signal(Signal),
    /// A drawing of the graph that the graph pane requested is ready.
    Drawing(Drawing),
    /// The time that [`App::deadline`](super::app::App::deadline) returned has come.
    Deadline,
    /// The terminal was closed, so no more keys can come.
    Closed,
}

/// A signal from the operating system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// A signal that asks the program to end.
    End(Ending),
    /// SIGINT, treated like Ctrl-C.
    Interrupt,
    /// SIGTSTP, which asks the program to suspend itself.
    Stop,
    /// SIGCONT: the program runs again after it was suspended.
    Continue,
}

/// A signal that ends the program, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending(i32);

impl Ending {
    /// SIGHUP, or a terminal that is gone.
    pub const HANG_UP: Self = Self(libc::SIGHUP);

    /// Creates the value for the signal with this number.
    #[must_use]
    pub fn by(signal: i32) -> Self {
        Self(signal)
    }

    /// Exit status that a shell reports for a program ended by this signal.
    #[must_use]
    pub fn status(self) -> u8 {
        u8::try_from(self.0).unwrap_or(0) | 0x80
    }
}

/// Signals that end a program by default, except those that report a defect of the program itself, such as SIGSEGV.
fn ending_signals() -> Vec<i32> {
    use libc::{SIGABRT, SIGALRM, SIGHUP, SIGIO, SIGPROF, SIGQUIT, SIGSYS, SIGTERM, SIGTRAP};
    use libc::{SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU};
    let mut signals = vec![
        SIGABRT, SIGALRM, SIGHUP, SIGIO, SIGPROF, SIGQUIT, SIGSYS, SIGTERM, SIGTRAP, SIGUSR1,
        SIGUSR2, SIGVTALRM, SIGXCPU,
    ];
    #[cfg(target_os = "linux")]
    {
        signals.extend([libc::SIGPWR, libc::SIGSTKFLT]);
        signals.extend(libc::SIGRTMIN()..=libc::SIGRTMAX());
    }
    signals
}

/// Receives the inputs of all threads.
#[derive(Debug)]
pub struct Inputs {
    receiver: Receiver<Input>,
    sender: Sender<Input>,
    /// Tells the terminal thread to read the next key, after the last key was handled. Until then nothing reads the
    /// terminal, so that an editor started by the last key has the terminal to itself.
    gate: Option<SyncSender<()>>,
}

impl Default for Inputs {
    fn default() -> Self {
        let (sender, receiver) = channel();
        Self {
            receiver,
            sender,
            gate: None,
        }
    }
}

impl Inputs {
    /// A sender with which another thread can send inputs.
    #[must_use]
    pub fn sender(&self) -> Sender<Input> {
        self.sender.clone()
    }

    /// Waits at most `time` for the next input; `None` if no input came in this time.
    #[must_use]
    pub fn next(&self, time: Option<Duration>) -> Option<Input> {
        match time {
            Some(time) => self.receiver.recv_timeout(time).ok(),
            None => Some(self.receiver.recv().unwrap_or(Input::Closed)),
        }
    }

    /// Tells the terminal thread that an input was handled. If the input was a key, the thread then reads the next key.
    pub fn done(&self, input: &Input) {
        if let (Input::Key(_), Some(gate)) = (input, &self.gate) {
            // Fails if the thread was already told to read on, or has ended. In neither case does the thread wait for
            // this.
            let _ = gate.try_send(());
        }
    }

    /// Starts the thread that reads the terminal.
    ///
    /// # Errors
    /// If the thread cannot be started.
    pub fn listen_to_terminal(&mut self) -> io::Result<()> {
        let terminal = TerminalBytes::open()?;
        let (opens, gate) = sync_channel(1);
        self.gate = Some(opens);
        let sender = self.sender.clone();
        thread::Builder::new()
            .name("terminal".into())
            .spawn(move || {
                // After an error, nothing more can be read from the terminal.
                let _ = read_terminal(terminal, &sender, &gate);
                let _ = sender.send(Input::Closed);
            })
            .map(drop)
    }

    /// Starts the thread that waits for signals. For a signal that ends the program, the thread sends the input first
    /// and then calls `ended`.
    ///
    /// # Errors
    /// If signals are not available or the thread cannot be started.
    pub fn listen_to_signals(&self, ended: impl Fn(Ending) + Send + 'static) -> io::Result<()> {
        use signal_hook::consts::{SIGCONT, SIGINT, SIGTSTP, SIGWINCH};
        let heard = ending_signals().into_iter();
        let heard = heard.chain([SIGINT, SIGTSTP, SIGCONT, SIGWINCH]);
        let mut signals = signal_hook::iterator::Signals::new(heard)?;
        let sender = self.sender.clone();
        thread::Builder::new()
            .name("signals".into())
            .spawn(move || {
                for signal in signals.forever() {
                    let input = match signal {
                        SIGINT => Input::Signal(Signal::Interrupt),
                        SIGTSTP => Input::Signal(Signal::Stop),
                        SIGCONT => Input::Signal(Signal::Continue),
                        SIGWINCH => resized(),
                        signal => Input::Signal(Signal::End(Ending(signal))),
                    };
                    let end = match input {
                        Input::Signal(Signal::End(ending)) => Some(ending),
                        _ => None,
                    };
                    let unheard = sender.send(input).is_err();
                    end.into_iter().for_each(&ended);
                    if unheard {
                        break;
                    }
                }
            })
            .map(drop)
    }
}

fn resized() -> Input {
    let size = crossterm::terminal::window_size();
    let (columns, rows) = size.map_or((0, 0), |size| (size.columns, size.rows));
    Input::Resize(columns, rows)
}

/// Reads bytes from the terminal without a buffer of its own, so that unread bytes stay available to another program
/// such as an editor.
struct TerminalBytes {
    file: File,
    poll: Poll,
    events: Events,
}

impl TerminalBytes {
    const TOKEN: Token = Token(0);

    fn open() -> io::Result<Self> {
        // Reads from the file descriptor. The standard library's `Stdin` would read more bytes than requested, into its
        // buffer.
        let file = File::from(io::stdin().as_fd().try_clone_to_owned()?);
        let poll = Poll::new()?;
        let fd = file.as_raw_fd();
        poll.registry()
            .register(&mut SourceFd(&fd), Self::TOKEN, Interest::READABLE)?;
        Ok(Self {
            file,
            poll,
            events: Events::with_capacity(4),
        })
    }

    /// The next bytes, at most as many as `bytes` holds. `None` if none came within `time`; empty if the terminal is
    /// gone.
    fn next<'b>(
        &mut self,
        time: Option<Duration>,
        bytes: &'b mut [u8],
    ) -> io::Result<Option<&'b [u8]>> {
        let fd = self.file.as_raw_fd();
        // Registers the terminal again, because the poll would otherwise not report bytes that an earlier call left
        // unread.
        self.poll
            .registry()
            .reregister(&mut SourceFd(&fd), Self::TOKEN, Interest::READABLE)?;
        self.poll.poll(&mut self.events, time)?;
        if self.events.is_empty() {
            return Ok(None);
        }
        let count = self.file.read(bytes)?;
        Ok(bytes.get(..count))
    }
}

/// Reads keys and other terminal events and sends them as inputs. Returns when the terminal is gone or the receiver is
/// dropped.
fn read_terminal(
    mut terminal: TerminalBytes,
    sender: &Sender<Input>,
    gate: &Receiver<()>,
) -> io::Result<()> {
    let (mut decoder, mut events) = (Decoder::default(), VecDeque::new());
    let mut bytes = [0; 4096];
    loop {
        match terminal.next(decoder.patience(), &mut bytes) {
            Ok(None) => decoder.give_up(&mut events),
            Ok(Some([])) => return Ok(()),
            Ok(Some(bytes)) => decoder.feed(bytes, &mut events),
            Err(error) if passes(&error) => {}
            Err(error) => return Err(error),
        }
        while let Some(event) = events.pop_front() {
            let input = match event {
                Event::Key(key) if key.kind == KeyEventKind::Release => continue,
                Event::Key(key) => Input::Key(key),
                Event::Mouse(mouse) => Input::Mouse(mouse),
                Event::Paste(text) => Input::Paste(text),
                Event::Resize(columns, rows) => Input::Resize(columns, rows),
                Event::FocusGained | Event::FocusLost => continue,
            };
            let is_key = matches!(input, Input::Key(_));
            if sender.send(input).is_err() {
                return Ok(());
            }
            if is_key && gate.recv().is_err() {
                return Ok(());
            }
        }
    }
}

/// True if the error is temporary and reading may be tried again.
fn passes(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossterm::event::{KeyCode, KeyModifiers};

    #[test]
    fn the_gate_opens_once_for_each_key() {
        let mut inputs = Inputs::default();
        let (opens, gate) = sync_channel(1);
        inputs.gate = Some(opens);
        let key = Input::Key(KeyEvent::new(KeyCode::Char('n'), KeyModifiers::NONE));
        let sender = inputs.sender();
        let reader = thread::spawn(move || {
            let _ = gate.recv();
            let _ = sender.send(Input::Deadline);
        });
        assert_eq!(inputs.next(Some(Duration::from_millis(20))), None);
        inputs.done(&key);
        assert_eq!(inputs.next(None), Some(Input::Deadline));
        assert!(reader.join().is_ok());
    }
}
