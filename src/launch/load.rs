//! Gathers what a run starts from: definition, input, answers, start time, from arguments, files beside FILE and settings.
//!
//! It must not know what is done with it.

use super::beside::{files, input, inputs, mock, stem};
use super::child;
use super::choose;
use super::value::{object, value_of};
use crate::cli::options::{
    ProfileName, RuleArguments, StartArguments, TypeName, UnmockedName, ValueArguments,
};
use crate::definition::{
    Allowed, Definition, MachineType, StateId, diagnose, is_variable_name, lower,
};
use crate::headless::Refusal;
use crate::interpreter::{Header, MAX_VALUE};
use crate::json::{Text, Value};
use crate::query::{Profile, parse_timestamp};
use crate::session::Unmocked;
use crate::session::answers::{MockCase, MockFile};
use crate::session::child::{ChildMachine, Children};
use crate::settings::Settings;
use crate::source::open::{self, Wish};
use crate::source::placeholder::read_values;
use crate::source::template::DocumentKind;
use crate::source::{
    Diagnostic, Diagnostics, Node, Severity, SourceFile, SourceId, SourceMap, did_you_mean,
    formatted, load,
};
use crate::worker::Files;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// A text that was read as a definition.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The file as named.
    pub file: PathBuf,
    /// What it is.
    pub kind: DocumentKind,
    /// The name that the file gives the definition.
    pub name: Option<Text>,
    /// The type that the file gives the machine.
    pub machine_type: Option<MachineType>,
    /// The tree; `None` where the text cannot be read at all.
    pub node: Option<Arc<Node>>,
    /// What reading it found.
    pub found: Diagnostics,
    /// The texts.
    pub sources: Arc<SourceMap>,
    /// All state machines of the file with what else there is to say of each; none where it is a definition itself.
    pub machines: Arc<[(String, String)]>,
}

/// How a definition is held against the rules.
#[derive(Clone, Debug, Default)]
pub struct Checking {
    /// Whom to follow.
    pub profile: Profile,
    /// The machine's type, whatever its file says.
    pub machine_type: Option<MachineType>,
    /// Rules whose findings are not wanted.
    pub allowed: Allowed,
}

impl Checking {
    /// As asked for, else as set.
    ///
    /// # Errors
    /// Where there is no such profile or rule.
    pub fn new(asked: &RuleArguments, settings: &Settings) -> Result<Self, Refusal> {
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
        Ok(Self {
            profile: profile(asked.profile, settings)?,
            machine_type: asked.machine_type.map(|name| match name {
                TypeName::Standard => MachineType::Standard,
                TypeName::Express => MachineType::Express,
            }),
            allowed,
        })
    }

    /// What of some findings a person wants to see; what keeps a run from starting is seen always.
    #[must_use]
    pub fn seen(&self, found: Diagnostics) -> Diagnostics {
        found
            .into_iter()
            .filter(|found| found.blocking || !self.allowed.hides(found))
            .collect()
    }
}

/// A mock file that was read.
#[derive(Clone, Debug)]
pub struct Mock {
    /// Where it lies.
    pub path: PathBuf,
    /// What it holds.
    pub file: MockFile,
    /// Its text.
    pub sources: Arc<SourceMap>,
}

/// All that a run starts from.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The definition.
    pub definition: Arc<Definition>,
    /// Everything that was found in it.
    pub diagnostics: Diagnostics,
    /// The header of the run.
    pub header: Header,
    /// The mock file.
    pub mock: Option<Mock>,
    /// The test case that was chosen, or is the only one.
    pub case: Option<MockCase>,
    /// The test cases that there are for this machine.
    pub cases: Vec<String>,
    /// The files that it was read from: a change of them is a reason to read again.
    pub watch: Vec<PathBuf>,
    /// What stands for S3.
    pub files: Files,
    /// Files that may be the input, where none was named and none lies beside the definition.
    pub inputs: Vec<PathBuf>,
    /// What becomes of a task without an answer, where that was said.
    pub unmocked: Option<Unmocked>,
    /// The machines that tasks may start executions of.
    pub children: Vec<ChildMachine>,
    /// What was not looked for beside the definition, and why.
    pub skipped: Vec<String>,
    /// What a person should know of their definitions.
    pub warnings: Vec<String>,
}

