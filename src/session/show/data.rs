//! The data view: the values of all stages of a state, what the state's fields lost, and how the run would continue.

use super::output;
use crate::definition::{
    Compiled, Definition, Make, Owner, PathField, QueryLanguage, ResultPath, State, StateId,
    StateKind, Transition,
};
use crate::interpreter::{Event, EventKind, Frame, Handled, Machine, Phase, Serve, Stage};
use crate::json::{Pointer, Text, Value};
use crate::session::choice::{self, RuleView};
use crate::session::fault::{fault_view, is_retried, result_path_text, what_follows};
use crate::session::in_state::InState;
use crate::session::values_read::names;
use crate::session::view::{
    DataView, Forecast, ItemInput, StageView, StateStatus, ToCome, VisitView, When,
};
use crate::session::visit_view::Follows;
use crate::session::written::field_text;
use crate::source::Span;

/// The data view of a frame's current state; `event` is the event at the cursor.
pub(in crate::session) fn data_view(
    machine: &Machine,
    frame: &Frame,
    event: Option<&Event>,
    (rules, server): (&[RuleView], &dyn Serve),
) -> DataView {
    let Some(at) = InState::of(machine, frame) else {
        return DataView::default();
    };
    let state = at.state;
    let stages = state.stages().map(|stage| stage_view(at, stage));
    let now = event
        .filter(|event| event.frame == frame.id)
        .and_then(|event| match event.kind {
            EventKind::StateEntered => Some(Stage::Input),
            EventKind::Stage(stage) => Some(stage),
            EventKind::TaskSucceeded => Some(Stage::Result),
            EventKind::StateExited => Some(Stage::Output),
            _ => None,
        });
    DataView {
        state: Some(frame.visit.state),
        attempt: frame.visit.attempt,
        stages: stages.collect(),
        item: item_input(machine, frame),
        now,
        visit: (frame.visit.phase != Phase::Enter).then(|| VisitView {
            entered: frame.visit.entered_at,
            took: machine.now().saturating_sub(frame.visit.entered_at),
            is_over: matches!(frame.visit.phase, Phase::Leave | Phase::Ended),
            // The status is set later from the events, as in the graph.
            status: StateStatus::default(),
            number: machine.visit_number(frame),
        }),
        answer: None,
        assign: output::assign(state, frame),
        assign_remarks: output::assign_remarks(at),
        fault: fault_view(machine, frame, Some(server)),
        caught: matches!(frame.visit.handled, Some(Handled::Catcher(_))),
        to_come: to_come(at),
        forecast: forecast(at, rules),
        variables: frame.variables.all(),
        context: crate::query::Bindings::context(&machine.inspect(frame, &Value::Null)),
    }
}

/// The Map field that produced the input of an item. `None` if the frame is no item, or is no longer in its first
/// state.
fn item_input(machine: &Machine, frame: &Frame) -> Option<ItemInput> {
    frame.item.as_ref().filter(|_| frame.is_in_first_visit())?;
    let map = machine.frame(frame.parent?)?.visit.state;
    let state = machine.definition().state(map)?;
    let selects = [Stage::AfterItemBatcher, Stage::AfterItemSelector];
    let step = selects.into_iter().find_map(|stage| state.step(stage))?;
    Some(ItemInput {
        field: step.field.name.into(),
        map,
        span: step.written?,
    })
}

/// Remarks on the input of an item, while the item is in its first state.
fn item_remarks(machine: &Machine, frame: &Frame) -> Vec<String> {
    let map = item_input(machine, frame).and_then(|item| machine.definition().state(item.map));
    match map.map(|map| &map.kind) {
        Some(StateKind::Map(map)) => output::item_remarks(map, frame.visit.data.get(Stage::Input)),
        _ => Vec::new(),
    }
}

/// Says which stages of the state will still get a value.
fn to_come(at: InState<'_>) -> ToCome {
    let visit = &at.frame.visit;
    let over = !at.runs() || matches!(visit.phase, Phase::Leave | Phase::Ended);
    match (visit.handled, at.fault()) {
        _ if over => ToCome::Nothing,
        (Some(Handled::Catcher(_)), _) => ToCome::Output,
        (Some(Handled::Nothing), _) => ToCome::Nothing,
        (Some(Handled::Retrier(_)), _) | (None, None) => ToCome::All,
        (None, Some(fault)) if at.retrier(fault).is_some() => ToCome::All,
        (None, Some(fault)) if at.catcher(fault).is_some() => ToCome::Output,
        (None, Some(_)) => ToCome::Nothing,
    }
}

