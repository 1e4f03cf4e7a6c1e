//! The place that an expression found nothing at, where that is why a state failed.
//!
//! It must not know why there is nothing.

use super::document::{Code, Documents, base_of};
use super::expression::nothing;
use super::past::Past;
use super::{Root, Site};
use crate::definition::{
    Compiled, Operand, Owner, PathField, QueryLanguage, Rule, StageStep, State, StateKind, Test,
};
use crate::interpreter::{Frame, Machine, Stage, failing};
use crate::json::{Pointer, Step};
use crate::query::trace::Base;
use crate::query::{Bindings, jsonata};
use crate::session::show::pointer_of;
use crate::source::Node;

impl Past<'_> {
    /// The place that is missing in what a frame's failed expression read; `event` is the one that is looked at.
    pub fn missing(&self, machine: &Machine, frame: &Frame, event: u64) -> Option<Site> {
        let (documents, base, at) = self.missing_place(machine, frame, event)?;
        Some(documents.place(&base, at))
    }

    /// The same as what a failed field was made of.
    pub(super) fn missing_root(
        &self,
        machine: &Machine,
        frame: &Frame,
        event: u64,
    ) -> Option<Root> {
        let (documents, base, at) = self.missing_place(machine, frame, event)?;
        Some(nothing(&documents, &base, at, event))
    }

    fn missing_place<'m>(
        &'m self,
        machine: &'m Machine,
        frame: &'m Frame,
        event: u64,
    ) -> Option<(Documents<'m>, Base, Pointer)> {
        let (fault, stage) = frame.visit.fault.as_ref()?;
        if fault.from_branch {
            return None;
        }
        let state = self.state(frame.visit.state)?;
        let here = Site::stage(event, frame.id, Stage::Input, Pointer::root());
        if state.language == QueryLanguage::Jsonata {
            return self.missing_in_jsonata(machine, frame, state, &here);
        }
        let mut documents = Documents::of(self, machine, frame, &here, before(state, *stage));
        if *stage == Some(Stage::AfterItemSelector)
            && let Some(index) = frame.visit.item_to_select()
        {
            documents.item = super::item::item_of(frame, index);
        }
        let mut codes = match (&state.kind, stage) {
            (StateKind::Choice(choice), None) => {
                let bindings = machine.inspect(frame, &documents.data);
                asked_last(&choice.rules, &bindings)
            }
            _ => codes(state, *stage),
        };
        if let Some(Stage::Output) = stage {
            let assign = state.assign_by(Owner::State);
            let assign = assign.and_then(|step| state.compiled(step.field));
            codes.extend(assign.into_iter().flat_map(codes_of));
        }
        let missing = codes.into_iter().find_map(|code| {
            let mut reads = documents.reads(code).into_iter();
            reads.find(|read| {
                let value = documents.value(&read.base);
                value.is_none_or(|value| read.at.get(&value).is_none())
            })
        })?;
        Some((documents, missing.base, missing.at))
    }

    /// What a frame's failed expression read, as far as it is there; `event` is the one that is looked at.
    pub fn read_by_failed(&self, machine: &Machine, frame: &Frame, event: u64) -> Vec<Site> {
        let own = || {
            let (fault, stage) = frame.visit.fault.as_ref()?;
            let state = self
                .state(frame.visit.state)
                .filter(|_| !fault.from_branch)?;
            let here = Site::stage(event, frame.id, Stage::Input, Pointer::root());
            if state.language != QueryLanguage::Jsonata {
                let before = before(state, *stage);
                let documents = Documents::of(self, machine, frame, &here, before);
                let codes = codes(state, *stage).into_iter();
                let reads = codes.flat_map(|code| documents.reads(code));
                let places = reads.map(|read| documents.place(&read.base, read.at));
                return Some(places.collect());
            }
            let at = pointer_of(frame.visit.failed_at()?);
            let node = at.0.iter().try_fold(self.node(state.span)?, inside)?;
            let text = jsonata::inner(node.as_str()?)?;
            let documents = Documents::of(self, machine, frame, &here, Stage::Input);
            let paths = jsonata::paths(text).into_iter();
            let places = paths.filter_map(|names| {
                let (base, names) = base_of(&names)?;
                let steps = names.iter().map(|name| Step::Member(name.as_str().into()));
                Some(documents.place(&base, Pointer(steps.collect())))
            });
            Some(places.collect())
        };
        own().unwrap_or_default()
    }

    fn missing_in_jsonata<'m>(
        &'m self,
        machine: &'m Machine,
        frame: &'m Frame,
        state: &State,
        here: &Site,
    ) -> Option<(Documents<'m>, Base, Pointer)> {
        let at = pointer_of(frame.visit.failed_at()?);
        let node = at.0.iter().try_fold(self.node(state.span)?, inside)?;
        let text = jsonata::inner(node.as_str()?)?;
        let variables = jsonata::variables(text);
        let documents = self.documents_of(machine, frame, here, Stage::Input);
        let unset = jsonata::paths(text).into_iter().find_map(|names| {
            let (base, names) = base_of(&names)?;
            // What the expression itself binds is no variable of the run.
            let unset = matches!(&base, Base::Variable(name) if variables.contains(name));
            let steps = names.iter().map(|name| Step::Member(name.as_str().into()));
            let is_unset = unset && documents.value(&base).is_none();
            is_unset.then(|| (base, Pointer(steps.collect())))
        });
        let (base, at) = unset.or_else(|| documents.lacks(text).into_iter().next())?;
        Some((documents, base, at))
    }

    /// What a failed expression reads, as an item's where it is one of an ItemSelector.
    pub(super) fn documents_of<'m>(
        &'m self,
        machine: &'m Machine,
        frame: &'m Frame,
        here: &Site,
        stage: Stage,
    ) -> Documents<'m> {
        let mut documents = Documents::of(self, machine, frame, here, stage);
        if let Some(index) = frame.visit.item_to_select() {
            documents.item = super::item::item_of(frame, index);
        }
        documents
    }
}