/// What the arguments ask for.
fn wish(machine: Option<&str>, values: &ValueArguments) -> Result<Wish, Refusal> {
    let given = values.set.iter();
    let mut set: Vec<(String, Value)> = given
        .map(|(name, text)| (name.clone(), Value::string(text.as_str())))
        .collect();
    for path in &values.set_file {
        let file = load::load_argument(path)
            .map_err(|error| Refusal::new(format!("--set-file: {error}")))?;
        let more = read_values(&file, SourceId(0));
        set.extend(more.map_err(|found| Refusal::of(&found, &SourceMap::of(file)))?);
    }
    // Last, so that what was set by hand counts first.
    let from_environment = |names: &[&str]| {
        names
            .iter()
            .find_map(|name| std::env::var(name).ok())
            .filter(|value| !value.is_empty())
    };
    let region = values
        .region
        .clone()
        .or_else(|| from_environment(&["AWS_REGION", "AWS_DEFAULT_REGION"]));
    let account = values
        .account
        .clone()
        .or_else(|| from_environment(&["AWS_ACCOUNT_ID"]));
    for (name, value) in [("AWS::Region", region), ("AWS::AccountId", account)] {
        set.extend(value.map(|value| (name.to_string(), Value::string(value))));
    }
    Ok(Wish {
        state_machine: machine.map(str::to_string),
        set,
    })
}

/// Opens a file, whatever it is.
///
/// # Errors
/// Where it cannot be read.
pub fn look(file: &Path, wish: &Wish) -> Result<open::Opened, Refusal> {
    let source = load::load_argument(file).map_err(|error| Refusal::new(error.to_string()))?;
    let folder = file.parent().unwrap_or(Path::new(""));
    let files = |relative: &str| load::load_below(folder, relative);
    Ok(open::parse(source, &files, wish))
}

/// Reads a file as one definition.
///
/// # Errors
/// Where the file cannot be read, is a folder, or holds several state machines and none was named.
pub fn open(
    file: &Path,
    machine: Option<&str>,
    values: &ValueArguments,
) -> Result<Opened, Refusal> {
    let mut all = open_all(file, machine, values)?;
    match (all.pop(), &all[..]) {
        (Some(one), []) => Ok(one),
        (last, rest) => {
            let names: Vec<String> = rest.iter().chain(&last).map(Opened::name).collect();
            Err(Refusal::new(format!(
                "{} holds {} state machines; --state-machine picks one: {}",
                file.display(),
                names.len(),
                names.join(", ")
            )))
        }
    }
}

/// Reads every definition of a file, or the one that was named.
///
/// # Errors
/// Where the file cannot be read or is a folder.
pub fn open_all(
    file: &Path,
    machine: Option<&str>,
    values: &ValueArguments,
) -> Result<Vec<Opened>, Refusal> {
    if file.is_dir() {
        return Err(choose::listing(file, &choose::of_folder(file)));
    }
    let opened = look(file, &wish(machine, values)?)?;
    let choice = opened.is_choice();
    let machines: Arc<[(String, String)]> = choose::machines(&opened).into();
    let sources = Arc::new(opened.sources);
    let one = |name, workflow: Option<Text>, node: Option<Node>, found| Opened {
        file: file.to_path_buf(),
        kind: opened.kind,
        name,
        machine_type: workflow.as_deref().and_then(MachineType::parse),
        node: node.map(Arc::new),
        found,
        sources: Arc::clone(&sources),
        machines: Arc::clone(&machines),
    };
    if !choice {
        return Ok(vec![one(
            opened.name,
            opened.workflow,
            opened.node,
            opened.diagnostics,
        )]);
    }
    let machines = opened.machines.into_iter();
    Ok(machines
        .map(|one_of| {
            one(
                Some(one_of.name),
                one_of.workflow,
                one_of.node,
                one_of.diagnostics,
            )
        })
        .collect())
}

impl Opened {
    /// The name of the machine: the one that the file gives it, else that of the file without its endings.
    #[must_use]
    pub fn name(&self) -> String {
        match &self.name {
            Some(name) => name.to_string(),
            None => stem(&self.file),
        }
    }

    /// The same in a text that a person can read, where it was written in one that nobody can.
    #[must_use]
    pub fn for_reading(mut self) -> Self {
        // A program's states need no lines of their own.
        if self.kind == DocumentKind::Dsl {
            return self;
        }
        let name = self.file.file_name().unwrap_or(self.file.as_os_str());
        let machine = self.name.as_ref();
        let machine = machine.map_or_else(String::new, |name| format!(" > {name}"));
        let title = format!("{}{machine} (formatted)", name.to_string_lossy());
        let mut sources = SourceMap::clone(&self.sources);
        let node = self.node.as_ref();
        if let Some((node, found)) =
            node.and_then(|node| formatted(node, &self.found, &mut sources, &title))
        {
            self.node = Some(Arc::new(node));
            self.found = found;
            self.sources = Arc::new(sources);
        }
        self
    }

