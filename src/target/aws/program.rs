//! Runs the `aws` program to call an action of an API. Parameters are passed in files that no other user may read:
//! parameters in the command line could be mistaken for options and are limited in length. Errors get the names that
//! the integrations use.

use super::convert::{self, Spelling, scalar};
use crate::interpreter::Outcome;
use crate::json::{Value, one_line, parse};
use crate::service::{Call, Kind, Naming, command_name};
use crate::source::store::TemporaryFolder;
use crate::target::LARGEST;
use crate::target::answer::{failure, too_large};
use crate::target::program::{Ended, Room, run};
use crate::target::request::Request;
use crate::target::watch::Watch;
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

/// For some actions, the `aws` program writes a part of the response to a file instead of printing it. This is the
/// file's name.
const STREAMED: &str = "out";
/// Texts in the program's error messages that tell the kinds of errors apart.
const OCCURRED: &str = "An error occurred (";
const CALLED: &str = " operation";
const USAGE: &str = "aws: error: ";
const UNKNOWN: &str = "Invalid choice";
const INVALID: &str = "Parameter validation failed:";
/// Texts in the program's error messages if no server could be reached.
pub const UNREACHED: &[&str] = &[
    "Could not connect to the endpoint",
    "Connect timeout",
    "Read timeout",
    "Connection was closed",
    "Connection reset",
    "Failed to connect",
    "SSL validation failed",
];

/// The `aws` program, with the options for all of its calls.
#[derive(Clone, Debug)]
pub struct Aws {
    /// File of the program.
    pub program: PathBuf,
    /// The user's options.
    pub options: Vec<String>,
}

/// The reason why a call has no result.
pub(super) enum Trouble {
    /// The call took too long, or its answer is no longer needed.
    Ended,
    TooLarge,
    /// The service answered with an error.
    Service {
        code: String,
        message: String,
    },
    /// The service could not be reached.
    Unreached(String),
    /// The program could not make the call.
    Refused(String),
}

/// How parameters are passed to an action.
#[derive(Clone)]
enum Form {
    /// All parameters as one JSON text.
    Json(Arc<Spelling>),
    /// One option for each parameter. This is required for actions that write a part of their response to a file.
    Options,
}

