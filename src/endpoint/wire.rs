//! HTTP/1.1 on a connection: requests with a Content-Length, and responses with a Content-Length or in chunks.
//!
//! Limits the size and duration of everything that a client sends.

use super::reply::ApiError;
use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Maximum size of a header in bytes, and maximum number of its fields.
const LONGEST_HEADER: usize = 16 << 10;
const MOST_FIELDS: usize = 64;
/// Maximum size of a body, in bytes.
const LARGEST_BODY: usize = 4 << 20;
/// Maximum number of bytes to read and discard from a refused body, so that the client sees the refusal.
const MOST_DROPPED: usize = 16 << 20;
/// Maximum times: between two requests, for a header after its first byte, for a body, for discarding a refused body.
const IDLE: Duration = Duration::from_secs(60);
const HEADER: Duration = Duration::from_secs(10);
const BODY: Duration = Duration::from_secs(60);
const DROPPED: Duration = Duration::from_secs(2);
/// Timeout for a write.
const WRITE: Duration = Duration::from_secs(30);

/// HTTP status and reason of a refused request.
pub(super) type Refused = (u16, &'static str);

/// Method and header fields of a request.
#[derive(Clone, Debug, Default)]
pub(super) struct Head {
    pub(super) method: String,
    /// Minor version of HTTP/1.
    version: u8,
    fields: Vec<(String, String)>,
}

impl Head {
    /// All values of the header field `name`.
    pub(super) fn all(&self, name: &str) -> Vec<&str> {
        let fields = self.fields.iter();
        fields
            .filter(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
            .collect()
    }

    /// The first value of the header field `name`.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.all(name).first().copied()
    }

    /// True if the client wants the connection closed after the response, which is the default of HTTP/1.0.
    fn closes(&self) -> bool {
        let fields = self.all("connection");
        let mut options = fields.iter().flat_map(|field| field.split(','));
        let mut has = |name: &str| options.any(|option| option.trim().eq_ignore_ascii_case(name));
        match self.version {
            0 => !has("keep-alive"),
            _ => has("close"),
        }
    }

    /// Length of the body in bytes, from the header Content-Length.
    fn length(&self) -> Result<usize, Refused> {
        if self.get("transfer-encoding").is_some() {
            return Err((400, "a request with a body needs the header Content-Length"));
        }
        let length = match self.all("content-length").as_slice() {
            [] => return Ok(0),
            [length] => length.trim(),
            _ => return Err((400, "a request must have exactly one header Content-Length")),
        };
        // `parse` would accept a sign, which is not allowed.
        let is_number = !length.is_empty() && length.bytes().all(|byte| byte.is_ascii_digit());
        let length = length.parse::<usize>().ok().filter(|_| is_number);
        length.ok_or((400, "the Content-Length is not a number"))
    }
}

/// An HTTP request: its head and its body.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) head: Head,
    pub(super) body: Vec<u8>,
}

/// The reason why no request was read.
#[derive(Debug)]
pub(super) enum Unread {
    /// The client has disconnected, or was idle for too long.
    Gone,
    /// The request is refused and the connection is closed.
    Refused(Refused),
}

/// A connection to a client.
#[derive(Debug)]
pub(super) struct Connection {
    stream: TcpStream,
    /// Bytes that were read ahead and belong to the next request.
    rest: Vec<u8>,
    /// True if the client wants the connection closed after the response to its last request.
    closes: bool,
    /// True if the client of the last request accepts a response in chunks; clients of HTTP/1.0 do not.
    takes_chunks: bool,
}

