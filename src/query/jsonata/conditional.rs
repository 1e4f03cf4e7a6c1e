//! The part of an expression that gives a place of its value: through blocks and objects to the conditional or the `$merge`
//! that decides there, its condition and its two ways, or the objects that it merges, each with its own text.
//!
//! It must not know what a condition gives.

use super::tree::{Form, Node, Tree};
use crate::json::Step;

/// A part of an expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Part<'t> {
    tree: &'t Tree,
    /// Its node.
    pub node: &'t Node,
    /// What the blocks around it bind, each with its semicolon.
    bound: String,
    /// The steps from its value down to the place.
    pub rest: Vec<Step>,
}

/// What a part is.
#[derive(Clone, Debug, PartialEq)]
pub enum Split<'t> {
    /// A conditional.
    Conditional(Box<Ways<'t>>),
    /// A `$merge` of these objects: the last one that has the member gives it.
    Merged(Vec<Part<'t>>),
    /// A text, a number, `true`, `false` or `null`.
    Literal,
    /// Anything else.
    Other,
}

/// The condition of a conditional and its two ways.
#[derive(Clone, Debug, PartialEq)]
pub struct Ways<'t> {
    /// The condition.
    pub condition: Part<'t>,
    /// What it gives where that is true.
    pub then: Part<'t>,
    /// What it gives where that is false: nothing, where none is written.
    pub otherwise: Option<Part<'t>>,
}

impl<'t> Part<'t> {
    /// A whole expression.
    #[must_use]
    pub fn of(tree: &'t Tree, rest: &[Step]) -> Self {
        Self {
            tree,
            node: tree.root(),
            bound: String::new(),
            rest: rest.to_vec(),
        }
    }

    /// As it is written.
    #[must_use]
    pub fn text(&self) -> &'t str {
        self.tree.text_of(self.node)
    }

    /// An expression that gives what it gives.
    #[must_use]
    pub fn expression(&self) -> String {
        self.with(self.text())
    }

    /// An expression of what is bound around it.
    #[must_use]
    pub fn with(&self, text: &str) -> String {
        match self.bound.is_empty() {
            true => text.to_owned(),
            false => format!("({}{text})", self.bound),
        }
    }

    /// The innermost part that still gives the place, and what it is.
    #[must_use]
    pub fn split(mut self) -> (Self, Split<'t>) {
        loop {
            match (&self.node.form, self.rest.split_first()) {
                (Form::Block(parts), _) => {
                    let Some((last, before)) = parts.split_last() else {
                        return (self, Split::Other);
                    };
                    for part in before {
                        self.bound += self.tree.text_of(part);
                        self.bound += "; ";
                    }
                    self.node = last;
                }
                (Form::Object(pairs), Some((Step::Member(name), rest))) => {
                    let is_it =
                        |key: &Node| matches!(&key.form, Form::Text(own) if **own == **name);
                    let Some((_, value)) = pairs.iter().find(|(key, _)| is_it(key)) else {
                        return (self, Split::Other);
                    };
                    (self.node, self.rest) = (value, rest.to_vec());
                }
                (Form::Conditional { .. }, _) => {
                    let split = self.ways();
                    return (self, split);
                }
                (
                    Form::Function {
                        name, arguments, ..
                    },
                    Some((Step::Member(_), _)),
                ) if name == "merge" => {
                    let split = match arguments.as_slice() {
                        [only] => self.merged(only),
                        _ => Split::Other,
                    };
                    return (self, split);
                }
                (Form::Text(_) | Form::Bool(_) | Form::Null, _) => return (self, Split::Literal),
                _ if self.node.number().is_some() => return (self, Split::Literal),
                _ => return (self, Split::Other),
            }
        }
    }

    fn ways(&self) -> Split<'t> {
        let Form::Conditional {
            condition,
            then,
            otherwise,
        } = &self.node.form
        else {
            return Split::Other;
        };
        Split::Conditional(Box::new(Ways {
            condition: self.sub(condition),
            then: self.sub(then),
            otherwise: otherwise.as_deref().map(|node| self.sub(node)),
        }))
    }

    /// The objects in the array of a `$merge`.
    fn merged(&self, list: &'t Node) -> Split<'t> {
        match &list.form {
            Form::Array(objects) => {
                Split::Merged(objects.iter().map(|node| self.sub(node)).collect())
            }
            _ => Split::Other,
        }
    }

    fn sub(&self, node: &'t Node) -> Self {
        Self {
            node,
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(part: Part<'_>) -> String {
        match part.split() {
            (part, Split::Literal) => part.expression(),
            (part, Split::Other) => format!("<{}>", part.expression()),
            (_, Split::Merged(parts)) => {
                let parts: Vec<String> = parts.into_iter().map(shown).collect();
                parts.join(" + ")
            }
            (_, Split::Conditional(ways)) => {
                let otherwise = ways.otherwise.map_or_else(|| "-".to_owned(), shown);
                let condition = ways.condition.expression();
                format!("{condition} ? {} : {otherwise}", shown(ways.then))
            }
        }
    }

    #[test]
    fn a_place_is_given_by_the_ways_of_a_conditional() {
        let member = |name: &str| vec![Step::Member(name.into())];
        for (text, rest, wanted) in [
            ("$a ? 'x' : 'y'", vec![], "$a ? 'x' : 'y'"),
            ("$a ? 1", vec![], "$a ? 1 : -"),
            ("$a = '?:' ? -1 : $b", vec![], "$a = '?:' ? -1 : <$b>"),
            (
                "$a ? 'x' : $b ? 'y' : 'z'",
                vec![],
                "$a ? 'x' : $b ? 'y' : 'z'",
            ),
            (
                "$a ? $b ? 'x' : 'y' : 'z'",
                vec![],
                "$a ? $b ? 'x' : 'y' : 'z'",
            ),
            (
                "($p := $a; $q := 1; $p > $q ? 'x' : ('y'))",
                vec![],
                "($p := $a; $q := 1; $p > $q) ? ($p := $a; $q := 1; 'x') : ($p := $a; $q := 1; 'y')",
            ),
            (
                "{ 'k': $a ? 'x' : 'y', 'l': { 'm': true } }",
                member("k"),
                "$a ? 'x' : 'y'",
            ),
            ("{ 'k': 1, 'l': { 'm': $b } }", member("l"), "<{ 'm': $b }>"),
            ("$a & ($b ? 'x' : 'y')", vec![], "<$a & ($b ? 'x' : 'y')>"),
            ("$f($a ? 1 : 2)", vec![], "<$f($a ? 1 : 2)>"),
            (
                "$merge([$o, { 'k': $a ? 'x' : 'y', 'l': [1, 2] }])",
                member("k"),
                "<$o> + $a ? 'x' : 'y'",
            ),
            (
                "{ 'k': ($p := $a; $merge ( [ $p, $merge([$q, {}]) ] )) }",
                vec![Step::Member("k".into()), Step::Member("m".into())],
                "<($p := $a; $p)> + <($p := $a; $q)> + <($p := $a; {})>",
            ),
            ("$merge([$o, $p])", vec![], "<$merge([$o, $p])>"),
            ("$merge($o)", member("k"), "<$merge($o)>"),
        ] {
            let Ok(tree) = Tree::parse(text) else {
                panic!("{text}");
            };
            assert_eq!(shown(Part::of(&tree, &rest)), wanted, "{text}");
        }
    }
}
