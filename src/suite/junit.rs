//! Results as JUnit XML: one suite per test file, one failure per failed case.

use super::result::{CaseResult, Outcome};
use super::text::told;
use crate::json::xml;
use std::fmt::Write as _;
use std::time::Duration;

/// Returns the whole document.
pub(super) fn report(results: &[CaseResult], elapsed: Duration) -> String {
    let mut files: Vec<(String, Vec<&CaseResult>)> = Vec::new();
    for result in results {
        let name = result.file.display().to_string();
        match files.last_mut() {
            Some((own, all)) if *own == name => all.push(result),
            _ => files.push((name, vec![result])),
        }
    }
    let all: Vec<&CaseResult> = results.iter().collect();
    let (failed, _) = counts(&all);
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        out,
        "<testsuites name=\"asldbg\" tests=\"{}\" failures=\"{failed}\" errors=\"0\" time=\"{:.3}\">",
        results.len(),
        elapsed.as_secs_f64()
    );
    for (name, results) in &files {
        suite(&mut out, name, results);
    }
    out.push_str("</testsuites>\n");
    out
}

/// Number of failed and skipped cases.
fn counts(results: &[&CaseResult]) -> (usize, usize) {
    let of = |is: fn(&Outcome) -> bool| {
        let matching = results.iter().filter(|result| is(&result.outcome));
        matching.count()
    };
    (
        of(|outcome| matches!(outcome, Outcome::Failed(_))),
        of(|outcome| matches!(outcome, Outcome::Skipped(_))),
    )
}

fn suite(out: &mut String, name: &str, results: &[&CaseResult]) {
    let (failed, skipped) = counts(results);
    let took: Duration = results.iter().map(|result| result.took).sum();
    let _ = writeln!(
        out,
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{failed}\" errors=\"0\" skipped=\"{skipped}\" time=\"{:.3}\">",
        xml(name),
        results.len(),
        took.as_secs_f64()
    );
    for result in results {
        let _ = write!(
            out,
            "    <testcase name=\"{}\" classname=\"{}\" time=\"{:.3}\"",
            xml(&result.name),
            xml(&result.program.display().to_string()),
            result.took.as_secs_f64()
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
                let _ = writeln!(
                    out,
                    ">\n      <skipped message=\"{}\"/>\n    </testcase>",
                    xml(reason)
                );
            }
            Outcome::Failed(failures) => {
                let texts = failures.iter().flat_map(told);
                let texts: String = texts.map(|line| xml(&line) + "\n").collect();
                let first = failures.first();
                let (what, kind) = first.map_or(("", ""), |one| (&*one.actual, &*one.what));
                let message = format!("{kind}: {}", what.chars().take(200).collect::<String>());
                let _ = writeln!(
                    out,
                    ">\n      <failure message=\"{}\" type=\"{}\">{}\n  open it: {}</failure>\n    </testcase>",
                    xml(&message),
                    xml(kind.split(' ').next().unwrap_or("")),
                    texts.trim_end(),
                    xml(&result.command())
                );
            }
        }
    }
    out.push_str("  </testsuite>\n");
}
