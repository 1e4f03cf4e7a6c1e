//! Diagnostics as a SARIF 2.1.0 log, for editors and code scanning.

use super::checked::Checked;
use crate::definition::{LintRule, Standing, rules};
use crate::source::{Diagnostic, Severity, SourceMap, Span};
use serde_json::{Map, Value, json};

/// The log for some files.
pub(super) fn log(files: &[Checked]) -> Value {
    let found = || {
        let all = files.iter();
        all.flat_map(|file| file.found.iter().map(move |found| (found, file)))
    };
    // Only rules that were violated are described.
    let broken = |rule: &&LintRule| found().any(|(found, _)| found.rule == rule.number);
    let table = rules()
        .iter()
        .filter(|rule| rule.standing == Standing::Rule);
    let table: Vec<&LintRule> = table.filter(broken).collect();
    let described = table.iter().map(|rule| {
        json!({
            "id": rule.name,
            "shortDescription": { "text": rule.summary },
            "defaultConfiguration": { "level": level(rule.severity.spec) },
        })
    });
    let results: Vec<Value> = found()
        .map(|(found, file)| result(found, file, &table))
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "asldbg",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": described.collect::<Vec<Value>>(),
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

fn result(found: &Diagnostic, file: &Checked, table: &[&LintRule]) -> Value {
    let text = match &found.help {
        Some(help) => format!("{}; {help}", found.message),
        None => found.message.clone(),
    };
    let mut location = place(found.span, file);
    if !found.location.is_empty() {
        let logical = json!([{ "fullyQualifiedName": found.location }]);
        location.insert("logicalLocations".into(), logical);
    }
    let rule = table.iter().position(|rule| rule.number == found.rule);
    let rule = rule.and_then(|index| Some((index, table.get(index)?)));
    let mut result = Map::new();
    let id = rule.map_or(found.code, |(_, rule)| rule.name);
    result.insert("ruleId".into(), json!(id));
    if let Some((index, _)) = rule {
        result.insert("ruleIndex".into(), json!(index));
    }
    result.insert("level".into(), json!(level(found.severity)));
    result.insert("message".into(), json!({ "text": text }));
    result.insert("locations".into(), json!([location]));
    let related = found.related.iter().enumerate();
    let related = related.map(|(number, (span, label))| {
        let mut related = place(Some(*span), file);
        related.insert("id".into(), json!(number));
        related.insert("message".into(), json!({ "text": label }));
        Value::Object(related)
    });
    let related: Vec<Value> = related.collect();
    if !related.is_empty() {
        result.insert("relatedLocations".into(), json!(related));
    }
    result.insert("properties".into(), json!({ "code": found.code }));
    Value::Object(result)
}

/// A location in a file; only the file if the diagnostic has no span.
fn place(span: Option<Span>, file: &Checked) -> Map<String, Value> {
    let own = span.and_then(|span| file.sources.get(span.source));
    let own = own.filter(|own| !own.derived);
    let name = own.map_or(&*file.file, |own| &own.name);
    let mut physical = Map::new();
    physical.insert("artifactLocation".into(), json!({ "uri": uri(name) }));
    if let (Some(span), Some(_)) = (span, own) {
        physical.insert("region".into(), region(span, &file.sources));
    }
    let mut place = Map::new();
    place.insert("physicalLocation".into(), Value::Object(physical));
    place
}

fn region(span: Span, sources: &SourceMap) -> Value {
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
