//! Evaluates the conditions of a JSONata Choice again, to show each test in them with its values and its result. Also
//! selects the test that best explains which rule the Choice followed.

use super::rule_view::{BRIEF, Compared, Joint, OperandView, RuleView, Side, VALUE};
use crate::definition::{Ask, Asked, Choice, Place, Term, Test};
use crate::interpreter::{Frame, Machine, Outcome, Serve};
use crate::json::Value;
use crate::query::jsonata::{Evaluated, Expression, Failure, Operator, counts_as_true};
use crate::query::{Bindings, abridged};
use crate::session::values_read::{Part, differing, not_evaluated, read_paths, read_values, unset};
use crate::source::with_article;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

/// If more expressions than this are collected for a Choice, the conditions of its further rules are not evaluated.
const MOST: usize = 400;

/// Maps the source text of each condition of a Choice, and of each part of a condition, to its result. A part whose
/// evaluation takes too long is left out.
pub(super) type Known = HashMap<String, Evaluated>;

/// Result of a test: true, false or the text of an error; `None` if the test was not evaluated.
pub(super) type Answer = Option<Result<bool, String>>;

/// Returns the results of a Choice's conditions, of the tests in them, and of the two sides of each comparison. Leaves
/// out parts whose evaluation takes too long.
pub(super) fn evaluated(
    machine: &Machine,
    frame: &Frame,
    choice: &Choice,
    server: &dyn Serve,
) -> Known {
    let mut asked: Vec<&str> = Vec::new();
    for rule in &choice.rules {
        let Test::Condition(expression) = &rule.test else {
            continue;
        };
        // Skips an expression with random functions, because it would give a different result now than in the run.
        if expression.draws || asked.len() > MOST {
            continue;
        }
        Asked::of(&rule.test).each(true, &mut |part, _| {
            let sides = match &part.ask {
                Ask::Compare { left, right, .. } => vec![left, right],
                _ => Vec::new(),
            };
            let sides = sides.into_iter().filter(|side| side.literal().is_none());
            let texts = sides.map(written);
            for text in std::iter::once(text_of(expression, part)).chain(texts) {
                if !asked.contains(&text) {
                    asked.push(text);
                }
            }
        });
    }
    let parsed = asked.into_iter().filter_map(|text| {
        let expression = Expression::parse(text, "Condition").ok()?;
        Some((text.to_owned(), Arc::new(expression)))
    });
    let (texts, expressions): (Vec<String>, Vec<Arc<Expression>>) = parsed.unzip();
    if expressions.is_empty() {
        return Known::new();
    }
    let ask = machine.inspect_jsonata(&frame.before_assign(), expressions);
    let results = match server.serve(&ask).map(|answer| answer.outcome) {
        Some(Outcome::Evaluated(results)) => results.to_vec(),
        _ => Vec::new(),
    };
    let known = texts.into_iter().zip(results);
    known
        .filter(|(_, result)| !matches!(result, Err(failure) if failure.is_of_time()))
        .collect()
}

/// Source text of a test in a condition.
fn text_of<'e>(expression: &'e Expression, part: &Asked<'_>) -> &'e str {
    match &part.place {
        Place::Expression(range) => expression.text.get(range.clone()).unwrap_or_default(),
        Place::Joined => &expression.text,
    }
}

/// Source text of one side of a comparison; empty if the side is not a part of a JSONata expression.
fn written<'d>(side: &Term<'d>) -> &'d str {
    match side {
        Term::Node(tree, node) => tree.text_of(node),
        Term::Path(_) | Term::Constant(_) | Term::Pattern(..) => "",
    }
}

/// A JSONata condition of a Choice, with the results of its parts.
pub(super) struct Look<'l> {
    pub frame: &'l Frame,
    pub bindings: &'l dyn Bindings,
    pub expression: &'l Expression,
    pub known: &'l Known,
}

