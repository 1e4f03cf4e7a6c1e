//! Converts command-line arguments and settings to the plain configuration of a run.

use super::account;
use super::options::{
    CheckArguments, ConvertArguments, DebugArguments, GraphArguments, MomentName, ProfileName,
    PullArguments, ReplayArguments, RuleArguments, RunArguments, StartArguments, TargetArguments,
    TestStateArguments, TypeName, UnmockedName, ValueArguments,
};
use super::proof_options::ExploreArguments;
use super::serve_options::ServeArguments;
use crate::definition::{Allowed, MachineType};
use crate::endpoint;
use crate::headless::{self, Refusal};
use crate::launch::{
    Checking, Door, Given, HistoryGiven, LaunchConfig, Program, Project, Questions, TextForm,
};
use crate::pull::{Follow, PullOptions, Wanted};
use crate::query::Profile;
use crate::session::Unmocked;
use crate::settings::Settings;
use crate::source::store::Replace;
use crate::target::{self, Targets};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// Configuration of `asldbg FILE`.
pub(super) fn debug(
    arguments: &DebugArguments,
    file: &Path,
    settings: &Settings,
) -> Result<LaunchConfig, Refusal> {
    let terminal = &arguments.terminal;
    // A script specifies its own starting point.
    let scripted = terminal.script.is_some() || !terminal.ex.is_empty();
    let moments = terminal.stop_on.iter().copied();
    Ok(LaunchConfig {
        form: TextForm::Readable,
        stop_on: moments.map(MomentName::moment).collect(),
        profile_asked: arguments.start.rules.profile.is_some(),
        questions: match scripted || arguments.start.history.is_some() {
            true => Questions::Leave,
            false => Questions::Ask,
        },
        fresh: terminal.fresh,
        targets: targets(&arguments.targets, settings)?,
        ..start(&arguments.start, file, settings)?
    })
}

/// Configuration of `asldbg run`.
pub(super) fn run(arguments: &RunArguments, settings: &Settings) -> Result<LaunchConfig, Refusal> {
    Ok(LaunchConfig {
        targets: targets(&arguments.targets, settings)?,
        ..start(&arguments.start, &arguments.file, settings)?
    })
}

/// Targets that tasks call; those on the command line precede those in the settings.
fn targets(asked: &TargetArguments, settings: &Settings) -> Result<Targets, Refusal> {
    let read = |place: &str, texts: &[String]| {
        Targets::parse(texts).map_err(|error| Refusal::new(format!("{place}: {error}")))
    };
    let targets = read("--task", &asked.task)?.then(read("the setting task", &settings.task)?);
    let targets = targets
        .with_options(&asked.aws)
        .map_err(|error| Refusal::new(error.to_string()))?;
    if !targets.is_empty() {
        headless::before_end(target::end_all);
    }
    account::confirm(&targets, asked.yes)?;
    Ok(targets)
}

/// Configuration of `asldbg explore`.
pub(super) fn explore(
    arguments: &ExploreArguments,
    settings: &Settings,
) -> Result<LaunchConfig, Refusal> {
    start(&arguments.start, &arguments.file, settings)
}

/// Configuration of `asldbg dap`; an editor's launch request may override it.
pub(super) fn dap(settings: &Settings) -> Result<LaunchConfig, Refusal> {
    Ok(LaunchConfig {
        rules: rules(&RuleArguments::default(), settings)?,
        unmocked: unmocked(None, settings)?,
        ..LaunchConfig::default()
    })
}

/// The program to check, for one of the files of `asldbg check`.
pub(super) fn check(arguments: &CheckArguments, file: &Path) -> Program {
    program(file, arguments.state_machine.as_deref(), &arguments.values)
}

/// The program to draw, for `asldbg graph`.
pub(super) fn graph(arguments: &GraphArguments) -> Program {
    program(
        &arguments.file,
        arguments.state_machine.as_deref(),
        &arguments.values,
    )
}

/// The program to convert, for `asldbg convert`.
pub(super) fn convert(arguments: &ConvertArguments) -> Program {
    program(
        &arguments.file,
        arguments.state_machine.as_deref(),
        &arguments.values,
    )
}

/// Configuration of `asldbg serve`.
pub(super) fn serve(
    arguments: &ServeArguments,
    settings: &Settings,
) -> Result<endpoint::Options, Refusal> {
    let values = &arguments.values;
    let files = arguments.files.iter();
    let (region, account) = place(values);
    let realtime = match (arguments.realtime, variable("WAIT_TIME_SCALE")) {
        (Some(factor), _) => Some(factor),
        (None, Some(text)) => wait_time_scale(&text)?,
        (None, None) => None,
    };
    Ok(endpoint::Options {
        listen: arguments.listen,
        region,
        account,
        programs: files.map(|file| program(file, None, values)).collect(),
        mock: (arguments.mock.clone()).or_else(|| variable("SFN_MOCK_CONFIG").map(PathBuf::from)),
        // Clients are written for AWS, so AWS's semantics are the default.
        checking: repeating(&arguments.rules, settings)?,
        unmocked: match unmocked(arguments.unmocked, settings)? {
            Some(Unmocked::Echo) => Unmocked::Echo,
            _ => Unmocked::Fail,
        },
        s3_root: arguments.s3_root.clone(),
        targets: targets(&arguments.targets, settings)?
            .then(lambda_endpoint(variable("LAMBDA_ENDPOINT"))?),
        realtime,
        allowed_hosts: arguments.allow_host.clone(),
        memory_limit: arguments.max_memory.saturating_mul(1 << 20),
        debugger: None,
        like_local: arguments.like_local,
    })
}

