//! Whether one test of a Choice holds wherever another does, as far as the texts of the two tell.
//!
//! It must not know the data; where the texts do not tell, the answer is no.

use super::{Comparator, Comparison, Operand, Relation, Test};
use crate::json::Value;
use crate::query::parse_timestamp;
use std::cmp::Ordering;

/// Whether `wide` surely holds wherever `narrow` does.
#[must_use]
pub fn implies(narrow: &Test, wide: &Test) -> bool {
    match (narrow, wide) {
        (Test::Broken(_), _) | (_, Test::Broken(_)) => false,
        (_, Test::Always(true)) | (Test::Always(false), _) => true,
        (_, Test::And(all)) => all.iter().all(|one| implies(narrow, one)),
        (Test::Or(any), _) => any.iter().all(|one| implies(one, wide)),
        (Test::Not(one), Test::Not(other)) if implies(other, one) => true,
        (_, Test::Not(wide)) => refutes(narrow, wide),
        (_, Test::Or(any)) if any.iter().any(|one| implies(narrow, one)) => true,
        (Test::And(all), _) => all.iter().any(|one| implies(one, wide)),
        (Test::Not(narrow), _) => fails(narrow, wide),
        (Test::Compare(narrow), Test::Compare(wide)) => compares(narrow, wide),
        _ => false,
    }
}

/// Whether `wide` surely does not hold wherever `narrow` does.
fn refutes(narrow: &Test, wide: &Test) -> bool {
    match (narrow, wide) {
        (Test::Broken(_), _) | (_, Test::Broken(_)) => false,
        (Test::Always(false), _) | (_, Test::Always(false)) => true,
        (_, Test::Not(wide)) => implies(narrow, wide),
        (Test::Or(any), _) => any.iter().all(|one| refutes(one, wide)),
        (_, Test::Or(any)) => any.iter().all(|one| refutes(narrow, one)),
        (_, Test::And(all)) if all.iter().any(|one| refutes(narrow, one)) => true,
        (Test::And(all), _) => all.iter().any(|one| refutes(one, wide)),
        (Test::Not(narrow), _) => implies(wide, narrow),
        (Test::Compare(narrow), Test::Compare(wide)) => excludes(narrow, wide),
        _ => false,
    }
}

/// Whether `wide` surely holds wherever `narrow` does not.
#[must_use]
pub fn fails(narrow: &Test, wide: &Test) -> bool {
    match (narrow, wide) {
        (Test::Broken(_), _) | (_, Test::Broken(_)) => false,
        (Test::Always(true), _) | (_, Test::Always(true)) => true,
        (_, Test::And(all)) => all.iter().all(|one| fails(narrow, one)),
        (Test::And(all), _) => all.iter().all(|one| fails(one, wide)),
        (Test::Not(narrow), _) => implies(narrow, wide),
        (_, Test::Not(wide)) => implies(wide, narrow),
        (_, Test::Or(any)) if any.iter().any(|one| fails(narrow, one)) => true,
        (Test::Or(any), _) => any.iter().any(|one| fails(one, wide)),
        (Test::Compare(narrow), Test::Compare(wide)) => is_other_answer(narrow, wide),
        _ => false,
    }
}

/// Whether two comparisons are the two answers to one question about a type.
fn is_other_answer(one: &Comparison, other: &Comparison) -> bool {
    let asks_type = matches!(
        one.comparator,
        Comparator::IsPresent
            | Comparator::IsNull
            | Comparator::IsString
            | Comparator::IsNumeric
            | Comparator::IsBoolean
            | Comparator::IsTimestamp
    );
    let answers = asks(&one.operand).zip(asks(&other.operand));
    asks_type
        && one.variable == other.variable
        && one.comparator == other.comparator
        && answers.is_some_and(|(one, other)| one != other)
}

fn compares(narrow: &Comparison, wide: &Comparison) -> bool {
    if narrow.variable != wide.variable {
        return false;
    }
    if narrow.comparator == wide.comparator && same(&narrow.operand, &wide.operand) {
        return true;
    }
    let kind = kind_of(narrow);
    match (wide.comparator, &wide.operand) {
        // What is missing ends the run in every comparison but this.
        (Comparator::IsPresent, operand) => asks(operand) == Some(true) && !is_absence(narrow),
        (Comparator::IsString, operand) => is_kind(kind, Kind::Text, operand),
        (Comparator::IsNumeric, operand) => is_kind(kind, Kind::Number, operand),
        (Comparator::IsBoolean, operand) => is_kind(kind, Kind::Flag, operand),
        (Comparator::IsNull, operand) => is_kind(kind, Kind::Null, operand),
        (Comparator::StringMatches, Operand::Pattern(_, wide)) => match &narrow.operand {
            Operand::Pattern(_, narrow) => wide.covers(narrow),
            Operand::Constant(Value::String(text))
                if narrow.comparator == Comparator::String(Relation::Equals) =>
            {
                wide.matches(text)
            }
            _ => false,
        },
        _ => in_range(narrow, wide),
    }
}

/// What a value surely is where a comparison holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Number,
    Flag,
    Null,
}

fn kind_of(one: &Comparison) -> Option<Kind> {
    match one.comparator {
        Comparator::String(_) | Comparator::StringMatches | Comparator::Timestamp(_) => {
            Some(Kind::Text)
        }
        Comparator::Numeric(_) => Some(Kind::Number),
        Comparator::BooleanEquals => Some(Kind::Flag),
        Comparator::IsString | Comparator::IsTimestamp if asks(&one.operand) == Some(true) => {
            Some(Kind::Text)
        }
        Comparator::IsNumeric if asks(&one.operand) == Some(true) => Some(Kind::Number),
        Comparator::IsBoolean if asks(&one.operand) == Some(true) => Some(Kind::Flag),
        Comparator::IsNull if asks(&one.operand) == Some(true) => Some(Kind::Null),
        _ => None,
    }
}

