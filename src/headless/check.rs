//! Prints the diagnostics of definitions: as text, in the form of AWS's ValidateStateMachineDefinition response, or as
//! a SARIF 2.1.0 log for editors and code scanning.

use super::output::{self, Refusal};
use crate::definition::{LintRule, Standing, rules};
use crate::json::{Text, Value, count, one_line, visible};
use crate::session::Setup;
use crate::source::{
    Diagnostic, Diagnostics, FindingGroup, Severity, SourceMap, Span, Style, counted, grouped,
    in_line, render_with, short,
};
use serde_json::{Map, json};
use std::process::ExitCode;
use std::sync::Arc;

/// A file that was checked.
#[derive(Clone, Debug)]
pub struct Checked {
    /// Name of the file as given by the user.
    pub file: String,
    /// The diagnostics.
    pub diagnostics: Diagnostics,
    /// The sources that the diagnostics refer to.
    pub sources: Arc<SourceMap>,
}

/// Output format of the diagnostics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum CheckFormat {
    /// Each diagnostic with the source lines that it refers to.
    #[default]
    Text,
    /// One line per diagnostic.
    Short,
    /// One JSON object.
    Json,
    /// A log in SARIF 2.1.0, for editors and code scanning.
    Sarif,
}

/// Prints the diagnostics. The exit status is 1 if there is an error or, with `deny_warnings`, a warning.
///
/// # Errors
/// If writing to standard output fails.
pub fn check(
    files: &[Checked],
    format: CheckFormat,
    deny_warnings: bool,
) -> Result<ExitCode, Refusal> {
    let failed = each(files).any(|(diagnostic, _)| match diagnostic.severity {
        Severity::Error => true,
        Severity::Warning => deny_warnings,
        Severity::Info => false,
    });
    match format {
        CheckFormat::Json => output::print_json(&one_line(&report(files, failed)))?,
        CheckFormat::Sarif => output::print_json(&sarif(files).to_string())?,
        CheckFormat::Short => {
            let lines = each(files).map(|(diagnostic, file)| short_line(diagnostic, file));
            output::print(&lines.collect::<String>())?;
        }
        CheckFormat::Text => {
            let style = output::style_of_results();
            let groups = files.iter().flat_map(|file| {
                let groups = grouped(&file.diagnostics).into_iter();
                groups.map(move |group| (group, file))
            });
            let groups: Vec<(FindingGroup<'_>, &Checked)> = groups.collect();
            let texts = groups.iter();
            let texts = texts.map(|(group, file)| text(group, file, style) + "\n\n");
            let text = texts.collect::<String>() + &summary(files, &groups);
            output::print_rendered(&text, style)?;
        }
    }
    Ok(if failed {
        ExitCode::from(1)
    } else {
        ExitCode::SUCCESS
    })
}

fn each(files: &[Checked]) -> impl Iterator<Item = (&Diagnostic, &Checked)> {
    files.iter().flat_map(|file| {
        file.diagnostics
            .iter()
            .map(move |diagnostic| (diagnostic, file))
    })
}

/// A diagnostic on one line, which ends with the name of the rule, for use with `--allow`.
fn short_line(finding: &Diagnostic, file: &Checked) -> String {
    let line = short(finding, &file.sources);
    match LintRule::of(finding.rule) {
        Some(rule) => format!("{line} [{}]\n", rule.name),
        None => line + "\n",
    }
}

/// Maximum number of places to list for one diagnostic.
const LISTED: usize = 12;

/// The text for a group of diagnostics: the first diagnostic with its source lines, the name of the rule, the line
/// numbers of the same diagnostic in other places, and the diagnostics that are consequences of the first one.
fn text(group: &FindingGroup<'_>, file: &Checked, style: Style) -> String {
    let first = group.first;
    let mut notes = Vec::new();
    let same = std::iter::once(first).chain(group.same.iter().copied());
    if let Some(rule) = LintRule::of(first.rule) {
        notes.push(match group.same.len() {
            0 => format!("rule {}", rule.name),
            more => {
                let of_states = same.clone().all(|first| is_state(&first.location));
                let states = if of_states { "states" } else { "places" };
                let (count, lines) = (more + 1, lines(same, file));
                format!(
                    "rule {rule}: {count} {states}, lines {lines}",
                    rule = rule.name
                )
            }
        });
    }
    for follows in group.follows.iter().take(LISTED) {
        let line = lines(std::iter::once(*follows), file);
        let message = &follows.message;
        notes.push(format!("as a result, at line {line}: {message}"));
    }
    if group.follows.len() > LISTED {
        let more = group.follows.len() - LISTED;
        notes.push(format!(
            "as a result, there are {more} more findings, which are not listed"
        ));
    }
    render_with(first, &notes, &file.sources, style)
}

/// True if a location denotes a whole state, not a field of the state.
fn is_state(location: &str) -> bool {
    let before = location.rsplit_once('/').map(|(before, _)| before);
    before.is_some_and(|before| before.ends_with("/States"))
}

/// The line numbers of diagnostics, without duplicates.
fn lines<'d>(diagnostic: impl Iterator<Item = &'d Diagnostic>, file: &Checked) -> String {
    let places = diagnostic.filter_map(|diagnostic| file.sources.place(diagnostic.span?));
    let mut lines: Vec<usize> = places.map(|place| place.line).collect();
    lines.dedup();
    let more = lines.len().saturating_sub(LISTED);
    let shown: Vec<String> = lines.iter().take(LISTED).map(usize::to_string).collect();
    match more {
        0 => shown.join(", "),
        more => format!("{lines} and {more} more lines", lines = shown.join(", ")),
    }
}

