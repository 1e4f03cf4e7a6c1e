//! Determines which conditions follow from others, in both query languages.
//!
//! | | JSONPath | JSONata |
//! |---|---|---|
//! | a value is missing | a fault, except for `IsPresent` | `=`, `!=` and `in` are false; `<` returns nothing |
//! | a value of another type | false, so its `Not` is true | `=` is false; `<` is a fault |
//!
//! A fault is an error in the state. It ends the evaluation of the rules, so a condition that faults implies every
//! other condition. It is also a fault if the whole condition of a rule returns nothing. If an operand of `and` or `or`
//! returns nothing, the operand counts as false.

use super::condition::{Ask, Asked, Family, Term, Type};
use crate::json::Value;
use crate::query::jsonata::Operator;
use crate::query::{Instant, Pattern, parse_timestamp};
use std::cmp::Ordering;

/// True if `wide` is certain to hold whenever `narrow` holds.
#[must_use]
pub fn implies(narrow: &Asked<'_>, wide: &Asked<'_>) -> bool {
    follows((narrow, Truths::YES), (wide, Truths::YES.or_nothing()))
}

/// True if `wide` is certain to hold whenever `narrow` does not hold.
#[must_use]
pub fn fails(narrow: &Asked<'_>, wide: &Asked<'_>) -> bool {
    follows((narrow, Truths::NO), (wide, Truths::YES.or_nothing()))
}

/// The possible results of a condition.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Truth {
    Yes,
    No,
    Nothing,
    Fault,
}

impl From<bool> for Truth {
    fn from(holds: bool) -> Self {
        if holds { Self::Yes } else { Self::No }
    }
}

/// A set of possible results of a condition. It contains either `Yes` or `No`. It may also contain `Nothing`, but never
/// `Fault`.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Truths {
    yes: bool,
    nothing: bool,
}

impl Truths {
    const YES: Self = Self {
        yes: true,
        nothing: false,
    };
    const NO: Self = Self {
        yes: false,
        nothing: false,
    };

    fn or_nothing(self) -> Self {
        Self {
            nothing: true,
            ..self
        }
    }

    fn denied(self) -> Self {
        Self {
            yes: !self.yes,
            ..self
        }
    }

    /// The results that a single operand of `and` or `or` may have, if `self` are the results that the whole condition
    /// may have.
    fn of_part(self) -> Self {
        match self.yes {
            true => Self::YES,
            false => Self::NO.or_nothing(),
        }
    }

    fn has(self, truth: Truth) -> bool {
        match truth {
            Truth::Yes => self.yes,
            Truth::No => !self.yes,
            Truth::Nothing => self.nothing,
            Truth::Fault => false,
        }
    }
}

/// A claim: the result of the condition is one of these results. A claim is either assumed or to be proved.
type Claim<'c, 'd> = (&'c Asked<'d>, Truths);

/// True if, whenever the claim `narrow` is true, the claim `wide` is true as well or its condition faults.
fn follows(narrow: Claim<'_, '_>, wide: Claim<'_, '_>) -> bool {
    let ((from, given), (to, wanted)) = (narrow, wide);
    let (part, wanted_part) = (given.of_part(), wanted.of_part());
    match (&from.ask, &to.ask) {
        (Ask::Unread, _) | (_, Ask::Unread) => false,
        (_, Ask::Always(truth)) if wanted.has((*truth).into()) => true,
        (Ask::Always(truth), _) => !given.has((*truth).into()),
        (Ask::Not(from), _) => follows((from, given.denied()), wide),
        (_, Ask::Not(to)) => follows(narrow, (to, wanted.denied())),
        (_, Ask::All(all)) if wanted.yes => all.iter().all(|to| follows(narrow, (to, wanted_part))),
        (_, Ask::Any(any)) if !wanted.yes => {
            any.iter().all(|to| follows(narrow, (to, wanted_part)))
        }
        (Ask::All(all), _) if !given.yes => all.iter().all(|from| follows((from, part), wide)),
        (Ask::Any(any), _) if given.yes => any.iter().all(|from| follows((from, part), wide)),
        (first, other) => {
            let by_part = match first {
                Ask::All(parts) | Ask::Any(parts) => {
                    parts.iter().any(|from| follows((from, part), wide))
                }
                _ => false,
            };
            by_part
                || match other {
                    Ask::All(parts) | Ask::Any(parts) => {
                        parts.iter().any(|to| follows(narrow, (to, wanted_part))) || {
                            let each = from.alternatives();
                            given.yes
                                && !each.is_empty()
                                && each.iter().all(|from| follows((from, given), wide))
                        }
                    }
                    _ => follows_of_one((first, given), (other, wanted)),
                }
        }
    }
}

