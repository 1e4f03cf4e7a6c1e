//! Runs a state machine, and prints the result and the coverage to standard output. Writes the history to a file, and
//! all other messages to standard error.

use super::check::refused;
use super::convert::redacted;
use super::ending;
use super::events::{HistoryFile, Trace};
use super::explain::unanswered;
use super::output::{self, Refusal, error_members};
use super::run::{Observer, RunResult, run};
use crate::coverage::{self, Coverage, Covered};
use crate::interpreter::{Answer, Event, Fault, Machine, OnAws, Outcome};
use crate::json::{Text, Value, count, escaped, on_line, one_line, parse};
use crate::launch::{NewCase, OwnWrites, write_case};
use crate::session::{Answers, ExistingCase, Setup, seconds};
use crate::source::store::{self, Readers, Replace};
use crate::testing::{End, Limits};
use crate::wording;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Output format of a run's result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum RunFormat {
    /// The output of the run as text.
    #[default]
    Text,
    /// One JSON object.
    Json,
    /// One JSON object per line for every event.
    Jsonl,
}

/// Options of a run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Output format of the result.
    pub format: RunFormat,
    /// Maximum number of states to enter, including retries and child executions.
    pub max_steps: u64,
    /// File for the history in AWS's format.
    pub write_history: Option<PathBuf>,
    /// Where to record the answers of the tasks; `None` to record nothing.
    pub record: Option<Record>,
    /// Coverage report to produce, if any.
    pub coverage: Option<CoverageOptions>,
}

/// The mock file into which the answers of the tasks are recorded.
#[derive(Clone, Debug)]
pub struct Record {
    /// The mock file.
    pub file: PathBuf,
    /// Patterns of values to replace.
    pub redact: Vec<String>,
}

/// Name of the test case for recorded answers.
const RECORDED: &str = "recorded";

/// Writes the answers of the tasks into a mock file.
fn record(setup: &Setup, record: &Record, mut answers: Answers) -> Result<(), Refusal> {
    if !record.redact.is_empty() {
        redact(&mut answers, &record.redact)?;
    }
    let case = NewCase {
        machine: &setup.definition.name,
        name: RECORDED,
        answers: &answers,
        existing: ExistingCase::IsReplaced,
    };
    Ok(write_case(&record.file, &case, &OwnWrites::default())?)
}

/// Replaces values in all answers together, so that equal values get the same replacement.
fn redact(answers: &mut Answers, patterns: &[String]) -> Result<(), Refusal> {
    // The members are named as in AWS's events, because the redaction looks for data in the JSON text of members with
    // these names.
    let data = |answer: &Answer| {
        let (name, text) = match &answer.outcome {
            Outcome::Success(result) => ("output", one_line(result).into()),
            Outcome::Failure {
                cause: Some(cause), ..
            } => ("cause", cause.clone()),
            _ => return Value::Null,
        };
        Value::object(vec![(name.into(), Value::String(text))])
    };
    let all = answers.iter().flat_map(|(_, answers)| answers).map(data);
    let replaced = redacted(Value::array(all.collect()), patterns)?;
    let all = answers.iter_mut().flat_map(|(_, answers)| answers);
    for (answer, replaced) in all.zip(replaced.as_array().into_iter().flatten()) {
        let text = |name: &str| replaced.get(name).and_then(Value::as_str);
        match &mut answer.outcome {
            Outcome::Success(result) => {
                *result = text("output")
                    .and_then(|text| parse(text).ok())
                    .unwrap_or_default();
            }
            Outcome::Failure { cause, .. } => *cause = text("cause").map(Text::from),
            Outcome::Never | Outcome::Evaluated(_) => {}
        }
    }
    Ok(())
}

