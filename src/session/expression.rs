//! Expressions that a person types: watches, conditions, `p`; a path or intrinsic, or a comparison of two.
//!
//! It must not know when they are asked.

use crate::definition::QueryLanguage;
use crate::interpreter::{Frame, Machine, Outcome, Serve, Stage};
use crate::json::{Value, bare, parse};
use crate::query::{Bindings, Expression, jsonata};
use std::cell::Cell;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Why nothing has a value before the first event.
pub const NOTHING_RAN: &str = "nothing has run yet";

/// Evaluates what a person typed against a frame.
///
/// `$` is the document between states: the state's input, then its output. `$input`, `$effective`, `$result` and
/// `$output` name stages, `$error` the current error, as its Error and Cause; `attempt`, `index` and `error` (its
/// name alone) are bare words; `==  !=  <  <=  >  >=  &&  ||  !` compare.
/// Text between `{%` and `%}` is JSONata, with `$states` and the variables of the frame's state; in a state of that
/// language, so is text that is nothing else.
///
/// # Errors
/// Why there is no value, in one sentence.
pub fn evaluate(
    machine: &Machine,
    frame: &Frame,
    text: &str,
    server: &dyn Serve,
) -> Result<Value, String> {
    let read = Read::of(machine, frame, text);
    read.alone(machine, frame, server)
}

/// The value of a path or intrinsic as a field reads it: `$` is the value of a stage.
///
/// # Errors
/// Why there is no value, in one sentence.
pub fn evaluate_on(
    machine: &Machine,
    frame: &Frame,
    text: &str,
    stage: Stage,
) -> Result<Value, String> {
    let reader = Reader {
        machine,
        frame,
        unread: Cell::new(false),
    };
    let value = frame.visit.data.get(stage);
    let value = value.ok_or_else(|| format!("{} is not reached yet", stage.name()))?;
    reader.query(text, value)
}

/// The same for several that stand beside each other: those in JSONata share what one of them may take.
///
/// # Errors
/// Each: why it has no value, in one sentence.
pub fn evaluate_all(
    machine: &Machine,
    frame: &Frame,
    texts: &[&str],
    server: &dyn Serve,
) -> Vec<Result<Value, String>> {
    let read = texts.iter().map(|text| Read::of(machine, frame, text));
    let read: Vec<Read> = read.collect();
    let expressions = read.iter().filter_map(Read::expression).cloned();
    let asked: Vec<Arc<jsonata::Expression>> = expressions.collect();
    if asked.len() < 2 {
        let alone = read.into_iter();
        return alone
            .map(|read| read.alone(machine, frame, server))
            .collect();
    }
    let ask = machine.inspect_jsonata(frame, asked);
    let outcome = server.serve(&ask).map(|answer| answer.outcome);
    let given: &[jsonata::Evaluated] = match &outcome {
        Some(Outcome::Evaluated(results)) => results,
        _ => &[],
    };
    let mut given = given.iter().cloned();
    let value = |read| match read {
        Read::Done(found) => found,
        Read::Jsonata(_) => match given.next() {
            Some(Err(failure)) if failure.is_of_time() => Err(TOO_SLOW.to_string()),
            found => by_jsonata(found),
        },
    };
    read.into_iter().map(value).collect()
}

/// What a person types for a stage: the word, and the stages that it may mean, the one that counts first.
const STAGES: [(&str, &[Stage]); 4] = [
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

/// The stage that a text begins with as a person types it, or the word for it where it is not reached; and what follows
/// that word.
pub fn stage_named(
    text: &str,
    is_reached: impl Fn(Stage) -> bool,
) -> Option<(Result<Stage, &'static str>, &str)> {
    STAGES.into_iter().find_map(|(word, stages)| {
        let rest = text.strip_prefix(word)?;
        let ends = rest.is_empty() || rest.starts_with(['.', '[']);
        let stage = stages.iter().find(|stage| is_reached(**stage));
        ends.then_some((stage.copied().ok_or(word), rest))
    })
}

/// What a person types for a stage that is reached; `None` where no word means it.
#[must_use]
pub fn word_of(stage: Stage, is_reached: impl Fn(Stage) -> bool) -> Option<&'static str> {
    let meant = |stages: &[Stage]| stages.iter().copied().find(|stage| is_reached(*stage));
    let found = STAGES
        .into_iter()
        .find(|(_, stages)| meant(stages) == Some(stage));
    found.map(|(word, _)| word)
}