    /// Lowers it and holds it against every rule.
    ///
    /// # Errors
    /// With all that was found, where the text cannot be read at all.
    pub fn lower(&self, checking: &Checking) -> Result<(Definition, Diagnostics), Diagnostics> {
        self.lower_as(&self.name(), checking)
    }

    /// The same under another name.
    ///
    /// # Errors
    /// With all that was found, where the text cannot be read at all.
    pub fn lower_as(
        &self,
        name: &str,
        checking: &Checking,
    ) -> Result<(Definition, Diagnostics), Diagnostics> {
        let Some(node) = &self.node else {
            return Err(self.found.clone());
        };
        let sources = Arc::clone(&self.sources);
        let (mut definition, lowered) = lower(Arc::clone(node), sources, name);
        let asked = checking.machine_type.or(self.machine_type);
        definition.machine_type = asked.unwrap_or_default();
        let mut found = self.found.clone();
        found.extend(lowered);
        let found = diagnose(&definition, &found, checking.profile);
        Ok((definition, found))
    }

    /// The tree of a text that was read without an error.
    ///
    /// # Errors
    /// With all that was found.
    pub fn readable(&self) -> Result<&Arc<Node>, Refusal> {
        let failed = |found: &Diagnostic| found.severity == Severity::Error;
        match &self.node {
            Some(node) if !self.found.iter().any(failed) => Ok(node),
            _ => Err(Refusal::of(&self.found, &self.sources)),
        }
    }
}

/// Whom to follow: as asked, else as set, else the specification.
///
/// # Errors
/// Where the settings name no profile that there is.
pub fn profile(asked: Option<ProfileName>, settings: &Settings) -> Result<Profile, Refusal> {
    Ok(match (asked, settings.profile.as_deref()) {
        (Some(ProfileName::Aws), _) | (None, Some("aws")) => Profile::Aws,
        (Some(ProfileName::Spec), _) | (None, Some("spec") | None) => Profile::Spec,
        (None, Some(other)) => {
            return Err(Refusal::new(format!(
                "the setting profile = \"{other}\" names no profile; there are \"spec\" and \"aws\""
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
                "the setting unmocked = \"{other}\" means nothing; there are \"ask\", \"echo\" and \"fail\""
            )));
        }
    }))
}

/// Reads everything that a run starts from.
///
/// # Errors
/// With the place, where something cannot be read or keeps a run from starting.
pub fn load_all(
    file: &Path,
    start: &StartArguments,
    settings: &Settings,
) -> Result<Loaded, Refusal> {
    let opened = open(file, start.state_machine.as_deref(), &start.values)?;
    load_with(&opened, start, settings)
}

/// Reads what a run starts from besides the definition.
///
/// # Errors
/// With the place, where something cannot be read or keeps a run from starting.
pub fn load_with(
    opened: &Opened,
    start: &StartArguments,
    settings: &Settings,
) -> Result<Loaded, Refusal> {
    let file = opened.file.as_path();
    let checking = Checking::new(&start.rules, settings)?;
    let (definition, diagnostics) = opened
        .lower(&checking)
        .map_err(|found| Refusal::of(&found, &opened.sources))?;
    let blocking: Diagnostics = diagnostics
        .iter()
        .filter(|found| found.blocking)
        .cloned()
        .collect();
    if !blocking.is_empty() {
        return Err(Refusal::of(&blocking, &opened.sources));
    }
    let definition = Arc::new(definition);
    let diagnostics = checking.seen(diagnostics);
    let mut watch: Vec<PathBuf> = Vec::new();
    if file != Path::new("-") {
        watch.push(file.to_path_buf());
    }
    watch.extend(
        opened
            .sources
            .named()
            .map(|file| PathBuf::from(&*file.name)),
    );
    let before = watch.len();
    let mut skipped = Vec::new();
    let input = input(file, &opened.name(), start, &mut watch, &mut skipped)?;
    let given = start.input.is_some() || watch.len() > before;
    let inputs = if given { Vec::new() } else { inputs(file) };
    let mock = mock(file, start)?;
    if let Some(mock) = &mock {
        watch.push(mock.path.clone());
    }
    let (cases, case) = choose(mock.as_ref(), &definition, start)?;
    let (children, warnings) = child::load_all(start, &checking, mock.as_ref())?;
    for machine in &children {
        let files = machine.definition.sources.files().iter();
        watch.extend(files.map(|file| PathBuf::from(&*file.name)));
    }
    let header = Header {
        input,
        seed: start.seed,
        start_time: start_time(start)?,
        profile: checking.profile,
        context: match &start.context {
            Some(context) => object(context, "--context")?,
            None => Value::empty_object(),
        },
        context_whole: false,
        start_at: start_at(&definition, start)?,
        variables: variables(start)?,
        max_value: MAX_VALUE,
    };
    Ok(Loaded {
        definition,
        diagnostics,
        header,
        mock,
        case,
        cases,
        watch,
        files: files(file, start),
        inputs,
        unmocked: unmocked(start.unmocked, settings)?,
        children,
        skipped,
        warnings,
    })
}