/// The summary line with the number of errors and of warnings. Errors that only follow from another error are not
/// counted.
fn summary(files: &[Checked], groups: &[(FindingGroup<'_>, &Checked)]) -> String {
    let count = |severity: Severity| -> usize {
        let groups = groups.iter().map(|(group, _)| group);
        let groups = groups.filter(|group| group.first.severity == severity);
        groups.map(|group| 1 + group.same.len()).sum()
    };
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let counts = if errors + warnings == 0 {
        "no errors".to_string()
    } else {
        format!(
            "{}, {}",
            counted(errors, "error"),
            counted(warnings, "warning")
        )
    };
    match files {
        // Control characters in the file name are replaced here, because the output filter keeps colour codes in
        // coloured text.
        [file] => format!("{file}: {counts}\n", file = visible(&file.file)),
        _ => format!("{count} files: {counts}\n", count = files.len()),
    }
}

fn report(files: &[Checked], failed: bool) -> Value {
    let several = files.len() > 1;
    let diagnostics = each(files)
        .map(|(finding, file)| diagnostic(finding, file, several))
        .collect();
    Value::object(vec![
        (
            "result".into(),
            Value::from(if failed { "FAIL" } else { "OK" }),
        ),
        ("diagnostics".into(), Value::array(diagnostics)),
    ])
}

fn diagnostic(finding: &Diagnostic, file: &Checked, several: bool) -> Value {
    let mut members: Vec<(Text, Value)> = Vec::new();
    if several {
        members.push(("file".into(), Value::from(&*file.file)));
    }
    members.push((
        "severity".into(),
        Value::string(finding.severity.to_string()),
    ));
    members.push(("code".into(), Value::from(finding.code)));
    members.push(("message".into(), Value::from(&*finding.message)));
    if !finding.location.is_empty() {
        members.push(("location".into(), Value::from(&*finding.location)));
    }
    if let Some(place) = finding.span.and_then(|span| file.sources.place(span)) {
        members.push(("line".into(), count(place.line)));
        members.push(("column".into(), count(place.column)));
    }
    if finding.rule > 0 {
        members.push(("rule".into(), Value::from(i64::from(finding.rule))));
    }
    if let Some(rule) = LintRule::of(finding.rule) {
        members.push(("name".into(), Value::from(rule.name)));
    }
    if let Some(help) = &finding.help {
        members.push(("help".into(), Value::from(&**help)));
    }
    Value::object(members)
}

/// A sentence with the first error in the definition; `None` if there are no errors.
#[must_use]
pub fn refused(setup: &Setup) -> Option<String> {
    let is_error = |diagnostic: &&Diagnostic| diagnostic.severity == Severity::Error;
    let mut errors = setup.diagnostics.iter().filter(is_error);
    let first = errors.next()?;
    let sources = &setup.definition.sources;
    let place = first.span.and_then(|span| sources.place(span));
    let at_line = in_line(place.map(|place| place.line));
    let more_errors = match errors.count() {
        0 => String::new(),
        1 => ", and 1 more error".to_string(),
        more => format!(", and {more} more errors"),
    };
    let message = visible(&first.message);
    Some(format!(
        "AWS refuses this definition: {message}{at_line}{more_errors}"
    ))
}

/// The SARIF log for these files.
fn sarif(files: &[Checked]) -> serde_json::Value {
    // The log describes only rules that were violated.
    let broken =
        |rule: &&LintRule| each(files).any(|(diagnostic, _)| diagnostic.rule == rule.number);
    let table = rules().iter();
    let table = table.filter(|rule| rule.standing == Standing::Rule);
    let table: Vec<&LintRule> = table.filter(broken).collect();
    let described = table.iter().map(|rule| {
        json!({
            "id": rule.name,
            "shortDescription": { "text": rule.summary },
            "defaultConfiguration": { "level": level(rule.severity.spec) },
        })
    });
    let results = each(files).map(|(diagnostic, file)| sarif_result(diagnostic, file, &table));
    let results: Vec<serde_json::Value> = results.collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "asldbg",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": described.collect::<Vec<serde_json::Value>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

fn sarif_result(finding: &Diagnostic, file: &Checked, table: &[&LintRule]) -> serde_json::Value {
    let text = match &finding.help {
        Some(help) => format!("{}; {help}", finding.message),
        None => finding.message.clone(),
    };
    let mut location = sarif_place(finding.span, file);
    if !finding.location.is_empty() {
        let logical = json!([{ "fullyQualifiedName": finding.location }]);
        location.insert("logicalLocations".into(), logical);
    }
    let rule = table.iter().position(|rule| rule.number == finding.rule);
    let rule = rule.and_then(|index| Some((index, table.get(index)?)));
    let mut result = Map::new();
    let id = rule.map_or(finding.code, |(_, rule)| rule.name);
    result.insert("ruleId".into(), json!(id));
    if let Some((index, _)) = rule {
        result.insert("ruleIndex".into(), json!(index));
    }
    result.insert("level".into(), json!(level(finding.severity)));
    result.insert("message".into(), json!({ "text": text }));
    result.insert("locations".into(), json!([location]));
    let related = finding.related.iter().enumerate();
    let related = related.map(|(number, (span, label))| {
        let mut related = sarif_place(Some(*span), file);
        related.insert("id".into(), json!(number));
        related.insert("message".into(), json!({ "text": label }));
        serde_json::Value::Object(related)
    });
    let related: Vec<serde_json::Value> = related.collect();
    if !related.is_empty() {
        result.insert("relatedLocations".into(), json!(related));
    }
    result.insert("properties".into(), json!({ "code": finding.code }));
    serde_json::Value::Object(result)
}

/// Converts a span to a SARIF location: the file, and the line and column where the span begins and ends. Without a
/// span, the location is only the file.
fn sarif_place(span: Option<Span>, file: &Checked) -> Map<String, serde_json::Value> {
    let source = span.and_then(|span| file.sources.get(span.source));
    let source = source.filter(|source| !source.derived);
    let name = source.map_or(&*file.file, |source| &source.name);
    let mut physical = Map::new();
    physical.insert("artifactLocation".into(), json!({ "uri": uri(name) }));
    if let (Some(span), Some(_)) = (span, source) {
        physical.insert("region".into(), region(span, &file.sources));
    }
    let mut place = Map::new();
    place.insert(
        "physicalLocation".into(),
        serde_json::Value::Object(physical),
    );
    place
}

fn region(span: Span, sources: &SourceMap) -> serde_json::Value {
    let Some(file) = sources.get(span.source) else {
        return json!({});
    };
    let from = file.place(span.start as usize);
    let to = file.place(span.end as usize);
    json!({
        "startLine": from.line,
        "startColumn": from.column,
        "endLine": to.line,
        "endColumn": to.column,
    })
}

/// A file name as a URI; relative if the name is relative.
fn uri(name: &str) -> String {
    let mut uri = String::new();
    for byte in name.replace('\\', "/").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                uri.push(char::from(byte));
            }
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    match uri.starts_with('/') {
        true => format!("file://{uri}"),
        false => uri,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_file_brings_no_colour() {
        let file = Checked {
            file: "n\u{1b}[8m.asl.json".to_string(),
            diagnostics: Vec::new(),
            sources: std::sync::Arc::default(),
        };
        let said = summary(&[file], &[]);
        assert_eq!(said, "n␛[8m.asl.json: no errors\n");
    }
}
