//! Reads the definitions that `--child` names, and finds their answers in the mock file.
//!
//! It must not know how a child execution is run.

use super::load::{self, Checking, Mock, Opened};
use crate::cli::options::StartArguments;
use crate::headless::Refusal;
use crate::session::child::ChildMachine;
use crate::session::execution::machine_name;
use crate::source::{Severity, short};
use std::path::Path;
use std::sync::Arc;

/// The machines, in the order in which they were given, and what their texts have that AWS would refuse.
///
/// # Errors
/// With the place, where a file cannot be read or a definition cannot be run.
pub fn load_all(
    start: &StartArguments,
    checking: &Checking,
    mock: Option<&Mock>,
) -> Result<(Vec<ChildMachine>, Vec<String>), Refusal> {
    let mut machines: Vec<ChildMachine> = Vec::new();
    let mut warnings = Vec::new();
    for (name, file) in &start.child {
        if machines.iter().any(|own| *own.name == **name) {
            return Err(Refusal::new(format!("--child: {name} is given twice")));
        }
        let opened = open(name, Path::new(file), start)?;
        machines.push(machine(
            name,
            &opened,
            start,
            checking,
            mock,
            &mut warnings,
        )?);
    }
    Ok((machines, warnings))
}

/// The only definition of a file, or the one of the machine's name.
fn open(name: &str, file: &Path, start: &StartArguments) -> Result<Opened, Refusal> {
    if file == Path::new("-") {
        return Err(Refusal::new(format!(
            "--child {name}: standard input is not read for a child; name a file"
        )));
    }
    let wanted = machine_name(name);
    let mut all = load::open_all(file, None, &start.values)
        .map_err(|refusal| Refusal::new(format!("--child {name}: {}", refusal.0)))?;
    let names: Vec<String> = all.iter().map(Opened::name).collect();
    let place = match names.len() {
        1 => Some(0),
        _ => names.iter().position(|own| own == wanted),
    };
    match place {
        Some(place) if place < all.len() => Ok(all.swap_remove(place)),
        _ => Err(Refusal::new(format!(
            "--child {name}: {} holds {} state machines and none is named {wanted}: {}",
            file.display(),
            names.len(),
            names.join(", ")
        ))),
    }
}

fn machine(
    name: &str,
    opened: &Opened,
    start: &StartArguments,
    checking: &Checking,
    mock: Option<&Mock>,
    warnings: &mut Vec<String>,
) -> Result<ChildMachine, Refusal> {
    let own = machine_name(name);
    // The type that was asked for is that of the machine which is debugged.
    let of_child = Checking {
        machine_type: None,
        ..checking.clone()
    };
    let (definition, found) = opened
        .lower_as(own, &of_child)
        .map_err(|found| Refusal::of(&found, &opened.sources))?;
    let found = checking.seen(found);
    let (blocking, others): (Vec<_>, Vec<_>) = found.into_iter().partition(|one| one.blocking);
    if !blocking.is_empty() {
        return Err(Refusal::of(&blocking, &opened.sources));
    }
    let errors = others.iter().filter(|one| one.severity == Severity::Error);
    warnings.extend(errors.map(|one| short(one, &opened.sources)));
    let file = opened.name();
    let cases = mock.map_or(&[][..], |mock| mock.file.cases_of(&[name, own, &file]));
    let case = match (cases, start.test_case.as_deref()) {
        (cases, Some(wanted)) if cases.iter().any(|case| *case.name == *wanted) => {
            cases.iter().find(|case| *case.name == *wanted)
        }
        ([only], _) => Some(only),
        _ => None,
    };
    Ok(ChildMachine {
        name: name.into(),
        definition: Arc::new(definition),
        case: case.cloned(),
        cases: cases.iter().map(|case| case.name.clone()).collect(),
    })
}
