//! State machines of the server, with their revisions, versions and aliases.

use super::reply::{Answered, ApiError, timestamp};
use crate::definition::{Definition, MachineType, variables_read};
use crate::launch::{Checking, open_json};
use crate::source::{Diagnostic, Severity};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A state machine with its current revision, published versions and aliases.
#[derive(Clone, Debug)]
pub(super) struct StateMachine {
    pub(super) arn: String,
    pub(super) name: String,
    pub(super) kind: MachineType,
    pub(super) created: i64,
    pub(super) current: Arc<Revision>,
    pub(super) versions: BTreeMap<u64, Version>,
    pub(super) last_version: u64,
    pub(super) aliases: BTreeMap<String, Alias>,
}

/// The members of a state machine that an update replaces: definition, role and settings.
#[derive(Clone, Debug)]
pub(super) struct Revision {
    /// Id of the revision; `None` before the first update.
    pub(super) id: Option<String>,
    pub(super) text: String,
    pub(super) definition: Arc<Definition>,
    pub(super) role: String,
    pub(super) settings: Settings,
    pub(super) updated: i64,
}

/// Settings that are stored and returned, but have no effect.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Settings {
    pub(super) logging: Value,
    pub(super) tracing: Value,
    pub(super) encryption: Value,
}

/// A published version of a state machine.
#[derive(Clone, Debug)]
pub(super) struct Version {
    pub(super) revision: Arc<Revision>,
    pub(super) description: String,
    pub(super) created: i64,
}

/// An alias of a state machine.
#[derive(Clone, Debug)]
pub(super) struct Alias {
    pub(super) description: Option<String>,
    pub(super) routes: Vec<Route>,
    pub(super) created: i64,
    pub(super) updated: i64,
}

/// A version that an alias routes to, with its weight in percent.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Route {
    pub(super) state_machine_version_arn: String,
    pub(super) weight: i64,
}

/// Settings in a request; omitted settings are `None`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct GivenSettings {
    pub(super) logging_configuration: Option<Value>,
    tracing_configuration: Option<Value>,
    encryption_configuration: Option<Value>,
}

impl Alias {
    /// True if the alias routes executions to a version.
    pub(super) fn leads_to(&self, version: &str) -> bool {
        let mut routes = self.routes.iter();
        routes.any(|route| route.state_machine_version_arn == version)
    }
}

impl Settings {
    /// Creates settings from a request. A setting that the request omits keeps its value in `before`; without `before`,
    /// it has its default.
    pub(super) fn new(given: GivenSettings, before: Option<&Self>) -> Self {
        let logging = given.logging_configuration;
        let logging = logging.or_else(|| Some(before?.logging.clone()));
        let tracing = given.tracing_configuration;
        let tracing = tracing.or_else(|| Some(before?.tracing.clone()));
        let encryption = given.encryption_configuration;
        let encryption = encryption.or_else(|| Some(before?.encryption.clone()));
        let logging = logging.unwrap_or_else(|| json!({}));
        let level = logging.get("level").cloned();
        let data = logging.get("includeExecutionData").cloned();
        Self {
            logging: json!({
                "level": level.unwrap_or_else(|| json!("OFF")),
                "includeExecutionData": data.unwrap_or_else(|| json!(false)),
                "destinations": logging.get("destinations").filter(|all| **all != json!([])),
            }),
            tracing: tracing.unwrap_or_else(|| json!({"enabled": false})),
            // The default is a key that AWS owns, and responses omit it.
            encryption: encryption.unwrap_or_default(),
        }
    }
}

/// Compiles a definition; returns an error if the definition cannot be run.
pub(super) fn compiled(
    machine: &str,
    text: &str,
    kind: MachineType,
    checking: &Checking,
) -> Answered<Definition> {
    let checking = Checking {
        machine_type: Some(kind),
        ..checking.clone()
    };
    let lowered = open_json(machine, text, kind).lower(&checking);
    let (definition, mut findings) = lowered.map_err(|findings| invalid(&findings))?;
    findings.retain(|finding| finding.blocking || !checking.allowed.hides(finding));
    match findings
        .iter()
        .any(|finding| finding.severity == Severity::Error)
    {
        true => Err(invalid(&findings)),
        false => Ok(definition),
    }
}

