//! Explains why a run failed or timed out, by repeating it and looking at its data. Also explains how to answer a task
//! that has no answer.

use crate::definition::{Definition, FailText, LintRule, State, StateKind, Task};
use crate::interpreter::{Ask, EventKind, Fault, Origin, Reason, Want};
use crate::json::{Value, count};
use crate::query::jsonata::Failure;
use crate::session::no_answer::{ChildProblem, NoAnswer};
use crate::session::view::View;
use crate::session::{
    AFTER_SEVERAL, Command, Direction, ErrorMoment, Finding, Session, Setup, Switch,
    service_response,
};
use crate::source::{self, Diagnostic, Severity, Span};
use crate::wording;

/// A run that failed or timed out is repeated for an explanation only if it has at most this many events.
const MOST_EVENTS: u64 = 20_000;
/// A run that succeeded is executed again, to find remarks about it, only if it has at most this many events.
const MOST_OF_SUCCEEDED: u64 = 5_000;
/// Maximum number of diagnostics to list after a run that succeeded.
const LISTED: usize = 4;
/// Maximum number of errors to look at, starting with the last one.
const ERRORS: usize = 8;

/// Explanations of a failed run in addition to its error.
#[derive(Debug, Default)]
pub(super) struct Explained {
    /// One of: why the run reached a Fail state, why a value for an expression is missing, or which expressions in the
    /// input of a failed task were not evaluated.
    pub missing: Option<String>,
    /// The diagnostic of `check` for the failed state, if it may explain the failure.
    pub finding: Option<String>,
    /// The error with its place and reasons, as a JSON value for the output.
    pub why: Option<Value>,
}

/// Explains the failure of a run by repeating it. Returns no explanation if the repetition would take long or write
/// files again.
pub(super) fn failed(setup: &Setup, fault: &Fault, events: u64) -> Explained {
    let explainable = matches!(
        fault.origin,
        Origin::Interpreter | Origin::Runtime | Origin::Fail | Origin::Task
    );
    if !explainable || events > MOST_EVENTS || writes(&setup.definition) {
        return Explained::default();
    }
    let Some(session) = repeated(setup) else {
        return Explained::default();
    };
    let view = session.view();
    Explained {
        finding: finding(setup, fault, &view),
        why: why(&setup.definition, &view),
        missing: missing(session, fault, &view),
    }
}

/// The error in the form `{"code": …, "message": …, "state": …, "file": …, "line": …, "column": …, "because": [{"code":
/// …, "message": …}]}`.
fn why(definition: &Definition, view: &View) -> Option<Value> {
    let (state, fault) = match &view.raised {
        Some(raised) => (Some(raised.state), &raised.fault),
        None => (view.data.state.or(view.current), view.data.fault.as_ref()?),
    };
    let said = |finding: &Finding| {
        vec![
            ("code".into(), Value::from(finding.code)),
            ("message".into(), Value::string(finding.to_string())),
        ]
    };
    let mut members = said(&fault.finding);
    let state = state.and_then(|state| definition.state(state));
    members.extend(state.map(|state| ("state".into(), Value::from(&*state.path.0))));
    if let Some(span) = fault.span
        && let Some(file) = definition.sources.get(span.source)
    {
        let place = file.place(span.start as usize);
        members.push(("file".into(), Value::from(&*file.name)));
        members.push(("line".into(), count(place.line)));
        members.push(("column".into(), count(place.column)));
    }
    let because = fault
        .because
        .iter()
        .map(|reason| Value::object(said(reason)));
    members.push(("because".into(), Value::array(because.collect())));
    Some(Value::object(members))
}

