//! Parses conditions and values that the user types: `$.a == 1 && !($.b < 3)`, `$result.code`.

use super::breakpoint::Location;
use crate::definition::{Ask, Condition, Definition, Family, Place, QueryLanguage, Stage, State};
use crate::json::{self, Value};
use crate::query::Expression;
use crate::query::jsonata::{self, Operator};
use std::ops::Range;

const DEEPEST: usize = 32;

/// Words for stages that users may type, each with the stages that the word may mean. The word means the first of these
/// stages that the run has reached.
pub const STAGES: [(&str, &[Stage]); 4] = [
    ("$input", &[Stage::Input]),
    (
        "$effective",
        &[
            Stage::AfterArguments,
            Stage::AfterParameters,
            Stage::AfterInputPath,
        ],
    ),
    ("$result", &[Stage::Result]),
    ("$output", &[Stage::Output]),
];

/// Binary operators as typed, in ascending order of precedence.
const OPERATORS: [(&str, Operator); 8] = [
    ("||", Operator::Or),
    ("&&", Operator::And),
    ("==", Operator::Equal),
    ("!=", Operator::NotEqual),
    ("<=", Operator::LessOrEqual),
    (">=", Operator::GreaterOrEqual),
    ("<", Operator::Less),
    (">", Operator::Greater),
];

/// A parsed condition. A value without an operator is also a condition, which is true if the value is true.
pub type Typed = Condition<Operand>;

/// A value in a typed expression.
#[derive(Clone, Debug)]
pub enum Operand {
    /// The word `attempt`: the number of the attempt.
    Attempt,
    /// The word `index`: the index of the nearest enclosing item of a Map; null outside of items.
    Index,
    /// The word `error`: the name of the current error.
    ErrorName,
    /// A literal.
    Value(Value),
    /// A path in the value of a stage: the word for the stage, the stages that the word may mean, and the path from
    /// `$`.
    Stage(&'static str, &'static [Stage], Expression),
    /// A path from `$` in the current error. The second expression is the same text as a path in the variable `$error`;
    /// it is used when there is no error.
    Error(Expression, Expression),
    /// A path or intrinsic.
    Path(Expression),
    /// The result of a condition in parentheses or of a comparison.
    Truth(Box<Typed>),
}

/// A part of the text that cannot be parsed.
#[derive(Debug)]
pub struct Unread {
    /// Byte range of the part.
    pub range: Range<usize>,
    /// The reason why the part cannot be parsed.
    pub why: Why,
}

/// The reason why a part cannot be parsed.
#[derive(Debug)]
pub enum Why {
    /// Operators or parentheses are nested too deeply.
    Deep,
    /// The text is empty.
    Empty,
    /// An operator has no left operand.
    NothingBefore,
    /// An operator has no right operand.
    NothingAfter,
    /// The text is neither a path nor a value; the flag is true if the text contains `=`.
    Neither(bool),
    /// The path is invalid; the text gives the reason.
    Path(String),
}

/// Checks that a condition can be parsed. If `may_be_jsonata` is true, the condition may also be JSONata without `{%`
/// and `%}`.
///
/// # Errors
/// One sentence with the part that cannot be parsed and its position.
pub fn check_condition(text: &str, may_be_jsonata: bool) -> Result<(), String> {
    let whole = text.trim();
    if let Some(inner) = jsonata::inner(whole) {
        return jsonata::Expression::parse(inner, "")
            .map(|_| ())
            .map_err(|error| {
                format!(
                    "the condition cannot be read: {problem}",
                    problem = error.message
                )
            });
    }
    let Err(unread) = parse(whole) else {
        return Ok(());
    };
    if may_be_jsonata && jsonata::Expression::parse(whole, "").is_ok() {
        return Ok(());
    }
    let before = whole.get(..unread.range.start);
    let column = before.map_or(1, |before| before.chars().count() + 1);
    let position = match whole.get(unread.range) {
        None | Some("") => "at the end of the text".to_string(),
        Some(part) => format!("at character {column}, \"{part}\""),
    };
    let reason = match unread.why {
        Why::Deep => "the condition is nested too deeply",
        Why::Empty => "a value is missing",
        Why::NothingBefore => "a value is missing before the operator",
        Why::NothingAfter => "a value is missing after the operator",
        Why::Neither(true) => {
            "the text is neither a path nor a value; write == for equal and >= for at least"
        }
        Why::Neither(false) => {
            "the text is neither a path nor a value; paths begin with $, strings need quotes"
        }
        Why::Path(ref message) => message,
    };
    Err(format!("the condition cannot be read {position}: {reason}"))
}

