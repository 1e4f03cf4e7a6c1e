//! Parses tasks: Lambda functions, activities, complete ARNs and the services that can be called by name.

use super::ast::{self, State, StatementKind, brief, error, note, warning};
use super::cursor::{Failed, Parsed, Parser};
use super::lexer::{Token, TokenKind};
use super::modifier::{Body, Parameters, Shape};
use crate::source::{Node, OffsetMap, Span, did_you_mean};

const TASK: Shape = Shape {
    kind: "a Task state",
    takes: "timeout heartbeat input result output parameters retry catch",
};

/// A function of a service.
struct Function {
    service: &'static str,
    name: &'static str,
    /// True if the call waits until the job is complete, unless the parameter `sync` says otherwise.
    waits: bool,
    /// The names of the required parameters, separated by spaces.
    required: &'static str,
    optional: &'static str,
}

const WRITE: &str = "ConditionalOperator ConditionExpression Expected ExpressionAttributeNames \
    ExpressionAttributeValues ReturnConsumedCapacity ReturnItemCollectionMetrics \
    ReturnValues";

const FUNCTIONS: [Function; 11] = [
    Function {
        service: "Batch",
        name: "SubmitJob",
        waits: true,
        required: "JobDefinition JobName JobQueue",
        optional: "ArrayProperties ContainerOverrides DependsOn Parameters RetryStrategy Timeout",
    },
    Function {
        service: "DynamoDB",
        name: "GetItem",
        waits: false,
        required: "Key TableName",
        optional: "AttributesToGet ConsistentRead ExpressionAttributeNames ProjectionExpression \
        ReturnConsumedCapacity",
    },
    Function {
        service: "DynamoDB",
        name: "PutItem",
        waits: false,
        required: "Item TableName",
        optional: WRITE,
    },
    Function {
        service: "DynamoDB",
        name: "DeleteItem",
        waits: false,
        required: "Key TableName",
        optional: WRITE,
    },
    Function {
        service: "DynamoDB",
        name: "UpdateItem",
        waits: false,
        required: "Key TableName",
        optional: "AttributeUpdates ConditionalOperator ConditionExpression Expected \
        ExpressionAttributeNames ExpressionAttributeValues ReturnConsumedCapacity \
        ReturnItemCollectionMetrics ReturnValues UpdateExpression",
    },
    Function {
        service: "ECS",
        name: "RunTask",
        waits: true,
        required: "TaskDefinition",
        optional: "Cluster Group LaunchType NetworkConfiguration Overrides PlacementConstraints \
        PlacementStrategy PlatformVersion",
    },
    Function {
        service: "SNS",
        name: "Publish",
        waits: false,
        required: "Message",
        optional: "MessageAttributes MessageStructure PhoneNumber Subject TargetArn TopicArn",
    },
    Function {
        service: "SQS",
        name: "SendMessage",
        waits: false,
        required: "MessageBody QueueUrl",
        optional: "DelaySeconds MessageAttributes MessageDeduplicationId MessageGroupId",
    },
    Function {
        service: "Glue",
        name: "StartJobRun",
        waits: true,
        required: "JobName",
        optional: "JobRunId Arguments AllocatedCapacity Timeout SecurityConfiguration \
        NotificationProperty",
    },
    Function {
        service: "SageMaker",
        name: "CreateTrainingJob",
        waits: true,
        required: "AlgorithmSpecification OutputDataConfig ResourceConfig RoleArn StoppingCondition \
        TrainingJobName",
        optional: "HyperParameters InputDataConfig Tags VpcConfig",
    },
    Function {
        service: "SageMaker",
        name: "CreateTransformJob",
        waits: true,
        required: "ModelName TransformInput TransformJobName TransformOutput TransformResources",
        optional: "BatchStrategy Environment MaxConcurrentTransforms MaxPayloadInMB Tags",
    },
];

/// Keywords that can begin a state, other than the services.
const STATES: [&str; 13] = [
    "Pass", "Success", "Fail", "Wait", "Lambda", "Activity", "Arn", "if", "while", "switch",
    "parallel", "map", "goto",
];

