//! Finds the variables and functions that a JSONata expression uses, and the constructs that Step Functions may not
//! accept.

use super::function::is_function;
use super::limit::{self, AWS_DEPTH, STACK, with_stack};
use super::tree::{Form, Node, Operator, Step, Tree};
use crate::json::Text;
use crate::query::trace::{Base, STATES, Spot};
use std::ops::Range;

/// A construct that Step Functions does not accept or that is only allowed in certain fields.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// `$`, `$$` or a bare name at the top level, where Step Functions provides no input document.
    TopLevel {
        /// The name as written.
        name: Text,
        /// Byte range in the expression.
        range: Range<usize>,
    },
    /// `*` or `**` at the top level: Step Functions provides no input document there from which they could select.
    Nothing {
        /// The construct as written.
        name: &'static str,
        /// Byte range in the expression.
        range: Range<usize>,
    },
    /// A read of a member of `$states` by name.
    States {
        /// The name of the member.
        member: Text,
        /// Byte range in the expression.
        range: Range<usize>,
    },
    /// A variable that the expression does not bind itself.
    Variable {
        /// The name without `$`.
        name: Text,
        /// Byte range in the expression.
        range: Range<usize>,
    },
    /// A function that is called by name and that the expression does not define itself.
    Function {
        /// The name without `$`.
        name: Text,
        /// Byte range in the expression.
        range: Range<usize>,
    },
    /// An expression that certainly exceeds a limit: its literals make a range or a padding too large, or its parts are
    /// nested too deeply.
    Beyond {
        /// The error that evaluation will raise.
        error: String,
        /// Byte range in the expression.
        range: Range<usize>,
    },
    /// A `+` with a text operand: evaluating it fails.
    TextAdded {
        /// The text operand as written in the expression.
        text: Text,
        /// Byte range of the operator.
        range: Range<usize>,
    },
    /// An operator that the JSONata version of Step Functions does not have yet.
    Operator {
        /// The operator as written.
        name: &'static str,
        /// Byte range in the expression.
        range: Range<usize>,
    },
}

/// Functions that always return text.
const TEXT_FUNCTIONS: [&str; 12] = [
    "string",
    "join",
    "lowercase",
    "uppercase",
    "trim",
    "pad",
    "replace",
    "substring",
    "formatNumber",
    "fromMillis",
    "now",
    "uuid",
];

/// The values that an expression may read; only these are passed to the evaluator.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reads {
    /// Names of the variables that the expression uses, other than `states`.
    pub variables: Vec<Text>,
    /// Members of `$states` that the expression reads by name.
    pub states: Vec<Text>,
    /// True if `$states` is read as a whole.
    pub whole: bool,
}

impl Reads {
    /// Returns the documents that the expression may read, for the search for origins.
    #[must_use]
    pub fn spots(&self) -> Vec<Spot> {
        let variables = self.variables.iter().cloned().map(Base::Variable);
        let states = STATES.iter().filter(|name| self.reads(name));
        let states = states.map(|name| Base::of_states(&(*name).into()));
        variables.chain(states).map(Spot::root).collect()
    }

    /// True if the expression may read this member of `$states`.
    #[must_use]
    pub fn reads(&self, member: &str) -> bool {
        self.whole || self.states.iter().any(|known| &**known == member)
    }
}

/// The result of analysing an expression.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Analysis {
    /// The values that the expression may read.
    pub reads: Reads,
    /// Constructs to check, in no particular order.
    pub findings: Vec<Finding>,
}

impl Tree {
    /// Returns the variables that `part` (a part of the expression) reads, each once. Variables that the expression
    /// binds itself are left out.
    #[must_use]
    pub fn variables(&self, part: &Node) -> Vec<Text> {
        let mut names = self.free_names(part);
        names.retain(|name| !is_function(name));
        names
    }

    /// Like [`Self::variables`], but also returns each name of a built-in function that `part` uses without calling it,
    /// because a variable may have the same name.
    #[must_use]
    pub fn free_names(&self, part: &Node) -> Vec<Text> {
        let mut names: Vec<Text> = Vec::new();
        for finding in Analysis::of(self).findings {
            if let Finding::Variable { name, range } = finding
                && part.range.start <= range.start
                && range.end <= part.range.end
                && !names.contains(&name)
            {
                names.push(name);
            }
        }
        names
    }
}