/// Checks that the condition of a breakpoint can be parsed; `at` is its location, `None` for a breakpoint on a line.
///
/// # Errors
/// One sentence with the part that cannot be parsed and its position.
pub fn check_condition_at(
    text: &str,
    at: Option<&Location>,
    definition: &Definition,
) -> Result<(), String> {
    check_condition(text, may_be_jsonata(at, definition))
}

/// True if the condition may be evaluated in a state that uses JSONata.
fn may_be_jsonata(at: Option<&Location>, definition: &Definition) -> bool {
    let path = match at {
        Some(Location::State(path) | Location::Part(path, _) | Location::Item(path, _)) => {
            Some(path)
        }
        Some(Location::Error(..) | Location::Data(_)) | None => None,
    };
    let state = path.and_then(|path| definition.state(definition.find(path)?));
    let is_jsonata = |state: &State| state.language == QueryLanguage::Jsonata;
    state.map_or_else(|| definition.states.iter().any(is_jsonata), is_jsonata)
}

/// Parses what the user typed.
///
/// # Errors
/// The first part that cannot be parsed.
pub fn parse(text: &str) -> Result<Typed, Unread> {
    Reader(text).read(0..text.len(), 0)
}

struct Reader<'t>(&'t str);

impl Reader<'_> {
    fn read(&self, range: Range<usize>, depth: usize) -> Result<Typed, Unread> {
        let text = self.0.get(range.clone()).unwrap_or_default();
        let start = range.start + (text.len() - text.trim_start().len());
        let text = text.trim();
        let range = start..start + text.len();
        let unread = |range, why| Err(Unread { range, why });
        if depth > DEEPEST {
            return unread(range, Why::Deep);
        }
        if text.is_empty() {
            return unread(range, Why::Empty);
        }
        let joined = OPERATORS.iter().find_map(|(sign, operator)| {
            let at = start + split(text, sign)?;
            Some((at..at + sign.len(), *operator))
        });
        let ask = if let Some((sign, operator)) = joined {
            let side = |side: Range<usize>, why| match self.0.get(side.clone()) {
                Some(text) if !text.trim().is_empty() => self.read(side, depth + 1),
                _ => unread(sign.clone(), why),
            };
            let left = side(start..sign.start, Why::NothingBefore)?;
            let right = side(sign.end..range.end, Why::NothingAfter)?;
            match operator {
                Operator::Or => Ask::Any(vec![left, right]),
                Operator::And => Ask::All(vec![left, right]),
                relation => Ask::Compare {
                    left: operand_of(left),
                    relation,
                    right: operand_of(right),
                    family: Family::Any,
                },
            }
        } else if text.starts_with('!') {
            let inner = self.read(start + 1..range.end, depth + 1)?;
            Ask::Not(Box::new(inner))
        } else if text.starts_with('(') && text.ends_with(')') && text.len() > 1 {
            return self.read(start + 1..range.end - 1, depth + 1);
        } else {
            match operand(text) {
                Ok(operand) => Ask::Truth(operand),
                Err(why) => return unread(range, why),
            }
        };
        Ok(Condition {
            place: Place::Expression(range),
            ask,
        })
    }
}

