//! Finds a state that did not run and would have written a member that never existed.

use super::history::Past;
use super::{Holder, Site};
use crate::definition::{QueryLanguage, ResultPath, State, StateId, StateKind};
use crate::interpreter::{EventKind, Stage};
use crate::json::{Step, Text};
use crate::source::Span;
use std::collections::HashSet;

impl Past<'_> {
    /// A state that leads to the place's state and would have written the missing member, but was not entered; with the
    /// location of the writing field.
    pub(super) fn unrun(&self, site: &Site) -> Option<(StateId, Span)> {
        let (Holder::Stage(stage), [Step::Member(name)]) = (&site.holder, site.at.0.as_slice())
        else {
            return None;
        };
        // No other state writes into a state's own result.
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

/// The field of a state that adds a member to its output.
fn writes(state: &State, name: &Text) -> Option<Span> {
    let field = |field: &str| state.field(field).map(|field| field.value);
    if state.language == QueryLanguage::Jsonata {
        let output = state.jsonata.output.as_ref()?;
        let is_written = match (output.names(), output.whole()) {
            (Some(names), _) => names.contains(name),
            (None, Some(expression)) => {
                (expression.parsed()).is_some_and(|tree| tree.made().writes(name))
            }
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
