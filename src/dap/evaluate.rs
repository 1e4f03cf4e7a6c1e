//! What a person types or points at: an expression, or in the debug console a command.
//!
//! It must not know what a command does.

use super::body::{Body, body};
use super::debuggee::{Debuggee, Phase};
use super::handle::Node;
use super::outbox::Outbox;
use super::protocol::{EvaluateArguments, EvaluateBody};
use super::refusal::Refusal;
use super::variable::{counts, shown};
use crate::interpreter::FrameId;
use crate::json::{Value, pretty};

impl Debuggee {
    /// Gives the value of an expression, or does a command.
    pub fn evaluate(&mut self, arguments: &EvaluateArguments, out: &mut Outbox) -> Body {
        let text = arguments.expression.trim();
        let context = arguments.context.as_deref();
        if context == Some("repl")
            && let Some(command) = super::command::given(text)
        {
            let said = self.console(&command, out)?;
            return body(&EvaluateBody {
                result: said,
                ..EvaluateBody::default()
            });
        }
        self.standing()?;
        if self.phase == Phase::Configuring {
            return Err(Refusal::new("nothing has run yet"));
        }
        let frame = match arguments.frame_id {
            Some(id) => self.handles.frame_of(id)?,
            None => self
                .focus_frame()
                .ok_or_else(|| Refusal::new("nothing has run yet"))?,
        };
        let text = match context {
            Some("hover") => pointed_at(text),
            _ => text,
        };
        let value = self.session.evaluate_in(frame, text);
        let value = value.map_err(Refusal::new)?;
        let result = match context {
            Some("clipboard") => copied(&value),
            _ => shown(&value),
        };
        body(&self.evaluated(frame, text, value, result))
    }

    fn evaluated(
        &mut self,
        frame: FrameId,
        text: &str,
        value: Value,
        result: String,
    ) -> EvaluateBody {
        let (named_variables, indexed_variables) = counts(&value);
        let place = self.place_of_expression(frame, text).ok();
        let r#type = self.type_name(&value);
        let node = Node {
            frame,
            value,
            expression: text.starts_with('$').then(|| text.to_string()),
            place,
        };
        EvaluateBody {
            result,
            r#type,
            variables_reference: self.reference(node),
            named_variables,
            indexed_variables,
        }
    }
}

/// What is under a cursor: a path, without the quotes that it stands in.
fn pointed_at(text: &str) -> &str {
    let text = text.trim_matches(['"', '\'', ',']).trim();
    text.strip_suffix(".$").unwrap_or(text)
}

/// A value as it is pasted elsewhere.
fn copied(value: &Value) -> String {
    match value {
        Value::String(text) => text.to_string(),
        other => pretty(other),
    }
}
