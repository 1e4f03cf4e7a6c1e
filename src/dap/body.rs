//! What comes with a request, and with its response.

use super::refusal::Refusal;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// What comes with a response.
pub(super) type Body = Result<Option<Value>, Refusal>;

/// A request that is not known.
pub(super) fn unknown(command: &str) -> Refusal {
    Refusal::new(format!("asldbg does not know the request \"{command}\""))
}

/// Reads what comes with a request.
pub(super) fn read<T: DeserializeOwned + Default>(arguments: Value) -> Result<T, Refusal> {
    if arguments.is_null() {
        return Ok(T::default());
    }
    serde_json::from_value(arguments)
        .map_err(|error| Refusal::new(format!("the arguments cannot be read: {error}")))
}

/// What comes with a response.
pub(super) fn body(value: &impl Serialize) -> Body {
    let value = serde_json::to_value(value);
    value
        .map(Some)
        .map_err(|error| Refusal::new(format!("the response cannot be written: {error}")))
}