/// The first line of a task.
struct Call {
    service: Token,
    function: Option<Token>,
    argument: Option<Token>,
}

/// The resource or function that a task calls.
enum Target {
    /// A resource that the first line of the task determines completely. The flag is true if the resource accepts
    /// parameters.
    Resource(Node, bool),
    /// A function of a service, and the token with the function's name.
    Function(&'static Function, Token),
    /// An unknown target, which has been reported.
    Unknown,
}

impl Parser<'_, '_> {
    /// Parses a task with its body.
    pub fn task(&mut self) -> Parsed<Box<State>> {
        let call = self.call()?;
        let head = self.since(call.service);
        let target = self.target(&call, head);
        let mut body = self.body(&TASK);
        self.heartbeat(&body);
        let resource = match target {
            Target::Resource(node, takes_parameters) => {
                if !takes_parameters {
                    self.no_parameters(&call, &body);
                }
                Some(node)
            }
            Target::Function(function, name) => Some(self.service(function, name, head, &mut body)),
            Target::Unknown => None,
        };
        if let Some(resource) = resource {
            body.fields
                .insert(0, ast::member("Resource", head, resource));
        }
        Ok(self.finish(call.service, head, body, StatementKind::Plain("Task")))
    }

    fn call(&mut self) -> Parsed<Call> {
        let service = self.bump();
        let mut call = Call {
            service,
            function: None,
            argument: None,
        };
        if self.eat(".") {
            if self.kind() != TokenKind::Name {
                return self.wanted("expected the name of a function", None);
            }
            call.function = Some(self.bump());
        }
        if !self.is_op(0, "(") {
            let near = did_you_mean(self.written(service), known());
            return self.wanted("expected \"(\"", near.as_deref());
        }
        self.bump();
        if self.is_string() {
            call.argument = Some(self.bump());
        }
        if self.expect(")").is_err() {
            self.skip_line();
        }
        Ok(call)
    }

    fn target(&mut self, call: &Call, head: Span) -> Target {
        let service = self.written(call.service);
        let resource = match service {
            "Lambda" => self.named_resource(call, ["lambda", "function"]),
            "Activity" => self.named_resource(call, ["states", "activity"]),
            "Arn" => self.whole_resource(call),
            _ => return self.function(call),
        };
        match resource {
            Ok(mut node) => {
                node.span = head;
                Target::Resource(node, service == "Arn")
            }
            Err(Failed) => Target::Unknown,
        }
    }

    /// Parses the only argument of a service that has no functions, a string.
    fn only_argument(&mut self, call: &Call) -> Parsed<Token> {
        let service = self.written(call.service);
        if let Some(function) = call.function {
            let text = format!("\"{service}\" has no functions");
            self.refuse(function, text, Some(&format!("write {service}('name')")));
            return Err(Failed);
        }
        let Some(argument) = call.argument else {
            let text = format!("\"{service}\" needs a name");
            let help = format!("write the name in quotes: {service}('name')");
            self.refuse(call.service, text, Some(&help));
            return Err(Failed);
        };
        Ok(argument)
    }

    /// Parses `Lambda('name')` or `Activity('name')`.
    fn named_resource(&mut self, call: &Call, [service, kind]: [&str; 2]) -> Parsed<Node> {
        let argument = self.only_argument(call)?;
        let name = self.string_text(argument);
        if name.starts_with("arn:") {
            let place = self.span(argument);
            self.report(note(
                place,
                "a complete resource name (ARN) remains unchanged",
            ));
            return Ok(self.string_node(argument));
        }
        let region = self.environment.region.as_deref().unwrap_or("");
        let account = self.environment.account.as_deref().unwrap_or("");
        let before = format!("arn:aws:{service}:{region}:{account}:{kind}:");
        let (start, end) = self.inside(argument);
        let inner = Span::new(self.id, start..end);
        let length = u32::try_from(before.len()).unwrap_or(u32::MAX);
        let map = OffsetMap::new(vec![(0, inner.ends().0), (length, inner)]);
        Ok(Node::of_text(&format!("{before}{name}"), map, inner))
    }