/// What is said of an expression that takes more than its share.
const TOO_SLOW: &str =
    "not evaluated: too slow beside the other expressions of this stop; `print` gives it more time";

/// An expression as a person typed it.
enum Read {
    /// Its value, or why it has none.
    Done(Result<Value, String>),
    /// It is JSONata.
    Jsonata(Arc<jsonata::Expression>),
}

impl Read {
    fn of(machine: &Machine, frame: &Frame, text: &str) -> Self {
        if let Some(text) = jsonata::inner(text.trim()) {
            return Self::parsed(text);
        }
        let reader = Reader {
            machine,
            frame,
            unread: Cell::new(false),
        };
        let found = reader.any(text.trim(), 0);
        let Err(problem) = &found else {
            return Self::Done(found);
        };
        if !reader.unread.get() {
            return Self::Done(found);
        }
        let state = machine.definition().state(frame.visit.state);
        if state.is_some_and(|state| state.language == QueryLanguage::Jsonata) {
            return Self::parsed(text.trim());
        }
        Self::Done(Err(format!("{problem}; write JSONata between {{% and %}}")))
    }

    fn parsed(text: &str) -> Self {
        match jsonata::Expression::parse(text, "") {
            Ok(expression) => Self::Jsonata(Arc::new(expression)),
            Err(error) => Self::Done(Err(error.message)),
        }
    }

    fn expression(&self) -> Option<&Arc<jsonata::Expression>> {
        match self {
            Self::Jsonata(expression) => Some(expression),
            Self::Done(_) => None,
        }
    }

    fn alone(self, machine: &Machine, frame: &Frame, server: &dyn Serve) -> Result<Value, String> {
        let expression = match self {
            Self::Done(found) => return found,
            Self::Jsonata(expression) => expression,
        };
        let ask = machine.inspect_jsonata(frame, vec![expression]);
        match server.serve(&ask).map(|answer| answer.outcome) {
            Some(Outcome::Evaluated(results)) => by_jsonata(results.first().cloned()),
            _ => by_jsonata(None),
        }
    }
}

/// Expressions with their values in one frame: each text is evaluated once, and what they may take is shared.
pub struct Values<'t>(HashMap<&'t str, Result<Value, String>>);

impl<'t> Values<'t> {
    /// Evaluates texts; without a frame none has a value.
    pub fn of(
        machine: &Machine,
        frame: Option<&Frame>,
        texts: impl Iterator<Item = &'t str>,
        server: &dyn Serve,
    ) -> Self {
        let texts: Vec<&str> = texts.collect::<BTreeSet<&str>>().into_iter().collect();
        let values = match frame {
            Some(frame) => evaluate_all(machine, frame, &texts, server),
            None => vec![Err(NOTHING_RAN.to_owned()); texts.len()],
        };
        Self(texts.into_iter().zip(values).collect())
    }

    /// The value of one of the texts.
    ///
    /// # Errors
    /// Why it has none, in one sentence.
    pub fn get(&self, text: &str) -> Result<Value, String> {
        let value = self.0.get(text).cloned();
        value.unwrap_or_else(|| Err(NOTHING_RAN.to_owned()))
    }

    /// Whether a condition holds that is one of the texts.
    ///
    /// # Errors
    /// If it cannot be told, in one sentence; a breakpoint then stops and shows it.
    pub fn condition(&self, text: &str) -> Result<bool, String> {
        match self.get(text)? {
            Value::Bool(holds) => Ok(holds),
            Value::Null => Ok(false),
            other => Err(format!(
                "the condition \"{text}\" gives a {}, not true or false",
                other.type_name()
            )),
        }
    }

    /// A log message with its `{expression}` parts filled in, which are among the texts.
    #[must_use]
    pub fn message(&self, template: &str) -> String {
        let parts = parts(template).into_iter();
        let shown = parts.map(|part| match part {
            Part::Text(text) => text.to_owned(),
            Part::Expression(text) => match self.get(text) {
                Ok(value) => bare(&value),
                Err(error) => format!("<{error}>"),
            },
        });
        shown.collect()
    }
}

