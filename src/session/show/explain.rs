//! Why a fault arose: the expression that failed, the steps it walked, what was there instead.
//!
//! It must not know how the run goes on.

use crate::definition::{
    Definition, Field, Operand, PathField, QueryLanguage, State, StateKind, Test, WaitUntil,
};
use crate::interpreter::{Frame, Machine, Stage};
use crate::json::{Pointer, Step, Value};
use crate::query::{
    Bindings, Expression, ExpressionExplanation, Path, QueryError, Template, There,
};
use crate::source::{Node, Span};

/// Where in the text the fault of a frame arose, and why, one sentence each.
pub(super) fn fault(
    machine: &Machine,
    definition: &Definition,
    state: &State,
    frame: &Frame,
    stage: Option<Stage>,
) -> (Option<Span>, Vec<String>) {
    if let Some(at) = frame.visit.failed_at().filter(|_| is_evaluation(frame)) {
        let node = definition.node.at(state.span);
        let span = node.and_then(|node| inner(node, &pointer_of(at)));
        return (span, Vec::new());
    }
    let Some(found) = failing(machine, state, frame, stage) else {
        let field = stage
            .and_then(|stage| stage_field(state, stage))
            .map(|field| field.value);
        return (field, Vec::new());
    };
    let span = state.field(found.field).map(|field| match &found.inside {
        Some(at) => definition
            .node
            .at(field.value)
            .and_then(|node| inner(node, at))
            .unwrap_or(field.value),
        None => field.value,
    });
    (span.or(found.span), found.lines)
}

fn is_evaluation(frame: &Frame) -> bool {
    let fault = frame.visit.fault.as_ref();
    fault.is_some_and(|(fault, _)| fault.name() == "States.QueryEvaluationError")
}

/// The place that AWS writes as `Choices[1]/Output/v`.
fn pointer_of(location: &str) -> Pointer {
    let mut steps = Vec::new();
    for part in location.split('/') {
        let (name, indexes) = part.split_once('[').unwrap_or((part, ""));
        steps.push(Step::Member(name.into()));
        let numbers = indexes.split(['[', ']']).filter_map(|one| one.parse().ok());
        steps.extend(numbers.map(Step::Item));
    }
    Pointer(steps)
}

/// The expression that failed.
struct Failing<'s> {
    field: &'s str,
    inside: Option<Pointer>,
    span: Option<Span>,
    lines: Vec<String>,
}

fn failing<'s>(
    machine: &Machine,
    state: &'s State,
    frame: &Frame,
    stage: Option<Stage>,
) -> Option<Failing<'s>> {
    let document = |stage: Stage| frame.visit.data.latest(stage);
    let path = |field: &'s str, path: &PathField, data: Value| match path {
        PathField::Path(path) => whole(field, path_lines(path, &machine.inspect(frame, &data))),
        PathField::Whole | PathField::Null => None,
    };
    let template = |field: &'s str, template: &Template, data: Value| {
        let bindings = machine.inspect(frame, &data);
        let failed = template
            .explain(&bindings)
            .into_iter()
            .find(|one| one.value.is_err())?;
        let expression = Expression::parse(&failed.expression).ok()?;
        let lines = expression_lines(&expression, &bindings);
        Some(Failing {
            field,
            inside: Some(failed.written_at),
            span: None,
            lines,
        })
    };
    match stage {
        Some(Stage::AfterInputPath) => path("InputPath", &state.input_path, document(Stage::Input)),
        Some(Stage::AfterParameters) => template(
            "Parameters",
            state.parameters.as_ref()?,
            document(Stage::AfterInputPath),
        ),
        Some(Stage::AfterItemsPath) => match &state.kind {
            StateKind::Map(map) => path(
                "ItemsPath",
                &map.items_path,
                document(Stage::AfterInputPath),
            ),
            _ => None,
        },
        Some(Stage::AfterResultSelector) => template(
            "ResultSelector",
            state.result_selector.as_ref()?,
            document(Stage::Result),
        ),
        Some(Stage::Output) => path(
            "OutputPath",
            &state.output_path,
            document(Stage::AfterResultPath),
        ),
        Some(Stage::AfterResultPath) => {
            let input = document(Stage::Input);
            whole(
                "ResultPath",
                vec![format!(
                    "the raw input is a {}, and ResultPath names a place in it",
                    input.type_name()
                )],
            )
        }
        None => match &state.kind {
            StateKind::Choice(choice) => {
                let data = document(Stage::AfterInputPath);
                let bindings = machine.inspect(frame, &data);
                let (span, lines) = choice
                    .rules
                    .iter()
                    .find_map(|rule| missing_in(&rule.test, &bindings))?;
                Some(Failing {
                    field: "",
                    inside: None,
                    span: Some(span),
                    lines,
                })
            }
            StateKind::Wait(until) => {
                let data = document(Stage::AfterInputPath);
                whole(
                    "SecondsPath",
                    path_lines(wait_path(until)?, &machine.inspect(frame, &data)),
                )
            }
            _ => None,
        },
        Some(Stage::Input | Stage::AfterArguments | Stage::Result) => None,
    }
}

