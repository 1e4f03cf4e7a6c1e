//! The command line, from which the help, the man page and the table of options are generated.

use super::start_options::{
    CoverageArguments, ProfileName, RuleArguments, StartArguments, TargetArguments, UnmockedName,
    ValueArguments, factor, own_address, speed,
};
use crate::explore;
use crate::headless::{CheckFormat, GraphFormat, Level, ReplayFormat, RunFormat, TestFormat};
use crate::service;
use crate::session::ErrorMoment;
use crate::suite::ReportFormat;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::LazyLock;

/// Output of `--version`: the program's version and the sources of its catalogue of AWS services.
static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "{version}\nAWS services: {edition}",
        edition = service::edition()
    )
});

/// A terminal debugger for state machines in the Amazon States Language.
///
/// Opens FILE in the terminal and runs it step by step. FILE is ASL in JSON or YAML, a template that contains a definition, a program in the SFN DSL or the history of an execution; `-` is standard input.
#[derive(Clone, Debug, Parser)]
#[command(
    name = "asldbg",
    version,
    long_version = LONG_VERSION.as_str(),
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    disable_help_subcommand = true,
    after_help = "Exit status: 0 the execution succeeded or no errors were found, 1 the execution failed or errors were found, 2 nothing could be run.\n\nLimits: asldbg reads only regular files of up to 16 MiB. Output replaces only regular files, never follows a link, and never replaces a file that the run was read from."
)]
pub struct Arguments {
    /// The command to run; `None` if the user named no command and wants to debug in the terminal.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Arguments of a command line that names no command: debugging in the terminal.
    #[command(flatten)]
    pub debug: DebugArguments,
}

/// The commands other than debugging.
#[derive(Clone, Debug, Subcommand)]
// With `defer`, the options of a command are built only when this command is requested.
#[command(defer = true)]
pub enum Command {
    /// Run to the end without a terminal
    Run(Box<RunArguments>),
    /// Repeat recorded executions with a definition, and report where each run first differs
    Replay(Box<ReplayArguments>),
    /// Fetch an execution from AWS with the `aws` program, as AWS's own JSON
    Pull(PullArguments),
    /// Find errors in definitions
    Check(CheckArguments),
    /// Run a single state, as AWS's TestState does
    TestState(TestStateArguments),
    /// Run test cases: those of NAME.test.yaml beside a definition, or those of its mock file
    Test(TestArguments),
    /// Try every path of a workflow: each error, each timeout, each rule, no items and one item
    Explore(Box<ExploreArguments>),
    /// Debug from an editor: the Debug Adapter Protocol on standard input and output
    Dap(DapArguments),
    /// Serve the API of Step Functions on this machine, for an application or its tests
    Serve(Box<ServeArguments>),
    /// Learn the debugger in ten steps of a minute each, on an embedded sample
    Tour,
    /// Play an embedded sample automatically
    Demo(DemoArguments),
    /// Print the graph of states
    Graph(GraphArguments),
    /// Print FILE as ASL JSON, or the events of a recorded execution in AWS's form
    Convert(ConvertArguments),
    /// Print the script that completes arguments in a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
    /// Print a page of the documentation, or the options of a command
    Help {
        /// A page, a command or a rule of check [default: the list of pages]
        topic: Option<String>,
    },
}

/// Debugging in the terminal.
#[derive(Clone, Debug, Args)]
pub struct DebugArguments {
    /// The definition; `-` is standard input [default: the definition in this folder]
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Definition of the recorded execution in FILE [default: the definition in or beside the recording, else a definition made from its events]
    #[arg(long, value_name = "FILE")]
    pub definition: Option<PathBuf>,
    /// Serve the API of Step Functions at this local address: executions that clients start open in the debugger and stop at breakpoints while the clients wait; port 0 picks a free port
    #[arg(long, value_name = "127.0.0.1:PORT", value_parser = own_address, conflicts_with_all = ["test", "history"])]
    pub listen: Option<SocketAddr>,
    /// Options for the start of the run: its input, mock file, recording, seed and others.
    #[command(flatten)]
    pub start: StartArguments,
    /// Options for targets: the programs and addresses that answer tasks.
    #[command(flatten)]
    pub targets: TargetArguments,
    /// Options for the look of the terminal UI and for the stops of the run.
    #[command(flatten)]
    pub terminal: TerminalArguments,
}