/// Whether a condition holds.
///
/// # Errors
/// As [`Values::condition`].
pub fn condition(
    machine: &Machine,
    frame: &Frame,
    text: &str,
    server: &dyn Serve,
) -> Result<bool, String> {
    Values::of(machine, Some(frame), std::iter::once(text), server).condition(text)
}

fn by_jsonata(found: Option<jsonata::Evaluated>) -> Result<Value, String> {
    match found {
        Some(Ok(value)) => Ok(value),
        Some(Err(failure)) => Err(format!("the expression {failure}")),
        None => Err("JSONata cannot be evaluated here".to_string()),
    }
}

const COMPARING: [&str; 6] = ["==", "!=", "<=", ">=", "<", ">"];
/// Everything that joins two operands, what binds least first.
pub(super) const OPERATORS: [&str; 8] = ["||", "&&", "==", "!=", "<=", ">=", "<", ">"];

struct Reader<'m> {
    machine: &'m Machine,
    frame: &'m Frame,
    /// Whether some part is neither a path nor a value.
    unread: Cell<bool>,
}

const DEEPEST: usize = 32;

impl Reader<'_> {
    fn any(&self, text: &str, depth: usize) -> Result<Value, String> {
        let text = text.trim();
        if depth > DEEPEST {
            return Err("the expression is nested too deep".to_string());
        }
        if text.is_empty() {
            return Err("there is nothing to evaluate".to_string());
        }
        if let Some((left, right)) = split(text, "||") {
            let left = self.flag(left, depth)?;
            return Ok(Value::Bool(left || self.flag(right, depth)?));
        }
        if let Some((left, right)) = split(text, "&&") {
            let left = self.flag(left, depth)?;
            return Ok(Value::Bool(left && self.flag(right, depth)?));
        }
        for operator in COMPARING {
            if let Some((left, right)) = split(text, operator) {
                return self.comparison(left, operator, right, depth);
            }
        }
        if let Some(inner) = text.strip_prefix('!') {
            return self.flag(inner, depth).map(|flag| Value::Bool(!flag));
        }
        if let Some(inner) = text
            .strip_prefix('(')
            .and_then(|rest| rest.strip_suffix(')'))
        {
            return self.any(inner, depth + 1);
        }
        self.operand(text)
    }

    fn flag(&self, text: &str, depth: usize) -> Result<bool, String> {
        match self.any(text, depth + 1) {
            Ok(Value::Bool(flag)) => Ok(flag),
            Ok(Value::Null) => Ok(false),
            Ok(other) => Err(format!(
                "\"{}\" is a {}, not true or false",
                text.trim(),
                other.type_name()
            )),
            Err(error) => Err(error),
        }
    }

    fn comparison(
        &self,
        left: &str,
        operator: &str,
        right: &str,
        depth: usize,
    ) -> Result<Value, String> {
        let (a, b) = (self.any(left, depth + 1), self.any(right, depth + 1));
        let (a, b) = match (operator, a, b) {
            // A missing value is equal to nothing and unequal to everything.
            ("==", Err(_), Ok(_)) | ("==", Ok(_), Err(_)) => return Ok(Value::Bool(false)),
            ("!=", Err(_), Ok(_)) | ("!=", Ok(_), Err(_)) => return Ok(Value::Bool(true)),
            (_, a, b) => (a?, b?),
        };
        let order = match (&a, &b) {
            (Value::Number(a), Value::Number(b)) => a.compare(b),
            (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
            _ => None,
        };
        let holds = match operator {
            "==" => a == b,
            "!=" => a != b,
            "<=" => order.is_some_and(std::cmp::Ordering::is_le),
            ">=" => order.is_some_and(std::cmp::Ordering::is_ge),
            "<" => order.is_some_and(std::cmp::Ordering::is_lt),
            _ => order.is_some_and(std::cmp::Ordering::is_gt),
        };
        Ok(Value::Bool(holds))
    }

    fn operand(&self, text: &str) -> Result<Value, String> {
        match text {
            "attempt" => return Ok(Value::from(i64::from(self.frame.visit.attempt))),
            "index" => return Ok(self.index()),
            "error" => return Ok(self.error()),
            _ => {}
        }
        if let Some(quoted) = text
            .strip_prefix('\'')
            .and_then(|rest| rest.strip_suffix('\''))
        {
            return Ok(Value::from(quoted));
        }
        if !text.starts_with(['$', 'S']) {
            return parse(text).map_err(|_| {
                self.unread.set(true);
                format!("\"{text}\" is neither a path nor a value; paths begin with $")
            });
        }
        let data = &self.frame.visit.data;
        if let Some((stage, rest)) = stage_named(text, |stage| data.get(stage).is_some()) {
            let stage = stage.map_err(|word| format!("{word} is not reached yet"))?;
            let value = data.get(stage).cloned().unwrap_or_default();
            return self.query(&format!("${rest}"), &value);
        }
        if let Some(rest) = text.strip_prefix("$error")
            && (rest.is_empty() || rest.starts_with('.'))
            && let Some((fault, _)) = &self.frame.visit.fault
        {
            return self.query(&format!("${rest}"), &fault.error_output());
        }
        if text.starts_with("$states.") {
            // No variable may have this name: JSONata is meant.
            self.unread.set(true);
        }
        self.query(text, &document(self.frame))
    }

    fn query(&self, text: &str, data: &Value) -> Result<Value, String> {
        let expression = Expression::parse(text).map_err(|error| {
            self.unread.set(true);
            error.message
        })?;
        let bindings: &dyn Bindings = &self.machine.inspect(self.frame, data);
        expression.eval(bindings).map_err(|error| error.reason())
    }

    fn index(&self) -> Value {
        let mut at = Some(self.frame);
        while let Some(frame) = at {
            if let Some(item) = &frame.item {
                return Value::from(i64::from(item.index));
            }
            at = frame.parent.and_then(|parent| self.machine.frame(parent));
        }
        Value::Null
    }

    fn error(&self) -> Value {
        let error = self
            .frame
            .visit
            .fault
            .as_ref()
            .and_then(|(fault, _)| fault.error.clone());
        error.map_or(Value::Null, Value::String)
    }
}