impl Connection {
    pub(super) fn new(stream: TcpStream) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(WRITE))?;
        Ok(Self {
            stream,
            rest: Vec::new(),
            closes: false,
            takes_chunks: true,
        })
    }

    /// True if no further request follows, because the last request asked to close the connection.
    pub(super) fn closes(&self) -> bool {
        self.closes
    }

    /// True if a response may be sent in chunks.
    pub(super) fn takes_chunks(&self) -> bool {
        self.takes_chunks
    }

    /// Reads the next request; `check` examines its head before the body is read.
    pub(super) fn request(
        &mut self,
        check: impl Fn(&Head) -> Result<(), Refused>,
    ) -> Result<Request, Unread> {
        let head = self.head()?;
        self.closes = head.closes();
        self.takes_chunks = head.version > 0;
        let checked = check(&head).and_then(|()| head.length());
        let length = match checked {
            Ok(length) if length <= LARGEST_BODY => length,
            Ok(length) => {
                self.drop_body(length);
                return Err(Unread::Refused((413, "the request is larger than 4 MiB")));
            }
            Err(refused) => {
                self.drop_body(head.length().unwrap_or(0));
                return Err(Unread::Refused(refused));
            }
        };
        if head.get("expect").is_some() && self.rest.len() < length {
            self.stream
                .write_all(b"HTTP/1.1 100 Continue\r\n\r\n")
                .map_err(|_| Unread::Gone)?;
        }
        let deadline = Instant::now() + BODY;
        while self.rest.len() < length {
            if !self.fill(deadline) {
                return Err(Unread::Refused((
                    408,
                    "the body of the request did not arrive in time",
                )));
            }
        }
        let rest = self.rest.split_off(length);
        let body = std::mem::replace(&mut self.rest, rest);
        Ok(Request { head, body })
    }

    fn head(&mut self) -> Result<Head, Unread> {
        if self.rest.is_empty() && !self.fill(Instant::now() + IDLE) {
            return Err(Unread::Gone);
        }
        let deadline = Instant::now() + HEADER;
        loop {
            match parse(&self.rest) {
                Ok(Some((head, length))) if length <= LONGEST_HEADER => {
                    self.rest.drain(..length);
                    return Ok(head);
                }
                Ok(None) if self.rest.len() <= LONGEST_HEADER => {}
                Ok(_) => {
                    return Err(Unread::Refused((
                        431,
                        "the header of the request is larger than 16 KiB",
                    )));
                }
                Err(refused) => return Err(Unread::Refused(refused)),
            }
            if !self.fill(deadline) {
                return Err(Unread::Refused((
                    408,
                    "the header of the request did not arrive in time",
                )));
            }
        }
    }

    /// Reads some bytes; returns `false` if none arrive before the deadline.
    fn fill(&mut self, deadline: Instant) -> bool {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() || self.stream.set_read_timeout(Some(left)).is_err() {
            return false;
        }
        let mut part = [0; 16 << 10];
        match self.stream.read(&mut part) {
            Ok(count) => {
                self.rest.extend(part.iter().take(count));
                count > 0
            }
            Err(error) => error.kind() == io::ErrorKind::Interrupted,
        }
    }

    /// Discards a refused body, within a time limit.
    fn drop_body(&mut self, length: usize) {
        let mut left = length.min(MOST_DROPPED).saturating_sub(self.rest.len());
        let deadline = Instant::now() + DROPPED;
        while left > 0 {
            self.rest.clear();
            if !self.fill(deadline) {
                return;
            }
            left = left.saturating_sub(self.rest.len());
        }
    }

    /// Sends the result of an operation.
    pub(super) fn answer(&mut self, id: &str, body: &str) -> io::Result<()> {
        self.send(200, id, "", body)
    }

    /// Sends the error of an operation. Its code is in a header and in the body, because clients differ in where they
    /// read it.
    pub(super) fn fail(&mut self, id: &str, error: &ApiError) -> io::Result<()> {
        let field = format!("x-amzn-ErrorType: {}\r\n", error.code());
        self.send(400, id, &field, &error.body())
    }

    /// Refuses a request; nothing more is read from the connection.
    pub(super) fn refuse(&mut self, (status, why): Refused, id: &str) -> io::Result<()> {
        let body = serde_json::json!({"__type": "AccessDeniedException", "message": why});
        self.closes = true;
        self.send(status, id, "", &body.to_string())
    }

    fn send(&mut self, status: u16, id: &str, fields: &str, body: &str) -> io::Result<()> {
        let fields = format!("Content-Length: {}\r\n{fields}", body.len());
        let text = self.head_of(status, id, &fields) + body;
        self.stream.write_all(text.as_bytes())
    }

    /// Starts a chunked response.
    pub(super) fn begin_chunks(&mut self, id: &str) -> io::Result<()> {
        let text = self.head_of(200, id, "Transfer-Encoding: chunked\r\n");
        self.stream.write_all(text.as_bytes())
    }

    /// Sends a chunk of the response.
    pub(super) fn chunk(&mut self, part: &str) -> io::Result<()> {
        let text = format!("{:x}\r\n{part}\r\n", part.len());
        self.stream.write_all(text.as_bytes())
    }

    /// Ends a chunked response.
    pub(super) fn end_chunks(&mut self) -> io::Result<()> {
        self.stream.write_all(b"0\r\n\r\n")
    }

    /// The status line and the header fields of a response, as text.
    fn head_of(&self, status: u16, id: &str, fields: &str) -> String {
        let reason = match status {
            200 => "OK",
            403 => "Forbidden",
            405 => "Method Not Allowed",
            408 => "Request Timeout",
            413 => "Content Too Large",
            415 => "Unsupported Media Type",
            431 => "Request Header Fields Too Large",
            503 => "Service Unavailable",
            _ => "Bad Request",
        };
        let close = if self.closes {
            "Connection: close\r\n"
        } else {
            ""
        };
        format!(
            "HTTP/1.1 {status} {reason}\r\nContent-Type: application/x-amz-json-1.0\r\nx-amzn-RequestId: {id}\r\n{fields}{close}\r\n"
        )
    }

    /// True if the client is still connected.
    pub(super) fn is_open(&self) -> bool {
        if self.stream.set_nonblocking(true).is_err() {
            return false;
        }
        let peeked = self.stream.peek(&mut [0]);
        let is_blocking = self.stream.set_nonblocking(false).is_ok();
        match peeked {
            Ok(count) => count > 0 && is_blocking,
            Err(error) => error.kind() == io::ErrorKind::WouldBlock && is_blocking,
        }
    }
}

/// Parses the head of a request; returns it with its length in bytes, or `None` if it is incomplete.
fn parse(bytes: &[u8]) -> Result<Option<(Head, usize)>, Refused> {
    let mut fields = [httparse::EMPTY_HEADER; MOST_FIELDS];
    let mut request = httparse::Request::new(&mut fields);
    match request.parse(bytes) {
        Ok(httparse::Status::Partial) => Ok(None),
        Ok(httparse::Status::Complete(length)) => {
            let fields = request.headers.iter();
            let fields = fields.map(|field| {
                let value = String::from_utf8_lossy(field.value);
                (field.name.to_string(), value.into_owned())
            });
            let head = Head {
                method: request.method.unwrap_or_default().to_string(),
                version: request.version.unwrap_or_default(),
                fields: fields.collect(),
            };
            Ok(Some((head, length)))
        }
        Err(httparse::Error::TooManyHeaders) => {
            Err((431, "the header of the request has more than 64 fields"))
        }
        Err(_) => Err((400, "the received text is not an HTTP request")),
    }
}
