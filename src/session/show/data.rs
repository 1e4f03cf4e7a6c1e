//! The data view: all stages of a state's data flow, what was lost on the way, and what would follow.

use super::output;
use crate::definition::{
    Definition, Make, Owner, PathField, QueryLanguage, ResultPath, State, StateId, StateKind,
    Transition,
};
use crate::interpreter::{
    Event, EventKind, Fault, Frame, Handled, Machine, Phase, Stage, Status, Timer, catcher_for,
    retrier_for,
};
use crate::json::{Pointer, Step, Text, Value};
use crate::query::Path;
use crate::session::choice::{self, Weighed};
use crate::session::fault::{beyond_limit, fault_view, is_retried, result_path_text, what_follows};
use crate::session::note::duration;
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
    weighed: &Weighed,
) -> DataView {
    let definition = machine.definition();
    let Some(state) = definition.state(frame.visit.state) else {
        return DataView::default();
    };
    let stages = state.stages();
    let stages = stages.map(|stage| stage_view(machine, state, frame, stage));
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
            // Set later from the events, as in the graph.
            status: StateStatus::default(),
            number: machine.visit_number(frame),
        }),
        answer: None,
        assign: output::assign(state, frame),
        assign_remarks: output::assign_remarks(machine, state, frame),
        fault: fault_view(machine, frame),
        caught: matches!(frame.visit.handled, Some(Handled::Catcher(_))),
        to_come: to_come(machine, frame, state),
        forecast: forecast(machine, frame, state, weighed),
        variables: frame.variables.all(),
        context: crate::query::Bindings::context(&machine.inspect(frame, &Value::Null)),
    }
}

/// The field that produced the input of an item, while the item is in its first state.
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

/// The stages that are still to come.
fn to_come(machine: &Machine, frame: &Frame, state: &State) -> ToCome {
    let visit = &frame.visit;
    let over = !matches!(machine.status(), Status::Running)
        || matches!(visit.phase, Phase::Leave | Phase::Ended);
    let fault = visit.fault.as_ref().map(|(fault, _)| fault);
    match (visit.handled, fault) {
        _ if over => ToCome::Nothing,
        (Some(Handled::Catcher(_)), _) => ToCome::Output,
        (Some(Handled::Nothing), _) => ToCome::Nothing,
        (Some(Handled::Retrier(_)), _) | (None, None) => ToCome::All,
        (None, Some(fault)) => {
            let profile = machine.profile();
            let retried = retrier_for(&state.retry, &visit.retriers, fault, profile).is_some();
            let caught = catcher_for(&state.catch, fault, profile).is_some();
            match (retried, caught) {
                (true, _) => ToCome::All,
                (false, true) => ToCome::Output,
                (false, false) => ToCome::Nothing,
            }
        }
    }
}

/// Forecasts, one for each possibility.
fn forecast(machine: &Machine, frame: &Frame, state: &State, weighed: &Weighed) -> Vec<Forecast> {
    let (mut lines, mut retried) = (Vec::new(), false);
    // Nothing follows after the end of the run.
    if !matches!(machine.status(), Status::Running) {
        return lines;
    }
    if let Some((fault, _)) = frame
        .visit
        .fault
        .as_ref()
        .filter(|_| !matches!(frame.visit.handled, Some(Handled::Catcher(_))))
    {
        retried = is_retried(machine, frame, state, fault);
        lines.push(now_line(machine, frame, state, fault));
        let exhausted = catcher_for(&state.catch, fault, machine.profile());
        if matches!(frame.visit.handled, Some(Handled::Retrier(_)))
            && let Some(catcher) = exhausted.and_then(|place| state.catch.get(place))
        {
            let next = catcher.next.as_ref().map_or("?", |next| &next.name);
            let path = result_path_text(&catcher.result_path);
            lines.push(Forecast {
                when: When::AfterRetries,
                follows: Follows::plain(format!("{path} = {{ Error, Cause }} → {next}")),
            });
        }
    }
    if let StateKind::Choice(choice) = &state.kind {
        let whole = matches!(state.input_path, PathField::Whole);
        let next = choice::forecast(machine, frame, choice, (whole, weighed));
        lines.extend(next.map(|follows| Forecast {
            when: When::Now,
            follows,
        }));
    }
    let open = [Stage::AfterResultPath, Stage::Output]
        .into_iter()
        .all(|stage| frame.visit.data.get(stage).is_none());
    // After an error that is not retried, the task cannot succeed any more.
    let hopeless = frame.visit.fault.is_some() && !retried;
    if open && !hopeless && matches!(state.kind, StateKind::Task(_)) {
        lines.push(ok_line(state));
    }
    lines
}