/// Runs to the end and prints the result.
///
/// # Errors
/// If the run did not reach its end; no history is written then.
pub fn run_and_report(setup: &Setup, options: &RunOptions) -> Result<ExitCode, Refusal> {
    let history = options.write_history.as_deref();
    let history = history.map(|target| HistoryFile::create(target, setup.repeats.as_ref()));
    let mut history = history.transpose()?;
    let mut trace =
        (options.format == RunFormat::Jsonl).then(|| Trace::new(setup.repeats.as_ref()));
    let mut reached = options.coverage.as_ref().map(|_| Reached::default());
    let result = {
        let history = history.as_mut().map(|file| file as &mut dyn Observer);
        let trace = trace.as_mut().map(|trace| trace as &mut dyn Observer);
        let reached = reached.as_mut().map(|reached| reached as &mut dyn Observer);
        let all = history.into_iter().chain(trace).chain(reached);
        let mut observers: Vec<&mut dyn Observer> = all.collect();
        let limits = Limits {
            max_steps: options.max_steps,
            interrupted: ending::interrupted(),
        };
        let keep_answers = options.record.is_some();
        // The memory is not freed, because the program ends soon and the operating system frees it faster.
        ManuallyDrop::new(run(setup, limits, keep_answers, &mut observers)?)
    };
    if let (Some(wanted), false) = (&options.record, result.answers.is_empty()) {
        record(setup, wanted, result.answers.clone())?;
    }
    match result.calls {
        0 => {}
        1 => output::warn("1 task called its real target, not a mock"),
        calls => output::warn(&format!(
            "{calls} tasks called their real targets, not mocks"
        )),
    }
    for remark in &result.remarks {
        output::warn(&format!("note: {}", wording::remark(remark)));
    }
    if result.more_remarks > 0 {
        let text = format!(
            "note: {count} more notes are not shown",
            count = result.more_remarks
        );
        output::warn(&text);
    }
    let missing = result
        .missing
        .iter()
        .map(|missing| format!("note: {missing}"));
    let unusual = result.unusual.iter().map(|text| format!("note: {text}"));
    missing
        .chain(result.finding.clone())
        .chain(unusual)
        .for_each(|text| output::warn(&text));
    if let Some(code) = cut_short(setup, &result.end)? {
        return Ok(code);
    }
    let refused = refused(setup);
    if let Some(trace) = trace {
        trace.finish()?;
    }
    if let Some(history) = history {
        history.finish()?;
    }
    let code = print(&result, refused.as_deref(), options.format)?;
    if let (Some(wanted), Some(reached)) = (&options.coverage, reached) {
        let covered = Covered {
            definition: Arc::clone(&setup.definition),
            coverage: reached.0,
        };
        if !report_coverage(&[covered], wanted, Printed::Apart)? {
            return Ok(ExitCode::from(1));
        }
    }
    Ok(code)
}

/// Collects the coverage of the run.
#[derive(Default)]
struct Reached(Coverage);

impl Observer for Reached {
    fn note(&mut self, machine: &Machine, event: &Event) -> Result<(), Refusal> {
        self.0.note(machine, event);
        Ok(())
    }
}

/// Returns the exit status if the user interrupted the run; `None` if the run ended by itself.
///
/// # Errors
/// If the run stopped early for another reason, such as a task without an answer; the error says why, and what the user
/// can do.
fn cut_short(setup: &Setup, end: &End) -> Result<Option<ExitCode>, Refusal> {
    Err(Refusal::new(match end {
        End::Succeeded(_) | End::Failed(_) | End::TimedOut => return Ok(None),
        End::Interrupted => return Ok(Some(ExitCode::from(ending::INTERRUPTED_STATUS))),
        End::NoAnswer(ask, why) => unanswered(setup, ask, why),
        End::Stuck(Some(path)) => format!(
            "the run cannot continue: the task of state \"{path}\" never answers and has no TimeoutSeconds"
        ),
        End::Stuck(None) => "the run cannot continue: nothing more can happen".to_string(),
        End::TooLarge(limit) => format!(
            "the run was stopped: its values take more than {limit} MiB of memory, or a single value takes more than an eighth of that (--max-memory MIB sets the limit)",
            limit = limit >> 20
        ),
        End::TooLong {
            most,
            with_children,
        } => {
            let including_children = match with_children {
                true => ", including those of child executions",
                false => "",
            };
            format!(
                "the run was stopped after {most} states and retries{including_children}, because it may never end (--max-steps N sets the limit)"
            )
        }
    }))
}

fn print(
    result: &RunResult,
    refused: Option<&str>,
    format: RunFormat,
) -> Result<ExitCode, Refusal> {
    match format {
        RunFormat::Json => output::print_json(&one_line(&object(result, refused)))?,
        RunFormat::Jsonl => {}
        RunFormat::Text => match &result.end {
            End::Succeeded(value) => output::print_value(value)?,
            End::Failed(fault) => tell_failure(fault),
            _ => {
                let why = result.timeout.as_deref();
                let why = why.unwrap_or("the TimeoutSeconds of the machine passed");
                output::warn(&format!("the execution timed out: {why}"));
            }
        },
    }
    if let Some(refused) = refused.filter(|_| format != RunFormat::Json) {
        output::warn(&format!(
            "note: {refused}, so this run cannot happen on AWS"
        ));
    }
    Ok(match &result.end {
        End::Succeeded(_) => ExitCode::SUCCESS,
        _ => ExitCode::from(1),
    })
}

