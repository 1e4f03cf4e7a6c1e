//! Versions of state machines, and aliases that route to one or two of them.

use super::api::Api;
use super::checked::{Checks, MachineArn};
use super::machine::{Alias, Route, StateMachine, version_number};
use super::page::Paging;
use super::reply::{Answered, ApiError, timestamp};
use super::store::Store;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Publish {
    state_machine_arn: String,
    revision_id: Option<String>,
    description: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ListOfMachine {
    state_machine_arn: String,
    #[serde(flatten)]
    paging: Paging,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CreateAlias {
    name: String,
    description: Option<String>,
    routing_configuration: Vec<Route>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct UpdateAlias {
    state_machine_alias_arn: String,
    description: Option<String>,
    routing_configuration: Option<Vec<Route>>,
}

fn invalid(text: String) -> ApiError {
    ApiError::ValidationException(text)
}

/// Validates the routes of an alias. Returns the state machine whose versions the routes refer to.
fn routed<'s>(routes: &[Route], store: &'s mut Store) -> Answered<&'s mut StateMachine> {
    let mut checks = Checks::default();
    if routes.is_empty() || routes.len() > 2 {
        let items: Vec<String> = routes.iter().map(printed).collect();
        let bound = match routes.is_empty() {
            true => "greater than or equal to 1",
            false => "less than or equal to 2",
        };
        return Err(invalid(format!(
            "1 validation error detected: Value '[{routes}]' at 'routingConfiguration' failed to satisfy constraint: Member must have length {bound}",
            routes = items.join(", ")
        )));
    }
    for (place, route) in routes.iter().enumerate() {
        let field = format!("routingConfiguration.{}.member.weight", place + 1);
        checks = checks.number(&field, Some(route.weight), 0, 100);
    }
    checks.done()?;
    let arns: Vec<&str> = routes
        .iter()
        .map(|route| route.state_machine_version_arn.as_str())
        .collect();
    let mut machine = None;
    for arn in &arns {
        let parsed = MachineArn::parse(arn)?;
        if parsed
            .qualifier
            .is_none_or(|text| text.parse::<u64>().is_err())
        {
            return Err(invalid(format!(
                "Routing configuration must contain state machine version ARNs. Received: [{arns}]",
                arns = arns.join(", ")
            )));
        }
        if *machine.get_or_insert(parsed.machine) != parsed.machine {
            return Err(invalid(
                "Routing configuration must contain versions of one state machine".to_string(),
            ));
        }
    }
    if let [first, second] = arns.as_slice()
        && first == second
    {
        return Err(invalid(format!(
            "Routing configuration must contain distinct state machine version ARNs. Received: [{first}, {second}]"
        )));
    }
    let weights: Vec<i64> = routes.iter().map(|route| route.weight).collect();
    if weights.iter().sum::<i64>() != 100 {
        return Err(invalid(format!(
            "Sum of routing configuration weights must equal 100. Received: {weights}",
            weights = json!(weights).to_string().replace(',', ", ")
        )));
    }
    let machine = store.machine_mut(machine.unwrap_or_default())?;
    for arn in arns {
        let number = version_number(arn).unwrap_or(0);
        if !machine.versions.contains_key(&number) {
            return Err(not_found());
        }
    }
    Ok(machine)
}

fn printed(route: &Route) -> String {
    format!(
        "RoutingConfigurationListItem(stateMachineVersionArn={arn}, weight={weight})",
        arn = route.state_machine_version_arn,
        weight = route.weight
    )
}

fn not_found() -> ApiError {
    let text = "Request references a resource that does not exist.";
    ApiError::ResourceNotFound(text.to_string())
}

/// The state machine's ARN and the alias's name, from the ARN of an alias.
fn alias_arn(arn: &str) -> Answered<(&str, &str)> {
    let parsed = MachineArn::parse(arn)?;
    let name = parsed.qualifier.ok_or_else(not_found)?;
    Ok((parsed.machine, name))
}

impl Api {
    pub(super) fn publish_version(&self, request: Publish) -> Answered<Value> {
        let now = self.now();
        let mut store = self.store();
        let machine = store.machine_mut(&request.state_machine_arn)?;
        let current = machine.current.id.as_deref().unwrap_or("INITIAL");
        if let Some(wanted) = &request.revision_id
            && wanted != current
        {
            return Err(ApiError::ConflictException(format!(
                "Failed to publish the State Machine version for revision {wanted}. The current State Machine revision is {current}."
            )));
        }
        let number = machine.publish(request.description, now);
        let created = machine.versions.get(&number).map(|version| version.created);
        Ok(json!({
            "creationDate": timestamp(created.unwrap_or(now)),
            "stateMachineVersionArn": machine.qualified(number),
        }))
    }

    pub(super) fn delete_version(&self, arn: &str) -> Answered<Value> {
        let arn = MachineArn::parse(arn)?;
        let Some(number) = arn.qualifier.and_then(|text| text.parse::<u64>().ok()) else {
            return Err(invalid(format!(
                "1 validation error detected: Value '{arn}' at 'stateMachineVersionArn' failed to satisfy constraint: Member must be the ARN of a version",
                arn = arn.whole
            )));
        };
        let mut store = self.store();
        let Some(machine) = store.machines.get_mut(arn.machine) else {
            return Ok(json!({}));
        };
        let aliases = machine.aliases.iter();
        let aliases = aliases.filter(|(_, alias)| alias.leads_to(arn.whole));
        let aliases: Vec<&str> = aliases.map(|(name, _)| name.as_str()).collect();
        if !aliases.is_empty() {
            return Err(ApiError::ConflictException(format!(
                "Version to be deleted must not be referenced by an alias. Current list of aliases referencing this version: [{aliases}]",
                aliases = aliases.join(", ")
            )));
        }
        machine.versions.remove(&number);
        Ok(json!({}))
    }

    pub(super) fn list_versions(&self, request: &ListOfMachine) -> Answered<Value> {
        let arn = &request.state_machine_arn;
        let page = request.paging.page(&format!("versions of {arn}"))?;
        let mut store = self.store();
        let machine = store.machine_mut(arn)?;
        let versions = machine.versions.iter().rev().map(|(number, version)| {
            json!({
                "stateMachineVersionArn": machine.qualified(number),
                "creationDate": timestamp(version.created),
            })
        });
        let (versions, next) = page.of(versions);
        Ok(json!({"stateMachineVersions": versions, "nextToken": next}))
    }

    pub(super) fn create_alias(&self, request: CreateAlias) -> Answered<Value> {
        let name = &request.name;
        let is_named = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
        let has_form = name.chars().all(is_named) && !name.chars().all(|c| c.is_ascii_digit());
        Checks::default()
            .length("name", name, 80)
            .form(
                "name",
                name,
                has_form,
                r"^(?=.*[a-zA-Z_\-\.])[a-zA-Z0-9_\-\.]+$",
            )
            .done()?;
        let now = self.now();
        let mut store = self.store();
        let machine = routed(&request.routing_configuration, &mut store)?;
        let arn = machine.qualified(name);
        if let Some(known) = machine.aliases.get(name) {
            if known.routes != request.routing_configuration
                || known.description != request.description
            {
                let text = "Failed to create alias because an alias with the same name and a different routing configuration already exists.";
                return Err(ApiError::ConflictException(text.to_string()));
            }
            return Ok(json!({
                "stateMachineAliasArn": arn,
                "creationDate": timestamp(known.created),
            }));
        }
        let alias = Alias {
            description: request.description,
            routes: request.routing_configuration,
            created: now,
            updated: now,
        };
        machine.aliases.insert(request.name, alias);
        Ok(json!({"stateMachineAliasArn": arn, "creationDate": timestamp(now)}))
    }

    pub(super) fn update_alias(&self, request: UpdateAlias) -> Answered<Value> {
        let (machine, name) = alias_arn(&request.state_machine_alias_arn)?;
        if request.description.is_none() && request.routing_configuration.is_none() {
            return Err(ApiError::MissingRequiredParameter);
        }
        let now = self.now();
        let mut store = self.store();
        if let Some(routes) = &request.routing_configuration {
            routed(routes, &mut store)?;
        }
        let machine = store.machines.get_mut(machine).ok_or_else(not_found)?;
        let alias = machine.aliases.get_mut(name).ok_or_else(not_found)?;
        alias.updated = now;
        if let Some(routes) = request.routing_configuration {
            alias.routes = routes;
        }
        if request.description.is_some() {
            alias.description = request.description;
        }
        Ok(json!({"updateDate": timestamp(now)}))
    }

    pub(super) fn describe_alias(&self, arn: &str) -> Answered<Value> {
        let (machine, name) = alias_arn(arn)?;
        let store = self.store();
        let machine = store.machines.get(machine).ok_or_else(not_found)?;
        let alias = machine.aliases.get(name).ok_or_else(not_found)?;
        Ok(json!({
            "stateMachineAliasArn": arn,
            "name": name,
            "description": alias.description,
            "routingConfiguration": alias.routes,
            "creationDate": timestamp(alias.created),
            "updateDate": timestamp(alias.updated),
        }))
    }

    pub(super) fn delete_alias(&self, arn: &str) -> Answered<Value> {
        let (machine, name) = alias_arn(arn)?;
        let mut store = self.store();
        if let Some(machine) = store.machines.get_mut(machine) {
            machine.aliases.remove(name);
        }
        Ok(json!({}))
    }

    pub(super) fn list_aliases(&self, request: &ListOfMachine) -> Answered<Value> {
        let arn = MachineArn::parse(&request.state_machine_arn)?;
        let page = request.paging.page(&format!("aliases of {}", arn.whole))?;
        let mut store = self.store();
        let machine = store.machine_mut(arn.machine)?;
        let aliases = machine.aliases.iter();
        let aliases =
            aliases.filter(|(_, alias)| arn.qualifier.is_none() || alias.leads_to(arn.whole));
        let aliases = aliases.map(|(name, alias)| {
            json!({
                "stateMachineAliasArn": machine.qualified(name),
                "creationDate": timestamp(alias.created),
            })
        });
        let (aliases, next) = page.of(aliases);
        Ok(json!({"stateMachineAliases": aliases, "nextToken": next}))
    }
}
