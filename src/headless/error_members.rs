//! A fault as members of an object, the common form for errors in all output.

use crate::interpreter::Fault;
use crate::json::{Text, Value};

/// `error` and `cause`, each only if present.
pub(super) fn error_members(fault: &Fault) -> Vec<(Text, Value)> {
    let part = |name: &str, text: &Option<Text>| {
        text.clone().map(|text| (name.into(), Value::String(text)))
    };
    let parts = [part("error", &fault.error), part("cause", &fault.cause)];
    parts.into_iter().flatten().collect()
}
