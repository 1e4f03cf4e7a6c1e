//! Finds the API action that a Task calls, from the Task's Resource, with the action's parameters, result and errors.

use super::catalogue::{Service, service, services};
use super::model::{Action, Kind, Member, Model, Naming, Shape};
use super::optimized::{Job, Optimized, is_closed, is_refused, optimized, optimized_service};
use crate::json::Step;
use crate::source::nearest;

/// An API action, with everything that is known about calling it from a Task.
#[derive(Debug)]
pub struct Call {
    /// The spelling of the member names in the parameters and the result.
    pub naming: Naming,
    /// Name of the service in the Resource: `dynamodb`, `s3`.
    pub service: &'static str,
    /// Prefixes of the service's error names, the usual one first; empty if they are not known.
    pub prefixes: Vec<&'static str>,
    /// The service integration pattern, which follows the action in the Resource: `sync`, `sync:2`, `waitForTaskToken`,
    /// or empty.
    pub pattern: &'static str,
    /// The parameters that the action accepts; `None` if they are not known.
    pub parameters: Option<Vec<Member>>,
    /// True if the action may accept more parameters than those listed.
    pub is_open: bool,
    /// Members of the result; `None` if they are not known.
    pub result: Option<Vec<Member>>,
    /// Members that the result probably has, from which example results are made; `None` if they are not known.
    pub likely: Option<Vec<Member>>,
    /// Error names, without their prefix, that the service can raise. Complete only for SDK integrations.
    pub errors: &'static [&'static str],
    /// Error names, without their prefix, that the API model lists for this action.
    pub action_errors: Vec<&'static str>,
    /// Error names, without their prefix, that AWS documents for the optimized integration; empty if it documents none.
    pub(super) recorded: Vec<&'static str>,
    /// The service and the name of the API action; `None` if the action has no API model.
    pub(super) action: Option<(&'static Service, &'static str)>,
    pub(super) model: Option<&'static Model>,
}

/// The reason why a Task cannot call a Resource.
#[derive(Debug, PartialEq, Eq)]
pub enum Unknown {
    /// The service does not exist. Contains the name that was probably meant, if a similar one exists.
    Service(Option<String>),
    /// The service does not have this action. Contains the name that was probably meant, if a similar one exists.
    Action(Option<String>),
    /// The API has this action, but Step Functions cannot call it.
    Refused,
    /// The action does not support the service integration pattern. Contains a supported Resource for the same action:
    /// without a pattern, with another pattern, or of an optimized integration that supports this pattern.
    Pattern(String),
}

/// The service integration patterns: for each, its letter in the table of optimized integrations, and the suffix that
/// follows the action in a Resource.
const PATTERNS: [(char, &str); 4] = [
    ('r', ""),
    ('s', "sync"),
    ('2', "sync:2"),
    ('t', "waitForTaskToken"),
];

impl Call {
    /// Finds an API action by its service, such as `lambda` or `aws-sdk:s3`, and by its name and pattern, such as
    /// `invoke.waitForTaskToken`.
    ///
    /// # Errors
    /// If the service, the action or the pattern does not exist.
    pub fn find(of: &str, api: &str) -> Result<Self, Unknown> {
        let (action, pattern) = api.split_once('.').unwrap_or((api, ""));
        match of.strip_prefix("aws-sdk:") {
            Some(name) => Self::sdk(name, action, pattern),
            None => Self::optimized(of, action, pattern),
        }
    }

    fn sdk(name: &str, action: &str, pattern: &str) -> Result<Self, Unknown> {
        let Some(service_found) = service(name) else {
            return match is_closed(name) {
                true => Ok(Self::unknown(Naming::Sdk)),
                false => Err(Unknown::Service(meant_service(name))),
            };
        };
        let Some(model) = service_found.model() else {
            return Ok(Self::unknown(Naming::Sdk));
        };
        let Some(of_model) = model.action(action) else {
            return Err(Unknown::Action(meant_action(service_found, action)));
        };
        if is_refused(name, action) {
            return Err(Unknown::Refused);
        }
        let suffix = match pattern {
            "" => "",
            "waitForTaskToken" => "waitForTaskToken",
            _ => {
                // If an optimized integration of the same action supports the pattern, the author probably meant this
                // integration.
                let other = optimized().iter().find_map(|service| {
                    let mut same = service.actions.iter().filter(|other| {
                        other.model == Some((service_found.name, of_model.name))
                            && other.patterns.contains(letter(pattern).unwrap_or('-'))
                    });
                    same.next()
                        .map(|other| format!("{}:{}.{pattern}", service.name, other.name))
                });
                let plain = || format!("aws-sdk:{}:{}", service_found.name, of_model.name);
                return Err(Unknown::Pattern(other.unwrap_or_else(plain)));
            }
        };
        let call = Self {
            pattern: suffix,
            ..Self::of_service(service_found, model, of_model, Naming::Sdk)
        };
        Ok(call.answered())
    }