/// True if the second claim follows from the first. Neither condition is a combination of others, so the claims are
/// tested for every kind of value.
fn follows_of_one(
    (from, given): (&Ask<Term<'_>>, Truths),
    (to, wanted): (&Ask<Term<'_>>, Truths),
) -> bool {
    if from == to {
        return given.yes == wanted.yes && (wanted.nothing || !given.nothing);
    }
    let (Some(narrow), Some(wide)) = (Question::of(from), Question::of(to)) else {
        return false;
    };
    if narrow.about != wide.about {
        return false;
    }
    if let (Asks::Form(narrow), Asks::Form(wide)) = (&narrow.asks, &wide.asks)
        && given == Truths::YES
        && wanted.yes
    {
        return wide.covers(narrow);
    }
    let constants = Constants::of([&narrow, &wide]);
    constants.samples().into_iter().all(|sample| {
        let may_be = match narrow.answer(sample, &constants) {
            Some(truth) => given.has(truth),
            None => true,
        };
        let is = || wide.answer(sample, &constants);
        !may_be || is().is_some_and(|truth| truth == Truth::Fault || wanted.has(truth))
    })
}

/// A condition that tests a single value.
struct Question<'q> {
    about: Term<'q>,
    asks: Asks<'q>,
}

enum Asks<'q> {
    Present(bool),
    Is(Type, bool),
    Truth,
    Form(&'q Pattern),
    /// A comparison of the tested value with a constant, or with a value that is not known statically (`None`).
    Compare(Operator, Option<Value>, Family),
}

impl<'q> Question<'q> {
    fn of(ask: &Ask<Term<'q>>) -> Option<Self> {
        let (about, asks) = match ask {
            Ask::Present(about, flag) => (*about, Asks::Present(*flag)),
            Ask::Is(about, kind, flag) => (*about, Asks::Is(*kind, *flag)),
            Ask::Truth(about) => (*about, Asks::Truth),
            Ask::Matches(about, Term::Pattern(_, pattern)) => (*about, Asks::Form(pattern)),
            Ask::Compare {
                left,
                relation,
                right,
                family,
            } => {
                let constant = |term: &Term<'_>| term.literal().map(|value| value.into_owned());
                match (constant(left), relation) {
                    (None, _) => {
                        let compare = Asks::Compare(*relation, constant(right), *family);
                        (*left, compare)
                    }
                    // The items of the right operand are not known statically.
                    (Some(_), Operator::In) => (*right, Asks::Compare(*relation, None, *family)),
                    (left, _) => (*right, Asks::Compare(relation.turned(), left, *family)),
                }
            }
            _ => return None,
        };
        Some(Self { about, asks })
    }

    /// The result of the condition if the tested value is of the kind `sample`. `None` if the result is not known, or
    /// if it also depends on other values.
    fn answer(&self, sample: Sample, constants: &Constants) -> Option<Truth> {
        let is_missing = sample == Sample::Missing;
        let holds = match &self.asks {
            Asks::Present(flag) => is_missing != *flag,
            Asks::Truth => match sample {
                Sample::Missing => return Some(Truth::Nothing),
                Sample::Null => false,
                Sample::Flag(flag) => flag,
                _ => return None,
            },
            Asks::Compare(relation, constant, Family::Any) => {
                return constants.compared(sample, *relation, constant.as_ref());
            }
            _ if is_missing => return Some(Truth::Fault),
            Asks::Is(kind, flag) => constants.is(sample, *kind) == *flag,
            Asks::Form(pattern) => match sample {
                Sample::Text(Slot::At(at)) => pattern.matches(constants.texts.get(at)?),
                Sample::Text(_) | Sample::Time(_) => return None,
                _ => false,
            },
            Asks::Compare(relation, constant, family) => {
                let kind = match family {
                    Family::Text => Type::Text,
                    Family::Number => Type::Number,
                    Family::Time => Type::Time,
                    Family::Flag | Family::Any => Type::Flag,
                };
                if !constants.is(sample, kind) {
                    return Some(Truth::No);
                }
                constants.holds(sample, *relation, constant.as_ref()?, *family)?
            }
        };
        Some(holds.into())
    }
}

/// A kind of value. Two numbers, texts or timestamps are of the same kind if they compare alike with all constants in
/// the two conditions.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Sample {
    Missing,
    Null,
    Flag(bool),
    Number(Slot),
    Text(Slot),
    /// A text that is a timestamp and not equal to any constant text.
    Time(Slot),
    /// An array or an object.
    Other,
}

