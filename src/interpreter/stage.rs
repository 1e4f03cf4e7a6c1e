//! The stages of a state's data: how each stage is computed from the stages before it.

use super::evaluate::{Beside, Seen};
use super::event::{Edge, EventKind, FrameId, Stage};
use super::fault::{Difference, Fault, OnAws};
use super::frame::Frame;
use super::machine::{FrameBindings, Machine};
use super::reason::{Entered, ItemsFrom, Reason};
use super::run::Run;
use super::visit::{ATTEMPTS_KEPT, Attempt, Phase};
use crate::definition::{
    Compiled, FieldAt, Makes, Map, MapMode, PathField, QueryLanguage, ResultPath, Source,
    StageGroup, State, StateKind,
};
use crate::json::{Text, Value};
use crate::query::{Evaluate, Path, Profile, QueryError, jsonata};
use std::sync::{Arc, LazyLock};

impl Machine {
    /// Performs the next phase of a frame.
    pub(super) fn advance(&mut self, run: &Run, id: FrameId) {
        let Some(frame) = self.frame(id) else {
            return self.unready(id);
        };
        let (phase, at) = (frame.visit.phase, frame.visit.state);
        let Some(state) = run.definition.state(at) else {
            debug_assert!(
                false,
                "frame {id:?} is in state {at:?}, which the definition does not have"
            );
            return self.unready(id);
        };
        let done = match phase {
            Phase::Enter => self.enter(id, state),
            Phase::Stage(stage) => self.stage(id, state, stage),
            Phase::Work => self.work(id, state),
            Phase::Read => self.read_items(id, state),
            Phase::Batch => self.batch_items(id, state),
            Phase::Write => self.write_results(id, state),
            Phase::MapRunEnd => self.map_run_ends(id),
            Phase::Spawn => self.spawn(id, state),
            Phase::Join => self.join(id, state),
            Phase::Complete => self.complete(id, state),
            Phase::Exit => self.exit(id, state),
            Phase::Leave => self.leave(id, state),
            Phase::Handle => self.handle(id, state),
            Phase::Retry => self.retry(id, state),
            Phase::Fail => self.fail(id),
            Phase::Parked | Phase::Ended => {
                self.unready(id);
                Ok(())
            }
        };
        if let Err((fault, stage)) = done {
            self.raise(id, fault, stage);
        }
    }

    /// Records a fault in a frame; Retry and Catch are tried next.
    pub(super) fn raise(&mut self, id: FrameId, fault: Fault, stage: Option<Stage>) {
        self.with(id, |frame| frame.visit.fault = Some((fault, stage)));
        self.end_attempt(id);
        self.wake(id, Phase::Handle);
    }

    fn enter(&mut self, id: FrameId, state: &State) -> Done {
        if self.is_put_off(id) {
            return Ok(());
        }
        self.transitions += 1;
        let now = self.now();
        let position = |frame: &Frame| self.run().position(frame.visit.state) as usize;
        let place = self.frame(id).map_or(0, position);
        self.with(id, |frame| {
            if frame.visit_counts.len() <= place {
                frame.visit_counts.resize(place + 1, 0);
            }
            if let Some(count) = frame.visit_counts.get_mut(place) {
                *count = count.saturating_add(1);
            }
            frame.visit.entered_at = now;
            let retriers = &mut frame.visit.retriers;
            retriers.resize(state.retry.len(), Default::default());
            frame.visit.phase = phase_after(Stage::Input, Some(state));
        });
        let recorded = self.entered_id(id);
        self.push_history_and(id, EventKind::StateEntered, 0, |frame| {
            frame.visit.entered_id = recorded.unwrap_or(frame.last_id);
        });
        self.prepare_token(id, state);
        // If the recorded execution failed before the work began, the state fails here.
        if let Some(raised) = self.followed_fault(id, false) {
            return Err(raised);
        }
        match &state.broken {
            Some(why) => Err(self.own_fault(id, Reason::Broken(why.clone()), None)),
            None => Ok(()),
        }
    }

    pub(super) fn begin_attempt(&mut self, id: FrameId) {
        let now = self.now();
        self.with(id, |frame| {
            let number = frame.visit.attempt;
            let attempts = &mut frame.visit.attempts;
            if attempts.len() >= ATTEMPTS_KEPT {
                attempts.remove(0);
            }
            attempts.push(Attempt {
                number,
                started: now,
                ended: None,
                error: None,
            });
        });
    }

