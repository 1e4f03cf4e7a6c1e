//! Posts JSON to an address that the user configured and reads the reply. Redirects, cookies and proxies are not
//! supported.

use super::LARGEST;
use super::watch::Watch;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::Duration;

/// While a connection waits for data, the time between two checks for the end of the call.
const SLICE: Duration = Duration::from_millis(50);
/// Maximum time to connect to one address.
const CONNECT: Duration = Duration::from_secs(10);
/// Maximum size of a reply's header in bytes, and maximum number of its fields.
const LARGEST_HEADER: usize = 64 << 10;
const MOST_FIELDS: usize = 128;

/// An HTTP address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    /// Host and port as written.
    host: String,
    port: u16,
    /// The path with its query; `None` if the user gave no path.
    path: Option<String>,
    guess: Guess,
}

/// How to recognize that a function failed, if the header of the reply does not say so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Guess {
    /// A result that looks like an error counts as an error only if the path is that of an emulator of Lambda's
    /// runtime. Such an emulator does not say in the header that a function failed.
    ByPath,
    /// A result that looks like an error counts as an error, whatever the path is.
    Error,
}

/// An HTTP reply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Reply {
    pub(super) status: u16,
    /// True if the reply has the header field `X-Amz-Function-Error`, which says that the function failed.
    pub(super) function_error: bool,
    /// Value of the header field `x-amzn-ErrorType`, the error code of the API; `None` if the field is missing.
    pub(super) error_type: Option<String>,
    pub(super) body: Vec<u8>,
}

/// The reason why there is no reply.
#[derive(Debug)]
pub(super) enum Failed {
    /// The address cannot be reached, or the connection broke.
    Broken(String),
    /// The reply's body is too large.
    TooLarge,
    /// The call took too long, or its answer is no longer needed.
    Ended,
}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Self {
        Self::Broken(error.to_string())
    }
}

impl Address {
    /// Parses `http://HOST[:PORT][/PATH]`; `{function}` in the path is a placeholder for the function's name.
    pub(super) fn parse(text: &str, guess: Guess) -> Option<Self> {
        let rest = text.strip_prefix("http://")?;
        let at = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at_checked(at)?;
        let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic());
        let (host, port) = match authority.strip_prefix('[') {
            Some(v6) => {
                let (host, port) = v6.split_once(']')?;
                (
                    format!("[{host}]"),
                    port.strip_prefix(':').or(port.is_empty().then_some("80"))?,
                )
            }
            None => match authority.split_once(':') {
                Some((host, port)) => (host.to_string(), port),
                None => (authority.to_string(), "80"),
            },
        };
        let bare = host.trim_matches(['[', ']']);
        let is_host = |sign: char| sign.is_ascii_alphanumeric() || ".-_:".contains(sign);
        if bare.is_empty() || !bare.chars().all(is_host) || !is_plain(path) || path.contains('#') {
            return None;
        }
        let path = match path {
            "" | "/" => None,
            path if path.starts_with('?') => Some(format!("/{path}")),
            path => Some(path.to_string()),
        };
        Some(Self {
            host,
            port: port.parse().ok()?,
            path,
            guess,
        })
    }

    /// The path for calling a function or, if `function` is `None`, for another task. Returns `None` if the name of the
    /// function is not allowed in a path.
    pub(super) fn path(&self, function: Option<&str>) -> Option<String> {
        let is_name = |name: &&str| {
            let is_sign = |sign: char| sign.is_ascii_alphanumeric() || "-_.:".contains(sign);
            !name.is_empty() && name.chars().all(is_sign)
        };
        let name = function.filter(is_name);
        match (&self.path, function) {
            (None, None) => Some("/".to_string()),
            (None, Some(_)) => Some(format!("/2015-03-31/functions/{}/invocations", name?)),
            (Some(path), _) if path.contains("{function}") => {
                Some(path.replace("{function}", name?))
            }
            (Some(path), _) => Some(path.clone()),
        }
    }

    /// True if a result from this address that looks like an error counts as an error.
    pub(super) fn guesses(&self) -> bool {
        let emulator = |path: &String| path.ends_with("/functions/function/invocations");
        self.guess == Guess::Error || self.path.as_ref().is_some_and(emulator)
    }

    /// Posts `body` to `path` at this address; returns the reply.
    pub(super) fn post(&self, path: &str, body: &str, watch: &Watch) -> Result<Reply, Failed> {
        let mut stream = self.connect(watch)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(SLICE))?;
        stream.set_write_timeout(Some(SLICE))?;
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {}:{}\r\nContent-Type: application/json\r\nAccept: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            self.host,
            self.port,
            body.len()
        );
        let mut connection = Connection {
            stream: &mut stream,
            rest: Vec::new(),
            watch,
        };
        connection.write(head.as_bytes())?;
        // A server may reject a request before it has read all of it, so the reply is read even if writing fails.
        let written = connection.write(body.as_bytes());
        match (connection.reply(), written) {
            (Err(Failed::Broken(_)), Err(error)) => Err(error),
            (reply, _) => reply,
        }
    }

    fn connect(&self, watch: &Watch) -> Result<TcpStream, Failed> {
        let host = self.host.trim_matches(['[', ']']);
        let mut last = Failed::Broken("no address was found for the host".to_string());
        for address in (host, self.port).to_socket_addrs()? {
            let left = watch.left().min(CONNECT);
            if watch.is_over() || left.is_zero() {
                return Err(Failed::Ended);
            }
            match TcpStream::connect_timeout(&address, left) {
                Ok(stream) => return Ok(stream),
                Err(error) => last = Failed::from(error),
            }
        }
        Err(last)
    }
}