fn object(result: &RunResult, refused: Option<&str>) -> Value {
    let status = result.end.status().unwrap_or("TIMED_OUT");
    let mut members = vec![("status".into(), Value::from(status))];
    match &result.end {
        End::Succeeded(value) => members.push(("output".into(), value.clone())),
        End::Failed(fault) => members.extend(error_members(fault)),
        _ => members.push(("error".into(), Value::from("States.Timeout"))),
    }
    members.extend(refused.map(|refused| ("refused".into(), Value::from(refused))));
    members.push(("steps".into(), count(result.steps)));
    members.push(("transitions".into(), count(result.transitions)));
    members.push(("virtualSeconds".into(), seconds(result.took)));
    members.extend(result.why.clone().map(|why| ("explanation".into(), why)));
    Value::object(members)
}

fn tell_failure(fault: &Fault) {
    let error = match fault.name() {
        "" => "an error without a name",
        name => name,
    };
    let cause = match fault.cause_text() {
        "" => String::new(),
        cause => format!(": {cause}"),
    };
    output::warn(&format!("the execution failed: {error}{cause}"));
    let aws_behaviour = fault.aws.as_ref().map(|aws| match aws {
        OnAws::Fault {
            error,
            handled: true,
        } => format!("on AWS the error is {error}"),
        OnAws::Fault { error, .. } => {
            format!("on AWS the error is {error}, which is neither retried nor caught")
        }
        OnAws::GoesOn(difference) => format!("AWS: {}", difference.text()),
    });
    if let Some(aws_behaviour) = aws_behaviour {
        output::warn(&format!("note: {aws_behaviour} (--profile aws)"));
    }
}

/// Output format of coverage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum CoverageFormat {
    /// A table of numbers, and a list of the states, transitions and so on that were not reached.
    #[default]
    Text,
    /// A table of numbers, and every line of the definition with the number of times that it was reached.
    Source,
    /// lcov's tracefile.
    Lcov,
    /// Cobertura's XML.
    Cobertura,
    /// A page with graph and source.
    Html,
    /// One JSON object.
    Json,
}

impl CoverageFormat {
    /// Default name of the output file; `None` if the format is printed by default.
    fn file(self) -> Option<&'static str> {
        match self {
            Self::Text | Self::Source => None,
            Self::Lcov => Some("lcov.info"),
            Self::Cobertura => Some("coverage.xml"),
            Self::Html => Some("coverage.html"),
            Self::Json => Some("coverage.json"),
        }
    }
}

/// The requested coverage report.
#[derive(Clone, Debug, Default)]
pub struct CoverageOptions {
    /// The format.
    pub format: CoverageFormat,
    /// The output file; `-` is standard output.
    pub file: Option<PathBuf>,
    /// Minimum coverage in percent.
    pub least: Option<f64>,
}

/// Where a coverage report is printed, unless it is written to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Printed {
    /// After other text on standard output.
    WithResults,
    /// On standard error, because standard output is a document of another format.
    Apart,
}

/// Prints or writes the report; returns whether the minimum coverage was reached.
///
/// # Errors
/// If the report cannot be written.
pub fn report_coverage(
    all: &[Covered],
    options: &CoverageOptions,
    printed: Printed,
) -> Result<bool, Refusal> {
    let text = match options.format {
        CoverageFormat::Text => coverage::table(all),
        CoverageFormat::Source => {
            let sources: Vec<String> = all.iter().map(coverage::source_lines).collect();
            format!("{}\n{}", coverage::table(all), sources.join("\n"))
        }
        CoverageFormat::Lcov => coverage::lcov(all),
        CoverageFormat::Cobertura => coverage::cobertura(all, now()),
        CoverageFormat::Html => coverage::html(all),
        CoverageFormat::Json => format!("{}\n", escaped(&one_line(&coverage::json(all)))),
    };
    let named = options.file.as_deref();
    match named.or_else(|| options.format.file().map(Path::new)) {
        Some(file) if file != Path::new("-") => {
            let written = store::write(file, text.as_bytes(), Replace::Unread, Readers::Default);
            written.map_err(|error| Refusal::new(error.to_string()))?;
            output::warn(&format!(
                "the coverage report was written to {file}",
                file = file.display()
            ));
        }
        None if printed == Printed::Apart => {
            let lines: Vec<_> = text.lines().map(on_line).collect();
            output::warn_lines(&lines.join("\n"));
        }
        _ => output::print(&text)?,
    }
    let percent = coverage::total(all).percent();
    match options.least {
        Some(least) if percent < least => {
            output::warn(&format!(
                "coverage is {percent:.1}%, which is below the {least}% that --min-coverage requires"
            ));
            Ok(false)
        }
        _ => Ok(true),
    }
}

/// The current time in milliseconds since 1970.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(0))
}
