//! State machines inside other documents: CloudFormation and SAM templates, Serverless configurations, Terraform output
//! and AWS responses.

mod embedded;
mod function;

pub(in crate::source) use embedded::{TemplateReader, relocated};

use super::placeholder::Values;
use super::{Diagnostic, Diagnostics, Member, Node, SourceMap, Span, with_article};
use crate::json::Text;

/// Replaces template functions in a definition with text. A definition that calls no function is left unchanged; `Ref`
/// counts as a call only if it was written as a YAML tag.
pub(in crate::source) fn resolve_functions(root: Node, set: &Values, sources: &SourceMap) -> Node {
    if !calls(&root, sources) {
        return root;
    }
    let none = Values::default();
    function::Functions::new(set, &none, None).resolve(&root)
}

/// True if the tree calls a template function. `Ref` counts only if it was written as a YAML tag.
fn calls(node: &Node, sources: &SourceMap) -> bool {
    if let Some((name, _)) = function::call(node) {
        let tagged = || {
            let key = node.members().and_then(|members| members.first());
            let span = key.map(|member| member.key.span).unwrap_or_default();
            sources
                .written(span)
                .is_some_and(|text| text.starts_with('!'))
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

/// Lists the first `most` resources of a template as `NAME (TYPE)`. Also returns the number of all its resources.
fn resources(root: &Node, most: usize) -> Option<(Vec<String>, usize)> {
    let resources = root.get("Resources")?.members()?;
    let shown = resources.iter().take(most).map(|resource| {
        let kind = resource.value.get("Type").and_then(Node::as_str);
        format!("{} ({})", resource.key.text, kind.unwrap_or("no type"))
    });
    Some((shown.collect(), resources.len()))
}

/// Describes, in one sentence, the contents of a document that has no state machine.
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
            1 => format!(
                "the template has one resource: {name}",
                name = listed(names, count)
            ),
            _ => {
                let listed = listed(names, count);
                format!("the template has {count} resources: {listed}")
            }
        };
    }
    match root.members() {
        Some([]) => "the document is an empty object".to_string(),
        Some(members) => {
            let names = members.iter().take(LISTED);
            let names = names.map(|member| format!("\"{}\"", member.key.text));
            let count = members.len();
            let key_or_keys = if count == 1 { "key" } else { "keys" };
            let names = listed(names.collect(), count);
            format!("the document has the {key_or_keys} {names}")
        }
        None => format!(
            "the document is {kind}",
            kind = with_article(root.type_name())
        ),
    }
}

/// The kind of a document in which a state machine may be defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentKind {
    /// A definition, or a document that is treated as a definition, such as a single state.
    Definition,
    /// A CloudFormation or SAM template.
    Template,
    /// A configuration of the Serverless Framework.
    Serverless,
    /// An AWS response that describes a state machine.
    Description,
    /// Output of `terraform show -json`, or a Terraform state file.
    Terraform,
    /// A program in the SFN DSL.
    Dsl,
    /// A document of any other kind.
    Other,
}

/// A state machine that was found in a document.
#[derive(Clone, Debug)]
pub struct Candidate<'n> {
    /// The name by which the document refers to the state machine.
    pub name: Text,
    /// The name in the properties of the state machine, if that name differs from the name in the document.
    pub label: Option<Text>,
    /// Source range of the whole state machine in the document, such as its resource.
    pub span: Span,
    /// The place of the definition: in the document, or in a separate file.
    pub form: Form<'n>,
    /// The values that the document gives for placeholders in the definition, if it gives any.
    pub substitutions: Option<&'n Node>,
    /// Workflow type (STANDARD or EXPRESS), if it is specified.
    pub workflow: Option<&'n Node>,
    /// True for the resource type AWS::StepFunctions::StateMachine, which CloudFormation itself processes. SAM has a
    /// type of its own.
    pub is_cloudformation: bool,
}

