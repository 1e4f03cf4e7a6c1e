//! Opens files as definitions, in any supported format.

use super::beside::stem;
use super::choose::{self, parse, read};
use super::config::{Checking, Program, TextForm};
use super::error::{Field, LaunchError};
use crate::definition::{Definition, MachineType, diagnose, lower};
use crate::json::{Text, Value};
use crate::source::open::Wish;
use crate::source::placeholder::read_values;
use crate::source::template::DocumentKind;
use crate::source::{
    Diagnostic, Diagnostics, Node, Severity, SourceFile, SourceId, SourceMap, formatted, load,
    parse_json,
};
use std::path::PathBuf;
use std::sync::Arc;

/// A definition that was parsed, but not yet converted to its typed form.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The file as the user named it.
    pub file: PathBuf,
    /// The kind of document in the file, such as a definition or a template.
    pub kind: DocumentKind,
    /// Name of the state machine, if the file has a name for it.
    pub name: Option<Text>,
    /// Type of the state machine, if the file says it.
    pub machine_type: Option<MachineType>,
    /// The parsed tree of the definition; `None` if the text cannot be parsed at all.
    pub node: Option<Arc<Node>>,
    /// Diagnostics from parsing.
    pub found: Diagnostics,
    /// The texts from which the definition was parsed.
    pub sources: Arc<SourceMap>,
    /// All state machines in the file, as pairs of the name and details to show to the user; empty if the file is a
    /// single definition.
    pub machines: Arc<[(String, String)]>,
}

/// Returns the name of the state machine to open, and the values to substitute for placeholders.
fn wish(program: &Program) -> Result<Wish, LaunchError> {
    let given = program.set.iter();
    let mut set: Vec<(String, Value)> = given
        .map(|(name, text)| (name.clone(), Value::string(text.as_str())))
        .collect();
    for path in &program.set_files {
        let file = load::load_argument(path)
            .map_err(|error| LaunchError::unreadable(Field::SetFile, error))?;
        let more = read_values(&file, SourceId(0));
        set.extend(more.map_err(|diagnostics| {
            LaunchError::invalid(diagnostics, &Arc::new(SourceMap::of(file)))
        })?);
    }
    // Values from the environment come last: if a name has several values, the first is used, so the user's values win.
    let from_environment = |names: &[&str]| {
        names
            .iter()
            .find_map(|name| std::env::var(name).ok())
            .filter(|value| !value.is_empty())
    };
    let region = program
        .region
        .clone()
        .or_else(|| from_environment(&["AWS_REGION", "AWS_DEFAULT_REGION"]));
    let account = program
        .account
        .clone()
        .or_else(|| from_environment(&["AWS_ACCOUNT_ID"]));
    for (name, value) in [("AWS::Region", region), ("AWS::AccountId", account)] {
        set.extend(value.map(|value| (name.to_string(), Value::string(value))));
    }
    Ok(Wish {
        state_machine: program.state_machine.clone(),
        set,
    })
}

/// Opens a file with one definition.
///
/// # Errors
/// If the file cannot be read, is a folder, or has several state machines and none was named.
pub fn open(program: &Program) -> Result<Opened, LaunchError> {
    let mut all = open_all(program)?;
    match (all.pop(), &all[..]) {
        (Some(document), []) => Ok(document),
        (last, rest) => Err(LaunchError::SeveralMachines {
            file: program.file.clone(),
            names: rest.iter().chain(&last).map(Opened::name).collect(),
        }),
    }
}

