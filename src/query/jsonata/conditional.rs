//! The part of an expression that gives a place of its value: through blocks and objects to the conditional or the `$merge`
//! that decides there, its condition and its two ways, or the objects that it merges, each with its own text.
//!
//! It must not know what a condition gives.

use super::LONGEST;
use super::analysis::tree_of;
use super::literal::without_literals;
use super::tree::drop_deep;
use crate::json::Step;
use jsonata_core::ast::{AstNode, UnaryOp};
use std::ops::Range;

/// A part of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part<'t> {
    whole: &'t str,
    /// Byte range in the expression.
    pub range: Range<usize>,
    /// What the blocks around it bind, each with its semicolon.
    bound: String,
    /// The steps from its value down to the place.
    pub rest: Vec<Step>,
}

/// What a part is.
#[derive(Clone, Debug, PartialEq, Eq)]
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
#[derive(Clone, Debug, PartialEq, Eq)]
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
    pub fn of(text: &'t str, rest: &[Step]) -> Self {
        Self {
            whole: text,
            range: 0..text.len(),
            bound: String::new(),
            rest: rest.to_vec(),
        }
    }

    /// As it is written.
    #[must_use]
    pub fn text(&self) -> &'t str {
        self.whole.get(self.range.clone()).unwrap_or_default()
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
        if self.whole.len() > LONGEST {
            return (self, Split::Other);
        }
        loop {
            self.trim();
            let Ok(tree) = tree_of(self.text()) else {
                return (self, Split::Other);
            };
            let split = match self.inside(&tree) {
                Some(inner) if inner.range != self.range => {
                    drop_deep(tree);
                    self = inner;
                    continue;
                }
                _ => self.split_as(&tree),
            };
            drop_deep(tree);
            return (self, split);
        }
    }

    fn split_as(&self, tree: &AstNode) -> Split<'t> {
        match tree {
            AstNode::Conditional {
                condition,
                then_branch,
                else_branch,
            } => {
                let ways = self.ways(condition, then_branch, else_branch.as_deref());
                ways.map_or(Split::Other, |ways| Split::Conditional(Box::new(ways)))
            }
            AstNode::Function { name, args, .. } if name == "merge" => match args.as_slice() {
                [AstNode::Array(objects)] if matches!(self.rest.first(), Some(Step::Member(_))) => {
                    self.merged(objects).map_or(Split::Other, Split::Merged)
                }
                _ => Split::Other,
            },
            AstNode::String(_) | AstNode::Number(_) | AstNode::Boolean(_) | AstNode::Null => {
                Split::Literal
            }
            AstNode::Unary {
                op: UnaryOp::Negate,
                operand,
            } if matches!(**operand, AstNode::Number(_)) => Split::Literal,
            _ => Split::Other,
        }
    }

    /// What gives the place inside of a block or an object.
    fn inside(&self, tree: &AstNode) -> Option<Self> {
        match (tree, self.rest.split_first()) {
            (AstNode::Block(items), _) => {
                let inner = self.within('(', ')')?;
                let parts = inner.separated(';');
                let (last, before) = parts.split_last()?;
                let fits = parts.len() == items.len() && last.is(items.last()?);
                let bound = before.iter().map(|part| format!("{}; ", part.text()));
                fits.then(|| Self {
                    bound: self.bound.clone() + &bound.collect::<String>(),
                    ..last.clone()
                })
            }
            (AstNode::Object(pairs), Some((Step::Member(name), rest))) => {
                let own = |key: &AstNode| matches!(key, AstNode::String(own) if **own == **name);
                let place = pairs.iter().position(|(key, _)| own(key))?;
                let (_, value) = pairs.get(place)?;
                let inner = self.within('{', '}')?;
                let members = inner.separated(',');
                let member = members
                    .get(place)
                    .filter(|_| members.len() == pairs.len())?;
                let colon = member.plain().find(':')?;
                let part = Self {
                    rest: rest.to_vec(),
                    ..member.sub(colon + 1..member.range.len())
                };
                part.is(value).then_some(part)
            }
            _ => None,
        }
    }

    /// The objects in the array of a `$merge`.
    fn merged(&self, objects: &[AstNode]) -> Option<Vec<Self>> {
        let open = self.text().find('(')?;
        let list = self.sub(open..self.range.len()).within('(', ')')?;
        let parts = list.within('[', ']')?.separated(',');
        let fits = parts.len() == objects.len();
        let fits = fits && parts.iter().zip(objects).all(|(part, node)| part.is(node));
        fits.then_some(parts)
    }

    fn ways(
        &self,
        condition: &AstNode,
        then: &AstNode,
        otherwise: Option<&AstNode>,
    ) -> Option<Ways<'t>> {
        let plain = self.plain();
        let open: Vec<usize> = top(&plain, '?');
        let colons: Vec<usize> = top(&plain, ':');
        let end = plain.len();
        open.iter().find_map(|mark| {
            let first = self.sub(0..*mark);
            if !first.is(condition) {
                return None;
            }
            let Some(otherwise) = otherwise else {
                let second = self.sub(mark + 1..end);
                return second.is(then).then(|| Ways {
                    condition: first.clone(),
                    then: second,
                    otherwise: None,
                });
            };
            let mut colons = colons.iter().filter(|colon| *colon > mark);
            colons.find_map(|colon| {
                let (second, third) = (self.sub(mark + 1..*colon), self.sub(colon + 1..end));
                (second.is(then) && third.is(otherwise)).then(|| Ways {
                    condition: first.clone(),
                    then: second,
                    otherwise: Some(third),
                })
            })
        })
    }

    /// A range of it, without the blanks around.
    fn sub(&self, range: Range<usize>) -> Self {
        let start = self.range.start;
        let mut part = Self {
            range: start + range.start..start + range.end,
            ..self.clone()
        };
        part.trim();
        part
    }

    fn trim(&mut self) {
        let text = self.text();
        let (blank, length) = (text.len() - text.trim_start().len(), text.trim().len());
        let start = self.range.start + blank;
        self.range = start..start + length;
    }

    /// What stands between two brackets that are its first and its last letter.
    fn within(&self, open: char, close: char) -> Option<Self> {
        let text = self.text();
        let fits = text.starts_with(open) && text.ends_with(close) && text.len() > 1;
        fits.then(|| self.sub(1..text.len() - 1))
    }

    /// What stands between separators that are in no brackets; an empty last one is none.
    fn separated(&self, sign: char) -> Vec<Self> {
        let plain = self.plain();
        let mut start = 0;
        let mut parts = Vec::new();
        for at in top(&plain, sign) {
            parts.push(self.sub(start..at));
            start = at + 1;
        }
        let last = self.sub(start..plain.len());
        if !last.range.is_empty() {
            parts.push(last);
        }
        parts
    }

    fn plain(&self) -> String {
        without_literals(self.text())
    }

    /// Whether its text gives this tree.
    fn is(&self, wanted: &AstNode) -> bool {
        let Ok(tree) = tree_of(self.text()) else {
            return false;
        };
        let same = tree == *wanted;
        drop_deep(tree);
        same
    }
}

/// Where a sign stands in no brackets.
fn top(plain: &str, sign: char) -> Vec<usize> {
    let mut depth = 0_usize;
    let mut found = Vec::new();
    for (at, letter) in plain.char_indices() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            letter if letter == sign && depth == 0 => found.push(at),
            _ => {}
        }
    }
    found
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
            ("$a ?", vec![], "<$a ?>"),
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
            assert_eq!(shown(Part::of(text, &rest)), wanted, "{text}");
        }
    }
}
