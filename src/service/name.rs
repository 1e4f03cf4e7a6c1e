//! Names that belong to a call: the names of the errors that it can raise, and the name of its action in the AWS
//! command line.

use super::call::Call;
use super::catalogue::{Service, service, services};
use super::model::Naming;
use super::optimized::{error_name, optimized};
use crate::source::nearest;

/// Errors that services raise although their models do not list them.
const UNLISTED: [&str; 8] = [
    "AccessDeniedException",
    "ExpiredTokenException",
    "InternalServerException",
    "SdkClientException",
    "ServiceUnavailableException",
    "ThrottlingException",
    "TooManyRequestsException",
    "ValidationException",
];

/// The reason why a call never raises an error with a given name, for example a name in ErrorEquals. Some reasons
/// contain the name that was probably meant.
#[derive(Debug, PartialEq, Eq)]
pub enum NeverRaised {
    /// The name has no prefix. Contains the name that was probably meant, if the name looks like that of an error.
    Bare(Option<String>),
    /// The prefix is a misspelling of the call's prefix, or belongs to another kind of integration. Contains the name
    /// that was probably meant.
    Prefix(String),
    /// The prefix belongs to another service, whose errors the call never raises.
    OtherService,
    /// The service has no error with this name. Contains the name that was probably meant.
    Name(String),
}

impl Call {
    /// Returns the reason why the call never raises an error with this name; `None` if it may raise the error.
    ///
    /// Names defined by the language, which begin with `States.`, are not checked.
    #[must_use]
    pub fn never_raises(&self, name: &str) -> Option<NeverRaised> {
        let known_prefix = self.prefixes.first()?;
        // Callbacks and Lambda functions may raise errors with any name.
        let is_free = self.naming == Naming::Optimized && self.service == "lambda";
        if self.pattern == "waitForTaskToken" || name.starts_with("States.") {
            return None;
        }
        let with_prefix = |rest: &str| {
            let meant = self.meant_error(rest).unwrap_or_else(|| rest.to_string());
            format!("{known_prefix}.{meant}")
        };
        let Some((prefix, rest)) = name.split_once('.') else {
            let looks_like_one = name.ends_with("Exception") || self.meant_error(name).is_some();
            return (!is_free)
                .then(|| NeverRaised::Bare(looks_like_one.then(|| with_prefix(name))));
        };
        if self.prefixes.contains(&prefix) {
            let meant = self.meant_error(rest)?;
            return Some(NeverRaised::Name(format!("{known_prefix}.{meant}")));
        }
        let is_other = is_prefix(prefix);
        if self.is_misspelt(prefix)
            || !is_other && nearest(prefix, self.prefixes.iter().copied()).is_some()
        {
            return Some(NeverRaised::Prefix(with_prefix(rest)));
        }
        (is_other && !is_free).then_some(NeverRaised::OtherService)
    }

    /// Names of errors that the call is known to raise.
    #[must_use]
    pub fn raised(&self) -> Vec<String> {
        let Some(prefix) = self.prefixes.first() else {
            return Vec::new();
        };
        let general = (self.naming == Naming::Sdk).then(|| format!("{prefix}Exception"));
        let known = match self.recorded.is_empty() {
            true => &self.action_errors,
            false => &self.recorded,
        };
        let names = known.iter().map(|name| (*name).to_string()).chain(general);
        names.map(|name| format!("{prefix}.{name}")).collect()
    }

    /// The name of an existing error that was probably meant by `name`; `None` if `name` is an existing error or no
    /// name is similar. Only SDK integrations have a complete list of errors.
    fn meant_error(&self, name: &str) -> Option<String> {
        let general = self
            .prefixes
            .first()
            .map(|prefix| format!("{prefix}Exception"));
        let general = general.as_deref().into_iter().chain(["SdkClientException"]);
        let known = || self.errors.iter().copied().chain(general.clone());
        if self.naming != Naming::Sdk
            || UNLISTED.contains(&name)
            || known().any(|error| error == name)
        {
            return None;
        }
        let with_suffix = format!("{}Exception", name.trim_end_matches("Fault"));
        let by_suffix = known().find(|error| error.eq_ignore_ascii_case(&with_suffix));
        by_suffix
            .or_else(|| nearest(name, known()))
            .or_else(|| nearest(&with_suffix, known()))
            .map(str::to_string)
    }

