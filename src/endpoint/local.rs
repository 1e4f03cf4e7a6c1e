//! Differences between Step Functions Local and AWS that test suites rely on.

use crate::json::{Text, Value};
use std::sync::Arc;

/// An event in Local's form: `aws-sdk:comprehend:detectSentiment` has the resource `comprehend:detectSentiment`.
pub(super) fn event(value: Value) -> Value {
    let Value::Object(event) = &value else {
        return value;
    };
    let members = event.members().iter().map(|(name, member)| {
        let changed = details(member).filter(|_| name.ends_with("EventDetails"));
        (name.clone(), changed.unwrap_or_else(|| member.clone()))
    });
    Value::object(members.collect())
}

fn details(member: &Value) -> Option<Value> {
    let Value::Object(details) = member else {
        return None;
    };
    let service = member.get("resourceType")?.as_str()?;
    let service = service.strip_prefix("aws-sdk:")?;
    let resource = member.get("resource")?.as_str()?;
    let name: Text = "resource".into();
    let resource = Value::string(format!("{service}:{resource}"));
    Some(Value::Object(Arc::new(details.with(&name, resource))))
}
