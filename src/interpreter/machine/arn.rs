//! The made-up ARNs and names of what a running machine starts: map runs and child executions.
//!
//! It must not know when they are started.

use super::Machine;
use crate::definition::StateKind;
use crate::interpreter::frame::{Begun, Frame};
use crate::interpreter::run::{ACCOUNT, REGION, uuid_of};
use crate::json::Value;

impl Machine {
    /// The ARN of the Map Run of a frame's DISTRIBUTED Map.
    #[must_use]
    pub fn map_run_arn(&self, frame: &Frame) -> String {
        let name = self.labelled(frame);
        let number = frame.visit.map_run;
        format!(
            "arn:aws:states:{REGION}:{ACCOUNT}:mapRun:{name}:00000000-0000-4000-8000-{number:012}"
        )
    }

    /// The ARN of a child execution.
    pub(in crate::interpreter) fn child_arn(&self, frame: &Frame, name: &str) -> String {
        let machine = self.labelled(frame);
        format!("arn:aws:states:{REGION}:{ACCOUNT}:execution:{machine}:{name}")
    }

    /// `<machine>/<label of the Map>`.
    fn labelled(&self, frame: &Frame) -> String {
        let state = self.state_of(frame);
        let label = state.and_then(|state| match &state.kind {
            StateKind::Map(map) => map.label.as_deref(),
            _ => None,
        });
        let label = label.or(state.map(|state| &*state.name)).unwrap_or("");
        format!("{}/{label}", self.definition().name)
    }

    /// `Execution` of the context object of the child execution that a frame is.
    pub(in crate::interpreter) fn child_execution(&self, child: &Frame, begun: &Begun) -> Value {
        let Some(frame) = child.parent.and_then(|parent| self.frame(parent)) else {
            debug_assert!(false, "{:?} is an execution that nothing started", child.id);
            return Value::Null;
        };
        let draw = u64::from(frame.id.0) << 32 | u64::from(child.index);
        let name = uuid_of(self.run().header.seed, draw ^ (1 << 62));
        let machine = &self.definition().name;
        let role = format!("arn:aws:iam::{ACCOUNT}:role/{machine}");
        Value::object(vec![
            ("Id".into(), Value::string(self.child_arn(frame, &name))),
            ("Input".into(), begun.input.clone()),
            ("Name".into(), Value::string(name)),
            ("RoleArn".into(), Value::string(role)),
            (
                "StartTime".into(),
                Value::string(self.run().time_text(begun.at)),
            ),
            ("RedriveCount".into(), Value::from(0)),
        ])
    }
}
