//! The work of Parallel and Map: runs their branches or items side by side and collects the results in order.

use super::number_field;
use crate::definition::{FieldAt, Map, MapMode, Owner, Quantity, ScopeId, State, StateKind};
use crate::interpreter::children::{Group, GroupWork, Item, Slot, Slots};
use crate::interpreter::evaluate::Beside;
use crate::interpreter::event::{EventKind, FrameId, Stage};
use crate::interpreter::frame::{Begun, Frame, Variables};
use crate::interpreter::machine::Machine;
use crate::interpreter::reason::{Given, ItemsFrom, Needs, Reason};
use crate::interpreter::stage::{Done, Raised};
use crate::interpreter::visit::Phase;
use crate::json::{Number, Value};
use crate::query::Path;
use std::collections::VecDeque;
use std::sync::Arc;

/// Approximate number of iterations of an INLINE Map that AWS runs at once.
const INLINE_LIMIT: u32 = 40;
/// Maximum number of items that a DISTRIBUTED Map runs at once in this interpreter; AWS starts up to 10,000.
const DISTRIBUTED_LIMIT: u32 = 1000;

impl Machine {
    pub(super) fn start_branches(&mut self, id: FrameId, branches: &[ScopeId]) -> Done {
        let Some(frame) = self.frame(id) else {
            return Ok(());
        };
        let total = u32::try_from(branches.len()).unwrap_or(u32::MAX);
        let input = frame.visit.data.latest(Stage::AfterArguments);
        self.begin_attempt(id);
        self.start_group(
            id,
            GroupWork::Branches(input),
            total,
            total.max(1),
            None,
            None,
        );
        self.push_history(id, EventKind::ParallelStarted, total);
        Ok(())
    }

    pub(super) fn start_items(&mut self, id: FrameId, map: &Map) -> Done {
        if map.mode == MapMode::Distributed && self.runs_as_recorded(id) {
            return Ok(());
        }
        let Some(frame) = self.frame(id) else {
            return Ok(());
        };
        let read = frame.visit.data.get(Stage::AfterItemsPath).is_some();
        if map.reader.is_some() && !read {
            self.set_phase(id, Phase::Read);
            return Ok(());
        }
        let batches = frame.visit.batches().cloned();
        if map.batcher.is_some() && batches.is_none() {
            self.set_phase(id, Phase::Batch);
            return Ok(());
        }
        let limit = self.concurrency(frame, map)?;
        let items = batches.unwrap_or_else(|| frame.visit.data.latest(Stage::AfterItemsPath));
        let Some(work) = GroupWork::of(&items) else {
            let reason = Reason::NotItems {
                from: ItemsFrom::Edit,
                value: items.to_string().into(),
            };
            return Err(self.own_fault(frame.id, reason, Some(Stage::AfterItemsPath)));
        };
        let most = self.run().header.most_items.unwrap_or(u32::MAX);
        let total = work.count().min(most);
        let begins = map.reader.is_none();
        if begins {
            self.begin_attempt(id);
            self.push_history(id, EventKind::MapStarted, total);
        }
        // AWS was observed to evaluate the tolerated failures only after the Map has started.
        let Some(frame) = self.frame(id) else {
            return Ok(());
        };
        let names = ["ToleratedFailureCount", "ToleratedFailureCountPath"];
        let count = &map.tolerated_failure_count;
        let count = self.map_count(frame, count, names, Needs::NotNegative)?;
        let percentage = self.tolerated_percentage(frame, map)?;
        self.start_group(id, work, total, limit, count, percentage);
        if begins && map.mode == MapMode::Distributed {
            self.map_run_started(id, total);
        }
        Ok(())
    }

