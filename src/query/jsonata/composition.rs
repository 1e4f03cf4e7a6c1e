//! Determines the composition of an expression's value without evaluating the expression: which parts of the state's
//! input and result the value contains, and whether it is one value or an array of several.

use super::limit::with_stack;
use super::tree::{Form, Node, Operator, Stage, Step as PathStep, Tree};
use crate::json::{Step, Text};

/// The composition of an expression's value, as far as it is known without evaluating the expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Made {
    /// A value of which nothing is known.
    Anything,
    /// A value that is neither an object nor an array; nothing else is known.
    Scalar,
    /// The part of `$states.input` at this path of names.
    Input(Vec<Text>),
    /// The part of `$states.result` at this path of names.
    Result(Vec<Text>),
    /// The part of the caught error at this path of names.
    Error(Vec<Text>),
    /// The part of the Map's current item (`$states.context.Map.Item.Value`) at this path of names.
    Item(Vec<Text>),
    /// The part of a variable of the state machine at this path of names.
    Variable(Text, Vec<Text>),
    /// An object with at most these members.
    Object(Vec<(Text, Made)>),
    /// One object merged from all of these; members of later objects overwrite members of earlier ones.
    Merged(Vec<Made>),
    /// A value with one of these compositions; the data decide which.
    Either(Vec<Made>),
    /// An array of these items.
    Items(Vec<Made>),
    /// Several values of this composition, in an array; a single value is not put in an array. The text names the
    /// construct that makes them, such as `a filter` or `$map`.
    Each(&'static str, Box<Made>),
}

impl Tree {
    /// Returns the composition of the expression's value. Parts of which nothing is known are [`Made::Anything`].
    #[must_use]
    pub fn made(&self) -> Made {
        let mut left = MOST_NODES;
        of_node(self.root(), &[], &mut left)
    }
}

impl Made {
    /// True if the expression itself writes a member `name` of the value, at least in one of several alternatives.
    #[must_use]
    pub fn writes(&self, name: &str) -> bool {
        match self {
            Self::Object(members) => members.iter().any(|(key, _)| **key == *name),
            Self::Merged(parts) | Self::Either(parts) => parts.iter().any(|part| part.writes(name)),
            _ => false,
        }
    }

    /// True if the value certainly contains nothing at this path.
    #[must_use]
    pub fn lacks(&self, at: &[Step]) -> bool {
        let Some((step, rest)) = at.split_first() else {
            return false;
        };
        match (self, step) {
            (
                Self::Anything
                | Self::Input(_)
                | Self::Result(_)
                | Self::Error(_)
                | Self::Item(_)
                | Self::Variable(..),
                _,
            ) => false,
            (Self::Scalar, _) => true,
            (Self::Object(members), Step::Member(name)) => {
                let mut same_name = members.iter().filter(|(key, _)| key == name);
                same_name.all(|(_, value)| value.lacks(rest))
            }
            (Self::Merged(parts), Step::Member(_)) | (Self::Either(parts), _) => {
                parts.iter().all(|part| part.lacks(at))
            }
            (Self::Items(items), Step::Item(_)) => items.iter().all(|item| item.lacks(rest)),
            (Self::Each(_, value), Step::Item(_)) => value.lacks(rest),
            (Self::Each(_, value), Step::Member(_)) => value.lacks(at),
            (Self::Object(_) | Self::Merged(_), Step::Item(_))
            | (Self::Items(_), Step::Member(_)) => false,
        }
    }
}

/// Maximum number of nodes that are examined. A limit is needed because variables can be built from variables
/// repeatedly.
const MOST_NODES: usize = 1_000;

/// A name that an enclosing block or function binds, and the node that gives its value; `None` if the value is not
/// known.
type Bound<'t> = (&'t str, Option<&'t Node>);

