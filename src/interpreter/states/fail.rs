//! Fail state: its error and cause, literal or read from the data (ASL-SEMANTICS 10).

use crate::definition::{Fail, FailText, FieldAt};
use crate::interpreter::evaluate::Beside;
use crate::interpreter::event::{FrameId, Stage};
use crate::interpreter::fault::{Fault, Origin};
use crate::interpreter::frame::Frame;
use crate::interpreter::machine::Machine;
use crate::interpreter::reason::Reason;
use crate::interpreter::stage::{Done, Raised};
use crate::json::{Text, Value};
use std::sync::Arc;

impl Machine {
    pub(super) fn fail_state(&mut self, id: FrameId, fail: &Fail) -> Done {
        let texts = [&fail.error, &fail.cause];
        let asked = texts.iter().filter_map(|text| match text {
            Some(FailText::Jsonata(expression)) => Some(Arc::clone(expression)),
            _ => None,
        });
        let Some(mut results) = self.evaluate(id, || asked.collect(), Beside::default()) else {
            return Ok(());
        };
        let mut values = Vec::new();
        for text in texts {
            let Some(FailText::Jsonata(expression)) = text else {
                continue;
            };
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
        let handed_on = caught.filter(|own| cause.is_some() && own.cause == cause);
        let reason = Reason::Fail {
            handed_on: handed_on.map(|own| Arc::clone(&own.reason)),
        };
        let fault = Fault {
            entered: handed_on.and_then(|own| own.entered),
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
                let found = value.type_name();
                let reason = Reason::NotText { field, found };
                Err(self.own_fault(frame.id, reason, None))
            }
        }
    }
}
