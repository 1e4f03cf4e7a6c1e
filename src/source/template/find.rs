//! Finds the state machines in a document and the form in which each is given.

use crate::json::Text;
use crate::source::{Member, Node, Span};

/// The kind of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentKind {
    /// A definition, or something that is treated as one.
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
    /// None of these.
    Other,
}

/// A state machine in a document.
#[derive(Clone, Debug)]
pub struct Candidate<'n> {
    /// Name in the document.
    pub name: Text,
    /// The machine's own name in its properties, if different.
    pub label: Option<Text>,
    /// Span of the machine's properties.
    pub span: Span,
    /// The form in which the definition is given.
    pub form: Form<'n>,
    /// Values of the definition's placeholders.
    pub substitutions: Option<&'n Node>,
    /// Workflow type (STANDARD or EXPRESS), if it is specified.
    pub workflow: Option<&'n Node>,
    /// True for AWS::StepFunctions::StateMachine, which CloudFormation reads without SAM.
    pub is_cloudformation: bool,
}

/// The form in which a definition is given.
#[derive(Clone, Copy, Debug)]
pub enum Form<'n> {
    /// An object, a text, or a function that returns one of these.
    Written(&'n Node),
    /// In a separate file.
    File(&'n Node),
    /// It is missing.
    Missing,
}

/// Maximum depth to which nested Terraform modules are searched.
const MAX_MODULES: usize = 32;

/// The kind of a document, and its state machines in the order of the document.
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
    if let Some(body) = root
        .get("TemplateBody")
        .filter(|body| body.members().is_some())
    {
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
            .any(|resource| resource.value.get("Type").is_some())
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
    let mut found = Vec::new();
    for resource in resources {
        let kind = resource.value.get("Type").and_then(Node::as_str);
        let serverless = match kind {
            Some("AWS::Serverless::StateMachine") => true,
            Some("AWS::StepFunctions::StateMachine") => false,
            _ => continue,
        };
        let properties = resource.value.get("Properties");
        let get = |name: &str| properties.and_then(|properties| properties.get(name));
        let written = get("Definition").or_else(|| get("DefinitionString"));
        let file = get("DefinitionUri").or_else(|| get("DefinitionS3Location"));
        let label = text(get(if serverless {
            "Name"
        } else {
            "StateMachineName"
        }));
        found.push(Candidate {
            name: resource.key.text.clone(),
            label,
            span: resource.value.span,
            form: match (written, file) {
                (Some(node), _) => Form::Written(node),
                (None, Some(node)) => Form::File(node),
                (None, None) => Form::Missing,
            },
            substitutions: get("DefinitionSubstitutions"),
            workflow: get(if serverless {
                "Type"
            } else {
                "StateMachineType"
            }),
            is_cloudformation: !serverless,
        });
    }
    found
}

fn in_serverless(root: &Node) -> Vec<Candidate<'_>> {
    let machines = root
        .get("stepFunctions")
        .and_then(|section| section.get("stateMachines"))
        .and_then(Node::members)
        .unwrap_or_default();
    let mut found: Vec<Candidate<'_>> = machines
        .iter()
        .map(|machine| Candidate {
            name: machine.key.text.clone(),
            label: text(machine.value.get("name")),
            span: machine.value.span,
            form: machine
                .value
                .get("definition")
                .map_or(Form::Missing, Form::Written),
            substitutions: machine.value.get("definitionSubstitutions"),
            workflow: machine.value.get("type"),
            is_cloudformation: false,
        })
        .collect();
    let resources = root
        .get("resources")
        .and_then(|section| section.get("Resources"))
        .and_then(Node::members);
    found.extend(in_resources(resources.unwrap_or_default()));
    found
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
    let mut found = Vec::new();
    for section in ["values", "planned_values"] {
        if let Some(module) = root
            .get(section)
            .and_then(|values| values.get("root_module"))
        {
            in_module(module, 0, &mut found);
        }
        if !found.is_empty() {
            return found;
        }
    }
    // A state file: a list of resources with instances.
    for resource in items(root.get("resources")) {
        if is_machine(resource) {
            for instance in items(resource.get("instances")) {
                found.extend(terraformed(resource, instance.get("attributes")));
            }
        }
    }
    found
}

fn in_module<'n>(module: &'n Node, depth: usize, found: &mut Vec<Candidate<'n>>) {
    for resource in items(module.get("resources")) {
        if is_machine(resource) {
            found.extend(terraformed(resource, resource.get("values")));
        }
    }
    if depth < MAX_MODULES {
        for child in items(module.get("child_modules")) {
            in_module(child, depth + 1, found);
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
    Some(Candidate {
        name,
        label: text(values.get("name")),
        span: resource.span,
        form: values
            .get("definition")
            .filter(|definition| !definition.is_null())
            .map_or(Form::Missing, Form::Written),
        substitutions: None,
        workflow: values.get("type"),
        is_cloudformation: false,
    })
}