fn now_line(machine: &Machine, frame: &Frame, state: &State, fault: &Fault) -> Forecast {
    let retry = machine
        .timers(frame.id)
        .iter()
        .find(|(_, timer)| *timer == Timer::Retry);
    let follows = match (frame.visit.handled, retry) {
        (Some(Handled::Retrier(place)), Some((due, _))) => {
            let used = frame
                .visit
                .retriers
                .get(place as usize)
                .map_or(0, |one| one.used);
            let max = state
                .retry
                .get(place as usize)
                .map_or(0, |one| one.max_attempts);
            match beyond_limit(machine, *due) {
                Some(limit) => Follows {
                    text: format!("retry {used}/{max} would be too late"),
                    why: format!("it {limit}"),
                    ..Follows::default()
                },
                None => {
                    let wait = duration(due.saturating_sub(machine.now()));
                    Follows::plain(format!("retry {used}/{max} in {wait}"))
                }
            }
        }
        _ => what_follows(machine, frame, state, fault),
    };
    Forecast {
        when: When::Now,
        follows,
    }
}

fn ok_line(state: &State) -> Forecast {
    let into = match &state.result_path {
        _ if state.jsonata.output.is_some() => "Output is passed on".to_string(),
        ResultPath::Replace => "the result replaces the input".to_string(),
        ResultPath::Discard => "the result is dropped, input passed on".to_string(),
        ResultPath::Insert(path) => format!("{} = result", path.text()),
    };
    let next = match &state.transition {
        Transition::Next(next) => next.name.to_string(),
        _ => "end".to_string(),
    };
    let passes = match &state.output_path {
        PathField::Whole => String::new(),
        PathField::Null => ", then OutputPath null".to_string(),
        PathField::Path(path) => format!(", then OutputPath {}", path.text()),
    };
    Forecast {
        when: When::OnSuccess,
        follows: Follows::plain(format!("{into}{passes} → {next}")),
    }
}

fn stage_view(machine: &Machine, state: &State, frame: &Frame, stage: Stage) -> StageView {
    let definition = machine.definition();
    let span = state.written(stage);
    let own = span.and_then(|span| field_text(definition, span));
    let own = output::in_short(definition, state, stage).or(own);
    // The output of a catcher or a Choice rule does not come from the state's own fields.
    let (expression, span) = match (stage, caught_by(state, frame)) {
        (Stage::Output, Some((text, span))) => (Some(text), Some(span)),
        (Stage::Output, None) => match output::of_rule(definition, state, frame) {
            Some((text, span)) => (Some(text), Some(span)),
            None => (own, span),
        },
        (Stage::AfterResultSelector | Stage::AfterResultPath, Some(_)) => (None, None),
        _ => (own, span),
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
            QueryLanguage::Jsonata => output::remarks(machine, state, frame, stage),
            QueryLanguage::JsonPath => Vec::new(),
        },
        loss: loss(definition, state, frame, stage),
    }
}

/// Text and location of what the catcher that handled the error does with the input.
fn caught_by(state: &State, frame: &Frame) -> Option<(String, Span)> {
    let Some(Handled::Catcher(place)) = frame.visit.handled else {
        return None;
    };
    let catcher = state.catch.get(place as usize)?;
    let step = state.step_by(Stage::Output, Owner::Catcher(place))?;
    let output = step.written.filter(|_| step.make == Make::Jsonata);
    let span = output.unwrap_or(catcher.span);
    let what = match (state.language, &catcher.result_path) {
        (QueryLanguage::Jsonata, _) if catcher.jsonata.output.is_some() => "Output".to_string(),
        (QueryLanguage::Jsonata, _) => "no Output, {Error, Cause} is passed on".to_string(),
        (QueryLanguage::JsonPath, ResultPath::Insert(path)) => {
            format!("ResultPath {} = {{Error, Cause}}", path.text())
        }
        (QueryLanguage::JsonPath, ResultPath::Discard) => {
            "ResultPath null, the error is dropped".to_string()
        }
        (QueryLanguage::JsonPath, ResultPath::Replace) => {
            let path = match step.written {
                Some(_) => "ResultPath $",
                None => "no ResultPath",
            };
            format!("{path}, {{Error, Cause}} replaces the whole input")
        }
    };
    Some((format!("Catch[{place}]: {what}"), span))
}