/// How the terminal looks and where the run stops.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Terminal options")]
pub struct TerminalArguments {
    /// Open this case of the test file beside FILE, at the first event that differs from the expected result
    #[arg(long, value_name = "NAME", conflicts_with = "test_case")]
    pub test: Option<String>,
    /// File with debugger commands to run at the start, one command a line
    #[arg(short = 'x', long, value_name = "FILE")]
    pub script: Option<PathBuf>,
    /// A debugger command to run at the start; repeatable
    #[arg(long, value_name = "COMMAND")]
    pub ex: Vec<String>,
    /// Set a breakpoint at a state or a line, or for a condition; repeatable
    #[arg(short, long = "break", value_name = "WHERE")]
    pub breakpoints: Vec<String>,
    /// Moment of an error at which the run stops; repeatable
    #[arg(long, value_name = "MOMENT", value_delimiter = ',')]
    pub stop_on: Vec<MomentName>,
    /// Where a recorded execution opens: at its start, its end, an event id of AWS or a state [default: end, which is where the execution failed or where the run first differs from the recording]
    #[arg(long, value_name = "WHERE")]
    pub at: Option<String>,
    /// Theme with the colours to use: a theme's name or a file
    #[arg(long, value_name = "NAME|FILE")]
    pub theme: Option<String>,
    /// Draw with ASCII characters only
    #[arg(long)]
    pub ascii: bool,
    /// Let clicks and the mouse wheel work
    #[arg(long)]
    pub mouse: bool,
    /// Play the run automatically, FACTOR times as fast
    #[arg(long, value_name = "FACTOR", num_args = 0..=1, require_equals = true, default_missing_value = "1", value_parser = speed)]
    pub play: Option<f64>,
    /// Let waits, retry delays and deadlines take real time, FACTOR times as fast
    #[arg(long, value_name = "FACTOR", num_args = 0..=1, require_equals = true, default_missing_value = "1", value_parser = factor)]
    pub realtime: Option<f64>,
    /// Do not restore the breakpoints, watches and typed answers of the last session, and do not keep those of this session
    #[arg(long)]
    pub fresh: bool,
    /// Pane that is large at the start
    #[arg(long, value_name = "LAYOUT", default_value = "auto")]
    pub layout: LayoutName,
}

/// Run to the end without a terminal.
#[derive(Clone, Debug, Args)]
pub struct RunArguments {
    /// The definition; `-` is standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Options for the start of the run: its input, mock file, recording, seed and others.
    #[command(flatten)]
    pub start: StartArguments,
    /// Options for targets: the programs and addresses that answer tasks.
    #[command(flatten)]
    pub targets: TargetArguments,
    /// How the result is printed; jsonl prints every event
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: RunFormat,
    /// Write the run's history to this file, as `aws stepfunctions get-execution-history` prints histories
    #[arg(long, value_name = "FILE")]
    pub write_history: Option<PathBuf>,
    /// Write the answers of real calls into this mock file, as a test case named recorded, so that the next run works offline
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Replace values in the file that --record writes: the values of a field (email, *token*, customer.email) or text that matches /REGEX/; repeatable
    #[arg(long, value_name = "PATTERN", requires = "record")]
    pub redact: Vec<String>,
    /// Enter at most N states, counting retries and states of child executions
    #[arg(long, value_name = "N", default_value_t = 10_000_000)]
    pub max_steps: u64,
    /// The options of the coverage report.
    #[command(flatten)]
    pub coverage: CoverageArguments,
}

/// Repeat recorded executions with a definition, and report where each run first differs.
#[derive(Clone, Debug, Args)]
pub struct ReplayArguments {
    /// The definition
    #[arg(value_name = "DEFINITION")]
    pub file: PathBuf,
    /// What `aws stepfunctions get-execution-history` printed, log lines, or folders of such files
    #[arg(value_name = "HISTORY", required = true)]
    pub histories: Vec<PathBuf>,
    /// How the results are printed
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: ReplayFormat,
    /// Options for the start of each run: its input, recording, seed and others.
    #[command(flatten)]
    pub start: StartArguments,
}

