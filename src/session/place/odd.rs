//! The values of several items beside each other, and the one that differs from all others in its type or its members.

use crate::json::Value;

/// At most so many values are compared.
pub(in crate::session) const MOST: usize = 1_000;
/// Of fewer values none is the odd one.
const FEWEST: usize = 3;

/// One of several values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Odd {
    /// Which of them.
    pub index: usize,
    /// What it is alone.
    pub what: Oddity,
}

/// What a value is that all others are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Oddity {
    /// Of this type, where the others are of another one.
    Type(&'static str),
    /// An object with other members than the others have.
    Members,
}

/// The same member of several items, as an expression read it.
#[derive(Clone, Debug, PartialEq)]
pub struct Items {
    /// The odd one.
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

/// The few of some values that are of another type than all others, and the type of those.
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
