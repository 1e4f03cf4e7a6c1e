//! Operations on state machines (create, describe, update, list, delete) and on tags. Also creates state machines from
//! files when the server starts.

use super::api::{Api, uuid};
use super::checked::{Arn, Checks, MachineArn, name};
use super::machine::{
    GivenSettings, Revision, Settings, StateMachine, compiled, type_name, version_number,
};
use super::page::Paging;
use super::reply::{Answered, ApiError, timestamp};
use super::store::Tag;
use crate::definition::MachineType;
use crate::headless::Refusal;
use crate::json::pretty;
use crate::launch::{Opened, Program, definitions_in, open_all};
use crate::source::template::DocumentKind;
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
    #[serde(flatten)]
    settings: GivenSettings,
    #[serde(flatten)]
    publishing: Publishing,
    #[serde(default)]
    tags: Vec<Tag>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Update {
    state_machine_arn: String,
    definition: Option<String>,
    role_arn: Option<String>,
    #[serde(flatten)]
    settings: GivenSettings,
    #[serde(flatten)]
    publishing: Publishing,
}

/// Members of a request by which the client asks to publish a version.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Publishing {
    #[serde(default)]
    publish: bool,
    version_description: Option<String>,
}

impl Publishing {
    fn check(&self) -> Answered<()> {
        match self.publish || self.version_description.is_none() {
            true => Ok(()),
            false => Err(ApiError::ValidationException(
                "Version description can only be set when publish is true".to_string(),
            )),
        }
    }
}