impl Aws {
    /// Creates a command for the program, with which it asks no questions, uses no pager and prints UTF-8.
    #[must_use]
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command
            .env("AWS_PAGER", "")
            .env("AWS_CLI_AUTO_PROMPT", "off")
            .env("PYTHONIOENCODING", "utf-8")
            .env("PYTHONUTF8", "1")
            .env("AWS_CLI_OUTPUT_ENCODING", "UTF-8");
        command
    }

    /// True if the user's options contain an endpoint, so that calls go to it and not to an AWS account.
    pub(in crate::target) fn has_endpoint(&self) -> bool {
        self.option("--endpoint-url").is_some()
    }

    /// The value of one of the user's options; `None` if it is not given.
    #[must_use]
    pub fn option(&self, name: &str) -> Option<&str> {
        let mut options = self.options.iter();
        while let Some(option) = options.next() {
            if option == name {
                return options.next().map(String::as_str);
            }
            let value = option.strip_prefix(name);
            if let Some(value) = value.and_then(|rest| rest.strip_prefix('=')) {
                return Some(value);
            }
        }
        None
    }

    /// Calls an action. The names in the parameters and in the result have the spelling of the integration.
    pub(super) fn call(
        &self,
        call: &Call,
        parameters: &Value,
        watch: &Watch,
    ) -> Result<Value, Trouble> {
        let Some((service, action)) = call.command() else {
            return Err(Trouble::Refused(
                "the program aws has no such action".to_string(),
            ));
        };
        let form = self.form(service, &action, watch)?;
        let mut private = Private::new().map_err(unwritten)?;
        let streamed = private.path(STREAMED);
        let mut command = self.command();
        command
            .args([service, &action])
            .args(&self.options)
            .args(["--no-paginate", "--output", "json"])
            .env("AWS_MAX_ATTEMPTS", "1");
        match &form {
            Form::Json(spelling) => {
                let json = one_line(&convert::parameters(call, parameters, spelling));
                let file = private.write(&json, false).map_err(unwritten)?;
                command.args(["--cli-input-json", &file]);
                if self.wants_format(watch)? {
                    command.args(["--cli-binary-format", "raw-in-base64-out"]);
                }
            }
            Form::Options => {
                let given = convert::parameters(call, parameters, &Spelling::new());
                for option in options(call, &given, &mut private)? {
                    command.arg(option);
                }
                command.arg(&streamed);
            }
        }
        let printed = self.printed(command, &streamed, watch)?;
        let answer = match printed.trim() {
            "" => Value::empty_object(),
            text => parse(text)
                .map_err(|_| Trouble::Refused("the program aws did not print JSON".to_string()))?,
        };
        let answer = convert::result(call, &answer);
        match form {
            Form::Json(_) => Ok(answer),
            Form::Options => with_streamed(call, &answer, &streamed),
        }
    }

    /// Finds out how to pass parameters to an action. With the option `--generate-cli-skeleton`, the program prints the
    /// names of the parameters without connecting to AWS.
    fn form(&self, service: &str, action: &str, watch: &Watch) -> Result<Form, Trouble> {
        static KNOWN: Mutex<Option<HashMap<String, Form>>> = Mutex::new(None);
        let key = format!("{} {service} {action}", self.program.display());
        let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(form) = known().as_ref().and_then(|known| known.get(&key)) {
            return Ok(form.clone());
        }
        let mut command = self.command();
        command.args([service, action, "--generate-cli-skeleton", "input"]);
        let form = match self.printed(command, Path::new(""), watch) {
            Ok(text) => {
                let skeleton = parse(&text).unwrap_or_default();
                Form::Json(Arc::new(convert::spelling(&skeleton)))
            }
            // The action does not support the option `--generate-cli-skeleton`, or requires other options with it.
            Err(Trouble::Refused(text)) if !text.contains(UNKNOWN) => Form::Options,
            Err(trouble) => return Err(trouble),
        };
        known().get_or_insert_default().insert(key, form.clone());
        Ok(form)
    }

    /// True if the program has version 2. Version 2 expects bytes in base64 unless an option says otherwise.
    fn wants_format(&self, watch: &Watch) -> Result<bool, Trouble> {
        static KNOWN: Mutex<Option<HashMap<PathBuf, bool>>> = Mutex::new(None);
        let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(is_second) = known().as_ref().and_then(|known| known.get(&self.program)) {
            return Ok(*is_second);
        }
        let mut command = self.command();
        command.arg("--version");
        let printed = self.printed(command, Path::new(""), watch)?;
        let is_second = printed.starts_with("aws-cli/2");
        known()
            .get_or_insert_default()
            .insert(self.program.clone(), is_second);
        Ok(is_second)
    }

    /// Runs the program and returns its output. `file` is the file to which the program may write a part of its
    /// response.
    fn printed(&self, command: Command, file: &Path, watch: &Watch) -> Result<String, Trouble> {
        let is_over = || {
            let known = std::fs::metadata(file);
            known.is_ok_and(|known| known.len() > LARGEST as u64)
        };
        let room = Room {
            limit: LARGEST,
            is_over: &is_over,
        };
        match run(command, "", &room, watch) {
            Ended::Forced => Err(Trouble::Ended),
            Ended::TooLarge => Err(Trouble::TooLarge),
            Ended::Unstarted(error) => Err(Trouble::Refused(format!(
                "{program} could not be run: {error}",
                program = self.program.display()
            ))),
            Ended::Itself(status, out, _) if status.success() => {
                Ok(String::from_utf8_lossy(&out).into_owned())
            }
            Ended::Itself(_, _, said) => Err(complaint(&String::from_utf8_lossy(&said))),
        }
    }
}

