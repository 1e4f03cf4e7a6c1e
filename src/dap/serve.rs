//! The main loop: waits for a message, handles it, runs for a slice and writes the outgoing messages.

use super::adapter::{Adapter, Effect};
use super::wire::{Reader, WireError, write};
use crate::launch::{LaunchConfig, Watch, watch};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Maximum duration of a slice of the run, short enough that requests are answered promptly.
const SLICE: Duration = Duration::from_millis(8);
/// Maximum time from the start of a connection to its first message.
const PATIENCE: Duration = Duration::from_secs(10);
/// Interval between progress reports of a long run.
const BEAT: Duration = Duration::from_millis(500);

/// Input of the loop.
enum Input {
    /// A message.
    Message(Vec<u8>),
    /// A message that could not be read and was skipped.
    Unread(String),
    /// A watched file has changed.
    FileChanged,
    /// The client sent something that is not a message, so the rest of the stream is unreadable.
    Broken(String),
    /// The client has disconnected.
    Closed,
}

/// Serves one client on standard input and output until it disconnects.
///
/// # Errors
/// If writing to standard output fails for a reason other than a closed pipe, or the client sends something that is
/// not a message.
pub fn serve_stdio(base: LaunchConfig) -> io::Result<()> {
    serve(base, reader(io::stdin()), None, io::stdout())
}

/// Waits for one client on a local address, serves it and returns. Closes a connection whose first message cannot be
/// read; `say` receives a sentence about that, and about the address.
///
/// # Errors
/// If listening on the address or the connection fails.
pub fn listen(
    base: LaunchConfig,
    address: SocketAddr,
    mut say: impl FnMut(&str),
) -> io::Result<()> {
    let listener = TcpListener::bind(address)?;
    say(&format!("listening on {}", listener.local_addr()?));
    loop {
        let (stream, from) = listener.accept()?;
        let mut input = reader(stream.try_clone()?);
        stream.set_read_timeout(Some(PATIENCE))?;
        let problem = match input.message() {
            Ok(Some(first)) => {
                drop(listener);
                stream.set_read_timeout(None)?;
                // Each message is sent at once, because the client waits for it.
                stream.set_nodelay(true)?;
                return serve(base, input, Some(first), stream);
            }
            Ok(None) => "it closed before its first message".to_string(),
            Err(error) => error.to_string(),
        };
        say(&format!(
            "connection from {from} refused: {problem}; still listening"
        ));
    }
}

fn reader<R: Read>(input: R) -> Reader<BufReader<R>> {
    Reader::new(BufReader::new(input))
}

/// Serves a client whose first message may have been read already.
fn serve(
    base: LaunchConfig,
    input: Reader<impl BufRead + Send + 'static>,
    first: Option<Vec<u8>>,
    output: impl Write,
) -> io::Result<()> {
    let (sender, inputs) = channel();
    let own = sender.clone();
    thread::Builder::new()
        .name("messages".into())
        .spawn(move || read_all(input, first, &own))?;
    let served = go(Adapter::new(base), &inputs, &sender, BufWriter::new(output));
    match served {
        // The client may disconnect at any time.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::BrokenPipe
                    | io::ErrorKind::ConnectionReset
                    | io::ErrorKind::ConnectionAborted
            ) =>
        {
            Ok(())
        }
        served => served,
    }
}

fn read_all(mut reader: Reader<impl BufRead>, mut first: Option<Vec<u8>>, inputs: &Sender<Input>) {
    loop {
        let message = match first.take() {
            Some(first) => Ok(Some(first)),
            None => reader.message(),
        };
        let input = match message {
            Ok(Some(message)) => Input::Message(message),
            Err(error @ WireError::TooLong(_)) => Input::Unread(error.to_string()),
            Err(error @ WireError::NoHeader(_)) => Input::Broken(error.to_string()),
            Ok(None) | Err(WireError::Io(_)) => Input::Closed,
        };
        let last = matches!(input, Input::Closed | Input::Broken(_));
        if inputs.send(input).is_err() || last {
            return;
        }
    }
}

fn go(
    mut adapter: Adapter,
    inputs: &Receiver<Input>,
    sender: &Sender<Input>,
    mut output: impl Write,
) -> io::Result<()> {
    let mut watching: Option<Watch> = None;
    let mut told = Instant::now();
    loop {
        let input = match adapter.is_busy() {
            true => match inputs.try_recv() {
                Ok(input) => Some(input),
                Err(TryRecvError::Empty) => None,
                Err(TryRecvError::Disconnected) => return Ok(()),
            },
            false => {
                told = Instant::now();
                match inputs.recv_timeout(Duration::from_secs(3600)) {
                    Ok(input) => Some(input),
                    Err(RecvTimeoutError::Timeout) => None,
                    Err(RecvTimeoutError::Disconnected) => return Ok(()),
                }
            }
        };
        match input {
            Some(Input::Message(message)) => adapter.receive(&message),
            Some(Input::Unread(problem)) => adapter.unread(&problem),
            Some(Input::FileChanged) => adapter.file_changed(),
            Some(Input::Broken(problem)) => {
                return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
            }
            Some(Input::Closed) => return Ok(()),
            None => {}
        }
        // The response is sent before anything runs.
        say(&mut adapter, &mut output)?;
        for effect in adapter.effects() {
            match effect {
                Effect::End => return Ok(()),
                Effect::Watch(files, own) => {
                    let sender = sender.clone();
                    let news = move || sender.send(Input::FileChanged).is_ok();
                    watching = match watch(&files, &own, news) {
                        Ok(watching) => Some(watching),
                        Err(error) => {
                            adapter.unread(&format!(
                                "the file cannot be watched ({error}); reload reads it again"
                            ));
                            None
                        }
                    };
                }
            }
        }
        if adapter.is_busy() {
            let started = Instant::now();
            adapter.slice(|| started.elapsed() < SLICE);
            if told.elapsed() >= BEAT {
                told = Instant::now();
                adapter.beat();
            }
        }
        say(&mut adapter, &mut output)?;
        // Keeps the watcher alive during the loop.
        let _ = &watching;
    }
}

fn say(adapter: &mut Adapter, output: &mut impl Write) -> io::Result<()> {
    let messages = adapter.messages();
    if messages.is_empty() {
        return Ok(());
    }
    for message in messages {
        write(output, &message)?;
    }
    output.flush()
}
