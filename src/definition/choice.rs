//! The fields of a Choice: its rules, tests and comparators.

use super::field_value::Jsonata;
use super::field_value::Target;
use crate::json::{Text, Value};
use crate::query::{Path, Pattern, Template, jsonata};
use crate::source::Span;
use std::fmt;
use std::sync::Arc;

/// The fields of a Choice.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The rules in the field `Choices`, in order.
    pub rules: Vec<Rule>,
    /// The state to which the field `Default` leads.
    pub default: Option<Target>,
}

/// A rule in `Choices`.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Span of the rule.
    pub span: Span,
    /// The condition under which the rule matches.
    pub test: Test,
    /// The state to which `Next` leads; `None` if the field is missing.
    pub next: Option<Target>,
    /// The field `Assign` of the rule in JSONPath mode.
    pub assign: Option<Template>,
    /// The fields `Output` and `Assign` of the rule in JSONata mode.
    pub jsonata: Jsonata,
    /// The field `Comment` of the rule.
    pub comment: Option<Text>,
}

/// The test of a Choice rule, or a part of such a test.
#[derive(Clone, Debug)]
pub enum Test {
    /// `And`: holds if all of its tests hold.
    And(Vec<Test>),
    /// `Or`.
    Or(Vec<Test>),
    /// `Not`: holds if its test does not hold.
    Not(Box<Test>),
    /// A comparison: the field `Variable`, and a comparator with its operand.
    Compare(Box<Comparison>),
    /// The field `Condition` with a JSONata expression.
    Condition(Arc<jsonata::Expression>),
    /// The field `Condition` with the constant `true` or `false`.
    Always(bool),
    /// A test that could not be parsed. The text says why. Evaluating the test raises a fault, which is an error in the
    /// state.
    Broken(Text),
}

/// A comparison: `Variable`, comparator and operand.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Span of the object that contains `Variable` and the comparator.
    pub span: Span,
    /// The path in the field `Variable`, which selects the value to compare.
    pub variable: Path,
    /// The comparator.
    pub comparator: Comparator,
    /// The value that the variable is compared with.
    pub operand: Operand,
}

/// The value that a variable is compared with.
#[derive(Clone, Debug)]
pub enum Operand {
    /// A constant: string, number, boolean or timestamp text.
    Constant(Value),
    /// The value at a path.
    Path(Path),
    /// The pattern of `StringMatches`: its text as written, and its compiled form.
    Pattern(Text, Pattern),
}

impl Comparison {
    /// The paths that the comparison reads: `Variable`, and the path of a `...Path` comparator.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        let operand = match &self.operand {
            Operand::Path(path) => Some(path),
            Operand::Constant(_) | Operand::Pattern(..) => None,
        };
        std::iter::once(&self.variable).chain(operand)
    }
}

impl Test {
    /// Every comparison in the test, in the order of the text.
    #[must_use]
    pub fn comparisons(&self) -> Vec<&Comparison> {
        match self {
            Self::And(tests) | Self::Or(tests) => {
                tests.iter().flat_map(Self::comparisons).collect()
            }
            Self::Not(test) => test.comparisons(),
            Self::Compare(comparison) => vec![comparison],
            Self::Condition(_) | Self::Always(_) | Self::Broken(_) => Vec::new(),
        }
    }
}

/// The 39 comparators of Choice rules. A comparator and its `...Path` form are the same value here, because they differ
/// only in the operand: a constant or a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparator {
    /// A comparison of strings: `StringEquals`, `StringLessThan`, ...
    String(Relation),
    /// A comparison of numbers: `NumericEquals`, `NumericLessThan`, ...
    Numeric(Relation),
    /// A comparison of timestamps: `TimestampEquals`, `TimestampLessThan`, ...
    Timestamp(Relation),
    /// `BooleanEquals`
    BooleanEquals,
    /// `StringMatches`
    StringMatches,
    /// `IsNull`
    IsNull,
    /// `IsPresent`
    IsPresent,
    /// `IsNumeric`
    IsNumeric,
    /// `IsString`
    IsString,
    /// `IsBoolean`
    IsBoolean,
    /// `IsTimestamp`
    IsTimestamp,
}

