//! Matches arguments to the signature of a function.

use super::account::{Outcome, thrown};
use super::datum::{Datum, Items, List};
use crate::query::jsonata::{Count, Parameter, Signature};

impl Count {
    fn least(self) -> usize {
        usize::from(matches!(self, Self::One | Self::Repeated))
    }

    fn most(self) -> usize {
        if self == Self::Repeated {
            usize::MAX
        } else {
            1
        }
    }
}

fn letter(value: &Datum) -> char {
    match value {
        Datum::Nothing => 'm',
        Datum::Null(_) => 'l',
        Datum::Bool(_, _) => 'b',
        Datum::Number(_, _) => 'n',
        Datum::Text(_, _) => 's',
        Datum::List(_) | Datum::Rows(_) => 'a',
        Datum::Record(_, _) => 'o',
        Datum::Function(_) => 'f',
    }
}

fn plural(letter: char) -> &'static str {
    match letter {
        'a' => "arrays",
        'b' => "booleans",
        'f' => "functions",
        'n' => "numbers",
        'o' => "objects",
        _ => "strings",
    }
}

/// A function in an error message: by its name if it has one.
fn named(function: &str) -> String {
    match function {
        "" => "function undefined".to_string(),
        name => format!("function \"{name}\""),
    }
}

/// Error for an argument that does not match.
pub(super) fn wrong_argument<T>(place: usize, function: &str) -> Outcome<T> {
    thrown(format!(
        "T0410: Argument {place} of {} does not match function signature",
        named(function)
    ))
}

impl Signature {
    /// Number of arguments for each parameter, assigned greedily from the first; `None` if they do not match.
    fn divide(&self, given: &[char]) -> Option<Vec<usize>> {
        fn fit(parameters: &[Parameter], given: &[char], counts: &mut Vec<usize>) -> bool {
            let Some((first, rest)) = parameters.split_first() else {
                return given.is_empty();
            };
            let fitting = given
                .iter()
                .take(first.count.most())
                .take_while(|letter| first.types.contains(**letter))
                .count();
            for count in (first.count.least()..=fitting).rev() {
                counts.push(count);
                if fit(rest, given.get(count..).unwrap_or_default(), counts) {
                    return true;
                }
                counts.pop();
            }
            false
        }
        let mut counts = Vec::with_capacity(self.parameters.len());
        fit(&self.parameters, given, &mut counts).then_some(counts)
    }

    /// Arguments after applying the signature: the input for a missing one, single values wrapped if a list is
    /// expected.
    pub(super) fn arguments(
        &self,
        function: &str,
        given: Vec<Datum>,
        input: &Datum,
    ) -> Outcome<Vec<Datum>> {
        let letters: Vec<char> = given.iter().map(letter).collect();
        let Some(counts) = self.divide(&letters) else {
            return wrong_argument(self.first_wrong(&letters), function);
        };
        let mut taken = given.into_iter();
        let mut place = 0;
        let mut all = Vec::with_capacity(self.parameters.len());
        for (parameter, count) in self.parameters.iter().zip(counts) {
            if count == 0 {
                if parameter.count == Count::Context {
                    if !parameter.types.contains(letter(input)) {
                        return thrown(format!(
                            "T0411: Context value is not a compatible type with argument {} of {}",
                            place + 1,
                            named(function)
                        ));
                    }
                    all.push(input.clone());
                } else {
                    all.push(Datum::Nothing);
                }
                continue;
            }
            let mut first = None;
            for argument in taken.by_ref().take(count) {
                place += 1;
                let argument = parameter.fitted(argument, place, function)?;
                // A repeated parameter that is not a list always gets the first argument.
                let argument = match &first {
                    Some(first) if !parameter.list => Datum::clone(first),
                    _ => argument,
                };
                first.get_or_insert_with(|| argument.clone());
                all.push(argument);
            }
        }
        while matches!(all.last(), Some(Datum::Nothing)) && all.len() > place.max(1) {
            all.pop();
        }
        Ok(all)
    }

    /// Number of the first argument that does not match, from 1.
    fn first_wrong(&self, given: &[char]) -> usize {
        let mut good = 0;
        for (place, _) in self.parameters.iter().enumerate() {
            let some = Self::longest(self.parameters.get(..=place).unwrap_or_default(), given);
            match some {
                Some(length) => good = length,
                None => return good + 1,
            }
        }
        good + 1
    }

    /// Maximum number of arguments that the first parameters can match.
    fn longest(parameters: &[Parameter], given: &[char]) -> Option<usize> {
        let Some((first, rest)) = parameters.split_first() else {
            return Some(0);
        };
        let fitting = given
            .iter()
            .take(first.count.most())
            .take_while(|letter| first.types.contains(**letter))
            .count();
        (first.count.least()..=fitting).rev().find_map(|count| {
            Self::longest(rest, given.get(count..).unwrap_or_default()).map(|more| count + more)
        })
    }
}

impl Parameter {
    fn fitted(&self, argument: Datum, place: usize, function: &str) -> Outcome {
        if !self.list || argument.is_nothing() {
            return Ok(argument);
        }
        if let Some(items) = self.items
            && !argument.items().iter().all(|item| letter(item) == items)
        {
            return thrown(format!(
                "T0412: Argument {place} of {} must be an array of \"{}\"",
                named(function),
                plural(items)
            ));
        }
        Ok(as_list(argument))
    }
}

fn as_list(argument: Datum) -> Datum {
    match argument {
        Datum::List(_) => argument,
        other => {
            let mut items = Items::default();
            items.push(other);
            Datum::List(List::new(items))
        }
    }
}