/// Options of the server for `debug --listen`.
pub(super) fn listen(
    arguments: &DebugArguments,
    listen: SocketAddr,
    project: &Project,
    settings: &Settings,
) -> Result<endpoint::Options, Refusal> {
    let (start, config) = (&arguments.start, project.config());
    let folder = arguments.file.as_deref().filter(|file| file.is_dir());
    let (region, account) = place(&start.values);
    Ok(endpoint::Options {
        listen,
        region,
        account,
        programs: vec![match folder {
            Some(folder) => program(folder, start.state_machine.as_deref(), &start.values),
            None => config.program.clone(),
        }],
        mock: project.mock_file().map(Path::to_path_buf),
        checking: repeating(&start.rules, settings)?,
        unmocked: unmocked(start.unmocked, settings)?.unwrap_or_default(),
        s3_root: start.s3_root.clone(),
        targets: config.targets.clone(),
        memory_limit: start.memory_limit(),
        debugger: Some(Door::default()),
        ..endpoint::Options::default()
    })
}

/// Region and account of a server's ARNs.
fn place(values: &ValueArguments) -> (String, String) {
    let region = values.region.clone();
    let account = values.account.clone();
    (
        region
            .or_else(|| variable("AWS_DEFAULT_REGION"))
            .unwrap_or_else(|| "us-east-1".to_string()),
        account
            .or_else(|| variable("AWS_ACCOUNT_ID"))
            .unwrap_or_else(|| "123456789012".to_string()),
    )
}

/// The value of an environment variable, unless it is empty.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The target of functions given by Step Functions Local's variable `LAMBDA_ENDPOINT`.
fn lambda_endpoint(url: Option<String>) -> Result<Targets, Refusal> {
    let url = url.unwrap_or_default();
    let rules = ["arn:aws:lambda:*", "lambda:invoke"].map(|pattern| format!("{pattern}={url}"));
    match url.is_empty() {
        true => Ok(Targets::default()),
        false => Targets::parse(&rules)
            .map_err(|error| Refusal::new(format!("LAMBDA_ENDPOINT: {error}"))),
    }
}

/// Parses Step Functions Local's variable `WAIT_TIME_SCALE`, the factor by which waits are multiplied.
fn wait_time_scale(text: &str) -> Result<Option<f64>, Refusal> {
    match text.parse::<f64>() {
        Ok(0.0) => Ok(None),
        Ok(scale) if scale.is_finite() && scale > 0.0 => {
            Ok(Some((1.0 / scale).clamp(0.01, 10_000.0)))
        }
        _ => Err(Refusal::new(format!(
            "WAIT_TIME_SCALE is \"{text}\"; it has to be a number, 0 or more"
        ))),
    }
}

/// The program with the state to test, for `asldbg test-state`.
pub(super) fn test_state(arguments: &TestStateArguments) -> Program {
    program(
        &arguments.file,
        arguments.state_machine.as_deref(),
        &arguments.values,
    )
}

/// Options of `asldbg pull`.
pub(super) fn pull(arguments: &PullArguments) -> PullOptions {
    let execution = arguments.execution.clone().unwrap_or_default();
    PullOptions {
        wanted: match &arguments.last_failed {
            Some(machine) => Wanted::LastFailed(machine.clone()),
            None => Wanted::Execution(execution),
        },
        children: arguments.children,
        follow: match arguments.follow {
            true => Follow::UntilEnd,
            false => Follow::No,
        },
        into: arguments.into.clone(),
        replace: match arguments.replace {
            true => Replace::Regular,
            false => Replace::Nothing,
        },
        redact: arguments.redact.clone(),
        aws: arguments.aws.clone(),
    }
}

/// The rules of the command line; anything not given there comes from the settings.
pub(super) fn rules(asked: &RuleArguments, settings: &Settings) -> Result<Checking, Refusal> {
    let mut allowed = Allowed::default();
    let asked_for = asked.allow.iter().map(|name| ("--allow", name));
    let set = settings
        .allow
        .iter()
        .map(|name| ("the setting allow", name));
    for (place, name) in set.chain(asked_for) {
        allowed
            .add(name)
            .map_err(|error| Refusal::new(format!("{place}: {error}")))?;
    }
    Ok(Checking {
        profile: profile(asked.profile, settings)?,
        machine_type: asked.machine_type.map(|name| match name {
            TypeName::Standard => MachineType::Standard,
            TypeName::Express => MachineType::Express,
        }),
        allowed,
    })
}

