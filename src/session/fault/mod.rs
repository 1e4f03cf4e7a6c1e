//! Explains errors: the cause, the field, and how retriers and catchers handle the error.

mod evaluation;
mod explain;
mod handling;
mod left_as_text;
mod limit;
mod path_steps;

pub(super) use evaluation::remark;
pub(super) use explain::{THROWN_AT_ONCE, is_thrown_at_once, limit_field};
pub(super) use handling::{
    beyond_limit, handling, is_retried, named_at, no_retry, result_path_text, what_follows,
};
pub(super) use left_as_text::lines as left_as_text;
pub(super) use limit::{machine_limit, retries_used, wait_cut_short};

use super::finding::{Finding, Phrase};
use super::note::{spent_retrier, words_of};
use super::view::FaultView;
use crate::interpreter::{Fault, Frame, Machine, Origin};
use crate::source::Span;

/// The current error of a frame, with its location and reason.
pub(super) fn fault_view(machine: &Machine, frame: &Frame) -> Option<FaultView> {
    let definition = machine.definition();
    let state = definition.state(frame.visit.state)?;
    let (fault, stage) = frame.visit.fault.as_ref()?;
    let mut why = explain::timeout(definition, state, frame, fault)
        .unwrap_or_else(|| explain::fault(machine, definition, state, frame, *stage));
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
            spent_retrier(frame, state, fault, machine.profile()),
        ),
        entered: None,
    })
}

/// Location of a frame's current error, as front ends show it.
#[must_use]
pub fn fault_place(machine: &Machine, frame: &Frame) -> Option<Span> {
    fault_view(machine, frame)?.span
}

/// The error as returned by the service, such as `NoSuchKey: the key does not exist`.
fn as_answered(fault: &Fault) -> Finding {
    let name = fault.error.as_deref().unwrap_or("an error without a name");
    let words = words_of(fault);
    let says = match words.to_string().is_empty() {
        true => name.into(),
        false => Phrase::from(format!("{name}: ")).join(words),
    };
    Finding::new(fault.reason.code(), says)
}
