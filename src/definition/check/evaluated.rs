//! Finds every string that a state in JSONPath evaluates, with its path or call.

use super::StateAt;
use super::facts::Evaluated;
use super::located::Located;
use crate::definition::field::{self, FieldSpec};
use crate::definition::lower::last_members;
use crate::query::Expression;
use crate::source::{Member, Node};

impl<'d> StateAt<'d> {
    /// The paths and intrinsic calls of a state in JSONPath.
    pub(super) fn evaluated(&self) -> &'d [Evaluated<'d>] {
        self.facts.evaluated.get_or_init(|| evaluated(*self))
    }
}

/// A step from a value to one inside it.
#[derive(Clone, Copy)]
enum Step<'d> {
    Member(&'d Member),
    Item(usize),
}

/// A value inside a state's object.
#[derive(Clone, Copy)]
struct Visited<'d> {
    /// Number of steps that lead to the enclosing value.
    depth: usize,
    step: Step<'d>,
    node: &'d Node,
    /// The member that has this value; for an array item, the member that has the array.
    member: &'d Member,
    field: &'d str,
    is_template: bool,
}

/// Returns every string of a state that is evaluated and parses. Locations are only built for these.
pub(super) fn evaluated(at: StateAt<'_>) -> Vec<Evaluated<'_>> {
    let mut found = Vec::new();
    let fields = last_members(at.node).into_iter();
    let fields = fields.map(|member| Visited {
        depth: 0,
        step: Step::Member(member),
        node: &member.value,
        member,
        field: &member.key.text,
        is_template: false,
    });
    let mut waiting: Vec<Visited<'_>> = fields.collect();
    let mut steps: Vec<Step<'_>> = Vec::new();
    while let Some(visited) = waiting.pop() {
        let Visited { node, member, .. } = visited;
        steps.truncate(visited.depth);
        steps.push(visited.step);
        let name = &*member.key.text;
        if !visited.is_template && field::is_any(name, FieldSpec::is_unread) {
            continue;
        }
        let is_own = !visited.is_template && (name.ends_with("Path") || name == "Variable");
        let is_template = visited.is_template || field::is_any(name, FieldSpec::is_template);
        if let Some(text) = node.as_str() {
            // An array item has no field name of its own, so it is not evaluated.
            let is_item = matches!(visited.step, Step::Item(_));
            if (is_own || name.ends_with(".$"))
                && !is_item
                && let Ok(expression) = Expression::parse(text)
            {
                found.push(Evaluated {
                    field: visited.field,
                    place: Located {
                        node,
                        member: Some(member),
                        location: location(&at.state.location, &steps),
                    },
                    expression,
                });
            }
            continue;
        }
        let inside = |step, node, member| Visited {
            depth: visited.depth + 1,
            step,
            node,
            member,
            field: visited.field,
            is_template,
        };
        match node.items() {
            Some(items) => {
                let items = items.iter().enumerate();
                waiting.extend(items.map(|(place, node)| inside(Step::Item(place), node, member)));
            }
            None => waiting.extend(
                last_members(node)
                    .into_iter()
                    .map(|member| inside(Step::Member(member), &member.value, member)),
            ),
        }
    }
    found
}

/// A location in the form that AWS prints: `/States/Pay/Parameters/items[0]/id.$`.
fn location(state: &str, steps: &[Step<'_>]) -> String {
    let mut location = state.to_owned();
    for step in steps {
        match step {
            Step::Member(member) => {
                location.push('/');
                location.push_str(&member.key.text);
            }
            Step::Item(place) => location.push_str(&format!("[{place}]")),
        }
    }
    location
}
