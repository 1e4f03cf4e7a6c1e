//! Choice state: the 39 comparison operators and the Boolean operators.

use crate::definition::{
    Choice, Comparator, Comparison, Operand, QueryLanguage, Rule, State, Test,
};
use crate::interpreter::evaluate::Beside;
use crate::interpreter::event::{Edge, EventKind, FrameId, Stage};
use crate::interpreter::machine::Machine;
use crate::interpreter::reason::Reason;
use crate::interpreter::stage::{Done, Raised};
use crate::interpreter::visit::Phase;
use crate::json::{Text, Value};
use crate::query::{Bindings, Evaluate as _, Path, QueryError, parse_timestamp};
use std::cmp::Ordering;
use std::sync::Arc;

/// The reason why a test of a Choice cannot be decided.
#[derive(Clone, Debug, PartialEq)]
pub enum ChoiceError {
    /// A path of the test selects nothing.
    Missing(Text),
    /// A path of the test would apply to null, which AWS rejects.
    OnNull(Text),
    /// The test could not be parsed.
    Broken(Text),
}

impl Machine {
    /// Exits a Choice by the first rule that matches, or by Default.
    pub(super) fn choose(&mut self, id: FrameId, state: &State, choice: &Choice) -> Done {
        // If the visit follows recorded events, the recording says which rule was taken, but not the data that rules
        // test.
        if self.follows(id) {
            let edge = self.followed_rule(id, choice);
            return self.chosen(id, choice, edge);
        }
        if state.language == QueryLanguage::Jsonata {
            return match self.condition(id, choice)? {
                Some(edge) => self.chosen(id, choice, edge),
                None => Ok(()),
            };
        }
        let Some(frame) = self.frame(id) else {
            return Ok(());
        };
        let data = frame.visit.data.latest(Stage::AfterInputPath);
        let mut edge = None;
        for (place, rule) in (0_u32..).zip(&choice.rules) {
            match holds(&rule.test, &self.bindings(frame, &data)) {
                Ok(true) => {
                    edge = Some(Edge::Rule(place));
                    break;
                }
                Ok(false) => {}
                Err(error) => return Err(self.choice_fault(id, error)),
            }
        }
        self.chosen(id, choice, edge)
    }

    /// Evaluates the Conditions of a Choice up to the first that is true, and returns the edge by which the state is
    /// exited. `None` while the results are pending.
    fn condition(&mut self, id: FrameId, choice: &Choice) -> Result<Option<Option<Edge>>, Raised> {
        // Conditions after a literal `true` never take effect.
        let expressions = || {
            let mut expressions = Vec::new();
            for rule in &choice.rules {
                match &rule.test {
                    Test::Condition(expression) => expressions.push(Arc::clone(expression)),
                    Test::Always(false) => {}
                    _ => break,
                }
            }
            expressions
        };
        let beside = Beside {
            until_true: true,
            ..Beside::default()
        };
        let Some(mut results) = self.evaluate(id, expressions, beside) else {
            return Ok(None);
        };
        for (place, rule) in (0_u32..).zip(&choice.rules) {
            let holds = match &rule.test {
                Test::Condition(expression) => {
                    let stage = Stage::AfterInputPath;
                    let value = self.result_of(id, expression, &mut results, stage)?;
                    match value.as_bool() {
                        Some(holds) => holds,
                        None => return Err(self.mistyped(id, expression, "boolean", &value, stage)),
                    }
                }
                Test::Always(flag) => *flag,
                Test::Broken(why) => {
                    return Err(self.own_fault(id, Reason::Broken(why.clone()), None));
                }
                _ => false,
            };
            if holds {
                return Ok(Some(Some(Edge::Rule(place))));
            }
        }
        Ok(Some(None))
    }

    fn chosen(&mut self, id: FrameId, choice: &Choice, edge: Option<Edge>) -> Done {
        let edge = edge.or(choice.default.as_ref().map(|_| Edge::Default));
        let Some(edge) = edge else {
            return Err(self.own_fault(id, Reason::NoRule, None));
        };
        self.with(id, |frame| {
            frame.visit.edge = Some(edge);
            frame.visit.phase = Phase::Stage(Stage::Output);
        });
        let arg = match edge {
            Edge::Rule(place) => place,
            _ => u32::MAX,
        };
        self.push(id, EventKind::Chosen, arg, true);
        Ok(())
    }

    fn choice_fault(&self, id: FrameId, error: ChoiceError) -> Raised {
        let (path, on_null) = match error {
            ChoiceError::Missing(path) => (path, false),
            ChoiceError::OnNull(path) => (path, true),
            ChoiceError::Broken(why) => return self.own_fault(id, Reason::Broken(why), None),
        };
        let reason = Reason::Condition { path, on_null };
        self.own_fault(id, reason, None)
    }
}

/// True if a test matches. And and Or stop at the first operand that decides their result.
///
/// # Errors
/// If a path selects nothing (except under IsPresent), applies to null on AWS, or the test is broken.
pub fn holds(test: &Test, bindings: &dyn Bindings) -> Result<bool, ChoiceError> {
    evaluated(test, bindings, &mut |_, _| {})
}

