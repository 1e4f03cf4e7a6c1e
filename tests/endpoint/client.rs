//! A minimal HTTP client on a plain TCP connection.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(30);

pub struct Client {
    stream: BufReader<TcpStream>,
    pub invocation: Option<String>,
    /// The error code in the header of the last response.
    pub error: Option<String>,
}

impl Client {
    pub fn new(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Self {
            stream: BufReader::new(stream),
            invocation: None,
            error: None,
        }
    }

    /// Calls an operation; returns the status and the body.
    pub fn call(&mut self, operation: &str, body: &str) -> (u16, String) {
        let id = self.invocation.iter();
        let id: String = id
            .map(|id| format!("amz-sdk-invocation-id: {id}\r\n"))
            .collect();
        let request = format!(
            "POST / HTTP/1.1\r\nHost: 127.0.0.1:8083\r\nContent-Type: application/x-amz-json-1.0\r\nX-Amz-Target: AWSStepFunctions.{operation}\r\n{id}Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        self.stream.get_mut().write_all(request.as_bytes()).unwrap();
        self.answer()
    }

    fn answer(&mut self) -> (u16, String) {
        let mut line = String::new();
        self.stream.read_line(&mut line).unwrap();
        let status = line.split(' ').nth(1).expect("a status").parse().unwrap();
        let mut length = 0;
        self.error = None;
        loop {
            line.clear();
            self.stream.read_line(&mut line).unwrap();
            if line.trim_end().is_empty() {
                break;
            }
            if let Some(number) = line.strip_prefix("Content-Length: ") {
                length = number.trim_end().parse().unwrap();
            }
            if let Some(code) = line.strip_prefix("x-amzn-ErrorType: ") {
                self.error = Some(code.trim_end().to_string());
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).unwrap();
        (status, String::from_utf8(body).unwrap())
    }
}

/// Opens a connection and sends the beginning of a request.
pub fn begun(address: SocketAddr, text: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(text.as_bytes()).unwrap();
    stream
}

/// Sends a request; returns the response's status, or `none` if there is no response.
pub fn status_of(address: SocketAddr, sent: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    // The server may reject the request before everything is sent; writing then fails.
    let _ = stream.write_all(sent);
    let mut line = String::new();
    let read = BufReader::new(stream).read_line(&mut line);
    match read {
        Ok(1..) => line.split(' ').nth(1).unwrap_or("none").to_string(),
        _ => "none".to_string(),
    }
}

/// Completes a raw request; `*` represents the header fields that every request needs.
pub fn raw(text: &str) -> Vec<u8> {
    let (head, body) = text.split_once("\n\n").unwrap_or((text.trim_end(), ""));
    let usual = "Host: localhost:8083\nContent-Type: application/x-amz-json-1.0\nX-Amz-Target: AWSStepFunctions.ListStateMachines";
    let head = head.replace("\n*", &format!("\n{usual}"));
    let has_length = head.contains("Content-Length") || head.contains("Transfer-Encoding");
    let body = body.trim_end();
    let length = match has_length {
        true => String::new(),
        false => format!("Content-Length: {}\r\n", body.len()),
    };
    let head = head.trim_end().replace('\n', "\r\n");
    format!("{head}\r\n{length}\r\n{body}").into_bytes()
}
