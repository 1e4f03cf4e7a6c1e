//! Arguments of requests and bodies of responses.

use super::refusal::Refusal;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Body of a response, or the reason why the request failed.
pub(super) type Body = Result<Option<Value>, Refusal>;

/// Refusal of an unknown request.
pub(super) fn unknown(command: &str) -> Refusal {
    Refusal::new(format!("asldbg does not know the request \"{command}\""))
}

/// Parses the arguments of a request.
pub(super) fn read<T: DeserializeOwned + Default>(arguments: Value) -> Result<T, Refusal> {
    if arguments.is_null() {
        return Ok(T::default());
    }
    serde_json::from_value(arguments)
        .map_err(|error| Refusal::new(format!("the arguments cannot be read: {error}")))
}

/// Builds the body of a response.
pub(super) fn body(value: &impl Serialize) -> Body {
    let value = serde_json::to_value(value);
    value
        .map(Some)
        .map_err(|error| Refusal::new(format!("the response cannot be written: {error}")))
}
