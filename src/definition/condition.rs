//! The conditions of Choice rules, in one form for both query languages.

use super::{Comparator, Comparison, Operand, Relation, Test};
use crate::json::{Text, Value, one_line};
use crate::query::jsonata::{Form, Node, Operator, Stage, Step, Tree};
use crate::query::{Path, Pattern};
use std::borrow::Cow;
use std::ops::Range;

/// Maximum nesting depth to which conditions are analysed.
const DEEPEST: usize = 12;
/// Maximum length, in bytes, of the JSONata expressions that are compared with each other. Longer expressions may be
/// nested very deeply, so they never count as equal.
const LONGEST: usize = 2_000;

/// A condition or a part of a condition. `T` is the type of its terms, which are the values that it tests. Two
/// conditions are equal if their tests are equal; their places in the text may differ.
#[derive(Clone, Debug)]
pub struct Condition<T> {
    /// Where the condition is in the text of an expression.
    pub place: Place,
    /// The test that the condition makes.
    pub ask: Ask<T>,
}

impl<T: PartialEq> PartialEq for Condition<T> {
    fn eq(&self, other: &Self) -> bool {
        self.ask == other.ask
    }
}

/// Where a condition is in the text of an expression.
#[derive(Clone, Debug)]
pub enum Place {
    /// A byte range of an expression.
    Expression(Range<usize>),
    /// No place in an expression: the condition is a JSONPath test, a constant, or a combination of other conditions.
    Joined,
}

/// The test of a condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask<T> {
    /// A condition that always holds (true) or never holds (false).
    Always(bool),
    /// A comparison of two values.
    Compare {
        /// The left operand of the comparison.
        left: T,
        /// `=`, `!=`, `<`, `<=`, `>`, `>=` or `in`.
        relation: Operator,
        /// The right operand of the comparison.
        right: T,
        /// The type of values that the comparison applies to.
        family: Family,
    },
    /// A test whether a value exists (flag true) or is missing (flag false).
    Present(T, bool),
    /// A test whether a value has a type (flag true) or does not have it (flag false).
    Is(T, Type, bool),
    /// A test whether a text (first term) matches a pattern (second term).
    Matches(T, T),
    /// A test whether a value counts as true by the rules of JSONata's `$boolean`.
    Truth(T),
    /// All of these conditions must hold.
    All(Vec<Condition<T>>),
    /// At least one of these conditions must hold.
    Any(Vec<Condition<T>>),
    /// This condition must not hold.
    Not(Box<Condition<T>>),
    /// The test is not known, because the condition does not parse or is nested too deeply.
    Unread,
}

/// The type of values that a comparison applies to. In JSONPath, the comparison is false for values of any other type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// The comparison applies to any values, as in JSONata.
    Any,
    /// The comparison applies to texts, as `StringEquals` does.
    Text,
    /// The comparison applies to numbers, as `NumericEquals` does.
    Number,
    /// The comparison applies to timestamps, as `TimestampEquals` does.
    Time,
    /// The comparison applies to booleans, as `BooleanEquals` does.
    Flag,
}

/// Types that JSONPath can test for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// The value `null`, which `IsNull` tests for.
    Null,
    /// Numbers, which `IsNumeric` tests for.
    Number,
    /// Texts, which `IsString` tests for.
    Text,
    /// Booleans, which `IsBoolean` tests for.
    Flag,
    /// Texts that are timestamps, which `IsTimestamp` tests for.
    Time,
}

/// A value that a condition tests. Two terms are equal only if they are certain to have the same value whenever both
/// are evaluated at the same time.
#[derive(Clone, Copy, Debug)]
pub enum Term<'d> {
    /// The value that a JSONPath path selects.
    Path(&'d Path),
    /// A constant in JSONPath.
    Constant(&'d Value),
    /// The pattern of `StringMatches`: its text as written, and its compiled form.
    Pattern(&'d Text, &'d Pattern),
    /// A part of a JSONata expression. The tree is the syntax tree of the whole expression.
    Node(&'d Tree, &'d Node),
}

/// The condition of a Choice rule.
pub type Asked<'d> = Condition<Term<'d>>;

impl<'d> Asked<'d> {
    /// The condition that a JSONPath or JSONata test expresses.
    #[must_use]
    pub fn of(test: &'d Test) -> Self {
        of_test(test, 0)
    }

    /// The condition that a part of a JSONata expression expresses.
    #[must_use]
    pub fn of_node(tree: &'d Tree, node: &'d Node) -> Self {
        of_node(tree, node, 0)
    }

    /// The alternatives of an `or`, or of an `in` with a list: the condition holds if at least one alternative holds.
    /// Empty for any other condition.
    #[must_use]
    pub fn alternatives(&self) -> Vec<Self> {
        match &self.ask {
            Ask::Any(any) => any.clone(),
            Ask::Compare {
                left,
                relation: Operator::In,
                right: Term::Node(tree, list),
                family,
            } => {
                let Form::Array(items) = &list.form else {
                    return Vec::new();
                };
                let equal = |item: &'d Node| Condition {
                    place: self.place.clone(),
                    ask: Ask::Compare {
                        left: *left,
                        relation: Operator::Equal,
                        right: Term::Node(tree, item),
                        family: *family,
                    },
                };
                items.iter().map(equal).collect()
            }
            _ => Vec::new(),
        }
    }
}

