//! A fault as members of an object: how every form of output names an error.

use crate::interpreter::Fault;
use crate::json::{Text, Value};

/// `error` and `cause`, as far as there are any.
pub(super) fn error_members(fault: &Fault) -> Vec<(Text, Value)> {
    let part = |name: &str, text: &Option<Text>| {
        text.clone().map(|text| (name.into(), Value::String(text)))
    };
    let parts = [part("error", &fault.error), part("cause", &fault.cause)];
    parts.into_iter().flatten().collect()
}
