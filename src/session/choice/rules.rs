//! The rules of the Choice that a frame is in, as text: each operand with its values, its result, and the reason if
//! the types do not fit.

use super::condition::{Weighed, reason};
use super::rule_view::{BRIEF, Compared, Joint, OperandView, RuleView, Side, VALUE};
use crate::definition::{
    Choice, Comparator, Comparison, Definition, Operand, PathField, Relation, Rule, StateKind, Test,
};
use crate::interpreter::{
    ChoiceError, Edge, Frame, Machine, Serve, Stage, Want, holds, no_choice_matched,
};
use crate::json::Value;
use crate::query::{Bindings, Evaluate as _, Path, abridged};
use crate::session::values_read::{
    differing, not_evaluated, read_paths, read_values, with_article,
};
use crate::session::visit_view::Follows;

/// Maximum nesting depth of tests in the text.
const DEEPEST: u32 = 12;
/// Maximum number of tests to list per rule.
const OPERANDS: usize = 100;

/// The rules of a Choice, with Default last. `whole` is true if it has no InputPath; `weighed` has the results of its
/// conditions.
pub(in crate::session) fn rules(
    machine: &Machine,
    frame: &Frame,
    choice: &Choice,
    (whole, weighed): (bool, &Weighed),
) -> Vec<RuleView> {
    let frame = &*frame.before_assign();
    let data = frame.visit.data.latest(Stage::AfterInputPath);
    let bindings = machine.inspect(frame, &data);
    // Without an InputPath the rules read the input, so their results are already known when the state is entered.
    let reached = frame.visit.data.get(Stage::AfterInputPath).is_some()
        || (whole && frame.visit.data.get(Stage::Input).is_some());
    // For a recording without data, only the transition is known.
    let followed = machine.follows(frame.id);
    let reached = reached && !followed;
    let taken = frame.visit.edge;
    let mut rows = Vec::new();
    let mut decided = false;
    for (index, rule) in (0_u32..).zip(&choice.rules) {
        let is_taken = taken == Some(Edge::Rule(index));
        let weighed = weighed.rule(index as usize).filter(|_| reached);
        // Results of conditions follow from the transition that was taken.
        let by_way = followed || matches!(rule.test, Test::Condition(_));
        let asked =
            (reached || by_way) && !decided && (taken.is_some() || frame.visit.fault.is_some());
        let result = match by_way {
            true if asked && taken.is_some() => Some(Ok(is_taken)),
            true => weighed.and_then(|weighed| weighed.result.clone()),
            false => {
                reached.then(|| holds(&rule.test, &bindings).map_err(|error| error_text(&error)))
            }
        };
        let after = decided;
        // The first rule that is true is followed; the first that fails ends the evaluation.
        decided |= is_taken || matches!(result, Some(Ok(true) | Err(_)));
        rows.push(RuleView {
            index: Some(index),
            operands: match weighed {
                Some(weighed) => weighed.operands.clone(),
                None => operands_of(machine, frame, rule, (reached, &bindings)),
            },
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
    if let Some(default) = &choice.default {
        let operand = OperandView {
            text: "Default".to_string(),
            ..OperandView::default()
        };
        rows.push(RuleView {
            index: None,
            operands: vec![operand],
            result: None,
            asked: taken == Some(Edge::Default),
            after: decided,
            taken: taken == Some(Edge::Default),
            absent: false,
            next: default.name.clone(),
            span: Some(default.span),
        });
    } else {
        let operand = OperandView {
            text: "no Default".to_string(),
            ..OperandView::default()
        };
        rows.push(RuleView {
            index: None,
            operands: vec![operand],
            result: None,
            asked: frame.visit.fault.is_some() && !decided,
            after: decided,
            taken: false,
            absent: true,
            next: no_choice_matched(machine.profile()).into(),
            span: None,
        });
    }
    rows
}

/// Forecast for a Choice that has not chosen yet; `None` if evaluating the rules now does not determine the result.
pub(in crate::session) fn forecast(
    machine: &Machine,
    frame: &Frame,
    choice: &Choice,
    looked: (bool, &Weighed),
) -> Option<Follows> {
    if frame.visit.edge.is_some() || frame.visit.fault.is_some() {
        return None;
    }
    let rows = rules(machine, frame, choice, looked);
    let place = rows.iter().position(|row| row.result != Some(Ok(false)))?;
    let row = rows.get(place)?;
    let none = match choice.rules.len() {
        1 => "the only rule is false".to_string(),
        2 => "both rules are false".to_string(),
        count => format!("all {count} rules are false"),
    };
    let next = &row.next;
    let odd = reason(&rows, place).and_then(|reason| reason.said());
    let text = match (row.index, &row.result) {
        (Some(_), Some(Ok(_))) => format!("the rule{} matches → {next}", at_line(machine, row)),
        (Some(_), Some(Err(why))) => {
            return Some(Follows {
                text: format!("the rule{} will fail", at_line(machine, row)),
                why: why.clone(),
                ..Follows::default()
            });
        }
        (Some(_), None) => return None,
        (None, _) if row.absent => format!("{none}, and there is no Default: {next} is raised"),
        (None, _) => format!("{none}: Default → {next}"),
    };
    Some(Follows {
        text,
        why: odd.unwrap_or_default(),
        ..Follows::default()
    })
}

/// ` of line 37`: the line of a rule in the source.
fn at_line(machine: &Machine, rule: &RuleView) -> String {
    let sources = &machine.definition().sources;
    let line = rule.span.and_then(|span| sources.line(span));
    line.map_or_else(String::new, |line| format!(" of line {line}"))
}

fn error_text(error: &ChoiceError) -> String {
    match error {
        ChoiceError::Missing(path) => format!("{path} finds nothing: test it with IsPresent first"),
        ChoiceError::OnNull(path) => format!("{path} is applied to null, which AWS refuses"),
        ChoiceError::Broken(reason) => reason.to_string(),
    }
}

fn operands_of(
    machine: &Machine,
    frame: &Frame,
    rule: &Rule,
    (reached, bindings): (bool, &dyn Bindings),
) -> Vec<OperandView> {
    let whole = |text: String| {
        vec![OperandView {
            text,
            ..OperandView::default()
        }]
    };
    match &rule.test {
        Test::Condition(expression) => {
            let part = expression.parsed().map(|tree| (tree, tree.root()));
            let read = part.map(|part| read_values(part, frame, bindings));
            let paths = part.map(|part| read_paths(part, frame, bindings));
            return vec![OperandView {
                text: format!("{{% {} %}}{}", expression.text, read.unwrap_or_default()),
                paths: paths.unwrap_or_default(),
                ..OperandView::default()
            }];
        }
        Test::Broken(_) => {
            if let Some(written) = written(machine.definition(), rule) {
                return whole(written);
            }
        }
        _ => {}
    }
    let mut list = Vec::new();
    let place = Place::default();
    add(&rule.test, place, reached, bindings, &mut list);
    list
}

/// `$.lines[*].qty NumericGreaterThan 0`: source text of a rule that cannot be evaluated.
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

/// Position of a test among the others.
#[derive(Clone, Copy, Default)]
struct Place {
    depth: u32,
    /// True if an earlier test decides, so that this one is not evaluated.
    after: bool,
}

/// Adds a test and the tests inside it, outermost first.
fn add(
    test: &Test,
    place: Place,
    reached: bool,
    bindings: &dyn Bindings,
    list: &mut Vec<OperandView>,
) {
    if list.len() >= OPERANDS {
        return;
    }
    let result = reached.then(|| {
        holds(test, bindings).map_err(|error| match &error {
            // An earlier test prevents this one from being evaluated and failing.
            ChoiceError::Missing(path) if place.after => format!("{path} finds nothing"),
            _ => error_text(&error),
        })
    });
    let (text, inside): (String, &[Test]) = match test {
        _ if place.depth > DEEPEST => ("…".to_string(), &[]),
        Test::And(tests) => ("And: all of these".to_string(), tests),
        Test::Or(tests) => ("Or: one of these".to_string(), tests),
        Test::Not(test) => ("Not".to_string(), std::slice::from_ref(&**test)),
        Test::Compare(comparison) => (comparison_text(comparison, bindings), &[]),
        Test::Condition(expression) => (format!("{{% {} %}}", expression.text), &[]),
        Test::Always(flag) => (flag.to_string(), &[]),
        Test::Broken(reason) => (reason.to_string(), &[]),
    };
    let odd = match (test, &result) {
        (Test::Compare(comparison), Some(result)) => {
            let false_for = || (*result == Ok(false)).then(|| why_false(comparison, bindings));
            left_as_text(comparison, bindings)
                .or_else(|| false_for().flatten())
                .or_else(|| {
                    Some(Odd {
                        is_of_type: false,
                        text: in_another_order(comparison, bindings, *result.as_ref().ok()?)?,
                        of_other: false,
                    })
                })
        }
        _ => None,
    };
    let (compared, mut paths) = match test {
        Test::Compare(comparison) => {
            let compared = compared(comparison, bindings, BRIEF);
            (Some(compared), paths_of(comparison))
        }
        _ => (None, Vec::new()),
    };
    if odd.as_ref().is_some_and(|odd| odd.of_other) {
        paths.reverse();
    }
    list.push(OperandView {
        depth: place.depth,
        joint: match test {
            Test::And(_) => Joint::All,
            Test::Or(_) => Joint::Any,
            Test::Not(_) => Joint::Not,
            _ => Joint::None,
        },
        text,
        compared,
        result,
        why: odd.map(Odd::said),
        after: place.after,
        paths,
        span: match test {
            Test::Compare(comparison) => Some(comparison.span),
            _ => None,
        },
    });
    let all = matches!(test, Test::And(_));
    let mut after = place.after;
    for test in inside {
        let inner = Place {
            depth: place.depth + 1,
            after,
        };
        add(test, inner, reached, bindings, list);
        // The first false test decides an And, the first true test decides an Or.
        after |= reached && inside.len() > 1 && holds(test, bindings) != Ok(all);
    }
}

/// Description of a comparison that is false because of the types of its values, with both values and the reason;
/// `None` otherwise.
#[must_use]
pub fn misfit(comparison: &Comparison, bindings: &dyn Bindings) -> Option<String> {
    let why = why_false(comparison, bindings)?.text;
    let text = comparison_text(comparison, bindings);
    Some(format!("{text}: {why}"))
}

/// The reason for a comparison's result that its values alone do not explain.
struct Odd {
    /// True if the comparison is false because a value has the wrong type.
    is_of_type: bool,
    text: String,
    /// True if the reason concerns the second value of the comparison.
    of_other: bool,
}

impl Odd {
    /// The text after the comparison in the rules pane.
    fn said(self) -> String {
        match self.is_of_type {
            true => format!("false: {}", self.text),
            false => self.text,
        }
    }
}

/// Why a comparison is false if its values alone do not explain it: they do not have the type that it compares, or
/// the difference is easily overlooked.
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
                .then_some("string, but not a timestamp"),
            None => Some(value.type_name()),
        },
        _ => (value.type_name() != wanted).then(|| value.type_name()),
    };
    let value = comparison.variable.eval(bindings).ok()?;
    let other = match &comparison.operand {
        Operand::Path(path) => Some(path.eval(bindings).ok()?),
        Operand::Constant(constant) => Some(constant.clone()),
        Operand::Pattern(..) => None,
    };
    for (what, value, of_other) in [
        ("the value", Some(&value), false),
        ("the other value", other.as_ref(), true),
    ] {
        if let Some(found) = value.and_then(unfit) {
            return Some(Odd {
                is_of_type: true,
                text: format!(
                    "{what} is {}, {comparator} is false for anything but {}",
                    with_article(found),
                    with_article(wanted)
                ),
                of_other,
            });
        }
    }
    let (value, other) = (value.as_str()?, other.as_ref()?.as_str()?);
    match comparator {
        Comparator::String(Relation::Equals) => Some(Odd {
            is_of_type: false,
            text: differing(value, other)?,
            of_other: false,
        }),
        _ => None,
    }
}

