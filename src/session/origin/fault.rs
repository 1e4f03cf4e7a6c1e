//! The place at which an expression found nothing, if that is why a state failed.

use super::Site;
use super::document::{Code, Documents};
use super::history::{Moment, Past, Unseen};
use super::provenance::lacking;
use crate::definition::{Compiled, Operand, Rule, StageStep, State, StateKind};
use crate::interpreter::{EventKind, Frame, Reason, Stage};
use crate::json::Step;
use crate::query::QueryError;
use crate::query::trace::{Miss, Spot};
use crate::source::Node;

impl Past<'_> {
    /// The place at which the failed field found nothing; `here` is the place of the error.
    ///
    /// # Errors
    /// A request to record the trace of the evaluation, if it has not been recorded.
    pub(super) fn lack<'m>(
        &'m self,
        run: Moment<'m>,
        frame: &'m Frame,
        here: &Site,
    ) -> Result<Option<(Documents<'m>, Spot)>, Unseen> {
        let Some((fault, stage)) = frame.visit.fault.as_ref() else {
            return Ok(None);
        };
        let Some(state) = self.state(frame.visit.state).filter(|_| !fault.from_branch) else {
            return Ok(None);
        };
        let documents = self.documents_of(run, frame, here, before(state, *stage));
        let lack = match (&*fault.reason, &state.kind) {
            // The whole document is null, so the error is not that a member is missing.
            (
                Reason::Condition { on_null: true, .. }
                | Reason::Query {
                    error: QueryError::NullDocument { .. },
                    ..
                },
                _,
            ) => None,
            (Reason::Condition { path, .. }, StateKind::Choice(choice)) => {
                compared(&choice.rules, path)
            }
            (Reason::Evaluation { expression, .. } | Reason::WrongType { expression, .. }, _) => {
                let trace = documents.traced()?.expression(expression, None);
                trace.and_then(|trace| lacking(&documents, Code::Jsonata(expression), trace))
            }
            (Reason::Query { .. } | Reason::Reference { .. }, _) => {
                let trace = documents.traced()?.last_field();
                trace.and_then(|trace| {
                    let acts = trace.acts.iter().rev();
                    let mut misses = acts.filter_map(|act| act.miss.as_ref());
                    misses.find_map(Miss::spot)
                })
            }
            _ => None,
        };
        Ok(lack.map(|lack| (documents, lack)))
    }

    /// The documents that the failed field may read, with the trace of its evaluation.
    pub(super) fn documents_of<'m>(
        &'m self,
        run: Moment<'m>,
        frame: &'m Frame,
        here: &Site,
        stage: Stage,
    ) -> Documents<'m> {
        let is_jsonata = frame.visit.failed_at().is_some();
        let stage = if is_jsonata { Stage::Input } else { stage };
        let mut documents = Documents::of(self, run.machine, frame, here, stage);
        if let Some(index) = frame.visit.item_to_select() {
            documents.item = super::document::item_of(frame, index);
        }
        let raised = self.last(here, |kind| kind == EventKind::ErrorRaised);
        documents.made = raised.unwrap_or(here.event);
        documents.traces = run.traces;
        documents
    }
}

/// The place that a path in a comparison names.
fn compared(rules: &[Rule], path: &str) -> Option<Spot> {
    let comparisons = rules.iter().flat_map(|rule| rule.test.comparisons());
    let paths = comparisons.flat_map(|one| {
        let operand = match &one.operand {
            Operand::Path(path) => Some(path),
            _ => None,
        };
        std::iter::once(&one.variable).chain(operand)
    });
    let mut named = paths.filter(|own| own.text() == path);
    named.find_map(|path| super::document::named(Code::Path(path)).into_iter().next())
}

/// The stage that a field reads if its fault arose in `stage`, or in the state's work if that is `None`.
pub(super) fn before(state: &State, stage: Option<Stage>) -> Stage {
    let step = match stage {
        Some(Stage::Input) | None => state.work_steps().next(),
        Some(stage) => state.step(stage),
    };
    step.and_then(StageStep::reads)
        .unwrap_or(Stage::AfterInputPath)
}

/// The node one step further inside.
pub(super) fn inside<'n>(node: &'n Node, step: &Step) -> Option<&'n Node> {
    match step {
        Step::Member(name) => node.get(name),
        Step::Item(index) => node.items()?.get(*index),
    }
}

/// Computed fields that limit a Task or Map, in the order of their evaluation.
pub(super) fn limits(state: &State) -> impl Iterator<Item = (&'static str, Code<'_>)> {
    let is_limited = matches!(state.kind, StateKind::Task(_) | StateKind::Map(_));
    let steps = state.work_steps().filter(move |_| is_limited);
    steps.filter_map(|step| {
        let code = match state.compiled(step.field)? {
            Compiled::Path(path) => Code::Path(path),
            Compiled::Evaluated(expression) => Code::Jsonata(expression),
            _ => return None,
        };
        Some((step.field.name, code))
    })
}
