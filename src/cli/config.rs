//! Converts command-line arguments and settings to the configuration of a run. Also asks the user before tasks may call
//! a real AWS account.

use super::options::{
    DebugArguments, MomentName, PullArguments, ReplayArguments, RunArguments, ServeArguments,
};
use super::start_options::{
    ProfileName, RuleArguments, StartArguments, TargetArguments, TypeName, UnmockedName,
    ValueArguments,
};
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
use std::io::{IsTerminal as _, stderr, stdin};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// The launch configuration for `asldbg FILE`, from its command-line arguments and the settings.
pub(super) fn debug(
    arguments: &DebugArguments,
    file: &Path,
    settings: &Settings,
) -> Result<LaunchConfig, Refusal> {
    let terminal = &arguments.terminal;
    // A script of debugger commands decides where the run starts, so the user is not asked for an input.
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

/// The launch configuration for `asldbg run`, from its command-line arguments and the settings.
pub(super) fn run(arguments: &RunArguments, settings: &Settings) -> Result<LaunchConfig, Refusal> {
    Ok(LaunchConfig {
        targets: targets(&arguments.targets, settings)?,
        ..start(&arguments.start, &arguments.file, settings)?
    })
}

/// The targets that tasks call. A target on the command line takes precedence over one in the settings.
fn targets(asked: &TargetArguments, settings: &Settings) -> Result<Targets, Refusal> {
    let read = |option: &str, texts: &[String]| {
        Targets::parse(texts).map_err(|error| Refusal::new(format!("{option}: {error}")))
    };
    let targets = read("--task", &asked.task)?.then(read("the setting \"task\"", &settings.task)?);
    let targets = targets.with_options(&asked.aws);
    let targets = targets.map_err(|error| Refusal::new(error.to_string()))?;
    if !targets.is_empty() {
        headless::before_end(target::end_all);
    }
    confirm(&targets, asked.yes)?;
    Ok(targets)
}

/// Configuration of `asldbg dap`. The launch request of an editor may override it.
pub(super) fn dap(settings: &Settings) -> Result<LaunchConfig, Refusal> {
    Ok(LaunchConfig {
        rules: rules(&RuleArguments::default(), settings)?,
        unmocked: unmocked(None, settings)?,
        ..LaunchConfig::default()
    })
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
        // The clients of this API server are written for AWS, so AWS's behaviour is the default.
        checking: repeating(&arguments.rules, settings)?,
        unmocked: match unmocked(arguments.unmocked, settings)? {
            Some(Unmocked::Echo) => Unmocked::Echo,
            _ => Unmocked::Fail,
        },
        s3_root: arguments.s3_root.clone(),
        targets: targets(&arguments.targets, settings)?.then(lambda_endpoint()?),
        realtime,
        allowed_hosts: arguments.allow_host.clone(),
        memory_limit: arguments.max_memory.saturating_mul(1 << 20),
        debugger: None,
        like_local: arguments.like_local,
    })
}

/// Options of the API server that `asldbg FILE --listen` starts together with the debugger.
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

/// The AWS region and account number that the API server uses in its ARNs: from the options, otherwise from environment
/// variables, otherwise a default.
fn place(values: &ValueArguments) -> (String, String) {
    let or = |value: &Option<String>, name: &str, default: &str| {
        let value = value.clone().or_else(|| variable(name));
        value.unwrap_or_else(|| default.to_string())
    };
    (
        or(&values.region, "AWS_DEFAULT_REGION", "us-east-1"),
        or(&values.account, "AWS_ACCOUNT_ID", "123456789012"),
    )
}

/// The value of an environment variable, unless it is empty.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Returns the address in the environment variable `LAMBDA_ENDPOINT` of Step Functions Local as the target of all
/// Lambda functions; no target if the variable is not set.
fn lambda_endpoint() -> Result<Targets, Refusal> {
    let Some(url) = variable("LAMBDA_ENDPOINT") else {
        return Ok(Targets::default());
    };
    let rules = ["arn:aws:lambda:*", "lambda:invoke"].map(|pattern| format!("{pattern}={url}"));
    Targets::parse(&rules).map_err(|error| {
        Refusal::new(format!(
            "the environment variable LAMBDA_ENDPOINT is not usable: {error}"
        ))
    })
}

/// Converts the environment variable `WAIT_TIME_SCALE` of Step Functions Local, a factor for the duration of waits, to
/// a speed relative to real time; `None` if waits take no time.
fn wait_time_scale(text: &str) -> Result<Option<f64>, Refusal> {
    match text.parse::<f64>() {
        Ok(0.0) => Ok(None),
        Ok(scale) if scale.is_finite() && scale > 0.0 => {
            Ok(Some((1.0 / scale).clamp(0.01, 10_000.0)))
        }
        _ => Err(Refusal::new(format!(
            "the environment variable WAIT_TIME_SCALE must be a number, 0 or more, not \"{text}\""
        ))),
    }
}

