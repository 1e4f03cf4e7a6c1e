//! Human-readable results: one line per case, then each failure with both values, the source line and a command to
//! debug it.

use super::result::{CaseResult, Outcome};
use crate::json::{Lines, one_line, visible};
use crate::testing::{Difference, Failure};
use std::time::Duration;

/// Maximum length of a value, in characters.
const WIDEST: usize = 60;
/// Maximum length of a sentence, in characters.
const LONGEST: usize = 2000;

/// The line before the first case.
pub(super) fn begin(count: usize) -> String {
    format!(
        "\nrunning {count} {}\n",
        if count == 1 { "test" } else { "tests" }
    )
}

/// The result line of a case.
pub(super) fn line(result: &CaseResult) -> String {
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

/// The failures and the summary line.
pub(super) fn end(results: &[CaseResult], elapsed: Duration) -> String {
    let mut out = Lines::default();
    let failed: Vec<&CaseResult> = results
        .iter()
        .filter(|result| !result.failures().is_empty())
        .collect();
    if !failed.is_empty() {
        out.add("");
        out.add("failures:");
        for result in &failed {
            case(&mut out, result);
        }
    }
    let skipped = results
        .iter()
        .filter(|result| matches!(result.outcome, Outcome::Skipped(_)))
        .count();
    let passed = results.len() - failed.len() - skipped;
    let word = if failed.is_empty() { "ok" } else { "FAILED" };
    out.add("");
    out.add(format!(
        "test result: {word}. {passed} passed; {} failed; {skipped} skipped; finished in {:.2}s",
        failed.len(),
        elapsed.as_secs_f64()
    ));
    out.into()
}

fn case(out: &mut Lines, result: &CaseResult) {
    let line = match result.line {
        0 => String::new(),
        line => format!(":{line}"),
    };
    out.add("");
    out.add(format!(
        "---- {}{line}: {} ----",
        result.file.display(),
        result.name
    ));
    for failure in result.failures() {
        self::failure(out, result, failure);
    }
    if let Some(refused) = &result.refused {
        out.add(format!("  {refused}"));
    }
    out.add(format!("  open it: {}", result.command()));
}

fn failure(out: &mut Lines, result: &CaseResult, failure: &Failure) {
    for line in told(failure) {
        out.add(line);
    }
    if let Some((state, place, file)) = result.place(failure) {
        let event = failure.event.map(|event| format!(", event {event}"));
        out.add(format!(
            "    at {file}:{} (state {state}{})",
            place.line,
            event.unwrap_or_default()
        ));
    }
}

/// Expected and actual value in lines: one sentence, or a row for each difference.
pub(super) fn told(failure: &Failure) -> Vec<String> {
    let what = &failure.what;
    let inside = failure.differences.iter().any(|one| !one.at.0.is_empty());
    if inside {
        let mut lines = vec![format!("  {what} differs:")];
        lines.extend(rows(&failure.differences));
        return lines;
    }
    let (expected, actual) = (
        cut(&failure.expected, LONGEST),
        cut(&failure.actual, LONGEST),
    );
    vec![
        format!("  {what}: expected {expected}"),
        format!("    got {actual}"),
    ]
}

fn rows(differences: &[Difference]) -> Vec<String> {
    let head = ["path", "expected", "got"].map(str::to_string);
    let rows = differences.iter().map(|one| {
        let actual = one.actual.as_ref();
        [
            one.at.to_string(),
            cut(&one.expected, WIDEST),
            actual.map_or_else(
                || "nothing".to_string(),
                |value| cut(&one_line(value), WIDEST),
            ),
        ]
    });
    let rows: Vec<[String; 3]> = std::iter::once(head).chain(rows).collect();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let (path, expected) = (width(0), width(1));
    let lines = rows
        .iter()
        .map(|[at, wanted, actual]| format!("    {at:path$}  {wanted:expected$}  {actual}"));
    lines.collect()
}

/// Cuts a text to a maximum length.
fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_string(),
    }
}
