//! Evaluates expressions that the user types (watches, conditions, `p`): a path, an intrinsic or a comparison.

use super::condition_syntax::{self, Operand, STAGES, Typed, Unread, Why, behind};
use crate::definition::{Ask, Place, QueryLanguage};
use crate::interpreter::{Frame, Machine, Outcome, Serve, Stage};
use crate::json::{Value, bare};
use crate::query::Evaluate as _;
use crate::query::jsonata::Operator;
use crate::query::{Bindings, Expression, jsonata};
use crate::source::with_article;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// The error for expressions before the first event.
pub const NOTHING_RAN: &str = "nothing has run yet";

/// Evaluates an expression that the user typed, in a frame.
///
/// `$` is the data that passes from state to state: the state's input, later its output. `$input`, `$effective`,
/// `$result` and `$output` are stages, and `$error` is the current error with its Error and Cause. `attempt`, `index`
/// and `error` (only the error's name) are written without `$`. Operators are `==  !=  <  <=  >  >=  &&  ||  !`. Text
/// between `{%` and `%}` is JSONata, with `$states` and the variables of the frame's state. In a JSONata state, text
/// that cannot be parsed otherwise is JSONata too.
///
/// # Errors
/// One sentence that says why there is no value.
pub fn evaluate(
    machine: &Machine,
    frame: &Frame,
    text: &str,
    server: &dyn Serve,
) -> Result<Value, String> {
    let value = evaluate_all(machine, frame, &[text], server).pop();
    value.unwrap_or_else(|| by_jsonata(None))
}

/// Evaluates a path or intrinsic as a field of the state would, with the value of `stage` as `$`.
///
/// # Errors
/// One sentence that says why there is no value.
pub fn evaluate_on(
    machine: &Machine,
    frame: &Frame,
    text: &str,
    stage: Stage,
) -> Result<Value, String> {
    let value = frame.visit.data.get(stage);
    let value =
        value.ok_or_else(|| format!("{stage} has not been reached yet", stage = stage.name()))?;
    let path = Expression::parse(text).map_err(|error| error.message)?;
    let bindings: &dyn Bindings = &machine.inspect(frame, value);
    path.eval(bindings).map_err(|error| error.reason())
}

/// Evaluates several expressions; the JSONata expressions among them share one time budget.
///
/// # Errors
/// For each expression, one sentence that says why it has no value.
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
    let is_alone = asked.len() < 2;
    let outcome = (!asked.is_empty()).then(|| {
        let ask = machine.inspect_jsonata(frame, asked);
        server.serve(&ask).map(|answer| answer.outcome)
    });
    let outcome = outcome.flatten();
    let given: &[jsonata::Evaluated] = match &outcome {
        Some(Outcome::Evaluated(results)) => results,
        _ => &[],
    };
    let mut given = given.iter().cloned();
    let value = |read| match read {
        Read::Done(result) => result,
        Read::Jsonata(_) => match given.next() {
            Some(Err(failure)) if failure.is_of_time() && !is_alone => Err(TOO_SLOW.to_string()),
            result => by_jsonata(result),
        },
    };
    read.into_iter().map(value).collect()
}

/// The stage that the first word of a typed text means, and the text after that word. If the run has reached none of
/// the stages that the word may mean, returns the word in place of a stage.
pub fn stage_named(
    text: &str,
    is_reached: impl Fn(Stage) -> bool,
) -> Option<(Result<Stage, &'static str>, &str)> {
    STAGES.into_iter().find_map(|(word, stages)| {
        let rest = behind(text, word)?;
        let stage = stages.iter().find(|stage| is_reached(**stage));
        Some((stage.copied().ok_or(word), rest))
    })
}

/// The word that a user can currently type for this stage; `None` if there is no such word.
#[must_use]
pub fn word_of(stage: Stage, is_reached: impl Fn(Stage) -> bool) -> Option<&'static str> {
    let meant = |stages: &[Stage]| stages.iter().copied().find(|stage| is_reached(*stage));
    let entry = STAGES
        .into_iter()
        .find(|(_, stages)| meant(stages) == Some(stage));
    entry.map(|(word, _)| word)
}

