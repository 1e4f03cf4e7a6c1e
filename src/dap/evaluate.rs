//! Evaluates expressions that the user types or hovers over, and console commands.

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
    /// Evaluates an expression or executes a command.
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
        let (text, value) = match context {
            Some("hover") => {
                let text = pointed_at(text).ok_or_else(Refusal::silent)?;
                (text, self.value_under_cursor(frame, text, arguments))
            }
            _ => (text, self.session.evaluate_in(frame, text)),
        };
        let value = value.map_err(|why| match context {
            Some("repl") if text.starts_with(char::is_alphabetic) => {
                Refusal::new(format!("{why}; help lists the commands"))
            }
            _ => Refusal::new(why),
        })?;
        let result = match context {
            Some("clipboard") => copied(&value),
            _ => shown(&value),
        };
        // A field may read the same path from another value, so the result of a hover has no evaluate name.
        let named = if context == Some("hover") { "" } else { text };
        body(&self.evaluated(frame, named, value, result))
    }

    /// The value of a path as the field at the cursor reads it, if the client sends the cursor's location.
    fn value_under_cursor(
        &self,
        frame: FrameId,
        text: &str,
        arguments: &EvaluateArguments,
    ) -> Result<Value, String> {
        let source = arguments.source.as_ref();
        let source = source.and_then(|source| self.find_source(source));
        match (source, arguments.line, arguments.column) {
            (Some(source), Some(line), Some(column)) => {
                let line = self.client.own_line(line);
                let file = self.session.sources().get(source);
                let text_of_line = file.map_or("", |file| file.line(line));
                let column = self.client.character(column, text_of_line);
                self.session
                    .evaluate_as_read(frame, (source, line, column), text)
            }
            _ => self.session.evaluate_in(frame, text),
        }
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

/// The path or intrinsic under the cursor, without quotes; any other word has no value.
fn pointed_at(text: &str) -> Option<&str> {
    let text = text.trim_matches(['"', '\'', ',']).trim();
    let text = text.strip_suffix(".$").unwrap_or(text);
    let has_value = text.starts_with('$') || text.starts_with("States.") && text.ends_with(')');
    has_value.then_some(text)
}

/// A value as text for the clipboard.
fn copied(value: &Value) -> String {
    match value {
        Value::String(text) => text.to_string(),
        other => pretty(other),
    }
}