/// A position in the order of values, described by the neighbouring constants. The constants are sorted, and identified
/// by their indexes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Slot {
    /// Equal to the constant with this index.
    At(usize),
    /// Greater than this number of constants and less than the rest.
    Between(usize),
    /// Not equal to any constant, and less or greater than the constant with this index. Nothing is said about the
    /// order relative to the other constants, because the profiles sort texts differently.
    Beside(usize, Ordering),
}

/// The constants in two conditions, sorted and without duplicates.
#[derive(Default)]
struct Constants {
    numbers: Vec<f64>,
    texts: Vec<String>,
    times: Vec<Instant>,
    /// True if timestamps must be distinguished from other texts.
    has_times: bool,
}

impl Constants {
    fn of(questions: [&Question<'_>; 2]) -> Self {
        let mut all = Self::default();
        for question in questions {
            let (constant, is_time) = match &question.asks {
                Asks::Compare(_, constant, family) => (constant.as_ref(), *family == Family::Time),
                Asks::Is(kind, _) => (None, *kind == Type::Time),
                _ => (None, false),
            };
            all.has_times |= is_time;
            for value in constant.into_iter().flat_map(items) {
                match value {
                    Value::Number(number) => all.numbers.push(number.as_f64()),
                    Value::String(text) if is_time => all.times.extend(parse_timestamp(text)),
                    Value::String(text) => all.texts.push(text.to_string()),
                    _ => {}
                }
            }
        }
        all.numbers.sort_by(f64::total_cmp);
        all.numbers.dedup();
        all.texts.sort();
        all.texts.dedup();
        all.times.sort();
        all.times.dedup();
        all
    }

    /// Every kind of value that comparisons with these constants can distinguish.
    fn samples(&self) -> Vec<Sample> {
        let ordered = |count: usize| {
            let between = (0..=count).map(Slot::Between);
            (0..count).map(Slot::At).chain(between)
        };
        let beside = (0..self.texts.len()).flat_map(|at| {
            [Ordering::Less, Ordering::Greater].map(|order| Slot::Beside(at, order))
        });
        let texts = (0..self.texts.len()).map(Slot::At).chain(beside);
        let other_text = self.texts.is_empty().then_some(Slot::Between(0));
        let times = self.has_times.then(|| ordered(self.times.len()));
        let flags = [true, false].map(Sample::Flag);
        let mut all = vec![Sample::Missing, Sample::Null, Sample::Other];
        all.extend(flags);
        all.extend(ordered(self.numbers.len()).map(Sample::Number));
        all.extend(texts.chain(other_text).map(Sample::Text));
        all.extend(times.into_iter().flatten().map(Sample::Time));
        all
    }

    fn is(&self, sample: Sample, kind: Type) -> bool {
        match (kind, sample) {
            (Type::Null, Sample::Null)
            | (Type::Number, Sample::Number(_))
            | (Type::Flag, Sample::Flag(_))
            | (Type::Text, Sample::Text(_))
            | (Type::Text | Type::Time, Sample::Time(_)) => true,
            (Type::Time, Sample::Text(Slot::At(at))) => self.time_at(at).is_some(),
            _ => false,
        }
    }

    fn time_at(&self, at: usize) -> Option<Instant> {
        parse_timestamp(self.texts.get(at)?)
    }

    /// The result of a JSONata comparison of a kind of value with a constant. `None` if the result is not known.
    fn compared(
        &self,
        sample: Sample,
        relation: Operator,
        constant: Option<&Value>,
    ) -> Option<Truth> {
        let is_equality = matches!(
            relation,
            Operator::Equal | Operator::NotEqual | Operator::In
        );
        if sample == Sample::Missing {
            return Some(match is_equality {
                true => Truth::No,
                false => Truth::Nothing,
            });
        }
        let constant = constant?;
        let can_be_compared = matches!(
            (sample, constant),
            (Sample::Number(_), Value::Number(_)) | (Sample::Text(_), Value::String(_))
        );
        if !is_equality && !can_be_compared {
            return Some(Truth::Fault);
        }
        self.holds(sample, relation, constant, Family::Any)
            .map(Truth::from)
    }

    /// True if a comparison holds between a value of the kind `sample` and the constant, which must be comparable.
    /// `None` if the result is not known.
    fn holds(
        &self,
        sample: Sample,
        relation: Operator,
        constant: &Value,
        family: Family,
    ) -> Option<bool> {
        if relation == Operator::In {
            let mut each = items(constant).map(|item| self.equals(sample, item));
            return each.try_fold(false, |any, each_result| Some(any || each_result?));
        }
        if family != Family::Time && matches!(relation, Operator::Equal | Operator::NotEqual) {
            let equal = self.equals(sample, constant)?;
            return Some(equal == (relation == Operator::Equal));
        }
        let order = self.order(sample, constant, family)?;
        relation.holds(order)
    }

    fn equals(&self, sample: Sample, constant: &Value) -> Option<bool> {
        Some(match (sample, constant) {
            (Sample::Null, Value::Null) => true,
            (Sample::Flag(flag), Value::Bool(other)) => flag == *other,
            (Sample::Number(Slot::At(at)), Value::Number(number)) => {
                self.numbers.get(at) == Some(&number.as_f64())
            }
            (Sample::Text(Slot::At(at)), Value::String(text)) => {
                self.texts.get(at).is_some_and(|known| **known == **text)
            }
            (Sample::Other, Value::Array(_) | Value::Object(_)) => return None,
            _ => false,
        })
    }

    fn order(&self, sample: Sample, constant: &Value, family: Family) -> Option<Ordering> {
        match (sample, constant) {
            (Sample::Number(slot), Value::Number(number)) => {
                let number = number.as_f64();
                slot.order(self.numbers.iter().position(|known| *known == number)?)
            }
            (_, Value::String(text)) if family == Family::Time => {
                let time = parse_timestamp(text)?;
                match sample {
                    Sample::Time(slot) => slot.order(self.times.iter().position(|t| *t == time)?),
                    Sample::Text(Slot::At(at)) => Some(self.time_at(at)?.cmp(&time)),
                    _ => None,
                }
            }
            (Sample::Text(slot), Value::String(text)) => {
                let text_place = self.texts.iter().position(|known| **known == **text)?;
                match slot {
                    Slot::At(at) | Slot::Beside(at, _) if at != text_place => None,
                    slot => slot.order(text_place),
                }
            }
            _ => None,
        }
    }
}

impl Slot {
    /// The order of a value at this position relative to the constant with the index `constant`.
    fn order(self, constant: usize) -> Option<Ordering> {
        Some(match self {
            Self::At(at) => at.cmp(&constant),
            Self::Between(below) if constant < below => Ordering::Greater,
            Self::Between(_) => Ordering::Less,
            Self::Beside(_, order) => order,
        })
    }
}

/// The items of an array. For any other value, the value itself.
fn items(value: &Value) -> impl Iterator<Item = &Value> {
    match value {
        Value::Array(array) => array.items().iter(),
        value => std::slice::from_ref(value).iter(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::jsonata::Tree;

    /// Parses two conditions and returns the result of `answer` for them.
    fn is(answer: fn(&Asked<'_>, &Asked<'_>) -> bool, narrow: &str, wide: &str) -> bool {
        let (Ok(narrow), Ok(wide)) = (Tree::parse(narrow), Tree::parse(wide)) else {
            panic!("{narrow} -> {wide}");
        };
        answer(
            &Asked::of_node(&narrow, narrow.root()),
            &Asked::of_node(&wide, wide.root()),
        )
    }

    #[test]
    fn what_follows_from_the_texts() {
        for (narrow, wide, wanted) in [
            ("$x > 20000", "$x > 2500", true),
            ("$x > 2500", "$x > 20000", false),
            ("$x > 5", "$x >= 5", true),
            ("$x >= 5", "$x > 5", false),
            ("$x <= 5", "$x < 5", false),
            ("$x < 5", "$x < 5", true),
            ("$x <= 4", "$x < 5", true),
            ("5 < $x", "$x > 4", true),
            ("$x = 7", "$x > 5", true),
            ("$x = 7", "$x != 8", true),
            ("$x = 'a'", "$x != 'b'", true),
            ("$x = 'a'", "$x != 7", true),
            ("$x > 20000 or ($x > 2500 and $y > 2)", "$x > 2500", true),
            ("$x > 20000 or $y > 2", "$x > 2500", false),
            ("$x = 'a' and $y", "$y", true),
            ("$x in ['a', 'b']", "$x in ['c', 'b', 'a']", true),
            ("$x in ['a', 'b']", "$x = 'a'", false),
            ("$states.input.a.b = 1", "$states.input.a.b < 2", true),
            ("$states.input.a[0] = 1", "$states.input.a[1] = 1", false),
            ("$not($x)", "$not($x)", true),
            ("$not($x > 1)", "$not($x > 2)", true),
            ("$not($x > 2)", "$not($x > 1)", false),
            ("$x = 'c'", "$not($x in ['a', 'b'])", true),
            ("$x = 'a'", "$not($x in ['a', 'b'])", false),
            ("$x = 7", "$not($x = 'a')", true),
            ("$x in ['c', 'd']", "$not($x in ['a', 'b'])", true),
            ("$x = 'c'", "$not($x = 'a' or $x = 'b')", true),
            ("$not($x in ['a', 'b'])", "$not($x = 'a')", true),
            ("$not($x = 'a')", "$not($x in ['a', 'b'])", false),
            ("$not($x = 'a')", "$x != 'a'", false),
            ("$x != 'a'", "$not($x = 'a')", true),
            ("$x > 5", "$not($x < 3)", true),
            ("$x > 2", "$not($x < 3)", false),
            ("$not($x < 3)", "$x > 2", true),
            ("$not($not($x = 1))", "$x = 1", true),
            ("$y and $x = 'c'", "$not($x = 'a' and $z)", true),
            ("$not($x = 'a' and $z)", "$not($x = 'a')", false),
            ("$x = -5", "$x < 0", true),
            ("$x = null", "$exists($x)", true),
            ("$x < 3", "$exists( $x )", true),
            ("$x = 'a' or $x = 'b'", "$x in ['b', 'a']", true),
            ("$x in ['a', 'b']", "$x = 'b' or $x = 'a'", true),
            ("$x = true", "$x", true),
            ("$x = $y", "$exists($x)", true),
            ("$random() > 0.5", "$random() > 0.5", false),
            ("$x = 1", "$y = 1", false),
        ] {
            assert_eq!(is(implies, narrow, wide), wanted, "{narrow} -> {wide}");
        }
    }

    #[test]
    fn what_follows_where_it_is_false() {
        for (narrow, wide, wanted) in [
            ("$x < 3", "$x >= 3", true),
            ("$x < 3", "$x > 3", false),
            // A missing value is neither equal nor unequal.
            ("$x = 3", "$x != 3", false),
            ("$x != 3", "$x = 3", false),
            ("$x = 3", "$not($x = 3)", true),
            ("$exists($x)", "$not($exists($x))", true),
            // If $x is missing, both operands of `or` are false.
            ("$x < 3 or $y", "$x >= 3 or $z", false),
            ("$x < 3 and $y", "$x >= 3", false),
            // If $x is missing, `$not` returns nothing. That is a fault here, because `$not` is the whole condition.
            ("$x < 3 or $y", "$not($x < 3)", true),
            ("$x < 3 or $y", "$not($x < 3) or $z", false),
        ] {
            assert_eq!(is(fails, narrow, wide), wanted, "{narrow} | {wide}");
        }
    }

    #[test]
    fn numbers_agree_with_the_operators() {
        let holds = |relation: &str, x: i32, y: i32| match relation {
            "=" => x == y,
            "!=" => x != y,
            "<" => x < y,
            "<=" => x <= y,
            ">" => x > y,
            _ => x >= y,
        };
        let all = ["=", "!=", "<", "<=", ">", ">="];
        for (left, a) in all.iter().flat_map(|left| (0..4).map(move |a| (left, a))) {
            for (right, b) in all.iter().flat_map(|right| (0..4).map(move |b| (right, b))) {
                let (narrow, wide) = (format!("$x {left} {a}"), format!("$x {right} {b}"));
                let implied = is(implies, &narrow, &wide);
                // The numbers tested are halves (`x` is twice the number, so the constants are doubled as well),
                // because a number need not be an integer.
                let truth = (-4..20).all(|x| !holds(left, x, a * 2) || holds(right, x, b * 2));
                assert_eq!(implied, truth, "$x {left} {a} -> $x {right} {b}");
            }
        }
    }
}