/// The error for an expression that uses too much of the time that all expressions of a stop have together.
const TOO_SLOW: &str = "not evaluated, because the expressions of this stop take too long; the command \"print\" allows more time";

/// A typed expression after parsing.
enum Read {
    /// An expression that was evaluated while it was parsed: its value, or why it has none.
    Done(Result<Value, String>),
    /// A JSONata expression, still to be evaluated.
    Jsonata(Arc<jsonata::Expression>),
}

impl Read {
    fn of(machine: &Machine, frame: &Frame, text: &str) -> Self {
        if let Some(text) = jsonata::inner(text.trim()) {
            return Self::parsed(text);
        }
        let text = text.trim();
        let problem = match condition_syntax::parse(text) {
            Ok(typed) => {
                let moment = Moment {
                    machine,
                    frame,
                    text,
                };
                match moment.value(&typed) {
                    // No variable can be named `$states`, so the text must be JSONata.
                    Err(problem) if text.contains("$states.") => problem,
                    value => return Self::Done(value),
                }
            }
            Err(Unread { range, why }) => match why {
                Why::Deep => {
                    return Self::Done(Err("the expression is nested too deeply".to_string()));
                }
                Why::Empty | Why::NothingBefore | Why::NothingAfter => {
                    return Self::Done(Err("the expression is empty or incomplete".to_string()));
                }
                Why::Neither(_) => {
                    let part = text.get(range).unwrap_or_default();
                    format!("\"{part}\" is neither a path nor a value; paths begin with $")
                }
                Why::Path(message) => message,
            },
        };
        let state = machine.definition().state(frame.visit.state);
        if state.is_some_and(|state| state.language == QueryLanguage::Jsonata) {
            return Self::parsed(text);
        }
        Self::Done(Err(format!(
            "{problem}; write JSONata between {{% and %}}, such as {{% $states.input.a + 1 %}}"
        )))
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
}

/// Values of expressions in one frame. Each text is evaluated once, and all share one time budget.
pub struct Values<'t>(HashMap<&'t str, Result<Value, String>>);

impl<'t> Values<'t> {
    /// Evaluates the texts; without a frame, no text has a value.
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

    /// The value of a text that was given to [`Values::of`].
    ///
    /// # Errors
    /// One sentence that says why the text has no value.
    pub fn get(&self, text: &str) -> Result<Value, String> {
        let value = self.0.get(text).cloned();
        value.unwrap_or_else(|| Err(NOTHING_RAN.to_owned()))
    }

    /// Result of a condition that was given to [`Values::of`].
    ///
    /// # Errors
    /// One sentence that says why the result is not known; a breakpoint then stops and shows the sentence.
    pub fn condition(&self, text: &str) -> Result<bool, String> {
        match self.get(text)? {
            Value::Bool(holds) => Ok(holds),
            Value::Null => Ok(false),
            value => Err(format!(
                "the condition \"{text}\" is {value_type}, not true or false",
                value_type = with_article(value.type_name())
            )),
        }
    }

    /// A log message in which each `{expression}` is replaced by its value; the expressions were given to
    /// [`Values::of`].
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

/// Result of a condition.
///
/// # Errors
/// See [`Values::condition`].
pub fn condition(
    machine: &Machine,
    frame: &Frame,
    text: &str,
    server: &dyn Serve,
) -> Result<bool, String> {
    Values::of(machine, Some(frame), std::iter::once(text), server).condition(text)
}

fn by_jsonata(result: Option<jsonata::Evaluated>) -> Result<Value, String> {
    match result {
        Some(Ok(value)) => Ok(value),
        Some(Err(failed)) => Err(format!("the expression {failed}")),
        None => Err("asldbg could not evaluate the JSONata expression".to_string()),
    }
}

/// The frame in which a typed text is evaluated, and the text.
struct Moment<'m> {
    machine: &'m Machine,
    frame: &'m Frame,
    text: &'m str,
}

