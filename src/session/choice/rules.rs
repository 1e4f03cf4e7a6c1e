//! Builds the rules of the Choice that a frame is in, as front ends show them: each test with its values and its
//! result, and with an explanation if a value has an unsuitable type.

use super::condition::{Answer, Known, Look, evaluated, reason};
use super::rule_view::{BRIEF, Compared, Joint, OperandView, RuleView, Side, VALUE};
use crate::definition::{
    Ask, Asked, Comparator, Comparison, Definition, Operand, PathField, Relation, Rule, StateKind,
    Test,
};
use crate::interpreter::{
    ChoiceError, Edge, Frame, Machine, Serve, Stage, Want, compare, holds, no_choice_matched,
};
use crate::json::Value;
use crate::query::{Bindings, Evaluate as _, Path, abridged};
use crate::session::values_read::{differing, not_evaluated, read_paths, read_values};
use crate::session::visit_view::Follows;
use crate::source::with_article;

/// Maximum number of tests to list per rule.
const OPERANDS: usize = 100;

/// The rules of the frame's Choice, with Default last; empty if the frame's current state is not a Choice. `head` is
/// the machine at the end of the run. While `head` evaluates an expression, JSONata conditions have no results here,
/// because their evaluation would make `head` start its evaluation over.
pub(in crate::session) fn rules(
    machine: &Machine,
    frame: &Frame,
    head: &Machine,
    server: &dyn Serve,
) -> Vec<RuleView> {
    let evaluates = |machine: &Machine| {
        let mut asks = machine.open_asks();
        asks.any(|ask| matches!(ask.want, Want::Evaluate(_)))
    };
    let state = machine.definition().state(frame.visit.state);
    let Some((state, StateKind::Choice(choice))) = state.map(|state| (state, &state.kind)) else {
        return Vec::new();
    };
    let known = match evaluates(machine) || evaluates(head) {
        true => None,
        false => Some(evaluated(machine, frame, choice, server)),
    };
    let frame = &*frame.before_assign();
    let data = frame.visit.data.latest(Stage::AfterInputPath);
    let bindings = machine.inspect(frame, &data);
    // Without InputPath, the rules read the state's input, so their results are known when the run enters the state.
    let stage = match state.input_path {
        PathField::Whole => Stage::Input,
        PathField::Null | PathField::Path(_) => Stage::AfterInputPath,
    };
    // A recording without data has no values for the rules; only the transition is known.
    let followed = machine.follows(frame.id);
    let reached = !followed && frame.visit.data.get(stage).is_some();
    let (taken, failed) = (frame.visit.edge, frame.visit.fault.is_some());
    let mut rows = Vec::new();
    let mut decided = false;
    for (index, rule) in (0_u32..).zip(&choice.rules) {
        let is_taken = taken == Some(Edge::Rule(index));
        let walk = Walk {
            frame,
            bindings: &bindings,
            test: &rule.test,
            reached,
            known: known.as_ref().filter(|_| reached),
        };
        let operands = walk.operands(machine.definition(), rule);
        // If the Choice has already made a transition, this transition shows the results of conditions: the rule that
        // was followed is true, and the rules before it are false.
        let by_way = followed || matches!(rule.test, Test::Condition(_));
        let asked = (reached || by_way) && !decided && (taken.is_some() || failed);
        let result = match by_way {
            true if asked && taken.is_some() => Some(Ok(is_taken)),
            true => operands.first().and_then(|whole| whole.result.clone()),
            false => {
                reached.then(|| holds(&rule.test, &bindings).map_err(|error| error_text(&error)))
            }
        };
        let after = decided;
        // The Choice stops at the first rule that is true, or at the first rule that fails.
        decided |= is_taken || matches!(result, Some(Ok(true) | Err(_)));
        rows.push(RuleView {
            index: Some(index),
            operands,
            result,
            asked,
            after,
            taken: is_taken,
            absent: false,
            next: rule
                .next
                .as_ref()
                .map_or_else(|| "?".into(), |next| next.name.clone()),
            span: Some(rule.span),
        });
    }
    let default = choice.default.as_ref();
    let is_taken = default.is_some() && taken == Some(Edge::Default);
    let text = default.map_or("no Default", |_| "Default");
    rows.push(RuleView {
        index: None,
        operands: vec![OperandView::of(text)],
        result: None,
        asked: is_taken || default.is_none() && failed && !decided,
        after: decided,
        taken: is_taken,
        absent: default.is_none(),
        next: match default {
            Some(default) => default.name.clone(),
            None => no_choice_matched(machine.profile()).into(),
        },
        span: default.map(|default| default.span),
    });
    rows
}

