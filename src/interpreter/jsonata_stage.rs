//! The data pipeline of a state in JSONata mode: Arguments, Items, Output and Assign (ASL-SEMANTICS 4.3).

use super::difference::Difference;
use super::evaluate::Beside;
use super::event::{Edge, FrameId, Stage};
use super::machine::Machine;
use super::reason::{ItemsFrom, Reason};
use super::stage::{Done, Raised};
use super::visit::Phase;
use crate::definition::{Jsonata, Map, MapMode, Quantity, State, StateKind};
use crate::json::{Text, Value};
use crate::query::Profile;
use crate::query::jsonata::Expression;
use std::sync::Arc;

/// Assigned variables and an output.
pub(super) type AssignedAndOutput = (Vec<(Text, Value)>, Value);

impl Machine {
    /// Computes the items of a Map in JSONata mode and its numeric fields.
    pub(super) fn items(&mut self, id: FrameId, state: &State) -> Done {
        let StateKind::Map(map) = &state.kind else {
            return Ok(());
        };
        let stage = Stage::AfterItemsPath;
        let numbers = map_numbers(map);
        let expressions = || {
            let mut expressions = numbers.clone();
            if let Some(template) = &map.items {
                expressions.extend(template.expressions().iter().cloned());
            }
            expressions
        };
        let Some(mut results) = self.evaluate(id, expressions, Beside::default()) else {
            return Ok(());
        };
        self.keep_numbers(id, &numbers, &mut results, stage)?;
        if map.reader.is_some() {
            self.set_phase(id, Phase::Work);
            return Ok(());
        }
        let value = match &map.items {
            Some(template) => self.fill(id, template, &mut results, stage)?,
            None => self.input_of(id),
        };
        let inline = map.mode == MapMode::Inline;
        let takes_members = !inline || self.profile() == Profile::Spec;
        let members = takes_members && value.as_object().is_some();
        if members && inline {
            self.diverge(Difference::MembersAsJsonataItems);
        }
        if !value.is_array() && !members {
            return Err(
                match map.items.as_ref().and_then(|template| template.whole()) {
                    Some(expression) => self.mistyped(id, expression, "array", &value, stage),
                    None => {
                        let from = match map.items {
                            Some(_) => ItemsFrom::Items,
                            None => ItemsFrom::Input,
                        };
                        let value = crate::query::abridged(&value, 10_000).into();
                        self.evaluation_fault(id, Reason::NotItems { from, value }, stage)
                    }
                },
            );
        }
        self.put(id, stage, value, map.items.is_some(), Phase::Work)
    }

    /// The raw input of a frame's state.
    pub(super) fn input_of(&self, id: FrameId) -> Value {
        self.frame(id)
            .map(|frame| frame.visit.data.latest(Stage::Input))
            .unwrap_or_default()
    }

    /// Computes Assign and Output in JSONata mode, both with the variables at entry.
    pub(super) fn output(&mut self, id: FrameId, state: &State) -> Done {
        let Some(frame) = self.frame(id) else {
            return Ok(());
        };
        let fields = match (frame.visit.edge, &state.kind) {
            (Some(Edge::Rule(rule)), StateKind::Choice(choice)) => {
                choice.rules.get(rule as usize).map(|rule| &rule.jsonata)
            }
            _ => Some(&state.jsonata),
        };
        let result = frame.visit.data.get(Stage::Result).cloned();
        let default = match &result {
            Some(result) => result.clone(),
            None => frame.visit.data.latest(Stage::Input),
        };
        let beside = Beside {
            result,
            ..Beside::default()
        };
        let nothing = Jsonata::default();
        let fields = fields.unwrap_or(&nothing);
        let Some((assigned, value)) = self.assign_and_output(id, fields, beside, default)? else {
            return Ok(());
        };
        self.check_payload(id, state, &value, Stage::Output)?;
        self.with(id, |frame| frame.visit.assigned = assigned);
        let written = fields.output.is_some();
        self.put(id, Stage::Output, value, written, Phase::Exit)
    }

    /// The values of Assign and Output; `None` while their expressions are pending.
    pub(super) fn assign_and_output(
        &mut self,
        id: FrameId,
        fields: &Jsonata,
        beside: Beside,
        default: Value,
    ) -> Result<Option<AssignedAndOutput>, Raised> {
        let templates = [&fields.assign, &fields.output].into_iter().flatten();
        let expressions = templates.flat_map(|one| one.expressions().to_vec());
        let Some(mut results) = self.evaluate(id, || expressions.collect(), beside) else {
            return Ok(None);
        };
        let assigned = match &fields.assign {
            Some(template) => self.fill(id, template, &mut results, Stage::Output)?,
            None => Value::Null,
        };
        let output = match &fields.output {
            Some(template) => self.fill(id, template, &mut results, Stage::Output)?,
            None => default,
        };
        let assigned = assigned
            .as_object()
            .map(|object| object.members().to_vec())
            .unwrap_or_default();
        Ok(Some((assigned, output)))
    }
}

/// The numeric fields of a Map that are expressions.
fn map_numbers(map: &Map) -> Vec<Arc<Expression>> {
    let of = |quantity: &Option<Quantity<u64>>| match quantity {
        Some(Quantity::Expression(expression)) => Some(Arc::clone(expression)),
        _ => None,
    };
    let percentage = match &map.tolerated_failure_percentage {
        Some(Quantity::Expression(expression)) => Some(Arc::clone(expression)),
        _ => None,
    };
    let counts = [of(&map.max_concurrency), of(&map.tolerated_failure_count)];
    counts.into_iter().chain([percentage]).flatten().collect()
}
