//! The command line: parses the arguments and runs the requested command.

mod config;
mod debug;
mod help;
mod options;
mod proof;
mod start_options;

pub use help::{PAGES, options_markdown};

use crate::dap;
use crate::endpoint;
use crate::headless::{self, Checked, Refusal, RunOptions};
use crate::launch::{self, Checking, Given, LaunchConfig, Project};
use crate::pull;
use crate::query;
use crate::session::Unmocked;
use crate::settings::Settings;
use crate::source::Severity;
use crate::source::yaml::to_yaml;
use crate::target;
use clap::{CommandFactory as _, Parser as _};
use options::{
    Arguments, CheckArguments, Command, ConvertArguments, DapArguments, GraphArguments,
    LanguageName, ReplayArguments, RunArguments,
};
use std::process::ExitCode;

/// Runs the whole program with the arguments of the process; returns its exit status.
#[must_use]
pub fn main() -> ExitCode {
    headless::gate_panics(query::is_fenced);
    let _end = End;
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            if error.use_stderr() {
                // The message quotes arguments such as file names, so it must be escaped.
                headless::warn_lines(&error.render().to_string());
            } else {
                // It does not matter if the help text cannot be printed, because then nobody reads it.
                drop(error.print());
            }
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    run(arguments).unwrap_or_else(|refusal| {
        refusal.report();
        ExitCode::from(2)
    })
}

/// Ends the processes that were started for tasks when this value is dropped.
struct End;

impl Drop for End {
    fn drop(&mut self) {
        target::end_all();
    }
}

fn run(arguments: Arguments) -> Result<ExitCode, Refusal> {
    if !matches!(
        arguments.command,
        None | Some(Command::Demo(_) | Command::Tour)
    ) {
        // The terminal UI installs its own signal handling, because it must restore the terminal.
        headless::listen_to_signals();
    }
    match arguments.command {
        None => debug::debug(&arguments.debug, &settings()?),
        Some(Command::Tour) => debug::tour(&settings()?),
        Some(Command::Demo(arguments)) => debug::demo(&arguments, &settings()?),
        Some(Command::Dap(arguments)) => dap(&arguments),
        Some(Command::Serve(arguments)) => {
            let options = config::serve(&arguments, &settings()?)?;
            options
                .targets
                .named()
                .for_each(|text| headless::warn(&text));
            match endpoint::serve(options)? {}
        }
        Some(Command::Run(arguments)) => run_to_end(&arguments),
        Some(Command::Replay(arguments)) => replay(&arguments),
        Some(Command::Pull(arguments)) => pull::pull(&config::pull(&arguments)),
        Some(Command::Check(arguments)) => check(&arguments),
        Some(Command::Test(arguments)) => proof::test(&arguments),
        Some(Command::Explore(arguments)) => proof::explore(&arguments, &settings()?),
        Some(Command::TestState(arguments)) => proof::test_state(&arguments, &settings()?),
        Some(Command::Graph(arguments)) => graph(&arguments),
        Some(Command::Convert(arguments)) => convert(&arguments),
        Some(Command::Completions { shell }) => completions(shell),
        Some(Command::Man) => manual(),
        Some(Command::Help { topic }) => help::print(topic.as_deref()),
    }
}

fn settings() -> Result<Settings, Refusal> {
    Settings::load().map_err(Refusal::new)
}

fn run_to_end(arguments: &RunArguments) -> Result<ExitCode, Refusal> {
    let mut project = Project::open(config::run(arguments, &settings()?)?)?;
    let loaded = project.load()?;
    if loaded.case.is_none()
        && let Some(mock) = &loaded.mock
    {
        // No test case was chosen: the mock file does not have this state machine, or it has several test cases and the
        // user named none. The error says so, and the warnings below are not printed.
        let name = loaded.definition.name.to_string();
        let machine = arguments.start.state_machine.as_deref().unwrap_or(&name);
        if let Err(text) = mock.file.select(&[machine], None) {
            return Err(Refusal::new(format!("{}: {text}", mock.name)));
        }
    }
    for diagnostic in &loaded.diagnostics {
        if diagnostic.severity == Severity::Error {
            headless::warn(&crate::source::short(
                diagnostic,
                &loaded.definition.sources,
            ));
        }
    }
    let notes = loaded.history.iter().flat_map(|recorded| &recorded.notes);
    for text in loaded.skipped.iter().chain(&loaded.warnings).chain(notes) {
        headless::warn(text);
    }
    if let (Some(case), Some(mock)) = (&loaded.case, &loaded.mock) {
        for diagnostic in case.unused(&loaded.definition) {
            headless::warn(&crate::source::short(&diagnostic, &mock.sources));
        }
    }
    if loaded.unmocked == Some(Unmocked::Ask) && arguments.start.unmocked.is_some() {
        return Err(Refusal::new(
            "--unmocked ask works only in the debugger; with the command \"run\", use --unmocked echo or --unmocked fail",
        ));
    }
    for text in loaded.targets.sentences(&loaded.definition) {
        headless::warn(&text);
    }
    let options = RunOptions {
        format: arguments.format,
        max_steps: arguments.max_steps,
        write_history: arguments.write_history.clone(),
        record: arguments.record.clone().map(|file| headless::Record {
            file,
            redact: arguments.redact.clone(),
        }),
        coverage: proof::coverage(&arguments.coverage),
    };
    headless::run_and_report(&loaded.setup(), &options)
}

