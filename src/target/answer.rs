//! Turns the response of an external target into the result of the task, or into an error with the name that AWS uses
//! for it.

use super::http::{Failed, Reply};
use super::program::Ended;
use super::request::Called;
use crate::interpreter::Outcome;
use crate::json::{Value, parse};
use crate::session::service_response;

/// Maximum number of bytes of an invalid answer that an error quotes.
const QUOTED: usize = 4 << 10;
/// Maximum number of bytes of a program's standard error in the cause of an error; of a longer text, the last bytes are
/// used.
const LAST: usize = 4 << 10;

/// The outcome of a call by HTTP; `None` if the task timed out.
pub(super) fn of_reply(
    called: &Called,
    target: &str,
    guesses: bool,
    reply: Result<Reply, Failed>,
) -> Option<Outcome> {
    let reply = match reply {
        Ok(reply) => reply,
        Err(Failed::Ended) => return None,
        Err(Failed::TooLarge) => return Some(too_large(called)),
        Err(Failed::Broken(why)) => {
            let why = format!("{target} did not answer: {why}");
            return Some(called.failed("SdkClientException", why));
        }
    };
    let text = String::from_utf8_lossy(&reply.body).into_owned();
    let value = match text.trim().is_empty() {
        true => Ok(Value::Null),
        false => parse(&text),
    };
    let is_good = (200..300).contains(&reply.status);
    Some(match (value, is_good, called) {
        (value, true, Called::Function { .. }) if reply.function_error => {
            raised(value.ok().as_ref(), &text)
        }
        (Ok(value), true, Called::Function { .. }) if guesses && looks_raised(&value) => {
            raised(Some(&value), &text)
        }
        (Err(_), true, Called::Function { .. }) if text.starts_with("Task timed out after ") => {
            raised(None, &text)
        }
        (Ok(value), true, _) => called.result(value),
        (Err(_), true, _) => no_json(target, &text),
        (_, false, Called::Function { function, .. }) => refused(&reply, function, &text),
        (value, false, Called::Resource(_)) => {
            let said = value.ok().and_then(|value| described_error(&value, &text));
            let plain = || {
                let (status, body) = (reply.status, quoted(&text));
                format!("{target} answered {status}: {body}")
            };
            said.unwrap_or_else(|| failure("States.TaskFailed", plain()))
        }
    })
}

/// The outcome of a call of a program; `None` if the task timed out.
pub(super) fn of_program(called: &Called, target: &str, ended: Ended) -> Option<Outcome> {
    let (status, out, said) = match ended {
        Ended::Itself(status, out, said) => (status, out, said),
        Ended::Forced => return None,
        Ended::TooLarge => return Some(too_large(called)),
        Ended::Unstarted(error) => {
            let why = format!("{target} could not be run: {error}");
            return Some(failure("States.TaskFailed", why));
        }
    };
    let text = String::from_utf8_lossy(&out);
    let value = parse(&text);
    Some(match (value, status.code()) {
        (Ok(value), Some(0)) => called.result(value),
        (Err(_), Some(0)) => no_json(target, &text),
        (value, code) => {
            let described = value
                .ok()
                .and_then(|value| described_error(&value, text.trim()));
            let name = match code {
                Some(code) => format!("Program.Exit{code}"),
                None => "Program.Killed".to_string(),
            };
            let last = said.get(said.len().saturating_sub(LAST)..);
            let said = String::from_utf8_lossy(last.unwrap_or_default());
            described.unwrap_or_else(|| failure(&name, said.trim_end()))
        }
    })
}

/// Outcome of a call that exceeded the time limit that applies to every call.
pub(super) fn overdue(called: &Called) -> Outcome {
    let seconds = super::LONGEST.as_secs();
    called.failed(
        "Unknown",
        format!("Task timed out after {seconds}.00 seconds"),
    )
}

impl Called {
    fn result(&self, value: Value) -> Outcome {
        Outcome::Success(match self {
            Self::Function {
                is_wrapped: true, ..
            } => service_response::invoked(value),
            _ => value,
        })
    }

    fn failed(&self, name: &str, cause: String) -> Outcome {
        match self {
            Self::Function { .. } => failure(&format!("Lambda.{name}"), cause),
            Self::Resource(_) => failure("States.TaskFailed", cause),
        }
    }
}

pub(super) fn failure(error: &str, cause: impl AsRef<str>) -> Outcome {
    Outcome::Failure {
        error: Some(error.into()),
        cause: Some(cause.as_ref().into()),
    }
}

/// The outcome if the function raised an error. The error's name is the `errorType` in the function's answer.
fn raised(value: Option<&Value>, text: &str) -> Outcome {
    let name = value.and_then(|value| value.get("errorType")?.as_str());
    let name = name.filter(|name| !name.is_empty());
    failure(name.unwrap_or("Lambda.Unknown"), text)
}

/// The error in an answer that has `error` and `cause`, or `errorType` as functions report it; `None` if there is none.
fn described_error(value: &Value, text: &str) -> Option<Outcome> {
    let part = |name: &str| value.get(name)?.as_str();
    match part("error") {
        Some(error) => Some(failure(error, part("cause").unwrap_or_default())),
        None => part("errorType").map(|name| failure(name, text)),
    }
}

/// True if a result looks like a function's report of an error. Emulators do not tell in any other way that the
/// function failed.
fn looks_raised(value: &Value) -> bool {
    let is_known = |name: &str| {
        matches!(
            name,
            "errorMessage" | "errorType" | "stackTrace" | "cause" | "requestId" | "trace"
        )
    };
    let has = |name: &str| value.get(name).is_some();
    let members = value.as_object().map(|object| object.members());
    let members = members.unwrap_or_default();
    has("errorMessage") && has("errorType") && members.iter().all(|(name, _)| is_known(name))
}