/// The AWS account and the region that calls without the option `--endpoint-url` reach.
///
/// # Errors
/// If they cannot be determined; the error is the message of the program.
pub(in crate::target) fn account(aws: &Aws) -> Result<String, String> {
    let watch = Watch::new(None);
    let profile = aws.option("--profile").map(str::to_string);
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let configured = || {
        let mut command = aws.command();
        command.args(["configure", "get", "region"]);
        if let Some(profile) = &profile {
            command.args(["--profile", profile]);
        }
        let printed = aws.printed(command, Path::new(""), &watch).ok()?;
        Some(printed.trim().to_string()).filter(|region| !region.is_empty())
    };
    let region = (aws.option("--region").map(str::to_string))
        .or_else(|| variable("AWS_REGION"))
        .or_else(|| variable("AWS_DEFAULT_REGION"))
        .or_else(configured);
    let call = Call::of_action("sts", "getCallerIdentity", Naming::Optimized);
    let call = call.ok_or("asldbg's catalogue of AWS services is damaged")?;
    match aws.call(&call, &Value::empty_object(), &watch) {
        Ok(answer) => {
            let part = |name: &str| answer.get(name).and_then(Value::as_str).unwrap_or("?");
            let region = region.as_deref().unwrap_or("as chosen by each call");
            Ok(format!(
                "account {account} as {arn}, region {region}",
                account = part("Account"),
                arn = part("Arn")
            ))
        }
        Err(Trouble::Service { message, .. }) => Err(message),
        Err(Trouble::Unreached(text) | Trouble::Refused(text)) => Err(text),
        Err(Trouble::Ended | Trouble::TooLarge) => {
            Err("the program aws did not answer".to_string())
        }
    }
}

/// Creates an option for each parameter. The values are in files, so that the program cannot take a value for an option
/// or an address.
fn options(call: &Call, given: &Value, private: &mut Private) -> Result<Vec<String>, Trouble> {
    let mut options = Vec::new();
    for (name, value) in given.as_object().map_or(&[][..], |object| object.members()) {
        let known = call.parameters.as_deref().unwrap_or_default().iter();
        let mut known = known.filter(|member| member.name(Naming::Optimized) == &**name);
        let Some(member) = known.next() else {
            return Err(Trouble::Refused(format!(
                "the program aws has no parameter {name} for this action"
            )));
        };
        let option = command_name(member.name(Naming::Optimized));
        if let Some(is_set) = value.as_bool() {
            let no = if is_set { "" } else { "no-" };
            options.push(format!("--{no}{option}"));
            continue;
        }
        let is_blob = scalar(call, member.kind) == Kind::Blob;
        let text = match value.as_str() {
            Some(text) => text.to_string(),
            None => one_line(value),
        };
        options.push(format!("--{option}"));
        options.push(private.write(&text, is_blob).map_err(unwritten)?);
    }
    Ok(options)
}

/// Adds a member to the response: the content of the file to which the program wrote a part of the response.
fn with_streamed(call: &Call, answer: &Value, file: &Path) -> Result<Value, Trouble> {
    let bytes = Private::read(file, LARGEST + 1);
    if bytes.len() > LARGEST {
        return Err(Trouble::TooLarge);
    }
    let members = call.result.as_deref().unwrap_or_default();
    let mut members = members.iter();
    let member = members.find(|member| scalar(call, member.kind) == Kind::Blob);
    let name = member.map_or("Body", |member| member.name(call.naming));
    let text = Value::string(String::from_utf8_lossy(&bytes).into_owned());
    Ok(match answer.as_object() {
        Some(object) => Value::Object(Arc::new(object.with(&name.into(), text))),
        None => text,
    })
}

