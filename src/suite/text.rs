//! Results for people: a line a case, then each failure with the values side by side, its line and the way in.
//!
//! It must not know colours.

use super::result::{CaseResult, Outcome};
use crate::json::{one_line, visible};
use crate::testing::{Difference, Failure};
use std::fmt::Write as _;
use std::time::Duration;

/// A value is cut after so many characters.
const WIDEST: usize = 60;
/// A sentence after so many.
const LONGEST: usize = 2000;

/// What stands before the first case.
pub(super) fn begin(count: usize) -> String {
    format!(
        "\nrunning {count} {}\n",
        if count == 1 { "test" } else { "tests" }
    )
}

/// The line of a case.
pub(super) fn line(result: &CaseResult) -> String {
    let outcome = match &result.outcome {
        Outcome::Passed => match unexpected(result) {
            Some(status) => format!("ok: {status}, as nothing is expected"),
            None => "ok".to_string(),
        },
        Outcome::Failed(_) => "FAILED".to_string(),
        Outcome::Skipped(reason) => format!("skipped: {}", visible(reason)),
    };
    format!("test {} ... {outcome}\n", title(result))
}

/// How a case ended of which nothing is expected.
fn unexpected(result: &CaseResult) -> Option<&'static str> {
    let observed = result.observed.as_ref().filter(|_| !result.expects)?;
    observed.end.status()
}

fn title(result: &CaseResult) -> String {
    visible(&format!("{}: {}", result.file.display(), result.name)).into_owned()
}

/// The failures, and the last line.
pub(super) fn end(results: &[CaseResult], elapsed: Duration) -> String {
    let mut out = String::new();
    let failed: Vec<&CaseResult> = results
        .iter()
        .filter(|result| !result.failures().is_empty())
        .collect();
    if !failed.is_empty() {
        out.push_str("\nfailures:\n");
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
    let _ = writeln!(
        out,
        "\ntest result: {word}. {passed} passed; {} failed; {skipped} skipped; finished in {:.2}s",
        failed.len(),
        elapsed.as_secs_f64()
    );
    out
}

fn case(out: &mut String, result: &CaseResult) {
    let line = match result.line {
        0 => String::new(),
        line => format!(":{line}"),
    };
    let _ = writeln!(
        out,
        "\n---- {}{line}: {} ----",
        visible(&result.file.display().to_string()),
        visible(&result.name)
    );
    for failure in result.failures() {
        self::failure(out, result, failure);
    }
    let _ = writeln!(out, "  open it: {}", visible(&result.command()));
}

fn failure(out: &mut String, result: &CaseResult, failure: &Failure) {
    out.push_str(&told(failure));
    if let Some((state, place, file)) = result.place(failure) {
        let event = failure.event.map(|event| format!(", event {event}"));
        let _ = writeln!(
            out,
            "    at {}:{} (state {}{})",
            visible(&file),
            place.line,
            visible(&state),
            event.unwrap_or_default()
        );
    }
}

/// What was expected and what came: a sentence, or a row for each place that differs.
pub(super) fn told(failure: &Failure) -> String {
    let what = visible(&failure.what);
    let inside = failure.differences.iter().any(|one| !one.at.0.is_empty());
    if inside {
        return format!("  {what} differs:\n{}", rows(&failure.differences));
    }
    let (expected, actual) = (
        cut(&failure.expected, LONGEST),
        cut(&failure.actual, LONGEST),
    );
    format!("  {what}: expected {expected}\n    got {actual}\n")
}

fn rows(differences: &[Difference]) -> String {
    let rows: Vec<[String; 3]> = differences
        .iter()
        .map(|one| {
            let actual = one.actual.as_ref();
            [
                visible(&one.at.to_string()).into_owned(),
                cut(&one.expected, WIDEST),
                actual.map_or_else(
                    || "nothing".to_string(),
                    |value| cut(&one_line(value), WIDEST),
                ),
            ]
        })
        .collect();
    let width = |column: usize, title: &str| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        let widest = cells.map(|cell| cell.chars().count()).max();
        widest.unwrap_or(0).max(title.len())
    };
    let (path, expected) = (width(0, "path"), width(1, "expected"));
    let mut out = format!("    {:path$}  {:expected$}  got\n", "path", "expected");
    for [at, wanted, actual] in &rows {
        let _ = writeln!(out, "    {at:path$}  {wanted:expected$}  {actual}");
    }
    out
}

/// A text that may be printed, on one line, up to a length.
fn cut(text: &str, most: usize) -> String {
    let text = visible(text);
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.into_owned(),
    }
}