/// Predicts how the run continues, with one forecast for each possibility.
fn forecast(at: InState<'_>, rules: &[RuleView]) -> Vec<Forecast> {
    let (machine, frame, state) = (at.machine, at.frame, at.state);
    let (mut lines, mut retried) = (Vec::new(), false);
    // Nothing follows after the end of the run.
    if !at.runs() {
        return lines;
    }
    let is_caught = matches!(frame.visit.handled, Some(Handled::Catcher(_)));
    if let Some(fault) = at.fault().filter(|_| !is_caught) {
        retried = is_retried(at, fault);
        lines.push(Forecast {
            when: When::Now,
            follows: what_follows(at, fault),
        });
        let exhausted = at.catcher(fault);
        if matches!(frame.visit.handled, Some(Handled::Retrier(_)))
            && let Some(catcher) = exhausted.and_then(|place| state.catch.get(place))
        {
            let next = catcher.next.as_ref().map_or("?", |next| &next.name);
            let result_path = result_path_text(&catcher.result_path);
            lines.push(Forecast {
                when: When::AfterRetries,
                follows: Follows::plain(format!("{result_path} = {{ Error, Cause }} → {next}")),
            });
        }
    }
    let next = choice::forecast(machine, frame, rules);
    lines.extend(next.map(|follows| Forecast {
        when: When::Now,
        follows,
    }));
    let open = [Stage::AfterResultPath, Stage::Output]
        .into_iter()
        .all(|stage| frame.visit.data.get(stage).is_none());
    // After an error without a retry, the task can no longer succeed.
    let hopeless = frame.visit.fault.is_some() && !retried;
    if open && !hopeless && matches!(state.kind, StateKind::Task(_)) {
        lines.push(ok_line(state));
    }
    lines
}

fn ok_line(state: &State) -> Forecast {
    let result_use = match &state.result_path {
        _ if state.jsonata.output.is_some() => "Output is passed on".to_string(),
        ResultPath::Replace => "the result replaces the input".to_string(),
        ResultPath::Discard => "the result is dropped, the input is passed on".to_string(),
        ResultPath::Insert(path) => {
            let path = path.text();
            format!("{path} = result")
        }
    };
    let next = match &state.transition {
        Transition::Next(next) => next.name.to_string(),
        _ => "end".to_string(),
    };
    let output_path = match &state.output_path {
        PathField::Whole => String::new(),
        PathField::Null => ", then OutputPath null".to_string(),
        PathField::Path(path) => {
            let path = path.text();
            format!(", then OutputPath {path}")
        }
    };
    Forecast {
        when: When::OnSuccess,
        follows: Follows::plain(format!("{result_use}{output_path} → {next}")),
    }
}

fn stage_view(at: InState<'_>, stage: Stage) -> StageView {
    let (machine, frame, state, definition) = (at.machine, at.frame, at.state, at.definition());
    let span = state.written(stage);
    let text = span.and_then(|span| field_text(definition, span));
    let text = output::in_short(definition, state, stage).or(text);
    // A catcher or a Choice rule produces the output with its own fields, not with the fields of the state.
    let (expression, span) = match (stage, caught_by(state, frame)) {
        (Stage::Output, Some((text, span))) => (Some(text), Some(span)),
        (Stage::Output, None) => match output::of_rule(definition, state, frame) {
            Some((text, span)) => (Some(text), Some(span)),
            None => (text, span),
        },
        (Stage::AfterResultSelector | Stage::AfterResultPath, Some(_)) => (None, None),
        _ => (text, span),
    };
    StageView {
        stage,
        value: frame.visit.data.get(stage).cloned(),
        item: output::item_at(frame, stage),
        expression,
        span,
        unread: output::unread(state, frame, stage),
        remarks: match state.language {
            _ if stage == Stage::Input => item_remarks(machine, frame),
            QueryLanguage::Jsonata => output::remarks(at, stage),
            QueryLanguage::JsonPath => Vec::new(),
        },
        loss: loss(definition, state, frame, stage),
    }
}