fn missing(mut session: Session, fault: &Fault, view: &View) -> Option<String> {
    if let Some(led) = &view.led {
        let fault = view.data.fault.as_ref();
        let said = fault.map_or_else(String::new, |fault| fault.finding.to_string());
        let texts = [
            wording::led_here(led, session.definition(), &said).to_string(),
            wording::led_way(led, session.definition()),
        ];
        let texts = texts.into_iter().filter(|text| !text.is_empty());
        return Some(texts.collect::<Vec<_>>().join("; "));
    }
    let raised = |number: &u64| {
        let event = session.event(*number);
        event.is_some_and(|event| event.kind == EventKind::ErrorRaised)
    };
    let last = (1..=session.event_count()).rev();
    let errors: Vec<u64> = last.filter(raised).take(ERRORS).collect();
    let first = *errors.first()?;
    if fault.origin == Origin::Task {
        let near = errors
            .iter()
            .find_map(|event| nearly_handled(&mut session, *event));
        let explained = explained(&mut session, first);
        let all: Vec<String> = explained.into_iter().chain(near).collect();
        return Some(all.join("; ")).filter(|text| !text.is_empty());
    }
    // A Fail state with a constant error needs no explanation.
    let last = session.event(first).and_then(|event| event.state);
    let last = last.and_then(|id| session.definition().state(id));
    if fault.origin == Origin::Fail && !last.is_some_and(hands_on) {
        return None;
    }
    let absent = errors.into_iter().find_map(|event| {
        travel(&mut session, event)?;
        let absent = session.missing()?;
        Some(
            wording::absent(absent, session.definition())
                .whole()
                .to_string(),
        )
    });
    let is_undefined = matches!(
        fault.reason.read(),
        Reason::Evaluation {
            failure: Failure::Undefined,
            ..
        }
    );
    let because = because(&mut session, first);
    // If the path can select several values, the explanation of the whole path is more useful than a single missing
    // value.
    let several = because.iter().find(|reason| reason.code == AFTER_SEVERAL);
    if let Some(several) = several {
        return Some(several.to_string());
    }
    let explained = in_one_line(&because).filter(|_| absent.is_none() || is_undefined);
    let all: Vec<String> = absent.into_iter().chain(explained).collect();
    Some(all.join("; ")).filter(|text| !text.is_empty())
}

/// Explanation of the error that an event raised; `None` if there is nothing to add to the name and cause of the error.
fn explained(session: &mut Session, event: u64) -> Option<String> {
    in_one_line(&because(session, event))
}

fn because(session: &mut Session, event: u64) -> Vec<Finding> {
    travel(session, event);
    let fault = session.view().data.fault;
    fault.map_or_else(Vec::new, |fault| fault.because)
}

fn in_one_line(findings: &[Finding]) -> Option<String> {
    let texts: Vec<String> = findings.iter().map(ToString::to_string).collect();
    Some(texts.join("; ")).filter(|texts| !texts.is_empty())
}

/// A sentence with the name in ErrorEquals that is most similar to the raised error; `None` if the error is handled or
/// no name is similar.
fn nearly_handled(session: &mut Session, event: u64) -> Option<String> {
    travel(session, event)?;
    let view = session.view();
    let (error, near) = view.state.handling()?.near.as_ref()?;
    Some(format!(
        "no retrier or catcher handles {error}; the closest name in ErrorEquals is {near}"
    ))
}

fn finding(setup: &Setup, fault: &Fault, view: &View) -> Option<String> {
    if !matches!(fault.origin, Origin::Interpreter | Origin::Runtime) {
        return None;
    }
    let warnings = setup.diagnostics.iter();
    let warnings = warnings.filter(|finding| finding.severity == Severity::Warning);
    let mut telling = warnings.filter(|finding| is_telling(finding));
    let raised = view.raised.as_ref().map(|raised| raised.state);
    let state = raised.or(view.data.state).or(view.current)?;
    let around = setup.definition.state(state)?.span;
    let is_inside = |span: Span| around.holds(span);
    // A diagnostic about another state counts, too, if the failed state is one of its related places: the other state
    // may have produced the value that caused the failure.
    let finding = telling.find(|finding| {
        let related = finding.related.iter().map(|(span, _)| *span);
        finding.span.into_iter().chain(related).any(is_inside)
    });
    Some(source::short(finding?, &setup.definition.sources))
}

/// True if a diagnostic is about the behaviour of a state, not about the definition in general.
fn is_telling(finding: &Diagnostic) -> bool {
    LintRule::of(finding.rule).is_some_and(|rule| !LintRule::is_general(rule.name))
}

