//! The Choice that a frame is in looked at once more: what its conditions come to, and its rules.

use super::condition::Weighed;
use super::rule_view::RuleView;
use super::rules::rules;
use crate::definition::{PathField, StateKind};
use crate::interpreter::{Frame, Machine, Serve, Want};

/// What the conditions of the Choice come to that a frame is in; nothing while the run, or what is recorded of it last,
/// evaluates something itself, which would have to begin anew.
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

/// The rules of the Choice that a frame is in, Default last; none where it is in another state.
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