/// Like [`holds`]. Also calls `see` for each test that is evaluated, except And, Or and Not, with the test and its
/// result.
///
/// # Errors
///
/// As for [`holds`].
pub fn evaluated<'t>(
    test: &'t Test,
    bindings: &dyn Bindings,
    see: &mut dyn FnMut(&'t Test, &Result<bool, ChoiceError>),
) -> Result<bool, ChoiceError> {
    let result = match test {
        Test::And(tests) | Test::Or(tests) => {
            let goes_on = matches!(test, Test::And(_));
            for test in tests {
                if evaluated(test, bindings, see)? != goes_on {
                    return Ok(!goes_on);
                }
            }
            return Ok(goes_on);
        }
        Test::Not(test) => return evaluated(test, bindings, see).map(|held| !held),
        Test::Compare(comparison) => compare(comparison, bindings),
        Test::Always(flag) => Ok(*flag),
        // Only the machine can evaluate a Condition.
        Test::Condition(_) => Ok(false),
        Test::Broken(reason) => Err(ChoiceError::Broken(reason.clone())),
    };
    see(test, &result);
    result
}

/// The first rule whose evaluation fails with an error, and the test inside the rule that fails.
#[must_use]
pub fn failing<'r>(rules: &'r [Rule], bindings: &dyn Bindings) -> Option<(&'r Rule, &'r Test)> {
    let mut last = None;
    let mut see = |test, _: &Result<bool, ChoiceError>| last = Some(test);
    let decides = |rule: &&'r Rule| evaluated(&rule.test, bindings, &mut see) != Ok(false);
    let rule = rules.iter().find(decides)?;
    holds(&rule.test, bindings)
        .is_err()
        .then_some((rule, last?))
}

/// True if a comparison matches.
///
/// # Errors
/// If a path selects nothing (except under IsPresent), or applies to null on AWS.
pub fn compare(comparison: &Comparison, bindings: &dyn Bindings) -> Result<bool, ChoiceError> {
    let selected_value = selected(&comparison.variable, bindings)?;
    if comparison.comparator == Comparator::IsPresent {
        let wanted = Value::Bool(selected_value.is_some());
        return Ok(matches!(&comparison.operand, Operand::Constant(value) if *value == wanted));
    }
    let Some(value) = selected_value else {
        return Err(ChoiceError::Missing(comparison.variable.text().into()));
    };
    match &comparison.operand {
        Operand::Constant(constant) => Ok(decide(comparison.comparator, &value, constant)),
        Operand::Pattern(_, pattern) => {
            Ok(value.as_str().is_some_and(|text| pattern.matches(text)))
        }
        Operand::Path(path) => match selected(path, bindings)? {
            Some(other) => Ok(decide(comparison.comparator, &value, &other)),
            None => Err(ChoiceError::Missing(path.text().into())),
        },
    }
}

/// The value that a path selects; `None` if the path selects nothing.
fn selected(path: &Path, bindings: &dyn Bindings) -> Result<Option<Value>, ChoiceError> {
    match path.eval(bindings) {
        Ok(value) => Ok(Some(value)),
        Err(QueryError::NullDocument { path }) => Err(ChoiceError::OnNull(path)),
        Err(_) => Ok(None),
    }
}

/// True if the comparison matches. A value of another type than expected does not match; that is never an error.
fn decide(comparator: Comparator, value: &Value, other: &Value) -> bool {
    let is = |holds: bool| other.as_bool() == Some(holds);
    match comparator {
        Comparator::String(relation) => {
            let texts = value.as_str().zip(other.as_str());
            texts.is_some_and(|(a, b)| relation.holds(utf16_order(a, b)))
        }
        Comparator::Numeric(relation) => {
            let numbers = value.as_number().zip(other.as_number());
            let order = numbers.and_then(|(a, b)| a.compare(b));
            order.is_some_and(|order| relation.holds(order))
        }
        Comparator::Timestamp(relation) => {
            let instant = |value: &Value| value.as_str().and_then(parse_timestamp);
            let instants = instant(value).zip(instant(other));
            instants.is_some_and(|(a, b)| relation.holds(a.cmp(&b)))
        }
        Comparator::BooleanEquals => {
            value.as_bool().is_some() && value.as_bool() == other.as_bool()
        }
        Comparator::IsNull => is(matches!(value, Value::Null)),
        Comparator::IsNumeric => is(value.as_number().is_some()),
        Comparator::IsString => is(value.as_str().is_some()),
        Comparator::IsBoolean => is(value.as_bool().is_some()),
        Comparator::IsTimestamp => is(value.as_str().and_then(parse_timestamp).is_some()),
        // `compare` handles both comparators.
        Comparator::IsPresent | Comparator::StringMatches => false,
    }
}

/// Compares by UTF-16 code unit, as AWS does (9.2).
fn utf16_order(a: &str, b: &str) -> Ordering {
    match a.is_ascii() && b.is_ascii() {
        true => a.cmp(b),
        false => a.encode_utf16().cmp(b.encode_utf16()),
    }
}
