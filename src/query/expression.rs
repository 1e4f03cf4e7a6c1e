//! Expressions in fields: the value of a `.$` field, and plain texts that the author probably meant as expressions.

use super::jsonata::{self, Tree, is_function};
use super::trace::{Recorder, STATES};
use super::{Bindings, Evaluate, FUNCTIONS, Intrinsic, Path, QueryError, SyntaxError};
use crate::json::Value;
use std::ops::Range;

/// A compiled path or intrinsic function.
#[derive(Clone, Debug)]
pub enum Expression {
    /// `$…`, `$$…` or `$name…`.
    Path(Path),
    /// `States.Name(…)`.
    Intrinsic(Intrinsic),
}

impl Evaluate for Expression {
    fn record(
        &self,
        bindings: &dyn Bindings,
        recorder: Option<&mut Recorder>,
    ) -> Result<Value, QueryError> {
        match self {
            Self::Path(path) => path.record(bindings, recorder),
            Self::Intrinsic(intrinsic) => intrinsic.record(bindings, recorder),
        }
    }
}

impl Expression {
    /// Compiles `text`: a path if it begins with `$`, otherwise an intrinsic function call.
    ///
    /// # Errors
    /// If `text` is neither.
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        if text.starts_with('$') {
            Path::parse(text).map(Self::Path)
        } else {
            Intrinsic::parse(text).map(Self::Intrinsic)
        }
    }

    /// The expression as written.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Path(path) => path.text(),
            Self::Intrinsic(intrinsic) => intrinsic.text(),
        }
    }

    /// Returns every path in the expression, in the order of the text.
    #[must_use]
    pub fn paths(&self) -> Vec<&Path> {
        match self {
            Self::Path(path) => vec![path],
            Self::Intrinsic(intrinsic) => intrinsic.paths(),
        }
    }

    /// Returns every path in the expression, with the path's byte range.
    #[must_use]
    pub fn located_paths(&self) -> Vec<(Range<usize>, &Path)> {
        match self {
            Self::Path(path) => vec![(0..path.text().len(), path)],
            Self::Intrinsic(intrinsic) => intrinsic.located_paths(),
        }
    }
}

/// A kind of text that looks like an expression but is not evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unevaluated {
    /// A path or an intrinsic function of JSONPath.
    JsonPath,
    /// JSONata without its `{%` and `%}`.
    Bare,
    /// JSONata with `{%` and `%}`, or with only one of the two.
    Delimited,
}

/// Maximum length, in bytes, of a text that may be an expression by mistake; longer texts are regarded as data.
const LONGEST: usize = 1024;

impl Unevaluated {
    /// Names the mistake that the author probably made, as a question without its question mark: `is .$ missing`.
    #[must_use]
    pub fn question(self) -> &'static str {
        match self {
            Self::JsonPath => "is .$ missing",
            Self::Bare => "are {% %} missing",
            Self::Delimited => "does the state use JSONPath",
        }
    }

    /// Classifies a text; `None` if the text does not clearly look like an expression.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        if text.len() > LONGEST {
            return None;
        }
        if jsonata::inner(text).is_some_and(|inner| Tree::parse(inner).is_ok()) {
            return Some(Self::Delimited);
        }
        if (reads_states(text) || is_call(text)) && Tree::parse(text).is_ok() {
            return Some(Self::Bare);
        }
        is_jsonpath(text).then_some(Self::JsonPath)
    }
}

/// True if the text is clearly a JSONPath path or a call of an intrinsic function.
#[must_use]
pub fn is_jsonpath(text: &str) -> bool {
    if text.starts_with("$.") || text.starts_with("$$.") || text.starts_with("$[") {
        return Path::parse(text).is_ok();
    }
    let name = text.split('(').next().unwrap_or_default();
    name.len() < text.len() && FUNCTIONS.iter().any(|function| function.name == name)
}

/// Returns the byte ranges of paths inside a longer text, if they were clearly meant to be evaluated: `$.name` in
/// `Report for $.name is ready`. Text in quotes or brackets is skipped, because it probably belongs to another
/// language.
#[must_use]
pub fn paths_inside(text: &str) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    if text.len() > LONGEST || is_jsonpath(text) {
        return ranges;
    }
    for (at, _) in text.match_indices("$.") {
        let start = match text.get(..at) {
            Some(before) if before.ends_with('$') => at - 1,
            _ => at,
        };
        let before = text.get(..start).unwrap_or_default().chars().next_back();
        let stands_free = before.is_none_or(|c| c.is_whitespace() || "/:=-_,;#".contains(c));
        let after = text.get(at + 2..).unwrap_or_default();
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '[' | ']' | '-');
        let length = after.find(|c| !is_name(c)).unwrap_or(after.len());
        let name = after.get(..length).unwrap_or_default();
        let name = name.trim_end_matches(['.', '-']);
        let end = at + 2 + name.len();
        let begins = name.chars().next().is_some_and(char::is_alphabetic);
        let path = text.get(start..end).unwrap_or_default();
        let follows = text.get(end..).unwrap_or_default().chars().next();
        let is_other = follows.is_some_and(|c| "'\"`)}(".contains(c));
        if stands_free && begins && !is_other && Path::parse(path).is_ok() {
            ranges.push(start..end);
        }
    }
    ranges
}

/// True if the text is just a call of a built-in JSONata function.
fn is_call(text: &str) -> bool {
    let name = text.strip_prefix('$').and_then(|rest| rest.split_once('('));
    name.is_some_and(|(name, rest)| is_function(name) && rest.ends_with(')'))
}

/// True if the text mentions a member of `$states`.
pub fn reads_states(text: &str) -> bool {
    text.split("$states.").skip(1).any(|rest| {
        STATES.iter().any(|member| {
            let after = rest.strip_prefix(member);
            after.is_some_and(|after| !after.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_evaluated() {
        for (text, wanted) in [
            ("$.plan", Some(Unevaluated::JsonPath)),
            ("$$.Execution.Id", Some(Unevaluated::JsonPath)),
            ("$[0]", Some(Unevaluated::JsonPath)),
            ("States.UUID()", Some(Unevaluated::JsonPath)),
            ("$states.input.plan", Some(Unevaluated::Bare)),
            ("$string($states.input.n) & 'x'", Some(Unevaluated::Bare)),
            ("{% $plan %}", Some(Unevaluated::Delimited)),
            ("$5.00", None),
            ("$plan", None),
            ("$uuid()", Some(Unevaluated::Bare)),
            ("$exists($plan)", Some(Unevaluated::Bare)),
            ("$cost(12)", None),
            ("$", None),
            ("costs $.", None),
            ("see $states.input for more", None),
            ("$states.inputs", None),
            ("{% if x %}", None),
            ("States.TaskFailed", None),
            ("plain", None),
        ] {
            assert_eq!(Unevaluated::of(text), wanted, "{text}");
        }
    }
}