    /// True if `prefix`, the part of an error name before the dot, is not a valid prefix of this call's errors, but
    /// resembles one: it differs only in case, or belongs to another kind of integration of the same service.
    fn is_misspelt(&self, prefix: &str) -> bool {
        let is_own = |other: &str| {
            self.prefixes
                .iter()
                .any(|known| known.eq_ignore_ascii_case(other))
        };
        let of_table = optimized().iter().filter(|service| match self.naming {
            Naming::Sdk => service.service == self.service,
            Naming::Optimized => service.name == self.service,
        });
        let mut others = of_table.flat_map(|service| {
            let sdk = services().iter().filter(|of| of.name == service.service);
            let names = [service.name, service.service].into_iter();
            service
                .prefixes
                .iter()
                .copied()
                .chain(names)
                .chain(sdk.map(|of| of.prefix))
        });
        is_own(prefix)
            || prefix.eq_ignore_ascii_case(self.service)
            || others.any(|other| other.eq_ignore_ascii_case(prefix))
    }
}

/// True if the error names of any service have this prefix.
fn is_prefix(prefix: &str) -> bool {
    services().iter().any(|service| service.prefix == prefix)
        || optimized()
            .iter()
            .any(|service| service.prefixes.contains(&prefix))
}

impl Call {
    /// Creates a call of an API action as its model describes it; `None` if the action is not known.
    #[must_use]
    pub fn of_action(of: &str, action: &str, naming: Naming) -> Option<Self> {
        let service = service(of)?;
        let model = service.model()?;
        let action = model.action(action)?;
        Some(Self::of_service(service, model, action, naming))
    }

    /// The call of the same action without a service integration pattern; `None` if the action has no API model.
    #[must_use]
    pub fn alone(&self) -> Option<Self> {
        let (of, action) = self.action?;
        Self::of_action(of.name, action, self.naming)
    }

    /// True if this call calls the API action `action`.
    #[must_use]
    pub fn calls(&self, action: &str) -> bool {
        self.action.is_some_and(|(_, known)| known == action)
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

    /// The error name that Step Functions uses for an error code of the API, and the name of the service in the error's
    /// cause.
    #[must_use]
    pub fn error_of(&self, code: &str) -> (String, String) {
        let prefix = self.prefixes.first().copied().unwrap_or("States");
        let code = code.rsplit('.').next().unwrap_or(code);
        // A response without a body has no error code, so `code` is its HTTP status. If the action has only one error,
        // the status 404 stands for this error, such as the missing object of a HEAD request.
        let is_status = code.bytes().all(|byte| byte.is_ascii_digit());
        let code = match (is_status, code, self.action_errors.as_slice()) {
            (true, "404", [only]) => only,
            (true, ..) => "ServiceException",
            (false, ..) => code,
        };
        let named = match code.ends_with("Exception") {
            true => code.to_string(),
            false => format!("{code}Exception"),
        };
        let is_client = named == "SdkClientException";
        let service = self.action.map(|(of, _)| of);
        let model = service.and_then(Service::model);
        let errors = model.map_or(&[][..], |model| &model.errors);
        let in_model = service.map_or(code, |of| error_name(of.name, code));
        let known = |errors: &[&'static str], name| {
            let mut errors = errors.iter().copied();
            errors.find(|error| is_same(error, name))
        };
        let modelled = known(&self.action_errors, in_model).or_else(|| known(errors, code));
        if self.naming == Naming::Sdk {
            let general = || match is_client {
                true => named.clone(),
                false => format!("{prefix}Exception"),
            };
            let name = modelled.map_or_else(general, str::to_string);
            return (format!("{prefix}.{name}"), prefix.to_string());
        }
        let family = match prefix {
            "Batch" | "Glue" | "Lambda" | "StepFunctions" | "CodeBuild" => format!("AWS{prefix}"),
            _ => format!("Amazon{prefix}"),
        };
        // True if the integration raises the error name of the service; false if it raises a general error name.
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

/// True if an error name in the SDK for Java and an error code of the API mean the same error: they differ only in case
/// and in the endings `Exception` and `Fault`.
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
                "aws-sdk:sqs",
                "sendMessage",
                "AWS.SimpleQueueService.NonExistentQueue",
                "Sqs.QueueDoesNotExistException",
            ),
            (
                "aws-sdk:cloudwatch",
                "describeAlarms",
                "ResourceNotFound",
                "CloudWatch.ResourceNotFoundException",
            ),
            ("aws-sdk:s3", "headObject", "404", "S3.NoSuchKeyException"),
            (
                "aws-sdk:s3",
                "headBucket",
                "404",
                "S3.NoSuchBucketException",
            ),
            ("aws-sdk:s3", "headObject", "403", "S3.S3Exception"),
            ("lambda", "invoke", "431", "Lambda.ServiceException"),
            (
                "dynamodb",
                "putItem",
                "500",
                "DynamoDB.AmazonDynamoDBException",
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