    fn start_group(
        &mut self,
        id: FrameId,
        work: GroupWork,
        total: u32,
        limit: u32,
        tolerated_count: Option<u64>,
        tolerated_percentage: Option<f64>,
    ) {
        let group = Group {
            total,
            next: 0,
            live: VecDeque::new(),
            succeeded: 0,
            failed: 0,
            limit,
            slots: Slots::new(total as usize, work.is_packed()),
            work,
            selected: None,
            tolerated_count,
            tolerated_percentage,
            inputs: Vec::new(),
            last_id: 0,
            last_iteration: 0,
            ignores_failures: false,
            went_on: false,
        };
        let joins = total == 0 && !self.work_fails(id);
        self.with(id, |frame| {
            frame.visit.group = Some(Box::new(group));
            frame.visit.phase = if joins { Phase::Join } else { Phase::Spawn };
        });
        if total == 0 && !joins {
            self.park(id);
        }
        self.arm_work(id);
    }

    fn concurrency(&self, frame: &Frame, map: &Map) -> Result<u32, Raised> {
        let cap = match map.mode {
            MapMode::Inline => INLINE_LIMIT,
            MapMode::Distributed => DISTRIBUTED_LIMIT,
        };
        let names = ["MaxConcurrency", "MaxConcurrencyPath"];
        let asked = self.map_count(frame, &map.max_concurrency, names, Needs::Integer)?;
        let asked = asked.and_then(|asked| u32::try_from(asked).ok());
        let asked = asked.filter(|asked| *asked > 0);
        Ok(asked.map_or(cap, |asked| asked.min(cap)))
    }

