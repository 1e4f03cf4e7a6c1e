//! How a Choice comparison orders its values: as text, numbers or times.

use crate::definition::{Comparator, Comparison, Operand, Relation};
use crate::json::Value;
use crate::query::Bindings;
use crate::query::Evaluate as _;

/// Values of both sides of a comparison; a pattern has no value.
pub(super) fn sides(comparison: &Comparison, bindings: &dyn Bindings) -> [Option<Value>; 2] {
    let right = match &comparison.operand {
        Operand::Path(path) => path.eval(bindings).ok(),
        Operand::Constant(value) => Some(value.clone()),
        Operand::Pattern(..) => None,
    };
    [comparison.variable.eval(bindings).ok(), right]
}

/// The operator of a comparison, with the type by which it compares if the values look like another type.
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

/// `=`, `< as text`: the operator, and the type by which both sides are ordered.
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

/// A note that two texts look like times or numbers, and would compare differently as such.
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