/// An order relation between two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// `Equals`
    Equals,
    /// `LessThan`
    LessThan,
    /// `GreaterThan`
    GreaterThan,
    /// `LessThanEquals`
    LessThanEquals,
    /// `GreaterThanEquals`
    GreaterThanEquals,
}

impl Relation {
    /// True if the relation holds between two values, where `order` is the order of the first value relative to the
    /// second.
    #[must_use]
    pub fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Self::Equals => order.is_eq(),
            Self::LessThan => order.is_lt(),
            Self::GreaterThan => order.is_gt(),
            Self::LessThanEquals => order.is_le(),
            Self::GreaterThanEquals => order.is_ge(),
        }
    }

    const ALL: [Self; 5] = [
        Self::Equals,
        Self::LessThan,
        Self::GreaterThan,
        Self::LessThanEquals,
        Self::GreaterThanEquals,
    ];
}

impl Comparator {
    /// Parses a comparator's name, such as `StringEquals` or `StringEqualsPath`. The flag is true for a `...Path` form.
    #[must_use]
    pub fn parse(name: &str) -> Option<(Self, bool)> {
        let named = |name: &str| Self::all().find(|comparator| comparator.name() == name);
        if let Some(comparator) = named(name) {
            return Some((comparator, false));
        }
        let comparator = named(name.strip_suffix("Path")?)?;
        comparator.has_path_form().then_some((comparator, true))
    }

    /// All comparators without their `...Path` forms.
    pub fn all() -> impl Iterator<Item = Self> {
        let ordered = [Self::String, Self::Numeric, Self::Timestamp]
            .into_iter()
            .flat_map(|family: fn(Relation) -> Self| Relation::ALL.map(family));
        ordered.chain([
            Self::BooleanEquals,
            Self::StringMatches,
            Self::IsNull,
            Self::IsPresent,
            Self::IsNumeric,
            Self::IsString,
            Self::IsBoolean,
            Self::IsTimestamp,
        ])
    }

    /// The names of all comparators and of their `...Path` forms.
    pub(super) fn names() -> Vec<String> {
        let forms = |comparator: Self| {
            let path = comparator.has_path_form();
            let path = path.then(|| format!("{comparator}Path"));
            std::iter::once(comparator.to_string()).chain(path)
        };
        Self::all().flat_map(forms).collect()
    }

    /// True if the comparator has a `...Path` form.
    #[must_use]
    pub fn has_path_form(self) -> bool {
        matches!(
            self,
            Self::String(_) | Self::Numeric(_) | Self::Timestamp(_) | Self::BooleanEquals
        )
    }

    /// The comparator's name in its form without `Path`, such as `StringEquals`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::String(Relation::Equals) => "StringEquals",
            Self::String(Relation::LessThan) => "StringLessThan",
            Self::String(Relation::GreaterThan) => "StringGreaterThan",
            Self::String(Relation::LessThanEquals) => "StringLessThanEquals",
            Self::String(Relation::GreaterThanEquals) => "StringGreaterThanEquals",
            Self::Numeric(Relation::Equals) => "NumericEquals",
            Self::Numeric(Relation::LessThan) => "NumericLessThan",
            Self::Numeric(Relation::GreaterThan) => "NumericGreaterThan",
            Self::Numeric(Relation::LessThanEquals) => "NumericLessThanEquals",
            Self::Numeric(Relation::GreaterThanEquals) => "NumericGreaterThanEquals",
            Self::Timestamp(Relation::Equals) => "TimestampEquals",
            Self::Timestamp(Relation::LessThan) => "TimestampLessThan",
            Self::Timestamp(Relation::GreaterThan) => "TimestampGreaterThan",
            Self::Timestamp(Relation::LessThanEquals) => "TimestampLessThanEquals",
            Self::Timestamp(Relation::GreaterThanEquals) => "TimestampGreaterThanEquals",
            Self::BooleanEquals => "BooleanEquals",
            Self::StringMatches => "StringMatches",
            Self::IsNull => "IsNull",
            Self::IsPresent => "IsPresent",
            Self::IsNumeric => "IsNumeric",
            Self::IsString => "IsString",
            Self::IsBoolean => "IsBoolean",
            Self::IsTimestamp => "IsTimestamp",
        }
    }
}

impl fmt::Display for Comparator {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}
