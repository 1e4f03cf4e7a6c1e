//! The Choice that a frame is in: results of its conditions, and its rules.

use super::condition::Weighed;
use super::rule_view::RuleView;
use super::rules::rules;
use crate::definition::{PathField, StateKind};
use crate::interpreter::{Frame, Machine, Serve, Want};

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
