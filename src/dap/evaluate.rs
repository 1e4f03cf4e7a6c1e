//! Evaluates expressions that the user types or points at with the mouse, and changes values that the user edits.

use super::command::{given, reply_text};
use super::debuggee::{Debuggee, Phase};
use super::handle::{Container, Node};
use super::message::{Outbox, Refusal};
use super::protocol::{EvaluateArguments, SetExpressionArguments, SetVariableArguments};
use super::scope::{Part, counts, shown};
use crate::interpreter::{FrameId, Stage};
use crate::json::{self, Pointer, Value as Json, pretty};
use crate::query::Path;
use crate::session::{Command, stage_named};
use serde_json::{Value, json};

impl Debuggee {
    /// Handles the request `evaluate`: evaluates an expression or, in the debug console, executes a command.
    pub fn evaluate(
        &mut self,
        arguments: &EvaluateArguments,
        out: &mut Outbox,
    ) -> Result<Value, Refusal> {
        let text = arguments.expression.trim();
        let context = arguments.context.as_deref();
        if context == Some("repl")
            && let Some(command) = given(text)
        {
            let said = self.console(&command, out)?;
            return Ok(json!({"result": said, "variablesReference": 0}));
        }
        self.standing()?;
        if self.phase == Phase::Configuring {
            return Err(Refusal::new("nothing has run yet"));
        }
        let frame = self.frame_or_focus(arguments.frame_id)?;
        let (text, value) = match context {
            Some("hover") => {
                let text = pointed_at(text).ok_or_else(Refusal::silent)?;
                (text, self.value_under_cursor(frame, text, arguments))
            }
            _ => (text, self.session.evaluate_in(frame, text)),
        };
        let value = value.map_err(|problem| match context {
            Some("repl") if text.starts_with(char::is_alphabetic) => {
                Refusal::new(format!("{problem}; \"help\" lists the commands"))
            }
            _ => Refusal::new(problem),
        })?;
        let result = match context {
            Some("clipboard") => copied(&value),
            _ => shown(&value),
        };
        // A hover shows the value that the field under the mouse reads. Elsewhere, the same path may give another
        // value. So the result of a hover gets no expression with which the client could evaluate it again.
        let named = if context == Some("hover") { "" } else { text };
        let node = Node {
            frame,
            value,
            expression: named.starts_with('$').then(|| named.to_string()),
            place: self.place_of_expression(frame, named).ok(),
        };
        Ok(self.value_body("result", result, node))
    }

    /// The value that this path has for the field under the mouse. If the request does not have the mouse position,
    /// evaluates the path in the frame.
    fn value_under_cursor(
        &self,
        frame: FrameId,
        text: &str,
        arguments: &EvaluateArguments,
    ) -> Result<Json, String> {
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
}

/// The path or intrinsic function in the text under the mouse, without quotes; `None` if the text is neither and so has
/// no value.
fn pointed_at(text: &str) -> Option<&str> {
    let text = text.trim_matches(['"', '\'', ',']).trim();
    let text = text.strip_suffix(".$").unwrap_or(text);
    let has_value = text.starts_with('$') || text.starts_with("States.") && text.ends_with(')');
    has_value.then_some(text)
}

/// Converts a value to text for the clipboard: a string without quotes, anything else as JSON.
fn copied(value: &Json) -> String {
    match value {
        Json::String(text) => text.to_string(),
        other => pretty(other),
    }
}

impl Debuggee {
    /// Finds the value with this name in the container that the client knows by `reference`: a value of a scope, or a
    /// member or item of a value. `None` if the scope has no such value, or if the name of an item is not a number.
    pub fn node_named(&mut self, reference: i64, name: &str) -> Result<Option<Node>, Refusal> {
        Ok(match self.handles.container(reference)?.clone() {
            Container::Scope(frame, kind) => {
                let parts = self.scope_parts(frame, kind)?;
                parts.into_iter().find_map(|part| match part {
                    Part::Value(part, node) if part == name => Some(node),
                    _ => None,
                })
            }
            Container::Value(node) | Container::Range(node, ..) => node.child_named(name),
        })
    }

