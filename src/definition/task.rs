//! The fields of a Task: the resource that it calls, its service integration pattern, and its task token.

use super::field_value::{Payload, Quantity};
use crate::json::Text;
use crate::service::Call;
use std::sync::{Arc, OnceLock};

/// The fields of a Task.
#[derive(Clone, Debug)]
pub struct Task {
    /// The field `Resource`, as written.
    pub resource: Text,
    /// The kind of resource that the task calls.
    pub integration: Integration,
    /// The constant in `FunctionName`, if the task calls Lambda's `invoke`; `None` if the field is not a constant.
    pub function: Option<Text>,
    /// The number of seconds in `TimeoutSeconds`, or the path in `TimeoutSecondsPath`.
    pub timeout: Option<Quantity<u64>>,
    /// The number of seconds in `HeartbeatSeconds`, or the path in `HeartbeatSecondsPath`.
    pub heartbeat: Option<Quantity<u64>>,
    /// The value of `Credentials`.
    pub credentials: Option<Payload>,
    pub(super) call: OnceLock<Option<Arc<Call>>>,
}

impl Task {
    /// The API action that the task calls; `None` if the task calls no known action. The result of the lookup is kept.
    #[must_use]
    pub fn call(&self) -> Option<&Call> {
        let call = self.call.get_or_init(|| match &self.integration {
            Integration::Service { service, api, .. } => {
                Call::find(service, api).ok().map(Arc::new)
            }
            _ => None,
        });
        call.as_deref()
    }

    /// The service integration pattern of the call; `None` if the task does not call a service.
    #[must_use]
    pub fn pattern(&self) -> Option<CallPattern> {
        match self.integration {
            Integration::Service { pattern, .. } => Some(pattern),
            _ => None,
        }
    }

    /// True if the context object contains a task token: for callbacks and, as was observed on AWS, also for `.sync`.
    #[must_use]
    pub fn has_token(&self) -> bool {
        matches!(
            self.pattern(),
            Some(CallPattern::Callback | CallPattern::RunJob)
        )
    }
}

/// The kind of resource that a Task calls, with its service integration pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Integration {
    /// A Lambda function, given by its own ARN.
    Lambda,
    /// An activity that a worker polls.
    Activity,
    /// An API action of a service: `arn:aws:states:::<service>:<api>`.
    Service {
        /// The service: `lambda`, `sqs`, `aws-sdk:s3`, ... (`resourceType` in histories).
        service: Text,
        /// The API action with its pattern: `invoke`, `sendMessage.waitForTaskToken`, ... (`resource` in histories).
        api: Text,
        /// The service integration pattern.
        pattern: CallPattern,
    },
    /// Any other resource.
    Other,
}

/// The service integration patterns: when a Task that calls a service continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallPattern {
    /// Continues after the HTTP response.
    RequestResponse,
    /// `.sync`, `.sync:2`: waits until the job is complete.
    RunJob,
    /// `.waitForTaskToken`: waits for a callback.
    Callback,
}

impl Integration {
    /// Parses a resource. Anything unknown becomes [`Integration::Other`].
    #[must_use]
    pub fn parse(resource: &str) -> Self {
        let mut parts = resource.splitn(6, ':');
        let mut part = || parts.next().unwrap_or_default();
        let (arn, partition, service) = (part(), part(), part());
        let (region, account, rest) = (part(), part(), part());
        if arn != "arn" || !matches!(partition, "aws" | "aws-cn" | "aws-us-gov") {
            return Self::Other;
        }
        match service {
            "lambda" if rest.starts_with("function:") => Self::Lambda,
            "states" if rest.starts_with("activity:") => Self::Activity,
            "states" if region.is_empty() && account.is_empty() => {
                Self::service(rest).unwrap_or(Self::Other)
            }
            _ => Self::Other,
        }
    }

    fn service(rest: &str) -> Option<Self> {
        let (service, api) = match rest.strip_prefix("aws-sdk:") {
            Some(sdk) => {
                let (service, api) = sdk.split_once(':')?;
                (format!("aws-sdk:{service}"), api)
            }
            None => {
                let (service, api) = rest.split_once(':')?;
                (service.to_string(), api)
            }
        };
        if service.is_empty() || service == "aws-sdk:" || api.is_empty() {
            return None;
        }
        let pattern = match api.split_once('.').map(|(_, pattern)| pattern) {
            Some("sync" | "sync:2") => CallPattern::RunJob,
            Some("waitForTaskToken") => CallPattern::Callback,
            _ => CallPattern::RequestResponse,
        };
        Some(Self::Service {
            service: service.into(),
            api: api.into(),
            pattern,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources() {
        let service = |service: &str, api: &str, pattern| Integration::Service {
            service: service.into(),
            api: api.into(),
            pattern,
        };
        let cases = [
            (
                "arn:aws:lambda:eu-west-1:123456789012:function:f:1",
                Integration::Lambda,
            ),
            (
                "arn:aws-cn:lambda:cn-north-1:123456789012:function:f",
                Integration::Lambda,
            ),
            (
                "arn:aws:states:eu-west-1:123456789012:activity:a",
                Integration::Activity,
            ),
            (
                "arn:aws:states:::sqs:sendMessage",
                service("sqs", "sendMessage", CallPattern::RequestResponse),
            ),
            (
                "arn:aws-us-gov:states:::sqs:sendMessage.waitForTaskToken",
                service("sqs", "sendMessage.waitForTaskToken", CallPattern::Callback),
            ),
            (
                "arn:aws:states:::states:startExecution.sync:2",
                service("states", "startExecution.sync:2", CallPattern::RunJob),
            ),
            (
                "arn:aws:states:::aws-sdk:s3:getObject",
                service("aws-sdk:s3", "getObject", CallPattern::RequestResponse),
            ),
            ("arn:aws:swf:eu-west-1:1:task:x", Integration::Other),
            ("arn:aws:states:::aws-sdk:s3", Integration::Other),
            ("${Function}", Integration::Other),
            ("", Integration::Other),
        ];
        for (resource, wanted) in cases {
            assert_eq!(Integration::parse(resource), wanted, "{resource}");
        }
    }
}
