//! Loads the state machines that the option `--child` names, with the answers that the mock file has for them.

use super::beside::Mock;
use super::config::{Checking, LaunchConfig, Program};
use super::error::{Field, LaunchError};
use super::open::{Opened, open_all};
use crate::session::answers::MockCase;
use crate::session::execution::{ChildMachine, machine_name};
use crate::source::{Severity, short};
use std::path::Path;
use std::sync::Arc;

/// Loads the state machines that the options `--child` name, in the order of these options. Also returns, as warnings,
/// the errors in their definitions that do not prevent a run.
///
/// # Errors
/// If a file cannot be read or a definition cannot be run; the error names the place in the file.
pub fn load_all(
    config: &LaunchConfig,
    mock: Option<&Mock>,
) -> Result<(Vec<ChildMachine>, Vec<String>), LaunchError> {
    let mut machines: Vec<ChildMachine> = Vec::new();
    let mut warnings = Vec::new();
    for (name, file) in &config.children {
        if machines.iter().any(|known| *known.name == **name) {
            let problem = format!("the state machine {name} is given twice");
            return Err(LaunchError::field(Field::Child, problem));
        }
        let opened = open(name, file, config)?;
        let machine = machine(name, &opened, config, mock, &mut warnings)?;
        machines.push(machine);
    }
    Ok((machines, warnings))
}

/// Opens the definition of the machine `name` in a file. If the file has only one definition, opens this definition
/// even if it has another name.
fn open(name: &str, file: &Path, config: &LaunchConfig) -> Result<Opened, LaunchError> {
    let refused = |problem: String| LaunchError::Child {
        name: name.to_string(),
        problem,
    };
    if file == Path::new("-") {
        let problem = "the definition of a child cannot come from standard input; name a file";
        return Err(refused(problem.to_string()));
    }
    let wanted = machine_name(name);
    let program = Program {
        file: file.to_path_buf(),
        text: None,
        state_machine: None,
        ..config.program.clone()
    };
    let mut all = open_all(&program).map_err(|error| refused(error.to_string()))?;
    let names: Vec<String> = all.iter().map(Opened::name).collect();
    let place = match names.len() {
        1 => Some(0),
        _ => names.iter().position(|known| known == wanted),
    };
    match place {
        Some(place) if place < all.len() => Ok(all.swap_remove(place)),
        _ => Err(refused(format!(
            "{file} contains {count} state machines, but none is named {wanted}: {names}",
            file = file.display(),
            count = names.len(),
            names = names.join(", ")
        ))),
    }
}

fn machine(
    name: &str,
    opened: &Opened,
    config: &LaunchConfig,
    mock: Option<&Mock>,
    warnings: &mut Vec<String>,
) -> Result<ChildMachine, LaunchError> {
    let name_of_file = machine_name(name);
    // The machine type that the user requested applies to the main machine only, not to its children.
    let of_child = Checking {
        machine_type: None,
        ..config.rules.clone()
    };
    let (definition, diagnostics) = opened
        .lower_as(name_of_file, &of_child)
        .map_err(|diagnostics| opened.invalid(diagnostics))?;
    let diagnostics = config.rules.seen(diagnostics);
    let (blocking, others): (Vec<_>, Vec<_>) = diagnostics
        .into_iter()
        .partition(|diagnostic| diagnostic.blocking);
    if !blocking.is_empty() {
        return Err(opened.invalid(blocking));
    }
    let errors = others.iter();
    let errors = errors.filter(|diagnostic| diagnostic.severity == Severity::Error);
    warnings.extend(errors.map(|error| short(error, &opened.sources)));
    let file = opened.name();
    let cases = mock.map_or(&[][..], |mock| {
        mock.file.cases_of(&[name, name_of_file, &file])
    });
    let case = match (cases, config.test_case.as_deref()) {
        (cases, Some(wanted)) if cases.iter().any(|case| *case.name == *wanted) => {
            cases.iter().find(|case| *case.name == *wanted)
        }
        ([only], _) => Some(only),
        (several, _) => MockCase::default_of(several),
    };
    Ok(ChildMachine {
        name: name.into(),
        definition: Arc::new(definition),
        case: case.cloned(),
        cases: cases.iter().map(|case| case.name.clone()).collect(),
    })
}