fn replay(arguments: &ReplayArguments) -> Result<ExitCode, Refusal> {
    let config = config::replay(arguments, &settings()?)?;
    // Each run repeats another recorded execution, but all runs use the same definition. So the definition is read
    // once, with a configuration that names no recorded execution.
    let base = LaunchConfig {
        history: None,
        input: config.input.clone().or(Some(Given::Json("{}".to_string()))),
        ..config.clone()
    };
    let loaded = Project::open(base)?.load()?;
    let histories = arguments.start.history.iter().chain(&arguments.histories);
    let histories: Vec<_> = histories.cloned().collect();
    headless::replay(&loaded, &config, &histories, arguments.format)
}

fn check(arguments: &CheckArguments) -> Result<ExitCode, Refusal> {
    let checking = config::rules(&arguments.rules, &settings()?)?;
    let machine = arguments.state_machine.as_deref();
    let mut files = Vec::new();
    for file in &arguments.files {
        for opened in launch::open_all(&config::program(file, machine, &arguments.values))? {
            let diagnostics = match opened.lower(&checking) {
                // An error that prevents reading the file is reported even if `--allow` names its rule.
                Err(diagnostics) => diagnostics,
                Ok((_, mut diagnostics)) => {
                    diagnostics.retain(|diagnostic| !checking.allowed.hides(diagnostic));
                    diagnostics
                }
            };
            files.push(Checked {
                file: file.display().to_string(),
                diagnostics,
                sources: opened.sources,
            });
        }
    }
    headless::check(&files, arguments.format, arguments.deny_warnings)
}

fn dap(arguments: &DapArguments) -> Result<ExitCode, Refusal> {
    let base = config::dap(&settings()?)?;
    let served = match arguments.listen {
        None => dap::serve_stdio(base),
        Some(address) => dap::listen(base, address, headless::warn),
    };
    let failed = |error| Refusal::new(format!("the connection to the editor failed: {error}"));
    served.map_err(failed).map(|()| ExitCode::SUCCESS)
}

fn graph(arguments: &GraphArguments) -> Result<ExitCode, Refusal> {
    let (file, machine) = (&arguments.file, arguments.state_machine.as_deref());
    let opened = launch::open(&config::program(file, machine, &arguments.values))?;
    let (definition, _) = opened
        .lower(&Checking::default())
        .map_err(|diagnostics| opened.invalid(diagnostics))?;
    let (format, width) = (arguments.format, arguments.width);
    headless::graph(&definition, format, arguments.ascii, width).map(|()| ExitCode::SUCCESS)
}

fn convert(arguments: &ConvertArguments) -> Result<ExitCode, Refusal> {
    if arguments.to == LanguageName::Test {
        return proof::take_over(&arguments.file);
    }
    let machine = arguments.state_machine.as_deref();
    let program = config::program(&arguments.file, machine, &arguments.values);
    let document = headless::redacted(headless::document(&program)?, &arguments.redact)?;
    match arguments.to {
        LanguageName::Json => headless::print_value(&document),
        LanguageName::Yaml | LanguageName::Test => headless::print(&to_yaml(&document)),
    }
    .map(|()| ExitCode::SUCCESS)
}

fn completions(shell: clap_complete::Shell) -> Result<ExitCode, Refusal> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "asldbg", &mut script);
    headless::print(&String::from_utf8_lossy(&script)).map(|()| ExitCode::SUCCESS)
}

fn manual() -> Result<ExitCode, Refusal> {
    let mut page = Vec::new();
    clap_mangen::Man::new(Arguments::command())
        .render(&mut page)
        .map_err(|error| Refusal::new(format!("cannot create the manual page: {error}")))?;
    headless::print(&String::from_utf8_lossy(&page)).map(|()| ExitCode::SUCCESS)
}