impl Look<'_> {
    /// Returns the view of a test that contains no other tests. `depth` is the test's nesting depth: 0 for the whole
    /// condition.
    pub(super) fn test(&self, condition: &Asked<'_>, depth: u32) -> OperandView {
        let written = text_of(self.expression, condition);
        let part = self.part(condition);
        let paths = part.map(|part| read_paths(part, self.frame, self.bindings));
        let read = || part.map(|part| read_values(part, self.frame, self.bindings));
        let read = || read().unwrap_or_default();
        let mut view = OperandView {
            paths: paths.unwrap_or_default(),
            ..OperandView::default()
        };
        match (&condition.ask, self.known.get(written)) {
            (
                Ask::Compare {
                    left,
                    relation,
                    right,
                    ..
                },
                _,
            ) => {
                view.result = self.answer(written, depth > 0);
                view.why = self.why(left, *relation, right, &view.result);
                let compared = |most: usize| Compared {
                    left: self.side(self::written(left), most),
                    sign: relation.sign().to_string(),
                    right: self.side(self::written(right), most),
                };
                view.text = compared(VALUE).to_string();
                view.compared = Some(compared(BRIEF));
            }
            _ if depth == 0 => {
                view.text = format!("{{% {written} %}}{values}", values = read());
                view.result = self.answer(written, false);
            }
            (_, Some(Ok(value))) => {
                view.text = match value {
                    Value::Bool(_) => format!("{written}{}", read()),
                    _ => self.side(written, VALUE).to_string(),
                };
                view.result = Some(Ok(counts_as_true(value)));
            }
            _ => {
                view.text = self.side(written, VALUE).to_string();
                view.result = self.answer(written, true);
            }
        }
        view
    }

    /// Looks up the result of the test with this source text. An undefined result counts as false inside another test
    /// (`nested`), and is an error otherwise.
    fn answer(&self, text: &str, nested: bool) -> Answer {
        Some(match self.known.get(text)? {
            Ok(Value::Bool(held)) => Ok(*held),
            Err(Failure::Undefined) if nested => Ok(false),
            Ok(value) => Err(format!(
                "the result is {value}, not true or false",
                value = abridged(value, VALUE)
            )),
            Err(Failure::Undefined) => {
                Err("the test has no result, but true or false is needed".to_string())
            }
            Err(Failure::Bound(message)) => Err(message.to_string()),
            Err(failure) => Err(match failure.thrown() {
                Some(message) => message.to_string(),
                None => format!("the expression {failure}"),
            }),
        })
    }

    /// The syntax tree of the condition, and the node in the tree that the test was made from.
    fn part(&self, test: &Asked<'_>) -> Option<Part<'_>> {
        let tree = self.expression.parsed()?;
        let node = match &test.place {
            Place::Expression(range) => tree.at(range)?,
            Place::Joined => tree.root(),
        };
        Some((tree, node))
    }

    /// True if the text is a variable, such as `$limit`, that has no value.
    fn is_unset(&self, text: &str) -> bool {
        let variable = text.strip_prefix('$').unwrap_or_default();
        let tree = self.expression.parsed();
        let unset = tree.map(|tree| unset((tree, tree.root()), self.bindings));
        unset.is_some_and(|names| names.iter().any(|name| **name == *variable))
    }

    /// One side of a comparison with its value, such as `$states.input.total (115.5)`. The value is shortened to `most`
    /// bytes.
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

    /// Explains the result of a comparison; `None` if the values alone show the reason.
    fn why(
        &self,
        left: &Term<'_>,
        relation: Operator,
        right: &Term<'_>,
        result: &Answer,
    ) -> Option<String> {
        let value = |side: &Term<'_>| self.known.get(written(side));
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
            let side = written(side);
            let why = match relation {
                Operator::Equal | Operator::NotEqual => {
                    format!("false: {side} has no value, so both = and != are false")
                }
                _ => format!("false: {side} has no value"),
            };
            return Some(why);
        }
        let of = |side: &Term<'_>| match value(side) {
            Some(result) => result.as_ref().ok().cloned(),
            None => side.literal().map(|value| value.into_owned()),
        };
        let (left, right) = (of(left)?, of(right)?);
        let types = (left.type_name(), right.type_name());
        let differ = |result: bool| {
            let (left, right) = (with_article(types.0), with_article(types.1));
            format!("{result}: the left side is {left}, the right side is {right}")
        };
        match (relation, result) {
            (Operator::Equal, Some(Ok(false))) if types.0 != types.1 => Some(differ(false)),
            (Operator::Equal, Some(Ok(false))) => differing(left.as_str()?, right.as_str()?),
            (Operator::NotEqual, Some(Ok(true))) if types.0 != types.1 => Some(differ(true)),
            _ => None,
        }
    }
}

