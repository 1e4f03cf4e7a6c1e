//! The item reader, the batches and the result writer of a Map.

use super::{computed, number_field};
use crate::definition::{
    FieldAt, ItemBatcher, ItemReader, Map, MapMode, MaxItems, Owner, Payload, Quantity,
    ResultWriter, State, StateKind, Transformation,
};
use crate::interpreter::ask::Want;
use crate::interpreter::children::{Item, SlotView};
use crate::interpreter::evaluate::{Beside, Results};
use crate::interpreter::event::{EventKind, FrameId, Stage};
use crate::interpreter::fault::{Difference, Fault, OnAws, Origin};
use crate::interpreter::frame::Frame;
use crate::interpreter::machine::Machine;
use crate::interpreter::reason::{Given, ItemsFrom, Needs, Reason};
use crate::interpreter::run::uuid_of;
use crate::interpreter::stage::{Done, Raised};
use crate::interpreter::visit::{Batching, Phase};
use crate::json::{Growing, Number, Text, Value};
use crate::query::Profile;
use crate::query::jsonata::Expression;
use std::sync::Arc;

impl Machine {
    /// Requests the items of a file.
    pub(in crate::interpreter) fn read_items(&mut self, id: FrameId, state: &State) -> Done {
        let StateKind::Map(map) = &state.kind else {
            return Ok(());
        };
        let Some(reader) = &map.reader else {
            return Ok(());
        };
        let made = |frame: &Frame| frame.visit.data.get(Stage::AfterItemReader).cloned();
        let Some(arguments) = self.frame(id).and_then(made) else {
            return match self.reader_arguments(id, reader)? {
                Some(arguments) => {
                    self.put(id, Stage::AfterItemReader, arguments, true, Phase::Read)
                }
                None => Ok(()),
            };
        };
        let max_items = match &reader.max_items {
            None => 0,
            Some(MaxItems::Constant(count)) => *count,
            Some(MaxItems::Computed(quantity)) => {
                let names = ["MaxItems", "MaxItemsPath"];
                let field = number_field(Owner::ReaderConfig, names, quantity);
                self.count_at(id, quantity, field)?
            }
        };
        self.begin_attempt(id);
        self.push_history(id, EventKind::MapStarted, 0);
        if map.mode == MapMode::Distributed {
            self.map_run_started(id, 0);
        }
        let max_items = match u64::try_from(max_items) {
            Ok(0) => None,
            Ok(most) => Some(most),
            Err(_) => {
                let field = FieldAt {
                    owner: Owner::ReaderConfig,
                    name: "MaxItems",
                };
                let (given, count) = (Given::Literal, Value::from(max_items));
                let reason = Reason::bad_number(field, given, &count, Needs::Positive);
                return Err(self.reader_fault(id, reason));
            }
        };
        self.ask_for(
            id,
            Want::Read {
                resource: reader.resource.clone(),
                arguments,
                format: reader.format.clone(),
                max_items,
            },
        );
        Ok(())
    }

    /// Opens a request for the frame of a Map, and lets the frame wait for the answer.
    fn ask_for(&mut self, id: FrameId, want: Want) {
        let Some(ask_id) = self.pose(id, want) else {
            return;
        };
        self.park(id);
        self.open_ask(ask_id, id);
    }

    fn reader_fault(&mut self, id: FrameId, reason: Reason) -> Raised {
        self.map_run_failed(id);
        let error = Some("States.ItemReaderFailed".into());
        let cause = reason.cause(None).map(Into::into);
        (Fault::outside(Origin::Task, reason, error, cause), None)
    }

    /// Emits the event MapRunFailed for a failure before the items started or after they all ended.
    pub(in crate::interpreter) fn map_run_failed(&mut self, id: FrameId) {
        if self.runs_executions(id) {
            self.push_history(id, EventKind::MapRunFailed, 0);
        }
    }

