//! Loads everything that a run starts from: definition, input, answers and start time.

use super::beside::{Input, Mock, files, inputs, mock};
use super::child;
use super::config::LaunchConfig;
use super::error::{Field, LaunchError};
use super::history::recorded;
use super::history_file::Recorded;
use super::open::{Opened, open};
use super::value::Given;
use crate::definition::{Definition, StateId, is_variable_name, lacking};
use crate::interpreter::{Header, MAX_MEMORY, Serve};
use crate::json::{Text, Value, not_recorded};
use crate::query::{MAX_VALUE, parse_timestamp};
use crate::session::answers::MockCase;
use crate::session::execution::{ChildMachine, Children};
use crate::session::{RecordedAnswers, Setup, Unmocked};
use crate::source::{Diagnostics, did_you_mean};
use crate::target::{Caller, Targets};
use crate::worker::{Files, Worker};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Everything that a run starts from.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The definition.
    pub definition: Arc<Definition>,
    /// Name of the state machine, if its file has a name for it.
    pub machine: Option<Text>,
    /// All diagnostics of the definition.
    pub diagnostics: Diagnostics,
    /// The initial conditions of the run, such as input, seed and start time.
    pub header: Header,
    /// True if the user gave an input, or an input was found in a file or a recording.
    pub has_input: bool,
    /// The path of the input, if the input was read from a file.
    pub input_file: Option<PathBuf>,
    /// The mock file, if the run uses one.
    pub mock: Option<Mock>,
    /// The test case that the run uses: the selected case, the default case, or the only case.
    pub case: Option<MockCase>,
    /// Names of the test cases for the state machine.
    pub cases: Vec<String>,
    /// Files whose changes trigger a reload.
    pub watch: Vec<PathBuf>,
    /// The folders that represent S3.
    pub files: Files,
    /// Files from which the user may choose the input; empty if an input was given or found.
    pub inputs: Vec<PathBuf>,
    /// Answers from a recording, each by the key of the request that it answers.
    pub recorded: Arc<RecordedAnswers>,
    /// The recorded execution that the run repeats, if any.
    pub history: Option<Recorded>,
    /// The targets (HTTP addresses, programs or AWS calls) that the user configured to answer tasks without any other
    /// answer.
    pub targets: Targets,
    /// The configured treatment of a task for which no source has an answer; `None` if the configuration has none.
    pub unmocked: Option<Unmocked>,
    /// Maximum memory of a run and its recorded events, in bytes.
    pub memory_limit: u64,
    /// The machines that tasks may execute as children.
    pub children: Vec<ChildMachine>,
    /// Notes for the user: about files next to the definition that were not searched for, and about members that the
    /// definition reads but a sample input lacks.
    pub skipped: Vec<String>,
    /// Warnings about the children's definitions.
    pub warnings: Vec<String>,
}

impl Loaded {
    /// Makes the run repeat a recorded execution. Input, start time, names, answers and times are taken from the
    /// recording, unless the configuration sets them.
    #[must_use]
    pub fn repeating(mut self, recorded: Recorded, config: &LaunchConfig) -> Self {
        let execution = &recorded.execution;
        if config.input.is_none() {
            let input = execution.input.value();
            self.has_input = input.is_some();
            self.header.input = match recorded.follows {
                true => input.unwrap_or_else(not_recorded),
                false => input.unwrap_or_else(Value::empty_object),
            };
            self.inputs = Vec::new();
        }
        let start = recorded.run.start;
        if config.start_time.is_none() && start > 0 {
            self.header.start_time = start;
        }
        if config.context.is_none() {
            self.header.context = execution.context();
        }
        if config.mock.is_none() && config.test_case.is_none() {
            // Recorded answers are not mixed with answers from a mock file that the user did not name.
            (self.mock, self.case, self.cases) = (None, None, Vec::new());
        }
        if recorded.follows && config.start_at.is_none() {
            self.header.start_at = recorded.begins_at(&self.definition);
        }
        self.header.course = Some(Arc::clone(&recorded.course));
        self.recorded = Arc::clone(&recorded.answers);
        self.history = Some(recorded);
        self
    }