/// Finds the kind of error in the program's error message.
fn complaint(said: &str) -> Trouble {
    let said = said.trim();
    if let Some((_, rest)) = said.split_once(OCCURRED)
        && let Some((code, rest)) = rest.split_once(')')
    {
        let (_, rest) = rest.split_once(CALLED).unwrap_or(("", rest));
        // The number of retries may come first: ` (reached max retries: 0)`.
        let retried = rest.trim_start().strip_prefix('(');
        let (_, rest) = retried
            .and_then(|rest| rest.split_once(')'))
            .unwrap_or(("", rest));
        let message = rest.trim_start_matches(':');
        return Trouble::Service {
            code: code.to_string(),
            message: message.trim().to_string(),
        };
    }
    // The program rejects some parameters before they reach the service. On AWS, Step Functions itself rejects unknown
    // names and wrong types. The service reports all other errors, so they become errors of the service here.
    if let Some((_, faults)) = said.split_once(INVALID)
        && !["Unknown parameter", "Invalid type"]
            .iter()
            .any(|sign| faults.contains(sign))
    {
        return Trouble::Service {
            code: "ValidationException".to_string(),
            message: faults.trim().to_string(),
        };
    }
    // The program prints a long usage text before the message; the usage text is left out.
    let text = match said.split_once(USAGE) {
        Some((_, text)) => text,
        None => said,
    };
    let text: String = text.chars().take(2000).collect();
    match UNREACHED.iter().any(|sign| text.contains(sign)) {
        true => Trouble::Unreached(text),
        false => Trouble::Refused(format!("aws: {text}")),
    }
}

fn unwritten(error: std::io::Error) -> Trouble {
    Trouble::Refused(format!(
        "asldbg could not write the parameters for the program aws to a file: {error}"
    ))
}

/// The outcome of a failed call, with the error name of the integration; `None` if the call took too long.
pub(super) fn failed(trouble: Trouble, call: &Call, request: &Request) -> Option<Outcome> {
    let (error, cause) = match trouble {
        Trouble::Ended => return None,
        Trouble::TooLarge => return Some(too_large(&request.called)),
        Trouble::Unreached(text) => (call.error_of("SdkClientException").0, text),
        Trouble::Refused(text) => ("States.Runtime".to_string(), text),
        Trouble::Service { code, message } => {
            let (error, service) = call.error_of(&code);
            // The cause lacks status code and request id, because the program does not print them.
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

/// A private folder for the files of one call. The folder is removed when this value is dropped.
struct Private {
    folder: TemporaryFolder,
    count: u32,
}

impl Private {
    fn new() -> io::Result<Self> {
        let folder = TemporaryFolder::private()?;
        Ok(Self { folder, count: 0 })
    }

    /// Writes a text to a file; returns the value of an option that refers to this file: `fileb://…` for bytes,
    /// otherwise `file://…`.
    fn write(&mut self, text: &str, is_blob: bool) -> io::Result<String> {
        let path = self.path(&self.count.to_string());
        self.count += 1;
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(&path)?.write_all(text.as_bytes())?;
        let kind = if is_blob { "fileb" } else { "file" };
        Ok(format!("{kind}://{}", path.display()))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The first bytes of a file, at most `limit`.
    fn read(path: &Path, limit: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        if let Ok(file) = File::open(path) {
            // If reading fails, only the bytes that were read before are returned.
            let _ = file.take(limit as u64).read_to_end(&mut bytes);
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_programs_words_are_told_apart() {
        for (said, wanted) in [
            (
                "\nAn error occurred (NoSuchKey) when calling the GetObject operation: gone: really",
                "NoSuchKey|gone: really",
            ),
            (
                "An error occurred (Busy) when calling the X operation (reached max retries: 0): later",
                "Busy|later",
            ),
            ("Could not connect to the endpoint URL: \"u\"", "unreached"),
            ("usage: x\naws: error: argument y", "aws: argument y"),
            (
                "Parameter validation failed:\nInvalid length for parameter Key, value: 0, valid min length: 1",
                "ValidationException|Invalid length for parameter Key, value: 0, valid min length: 1",
            ),
            (
                "Parameter validation failed:\nUnknown parameter in input: \"X\", must be one of: Y",
                "aws: Parameter validation failed:\nUnknown parameter in input: \"X\", must be one of: Y",
            ),
        ] {
            let came = match complaint(said) {
                Trouble::Service { code, message } => format!("{code}|{message}"),
                Trouble::Unreached(_) => "unreached".to_string(),
                Trouble::Refused(text) => text,
                Trouble::Ended | Trouble::TooLarge => "other".to_string(),
            };
            assert_eq!(came, wanted);
        }
    }
}
