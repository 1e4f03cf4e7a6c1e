//! Tags of state machines and activities.

use super::error::{Answered, ApiError};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Maximum number of tags per resource.
const MOST: usize = 50;

/// A tag.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Tag {
    pub(super) key: String,
    value: String,
}

/// All tags by ARN of the resource.
#[derive(Debug, Default)]
pub(super) struct Tags {
    pub(super) of: HashMap<String, Vec<Tag>>,
}

impl Tags {
    /// Adds tags to a resource; replaces tags with the same key.
    pub(super) fn add(&mut self, arn: &str, tags: Vec<Tag>) -> Answered<()> {
        let all = self.of.entry(arn.to_string()).or_default();
        for tag in tags {
            all.retain(|own| own.key != tag.key);
            if all.len() >= MOST {
                let text = format!("a resource has at most {MOST} tags");
                return Err(ApiError::TooManyTags(text));
            }
            all.push(tag);
        }
        Ok(())
    }

    pub(super) fn forget(&mut self, arn: &str) {
        self.of.remove(arn);
    }
}
