//! Explains errors: the expression that failed, the steps of its path, and the value where a path finds nothing.

use super::{evaluation, path_steps};
use crate::definition::{
    Catcher, Choice, Comparison, Compiled, Definition, Field, Owner, Quantity, ResultPath, Rule,
    StageStep, State, StateKind, Test, Unit,
};
use crate::interpreter::{
    self, Fault, Frame, Handled, Machine, Millis, Origin, Phase, Reason, Serve, Stage, Status,
    Timer,
};
use crate::json::{Text, Value};
use crate::query::trace::{Act, Provenance, Role, Shown, Trace};
use crate::query::{Bindings, Evaluate as _, Expression, Intrinsic, Path, QueryError, abridged};
use crate::session::finding::{Finding, Phrase};
use crate::session::in_state::InState;
use crate::session::note::{duration, own_words};
use crate::session::values_read::read_values;
use crate::session::view::MachineLimit;
use crate::session::written::{field_text, inner, node_in, pointer_of};
use crate::source::{Node, Span, with_article};

/// Explains a frame's current error: its location in the source and its reason.
pub(super) fn fault(at: InState<'_>, stage: Option<Stage>, server: Option<&dyn Serve>) -> Why {
    let (state, definition) = (at.state, at.definition());
    let reason = at.fault().map(|fault| fault.reason.read());
    if let Some(Reason::Evaluation { expression, .. } | Reason::WrongType { expression, .. }) =
        reason
    {
        let node = definition.node_of(state);
        let place = pointer_of(&expression.location);
        let span = node.and_then(|node| inner(node, &place));
        let (first, because) = evaluation::help(at, server);
        let finding = at.fault().zip(first).map(|(fault, first)| {
            let says = first.says.may(format!("; {}", own_words(fault)), 1);
            Finding::of_error(first.code, fault.name(), says)
        });
        return Why {
            span,
            finding,
            because,
            ..Why::default()
        };
    }
    if let (Some(Reason::NoRule), Some(fault)) = (reason, at.fault()) {
        let says = "no rule matches, and there is no Default";
        return Why::of_error(fault, says).at(state.name_span);
    }
    too_many_failed(at)
        .or_else(|| result_path(at))
        .or_else(|| failing(at, stage))
        .or_else(|| {
            // An error of ItemReader comes from the data that it read, so no expression of the state is to blame.
            let read = stage.is_none() && at.fault()?.name() == "States.ItemReaderFailed";
            let step = state.step(Stage::AfterItemReader).filter(|_| read)?;
            Some(Why::default().at(step.written?))
        })
        .or_else(|| named_field(at))
        .unwrap_or_else(|| Why::default().at(stage.and_then(|stage| state.written(stage))))
}

/// Explains an error that names a field with an unsuitable value: shows the field's value and the values that its
/// expression reads.
fn named_field(at: InState<'_>) -> Option<Why> {
    let (machine, frame, state, fault) = (at.machine, at.frame, at.state, at.fault()?);
    let named = fault.reason.field()?;
    let field = state
        .field(named.name)
        .filter(|_| named.owner == Owner::State)?;
    let words = own_words(fault);
    let expression = match state.compiled(named)? {
        Compiled::Evaluated(expression) => Some(expression),
        Compiled::Jsonata(template) => template.whole(),
        _ => None,
    };
    let tree = expression.and_then(|expression| expression.parsed());
    let lines = tree.map(|tree| {
        let null = Value::Null;
        let part = (tree, tree.root());
        let values = read_values(part, frame, &machine.inspect(frame, &null));
        let says = format!(
            "{field} is {{% {expression} %}}{values}",
            field = field.name,
            expression = tree.text()
        );
        Finding::new("field-reads", says)
    });
    let value = frame.visit.field_value(&field.name);
    let finding = value.map(|value| {
        let words = words.trim_end_matches('.');
        let says =
            Phrase::from(words).may(format!(", but is {value}", value = abridged(value, 60)), 1);
        Finding::of_error(fault.reason.code(), fault.name(), says)
    });
    Some(Why {
        span: Some(field.value),
        finding,
        because: lines.into_iter().collect(),
        ..Why::default()
    })
}