    /// Arguments of the reader; MaxItems is kept separately. `None` while the expressions in the arguments are pending.
    fn reader_arguments(
        &mut self,
        id: FrameId,
        reader: &ItemReader,
    ) -> Result<Option<Value>, Raised> {
        let stage = Stage::AfterItemReader;
        let number = match &reader.max_items {
            Some(MaxItems::Computed(Quantity::Expression(expression))) => Some(expression),
            _ => None,
        };
        let mut expressions = expressions_of(reader.arguments.as_ref());
        expressions.extend(number.cloned());
        let Some(mut results) = self.evaluate(id, || expressions, Beside::default()) else {
            return Ok(None);
        };
        let payload = (reader.arguments.as_ref(), Owner::Reader);
        let arguments = self.payload(id, payload, &mut results, stage)?;
        if let Some(expression) = number {
            let value = self.result_of(id, expression, &mut results, stage)?;
            if value.as_number().and_then(Number::as_i64).is_none() {
                return Err(self.mistyped(id, expression, "number", &value, stage));
            }
            let kept = (expression.location.clone(), value);
            self.with(id, |frame| frame.visit.field_values.push(kept));
        }
        Ok(Some(arguments))
    }

    /// The number that a path selects. The selected value may also be a string that contains a number.
    fn count_at(
        &mut self,
        id: FrameId,
        quantity: &Quantity<u64>,
        field: FieldAt,
    ) -> Result<i64, Raised> {
        let Some(frame) = self.frame(id) else {
            return Ok(0);
        };
        match quantity {
            Quantity::Constant(count) => Ok(i64::try_from(*count).unwrap_or(i64::MAX)),
            Quantity::Expression(expression) => {
                let value = frame.visit.field_value(&expression.location).cloned();
                let value = value.unwrap_or_default();
                match value.as_number().and_then(Number::as_i64) {
                    Some(count) => Ok(count),
                    None => {
                        let stage = Stage::AfterItemsPath;
                        Err(self.mistyped(id, expression, "number", &value, stage))
                    }
                }
            }
            Quantity::Path(path) => {
                let value = self.quantity_value(frame, path, field)?;
                let number = super::group::number_of(&value);
                number.and_then(|number| number.as_i64()).ok_or_else(|| {
                    let given = Given::Path(path.text().into());
                    let reason = Reason::bad_number(field, given, &value, Needs::Integer);
                    self.own_fault(id, reason, None)
                })
            }
        }
    }

    /// The value of a payload template, computed in the state's query language.
    fn payload(
        &mut self,
        id: FrameId,
        (payload, owner): (Option<&Payload>, Owner),
        results: &mut Results,
        stage: Stage,
    ) -> Result<Value, Raised> {
        let Some(frame) = self.frame(id) else {
            return Ok(Value::Null);
        };
        match payload {
            None => Ok(Value::empty_object()),
            Some(Payload::Template(template)) => {
                let data = frame.visit.data.latest(Stage::AfterInputPath);
                let name = match owner {
                    Owner::Batcher => "BatchInput",
                    _ => "Parameters",
                };
                let field = FieldAt { owner, name };
                self.query(frame, field, &data, template)
            }
            Some(Payload::Jsonata(template)) => self.fill(id, template, results, stage),
        }
    }

    /// Processes the answer to a request that reads or writes files.
    pub(super) fn complete_files(
        &mut self,
        id: FrameId,
        state: &State,
        map: &Map,
        value: Value,
    ) -> Done {
        let want = self.call_of(id).map(|call| call.ask.want.clone());
        let source = want.as_ref().and_then(source_of);
        self.with(id, |frame| {
            frame.visit.call = None;
            frame.visit.source = source;
        });
        if let Some(Want::Write { .. }) = want {
            let Some(frame) = self.frame(id) else {
                return Ok(());
            };
            let arn = self.map_run_arn(frame);
            let result = Value::object(vec![
                ("MapRunArn".into(), Value::string(arn)),
                ("ResultWriterDetails".into(), value),
            ]);
            self.ended(id, state, result);
            return Ok(());
        }
        let value = match (&map.items_path, self.profile()) {
            // AWS ignores ItemsPath for the items of an ItemReader (C27).
            (crate::definition::PathField::Path(path), Profile::Spec) => {
                let Some(frame) = self.frame(id) else {
                    return Ok(());
                };
                let field = FieldAt::state("ItemsPath");
                let chosen = self.query(frame, field, &value, path);
                let chosen = chosen.map_err(unheeded)?;
                if chosen != value {
                    self.diverge(Difference::ItemsPathAfterReader);
                }
                chosen
            }
            _ => value,
        };
        if !matches!(value, Value::Array(_) | Value::Object(_)) {
            let reason = Reason::NotItems {
                from: ItemsFrom::Reader,
                value: crate::query::abridged(&value, 60).into(),
            };
            return Err(self.reader_fault(id, reason));
        }
        self.put(id, Stage::AfterItemsPath, value, true, Phase::Work)?;
        self.wake(id, Phase::Work);
        Ok(())
    }

