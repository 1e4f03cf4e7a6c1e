//! Tests of calls to known services, and of code that depends on the names of the services' members and errors.

use super::{Call, FieldValidation, Naming, Unknown, mock_fault, service};
use crate::json::parse;

fn call(resource: &str) -> Call {
    let (service, action) = resource.rsplit_once(':').unwrap();
    Call::find(service, action).unwrap_or_else(|unknown| panic!("{resource}: {unknown:?}"))
}

/// True if the names in a path lead to a member of a parameter or a result. A path does not name the items of lists or
/// the values of maps.
fn has(call: &Call, members: Option<&Vec<super::Member>>, path: &str) -> bool {
    let mut members = members.unwrap().clone();
    path.split('.').all(|name| {
        let Some(member) = members.iter().find(|member| member.is(name, call.naming)) else {
            return false;
        };
        let mut kind = member.kind;
        while let Some(super::Shape::List(inner) | super::Shape::Map(inner)) = call.shape(kind) {
            kind = *inner;
        }
        members = match call.shape(kind) {
            Some(super::Shape::Structure(inner)) => inner.clone(),
            _ => Vec::new(),
        };
        true
    })
}

#[test]
fn parameters_are_as_a_task_writes_them() {
    for (resource, path, there) in [
        (
            "aws-sdk:rds:describeDBInstances",
            "DbInstanceIdentifier",
            true,
        ),
        (
            "aws-sdk:rds:describeDBInstances",
            "DBInstanceIdentifier",
            false,
        ),
        ("aws-sdk:dynamodb:putItem", "Item.Bool", true),
        ("aws-sdk:dynamodb:putItem", "Item.BOOL", false),
        ("aws-sdk:dynamodb:putItem", "Item.Nul", true),
        ("dynamodb:putItem", "Item.BOOL", true),
        ("dynamodb:putItem", "Item.Bool", false),
        ("dynamodb:putItem", "Item.M.L.S", true),
        (
            "ecs:runTask",
            "NetworkConfiguration.AwsvpcConfiguration.Subnets",
            true,
        ),
        ("aws-sdk:sns:publish", "TopicArn", true),
        (
            "aws-sdk:config:putConfigRule",
            "ConfigRule.ConfigRuleName",
            true,
        ),
        ("aws-sdk:ec2:describeInstances", "Filters.Name", true),
        ("aws-sdk:ec2:describeInstances", "Filter", false),
        ("aws-sdk:s3:copyObject", "DestinationBucket", true),
        ("aws-sdk:s3:copyObject", "ChecksumAlgorithm", true),
        ("aws-sdk:backup:startBackupJob", "StaticValue", false),
        ("aws-sdk:sfn:startExecution", "StateMachineArn", true),
        ("aws-sdk:sfn:startExecution", "stateMachineArn", false),
        ("elasticmapreduce:addStep.sync", "Step", true),
        ("http:invoke", "ApiEndpoint", true),
        ("bedrock:invokeModel", "Input", true),
        ("bedrock:invokeModel", "ModelId", true),
    ] {
        let call = call(resource);
        assert_eq!(
            has(&call, call.parameters.as_ref(), path),
            there,
            "{resource} {path}"
        );
    }
}

#[test]
fn results_are_as_a_task_reads_them() {
    for (resource, path, there) in [
        ("lambda:invoke", "Payload", true),
        ("lambda:invoke", "payload", false),
        ("aws-sdk:dynamodb:describeTable", "Table.TableStatus", true),
        ("aws-sdk:dynamodb:describeTable", "Tabel", false),
        (
            "aws-sdk:ec2:describeImages",
            "Images.PublicLaunchPermissions",
            true,
        ),
        ("aws-sdk:sqs:sendMessage", "Md5OfMessageBody", true),
        ("sqs:sendMessage", "MD5OfMessageBody", true),
        ("apigateway:invoke", "ResponseBody", true),
    ] {
        let call = call(resource);
        assert_eq!(
            has(&call, call.result.as_ref(), path),
            there,
            "{resource} {path}"
        );
    }
    for resource in ["lambda:invoke.waitForTaskToken", "ecs:runTask.sync"] {
        assert!(call(resource).result.is_none(), "{resource}");
    }
}