/// The field that sets the time limit which ended a call.
pub(in crate::session) fn limit_field(state: &State, origin: Origin) -> Option<&Field> {
    let names = match origin {
        Origin::Timeout => ["TimeoutSeconds", "TimeoutSecondsPath"],
        Origin::Heartbeat => ["HeartbeatSeconds", "HeartbeatSecondsPath"],
        _ => return None,
    };
    names.iter().find_map(|name| state.field(name))
}

/// The time limit that ended a call, and its location: `HeartbeatSeconds 120 passed without a heartbeat`. If the limit
/// was computed, the text has the computed time.
pub(in crate::session) fn limit_passed(
    definition: &Definition,
    state: &State,
    fault: &Fault,
    took: Option<Millis>,
) -> Option<(String, Span)> {
    let field = limit_field(state, fault.origin)?;
    let limit = field_text(definition, field.value).unwrap_or_default();
    let took = took.map_or_else(String::new, |took| format!(" ({})", duration(took)));
    let passed = match fault.origin {
        Origin::Heartbeat => "passed without a heartbeat",
        _ => "passed",
    };
    let (field, span) = (&field.name, field.value);
    Some((format!("{field} {limit}{took} {passed}"), span))
}

/// True if the task's answer is the timeout error itself and came at once, as from a mock file. No time limit passed
/// then.
pub(in crate::session) fn is_thrown_at_once(frame: &Frame, fault: &Fault) -> bool {
    let last = frame.visit.attempts.last();
    let took = last.and_then(|last| last.ended?.checked_sub(last.started));
    *fault.reason == Reason::Answer && took == Some(0)
}

/// Describes a timeout error that a task got as its answer at once.
pub(in crate::session) const THROWN_AT_ONCE: &str = "answered at once, without waiting";

/// For a task that timed out: the time limit, its location, and how long the task's answer would have taken.
pub(super) fn timeout(at: InState<'_>, fault: &Fault) -> Option<Why> {
    let (frame, state) = (at.frame, at.state);
    let limit = match (&state.kind, fault.origin) {
        (StateKind::Task(task), Origin::Timeout) => task.timeout.as_ref(),
        (StateKind::Task(task), _) => task.heartbeat.as_ref(),
        _ => return None,
    };
    let last = frame.visit.attempts.last();
    let took = last.and_then(|last| last.ended?.checked_sub(last.started));
    // Only after a timeout, the time that the attempt took is the limit: a heartbeat may have started the time of
    // HeartbeatSeconds anew.
    let is_computed = !matches!(limit, Some(Quantity::Constant(_)));
    let took = took.filter(|_| is_computed && fault.origin == Origin::Timeout);
    let (limit, span) = limit_passed(at.definition(), state, fault, took)?;
    if is_thrown_at_once(frame, fault) {
        return Some(Why::of_error(fault, THROWN_AT_ONCE));
    }
    let call = frame.visit.call.as_ref();
    let answer = call.and_then(|call| call.answer.as_ref());
    let because = answer.map(|answer| {
        let says = format!("the answer takes {time}", time = duration(answer.took));
        Finding::new("answer-takes", says)
    });
    Some(Why {
        because: because.into_iter().collect(),
        ..Why::of_error(fault, limit).at(span)
    })
}

/// For a Map that exceeded its tolerance: the number of failed items, and the tolerated number with its location.
fn too_many_failed(at: InState<'_>) -> Option<Why> {
    let (frame, state, fault) = (at.frame, at.state, at.fault()?);
    let Reason::Tolerance {
        failed,
        of,
        count,
        percentage,
    } = *fault.reason
    else {
        return None;
    };
    let exceeds = |count: &u64| *count > 0 && u64::from(failed) > *count;
    let (limit, field) = match (count, percentage) {
        (Some(count), _) if exceeds(&count) => (
            format!("ToleratedFailureCount is {count}"),
            "ToleratedFailureCount",
        ),
        (_, Some(share)) if share > 0.0 => (
            format!("ToleratedFailurePercentage is {share}"),
            "ToleratedFailurePercentage",
        ),
        _ => (
            "no failure is tolerated".to_string(),
            "ToleratedFailureCount",
        ),
    };
    let by_path = || state.field(&format!("{field}Path"));
    let written = state.field(field).or_else(by_path);
    let items = frame.visit.items().map(|items| items.count());
    let (unit, in_all) = match (&state.kind, items) {
        (StateKind::Map(map), Some(items)) if map.unit() == Unit::Batch => {
            let in_all = format!(" ({} in all)", Unit::Item.counted(items));
            (Unit::Batch, in_all)
        }
        _ => (Unit::Item, String::new()),
    };
    let all = unit.counted(of);
    let says = format!("{failed} of {all} failed{in_all}, but {limit}");
    let span = written.map_or(state.name_span, |field| field.value);
    Some(Why::of_error(fault, says).at(span))
}

