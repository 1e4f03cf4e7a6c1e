//! Checks whether the Resource of a Task exists on AWS.

use super::{Checker, StateAt};
use crate::definition::lower::rules::RESOURCE;
use crate::definition::lower::{is_jsonata, is_opaque};
use crate::definition::rule::{LintRule, Severities, rules};
use crate::definition::{Integration, Task};
use crate::service::{Call, Unknown, date};

rules! {
    ARN = 28, "arn", "SCHEMA_VALIDATION_FAILED", Severities::REFUSED_BY_AWS, "Resource is not an ARN that AWS knows" {
        URI = Severities::WARNING, "where it is another URI";
        UNKNOWN_ACTION = Severities::ON_AWS,
            "where the service may have the action since the catalogue was made";
        UNKNOWN_SERVICE = Severities::INFO, "where AWS may have the service since the catalogue was made";
    };
}

impl Checker<'_> {
    /// Checks the Resource. Returns the API action that it calls, if it is one of a service.
    pub(super) fn resource(&mut self, at: StateAt<'_>, task: &Task) -> Option<Call> {
        let field = at.field("Resource")?;
        let text = field.text()?;
        if text.is_empty() {
            let help = "write the ARN of what the task calls";
            self.report(RESOURCE, "Value cannot be empty", field.value(), help);
            return None;
        }
        if is_jsonata(text) || text.starts_with("$.") {
            let help = "write the ARN, and pass what varies in the parameters";
            let message = "a Resource is plain text, not evaluated";
            self.report(RESOURCE, message, field.value(), help);
            return None;
        }
        let filled;
        let integration = match is_opaque(text) {
            true => {
                // The partition may be a placeholder.
                let (before, after) = text.split_once(":states:::")?;
                filled = Integration::parse(&format!("arn:aws:states:::{after}"));
                if is_opaque(after) || before.matches(':').count() > 3 {
                    return None;
                }
                &filled
            }
            false => &task.integration,
        };
        match integration {
            Integration::Service { service, api, .. } => match Call::find(service, api) {
                Ok(call) => Some(call),
                Err(unknown) => {
                    let (rule, help) = unknown_resource(text, unknown);
                    self.report(rule, not_recognized(text), field.value(), help);
                    None
                }
            },
            _ if text.starts_with("arn:") => None,
            _ => {
                // By the specification, any URI is a valid resource.
                let rule = if text.contains(':') { URI } else { ARN };
                let help = "an ARN such as arn:aws:states:::lambda:invoke";
                self.report(rule, not_recognized(text), field.value(), help);
                None
            }
        }
    }
}

/// The rule and the message for a Resource that does not exist.
fn unknown_resource(text: &str, unknown: Unknown) -> (LintRule, String) {
    let date = date();
    match unknown {
        Unknown::Service(None) => (
            UNKNOWN_SERVICE,
            format!("AWS had no such service on {date}, the date of the catalogue"),
        ),
        Unknown::Action(None) => (
            UNKNOWN_ACTION,
            format!("the service had no such action on {date}, the date of the catalogue"),
        ),
        Unknown::Service(Some(meant)) | Unknown::Action(Some(meant)) => {
            (ARN, format!("did you mean \"{meant}\"?"))
        }
        Unknown::Refused => (ARN, "Step Functions cannot call this action".to_string()),
        Unknown::Pattern(meant) if meant.contains(".sync") && text.contains("aws-sdk:") => {
            (ARN, format!("aws-sdk has no .sync: write \"{meant}\""))
        }
        Unknown::Pattern(meant) => (ARN, format!("it has no such pattern: write \"{meant}\"")),
    }
}

fn not_recognized(text: &str) -> String {
    format!(
        "The resource provided {text} is not recognized. The value is not a valid resource ARN, or the resource is not available in this region."
    )
}
