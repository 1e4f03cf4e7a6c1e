//! `sendTaskSuccess`, `sendTaskFailure` and `sendTaskHeartbeat`: calls that send a task token.

use crate::definition::{Integration, Task};
use crate::interpreter::Outcome;
use crate::json::{Text, Value};

/// A call that sends a task token.
#[derive(Clone, Debug, PartialEq)]
pub struct Callback {
    /// `TaskToken`.
    pub token: Text,
    /// Outcome of the waiting task; `None` for a heartbeat.
    pub outcome: Option<Outcome>,
}

impl Callback {
    /// The callback of a task's call; `None` if the task calls something else.
    #[must_use]
    pub fn of(task: &Task, input: &Value) -> Option<Self> {
        let Integration::Service { service, api, .. } = &task.integration else {
            return None;
        };
        let text = |name: &str| input.get(name).and_then(Value::as_str).map(Text::from);
        let token = text("TaskToken").filter(|_| &**service == "aws-sdk:sfn")?;
        let outcome = match &**api {
            "sendTaskSuccess" => {
                let output = input.get("Output").cloned().unwrap_or_default();
                let parsed = output
                    .as_str()
                    .and_then(|text| crate::json::parse(text).ok());
                Some(Outcome::Success(parsed.unwrap_or(output)))
            }
            "sendTaskFailure" => Some(Outcome::Failure {
                error: text("Error"),
                cause: text("Cause"),
            }),
            "sendTaskHeartbeat" => None,
            _ => return None,
        };
        Some(Self { token, outcome })
    }
}