/// Fetch an execution from AWS with the `aws` program, as AWS's own JSON.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "pull writes NAME/NAME.asl.json (the definition that ran), NAME.execution.json, NAME.history.json and, with --children, NAME.children/. It prints the name of the history file, which `asldbg NAME/NAME.history.json` opens.\n\nExit status: 0 everything was fetched, 1 part of the execution could not be fetched, 2 nothing was fetched or written."
)]
pub struct PullArguments {
    /// The execution: its ARN, or its page in AWS's console
    #[arg(
        value_name = "EXECUTION_ARN",
        required_unless_present = "last_failed",
        conflicts_with = "last_failed"
    )]
    pub execution: Option<String>,
    /// Fetch the last execution of this state machine that failed or timed out
    #[arg(long, value_name = "STATE_MACHINE_ARN")]
    pub last_failed: Option<String>,
    /// Fetch also Map Runs and child executions: at most N, failed ones first [default: 100]
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "100")]
    pub children: Option<usize>,
    /// Keep fetching until the execution ends; the files are readable at any time
    #[arg(long)]
    pub follow: bool,
    /// Replace values in the output: the values of a field (email, *token*, customer.email) or text that matches /REGEX/; repeatable
    #[arg(long, value_name = "PATTERN")]
    pub redact: Vec<String>,
    /// Folder to write the files into [default: the name of the execution]
    #[arg(long, value_name = "FOLDER")]
    pub into: Option<PathBuf>,
    /// Replace files that were fetched before
    #[arg(long)]
    pub replace: bool,
    /// Options to pass on to `aws`: --profile NAME, --endpoint-url URL, ...
    #[arg(last = true, value_name = "AWS_OPTION")]
    pub aws: Vec<String>,
}

/// Debug from an editor: the Debug Adapter Protocol on standard input and output.
#[derive(Clone, Debug, Args)]
pub struct DapArguments {
    /// Wait for one client at this local address, instead of using standard input and output; port 0 picks a free port and prints its number
    #[arg(long, value_name = "127.0.0.1:PORT", value_parser = own_address)]
    pub listen: Option<SocketAddr>,
}

/// Find errors in definitions.
#[derive(Clone, Debug, Args)]
pub struct CheckArguments {
    /// The definitions; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// How findings are printed
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: CheckFormat,
    /// Treat warnings as errors
    #[arg(long)]
    pub deny_warnings: bool,
    /// Options for the profile to follow and the findings to ignore.
    #[command(flatten)]
    pub rules: RuleArguments,
    /// State machine to use from a template [default: the only one]
    #[arg(long, value_name = "NAME")]
    pub state_machine: Option<String>,
    /// Values of placeholders.
    #[command(flatten)]
    pub values: ValueArguments,
}

/// Play an embedded sample automatically.
#[derive(Clone, Debug, Default, Args)]
pub struct DemoArguments {
    /// Record the screen in this file, as an asciinema recording
    #[arg(long, value_name = "FILE.cast")]
    pub record: Option<PathBuf>,
}

/// Print the graph of states.
#[derive(Clone, Debug, Args)]
pub struct GraphArguments {
    /// The definition; `-` is standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// How the graph is printed
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: GraphFormat,
    /// Draw with ASCII characters only
    #[arg(long)]
    pub ascii: bool,
    /// Draw at most N columns wide; to fit, wrap names, then stack branches, then truncate names
    #[arg(long, value_name = "N")]
    pub width: Option<u16>,
    /// State machine to use from a template [default: the only one]
    #[arg(long, value_name = "NAME")]
    pub state_machine: Option<String>,
    /// Values of placeholders.
    #[command(flatten)]
    pub values: ValueArguments,
}