impl Moment<'_> {
    fn value(&self, typed: &Typed) -> Result<Value, String> {
        match &typed.ask {
            Ask::Truth(operand) => self.operand(operand),
            Ask::Not(part) => self.flag(part).map(|flag| Value::Bool(!flag)),
            Ask::Any(parts) => self.joined(parts, true),
            Ask::All(parts) => self.joined(parts, false),
            Ask::Compare {
                left,
                relation,
                right,
                ..
            } => self.comparison(left, *relation, right),
            // Typed conditions have no syntax for these tests.
            Ask::Always(_) | Ask::Present(..) | Ask::Is(..) | Ask::Matches(..) | Ask::Unread => {
                Ok(Value::Null)
            }
        }
    }

    /// The result of `and` (`until` is false) or `or` (`until` is true). The first operand whose result is `until`
    /// decides.
    fn joined(&self, parts: &[Typed], until: bool) -> Result<Value, String> {
        for part in parts {
            if self.flag(part)? == until {
                return Ok(Value::Bool(until));
            }
        }
        Ok(Value::Bool(!until))
    }

    fn flag(&self, part: &Typed) -> Result<bool, String> {
        match self.value(part)? {
            Value::Bool(flag) => Ok(flag),
            Value::Null => Ok(false),
            value => {
                let written = match &part.place {
                    Place::Expression(range) => self.text.get(range.clone()),
                    Place::Joined => None,
                };
                Err(format!(
                    "\"{condition}\" is {value_type}, not true or false",
                    condition = written.unwrap_or_default(),
                    value_type = with_article(value.type_name())
                ))
            }
        }
    }

    fn comparison(
        &self,
        left: &Operand,
        relation: Operator,
        right: &Operand,
    ) -> Result<Value, String> {
        let (a, b) = match (relation, self.operand(left), self.operand(right)) {
            // A missing value is not equal to any value: `==` is false, and `!=` is true.
            (Operator::Equal, Err(_), Ok(_)) | (Operator::Equal, Ok(_), Err(_)) => {
                return Ok(Value::Bool(false));
            }
            (Operator::NotEqual, Err(_), Ok(_)) | (Operator::NotEqual, Ok(_), Err(_)) => {
                return Ok(Value::Bool(true));
            }
            (_, a, b) => (a?, b?),
        };
        let order = match (&a, &b) {
            (Value::Number(a), Value::Number(b)) => a.compare(b),
            (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
            _ => None,
        };
        let holds = match relation {
            Operator::Equal => a == b,
            Operator::NotEqual => a != b,
            _ => order.and_then(|order| relation.holds(order)) == Some(true),
        };
        Ok(Value::Bool(holds))
    }

    fn operand(&self, operand: &Operand) -> Result<Value, String> {
        let visit = &self.frame.visit;
        match operand {
            Operand::Attempt => Ok(Value::from(i64::from(visit.attempt))),
            Operand::Index => Ok(self.index()),
            Operand::ErrorName => Ok(self.error()),
            Operand::Value(value) => Ok(value.clone()),
            Operand::Truth(typed) => self.value(typed),
            Operand::Stage(stage_name, stages, path) => {
                let mut reached = stages.iter().filter_map(|stage| visit.data.get(*stage));
                let value = reached.next();
                let value =
                    value.ok_or_else(|| format!("{stage_name} has not been reached yet"))?;
                self.query(path, value)
            }
            Operand::Error(path, variable) => match &visit.fault {
                Some((fault, _)) => self.query(path, &fault.error_output()),
                None => self.query(variable, &document(self.frame)),
            },
            Operand::Path(path) => self.query(path, &document(self.frame)),
        }
    }

    fn query(&self, path: &Expression, data: &Value) -> Result<Value, String> {
        let bindings: &dyn Bindings = &self.machine.inspect(self.frame, data);
        path.eval(bindings).map_err(|error| error.reason())
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
        let fault = self.frame.visit.fault.as_ref();
        let error = fault.and_then(|(fault, _)| fault.error.clone());
        error.map_or(Value::Null, Value::String)
    }
}

/// The data that passes from state to state: the state's output, or its input while there is no output.
#[must_use]
pub fn document(frame: &Frame) -> Value {
    let data = &frame.visit.data;
    let document = data.get(Stage::Output).or_else(|| data.get(Stage::Input));
    document.cloned().unwrap_or_default()
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