/// Reads the machines again that tasks may start executions of.
///
/// # Errors
/// With the place, where something cannot be read or keeps a child from being run.
pub fn children(
    file: &Path,
    start: &StartArguments,
    settings: &Settings,
) -> Result<Children, Refusal> {
    let mock = match start.child.is_empty() {
        true => None,
        false => mock(file, start)?,
    };
    let checking = Checking::new(&start.rules, settings)?;
    let (machines, _) = child::load_all(start, &checking, mock.as_ref())?;
    Ok(Children {
        machines,
        unmocked: unmocked(start.unmocked, settings)?.unwrap_or_default(),
    })
}

/// The test cases that there are, and the one to run with. No choice is made where there are several and none was named.
fn choose(
    mock: Option<&Mock>,
    definition: &Definition,
    start: &StartArguments,
) -> Result<(Vec<String>, Option<MockCase>), Refusal> {
    let Some(mock) = mock else {
        return Ok((Vec::new(), None));
    };
    let name = definition.name.to_string();
    let asked = start.state_machine.as_deref();
    if let Some(asked) = asked.filter(|asked| mock.file.machines().all(|own| own != *asked)) {
        // A mock file that just lies there may be for other state machines.
        if start.mock.is_none() && start.test_case.is_none() {
            return Ok((Vec::new(), None));
        }
        let known: Vec<String> = mock
            .file
            .machines()
            .map(|name| format!("\"{name}\""))
            .collect();
        return Err(Refusal::new(format!(
            "{} has no state machine \"{asked}\"; it has {}",
            mock.path.display(),
            known.join(", ")
        )));
    }
    let candidates = [asked.unwrap_or(&name)];
    let cases: Vec<String> = mock
        .file
        .cases(&candidates)
        .unwrap_or_default()
        .iter()
        .map(|case| case.name.to_string())
        .collect();
    let wanted = start.test_case.as_deref();
    if wanted.is_none() && cases.len() > 1 {
        return Ok((cases, None));
    }
    let case = mock
        .file
        .select(&candidates, wanted)
        .map_err(|text| Refusal::new(format!("{}: {text}", mock.path.display())))?;
    Ok((cases, Some(case)))
}

fn start_time(start: &StartArguments) -> Result<i64, Refusal> {
    let Some(text) = &start.start_time else {
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        return Ok(i64::try_from(since.as_millis()).unwrap_or(0));
    };
    parse_timestamp(text).map(|instant| instant.millis()).ok_or_else(|| {
        Refusal::new(format!(
            "--start-time: \"{text}\" is not a time as RFC 3339 writes it (2025-01-31T10:00:00Z)"
        ))
    })
}

/// The state of a name, or a refusal that names the nearest.
///
/// # Errors
/// Where there is no such state.
pub fn state(definition: &Definition, name: &str) -> Result<StateId, Refusal> {
    definition.find_by_name(name).ok_or_else(|| {
        let names = definition.states.iter().map(|state| &*state.name);
        let near = did_you_mean(name, names).map(|near| format!("; {near}"));
        Refusal::new(format!(
            "the definition has no state \"{name}\"{}",
            near.unwrap_or_default()
        ))
    })
}

fn start_at(definition: &Definition, start: &StartArguments) -> Result<Option<StateId>, Refusal> {
    let Some(name) = start.start_at.as_deref() else {
        return Ok(None);
    };
    let id = state(definition, name)?;
    let inner = definition.state(id).is_some_and(|state| state.scope.0 != 0);
    if inner {
        return Err(Refusal::new(format!(
            "--start-at: \"{name}\" stands inside a Parallel or Map; a run begins at a state of the machine itself"
        )));
    }
    Ok(Some(id))
}

fn variables(start: &StartArguments) -> Result<Vec<(Text, Value)>, Refusal> {
    let mut variables = Vec::new();
    for (name, text) in &start.var {
        let file = SourceFile::new(format!("--var {name}"), text);
        let name = name.trim_start_matches('$');
        if !is_variable_name(name) {
            return Err(Refusal::new(format!(
                "--var: \"{name}\" is no name that a variable can have"
            )));
        }
        variables.push((name.into(), value_of(&file)?));
    }
    Ok(variables)
}
