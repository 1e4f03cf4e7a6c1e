//! Finds the paths that an expression reads: a variable followed by names and indexes.

use super::depth::with_stack;
use super::tree::{Form, Node, Stage, Step, Tree};
use crate::json::Text;
use std::collections::HashSet;

/// A path that begins with a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadPath {
    /// The name of the variable, such as `states`.
    pub variable: Text,
    /// The names and indexes after the variable, up to the first step of another kind.
    pub steps: Vec<ReadStep>,
    /// True if the path continues with something else, such as a filter, a wildcard or a call.
    pub goes_on: bool,
    /// True if the path is the whole expression.
    pub alone: bool,
}

/// An expression that selects one item of an array.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemAsked<'t> {
    /// Text of the array's expression.
    pub array: &'t str,
    /// The path of the array.
    pub items: ReadPath,
    /// The index of the item.
    pub index: Index<'t>,
}

/// The index of an array item.
#[derive(Clone, Debug, PartialEq)]
pub enum Index<'t> {
    /// A literal number; negative indexes count from the end.
    Literal(i64),
    /// The index is read from a path, which has this text.
    Read(&'t str, ReadPath),
}

/// A step of a path that an expression reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadStep {
    /// A member; for an array, that member of each item.
    Name(Text),
    /// An item; negative indexes count from the end.
    Index(i64),
}

impl Tree {
    /// The paths that the expression reads, without duplicates, in source order. Variables that it binds itself are
    /// omitted.
    #[must_use]
    pub fn read_paths(&self) -> Vec<ReadPath> {
        let bound = self.root().bound().into_iter().collect();
        let mut found = Vec::new();
        walk(self.root(), &bound, true, &mut found);
        found
    }

    /// The array and the index, if the whole expression selects one item of an array: `$seals` and
    /// `$states.input.position`
    /// for `$seals[$states.input.position]`.
    #[must_use]
    pub fn item_asked(&self) -> Option<ItemAsked<'_>> {
        let Form::Path(steps) = &self.root().form else {
            return None;
        };
        let (last, before) = steps.split_last()?;
        let [Stage::Filter(index)] = last.stages.as_slice() else {
            return None;
        };
        let is_name = |step: &Step| matches!(step.node.form, Form::Name(_) | Form::Variable(_));
        let is_path = before.iter().all(|step| step.is_plain() && is_name(step));
        if !is_path || !is_name(last) {
            return None;
        }
        let alone = before.iter().cloned().chain([Step::new(last.node.clone())]);
        let (items, _) = path_of(&alone.collect::<Vec<_>>(), true)?;
        let index = match index_of(index) {
            Some(number) => Index::Literal(number),
            None => Index::Read(self.text_of(index), whole_path(index)?),
        };
        let range = self.root().range.start..last.node.range.end;
        Some(ItemAsked {
            array: self.text().get(range)?,
            items,
            index,
        })
    }
}

/// The path, if the node consists of nothing else.
fn whole_path(node: &Node) -> Option<ReadPath> {
    let mut found = Vec::new();
    walk(node, &HashSet::new(), true, &mut found);
    let path = found.pop().filter(|_| found.is_empty())?;
    path.alone.then_some(path)
}

fn walk(node: &Node, bound: &HashSet<&str>, alone: bool, found: &mut Vec<ReadPath>) {
    let take = |path: ReadPath, found: &mut Vec<ReadPath>| {
        if !bound.contains(&*path.variable) && !found.contains(&path) {
            found.push(path);
        }
    };
    with_stack(|| match &node.form {
        Form::Variable(name) if !name.is_empty() => {
            let path = ReadPath {
                variable: name.as_str().into(),
                steps: Vec::new(),
                goes_on: false,
                alone,
            };
            take(path, found);
        }
        Form::Path(steps) => {
            let Some((path, rest)) = path_of(steps, alone) else {
                return each_child(node, bound, found);
            };
            take(path, found);
            // Predicates and the remaining steps may read other paths.
            for step in steps {
                for predicate in step.predicates() {
                    walk(predicate, bound, false, found);
                }
            }
            for step in rest {
                walk(&step.node, bound, false, found);
            }
        }
        _ => each_child(node, bound, found),
    });
}

fn each_child(node: &Node, bound: &HashSet<&str>, found: &mut Vec<ReadPath>) {
    for (child, _) in node.children() {
        walk(child, bound, false, found);
    }
}

/// The path that begins with a variable, and the remaining steps that it does not include.
fn path_of(steps: &[Step], alone: bool) -> Option<(ReadPath, &[Step])> {
    let (first, mut rest) = steps.split_first()?;
    let name = first.node.variable().filter(|name| !name.is_empty())?;
    let mut path = ReadPath {
        variable: name.into(),
        steps: Vec::new(),
        goes_on: !indices(first, &mut Vec::new()),
        alone,
    };
    if !path.goes_on {
        indices(first, &mut path.steps);
    }
    while let Some((step, after)) = rest.split_first().filter(|_| !path.goes_on) {
        let Form::Name(name) = &step.node.form else {
            path.goes_on = true;
            break;
        };
        path.steps.push(ReadStep::Name(name.as_str().into()));
        path.goes_on = !indices(step, &mut path.steps);
        rest = after;
    }
    Some((path, rest))
}

/// Adds the indexes of a step that are literal numbers. Returns true if the step has no other predicates.
fn indices(step: &Step, steps: &mut Vec<ReadStep>) -> bool {
    if step.focus.is_some() || step.index.is_some() {
        return false;
    }
    step.stages.iter().all(|stage| {
        let index = match stage {
            Stage::Filter(node) => index_of(node),
            Stage::KeepArray | Stage::Index(_) => None,
        };
        steps.extend(index.map(ReadStep::Index));
        index.is_some()
    })
}

#[expect(clippy::cast_possible_truncation, reason = "it is a whole number")]
fn index_of(node: &Node) -> Option<i64> {
    let number = node.number()?;
    (number.fract() == 0.0 && number.abs() < 1e9).then_some(number as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(path: &ReadPath) -> String {
        let steps = path.steps.iter().map(|step| match step {
            ReadStep::Name(name) => format!(".{name}"),
            ReadStep::Index(index) => format!("[{index}]"),
        });
        let steps: String = steps.collect();
        let alone = if path.alone { "=" } else { "" };
        let more = if path.goes_on { "…" } else { "" };
        format!("{alone}{}{steps}{more}", path.variable)
    }

    #[test]
    fn what_is_read_is_told_with_its_names_and_indices() {
        for (text, wanted) in [
            ("$states.input.n", "=states.input.n"),
            ("$a", "=a"),
            ("$a + $b.c & $a", "a, b.c"),
            ("$sum($states.input.items.n)", "states.input.items.n"),
            (
                "$s.items[0].n & $s.items[-1].n",
                "s.items[0].n, s.items[-1].n",
            ),
            ("$s.items[ok = $w].n", "=s.items…, w"),
            ("$s.items.$string(n + $w)", "=s.items…, w"),
            ("$s.*", "=s…"),
            ("($p := $s.n; $p > 1 ? $p : $q)", "s.n, q"),
            ("$map($s.l, function($i) { $i.n + $w })", "s.l, w"),
            ("$s.l#$i[$i > 1].n", "=s.l…"),
            ("'$a'", ""),
            ("$a +", ""),
        ] {
            let found: Vec<String> = Tree::parse(text).map_or_else(
                |_| Vec::new(),
                |tree| tree.read_paths().iter().map(shown).collect(),
            );
            assert_eq!(found.join(", "), wanted, "{text}");
        }
    }
}
