//! `asldbg serve`: a local server for the Step Functions API, in the same process as the interpreter.
//!
//! `wire` reads and writes HTTP, `listen` decides which requests are served, and `api` finds the operation. The
//! operations are in a module for each kind of resource (such as `machines`); `store`, `machine` and `execution` have
//! the data of these resources. Each execution runs on its own thread (`runner`), unless a front end of this process
//! debugs it (`debugged`). `desk` answers the tasks of an execution, and `published` shows its progress to clients. No
//! request can start a program, read a file or open a connection.

mod api;
mod checked;
mod debugged;
mod desk;
mod executing;
mod execution;
mod listen;
mod machine;
mod machines;
mod map_runs;
mod page;
mod published;
mod reply;
mod runner;
mod store;
mod tasks;
mod testing;
mod version;
mod wire;

pub use api::Options;

use crate::headless::{self, Refusal};
use std::convert::Infallible;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

/// A server that is listening but does not serve clients yet.
#[derive(Debug)]
pub struct Server {
    api: Arc<api::Api>,
    listener: TcpListener,
    address: SocketAddr,
}

impl Server {
    /// Reads the files that the user named and listens on the address; `say` receives a sentence for each state machine
    /// that cannot be loaded.
    ///
    /// # Errors
    /// If the server cannot listen on the address, or a file that the user named cannot be read.
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

    /// The address that the server listens on.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until the process ends.
    pub fn serve(&self) -> ! {
        listen::listen(&self.listener, &self.api)
    }
}

/// Serves until the process ends, after printing a line to standard output.
///
/// # Errors
/// See [`Server::bind`].
pub fn serve(options: Options) -> Result<Infallible, Refusal> {
    let (account, region) = (options.account.clone(), options.region.clone());
    let server = Server::bind(options, headless::warn)?;
    let (address, port) = (server.address, server.address.port());
    // Scripts that wait for the Step Functions Local container wait for this line.
    headless::print(&format!(
        "Starting server on port {port} with account {account}, region {region}\n"
    ))?;
    headless::warn(&format!(
        "endpoint http://{address}; for start-sync-execution and test-state set AWS_DISABLE_HOST_PREFIX_INJECTION=true (AWS SDK for JavaScript: disableHostPrefix: true), because SDKs put \"sync-\" before the host"
    ));
    server.serve()
}