impl Analysis {
    /// Analyses a parsed expression.
    #[must_use]
    pub fn of(tree: &Tree) -> Self {
        let mut walker = Walker {
            tree,
            analysis: Self::default(),
            bound: tree.root().bound(),
        };
        walker.walk(tree.root(), true);
        if levels(tree.root()) > AWS_DEPTH {
            walker.analysis.findings.push(Finding::Beyond {
                error: STACK.to_string(),
                range: 0..tree.text().len(),
            });
        }
        walker.analysis
    }
}

struct Walker<'t> {
    tree: &'t Tree,
    analysis: Analysis,
    bound: Vec<&'t str>,
}

impl Walker<'_> {
    fn walk(&mut self, node: &Node, top: bool) {
        with_stack(|| self.visit(node, top));
    }

    fn visit(&mut self, node: &Node, top: bool) {
        match &node.form {
            Form::Variable(name) if name.is_empty() && top => self.top_level("$", node),
            Form::Variable(name) if name.is_empty() => {}
            Form::Variable(name) => self.variable(name, node),
            Form::Root => self.top_level("$$", node),
            Form::Name(name) if top => self.top_level(name, node),
            Form::Wildcard if top => self.nothing("*", node),
            Form::Descendants if top => self.nothing("**", node),
            Form::Function {
                name, arguments, ..
            } => {
                self.read(name);
                self.padding(name, node, arguments.get(1));
                if !self.bound.contains(&name.as_str()) {
                    self.analysis.findings.push(Finding::Function {
                        name: name.as_str().into(),
                        range: self.name_of(node),
                    });
                }
            }
            Form::Path(steps) => return self.path(steps, top),
            Form::Binary(operator, left, right) => {
                if *operator == Operator::Range {
                    self.range(left, right);
                }
                if *operator == Operator::Chain
                    && let Form::Function {
                        name, arguments, ..
                    } = &right.form
                    && !arguments.iter().any(|node| node.form == Form::Placeholder)
                {
                    // With `~>`, the left operand is the function's first argument. The first argument in the
                    // parentheses is therefore the function's second argument, the width.
                    self.padding(name, right, arguments.first());
                }
                if *operator == Operator::Add {
                    self.added(left, right);
                }
                if matches!(operator, Operator::Coalesce | Operator::Default) {
                    self.analysis.findings.push(Finding::Operator {
                        name: operator.sign(),
                        range: self.tree.sign_behind(left),
                    });
                }
            }
            _ => {}
        }
        for (child, has_own_scope) in node.children() {
            self.walk(child, top && !has_own_scope);
        }
    }

    /// In a chain of additions, reports the first `+` with a text operand. The evaluation fails at that `+`.
    fn added(&mut self, left: &Node, right: &Node) {
        let is_reported =
            matches!(&left.form, Form::Binary(Operator::Add, a, b) if has_text(a) || has_text(b));
        let text = [left, right].into_iter().find(|node| has_text(node));
        if let Some(text) = text.filter(|_| !is_reported) {
            let written = self.tree.text().get(text.range.clone());
            self.analysis.findings.push(Finding::TextAdded {
                text: written.unwrap_or_default().into(),
                range: self.tree.sign_behind(left),
            });
        }
    }

    fn path(&mut self, steps: &[Step], top: bool) {
        for (place, step) in steps.iter().enumerate() {
            match (place, step.node.variable()) {
                (0, Some("states")) => match steps.get(1).map(|step| &step.node) {
                    Some(member) if step.stages.is_empty() => self.states(step, member),
                    _ => self.analysis.reads.whole = true,
                },
                _ => self.walk(&step.node, top && place == 0),
            }
            for node in step.predicates() {
                self.walk(node, false);
            }
        }
    }

    fn states(&mut self, states: &Step, member: &Node) {
        let Form::Name(name) = &member.form else {
            self.analysis.reads.whole = true;
            return;
        };
        let read = &mut self.analysis.reads.states;
        if !read.iter().any(|known| **known == **name) {
            read.push(name.as_str().into());
        }
        self.analysis.findings.push(Finding::States {
            member: name.as_str().into(),
            range: states.node.range.end..member.range.end,
        });
    }

    /// Reports a range whose literal bounds are further apart than the limit.
    fn range(&mut self, first: &Node, last: &Node) {
        let (Some(from), Some(to)) = (first.number(), last.number()) else {
            return;
        };
        if let Some(error) = limit::literal_range_error(from, to) {
            let range = self.tree.sign_behind(first).start..last.range.end;
            self.analysis
                .findings
                .push(Finding::Beyond { error, range });
        }
    }

    /// Reports a literal width of `$pad` that is larger than the limit.
    fn padding(&mut self, name: &str, call: &Node, width: Option<&Node>) {
        if name != "pad" || self.bound.contains(&name) {
            return;
        }
        let width = width.and_then(Node::number);
        if let Some(error) = width.and_then(limit::padding_error) {
            let range = self.name_of(call);
            self.analysis
                .findings
                .push(Finding::Beyond { error, range });
        }
    }

    /// Returns the byte range of the called function's name.
    fn name_of(&self, call: &Node) -> Range<usize> {
        let name = self
            .tree
            .text_of(call)
            .split('(')
            .next()
            .unwrap_or_default();
        call.range.start..call.range.start + name.trim_end().len()
    }

    fn variable(&mut self, name: &str, node: &Node) {
        if name == "states" {
            self.analysis.reads.whole = true;
            return;
        }
        self.read(name);
        if !self.bound.contains(&name) {
            self.analysis.findings.push(Finding::Variable {
                name: name.into(),
                range: node.range.clone(),
            });
        }
    }

    /// Records a name that may be the name of a variable.
    fn read(&mut self, name: &str) {
        let variables = &mut self.analysis.reads.variables;
        if !variables.iter().any(|known| &**known == name) {
            variables.push(name.into());
        }
    }

    fn nothing(&mut self, name: &'static str, node: &Node) {
        let range = node.range.clone();
        self.analysis
            .findings
            .push(Finding::Nothing { name, range });
    }

    fn top_level(&mut self, name: &str, node: &Node) {
        self.analysis.findings.push(Finding::TopLevel {
            name: name.into(),
            range: node.range.clone(),
        });
    }
}