/// If a catcher handled the error: text and location of the catcher's Output or ResultPath.
fn caught_by(state: &State, frame: &Frame) -> Option<(String, Span)> {
    let Some(Handled::Catcher(place)) = frame.visit.handled else {
        return None;
    };
    let catcher = state.catch.get(place as usize)?;
    let step = state.step_by(Stage::Output, Owner::Catcher(place))?;
    let output = step.written.filter(|_| step.make == Make::Jsonata);
    let span = output.unwrap_or(catcher.span);
    let output_text = match (state.language, &catcher.result_path) {
        (QueryLanguage::Jsonata, _) if catcher.jsonata.output.is_some() => "Output".to_string(),
        (QueryLanguage::Jsonata, _) => "no Output, so {Error, Cause} is passed on".to_string(),
        (QueryLanguage::JsonPath, ResultPath::Insert(path)) => {
            let path = path.text();
            format!("ResultPath {path} = {{Error, Cause}}")
        }
        (QueryLanguage::JsonPath, ResultPath::Discard) => {
            "ResultPath is null: the error is dropped".to_string()
        }
        (QueryLanguage::JsonPath, ResultPath::Replace) => {
            let path = match step.written {
                Some(_) => "ResultPath is $",
                None => "no ResultPath",
            };
            format!("{path}: {{Error, Cause}} replaces the whole input")
        }
    };
    Some((format!("Catch[{place}]: {output_text}"), span))
}

/// One sentence on the values that the field of a stage lost.
fn loss(definition: &Definition, state: &State, frame: &Frame, stage: Stage) -> Option<String> {
    let step = state.step_by(stage, frame.visit.way())?;
    let compiled = state.compiled(step.field);
    let mut left = output::left_out(state, frame, stage);
    let name = step.field.name;
    let (reason, next) = match (step.field.owner, compiled) {
        (_, Some(Compiled::Insert(ResultPath::Insert(_)))) => return None,
        (Owner::State, Some(Compiled::Insert(ResultPath::Discard))) => {
            frame.visit.data.get(stage)?;
            return Some("ResultPath is null: the result is dropped".to_string());
        }
        (Owner::Catcher(place), None | Some(Compiled::Insert(_))) => {
            let catcher = state.catch.get(place as usize)?;
            let reason = match step.written {
                Some(_) => {
                    format!("{name} of the catcher is $: the error replaces the whole input")
                }
                None => format!("the catcher has no {name}: the error replaces the whole input"),
            };
            (reason, catcher.next.as_ref().and_then(|next| next.state))
        }
        (_, None | Some(Compiled::Insert(_))) => {
            // A Pass state with a literal result is meant to replace the input.
            if matches!(state.kind, StateKind::Pass { .. })
                && state.template("Parameters").is_none()
            {
                return None;
            }
            if stage == Stage::AfterResultPath {
                let goes_on = goes_on(state, frame);
                left.iter_mut()
                    .for_each(|left| left.retain(|name| !goes_on.contains(name)));
            }
            let reason = match step.written {
                Some(_) => format!("{name} is $: the result replaces the whole input"),
                None => format!("no {name}: the result replaces the whole input"),
            };
            (reason, next_of(state))
        }
        _ => return not_passed(left?),
    };
    gone_sentence(definition, &reason, left?, next)
}

fn next_of(state: &State) -> Option<StateId> {
    match &state.transition {
        Transition::Next(next) => next.state,
        _ => None,
    }
}

/// Names of the members that OutputPath passes on.
fn goes_on(state: &State, frame: &Frame) -> Vec<Text> {
    let before = frame.visit.data.latest(Stage::AfterResultPath);
    match &state.output_path {
        PathField::Path(path) => {
            let selected = path.names().map(Pointer);
            selected
                .and_then(|at| at.get(&before).map(names))
                .unwrap_or_default()
        }
        PathField::Whole | PathField::Null => Vec::new(),
    }
}

/// Maximum number of names to list in a sentence.
const NAMED: usize = 8;

fn list(names: &[Text]) -> String {
    let shown: Vec<&str> = names.iter().take(NAMED).map(|name| &**name).collect();
    let more = if names.len() > NAMED { ", …" } else { "" };
    shown.join(", ") + more
}

fn not_passed(names: Vec<Text>) -> Option<String> {
    let names = (!names.is_empty()).then(|| list(&names))?;
    Some(format!("left out: {names}"))
}

/// Says which values were lost, and which later state is the first to read one of them. Searches the states from `next`
/// on; without `next`, returns `None`.
fn gone_sentence(
    definition: &Definition,
    reason: &str,
    gone: Vec<Text>,
    next: Option<StateId>,
) -> Option<String> {
    if gone.is_empty() {
        return None;
    }
    let names = list(&gone);
    let lost = format!("{reason}; lost: {names}");
    let Some(later) = definition.read_of_dropped(next?, gone) else {
        return Some(lost);
    };
    let reader = definition.state(later.state)?;
    let line = definition.sources.line(later.span)?;
    let (path, name) = (&later.path, &reader.name);
    Some(format!(
        "{path} is dropped, but {name} reads it later (line {line}); {lost}"
    ))
}