/// Remarks on a run that succeeded: which Choice is the reason that some states were not reached, and the diagnostics
/// about states that ran. Repeats the run; returns nothing if the repetition would take long or write files again.
pub(super) fn unusual(setup: &Setup, events: u64) -> Vec<String> {
    let definition = &setup.definition;
    let telling = setup.diagnostics.iter();
    let telling: Vec<&Diagnostic> = telling.filter(|finding| is_telling(finding)).collect();
    let is_choice = |state: &State| matches!(state.kind, StateKind::Choice(_));
    let may_be_unusual = !telling.is_empty() || definition.states.iter().any(is_choice);
    if !may_be_unusual || events > MOST_OF_SUCCEEDED || writes(definition) {
        return Vec::new();
    }
    let Some(view) = repeated(setup).map(|session| session.view()) else {
        return Vec::new();
    };
    let ran = |span: Span| {
        let around = definition.state_ids().filter_map(|id| {
            let state_span = definition.state(id)?.span;
            state_span
                .holds(span)
                .then_some((state_span.range().len(), id))
        });
        let inner = around.min_by_key(|(length, _)| *length);
        let inner = inner.and_then(|(_, id)| view.of_state(id));
        inner.is_some_and(|state| state.visits > 0)
    };
    let mut unusual_ones = telling;
    unusual_ones.retain(|diagnostic| diagnostic.span.is_some_and(ran));
    unusual_ones.sort_by_key(|diagnostic| std::cmp::Reverse(diagnostic.severity));
    let more = unusual_ones.len().saturating_sub(LISTED);
    let listed = unusual_ones.into_iter().take(LISTED);
    let listed = listed.map(|finding| source::short(finding, &definition.sources));
    let end = view.end.as_ref();
    let by_default = end.and_then(|end| wording::by_default(end, definition));
    let mut all: Vec<String> = by_default.into_iter().chain(listed).collect();
    if more > 0 {
        all.push(format!(
            "{more} more findings are not listed here; asldbg check lists all findings"
        ));
    }
    all
}

/// Summary of how a run that timed out spent its time. `None` if repeating the run would take long or write files
/// again.
pub(super) fn timed_out(setup: &Setup, events: u64) -> Option<String> {
    if events > MOST_EVENTS || writes(&setup.definition) {
        return None;
    }
    let end = repeated(setup)?.view().end?;
    Some(wording::timed_out(end.timeout.as_ref()?))
}

/// Repeats the run to its end in a session, so that earlier events can be inspected.
fn repeated(setup: &Setup) -> Option<Session> {
    let mut session = Session::new(setup.clone());
    for moment in ErrorMoment::ALL {
        session.apply(Command::StopOn(moment, Switch::Off)).ok()?;
    }
    let off = Command::StopOnDifference(Switch::Off);
    session.apply(off).ok()?;
    session.apply(Command::Continue(Direction::Forward)).ok()?;
    session.settle();
    Some(session)
}

fn travel(session: &mut Session, event: u64) -> Option<()> {
    session.apply(Command::Travel(event)).ok()?;
    session.settle();
    Some(())
}

/// True if a Fail state takes its error or cause from the data.
fn hands_on(state: &State) -> bool {
    let taken = |text: &Option<FailText>| !matches!(text, None | Some(FailText::Constant(_)));
    match &state.kind {
        StateKind::Fail(fail) => taken(&fail.error) || taken(&fail.cause),
        _ => false,
    }
}

/// True if a run of this definition writes files: a Map has a ResultWriter with a Resource.
fn writes(definition: &Definition) -> bool {
    definition.states.iter().any(|state| match &state.kind {
        StateKind::Map(map) => map
            .writer
            .as_ref()
            .is_some_and(|writer| writer.resource.is_some()),
        _ => false,
    })
}

