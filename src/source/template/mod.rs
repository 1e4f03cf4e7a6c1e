//! State machines inside other documents: CloudFormation and SAM templates, Serverless configurations, Terraform output
//! and AWS responses.

mod embedded;
mod find;
mod function;
mod null;
mod variable;

pub(in crate::source) use embedded::{TemplateReader, relocated};
pub use find::{Candidate, DocumentKind, Form, find};

use super::placeholder::Values;
use super::{Node, SourceMap};

/// Replaces template functions in a definition with text. `Ref` is only replaced if it was written as a YAML tag.
pub(in crate::source) fn resolve_functions(root: Node, set: &Values, sources: &SourceMap) -> Node {
    if !calls(&root, sources) {
        return root;
    }
    let none = Values::default();
    function::Functions::new(set, &none).resolve(&root)
}

/// True if a function is called anywhere in the tree.
fn calls(node: &Node, sources: &SourceMap) -> bool {
    if let Some((name, _)) = function::call(node) {
        let tagged = || {
            let key = node.members().and_then(|members| members.first());
            let span = key.map(|member| member.key.span).unwrap_or_default();
            let file = sources.get(span.source);
            file.is_some_and(|file| {
                file.text
                    .get(span.range())
                    .is_some_and(|text| text.starts_with('!'))
            })
        };
        if name != "Ref" || tagged() {
            return true;
        }
    }
    let inside = |node: &Node| calls(node, sources);
    let members = node.members().unwrap_or_default();
    node.items().unwrap_or_default().iter().any(inside)
        || members.iter().any(|member| inside(&member.value))
}

/// At most `most` resources of a template as `NAME (TYPE)`, and the total number of resources.
fn resources(root: &Node, most: usize) -> Option<(Vec<String>, usize)> {
    let resources = root.get("Resources")?.members()?;
    let shown = resources.iter().take(most).map(|resource| {
        let kind = resource.value.get("Type").and_then(Node::as_str);
        format!("{} ({})", resource.key.text, kind.unwrap_or("no type"))
    });
    Some((shown.collect(), resources.len()))
}

/// Describes, in one sentence, what a document without a state machine contains instead.
#[must_use]
pub fn contents(root: &Node) -> String {
    const LISTED: usize = 8;
    let listed = |names: Vec<String>, count: usize| match count.saturating_sub(names.len()) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    };
    if let Some((names, count)) = resources(root, LISTED) {
        return match count {
            0 => "the template has no resources".to_string(),
            1 => format!("the template has one resource: {}", listed(names, count)),
            _ => format!(
                "the template has {count} resources: {}",
                listed(names, count)
            ),
        };
    }
    match root.members() {
        Some([]) => "it is an empty object".to_string(),
        Some(members) => {
            let names = members.iter().take(LISTED);
            let names = names.map(|member| format!("\"{}\"", member.key.text));
            let count = members.len();
            let keys = if count == 1 { "key" } else { "keys" };
            format!("it has the {keys} {}", listed(names.collect(), count))
        }
        None => match root.type_name() {
            name @ ("array" | "object") => format!("it is an {name}"),
            "null" => "it is null".to_string(),
            name => format!("it is a {name}"),
        },
    }
}