impl<T> Condition<T> {
    /// Calls `see` for each inner condition that is not a combination of others. `holds` says whether this condition is
    /// assumed to hold or not to hold. `see` gets the inner condition, and `holds` inverted once for each `Not` around
    /// the inner condition.
    pub fn each<'c>(&'c self, holds: bool, see: &mut dyn FnMut(&'c Self, bool)) {
        match &self.ask {
            Ask::All(parts) | Ask::Any(parts) => {
                parts.iter().for_each(|part| part.each(holds, see));
            }
            Ask::Not(part) => part.each(!holds, see),
            _ => see(self, holds),
        }
    }
}

impl<T> Ask<T> {
    /// The terms of this test; none if the test is a combination of other conditions.
    pub fn terms(&self) -> impl Iterator<Item = &T> {
        let (first, other) = match self {
            Self::Compare { left, right, .. } | Self::Matches(left, right) => {
                (Some(left), Some(right))
            }
            Self::Present(term, _) | Self::Is(term, ..) | Self::Truth(term) => (Some(term), None),
            _ => (None, None),
        };
        first.into_iter().chain(other)
    }
}

fn of_test(test: &Test, depth: usize) -> Asked<'_> {
    let (place, ask) = match test {
        _ if depth > DEEPEST => (Place::Joined, Ask::Unread),
        Test::And(tests) => (Place::Joined, Ask::All(of_tests(tests, depth + 1))),
        Test::Or(tests) => (Place::Joined, Ask::Any(of_tests(tests, depth + 1))),
        Test::Not(test) => (Place::Joined, Ask::Not(Box::new(of_test(test, depth + 1)))),
        Test::Compare(comparison) => (Place::Joined, of_comparison(comparison)),
        Test::Always(truth) => (Place::Joined, Ask::Always(*truth)),
        Test::Condition(expression) => match &expression.tree {
            Ok(tree) => return of_node(tree, tree.root(), depth),
            Err(_) => (Place::Joined, Ask::Unread),
        },
        Test::Broken(_) => (Place::Joined, Ask::Unread),
    };
    Condition { place, ask }
}

fn of_tests(tests: &[Test], depth: usize) -> Vec<Asked<'_>> {
    tests.iter().map(|test| of_test(test, depth)).collect()
}

fn of_comparison(comparison: &Comparison) -> Ask<Term<'_>> {
    let left = Term::Path(&comparison.variable);
    let right = match &comparison.operand {
        Operand::Constant(value) => Term::Constant(value),
        Operand::Path(path) => Term::Path(path),
        Operand::Pattern(text, pattern) => Term::Pattern(text, pattern),
    };
    let flag = !matches!(comparison.operand, Operand::Constant(Value::Bool(false)));
    let compare = |relation, family| Ask::Compare {
        left,
        relation: match relation {
            Relation::Equals => Operator::Equal,
            Relation::LessThan => Operator::Less,
            Relation::LessThanEquals => Operator::LessOrEqual,
            Relation::GreaterThan => Operator::Greater,
            Relation::GreaterThanEquals => Operator::GreaterOrEqual,
        },
        right,
        family,
    };
    match comparison.comparator {
        Comparator::String(relation) => compare(relation, Family::Text),
        Comparator::Numeric(relation) => compare(relation, Family::Number),
        Comparator::Timestamp(relation) => compare(relation, Family::Time),
        Comparator::BooleanEquals => compare(Relation::Equals, Family::Flag),
        Comparator::StringMatches => Ask::Matches(left, right),
        Comparator::IsPresent => Ask::Present(left, flag),
        Comparator::IsNull => Ask::Is(left, Type::Null, flag),
        Comparator::IsNumeric => Ask::Is(left, Type::Number, flag),
        Comparator::IsString => Ask::Is(left, Type::Text, flag),
        Comparator::IsBoolean => Ask::Is(left, Type::Flag, flag),
        Comparator::IsTimestamp => Ask::Is(left, Type::Time, flag),
    }
}

