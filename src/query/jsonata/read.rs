//! What an expression reads: paths that begin with a variable, functions, and variables that it cannot do without.

use super::analysis::Analysis;
use super::limit::with_stack;
use super::tree::{Form, Node, Operator, Stage, Step, Tree};
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
        let mut read_paths = Vec::new();
        walk(self.root(), &bound, true, &mut read_paths);
        read_paths
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

    /// The paths that the expression passes to `$exists`, as in [`Node::paths`].
    #[must_use]
    pub fn asked(&self) -> Vec<Vec<String>> {
        let mut names_asked = Vec::new();
        self.root().each(&mut |node| match &node.form {
            Form::Function {
                name, arguments, ..
            } if name == "exists" => {
                let names = arguments.first().and_then(|asked| asked.bare().names());
                names_asked
                    .extend(names.map(|names| names.into_iter().map(str::to_string).collect()));
            }
            _ => {}
        });
        names_asked
    }

    /// True if the expression may have another value in another execution with the same input.
    #[must_use]
    pub fn is_unrepeatable(&self) -> bool {
        let reads = Analysis::of(self).reads;
        reads.reads("context") || self.root().calls(&["uuid", "random", "now", "millis"])
    }

    /// True if the expression has no value without the variable. False if it only tests whether the variable exists, or
    /// has a value in any case.
    #[must_use]
    pub fn needs(&self, variable: &str) -> bool {
        is_needed(self.root(), variable)
    }
}

/// The path, if the node consists of nothing else.
fn whole_path(node: &Node) -> Option<ReadPath> {
    let mut read_paths = Vec::new();
    walk(node, &HashSet::new(), true, &mut read_paths);
    let path = read_paths.pop().filter(|_| read_paths.is_empty())?;
    path.alone.then_some(path)
}

fn walk(node: &Node, bound: &HashSet<&str>, alone: bool, read_paths: &mut Vec<ReadPath>) {
    let take = |path: ReadPath, read_paths: &mut Vec<ReadPath>| {
        if !bound.contains(&*path.variable) && !read_paths.contains(&path) {
            read_paths.push(path);
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
            take(path, read_paths);
        }
        Form::Path(steps) => {
            let Some((path, rest)) = path_of(steps, alone) else {
                return each_child(node, bound, read_paths);
            };
            take(path, read_paths);
            // Predicates and the remaining steps may read other paths.
            let taken = steps.len() - rest.len();
            for (place, step) in steps.iter().enumerate() {
                if place >= taken {
                    walk(&step.node, bound, false, read_paths);
                }
                for predicate in step.predicates() {
                    walk(predicate, bound, false, read_paths);
                }
            }
        }
        _ => each_child(node, bound, read_paths),
    });
}