    /// The number in a Map's field that must be a whole number. `below` is the requirement that AWS names if the number
    /// is below 0.
    fn map_count(
        &self,
        frame: &Frame,
        quantity: &Option<Quantity<u64>>,
        names: [&'static str; 2],
        below: Needs,
    ) -> Result<Option<u64>, Raised> {
        let Some(quantity) = quantity else {
            return Ok(None);
        };
        let field = number_field(Owner::State, names, quantity);
        let Quantity::Path(path) = quantity else {
            return self.whole_number(frame, quantity, field).map(Some);
        };
        let value = self.quantity_value(frame, path, field)?;
        let count = number_of(&value).and_then(|number| number.as_i64());
        if let Some(Ok(count)) = count.map(u64::try_from) {
            return Ok(Some(count));
        }
        let needs = count.map_or(Needs::Integer, |_| below);
        let given = Given::Path(path.text().into());
        let reason = Reason::bad_number(field, given, &value, needs);
        Err(self.own_fault(frame.id, reason, None))
    }

    fn tolerated_percentage(&self, frame: &Frame, map: &Map) -> Result<Option<f64>, Raised> {
        let Some(quantity) = &map.tolerated_failure_percentage else {
            return Ok(None);
        };
        let names = [
            "ToleratedFailurePercentage",
            "ToleratedFailurePercentagePath",
        ];
        let field = number_field(Owner::State, names, quantity);
        let (given, value, number) = match quantity {
            Quantity::Constant(percentage) => return Ok(Some(*percentage)),
            Quantity::Expression(expression) => {
                let value = frame.visit.field_value(&expression.location);
                let value = value.cloned().unwrap_or_default();
                let number = value.as_number().cloned();
                (Given::Expression, value, number)
            }
            Quantity::Path(path) => {
                let value = self.quantity_value(frame, path, field)?;
                let number = number_of(&value);
                (Given::Path(path.text().into()), value, number)
            }
        };
        let needs = match number.map(|number| number.as_f64()) {
            Some(percentage) if (0.0..=100.0).contains(&percentage) => return Ok(Some(percentage)),
            None if given != Given::Expression => Needs::Float,
            _ => Needs::Percentage,
        };
        let reason = Reason::bad_number(field, given, &value, needs);
        Err(self.own_fault(frame.id, reason, None))
    }

    pub(super) fn quantity_value(
        &self,
        frame: &Frame,
        path: &Path,
        field: FieldAt,
    ) -> Result<Value, Raised> {
        let data = frame.visit.data.latest(Stage::AfterInputPath);
        self.query(frame, field, &data, path)
    }

    /// Starts the next branch or item of a Parallel or Map. The frame of the Parallel or Map stays ready while more
    /// branches or items may start.
    pub(in crate::interpreter) fn spawn(&mut self, id: FrameId, state: &State) -> Done {
        let Some(frame) = self.frame(id) else {
            return Ok(());
        };
        let Some(group) = &frame.visit.group else {
            debug_assert!(false, "frame {id:?} starts a child frame but has no group");
            return Ok(());
        };
        let (index, last_id) = (group.next, frame.last_id);
        let after_child = (group.limit == 1 && group.last_id > 0).then_some(group.last_id);
        if group.is_full() {
            self.park(id);
            return Ok(());
        }
        let item = group.work.item(index);
        let selects = matches!(&state.kind, StateKind::Map(map) if map.batcher.is_none() && map.has_selector());
        if let StateKind::Map(map) = &state.kind
            && selects
            && group.selected != Some(index)
        {
            let done = self.select_item(id, map, item.as_ref(), index);
            if done.is_err() {
                self.abort_children(id, last_id);
            }
            return done;
        }
        let (scope, input) = match (&state.kind, &group.work) {
            (StateKind::Parallel { branches }, GroupWork::Branches(input)) => {
                (branches.get(index as usize).copied(), input.clone())
            }
            (StateKind::Map(map), _) => {
                let selected = frame.visit.data.get(Stage::AfterItemSelector);
                let selected = selected.filter(|_| selects).cloned();
                let item_value = || item.as_ref().map(|item| item.value.clone());
                let input = selected.or_else(item_value).unwrap_or_default();
                (Some(map.processor), input)
            }
            _ => (None, Value::Null),
        };
        let distributed =
            matches!(&state.kind, StateKind::Map(map) if map.mode == MapMode::Distributed);
        // A child execution starts without variables.
        let variables = Arc::new(if distributed {
            Variables::default()
        } else {
            Variables::inside(&frame.variables)
        });
        let start =
            scope.and_then(|scope| self.definition().scope(scope)?.start_at.as_ref()?.state);
        let (Some(scope), Some(start)) = (scope, start) else {
            self.abort_children(id, last_id);
            let reason =
                Reason::Broken("StartAt of the branch or item processor names no state".into());
            return Err(self.own_fault(id, reason, None));
        };
        let execution = distributed.then(|| Begun {
            at: self.now(),
            input: input.clone(),
        });
        // Only a computed input is kept. If the input is simply the item, it can be read from the items later.
        let is_written = matches!(&state.kind, StateKind::Map(map) if map.writer.is_some() && map.makes_inputs());
        let began = is_written.then(|| input.clone());
        let child = self.add_frame(Some(id), index, scope, start, input, variables, last_id);
        self.with(child, |frame| {
            frame.item = item;
            frame.execution = execution;
        });
        self.change_group(id, |group| {
            group.inputs.extend(began);
            group.next += 1;
            group.live.push_back((index, child));
            group.slots.set(index, Slot::Live);
        });
        if matches!(state.kind, StateKind::Map(_)) {
            // If only one iteration runs at a time, AWS's history gives the start of each iteration the end of the
            // previous iteration as its predecessor (`previousEventId`).
            let state = self.frame(id).map(|frame| frame.visit.state);
            let previous = after_child.unwrap_or(last_id);
            let given =
                self.push_detached(child, state, EventKind::IterationStarted, index, previous);
            self.with(child, |frame| frame.last_id = given);
        } else {
            self.push(child, EventKind::BranchStarted, index, true);
        }
        if self.group(id).is_none_or(Group::is_full) {
            self.park(id);
        }
        Ok(())
    }

    /// Computes the input of the next item that the Map starts.
    fn select_item(&mut self, id: FrameId, map: &Map, item: Option<&Item>, index: u32) -> Done {
        let value = match self.selected(id, map, item)? {
            Selected::Asked => return Ok(()),
            Selected::Value(value) => value,
            Selected::Own => {
                let Some(frame) = self.frame(id) else {
                    return Ok(());
                };
                self.item_input(frame, map, item)?
            }
        };
        self.change_group(id, |group| group.selected = Some(index));
        let made = (Stage::AfterItemSelector, index);
        self.put_of(id, made, value, true, Phase::Spawn)
    }

    /// The input that an ItemSelector in JSONata mode computes for an item.
    pub(super) fn selected(
        &mut self,
        id: FrameId,
        map: &Map,
        item: Option<&Item>,
    ) -> Result<Selected, Raised> {
        let (Some(template), Some(item)) = (&map.jsonata_selector, item) else {
            return Ok(Selected::Own);
        };
        let beside = Beside {
            item: Some(item.clone()),
            ..Beside::default()
        };
        let Some(mut results) = self.evaluate(id, || template.expressions().to_vec(), beside)
        else {
            return Ok(Selected::Asked);
        };
        self.fill(id, template, &mut results, Stage::AfterItemSelector)
            .map(Selected::Value)
    }

    pub(super) fn item_input(
        &self,
        frame: &Frame,
        map: &Map,
        item: Option<&Item>,
    ) -> Result<Value, Raised> {
        let Some(item) = item else {
            return Ok(Value::Null);
        };
        let Some(template) = &map.item_selector else {
            return Ok(item.value.clone());
        };
        let data = frame.visit.data.latest(Stage::AfterInputPath);
        let state = self.state_of(frame);
        let step = state.and_then(|state| state.step(Stage::AfterItemSelector));
        let field = step.map_or(FieldAt::state("ItemSelector"), |step| step.field);
        let bindings = self.bindings(frame, &data).for_item(item);
        self.evaluated(frame.id, field, &bindings, template)
            .map_err(|error| self.refused(frame, field, error))
    }

    /// Collects the results of all branches or items in order.
    pub(in crate::interpreter) fn join(&mut self, id: FrameId, state: &State) -> Done {
        let Some(frame) = self.frame(id) else {
            return Ok(());
        };
        let Some(group) = &frame.visit.group else {
            debug_assert!(false, "frame {id:?} joins child frames but has no group");
            return Ok(());
        };
        if let StateKind::Map(map) = &state.kind
            && map.writer.is_some()
        {
            self.set_phase(id, Phase::Write);
            return Ok(());
        }
        let results = group.slots.outputs();
        self.ended(id, state, results);
        Ok(())
    }

    /// Completes a Parallel or Map with the results of its branches or items.
    pub(in crate::interpreter) fn ended(&mut self, id: FrameId, state: &State, results: Value) {
        let Some(frame) = self.frame(id) else { return };
        let Some(group) = &frame.visit.group else {
            return;
        };
        // In AWS's history, the predecessor (`previousEventId`) of the event that ends a Map is the end of the last
        // iteration. For a Parallel, it is the last event in a branch.
        let inner = [group.last_iteration, group.last_id].into_iter();
        let last_id = inner.filter(|id| *id > 0).max().unwrap_or(frame.last_id);
        let total = group.total;
        self.end_attempt(id);
        let kind = match &state.kind {
            StateKind::Map(_) => EventKind::MapSucceeded,
            _ => EventKind::ParallelSucceeded,
        };
        let last_id = match &state.kind {
            StateKind::Map(map) if map.mode == MapMode::Distributed => {
                self.push_history(id, EventKind::MapRunSucceeded, total);
                self.last_id(id)
            }
            _ => last_id,
        };
        self.push_history_after(id, kind, total, last_id);
        self.with(id, |frame| frame.last_id = last_id);
        self.finish_work(id, results);
    }

    /// Emits the event MapRunStarted, which says that the child executions have started.
    pub(in crate::interpreter) fn map_run_started(&mut self, id: FrameId, total: u32) {
        self.push_history(id, EventKind::MapRunStarted, total);
        self.with(id, |frame| frame.visit.map_run = frame.last_id);
    }
}

/// The input that an ItemSelector in JSONata mode computes for an item, or the reason why there is none yet.
pub(super) enum Selected {
    /// No ItemSelector in JSONata computes the item's input: the input is the item itself, or the result of an
    /// ItemSelector in JSONPath.
    Own,
    /// There is no input yet: the expressions have been requested, and their results are pending.
    Asked,
    /// The computed input of the item.
    Value(Value),
}

/// The number that a value contains. The value can be a number or, as AWS allows for these fields, a string (12.2).
pub(super) fn number_of(value: &Value) -> Option<Number> {
    match value {
        Value::String(text) => Number::parse(text),
        _ => value.as_number().cloned(),
    }
}