/// Print FILE as ASL JSON, or the events of a recorded execution in AWS's form.
#[derive(Clone, Debug, Args)]
pub struct ConvertArguments {
    /// The definition, recorded execution or (--to test) suite; `-` is standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Format to convert FILE to
    #[arg(long, value_name = "LANGUAGE", default_value = "json")]
    pub to: LanguageName,
    /// Replace values in the output: the values of a field (email, *token*, customer.email) or text that matches /REGEX/; repeatable
    #[arg(long, value_name = "PATTERN")]
    pub redact: Vec<String>,
    /// State machine to use from a template [default: the only one]
    #[arg(long, value_name = "NAME")]
    pub state_machine: Option<String>,
    /// Values of placeholders.
    #[command(flatten)]
    pub values: ValueArguments,
}

/// Run a single state, as AWS's TestState does.
#[derive(Clone, Debug, Args)]
pub struct TestStateArguments {
    /// The definition: a state machine, or one state alone; `-` is standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// State machine to use from a template [default: the only one]
    #[arg(long, value_name = "NAME")]
    pub state_machine: Option<String>,
    /// Values of placeholders.
    #[command(flatten)]
    pub values: ValueArguments,
    /// State to run [default: the one that StartAt names]
    #[arg(long, value_name = "STATE")]
    pub state_name: Option<String>,
    /// The state's input [default: {}]
    #[arg(short, long, value_name = "FILE|JSON|-", allow_hyphen_values = true)]
    pub input: Option<String>,
    /// Members of the context object
    #[arg(long, value_name = "FILE|JSON")]
    pub context: Option<String>,
    /// Variables, as an object of names and values
    #[arg(long, value_name = "FILE|JSON")]
    pub variables: Option<String>,
    /// Answer of the task: {"result": JSON text} or {"errorOutput": {"error": ..., "cause": ...}}
    #[arg(long, value_name = "FILE|JSON")]
    pub mock: Option<String>,
    /// Object with any of the members retrierRetryCount, errorCausedByState, mapIterationFailureCount, mapItemReaderData
    #[arg(long, value_name = "FILE|JSON")]
    pub state_configuration: Option<String>,
    /// How much of the processing inside the state is printed
    #[arg(long, value_name = "LEVEL", default_value = "info", ignore_case = true)]
    pub inspection_level: Level,
    /// How the answer is printed
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: TestFormat,
    /// Behaviour to follow if the specification and AWS differ [default: spec]
    #[arg(long, value_name = "PROFILE")]
    pub profile: Option<ProfileName>,
}

/// `--to`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LanguageName {
    /// ASL in JSON
    Json,
    /// ASL in YAML
    Yaml,
    /// A test file, converted from a suite of sfn-test
    Test,
}

/// Value of `--stop-on`: a moment in the handling of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MomentName {
    /// When the error is raised
    Raised,
    /// When the error is retried
    Retried,
    /// When the error is caught
    Caught,
    /// When the error is not caught
    Uncaught,
}

impl MomentName {
    /// The moment of an error that this value of `--stop-on` names.
    #[must_use]
    pub fn moment(self) -> ErrorMoment {
        match self {
            Self::Raised => ErrorMoment::Raised,
            Self::Retried => ErrorMoment::Retried,
            Self::Caught => ErrorMoment::Caught,
            Self::Uncaught => ErrorMoment::Uncaught,
        }
    }
}

/// Value of `--layout`: the pane that is large at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LayoutName {
    /// The pane that fits the terminal's size
    Auto,
    /// The graph
    Graph,
    /// The data
    Data,
}