fn of_node<'t>(node: &'t Node, bound: &[Bound<'t>], left: &mut usize) -> Made {
    if *left == 0 {
        return Made::Anything;
    }
    *left -= 1;
    with_stack(|| match &node.form {
        Form::Path(steps) => of_path(node, steps, bound, left),
        Form::Object(pairs) => {
            let mut members = Vec::new();
            for (key, value) in pairs {
                // A computed key can be any name.
                let Form::Text(name) = &key.form else {
                    return Made::Anything;
                };
                members.push((name.as_str().into(), of_node(value, bound, left)));
            }
            Made::Object(members)
        }
        Form::Array(items) => Made::Items(all(items, bound, left)),
        Form::Block(items) => {
            let Some((last, before)) = items.split_last() else {
                return Made::Anything;
            };
            let mut bound = bound.to_vec();
            for item in before {
                match binding(item) {
                    Some((name, value)) => {
                        bound.extend(value.bound().into_iter().map(|name| (name, None)));
                        bound.push((name, Some(value)));
                    }
                    None => bound.extend(item.bound().into_iter().map(|name| (name, None))),
                }
            }
            of_node(last, &bound, left)
        }
        Form::Variable(name) => {
            let mut known = bound.iter().enumerate().rev();
            match known.find(|(_, (key, _))| key == name) {
                // The variable's value can only refer to names that were bound before it.
                Some((place, (_, Some(value)))) => {
                    of_node(value, bound.get(..place).unwrap_or(&[]), left)
                }
                None if !name.is_empty() => Made::Variable(name.as_str().into(), Vec::new()),
                _ => Made::Anything,
            }
        }
        Form::Function {
            name, arguments, ..
        } => match (name.as_str(), arguments.last().map(|node| &node.form)) {
            ("merge", Some(Form::Array(parts))) if arguments.len() == 1 => {
                Made::Merged(all(parts, bound, left))
            }
            (
                "map",
                Some(Form::Lambda {
                    parameters, body, ..
                }),
            ) if arguments.len() == 2 => {
                let mut bound = bound.to_vec();
                bound.extend(parameters.iter().map(|name| (name.as_str(), None)));
                Made::Each("$map", Box::new(of_node(body, &bound, left)))
            }
            _ => sequence(node),
        },
        Form::Conditional {
            then, otherwise, ..
        } if single(node).is_none() => {
            let ways = std::iter::once(&**then).chain(otherwise.as_deref());
            Made::Either(ways.map(|way| of_node(way, bound, left)).collect())
        }
        Form::Text(_) | Form::Number(_) | Form::Bool(_) | Form::Null | Form::Negate(_) => {
            Made::Scalar
        }
        Form::Binary(op, ..) if is_scalar(*op) => Made::Scalar,
        _ => sequence(node),
    })
}

/// Returns [`Made::Each`] if the node puts several values in an array but leaves a single one as it is; otherwise
/// [`Made::Anything`]. Does not determine what the values are.
fn sequence(node: &Node) -> Made {
    single(node).map_or(Made::Anything, |construct| {
        Made::Each(construct, Box::new(Made::Anything))
    })
}

fn all<'t>(nodes: &'t [Node], bound: &[Bound<'t>], left: &mut usize) -> Vec<Made> {
    let nodes = nodes.iter();
    nodes.map(|node| of_node(node, bound, left)).collect()
}

/// The composition of a path's value. Two kinds of paths are examined in detail: a variable followed by plain names,
/// and a path that builds an object for each item.
fn of_path<'t>(
    node: &'t Node,
    steps: &'t [PathStep],
    bound: &[Bound<'t>],
    left: &mut usize,
) -> Made {
    let Some((first, rest)) = steps.split_first() else {
        return Made::Anything;
    };
    if rest.is_empty() {
        return match first.is_plain() {
            true => of_node(&first.node, bound, left),
            false => sequence(node),
        };
    }
    let names: Option<Vec<&str>> = rest
        .iter()
        .map(|step| match &step.node.form {
            Form::Name(name) => Some(name.as_str()),
            _ => None,
        })
        .collect();
    let is_plain = steps.iter().all(PathStep::is_plain);
    match (first.node.variable(), names, rest.last()) {
        (Some("states"), Some(names), _) if is_plain => {
            let (member, below) = names
                .split_first()
                .map_or(("", &[][..]), |(member, below)| (*member, below));
            if let ("context", ["Map", "Item", "Value", below @ ..]) = (member, below) {
                return Made::Item(below.iter().map(|name| (*name).into()).collect());
            }
            let below = below.iter().map(|name| (*name).into()).collect();
            match member {
                "input" => Made::Input(below),
                "result" => Made::Result(below),
                "errorOutput" => Made::Error(below),
                _ => Made::Anything,
            }
        }
        (Some(variable), Some(names), _)
            if is_plain
                && !variable.is_empty()
                && bound.iter().all(|(key, _)| *key != variable) =>
        {
            let names = names.into_iter().map(Text::from).collect();
            Made::Variable(variable.into(), names)
        }
        (_, _, Some(last)) if last.stages.is_empty() && makes_object(&last.node) => {
            // The values bound by `@` and `#` are unknown.
            let names = steps.iter().flat_map(|step| [&step.focus, &step.index]);
            let mut bound = bound.to_vec();
            bound.extend(names.flatten().map(|name| (name.as_str(), None)));
            Made::Each("a map", Box::new(of_node(&last.node, &bound, left)))
        }
        _ => sequence(node),
    }
}

