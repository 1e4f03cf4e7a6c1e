//! The results of a test run as text, JSON, JUnit XML and TAP.

use super::result::{CaseResult, Outcome};
use crate::coverage::{self, Covered};
use crate::json::{Lines, Text, Value, count, one_line, visible, xml};
use crate::source::yaml::to_yaml;
use crate::testing::{Difference, Failure};
use std::fmt::Write as _;
use std::time::Duration;

/// Maximum length of a value in a table, in characters.
const WIDEST: usize = 60;
/// Maximum length of the text of an expected or actual value outside a table, in characters.
const LONGEST: usize = 2000;

/// The line that the text report prints before the first case: the number of tests.
pub(super) fn text_begin(count: usize) -> String {
    let tests = if count == 1 { "test" } else { "tests" };
    format!("\nrunning {count} {tests}\n")
}

/// The line of a case in the text report: its name and its result.
pub(super) fn text_line(result: &CaseResult) -> String {
    let outcome = match &result.outcome {
        Outcome::Passed => match result.reservations() {
            none if none.is_empty() => "ok".to_string(),
            some => some.join("; "),
        },
        Outcome::Failed(_) => "FAILED".to_string(),
        Outcome::Skipped(reason) => format!("skipped: {}", visible(reason)),
    };
    format!("test {} ... {outcome}\n", title(result))
}

fn title(result: &CaseResult) -> String {
    visible(&format!("{}: {}", result.file.display(), result.name)).into_owned()
}

/// The end of the text report: the failures, and the line that sums up all results.
pub(super) fn text_end(results: &[CaseResult], elapsed: Duration) -> String {
    let mut out = Lines::default();
    let [passed, failed, skipped] = counts(results);
    if failed > 0 {
        out.add("");
        out.add("failures:");
        for result in results
            .iter()
            .filter(|result| !result.failures().is_empty())
        {
            text_case(&mut out, result);
        }
    }
    let verdict = if failed == 0 { "ok" } else { "FAILED" };
    out.add("");
    out.add(format!(
        "test result: {verdict}. {passed} passed; {failed} failed; {skipped} skipped; finished in {seconds:.2}s",
        seconds = elapsed.as_secs_f64()
    ));
    out.into()
}

/// Three numbers: of the passed, the failed and the skipped cases.
fn counts<'r>(results: impl IntoIterator<Item = &'r CaseResult>) -> [usize; 3] {
    let mut counts = [0; 3];
    let [passed, failed, skipped] = &mut counts;
    for result in results {
        match result.outcome {
            Outcome::Passed => *passed += 1,
            Outcome::Failed(_) => *failed += 1,
            Outcome::Skipped(_) => *skipped += 1,
        }
    }
    counts
}

fn text_case(out: &mut Lines, result: &CaseResult) {
    let line = match result.line {
        0 => String::new(),
        line => format!(":{line}"),
    };
    out.add("");
    let (file, name) = (result.file.display(), &result.name);
    out.add(format!("---- {file}{line}: {name} ----"));
    for failure in result.failures() {
        text_failure(out, result, failure);
    }
    if let Some(refused) = &result.refused {
        out.add(format!("  {refused}"));
    }
    out.add(format!("  open it: {}", result.command()));
}

fn text_failure(out: &mut Lines, result: &CaseResult, failure: &Failure) {
    for line in difference_lines(failure) {
        out.add(line);
    }
    if let Some((state, place, file)) = result.place(failure) {
        let event = failure.event.map(|event| format!(", event {event}"));
        let (line, event) = (place.line, event.unwrap_or_default());
        out.add(format!("    at {file}:{line} (state {state}{event})"));
    }
}

/// The lines that compare the expected and the actual value of a failure: two lines, or a table with a row for each
/// difference.
fn difference_lines(failure: &Failure) -> Vec<String> {
    let what = &failure.what;
    let mut differences = failure.differences.iter();
    if differences.any(|difference| !difference.at.0.is_empty()) {
        let mut lines = vec![format!("  {what} differs:")];
        lines.extend(rows(&failure.differences));
        return lines;
    }
    let expected = cut(&failure.expected, LONGEST);
    let actual = cut(&failure.actual, LONGEST);
    vec![
        format!("  {what}: expected {expected}"),
        format!("    got {actual}"),
    ]
}

