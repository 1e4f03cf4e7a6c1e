//! Names errors as the service integrations do.

use super::super::answer::{failure, too_large};
use super::super::request::Request;
use super::program::Trouble;
use crate::interpreter::Outcome;
use crate::service::{Call, Naming};

/// Outcome of a failed call, with the error name that the integration uses; `None` if the call took too long.
pub(super) fn failed(trouble: Trouble, call: &Call, request: &Request) -> Option<Outcome> {
    let (error, cause) = match trouble {
        Trouble::Ended => return None,
        Trouble::TooLarge => return Some(too_large(&request.called)),
        Trouble::Unreached(text) => (call.error_of("SdkClientException").0, text),
        Trouble::Refused(text) => ("States.Runtime".to_string(), text),
        Trouble::Service { code, message } => {
            let (error, service) = call.error_of(&code);
            // The program does not print the status code and the request id.
            let cause = match call.naming {
                Naming::Sdk => format!(
                    "{message} (Service: {service}, Status Code: unknown, Request ID: unknown)"
                ),
                Naming::Optimized => format!(
                    "{message} (Service: {service}; Status Code: unknown; Error Code: {code}; Request ID: unknown; Proxy: null)"
                ),
            };
            (error, cause)
        }
    };
    Some(failure(&error, cause))
}