/// A note that a compared value is text that was probably meant to be evaluated.
fn left_as_text(comparison: &Comparison, bindings: &dyn Bindings) -> Option<Odd> {
    let [value, other] = sides(comparison, bindings);
    let mut both = [(value, false), (other, true)].into_iter();
    both.find_map(|(value, of_other)| {
        Some(Odd {
            is_of_type: false,
            text: not_evaluated(value?.as_str()?)?,
            of_other,
        })
    })
}

/// Paths that a comparison reads, left side first.
fn paths_of(comparison: &Comparison) -> Vec<String> {
    let mut paths = vec![comparison.variable.text().to_string()];
    if let Operand::Path(path) = &comparison.operand {
        paths.push(path.text().to_string());
    }
    paths
}

/// A comparison with both values.
fn comparison_text(comparison: &Comparison, bindings: &dyn Bindings) -> String {
    let Compared { left, sign, right } = compared(comparison, bindings, VALUE);
    format!("{left} {sign} {right}")
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
pub(super) fn sides(comparison: &Comparison, bindings: &dyn Bindings) -> [Option<Value>; 2] {
    let right = match &comparison.operand {
        Operand::Path(path) => path.eval(bindings).ok(),
        Operand::Constant(value) => Some(value.clone()),
        Operand::Pattern(..) => None,
    };
    [comparison.variable.eval(bindings).ok(), right]
}

/// The operator of a comparison, with the type by which it compares if the values look like another type.
pub(super) fn sign(comparison: &Comparison, bindings: &dyn Bindings) -> String {
    match comparison.comparator {
        Comparator::String(relation) => ordered(relation, " as text"),
        Comparator::Numeric(relation) => {
            let is_number = |value: &Value| value.type_name() == "number";
            let sides = sides(comparison, bindings);
            let fits = sides
                .iter()
                .all(|side| side.as_ref().is_some_and(is_number));
            ordered(relation, if fits { "" } else { " number" })
        }
        Comparator::Timestamp(relation) => ordered(relation, " as time"),
        Comparator::BooleanEquals => "=".to_string(),
        Comparator::StringMatches => "matches".to_string(),
        other => other.to_string(),
    }
}

/// `=`, `< as text`: the operator, and the type by which both sides are ordered.
fn ordered(relation: Relation, kind: &str) -> String {
    let sign = match relation {
        Relation::Equals => return "=".to_string(),
        Relation::LessThan => "<",
        Relation::GreaterThan => ">",
        Relation::LessThanEquals => "<=",
        Relation::GreaterThanEquals => ">=",
    };
    format!("{sign}{kind}")
}

/// A note that two texts look like times or numbers, and would compare differently as such.
pub(super) fn in_another_order(
    comparison: &Comparison,
    bindings: &dyn Bindings,
    held: bool,
) -> Option<String> {
    let Comparator::String(relation) = comparison.comparator else {
        return None;
    };
    let [left, right] = sides(comparison, bindings);
    let (left, right) = (left?, right?);
    let (left, right) = (left.as_str()?, right.as_str()?);
    let time = crate::query::parse_timestamp;
    let number = |text: &str| text.trim().parse::<f64>().ok();
    let order = match (time(left), time(right)) {
        (Some(left), Some(right)) => left.partial_cmp(&right).zip(Some("times")),
        _ => number(left)?
            .partial_cmp(&number(right)?)
            .zip(Some("numbers")),
    };
    let (order, kind) = order?;
    let would = match relation {
        Relation::Equals => order.is_eq(),
        Relation::LessThan => order.is_lt(),
        Relation::GreaterThan => order.is_gt(),
        Relation::LessThanEquals => order.is_le(),
        Relation::GreaterThanEquals => order.is_ge(),
    };
    (would != held).then(|| format!("{held} as text; as {kind} it would be {would}"))
}

/// Results of the conditions of the frame's Choice; empty while the run is evaluating an expression, because that
/// evaluation would have to start over.
pub(in crate::session) fn weighed(
    machine: &Machine,
    frame: &Frame,
    head: &Machine,
    server: &dyn Serve,
) -> Weighed {
    let state = machine.definition().state(frame.visit.state);
    let evaluates = |machine: &Machine| {
        let mut asks = machine.open_asks();
        asks.any(|ask| matches!(ask.want, Want::Evaluate(_)))
    };
    match state.map(|state| &state.kind) {
        Some(StateKind::Choice(choice)) if !evaluates(machine) && !evaluates(head) => {
            Weighed::of(machine, frame, choice, server)
        }
        _ => Weighed::default(),
    }
}

/// Rules of the frame's Choice, with Default last; empty if the frame is in another state.
pub(in crate::session) fn looked_at(
    machine: &Machine,
    frame: &Frame,
    head: &Machine,
    server: &dyn Serve,
) -> Vec<RuleView> {
    let weighed = weighed(machine, frame, head, server);
    match machine.definition().state(frame.visit.state) {
        Some(state) => match &state.kind {
            StateKind::Choice(choice) => {
                let whole = matches!(state.input_path, PathField::Whole);
                rules(machine, frame, choice, (whole, &weighed))
            }
            _ => Vec::new(),
        },
        None => Vec::new(),
    }
}
