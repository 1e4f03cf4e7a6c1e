//! The work of each type of state: its task, its branches, its items, its wait or its choice. The work of Fail is in
//! this file; each other type has a file.

mod choice;
mod group;
mod items;
mod task;

pub use choice::{ChoiceError, compare, evaluated, failing, holds};
pub use task::NoWait;

use super::ask::{Ask, AskId, Want};
use super::evaluate::Beside;
use super::event::{Edge, FrameId, Stage};
use super::fault::{Fault, Origin};
use super::frame::Frame;
use super::machine::{Machine, Status};
use super::reason::{Given, Needs, Reason};
use super::stage::{Done, Raised};
use super::visit::{Call, Phase};
use crate::definition::{Fail, FailText, FieldAt, Owner, Quantity, State, StateKind};
use crate::json::{Number, Text, Value};
use crate::query::jsonata::Expression;
use std::sync::Arc;

impl Machine {
    /// Begins the work of a state.
    pub(super) fn work(&mut self, id: FrameId, state: &State) -> Done {
        match &state.kind {
            StateKind::Pass { .. } | StateKind::Succeed => {
                self.set_phase(id, Phase::Stage(Stage::Result));
                Ok(())
            }
            StateKind::Task(task) => self.call(id, task),
            StateKind::Choice(choice) => self.choose(id, state, choice),
            StateKind::Wait(until) => self.wait(id, until),
            StateKind::Fail(fail) => self.fail_state(id, fail),
            StateKind::Parallel { branches } => self.start_branches(id, branches),
            StateKind::Map(map) => self.start_items(id, map),
        }
    }

    /// Moves to the next state of the list, or ends the list of states.
    pub(super) fn leave(&mut self, id: FrameId, state: &State) -> Done {
        let Some(frame) = self.frame(id) else {
            return Ok(());
        };
        let (parent, index, last_id) = (frame.parent, frame.index, frame.last_id);
        let output = frame.visit.data.latest(Stage::Output);
        let target = frame.visit.edge.and_then(|edge| edge.target(state));
        if frame.visit.edge == Some(Edge::End) {
            self.park(id);
            self.set_phase(id, Phase::Ended);
            match parent {
                None => self.end(Status::Succeeded(output), last_id),
                Some(parent) => self.child_succeeded(parent, id, index, output),
            }
            return Ok(());
        }
        let Some(next) = target.and_then(|target| target.state) else {
            let reason = Reason::Broken("the definition does not have the next state".into());
            return Err(self.own_fault(id, reason, None));
        };
        self.debug_assert_nothing_open(id);
        let now = self.now();
        self.with(id, |frame| frame.visit.go_to(next, output, now));
        Ok(())
    }

    /// A whole number that a field contains literally or reads from the data.
    pub(super) fn whole_number(
        &self,
        frame: &Frame,
        quantity: &Quantity<u64>,
        field: FieldAt,
    ) -> Result<u64, Raised> {
        let path = match quantity {
            Quantity::Constant(number) => return Ok(*number),
            Quantity::Path(path) => path,
            Quantity::Expression(expression) => {
                let value = frame.visit.field_value(&expression.location);
                let value = value.cloned().unwrap_or_default();
                let number = value.as_number().and_then(Number::as_i64);
                let reason = match number.map(u64::try_from) {
                    Some(Ok(number)) => return Ok(number),
                    Some(Err(_)) => {
                        let given = Given::Expression;
                        Reason::bad_number(field, given, &value, Needs::NotNegative)
                    }
                    None => Reason::wrong_type(expression, "number", &value),
                };
                return Err(self.own_fault(frame.id, reason, None));
            }
        };
        let value = self.quantity_value(frame, path, field)?;
        let number = value.as_number().and_then(Number::as_i64);
        if let Some(Ok(number)) = number.map(u64::try_from) {
            return Ok(number);
        }
        let given = Given::Path(path.text().into());
        let reason = Reason::bad_number(field, given, &value, Needs::Integer);
        Err(self.own_fault(frame.id, reason, None))
    }