fn whole(field: &str, lines: Vec<String>) -> Option<Failing<'_>> {
    Some(Failing {
        field,
        inside: None,
        span: None,
        lines,
    })
}

/// The first comparison whose path finds nothing.
fn missing_in(test: &Test, bindings: &dyn Bindings) -> Option<(Span, Vec<String>)> {
    match test {
        Test::And(tests) | Test::Or(tests) => {
            tests.iter().find_map(|test| missing_in(test, bindings))
        }
        Test::Not(test) => missing_in(test, bindings),
        Test::Compare(comparison) => {
            let operand = match &comparison.operand {
                Operand::Path(path) => Some(path),
                _ => None,
            };
            let missing = std::iter::once(&comparison.variable)
                .chain(operand)
                .find(|path| path.eval(bindings).is_err())?;
            let mut lines = path_lines(missing, bindings);
            lines.push("guard it with IsPresent, or give it a value before".to_string());
            Some((comparison.span, lines))
        }
        Test::Condition(_) | Test::Always(_) | Test::Broken(_) => None,
    }
}

fn expression_lines(expression: &Expression, bindings: &dyn Bindings) -> Vec<String> {
    match expression.explain(bindings) {
        ExpressionExplanation::Path(_) => match expression {
            Expression::Path(path) => path_lines(path, bindings),
            Expression::Intrinsic(_) => Vec::new(),
        },
        ExpressionExplanation::Intrinsic(parts) => {
            let mut lines = Vec::new();
            for part in parts {
                lines.push(match &part.value {
                    Ok(value) => format!("{} = {}", part.text, crate::query::abridged(value, 60)),
                    Err(error) => format!("{}: {}", part.text, short_reason(error)),
                });
            }
            lines
        }
    }
}

fn short_reason(error: &QueryError) -> String {
    match error {
        QueryError::Intrinsic { message, .. } => message.to_string(),
        other => other.reason(),
    }
}

/// How a path was walked, and what was there instead of the missing step.
fn path_lines(path: &Path, bindings: &dyn Bindings) -> Vec<String> {
    let walk = path.explain(bindings);
    let Some(there) = walk.there else {
        return Vec::new();
    };
    let missing = walk
        .steps
        .iter()
        .find(|step| step.value.is_none())
        .map_or("", |step| &step.text);
    let place = walk.deepest.to_string();
    let what = match there {
        There::Keys(keys) if keys.is_empty() => "an empty object".to_string(),
        There::Keys(keys) => {
            let shown: Vec<&str> = keys.iter().take(12).map(|key| &**key).collect();
            let more = if keys.len() > 12 { ", …" } else { "" };
            format!("{{ {}{more} }}", shown.join(", "))
        }
        There::Length(length) => format!("an array of {length}"),
        There::Type(name) => format!("a {name}"),
    };
    let mut lines = vec![format!(
        "{}: nothing at {missing}; {place} is {what}",
        path.text()
    )];
    if let Some(near) = walk.nearest {
        lines.push(format!("did you mean {near}?"));
    }
    lines
}

/// The span of the value at a place inside a node.
fn inner(node: &Node, at: &Pointer) -> Option<Span> {
    let found = at.0.iter().try_fold(node, |node, step| match step {
        Step::Member(name) => node.get(name),
        Step::Item(index) => node.items()?.get(*index),
    })?;
    Some(
        found
            .string()
            .map_or(found.span, |string| found.inner_span(0..string.text.len())),
    )
}

/// The field that makes a stage, as it is written in this state.
pub(super) fn stage_field(state: &State, stage: Stage) -> Option<&Field> {
    match stage {
        Stage::Result => state.field("Result"),
        Stage::AfterItemsPath => state.field("ItemsPath").or_else(|| state.field("Items")),
        Stage::Output if state.language == QueryLanguage::Jsonata => state.field("Output"),
        Stage::AfterParameters if matches!(state.kind, StateKind::Map(_)) => None,
        _ => stage.field().and_then(|name| state.field(name)),
    }
}

/// The path of a Wait that is read from the data, for explanations.
fn wait_path(until: &WaitUntil) -> Option<&Path> {
    match until {
        WaitUntil::SecondsPath(path) | WaitUntil::TimestampPath(path) => Some(path),
        WaitUntil::Seconds(_)
        | WaitUntil::Timestamp(_)
        | WaitUntil::SecondsBy(_)
        | WaitUntil::TimestampBy(_)
        | WaitUntil::Nothing => None,
    }
}