    /// Groups the items of a Map into batches.
    pub(in crate::interpreter) fn batch_items(&mut self, id: FrameId, state: &State) -> Done {
        let StateKind::Map(map) = &state.kind else {
            return Ok(());
        };
        let Some(batcher) = &map.batcher else {
            return Ok(());
        };
        let is_new = |frame: &Frame| frame.visit.batching.is_none();
        if self.frame(id).is_some_and(is_new) && !self.begin_batches(id, batcher)? {
            return Ok(());
        }
        if let Some((stage, value)) = self.next_of_batches(id, batcher) {
            return self.put(id, stage, value, true, Phase::Batch);
        }
        while let Some(item) = self.next_unselected(id) {
            match self.selected(id, map, Some(&item))? {
                super::group::Selected::Asked => return Ok(()),
                super::group::Selected::Value(value) => self.keep_selected(id, value),
                super::group::Selected::Own => {
                    let Some(frame) = self.frame(id) else {
                        return Ok(());
                    };
                    let value = self.item_input(frame, map, Some(&item))?;
                    self.keep_selected(id, value);
                }
            }
        }
        if let Some(selected) = self.all_selected(id).filter(|_| map.has_selector()) {
            let made = (Stage::AfterItemSelector, u32::MAX);
            return self.put_of(id, made, selected, true, Phase::Batch);
        }
        let batching = self.with(id, |frame| frame.visit.batching.take()).flatten();
        let batches = batching.map_or_else(Value::default, |batching| batching.group());
        self.put(id, Stage::AfterItemBatcher, batches, true, Phase::Work)
    }

    /// The stage `AfterBatchInput` with the value of `BatchInput`; `None` if that stage has been emitted already.
    fn next_of_batches(&self, id: FrameId, batcher: &ItemBatcher) -> Option<(Stage, Value)> {
        let stage = Stage::AfterBatchInput;
        let visit = &self.frame(id)?.visit;
        let shown = batcher.input.is_none() || visit.data.get(stage).is_some();
        let input = visit.batching.as_ref()?.input.clone();
        Some((stage, input?)).filter(|_| !shown)
    }

    /// All inputs that ItemSelector computed, as an array; `None` if their stage has been emitted already.
    fn all_selected(&self, id: FrameId) -> Option<Value> {
        let visit = &self.frame(id)?.visit;
        let shown = visit.data.get(Stage::AfterItemSelector).is_some();
        let selected = visit.batching.as_ref()?.selected.clone();
        (!shown).then(|| Value::array(selected))
    }

    /// Evaluates the limits and the common input of batches; returns `false` while their expressions are pending.
    fn begin_batches(&mut self, id: FrameId, batcher: &ItemBatcher) -> Result<bool, Raised> {
        let limits = [&batcher.max_items, &batcher.max_bytes].into_iter();
        let numbers: Vec<_> = limits.filter_map(computed).collect();
        let mut expressions = numbers.clone();
        expressions.extend(expressions_of(batcher.input.as_ref()));
        let Some(mut results) = self.evaluate(id, || expressions, Beside::default()) else {
            return Ok(false);
        };
        let before = self.frame(id).map(|frame| frame.visit.field_values.clone());
        self.keep_numbers(id, &numbers, &mut results, Stage::AfterItemBatcher)?;
        let input = match &batcher.input {
            Some(payload) => {
                let payload = (Some(payload), Owner::Batcher);
                Some(self.payload(id, payload, &mut results, Stage::AfterBatchInput)?)
            }
            None => None,
        };
        // A value that the user has set takes precedence over the computed one.
        let value_at = |stage: Stage| self.frame(id)?.visit.data.get(stage).cloned();
        let input = value_at(Stage::AfterBatchInput).or(input);
        let selected = value_at(Stage::AfterItemSelector);
        let selected = selected.as_ref().and_then(Value::as_array);
        let selected = selected.map_or_else(Vec::new, <[Value]>::to_vec);
        let mut limits = [u64::MAX; 2];
        let names = [
            ["MaxItemsPerBatch", "MaxItemsPerBatchPath"],
            ["MaxInputBytesPerBatch", "MaxInputBytesPerBatchPath"],
        ];
        let asked = [&batcher.max_items, &batcher.max_bytes];
        for ((limit, quantity), names) in limits.iter_mut().zip(asked).zip(names) {
            if let Some(quantity) = quantity {
                let field = number_field(Owner::Batcher, names, quantity);
                let count = self.count_at(id, quantity, field)?;
                let positive = u64::try_from(count).ok().filter(|count| *count > 0);
                *limit = positive.ok_or_else(|| {
                    let given = match quantity {
                        Quantity::Path(path) => Given::Path(path.text().into()),
                        Quantity::Constant(_) => Given::Literal,
                        Quantity::Expression(_) => Given::Expression,
                    };
                    let count = Value::from(count);
                    let reason = Reason::bad_number(field, given, &count, Needs::Positive);
                    self.own_fault(id, reason, None)
                })?;
            }
        }
        let [most_items, most_bytes] = limits;
        self.with(id, |frame| {
            frame.visit.field_values.extend(before.unwrap_or_default());
            frame.visit.batching = Some(Box::new(Batching {
                input,
                most_items,
                most_bytes,
                selected,
            }));
        });
        Ok(true)
    }

