//! Parses source text to a tree whose nodes have source ranges, and gives every diagnostic its place in the text.

mod diagnostic;
pub mod dsl;
mod json;
pub mod load;
mod node;
pub mod open;
pub mod placeholder;
mod render;
pub mod store;
pub mod template;
mod text;
pub mod yaml;

pub use diagnostic::{
    Diagnostic, Diagnostics, FindingGroup, Severity, did_you_mean, grouped, nearest,
};
pub use json::{MAX_BYTES, MAX_DEPTH, parse_json};
pub use node::{Key, Member, Node, NodeKind, OffsetMap, StringNode};
pub use open::formatted;
pub use render::{Style, render, render_with, short};
pub use text::{
    Place, SourceFile, SourceId, SourceMap, Span, counted, edited, in_line, with_article,
};

use crate::json::Value;
use dsl::{DslEnvironment, parse_dsl};
use placeholder::{Values, parse_json_with};
use yaml::parse_yaml;

/// Parses a text in any of the supported languages: JSON, YAML or the SFN DSL.
pub(super) fn read_tree(
    file: &SourceFile,
    id: SourceId,
    values: &Values,
) -> (Option<Node>, Diagnostics) {
    if looks_like_json(&file.text) {
        parse_json_with(file, id, values)
    } else if is_program(&file.text) {
        let value = |name: &str| values.get(name).and_then(Value::as_str);
        let environment = DslEnvironment {
            region: value("AWS::Region").map(str::to_string),
            account: value("AWS::AccountId").map(str::to_string),
        };
        parse_dsl(file, id, &environment)
    } else {
        parse_yaml(file, id)
    }
}

/// True if a text is an SFN DSL program. A YAML template that contains lines of such a program is not a program.
#[must_use]
pub fn is_program(text: &str) -> bool {
    const KEYS: &[&str] = &[
        "StartAt:",
        "States:",
        "Resources:",
        "AWSTemplateFormatVersion:",
        "Transform:",
        "stepFunctions:",
    ];
    let is_key = |line: &str| KEYS.iter().any(|key| line.starts_with(key));
    !looks_like_json(text) && !text.lines().any(is_key) && dsl::looks_like(text)
}

/// True if a text begins like JSON. A text that begins with `{` and a key without quotes is YAML.
fn looks_like_json(text: &str) -> bool {
    let text = text.trim_start();
    let Some(inner) = text.strip_prefix(['{', '[']) else {
        return text.is_empty() || text.starts_with("//") || text.starts_with("/*") || quoted(text);
    };
    if text.starts_with('[') {
        return true;
    }
    let inner = inner.trim_start();
    inner.is_empty() || inner.starts_with(['"', '}', '/', '$', ',', '[', ':'])
}

/// True if the text is a single string in double quotes. Such a text is parsed as JSON, which gives better results here
/// than YAML.
fn quoted(text: &str) -> bool {
    let text = text.trim_end();
    text.len() > 1 && text.starts_with('"') && text.ends_with('"') && !text.contains('\n')
}
