//! The loop: waits for a message, deals with it, runs for a slice, writes what there is to say.
//!
//! It must not know what a message says.

use super::adapter::{Adapter, Effect};
use super::wire::{Reader, WireError, write};
use crate::launch::{LaunchConfig, Watch, watch};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// So long a slice of a run may take, so that a request is answered at once.
const SLICE: Duration = Duration::from_millis(8);
/// So often the progress of a long run is told.
const BEAT: Duration = Duration::from_millis(500);

/// What the loop waits for.
enum Input {
    /// A message.
    Message(Vec<u8>),
    /// A message that could not be read and was read past.
    Unread(String),
    /// A watched file has changed.
    FileChanged,
    /// The client is gone, or sends what is no message.
    Closed,
}

/// Serves one client on standard input and output, until it goes.
///
/// # Errors
/// Where standard output fails for another reason than that nobody reads it.
pub fn serve_stdio(base: LaunchConfig) -> io::Result<()> {
    serve(base, io::stdin(), io::stdout())
}

/// Waits for one client at an address of this machine, serves it, and ends.
///
/// # Errors
/// Where the address cannot be listened at or the connection fails.
pub fn listen(
    base: LaunchConfig,
    address: SocketAddr,
    mut bound: impl FnMut(SocketAddr),
) -> io::Result<()> {
    let listener = TcpListener::bind(address)?;
    bound(listener.local_addr()?);
    let (stream, _) = listener.accept()?;
    drop(listener);
    // Each message is written at once and waited for.
    stream.set_nodelay(true)?;
    let input = stream.try_clone()?;
    serve(base, input, stream)
}

fn serve(
    base: LaunchConfig,
    input: impl Read + Send + 'static,
    output: impl Write,
) -> io::Result<()> {
    let (sender, inputs) = channel();
    let own = sender.clone();
    thread::Builder::new()
        .name("messages".into())
        .spawn(move || read_all(input, &own))?;
    let served = go(Adapter::new(base), &inputs, &sender, BufWriter::new(output));
    match served {
        // Whoever reads may go away.
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

fn read_all(input: impl Read, inputs: &Sender<Input>) {
    let mut reader = Reader::new(BufReader::new(input));
    loop {
        let input = match reader.message() {
            Ok(Some(message)) => Input::Message(message),
            Err(error @ WireError::TooLong(_)) => Input::Unread(error.to_string()),
            Ok(None) | Err(_) => Input::Closed,
        };
        let last = matches!(input, Input::Closed);
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
            Some(Input::Closed) => return Ok(()),
            None => {}
        }
        // What a request asks for is answered before anything runs.
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
        // It is there as long as it watches.
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
