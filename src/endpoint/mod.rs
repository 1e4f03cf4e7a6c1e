//! `asldbg serve`: the API of Step Functions on this machine, in the process of the engine.
//!
//! `wire` reads and writes HTTP, `guard` decides which requests are served, `dispatch` finds the operation. Each resource
//! has a file for what is known of one (`machine`), and one for its operations (`machines`). An execution runs on a thread of its own (`runner`); `answering` decides who answers its
//! tasks. Nothing that comes over the wire starts a program, reads a file or opens a connection.

mod answering;
mod api;
mod arn;
mod checked;
mod clock;
mod dispatch;
mod error;
mod executing;
mod execution;
mod guard;
mod history_page;
mod listen;
mod local;
mod machine;
mod machines;
mod made_up;
mod map_run;
mod map_runs;
mod options;
mod page;
mod preload;
mod reply;
mod runner;
mod sdk;
mod standing;
mod store;
mod tag;
mod tags;
mod task;
mod tasks;
mod testing;
mod version;
mod wire;

pub use options::Options;

use crate::headless::{self, Refusal};
use std::convert::Infallible;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

/// A server that listens and serves nobody yet.
#[derive(Debug)]
pub struct Server {
    api: Arc<api::Api>,
    listener: TcpListener,
    address: SocketAddr,
}

impl Server {
    /// Reads what the server is started with, and listens; `say` gets a sentence for each state machine of a file or folder
    /// that cannot be had.
    ///
    /// # Errors
    /// If the address is not to be had, or a file that was named cannot be read.
    pub fn bind(options: Options, mut say: impl FnMut(&str)) -> Result<Self, Refusal> {
        let (programs, listen) = (options.programs.clone(), options.listen);
        let api = Arc::new(api::Api::new(options));
        for program in &programs {
            for problem in api.preload(program)? {
                say(&problem);
            }
        }
        api.mock().map_err(Refusal::new)?;
        let bound = TcpListener::bind(listen).and_then(|listener| {
            let address = listener.local_addr()?;
            Ok((listener, address))
        });
        let (listener, address) =
            bound.map_err(|error| Refusal::new(format!("cannot listen at {listen}: {error}")))?;
        Ok(Self {
            api,
            listener,
            address,
        })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until the process ends.
    pub fn serve(&self) -> ! {
        listen::listen(&self.listener, &self.api)
    }
}

/// Serves until the process ends, after a line on standard output that says so.
///
/// # Errors
/// As [`Server::bind`].
pub fn serve(options: Options) -> Result<Infallible, Refusal> {
    let (account, region) = (options.account.clone(), options.region.clone());
    let server = Server::bind(options, headless::warn)?;
    let (address, port) = (server.address, server.address.port());
    // What waits for the container of Step Functions Local waits for this line.
    headless::print(&format!(
        "Starting server on port {port} with account {account}, region {region}\n"
    ))?;
    headless::warn(&format!(
        "endpoint http://{address}; for start-sync-execution and test-state set AWS_DISABLE_HOST_PREFIX_INJECTION=true (AWS SDK for JavaScript: disableHostPrefix: true), because SDKs put \"sync-\" before the host"
    ));
    server.serve()
}
