//! Messages on a stream: a header with the length, then JSON.

use std::io::{self, BufRead, Read, Write};

/// Maximum length of a message that is skipped, in bytes; a greater length must be a mistake.
const MAX_SKIPPED: usize = 1 << 30;
/// Maximum length of a message, in bytes; longer ones are refused.
pub const MAX_MESSAGE: usize = 16 << 20;
/// Maximum length of a header line, in bytes.
const MAX_LINE: u64 = 4096;
/// Maximum number of header lines.
const MAX_LINES: usize = 32;

/// The reason why a message could not be read.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    /// The message is too long and was skipped.
    #[error("a message of {0} bytes is refused: the limit is {MAX_MESSAGE}")]
    TooLong(usize),
    /// The data is not a header, so no further message can be found.
    #[error("not a message of the protocol: {0}")]
    NoHeader(String),
    /// The stream failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Reads messages from a stream.
#[derive(Debug)]
pub struct Reader<R> {
    stream: R,
}

impl<R: BufRead> Reader<R> {
    /// Creates a reader of a stream.
    pub fn new(stream: R) -> Self {
        Self { stream }
    }

    /// Reads the next message; `None` at the end of the stream, even in the middle of a message.
    ///
    /// # Errors
    /// If no message can be read. After [`WireError::TooLong`], the next message can be read.
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

    /// Reads a header and returns the length of the message after it.
    fn header(&mut self) -> Result<Option<usize>, WireError> {
        let mut length = None;
        for _ in 0..MAX_LINES {
            let mut line = Vec::new();
            let mut part = (&mut self.stream).take(MAX_LINE);
            part.read_until(b'\n', &mut line)?;
            if !line.ends_with(b"\n") {
                return match line.len() as u64 {
                    MAX_LINE => Err(WireError::NoHeader("a line without an end".to_string())),
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
            // The first line of an HTTP request may contain a colon in its URL, so the name before it is checked.
            let field = line.split_once(':').filter(|(name, _)| is_name(name));
            let (name, value) = field.ok_or_else(no_header)?;
            if name.eq_ignore_ascii_case("Content-Length") {
                let number = value.trim().parse::<usize>();
                let number = number.ok().filter(|number| *number <= MAX_SKIPPED);
                length = Some(number.ok_or_else(no_header)?);
            }
        }
        Err(WireError::NoHeader("no Content-Length".to_string()))
    }
}

/// Writes a message.
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
        assert!(read(&vec![b'x'; 10_000]).contains("without an end"));
        assert!(read(&b"A: b\r\n".repeat(40)).contains("no Content-Length"));
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
