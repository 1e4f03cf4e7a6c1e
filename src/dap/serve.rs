//! Serves a client over standard input and output or a socket: in a loop, handles a message, runs the session for a
//! short time, and sends the adapter's messages.

use super::adapter::{Adapter, Effect};
use crate::launch::{LaunchConfig, Watch, watch};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Maximum time that the session runs before the loop looks for the next message.
const SLICE: Duration = Duration::from_millis(8);
/// Maximum time to wait for data from a new client until its first message is complete.
const PATIENCE: Duration = Duration::from_secs(10);
/// Interval between progress reports of a long run.
const BEAT: Duration = Duration::from_millis(500);

/// An input of the loop that serves the client.
enum Input {
    /// A message from the client.
    Message(Vec<u8>),
    /// A message was too long and was skipped. The text says so.
    Unread(String),
    /// A watched file has changed.
    FileChanged,
    /// The client sent something that is not a message, so the rest of the stream cannot be read. The text says why.
    Broken(String),
    /// The client has disconnected, or its stream failed.
    Closed,
}

/// Serves one client on standard input and output until it disconnects.
///
/// # Errors
/// If the client sends something that is not a message, or writing to standard output fails. A closed pipe is no error.
pub fn serve_stdio(base: LaunchConfig) -> io::Result<()> {
    serve(base, reader(io::stdin()), None, io::stdout())
}

/// Waits on a local address for one client, serves it and returns. If the first message of a connection cannot be read,
/// closes this connection and waits for the next. `say` gets a sentence with the address, and one for each closed
/// connection.
///
/// # Errors
/// If listening on the address fails, or if the connection to the served client fails.
pub fn listen(
    base: LaunchConfig,
    address: SocketAddr,
    mut say: impl FnMut(&str),
) -> io::Result<()> {
    let listener = TcpListener::bind(address)?;
    say(&format!(
        "listening on {address}",
        address = listener.local_addr()?
    ));
    loop {
        let (stream, client) = listener.accept()?;
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
            Ok(None) => "the client closed the connection before its first message".to_string(),
            Err(error) => error.to_string(),
        };
        say(&format!(
            "connection from {client} refused: {problem}; still listening"
        ));
    }
}

fn reader<R: Read>(input: R) -> Reader<BufReader<R>> {
    Reader::new(BufReader::new(input))
}