fn rows(differences: &[Difference]) -> Vec<String> {
    let head = ["path", "expected", "got"].map(str::to_string);
    let rows = differences.iter().map(|difference| {
        let actual = difference.actual.as_ref().map(one_line);
        let actual = actual.as_deref().unwrap_or("nothing");
        let expected = cut(&difference.expected, WIDEST);
        [difference.at.to_string(), expected, cut(actual, WIDEST)]
    });
    let rows: Vec<[String; 3]> = std::iter::once(head).chain(rows).collect();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let (path, expected) = (width(0), width(1));
    let line = |[at, wanted, actual]: &[String; 3]| {
        format!("    {at:path$}  {wanted:expected$}  {actual}")
    };
    rows.iter().map(line).collect()
}

/// Cuts a text that exceeds a maximum length.
fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_string(),
    }
}

/// The report in the form `{"passed", "failed", "skipped", "cases": [...], "coverage": {...}}`.
pub(super) fn json(results: &[CaseResult], covered: &[Covered]) -> String {
    let [passed, failed, skipped] = counts(results).map(count);
    let cases = Value::array(results.iter().map(json_case).collect());
    let mut members: Vec<(Text, Value)> = vec![
        ("passed".into(), passed),
        ("failed".into(), failed),
        ("skipped".into(), skipped),
        ("cases".into(), cases),
    ];
    if !covered.is_empty() {
        members.push(("coverage".into(), coverage::json(covered)));
    }
    one_line(&Value::object(members))
}

fn json_case(result: &CaseResult) -> Value {
    let word = match &result.outcome {
        Outcome::Passed => "passed",
        Outcome::Failed(_) => "failed",
        Outcome::Skipped(_) => "skipped",
    };
    let failures = result.failures().iter();
    let failures = failures.map(|failure| json_failure(result, failure));
    let file = result.file.display().to_string();
    let mut members: Vec<(Text, Value)> = vec![
        ("file".into(), Value::string(file)),
        ("name".into(), Value::from(&*result.name)),
        ("result".into(), Value::from(word)),
        ("failures".into(), Value::array(failures.collect())),
        ("open".into(), Value::string(result.command())),
    ];
    let notes = result.reservations();
    if !notes.is_empty() {
        let notes = notes.into_iter().map(Value::string);
        members.push(("notes".into(), Value::array(notes.collect())));
    }
    Value::object(members)
}

fn json_failure(result: &CaseResult, failure: &Failure) -> Value {
    let place = result.place(failure);
    let differences = failure.differences.iter().map(|difference| {
        let mut members: Vec<(Text, Value)> = vec![
            ("path".into(), Value::string(difference.at.to_string())),
            ("expected".into(), Value::from(&*difference.expected)),
        ];
        let actual = difference.actual.clone();
        members.extend(actual.map(|actual| ("actual".into(), actual)));
        Value::object(members)
    });
    let line = place.as_ref().map(|(_, place, _)| count(place.line));
    let state = place.map(|(state, ..)| Value::string(state));
    Value::object(vec![
        ("what".into(), Value::from(&*failure.what)),
        ("expected".into(), Value::from(&*failure.expected)),
        ("actual".into(), Value::from(&*failure.actual)),
        ("differences".into(), Value::array(differences.collect())),
        ("line".into(), line.unwrap_or_default()),
        ("state".into(), state.unwrap_or_default()),
        ("event".into(), failure.event.map_or(Value::Null, count)),
    ])
}

/// Returns the report as a whole XML document.
pub(super) fn junit(results: &[CaseResult], elapsed: Duration) -> String {
    let mut files: Vec<(String, Vec<&CaseResult>)> = Vec::new();
    for result in results {
        let name = result.file.display().to_string();
        match files.last_mut() {
            Some((last, all)) if *last == name => all.push(result),
            _ => files.push((name, vec![result])),
        }
    }
    let [_, failed, _] = counts(results);
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        out,
        "<testsuites name=\"asldbg\" tests=\"{count}\" failures=\"{failed}\" errors=\"0\" time=\"{seconds:.3}\">",
        count = results.len(),
        seconds = elapsed.as_secs_f64()
    );
    for (name, results) in &files {
        suite(&mut out, name, results);
    }
    out.push_str("</testsuites>\n");
    out
}