    /// Records that the current attempt has ended. An error before the state's work counts as an attempt of its own.
    pub(super) fn end_attempt(&mut self, id: FrameId) {
        let now = self.now();
        let works = self.kind_of(id).is_some_and(has_work);
        let is_begun = |frame: &Frame| {
            let last = frame.visit.attempts.last();
            last.is_some_and(|last| last.number == frame.visit.attempt)
        };
        let fails = self.frame(id).filter(|frame| frame.visit.fault.is_some());
        if fails.is_some_and(|frame| works && !is_begun(frame)) {
            self.begin_attempt(id);
        }
        self.with(id, |frame| {
            let fault = frame.visit.fault.as_ref();
            let error = fault.map(|(fault, _)| fault.error.clone().unwrap_or_default());
            if let Some(last) = frame.visit.attempts.last_mut() {
                last.ended.get_or_insert(now);
                last.error = last.error.take().or(error);
            }
        });
    }

    /// Computes a stage from its field. The field is applied to the document that the stage starts from, or to the
    /// value that the state's call, branches or items have stored for the stage.
    fn stage(&mut self, id: FrameId, state: &State, stage: Stage) -> Done {
        let next = phase_after(stage, Some(state));
        let Some(step) = state.step(stage) else {
            self.set_phase(id, next);
            return Ok(());
        };
        match (stage, state.language) {
            (Stage::AfterItemsPath, QueryLanguage::JsonPath) => return self.items_path(id, state),
            (Stage::AfterItemsPath, QueryLanguage::Jsonata) => return self.items(id, state),
            (Stage::Output, QueryLanguage::Jsonata) => return self.output(id, state),
            _ => {}
        }
        let compiled = step.written.and_then(|_| state.compiled(step.field));
        if let Some(Compiled::Jsonata(template)) = compiled {
            return self.jsonata_stage(id, template, stage, next);
        }
        let Some(frame) = self.frame(id) else {
            return Ok(());
        };
        // If the stage has no other document to start from, it starts from the value that the state's work, such as the
        // task, has stored for it.
        let source = step.otherwise.unwrap_or(Source::Stage(stage));
        let document = frame.visit.document(source).unwrap_or_default();
        let value = match compiled {
            Some(Compiled::Select(path)) => match (path, &*WHOLE, &document) {
                // An explicit path `$` is evaluated like any other path.
                (PathField::Whole, Some(whole), Value::Null) => {
                    self.query(frame, step.field, &document, whole)?
                }
                _ => self.path_field(frame, step.field, path, document)?,
            },
            Some(Compiled::Template(template)) => {
                self.query(frame, step.field, &document, template)?
            }
            Some(Compiled::Insert(path)) => {
                let input = frame.visit.data.latest(Stage::Input);
                insert(path, &input, document)
                    .map_err(|error| self.refused(frame, step.field, error))?
            }
            Some(Compiled::Literal(value)) => value.clone(),
            _ => document,
        };
        if stage == Stage::Output {
            self.check_payload(id, state, &value, stage)?;
        }
        let written = match compiled {
            Some(Compiled::Select(path)) => !is_whole(path),
            Some(Compiled::Insert(path)) => !matches!(path, ResultPath::Replace),
            Some(_) => true,
            None => step.otherwise.is_none(),
        };
        self.put(id, stage, value, written, next)
    }

    /// Computes a stage from a template of JSONata expressions, as soon as the expressions are evaluated.
    fn jsonata_stage(
        &mut self,
        id: FrameId,
        template: &jsonata::Template,
        stage: Stage,
        next: Phase,
    ) -> Done {
        let expressions = || template.expressions().to_vec();
        let Some(mut results) = self.evaluate(id, expressions, Beside::default()) else {
            return Ok(());
        };
        let value = self.fill(id, template, &mut results, stage)?;
        self.put(id, stage, value, true, next)
    }

    fn items_path(&mut self, id: FrameId, state: &State) -> Done {
        let Some(frame) = self.frame(id) else {
            return Ok(());
        };
        let StateKind::Map(map) = &state.kind else {
            return Ok(());
        };
        if map.reader.is_some() {
            self.set_phase(id, Phase::Work);
            return Ok(());
        }
        let stage = Stage::AfterItemsPath;
        if let Some(items) = self.followed(id).and_then(|followed| followed.items) {
            let items = (0..items.min(100_000)).map(|_| Value::Null).collect();
            return self.put(id, stage, Value::array(items), false, Phase::Work);
        }
        let input = frame.visit.data.latest(Stage::AfterInputPath);
        let field = FieldAt::state("ItemsPath");
        let value = self.path_field(frame, field, &map.items_path, input)?;
        let written = !is_whole(&map.items_path);
        let members = written && self.takes_members(map, &value, Difference::MembersAsItems);
        if !value.is_array() && !members {
            let path = match &map.items_path {
                PathField::Path(path) => path.text().into(),
                _ => "$".into(),
            };
            let reason = Reason::NotItems {
                from: ItemsFrom::Path(path),
                value: crate::query::abridged(&value, 60).into(),
            };
            return Err(self.own_fault(id, reason, Some(stage)));
        }
        self.put(id, stage, value, written, Phase::Work)
    }

