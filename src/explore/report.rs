//! Prints the findings of an exploration as text, JSON or JUnit XML.

use super::finding::{Finding, Level};
use super::moment::Course;
use super::search::Seen;
use crate::definition::{Definition, StateId};
use crate::headless::{self, Refusal};
use crate::json::{self, Lines, Text, Value, one_line, xml};
use crate::source::counted;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

/// Output format of the report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ReportFormat {
    /// Plain text, for people to read.
    #[default]
    Text,
    /// One JSON object, for programs to read.
    Json,
    /// XML in the format of JUnit, for build servers.
    Junit,
}

/// Everything that a report shows: the findings, and how the search went.
pub(super) struct Report<'r> {
    pub(super) definition: &'r Definition,
    pub(super) file: &'r Path,
    pub(super) seen: &'r Seen,
    pub(super) findings: &'r [Finding],
    /// Number of faults that are not reported because made-up data may have caused them.
    pub(super) doubtful: usize,
    /// The number of items to which each Map was limited, if the complete runs were too large.
    pub(super) cut_to: Option<u32>,
    /// Names of the written test cases, in the order of the findings.
    pub(super) names: &'r [String],
    /// Tells where the data of the usual run come from, as pairs (name of the data, source).
    pub(super) usual: Vec<(String, String)>,
    pub(super) elapsed: Duration,
}

/// Maximum number of states with made-up results that are listed by name in addition to the last state.
const MADE_UP: usize = 3;

/// Prints the report.
///
/// # Errors
/// If standard output cannot be written.
pub(super) fn print(report: &Report<'_>, format: ReportFormat) -> Result<(), Refusal> {
    match format {
        ReportFormat::Text => headless::print(&text(report)),
        ReportFormat::Json => headless::print_json(&one_line(&object(report))),
        ReportFormat::Junit => headless::print(&junit(report)),
    }
}

impl Report<'_> {
    fn line(&self, finding: &Finding) -> usize {
        self.definition.sources.line(finding.span).unwrap_or(0)
    }

    fn path(&self, id: StateId) -> Option<&Text> {
        self.definition.state(id).map(|state| &state.path.0)
    }

    fn state(&self, finding: &Finding) -> &str {
        self.path(finding.state).map_or("", |path| &**path)
    }

    /// Describes the input and the answers in the run of a finding that are not the usual ones, oldest first.
    fn way(&self, finding: &Finding) -> Vec<String> {
        let Some(course) = &finding.course else {
            return Vec::new();
        };
        let input = course.input.iter();
        let input = input.map(|input| format!("the input is {input}", input = one_line(input)));
        let others = course.steps().into_iter().filter(|step| step.other);
        input
            .chain(others.map(|step| step.text(self.definition)))
            .collect()
    }

    fn command(&self, place: usize) -> Option<String> {
        let name = self.names.get(place).filter(|name| !name.is_empty())?;
        let file = headless::shell_word(&self.file.display().to_string());
        let name = headless::shell_word(name);
        Some(format!("asldbg {file} --test-case {name} --ex continue"))
    }
}

fn text(report: &Report<'_>) -> String {
    let seen = report.seen;
    let seconds = report.elapsed.as_secs_f64();
    let bound = match &seen.bound {
        None => "every way that a run can take was tried".to_string(),
        Some(bound) => format!("not every way that a run can take was tried: {bound}"),
    };
    let mut out = Lines::default();
    out.add(format!(
        "{runs} runs in {seconds:.2} s; {bound}",
        runs = seen.runs
    ));
    let usual = report.usual.iter();
    let usual = usual.map(|(what, from)| format!("{what}: {from}"));
    let usual = usual.collect::<Vec<_>>().join("; ");
    out.add(format!("the usual run: {usual}"));
    if let Some(items) = report.cut_to {
        out.add(format!(
            "only the first {items} items of each Map were tried, because there are too many items"
        ));
    }
    out.add("");
    out.add("ends:");
    for ((status, error, state), count) in &seen.counts {
        let path = state.and_then(|id| report.path(id));
        let at = path.map_or_else(String::new, |path| format!(" at {path}"));
        let error = match &**error {
            "" => String::new(),
            error => format!(" {error}"),
        };
        let ways = if *count == 1 { "way" } else { "ways" };
        out.add(format!("  {count:>7} {ways:4}  {status}{error}{at}"));
    }
    for (place, finding) in report.findings.iter().enumerate() {
        out.add("");
        let (level, kind) = (finding.level.name(), finding.kind.name());
        out.add(format!(
            "{}[{kind}]: {}",
            level.to_lowercase(),
            finding.message
        ));
        let (file, line) = (report.file.display(), report.line(finding));
        out.add(format!("  at {file}:{line}"));
        let way = report.way(finding);
        // A run with made-up data is not called the usual run, because the user does not know these data.
        if finding.course.is_some() && way.is_empty() && finding.made_up.is_empty() {
            out.add("  in the usual run");
        }
        for step in way {
            out.add(format!("  · {step}"));
        }
        if let Some((last, others)) = finding.made_up.split_last() {
            let first = others.get(..MADE_UP.min(others.len())).unwrap_or_default();
            let more = match others.len() - first.len() {
                0 => String::new(),
                more => format!(", {more} more"),
            };
            let all: Vec<&str> = first.iter().chain([last]).map(String::as_str).collect();
            out.add(format!(
                "  explore made up for this finding: {data}{more}",
                data = all.join(", ")
            ));
        }
        if let Some(command) = report.command(place) {
            out.add(format!("  open it: {command}"));
        }
    }
    if report.doubtful > 0 {
        out.add("");
        out.add(format!(
            "{count} more runs failed because of made-up data: give an input and answers (-i, -m), so that explore can judge these runs",
            count = report.doubtful
        ));
    }
    let levels = [
        (Level::Error, "error"),
        (Level::Warning, "warning"),
        (Level::Info, "note"),
    ];
    let counts = levels.map(|(level, word)| {
        let findings = report.findings.iter();
        let count = findings.filter(|finding| finding.level == level).count();
        counted(count, word)
    });
    out.add("");
    out.add(counts.join(", "));
    out.into()
}