/// The document between states: the output once there is one, else the input.
#[must_use]
pub fn document(frame: &Frame) -> Value {
    frame
        .visit
        .data
        .get(Stage::Output)
        .or_else(|| frame.visit.data.get(Stage::Input))
        .cloned()
        .unwrap_or_default()
}

/// Splits at the last `operator` that stands outside quotes and brackets.
pub(super) fn split<'t>(text: &'t str, operator: &str) -> Option<(&'t str, &'t str)> {
    let (mut depth, mut quote, mut escaped, mut found) = (0_i32, None, false, None);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            _ if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), c) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            (None, _)
                if depth == 0
                    && text
                        .get(at..)
                        .is_some_and(|rest| is_operator(rest, operator, text, at)) =>
            {
                found = Some(at);
            }
            _ => {}
        }
    }
    let at = found?;
    Some((text.get(..at)?, text.get(at + operator.len()..)?))
}

/// Whether `rest` begins with just this operator, and not with a longer one.
fn is_operator(rest: &str, operator: &str, text: &str, at: usize) -> bool {
    let longer = operator.len() == 1 && rest.get(1..2) == Some("=");
    let tail =
        at > 0 && operator == "=" && text.get(at - 1..at).is_some_and(|c| "<>!=".contains(c));
    rest.starts_with(operator) && !longer && !tail
}

/// A part of a log message.
enum Part<'t> {
    Text(&'t str),
    Expression(&'t str),
}

fn parts(template: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = template;
    while let Some((text, after)) = rest.split_once('{')
        && let Some((expression, after)) = after.split_once('}')
    {
        parts.extend([Part::Text(text), Part::Expression(expression)]);
        rest = after;
    }
    parts.push(Part::Text(rest));
    parts
}

/// The expressions of a log message.
pub fn expressions(template: &str) -> impl Iterator<Item = &str> {
    parts(template).into_iter().filter_map(|part| match part {
        Part::Expression(text) => Some(text),
        Part::Text(_) => None,
    })
}
