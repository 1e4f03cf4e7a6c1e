//! Results in the Test Anything Protocol, version 13.

use super::result::{CaseResult, Outcome};
use crate::json::{Text, Value, visible};
use crate::source::yaml::to_yaml;
use std::fmt::Write as _;

/// Returns the report of all results.
pub(super) fn report(results: &[CaseResult]) -> String {
    let mut out = format!("TAP version 13\n1..{}\n", results.len());
    for (place, result) in results.iter().enumerate() {
        let number = place + 1;
        let title = format!("{}: {}", result.file.display(), result.name);
        let title = visible(&title).replace('#', "\\#");
        let _ = match &result.outcome {
            Outcome::Passed => {
                let notes = result.reservations().into_iter();
                let notes: String = notes
                    .map(|note| format!("# {}\n", visible(&note)))
                    .collect();
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
    // A line break would turn the text into a YAML block, and CI logs could interpret its lines as commands.
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
