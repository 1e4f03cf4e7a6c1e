//! The options of `asldbg serve`.

use super::option_value::{factor, own_address};
use super::start_options::{RuleArguments, TargetArguments, UnmockedName, ValueArguments};
use clap::Args;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Serve the API of Step Functions on this machine, for an application or its tests.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "It takes the place of Step Functions Local: the same port and account, `ARN#TestCase`, and the variables SFN_MOCK_CONFIG, AWS_ACCOUNT_ID, AWS_DEFAULT_REGION and WAIT_TIME_SCALE. A program is sent there by AWS_ENDPOINT_URL_SFN=http://127.0.0.1:8083.\n\nLimits: 64 connections, 100 running executions, 1,000 kept ones."
)]
pub struct ServeArguments {
    /// Definitions, or folders of them, whose state machines are there from the start
    #[arg(value_name = "FILE|FOLDER")]
    pub files: Vec<PathBuf>,
    /// The address, of this machine; port 0 picks a free one
    #[arg(long, value_name = "127.0.0.1:PORT", default_value = "127.0.0.1:8083", value_parser = own_address)]
    pub listen: SocketAddr,
    /// Answers for tasks, in the format of AWS Step Functions Local; ARN#TestCase names the test case [default: SFN_MOCK_CONFIG]
    #[arg(short, long, value_name = "FILE")]
    pub mock: Option<PathBuf>,
    /// What to do with a task that has no answer [default: fail]
    #[arg(long, value_name = "WAY")]
    pub unmocked: Option<UnmockedName>,
    /// Targets of tasks.
    #[command(flatten)]
    pub targets: TargetArguments,
    /// Let waits, retry delays and deadlines take real time, FACTOR times as fast [default: they pass at once]
    #[arg(long, value_name = "FACTOR", num_args = 0..=1, require_equals = true, default_missing_value = "1", value_parser = factor)]
    pub realtime: Option<f64>,
    /// Write histories as Step Functions Local does where it differs from AWS
    #[arg(long)]
    pub like_local: bool,
    /// Serve requests for this host name, too; repeatable
    #[arg(long, value_name = "NAME")]
    pub allow_host: Vec<String>,
    /// Folder that stands for S3: DIR/bucket/key
    #[arg(long, value_name = "DIR")]
    pub s3_root: Option<PathBuf>,
    /// End an execution that takes more memory than this; executions that are over are forgotten, oldest first, beyond as much
    #[arg(long, value_name = "MIB", default_value_t = crate::interpreter::MAX_MEMORY >> 20)]
    pub max_memory: u64,
    /// Whom to follow, and what is let pass.
    #[command(flatten)]
    pub rules: RuleArguments,
    /// Values of placeholders, and region and account of all ARNs.
    #[command(flatten)]
    pub values: ValueArguments,
}
