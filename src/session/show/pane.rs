//! The state pane: what is particular to the type of the state looked at.
//!
//! It must not know colours or widths.

use super::frame_status;
use super::handling::handling;
use super::items::item_table;
use crate::definition::{
    Choice, Comparator, Comparison, Operand, PathField, Relation, StateKind, Test,
};
use crate::interpreter::{Edge, Frame, Machine, Slot, Stage, Timer, holds};
use crate::json::{Text, Value};
use crate::query::jsonata::paths;
use crate::query::{Bindings, abridged};
use crate::session::breakpoints::Breakpoints;
use crate::session::items::ItemTable;
use crate::session::view::{LaneView, RuleView, StatePane, StateStatus};

/// What there is to say of the state that a frame is in.
pub(super) fn state_pane(
    machine: &Machine,
    frame: &Frame,
    items: &ItemTable,
    breakpoints: &Breakpoints,
) -> StatePane {
    let Some(state) = machine.definition().state(frame.visit.state) else {
        return StatePane::Nothing;
    };
    match &state.kind {
        StateKind::Task(_) => StatePane::Task(handling(machine, frame, state)),
        StateKind::Choice(choice) => {
            let whole = matches!(state.input_path, PathField::Whole);
            StatePane::Choice(rules(machine, frame, choice, whole))
        }
        StateKind::Wait(_) => {
            let due = machine
                .timers(frame.id)
                .iter()
                .find(|(_, timer)| *timer == Timer::Wake);
            let until = due.map_or_else(|| wait_end(machine, frame), |(due, _)| *due);
            StatePane::Wait {
                since: frame.visit.entered_at,
                until,
            }
        }
        StateKind::Parallel { branches } => {
            let lanes = lanes(
                machine,
                frame,
                u32::try_from(branches.len()).unwrap_or(u32::MAX),
            );
            StatePane::Parallel {
                lanes,
                handling: handling(machine, frame, state),
            }
        }
        StateKind::Map(_) => {
            let handling = handling(machine, frame, state);
            item_table(machine, frame, items, breakpoints, handling)
        }
        StateKind::Pass { .. } | StateKind::Succeed | StateKind::Fail(_) => StatePane::Nothing,
    }
}

/// When a Wait that is over ended.
fn wait_end(machine: &Machine, frame: &Frame) -> u64 {
    let over = frame.visit.data.get(Stage::Output).is_some();
    if over {
        machine.now()
    } else {
        frame.visit.entered_at
    }
}

fn rules(machine: &Machine, frame: &Frame, choice: &Choice, whole: bool) -> Vec<RuleView> {
    let data = frame.visit.data.latest(Stage::AfterInputPath);
    let bindings = machine.inspect(frame, &data);
    // Without an InputPath the rules will see the input, so what they would say is known on entry.
    let reached = frame.visit.data.get(Stage::AfterInputPath).is_some()
        || (whole && frame.visit.data.get(Stage::Input).is_some());
    let taken = frame.visit.edge;
    let mut rows = Vec::new();
    let mut decided = false;
    for (index, rule) in (0_u32..).zip(&choice.rules) {
        let is_taken = taken == Some(Edge::Rule(index));
        // Looking evaluates no JSONata: what a condition gave is known from the way that was taken.
        let by_way = matches!(rule.test, Test::Condition(_));
        let asked =
            (reached || by_way) && !decided && (taken.is_some() || frame.visit.fault.is_some());
        let result = if by_way {
            (asked && taken.is_some()).then_some(Ok(is_taken))
        } else {
            reached.then(|| holds(&rule.test, &bindings).map_err(|error| error_text(&error)))
        };
        decided |= is_taken || matches!(result, Some(Err(_)));
        rows.push(RuleView {
            index: Some(index),
            text: match &rule.test {
                Test::Condition(expression) => condition_text(&expression.text, frame, &bindings),
                test => test_text(test, &bindings, 0),
            },
            result,
            asked,
            taken: is_taken,
            next: rule
                .next
                .as_ref()
                .map_or_else(|| "?".into(), |next| next.name.clone()),
            span: Some(rule.span),
        });
    }
    if let Some(default) = &choice.default {
        rows.push(RuleView {
            index: None,
            text: "Default".to_string(),
            result: None,
            asked: taken == Some(Edge::Default),
            taken: taken == Some(Edge::Default),
            next: default.name.clone(),
            span: Some(default.span),
        });
    }
    rows
}

fn error_text(error: &crate::interpreter::ChoiceError) -> String {
    match error {
        crate::interpreter::ChoiceError::Missing(path) => {
            format!("{path} finds nothing: guard it with IsPresent")
        }
        crate::interpreter::ChoiceError::Broken(reason) => reason.to_string(),
    }
}

/// Texts nest no deeper than this.
const DEEPEST: usize = 12;