/// One sentence on what was lost at a stage.
fn loss(definition: &Definition, state: &State, frame: &Frame, stage: Stage) -> Option<String> {
    frame.visit.data.get(stage)?;
    let caught = matches!(frame.visit.handled, Some(Handled::Catcher(_)));
    match stage {
        Stage::AfterInputPath => match &state.input_path {
            PathField::Whole => None,
            PathField::Null => not_passed(names(frame.visit.data.get(Stage::Input)?)),
            PathField::Path(path) => {
                let first = first_member(path);
                let mut all = names(frame.visit.data.get(Stage::Input)?);
                all.retain(|name| Some(name) != first.as_ref());
                not_passed(all)
            }
        },
        Stage::AfterResultPath => match &state.result_path {
            ResultPath::Replace
                if !matches!(state.kind, StateKind::Pass { .. })
                    || state.template("Parameters").is_some() =>
            {
                let kept = names(frame.visit.data.get(stage)?);
                let goes_on = goes_on(state, frame);
                let mut gone = names(frame.visit.data.get(Stage::Input)?);
                gone.retain(|name| !kept.contains(name) && !goes_on.contains(name));
                let what = match state.field("ResultPath") {
                    Some(_) => "ResultPath is $: replaces the whole input",
                    None => "no ResultPath: replaces the whole input",
                };
                gone_sentence(definition, what, gone, next_of(state))
            }
            ResultPath::Discard => Some("ResultPath is null: the result is dropped".to_string()),
            _ => None,
        },
        Stage::Output if caught => {
            let Some(Handled::Catcher(place)) = frame.visit.handled else {
                return None;
            };
            let catcher = state.catch.get(place as usize)?;
            let gone = names(frame.visit.data.get(Stage::Input)?);
            let field = match state.language {
                QueryLanguage::JsonPath if matches!(catcher.result_path, ResultPath::Replace) => {
                    Some("ResultPath")
                }
                QueryLanguage::Jsonata if catcher.jsonata.output.is_none() => Some("Output"),
                _ => None,
            };
            field.and_then(|field| {
                let node = definition.node.at(catcher.span);
                let why = match node.is_some_and(|node| node.get(field).is_some()) {
                    true => format!("{field} of the catcher is $"),
                    false => format!("the catcher has no {field}"),
                };
                let what = format!("{why}: the error replaces the whole input");
                let next = catcher.next.as_ref().and_then(|next| next.state);
                gone_sentence(definition, &what, gone, next)
            })
        }
        Stage::Output if state.language == QueryLanguage::Jsonata => {
            match output::left_out(state, frame)? {
                (true, left) => not_passed(left),
                (false, gone) => {
                    let what = "no Output: the result replaces the whole input";
                    gone_sentence(definition, what, gone, next_of(state))
                }
            }
        }
        Stage::Output => match &state.output_path {
            PathField::Whole => None,
            path => {
                let first = match path {
                    PathField::Path(path) => first_member(path),
                    _ => None,
                };
                let kept = names(frame.visit.data.get(stage)?);
                let mut before = names(&frame.visit.data.latest(Stage::AfterResultPath));
                before.retain(|name| !kept.contains(name) && Some(name) != first.as_ref());
                not_passed(before)
            }
        },
        Stage::AfterItemSelector => match &state.kind {
            StateKind::Map(map) => not_passed(output::unread_of_item(map, frame)?),
            _ => None,
        },
        _ => not_passed(output::unread(state, frame, stage)?),
    }
}

fn next_of(state: &State) -> Option<StateId> {
    match &state.transition {
        Transition::Next(next) => next.state,
        _ => None,
    }
}

/// The first member of a path.
fn first_member(path: &Path) -> Option<Text> {
    match path.names()?.into_iter().next()? {
        Step::Member(name) => Some(name),
        Step::Item(_) => None,
    }
}

/// The members of the selected value that OutputPath passes on.
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

/// Maximum number of names in a sentence.
const NAMED: usize = 8;

fn list(names: &[Text]) -> String {
    let shown: Vec<&str> = names.iter().take(NAMED).map(|name| &**name).collect();
    let more = if names.len() > NAMED { ", …" } else { "" };
    shown.join(", ") + more
}

fn not_passed(names: Vec<Text>) -> Option<String> {
    (!names.is_empty()).then(|| format!("left out: {}", list(&names)))
}

/// A sentence about lost values and the later state that reads them. The search for this state starts at `next`; `None`
/// if there is no next state.
fn gone_sentence(
    definition: &Definition,
    what: &str,
    gone: Vec<Text>,
    next: Option<StateId>,
) -> Option<String> {
    if gone.is_empty() {
        return None;
    }
    let verb = if gone.len() == 1 { "is" } else { "are" };
    let lost = format!("{what}; {} {verb} gone", list(&gone));
    let Some(later) = definition.read_of_dropped(next?, gone) else {
        return Some(lost);
    };
    let reader = definition.state(later.state)?;
    let line = definition.sources.line(later.span)?;
    Some(format!(
        "dropped here, but read later: {} in {}:{line}; {lost}",
        later.path, reader.name
    ))
}