fn suite(out: &mut String, name: &str, results: &[&CaseResult]) {
    let [_, failed, skipped] = counts(results.iter().copied());
    let took: Duration = results.iter().map(|result| result.took).sum();
    let _ = writeln!(
        out,
        "  <testsuite name=\"{name}\" tests=\"{count}\" failures=\"{failed}\" errors=\"0\" skipped=\"{skipped}\" time=\"{seconds:.3}\">",
        name = xml(name),
        count = results.len(),
        seconds = took.as_secs_f64()
    );
    for result in results {
        let _ = write!(
            out,
            "    <testcase name=\"{name}\" classname=\"{definition}\" time=\"{seconds:.3}\"",
            name = xml(&result.name),
            definition = xml(&result.program.display().to_string()),
            seconds = result.took.as_secs_f64()
        );
        match &result.outcome {
            Outcome::Passed => match result.reservations() {
                none if none.is_empty() => out.push_str("/>\n"),
                some => {
                    let text = xml(&some.join("; "));
                    let _ = writeln!(
                        out,
                        ">\n      <system-out>{text}</system-out>\n    </testcase>"
                    );
                }
            },
            Outcome::Skipped(reason) => {
                let reason = xml(reason);
                let _ = writeln!(
                    out,
                    ">\n      <skipped message=\"{reason}\"/>\n    </testcase>"
                );
            }
            Outcome::Failed(failures) => {
                let texts = failures.iter().flat_map(difference_lines);
                let texts: String = texts.map(|line| xml(&line) + "\n").collect();
                let first = failures.first();
                let (what, kind) =
                    first.map_or(("", ""), |failure| (&*failure.actual, &*failure.what));
                let message = format!("{kind}: {}", what.chars().take(200).collect::<String>());
                let _ = writeln!(
                    out,
                    ">\n      <failure message=\"{message}\" type=\"{kind}\">{differences}\n  open it: {command}</failure>\n    </testcase>",
                    message = xml(&message),
                    kind = xml(kind.split(' ').next().unwrap_or("")),
                    differences = texts.trim_end(),
                    command = xml(&result.command())
                );
            }
        }
    }
    out.push_str("  </testsuite>\n");
}

/// Returns the report as a whole TAP document.
pub(super) fn tap(results: &[CaseResult]) -> String {
    let mut out = format!("TAP version 13\n1..{}\n", results.len());
    for (place, result) in results.iter().enumerate() {
        let number = place + 1;
        let title = title(result).replace('#', "\\#");
        let _ = match &result.outcome {
            Outcome::Passed => {
                let notes = result.reservations().into_iter();
                let notes = notes.map(|note| format!("# {}\n", visible(&note)));
                let notes: String = notes.collect();
                write!(out, "ok {number} - {title}\n{notes}")
            }
            Outcome::Skipped(reason) => {
                writeln!(out, "ok {number} - {title} # SKIP {}", visible(reason))
            }
            Outcome::Failed(_) => writeln!(out, "not ok {number} - {title}"),
        };
        if !result.failures().is_empty() {
            out.push_str("  ---\n");
            for line in to_yaml(&details(result)).lines() {
                let _ = writeln!(out, "  {line}");
            }
            out.push_str("  ...\n");
        }
    }
    out
}

fn details(result: &CaseResult) -> Value {
    // Control characters and line breaks are replaced: a CI log could take the text after a line break for a command.
    let line = |text: &str| Value::string(visible(text));
    let failures = result.failures().iter().map(|failure| {
        Value::object(vec![
            ("what".into(), line(&failure.what)),
            ("expected".into(), line(&failure.expected)),
            ("actual".into(), line(&failure.actual)),
        ])
    });
    let members: Vec<(Text, Value)> = vec![
        ("failures".into(), Value::array(failures.collect())),
        ("open".into(), line(&result.command())),
    ];
    Value::object(members)
}
