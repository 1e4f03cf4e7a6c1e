//! Finds null values in a definition that is written as an object in a CloudFormation template. They do not reach Step
//! Functions.

use super::find::Candidate;
use crate::source::{Diagnostic, Diagnostics, Member, Node};

/// The CloudFormation transform that removes members whose value is null.
const EXTENSIONS: &str = "AWS::LanguageExtensions";

/// Returns a diagnostic for each null member of a definition, if CloudFormation drops or refuses it.
pub(super) fn lost(root: &Node, candidate: &Candidate<'_>, definition: &Node) -> Diagnostics {
    let transform = root.get("Transform");
    let is = |node: &Node| node.as_str() == Some(EXTENSIONS);
    let drops =
        transform.is_some_and(|one| is(one) || one.items().is_some_and(|all| all.iter().any(is)));
    if !candidate.is_cloudformation && !drops {
        return Vec::new();
    }
    let mut waiting = vec![definition];
    let mut found = Vec::new();
    while let Some(node) = waiting.pop() {
        let members = node.members().unwrap_or_default();
        let nulls = members.iter().filter(|member| member.value.is_null());
        found.extend(nulls.map(|member| finding(member, drops)));
        waiting.extend(members.iter().map(|member| &member.value));
        waiting.extend(node.items().unwrap_or_default());
    }
    found.sort_by_key(|one| one.span.map(|span| span.start));
    found
}

fn finding(member: &Member, drops: bool) -> Diagnostic {
    let name = &member.key.text;
    let other = match &**name {
        "ResultPath" => ", or keep the input beside the result: \"ResultPath\": \"$.result\"",
        _ => "",
    };
    let found = match drops {
        true => Diagnostic::warning(
            "NULL_IN_TEMPLATE",
            0,
            format!(
                "{EXTENSIONS} removes {name}, which is null: AWS takes the definition as if it was not written"
            ),
        ),
        false => Diagnostic::error(
            "NULL_IN_TEMPLATE",
            0,
            format!(
                "{name} is null, and CloudFormation refuses that: 'null' values are not allowed in templates"
            ),
        ),
    };
    let help = format!(
        "write the definition in DefinitionString or DefinitionUri, where null is kept{other}"
    );
    found.at(member.value.span, "").help(help)
}
