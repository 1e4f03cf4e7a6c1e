//! The conditions of a Choice in JSONata looked at once more: each test in them with its values and what came of it.
//!
//! It must not know colours or widths, nor how the run goes on.

use super::rules::{
    BRIEF, VALUE, differing, not_evaluated, read_paths, read_values, unset, with_article,
};
use crate::definition::{Choice, Test};
use crate::interpreter::{Frame, Machine, Outcome, Serve};
use crate::json::Value;
use crate::query::abridged;
use crate::query::jsonata::{ConditionPart, Evaluated, Expression, Failure, is_literal};
use crate::session::view::{Compared, Joint, OperandView, Side};
use std::collections::HashMap;
use std::sync::Arc;

/// At most so many expressions are evaluated for the conditions of a state.
const MOST: usize = 400;

/// What the conditions of a Choice come to, by the place of their rule.
#[derive(Default)]
pub(in crate::session) struct Weighed(HashMap<usize, WeighedRule>);

/// What came of a condition, and of each test in it.
pub(super) struct WeighedRule {
    pub(super) result: Answer,
    pub(super) operands: Vec<OperandView>,
}

/// What came of a test: `None` where it was not evaluated.
type Answer = Option<Result<bool, String>>;

impl Weighed {
    /// The conditions of the Choice that a frame is in, evaluated with what they read; what takes long is left out.
    pub(super) fn of(
        machine: &Machine,
        frame: &Frame,
        choice: &Choice,
        server: &dyn Serve,
    ) -> Self {
        let frame = &*frame.before_assign();
        let mut asked: Vec<String> = Vec::new();
        let mut conditions = Vec::new();
        for (place, rule) in choice.rules.iter().enumerate() {
            let Test::Condition(expression) = &rule.test else {
                continue;
            };
            // What is random is another at every look.
            if expression.draws || asked.len() > MOST {
                continue;
            }
            let condition = ConditionPart::parse(&expression.text);
            collect(&condition, true, &mut asked);
            conditions.push((place, condition));
        }
        let known = evaluated(machine, frame, asked, server);
        let look = Look {
            machine,
            frame,
            known: &known,
        };
        let rules = conditions.into_iter().map(|(place, condition)| {
            let mut operands = Vec::new();
            let result = look.add(&condition, 0, false, &mut operands);
            (place, WeighedRule { result, operands })
        });
        Self(rules.collect())
    }

    /// What is known of a rule.
    pub(super) fn rule(&self, place: usize) -> Option<&WeighedRule> {
        self.0.get(&place)
    }
}

/// What of a nested value decides whether it holds.
fn boolean_of(text: &str) -> String {
    format!("$boolean(({text}))")
}

/// The expressions that have to be evaluated for a condition.
fn collect(condition: &ConditionPart, top: bool, asked: &mut Vec<String>) {
    let mut ask = |text: String| {
        if !asked.contains(&text) {
            asked.push(text);
        }
    };
    match condition {
        ConditionPart::All(tests) | ConditionPart::Any(tests) => {
            for test in tests {
                collect(test, false, asked);
            }
        }
        ConditionPart::Not(test) => collect(test, false, asked),
        ConditionPart::Compare {
            text, left, right, ..
        } => {
            ask(text.clone());
            for side in [left, right] {
                if !is_literal(side) {
                    ask(side.clone());
                }
            }
        }
        ConditionPart::Value(text) => {
            ask(text.clone());
            if !top {
                ask(boolean_of(text));
            }
        }
    }
}

/// What each of the expressions gives.
fn evaluated(
    machine: &Machine,
    frame: &Frame,
    asked: Vec<String>,
    server: &dyn Serve,
) -> HashMap<String, Evaluated> {
    let parsed = asked.into_iter().filter_map(|text| {
        let expression = Expression::parse(&text, "Condition").ok()?;
        Some((text, Arc::new(expression)))
    });
    let (texts, expressions): (Vec<String>, Vec<Arc<Expression>>) = parsed.unzip();
    if expressions.is_empty() {
        return HashMap::new();
    }
    let ask = machine.inspect_jsonata(frame, expressions);
    let results = match server.serve(&ask).map(|answer| answer.outcome) {
        Some(Outcome::Evaluated(results)) => results.to_vec(),
        _ => Vec::new(),
    };
    let known = texts.into_iter().zip(results);
    known
        .filter(|(_, result)| !matches!(result, Err(failure) if failure.is_of_time()))
        .collect()
}

struct Look<'l> {
    machine: &'l Machine,
    frame: &'l Frame,
    known: &'l HashMap<String, Evaluated>,
}