/// Predicts in a sentence what a Choice will do next; `None` if its rules cannot be evaluated yet.
pub(in crate::session) fn forecast(
    machine: &Machine,
    frame: &Frame,
    rows: &[RuleView],
) -> Option<Follows> {
    if frame.visit.edge.is_some() || frame.visit.fault.is_some() {
        return None;
    }
    let place = rows.iter().position(|row| row.result != Some(Ok(false)))?;
    let row = rows.get(place)?;
    let all_false = match rows.len() - 1 {
        1 => "the only rule is false".to_string(),
        2 => "both rules are false".to_string(),
        count => format!("all {count} rules are false"),
    };
    let next = &row.next;
    let odd = reason(rows, place).and_then(|reason| reason.said());
    let text = match (row.index, &row.result) {
        (Some(_), Some(Ok(_))) => {
            format!(
                "the rule{of_line} matches → {next}",
                of_line = of_line(machine, row)
            )
        }
        (Some(_), Some(Err(why))) => {
            return Some(Follows {
                text: format!(
                    "the rule{of_line} will fail",
                    of_line = of_line(machine, row)
                ),
                why: why.clone(),
                ..Follows::default()
            });
        }
        (Some(_), None) => return None,
        (None, _) if row.absent => {
            format!("{all_false}, and there is no Default: the error {next} is raised")
        }
        (None, _) => format!("{all_false}: Default → {next}"),
    };
    Some(Follows {
        text,
        why: odd.unwrap_or_default(),
        ..Follows::default()
    })
}

/// Text that names the line of a rule in the source: ` of line 37`.
fn of_line(machine: &Machine, rule: &RuleView) -> String {
    let line = machine.definition().sources.line(rule.span);
    line.map_or_else(String::new, |line| format!(" of line {line}"))
}

fn error_text(error: &ChoiceError) -> String {
    match error {
        ChoiceError::Missing(path) => {
            format!("{path} finds nothing: test the path with IsPresent first")
        }
        ChoiceError::OnNull(path) => format!("{path} is applied to null, which AWS refuses"),
        ChoiceError::Broken(reason) => reason.to_string(),
    }
}

/// Source text of a rule that cannot be evaluated, such as `$.lines[*].qty NumericGreaterThan 0`.
fn written(definition: &Definition, rule: &Rule) -> Option<String> {
    let node = definition.node.at(rule.span)?;
    let variable = node.get("Variable")?.as_str()?;
    let members = node.members()?.iter();
    let comparator = members.clone().find_map(|member| {
        let name = &*member.key.text;
        Comparator::parse(name)?;
        let value = abridged(&member.value.to_value(), VALUE);
        Some(format!("{variable} {name} {value}"))
    });
    Some(comparator.unwrap_or_else(|| variable.to_string()))
}

/// Lists the tests of one rule.
struct Walk<'w> {
    frame: &'w Frame,
    bindings: &'w dyn Bindings,
    test: &'w Test,
    /// True if the data that the rule reads is known.
    reached: bool,
    /// Results of the Choice's conditions, if they were evaluated.
    known: Option<&'w Known>,
}

