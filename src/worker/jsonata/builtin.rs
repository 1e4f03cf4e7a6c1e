//! The built-in functions: their names, their implementations, and the check of arguments against a function's
//! signature.

use super::account::{Outcome, thrown};
use super::datum::{Datum, Items, List};
use super::evaluate::Run;
use super::{collection, moment, number, pattern, service, text};
use crate::query::jsonata::{Count, Parameter, Signature};
use std::fmt;
use std::ops::RangeInclusive;
use std::sync::OnceLock;

/// A built-in function.
pub(super) struct Builtin {
    pub name: &'static str,
    /// Number of arguments that another built-in function passes if it calls this function as its callback.
    pub arity: usize,
    /// The types of the parameters, in JSONata's notation; `None` if the function checks its arguments itself.
    takes: Option<&'static str>,
    parsed: OnceLock<Option<Signature>>,
    pub run: fn(&mut Run, &[Datum]) -> Outcome,
}

impl fmt::Debug for Builtin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "${}", self.name)
    }
}

impl Builtin {
    const fn new(
        name: &'static str,
        arity: usize,
        takes: &'static str,
        run: fn(&mut Run, &[Datum]) -> Outcome,
    ) -> Self {
        Self {
            name,
            arity,
            takes: if takes.is_empty() { None } else { Some(takes) },
            parsed: OnceLock::new(),
            run,
        }
    }

    /// Parses the text of the signature.
    pub(super) fn signature(&self) -> Outcome<Option<&Signature>> {
        if let Some(parsed) = self.parsed.get() {
            return Ok(parsed.as_ref());
        }
        let parsed = self.takes.map(Signature::parse).transpose();
        let parsed = parsed.or_else(|(code, message)| thrown(format!("{code}: {message}")))?;
        Ok(self.parsed.get_or_init(|| parsed).as_ref())
    }
}

/// The built-in function with a name.
pub(super) fn named(name: &str) -> Option<&'static Builtin> {
    let place = BUILTINS
        .binary_search_by(|builtin| builtin.name.cmp(name))
        .ok()?;
    BUILTINS.get(place)
}

fn no_function(_: &mut Run, _: &[Datum]) -> Outcome {
    thrown("T1006: Attempted to invoke a non-function")
}

/// All built-in functions, sorted by name.
#[rustfmt::skip]
static BUILTINS: [Builtin; 70] = [
    Builtin::new("abs", 1, "<n-:n>", number::abs),
    Builtin::new("append", 2, "<xx:a>", collection::append),
    Builtin::new("assert", 2, "<bs?:x>", collection::assert),
    Builtin::new("average", 1, "<a<n>:n>", number::average),
    Builtin::new("base64decode", 1, "<s-:s>", text::base64decode),
    Builtin::new("base64encode", 1, "<s-:s>", text::base64encode),
    Builtin::new("boolean", 1, "<x-:b>", collection::boolean),
    Builtin::new("ceil", 1, "<n-:n>", number::ceil),
    Builtin::new("clone", 1, "<(oa)-:o>", service::clone),
    Builtin::new("contains", 2, "<s-(sf):b>", pattern::contains),
    Builtin::new("count", 1, "<a:n>", collection::count),
    Builtin::new("decodeUrl", 1, "<s-:s>", text::decode_url),
    Builtin::new("decodeUrlComponent", 1, "<s-:s>", text::decode_url_component),
    Builtin::new("distinct", 1, "<x:x>", collection::distinct),
    Builtin::new("each", 2, "<o-f:a>", collection::each),
    Builtin::new("encodeUrl", 1, "<s-:s>", text::encode_url),
    Builtin::new("encodeUrlComponent", 1, "<s-:s>", text::encode_url_component),
    Builtin::new("error", 1, "<s?:x>", collection::error),
    Builtin::new("eval", 2, "", no_function),
    Builtin::new("exists", 1, "<x:b>", collection::exists),
    Builtin::new("filter", 2, "<af>", collection::filter),
    Builtin::new("floor", 1, "<n-:n>", number::floor),
    Builtin::new("formatBase", 2, "<n-n?:s>", number::format_base),
    Builtin::new("formatInteger", 2, "<n-s:s>", moment::format_integer),
    Builtin::new("formatNumber", 3, "<n-so?:s>", number::format_number),
    Builtin::new("fromMillis", 3, "<n-s?s?:s>", moment::from_millis),
    Builtin::new("hash", 2, "", service::hash),
    Builtin::new("join", 2, "<a<s>s?:s>", text::join),
    Builtin::new("keys", 1, "<x-:a<s>>", collection::keys),
    Builtin::new("length", 1, "<s-:n>", text::length),
    Builtin::new("lookup", 2, "<x-s:x>", collection::lookup),
    Builtin::new("lowercase", 1, "<s-:s>", text::lowercase),
    Builtin::new("map", 2, "<af>", collection::map),
    Builtin::new("match", 3, "<s-f<s:o>n?:a<o>>", pattern::matches),
    Builtin::new("max", 1, "<a<n>:n>", number::max),
    Builtin::new("merge", 1, "<a<o>:o>", collection::merge),
    Builtin::new("millis", 0, "", moment::millis),
    Builtin::new("min", 1, "<a<n>:n>", number::min),
    Builtin::new("not", 1, "<x-:b>", collection::not),
    Builtin::new("now", 2, "", moment::now),
    Builtin::new("number", 1, "<(nsb)-:n>", number::number),
    Builtin::new("pad", 3, "<s-ns?:s>", text::pad),
    Builtin::new("parse", 1, "", service::parse),
    Builtin::new("parseInteger", 2, "<s-s:n>", moment::parse_integer),
    Builtin::new("partition", 2, "", service::partition),
    Builtin::new("power", 2, "<n-n:n>", number::power),
    Builtin::new("random", 1, "", service::random),
    Builtin::new("range", 3, "", service::range),
    Builtin::new("reduce", 3, "<afj?:j>", collection::reduce),
    Builtin::new("replace", 4, "<s-(sf)(sf)n?:s>", pattern::replace),
    Builtin::new("reverse", 1, "<a:a>", collection::reverse),
    Builtin::new("round", 2, "<n-n?:n>", number::round),
    Builtin::new("shuffle", 1, "<a:a>", service::shuffle),
    Builtin::new("sift", 2, "<o-f?:o>", collection::sift),
    Builtin::new("single", 2, "<af?>", collection::single),
    Builtin::new("sort", 2, "<af?:a>", collection::sort),
    Builtin::new("split", 3, "<s-(sf)n?:a<s>>", pattern::split),
    Builtin::new("spread", 1, "<x-:a<o>>", collection::spread),
    Builtin::new("sqrt", 1, "<n-:n>", number::sqrt),
    Builtin::new("string", 1, "<x-b?:s>", text::string),
    Builtin::new("substring", 3, "<s-nn?:s>", text::substring),
    Builtin::new("substringAfter", 2, "<s-s:s>", text::substring_after),
    Builtin::new("substringBefore", 2, "<s-s:s>", text::substring_before),
    Builtin::new("sum", 1, "<a<n>:n>", number::sum),
    Builtin::new("toMillis", 2, "<s-s?:n>", moment::to_millis),
    Builtin::new("trim", 1, "<s-:s>", text::trim),
    Builtin::new("type", 1, "<x:s>", collection::type_name),
    Builtin::new("uppercase", 1, "<s-:s>", text::uppercase),
    Builtin::new("uuid", 0, "", service::uuid),
    Builtin::new("zip", 0, "<a+>", collection::zip),
];

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