impl Why {
    fn says(code: &'static str, says: impl Into<Phrase>) -> Self {
        Self {
            finding: Some(Finding::new(code, says)),
            ..Self::default()
        }
    }

    /// An explanation that has only this sentence about an error.
    fn of_error(fault: &Fault, says: impl Into<Phrase>) -> Self {
        Self {
            finding: Some(Finding::of_error(fault.reason.code(), fault.name(), says)),
            ..Self::default()
        }
    }

    fn at(self, span: impl Into<Option<Span>>) -> Self {
        Self {
            span: span.into(),
            ..self
        }
    }

    /// An explanation that a path finds nothing, with findings about the value that is there instead.
    fn missing(path: &str, because: Vec<Finding>) -> Self {
        Self {
            misses: Some(path.into()),
            finding: Some(finds_nothing(path)),
            because,
            ..Self::default()
        }
    }
}

fn finds_nothing(path: &str) -> Finding {
    Finding::new("path-finds-nothing", format!("{path} finds nothing"))
}

/// The step of the state's evaluation whose field failed to produce a value; `None` if the field produced an unsuitable
/// value.
fn failed_step<'s>(at: InState<'s>, stage: Option<Stage>) -> Option<&'s StageStep> {
    let (state, fault) = (at.state, at.fault()?);
    match fault.reason.read() {
        Reason::BadNumber { .. } | Reason::BadTime { .. } | Reason::NotText { .. } => None,
        reason => match reason.field() {
            Some(field) => state.step_of(field),
            None => state.step(stage?),
        },
    }
}

/// Explains why an expression of a state failed: the expression's location and the values that it read.
fn failing(at: InState<'_>, stage: Option<Stage>) -> Option<Why> {
    let (machine, frame, state) = (at.machine, at.frame, at.state);
    if let (StateKind::Choice(choice), None) = (&state.kind, stage) {
        return failing_test(machine, choice, frame);
    }
    let step = failed_step(at, stage)?;
    let compiled = state.compiled(step.field)?;
    if let Compiled::Insert(_) = compiled {
        let input = frame.visit.data.latest(Stage::Input);
        let says = format!(
            "ResultPath cannot insert into the input, which is {input_type}",
            input_type = with_article(input.type_name())
        );
        return Some(Why {
            because: vec![Finding::new("no-place", says)],
            ..Why::default().at(step.written)
        });
    }
    let data = frame.visit.document(step.dollar)?;
    let item = frame.visit.item_to_select();
    let item = item.filter(|_| step.stage() == Some(Stage::AfterItemSelector));
    let bindings = machine.inspect(frame, &data).for_item(item.as_ref());
    let (value, trace) = compiled.evaluated()?.trace(&bindings);
    let failed = trace.failed?;
    let (error, act) = (value.err()?, trace.act(failed)?);
    let place = usize::try_from(act.node.expression).ok()?;
    let (written, expression) = compiled.expressions().into_iter().nth(place)?;
    let why = match &expression {
        Expression::Path(path) => path_lines(path, (act, &error), &bindings).unwrap_or_default(),
        Expression::Intrinsic(call) => intrinsic_lines(call, (&trace, failed), &error, &bindings),
    };
    let field = step.written.and_then(|span| at.definition().node.at(span));
    let inside = field.zip(written.as_ref());
    let node = inside.and_then(|(field, at)| node_in(field, at));
    let exact = node.zip(why.misses.as_deref());
    let exact = exact.and_then(|(node, path)| on_its_line(node, path));
    let span = exact.or_else(|| inside.and_then(|(field, at)| inner(field, at)));
    Some(why.at(span.or(step.written)))
}

/// Explains why a test of a Choice cannot be evaluated.
fn failing_test(machine: &Machine, choice: &Choice, frame: &Frame) -> Option<Why> {
    let data = frame.visit.data.latest(Stage::AfterInputPath);
    let bindings = machine.inspect(frame, &data);
    let (rule, test) = interpreter::failing(&choice.rules, &bindings)?;
    match test {
        Test::Compare(comparison) => missing_in(comparison, &bindings),
        Test::Broken(reason) => Some(broken(machine.definition(), rule, reason)),
        _ => None,
    }
}

