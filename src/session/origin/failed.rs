//! Finds the origin of an error that the interpreter raised itself: the field that failed, and the values that it read.

use super::document::{Code, Documents};
use super::expression::{FieldAt, member, nothing};
use super::history::{Moment, Past, Unseen};
use super::provenance::{failed, lacking};
use super::{Hop, Note, Root, Site, Write};
use crate::definition::{
    Comparison, Compiled, ResultPath, Rule, StageStep, State, StateId, StateKind, Test,
};
use crate::interpreter::{EventKind, Fault, Frame, FrameId, Origin, Reason, Stage};
use crate::json::{Pointer, Step};
use crate::query::QueryError;
use crate::query::trace::{Miss, Spot};
use crate::session::fault::fault_view;
use crate::session::note::EXCEEDED;
use crate::session::place::TOLERANCES;
use crate::session::written::node_in;
use crate::source::{Node, Span};

impl Past<'_> {
    /// One step back in the search for an origin: goes from an error that the interpreter raised in a frame to the
    /// field that failed. `error_site` is the place of the error. `None` if the error does not depend on values that
    /// the state read.
    pub(super) fn failed(&self, error_site: &Site, run: Moment<'_>, frame: &Frame) -> Option<Hop> {
        let machine = run.machine;
        let (fault, stage) = frame.visit.fault.as_ref()?;
        let view = fault_view(machine, frame, Some(self.server))?;
        let id = frame.visit.state;
        let state = self.state(id)?;
        if fault.name() == EXCEEDED {
            let from = self
                .visit(error_site.frame, error_site.event)
                .map_or(0, |visit| visit.attempt);
            let reads = self.failed_children(error_site.frame, from, error_site.event);
            let field = self.tolerance(id);
            let write = field.failed(error_site.clone(), &view.finding.whole().brief(), reads);
            return (!write.reads.is_empty()).then(|| Hop::Written(Box::new(write)));
        }
        let (field, written) = self.field_of(id, state, view.span);
        // For an expired time limit, the reason also says how long the answer took.
        let took = view.because.first().filter(|_| passed(fault));
        let took = took.map_or_else(String::new, |took| format!("; {took}"));
        let why = format!("{}{took}", view.finding.whole().brief());
        let mut write = field.failed(error_site.clone(), &why, Vec::new());
        write.member = member(&written);
        let whole = state.field(&field.name).map(|field| field.value);
        let node = whole.and_then(|span| self.node(span));
        let node = node.and_then(|node| node_in(node, &written));
        write.expression = node.and_then(Node::as_str).map(Into::into);
        // Names the field `Catch[0].ResultPath` instead of Catch.
        if let Some(member) = write.member.take_if(|member| member.starts_with('[')) {
            write.field = format!("{}{member}", write.field).into();
        }
        match self.lack(run, frame, error_site) {
            Ok(Some((documents, lack))) => {
                let root = nothing(&documents, &lack.base, lack.at, error_site.event);
                return Some(Hop::Last(Box::new(write), root));
            }
            Ok(None) => {}
            Err(unseen) => return Some(unseen.into()),
        }
        let limit = limits(state).find(|(name, _)| *field.name == **name);
        let refused = match limit {
            Some((_, code)) => {
                let documents = self.documents_of(run, frame, error_site, Stage::AfterInputPath);
                match read(&documents, &[code]) {
                    Ok(read) => Some(read),
                    Err(unseen) => return Some(unseen.into()),
                }
            }
            None if passed(fault) => Some(Vec::new()),
            None => match self.refused(error_site, run, frame, state, *stage) {
                Ok(refused) => refused,
                Err(unseen) => return Some(unseen.into()),
            },
        };
        write.reads = refused?;
        Some(match write.reads.is_empty() {
            true => {
                let span = write.span;
                Hop::Last(Box::new(write), Root::Literal(span))
            }
            false => Hop::Written(Box::new(write)),
        })
    }

    /// The places that the failed field read; `None` if they are not known.
    fn refused(
        &self,
        error_site: &Site,
        run: Moment<'_>,
        frame: &Frame,
        state: &State,
        stage: Option<Stage>,
    ) -> Result<Option<Vec<Site>>, Unseen> {
        let catcher = frame.visit.failed_catcher();
        let catcher = catcher.and_then(|place| state.catch.get(place));
        let merged = match (catcher, stage) {
            (Some(catcher), _) => Some(&catcher.result_path),
            (None, Some(Stage::AfterResultPath)) => Some(&state.result_path),
            _ => None,
        };
        if let Some(ResultPath::Insert(path)) = merged {
            return Ok(Some(vec![parent(error_site, frame, path.steps())]));
        }
        let documents = self.documents_of(run, frame, error_site, before(state, stage));
        if let (StateKind::Choice(choice), None, None) =
            (&state.kind, stage, frame.visit.failed_at())
        {
            let mut codes: Vec<Code<'_>> = Vec::new();
            for rule in &choice.rules {
                codes.extend(match &rule.test {
                    Test::Condition(condition) => Some(Code::Jsonata(condition)),
                    _ => None,
                });
                let all = rule.test.comparisons().into_iter();
                codes.extend(all.map(|comparison| Code::Path(&comparison.variable)));
            }
            return Ok(Some(read(&documents, &codes)?));
        }
        let traces = documents.traced()?;
        let fault = frame.visit.fault.as_ref().map(|(fault, _)| &*fault.reason);
        let expression = match fault {
            Some(Reason::Evaluation { expression, .. } | Reason::WrongType { expression, .. }) => {
                Some(&**expression)
            }
            _ => None,
        };
        let code = expression.map(Code::Jsonata);
        let trace = match expression {
            Some(expression) => traces.expression(expression, None),
            None => traces.last_field(),
        };
        Ok(trace.map(|trace| failed(&documents, code, trace)))
    }

    /// The places of the errors of all items of a Map that failed between two events; the item that failed last comes
    /// first.
    fn failed_children(&self, parent: FrameId, from: u64, to: u64) -> Vec<Site> {
        let mut before = to;
        let mut all = Vec::new();
        while let Some((child, ended)) = self.timeline().failed_child(parent, from + 1, before) {
            all.push(self.uncaught(child, ended));
            before = ended.saturating_sub(1);
        }
        all
    }

    /// The place of the error with which a branch or item ended.
    pub(super) fn uncaught(&self, child: FrameId, ended: u64) -> Site {
        let last = (self.timeline()).last_of(child, ended, EventKind::Uncaught);
        Site::error(last.unwrap_or(ended), child)
    }

    /// The field of a state that contains a source location, and the position of the location within the field's value.
    fn field_of(&self, id: StateId, state: &State, span: Option<Span>) -> (FieldAt, Pointer) {
        let found_field = span.and_then(|span| {
            let mut fields = state.fields.iter();
            let field = fields.find(|field| field.value.holds(span))?;
            let mut node = self.node(field.value)?;
            let mut at = Pointer::root();
            loop {
                let members = node.members().into_iter().flatten();
                let members =
                    members.map(|member| (Step::Member((&*member.key.text).into()), &member.value));
                let items = node.items().into_iter().flatten().enumerate();
                let items = items.map(|(place, item)| (Step::Item(place), item));
                let mut below = members.chain(items);
                match below.find(|(_, node)| node.span.holds(span)) {
                    Some((step, below)) => {
                        at.0.push(step);
                        node = below;
                    }
                    None => break,
                }
            }
            Some((field.name.clone(), at))
        });
        let (name, at) = found_field.unwrap_or_else(|| (state.type_name().into(), Pointer::root()));
        let span = span.or(Some(state.name_span));
        (
            FieldAt {
                state: id,
                name,
                span,
            },
            at,
        )
    }

    /// The field of a Map that sets how many failures it tolerates, such as ToleratedFailureCount; the Map itself if
    /// there is no such field.
    fn tolerance(&self, id: StateId) -> FieldAt {
        let state = self.state(id);
        let is_written = |name: &&str| state.is_some_and(|state| state.field(name).is_some());
        let written = TOLERANCES.into_iter().find(is_written);
        match written {
            Some(name) => FieldAt::of(self, id, name),
            None => FieldAt {
                state: id,
                name: "tolerance of failures".into(),
                span: state.map(|state| state.name_span),
            },
        }
    }
}

