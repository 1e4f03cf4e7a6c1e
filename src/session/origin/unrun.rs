//! The state that would have written a member that was never there, had it run.

use super::past::Past;
use super::{Holder, Site};
use crate::definition::{QueryLanguage, ResultPath, State, StateId, StateKind};
use crate::interpreter::{EventKind, Stage};
use crate::json::{Step, Text};
use crate::query::jsonata::made;
use crate::source::Span;
use std::collections::HashSet;

impl Past<'_> {
    /// The state that leads to the one that a place is in, writes a member there, and was not entered; and where it says so.
    pub(super) fn unrun(&self, site: &Site) -> Option<(StateId, Span)> {
        let (Holder::Stage(stage), [Step::Member(name)]) = (&site.holder, site.at.0.as_slice())
        else {
            return None;
        };
        // What a state's own work gives it, no other state would have written.
        if matches!(stage, Stage::Result | Stage::AfterResultSelector) {
            return None;
        }
        let here = self.visit(site.frame, site.event)?.state;
        let scope = self.state(here)?.scope;
        let entered: HashSet<StateId> = self
            .backwards(site.frame, site.event)
            .filter(|(_, event)| event.kind == EventKind::StateEntered)
            .filter_map(|(_, event)| event.state)
            .collect();
        let all = (0..).map(StateId).zip(&self.definition.states);
        let writers = all.filter(|(_, state)| state.scope == scope);
        let mut writers = writers.filter_map(|(id, state)| Some((id, state, writes(state, name)?)));
        writers
            .clone()
            .all(|(id, ..)| id == here || !entered.contains(&id))
            .then_some(())?;
        let (id, _, span) = writers
            .find(|(id, state, _)| !entered.contains(id) && self.well(state).contains(&here))?;
        Some((id, span))
    }
}

/// The field of a state that writes a member of its output beside those of its input.
fn writes(state: &State, name: &Text) -> Option<Span> {
    let field = |field: &str| state.field(field).map(|field| field.value);
    if state.language == QueryLanguage::Jsonata {
        let output = state.jsonata.output.as_ref()?;
        let is_written = match (output.names(), output.whole()) {
            (Some(names), _) => names.contains(name),
            (None, Some(expression)) => made(&expression.text).writes(name),
            (None, None) => false,
        };
        return is_written.then(|| field("Output")).flatten();
    }
    match (&state.result_path, &state.kind) {
        (ResultPath::Insert(path), _) => {
            let is_own = matches!(path.steps(), [Step::Member(own), ..] if own == name);
            is_own.then(|| field("ResultPath")).flatten()
        }
        (ResultPath::Replace, StateKind::Pass { result: None }) => {
            let names = state.template("Parameters")?.names()?;
            names.contains(name).then(|| field("Parameters")).flatten()
        }
        (ResultPath::Replace, _) => {
            let names = state.template("ResultSelector")?.names()?;
            let is_own = names.contains(name);
            is_own.then(|| field("ResultSelector")).flatten()
        }
        (ResultPath::Discard, _) => None,
    }
}
