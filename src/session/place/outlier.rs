//! Compares values of several items to find the one whose type or members differ from all others.

use crate::json::Value;

/// Maximum number of values to compare.
pub(in crate::session) const MOST: usize = 1_000;
/// Minimum number of values among which one can be odd.
const FEWEST: usize = 3;

/// The odd one of several values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Odd {
    /// Index of the value.
    pub index: usize,
    /// How the odd value differs.
    pub what: Oddity,
}

/// How a value differs from all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Oddity {
    /// The value has this type; the others have another one.
    Type(&'static str),
    /// The value is an object with other members than the others.
    Members,
}

/// The same member of several items, as an expression read it.
#[derive(Clone, Debug, PartialEq)]
pub struct Items {
    /// The odd one of the values.
    pub odd: Option<Odd>,
}

/// The odd one among some values.
pub(in crate::session) fn odd(values: &[&Value]) -> Option<Odd> {
    if !(FEWEST..=MOST).contains(&values.len()) {
        return None;
    }
    if let Some((others, _)) = of_other_type(values)
        && let [index] = *others.as_slice()
    {
        let what = Oddity::Type(values.get(index)?.type_name());
        return Some(Odd { index, what });
    }
    let is_other = |value: &Value, usual: &Value| match (value.as_object(), usual.as_object()) {
        (Some(own), Some(usual)) => {
            let (own, usual) = (own.members(), usual.members());
            own.len() != usual.len() || own.iter().zip(usual).any(|(one, other)| one.0 != other.0)
        }
        _ => false,
    };
    values.iter().take(2).find_map(|usual| {
        let mut others = values.iter().enumerate();
        let (index, _) = others.find(|(_, value)| is_other(value, usual))?;
        let is_alone = !others.any(|(_, value)| is_other(value, usual));
        let what = Oddity::Members;
        is_alone.then_some(Odd { index, what })
    })
}

/// The minority of values that have another type than the majority, and the type of the majority.
pub(in crate::session) fn of_other_type(values: &[&Value]) -> Option<(Vec<usize>, &'static str)> {
    if !(FEWEST..=MOST).contains(&values.len()) {
        return None;
    }
    let are = |kind: &str| values.iter().filter(|one| one.type_name() == kind).count();
    let usual = values
        .iter()
        .map(|value| value.type_name())
        .find(|kind| are(kind) * 2 > values.len())?;
    let others = values.iter().enumerate();
    let others = others.filter(|(_, value)| value.type_name() != usual);
    let others: Vec<usize> = others.map(|(index, _)| index).collect();
    (!others.is_empty()).then_some((others, usual))
}