impl Create {
    /// Request to create a state machine with this name, definition, role and type.
    pub(super) fn of(name: String, definition: String, role: String, kind: &str) -> Self {
        Self {
            name,
            definition,
            role_arn: role,
            kind: Some(kind.to_string()),
            settings: GivenSettings::default(),
            publishing: Publishing::default(),
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
        let settings = Settings::new(request.settings, None);
        let publishing = request.publishing;
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
            let current = &known.current;
            let description = known.versions.last_key_value();
            let is_same = current.text == request.definition
                && known.kind == kind
                && current.settings == settings
                && publishing.publish != known.versions.is_empty()
                && description.is_none_or(|(_, current)| {
                    current.description
                        == publishing.version_description.clone().unwrap_or_default()
                });
            if !is_same {
                return Err(ApiError::StateMachineAlreadyExists(arn));
            }
            return Ok(created(known, publishing.publish));
        }
        if store.machines.len() >= MOST_MACHINES {
            return Err(ApiError::StateMachineLimitExceeded(format!(
                "the server already has {MOST_MACHINES} state machines and allows no more"
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
        if publishing.publish {
            machine.publish(publishing.version_description, now);
        }
        let answer = created(&machine, publishing.publish);
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
        check_logging(request.settings.logging_configuration.as_ref())?;
        request.publishing.check()?;
        Ok(kind.and_then(MachineType::parse).unwrap_or_default())
    }

    pub(super) fn update_state_machine(&self, request: Update) -> Answered<Value> {
        let arn = MachineArn::parse(&request.state_machine_arn)?;
        Checks::default()
            .definition(request.definition.as_deref())
            .done()?;
        if request.definition.is_none()
            && request.role_arn.is_none()
            && request.settings == GivenSettings::default()
        {
            return Err(ApiError::MissingRequiredParameter);
        }
        check_logging(request.settings.logging_configuration.as_ref())?;
        request.publishing.check()?;
        let unknown = || ApiError::StateMachineDoesNotExist(request.state_machine_arn.clone());
        let now = self.now();
        let mut store = self.store();
        let machine = store.machines.get_mut(arn.machine).ok_or_else(unknown)?;
        if arn.qualifier.is_some() {
            return Err(unknown());
        }
        let current = &machine.current;
        let definition = match &request.definition {
            Some(text) => {
                let checking = &self.options.checking;
                Arc::new(compiled(&machine.name, text, machine.kind, checking)?)
            }
            None => Arc::clone(&current.definition),
        };
        let settings = Settings::new(request.settings, Some(&current.settings));
        let text = request.definition.unwrap_or_else(|| current.text.clone());
        let role = request.role_arn.unwrap_or_else(|| current.role.clone());
        let is_same = current.text == text && current.role == role && current.settings == settings;
        let id = match is_same {
            true => current.id.clone(),
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
        let version = request.publishing.publish.then(|| {
            let number = machine.publish(request.publishing.version_description, now);
            machine.qualified(number)
        });
        Ok(json!({
            "updateDate": timestamp(now),
            "revisionId": id,
            "stateMachineVersionArn": version,
        }))
    }

    pub(super) fn describe_state_machine(&self, arn: &str) -> Answered<Value> {
        let arn = MachineArn::parse(arn)?;
        let store = self.store();
        let machine = store.machine(arn)?;
        let Some(qualifier) = arn.qualifier else {
            return Ok(machine.described(&machine.arn, &machine.current, None));
        };
        let alias = machine.aliases.get(qualifier);
        let version = match alias.and_then(|alias| alias.routes.first()) {
            // The description of an alias shows the version of its first route, even if the weight of this route is 0.
            Some(route) => version_number(&route.state_machine_version_arn)
                .and_then(|number| machine.versions.get(&number)),
            None => machine.version(qualifier, 0).map(|(_, version)| version),
        };
        let version =
            version.ok_or_else(|| ApiError::StateMachineDoesNotExist(arn.whole.to_string()))?;
        Ok(machine.described(arn.whole, &version.revision, Some(version)))
    }

    pub(super) fn delete_state_machine(&self, arn: &str) -> Answered<Value> {
        let arn = MachineArn::parse(arn)?;
        let mut store = self.store();
        store.machines.shift_remove(arn.machine);
        store.tags.forget(arn.machine);
        Ok(json!({}))
    }

    pub(super) fn list_state_machines(&self, paging: &Paging) -> Answered<Value> {
        let page = paging.page("state machines")?;
        let store = self.store();
        let mut all: Vec<&StateMachine> = store.machines.values().collect();
        all.sort_by(|left, right| left.name.cmp(&right.name));
        let (machines, next) = page.of(all.into_iter().map(|machine| {
            json!({
                "stateMachineArn": machine.arn,
                "name": machine.name,
                "type": machine.type_name(),
                "creationDate": timestamp(machine.created),
            })
        }));
        Ok(json!({"stateMachines": machines, "nextToken": next}))
    }

    /// Creates the state machines in a file or folder. Returns a sentence for each state machine that AWS would reject.
    ///
    /// # Errors
    /// If a file that the user named cannot be read.
    pub(super) fn preload(&self, program: &Program) -> Result<Vec<String>, Refusal> {
        let mut problems = Vec::new();
        if !program.file.is_dir() {
            for opened in open_all(program)? {
                problems.extend(self.add(&opened));
            }
            return Ok(problems);
        }
        for choice in definitions_in(&program.file) {
            let program = Program {
                file: choice.file,
                state_machine: choice.machine,
                ..program.clone()
            };
            match open_all(&program) {
                Ok(all) => problems.extend(all.iter().filter_map(|opened| self.add(opened))),
                Err(error) => problems.push(error.to_string()),
            }
        }
        Ok(problems)
    }

    /// Creates a state machine; returns the reason if it cannot be created.
    fn add(&self, opened: &Opened) -> Option<String> {
        let name = opened.name();
        let node = match opened.readable() {
            Ok(node) => node,
            Err(error) => return Some(error.to_string()),
        };
        let written = opened.sources.get(node.span.source).map(|file| &file.text);
        let is_plain = opened.kind == DocumentKind::Definition;
        let written = written.filter(|text| is_plain && crate::json::parse(text).is_ok());
        let text = match written {
            Some(text) => text.to_string(),
            None => pretty(&node.to_value()),
        };
        let kind = self.options.checking.machine_type;
        let kind = type_name(kind.or(opened.machine_type).unwrap_or_default());
        let role = format!("arn:aws:iam::{}:role/{name}", self.options.account);
        let created = self.create_state_machine(Create::of(name.clone(), text, role, kind));
        match created {
            Ok(_) => {
                let arn = self.identity().arn("stateMachine", &name);
                self.store().preloaded.insert(arn);
                None
            }
            Err(error) => Some(format!("{name}: {error}")),
        }
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

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TagResource {
    resource_arn: String,
    tags: Vec<Tag>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct UntagResource {
    resource_arn: String,
    tag_keys: Vec<String>,
}

impl Api {
    pub(super) fn tag_resource(&self, request: TagResource) -> Answered<Value> {
        self.require_resource(&request.resource_arn)?;
        self.store().tags.add(&request.resource_arn, request.tags)?;
        Ok(json!({}))
    }

    pub(super) fn untag_resource(&self, request: &UntagResource) -> Answered<Value> {
        self.require_resource(&request.resource_arn)?;
        let mut store = self.store();
        if let Some(all) = store.tags.of.get_mut(&request.resource_arn) {
            all.retain(|tag| !request.tag_keys.contains(&tag.key));
        }
        Ok(json!({}))
    }

    pub(super) fn list_tags_for_resource(&self, arn: &str) -> Answered<Value> {
        self.require_resource(arn)?;
        let store = self.store();
        let tags = store.tags.of.get(arn);
        Ok(json!({"tags": tags.cloned().unwrap_or_default()}))
    }

    fn require_resource(&self, arn: &str) -> Answered<()> {
        let kind = Arn::of_kind(arn, &["stateMachine", "activity"])?.kind;
        let is_known = match kind {
            "activity" => self.tasks().activities.contains_key(arn),
            _ => self.store().machines.contains_key(arn),
        };
        match is_known {
            true => Ok(()),
            false => Err(ApiError::ResourceNotFound(format!(
                "Resource not found: '{arn}'"
            ))),
        }
    }
}
