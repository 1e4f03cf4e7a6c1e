//! The comparators of Choice rules.

use std::fmt;

/// The 39 comparators. A comparator and its `...Path` form differ only in the operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparator {
    /// `StringEquals`, ...
    String(Relation),
    /// `NumericEquals`, ...
    Numeric(Relation),
    /// `TimestampEquals`, ...
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
    /// True if the relation holds for values in this order.
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
    /// Parses a name such as `StringEquals` or `StringEqualsPath`. The flag is true for a `...Path` form.
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

    /// True if the comparator has a `...Path` form.
    #[must_use]
    pub fn has_path_form(self) -> bool {
        matches!(
            self,
            Self::String(_) | Self::Numeric(_) | Self::Timestamp(_) | Self::BooleanEquals
        )
    }
}

impl Comparator {
    /// The name without `Path`.
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
