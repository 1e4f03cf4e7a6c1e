//! Explains errors: the cause, the field, and how retriers and catchers handle the error. Also finds texts in a task's
//! input that were probably meant to be evaluated.

use super::finding::Finding;
use super::in_state::InState;
use super::note::{spent_retrier, words_of};
use super::values_read::collect;
use super::view::FaultView;
use super::written::node_in;
use crate::definition::{Definition, State, StateKind};
use crate::interpreter::{Fault, Frame, Machine, Origin, Serve, Stage};
use crate::json::{Pointer, Value};
use crate::query::{Unevaluated, abridged};
use crate::source::Span;
pub(super) use evaluation::remark;
pub(super) use explain::{
    THROWN_AT_ONCE, is_thrown_at_once, limit_field, limit_passed, machine_limit, retries_used,
    wait_cut_short,
};
pub(super) use handling::{
    handling, is_retried, named_at, no_retry, result_path_text, what_follows,
};

mod evaluation;
mod explain;
mod handling;
mod path_steps;

/// The current error of a frame, with its location and cause. `server` evaluates a failed JSONata expression again to
/// explain the error.
pub(super) fn fault_view(
    machine: &Machine,
    frame: &Frame,
    server: Option<&dyn Serve>,
) -> Option<FaultView> {
    let at = InState::of(machine, frame)?;
    let (definition, state) = (at.definition(), at.state);
    let (fault, stage) = frame.visit.fault.as_ref()?;
    let why = || explain::fault(at, *stage, server);
    let mut why = explain::timeout(at, fault).unwrap_or_else(why);
    if stage.is_none() && fault.origin == Origin::Task {
        why.because.extend(left_as_text(definition, state, frame));
    }
    Some(FaultView {
        fault: fault.clone(),
        stage: *stage,
        finding: why.finding.unwrap_or_else(|| as_answered(fault)),
        misses: why.misses,
        span: why.span,
        because: why.because,
        aws: (fault.aws.as_ref()).map(|aws| format!("AWS: {}", aws.text())),
        no_retry: no_retry(
            (definition, machine.profile()),
            state,
            fault,
            spent_retrier(at, fault),
        ),
        entered: None,
    })
}

/// Location of a frame's current error in the source, as front ends show it.
#[must_use]
pub fn fault_place(machine: &Machine, frame: &Frame) -> Option<Span> {
    fault_view(machine, frame, None)?.span
}

/// The name and cause of an error that a service returned, such as `NoSuchKey: the key does not exist`.
fn as_answered(fault: &Fault) -> Finding {
    let name = fault.error.as_deref().unwrap_or("an error without a name");
    Finding::of_error(fault.reason.code(), name, words_of(fault))
}

/// Maximum number of texts to report that were probably meant to be evaluated.
const TOLD: usize = 2;
/// Maximum number of values of a task's input to search for texts that were probably meant to be evaluated.
const SEARCHED: usize = 2_000;

/// One sentence for each text in a task's input that was probably meant to be evaluated.
fn left_as_text(definition: &Definition, state: &State, frame: &Frame) -> Vec<Finding> {
    if !matches!(state.kind, StateKind::Task(_)) {
        return Vec::new();
    }
    let data = &frame.visit.data;
    let arguments = data.get(Stage::AfterArguments).cloned();
    let given = arguments.unwrap_or_else(|| data.latest(Stage::AfterParameters));
    let mut findings = Vec::new();
    let mut left = SEARCHED;
    collect(&given, &mut |at, value| {
        left -= 1;
        if let Value::String(text) = value {
            let kind = Unevaluated::of(text);
            findings.extend(kind.map(|kind| line(definition, state, (at, text), kind)));
        }
        left > 0 && findings.len() < TOLD
    });
    findings
}

/// A sentence such as `Payload.document, line 22, is the text "$.contract.key", which is not evaluated: is .$
/// missing?`
fn line(
    definition: &Definition,
    state: &State,
    (at, text): (&Pointer, &str),
    kind: Unevaluated,
) -> Finding {
    let field = ["Parameters", "Arguments"]
        .into_iter()
        .find_map(|name| state.field(name));
    let node = field.and_then(|field| definition.node.at(field.value));
    let written = node.and_then(|node| node_in(node, at));
    let written = written.filter(|node| node.as_str() == Some(text));
    let line = definition.sources.line(written.map(|node| node.span));
    let line = line.map_or_else(String::new, |line| format!(", line {line},"));
    let name = at.to_string();
    let name = match name.strip_prefix("$.").unwrap_or(&name) {
        "$" => "the input",
        name => name,
    };
    let shown = abridged(&Value::from(text), 60);
    let question = kind.question();
    let says = format!("{name}{line} is the text {shown}, which is not evaluated: {question}?");
    Finding::new("left-as-text", says)
}