    /// Parses `Arn('arn:aws:...')`.
    fn whole_resource(&mut self, call: &Call) -> Parsed<Node> {
        let argument = self.only_argument(call)?;
        let name = self.string_text(argument);
        if !name.starts_with("arn:aws:") && !name.starts_with("arn:aws-") {
            let text = "a resource name must begin with \"arn:aws:\"";
            let help = "if you have only a name, write Lambda('name') or Activity('name')";
            self.refuse(argument, text, Some(help));
            return Err(Failed);
        }
        Ok(self.string_node(argument))
    }

    /// Parses `Service.Function()`.
    fn function(&mut self, call: &Call) -> Target {
        let service = self.written(call.service);
        let functions = || {
            FUNCTIONS
                .iter()
                .filter(|function| function.service == service)
        };
        let names: Vec<&str> = functions().map(|function| function.name).collect();
        if names.is_empty() {
            self.unknown_service(call);
            return Target::Unknown;
        }
        let Some(name) = call.function else {
            let text = format!("\"{service}\" needs a function");
            let help = format!("one of {}", names.join(", "));
            self.refuse(call.service, text, Some(&help));
            return Target::Unknown;
        };
        if let Some(argument) = call.argument {
            let help = "write the parameters below the task, in \"parameters\"";
            let text = format!("\"{service}\" takes no argument");
            self.refuse(argument, text, Some(help));
        }
        let written = self.written(name);
        match functions().find(|function| function.name == written) {
            Some(function) => Target::Function(function, name),
            None => {
                let text = format!(
                    "asldbg knows no function \"{name}\" of \"{service}\"",
                    name = brief(written)
                );
                let near = did_you_mean(written, names.iter().copied());
                let help = near.unwrap_or_else(|| other_way(&names));
                self.refuse(name, text, Some(&help));
                Target::Unknown
            }
        }
    }

    fn unknown_service(&mut self, call: &Call) {
        let service = self.written(call.service);
        let known: Vec<&str> = known().collect();
        let near = did_you_mean(service, known.iter().copied());
        let help = near.unwrap_or_else(|| {
            "to call any other service, write Arn('arn:aws:states:::service:action')".to_string()
        });
        let text = match call.function {
            Some(_) => format!("asldbg knows no service \"{name}\"", name = brief(service)),
            None => format!(
                "there is no kind of state named \"{name}\"",
                name = brief(service)
            ),
        };
        self.refuse(call.service, text, Some(&help));
    }

    fn no_parameters(&mut self, call: &Call, body: &Body) {
        let Some(parameters) = &body.parameters else {
            return;
        };
        let service = self.written(call.service);
        let first = parameters.members.first();
        let place = first.map_or(parameters.word, |(_, span, _)| *span);
        let wrong = error(place, format!("\"{service}\" takes no parameters"));
        self.report(
            wrong.help(
                "give the task its input with \"input:\" or with a Pass state before the task",
            ),
        );
    }

    /// Checks the parameters of a service's function and builds its resource.
    fn service(
        &mut self,
        function: &'static Function,
        name: Token,
        head: Span,
        body: &mut Body,
    ) -> Node {
        let mut waits = function.waits;
        if let Some(parameters) = &mut body.parameters {
            if let Some(sync) = self.take_sync(parameters) {
                waits = sync;
            }
            self.known_parameters(function, parameters);
        }
        if !body.broken {
            self.required_parameters(function, name, body.parameters.as_ref());
        }
        body.parameters
            .take_if(|parameters| parameters.members.is_empty());
        let mut action = function.name.chars();
        let first: String = action
            .next()
            .into_iter()
            .flat_map(char::to_lowercase)
            .collect();
        let wait = if waits { ".sync" } else { "" };
        let (service, rest) = (function.service.to_lowercase(), action.as_str());
        let resource = format!("arn:aws:states:::{service}:{first}{rest}{wait}");
        ast::made(&resource, head)
    }