    fn optimized(name: &str, action: &str, pattern: &str) -> Result<Self, Unknown> {
        let Some(of) = optimized_service(name) else {
            return Err(Unknown::Service(meant_optimized(name, action)));
        };
        let Some(action_found) = of.actions.iter().find(|known| known.name == action) else {
            return Err(Unknown::Action(meant_optimized_action(of, action)));
        };
        let Some((_, suffix)) = PATTERNS
            .iter()
            .find(|(letter, suffix)| *suffix == pattern && action_found.patterns.contains(*letter))
        else {
            let has_pattern = |letter: char| action_found.patterns.contains(letter);
            let other = match pattern.starts_with("sync") && has_pattern('s') {
                true => ".sync",
                false => "",
            };
            return Err(Unknown::Pattern(format!("{name}:{action}{other}")));
        };
        let model = action_found.model.and_then(|(name, action)| {
            let behind = service(name)?;
            let model = behind.model()?;
            Some((behind, model, model.action(action)?))
        });
        let mut call = match model {
            Some((behind, model, action)) => Self {
                action: Some((behind, action.name)),
                ..Self::of_model(Naming::Optimized, model, action)
            },
            None => Self::unknown(Naming::Optimized),
        };
        let service_values = action_found.parameters.iter().cloned();
        call.parameters = match action_found.replaces {
            true => Some(service_values.collect()),
            false => call
                .parameters
                .map(|all| all.into_iter().chain(service_values).collect()),
        };
        call.result = action_found.result.clone().or(call.result);
        let call = Self {
            service: of.name,
            prefixes: of.prefixes.clone(),
            recorded: of.errors.clone(),
            pattern: suffix,
            is_open: action_found.open,
            ..call
        }
        .answered();
        Ok(match (&action_found.job, *suffix) {
            (Some(job), "sync" | "sync:2") => call.of_job(of, job),
            _ => call,
        })
    }

    fn unknown(naming: Naming) -> Self {
        Self {
            naming,
            service: "",
            prefixes: Vec::new(),
            pattern: "",
            parameters: None,
            is_open: true,
            result: None,
            likely: None,
            errors: &[],
            action_errors: Vec::new(),
            recorded: Vec::new(),
            action: None,
            model: None,
        }
    }

    /// A call of an API action as its model describes it, without the changes that an integration makes.
    pub(super) fn of_service(
        service: &'static Service,
        model: &'static Model,
        action: &'static Action,
        naming: Naming,
    ) -> Self {
        Self {
            service: service.name,
            prefixes: vec![service.prefix],
            errors: &model.errors,
            action: Some((service, action.name)),
            ..Self::of_model(naming, model, action)
        }
    }

    fn of_model(naming: Naming, model: &'static Model, action: &Action) -> Self {
        let error = |place: &usize| model.errors.get(*place).copied();
        Self {
            parameters: Some(model.members(action.input).to_vec()),
            is_open: false,
            result: match action.output {
                Kind::Any => None,
                output => Some(model.members(output).to_vec()),
            },
            action_errors: action.errors.iter().filter_map(error).collect(),
            model: Some(model),
            ..Self::unknown(naming)
        }
    }

    /// Returns the call with the action's result as the likely result, too. If the call has a pattern, `result` and
    /// `likely` both become unknown, because the call then returns something else.
    fn answered(self) -> Self {
        let result = self.result.filter(|_| self.pattern.is_empty());
        Self {
            likely: result.clone(),
            result,
            ..self
        }
    }