/// The semantics with which a recorded execution is repeated.
pub(super) fn profile_of_recorded(
    asked: &RuleArguments,
    settings: &Settings,
) -> Result<Profile, Refusal> {
    repeating(asked, settings).map(|rules| rules.profile)
}

/// Rules for repeating a recorded execution: AWS's semantics unless the command line selects others.
fn repeating(asked: &RuleArguments, settings: &Settings) -> Result<Checking, Refusal> {
    Ok(Checking {
        profile: asked
            .profile
            .map_or(Ok(Profile::Aws), |own| profile(Some(own), settings))?,
        ..rules(asked, settings)?
    })
}

/// Configuration of `asldbg replay`.
pub(super) fn replay(
    arguments: &ReplayArguments,
    settings: &Settings,
) -> Result<LaunchConfig, Refusal> {
    let execution = arguments.start.execution.clone();
    let config = start(&arguments.start, &arguments.file, settings)?;
    Ok(LaunchConfig {
        rules: repeating(&arguments.start.rules, settings)?,
        history: execution.map(|execution| HistoryGiven {
            file: PathBuf::new(),
            execution: Some(execution),
        }),
        ..config
    })
}

/// The profile of the command line; by default that of the settings, otherwise the specification's.
pub(super) fn profile(asked: Option<ProfileName>, settings: &Settings) -> Result<Profile, Refusal> {
    Ok(match (asked, settings.profile.as_deref()) {
        (Some(ProfileName::Aws), _) | (None, Some("aws")) => Profile::Aws,
        (Some(ProfileName::Spec), _) | (None, Some("spec") | None) => Profile::Spec,
        (None, Some(other)) => {
            return Err(Refusal::new(format!(
                "unknown setting profile = \"{other}\"; use \"spec\" or \"aws\""
            )));
        }
    })
}

fn unmocked(asked: Option<UnmockedName>, settings: &Settings) -> Result<Option<Unmocked>, Refusal> {
    Ok(Some(match (asked, settings.unmocked.as_deref()) {
        (Some(UnmockedName::Ask), _) | (None, Some("ask")) => Unmocked::Ask,
        (Some(UnmockedName::Echo), _) | (None, Some("echo")) => Unmocked::Echo,
        (Some(UnmockedName::Fail), _) | (None, Some("fail")) => Unmocked::Fail,
        (None, None) => return Ok(None),
        (None, Some(other)) => {
            return Err(Refusal::new(format!(
                "unknown setting unmocked = \"{other}\"; use \"ask\", \"echo\" or \"fail\""
            )));
        }
    }))
}

fn program(file: &Path, machine: Option<&str>, values: &ValueArguments) -> Program {
    Program {
        file: file.to_path_buf(),
        text: None,
        state_machine: machine.map(str::to_string),
        set: values.set.clone(),
        set_files: values.set_file.clone(),
        region: values.region.clone(),
        account: values.account.clone(),
    }
}

fn start(
    arguments: &StartArguments,
    file: &Path,
    settings: &Settings,
) -> Result<LaunchConfig, Refusal> {
    let given = |text: &Option<String>| text.as_deref().map(Given::of);
    let files = |pairs: &[(String, String)]| {
        let pairs = pairs.iter();
        pairs
            .map(|(name, path)| (name.clone(), PathBuf::from(path)))
            .collect::<Vec<_>>()
    };
    let variables = arguments.var.iter();
    Ok(LaunchConfig {
        program: program(file, arguments.state_machine.as_deref(), &arguments.values),
        rules: match &arguments.history {
            // An execution recorded on AWS is repeated with AWS's semantics.
            Some(_) => repeating(&arguments.rules, settings)?,
            None => rules(&arguments.rules, settings)?,
        },
        input: match &arguments.event {
            Some(name) => Some(Given::of(&format!("event:{name}"))),
            None => given(&arguments.input),
        },
        mock: arguments.mock.clone().map(Given::File),
        test_case: arguments.test_case.clone(),
        history: arguments.history.as_ref().map(|file| HistoryGiven {
            file: file.clone(),
            execution: arguments.execution.clone(),
        }),
        unmocked: unmocked(arguments.unmocked, settings)?,
        seed: arguments.seed,
        start_time: arguments.start_time.clone(),
        context: given(&arguments.context),
        variables: variables
            .map(|(name, text)| (name.clone(), Given::Json(text.clone())))
            .collect(),
        start_at: arguments.start_at.clone(),
        s3_root: arguments.s3_root.clone(),
        readers: files(&arguments.reader),
        children: files(&arguments.child),
        max_memory: Some(arguments.memory_limit()),
        ..LaunchConfig::default()
    })
}