/// The error response for a definition that has these diagnostics.
pub(super) fn invalid(findings: &[Diagnostic]) -> ApiError {
    let errors = findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error);
    let texts: Vec<String> = errors
        .map(|error| match error.location.as_str() {
            "" => format!("{}: {}", error.code, error.message),
            place => format!("{}: {} at {place}", error.code, error.message),
        })
        .collect();
    let texts = texts.join(", ");
    ApiError::InvalidDefinition(format!("Invalid State Machine Definition: '{texts}'"))
}

impl StateMachine {
    /// Publishes the current revision as a version, unless the last version has this revision already; returns the
    /// version number.
    pub(super) fn publish(&mut self, description: Option<String>, now: i64) -> u64 {
        let last = self.versions.last_key_value();
        if let Some((number, last)) = last
            && last.revision.id == self.current.id
        {
            return *number;
        }
        self.last_version += 1;
        let version = Version {
            revision: Arc::clone(&self.current),
            description: description.unwrap_or_default(),
            created: now,
        };
        self.versions.insert(self.last_version, version);
        self.last_version
    }

    /// The version that a qualifier selects, with its number. `draw` is a random number from 0 to 99; if the qualifier
    /// is an alias, `draw` selects one of its routes.
    pub(super) fn version(&self, qualifier: &str, draw: i64) -> Option<(u64, &Version)> {
        let number = match self.aliases.get(qualifier) {
            None => qualifier.parse().ok(),
            Some(alias) => {
                let mut left = draw;
                let mut routes = alias.routes.iter();
                let chosen = routes.find(|route| {
                    left -= route.weight;
                    left < 0
                });
                chosen.and_then(|route| version_number(&route.state_machine_version_arn))
            }
        };
        number.and_then(|number| Some((number, self.versions.get(&number)?)))
    }

    /// ARN of this state machine's version or alias with the name `qualifier`.
    pub(super) fn qualified(&self, qualifier: impl std::fmt::Display) -> String {
        format!("{}:{qualifier}", self.arn)
    }

    pub(super) fn type_name(&self) -> &'static str {
        type_name(self.kind)
    }

    pub(super) fn described(
        &self,
        arn: &str,
        revision: &Revision,
        version: Option<&Version>,
    ) -> Value {
        let description = version.map(|version| version.description.as_str());
        json!({
            "stateMachineArn": arn,
            "name": self.name,
            "status": "ACTIVE",
            "definition": revision.text,
            "roleArn": revision.role,
            "type": self.type_name(),
            "creationDate": timestamp(version.map_or(self.created, |version| version.created)),
            "loggingConfiguration": revision.settings.logging,
            "tracingConfiguration": revision.settings.tracing,
            "encryptionConfiguration": revision.settings.encryption,
            "revisionId": revision.id,
            "description": description.filter(|text| !text.is_empty()),
            "variableReferences": variable_references(&revision.definition),
        })
    }
}

/// Type name: `STANDARD` or `EXPRESS`.
pub(super) fn type_name(kind: MachineType) -> &'static str {
    match kind {
        MachineType::Standard => "STANDARD",
        MachineType::Express => "EXPRESS",
    }
}

/// The variables that each state reads, by state name; null if no state reads a variable.
pub(super) fn variable_references(definition: &Definition) -> Value {
    let read = variables_read(definition);
    match read.is_empty() {
        true => Value::Null,
        false => json!(read),
    }
}

/// Version number at the end of a version's ARN.
pub(super) fn version_number(arn: &str) -> Option<u64> {
    let (_, number) = arn.rsplit_once(':')?;
    number.parse().ok()
}

/// The revision that an execution runs, and the version and alias by which it was started.
#[derive(Clone, Debug)]
pub(super) struct Resolved {
    pub(super) machine: String,
    pub(super) name: String,
    pub(super) kind: MachineType,
    pub(super) revision: Arc<Revision>,
    pub(super) version: Option<String>,
    pub(super) alias: Option<String>,
}