/// Explains a comparison with a path that finds nothing.
fn missing_in(comparison: &Comparison, bindings: &dyn Bindings) -> Option<Why> {
    let mut why = comparison.paths().find_map(|path| {
        let (value, trace) = path.trace(bindings);
        path_lines(path, (trace.act(0)?, &value.err()?), bindings)
    })?;
    let guard = "test the path with IsPresent first, or set the value earlier";
    why.because.push(Finding::new("unguarded", guard));
    why.span = Some(comparison.span);
    Some(why)
}

/// Why a rule cannot be evaluated, with the location of the path that causes this.
fn broken(definition: &Definition, rule: &Rule, reason: &str) -> Why {
    let node = definition.node.at(rule.span);
    let variable = node.and_then(|node| node.get("Variable"));
    let path = variable.and_then(Node::as_str);
    let headline = match path {
        Some(path) => format!("{path}: {reason}"),
        None => reason.to_string(),
    };
    Why::says("broken-rule", headline).at(variable.map_or(rule.span, |node| node.span))
}

/// Explains why an intrinsic function failed: shows the call that failed, its arguments with their values, and the
/// calls that contain it.
fn intrinsic_lines(
    call: &Intrinsic,
    (trace, failed): (&Trace, u32),
    error: &QueryError,
    bindings: &dyn Bindings,
) -> Why {
    let range = |act: &Act| call.range(act.node.node).unwrap_or_default();
    let text = |act: &Act| call.text().get(range(act)).unwrap_or_default();
    let Some(act) = trace.act(failed) else {
        return Why::default();
    };
    let mut paths = call.located_paths().into_iter();
    let path = paths.find(|(place, _)| *place == range(act));
    let mut why = path
        .and_then(|(_, path)| path_lines(path, (act, error), bindings))
        .unwrap_or_else(|| {
            let arguments = trace.below(failed).filter_map(|(_, act)| match &act.value {
                Shown::Value(value) => Some((text(act).into(), value.clone())),
                _ => None,
            });
            let arguments: Vec<(Text, Value)> = arguments.collect();
            let mut calls = call.calls().into_iter();
            let inner = calls.find(|inner| inner.range == range(act));
            let hint =
                inner.and_then(|inner| path_steps::intrinsic_hint(inner.function, &arguments));
            Why {
                finding: Some(hint.unwrap_or_else(|| failed_part(text(act), error))),
                ..Why::default()
            }
        });
    let is_part = |part: &&Act| {
        let is_literal = matches!(part.from, Provenance::Literal(_));
        part.node.expression == act.node.expression && part.role == Role::Operand && !is_literal
    };
    let mut parts: Vec<&Act> = trace.acts.iter().filter(is_part).collect();
    // Sorts the parts by their ends, which puts inner calls before the calls that contain them.
    parts.sort_by_key(|part| range(part).end);
    let reasons = std::mem::take(&mut why.because);
    for part in parts {
        if let Shown::Value(value) = &part.value {
            let says = format!("{} = {}", text(part), abridged(value, 60));
            why.because.push(Finding::new("argument", says));
            continue;
        }
        if std::ptr::eq(part, act) {
            why.because.extend(reasons.iter().cloned());
        }
        why.because.push(Finding::new("part", text(part)));
    }
    let first = why.finding.as_ref().map(Finding::whole);
    why.because.retain(|finding| Some(finding.whole()) != first);
    why
}

fn failed_part(text: &str, error: &QueryError) -> Finding {
    let says = match error {
        QueryError::Intrinsic { message, .. } => match text.split_once('(') {
            // The reason is shown first, because the text of the call may be long.
            Some((function, _)) if !message.contains(function) => format!("{function}: {message}"),
            _ => message.clone(),
        },
        other => format!("{text}: {}", other.reason()),
    };
    Finding::new("no-value", says)
}

/// Explains that a path finds nothing: shows the value that lacks the first missing step of the path.
fn path_lines(
    path: &Path,
    (act, error): (&Act, &QueryError),
    bindings: &dyn Bindings,
) -> Option<Why> {
    let because = act.miss.as_ref();
    let because = because.map(|miss| path_steps::lines(path, miss, bindings));
    // If the whole path is `$`, the document itself is null, and no step is missing.
    let is_missing = !matches!(error, QueryError::TooMuch { .. }) && !path.is_identity();
    is_missing.then(|| Why::missing(path.text(), because.unwrap_or_default()))
}