    /// Converts the loaded data to the setup of a session.
    #[must_use]
    pub fn setup(self) -> Setup {
        let server: Arc<dyn Serve> = Arc::new(Worker::with_files(self.files));
        let server = Caller::before(server, &self.targets);
        let mut setup = Setup::new(self.definition, self.header, server);
        setup.diagnostics = self.diagnostics;
        setup.test_case = self.case.as_ref().map(|case| case.name.clone());
        setup.mock = self.case;
        setup.recorded = self.recorded;
        setup.recorded_items = self
            .history
            .as_ref()
            .map(|history| Arc::clone(&history.items))
            .unwrap_or_default();
        setup.follows = self.history.as_ref().is_some_and(|history| history.follows);
        setup.repeats = self.history.map(|recorded| recorded.run);
        setup.unmocked = self.unmocked.unwrap_or_default();
        setup.memory_limit = self.memory_limit;
        setup.children = Arc::new(Children {
            machines: self.children,
        });
        setup
    }
}

/// Converts and checks the opened definition, and loads everything else that a run starts from.
///
/// # Errors
/// If a file cannot be read or its content prevents a run; the error names the place in the file.
pub fn load(opened: &Opened, config: &LaunchConfig) -> Result<Loaded, LaunchError> {
    let (definition, diagnostics) = lowered(opened, config)?;
    gather(opened, definition, diagnostics, mock_of(config)?, config)
}

/// Reads the mock file to use, if there is one. If a recorded execution is repeated, a mock file that the user did not
/// name is ignored.
fn mock_of(config: &LaunchConfig) -> Result<Option<Mock>, LaunchError> {
    match (&config.history, &config.mock, &config.test_case) {
        (Some(_), None, None) => Ok(None),
        _ => mock(config),
    }
}

/// Converts the parsed tree to a typed definition and checks it; returns an error if the definition cannot be run.
fn lowered(
    opened: &Opened,
    config: &LaunchConfig,
) -> Result<(Arc<Definition>, Diagnostics), LaunchError> {
    let (definition, diagnostics) = opened
        .lower(&config.rules)
        .map_err(|diagnostics| opened.invalid(diagnostics))?;
    let blocking: Diagnostics = diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.blocking)
        .cloned()
        .collect();
    match blocking.is_empty() {
        true => Ok((Arc::new(definition), diagnostics)),
        false => Err(opened.invalid(blocking)),
    }
}

/// A definition and its mock file, read once for many runs.
#[derive(Clone, Debug)]
pub struct Prepared {
    opened: Opened,
    diagnostics: Diagnostics,
    /// The definition.
    pub definition: Arc<Definition>,
    /// The mock file.
    pub mock: Option<Mock>,
}

impl Prepared {
    /// Reads the definition and the mock file, which all later runs use.
    ///
    /// # Errors
    /// If a file cannot be read or its content prevents a run.
    pub fn of(config: &LaunchConfig) -> Result<Self, LaunchError> {
        let opened = open(&config.program)?;
        let (definition, diagnostics) = lowered(&opened, config)?;
        Ok(Self {
            opened,
            diagnostics,
            definition,
            mock: mock_of(config)?,
        })
    }

    /// Names of the test cases that the mock file has for the definition.
    #[must_use]
    pub fn cases(&self, config: &LaunchConfig) -> Vec<String> {
        let name = self.definition.name.to_string();
        let machine = config.program.state_machine.as_deref().unwrap_or(&name);
        let cases = self.mock.as_ref();
        let cases = cases.and_then(|mock| mock.file.cases(&[machine]));
        let cases = cases.unwrap_or_default().iter();
        cases.map(|case| case.name.to_string()).collect()
    }

    /// Loads everything that one run starts from, but does not read the definition and the mock file again.
    ///
    /// # Errors
    /// If a file cannot be read or its content prevents a run.
    pub fn load(&self, config: &LaunchConfig) -> Result<Loaded, LaunchError> {
        let is_given = matches!(config.mock, Some(Given::Value(_)));
        let mock = match (is_given, &self.mock, &config.test_case) {
            (true, ..) => mock(config)?,
            (false, None, Some(case)) => {
                return Err(LaunchError::NoMockFile { case: case.clone() });
            }
            (false, known, _) => known.clone(),
        };
        let (definition, diagnostics) = (Arc::clone(&self.definition), self.diagnostics.clone());
        gather(&self.opened, definition, diagnostics, mock, config)
    }
}