fn makes_object(node: &Node) -> bool {
    match &node.form {
        Form::Object(_) => true,
        Form::Block(items) => matches!(items.as_slice(), [only] if makes_object(only)),
        _ => false,
    }
}

fn binding(node: &Node) -> Option<(&str, &Node)> {
    match &node.form {
        Form::Binary(Operator::Bind, left, right) => Some((left.variable()?, right)),
        _ => None,
    }
}

/// True if the operator's result is neither an object nor an array.
fn is_scalar(operator: Operator) -> bool {
    !matches!(
        operator,
        Operator::Range | Operator::Bind | Operator::Coalesce | Operator::Default | Operator::Chain
    )
}

/// Functions that return several results in an array, but a single result without an array. Each entry is a function's
/// name, and the name as messages write it.
const FUNCTIONS: [(&str, &str); 5] = [
    ("map", "$map"),
    ("filter", "$filter"),
    ("each", "$each"),
    ("keys", "$keys"),
    ("match", "$match"),
];

/// Returns the name of the construct, such as `a filter` or `$map`, by which `node` returns several results in an array
/// but a single result without an array. `None` if `node` does not do this, or if it is not known.
pub(super) fn single(node: &Node) -> Option<&'static str> {
    with_stack(|| match &node.form {
        Form::Path(steps) => single_path(steps),
        // `$distinct` returns a single result without an array if its argument does so.
        Form::Function {
            name, arguments, ..
        } if name == "distinct" => single(arguments.first()?),
        Form::Function { name, .. } => {
            let known = FUNCTIONS.iter().find(|(key, _)| key == name)?;
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

/// True if `node`, as the right operand of `~>`, calls `$distinct`. It is then written as `$distinct()` or `$distinct`.
fn is_distinct(node: &Node) -> bool {
    match &node.form {
        Form::Function {
            name, arguments, ..
        } => name == "distinct" && arguments.is_empty(),
        _ => node.variable() == Some("distinct"),
    }
}

fn single_path(steps: &[PathStep]) -> Option<&'static str> {
    let keeps = |step: &PathStep| {
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

/// True if the predicate is an index, which selects only one value.
fn is_position(predicate: &Node) -> bool {
    match &predicate.form {
        Form::Number(_) => true,
        Form::Negate(operand) => is_position(operand),
        // A variable as a predicate is probably an index, because a condition would read a member of the item.
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

    fn made(text: &str) -> Made {
        Tree::parse(text).map_or(Made::Anything, |tree| tree.made())
    }

    #[test]
    fn what_the_text_tells() {
        let shown = |text: &str| show(&made(text));
        for (text, wanted) in [
            ("$states.input", "input"),
            ("($states.input.order)", "input.order"),
            ("$states.input.orders[0]", "?"),
            ("$states.input.orders[paid]", "a filter of ?"),
            ("$total.sum", "$total.sum"),
            ("$states.result", "result"),
            ("$states.errorOutput.Cause", "error.Cause"),
            ("$states.context.Execution", "?"),
            ("$states.context.Map.Item.Value.id", "item.id"),
            ("{'a': 1, 'b': $states.input.b}", "{a: scalar, b: input.b}"),
            ("{$key: 1}", "?"),
            (
                "$merge([$states.input, {'a': {'b': 2}}])",
                "merge(input, {a: {b: scalar}})",
            ),
            ("$merge($x)", "?"),
            ("$x > 1 ? {'a': 1} : $states.input", "{a: scalar} | input"),
            ("($x := 1; {'a': $x})", "{a: scalar}"),
            ("($x := 1; $y ? $x := {'b': 1}; {'a': $x})", "{a: ?}"),
            ("$map($l, function($v) { {'id': $v} })", "$map of {id: ?}"),
            ("$states.input.items.{'id': id}", "a map of {id: ?}"),
            ("[{'a': 1}, $x]", "[{a: scalar}, $x]"),
            ("{'a'", "?"),
        ] {
            assert_eq!(shown(text), wanted, "{text}");
        }
    }

    #[test]
    fn what_an_object_leaves_out() {
        let member = |name: &str| Step::Member(name.into());
        let (total, id) = (member("total"), member("id"));
        for (text, at, wanted) in [
            ("{'id': $x}", vec![total.clone()], true),
            ("{'id': $x}", vec![id.clone()], false),
            ("{'id': $x}", vec![id.clone(), total.clone()], false),
            ("{'id': 'a'}", vec![id.clone(), total.clone()], true),
            ("{'id': {'n': 1}}", vec![id.clone(), total.clone()], true),
            ("{$k: 1}", vec![total.clone()], false),
            ("$merge([{'id': 1}, {'n': 2}])", vec![total.clone()], true),
            (
                "$merge([$states.input, {'n': 2}])",
                vec![total.clone()],
                false,
            ),
            ("$merge($list)", vec![total.clone()], false),
            ("$a ? {'id': 1} : {'n': 1}", vec![total.clone()], true),
            ("$a ? {'id': 1} : $o", vec![total.clone()], false),
            ("($o := {'id': 1}; $o)", vec![total.clone()], true),
            ("($o := $x; {'id': $o})", vec![total.clone()], true),
            ("($o := $o; $o)", vec![total.clone()], false),
            (
                "$states.input.items.{'id': id}",
                vec![Step::Item(0), total.clone()],
                true,
            ),
            (
                "$states.input.items.{'id': id}",
                vec![Step::Item(0), id.clone()],
                false,
            ),
            (
                "$map($l, function($v) { {'id': $v.id} })",
                vec![Step::Item(1), total.clone()],
                true,
            ),
            (
                "$states.input.items",
                vec![Step::Item(0), total.clone()],
                false,
            ),
            ("$states.input", vec![total.clone()], false),
            ("$a & 'x'", vec![total.clone()], true),
            ("{'id': $x}", vec![], false),
        ] {
            assert_eq!(made(text).lacks(&at), wanted, "{text} {at:?}");
        }
    }
    fn path(names: &[Text]) -> String {
        names.iter().map(|name| format!(".{name}")).collect()
    }

    fn show(made: &Made) -> String {
        let all =
            |parts: &[Made], between| parts.iter().map(show).collect::<Vec<_>>().join(between);
        match made {
            Made::Anything => "?".to_string(),
            Made::Scalar => "scalar".to_string(),
            Made::Items(items) => format!("[{}]", all(items, ", ")),
            Made::Each(construct, made) => format!("{construct} of {}", show(made)),
            Made::Variable(name, names) => format!("${name}{}", path(names)),
            Made::Input(names) => format!("input{}", path(names)),
            Made::Error(names) => format!("error{}", path(names)),
            Made::Item(names) => format!("item{}", path(names)),
            Made::Result(names) => format!("result{}", path(names)),
            Made::Object(members) => {
                let members = members.iter();
                let members = members.map(|(name, made)| format!("{name}: {}", show(made)));
                format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
            }
            Made::Merged(parts) => format!("merge({})", all(parts, ", ")),
            Made::Either(ways) => all(ways, " | "),
        }
    }

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
            let is_single = tree.as_ref().and_then(|tree| single(tree.root()));
            assert_eq!(is_single, wanted, "{text}");
        }
    }
}