/// The stage that the fields read whose fault arose in a stage, or in the work.
pub(super) fn before(state: &State, stage: Option<Stage>) -> Stage {
    let step = match stage {
        Some(Stage::Input) | None => state.work_steps().next(),
        Some(stage) => state.step(stage),
    };
    step.and_then(StageStep::reads)
        .unwrap_or(Stage::AfterInputPath)
}

/// What stands at one step further in.
pub(super) fn inside<'n>(node: &'n Node, step: &Step) -> Option<&'n Node> {
    match step {
        Step::Member(name) => node.get(name),
        Step::Item(index) => node.items()?.get(*index),
    }
}

/// What is evaluated for a stage of a JSONPath state, in order; what the work needs is evaluated behind Parameters.
pub(super) fn codes(state: &State, stage: Option<Stage>) -> Vec<Code<'_>> {
    let made = stage.and_then(|stage| state.step(stage));
    let with_work = matches!(
        (stage, &state.kind),
        (Some(Stage::Input | Stage::AfterParameters), _) | (None, StateKind::Wait(_))
    );
    let work = state.work_steps().filter(|_| with_work);
    let compiled = made.into_iter().chain(work);
    let compiled = compiled.filter_map(|step| state.compiled(step.field));
    compiled.flat_map(codes_of).collect()
}

/// The expressions of a field in JSONPath, or the one in JSONata that it is as a whole.
fn codes_of(compiled: Compiled<'_>) -> Vec<Code<'_>> {
    match compiled {
        Compiled::Select(PathField::Path(path)) | Compiled::Path(path) => vec![Code::Path(path)],
        Compiled::Expression(expression) => vec![Code::Expression(expression)],
        Compiled::Evaluated(expression) => vec![Code::Jsonata(expression)],
        Compiled::Template(template) => {
            let all = template.expressions().into_iter();
            all.map(|(_, expression)| Code::Expression(expression))
                .collect()
        }
        Compiled::Select(_)
        | Compiled::Jsonata(_)
        | Compiled::Insert(_)
        | Compiled::Literal(_)
        | Compiled::Test(_) => Vec::new(),
    }
}

/// The computed fields that limit a Task or a Map, in the order in which they are evaluated.
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

/// What the test reads that ends a choice with an error.
fn asked_last<'r>(rules: &'r [Rule], bindings: &dyn Bindings) -> Vec<Code<'r>> {
    let Some((_, Test::Compare(one))) = failing(rules, bindings) else {
        return Vec::new();
    };
    let operand = match &one.operand {
        Operand::Path(path) => Some(Code::Path(path)),
        _ => None,
    };
    std::iter::once(Code::Path(&one.variable))
        .chain(operand)
        .collect()
}
