//! Command-line options shared by several commands, and the parsers of their values: what a run starts from, targets
//! of tasks, and rules.

use crate::headless::CoverageFormat;
use crate::launch::TRIGGER_NAMES;
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use std::net::SocketAddr;
use std::path::PathBuf;

/// What a run starts from.
#[derive(Clone, Debug, Default, Args)]
pub struct StartArguments {
    /// Input of the execution: a file or JSON text [default: NAME.input.json beside FILE, else {}]
    #[arg(short, long, value_name = "FILE|JSON|-", allow_hyphen_values = true)]
    pub input: Option<String>,
    /// Use a sample input: the event that this service sends when it starts an execution; a note lists the members that
    /// the definition reads but the sample lacks (same as --input event:SERVICE)
    #[arg(long, value_name = "SERVICE", conflicts_with = "input", value_parser = events())]
    pub event: Option<String>,
    /// Mock file with answers for tasks, in the format of AWS Step Functions Local [default: NAME.mock.json, else
    /// MockConfigFile.json, beside FILE]
    #[arg(short, long, value_name = "FILE")]
    pub mock: Option<PathBuf>,
    /// Test case of the mock file to use [default: its only test case]
    #[arg(long, value_name = "NAME")]
    pub test_case: Option<String>,
    /// State machine to use from a template or from the mock file [default: the only one, or the one with the name of
    /// FILE]
    #[arg(long, value_name = "NAME")]
    pub state_machine: Option<String>,
    /// Values of placeholders.
    #[command(flatten)]
    pub values: ValueArguments,
    /// Options for the profile to follow and the findings to ignore.
    #[command(flatten)]
    pub rules: RuleArguments,
    /// Seed of random functions, UUIDs and jitter
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Time at which the virtual clock starts [default: now]
    #[arg(long, value_name = "RFC3339")]
    pub start_time: Option<String>,
    /// Object whose members are merged into the context object
    #[arg(long, value_name = "FILE|JSON")]
    pub context: Option<String>,
    /// What happens to a task that has no answer [default: ask; without a terminal, the run then stops]
    #[arg(long, value_name = "WAY")]
    pub unmocked: Option<UnmockedName>,
    /// Repeat a recorded execution, given as output of `aws stepfunctions get-execution-history` or as log lines;
    /// input, times, names and answers come from this file
    #[arg(long, value_name = "FILE")]
    pub history: Option<PathBuf>,
    /// Execution to use from a history that contains several: its ARN, its name or the end of either [default: the last
    /// that failed]
    #[arg(long, value_name = "NAME")]
    pub execution: Option<String>,
    /// Folder to use in place of S3, with objects at DIR/bucket/key [default: NAME.s3 beside FILE; asldbg never writes
    /// to this default folder]
    #[arg(long, value_name = "DIR")]
    pub s3_root: Option<PathBuf>,
    /// File that the ItemReader of this state reads; repeatable
    #[arg(long, value_name = "STATE=PATH", value_parser = pair)]
    pub reader: Vec<(String, String)>,
    /// Definition of a state machine that tasks start: asldbg runs the definition to answer these tasks, unless the
    /// mock file has an answer; repeatable
    #[arg(long, value_name = "ARN_OR_NAME=FILE", value_parser = pair)]
    pub child: Vec<(String, String)>,
    /// Begin at this state instead of the one that StartAt names
    #[arg(long, value_name = "STATE")]
    pub start_at: Option<String>,
    /// Set a variable at the start of the run; repeatable
    #[arg(long, value_name = "NAME=JSON", value_parser = pair)]
    pub var: Vec<(String, String)>,
    /// Stop when the run and its recorded events take more memory than this; a single value may take an eighth of it,
    /// up to 64 MiB
    #[arg(long, value_name = "MIB", default_value_t = crate::interpreter::MAX_MEMORY >> 20)]
    pub max_memory: u64,
}

fn events() -> PossibleValuesParser {
    PossibleValuesParser::new(TRIGGER_NAMES)
}

impl StartArguments {
    /// The limit of `--max-memory`, converted from MiB to bytes.
    #[must_use]
    pub fn memory_limit(&self) -> u64 {
        self.max_memory.saturating_mul(1 << 20)
    }
}

/// The options of the coverage report.
#[derive(Clone, Debug, Default, Args)]
pub struct CoverageArguments {
    /// Report which states, transitions, retriers, items and branches were reached
    #[arg(long)]
    pub coverage: bool,
    /// Format of the coverage report; source shows every line; lcov, cobertura, html and json write lcov.info,
    /// coverage.xml, coverage.html and coverage.json
    #[arg(long, value_name = "FORMAT")]
    pub coverage_format: Option<CoverageFormat>,
    /// Write the coverage report to this file; - means standard output
    #[arg(long, value_name = "FILE")]
    pub coverage_file: Option<PathBuf>,
    /// Exit with status 1 if coverage is below N percent
    #[arg(long, value_name = "N", value_parser = percent)]
    pub min_coverage: Option<f64>,
}

