//! The paths and calls of a state in JSONPath: every string that is evaluated.
//!
//! It must not know what they select.

use super::StateAt;
use crate::definition::field::{self, FieldSpec};
use crate::definition::lower::last_members;
use crate::query::Expression;
use crate::source::{Member, Node, NodeKind};
use std::rc::Rc;

/// A string that is evaluated.
pub(super) struct Evaluated<'d> {
    /// The state's field that it stands in, at any depth.
    pub(super) field: &'d str,
    /// The member whose value it is.
    pub(super) member: &'d Member,
    pub(super) location: String,
    pub(super) expression: Expression,
}

/// A member that is still to be looked at.
struct Waiting<'d> {
    field: Option<&'d str>,
    member: &'d Member,
    /// Where the object stands that it is a member of.
    within: Rc<str>,
    template: bool,
}

impl Waiting<'_> {
    fn location(&self) -> String {
        format!("{}/{}", self.within, self.member.key.text)
    }
}

/// Every string of a state that is evaluated and can be read.
pub(super) fn evaluated<'d>(at: StateAt<'d>) -> Vec<Evaluated<'d>> {
    let mut found = Vec::new();
    let mut waiting = Vec::new();
    below(&mut waiting, at.node, None, &at.state.location, false);
    while let Some(one) = waiting.pop() {
        let name = &*one.member.key.text;
        if !one.template && field::is_any(name, FieldSpec::is_unread) {
            continue;
        }
        let field = one.field.unwrap_or(name);
        let own = !one.template && (name.ends_with("Path") || name == "Variable");
        let template = one.template || field::is_any(name, FieldSpec::is_template);
        match &one.member.value.kind {
            NodeKind::String(string) if own || name.ends_with(".$") => {
                if let Ok(expression) = Expression::parse(&string.text) {
                    found.push(Evaluated {
                        field,
                        member: one.member,
                        location: one.location(),
                        expression,
                    });
                }
            }
            NodeKind::Object(_) => below(
                &mut waiting,
                &one.member.value,
                Some(field),
                &one.location(),
                template,
            ),
            NodeKind::Array(_) => {
                let mut arrays = vec![(&one.member.value, one.location())];
                while let Some((array, location)) = arrays.pop() {
                    for (index, item) in array.items().unwrap_or_default().iter().enumerate() {
                        let location = format!("{location}[{index}]");
                        match item.kind {
                            NodeKind::Array(_) => arrays.push((item, location)),
                            _ => below(&mut waiting, item, Some(field), &location, template),
                        }
                    }
                }
            }
            _ => {}
        }
    }
    found
}

/// The members of an object wait, too.
fn below<'d>(
    waiting: &mut Vec<Waiting<'d>>,
    node: &'d Node,
    field: Option<&'d str>,
    location: &str,
    template: bool,
) {
    let members = last_members(node);
    if members.is_empty() {
        return;
    }
    let within: Rc<str> = location.into();
    waiting.extend(members.into_iter().map(|member| Waiting {
        field,
        member,
        within: Rc::clone(&within),
        template,
    }));
}