    /// Removes `sync` from the parameters and returns its value.
    fn take_sync(&mut self, parameters: &mut Parameters) -> Option<bool> {
        let mut sync = None;
        let (own_parameters, rest) = std::mem::take(&mut parameters.members)
            .into_iter()
            .partition(|(name, ..)| plain(name) == "sync");
        parameters.members = rest;
        let own_parameters: Vec<_> = own_parameters;
        for (_, place, value) in own_parameters {
            sync = value.as_bool();
            if sync.is_none() {
                let wrong = error(place, "\"sync\" must be true or false");
                self.report(wrong);
            }
        }
        sync
    }

    fn known_parameters(&mut self, function: &Function, parameters: &Parameters) {
        let called = format!("{}.{}", function.service, function.name);
        let required = || function.required.split(' ');
        let all = || required().chain(function.optional.split(' '));
        let mut seen: Vec<(&str, Span)> = Vec::new();
        for (name, place, _) in &parameters.members {
            let key = plain(name);
            if !all().any(|known| known == key) {
                let mut wrong = error(*place, format!("{called} takes no \"{}\"", brief(key)));
                wrong.help = did_you_mean(key, all());
                self.report(wrong);
                continue;
            }
            let first = seen.iter().find(|(known, _)| plain(known) == key).copied();
            seen.push((name, *place));
            let Some((known, first)) = first else {
                continue;
            };
            let text = format!("{called} takes \"{key}\" once");
            // An optional parameter may appear twice, with and without `.$`. Both are then passed on.
            if required().any(|known| known == key) {
                self.report(
                    error(*place, text).related(first, "the parameter is first written here"),
                );
            } else if known != &**name {
                self.report(
                    warning(*place, text).related(first, "the parameter is first written here"),
                );
            }
        }
    }

    fn required_parameters(
        &mut self,
        function: &Function,
        name: Token,
        parameters: Option<&Parameters>,
    ) {
        let has = |wanted: &str| {
            let mut members = parameters.iter().flat_map(|parameters| &parameters.members);
            members.any(|(name, ..)| plain(name) == wanted)
        };
        let required = function.required.split(' ');
        let missing: Vec<&str> = required.filter(|wanted| !has(wanted)).collect();
        if !missing.is_empty() {
            let (service, action) = (function.service, function.name);
            let text = format!("{service}.{action} needs {}", missing.join(", "));
            let help = "write these parameters below \"parameters:\"";
            self.refuse(name, text, Some(help));
        }
    }

    /// Checks that the heartbeat is shorter than the timeout.
    fn heartbeat(&mut self, body: &Body) {
        let field = |name: &str| body.fields.iter().find(|field| &*field.key.text == name);
        let seconds = |name| field(name)?.value.as_number().map(|number| number.as_f64());
        let timeout = match field("TimeoutSeconds") {
            Some(_) => seconds("TimeoutSeconds"),
            None => Some(60.0),
        };
        if let (Some(beat), Some(field)) = (seconds("HeartbeatSeconds"), field("HeartbeatSeconds"))
            && let Some(timeout) = timeout
            && beat >= timeout
        {
            let text =
                format!("the heartbeat must be less than the timeout, which is {timeout} seconds");
            let wrong = error(field.key.span, text);
            self.report(wrong.help("the default timeout is 60 seconds"));
        }
    }
}

/// A parameter's name without the `.$` that marks a path.
fn plain(name: &str) -> &str {
    name.strip_suffix(".$").unwrap_or(name)
}

/// All words that can begin a state.
pub(super) fn known() -> impl Iterator<Item = &'static str> {
    let services = FUNCTIONS.iter().map(|function| function.service);
    STATES.into_iter().chain(services)
}

fn other_way(names: &[&str]) -> String {
    format!(
        "the service has {functions}; to call another function, write Arn('arn:aws:states:::service:action')",
        functions = names.join(", ")
    )
}