    fn next_unselected(&self, id: FrameId) -> Option<Item> {
        let frame = self.frame(id)?;
        if frame.visit.data.get(Stage::AfterItemSelector).is_some() {
            return None;
        }
        let at = u32::try_from(frame.visit.batching.as_ref()?.selected.len()).ok()?;
        frame.visit.items()?.item(at)
    }

    fn keep_selected(&mut self, id: FrameId, value: Value) {
        self.with(id, |frame| {
            if let Some(batching) = &mut frame.visit.batching {
                batching.selected.push(value);
            }
        });
    }

    /// Writes or transforms the results of a Map according to its ResultWriter.
    pub(in crate::interpreter) fn write_results(&mut self, id: FrameId, state: &State) -> Done {
        let StateKind::Map(map) = &state.kind else {
            return Ok(());
        };
        let Some(writer) = &map.writer else {
            return Ok(());
        };
        if writer.resource.is_none() {
            let Some(frame) = self.frame(id) else {
                return Ok(());
            };
            let result = self.shaped(frame, writer);
            self.ended(id, state, result);
            return Ok(());
        }
        let expressions = expressions_of(writer.arguments.as_ref());
        let Some(mut results) = self.evaluate(id, || expressions, Beside::default()) else {
            return Ok(());
        };
        let payload = (writer.arguments.as_ref(), Owner::Writer);
        let arguments = self.payload(id, payload, &mut results, Stage::Result)?;
        let Some(frame) = self.frame(id) else {
            return Ok(());
        };
        let (succeeded, failed) = self.written(frame, writer);
        let seed = self.run().header.seed;
        let want = Want::Write {
            arguments,
            succeeded,
            failed,
            lines: writer.lines,
            map_run_arn: self.map_run_arn(frame).into(),
            run: uuid_of(seed, u64::from(frame.visit.entered_id) | 1 << 40).into(),
        };
        self.ask_for(id, want);
        Ok(())
    }

    /// Contents of the two result files: the child executions that succeeded, and the child executions that failed.
    fn written(&self, frame: &Frame, writer: &ResultWriter) -> (Value, Value) {
        let (mut succeeded, mut failed) = (Growing::default(), Growing::default());
        for (index, slot) in slots_of(frame) {
            match slot {
                SlotView::Succeeded(_) => self.add(frame, (index, slot), writer, &mut succeeded),
                SlotView::Failed(_) => push(self.result_entry(frame, index, slot), &mut failed),
                SlotView::Pending | SlotView::Live | SlotView::Aborted => {}
            }
        }
        (succeeded.into_value(), failed.into_value())
    }

    /// The result of a Map whose ResultWriter only transforms the result.
    fn shaped(&self, frame: &Frame, writer: &ResultWriter) -> Value {
        let mut results = Growing::default();
        for (index, slot) in slots_of(frame) {
            self.add(frame, (index, slot), writer, &mut results);
        }
        results.into_value()
    }