impl FieldAt {
    /// Creates a write that puts the error at the place `to`, because this field failed; `why` is the reason of the
    /// failure.
    fn failed(&self, to: Site, why: &str, reads: Vec<Site>) -> Write {
        Write {
            reads,
            note: Some(Note::Failed(why.into())),
            ..self.write(to)
        }
    }
}

/// True if the error is that a time limit expired.
fn passed(fault: &Fault) -> bool {
    matches!(fault.origin, Origin::Timeout | Origin::Heartbeat)
}

/// The deepest existing value in the raw input along a failed ResultPath. That value cannot have the next member of the
/// path.
fn parent(error_site: &Site, frame: &Frame, path: &[Step]) -> Site {
    let input = frame.visit.data.latest(Stage::Input);
    let holds = |count: &usize| {
        let above = Pointer(path.get(..*count).unwrap_or_default().to_vec());
        above.get(&input).is_some()
    };
    let deepest = (0..path.len()).rev().find(holds).unwrap_or(0);
    let at = Pointer(path.get(..deepest).unwrap_or_default().to_vec());
    Site::stage(error_site.event, error_site.frame, Stage::Input, at)
}

/// The places with a value that these expressions read, without duplicates.
fn read(documents: &Documents<'_>, codes: &[Code<'_>]) -> Result<Vec<Site>, Unseen> {
    let mut sites: Vec<Site> = Vec::new();
    for code in codes {
        for spot in documents.spots(*code)? {
            let value = documents.value(&spot.base);
            let has_value = value.is_some_and(|value| spot.at.get(&value).is_some());
            let site = documents.place(&spot.base, spot.at);
            if has_value && !sites.contains(&site) {
                sites.push(site);
            }
        }
    }
    Ok(sites)
}

