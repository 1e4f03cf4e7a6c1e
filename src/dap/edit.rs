//! Edits by the user: the value of a stage is replaced, and the run continues with the new value.

use super::debuggee::Debuggee;
use super::handle::{Container, Node};
use super::outbox::Outbox;
use super::protocol::{SetExpressionArguments, SetValueBody, SetVariableArguments};
use super::refusal::Refusal;
use super::scope::Part;
use super::variable::{counts, shown};
use super::wording;
use crate::interpreter::{FrameId, Stage};
use crate::json::{self, Pointer, Step, Value};
use crate::query::Path;
use crate::session::{Command, stage_named};

impl Debuggee {
    /// Changes a variable or a part of a value.
    pub fn set_variable(
        &mut self,
        arguments: &SetVariableArguments,
        out: &mut Outbox,
    ) -> Result<SetValueBody, Refusal> {
        let name = arguments.name.as_str();
        let container = self
            .handles
            .container(arguments.variables_reference)?
            .clone();
        let node = match container {
            Container::Scope(frame, kind) => {
                let parts = self.scope_parts(frame, kind)?;
                parts.into_iter().find_map(|part| match part {
                    Part::Value(own, node) if own == name => Some(node),
                    _ => None,
                })
            }
            Container::Value(node) | Container::Range(node, ..) => {
                let step = match node.value.is_array() {
                    true => name.parse().ok().map(Step::Item),
                    false => Some(Step::Member(name.into())),
                };
                step.map(|step| node.child(step, Value::Null))
            }
        };
        let node =
            node.ok_or_else(|| Refusal::new(format!("there is no value {name} to change")))?;
        let Some((stage, at)) = node.place.clone() else {
            return Err(Refusal::new(
                "only values of the pipeline can be changed, from Input to Effective output",
            ));
        };
        self.change(
            node.frame,
            node.expression,
            (stage, at),
            &arguments.value,
            out,
        )
    }

    /// Changes the value of an expression.
    pub fn set_expression(
        &mut self,
        arguments: &SetExpressionArguments,
        out: &mut Outbox,
    ) -> Result<SetValueBody, Refusal> {
        let frame = match arguments.frame_id {
            Some(id) => self.handles.frame_of(id)?,
            None => self
                .focus_frame()
                .ok_or_else(|| Refusal::new("nothing has run yet"))?,
        };
        let text = arguments.expression.trim();
        let place = self.place_of_expression(frame, text)?;
        let expression = Some(text.to_string());
        self.change(frame, expression, place, &arguments.value, out)
    }

    /// The stage that an expression reads, and the position within its value.
    pub fn place_of_expression(
        &self,
        frame: FrameId,
        text: &str,
    ) -> Result<(Stage, Pointer), Refusal> {
        let data = self
            .session
            .machine()
            .frame(frame)
            .map(|frame| &frame.visit.data);
        let data = data.ok_or_else(|| Refusal::new("that frame is not running at this event"))?;
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
        let stage = stage.map_err(|_| Refusal::new(format!("{text} is not reached yet")))?;
        let path = Path::parse(&format!("${rest}")).map_err(|error| Refusal::new(error.message))?;
        let steps = path.names();
        let steps = steps
            .ok_or_else(|| Refusal::new(format!("{text} is not the path of a single value")))?;
        Ok((stage, Pointer(steps)))
    }

    /// Replaces the value at a position.
    pub fn change(
        &mut self,
        frame: FrameId,
        expression: Option<String>,
        (stage, at): (Stage, Pointer),
        typed: &str,
        out: &mut Outbox,
    ) -> Result<SetValueBody, Refusal> {
        let value = json::parse(typed.trim())
            .map_err(|error| Refusal::new(format!("not JSON: {error}; a string needs quotes")))?;
        self.ready_to_go()?;
        self.focus(frame, out)?;
        let reply = self.apply(
            Command::Edit {
                stage,
                at: at.clone(),
                value: value.clone(),
            },
            out,
        )?;
        if let Some(text) = wording::reply(&reply) {
            out.say(&text);
        }
        self.invalidate(&["stacks", "variables"], out);
        let (named, indexed) = counts(&value);
        let node = Node {
            frame,
            value: value.clone(),
            expression,
            place: Some((stage, at)),
        };
        Ok(SetValueBody {
            value: shown(&value),
            r#type: self.type_name(&value),
            variables_reference: self.reference(node),
            named_variables: named,
            indexed_variables: indexed,
        })
    }
}