    /// Returns the call with the result of a pattern that waits for a job: the description of the job.
    fn of_job(self, of: &Optimized, job: &Job) -> Self {
        let Some(model) = service(of.service).and_then(Service::model) else {
            return self;
        };
        let whole = model
            .action(job.action)
            .map_or(&[][..], |action| model.members(action.output));
        let kind = |name: &str| {
            let member = whole.iter().find(|member| member.plain == name)?;
            match model.shape(member.kind) {
                Some(Shape::List(item)) => Some(*item),
                _ => Some(member.kind),
            }
        };
        let members = match job.member {
            Some(name) => kind(name).map_or(&[][..], |kind| model.members(kind)),
            None => whole,
        };
        let mut members = members.to_vec();
        if self.pattern == "sync:2" {
            let parsed = |member: &&mut Member| matches!(member.plain, "Input" | "Output");
            for member in members.iter_mut().filter(parsed) {
                member.kind = Kind::Any;
            }
        }
        Self {
            model: Some(model),
            result: job.is_sure.then(|| members.clone()),
            likely: Some(members),
            ..self
        }
    }

    /// The type of the value at a place of the result. `None` if the type is not known, or is a structure, list or map.
    #[must_use]
    pub fn kind_of(&self, place: &[Step]) -> Option<Kind> {
        let (first, rest) = place.split_first()?;
        let member = |members: &[Member], step: &Step| match step {
            Step::Member(name) => {
                let member = members.iter().find(|member| member.is(name, self.naming))?;
                Some(member.kind)
            }
            Step::Item(_) => None,
        };
        let mut kind = member(self.likely.as_deref()?, first)?;
        for step in rest {
            kind = match (self.shape(kind)?, step) {
                (Shape::Structure(members), step) => member(members, step)?,
                (Shape::List(item), Step::Item(_)) | (Shape::Map(item), Step::Member(_)) => *item,
                _ => return None,
            };
        }
        match self.shape(kind) {
            None => Some(kind),
            Some(Shape::Scalar(scalar)) => Some(scalar.kind),
            Some(_) => None,
        }
    }

    /// The shape that a type refers to; `None` for a built-in type.
    #[must_use]
    pub fn shape(&self, kind: Kind) -> Option<&'static Shape> {
        self.model?.shape(kind)
    }
}

/// The letter for a pattern in the table of optimized integrations.
fn letter(pattern: &str) -> Option<char> {
    let mut known = PATTERNS.iter().filter(|(_, suffix)| *suffix == pattern);
    known.next().map(|(letter, _)| *letter)
}

/// The SDK integration, such as `aws-sdk:s3`, whose service the author probably meant by `name`.
fn meant_service(name: &str) -> Option<String> {
    let bare = name.replace('-', "");
    let by_folder = services()
        .iter()
        .find(|service| service.botocore == name || service.botocore.replace('-', "") == bare);
    let by_optimized = || service(optimized_service(name)?.service);
    let named = by_folder.or_else(by_optimized).map(|service| service.name);
    let near = || nearest(name, services().iter().map(|service| service.name));
    named.or_else(near).map(|name| format!("aws-sdk:{name}"))
}

fn meant_action(service: &Service, action: &str) -> Option<String> {
    let names = service.model()?.actions.iter().map(|action| action.name);
    nearest(action, names).map(|name| format!("aws-sdk:{}:{name}", service.name))
}

/// The Resource that the author probably meant by `name` and `action`: the SDK integration of the AWS service with this
/// name if the service has the action; otherwise an optimized integration with a similar name or for the same service.
fn meant_optimized(name: &str, action: &str) -> Option<String> {
    let by_folder = || services().iter().find(|service| service.botocore == name);
    let sdk = service(name).or_else(by_folder);
    if let Some((sdk, action)) =
        sdk.and_then(|service| Some((service, service.model()?.action(action)?)))
    {
        return Some(format!("aws-sdk:{}:{}", sdk.name, action.name));
    }
    let near = nearest(name, optimized().iter().map(|service| service.name));
    let same = optimized().iter().find(|service| service.service == name);
    near.or(same.map(|service| service.name))
        .map(|name| format!("{name}:{action}"))
}

fn meant_optimized_action(of: &Optimized, action: &str) -> Option<String> {
    let near = nearest(action, of.actions.iter().map(|action| action.name));
    let sdk = || service(of.service)?.model()?.action(action);
    match near {
        Some(near) => Some(format!("{}:{near}", of.name)),
        None => sdk().map(|action| format!("aws-sdk:{}:{}", of.service, action.name)),
    }
}