fn of_node<'d>(tree: &'d Tree, node: &'d Node, depth: usize) -> Asked<'d> {
    let node = node.bare();
    let term = |node: &'d Node| Term::Node(tree, node);
    let ask = match &node.form {
        _ if depth > DEEPEST => Ask::Truth(term(node)),
        Form::Bool(truth) => Ask::Always(*truth),
        Form::Binary(join @ (Operator::And | Operator::Or), ..) => {
            let parts = operands(node, *join).into_iter();
            let parts = parts.map(|part| of_node(tree, part, depth + 1)).collect();
            match join {
                Operator::And => Ask::All(parts),
                _ => Ask::Any(parts),
            }
        }
        Form::Binary(relation, left, right) if relation.compares() => Ask::Compare {
            left: term(left),
            relation: *relation,
            right: term(right),
            family: Family::Any,
        },
        Form::Function {
            name, arguments, ..
        } => match (name.as_str(), arguments.as_slice()) {
            ("not", [part]) => Ask::Not(Box::new(of_node(tree, part, depth + 1))),
            ("exists", [value]) => Ask::Present(term(value), true),
            _ => Ask::Truth(term(node)),
        },
        _ => Ask::Truth(term(node)),
    };
    Condition {
        place: Place::Expression(node.range.clone()),
        ask,
    }
}

/// The operands of a chain of the operator `join`, such as the three operands of `a and b and c`. Parentheses inside
/// the chain make no difference.
fn operands(node: &Node, join: Operator) -> Vec<&Node> {
    let (mut parts, mut open) = (Vec::new(), vec![node]);
    while let Some(node) = open.pop() {
        match &node.bare().form {
            Form::Binary(operator, left, right) if *operator == join => {
                open.extend([&**right, &**left])
            }
            _ => parts.push(node),
        }
    }
    parts
}

impl<'d> Term<'d> {
    /// The value of a literal term.
    #[must_use]
    pub fn literal(&self) -> Option<Cow<'d, Value>> {
        match self {
            Self::Constant(value) => Some(Cow::Borrowed(value)),
            Self::Node(_, node) => node.bare().literal().map(Cow::Owned),
            Self::Path(_) | Self::Pattern(..) => None,
        }
    }

    /// The term as written, on one line.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Path(path) => path.text().to_owned(),
            Self::Constant(value) => one_line(value),
            Self::Pattern(text, _) => format!("\"{text}\""),
            Self::Node(tree, node) => {
                let words = tree.text_of(node).split_whitespace();
                words.collect::<Vec<_>>().join(" ")
            }
        }
    }

    /// True if the term is a path: a root followed only by member names and indexes, or in JSONata also by wildcards.
    #[must_use]
    pub fn is_path(&self) -> bool {
        let is_root = |node: &Node| matches!(node.form, Form::Variable(_) | Form::Root);
        match self {
            Self::Path(path) => path.is_reference(),
            Self::Node(_, node) => match &node.form {
                Form::Path(steps) => {
                    let mut rest = steps.iter();
                    let first = rest.next().filter(|step| is_root(&step.node));
                    first.is_some_and(is_indexed)
                        && rest.all(|step| is_named(step) && is_indexed(step))
                }
                _ => is_root(node),
            },
            Self::Constant(_) | Self::Pattern(..) => false,
        }
    }

    /// The last name of a path.
    #[must_use]
    pub fn last_name(&self) -> Option<Text> {
        match self {
            Self::Path(path) => path.last_name(),
            Self::Node(_, node) => node.bare().last_name().map(Text::from),
            Self::Constant(_) | Self::Pattern(..) => None,
        }
    }
}

fn is_named(step: &Step) -> bool {
    matches!(
        step.node.form,
        Form::Name(_) | Form::Wildcard | Form::Descendants
    )
}

/// True if nothing follows the name in this step of a path except brackets with an index or a name.
fn is_indexed(step: &Step) -> bool {
    let mut stages = step.stages.iter();
    let is_index = |stage: &Stage| match stage {
        Stage::Filter(node) => node.number().is_some() || node.last_name().is_some(),
        Stage::KeepArray => true,
        Stage::Index(_) => false,
    };
    step.focus.is_none() && step.index.is_none() && stages.all(is_index)
}

impl PartialEq for Term<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Path(left), Self::Path(right)) => left == right,
            (Self::Constant(left), Self::Constant(right)) => left == right,
            (Self::Pattern(left, _), Self::Pattern(right, _)) => left == right,
            (Self::Node(_, left), Self::Node(_, right)) => {
                left.range.len().max(right.range.len()) <= LONGEST
                    && left.bare() == right.bare()
                    && left.drawn().is_none()
            }
            _ => false,
        }
    }
}
