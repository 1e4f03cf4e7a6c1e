//! Command-line options of `test` and `explore`, and the coverage options of `run`.

use super::option_value::number_in;
use super::start_options::StartArguments;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// What is told of what was reached.
#[derive(Clone, Debug, Default, Args)]
pub struct CoverageArguments {
    /// Say what was reached: states, transitions, retriers, items, branches
    #[arg(long)]
    pub coverage: bool,
    /// How coverage is printed; source shows every line, the last four go to lcov.info, coverage.xml, coverage.html, coverage.json
    #[arg(long, value_name = "FORMAT")]
    pub coverage_format: Option<CoverageName>,
    /// Where coverage goes instead; - is standard output
    #[arg(long, value_name = "FILE")]
    pub coverage_file: Option<PathBuf>,
    /// Exit with 1 where less than N percent was reached
    #[arg(long, value_name = "N", value_parser = percent)]
    pub min_coverage: Option<f64>,
}

/// Run test cases: NAME.test.yaml beside a definition, or the cases of its mock file.
#[derive(Clone, Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own"
)]
pub struct TestArguments {
    /// Test files, definitions with tests beside them, or folders [default: the current folder]
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Only cases whose file or name contains this text
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// Run at most N cases at once [default: as many as there are cores]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// Stop after the first case that fails
    #[arg(long)]
    pub fail_fast: bool,
    /// Run again on every save, only what it concerns
    #[arg(long)]
    pub watch: bool,
    /// Write what happened as what is expected
    #[arg(long, conflicts_with = "watch")]
    pub bless: bool,
    /// Print the JSON Schema of test files
    #[arg(long)]
    pub schema: bool,
    /// How results are printed
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: ReportFormatName,
    /// What is told of what was reached.
    #[command(flatten)]
    pub coverage: CoverageArguments,
}

/// Try every way a workflow can go: each error, each timeout, each rule, none and one item.
#[derive(Clone, Debug, Args)]
pub struct ExploreArguments {
    /// The definition
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// What the usual run starts from.
    #[command(flatten)]
    pub start: StartArguments,
    /// Change at most N things in one run
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
    pub format: FindingFormatName,
    /// From which level on a finding makes the exit status 1
    #[arg(long, value_name = "LEVEL", default_value = "error")]
    pub fail_on: FindingLevelName,
    /// Write the way of each finding into the mock file, as a test case
    #[arg(long)]
    pub write_case: bool,
}

/// `--coverage-format`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CoverageName {
    /// A table, and what is missing
    Text,
    /// The same with every line of the definition
    Source,
    /// lcov's tracefile
    Lcov,
    /// Cobertura's XML
    Cobertura,
    /// A page with graph and source
    Html,
    /// One object
    Json,
}

/// `test --format`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportFormatName {
    /// For people
    Text,
    /// One object
    Json,
    /// JUnit's XML
    Junit,
    /// The Test Anything Protocol
    Tap,
}

/// `explore --format`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FindingFormatName {
    /// For people
    Text,
    /// One object
    Json,
    /// JUnit's XML
    Junit,
}

/// `--fail-on`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FindingLevelName {
    /// Ways in which the workflow fails by itself
    Error,
    /// What is probably not meant, too
    Warning,
    /// Whatever was found
    Info,
    /// Nothing
    Never,
}

/// Parses a percentage.
fn percent(text: &str) -> Result<f64, String> {
    number_in(text, 0.0, 100.0)
}