impl Walk<'_> {
    /// The tests of the rule, outermost first.
    fn operands(&self, definition: &Definition, rule: &Rule) -> Vec<OperandView> {
        match self.test {
            Test::Condition(expression) if self.known.is_none() || expression.draws => {
                let part = expression.parsed().map(|tree| (tree, tree.root()));
                let read = part.map(|part| read_values(part, self.frame, self.bindings));
                let paths = part.map(|part| read_paths(part, self.frame, self.bindings));
                let read = read.unwrap_or_default();
                vec![OperandView {
                    paths: paths.unwrap_or_default(),
                    ..OperandView::of(&format!("{{% {} %}}{read}", expression.text))
                }]
            }
            test => {
                let is_broken = matches!(test, Test::Broken(_));
                let whole = is_broken.then(|| written(definition, rule)).flatten();
                let mut list: Vec<OperandView> =
                    whole.iter().map(|text| OperandView::of(text)).collect();
                if list.is_empty() {
                    self.add((&Asked::of(test), test), (0, false), &mut list);
                    list.truncate(OPERANDS);
                }
                list
            }
        }
    }

    /// Adds a test and the tests inside it to the list, outermost first; `after` is true if an earlier test has already
    /// decided the result.
    fn add(
        &self,
        (condition, test): (&Asked<'_>, &Test),
        (depth, after): (u32, bool),
        list: &mut Vec<OperandView>,
    ) -> Answer {
        let place = list.len();
        list.push(OperandView::default());
        let joint = |joint, text, result| OperandView {
            joint,
            result,
            ..OperandView::of(text)
        };
        let view = match &condition.ask {
            Ask::All(tests) => {
                let result = self.joined((tests, test), (depth, after), false, list);
                joint(Joint::All, "And: all of these must be true", result)
            }
            Ask::Any(tests) => {
                let result = self.joined((tests, test), (depth, after), true, list);
                joint(Joint::Any, "Or: one of these must be true", result)
            }
            Ask::Not(inner) => {
                let inner = self.add((inner, inside(test, 0)), (depth + 1, after), list);
                let result = inner.map(|inner| inner.map(|held| !held));
                joint(Joint::Not, "Not", result)
            }
            _ => self.single((condition, test), depth, after),
        };
        let result = view.result.clone();
        if let Some(slot) = list.get_mut(place) {
            *slot = OperandView {
                depth,
                after,
                ..view
            };
        }
        result
    }

    /// Adds the tests inside an And (`until` is false) or an Or (`until` is true) to the list, and returns the result
    /// of that And or Or. The first test that has the result `until`, or that fails, decides it.
    fn joined(
        &self,
        (tests, around): (&[Asked<'_>], &Test),
        (depth, after): (u32, bool),
        until: bool,
        list: &mut Vec<OperandView>,
    ) -> Answer {
        let mut decided: Option<Answer> = None;
        for (index, test) in tests.iter().enumerate() {
            // If an earlier result is unknown, it is also unknown whether later tests are skipped.
            let is_over = after || matches!(decided, Some(Some(_)));
            let answer = self.add((test, inside(around, index)), (depth + 1, is_over), list);
            if decided.is_none() && answer != Some(Ok(!until)) {
                decided = Some(answer);
            }
        }
        decided.unwrap_or(Some(Ok(!until)))
    }

    /// The view of a test that contains no other tests.
    fn single(
        &self,
        (condition, test): (&Asked<'_>, &Test),
        depth: u32,
        after: bool,
    ) -> OperandView {
        let known = |result| self.reached.then_some(result);
        match (test, self.known) {
            (Test::Condition(expression), Some(known)) => {
                let look = Look {
                    frame: self.frame,
                    bindings: self.bindings,
                    expression,
                    known,
                };
                look.test(condition, depth)
            }
            (Test::Compare(comparison), _) => self.comparison(comparison, after),
            (Test::Always(flag), _) => OperandView {
                result: known(Ok(*flag)),
                ..OperandView::of(&flag.to_string())
            },
            (Test::Broken(reason), _) => OperandView {
                result: known(Err(reason.to_string())),
                ..OperandView::of(reason)
            },
            // The test is nested too deeply to be shown.
            _ => OperandView::of("…"),
        }
    }

    fn comparison(&self, comparison: &Comparison, after: bool) -> OperandView {
        let bindings = self.bindings;
        let result = self.reached.then(|| {
            compare(comparison, bindings).map_err(|error| match &error {
                // The run does not evaluate this test, because an earlier test has decided the result of the And or Or.
                // So a missing value is no error.
                ChoiceError::Missing(path) if after => format!("{path} finds nothing"),
                _ => error_text(&error),
            })
        });
        let odd = result.as_ref().and_then(|result| {
            let false_for = || (*result == Ok(false)).then(|| why_false(comparison, bindings));
            left_as_text(comparison, bindings)
                .or_else(|| false_for().flatten())
                .or_else(|| {
                    Some(Odd {
                        has_wrong_type: false,
                        text: in_another_order(comparison, bindings, *result.as_ref().ok()?)?,
                        of_other: false,
                    })
                })
        });
        let paths = comparison.paths().map(|path| path.text().to_string());
        let mut paths: Vec<String> = paths.collect();
        if odd.as_ref().is_some_and(|odd| odd.of_other) {
            paths.reverse();
        }
        OperandView {
            compared: Some(compared(comparison, bindings, BRIEF)),
            result,
            why: odd.map(Odd::said),
            paths,
            span: Some(comparison.span),
            ..OperandView::of(&compared(comparison, bindings, VALUE).to_string())
        }
    }
}

/// The test at an index inside an And, Or or Not. For any other test, such as a JSONata condition, that test itself.
fn inside(test: &Test, index: usize) -> &Test {
    match test {
        Test::And(tests) | Test::Or(tests) => tests.get(index).unwrap_or(test),
        Test::Not(test) => test,
        _ => test,
    }
}

/// Describes a comparison that is false because of the types or the spelling of its values: both values and the reason.
/// `None` for other comparisons.
pub(super) fn misfit(comparison: &Comparison, bindings: &dyn Bindings) -> Option<String> {
    let reason = why_false(comparison, bindings)?.text;
    let comparison = compared(comparison, bindings, VALUE);
    Some(format!("{comparison}: {reason}"))
}

/// Explains the result of a comparison whose values alone do not show the reason.
struct Odd {
    /// True if the comparison is false because a value has the wrong type.
    has_wrong_type: bool,
    text: String,
    /// True if the explanation is about the value on the right side of the comparison.
    of_other: bool,
}

impl Odd {
    /// The explanation as the rules pane shows it after the comparison.
    fn said(self) -> String {
        match self.has_wrong_type {
            true => format!("false: {}", self.text),
            false => self.text,
        }
    }
}

/// Why a comparison is false, if its values alone do not show the reason: a value has another type than the operator
/// compares, or the difference between the values is easily overlooked.
fn why_false(comparison: &Comparison, bindings: &dyn Bindings) -> Option<Odd> {
    let comparator = comparison.comparator;
    let wanted = match comparator {
        Comparator::String(_) | Comparator::StringMatches => "string",
        Comparator::Numeric(_) => "number",
        Comparator::BooleanEquals => "boolean",
        Comparator::Timestamp(_) => "timestamp",
        _ => return None,
    };
    let unfit = |value: &Value| match wanted {
        "timestamp" => match value.as_str() {
            Some(text) => crate::query::parse_timestamp(text)
                .is_none()
                .then_some("string that is not a timestamp"),
            None => Some(value.type_name()),
        },
        _ => (value.type_name() != wanted).then(|| value.type_name()),
    };
    let [value, other] = sides(comparison, bindings);
    let value = value?;
    if other.is_none() && !matches!(comparison.operand, Operand::Pattern(..)) {
        return None;
    }
    for (side, value, of_other) in [
        ("the value", Some(&value), false),
        ("the other value", other.as_ref(), true),
    ] {
        if let Some(actual) = value.and_then(unfit) {
            return Some(Odd {
                has_wrong_type: true,
                text: format!(
                    "{side} is {actual_type}, but {comparator} is true only for {wanted_type}",
                    actual_type = with_article(actual),
                    wanted_type = with_article(wanted)
                ),
                of_other,
            });
        }
    }
    let (value, other) = (value.as_str()?, other.as_ref()?.as_str()?);
    match comparator {
        Comparator::String(Relation::Equals) => Some(Odd {
            has_wrong_type: false,
            text: differing(value, other)?,
            of_other: false,
        }),
        _ => None,
    }
}

/// Explains that a compared value is text which the author probably meant to be evaluated.
fn left_as_text(comparison: &Comparison, bindings: &dyn Bindings) -> Option<Odd> {
    let [value, other] = sides(comparison, bindings);
    let mut both = [(value, false), (other, true)].into_iter();
    both.find_map(|(value, of_other)| {
        Some(Odd {
            has_wrong_type: false,
            text: not_evaluated(value?.as_str()?)?,
            of_other,
        })
    })
}

/// Both sides of a comparison; each value has at most `most` bytes.
fn compared(comparison: &Comparison, bindings: &dyn Bindings, most: usize) -> Compared {
    let side = |path: &Path| Side {
        written: path.text().to_string(),
        value: Some(match path.eval(bindings) {
            Ok(value) => abridged(&value, most),
            Err(_) => "nothing".to_string(),
        }),
    };
    let literal = |written: String| Side {
        written,
        value: None,
    };
    let sign = sign(comparison, bindings);
    Compared {
        left: side(&comparison.variable),
        sign,
        right: match &comparison.operand {
            Operand::Constant(value) => literal(abridged(value, most)),
            Operand::Pattern(text, _) => literal(format!("\"{text}\"")),
            Operand::Path(path) => side(path),
        },
    }
}

/// Values of both sides of a comparison; a pattern has no value.
fn sides(comparison: &Comparison, bindings: &dyn Bindings) -> [Option<Value>; 2] {
    let right = match &comparison.operand {
        Operand::Path(path) => path.eval(bindings).ok(),
        Operand::Constant(value) => Some(value.clone()),
        Operand::Pattern(..) => None,
    };
    [comparison.variable.eval(bindings).ok(), right]
}

/// The operator of a comparison as text, such as `=`, `< as text` or `matches`. If a comparison of numbers has a value
/// that is not a number, its operator is, for example, `< number` instead of `<`.
fn sign(comparison: &Comparison, bindings: &dyn Bindings) -> String {
    let (relation, kind) = match comparison.comparator {
        Comparator::String(relation) => (relation, " as text"),
        Comparator::Numeric(relation) => {
            let is_number = |value: &Value| value.type_name() == "number";
            let mut sides = sides(comparison, bindings).into_iter();
            let fits = sides.all(|side| side.as_ref().is_some_and(is_number));
            (relation, if fits { "" } else { " number" })
        }
        Comparator::Timestamp(relation) => (relation, " as time"),
        Comparator::BooleanEquals => (Relation::Equals, ""),
        Comparator::StringMatches => return "matches".to_string(),
        other => return other.to_string(),
    };
    let sign = match relation {
        Relation::Equals => return "=".to_string(),
        Relation::LessThan => "<",
        Relation::GreaterThan => ">",
        Relation::LessThanEquals => "<=",
        Relation::GreaterThanEquals => ">=",
    };
    format!("{sign}{kind}")
}

/// Explains that two compared texts look like times or numbers, and that their order as times or numbers differs from
/// their order as text. `None` if it does not differ.
fn in_another_order(
    comparison: &Comparison,
    bindings: &dyn Bindings,
    result: bool,
) -> Option<String> {
    let Comparator::String(relation) = comparison.comparator else {
        return None;
    };
    let [left, right] = sides(comparison, bindings);
    let (left, right) = (left?, right?);
    let (left, right) = (left.as_str()?, right.as_str()?);
    let time = crate::query::parse_timestamp;
    let number = |text: &str| text.trim().parse::<f64>().ok();
    let (order, kind) = match (time(left), time(right)) {
        (Some(left), Some(right)) => (left.partial_cmp(&right)?, "times"),
        _ => (number(left)?.partial_cmp(&number(right)?)?, "numbers"),
    };
    let as_kind = relation.holds(order);
    (as_kind != result)
        .then(|| format!("compared as text: {result}; compared as {kind}: {as_kind}"))
}
