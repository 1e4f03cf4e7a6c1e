//! The made-up ARNs and names of what a running machine starts: map runs and child executions.
//!
//! It must not know when they are started.

use super::Machine;
use crate::definition::StateKind;
use crate::interpreter::event::FrameId;
use crate::interpreter::frame::Frame;
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

    /// `Execution` of the context object of a child execution.
    pub(in crate::interpreter) fn child_execution(
        &self,
        id: FrameId,
        index: u32,
        input: &Value,
    ) -> Value {
        let Some(frame) = self.frame(id) else {
            debug_assert!(false, "{id:?} starts an execution and does not live");
            return Value::Null;
        };
        let draw = u64::from(id.0) << 32 | u64::from(index);
        let name = uuid_of(self.run().header.seed, draw ^ (1 << 62));
        let machine = &self.definition().name;
        let role = format!("arn:aws:iam::{ACCOUNT}:role/{machine}");
        Value::object(vec![
            ("Id".into(), Value::string(self.child_arn(frame, &name))),
            ("Input".into(), input.clone()),
            ("Name".into(), Value::string(name)),
            ("RoleArn".into(), Value::string(role)),
            (
                "StartTime".into(),
                Value::string(self.run().time_text(self.now())),
            ),
            ("RedriveCount".into(), Value::from(0)),
        ])
    }
}
