//! Finds the variables and functions that an expression refers to.

use super::analysis::Analysis;
use super::depth::with_stack;
use super::tree::{Form, Node, Tree};

impl Node {
    /// The variables that a part of an expression refers to, each with the members read from it: `$states.input.total` is
    /// `states`, `input`, `total`. Called functions are omitted; variables bound by the expression itself are not
    /// recognised.
    #[must_use]
    pub fn paths(&self) -> Vec<Vec<String>> {
        let mut found = Vec::new();
        collect(self, &mut found);
        found
    }
}

impl Tree {
    /// The paths that the expression passes to `$exists`, as in [`Node::paths`].
    #[must_use]
    pub fn asked(&self) -> Vec<Vec<String>> {
        let mut found = Vec::new();
        self.root().each(&mut |node| match &node.form {
            Form::Function {
                name, arguments, ..
            } if name == "exists" => {
                let names = arguments.first().and_then(|asked| asked.bare().names());
                found.extend(names.map(|names| names.into_iter().map(str::to_string).collect()));
            }
            _ => {}
        });
        found
    }

    /// True if the expression may have another value in another execution with the same input.
    #[must_use]
    pub fn is_unrepeatable(&self) -> bool {
        let reads = Analysis::of(self).reads;
        reads.reads("context") || self.root().calls(&["uuid", "random", "now", "millis"])
    }
}

fn collect(node: &Node, found: &mut Vec<Vec<String>>) {
    let mut add = |path: Vec<String>| {
        if !found.contains(&path) {
            found.push(path);
        }
    };
    match &node.form {
        Form::Variable(name) if !name.is_empty() => add(vec![name.clone()]),
        Form::Path(steps) => {
            let mut below = steps.as_slice();
            if let Some((first, rest)) = steps.split_first()
                && let Some(name) = first.node.variable().filter(|name| !name.is_empty())
            {
                let mut path = vec![name.to_string()];
                let mut goes_on = first.stages.is_empty();
                for step in rest {
                    match &step.node.form {
                        Form::Name(name) if goes_on => path.push(name.clone()),
                        _ => break,
                    }
                    goes_on = step.stages.is_empty();
                }
                add(path);
                first.predicates().for_each(|node| collect(node, found));
                below = rest;
            }
            for step in below {
                with_stack(|| collect(&step.node, found));
                step.predicates().for_each(|node| collect(node, found));
            }
        }
        _ => {
            for (child, _) in node.children() {
                with_stack(|| collect(child, found));
            }
        }
    }
}

impl Node {
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
        let mut found = false;
        self.each(&mut |node| {
            found |= match &node.form {
                Form::Function {
                    name,
                    is_variable: true,
                    ..
                }
                | Form::Variable(name) => names.contains(&name.as_str()),
                _ => false,
            };
        });
        found
    }
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
            let found: Vec<String> = tree(text)
                .root()
                .paths()
                .iter()
                .map(|path| path.join("."))
                .collect();
            assert_eq!(found, wanted, "{text}");
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
}