    /// True if a Map takes the members of an object as its items. On AWS, only a DISTRIBUTED Map was observed to do so.
    pub(super) fn takes_members(&self, map: &Map, value: &Value, differs: Difference) -> bool {
        let inline = map.mode == MapMode::Inline;
        let takes = value.as_object().is_some() && (!inline || self.profile() == Profile::Spec);
        if takes && inline {
            self.diverge(differs);
        }
        takes
    }

    fn exit(&mut self, id: FrameId, state: &State) -> Done {
        let Some(frame) = self.frame(id) else {
            return Ok(());
        };
        let edge = frame.visit.edge.unwrap_or(match state.is_terminal() {
            true => Edge::End,
            false => Edge::Next,
        });
        let assigned = match state.language {
            QueryLanguage::JsonPath => self.assigned(frame, state, edge)?,
            QueryLanguage::Jsonata => frame.visit.assigned.clone(),
        };
        let assigned = self.assigned_there(id, assigned);
        let Some(frame) = self.frame(id) else {
            return Ok(());
        };
        for (name, value) in &assigned {
            self.check_bounds(value, name, Stage::Output)?;
        }
        self.check_variables(frame, &assigned)?;
        if !assigned.is_empty() {
            let variables = Arc::new(frame.variables.with(&assigned));
            let count = u32::try_from(assigned.len()).unwrap_or(u32::MAX);
            self.with(id, |frame| {
                frame.visit.read = Some(std::mem::replace(&mut frame.variables, variables));
                frame.visit.assigned = assigned;
            });
            self.push(id, EventKind::Assigned, count, true);
        }
        self.push_history_and(id, EventKind::StateExited, edge.to_arg(), |frame| {
            frame.visit.edge = Some(edge);
            frame.visit.phase = Phase::Leave;
        });
        Ok(())
    }

    /// Variables assigned by the state, rule or catcher. They are computed from the variables at the entry of the state
    /// (4.4).
    fn assigned(
        &self,
        frame: &Frame,
        state: &State,
        edge: Edge,
    ) -> Result<Vec<(Text, Value)>, Raised> {
        let step = state.assign_by(edge.owner());
        let step = step.and_then(|step| Some((step, state.compiled(step.field)?)));
        let Some((step, Compiled::Template(template))) = step else {
            return Ok(Vec::new());
        };
        let document = frame.visit.document(step.dollar).unwrap_or_default();
        let value = self.query(frame, step.field, &document, template)?;
        Ok(members_of(&value))
    }

    /// Sets the value of a stage, emits the event and moves to the next phase.
    pub(super) fn put(
        &mut self,
        id: FrameId,
        stage: Stage,
        value: Value,
        written: bool,
        next: Phase,
    ) -> Done {
        self.put_of(id, (stage, 0), value, written, next)
    }

    /// Like `put`, for the item with this index; `u32::MAX` means all items.
    pub(super) fn put_of(
        &mut self,
        id: FrameId,
        (stage, item): (Stage, u32),
        value: Value,
        written: bool,
        next: Phase,
    ) -> Done {
        let repeats = self.repeats_execution();
        let value = match repeats {
            true => self.as_recorded(id, stage, value),
            false => value,
        };
        if repeats && stage == Stage::Output {
            if let Some(raised) = self.followed_fault(id, true) {
                return Err(raised);
            }
            if self.followed(id).is_some_and(|followed| followed.is_open) {
                // Nothing more of this visit was recorded, so the frame waits.
                self.park(id);
                return Ok(());
            }
        }
        // Items from a file are limited when they are read, so the run's limit on values does not apply to them.
        let is_read = |frame: &Frame| frame.visit.source.is_some();
        if stage != Stage::AfterItemsPath || !self.frame(id).is_some_and(is_read) {
            self.check_bounds(&value, stage.name(), stage)?;
        }
        let bytes = value.size();
        let made = self.with(id, |frame| {
            // Small values always count as new: comparing them would cost more than counting them twice.
            let passes = bytes > 1024 && frame.visit.data.iter().any(|before| before.same(&value));
            frame.visit.data.set(stage, value);
            frame.visit.phase = next;
            if passes { 0 } else { bytes }
        });
        self.made = self.made.saturating_add(made.unwrap_or(0));
        self.push(id, EventKind::Stage(stage), item, written);
        Ok(())
    }

    fn path_field(
        &self,
        frame: &Frame,
        field: FieldAt,
        path: &PathField,
        document: Value,
    ) -> Result<Value, Raised> {
        match path {
            PathField::Whole => Ok(document),
            PathField::Null => Ok(Value::empty_object()),
            PathField::Path(path) => self.query(frame, field, &document, path),
        }
    }

