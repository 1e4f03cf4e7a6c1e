//! Parses the fields that only a Task has, in particular its resource.

use super::lowering::{is_jsonata, text_of};
use super::object::Object;
use super::rules::RESOURCE;
use super::state::{MOST_SECONDS, StateReader};
use crate::definition::{CallPattern, Integration, Task};
use std::sync::OnceLock;

impl<'n> StateReader<'_, 'n> {
    pub(super) fn task(&mut self, object: Object<'n, '_>) -> Task {
        if object.get("Resource").is_none() {
            self.required(
                object,
                "Resource",
                RESOURCE,
                "the ARN of what the task calls",
            );
        }
        let resource = self.resource(object).unwrap_or_else(|| "".into());
        let integration = Integration::parse(&resource);
        let is_lambda = matches!(&integration, Integration::Service { service, .. }
            if matches!(&**service, "lambda" | "aws-sdk:lambda"));
        let parameters = object.get("Parameters").or_else(|| object.get("Arguments"));
        let function = parameters.and_then(|given| text_of(given, "FunctionName"));
        Task {
            function: function.filter(|name| is_lambda && !is_jsonata(name)),
            integration,
            resource,
            timeout: self.quantity(object, "TimeoutSeconds", (1, MOST_SECONDS)),
            heartbeat: self.quantity(object, "HeartbeatSeconds", (1, MOST_SECONDS)),
            credentials: self.payload(object, "Credentials", "Credentials"),
            call: OnceLock::new(),
        }
    }

    fn resource(&mut self, object: Object<'n, '_>) -> Option<crate::json::Text> {
        let value = object.get("Resource")?;
        match value.string() {
            Some(string) => Some(string.text.clone()),
            None => {
                self.wrong_type(value, object.at("Resource"), "String", RESOURCE);
                None
            }
        }
    }
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