/// Options of `asldbg pull`.
pub(super) fn pull(arguments: &PullArguments) -> PullOptions {
    PullOptions {
        wanted: match arguments.last_failed.clone() {
            Some(machine) => Wanted::LastFailed(machine),
            None => Wanted::Execution(arguments.execution.clone().unwrap_or_default()),
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

/// The profile and the rules whose findings are ignored. A profile on the command line takes precedence over one in the
/// settings. The rules to ignore from the command line and from the settings are combined.
pub(super) fn rules(asked: &RuleArguments, settings: &Settings) -> Result<Checking, Refusal> {
    let mut allowed = Allowed::default();
    for (option, names) in [
        ("the setting \"allow\"", &settings.allow),
        ("--allow", &asked.allow),
    ] {
        for name in names {
            let added = allowed.add(name);
            added.map_err(|error| Refusal::new(format!("{option}: {error}")))?;
        }
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

/// The profile and the ignored rules for a run that repeats a recorded execution. The profile is AWS's, unless the
/// command line selects another one.
pub(super) fn repeating(asked: &RuleArguments, settings: &Settings) -> Result<Checking, Refusal> {
    Ok(Checking {
        profile: asked
            .profile
            .map_or(Ok(Profile::Aws), |name| profile(Some(name), settings))?,
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

/// The profile on the command line, otherwise the profile in the settings, otherwise the specification's.
pub(super) fn profile(asked: Option<ProfileName>, settings: &Settings) -> Result<Profile, Refusal> {
    Ok(match (asked, settings.profile.as_deref()) {
        (Some(ProfileName::Aws), _) | (None, Some("aws")) => Profile::Aws,
        (Some(ProfileName::Spec), _) | (None, Some("spec") | None) => Profile::Spec,
        (None, Some(value)) => {
            return Err(Refusal::new(format!(
                "unknown value in the setting profile = \"{value}\"; use \"spec\" or \"aws\""
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
        (None, Some(value)) => {
            return Err(Refusal::new(format!(
                "unknown value in the setting unmocked = \"{value}\"; use \"ask\", \"echo\" or \"fail\""
            )));
        }
    }))
}

/// A file to open, with the name of its state machine and the values of its placeholders.
pub(super) fn program(file: &Path, machine: Option<&str>, values: &ValueArguments) -> Program {
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

/// Configuration of a run that starts from the given options.
pub(super) fn start(
    arguments: &StartArguments,
    file: &Path,
    settings: &Settings,
) -> Result<LaunchConfig, Refusal> {
    let given = |text: &Option<String>| text.as_deref().map(Given::of);
    let files = |pairs: &[(String, String)]| {
        let files = pairs.iter().map(|(name, path)| (name.clone(), path.into()));
        files.collect::<Vec<_>>()
    };
    let variables = arguments.var.iter().cloned();
    Ok(LaunchConfig {
        program: program(file, arguments.state_machine.as_deref(), &arguments.values),
        rules: match &arguments.history {
            // An execution recorded on AWS is repeated with AWS's behaviour.
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
            .map(|(name, text)| (name, Given::Json(text)))
            .collect(),
        start_at: arguments.start_at.clone(),
        s3_root: arguments.s3_root.clone(),
        readers: files(&arguments.reader),
        children: files(&arguments.child),
        max_memory: Some(arguments.memory_limit()),
        ..LaunchConfig::default()
    })
}

/// Asks the user whether tasks may call an AWS account, once for each account. Does not ask if `yes` is true.
///
/// # Errors
/// If the user does not agree or cannot be asked, or if the account cannot be determined.
fn confirm(targets: &Targets, yes: bool) -> Result<(), Refusal> {
    let mut known = Vec::new();
    for (pattern, account) in targets.accounts() {
        let account = account.map_err(|why| {
            Refusal::of_lines(&format!(
                "the program \"aws\" would answer the tasks {pattern}, but its AWS account is unknown: {why}\n  name a profile or an endpoint: -- --profile NAME, -- --endpoint-url URL"
            ))
        })?;
        if known.contains(&account) {
            continue;
        }
        let text = format!("a real AWS account answers the tasks {pattern}: {account}");
        headless::warn(&text);
        if !yes && !agrees()? {
            return Err(Refusal::new("you did not agree, so no task was called"));
        }
        known.push(account);
    }
    Ok(())
}

fn agrees() -> Result<bool, Refusal> {
    if !stdin().is_terminal() || !stderr().is_terminal() {
        return Err(Refusal::new(
            "calls to a real AWS account need the option --yes; to call another server, add -- --endpoint-url URL",
        ));
    }
    headless::warn("call tasks in this AWS account? [y/N]");
    let mut line = String::new();
    // An answer that cannot be read counts as no.
    let _ = stdin().read_line(&mut line);
    Ok(matches!(line.trim(), "y" | "Y" | "yes"))
}
