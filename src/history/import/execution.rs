//! The type of a recorded execution, and what can be derived from its data.

use crate::json::{Text, Value};
use crate::session::recorded::{Payload, RecordedEvent};

/// A recorded execution: its events and the data about it.
#[derive(Clone, Debug, Default)]
pub struct RecordedExecution {
    /// The events of the execution, sorted by id.
    pub events: Vec<RecordedEvent>,
    /// ARN of the execution.
    pub arn: Option<Text>,
    /// Name of the execution.
    pub name: Option<Text>,
    /// ARN of the state machine.
    pub machine_arn: Option<Text>,
    /// ARN of the role that the execution ran with.
    pub role_arn: Option<Text>,
    /// Input of the execution.
    pub input: Payload,
    /// Start time in milliseconds since 1970.
    pub start: Option<i64>,
    /// Status of the execution in AWS's terms.
    pub status: Option<Text>,
    /// Text of the definition that was executed, if the recording contains it.
    pub definition: Option<Text>,
    /// Number of times that the execution was redriven.
    pub redrive_count: u32,
}

impl RecordedExecution {
    /// Fills in what this execution lacks (such as its name or input) from `about`, the data of a DescribeExecution
    /// response.
    pub(super) fn complete(&mut self, about: &Self) {
        fn fill<T: Clone>(slot: &mut Option<T>, from: &Option<T>) {
            if slot.is_none() {
                slot.clone_from(from);
            }
        }
        fill(&mut self.arn, &about.arn);
        fill(&mut self.name, &about.name);
        fill(&mut self.machine_arn, &about.machine_arn);
        fill(&mut self.role_arn, &about.role_arn);
        fill(&mut self.status, &about.status);
        fill(&mut self.definition, &about.definition);
        fill(&mut self.start, &about.start);
        self.redrive_count = about.redrive_count;
        if matches!(self.input, Payload::Unknown | Payload::Absent) {
            self.input = about.input.clone();
        }
    }

    /// True if the execution ended and did not succeed.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        let end = self.events.iter().rev().find(|event| event.is_end());
        end.is_some_and(|event| &*event.type_name != "ExecutionSucceeded")
    }

    /// Name of the state machine, taken from an ARN.
    #[must_use]
    pub fn machine(&self) -> Option<&str> {
        let arn = self.machine_arn.as_deref();
        let machine_name = arn.and_then(|arn| arn.split(':').nth(6));
        machine_name.or_else(|| self.arn.as_deref()?.split(':').nth(6))
    }

    /// The members of the context object that the recording determines.
    #[must_use]
    pub fn context(&self) -> Value {
        let text = |text: &Option<Text>| text.clone().map(Value::String);
        let mut execution: Vec<(Text, Value)> = Vec::new();
        let mut machine: Vec<(Text, Value)> = Vec::new();
        let known = [
            ("Id", text(&self.arn)),
            ("Name", text(&self.name)),
            ("RoleArn", text(&self.role_arn)),
        ];
        execution.extend(
            known
                .into_iter()
                .filter_map(|(name, value)| Some((name.into(), value?))),
        );
        if self.redrive_count > 0 {
            let count = Value::from(i64::from(self.redrive_count));
            execution.push(("RedriveCount".into(), count));
        }
        machine.extend(text(&self.machine_arn).map(|arn| ("Id".into(), arn)));
        machine.extend(
            self.machine()
                .map(|name| ("Name".into(), Value::from(name))),
        );
        let parts = [("Execution", execution), ("StateMachine", machine)];
        let parts = parts.into_iter().filter(|(_, members)| !members.is_empty());
        Value::object(
            parts
                .map(|(name, members)| (name.into(), Value::object(members)))
                .collect(),
        )
    }
}