/// The message for a run that cannot continue without an answer: the reason, and how to give the answer.
#[must_use]
pub fn unanswered(setup: &Setup, ask: &Ask, why: &NoAnswer) -> String {
    let state = setup.definition.state(ask.state);
    match (why, task_of(state)) {
        (NoAnswer::RunOut(run_out), _) => run_out.to_string(),
        (NoAnswer::Overdue, _) => {
            let path = state.map_or("", |state| &*state.path.0);
            format!("state \"{path}\" was stopped: {why}")
        }
        (NoAnswer::Child(problem), Some((state, task))) => {
            let advice = match **problem {
                ChildProblem::Unknown { .. } => "; --child NAME=FILE names the child's definition",
                ChildProblem::TooLarge { .. } => {
                    "; --max-memory MIB sets the memory limit of the run"
                }
                _ => "",
            };
            format!(
                "task {task} of state \"{state}\" has no answer: {problem}{advice}",
                task = task.resource,
                state = state.path
            )
        }
        (NoAnswer::Nowhere | NoAnswer::Unread, Some((state, task))) => of_task(setup, state, task),
        (NoAnswer::OtherData | NoAnswer::Token, Some((state, task))) => format!(
            "task {task} of state \"{state}\" has no answer: {why}",
            task = task.resource,
            state = state.path
        ),
        (_, None) => of_other(state, ask),
    }
}

/// Like [`unanswered`], for a run of a test case whose answers are written in the test file.
#[must_use]
pub fn unanswered_in_test_case(setup: &Setup, ask: &Ask, why: &NoAnswer) -> String {
    match (why, task_of(setup.definition.state(ask.state))) {
        (NoAnswer::RunOut(run_out), _) => run_out.of_test_case(),
        (NoAnswer::Nowhere | NoAnswer::Unread, Some((state, task))) => format!(
            "task {task} of state \"{state}\" has no answer: add {name}: {{\"Return\": {result}}} to the answers of the test case, or \"unmocked\": \"echo\" for an answer in the shape that the resource returns",
            task = task.resource,
            state = state.path,
            name = Value::String(state.name.clone()),
            result = offered(setup, task)
        ),
        _ => unanswered(setup, ask, why),
    }
}

fn offered(setup: &Setup, task: &Task) -> Value {
    service_response::offered(task, &Value::empty_object(), &setup.definition)
}

fn task_of(state: Option<&State>) -> Option<(&State, &Task)> {
    let state = state?;
    match &state.kind {
        StateKind::Task(task) => Some((state, task)),
        _ => None,
    }
}

fn of_task(setup: &Setup, state: &State, task: &Task) -> String {
    let name = Value::String(state.name.clone());
    let result = offered(setup, task);
    let advice = match &setup.mock {
        Some(case) => format!(
            "the test case \"{case}\" of the mock file has no entry for the state; add {name}: \"RESPONSE\" to the test case and \"RESPONSE\": {{\"0\": {{\"Return\": {result}}}}} under \"MockedResponses\"",
            case = case.name
        ),
        None => format!(
            "give an answer with --mock FILE, for example {{\"StateMachines\": {{\"{machine}\": {{\"TestCases\": {{\"Case\": {{{name}: \"RESPONSE\"}}}}}}}}, \"MockedResponses\": {{\"RESPONSE\": {{\"0\": {{\"Return\": {result}}}}}}}}}",
            machine = setup.definition.name
        ),
    };
    format!(
        "task {task} of state \"{state}\" has no answer: {advice}, or use --unmocked echo for an answer in the shape that the resource returns",
        task = task.resource,
        state = state.path
    )
}

/// The message if the run lacks something other than the answer of a task. For example, an ItemReader has no folder or
/// file to read from.
fn of_other(state: Option<&State>, ask: &Ask) -> String {
    let path = state.map_or("", |state| &*state.path.0);
    match ask.want {
        Want::Read { .. } => format!(
            "the ItemReader of state \"{path}\" has no data to read: give a folder that contains BUCKET/KEY (--s3-root DIR, or NAME.s3 beside the definition), or a file with --reader '{path}=FILE'"
        ),
        _ => format!("the request of state \"{path}\" has no answer"),
    }
}