/// Who answers tasks outside of this program.
#[derive(Clone, Debug, Default, Args)]
pub struct TargetArguments {
    /// Really call TARGET for tasks without an answer: http://HOST:PORT with Lambda's protocol, http://HOST:PORT/PATH
    /// with JSON, a program with JSON on standard input and output, or aws, the installed program. PATTERN is the name
    /// of a state, function or activity, an action (dynamodb:putItem) or an ARN; * stands for any characters;
    /// repeatable
    #[arg(long, value_name = "PATTERN=TARGET")]
    pub task: Vec<String>,
    /// Let the program aws call a real account without asking first
    #[arg(long)]
    pub yes: bool,
    /// Options to pass on to `aws`: --profile NAME, --endpoint-url URL, ...
    #[arg(last = true, value_name = "AWS_OPTION")]
    pub aws: Vec<String>,
}

/// Which behaviour to follow, and which findings to ignore.
#[derive(Clone, Debug, Default, Args)]
pub struct RuleArguments {
    /// Behaviour to follow if the specification and AWS differ [default: spec]
    #[arg(long, value_name = "PROFILE")]
    pub profile: Option<ProfileName>,
    /// Type of the state machine on AWS [default: the type in FILE if FILE is a template or an AWS response, else
    /// STANDARD]
    #[arg(long = "type", value_name = "TYPE", ignore_case = true)]
    pub machine_type: Option<TypeName>,
    /// Ignore the findings of a rule, by its name or number; repeatable
    #[arg(long, value_name = "RULE")]
    pub allow: Vec<String>,
}

/// Values of placeholders.
#[derive(Clone, Debug, Default, Args)]
pub struct ValueArguments {
    /// Value of a placeholder ${NAME} in the definition; repeatable
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair)]
    pub set: Vec<(String, String)>,
    /// File with values of placeholders: JSON, YAML or NAME=VALUE lines; repeatable
    #[arg(long, value_name = "FILE")]
    pub set_file: Vec<PathBuf>,
    /// Region for ARNs that name no region [default: AWS_REGION, else AWS_DEFAULT_REGION]
    #[arg(long, value_name = "REGION")]
    pub region: Option<String>,
    /// Account for ARNs that name no account [default: AWS_ACCOUNT_ID]
    #[arg(long, value_name = "ACCOUNT")]
    pub account: Option<String>,
}

/// Value of `--profile`: the behaviour to follow if the specification and AWS differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProfileName {
    /// The language as in its specification
    Spec,
    /// AWS's behaviour, as measured
    Aws,
}

/// Value of `--type`: the type of the state machine on AWS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TypeName {
    /// Runs up to a year, with exactly-once execution of each state
    #[value(name = "STANDARD")]
    Standard,
    /// Runs up to five minutes, without jobs, callbacks and activities
    #[value(name = "EXPRESS")]
    Express,
}

/// Value of `--unmocked`: what happens to a task that has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum UnmockedName {
    /// The debugger asks you for an answer (in the terminal only)
    Ask,
    /// The task returns an answer in the shape of its resource, made from its input
    Echo,
    /// The task fails with States.TaskFailed
    Fail,
}

/// Parses a loopback address, which only this machine can reach.
pub(super) fn own_address(text: &str) -> Result<SocketAddr, String> {
    let address = text.parse::<SocketAddr>();
    let address = address.map_err(|_| "write the address as 127.0.0.1:PORT".to_string())?;
    match address.ip().is_loopback() {
        true => Ok(address),
        false => Err(
            "only connections from this machine are allowed: write the address as 127.0.0.1:PORT"
                .to_string(),
        ),
    }
}

/// Parses the factor of `--realtime`, a speed relative to real time.
pub(super) fn factor(text: &str) -> Result<f64, String> {
    number_in(text, 0.01, 10_000.0)
}

/// Parses the factor of `--play`, which must be in the range that the debugger command `:speed` accepts.
pub(super) fn speed(text: &str) -> Result<f64, String> {
    number_in(text, 0.05, 100.0)
}

fn number_in(text: &str, least: f64, most: f64) -> Result<f64, String> {
    let number = text.parse::<f64>().ok();
    number
        .filter(|number| (least..=most).contains(number))
        .ok_or_else(|| format!("give a number from {least} to {most}"))
}

/// Parses `NAME=VALUE`.
fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_string(), value.to_string())),
        _ => Err("write the option's value as NAME=VALUE".to_string()),
    }
}

/// Parses a percentage.
fn percent(text: &str) -> Result<f64, String> {
    number_in(text, 0.0, 100.0)
}
