//! Determines what an expression reads and uses, with the engine's own parser and panics caught.
//!
//! It must not know which members of `$states` a field may read.

use super::function::is_function;
use super::limit;
use super::limit::{AWS_DEPTH, STACK};
use super::literal::without_literals;
use super::slash::{is_closed, misread};
use super::tree::{bind_all, children, drop_deep, each, levels, predicates};
use super::wording::in_signs;
use super::{LONGEST, Reads, with_slashes_escaped};
use crate::json::Text;
use crate::query::fence;
use jsonata_core::ast::{AstNode, BinaryOp, PathStep};
use jsonata_core::parser::parse;
use jsonata_core::value::with_stack;
use std::ops::Range;

/// Why an expression does not parse.
#[derive(Clone, Debug, PartialEq)]
pub struct JsonataError {
    /// The engine's message without its code.
    pub message: String,
    /// Byte range in the expression.
    pub range: Range<usize>,
}

/// A construct that Step Functions does not accept, or whose use depends on the field.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// `$`, `$$` or a bare name at the top level.
    TopLevel {
        /// As written.
        name: Text,
        /// Byte range in the expression.
        range: Range<usize>,
    },
    /// `*` or `**` at the top level, where there is no input to select from.
    Nothing {
        /// As written.
        name: &'static str,
        /// Byte range in the expression.
        range: Range<usize>,
    },
    /// A member of `$states` that is read by name.
    States {
        /// The member.
        member: Text,
        /// Byte range in the expression.
        range: Range<usize>,
    },
    /// A variable that is used but not bound by the expression itself.
    Variable {
        /// Its name, without `$`.
        name: Text,
        /// Byte range in the expression.
        range: Range<usize>,
    },
    /// A function that is called by name but not defined by the expression itself.
    Function {
        /// Its name, without `$`.
        name: Text,
        /// Byte range in the expression.
        range: Range<usize>,
    },
    /// A range or a padding whose literal bounds ask for more than an evaluation makes, or parts that nest too deep.
    Beyond {
        /// The error that it ends with when it is evaluated.
        error: String,
        /// Byte range in the expression.
        range: Range<usize>,
    },
    /// An operator that is newer than the JSONata version of Step Functions.
    Operator {
        /// As written.
        name: &'static str,
        /// Byte range in the expression.
        range: Range<usize>,
    },
}

/// The result of analysing an expression.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Analysis {
    /// What it may read.
    pub reads: Reads,
    /// Constructs to check, in no particular order.
    pub findings: Vec<Finding>,
}

/// The variables that an expression reads and does not bind itself, each once.
#[must_use]
pub fn variables(text: &str) -> Vec<Text> {
    let mut names = free_names(text);
    names.retain(|name| !is_function(name));
    names
}

/// The same with the names of built-in functions that it does not call: one that is assigned is a variable, too.
#[must_use]
pub fn free_names(text: &str) -> Vec<Text> {
    let findings = analyse(text).map(|analysis| analysis.findings);
    let mut names: Vec<Text> = Vec::new();
    for finding in findings.unwrap_or_default() {
        if let Finding::Variable { name, .. } = finding
            && !names.contains(&name)
        {
            names.push(name);
        }
    }
    names
}

/// Analyses the text between the delimiters.
///
/// # Errors
/// Where it does not parse.
pub fn analyse(text: &str) -> Result<Analysis, JsonataError> {
    if text.len() > LONGEST {
        return Err(JsonataError {
            message: format!("the expression is longer than {LONGEST} bytes"),
            range: 0..text.len(),
        });
    }
    let tree = tree_of(text)?;
    let plain = without_literals(text);
    if let Some((message, words)) = misplaced(&tree) {
        let at = plain.find(words).unwrap_or(0);
        drop_deep(tree);
        return Err(JsonataError {
            message: message.to_string(),
            range: at..(at + words.len()).min(text.len()),
        });
    }
    let mut walker = Walker {
        text: &plain,
        found: Analysis::default(),
        bound: Vec::new(),
    };
    bind_all(&tree, &mut walker.bound);
    walker.walk(&tree, true);
    if levels(&tree) > AWS_DEPTH {
        walker.found.findings.push(Finding::Beyond {
            error: STACK.to_string(),
            range: 0..text.len(),
        });
    }
    drop_deep(tree);
    Ok(walker.found)
}