/// How a document contains a definition: directly, or as a separate file.
#[derive(Clone, Copy, Debug)]
pub enum Form<'n> {
    /// The definition is in the document itself: as an object, as a text, or as a function that returns an object or a
    /// text.
    Written(&'n Node),
    /// The definition is in a separate file, which this node names.
    File(&'n Node),
    /// The document has no definition for the state machine.
    Missing,
}

/// Maximum depth to which nested Terraform modules are searched.
const MAX_MODULES: usize = 32;

/// The kind of a document, and the state machines in it, in the order of the document.
#[must_use]
pub fn find(root: &Node) -> (DocumentKind, Vec<Candidate<'_>>) {
    let Some(members) = root.members() else {
        return (DocumentKind::Other, Vec::new());
    };
    if root.get("StartAt").is_some() || root.get("States").is_some() {
        return (DocumentKind::Definition, Vec::new());
    }
    if let Some(resources) = root.get("Resources").and_then(Node::members)
        && is_template(root, resources)
    {
        return (DocumentKind::Template, in_resources(resources));
    }
    let body = root.get("TemplateBody");
    if let Some(body) = body.filter(|body| body.members().is_some()) {
        return find(body);
    }
    let service = root.get("service").is_some() && root.get("provider").is_some();
    if root.get("stepFunctions").is_some() || service {
        return (DocumentKind::Serverless, in_serverless(root));
    }
    if let Some(definition) = root.get("definition")
        && is_definition(definition)
    {
        return (DocumentKind::Description, vec![described(root, definition)]);
    }
    if root.get("terraform_version").is_some() {
        return (DocumentKind::Terraform, in_terraform(root));
    }
    if members.is_empty() || is_state(root) {
        return (DocumentKind::Definition, Vec::new());
    }
    (DocumentKind::Other, Vec::new())
}

fn is_template(root: &Node, resources: &[Member]) -> bool {
    root.get("AWSTemplateFormatVersion").is_some()
        || root.get("Transform").is_some()
        || resources
            .iter()
            .any(|Member { value, .. }| value.get("Type").is_some())
}

/// True if the tree is a single state.
fn is_state(root: &Node) -> bool {
    let kind = root.get("Type").and_then(Node::as_str).unwrap_or("");
    matches!(
        kind,
        "Task" | "Pass" | "Choice" | "Wait" | "Succeed" | "Fail" | "Parallel" | "Map"
    )
}

fn is_definition(node: &Node) -> bool {
    match node.as_str() {
        Some(text) => text.trim_start().starts_with('{'),
        None => node.get("States").is_some() || node.get("StartAt").is_some(),
    }
}

fn text(node: Option<&Node>) -> Option<Text> {
    Some(node?.string()?.text.clone())
}

fn in_resources(resources: &[Member]) -> Vec<Candidate<'_>> {
    let mut candidates = Vec::new();
    for resource in resources {
        let kind = resource.value.get("Type").and_then(Node::as_str);
        let (serverless, name, workflow) = match kind {
            Some("AWS::Serverless::StateMachine") => (true, "Name", "Type"),
            Some("AWS::StepFunctions::StateMachine") => {
                (false, "StateMachineName", "StateMachineType")
            }
            _ => continue,
        };
        let properties = resource.value.get("Properties");
        let get = |name: &str| properties.and_then(|properties| properties.get(name));
        let written = get("Definition").or_else(|| get("DefinitionString"));
        let file = get("DefinitionUri").or_else(|| get("DefinitionS3Location"));
        candidates.push(Candidate {
            name: resource.key.text.clone(),
            label: text(get(name)),
            span: resource.value.span,
            form: match (written, file) {
                (Some(node), _) => Form::Written(node),
                (None, Some(node)) => Form::File(node),
                (None, None) => Form::Missing,
            },
            substitutions: get("DefinitionSubstitutions"),
            workflow: get(workflow),
            is_cloudformation: !serverless,
        });
    }
    candidates
}

fn in_serverless(root: &Node) -> Vec<Candidate<'_>> {
    let machines = root.path(&["stepFunctions", "stateMachines"]);
    let machines = machines.and_then(Node::members).unwrap_or_default();
    let mut candidates: Vec<Candidate<'_>> = Vec::new();
    for Member { key, value } in machines {
        let definition = value.get("definition");
        candidates.push(Candidate {
            name: key.text.clone(),
            label: text(value.get("name")),
            span: value.span,
            form: definition.map_or(Form::Missing, Form::Written),
            substitutions: value.get("definitionSubstitutions"),
            workflow: value.get("type"),
            is_cloudformation: false,
        });
    }
    let resources = root.path(&["resources", "Resources"]);
    let resources = resources.and_then(Node::members).unwrap_or_default();
    candidates.extend(in_resources(resources));
    candidates
}