/// A test in words with the values compared.
fn test_text(test: &Test, bindings: &dyn Bindings, depth: usize) -> String {
    if depth > DEEPEST {
        return "…".to_string();
    }
    let join = |tests: &[Test], word: &str| {
        let parts: Vec<String> = tests
            .iter()
            .map(|test| test_text(test, bindings, depth + 1))
            .collect();
        if depth == 0 {
            parts.join(word)
        } else {
            format!("({})", parts.join(word))
        }
    };
    match test {
        Test::And(tests) => join(tests, " and "),
        Test::Or(tests) => join(tests, " or "),
        Test::Not(test) => format!("not {}", test_text(test, bindings, depth + 1)),
        Test::Compare(comparison) => comparison_text(comparison, bindings),
        Test::Condition(expression) => format!("{{% {} %}}", expression.text),
        Test::Always(flag) => flag.to_string(),
        Test::Broken(reason) => reason.to_string(),
    }
}

/// A condition, and the values of the variables and members that it names.
fn condition_text(text: &str, frame: &Frame, bindings: &dyn Bindings) -> String {
    let values: Vec<String> = paths(text)
        .iter()
        .filter_map(|path| named_value(path, frame, bindings))
        .collect();
    match values.is_empty() {
        true => format!("{{% {text} %}}"),
        false => format!("{{% {text} %}} with {}", values.join(", ")),
    }
}

/// `$states.input.total = 115.5`; `None` for what the expression itself binds.
fn named_value(path: &[String], frame: &Frame, bindings: &dyn Bindings) -> Option<String> {
    let (name, members) = path.split_first()?;
    let (mut value, members, mut shown) = match (name.as_str(), members.split_first()) {
        ("states", Some((own, members))) => {
            let value = match own.as_str() {
                "input" => frame.visit.data.get(Stage::Input).cloned(),
                "context" => Some(bindings.context()),
                _ => None,
            };
            (value, members, format!("$states.{own}"))
        }
        ("states", None) => return None,
        (name, _) => (Some(bindings.variable(name)?), members, format!("${name}")),
    };
    for member in members {
        // Of an array every item is asked: the array says more than a list of what was found.
        if matches!(value, Some(Value::Array(_)) | None) {
            break;
        }
        value = value.and_then(|value| value.get(member).cloned());
        shown = format!("{shown}.{member}");
    }
    Some(match value {
        Some(value) => format!("{shown} = {}", abridged(&value, 24)),
        None => format!("{shown} = nothing"),
    })
}

fn comparison_text(comparison: &Comparison, bindings: &dyn Bindings) -> String {
    let left = with_value(
        comparison.variable.text(),
        comparison.variable.eval(bindings).ok(),
    );
    let right = match &comparison.operand {
        Operand::Constant(value) => abridged(value, 40),
        Operand::Pattern(text, _) => format!("\"{text}\""),
        Operand::Path(path) => with_value(path.text(), path.eval(bindings).ok()),
    };
    let sign = |relation: Relation| match relation {
        Relation::Equals => "=",
        Relation::LessThan => "<",
        Relation::GreaterThan => ">",
        Relation::LessThanEquals => "<=",
        Relation::GreaterThanEquals => ">=",
    };
    match comparison.comparator {
        Comparator::String(relation)
        | Comparator::Numeric(relation)
        | Comparator::Timestamp(relation) => {
            format!("{left} {} {right}", sign(relation))
        }
        Comparator::BooleanEquals => format!("{left} = {right}"),
        Comparator::StringMatches => format!("{left} matches {right}"),
        other => format!("{left} {other} {right}"),
    }
}

fn with_value(path: &str, value: Option<Value>) -> String {
    match value {
        Some(value) => format!("{path} ({})", abridged(&value, 24)),
        None => format!("{path} (nothing)"),
    }
}

fn lanes(machine: &Machine, frame: &Frame, count: u32) -> Vec<LaneView> {
    (0..count)
        .map(|index| {
            let slot = frame
                .visit
                .group
                .as_ref()
                .and_then(|group| group.slots.get(index));
            let live = live_child(machine, frame, index);
            LaneView {
                index,
                frame: live.map(|child| child.id),
                state: live.map(|child| child.visit.state),
                status: slot_status(machine, slot, live),
                error: slot.and_then(slot_error),
            }
        })
        .collect()
}

pub(super) fn live_child<'m>(machine: &'m Machine, frame: &Frame, index: u32) -> Option<&'m Frame> {
    machine.frame(frame.visit.group.as_ref()?.live_child(index)?)
}

pub(super) fn slot_status(
    machine: &Machine,
    slot: Option<&Slot>,
    live: Option<&Frame>,
) -> StateStatus {
    match (slot, live) {
        (_, Some(child)) => frame_status(machine, child),
        (Some(Slot::Succeeded(_)), _) => StateStatus::Succeeded,
        (Some(Slot::Failed(_)), _) => StateStatus::Failed,
        (Some(Slot::Aborted), _) => StateStatus::Aborted,
        (Some(Slot::Live), _) => StateStatus::Running,
        (Some(Slot::Pending) | None, _) => StateStatus::NotReached,
    }
}

pub(super) fn slot_error(slot: &Slot) -> Option<Text> {
    match slot {
        Slot::Failed(output) => Some(
            output
                .get("Error")
                .and_then(Value::as_str)
                .unwrap_or("an error without a name")
                .into(),
        ),
        _ => None,
    }
}