/// Location of a path inside a multi-line text, such as a YAML block scalar; `None` if the text is on a single line.
fn on_its_line(node: &Node, path: &str) -> Option<Span> {
    let text = &node.string()?.text;
    let from = text.find(path)?;
    let span = node.inner_span(from..from + path.len());
    // In the source, a multi-line text has gaps between its lines, so its range is longer than the text.
    let whole = node.inner_span(0..text.len());
    let is_broken = (whole.end - whole.start) as usize > text.len();
    is_broken.then_some(span)
}

/// The explanation of an error, with a location in the source.
#[derive(Default)]
pub(in crate::session) struct Why {
    /// Location of the cause in the source.
    pub span: Option<Span>,
    /// The path that finds nothing, if `finding` is about such a path.
    pub misses: Option<Text>,
    /// Description of the problem; `None` if the error's name and cause already say it.
    pub finding: Option<Finding>,
    /// Further explanations, such as the value that a path found instead.
    pub because: Vec<Finding>,
}

/// A note that a catcher's ResultPath cannot be applied to the state's input: `the catcher's ResultPath $.error
/// cannot insert the error into the input, which is an array`.
pub(in crate::session) fn no_place(catcher: &Catcher, frame: &Frame) -> Option<String> {
    let ResultPath::Insert(path) = &catcher.result_path else {
        return None;
    };
    let input = frame.visit.data.latest(Stage::Input);
    path.insert(&input, Value::Null).err()?;
    Some(format!(
        "the catcher's ResultPath {path} cannot insert the error into the input, which is {input_type}",
        path = path.text(),
        input_type = with_article(input.type_name())
    ))
}

/// Explains why a catcher that handled an error failed itself: its ResultPath cannot be applied to the input.
fn result_path(at: InState<'_>) -> Option<Why> {
    let (frame, fault) = (at.frame, at.fault()?);
    let is_own = fault.name() == "States.ResultPathMatchFailure";
    let place = frame.visit.failed_catcher().filter(|_| is_own)?;
    let catcher = at.state.catch.get(place)?;
    let reason = no_place(catcher, frame)?;
    let node = at.definition().node.at(catcher.span);
    let written = node.and_then(|node| node.get("ResultPath"));
    let error = frame.visit.attempts.last()?.error.clone()?;
    let says = format!("Catch[{place}] catches {error}, but {reason}");
    Some(Why::says("catcher-failed", says).at(written.map_or(catcher.span, |node| node.span)))
}

/// The time at which the execution's time limit ends the run, and the line of TimeoutSeconds in the source.
pub(in crate::session) fn machine_limit(machine: &Machine) -> Option<MachineLimit> {
    let definition = machine.definition();
    let seconds = definition.deadline_seconds()?;
    let at = seconds.saturating_mul(1000);
    let is_written = definition.timeout_seconds == Some(seconds);
    let field = definition.node.get("TimeoutSeconds").filter(|_| is_written);
    let line = definition.sources.line(field.map(|node| node.span));
    Some(MachineLimit { at, line })
}

/// Number of retries that a retrier has made. Does not count a retry that the frame was still waiting for when the run
/// ended.
pub(in crate::session) fn retries_used(
    machine: &Machine,
    frame: &Frame,
    place: usize,
    taken: u64,
) -> u64 {
    let cut = wait_cut_short(machine, frame).filter(|(cut, _)| *cut == place);
    taken.saturating_sub(cut.map_or(0, |_| 1))
}

/// For a frame that was waiting for a retry when the run ended: the retrier's index, and how much of the delay had
/// passed.
pub(in crate::session) fn wait_cut_short(
    machine: &Machine,
    frame: &Frame,
) -> Option<(usize, Millis)> {
    let Some(Handled::Retrier(retrier)) = frame.visit.handled else {
        return None;
    };
    let is_over = !matches!(machine.status(), Status::Running);
    let used = frame.visit.retriers.get(retrier as usize)?;
    let whole = used.waited.last().copied()?;
    if !is_over || frame.visit.phase != Phase::Parked {
        return None;
    }
    let due = machine.due(frame.id, Timer::Retry)?;
    let left = due.saturating_sub(machine.now());
    Some((retrier as usize, whole.saturating_sub(left)))
}