fn gather(
    opened: &Opened,
    definition: Arc<Definition>,
    diagnostics: Diagnostics,
    mock: Option<Mock>,
    config: &LaunchConfig,
) -> Result<Loaded, LaunchError> {
    let program = &config.program;
    let mut watch: Vec<PathBuf> = program
        .on_disk()
        .map(Path::to_path_buf)
        .into_iter()
        .collect();
    let named = opened.sources.named();
    watch.extend(named.map(|file| PathBuf::from(&*file.name)));
    let history = match &config.history {
        Some(given) => Some(recorded(given, &definition, config)?),
        None => None,
    };
    let definition = match &history {
        Some(recorded) if recorded.follows => Arc::new(definition.outline()),
        _ => definition,
    };
    watch.extend(config.history.iter().map(|given| given.file.clone()));
    let (input, mut skipped) = match (&history, &config.input) {
        // If a recording is repeated, an input file that the user did not name is not used.
        (Some(_), None) => (Input::None, Vec::new()),
        _ => Input::find(config, &opened.name())?,
    };
    if let Some(Given::Event(trigger)) = &config.input {
        skipped.extend(lacking(&definition, &trigger.event, &trigger.from));
    }
    watch.extend(input.on_disk().map(Path::to_path_buf));
    let has_input = !matches!(input, Input::None);
    let inputs = match has_input {
        true => Vec::new(),
        false => inputs(program),
    };
    watch.extend(mock.iter().filter_map(|mock| mock.path.clone()));
    let (cases, case) = choose(mock.as_ref(), &definition, config)?;
    let (children, warnings) = child::load_all(config, mock.as_ref())?;
    for machine in &children {
        let files = machine.definition.sources.files().iter();
        watch.extend(files.map(|file| PathBuf::from(&*file.name)));
    }
    let header = Header {
        course: None,
        identity: Arc::default(),
        input: input.value()?,
        seed: config.seed,
        start_time: start_time(config)?,
        profile: config.rules.profile,
        context: match &config.context {
            Some(context) => context.object(&Field::Context.to_string())?,
            None => Value::empty_object(),
        },
        tests_state: false,
        start_at: start_at(&definition, config)?,
        variables: variables(config)?,
        max_value: MAX_VALUE,
        most_items: None,
    };
    let loaded = Loaded {
        definition,
        machine: opened.name.clone(),
        diagnostics: config.rules.seen(diagnostics),
        header,
        has_input,
        input_file: input.on_disk().map(Path::to_path_buf),
        mock,
        case,
        cases,
        watch,
        files: files(config),
        inputs,
        recorded: Arc::clone(&config.recorded),
        history: None,
        targets: config.targets.clone(),
        unmocked: config.unmocked,
        memory_limit: config.max_memory.unwrap_or(MAX_MEMORY).min(room()),
        children,
        skipped,
        warnings,
    };
    Ok(match history {
        Some(recorded) => loaded.repeating(recorded, config),
        None => loaded,
    })
}

/// Loads the child machines again, from their files.
///
/// # Errors
/// If a file cannot be read or its content prevents a child from running; the error names the place in the file.
pub fn children(config: &LaunchConfig) -> Result<Children, LaunchError> {
    let mock = match config.children.is_empty() {
        true => None,
        false => mock(config)?,
    };
    let (machines, _) = child::load_all(config, mock.as_ref())?;
    Ok(Children { machines })
}