    /// Handles the request `setVariable`: replaces a stage's value, or a member or item of it.
    pub fn set_variable(
        &mut self,
        arguments: &SetVariableArguments,
        out: &mut Outbox,
    ) -> Result<Value, Refusal> {
        let name = arguments.name.as_str();
        let node = self.node_named(arguments.variables_reference, name)?;
        let node =
            node.ok_or_else(|| Refusal::new(format!("there is no value {name} to change")))?;
        let place = node.place.ok_or_else(|| {
            Refusal::new("only the values of stages can be changed, from Input to Effective output")
        })?;
        let value = self.change(node.frame, &place, &arguments.value, out)?;
        Ok(self.value_body(
            "value",
            shown(&value),
            Node {
                value,
                place: Some(place),
                ..node
            },
        ))
    }

    /// Handles the request `setExpression`: replaces the value that a path such as `$input.qty` refers to.
    pub fn set_expression(
        &mut self,
        arguments: &SetExpressionArguments,
        out: &mut Outbox,
    ) -> Result<Value, Refusal> {
        let frame = self.frame_or_focus(arguments.frame_id)?;
        let text = arguments.expression.trim();
        let place = self.place_of_expression(frame, text)?;
        let value = self.change(frame, &place, &arguments.value, out)?;
        let text_shown = shown(&value);
        let node = Node {
            frame,
            value,
            expression: Some(text.to_string()),
            place: Some(place),
        };
        Ok(self.value_body("value", text_shown, node))
    }

    /// Finds the value that a path refers to: returns the stage, and the position within the stage's value.
    pub fn place_of_expression(
        &self,
        frame: FrameId,
        text: &str,
    ) -> Result<(Stage, Pointer), Refusal> {
        let frame = self.session.machine().frame(frame);
        let frame = frame.ok_or_else(|| Refusal::new("that frame is not running at this event"))?;
        let data = &frame.visit.data;
        let is_reached = |stage: Stage| data.get(stage).is_some();
        let (stage, rest) = match (stage_named(text, is_reached), text.strip_prefix('$')) {
            (Some((stage, rest)), _) => (stage, rest),
            (None, Some(rest)) if rest.is_empty() || rest.starts_with(['.', '[']) => {
                let stages = [Stage::Output, Stage::Input];
                let stage = stages.into_iter().find(|stage| is_reached(*stage));
                (stage.ok_or(text), rest)
            }
            _ => {
                return Err(Refusal::new(format!(
                    "{text} is not in the pipeline; use $input, $effective, $result or $output, and a path below it"
                )));
            }
        };
        let stage = stage.map_err(|_| Refusal::new(format!("{text} has not been reached yet")))?;
        let path = Path::parse(&format!("${rest}")).map_err(|error| Refusal::new(error.message))?;
        let steps = path.names();
        let several = || Refusal::new(format!("{text} is not the path of a single value"));
        let steps = steps.ok_or_else(several)?;
        Ok((stage, Pointer(steps)))
    }

    /// Replaces the value at a position of a stage by the JSON that the user typed, and returns the new value.
    pub fn change(
        &mut self,
        frame: FrameId,
        (stage, at): &(Stage, Pointer),
        typed: &str,
        out: &mut Outbox,
    ) -> Result<Json, Refusal> {
        let value = json::parse(typed.trim()).map_err(|error| {
            Refusal::new(format!(
                "the value is not JSON: {error}; a string needs quotes"
            ))
        })?;
        self.ready_to_go()?;
        self.focus(frame, out)?;
        let command = Command::Edit {
            stage: *stage,
            at: at.clone(),
            value: value.clone(),
        };
        let reply = self.apply(command, out)?;
        if let Some(text) = reply_text(&reply) {
            out.say(&text);
        }
        self.invalidate(&["stacks", "variables"], out);
        Ok(value)
    }

    /// Makes the body of a response with a value. The body has the value as text, in the member `name`, and a reference
    /// by which the client can request the value's children.
    fn value_body(&mut self, name: &str, text: String, node: Node) -> Value {
        let (named, indexed) = counts(&node.value);
        json!({
            name: text, "type": self.type_name(&node.value),
            "variablesReference": self.reference(node), "namedVariables": named,
            "indexedVariables": indexed,
        })
    }
}
