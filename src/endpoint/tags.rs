//! Operations on tags.

use super::api::Api;
use super::checked::Arn;
use super::reply::{Answered, ApiError};
use super::store::Tag;
use serde::Deserialize;
use serde_json::{Value, json};

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