/// Returns the names of the machine's test cases, and the test case to run. No test case is selected if there are
/// several without a default and the user named none.
fn choose(
    mock: Option<&Mock>,
    definition: &Definition,
    config: &LaunchConfig,
) -> Result<(Vec<String>, Option<MockCase>), LaunchError> {
    let Some(mock) = mock else {
        return Ok((Vec::new(), None));
    };
    let name = definition.name.to_string();
    let asked = config.program.state_machine.as_deref();
    if let Some(asked) = asked.filter(|asked| mock.file.machines().all(|known| known != *asked)) {
        // A mock file that the user did not name may be for other state machines, so this is no error.
        if config.mock.is_none() && config.test_case.is_none() {
            return Ok((Vec::new(), None));
        }
        return Err(LaunchError::NotInMockFile {
            file: mock.name.clone(),
            machine: asked.to_string(),
            known: mock.file.machines().map(ToString::to_string).collect(),
        });
    }
    let candidates = [asked.unwrap_or(&name)];
    let cases: Vec<String> = mock
        .file
        .cases(&candidates)
        .unwrap_or_default()
        .iter()
        .map(|case| case.name.to_string())
        .collect();
    let wanted = config.test_case.as_deref();
    let has_default = || {
        let cases = mock.file.cases(&candidates).unwrap_or_default();
        MockCase::default_of(cases).is_some()
    };
    if wanted.is_none() && cases.len() > 1 && !has_default() {
        return Ok((cases, None));
    }
    let case = mock
        .file
        .select(&candidates, wanted)
        .map_err(|problem| LaunchError::NoCase {
            file: mock.name.clone(),
            problem,
        })?;
    Ok((cases, Some(case)))
}

fn start_time(config: &LaunchConfig) -> Result<i64, LaunchError> {
    let Some(text) = &config.start_time else {
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        return Ok(i64::try_from(since.as_millis()).unwrap_or(0));
    };
    let time = parse_timestamp(text).map(|instant| instant.millis());
    time.ok_or_else(|| {
        let problem = format!("\"{text}\" is not an RFC 3339 time, such as 2025-01-31T10:00:00Z");
        LaunchError::field(Field::StartTime, problem)
    })
}

/// Returns the state with this name; otherwise an error that suggests a similar name.
fn state(definition: &Definition, name: &str) -> Result<StateId, LaunchError> {
    definition.find_by_name(name).ok_or_else(|| {
        let names = definition.states.iter().map(|state| &*state.name);
        LaunchError::NoState {
            name: name.to_string(),
            near: did_you_mean(name, names),
        }
    })
}

fn start_at(
    definition: &Definition,
    config: &LaunchConfig,
) -> Result<Option<StateId>, LaunchError> {
    let Some(name) = config.start_at.as_deref() else {
        return Ok(None);
    };
    let id = state(definition, name)?;
    let inner = definition.state(id).is_some_and(|state| state.scope.0 != 0);
    if inner {
        let problem = format!(
            "the state \"{name}\" is inside a Parallel or Map; a run can begin only at a top-level state"
        );
        return Err(LaunchError::field(Field::StartAt, problem));
    }
    Ok(Some(id))
}

fn variables(config: &LaunchConfig) -> Result<Vec<(Text, Value)>, LaunchError> {
    let mut variables = Vec::new();
    for (name, given) in &config.variables {
        let place = format!("{} {name}", Field::Variable);
        let name = name.trim_start_matches('$');
        if !is_variable_name(name) {
            let problem = format!("\"{name}\" is not a valid variable name");
            return Err(LaunchError::field(Field::Variable, problem));
        }
        variables.push((name.into(), given.value(&place)?));
    }
    Ok(variables)
}

/// Address space that the debugger needs without a run, in bytes: its code, and the stacks and heaps of its threads.
const TAKEN: u64 = 512 << 20;
/// Address space that the debugger needs at least, in bytes; it refuses to start with less.
pub const LEAST_ROOM: u64 = 576 << 20;

/// Limit of the process's address space, in bytes; `None` if there is no limit.
#[must_use]
pub fn address_space() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::As).current
}

/// Address space that a run may use, in bytes. This is much less than the limit of the process, because the debugger
/// cannot report an error after an allocation that exceeds the process's limit.
fn room() -> u64 {
    let quarter = |bytes: u64| (bytes / 4).min(bytes.max(LEAST_ROOM).saturating_sub(TAKEN) / 2);
    address_space().map_or(u64::MAX, quarter)
}
