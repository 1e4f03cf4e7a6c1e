//! Determines what an expression reads: paths that begin with a variable, the functions that it calls, and the
//! variables that it needs to have a value.

use super::analysis::Analysis;
use super::limit::with_stack;
use super::tree::{Form, Node, Operator, Step, Tree};

impl Tree {
    /// Returns the paths that the expression passes to `$exists`, as lists of names like those of [`Node::paths`].
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

    /// True if the expression may have a different value in another execution with the same input.
    #[must_use]
    pub fn is_unrepeatable(&self) -> bool {
        let reads = Analysis::of(self).reads;
        reads.reads("context") || self.root().calls(&["uuid", "random", "now", "millis"])
    }

    /// True if the expression has no value when the variable is missing. False if it only tests whether the variable
    /// exists, or has a value in any case.
    #[must_use]
    pub fn needs(&self, variable: &str) -> bool {
        is_needed(self.root(), variable)
    }
}

fn walk(node: &Node, paths: &mut Vec<Vec<String>>) {
    with_stack(|| {
        let names = match &node.form {
            Form::Variable(name) => vec![name.clone()],
            Form::Path(steps) => names_of(steps),
            _ => Vec::new(),
        };
        let taken = names.len();
        let is_path = names.first().is_some_and(|name| !name.is_empty());
        if is_path && !paths.contains(&names) {
            paths.push(names);
        }
        match &node.form {
            // The predicates and the other steps of the path may contain further paths.
            Form::Path(steps) if is_path => {
                for (place, step) in steps.iter().enumerate() {
                    if place >= taken {
                        walk(&step.node, paths);
                    }
                    for predicate in step.predicates() {
                        walk(predicate, paths);
                    }
                }
            }
            _ => {
                for (child, _) in node.children() {
                    walk(child, paths);
                }
            }
        }
    });
}

/// Returns the names with which a path begins: a variable, and the member names after it, up to the first step that is
/// not just a name. Empty if the path does not begin with a variable.
fn names_of(steps: &[Step]) -> Vec<String> {
    let Some(first) = steps.first().and_then(|step| step.node.variable()) else {
        return Vec::new();
    };
    let rest = steps.iter().zip(steps.iter().skip(1));
    let rest = rest.map_while(|(before, step)| match &step.node.form {
        Form::Name(name) if before.is_plain() => Some(name.as_str()),
        _ => None,
    });
    let names = std::iter::once(first).chain(rest);
    names.map(str::to_owned).collect()
}

impl Node {
    /// The variables that a part of an expression refers to, each with the names of the members read from the variable:
    /// `$states.input.total` is `states`, `input`, `total`. Called functions are omitted. Variables that the expression
    /// itself binds are included.
    #[must_use]
    pub fn paths(&self) -> Vec<Vec<String>> {
        let mut paths = Vec::new();
        walk(self, &mut paths);
        paths
    }

    /// Returns a function whose value may differ on each call, such as `$random`, if the node calls one or passes one
    /// as a value.
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

/// Functions that have a result even if their argument is undefined.
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

/// True if the operator has a result even if one of its operands is undefined.
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
        check("$s.items[0].n & $s.items[-1].n", &["s.items"]);
        check("$s.items[ok = $w].n", &["s.items", "w"]);
        check("$s.items.$string(n + $w)", &["s.items", "w"]);
        check("($p := $s.n; $p > 1 ? $p : $q)", &["p", "s.n", "q"]);
        check("$s.l#$i[$i > 1].n", &["s.l", "i"]);
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