/// How an error message refers to a function: by its name, or as `undefined` if the name is empty.
fn worded(function: &str) -> String {
    match function {
        "" => "function undefined".to_string(),
        name => format!("function \"{name}\""),
    }
}

/// The error for an argument that has the wrong type; `place` is its number, from 1.
pub(super) fn wrong_argument<T>(place: usize, function: &str) -> Outcome<T> {
    thrown(format!(
        "T0410: Argument {place} of {} does not match function signature",
        worded(function)
    ))
}

impl Signature {
    /// Assigns the arguments to the parameters in order, as many as possible to each. Returns the number of arguments
    /// for each parameter; `None` if the arguments do not match.
    fn divide(&self, given: &[char]) -> Option<Vec<usize>> {
        fn fit(parameters: &[Parameter], given: &[char], counts: &mut Vec<usize>) -> bool {
            let Some((first, rest)) = parameters.split_first() else {
                return given.is_empty();
            };
            for count in first.fitting(given).rev() {
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

    /// Adapts the arguments to the signature. A missing argument that defaults to the context becomes the input, and a
    /// single value becomes a list if the parameter is a list.
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
                            worded(function)
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
                // Further arguments of a repeated parameter become copies of its first argument, unless the parameter
                // is a list.
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

    /// Number, from 1, of the first argument that does not match its parameter.
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

    /// Returns how many of the first arguments these parameters can take at most; `None` if the arguments do not match.
    fn longest(parameters: &[Parameter], given: &[char]) -> Option<usize> {
        let Some((first, rest)) = parameters.split_first() else {
            return Some(0);
        };
        first.fitting(given).rev().find_map(|count| {
            Self::longest(rest, given.get(count..).unwrap_or_default()).map(|more| count + more)
        })
    }
}

impl Parameter {
    /// The minimum and the maximum number of the next arguments that this parameter can take.
    fn fitting(&self, given: &[char]) -> RangeInclusive<usize> {
        let least = usize::from(matches!(self.count, Count::One | Count::Repeated));
        let most = match self.count {
            Count::Repeated => usize::MAX,
            _ => 1,
        };
        let fitting = given.iter().take(most);
        let fitting = fitting.take_while(|letter| self.types.contains(**letter));
        least..=fitting.count()
    }

    fn fitted(&self, argument: Datum, place: usize, function: &str) -> Outcome {
        if !self.list || argument.is_nothing() {
            return Ok(argument);
        }
        if let Some(items) = self.items
            && !argument.items().iter().all(|item| letter(item) == items)
        {
            return thrown(format!(
                "T0412: Argument {place} of {} must be an array of \"{}\"",
                worded(function),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::jsonata::FUNCTIONS;

    #[test]
    fn the_table_is_sorted_and_whole() {
        assert!(BUILTINS.is_sorted_by_key(|builtin| builtin.name));
        for name in FUNCTIONS {
            assert!(named(name).is_some(), "${name}");
        }
        for builtin in &BUILTINS {
            assert!(builtin.signature().is_ok(), "{builtin:?}");
        }
    }
}