    /// Stores a request in a frame. The request is opened after the frame's events have been emitted. `None` if the
    /// frame no longer exists.
    pub(in crate::interpreter) fn pose(&mut self, id: FrameId, want: Want) -> Option<AskId> {
        let ask_id = self.next_ask_id();
        let frame = self.frame(id)?;
        let ask = Ask {
            id: ask_id,
            key: self.key(frame),
            state: frame.visit.state,
            frame: id,
            want,
        };
        self.with(id, |frame| {
            frame.visit.call = Some(Box::new(Call {
                ask,
                answer: None,
                submitted: false,
            }));
        })?;
        Some(ask_id)
    }

    pub(in crate::interpreter) fn finish_work(&mut self, id: FrameId, result: Value) {
        self.with(id, |frame| frame.visit.data.set(Stage::Result, result));
        self.wake(id, Phase::Stage(Stage::Result));
    }
}

/// The field that sets a number: `by_path` if the number is read from a path, otherwise `name`.
fn number_field<T>(
    owner: Owner,
    [name, by_path]: [&'static str; 2],
    quantity: &Quantity<T>,
) -> FieldAt {
    let name = match quantity {
        Quantity::Path(_) => by_path,
        Quantity::Constant(_) | Quantity::Expression(_) => name,
    };
    FieldAt { owner, name }
}

impl Machine {
    fn fail_state(&mut self, id: FrameId, fail: &Fail) -> Done {
        let texts = [&fail.error, &fail.cause].into_iter();
        let asked = texts.filter_map(|text| match text {
            Some(FailText::Jsonata(expression)) => Some(Arc::clone(expression)),
            _ => None,
        });
        let asked: Vec<_> = asked.collect();
        let Some(mut results) = self.evaluate(id, || asked.clone(), Beside::default()) else {
            return Ok(());
        };
        let mut values = Vec::new();
        for expression in &asked {
            let value = self.result_of(id, expression, &mut results, Stage::Input)?;
            if value.as_str().is_none() {
                return Err(self.mistyped(id, expression, "string", &value, Stage::Input));
            }
            values.push((expression.location.clone(), value));
        }
        self.with(id, |frame| frame.visit.field_values = values);
        let Some(frame) = self.frame(id) else {
            return Ok(());
        };
        let error = self.fail_text(frame, fail.error.as_ref(), "ErrorPath")?;
        let cause = self.fail_text(frame, fail.cause.as_ref(), "CausePath")?;
        let caught = frame.caught.as_ref();
        let handed_on = caught.filter(|known| cause.is_some() && known.cause == cause);
        let reason = Reason::Fail {
            handed_on: handed_on.map(|outcome| Arc::clone(&outcome.reason)),
        };
        let fault = Fault {
            entered: handed_on.and_then(|outcome| outcome.entered),
            ..Fault::outside(Origin::Fail, reason, error, cause)
        };
        Err((fault, None))
    }

    fn fail_text(
        &self,
        frame: &Frame,
        text: Option<&FailText>,
        name: &'static str,
    ) -> Result<Option<Text>, Raised> {
        let expression = match text {
            None => return Ok(None),
            Some(FailText::Constant(text)) => return Ok(Some(text.clone())),
            Some(FailText::Jsonata(expression)) => {
                let value = frame.visit.field_value(&expression.location);
                return Ok(value.and_then(Value::as_str).map(Text::from));
            }
            Some(FailText::Expression(expression)) => expression,
        };
        let input = frame.visit.data.latest(Stage::Input);
        let field = FieldAt::state(name);
        let bindings = self.bindings(frame, &input);
        let value = self.evaluated(frame.id, field, &bindings, expression);
        let value =
            value.map_err(|error| self.refused(frame, field, error.in_field(name, &input)))?;
        match value.as_str() {
            Some(text) => Ok(Some(text.into())),
            None => {
                let type_name = value.type_name();
                let reason = Reason::NotText { field, type_name };
                Err(self.own_fault(frame.id, reason, None))
            }
        }
    }
}

/// The JSONata expression that computes a number; `None` if no expression computes it.
pub(super) fn computed<T>(quantity: &Option<Quantity<T>>) -> Option<Arc<Expression>> {
    match quantity {
        Some(Quantity::Expression(expression)) => Some(Arc::clone(expression)),
        _ => None,
    }
}