fn each_child(node: &Node, bound: &HashSet<&str>, read_paths: &mut Vec<ReadPath>) {
    for (child, _) in node.children() {
        walk(child, bound, false, read_paths);
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

impl Node {
    /// The variables that a part of an expression refers to, each with the members read from it: `$states.input.total` is
    /// `states`, `input`, `total`. Called functions are omitted; variables bound by the expression itself are not
    /// recognised.
    #[must_use]
    pub fn paths(&self) -> Vec<Vec<String>> {
        let mut read_paths = Vec::new();
        walk(self, &HashSet::new(), false, &mut read_paths);
        let mut paths: Vec<Vec<String>> = Vec::new();
        for read in read_paths {
            let names = read.steps.iter().map_while(|step| match step {
                ReadStep::Name(name) => Some(name.to_string()),
                ReadStep::Index(_) => None,
            });
            let path = std::iter::once(read.variable.to_string()).chain(names);
            let path = path.collect();
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        paths
    }

    /// The function called in this node, if its value may differ on each call.
    #[must_use]
    pub fn drawn(&self) -> Option<&'static str> {
        let names = ["$random", "$uuid", "$now", "$millis", "$shuffle"];
        names
            .into_iter()
            .find(|name| self.calls(&[name.trim_start_matches('$')]))
    }

    /// True if the node calls one of these functions or passes one as a value.
    #[must_use]
    pub fn calls(&self, names: &[&str]) -> bool {
        let mut calls_it = false;
        self.each(&mut |node| {
            calls_it |= match &node.form {
                Form::Function {
                    name,
                    is_variable: true,
                    ..
                }
                | Form::Variable(name) => names.contains(&name.as_str()),
                _ => false,
            };
        });
        calls_it
    }
}

/// Functions that also accept an undefined argument.
const TAKE_NOTHING: [&str; 9] = [
    "append", "boolean", "count", "exists", "lookup", "merge", "not", "string", "type",
];

fn is_needed(node: &Node, variable: &str) -> bool {
    with_stack(|| match &node.form {
        Form::Variable(name) => name == variable,
        Form::Conditional { condition, .. } if mentions(condition, variable) => false,
        Form::Binary(op, ..) if asks(*op) && mentions(node, variable) => false,
        Form::Function { name, .. } if TAKE_NOTHING.contains(&name.as_str()) => false,
        // These constructors omit undefined items and members.
        Form::Array(_) | Form::ArrayStep(_) | Form::Object(_) => false,
        _ => {
            let mut below = node.children().into_iter();
            below.any(|(child, _)| is_needed(child, variable))
        }
    })
}

/// True for operators that have a result even if one operand is undefined.
fn asks(op: Operator) -> bool {
    matches!(
        op,
        Operator::And
            | Operator::Or
            | Operator::Coalesce
            | Operator::Default
            | Operator::Equal
            | Operator::NotEqual
            | Operator::In
            | Operator::Concatenate
    )
}

fn mentions(node: &Node, variable: &str) -> bool {
    let mut is_mentioned = false;
    node.each(&mut |node| is_mentioned |= node.variable() == Some(variable));
    is_mentioned
}

#[cfg(test)]
mod tests {
    use super::super::Expression;
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
            let reads: Vec<String> = Tree::parse(text).map_or_else(
                |_| Vec::new(),
                |tree| tree.read_paths().iter().map(shown).collect(),
            );
            assert_eq!(reads.join(", "), wanted, "{text}");
        }
    }

    fn tree(text: &str) -> Tree {
        Tree::parse(text).expect(text)
    }

    #[test]
    fn functions_that_draw_are_called_not_read() {
        for (text, draws) in [
            ("$uuid()", true),
            ("$map([1, 2], $random)", true),
            ("$shuffle ( [1, 2] )", true),
            ("$states.input.uuid", false),
            ("$order.random & 'shuffle'", false),
            ("uuid()", false),
        ] {
            let expression = Expression::parse(text, "").map(|expression| expression.draws);
            assert_eq!(expression, Ok(draws), "{text}");
        }
    }

    #[test]
    fn presence_is_asked_with_any_blanks() {
        for text in [
            "$exists($a.b)",
            "$exists( $a.b )",
            "$not($exists /* x */ (($a . b)))",
        ] {
            assert_eq!(tree(text).asked(), [["a", "b"]], "{text}");
        }
        assert!(tree("$exists($a.b[0])").asked().is_empty());
    }

    #[test]
    fn variables_are_found_with_their_members() {
        let check = |text: &str, wanted: &[&str]| {
            let variables: Vec<String> = tree(text)
                .root()
                .paths()
                .iter()
                .map(|path| path.join("."))
                .collect();
            assert_eq!(variables, wanted, "{text}");
        };
        check("$states.input.total > $max", &["states.input.total", "max"]);
        check(
            "$count($states.input.items) > 0 and $max = $max",
            &["states.input.items", "max"],
        );
        check("'$no' & \"$no\" /* $no */ & $a.b[c = 1].d", &["a.b"]);
        check("$ > 1 and $$.x and $f . x", &["f.x"]);
        check("$states.input.n.$string()", &["states.input.n"]);
    }

    #[test]
    fn what_needs_a_value() {
        for (text, wanted) in [
            ("$n", true),
            ("$n + 1", true),
            ("$n.id", true),
            ("$uppercase($n)", true),
            ("$n < 5", true),
            ("$x > 1 ? $n : 2", true),
            ("($m := $n * 2; $m)", true),
            ("$exists($n) ? $n : 0", false),
            ("$n ? $n : 0", false),
            ("$append($n, [1])", false),
            ("[$n, 1]", false),
            ("{'a': $n}", false),
            ("$n = 'x'", false),
            ("$n & 'x'", false),
            ("$count($n) < 3", false),
            ("$n ?? 1", false),
            ("$m", false),
        ] {
            let tree = Tree::parse(text).expect(text);
            assert_eq!(tree.needs("n"), wanted, "{text}");
        }
    }
}
