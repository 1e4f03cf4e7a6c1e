//! The settings of a launch configuration, and their conversion to the configuration of a run.

use super::message::Refusal;
use crate::definition::MachineType;
use crate::json;
use crate::launch::{Field, Given, HistoryGiven, LaunchConfig, LaunchError, TextForm};
use crate::query::Profile;
use crate::session::Unmocked;
use crate::session::grammar::parse_moment;
use crate::source::nearest;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// Arguments of `launch`. Some are settings that the command line has, too; the others say how the run starts and where
/// it stops.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct LaunchArguments {
    program: Option<String>,
    cwd: Option<String>,
    input: Value,
    mock: Value,
    test_case: Option<String>,
    state_machine: Option<String>,
    machine_type: Option<String>,
    profile: Option<String>,
    allow: Vec<String>,
    set: Map<String, Value>,
    set_files: Vec<String>,
    region: Option<String>,
    account: Option<String>,
    seed: Option<u64>,
    start_time: Option<String>,
    context: Value,
    variables: Map<String, Value>,
    start_at: Option<String>,
    unmocked: Option<String>,
    s3_root: Option<String>,
    readers: Map<String, Value>,
    children: Map<String, Value>,
    history: Option<String>,
    execution: Option<String>,
    max_memory: Option<u64>,
    stop_on_errors: Option<Vec<String>>,
    /// True if the run stops at its start, before the first state does anything.
    pub stop_on_entry: bool,
    /// True if the debugging session stays open when the run has ended, so the client can still inspect the run and
    /// step back.
    pub stop_at_end: bool,
    /// Console commands to execute before the run starts.
    pub commands: Vec<String>,
    /// True if the run ignores breakpoints and errors, and stops only at a task that waits for an answer.
    pub no_debug: bool,
}

/// Finds members of a launch configuration that are not known, but whose name is similar to a known one. Returns a
/// sentence for each, which suggests the known name.
pub(super) fn misspelt(arguments: &Value) -> Vec<String> {
    let names = |value: &Value| -> Vec<String> {
        let members = value.as_object();
        members.into_iter().flat_map(Map::keys).cloned().collect()
    };
    let defaults = serde_json::to_value(LaunchArguments::default());
    let known = names(&defaults.unwrap_or_default());
    // Editors add these members, so they are not reported as misspelt.
    let added = [
        "type",
        "name",
        "request",
        "command",
        "args",
        "env",
        "presentation",
    ];
    let unknown = names(arguments).into_iter();
    let unknown = unknown.filter(|name| !known.contains(name) && !added.contains(&name.as_str()));
    let sentences = unknown.filter_map(|name| {
        let near = nearest(&name, known.iter().map(String::as_str))?;
        Some(format!(
            "a launch configuration has no \"{name}\"; did you mean \"{near}\"?"
        ))
    });
    sentences.collect()
}

impl LaunchArguments {
    /// Converts these arguments to the configuration of a run. A setting that is omitted here is taken from `base`.
    pub fn config(&self, base: &LaunchConfig) -> Result<LaunchConfig, Refusal> {
        let program = self.program.as_deref().unwrap_or("");
        if program.is_empty() {
            return Err(Refusal::shown(
                "launch needs \"program\": the file with the definition",
            ));
        }
        if program == "-" {
            return Err(Refusal::shown(
                "\"program\" must be a file, because the protocol uses standard input",
            ));
        }
        let mut config = LaunchConfig {
            form: TextForm::Readable,
            fresh: true,
            ..base.clone()
        };
        self.fill_program(program, &mut config)?;
        if let Some(file) = &self.history {
            config.history = Some(HistoryGiven {
                file: self.path(file),
                execution: self.execution.clone(),
            });
            // A recorded execution ran on AWS, so the run repeats it with AWS's behaviour.
            config.rules.profile = Profile::Aws;
        }
        config.profile_asked = self.profile.is_some();
        self.fill_rules(&mut config)?;
        config.input = self.given("input", &self.input)?;
        config.mock = self.given("mock", &self.mock)?;
        config.test_case.clone_from(&self.test_case);
        config.context = self.given("context", &self.context)?;
        config.seed = self.seed.unwrap_or(base.seed);
        config.start_time.clone_from(&self.start_time);
        config.start_at.clone_from(&self.start_at);
        let variables = self.variables.iter();
        let variables =
            variables.map(|(name, value)| (name.clone(), Given::Json(value.to_string())));
        config.variables = variables.collect();
        config.s3_root = self.s3_root.as_deref().map(|path| self.path(path));
        config.readers = self.files("readers", &self.readers)?;
        config.children = self.files("children", &self.children)?;
        if let Some(mebibytes) = self.max_memory {
            config.max_memory = Some(mebibytes.saturating_mul(1 << 20));
        }
        if let Some(moments) = &self.stop_on_errors {
            let moments = moments.iter().map(|moment| parse_moment(moment));
            let moments = moments.collect::<Result<_, _>>();
            let wrong = |problem| Refusal::shown(format!("stopOnErrors: {problem}"));
            config.stop_on = moments.map_err(wrong)?;
        }
        Ok(config)
    }

