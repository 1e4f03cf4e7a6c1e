//! Options of a server.

use crate::interpreter::MAX_MEMORY;
use crate::launch::{Checking, Door, Program};
use crate::query::Profile;
use crate::session::Unmocked;
use crate::target::Targets;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Options of a server.
#[derive(Clone, Debug)]
pub struct Options {
    /// Local address to listen on.
    pub listen: SocketAddr,
    /// Region for all ARNs.
    pub region: String,
    /// Account for all ARNs.
    pub account: String,
    /// Definitions, or folders of them, to create state machines from at the start.
    pub programs: Vec<Program>,
    /// Mock file; its test cases are selected with `ARN#TestCase`.
    pub mock: Option<PathBuf>,
    /// Rules for checking definitions.
    pub checking: Checking,
    /// How to answer a task that has no other answer.
    pub unmocked: Unmocked,
    /// Local folder that is used in place of S3.
    pub s3_root: Option<PathBuf>,
    /// Targets of tasks that the test case does not answer.
    pub targets: Targets,
    /// Speed of waits and deadlines relative to real time; `None` if they pass at once.
    pub realtime: Option<f64>,
    /// Further host names of this machine that the Host header may have.
    pub allowed_hosts: Vec<String>,
    /// Maximum memory in bytes for the values of one execution, and for all finished executions together.
    pub memory_limit: u64,
    /// Connection to the front end in this process that debugs all executions; `None` if executions run without a
    /// debugger.
    pub debugger: Option<Door>,
    /// True if histories name AWS SDK tasks as Step Functions Local does.
    pub like_local: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            region: "us-east-1".to_string(),
            account: "123456789012".to_string(),
            programs: Vec::new(),
            mock: None,
            checking: Checking {
                profile: Profile::Aws,
                ..Checking::default()
            },
            unmocked: Unmocked::Fail,
            targets: Targets::default(),
            s3_root: None,
            realtime: None,
            allowed_hosts: Vec::new(),
            memory_limit: MAX_MEMORY,
            debugger: None,
            like_local: false,
        }
    }
}