/// Serves a client until it disconnects. `first` is its first message if the caller has already read that.
fn serve(
    base: LaunchConfig,
    input: Reader<impl BufRead + Send + 'static>,
    first: Option<Vec<u8>>,
    output: impl Write,
) -> io::Result<()> {
    let (sender, received) = channel();
    let inputs = sender.clone();
    thread::Builder::new()
        .name("messages".into())
        .spawn(move || read_all(input, first, &inputs))?;
    let served = go(
        Adapter::new(base),
        &received,
        &sender,
        BufWriter::new(output),
    );
    match served {
        // These errors mean that the client has disconnected, which it may do at any time.
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
    let mut last_beat = Instant::now();
    loop {
        let input = match adapter.is_busy() {
            true => match inputs.try_recv() {
                Ok(input) => Some(input),
                Err(TryRecvError::Empty) => None,
                Err(TryRecvError::Disconnected) => return Ok(()),
            },
            false => {
                last_beat = Instant::now();
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
        // The response to the request is sent before the session runs.
        say(&mut adapter, &mut output)?;
        for effect in adapter.effects() {
            match effect {
                Effect::End => return Ok(()),
                Effect::Watch(files, own_writes) => {
                    let sender = sender.clone();
                    let news = move || sender.send(Input::FileChanged).is_ok();
                    watching = match watch(&files, &own_writes, news) {
                        Ok(watching) => Some(watching),
                        Err(error) => {
                            adapter.unread(&format!(
                                "changes of the definition cannot be watched ({error}); type \"reload\" after a change"
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
            if last_beat.elapsed() >= BEAT {
                last_beat = Instant::now();
                adapter.beat();
            }
        }
        say(&mut adapter, &mut output)?;
        // The files are watched until the value in `watching` is dropped, so the variable has to exist until the loop
        // ends. Without this use, the compiler would warn that the variable is never read.
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

/// Maximum message length that a header may state, in bytes. A message longer than [`MAX_MESSAGE`] is skipped if its
/// length is within this limit. A greater length must be a mistake, and ends the connection.
const MAX_SKIPPED: usize = 1 << 30;
/// Maximum length of a message that is accepted, in bytes. A longer message is skipped.
pub const MAX_MESSAGE: usize = 16 << 20;
/// Maximum length of one line of a message's header, in bytes.
const MAX_LINE: u64 = 4096;
/// Maximum number of lines in the header of a message.
const MAX_LINES: usize = 32;

/// The reason why the next message could not be read from the client.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    /// The message is longer than [`MAX_MESSAGE`], and was skipped. The number is its length in bytes.
    #[error("a message of {0} bytes is refused: the limit is {MAX_MESSAGE}")]
    TooLong(usize),
    /// The data is not the header of a message, so the start of the next message cannot be found. The text says why.
    #[error("not a message of the debug adapter protocol: {0}")]
    NoHeader(String),
    /// Reading from the stream failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Reads the messages of the protocol from a stream of bytes.
#[derive(Debug)]
pub struct Reader<R> {
    stream: R,
}

impl<R: BufRead> Reader<R> {
    /// Creates a reader that reads messages from `stream`.
    pub fn new(stream: R) -> Self {
        Self { stream }
    }

    /// Reads the next message; `None` if the stream ends, even in the middle of a message.
    ///
    /// # Errors
    /// If the next bytes are not a message that can be read, or the stream fails. After [`WireError::TooLong`], reading
    /// can continue.
    pub fn message(&mut self) -> Result<Option<Vec<u8>>, WireError> {
        let Some(length) = self.header()? else {
            return Ok(None);
        };
        if length > MAX_MESSAGE {
            let mut rest = (&mut self.stream).take(length as u64);
            io::copy(&mut rest, &mut io::sink())?;
            return Err(WireError::TooLong(length));
        }
        let mut content = Vec::new();
        let mut part = (&mut self.stream).take(length as u64);
        part.read_to_end(&mut content)?;
        Ok((content.len() == length).then_some(content))
    }

    /// Reads the header of a message, and returns the message's length in bytes; `None` if the stream ends.
    fn header(&mut self) -> Result<Option<usize>, WireError> {
        let mut length = None;
        for _ in 0..MAX_LINES {
            let mut line = Vec::new();
            let mut part = (&mut self.stream).take(MAX_LINE);
            part.read_until(b'\n', &mut line)?;
            if !line.ends_with(b"\n") {
                return match line.len() as u64 {
                    MAX_LINE => Err(WireError::NoHeader("a line does not end".to_string())),
                    _ => Ok(None),
                };
            }
            let line = String::from_utf8_lossy(&line);
            let line = line.trim_end();
            match (line, length) {
                ("", Some(length)) => return Ok(Some(length)),
                // Blank lines between messages are ignored.
                ("", None) => continue,
                _ => {}
            }
            let no_header = || WireError::NoHeader(format!("\"{line}\""));
            let is_name = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
            // The first line of an HTTP request may contain a colon, too. But the text before its colon is not a header
            // name.
            let field = line.split_once(':').filter(|(name, _)| is_name(name));
            let (name, value) = field.ok_or_else(no_header)?;
            if name.eq_ignore_ascii_case("Content-Length") {
                let number = value.trim().parse::<usize>();
                let number = number.ok().filter(|number| *number <= MAX_SKIPPED);
                length = Some(number.ok_or_else(no_header)?);
            }
        }
        Err(WireError::NoHeader(
            "the header Content-Length is missing".to_string(),
        ))
    }
}

/// Writes a message to a stream: a header with the length, then the content.
///
/// # Errors
/// If writing to the stream fails.
pub fn write(stream: &mut impl Write, content: &str) -> io::Result<()> {
    write!(stream, "Content-Length: {}\r\n\r\n{content}", content.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> String {
        let mut reader = Reader::new(bytes);
        let mut out = String::new();
        for _ in 0..8 {
            match reader.message() {
                Ok(Some(content)) => out.push_str(&String::from_utf8_lossy(&content)),
                Ok(None) => return out + "|end",
                Err(WireError::TooLong(length)) => out.push_str(&format!("<{length}>")),
                Err(error) => return format!("{out}|{error}"),
            }
        }
        out
    }

    #[test]
    fn messages_are_read() {
        let mut stream = Vec::new();
        write(&mut stream, "{\"a\": 1}").expect("written");
        write(&mut stream, "{}").expect("written");
        assert_eq!(read(&stream), "{\"a\": 1}{}|end");
        assert_eq!(read(b"\r\ncontent-length:2\r\nX: y\r\n\r\n{}"), "{}|end");
    }

    #[test]
    fn what_is_no_message_ends_the_reading() {
        assert_eq!(read(b""), "|end");
        assert_eq!(read(b"Content-Length: 5\r\n\r\n{}"), "|end");
        assert_eq!(read(b"Content-Len"), "|end");
        assert!(read(b"GET / HTTP/1.1\r\n").contains("GET / HTTP/1.1"));
        assert!(read(b"POST /a:b HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}").contains("POST"));
        assert!(read(b"Content-Length: 18446744073709551615\r\n\r\n{}").contains("1844"));
        assert!(read(b"Content-Length: -3\r\n\r\n").contains("-3"));
        assert!(read(b"Content-Length: 99999999999999999999999\r\n\r\n").contains("9999"));
        assert!(read(&vec![b'x'; 10_000]).contains("a line does not end"));
        assert!(read(&b"A: b\r\n".repeat(40)).contains("the header Content-Length is missing"));
    }

    #[test]
    fn a_long_message_is_read_past() {
        let length = MAX_MESSAGE + 1;
        let mut stream = format!("Content-Length: {length}\r\n\r\n").into_bytes();
        stream.extend(std::iter::repeat_n(b' ', length));
        write(&mut stream, "{}").expect("written");
        assert_eq!(read(&stream), format!("<{length}>{{}}|end"));
    }
}