/// True if the node's value is a string for any data. A `+` is treated as a string if one of its operands is one.
fn has_text(node: &Node) -> bool {
    match &node.form {
        Form::Text(_) | Form::Binary(Operator::Concatenate, ..) => true,
        Form::Binary(Operator::Add, left, right) => has_text(left) || has_text(right),
        Form::Function { name, .. } => TEXT_FUNCTIONS.contains(&name.as_str()),
        _ => false,
    }
}

/// Returns the nesting depth of an expression. Only the parts that are evaluated for any data count.
fn levels(node: &Node) -> u32 {
    with_stack(|| {
        let deepest = |parts: &[Node]| parts.iter().map(levels).max().unwrap_or(0);
        let below = match &node.form {
            Form::Path(steps) => match steps.as_slice() {
                [only] => return levels(&only.node),
                [first, ..] => levels(&first.node),
                [] => 0,
            },
            Form::Binary(op, lhs, rhs) => match op {
                Operator::And | Operator::Or | Operator::Coalesce | Operator::Default => {
                    levels(lhs)
                }
                Operator::Bind => levels(rhs),
                _ => levels(lhs).max(levels(rhs)),
            },
            Form::Negate(operand) => levels(operand),
            Form::Function { arguments, .. } => deepest(arguments),
            Form::Call(function, arguments) => levels(function).max(deepest(arguments)),
            Form::Array(items) | Form::Block(items) | Form::ArrayStep(items) => deepest(items),
            Form::Object(pairs) => {
                let parts = pairs.iter().flat_map(|(name, value)| [name, value]);
                parts.map(levels).max().unwrap_or(0)
            }
            Form::Conditional { condition, .. } => levels(condition),
            _ => 0,
        };
        below.saturating_add(1)
    })
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::query::jsonata::JsonataError;

    fn analyse(text: &str) -> Result<Analysis, JsonataError> {
        Tree::parse(text).map(|tree| Analysis::of(&tree))
    }

    fn tops(text: &str) -> Vec<String> {
        let findings = analyse(text).unwrap().findings;
        findings
            .into_iter()
            .filter_map(|finding| match finding {
                Finding::TopLevel { name, .. } => Some(name.to_string()),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn the_top_level_has_no_document() {
        for (text, wanted) in [
            ("phone", vec!["phone"]),
            ("$", vec!["$"]),
            ("$.x + 1", vec!["$"]),
            ("$$", vec!["$$"]),
            ("[a, {\"k\": b}]", vec!["a", "b"]),
            ("$order[total > 10 and $.n = 1].price", vec![]),
            ("$states.input.(a & b)", vec![]),
            ("$map($l, function($v){ $v.name })", vec![]),
            ("$l^(price)", vec![]),
            ("$l{name: price}", vec![]),
            ("$l ~> | item | {\"a\": b} |", vec![]),
            ("$sum(price)", vec!["price"]),
        ] {
            assert_eq!(tops(text), wanted, "{text}");
        }
    }

    #[test]
    fn what_is_read_is_known() {
        let reads = analyse("$a + $states.input.x & ($y := $b; $y) & $f($c)")
            .unwrap()
            .reads;
        let names: Vec<&str> = reads.variables.iter().map(|name| &**name).collect();
        assert_eq!(names, ["a", "y", "b", "f", "c"]);
        assert!(reads.reads("input") && !reads.reads("context") && !reads.whole);
        assert!(analyse("$lookup($states, 'x')").unwrap().reads.whole);
    }

    #[test]
    fn places_are_those_of_the_expression_itself() {
        for (text, wanted) in [
            ("'total' & total", 10..15),
            ("/* total */ 'a\\\" total' & total", 26..31),
            ("/*/ total */ total", 13..18),
            ("2/* total */*total", 13..18),
            ("$match($s, /['\"]/) & total", 21..26),
        ] {
            let findings = analyse(text).unwrap().findings;
            let place = findings.into_iter().find_map(|finding| match finding {
                Finding::TopLevel { range, .. } => Some(range),
                _ => None,
            });
            assert_eq!(place, Some(wanted), "{text}");
        }
        assert!(matches!(
            &analyse("**.a").unwrap().findings[..],
            [Finding::Nothing { name: "**", .. }]
        ));
        for text in [
            "[1..3]",
            "[1, 2..$n]",
            "$l[[0..1]]",
            "($a := 1; $a)",
            "$l.*",
            "$l.**",
        ] {
            let findings = analyse(text).unwrap().findings;
            assert!(
                !findings
                    .iter()
                    .any(|finding| matches!(finding, Finding::Nothing { .. })),
                "{text}"
            );
        }
    }

    #[test]
    fn what_asks_for_too_much_is_told_where_it_is_literal() {
        for (text, wanted) in [
            ("[1..3] ~> $append([1..1e9])", Some(20..25)),
            ("[-1e308..1e308]", Some(7..14)),
            ("[1 .. 10000001]", Some(3..14)),
            ("$pad('x', 1e9)", Some(0..4)),
            ("$pad('x', -1000001, '-')", Some(0..4)),
            ("[1..873783]", Some(2..10)),
            ("[1..873782]", None),
            ("'x' ~> $pad(1e9)", Some(7..11)),
            ("1e9 ~> $pad('x')", None),
            ("'x' ~> $pad(1e6)", None),
            ("[1e9..1]", None),
            ("[1..$n]", None),
            ("'[1..1e9]'", None),
            ("$pad('x', 1e6)", None),
            ("($pad := function($t, $n) { $t }; $pad('x', 1e9))", None),
        ] {
            let findings = analyse(text).unwrap().findings;
            let place = findings.into_iter().find_map(|finding| match finding {
                Finding::Beyond { range, .. } => Some(range),
                _ => None,
            });
            assert_eq!(place, wanted, "{text}");
        }
    }

    #[test]
    fn errors_have_a_place() {
        for (text, message, range) in [
            ("1 +", "Unexpected end of expression", 2..3),
            ("(1", "Expected \")\" before end of expression", 1..2),
            ("", "Unexpected end of expression", 0..0),
            ("'1 2' 12", "Syntax error: 12", 7..8),
            ("a 'b c'", "Syntax error: \"b c\"", 6..7),
            ("a $b", "Syntax error: \"b\"", 3..4),
            ("true null", "Syntax error: null", 8..9),
            ("{'a' 1}", "Expected \":\", got 1", 5..6),
            (
                "1 + @",
                "The symbol \"@\" cannot be used as a unary operator",
                4..5,
            ),
            (
                "1 ~> )",
                "The symbol \")\" cannot be used as a unary operator",
                5..6,
            ),
            ("(1..2)", "Syntax error: \"..\"", 2..4),
            (
                "'a := b' & (1 := 2)",
                "The left side of := must be a variable name (start with $)",
                14..16,
            ),
        ] {
            let error = analyse(text).unwrap_err();
            assert_eq!(
                (error.message.as_str(), error.range),
                (message, range),
                "{text}"
            );
        }
        assert!(analyse("1 ] 2").unwrap_err().range.start > 0);
        assert!(analyse(&"(".repeat(100_000)).is_err());
    }
}