#[test]
fn errors_are_named_as_javas_sdk_names_them() {
    for (name, error) in [
        ("s3", "S3.NoSuchKeyException"),
        ("s3", "S3.BucketAlreadyExistsException"),
        ("dynamodb", "DynamoDb.ResourceNotFoundException"),
        ("dynamodb", "DynamoDb.TransactionCanceledException"),
        ("sfn", "Sfn.InvalidTokenException"),
        ("sfn", "Sfn.InvalidArnException"),
        ("sqs", "Sqs.QueueDoesNotExistException"),
        ("acmpca", "AcmPca.ResourceNotFoundException"),
        ("rds", "Rds.DbInstanceNotFoundException"),
        ("glue", "Glue.CrawlerRunningException"),
        ("glue", "Glue.EntityNotFoundException"),
        (
            "organizations",
            "Organizations.DuplicateOrganizationalUnitException",
        ),
        (
            "cloudformation",
            "CloudFormation.NameAlreadyExistsException",
        ),
        ("cloudformation", "CloudFormation.StackSetNotFoundException"),
        ("lambda", "Lambda.ResourceConflictException"),
        ("forecast", "Forecast.ResourceInUseException"),
        (
            "elasticloadbalancing",
            "ElasticLoadBalancing.LoadBalancerNotFoundException",
        ),
        (
            "marketplacecommerceanalytics",
            "MarketplaceCommerceAnalytics.MarketplaceCommerceAnalyticsServiceException",
        ),
    ] {
        let service = service(name).unwrap();
        let (prefix, error) = error.split_once('.').unwrap();
        assert_eq!(service.prefix, prefix);
        assert!(
            service.model().unwrap().errors.contains(&error),
            "{prefix}.{error}"
        );
    }
}

#[test]
fn services_are_named_as_javas_sdk_names_them() {
    for (name, prefix) in [
        ("costexplorer", "CostExplorer"),
        ("wafv2", "Wafv2"),
        ("sesv2", "SesV2"),
        ("fsx", "FSx"),
        ("b2bi", "B2Bi"),
        ("databasemigration", "DatabaseMigration"),
        ("directory", "Directory"),
        (
            "serverlessapplicationrepository",
            "ServerlessApplicationRepository",
        ),
        ("lexruntimev2", "LexRuntimeV2"),
        ("simpledb", "SimpleDb"),
        ("iotdataplane", "IotDataPlane"),
    ] {
        assert_eq!(
            service(name).map(|service| service.prefix),
            Some(prefix),
            "{name}"
        );
    }
}

#[test]
fn what_cannot_be_called_is_explained() {
    let meant = |name: &str| Some(name.to_string());
    for (resource, unknown) in [
        ("aws-sdk:nosuchservice:doIt", Unknown::Service(None)),
        (
            "aws-sdk:logs:createLogStream",
            Unknown::Service(meant("aws-sdk:cloudwatchlogs")),
        ),
        (
            "aws-sdk:S3:getObject",
            Unknown::Service(meant("aws-sdk:s3")),
        ),
        (
            "aws-sdk:states:startExecution",
            Unknown::Service(meant("aws-sdk:sfn")),
        ),
        (
            "s3:getObject",
            Unknown::Service(meant("aws-sdk:s3:getObject")),
        ),
        (
            "eventbridge:putEvent",
            Unknown::Service(meant("events:putEvent")),
        ),
        (
            "aws-sdk:s3:GetObject",
            Unknown::Action(meant("aws-sdk:s3:getObject")),
        ),
        ("aws-sdk:appsync:graphql", Unknown::Action(None)),
        (
            "dynamodb:query",
            Unknown::Action(meant("aws-sdk:dynamodb:query")),
        ),
        (
            "dynamodb:getitem",
            Unknown::Action(meant("dynamodb:getItem")),
        ),
        ("aws-sdk:sts:assumeRole", Unknown::Refused),
        (
            "aws-sdk:codebuild:startBuild.sync",
            Unknown::Pattern("codebuild:startBuild.sync".to_string()),
        ),
        (
            "aws-sdk:s3:getObject.sync",
            Unknown::Pattern("aws-sdk:s3:getObject".to_string()),
        ),
        (
            "lambda:invoke.sync",
            Unknown::Pattern("lambda:invoke".to_string()),
        ),
        (
            "batch:submitJob.sync:2",
            Unknown::Pattern("batch:submitJob.sync".to_string()),
        ),
    ] {
        let (service, action) = match resource.strip_prefix("aws-sdk:") {
            Some(rest) => resource.split_at(rest.find(':').unwrap() + "aws-sdk:".len()),
            None => resource.split_at(resource.find(':').unwrap()),
        };
        let call = Call::find(service, action.trim_start_matches(':'));
        assert_eq!(call.map(|_| ()), Err(unknown), "{resource}");
    }
    assert!(
        Call::find("aws-sdk:qldb", "listLedgers").is_ok(),
        "closed, but documented"
    );
}

/// Every name in the table of optimized integrations must exist in the catalogue.
#[test]
fn optimized_integrations_have_their_apis() {
    for of in super::optimized::optimized() {
        for action in &of.actions {
            let Some((name, behind)) = action.model else {
                continue;
            };
            let model = service(name).and_then(|service| service.model());
            let action_behind = model.and_then(|model| model.action(behind));
            assert!(action_behind.is_some(), "{}:{}", of.name, action.name);
        }
    }
}