impl Past<'_> {
    /// If the field failed because it found no value: the position in a document at which the value is missing, and the
    /// documents that the field read. `error_site` is the place of the error.
    ///
    /// # Errors
    ///
    /// If the traces of the evaluation have not been recorded: a request to record them.
    pub(super) fn lack<'m>(
        &'m self,
        run: Moment<'m>,
        frame: &'m Frame,
        error_site: &Site,
    ) -> Result<Option<(Documents<'m>, Spot)>, Unseen> {
        let Some((fault, stage)) = frame.visit.fault.as_ref() else {
            return Ok(None);
        };
        let Some(state) = self.state(frame.visit.state).filter(|_| !fault.from_branch) else {
            return Ok(None);
        };
        let documents = self.documents_of(run, frame, error_site, before(state, *stage));
        let lack = match (&*fault.reason, &state.kind) {
            // The whole document is null. A null document is not a missing value.
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

    /// The documents that the failed field can read, with the traces of its evaluation. In JSONPath, `$` is the data of
    /// `stage`.
    pub(super) fn documents_of<'m>(
        &'m self,
        run: Moment<'m>,
        frame: &'m Frame,
        error_site: &Site,
        stage: Stage,
    ) -> Documents<'m> {
        let is_jsonata = frame.visit.failed_at().is_some();
        let stage = if is_jsonata { Stage::Input } else { stage };
        let mut documents = Documents::of(self, run.machine, frame, error_site, stage);
        documents.item = frame.visit.item_to_select();
        let raised = self.last(error_site, |kind| kind == EventKind::ErrorRaised);
        documents.made = raised.unwrap_or(error_site.event);
        documents.traces = run.traces;
        documents
    }
}

/// Finds the path with this text in the comparisons of Choice rules, and returns the position that the path names.
fn compared(rules: &[Rule], path: &str) -> Option<Spot> {
    let comparisons = rules.iter().flat_map(|rule| rule.test.comparisons());
    let mut named = comparisons
        .flat_map(Comparison::paths)
        .filter(|candidate| candidate.text() == path);
    named.find_map(|path| super::document::named(Code::Path(path)).into_iter().next())
}

/// Returns the stage whose data the failed field read as `$`. `stage` is the stage that the field should have produced;
/// `None` if the work of the state failed.
pub(super) fn before(state: &State, stage: Option<Stage>) -> Stage {
    let step = match stage {
        Some(Stage::Input) | None => state.work_steps().next(),
        Some(stage) => state.step(stage),
    };
    step.and_then(StageStep::reads)
        .unwrap_or(Stage::AfterInputPath)
}

/// Computed fields that limit a Task or Map, such as TimeoutSecondsPath, with their paths or expressions, in the order
/// of evaluation.
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