struct Connection<'s> {
    stream: &'s mut TcpStream,
    /// Bytes that were received but not processed yet.
    rest: Vec<u8>,
    watch: &'s Watch,
}

impl Connection<'_> {
    fn write(&mut self, mut bytes: &[u8]) -> Result<(), Failed> {
        while !bytes.is_empty() {
            if self.watch.is_over() {
                return Err(Failed::Ended);
            }
            match self.stream.write(bytes) {
                Ok(0) => return Err(Failed::Broken("the connection was closed".to_string())),
                Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
                Err(error) if is_slow(&error) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Reads more bytes; returns `false` at the end of the stream.
    fn more(&mut self) -> Result<bool, Failed> {
        let mut buffer = [0; 16 << 10];
        loop {
            if self.watch.is_over() {
                return Err(Failed::Ended);
            }
            match self.stream.read(&mut buffer) {
                Ok(0) => return Ok(false),
                Ok(count) => {
                    self.rest
                        .extend_from_slice(buffer.get(..count).unwrap_or_default());
                    return Ok(true);
                }
                Err(error) if is_slow(&error) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn reply(&mut self) -> Result<Reply, Failed> {
        let broken = |text: &str| Failed::Broken(text.to_string());
        let (mut reply, length) = loop {
            let mut fields = [httparse::EMPTY_HEADER; MOST_FIELDS];
            let mut response = httparse::Response::new(&mut fields);
            let read = response.parse(&self.rest);
            match read.map_err(|_| broken("the response is not HTTP"))? {
                httparse::Status::Complete(size) => {
                    let status = response.code.unwrap_or_default();
                    let reply = head(status, response.headers);
                    let length = Length::of(response.headers).ok_or_else(|| {
                        broken("the header of the response states no valid length")
                    })?;
                    self.rest.drain(..size);
                    // A reply may be preceded by interim replies with status 1xx.
                    if status >= 200 {
                        break (reply, length);
                    }
                }
                httparse::Status::Partial if self.rest.len() > LARGEST_HEADER => {
                    return Err(broken("the header of the response is too large"));
                }
                httparse::Status::Partial => {
                    if !self.more()? {
                        return Err(broken("the connection was closed before a response came"));
                    }
                }
            }
        };
        reply.body = match length {
            _ if matches!(reply.status, 204 | 304) => Vec::new(),
            Length::Bytes(count) if count > LARGEST => return Err(Failed::TooLarge),
            Length::Bytes(count) => self.take(count)?,
            Length::Chunks => self.chunks()?,
            Length::UntilEnd => {
                while self.more()? {
                    if self.rest.len() > LARGEST {
                        return Err(Failed::TooLarge);
                    }
                }
                std::mem::take(&mut self.rest)
            }
        };
        Ok(reply)
    }

    fn take(&mut self, count: usize) -> Result<Vec<u8>, Failed> {
        while self.rest.len() < count {
            if !self.more()? {
                return Err(Failed::Broken(
                    "the connection was closed before the response was complete".to_string(),
                ));
            }
        }
        let rest = self.rest.split_off(count);
        Ok(std::mem::replace(&mut self.rest, rest))
    }

    fn line(&mut self) -> Result<String, Failed> {
        loop {
            if let Some(end) = self.rest.windows(2).position(|pair| pair == b"\r\n") {
                let line = self.take(end + 2)?;
                return Ok(String::from_utf8_lossy(&line).trim_end().to_string());
            }
            if self.rest.len() > LARGEST_HEADER || !self.more()? {
                return Err(Failed::Broken(
                    "a chunk of the response has no length".to_string(),
                ));
            }
        }
    }

    fn chunks(&mut self) -> Result<Vec<u8>, Failed> {
        let mut body = Vec::new();
        loop {
            let line = self.line()?;
            let size = line.split(';').next().unwrap_or_default().trim();
            let is_hex = !size.is_empty() && size.bytes().all(|byte| byte.is_ascii_hexdigit());
            let size = usize::from_str_radix(size, 16).ok().filter(|_| is_hex);
            let size = size.ok_or_else(|| {
                Failed::Broken("a chunk of the response has no length".to_string())
            })?;
            if size == 0 {
                return Ok(body);
            }
            if body.len().saturating_add(size) > LARGEST {
                return Err(Failed::TooLarge);
            }
            body.extend(self.take(size)?);
            self.line()?;
        }
    }
}

fn is_slow(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
    )
}

/// How a connection recognizes the end of a body.
enum Length {
    Bytes(usize),
    Chunks,
    UntilEnd,
}

impl Length {
    /// Finds in the header fields how the end of the body is recognized; `None` if the fields contradict each other.
    fn of(fields: &[httparse::Header<'_>]) -> Option<Self> {
        let of = |name: &str| {
            let mut values = fields
                .iter()
                .filter(|field| field.name.eq_ignore_ascii_case(name));
            let first = values.next().map(|field| {
                String::from_utf8_lossy(field.value)
                    .trim()
                    .to_ascii_lowercase()
            });
            (first, values.next().is_some())
        };
        match (of("transfer-encoding"), of("content-length")) {
            ((Some(coding), false), (None, _)) if coding == "chunked" => Some(Self::Chunks),
            ((None, _), (Some(length), false)) => length.parse().ok().map(Self::Bytes),
            ((None, _), (None, _)) => Some(Self::UntilEnd),
            _ => None,
        }
    }
}

fn head(status: u16, fields: &[httparse::Header<'_>]) -> Reply {
    let of = |name: &str| {
        let field = fields
            .iter()
            .find(|field| field.name.eq_ignore_ascii_case(name))?;
        Some(String::from_utf8_lossy(field.value).trim().to_string())
    };
    Reply {
        status,
        function_error: of("x-amz-function-error").is_some(),
        error_type: of("x-amzn-errortype"),
        body: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_host_port_and_path() {
        let path = |text: &str, function: Option<&str>| {
            let address = Address::parse(text, Guess::ByPath)?;
            Some((address.host.clone(), address.port, address.path(function)?))
        };
        let wanted =
            |host: &str, port, path: &str| Some((host.to_string(), port, path.to_string()));
        for (text, function, expected_path) in [
            (
                "http://127.0.0.1:9001",
                Some("f"),
                wanted("127.0.0.1", 9001, "/2015-03-31/functions/f/invocations"),
            ),
            (
                "http://127.0.0.1:9001/",
                None,
                wanted("127.0.0.1", 9001, "/"),
            ),
            (
                "http://[::1]:9/x?y=1",
                Some("f"),
                wanted("[::1]", 9, "/x?y=1"),
            ),
            (
                "http://localhost/{function}",
                Some("f:1"),
                wanted("localhost", 80, "/f:1"),
            ),
            ("http://localhost/{function}", Some("a/../b"), None),
            ("http://localhost", Some("a b"), None),
            ("http://localhost:x", None, None),
            ("http://user@host", None, None),
            ("http://ho st", None, None),
            ("http://h/a b", None, None),
            ("http://", None, None),
            ("http://[::1", None, None),
        ] {
            assert_eq!(path(text, function), expected_path, "{text}");
        }
    }
}