    /// Adds the result of one item to `into`, in the format that the ResultWriter requires.
    fn add(
        &self,
        frame: &Frame,
        (index, slot): (u32, SlotView<'_>),
        writer: &ResultWriter,
        into: &mut Growing,
    ) {
        if writer.transformation == Transformation::None {
            return push(self.result_entry(frame, index, slot), into);
        }
        match (writer.transformation, slot.output()) {
            (Transformation::Flatten, Value::Array(array)) => (0..array.len())
                .filter_map(|index| array.item(index))
                .for_each(|item| push(item, into)),
            (_, output) => push(output, into),
        }
    }

    /// The entry that AWS writes to a result file for a child execution.
    fn result_entry(&self, frame: &Frame, index: u32, slot: SlotView<'_>) -> Value {
        let draw = u64::from(frame.id.0) << 32 | u64::from(index);
        let name = uuid_of(self.run().header.seed, draw);
        let time = Value::string(self.run().time_text(self.now()));
        let group = frame.visit.group.as_ref();
        let input = group.and_then(|group| {
            let kept = group.inputs.get(index as usize).cloned();
            kept.or_else(|| group.work.item(index).map(|item| item.value))
        });
        let text = |value: &Value| Value::string(value.to_string());
        let arn = Value::string(self.child_arn(frame, &name));
        let mut members: Vec<(Text, Value)> = vec![
            ("ExecutionArn".into(), arn),
            ("Input".into(), text(&input.unwrap_or_default())),
            ("Name".into(), Value::string(name)),
        ];
        let status = match slot {
            SlotView::Succeeded(output) => {
                members.push(("Output".into(), text(&output.value())));
                "SUCCEEDED"
            }
            SlotView::Failed(output) => {
                let output = output.value();
                for name in ["Cause", "Error"] {
                    members.push((name.into(), output.get(name).cloned().unwrap_or_default()));
                }
                "FAILED"
            }
            _ => "ABORTED",
        };
        let start = self.run().time_text(frame.visit.entered_at);
        members.push(("Status".into(), Value::from(status)));
        members.push(("StartDate".into(), Value::string(start)));
        members.push(("StopDate".into(), time));
        Value::object(members)
    }
}

/// `Map.Item.Source` of items that were read: the object in S3, or the bucket whose objects were listed.
fn source_of(want: &Want) -> Option<Text> {
    let Want::Read { arguments, .. } = want else {
        return None;
    };
    let bucket = arguments.get("Bucket")?.as_str()?;
    let key = arguments.get("Key").and_then(Value::as_str);
    Some(match key {
        Some(key) => format!("S3://{bucket}/{key}").into(),
        None => format!("S3://{bucket}").into(),
    })
}

/// The status of each item of a Map, with the item's index.
fn slots_of(frame: &Frame) -> impl Iterator<Item = (u32, SlotView<'_>)> {
    let slots = frame
        .visit
        .group
        .iter()
        .flat_map(|group| group.slots.iter());
    (0_u32..).zip(slots)
}

/// Adds a value to the contents of a file. The run's limit on values does not apply to the contents.
fn push(value: Value, into: &mut Growing) {
    // A value takes several times as much memory as its text.
    let memory = value.size().saturating_mul(4);
    into.push(value, memory);
}

/// Records in the fault of an ItemsPath that AWS has no such fault: AWS ignores an ItemsPath for the items of an
/// ItemReader.
fn unheeded((mut fault, stage): Raised) -> Raised {
    fault.aws = Some(OnAws::GoesOn(Difference::ItemsPathAfterReader));
    (fault, stage)
}

fn expressions_of(payload: Option<&Payload>) -> Vec<Arc<Expression>> {
    match payload {
        Some(Payload::Jsonata(template)) => template.expressions().to_vec(),
        _ => Vec::new(),
    }
}

impl Batching {
    /// Groups the inputs of the items into batches, in order.
    fn group(mut self) -> Value {
        let common = self.input.as_ref().map_or(0, |input| input.size() + 14);
        let mut batches = Vec::new();
        let mut items: Vec<Value> = Vec::new();
        let mut bytes = common + 12;
        for item in std::mem::take(&mut self.selected) {
            let size = item.size() + 1;
            let full = items.len() as u64 >= self.most_items
                || bytes.saturating_add(size) > self.most_bytes;
            if full && !items.is_empty() {
                batches.push(self.batch(std::mem::take(&mut items)));
                bytes = common + 12;
            }
            bytes = bytes.saturating_add(size);
            items.push(item);
        }
        if !items.is_empty() {
            batches.push(self.batch(items));
        }
        Value::array(batches)
    }

    fn batch(&self, items: Vec<Value>) -> Value {
        let input = self.input.clone().map(|input| ("BatchInput".into(), input));
        let items = ("Items".into(), Value::array(items));
        Value::object(input.into_iter().chain([items]).collect())
    }
}
