//! What a server is started with.

use crate::interpreter::MAX_MEMORY;
use crate::launch::{Checking, Program};
use crate::query::Profile;
use crate::session::Unmocked;
use std::net::SocketAddr;
use std::path::PathBuf;

/// What a server is started with.
#[derive(Clone, Debug)]
pub struct Options {
    /// The address, of this machine.
    pub listen: SocketAddr,
    /// The region and the account of all ARNs.
    pub region: String,
    /// See `region`.
    pub account: String,
    /// Definitions, or folders of them, that are there from the start.
    pub programs: Vec<Program>,
    /// The mock file, which `ARN#TestCase` names the cases of.
    pub mock: Option<PathBuf>,
    /// Whom to follow.
    pub checking: Checking,
    /// What a task gets that nothing answers.
    pub unmocked: Unmocked,
    /// Folder that stands for S3.
    pub s3_root: Option<PathBuf>,
    /// How many times as fast as real time waits and deadlines go; `None` for at once.
    pub realtime: Option<f64>,
    /// Names of this machine besides the usual ones that a Host may have.
    pub allowed_hosts: Vec<String>,
    /// Bytes that the values of one execution may take, and those of all that are kept.
    pub memory_limit: u64,
    /// Whether histories name AWS SDK tasks as Step Functions Local does.
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
            s3_root: None,
            realtime: None,
            allowed_hosts: Vec::new(),
            memory_limit: MAX_MEMORY,
            like_local: false,
        }
    }
}