/// Parses the expression into the engine's tree.
pub(super) fn tree_of(text: &str) -> Result<AstNode, JsonataError> {
    if text.trim().is_empty() {
        return Err(JsonataError {
            message: "Unexpected end of expression".to_string(),
            range: 0..text.len(),
        });
    }
    if let Some(place) = misread(text) {
        return Err(JsonataError {
            message: "The symbol \"/\" cannot be used as a unary operator".to_string(),
            range: place..place + 1,
        });
    }
    match fenced(text) {
        Ok(tree) => Ok(tree),
        Err(message) => {
            let range = place_of(text, &message);
            let mut message = in_signs(&message);
            let is_regex = text.get(range.clone()) == Some("/");
            if is_regex && message.starts_with("String literal") {
                message = "No terminating / in regular expression".to_string();
            }
            Err(JsonataError { message, range })
        }
    }
}

fn fenced(text: &str) -> Result<AstNode, String> {
    match fence::fenced(|| parse(&with_slashes_escaped(text))) {
        Some(Ok(tree)) => Ok(tree),
        Some(Err(error)) => Err(error.to_string()),
        None => Err("the expression cannot be read".to_string()),
    }
}

/// A construct that the engine accepts and JSONata rejects, as its error message and the operator to blame.
fn misplaced(tree: &AstNode) -> Option<(&'static str, &'static str)> {
    let is_range = |node: &AstNode| {
        matches!(
            node,
            AstNode::Binary {
                op: BinaryOp::Range,
                ..
            }
        )
    };
    const RANGE: (&str, &str) = ("Syntax error: \"..\"", "..");
    let mut found = is_range(tree).then_some(RANGE);
    each(tree, &mut |node| {
        let listed = matches!(node, AstNode::Array(_) | AstNode::ArrayGroup(_));
        if !listed && children(node).iter().any(|(child, _)| is_range(child)) {
            found = Some(RANGE);
        }
        if let AstNode::Regex { pattern, .. } = node
            && !is_closed(pattern)
        {
            found = Some(("No terminating / in regular expression", "/"));
        }
        if let AstNode::Binary {
            op: BinaryOp::ColonEqual,
            lhs,
            ..
        } = node
            && !matches!(&**lhs, AstNode::Variable(_))
        {
            found = Some((
                "The left side of := must be a variable name (start with $)",
                ":=",
            ));
        }
    });
    found
}

/// In longer texts, in bytes, the error is not located prefix by prefix.
const TRIED: usize = 600;

/// Locates an error: at the end of the shortest prefix that fails with the same message, otherwise at the end.
fn place_of(text: &str, message: &str) -> Range<usize> {
    let end = text.len();
    if message.contains("end of expression") {
        return last_char(text)..end;
    }
    if end > TRIED {
        return 0..end;
    }
    let ends = text
        .char_indices()
        .map(|(at, letter)| at + letter.len_utf8());
    for at in ends {
        let Some(prefix) = text.get(..at) else {
            continue;
        };
        if fenced(prefix).is_err_and(|words| words == message) {
            return last_char(prefix)..at;
        }
    }
    0..end
}

fn last_char(text: &str) -> usize {
    text.char_indices().next_back().map_or(0, |(at, _)| at)
}

struct Walker<'t> {
    text: &'t str,
    found: Analysis,
    bound: Vec<String>,
}

