//! Names of actions in the AWS command line, and names of API errors in Step Functions.

use super::call::Call;
use super::catalogue::{Service, service};
use super::model::Naming;

impl Call {
    /// Creates a call of a plain API action, without the extras of an integration; `None` if the action is not known.
    #[must_use]
    pub fn of_action(of: &str, action: &str, naming: Naming) -> Option<Self> {
        let found = service(of)?;
        let model = found.model()?;
        let action = model.action(action)?;
        Some(Self {
            service: found.name,
            prefixes: vec![found.prefix],
            errors: &model.errors,
            action: Some((found, action.name)),
            ..Self::of_model(naming, model, action)
        })
    }

    /// The call without its service integration pattern; `None` if the action is not known.
    #[must_use]
    pub fn alone(&self) -> Option<Self> {
        let (of, action) = self.action?;
        Self::of_action(of.name, action, self.naming)
    }

    /// True if the API action has this name.
    #[must_use]
    pub fn calls(&self, action: &str) -> bool {
        self.action.is_some_and(|(_, own)| own == action)
    }

    /// Service and action in the AWS command line: `s3api`, `get-object`; `None` if they are not known.
    #[must_use]
    pub fn command(&self) -> Option<(&'static str, String)> {
        let (of, action) = self.action?;
        let service = match of.botocore {
            "s3" => "s3api",
            "config" => "configservice",
            "codedeploy" => "deploy",
            name => name,
        };
        Some((service, command_name(action)))
    }

    /// Name that Step Functions gives to the error with this API code, and the name of the service in the error's
    /// cause.
    #[must_use]
    pub fn error_of(&self, code: &str) -> (String, String) {
        let prefix = self.prefixes.first().copied().unwrap_or("States");
        let code = code.rsplit('.').next().unwrap_or(code);
        let named = match code.ends_with("Exception") {
            true => code.to_string(),
            false => format!("{code}Exception"),
        };
        let is_client = named == "SdkClientException";
        let model = self.action.and_then(|(of, _)| Service::model(of));
        let errors = model.map_or(&[][..], |model| &model.errors);
        let modelled = errors.iter().find(|error| is_same(error, code));
        if self.naming == Naming::Sdk {
            let general = || match is_client {
                true => named.clone(),
                false => format!("{prefix}Exception"),
            };
            let name = modelled.map_or_else(general, |error| (*error).to_string());
            return (format!("{prefix}.{name}"), prefix.to_string());
        }
        let family = match prefix {
            "Batch" | "Glue" | "Lambda" | "StepFunctions" | "CodeBuild" => format!("AWS{prefix}"),
            _ => format!("Amazon{prefix}"),
        };
        // True if the integration keeps the service's error name instead of a general one.
        let keeps = match self.service {
            "lambda" | "states" => true,
            _ if !self.recorded.is_empty() => self.recorded.contains(&named.as_str()),
            _ => modelled.is_some(),
        };
        let name = match keeps || is_client {
            true => named,
            false => format!("{family}Exception"),
        };
        let family = match prefix {
            "DynamoDB" => format!("{family}v2"),
            _ => family,
        };
        (format!("{prefix}.{name}"), family)
    }
}

/// True if an error name of the SDK for Java stands for this error code of an API.
fn is_same(error: &str, code: &str) -> bool {
    let bare = |name: &str| {
        let name = name.to_ascii_lowercase();
        let name = name.strip_suffix("exception").unwrap_or(&name).to_string();
        name.strip_suffix("fault").unwrap_or(&name).to_string()
    };
    bare(error) == bare(code)
}

/// The name of an action or a member in the AWS command line: `describe-db-instances` for `describeDBInstances`.
#[must_use]
pub fn command_name(name: &str) -> String {
    let signs: Vec<char> = name.chars().collect();
    let is = |place: usize, test: fn(&char) -> bool| signs.get(place).is_some_and(test);
    let is_plural = |place: usize| is(place, |sign| *sign == 's') && place + 1 == signs.len();
    let mut text = String::new();
    for (place, sign) in signs.iter().enumerate() {
        let follows = |test: fn(&char) -> bool| place > 0 && is(place - 1, test);
        let begins = is(place + 1, char::is_ascii_lowercase) && !is_plural(place + 1);
        let ends = follows(char::is_ascii_lowercase) || follows(char::is_ascii_digit);
        if sign.is_ascii_uppercase() && place > 0 && (begins || ends) {
            text.push('-');
        }
        text.push(sign.to_ascii_lowercase());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_named_as_the_command_line_names_them() {
        for (name, wanted) in [
            ("getObject", "get-object"),
            ("describeDBInstances", "describe-db-instances"),
            ("listObjectsV2", "list-objects-v2"),
            ("listWebACLs", "list-web-acls"),
            ("FunctionName", "function-name"),
            ("SSECustomerKeyMD5", "sse-customer-key-md5"),
        ] {
            assert_eq!(command_name(name), wanted);
        }
    }

    #[test]
    fn errors_are_named_by_integration() {
        for (service, action, code, wanted) in [
            (
                "aws-sdk:s3",
                "getObject",
                "NoSuchKey",
                "S3.NoSuchKeyException",
            ),
            (
                "aws-sdk:dynamodb",
                "putItem",
                "ConditionalCheckFailedException",
                "DynamoDb.ConditionalCheckFailedException",
            ),
            (
                "aws-sdk:dynamodb",
                "putItem",
                "ValidationException",
                "DynamoDb.DynamoDbException",
            ),
            (
                "aws-sdk:secretsmanager",
                "getSecretValue",
                "ValidationException",
                "SecretsManager.SecretsManagerException",
            ),
            (
                "aws-sdk:rds",
                "describeDBInstances",
                "DBInstanceNotFound",
                "Rds.DbInstanceNotFoundException",
            ),
            (
                "aws-sdk:sqs",
                "sendMessage",
                "SdkClientException",
                "Sqs.SdkClientException",
            ),
            (
                "dynamodb",
                "putItem",
                "ResourceNotFoundException",
                "DynamoDB.ResourceNotFoundException",
            ),
            (
                "dynamodb",
                "putItem",
                "ValidationException",
                "DynamoDB.AmazonDynamoDBException",
            ),
            (
                "sqs",
                "sendMessage",
                "AWS.SimpleQueueService.NonExistentQueue",
                "SQS.AmazonSQSException",
            ),
            (
                "sqs",
                "sendMessage",
                "SdkClientException",
                "SQS.SdkClientException",
            ),
            (
                "lambda",
                "invoke",
                "ResourceNotFoundException",
                "Lambda.ResourceNotFoundException",
            ),
            (
                "states",
                "startExecution",
                "StateMachineDoesNotExist",
                "StepFunctions.StateMachineDoesNotExistException",
            ),
        ] {
            let call = Call::find(service, action).unwrap_or_else(|why| panic!("{why:?}"));
            assert_eq!(call.error_of(code).0, wanted, "{service} {code}");
        }
    }
}
