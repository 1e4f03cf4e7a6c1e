//! Finds expressions that return an array for several results, but a single result without an array.

use super::depth::with_stack;
use super::tree::{Form, Node, Operator, Stage, Step};

/// Functions that return a single result without an array.
const FUNCTIONS: [(&str, &str); 5] = [
    ("map", "$map"),
    ("filter", "$filter"),
    ("each", "$each"),
    ("keys", "$keys"),
    ("match", "$match"),
];

/// The construct that returns a single result without an array, such as `a filter` or `$map`; `None` if an array stays
/// an array or if this is not known statically.
pub(super) fn single(node: &Node) -> Option<&'static str> {
    with_stack(|| match &node.form {
        Form::Path(steps) => single_path(steps),
        // `$distinct` of a sequence returns a sequence, so a single result has no array.
        Form::Function {
            name, arguments, ..
        } if name == "distinct" => single(arguments.first()?),
        Form::Function { name, .. } => {
            let known = FUNCTIONS.iter().find(|(own, _)| own == name)?;
            Some(known.1)
        }
        Form::Binary(Operator::Chain, lhs, rhs) if is_distinct(rhs) => single(lhs),
        Form::Binary(Operator::Chain | Operator::Bind, _, rhs) => single(rhs),
        Form::Conditional {
            then, otherwise, ..
        } => single(then).or_else(|| single(otherwise.as_deref()?)),
        Form::Block(items) => single(items.last()?),
        Form::Sort(input, _) => single(input),
        Form::Wildcard | Form::Descendants => Some("a wildcard"),
        _ => None,
    })
}

/// True for a call of `$distinct`, also if its argument is passed with `~>`.
fn is_distinct(node: &Node) -> bool {
    match &node.form {
        Form::Function {
            name, arguments, ..
        } => name == "distinct" && arguments.is_empty(),
        _ => node.variable() == Some("distinct"),
    }
}

fn single_path(steps: &[Step]) -> Option<&'static str> {
    let keeps = |step: &Step| {
        step.keeps_array() || matches!(step.node.form, Form::Array(_) | Form::ArrayStep(_))
    };
    if steps.iter().any(keeps) {
        return None;
    }
    steps.iter().enumerate().find_map(|(place, step)| {
        let filters = step
            .stages
            .iter()
            .any(|stage| matches!(stage, Stage::Filter(predicate) if !is_position(predicate)));
        if filters {
            return Some("a filter");
        }
        match (&step.node.form, place) {
            (_, 0) => single(&step.node),
            (Form::Wildcard | Form::Descendants, _) => Some("a wildcard"),
            (Form::Object(_) | Form::Block(_) | Form::Call(..) | Form::Function { .. }, _) => {
                Some("a map")
            }
            _ => None,
        }
    })
}

/// True if the predicate is a position, which is meant to select a single value.
fn is_position(predicate: &Node) -> bool {
    match &predicate.form {
        Form::Number(_) => true,
        Form::Negate(operand) => is_position(operand),
        // Probably an index: a flag to filter by would be a member of the item.
        Form::Variable(_) => true,
        Form::Path(steps) => {
            let first = steps.first();
            first.is_some_and(|first| first.node.variable().is_some())
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::Tree;
    use super::*;

    #[test]
    fn what_gives_one_result_bare() {
        for (text, wanted) in [
            ("$states.input.orders", None),
            ("$states.input.orders[status = 'open']", Some("a filter")),
            ("$states.input.orders[status = 'open'][]", None),
            ("[$states.input.orders[status = 'open']]", None),
            ("$states.input.orders[0]", None),
            ("$states.input.orders[-1]", None),
            ("$states.input.orders[$states.context.Map.Item.Index]", None),
            ("$states.input.orders[$i].id", None),
            ("$states.input.orders[open].id", Some("a filter")),
            ("$states.input.orders.{'id': id}", Some("a map")),
            ("$states.input.orders.(id & 'x')", Some("a map")),
            (
                "$map($states.input.orders, function($o) { $o.id })",
                Some("$map"),
            ),
            ("$o ~> $filter(function($o) { $o.open })", Some("$filter")),
            ("$x ? $orders[open] : []", Some("a filter")),
            ("($o := $orders[open]; $o)", None),
            ("$orders[open] ~> $append([])", None),
            ("$states.input.*", Some("a wildcard")),
            ("$sort($orders)", None),
            ("$sort($orders[open])", None),
            ("$distinct($orders[open].customer)", Some("a filter")),
            ("$orders.{'id': id} ~> $distinct()", Some("a map")),
            ("$distinct($orders)", None),
            ("$orders[open]^(price)", Some("a filter")),
            ("orders[", None),
        ] {
            let tree = Tree::parse(text).ok();
            let found = tree.as_ref().and_then(|tree| single(tree.root()));
            assert_eq!(found, wanted, "{text}");
        }
    }
}
