//! Prints what was found in definitions, for people or as AWS's ValidateStateMachineDefinition answers.
//!
//! It must not know the rules.

use super::output::{self, Refusal};
use crate::definition::LintRule;
use crate::json::{Text, Value, one_line};
use crate::source::{Diagnostic, Diagnostics, Severity, SourceMap, Style, render_with, short};
use std::process::ExitCode;
use std::sync::Arc;

/// How findings are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CheckFormat {
    /// With the lines they speak of.
    #[default]
    Text,
    /// One line each.
    Short,
    /// One object.
    Json,
}

/// One file that was checked.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The file as named.
    pub file: String,
    /// What was found.
    pub found: Diagnostics,
    /// The texts that the findings speak of.
    pub sources: Arc<SourceMap>,
}

/// Prints what was found; the exit status says whether there was an error.
///
/// # Errors
/// Where standard output cannot be written.
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
        CheckFormat::Short => {
            let lines: Vec<String> = each(files)
                .map(|(found, file)| short_line(found, file))
                .collect();
            output::print(&lines.concat())?;
        }
        CheckFormat::Text => {
            let style = output::style_of_results();
            let mut texts: Vec<String> = each(files)
                .map(|(found, file)| text(found, file, style) + "\n\n")
                .collect();
            texts.push(summary(files, errors, warnings));
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

/// One line; the name by which the rule can be allowed ends it.
fn short_line(found: &Diagnostic, file: &Checked) -> String {
    let line = short(found, &file.sources);
    match LintRule::of(found.rule) {
        Some(rule) => format!("{line} [{}]\n", rule.name),
        None => line + "\n",
    }
}

/// With the lines it speaks of, and the name by which the rule can be allowed.
fn text(found: &Diagnostic, file: &Checked, style: Style) -> String {
    let note = LintRule::of(found.rule).map(|rule| format!("rule {}", rule.name));
    render_with(found, note.as_deref(), &file.sources, style)
}

fn summary(files: &[Checked], errors: usize, warnings: usize) -> String {
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
        [one] => format!("{}: {what}\n", one.file),
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
        let number = |number: usize| Value::from(i64::try_from(number).unwrap_or(i64::MAX));
        members.push(("line".into(), number(place.line)));
        members.push(("column".into(), number(place.column)));
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