/// Converts a parsed text to an operand, for one side of an operator.
fn operand_of(typed: Typed) -> Operand {
    match typed.ask {
        Ask::Truth(operand) => operand,
        _ => Operand::Truth(Box::new(typed)),
    }
}

fn operand(text: &str) -> Result<Operand, Why> {
    let quoted = text.strip_prefix('\'');
    if let Some(quoted) = quoted.and_then(|rest| rest.strip_suffix('\'')) {
        return Ok(Operand::Value(Value::from(quoted)));
    }
    match text {
        "attempt" => return Ok(Operand::Attempt),
        "index" => return Ok(Operand::Index),
        "error" => return Ok(Operand::ErrorName),
        _ => {}
    }
    if !text.starts_with(['$', 'S']) {
        let value = json::parse(text);
        return value.map_or_else(
            |_| Err(Why::Neither(text.contains('='))),
            |value| Ok(Operand::Value(value)),
        );
    }
    let path = |path: &str| {
        Expression::parse(path).map_err(|error| {
            let has_equal = text.split_whitespace().any(|word| word == "=");
            Why::Path(match has_equal {
                true => format!("{problem}; write == for equal", problem = error.message),
                false => error.message,
            })
        })
    };
    let stage = STAGES.into_iter().find_map(|(word, stages)| {
        let rest = behind(text, word)?;
        Some((word, stages, rest))
    });
    if let Some((word, stages, rest)) = stage {
        return Ok(Operand::Stage(word, stages, path(&format!("${rest}"))?));
    }
    match behind(text, "$error") {
        Some(rest) => Ok(Operand::Error(path(&format!("${rest}"))?, path(text)?)),
        None => path(text).map(Operand::Path),
    }
}

/// The rest of a path after `word`; `None` if the path does not begin with `word`.
pub fn behind<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let rest = text.strip_prefix(word)?;
    (rest.is_empty() || rest.starts_with(['.', '['])).then_some(rest)
}

/// Position of the last `operator` that is outside quotes and brackets.
fn split(text: &str, operator: &str) -> Option<usize> {
    let (mut depth, mut quote, mut escaped, mut last) = (0_i32, None, false, None);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            _ if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), c) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            (None, _) if depth == 0 && is_operator(text, at, operator) => last = Some(at),
            _ => {}
        }
    }
    last
}

/// True if this operator is at the position, and not a longer operator that contains it.
fn is_operator(text: &str, at: usize, operator: &str) -> bool {
    let rest = text.get(at..).unwrap_or_default();
    let is_longer = operator.len() == 1 && rest.get(1..2) == Some("=");
    rest.starts_with(operator) && !is_longer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_and_what_is_not() {
        for text in [
            "attempt >= 3",
            "$.plan != 12",
            "$.a == \"x && y\" && !($.b < 3 || index == 2)",
            "$result.StatusCode == 200",
            "$error.Cause == 'it said no'",
            "States.ArrayLength($.a) > 2",
            "$var.x == null",
            "error == \"Card.Declined\"",
            "{% $states.input.a = 1 %}",
        ] {
            assert_eq!(check_condition(text, false), Ok(()), "{text}");
        }
        for (text, wanted) in [
            ("attempt =3>", "at character 1, \"attempt =3\""),
            ("attempt >", "at character 9, \">\""),
            ("$.plan != 12.Map.Item", "at character 11, \"12.Map.Item\""),
            ("$.a == open", "at character 8, \"open\""),
            ("$.a[ == 1", "at character 1"),
            ("$.a = 1", "write == for equal"),
            ("{% 1 + %}", "the condition cannot be read"),
            ("&& $.a", "at character 1, \"&&\""),
            ("", "at the end of the text"),
        ] {
            let said = check_condition(text, false).expect_err(text);
            assert!(said.contains(wanted), "{text}: {said}");
        }
        assert_eq!(check_condition("$sum([1]) > 0 and true", true), Ok(()));
        assert!(check_condition("$sum([1]) > 0 and true", false).is_err());
    }
}