/// The outcome of a call of a function, if the HTTP server refused to call this function.
fn refused(reply: &Reply, function: &str, text: &str) -> Outcome {
    let framed = |message: &str, code: &str| {
        let status = reply.status;
        format!(
            "{message} (Service: AWSLambda; Status Code: {status}; Error Code: {code}; Request ID: unknown; Proxy: null)"
        )
    };
    // Some services append an address to the error code: `ResourceNotFoundException:http://…`.
    let code = reply
        .error_type
        .as_deref()
        .and_then(|code| code.split(':').next());
    let code = code.map(|code| match code.ends_with("Exception") {
        true => code.to_string(),
        false => format!("{code}Exception"),
    });
    let code = match (code, reply.status) {
        (Some(code), _) => code,
        (None, 404) => "ResourceNotFoundException".to_string(),
        (None, 429) => "TooManyRequestsException".to_string(),
        (None, _) => "ServiceException".to_string(),
    };
    let message = match &*code {
        "ResourceNotFoundException" => format!("Function not found: {function}"),
        _ => quoted(text).to_string(),
    };
    failure(&format!("Lambda.{code}"), framed(&message, &code))
}

pub(super) fn too_large(called: &Called) -> Outcome {
    let of = match called {
        Called::Function {
            is_wrapped: true, ..
        } => "lambda",
        Called::Function { function, .. } => function,
        Called::Resource(resource) => resource,
    };
    let cause = format!(
        "The state/task '{of}' returned a result with a size exceeding the maximum number of bytes service limit."
    );
    failure("States.DataLimitExceeded", cause)
}

fn no_json(target: &str, text: &str) -> Outcome {
    let cause = match text.trim() {
        "" => format!("{target} returned nothing, but must return JSON"),
        text => format!(
            "{target} did not answer in JSON: {output}",
            output = quoted(text)
        ),
    };
    failure("States.Runtime", cause)
}

fn quoted(text: &str) -> &str {
    let end = (0..=QUOTED.min(text.len()))
        .rev()
        .find(|end| text.is_char_boundary(*end));
    text.get(..end.unwrap_or(0)).unwrap_or_default().trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(status: u16, body: &str) -> Reply {
        Reply {
            status,
            body: body.as_bytes().to_vec(),
            ..Reply::default()
        }
    }

    fn named(outcome: Option<Outcome>) -> String {
        match outcome {
            Some(Outcome::Success(value)) => value.to_string(),
            Some(Outcome::Failure { error, cause }) => {
                format!("{}: {}", error.unwrap(), cause.unwrap())
            }
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn what_a_function_answers_is_named_as_aws_names_it() {
        let function = Called::Function {
            name: "f".into(),
            function: "f".into(),
            is_wrapped: false,
        };
        let raised = r#"{"errorMessage": "boom", "errorType": "Custom", "requestId": "1"}"#;
        for (reply, guesses, wanted) in [
            (reply(200, "{\"a\": 1}"), false, "{\"a\":1}"),
            (reply(200, ""), false, "null"),
            (
                reply(200, raised),
                false,
                "{\"errorMessage\":\"boom\",\"errorType\":\"Custom\",\"requestId\":\"1\"}",
            ),
            (
                reply(200, raised),
                true,
                "Custom: {\"errorMessage\": \"boom\", \"errorType\": \"Custom\", \"requestId\": \"1\"}",
            ),
            (
                reply(200, "{\"errorMessage\": 1, \"errorType\": 2, \"more\": 3}"),
                true,
                "{\"errorMessage\":1,\"errorType\":2,\"more\":3}",
            ),
            (
                reply(200, "Task timed out after 3.00 seconds"),
                false,
                "Lambda.Unknown: Task timed out after 3.00 seconds",
            ),
            (
                reply(200, "<html>"),
                false,
                "States.Runtime: T did not answer in JSON: <html>",
            ),
            (
                Reply {
                    function_error: true,
                    ..reply(200, "{\"errorMessage\": \"x\"}")
                },
                false,
                "Lambda.Unknown: {\"errorMessage\": \"x\"}",
            ),
            (
                reply(404, "no"),
                false,
                "Lambda.ResourceNotFoundException: Function not found: f (Service: AWSLambda; Status Code: 404; Error Code: ResourceNotFoundException; Request ID: unknown; Proxy: null)",
            ),
            (
                reply(429, "slow"),
                false,
                "Lambda.TooManyRequestsException: slow (Service: AWSLambda; Status Code: 429; Error Code: TooManyRequestsException; Request ID: unknown; Proxy: null)",
            ),
            (
                reply(502, "x"),
                false,
                "Lambda.ServiceException: x (Service: AWSLambda; Status Code: 502; Error Code: ServiceException; Request ID: unknown; Proxy: null)",
            ),
            (
                Reply {
                    error_type: Some("InvalidRuntime:x".into()),
                    ..reply(502, "x")
                },
                false,
                "Lambda.InvalidRuntimeException: x (Service: AWSLambda; Status Code: 502; Error Code: InvalidRuntimeException; Request ID: unknown; Proxy: null)",
            ),
        ] {
            assert_eq!(named(of_reply(&function, "T", guesses, Ok(reply))), wanted);
        }
        let broken = Err(Failed::Broken("refused".into()));
        let wanted = "Lambda.SdkClientException: T did not answer: refused";
        assert_eq!(named(of_reply(&function, "T", false, broken)), wanted);
        assert!(of_reply(&function, "T", false, Err(Failed::Ended)).is_none());
    }
}