impl Walker<'_> {
    fn walk(&mut self, node: &AstNode, top: bool) {
        with_stack(|| self.visit(node, top));
    }

    fn visit(&mut self, node: &AstNode, top: bool) {
        match node {
            AstNode::Variable(name) if name.is_empty() && top => self.top_level("$"),
            AstNode::Variable(name) if name.is_empty() => {}
            AstNode::Variable(name) => self.variable(name),
            AstNode::ParentVariable(_) => self.top_level("$$"),
            AstNode::Name(name) if top => self.top_level(name),
            AstNode::Wildcard if top => self.nothing("*"),
            AstNode::Descendant if top => self.nothing("**"),
            AstNode::Function { name, args, .. } => {
                self.read(name);
                self.padding(name, args.get(1));
                if !self.bound.iter().any(|own| own == name) {
                    let range = self.find(&format!("${name}"));
                    self.found.findings.push(Finding::Function {
                        name: name.as_str().into(),
                        range,
                    });
                }
            }
            AstNode::Path { steps } => return self.path(steps, top),
            AstNode::Binary { op, lhs, rhs } => {
                if *op == BinaryOp::Range {
                    self.range(lhs, rhs);
                }
                if *op == BinaryOp::ChainPipe
                    && let AstNode::Function { name, args, .. } = &**rhs
                    && !args.contains(&AstNode::Placeholder)
                {
                    // What comes from the left is the first argument.
                    self.padding(name, args.first());
                }
                let young = match op {
                    BinaryOp::Coalesce => Some("??"),
                    BinaryOp::Default => Some("?:"),
                    _ => None,
                };
                if let Some(name) = young {
                    let range = self.find(name);
                    self.found.findings.push(Finding::Operator { name, range });
                }
            }
            _ => {}
        }
        for (child, own) in children(node) {
            self.walk(child, top && !own);
        }
    }

    fn path(&mut self, steps: &[PathStep], top: bool) {
        let members: Vec<Option<&str>> = steps
            .iter()
            .map(|step| match &step.node {
                AstNode::Name(name) => Some(name.as_str()),
                _ => None,
            })
            .collect();
        let of_states = matches!(
            steps.first().map(|step| &step.node),
            Some(AstNode::Variable(name)) if name == "states"
        );
        for (place, step) in steps.iter().enumerate() {
            match (place, of_states) {
                (0, true) => match members.get(1).copied().flatten() {
                    Some(member) if step.stages.is_empty() => self.states(member),
                    _ => self.found.reads.whole = true,
                },
                _ => self.walk(&step.node, top && place == 0),
            }
            for node in predicates(step) {
                self.walk(node, false);
            }
        }
    }

    /// A range between literals that is longer than any.
    fn range(&mut self, first: &AstNode, last: &AstNode) {
        let (Some(first), Some(last)) = (limit::literal(first), limit::literal(last)) else {
            return;
        };
        if let Some(error) = limit::literal_range_error(first, last) {
            let range = limit::range_place(self.text, last).unwrap_or_else(|| self.find(".."));
            self.found.findings.push(Finding::Beyond { error, range });
        }
    }

    /// A literal width of `$pad` that is larger than any.
    fn padding(&mut self, name: &str, width: Option<&AstNode>) {
        if name != "pad" || self.bound.iter().any(|own| own == name) {
            return;
        }
        let width = width.and_then(limit::literal);
        if let Some(error) = width.and_then(limit::padding_error) {
            let range = self.find("$pad");
            self.found.findings.push(Finding::Beyond { error, range });
        }
    }

    fn states(&mut self, member: &str) {
        let range = self.find(&format!(".{member}"));
        let states = &mut self.found.reads.states;
        if !states.iter().any(|own| &**own == member) {
            states.push(member.into());
        }
        self.found.findings.push(Finding::States {
            member: member.into(),
            range,
        });
    }

    fn variable(&mut self, name: &str) {
        if name == "states" {
            self.found.reads.whole = true;
            return;
        }
        self.read(name);
        if !self.bound.iter().any(|own| own == name) {
            let range = self.find(&format!("${name}"));
            self.found.findings.push(Finding::Variable {
                name: name.into(),
                range,
            });
        }
    }

    /// Records a name that may be a variable's.
    fn read(&mut self, name: &str) {
        let variables = &mut self.found.reads.variables;
        if !variables.iter().any(|own| &**own == name) {
            variables.push(name.into());
        }
    }

    fn nothing(&mut self, name: &'static str) {
        let range = self.find(name);
        self.found.findings.push(Finding::Nothing { name, range });
    }

    fn top_level(&mut self, name: &str) {
        let range = self.find(name);
        self.found.findings.push(Finding::TopLevel {
            name: name.into(),
            range,
        });
    }

    /// The first place where these words occur on their own; the whole text if there is none.
    fn find(&self, words: &str) -> Range<usize> {
        let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
        let by_itself = |at: usize| {
            let end = at + words.len();
            let before = self
                .text
                .get(..at)
                .and_then(|text| text.chars().next_back());
            let after = self.text.get(end..).and_then(|text| text.chars().next());
            let starts = words.starts_with(is_name);
            let ends = words.ends_with(is_name) || words == "$";
            let free_before =
                !starts || !before.is_some_and(|letter| is_name(letter) || letter == '$');
            let free_after = !ends || !after.is_some_and(|letter| is_name(letter) || letter == '$');
            free_before && free_after
        };
        let mut found = self.text.match_indices(words).map(|(at, _)| at);
        match found.find(|at| by_itself(*at)) {
            Some(at) => at..at + words.len(),
            None => 0..self.text.len(),
        }
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn tops(text: &str) -> Vec<String> {
        let found = analyse(text).unwrap().findings;
        found
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
            let found = analyse(text).unwrap().findings;
            let place = found.into_iter().find_map(|finding| match finding {
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
            let found = analyse(text).unwrap().findings;
            assert!(
                !found
                    .iter()
                    .any(|one| matches!(one, Finding::Nothing { .. })),
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
            let found = analyse(text).unwrap().findings;
            let place = found.into_iter().find_map(|finding| match finding {
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
