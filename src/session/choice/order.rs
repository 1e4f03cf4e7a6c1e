//! As what a comparison of a Choice puts two values in order: texts, numbers or times.

use crate::definition::{Comparator, Comparison, Operand, Relation};
use crate::json::Value;
use crate::query::Bindings;
use crate::query::Evaluate as _;

/// The values of both sides of a comparison; a pattern has none.
pub(super) fn sides(comparison: &Comparison, bindings: &dyn Bindings) -> [Option<Value>; 2] {
    let right = match &comparison.operand {
        Operand::Path(path) => path.eval(bindings).ok(),
        Operand::Constant(value) => Some(value.clone()),
        Operand::Pattern(..) => None,
    };
    [comparison.variable.eval(bindings).ok(), right]
}

/// The sign of a comparison, with what it compares as where its values may look like something else.
pub(super) fn sign(comparison: &Comparison, bindings: &dyn Bindings) -> String {
    match comparison.comparator {
        Comparator::String(relation) => ordered(relation, " as text"),
        Comparator::Numeric(relation) => {
            let is_number = |value: &Value| value.type_name() == "number";
            let sides = sides(comparison, bindings);
            let fits = sides
                .iter()
                .all(|side| side.as_ref().is_some_and(is_number));
            ordered(relation, if fits { "" } else { " number" })
        }
        Comparator::Timestamp(relation) => ordered(relation, " as time"),
        Comparator::BooleanEquals => "=".to_string(),
        Comparator::StringMatches => "matches".to_string(),
        other => other.to_string(),
    }
}

/// `=`, `< as text`: the sign of a relation, and as what both sides are put in order.
fn ordered(relation: Relation, kind: &str) -> String {
    let sign = match relation {
        Relation::Equals => return "=".to_string(),
        Relation::LessThan => "<",
        Relation::GreaterThan => ">",
        Relation::LessThanEquals => "<=",
        Relation::GreaterThanEquals => ">=",
    };
    format!("{sign}{kind}")
}

/// That two texts would compare otherwise as what they look like: times, or numbers.
pub(super) fn in_another_order(
    comparison: &Comparison,
    bindings: &dyn Bindings,
    held: bool,
) -> Option<String> {
    let Comparator::String(relation) = comparison.comparator else {
        return None;
    };
    let [left, right] = sides(comparison, bindings);
    let (left, right) = (left?, right?);
    let (left, right) = (left.as_str()?, right.as_str()?);
    let time = crate::query::parse_timestamp;
    let number = |text: &str| text.trim().parse::<f64>().ok();
    let order = match (time(left), time(right)) {
        (Some(left), Some(right)) => left.partial_cmp(&right).zip(Some("times")),
        _ => number(left)?
            .partial_cmp(&number(right)?)
            .zip(Some("numbers")),
    };
    let (order, kind) = order?;
    let would = match relation {
        Relation::Equals => order.is_eq(),
        Relation::LessThan => order.is_lt(),
        Relation::GreaterThan => order.is_gt(),
        Relation::LessThanEquals => order.is_le(),
        Relation::GreaterThanEquals => order.is_ge(),
    };
    (would != held).then(|| format!("{held} as text; as {kind} it would be {would}"))
}