/// Serve the API of Step Functions on this machine, for an application or its tests.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "serve replaces Step Functions Local: it has the same port and account, accepts `ARN#TestCase`, and reads the environment variables SFN_MOCK_CONFIG, AWS_ACCOUNT_ID, AWS_DEFAULT_REGION and WAIT_TIME_SCALE. With AWS_ENDPOINT_URL_SFN=http://127.0.0.1:8083 in its environment, a program calls this server.\n\nLimits: 64 connections, 100 running and 1,000 finished executions."
)]
pub struct ServeArguments {
    /// Definitions, or folders of definitions, whose state machines exist from the start
    #[arg(value_name = "FILE|FOLDER")]
    pub files: Vec<PathBuf>,
    /// Local address to listen at; port 0 picks a free port
    #[arg(long, value_name = "127.0.0.1:PORT", default_value = "127.0.0.1:8083", value_parser = own_address)]
    pub listen: SocketAddr,
    /// Mock file with answers for tasks, in the format of AWS Step Functions Local. A client names the test case as ARN#TestCase; otherwise the file's DefaultTestCase is used [default: SFN_MOCK_CONFIG]
    #[arg(short, long, value_name = "FILE")]
    pub mock: Option<PathBuf>,
    /// What happens to a task that has no answer [default: fail]
    #[arg(long, value_name = "WAY")]
    pub unmocked: Option<UnmockedName>,
    /// Targets of tasks.
    #[command(flatten)]
    pub targets: TargetArguments,
    /// Let waits, retry delays and deadlines take real time, FACTOR times as fast [default: they pass at once]
    #[arg(long, value_name = "FACTOR", num_args = 0..=1, require_equals = true, default_missing_value = "1", value_parser = factor)]
    pub realtime: Option<f64>,
    /// Where Step Functions Local differs from AWS, write histories as Step Functions Local does
    #[arg(long)]
    pub like_local: bool,
    /// Serve also requests for this host name; repeatable
    #[arg(long, value_name = "NAME")]
    pub allow_host: Vec<String>,
    /// Folder to use in place of S3, with objects at DIR/bucket/key
    #[arg(long, value_name = "DIR")]
    pub s3_root: Option<PathBuf>,
    /// Abort an execution that takes more memory than this. All finished executions together may take as much again; beyond that, the oldest are removed
    #[arg(long, value_name = "MIB", default_value_t = crate::interpreter::MAX_MEMORY >> 20)]
    pub max_memory: u64,
    /// Options for the profile to follow and the findings to ignore.
    #[command(flatten)]
    pub rules: RuleArguments,
    /// Values of placeholders, and region and account of all ARNs.
    #[command(flatten)]
    pub values: ValueArguments,
}

/// Run test cases: those of NAME.test.yaml beside a definition, or those of its mock file.
#[derive(Clone, Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each boolean is a separate command-line option"
)]
pub struct TestArguments {
    /// Test files, definitions with tests beside them, or folders [default: the current folder]
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Run only cases whose file or name contains this text
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// Run at most N cases at once [default: as many as there are cores]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// Stop after the first case that fails
    #[arg(long)]
    pub fail_fast: bool,
    /// Run the affected cases again whenever a file is saved
    #[arg(long)]
    pub watch: bool,
    /// Write the actual results into the test files as the expected results
    #[arg(long, conflicts_with = "watch")]
    pub bless: bool,
    /// Print the JSON Schema of test files
    #[arg(long)]
    pub schema: bool,
    /// How results are printed
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: ReportFormat,
    /// The options of the coverage report.
    #[command(flatten)]
    pub coverage: CoverageArguments,
}

/// Try every path of a workflow: each error, each timeout, each rule, no items and one item.
#[derive(Clone, Debug, Args)]
pub struct ExploreArguments {
    /// The definition
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Options for the start of the usual run: its input, mock file, seed and others.
    #[command(flatten)]
    pub start: StartArguments,
    /// Deviate at most N times from the usual run
    #[arg(long, value_name = "N", default_value_t = 6)]
    pub depth: u32,
    /// Try at most N runs
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub runs: u64,
    /// Try for at most N seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    pub time: u64,
    /// Use at most N cores [default: all]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// How findings are printed
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: explore::ReportFormat,
    /// Exit with status 1 if a finding has this level or a higher level
    #[arg(long, value_name = "LEVEL", default_value = "error")]
    pub fail_on: FindingLevelName,
    /// Write a test case that reproduces each finding into the mock file
    #[arg(long)]
    pub write_case: bool,
}

/// Value of `--fail-on`: the lowest level of a finding that makes the exit status 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FindingLevelName {
    /// Errors: failures that the workflow causes itself
    Error,
    /// Errors and warnings; a warning is a probable mistake
    Warning,
    /// All findings: errors, warnings and notes
    Info,
    /// No finding
    Never,
}