    /// Evaluates a JSONPath field with this document as `$`.
    pub(super) fn query(
        &self,
        frame: &Frame,
        field: FieldAt,
        document: &Value,
        code: &dyn Evaluate,
    ) -> Result<Value, Raised> {
        let bindings = self.bindings(frame, document);
        let given = self.evaluated(frame.id, field, &bindings, code);
        given.map_err(|error| self.refused(frame, field, error))
    }

    /// Evaluates a JSONPath field. Every evaluation of a JSONPath field calls this function.
    pub(super) fn evaluated(
        &self,
        id: FrameId,
        field: FieldAt,
        bindings: &FrameBindings<'_>,
        code: &dyn Evaluate,
    ) -> Result<Value, QueryError> {
        if !self.is_looked_at(id) {
            return code.eval(bindings);
        }
        let (given, trace) = code.trace(bindings);
        self.note_look(bindings.item(), Seen::Field(field, trace));
        given
    }

    /// The fault of a JSONPath field that cannot be evaluated.
    pub(super) fn refused(&self, frame: &Frame, field: FieldAt, error: QueryError) -> Raised {
        let stage = self.stage_of(frame, field);
        let field = Some(field);
        let reason = Reason::Query { field, error };
        let (mut fault, stage) = self.own_fault(frame.id, reason, Some(stage));
        if let Some(difference) = self
            .divergence
            .take()
            .filter(|difference| difference.goes_on())
        {
            fault.aws = Some(OnAws::GoesOn(difference));
        }
        (fault, stage)
    }

    /// The stage for which a field of the frame's state is evaluated. For a field that only the state's work uses:
    /// AfterParameters.
    fn stage_of(&self, frame: &Frame, field: FieldAt) -> Stage {
        let state = self.state_of(frame);
        let makes = state.and_then(|state| state.step_of(field));
        match (makes.map(|step| step.makes), state.map(|state| &state.kind)) {
            (Some(Makes::Stage(stage)), _) => stage,
            (Some(Makes::Assign), _) => Stage::Output,
            (_, Some(StateKind::Fail(_))) => Stage::Input,
            _ => Stage::AfterParameters,
        }
    }

    /// A fault that the interpreter raises, with AWS's prefix.
    pub(super) fn own_fault(&self, id: FrameId, reason: Reason, stage: Option<Stage>) -> Raised {
        let frame = self.frame(id).filter(|_| !self.run().header.tests_state);
        let entered = frame.and_then(|frame| {
            Some(Entered {
                state: &self.state_of(frame)?.name,
                event: frame.visit.entered_id,
            })
        });
        (Fault::raised(self.profile(), reason, entered), stage)
    }
}

/// A fault, and the stage in which it occurred; `None` for a fault of the state's work.
pub(super) type Raised = (Fault, Option<Stage>);
/// Result of a phase: completed or failed.
pub(super) type Done = Result<(), Raised>;

/// Applies `ResultPath` to a raw input and a result.
pub(super) fn insert(path: &ResultPath, input: &Value, result: Value) -> Result<Value, QueryError> {
    match path {
        ResultPath::Replace => Ok(result),
        ResultPath::Discard => Ok(input.clone()),
        ResultPath::Insert(reference) => reference.insert(input, result),
    }
}

/// The path `$`.
static WHOLE: LazyLock<Option<Path>> = LazyLock::new(|| Path::parse("$").ok());

/// The variables that the value of an Assign sets.
pub(super) fn members_of(value: &Value) -> Vec<(Text, Value)> {
    let members = value.as_object().map(|object| object.members());
    members.unwrap_or_default().to_vec()
}

/// True for the types of states that have work (a task, branches or items), to which Retry can apply.
pub(super) fn has_work(kind: &StateKind) -> bool {
    matches!(
        kind,
        StateKind::Task(_) | StateKind::Map(_) | StateKind::Parallel { .. }
    )
}

fn is_whole(field: &PathField) -> bool {
    matches!(field, PathField::Whole)
}

/// Returns the next action of a frame after `stage` of its state is complete: the next stage or, if that would be the
/// result, the work.
pub(super) fn phase_after(stage: Stage, state: Option<&State>) -> Phase {
    let next = state.and_then(|state| state.stage_after(stage));
    match (stage, next) {
        (Stage::AfterItemReader, _) => Phase::Read,
        (Stage::AfterBatchInput | Stage::AfterItemSelector, _) => Phase::Batch,
        // The AfterItemReader stage is not computed yet: the items are read when the work begins.
        (_, Some(Stage::AfterItemReader)) => Phase::Stage(Stage::AfterItemsPath),
        (_, Some(next)) if next.group() == StageGroup::Effective => Phase::Stage(next),
        _ if stage < Stage::Result => Phase::Work,
        (_, Some(next)) => Phase::Stage(next),
        (_, None) => Phase::Exit,
    }
}