/// Whether the test of a type holds for what is known of a value.
fn is_kind(known: Option<Kind>, wanted: Kind, operand: &Operand) -> bool {
    match (known, asks(operand)) {
        (Some(known), Some(flag)) => (known == wanted) == flag,
        _ => false,
    }
}

/// Whether a comparison holds where its value is missing.
fn is_absence(one: &Comparison) -> bool {
    one.comparator == Comparator::IsPresent && asks(&one.operand) != Some(true)
}

fn asks(operand: &Operand) -> Option<bool> {
    match operand {
        Operand::Constant(Value::Bool(flag)) => Some(*flag),
        _ => None,
    }
}

fn same(one: &Operand, other: &Operand) -> bool {
    match (one, other) {
        (Operand::Constant(one), Operand::Constant(other)) => one == other,
        (Operand::Path(one), Operand::Path(other)) => one == other,
        (Operand::Pattern(one, _), Operand::Pattern(other, _)) => one == other,
        _ => false,
    }
}

/// How two constants of one family of comparators stand.
fn order(one: &Comparison, other: &Comparison) -> Option<(Relation, Ordering, Relation)> {
    let (Operand::Constant(left), Operand::Constant(right)) = (&one.operand, &other.operand) else {
        return None;
    };
    match (one.comparator, other.comparator) {
        (Comparator::Numeric(a), Comparator::Numeric(b)) => {
            let (left, right) = (left.as_number()?.as_f64(), right.as_number()?.as_f64());
            Some((a, left.partial_cmp(&right)?, b))
        }
        (Comparator::Timestamp(a), Comparator::Timestamp(b)) => {
            let left = parse_timestamp(left.as_str()?)?;
            Some((a, left.cmp(&parse_timestamp(right.as_str()?)?), b))
        }
        // Of texts only equal ones: in which order others stand, the profiles may see differently.
        (Comparator::String(a), Comparator::String(b)) if left == right => {
            Some((a, Ordering::Equal, b))
        }
        _ => None,
    }
}

/// Whether all values below, above or at one constant lie below, above or at another.
fn in_range(narrow: &Comparison, wide: &Comparison) -> bool {
    use Relation::{Equals, GreaterThan, GreaterThanEquals, LessThan, LessThanEquals};
    let Some((narrow, order, wide)) = order(narrow, wide) else {
        return false;
    };
    match (narrow, wide) {
        (Equals, wide) => wide.holds(order),
        (LessThan, LessThan | LessThanEquals) | (LessThanEquals, LessThanEquals) => order.is_le(),
        (LessThanEquals, LessThan) => order.is_lt(),
        (GreaterThan, GreaterThan | GreaterThanEquals) | (GreaterThanEquals, GreaterThanEquals) => {
            order.is_ge()
        }
        (GreaterThanEquals, GreaterThan) => order.is_gt(),
        _ => false,
    }
}

/// Whether no value stands in the first relation to one constant and in the second to another, which the first constant is
/// in this order to.
fn apart(narrow: Relation, order: Ordering, wide: Relation) -> bool {
    use Relation::{Equals, GreaterThan, GreaterThanEquals, LessThan, LessThanEquals};
    match (narrow, wide) {
        (Equals, wide) => !wide.holds(order),
        (narrow, Equals) => !narrow.holds(order.reverse()),
        (LessThan, GreaterThan | GreaterThanEquals) | (LessThanEquals, GreaterThan) => {
            order.is_le()
        }
        (LessThanEquals, GreaterThanEquals) => order.is_lt(),
        (GreaterThan, LessThan | LessThanEquals) | (GreaterThanEquals, LessThan) => order.is_ge(),
        (GreaterThanEquals, LessThanEquals) => order.is_gt(),
        _ => false,
    }
}

/// Whether two comparisons never hold together, the value being there.
fn excludes(one: &Comparison, other: &Comparison) -> bool {
    if one.variable != other.variable {
        return false;
    }
    if is_other_answer(one, other) {
        return true;
    }
    if other.comparator == Comparator::IsPresent {
        return asks(&other.operand) == Some(false) && !is_absence(one);
    }
    if let (Some(one), Some(other)) = (kind_of(one), kind_of(other))
        && one != other
    {
        return true;
    }
    match (&one.operand, &other.operand) {
        (Operand::Pattern(_, pattern), Operand::Constant(Value::String(text)))
        | (Operand::Constant(Value::String(text)), Operand::Pattern(_, pattern)) => {
            let equal = Comparator::String(Relation::Equals);
            let is_equality = one.comparator == equal || other.comparator == equal;
            return is_equality && !pattern.matches(text);
        }
        _ => {}
    }
    if let Some((narrow, order, wide)) = order(one, other)
        && !matches!(one.comparator, Comparator::String(_))
    {
        return apart(narrow, order, wide);
    }
    let equals = |one: &Comparison| {
        matches!(
            one.comparator,
            Comparator::String(Relation::Equals)
                | Comparator::Numeric(Relation::Equals)
                | Comparator::BooleanEquals
        )
    };
    match (&one.operand, &other.operand) {
        (Operand::Constant(left), Operand::Constant(right)) => {
            equals(one) && equals(other) && one.comparator == other.comparator && left != right
        }
        _ => false,
    }
}