fn described<'n>(root: &'n Node, definition: &'n Node) -> Candidate<'n> {
    let arn = text(root.get("stateMachineArn"));
    let tail = arn.as_deref().and_then(|arn| arn.split(':').nth(6));
    let name = text(root.get("name")).or_else(|| tail.map(Text::from));
    Candidate {
        name: name.unwrap_or_else(|| "StateMachine".into()),
        label: None,
        span: root.span,
        form: Form::Written(definition),
        substitutions: None,
        workflow: root.get("type"),
        is_cloudformation: false,
    }
}

fn in_terraform(root: &Node) -> Vec<Candidate<'_>> {
    let mut candidates = Vec::new();
    for section in ["values", "planned_values"] {
        if let Some(module) = root.path(&[section, "root_module"]) {
            in_module(module, 0, &mut candidates);
        }
        if !candidates.is_empty() {
            return candidates;
        }
    }
    // A Terraform state file has a list of resources with instances.
    for resource in items(root.get("resources")) {
        if is_machine(resource) {
            for instance in items(resource.get("instances")) {
                candidates.extend(terraformed(resource, instance.get("attributes")));
            }
        }
    }
    candidates
}

fn in_module<'n>(module: &'n Node, depth: usize, candidates: &mut Vec<Candidate<'n>>) {
    for resource in items(module.get("resources")) {
        if is_machine(resource) {
            candidates.extend(terraformed(resource, resource.get("values")));
        }
    }
    if depth < MAX_MODULES {
        for child in items(module.get("child_modules")) {
            in_module(child, depth + 1, candidates);
        }
    }
}

fn items(node: Option<&Node>) -> &[Node] {
    node.and_then(Node::items).unwrap_or_default()
}

fn is_machine(resource: &Node) -> bool {
    let managed = resource.get("mode").and_then(Node::as_str) != Some("data");
    managed && resource.get("type").and_then(Node::as_str) == Some("aws_sfn_state_machine")
}

fn terraformed<'n>(resource: &'n Node, values: Option<&'n Node>) -> Option<Candidate<'n>> {
    let values = values?;
    let name = text(resource.get("address")).or_else(|| text(resource.get("name")))?;
    let definition = values.get("definition").filter(|node| !node.is_null());
    Some(Candidate {
        name,
        label: text(values.get("name")),
        span: resource.span,
        form: definition.map_or(Form::Missing, Form::Written),
        substitutions: None,
        workflow: values.get("type"),
        is_cloudformation: false,
    })
}

/// The CloudFormation transform that removes members whose value is null.
const EXTENSIONS: &str = "AWS::LanguageExtensions";

/// Returns a diagnostic for each member of a definition whose value is null, if CloudFormation would remove or reject
/// such members.
pub(super) fn lost(root: &Node, candidate: &Candidate<'_>, definition: &Node) -> Diagnostics {
    let transform = root.get("Transform");
    let is = |node: &Node| node.as_str() == Some(EXTENSIONS);
    let drops = transform
        .is_some_and(|node| is(node) || node.items().is_some_and(|all| all.iter().any(is)));
    if !candidate.is_cloudformation && !drops {
        return Vec::new();
    }
    let mut waiting = vec![definition];
    let mut diagnostics = Vec::new();
    while let Some(node) = waiting.pop() {
        let members = node.members().unwrap_or_default();
        let nulls = members.iter().filter(|member| member.value.is_null());
        diagnostics.extend(nulls.map(|member| finding(member, drops)));
        waiting.extend(members.iter().map(|member| &member.value));
        waiting.extend(node.items().unwrap_or_default());
    }
    diagnostics.sort_by_key(|finding| finding.span.map(|span| span.start));
    diagnostics
}

fn finding(member: &Member, drops: bool) -> Diagnostic {
    let name = &member.key.text;
    let help = match &**name {
        "ResultPath" => {
            "write the definition in DefinitionString or DefinitionUri, where null is kept, or write \"ResultPath\": \"$.result\" to keep the input beside the result"
        }
        _ => "write the definition in DefinitionString or DefinitionUri, where null is kept",
    };
    let code = "NULL_IN_TEMPLATE";
    let diagnostic = if drops {
        let message = format!(
            "{EXTENSIONS} removes {name}, because its value is null, so AWS reads the definition without this field"
        );
        Diagnostic::warning(code, 0, message)
    } else {
        let message = format!(
            "{name} is null, which CloudFormation rejects: 'null' values are not allowed in templates"
        );
        Diagnostic::error(code, 0, message)
    };
    diagnostic.at(member.value.span, "").help(help)
}