    fn fill_program(&self, file: &str, config: &mut LaunchConfig) -> Result<(), Refusal> {
        let program = &mut config.program;
        program.file = self.path(file);
        program.state_machine.clone_from(&self.state_machine);
        for (name, value) in &self.set {
            let text = match value {
                Value::String(text) => text.clone(),
                Value::Number(_) | Value::Bool(_) => value.to_string(),
                _ => {
                    let text =
                        format!("set: the value of {name} must be a string, a number or a Boolean");
                    return Err(Refusal::shown(text));
                }
            };
            program.set.push((name.clone(), text));
        }
        let files = self.set_files.iter();
        program.set_files = files.map(|file| self.path(file)).collect();
        program.region.clone_from(&self.region);
        program.account.clone_from(&self.account);
        Ok(())
    }

    fn fill_rules(&self, config: &mut LaunchConfig) -> Result<(), Refusal> {
        match self.profile.as_deref() {
            None => {}
            Some("spec") => config.rules.profile = Profile::Spec,
            Some("aws") => config.rules.profile = Profile::Aws,
            Some(_) => return Err(Refusal::shown("profile must be \"spec\" or \"aws\"")),
        }
        if let Some(name) = &self.machine_type {
            let machine_type = MachineType::parse(&name.to_ascii_uppercase());
            let wrong = || Refusal::shown("machineType must be \"STANDARD\" or \"EXPRESS\"");
            config.rules.machine_type = Some(machine_type.ok_or_else(wrong)?);
        }
        for name in &self.allow {
            let allowed = config.rules.allowed.add(name);
            allowed.map_err(|problem| Refusal::shown(format!("allow: {problem}")))?;
        }
        match self.unmocked.as_deref() {
            None => {}
            Some("ask") => config.unmocked = Some(Unmocked::Ask),
            Some("echo") => config.unmocked = Some(Unmocked::Echo),
            Some("fail") => config.unmocked = Some(Unmocked::Fail),
            Some(_) => {
                return Err(Refusal::shown(
                    "unmocked must be \"ask\", \"echo\" or \"fail\"",
                ));
            }
        }
        Ok(())
    }

    /// Reads a setting that is either a JSON value or the name of a file with one; `None` if the setting is omitted.
    /// `name` is the name of the setting, for error texts.
    fn given(&self, name: &str, value: &Value) -> Result<Option<Given>, Refusal> {
        match value {
            Value::Null => Ok(None),
            Value::String(text) => match Given::of(text) {
                Given::File(path) if path == Path::new("-") => Err(Refusal::shown(format!(
                    "{name} must be a file or JSON, because the protocol uses standard input"
                ))),
                Given::File(path) => Ok(Some(Given::File(self.path(&path.to_string_lossy())))),
                given => Ok(Some(given)),
            },
            other => {
                let value = json::parse(&other.to_string());
                let value = value.map_err(|error| Refusal::shown(format!("{name}: {error}")))?;
                Ok(Some(Given::Value(value)))
            }
        }
    }

    fn files(
        &self,
        setting: &str,
        files: &Map<String, Value>,
    ) -> Result<Vec<(String, PathBuf)>, Refusal> {
        let files = files.iter().map(|(name, file)| match file.as_str() {
            Some(file) => Ok((name.clone(), self.path(file))),
            None => Err(Refusal::shown(format!(
                "{setting}: the value of {name} must be the name of a file"
            ))),
        });
        files.collect()
    }

    /// Makes a path from the name of a file, which is relative to the setting `cwd` if that is present.
    fn path(&self, file: &str) -> PathBuf {
        match &self.cwd {
            Some(folder) => Path::new(folder).join(file),
            None => PathBuf::from(file),
        }
    }
}

/// The name that each setting has in a launch configuration, for the settings that a launch error can mention.
const FIELDS: [(Field, &str); 9] = [
    (Field::Input, "input"),
    (Field::Mock, "mock"),
    (Field::StateMachine, "stateMachine"),
    (Field::SetFile, "setFiles"),
    (Field::Context, "context"),
    (Field::StartTime, "startTime"),
    (Field::StartAt, "startAt"),
    (Field::Variable, "variables"),
    (Field::Child, "children"),
];

/// Converts a launch error to a refusal. Its text names each setting as a launch configuration does.
pub(super) fn launch_error(error: &LaunchError) -> Refusal {
    let rename =
        |text: String, (field, name): (Field, &str)| text.replace(&field.to_string(), name);
    Refusal::shown(FIELDS.into_iter().fold(error.to_string(), rename))
}