fn object(report: &Report<'_>) -> Value {
    let ends = report.seen.counts.iter();
    let ends = ends.map(|((status, error, state), count)| {
        let path = state.and_then(|id| report.path(id)).cloned();
        let name = path.map_or(Value::Null, Value::String);
        let error = match &**error {
            "" => Value::Null,
            _ => Value::String(error.clone()),
        };
        Value::object(vec![
            ("status".into(), Value::from(*status)),
            ("error".into(), error),
            ("state".into(), name),
            ("count".into(), json::count(*count)),
        ])
    });
    let findings = report.findings.iter().enumerate().map(|(place, finding)| {
        let way = finding.course.iter().flat_map(Course::steps).map(|step| {
            let path = report.path(step.state).cloned().unwrap_or_default();
            Value::object(vec![
                ("state".into(), Value::String(path)),
                ("attempt".into(), json::count(step.attempt)),
                ("outcome".into(), Value::string(step.outcome())),
            ])
        });
        let mut members: Vec<(Text, Value)> = vec![
            ("kind".into(), Value::from(finding.kind.name())),
            ("severity".into(), Value::from(finding.level.name())),
            ("state".into(), Value::from(report.state(finding))),
            ("line".into(), json::count(report.line(finding))),
            ("message".into(), Value::from(&*finding.message)),
            ("way".into(), Value::array(way.collect())),
        ];
        let course = finding.course.as_ref();
        let input = course.and_then(|course| course.input.clone());
        members.extend(input.map(|input| ("input".into(), input)));
        let made_up = finding.made_up.iter().map(|text| Value::from(&**text));
        members.push(("madeUp".into(), Value::array(made_up.collect())));
        let open = report.command(place).map(Value::string);
        members.extend(open.map(|open| ("open".into(), open)));
        Value::object(members)
    });
    let mut members = vec![
        ("runs".into(), json::count(report.seen.runs)),
        ("complete".into(), Value::from(report.seen.bound.is_none())),
    ];
    let usual = report.usual.iter();
    let usual = usual.map(|(name, from)| (name.as_str().into(), Value::from(from.as_str())));
    members.push(("usual".into(), Value::object(usual.collect())));
    let cut_to = report.cut_to.map(json::count);
    members.extend(cut_to.map(|items| ("mapItems".into(), items)));
    members.push(("ends".into(), Value::array(ends.collect())));
    members.push(("findings".into(), Value::array(findings.collect())));
    Value::object(members)
}

fn junit(report: &Report<'_>) -> String {
    let file = xml(&report.file.display().to_string());
    let findings = report.findings.iter();
    let bad = findings.filter(|finding| finding.level > Level::Info);
    let (bad, all) = (bad.count(), report.findings.len().max(1));
    let time = report.elapsed.as_secs_f64();
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"asldbg explore\" tests=\"{all}\" failures=\"{bad}\" errors=\"0\" time=\"{time:.3}\">\n  <testsuite name=\"{file}\" tests=\"{all}\" failures=\"{bad}\" errors=\"0\" skipped=\"0\" time=\"{time:.3}\">\n"
    );
    if report.findings.is_empty() {
        let _ = writeln!(
            out,
            "    <testcase name=\"explore\" classname=\"{file}\" time=\"{time:.3}\"/>"
        );
    }
    for finding in report.findings {
        let kind = finding.kind.name();
        let name = xml(&format!("{kind} {}", report.state(finding)));
        let message = xml(&finding.message);
        let way = report.way(finding).into_iter();
        let way: String = way.map(|step| xml(&step) + "\n").collect();
        let line = report.line(finding);
        if finding.level == Level::Info {
            let _ = writeln!(
                out,
                "    <testcase name=\"{name}\" classname=\"{file}\" time=\"0\"><system-out>{message}</system-out></testcase>"
            );
            continue;
        }
        let _ = writeln!(
            out,
            "    <testcase name=\"{name}\" classname=\"{file}\" time=\"0\">\n      <failure message=\"{message}\" type=\"{kind}\">{file}:{line}\n{way}</failure>\n    </testcase>",
            way = way.trim_end()
        );
    }
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}
