//! The server loop: one thread per connection; each request is answered before the next one is read.

use super::api::Api;
use super::guard;
use super::made_up::uuid;
use super::reply::{Pending, Reply};
use super::wire::{Connection, Request, Unread};
use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Maximum number of simultaneous connections.
const MOST_CONNECTIONS: usize = 64;
/// Interval at which a waiting client is sent a space, so that it does not time out.
const BEAT: Duration = Duration::from_secs(1);
/// How often to check whether a waiting client is still connected.
const LOOK: Duration = Duration::from_secs(1);

/// Keeps the count of open connections while in scope.
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
            // The response may be lost; the client retries in either case.
            let _ = connection.refuse((503, "too many connections"), &uuid());
            continue;
        }
        let (api, count) = (Arc::clone(api), Arc::clone(&open));
        let thread = thread::Builder::new().name("connection".to_string());
        let begun = thread.spawn(move || {
            let _counted = Counted(&count);
            // An error means that the client has disconnected, so there is nobody to report it to.
            let _ = serve(&mut connection, &api);
        });
        if begun.is_err() {
            open.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

fn serve(connection: &mut Connection, api: &Arc<Api>) -> io::Result<()> {
    loop {
        let id = uuid();
        match connection.request(|head| guard::check(head, &api.options.allowed_hosts)) {
            Ok(request) => respond(connection, api, &request, &id)?,
            Err(Unread::Gone) => return Ok(()),
            Err(Unread::Refused(refused)) => return connection.refuse(refused, &id),
        }
    }
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

/// Waits for a response. After the first interval, sends it in chunks with spaces, which JSON allows at the start.
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
        if Instant::now() >= next_beat {
            if !begun {
                connection.begin_chunks(id)?;
                begun = true;
            }
            connection.chunk(" ")?;
            next_beat += BEAT;
        }
    }
}
