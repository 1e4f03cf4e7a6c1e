//! Accepts connections: one thread per connection; each request is answered before the next one is read.
//!
//! Only requests of programs on this machine are served, and no request that a web page can send. A page can make its
//! own host name resolve to 127.0.0.1, so the Host header is checked. A page can also post to any address without a
//! preflight request. Therefore requests with an Origin header are refused, and headers are required that a page can
//! only send after a preflight request.

use super::api::{Api, uuid};
use super::reply::{Pending, Reply};
use super::wire::{Connection, Head, Refused, Request, Unread};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{io, thread};

/// Maximum number of simultaneous connections.
const MOST_CONNECTIONS: usize = 64;
/// A waiting client gets a space character at this interval, so that the client does not time out.
const BEAT: Duration = Duration::from_secs(1);
/// Time between two checks that a waiting client is still connected.
const LOOK: Duration = Duration::from_secs(1);

/// Host names of this machine; the SDKs prepend `sync-` for two operations.
const HOSTS: [&str; 5] = [
    "localhost",
    "127.0.0.1",
    "[::1]",
    "sync-localhost",
    "sync-127.0.0.1",
];

/// Counts a connection as open until this value is dropped.
struct Counted<'c>(&'c AtomicUsize);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Serves clients forever.
pub(super) fn listen(listener: &TcpListener, api: &Arc<Api>) -> ! {
    let open = Arc::new(AtomicUsize::new(0));
    loop {
        let Ok((stream, _)) = listener.accept() else {
            // Accepting fails if file descriptors have run out; wait until other connections close.
            thread::sleep(Duration::from_millis(20));
            continue;
        };
        let Ok(mut connection) = Connection::new(stream) else {
            continue;
        };
        if open.fetch_add(1, Ordering::Relaxed) >= MOST_CONNECTIONS {
            open.fetch_sub(1, Ordering::Relaxed);
            // An error does not matter, because the client retries in any case.
            let _ = connection.refuse((503, "the server has too many open connections"), &uuid());
            continue;
        }
        let (api, count) = (Arc::clone(api), Arc::clone(&open));
        let thread = thread::Builder::new().name("connection".to_string());
        let begun = thread.spawn(move || {
            let _counted = Counted(&count);
            // An error means that the client has disconnected, so nobody can receive a report.
            let _ = serve(&mut connection, &api);
        });
        if begun.is_err() {
            open.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

fn serve(connection: &mut Connection, api: &Arc<Api>) -> io::Result<()> {
    while !connection.closes() {
        let id = uuid();
        match connection.request(|head| check(head, &api.options.allowed_hosts)) {
            Ok(request) => respond(connection, api, &request, &id)?,
            Err(Unread::Gone) => return Ok(()),
            Err(Unread::Refused(refused)) => return connection.refuse(refused, &id),
        }
    }
    Ok(())
}

fn respond(
    connection: &mut Connection,
    api: &Arc<Api>,
    request: &Request,
    id: &str,
) -> io::Result<()> {
    match api.answer(request) {
        Ok(Reply::Now(body)) => connection.answer(id, &body),
        Ok(Reply::Later(pending)) => wait(connection, pending, id),
        Err(error) => connection.fail(id, &error),
    }
}

/// Waits for a pending response and sends it. Until then, sends spaces if the client accepts a response in chunks; JSON
/// allows spaces before a value.
fn wait(connection: &mut Connection, mut pending: Box<dyn Pending>, id: &str) -> io::Result<()> {
    let mut next_beat = Instant::now() + BEAT;
    let mut begun = false;
    loop {
        let body = pending.wait(LOOK);
        let heard = connection.is_open();
        if body.is_some() || !heard {
            pending.is_heard(heard);
        }
        match (body, heard) {
            (_, false) => return Err(io::ErrorKind::ConnectionAborted.into()),
            (Some(body), true) if begun => {
                connection.chunk(&body)?;
                return connection.end_chunks();
            }
            (Some(body), true) => return connection.answer(id, &body),
            (None, true) => {}
        }
        if connection.takes_chunks() && Instant::now() >= next_beat {
            if !begun {
                connection.begin_chunks(id)?;
                begun = true;
            }
            connection.chunk(" ")?;
            next_beat += BEAT;
        }
    }
}

/// Rejects a request that is addressed to another host, that a web page sends, or that lacks the method or the headers
/// of a call of the API.
fn check(head: &Head, allowed: &[String]) -> Result<(), Refused> {
    let host = match head.all("host").as_slice() {
        [host] => without_port(host),
        _ => return Err((400, "a request needs exactly one Host header")),
    };
    let is_known = |known: &str| known.eq_ignore_ascii_case(host);
    if !HOSTS.into_iter().any(is_known) && !allowed.iter().any(|name| is_known(name)) {
        return Err((403, "the Host header does not name this server"));
    }
    let from_page = head.get("origin").is_some()
        || head
            .get("sec-fetch-site")
            .is_some_and(|site| site != "none")
        || head.method == "OPTIONS";
    if from_page {
        return Err((403, "the server does not answer requests of web pages"));
    }
    if head.method != "POST" {
        return Err((405, "the server accepts only POST requests"));
    }
    let content = head.get("content-type").unwrap_or_default();
    let content = content.split(';').next().unwrap_or_default().trim();
    if !["application/x-amz-json-1.0", "application/x-amz-json-1.1"].contains(&content) {
        return Err((415, "the Content-Type must be application/x-amz-json-1.0"));
    }
    match head.get("x-amz-target") {
        Some(_) => Ok(()),
        None => Err((400, "a request needs the header X-Amz-Target")),
    }
}

/// The host name in a Host header, without the port.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}