/// The test that best explains the result of a Choice.
#[derive(Clone, Copy, Debug)]
pub struct Reason<'v> {
    /// Index of the rule that contains the test.
    pub place: usize,
    /// The rule that contains the test.
    pub rule: &'v RuleView,
    /// The test that explains the result.
    pub test: &'v OperandView,
    /// True if this test is the only reason why the rule is false: the rule has other tests, and they are true.
    pub is_only: bool,
}

impl Reason<'_> {
    /// The test and its result as a sentence; `None` if the sentence would only repeat the rule's result.
    #[must_use]
    pub fn said(&self) -> Option<String> {
        let tells = self.test.why.is_some() || self.is_only;
        tells.then(|| self.test.sentence())
    }
}

/// Sort key of a test; the test that explains most has the smallest key. The first flag is true if the values alone
/// explain the test's result. If this test alone decides the result of a rule that has several tests, the second flag
/// is false, and the last part is the number of the rule's other tests. Otherwise, the second flag is true, and the
/// last part is 0.
type Rank = (bool, bool, Reverse<usize>);

/// The test that best explains why the Choice followed the rule at index `decided`: a test of that rule, or of an
/// earlier rule that is false for a reason that the compared values do not show. For Default, a test that explains why
/// the rules are false.
#[must_use]
pub fn reason(rules: &[RuleView], decided: usize) -> Option<Reason<'_>> {
    let passed = rules.iter().enumerate().take(decided);
    let passed = passed.filter(|(_, rule)| rule.result == Some(Ok(false)));
    let reason_in = |place: usize, rule| {
        let (rank, test) = first(rule)?;
        let reason = Reason {
            place,
            rule,
            test,
            is_only: place < decided && !rank.1,
        };
        Some((rank, reason))
    };
    let passed = passed.filter_map(|(place, rule)| reason_in(place, rule));
    let passed = passed.min_by_key(|(rank, _)| *rank);
    let rule = rules.get(decided)?;
    if rule.index.is_none() {
        return passed.map(|(_, reason)| reason);
    }
    let decisive = reason_in(decided, rule);
    let is_odd = |(_, reason): &(Rank, Reason<'_>)| reason.test.why.is_some();
    let decisive_is_odd = decisive.as_ref().is_some_and(is_odd);
    let passed = passed.filter(|reason| !decisive_is_odd && is_odd(reason));
    passed.or(decisive).map(|(_, reason)| reason)
}

/// Returns the test that explains most among the tests that decide a rule's result, with its sort key.
fn first(rule: &RuleView) -> Option<(Rank, &OperandView)> {
    let tests = rule.operands.iter().zip(rule.decisive());
    let tests = tests.filter(|(test, _)| !test.after && test.joint == Joint::None);
    let deciding = tests.clone().filter(|(_, decides)| *decides);
    let (count, all) = (deciding.clone().count(), tests.count());
    let held = if count == 1 { all - 1 } else { 0 };
    let ranked = deciding.map(|(test, _)| ((test.why.is_none(), held == 0, Reverse(held)), test));
    ranked.min_by_key(|(rank, _)| *rank)
}

impl RuleView {
    /// Returns the test whose values best show why the rule has its result: the test that explains most, or, if that
    /// test reads no value, the first test that reads one.
    #[must_use]
    pub fn telling(&self) -> Option<&OperandView> {
        let looks = |test: &&OperandView| !test.paths.is_empty();
        let first = first(self).map(|(_, test)| test);
        first
            .filter(looks)
            .or_else(|| self.operands.iter().find(looks))
    }
}
