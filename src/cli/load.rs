//! Gathers what a run starts from: definition, input, answers, start time, from arguments, files beside FILE and settings.
//!
//! It must not know what is done with it.

use super::child;
use super::options::{
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
use crate::source::{
    Diagnostic, Diagnostics, Node, Severity, SourceFile, SourceId, SourceMap, did_you_mean, load,
    parse_json,
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
    /// What becomes of a task without an answer, where that was said.
    pub unmocked: Option<Unmocked>,
    /// The machines that tasks may start executions of.
    pub children: Vec<ChildMachine>,
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
        let file =
            load::load(path).map_err(|error| Refusal::new(format!("--set-file: {error}")))?;
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
fn look(file: &Path, wish: &Wish) -> Result<open::Opened, Refusal> {
    let source = load::load(file).map_err(|error| Refusal::new(error.to_string()))?;
    let folder = file.parent().unwrap_or(Path::new(""));
    let files = |relative: &str| load::load_below(folder, relative);
    Ok(open::parse(source, &files, wish))
}

/// Says what a folder holds that can be opened.
fn listing(folder: &Path) -> Refusal {
    let mut lines = Vec::new();
    for path in load::candidates(folder) {
        let Ok(opened) = look(&path, &Wish::default()) else {
            continue;
        };
        let names: Vec<&str> = opened.machines.iter().map(|one| &*one.name).collect();
        match (&names[..], &opened.node) {
            ([], None) => {}
            ([], Some(node)) if node.get("States").is_none() => {}
            ([], Some(_)) | ([_], _) => lines.push(format!("  {}", path.display())),
            (names, _) => lines.push(format!(
                "  {} --state-machine {}",
                path.display(),
                names.join("|")
            )),
        }
    }
    let name = folder.display();
    Refusal::new(if lines.is_empty() {
        format!("{name} is a folder, and no file below it holds a definition")
    } else {
        format!("{name} is a folder; it holds\n{}", lines.join("\n"))
    })
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
        return Err(listing(file));
    }
    let opened = look(file, &wish(machine, values)?)?;
    let choice = opened.is_choice();
    let sources = Arc::new(opened.sources);
    let one = |name, workflow: Option<Text>, node: Option<Node>, found| Opened {
        file: file.to_path_buf(),
        name,
        machine_type: workflow.as_deref().and_then(MachineType::parse),
        node: node.map(Arc::new),
        found,
        sources: Arc::clone(&sources),
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

    /// Lowers it and holds it against every rule.
    ///
    /// # Errors
    /// With all that was found, where the text cannot be read at all.
    pub fn lower(&self, checking: &Checking) -> Result<(Definition, Diagnostics), Diagnostics> {
        let Some(node) = &self.node else {
            return Err(self.found.clone());
        };
        let sources = Arc::clone(&self.sources);
        let (mut definition, lowered) = lower(Arc::clone(node), sources, &self.name());
        let asked = checking.machine_type.or(self.machine_type);
        definition.machine_type = asked.unwrap_or_default();
        let mut found = self.found.clone();
        found.extend(lowered);
        let found = diagnose(&definition, &found, checking.profile);
        Ok((definition, found))
    }
}

/// A file's name without `.asl.json` and the like.
fn stem(file: &Path) -> String {
    let name = file
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let endings = [
        ".asl.json",
        ".asl.yaml",
        ".asl.yml",
        ".json",
        ".yaml",
        ".yml",
        ".asl",
        ".sfn",
    ];
    let stem = endings
        .iter()
        .find_map(|ending| name.strip_suffix(ending))
        .unwrap_or(&name);
    match stem {
        "" | "-" => "StateMachine".to_string(),
        stem => stem.to_string(),
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
    let checking = Checking::new(&start.rules, settings)?;
    let opened = open(file, start.state_machine.as_deref(), &start.values)?;
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
    let named = opened.sources.files().iter().skip(1);
    watch.extend(named.map(|file| PathBuf::from(&*file.name)));
    let input = input(file, start, &mut watch)?;
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
        unmocked: unmocked(start.unmocked, settings)?,
        children,
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

/// The JSON that an argument is, or that stands in the file that it names.
///
/// # Errors
/// Where the file cannot be read or the text is not JSON.
pub fn value(argument: &str, option: &str) -> Result<Value, Refusal> {
    value_of(&text_of(argument, option)?)
}

/// The same where only an object will do.
///
/// # Errors
/// Where it is something else, too.
pub fn object(argument: &str, option: &str) -> Result<Value, Refusal> {
    let value = value(argument, option)?;
    match value.as_object() {
        Some(_) => Ok(value),
        None => Err(Refusal::new(format!(
            "{option} is an object, not {} {}",
            if value.as_array().is_some() {
                "an"
            } else {
                "a"
            },
            value.type_name()
        ))),
    }
}

fn text_of(argument: &str, option: &str) -> Result<SourceFile, Refusal> {
    if is_json(argument) {
        return Ok(SourceFile::new(option, argument));
    }
    load::load(Path::new(argument)).map_err(|error| Refusal::new(format!("{option}: {error}")))
}

/// Whether an argument is JSON and not the name of a file.
fn is_json(argument: &str) -> bool {
    let text = argument.trim_start();
    text.starts_with(['{', '[', '"'])
        || (crate::json::parse(text).is_ok() && !Path::new(argument).exists())
}

fn value_of(file: &SourceFile) -> Result<Value, Refusal> {
    let (node, mut found) = parse_json(file, SourceId(0));
    let failed = found
        .iter()
        .any(|diagnostic| diagnostic.severity == Severity::Error);
    match node {
        Some(node) if !failed => Ok(node.to_value()),
        _ => {
            found.retain(|diagnostic| diagnostic.severity == Severity::Error);
            for diagnostic in &mut found {
                *diagnostic = Diagnostic {
                    code: "INVALID_JSON",
                    help: None,
                    ..diagnostic.clone()
                };
            }
            Err(Refusal::of(&found, &SourceMap::of(file.clone())))
        }
    }
}

/// `NAME.ending` beside a file.
fn beside(file: &Path, name: &str) -> Option<PathBuf> {
    if file == Path::new("-") {
        return None;
    }
    let path = file.with_file_name(name);
    path.is_file().then_some(path)
}

fn input(file: &Path, start: &StartArguments, watch: &mut Vec<PathBuf>) -> Result<Value, Refusal> {
    let stem = stem(file);
    let argument = match &start.input {
        Some(argument) if argument == "-" && file == Path::new("-") => {
            return Err(Refusal::new(
                "FILE and --input cannot both be standard input",
            ));
        }
        Some(argument) => argument.clone(),
        None => {
            let machine = start.state_machine.as_deref().unwrap_or(&stem);
            let found = beside(file, &format!("{machine}.input.json"))
                .or_else(|| beside(file, &format!("{stem}.input.json")));
            match found {
                Some(path) => {
                    watch.push(path.clone());
                    let file =
                        load::load(&path).map_err(|error| Refusal::new(error.to_string()))?;
                    return value_of(&file);
                }
                None => return Ok(Value::empty_object()),
            }
        }
    };
    let text = text_of(&argument, "--input")?;
    if argument != "-" && !is_json(&argument) {
        watch.push(PathBuf::from(&argument));
    }
    value_of(&text)
}

/// What stands for S3: results are written only to a folder that was named, not to the one that happens to lie there.
fn files(file: &Path, start: &StartArguments) -> Files {
    let found = || {
        let path = file.with_file_name(format!("{}.s3", stem(file)));
        (file != Path::new("-") && path.is_dir()).then_some(path)
    };
    let readers = start.reader.iter();
    Files {
        read_root: start.s3_root.clone().or_else(found),
        write_root: start.s3_root.clone(),
        readers: readers
            .map(|(state, path)| (state.as_str().into(), PathBuf::from(path)))
            .collect(),
    }
}

fn mock(file: &Path, start: &StartArguments) -> Result<Option<Mock>, Refusal> {
    let found = || {
        beside(file, &format!("{}.mock.json", stem(file)))
            .or_else(|| beside(file, "MockConfigFile.json"))
    };
    let Some(path) = start.mock.clone().or_else(found) else {
        return match &start.test_case {
            Some(name) => Err(Refusal::new(format!(
                "there is no test case \"{name}\": no mock file was given (--mock FILE)"
            ))),
            None => Ok(None),
        };
    };
    let text = load::load(&path).map_err(|error| Refusal::new(format!("--mock: {error}")))?;
    let (mocks, mut found) = MockFile::parse(&text, SourceId(0));
    let sources = SourceMap::of(text);
    found.retain(|diagnostic| diagnostic.severity == Severity::Error);
    match mocks {
        Some(file) if found.is_empty() => Ok(Some(Mock {
            path,
            file,
            sources: Arc::new(sources),
        })),
        _ => Err(Refusal::of(&found, &sources)),
    }
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