impl Look<'_> {
    /// A test and those inside it, outermost first; `after`: one before it decides.
    fn add(
        &self,
        condition: &ConditionPart,
        depth: u32,
        after: bool,
        list: &mut Vec<OperandView>,
    ) -> Answer {
        let place = list.len();
        list.push(OperandView {
            depth,
            after,
            ..OperandView::default()
        });
        let (text, compared, result, why) = match condition {
            ConditionPart::All(tests) => {
                let result = self.joined(tests, (depth, after), false, list);
                ("And: all of these".to_string(), None, result, None)
            }
            ConditionPart::Any(tests) => {
                let result = self.joined(tests, (depth, after), true, list);
                ("Or: one of these".to_string(), None, result, None)
            }
            ConditionPart::Not(test) => {
                let inner = self.add(test, depth + 1, after, list);
                let result = inner.map(|inner| inner.map(|held| !held));
                ("Not".to_string(), None, result, None)
            }
            ConditionPart::Compare {
                text,
                left,
                sign,
                right,
            } => {
                let result = self.answer(text, depth > 0);
                let why = self.why(left, sign, right, &result);
                let compared = |most: usize| Compared {
                    left: self.side(left, most),
                    sign: sign.to_string(),
                    right: self.side(right, most),
                };
                let Compared { left, right, .. } = compared(VALUE);
                let text = format!("{left} {sign} {right}");
                (text, Some(compared(BRIEF)), result, why)
            }
            ConditionPart::Value(text) if depth == 0 => {
                let shown = format!("{{% {text} %}}{}", self.read(text));
                (shown, None, self.answer(text, false), None)
            }
            ConditionPart::Value(text) => {
                let shown = match self.known.get(text) {
                    Some(Ok(Value::Bool(_))) => format!("{text}{}", self.read(text)),
                    _ => self.side(text, VALUE).to_string(),
                };
                (shown, None, self.answer(&boolean_of(text), true), None)
            }
        };
        if let Some(own) = list.get_mut(place) {
            own.joint = match condition {
                ConditionPart::All(_) => Joint::All,
                ConditionPart::Any(_) => Joint::Any,
                ConditionPart::Not(_) => Joint::Not,
                _ => Joint::None,
            };
            own.paths = match condition {
                ConditionPart::Compare { text, .. } | ConditionPart::Value(text) => {
                    self.paths(text)
                }
                _ => Vec::new(),
            };
            own.compared = compared;
            own.text = text;
            own.result.clone_from(&result);
            own.why = why;
        }
        result
    }

    /// What comes of tests that are joined; the first that gives `until` decides.
    fn joined(
        &self,
        tests: &[ConditionPart],
        (depth, after): (u32, bool),
        until: bool,
        list: &mut Vec<OperandView>,
    ) -> Answer {
        let mut decided: Option<Answer> = None;
        for test in tests {
            // Behind one that is not known nothing is known to be left out.
            let is_over = after || matches!(decided, Some(Some(_)));
            let answer = self.add(test, depth + 1, is_over, list);
            if decided.is_none() && answer != Some(Ok(!until)) {
                decided = Some(answer);
            }
        }
        decided.unwrap_or(Some(Ok(!until)))
    }

    /// What a test gives; `nested`: nothing counts as false.
    fn answer(&self, text: &str, nested: bool) -> Answer {
        Some(match self.known.get(text)? {
            Ok(Value::Bool(held)) => Ok(*held),
            Err(Failure::Undefined) if nested => Ok(false),
            Ok(value) => Err(format!(
                "it gives {}, not true or false",
                abridged(value, VALUE)
            )),
            Err(Failure::Undefined) => Err("it gives nothing, not true or false".to_string()),
            Err(Failure::Bound(message)) => Err(message.to_string()),
            Err(failure) => Err(match failure.thrown() {
                Some(message) => message.to_string(),
                None => format!("the expression {failure}"),
            }),
        })
    }

    /// ` with $states.input.total = 115.5`: what an expression reads.
    fn read(&self, text: &str) -> String {
        let null = Value::Null;
        read_values(text, self.frame, &self.machine.inspect(self.frame, &null))
    }

    /// The places that an expression names.
    fn paths(&self, text: &str) -> Vec<String> {
        let null = Value::Null;
        read_paths(text, self.frame, &self.machine.inspect(self.frame, &null))
    }

    /// Whether it is a variable that nothing has set.
    fn is_unset(&self, text: &str) -> bool {
        let null = Value::Null;
        let bindings = self.machine.inspect(self.frame, &null);
        let own = text.strip_prefix('$').unwrap_or_default();
        unset(text, &bindings).iter().any(|name| **name == *own)
    }

    /// `$states.input.total (115.5)`.
    fn side(&self, text: &str, most: usize) -> Side {
        let value = match self.known.get(text) {
            _ if self.is_unset(text) => Some("not set".to_string()),
            Some(Ok(value)) => Some(abridged(value, most)),
            Some(Err(Failure::Undefined)) => Some("nothing".to_string()),
            Some(Err(_)) | None => None,
        };
        Side {
            written: text.to_string(),
            value,
        }
    }

    /// Why a comparison came out as it did, where its values alone do not say it.
    fn why(&self, left: &str, sign: &str, right: &str, result: &Answer) -> Option<String> {
        let value = |side: &str| self.known.get(side);
        for side in [left, right] {
            if let Some(Ok(Value::String(text))) = value(side)
                && let Some(hint) = not_evaluated(text)
            {
                return Some(hint);
            }
        }
        let missing = [left, right]
            .into_iter()
            .find(|side| matches!(value(side), Some(Err(Failure::Undefined))));
        if let (Some(side), Some(Ok(false))) = (missing, result) {
            let why = match sign {
                "=" | "!=" => {
                    format!("false: {side} gives nothing, and then both = and != are false")
                }
                _ => format!("false: {side} gives nothing"),
            };
            return Some(why);
        }
        let of = |side: &str| match value(side) {
            Some(Ok(value)) => Some(value.clone()),
            Some(Err(_)) => None,
            None => crate::json::parse(&side.replace('\'', "\"")).ok(),
        };
        let (left, right) = (of(left)?, of(right)?);
        let types = (left.type_name(), right.type_name());
        let differ = |held: bool| {
            let (left, right) = (with_article(types.0), with_article(types.1));
            format!("{held}: one is {left}, the other {right}")
        };
        match (sign, result) {
            ("=", Some(Ok(false))) if types.0 != types.1 => Some(differ(false)),
            ("=", Some(Ok(false))) => differing(left.as_str()?, right.as_str()?),
            ("!=", Some(Ok(true))) if types.0 != types.1 => Some(differ(true)),
            _ => None,
        }
    }
}
