//! Operations on state machines: create, describe, update, list, delete.

use super::api::Api;
use super::arn::MachineArn;
use super::checked::{Checks, name};
use super::error::{Answered, ApiError};
use super::machine::{Revision, Settings, StateMachine, compiled, version_number};
use super::made_up::uuid;
use super::page::Page;
use super::reply::timestamp;
use super::tag::Tag;
use crate::definition::MachineType;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Maximum number of state machines.
const MOST_MACHINES: usize = 10_000;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Create {
    name: String,
    definition: String,
    role_arn: String,
    #[serde(rename = "type")]
    kind: Option<String>,
    logging_configuration: Option<Value>,
    tracing_configuration: Option<Value>,
    encryption_configuration: Option<Value>,
    #[serde(default)]
    publish: bool,
    version_description: Option<String>,
    #[serde(default)]
    tags: Vec<Tag>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Update {
    state_machine_arn: String,
    definition: Option<String>,
    role_arn: Option<String>,
    logging_configuration: Option<Value>,
    tracing_configuration: Option<Value>,
    encryption_configuration: Option<Value>,
    #[serde(default)]
    publish: bool,
    version_description: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OfMachine {
    pub(super) state_machine_arn: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Listing {
    pub(super) max_results: Option<i64>,
    pub(super) next_token: Option<String>,
}

impl Create {
    /// Request to create a state machine with this name, definition, role and type.
    pub(super) fn of(name: String, definition: String, role: String, kind: &str) -> Self {
        Self {
            name,
            definition,
            role_arn: role,
            kind: Some(kind.to_string()),
            logging_configuration: None,
            tracing_configuration: None,
            encryption_configuration: None,
            publish: false,
            version_description: None,
            tags: Vec::new(),
        }
    }
}

/// Rejects a logging configuration without a destination.
fn check_logging(logging: Option<&Value>) -> Answered<()> {
    let Some(logging) = logging else {
        return Ok(());
    };
    let level = logging.get("level").and_then(Value::as_str);
    let known = ["ALL", "ERROR", "FATAL", "OFF"];
    Checks::default()
        .one_of("loggingConfiguration.level", level, &known)
        .done()?;
    let destinations = logging.get("destinations").and_then(Value::as_array);
    let count = destinations.map_or(0, Vec::len);
    match level {
        Some("OFF") | None if count == 0 => Ok(()),
        _ if count == 1 => Ok(()),
        _ => Err(ApiError::InvalidLoggingConfiguration(
            "Must specify exactly one Log Destination.".to_string(),
        )),
    }
}

impl Api {
    pub(super) fn create_state_machine(&self, request: Create) -> Answered<Value> {
        let kind = self.checked_new(&request)?;
        let settings = Settings::new(
            request.logging_configuration,
            request.tracing_configuration,
            request.encryption_configuration,
        );
        let arn = self.identity().arn("stateMachine", &request.name);
        let definition = compiled(
            &request.name,
            &request.definition,
            kind,
            &self.options.checking,
        )?;
        let now = self.now();
        let mut store = self.store();
        let store = &mut *store;
        if let Some(known) = store.machines.get(&arn) {
            let own = &known.current;
            let description = known.versions.last_key_value();
            let is_same = own.text == request.definition
                && known.kind == kind
                && own.settings == settings
                && request.publish != known.versions.is_empty()
                && description.is_none_or(|(_, own)| {
                    own.description == request.version_description.clone().unwrap_or_default()
                });
            if !is_same {
                return Err(ApiError::StateMachineAlreadyExists(arn));
            }
            return Ok(created(known, request.publish));
        }
        if store.machines.len() >= MOST_MACHINES {
            return Err(ApiError::StateMachineLimitExceeded(format!(
                "there are {MOST_MACHINES} state machines already"
            )));
        }
        let mut machine = StateMachine {
            arn: arn.clone(),
            name: request.name,
            kind,
            created: now,
            current: Arc::new(Revision {
                id: None,
                text: request.definition,
                definition: Arc::new(definition),
                role: request.role_arn,
                settings,
                updated: now,
            }),
            versions: BTreeMap::new(),
            last_version: 0,
            aliases: BTreeMap::new(),
        };
        if request.publish {
            machine.publish(request.version_description, now);
        }
        let answer = created(&machine, request.publish);
        store.tags.add(&arn, request.tags)?;
        store.machines.insert(arn, machine);
        Ok(answer)
    }

    fn checked_new(&self, request: &Create) -> Answered<MachineType> {
        name(&request.name)?;
        let kind = request.kind.as_deref();
        Checks::default()
            .length("roleArn", &request.role_arn, 256)
            .one_of("type", kind, &["STANDARD", "EXPRESS"])
            .definition(Some(&request.definition))
            .done()?;
        check_logging(request.logging_configuration.as_ref())?;
        if request.version_description.is_some() && !request.publish {
            return Err(ApiError::ValidationException(
                "Version description can only be set when publish is true".to_string(),
            ));
        }
        Ok(kind.and_then(MachineType::parse).unwrap_or_default())
    }

    pub(super) fn update_state_machine(&self, request: Update) -> Answered<Value> {
        let arn = MachineArn::parse(&request.state_machine_arn)?;
        Checks::default()
            .definition(request.definition.as_deref())
            .done()?;
        if request.definition.is_none()
            && request.role_arn.is_none()
            && request.logging_configuration.is_none()
            && request.tracing_configuration.is_none()
            && request.encryption_configuration.is_none()
        {
            return Err(ApiError::MissingRequiredParameter);
        }
        check_logging(request.logging_configuration.as_ref())?;
        if request.version_description.is_some() && !request.publish {
            return Err(ApiError::ValidationException(
                "Version description can only be set when publish is true".to_string(),
            ));
        }
        let unknown = || ApiError::StateMachineDoesNotExist(request.state_machine_arn.clone());
        let now = self.now();
        let mut store = self.store();
        let machine = store.machines.get_mut(arn.machine).ok_or_else(unknown)?;
        if arn.qualifier.is_some() {
            return Err(unknown());
        }
        let own = &machine.current;
        let definition = match &request.definition {
            Some(text) => {
                let checking = &self.options.checking;
                Arc::new(compiled(&machine.name, text, machine.kind, checking)?)
            }
            None => Arc::clone(&own.definition),
        };
        let settings = Settings::new(
            request
                .logging_configuration
                .or_else(|| Some(own.settings.logging.clone())),
            request
                .tracing_configuration
                .or_else(|| Some(own.settings.tracing.clone())),
            request
                .encryption_configuration
                .or_else(|| Some(own.settings.encryption.clone())),
        );
        let text = request.definition.unwrap_or_else(|| own.text.clone());
        let role = request.role_arn.unwrap_or_else(|| own.role.clone());
        let is_same = own.text == text && own.role == role && own.settings == settings;
        let id = match is_same {
            true => own.id.clone(),
            false => Some(uuid()),
        };
        machine.current = Arc::new(Revision {
            id: id.clone(),
            text,
            definition,
            role,
            settings,
            updated: now,
        });
        let version = request.publish.then(|| {
            let number = machine.publish(request.version_description, now);
            machine.qualified(number)
        });
        Ok(json!({
            "updateDate": timestamp(now),
            "revisionId": id,
            "stateMachineVersionArn": version,
        }))
    }

    pub(super) fn describe_state_machine(&self, request: &OfMachine) -> Answered<Value> {
        let arn = MachineArn::parse(&request.state_machine_arn)?;
        let unknown = || ApiError::StateMachineDoesNotExist(request.state_machine_arn.clone());
        let store = self.store();
        let machine = store.machines.get(arn.machine).ok_or_else(unknown)?;
        let Some(qualifier) = arn.qualifier else {
            return Ok(machine.described(&machine.arn, &machine.current, None));
        };
        let alias = machine.aliases.get(qualifier);
        let number = match alias.and_then(|alias| alias.routes.first()) {
            Some(route) => version_number(&route.state_machine_version_arn),
            None => qualifier.parse().ok(),
        };
        let version = number.and_then(|number| machine.versions.get(&number));
        let version = version.ok_or_else(unknown)?;
        Ok(machine.described(arn.whole, &version.revision, Some(version)))
    }

    pub(super) fn delete_state_machine(&self, request: &OfMachine) -> Answered<Value> {
        let arn = MachineArn::parse(&request.state_machine_arn)?;
        let mut store = self.store();
        store.machines.shift_remove(arn.machine);
        store.tags.forget(arn.machine);
        Ok(json!({}))
    }

    pub(super) fn list_state_machines(&self, request: &Listing) -> Answered<Value> {
        let token = request.next_token.as_deref();
        Checks::default()
            .page(request.max_results, token, 1024)
            .done()?;
        let list = "state machines";
        let page = Page::new(request.max_results, token, list)?;
        let store = self.store();
        let mut all: Vec<&StateMachine> = store.machines.values().collect();
        all.sort_by(|one, other| one.name.cmp(&other.name));
        let (machines, next) = page.of(all.into_iter(), list);
        let machines: Vec<Value> = machines
            .into_iter()
            .map(|machine| {
                json!({
                    "stateMachineArn": machine.arn,
                    "name": machine.name,
                    "type": machine.type_name(),
                    "creationDate": timestamp(machine.created),
                })
            })
            .collect();
        Ok(json!({"stateMachines": machines, "nextToken": next}))
    }
}

fn created(machine: &StateMachine, publish: bool) -> Value {
    let version = machine.versions.keys().next_back();
    let version = version.filter(|_| publish);
    json!({
        "stateMachineArn": machine.arn,
        "creationDate": timestamp(machine.created),
        "stateMachineVersionArn": version.map(|number| machine.qualified(number)),
    })
}