#[test]
fn mocks_are_held_to_the_api() {
    use FieldValidation::{None, Present, Strict};
    for (resource, mode, result, fault) in [
        (
            "aws-sdk:kms:encrypt",
            Present,
            r#"{"CiphertextBlob":""}"#,
            "Field 'CiphertextBlob' is smaller than the minimum length",
        ),
        (
            "aws-sdk:kms:encrypt",
            Strict,
            r#"{"CiphertextBlob":[]}"#,
            "Field 'CiphertextBlob' must be a string",
        ),
        (
            "aws-sdk:s3:getObject",
            Present,
            r#"{"StorageClass":"STANDARDS"}"#,
            "Field 'StorageClass' is not an expected value",
        ),
        (
            "aws-sdk:s3:getObject",
            None,
            r#"{"StorageClass":"STANDARDS"}"#,
            "",
        ),
        (
            "aws-sdk:s3:getObject",
            Strict,
            r#"{"Metadata":{"a":1}}"#,
            "Field 'Metadata' must be a string",
        ),
        (
            "aws-sdk:s3:getObject",
            Strict,
            r#"{"Metadata":[]}"#,
            "Field 'Metadata' must be an object",
        ),
        (
            "aws-sdk:s3:getObject",
            Strict,
            r#"{"DeleteMarker":"no"}"#,
            "Field 'DeleteMarker' must be a boolean",
        ),
        ("aws-sdk:s3:getObject", Strict, r#"{"Deleted":"no"}"#, ""),
        (
            "aws-sdk:lambda:getFunction",
            Strict,
            r#"{"Configuration":{"MemorySize":12}}"#,
            "Field 'MemorySize' is less than the minimum value",
        ),
        (
            "states:startExecution",
            Strict,
            r#"{"executionArn":"a"}"#,
            "Required field 'ExecutionArn' is missing",
        ),
        (
            "states:startExecution",
            Present,
            r#"{"executionArn":"a"}"#,
            "",
        ),
        (
            "states:startExecution",
            Present,
            r#"{"StartDate":12}"#,
            "Field 'StartDate' must be a string",
        ),
        (
            "states:startExecution.sync",
            Strict,
            r#"{"StartDate":12}"#,
            "",
        ),
        ("lambda:invoke", Strict, r#"{"Payload":{"a":1}}"#, ""),
        (
            "lambda:invoke",
            Strict,
            r#"{"StatusCode":"200"}"#,
            "Field 'StatusCode' must be a number",
        ),
        ("sqs:sendMessage", Strict, r#"{"MD5OfMessageBody":1}"#, ""),
        (
            "sqs:sendMessage",
            Strict,
            r#"{"MessageId":1}"#,
            "Field 'MessageId' must be a string",
        ),
        (
            "aws-sdk:dynamodb:getItem",
            Strict,
            r#"{"Item":{"a":{"M":{"b":{"N":1}}}}}"#,
            "Field 'N' must be a string",
        ),
        (
            "events:putEvents",
            Strict,
            r#"{"Entries":{},"FailedEntryCount":0}"#,
            "Field 'Entries' must be an array",
        ),
        (
            "events:putEvents",
            Present,
            r#"{"Entries":[{"EventId":"a"},{"EventId":null}]}"#,
            "Field 'EventId' must be a string",
        ),
        ("events:putEvents", Strict, r#"{"Entry":1}"#, ""),
        ("events:putEvents", Strict, "{}", ""),
        ("events:putEvents", None, r#"{"Entries":1}"#, ""),
        (
            "batch:submitJob",
            Strict,
            r#"{"JobId":"a","jobName":"b"}"#,
            "Required field 'JobName' is missing",
        ),
        (
            "aws-sdk:s3:listObjectsV2",
            Strict,
            r#"{"Contents":[{"Size":1,"LastModified":1764103483}]}"#,
            "Field 'LastModified' must be a string",
        ),
        (
            "aws-sdk:s3:listObjectsV2",
            Present,
            r#"{"IsTruncated":"false"}"#,
            "Field 'IsTruncated' must be a boolean",
        ),
        ("apigateway:invoke", Strict, r#"{"ResponseBody":1}"#, ""),
    ] {
        let value = parse(result).unwrap();
        let fault_found = mock_fault(&call(resource), &value, mode).unwrap_or_default();
        assert_eq!(fault_found, fault, "{resource} {result}");
    }
}

#[test]
fn a_token_is_required_by_sdk_integrations_alone() {
    let required = |resource: &str| {
        let call = call(resource);
        let members = call.parameters.as_ref().unwrap().clone();
        let required = members
            .iter()
            .filter(|member| member.is_required(call.naming));
        let names: Vec<&str> = required.map(|member| member.name(call.naming)).collect();
        names.contains(&"ClientToken")
    };
    assert!(required("aws-sdk:emrserverless:startJobRun"));
    assert!(!required("emr-serverless:startJobRun.sync"));
    assert_eq!(call("emr-serverless:startJobRun").naming, Naming::Optimized);
}
