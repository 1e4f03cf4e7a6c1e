//! Generated ARNs and names of Map Runs and child executions.

use super::Machine;
use crate::definition::StateKind;
use crate::interpreter::event::FrameId;
use crate::interpreter::frame::{Begun, Frame};
use crate::interpreter::run::uuid_of;
use crate::json::{Text, Value};

impl Machine {
    /// The innermost child execution that contains a frame, which may be the frame itself, with its input.
    #[must_use]
    pub fn execution_around(&self, id: FrameId) -> Option<(&Frame, &Value)> {
        let mut at = self.frame(id);
        while let Some(frame) = at {
            if let Some(begun) = &frame.execution {
                return Some((frame, &begun.input));
            }
            at = frame.parent.and_then(|parent| self.frame(parent));
        }
        None
    }

    /// ARN of the Map Run of a frame's DISTRIBUTED Map.
    #[must_use]
    pub fn map_run_arn(&self, frame: &Frame) -> String {
        let name = self.labelled(frame);
        let (number, header) = (frame.visit.map_run, &self.run().header);
        let id = match header.identity.execution {
            // Another execution of the same machine has different Map Runs.
            Some(_) => uuid_of(header.seed, u64::from(number) ^ (5 << 60)),
            None => format!("00000000-0000-4000-8000-{number:012}"),
        };
        header.identity.arn("mapRun", &format!("{name}:{id}"))
    }

    /// ARN of a child execution.
    pub(in crate::interpreter) fn child_arn(&self, frame: &Frame, name: &str) -> String {
        let machine = self.labelled(frame);
        let identity = &self.run().header.identity;
        identity.arn("execution", &format!("{machine}:{name}"))
    }

    /// The name `<machine>/<label of the Map>`.
    fn labelled(&self, frame: &Frame) -> String {
        let state = self.state_of(frame);
        let label = state.and_then(|state| match &state.kind {
            StateKind::Map(map) => map.label.as_deref(),
            _ => None,
        });
        let header = &self.run().header;
        let label = match (label, &header.identity.execution) {
            (Some(label), _) => label.to_string(),
            // AWS also generates a label for a Map without one.
            (None, Some(_)) => uuid_of(header.seed, u64::from(frame.visit.state.0) ^ (7 << 60)),
            (None, None) => state.map_or_else(String::new, |state| state.name.to_string()),
        };
        format!("{}/{label}", self.definition().name)
    }

    /// `Execution` in the context object of a child execution, or only its member `only`.
    pub(in crate::interpreter) fn child_execution(
        &self,
        child: &Frame,
        begun: &Begun,
        only: Option<&str>,
    ) -> Value {
        let Some(frame) = child.parent.and_then(|parent| self.frame(parent)) else {
            debug_assert!(false, "{:?} is an execution that nothing started", child.id);
            return Value::Null;
        };
        let name = self.child_name(frame, child);
        // Starts from the members of the parent execution.
        let run = self.run();
        let whole = run
            .execution
            .iter()
            .find(|(name, _)| &**name == "Execution");
        let whole = whole.and_then(|(_, execution)| execution.as_object());
        let members = whole.map_or(&[][..], |execution| execution.members());
        let own = |(known, value): &(Text, Value)| {
            let value = match &**known {
                "Id" => Value::string(self.child_arn(frame, &name)),
                "Input" => begun.input.clone(),
                "Name" => Value::from(&*name),
                "StartTime" if begun.at > 0 => Value::string(run.time_text(begun.at)),
                _ => value.clone(),
            };
            (known.clone(), value)
        };
        let wanted = |(known, _): &&(Text, Value)| only.is_none_or(|only| **known == *only);
        Value::object(members.iter().filter(wanted).map(own).collect())
    }

    /// A single member of `Execution` that can be computed without the others; `None` for any other member.
    pub(in crate::interpreter) fn child_member(
        &self,
        child: &Frame,
        begun: &Begun,
        member: &str,
    ) -> Option<Value> {
        let parent = child.parent.and_then(|parent| self.frame(parent))?;
        match member {
            "Name" => Some(Value::string(self.child_name(parent, child))),
            "Input" => Some(begun.input.clone()),
            _ => None,
        }
    }

    fn child_name(&self, parent: &Frame, child: &Frame) -> String {
        let draw = u64::from(parent.id.0) << 32 | u64::from(child.index);
        uuid_of(self.run().header.seed, draw ^ (1 << 62))
    }
}
