//! The built-in functions: their names, signatures and implementations.

use super::account::{Outcome, thrown};
use super::datum::Datum;
use super::evaluate::Run;
pub(super) use super::number::index;
pub(super) use super::service::Service;
use super::{collection, higher, moment, number, pattern, service, text};
use crate::query::jsonata::Signature;
use std::fmt;
use std::sync::OnceLock;

/// A built-in function.
pub(super) struct Builtin {
    pub name: &'static str,
    /// Number of arguments that it receives as a callback.
    pub arity: usize,
    /// The signature; `None` if the function checks its arguments itself.
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

    /// The parsed signature.
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
    let place = BUILTINS.binary_search_by(|own| own.name.cmp(name)).ok()?;
    BUILTINS.get(place)
}

fn no_function(_: &mut Run, _: &[Datum]) -> Outcome {
    thrown("T1006: Attempted to invoke a non-function")
}

/// Sorted by name.
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
    Builtin::new("each", 2, "<o-f:a>", higher::each),
    Builtin::new("encodeUrl", 1, "<s-:s>", text::encode_url),
    Builtin::new("encodeUrlComponent", 1, "<s-:s>", text::encode_url_component),
    Builtin::new("error", 1, "<s?:x>", collection::error),
    Builtin::new("eval", 2, "", no_function),
    Builtin::new("exists", 1, "<x:b>", collection::exists),
    Builtin::new("filter", 2, "<af>", higher::filter),
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
    Builtin::new("map", 2, "<af>", higher::map),
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
    Builtin::new("reduce", 3, "<afj?:j>", higher::reduce),
    Builtin::new("replace", 4, "<s-(sf)(sf)n?:s>", pattern::replace),
    Builtin::new("reverse", 1, "<a:a>", collection::reverse),
    Builtin::new("round", 2, "<n-n?:n>", number::round),
    Builtin::new("shuffle", 1, "<a:a>", service::shuffle),
    Builtin::new("sift", 2, "<o-f?:o>", higher::sift),
    Builtin::new("single", 2, "<af?>", higher::single),
    Builtin::new("sort", 2, "<af?:a>", higher::sort),
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