/// Opens all definitions in a file; if the user named a state machine, only that one.
///
/// # Errors
/// If the file cannot be read or is a folder.
pub fn open_all(program: &Program) -> Result<Vec<Opened>, LaunchError> {
    let file = program.file.as_path();
    if program.text.is_none() && file.is_dir() {
        return Err(choose::listing(file, choose::of_folder(file)));
    }
    let wish = wish(program)?;
    let opened = match program.embedded() {
        Some(text) => parse(text, file, &wish),
        None => read(file, &wish)?,
    };
    let choice = opened.is_choice();
    let machines: Arc<[(String, String)]> = choose::machines(&opened).into();
    let sources = Arc::new(opened.sources);
    let document = |name, workflow: Option<Text>, node: Option<Node>, diagnostics| Opened {
        file: file.to_path_buf(),
        kind: opened.kind,
        name,
        machine_type: workflow.as_deref().and_then(MachineType::parse),
        node: node.map(Arc::new),
        found: diagnostics,
        sources: Arc::clone(&sources),
        machines: Arc::clone(&machines),
    };
    if !choice {
        return Ok(vec![document(
            opened.name,
            opened.workflow,
            opened.node,
            opened.diagnostics,
        )]);
    }
    let machines = opened.machines.into_iter();
    Ok(machines
        .map(|machine| {
            document(
                Some(machine.name),
                machine.workflow,
                machine.node,
                machine.diagnostics,
            )
        })
        .collect())
}

/// Opens JSON text as the definition of a machine with this name. Does not substitute placeholders or read other files.
#[must_use]
pub fn open_json(name: &str, text: &str, machine_type: MachineType) -> Opened {
    let file = SourceFile::new(name, text);
    let (node, diagnostics) = parse_json(&file, SourceId(0));
    Opened {
        file: PathBuf::from(name),
        kind: DocumentKind::Definition,
        name: Some(name.into()),
        machine_type: Some(machine_type),
        node: node.map(Arc::new),
        found: diagnostics,
        sources: Arc::new(SourceMap::of(file)),
        machines: Arc::default(),
    }
}

impl Opened {
    /// Name of the state machine as the file gives it, otherwise the file name without its endings.
    #[must_use]
    pub fn name(&self) -> String {
        match &self.name {
            Some(name) => name.to_string(),
            None => stem(&self.file),
        }
    }

    /// Returns the definition with its text in the given form.
    #[must_use]
    pub fn in_form(self, form: TextForm) -> Self {
        // A program in the SFN DSL, an older language for state machines, is never reformatted.
        if form == TextForm::AsWritten || self.kind == DocumentKind::Dsl {
            return self;
        }
        self.formatted()
    }

    fn formatted(mut self) -> Self {
        let name = self.file.file_name().unwrap_or(self.file.as_os_str());
        let machine = self.name.as_ref();
        let machine = machine.map_or_else(String::new, |name| format!(" > {name}"));
        let file = name.to_string_lossy();
        let title = format!("{file}{machine} (formatted)");
        let mut sources = SourceMap::clone(&self.sources);
        let node = self.node.as_ref();
        if let Some((node, diagnostics)) =
            node.and_then(|node| formatted(node, &self.found, &mut sources, &title))
        {
            self.node = Some(Arc::new(node));
            self.found = diagnostics;
            self.sources = Arc::new(sources);
        }
        self
    }

    /// Converts the parsed tree to a typed definition; also returns all diagnostics of the definition.
    ///
    /// # Errors
    /// The diagnostics of the text, if it cannot be parsed at all.
    pub fn lower(&self, checking: &Checking) -> Result<(Definition, Diagnostics), Diagnostics> {
        self.lower_as(&self.name(), checking)
    }

    /// Like `lower`, but gives the state machine the name `name`.
    ///
    /// # Errors
    /// The diagnostics of the text, if it cannot be parsed at all.
    pub(super) fn lower_as(
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
        let mut diagnostics = self.found.clone();
        diagnostics.extend(lowered);
        let diagnostics = diagnose(&definition, &diagnostics, checking.profile);
        Ok((definition, diagnostics))
    }

    /// Returns the parsed tree, if the text has no errors.
    ///
    /// # Errors
    /// The diagnostics of the text, if it has errors.
    pub fn readable(&self) -> Result<&Arc<Node>, LaunchError> {
        let failed = |diagnostic: &Diagnostic| diagnostic.severity == Severity::Error;
        match &self.node {
            Some(node) if !self.found.iter().any(failed) => Ok(node),
            _ => Err(self.invalid(self.found.clone())),
        }
    }

    /// Creates the error that reports these diagnostics of the definition.
    #[must_use]
    pub fn invalid(&self, diagnostics: Diagnostics) -> LaunchError {
        LaunchError::invalid(diagnostics, &self.sources)
    }
}
