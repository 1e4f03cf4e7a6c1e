//! Fail: the error and the cause, written or read from the data (ASL-SEMANTICS 10).
//!
//! It must not know what becomes of the error.

use crate::definition::{Fail, FailText};
use crate::interpreter::event::{FrameId, Stage};
use crate::interpreter::fault::{Fault, Origin};
use crate::interpreter::frame::Frame;
use crate::interpreter::machine::Machine;
use crate::interpreter::profile::FaultKind;
use crate::interpreter::stage::{Done, Raised};
use crate::json::Text;

impl Machine {
    pub(super) fn fail_state(&mut self, id: FrameId, fail: &Fail) -> Done {
        let Some(frame) = self.frame(id) else {
            return Ok(());
        };
        let error = self.fail_text(frame, fail.error.as_ref(), "ErrorPath")?;
        let cause = self.fail_text(frame, fail.cause.as_ref(), "CausePath")?;
        Err((
            Fault {
                error,
                cause,
                origin: Origin::Fail,
                from_branch: false,
                aws: None,
            },
            None,
        ))
    }

    fn fail_text(
        &self,
        frame: &Frame,
        text: Option<&FailText>,
        field: &str,
    ) -> Result<Option<Text>, Raised> {
        let expression = match text {
            None => return Ok(None),
            Some(FailText::Constant(text)) => return Ok(Some(text.clone())),
            Some(FailText::Expression(expression)) => expression,
        };
        let input = frame.data.latest(Stage::Input);
        let value = expression
            .eval(&self.bindings(frame, &input))
            .map_err(|error| {
                let error = error.in_field(&field.into(), &input);
                self.query_fault(frame, &error, Stage::Input)
            })?;
        match value.as_str() {
            Some(text) => Ok(Some(text.into())),
            None => {
                let text = format!(
                    "The {field} field refers to a {} and not to a string",
                    value.type_name()
                );
                Err(self.own_fault(frame.id, FaultKind::BadValue, text, None))
            }
        }
    }
}
