//! Prints the diagnostics of definitions as text, or as a response of AWS's ValidateStateMachineDefinition.

use super::checked::Checked;
use super::output::{self, Refusal};
use super::sarif;
use crate::definition::LintRule;
use crate::json::{Text, Value, count, one_line, visible};
use crate::source::{Diagnostic, FindingGroup, Severity, Style, grouped, render_with, short};
use std::process::ExitCode;

/// Output format of the diagnostics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CheckFormat {
    /// With the source lines that they refer to.
    #[default]
    Text,
    /// One line each.
    Short,
    /// One JSON object.
    Json,
    /// A log in SARIF 2.1.0.
    Sarif,
}

/// Prints the diagnostics; the exit status says whether there is an error.
///
/// # Errors
/// If writing to standard output fails.
pub fn check(
    files: &[Checked],
    format: CheckFormat,
    deny_warnings: bool,
) -> Result<ExitCode, Refusal> {
    let count = |severity: Severity| {
        let all = files.iter().flat_map(|file| &file.found);
        all.filter(|found| found.severity == severity).count()
    };
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let failed = errors > 0 || (deny_warnings && warnings > 0);
    match format {
        CheckFormat::Json => output::print_json(&one_line(&report(files, failed)))?,
        CheckFormat::Sarif => output::print_json(&sarif::log(files).to_string())?,
        CheckFormat::Short => {
            let lines: Vec<String> = each(files)
                .map(|(found, file)| short_line(found, file))
                .collect();
            output::print(&lines.concat())?;
        }
        CheckFormat::Text => {
            let style = output::style_of_results();
            let groups: Vec<(FindingGroup<'_>, &Checked)> = files
                .iter()
                .flat_map(|file| grouped(&file.found).into_iter().map(move |one| (one, file)))
                .collect();
            let mut texts: Vec<String> = groups
                .iter()
                .map(|(group, file)| text(group, file, style) + "\n\n")
                .collect();
            texts.push(summary(files, &groups));
            output::print_rendered(&texts.concat(), style)?;
        }
    }
    Ok(if failed {
        ExitCode::from(1)
    } else {
        ExitCode::SUCCESS
    })
}

fn each(files: &[Checked]) -> impl Iterator<Item = (&Diagnostic, &Checked)> {
    files
        .iter()
        .flat_map(|file| file.found.iter().map(move |found| (found, file)))
}

/// One line that ends with the name of the rule, for use with `allow`.
fn short_line(found: &Diagnostic, file: &Checked) -> String {
    let line = short(found, &file.sources);
    match LintRule::of(found.rule) {
        Some(rule) => format!("{line} [{}]\n", rule.name),
        None => line + "\n",
    }
}

/// Maximum number of places to list for one diagnostic.
const LISTED: usize = 12;

/// The diagnostic with its source lines, the name of its rule, its other places and its consequences.
fn text(group: &FindingGroup<'_>, file: &Checked, style: Style) -> String {
    let found = group.first;
    let mut notes = Vec::new();
    let same = std::iter::once(found).chain(group.same.iter().copied());
    if let Some(rule) = LintRule::of(found.rule) {
        notes.push(match group.same.len() {
            0 => format!("rule {}", rule.name),
            more => {
                let of_states = same.clone().all(|one| is_state(&one.location));
                let word = if of_states { "states" } else { "places" };
                let (count, lines) = (more + 1, lines(same, file));
                format!("rule {}: {count} {word}, lines {lines}", rule.name)
            }
        });
    }
    for follows in group.follows.iter().take(LISTED) {
        let line = lines(std::iter::once(*follows), file);
        let message = &follows.message;
        notes.push(format!("as a result, line {line}: {message}"));
    }
    if let Some(more) = group
        .follows
        .len()
        .checked_sub(LISTED)
        .filter(|more| *more > 0)
    {
        notes.push(format!("as a result, {more} more findings"));
    }
    render_with(found, &notes, &file.sources, style)
}

/// True if a location is that of a state, not of a field of a state.
fn is_state(location: &str) -> bool {
    let before = location.rsplit_once('/').map(|(before, _)| before);
    before.is_some_and(|before| before.ends_with("/States"))
}

/// The line numbers of diagnostics, without duplicates.
fn lines<'d>(found: impl Iterator<Item = &'d Diagnostic>, file: &Checked) -> String {
    let places = found.filter_map(|one| file.sources.place(one.span?));
    let mut lines: Vec<usize> = places.map(|place| place.line).collect();
    lines.dedup();
    let more = lines.len().saturating_sub(LISTED);
    let shown: Vec<String> = lines.iter().take(LISTED).map(usize::to_string).collect();
    match more {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// Number of diagnostics; consequences of another error are not counted.
fn summary(files: &[Checked], groups: &[(FindingGroup<'_>, &Checked)]) -> String {
    let count = |severity: Severity| -> usize {
        let own = groups
            .iter()
            .filter(|(group, _)| group.first.severity == severity);
        own.map(|(group, _)| 1 + group.same.len()).sum()
    };
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let many = |number: usize, word: &str| {
        let end = if number == 1 { "" } else { "s" };
        format!("{number} {word}{end}")
    };
    let what = if errors + warnings == 0 {
        "no errors".to_string()
    } else {
        format!("{}, {}", many(errors, "error"), many(warnings, "warning"))
    };
    match files {
        // The file name is made safe here, because the output filter for coloured text lets colours pass.
        [one] => format!("{}: {what}\n", visible(&one.file)),
        _ => format!("{} files: {what}\n", files.len()),
    }
}

fn report(files: &[Checked], failed: bool) -> Value {
    let several = files.len() > 1;
    let diagnostics = each(files)
        .map(|(found, file)| diagnostic(found, file, several))
        .collect();
    Value::object(vec![
        (
            "result".into(),
            Value::from(if failed { "FAIL" } else { "OK" }),
        ),
        ("diagnostics".into(), Value::array(diagnostics)),
    ])
}

fn diagnostic(found: &Diagnostic, file: &Checked, several: bool) -> Value {
    let mut members: Vec<(Text, Value)> = Vec::new();
    if several {
        members.push(("file".into(), Value::from(&*file.file)));
    }
    members.push(("severity".into(), Value::string(found.severity.to_string())));
    members.push(("code".into(), Value::from(found.code)));
    members.push(("message".into(), Value::from(&*found.message)));
    if !found.location.is_empty() {
        members.push(("location".into(), Value::from(&*found.location)));
    }
    if let Some(place) = found.span.and_then(|span| file.sources.place(span)) {
        members.push(("line".into(), count(place.line)));
        members.push(("column".into(), count(place.column)));
    }
    if found.rule > 0 {
        members.push(("rule".into(), Value::from(i64::from(found.rule))));
    }
    if let Some(rule) = LintRule::of(found.rule) {
        members.push(("name".into(), Value::from(rule.name)));
    }
    if let Some(help) = &found.help {
        members.push(("help".into(), Value::from(&**help)));
    }
    Value::object(members)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_file_brings_no_colour() {
        let file = Checked {
            file: "n\u{1b}[8m.asl.json".to_string(),
            found: Vec::new(),
            sources: std::sync::Arc::default(),
        };
        let said = summary(&[file], &[]);
        assert_eq!(said, "n␛[8m.asl.json: no errors\n");
    }
}
