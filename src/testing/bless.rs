//! Writes the actual results of runs into a test file as expectations. Updates cases that fail or have no expectations,
//! and adds the run of a session as a new case.

use super::file::{Case, TestFile, Written, numbered};
use super::find::test_file_for;
use super::judge::Failure;
use super::observed::{At, End, Observed};
use super::write::{Edits, NewTest, tree, write_test};
use crate::definition::Definition;
use crate::interpreter::{Event, EventKind};
use crate::json::{Text, Value, count};
use crate::launch::{LaunchError, OwnWrites};
use crate::query::Profile;
use crate::session::{CaseRefused, ExistingCase, Session, seconds};
use crate::source::Node;
use crate::source::yaml::to_yaml;
use std::path::{Path, PathBuf};

/// Maximum number of visited states to write into one expectation.
const MOST_VISITS: usize = 60;

/// A case whose expectations are to be updated.
#[derive(Debug)]
pub struct Blessed<'b> {
    /// The case, as it was read from the test file.
    pub case: &'b Case,
    /// Observations of the run of the test case.
    pub observed: &'b Observed,
    /// The expectations that the run did not meet.
    pub failures: &'b [Failure],
}

/// Writes the actual results into the test file and returns its path. If the cases are from a mock file, a test file is
/// created.
///
/// # Errors
/// If the file cannot be read or written.
pub fn bless(
    file: &TestFile,
    definition: &Definition,
    all: &[Blessed<'_>],
    own_writes: &OwnWrites,
) -> Result<PathBuf, LaunchError> {
    if file.written == Written::Mock {
        return begin(file, definition, all, own_writes);
    }
    own_writes.rewrite(&file.path, |old| {
        edited(old.unwrap_or_default(), file, definition, all)
    })?;
    Ok(file.path.clone())
}

/// Returns the text of a test file in which the expectations of cases are updated with the actual results.
fn edited(
    text: &str,
    file: &TestFile,
    definition: &Definition,
    all: &[Blessed<'_>],
) -> Result<String, LaunchError> {
    let node = tree(&file.path, text)?;
    let cases = node.get("cases").and_then(Node::items).unwrap_or_default();
    let mut edits = Edits::new(text);
    for blessed in all {
        let named =
            |case: &&Node| case.get("name").and_then(Node::as_str) == Some(&*blessed.case.name);
        let Some(case) = cases.iter().find(named) else {
            continue;
        };
        match case.get("expect").filter(|expect| {
            let members = expect.members();
            members.is_some_and(|members| !members.is_empty())
        }) {
            Some(expect) => edits.replace(expect, &mended(expect, blessed, definition)),
            None => edits.add_member(case, "expect", &happened(blessed.observed, definition)),
        }
    }
    Ok(edits.done())
}

/// Creates a test file for the cases of a mock file.
fn begin(
    file: &TestFile,
    definition: &Definition,
    all: &[Blessed<'_>],
    own_writes: &OwnWrites,
) -> Result<PathBuf, LaunchError> {
    let cases = all.iter().map(|blessed| {
        let name = Value::String(blessed.case.name.clone());
        Value::object(vec![
            ("name".into(), name.clone()),
            ("answers".into(), name),
            ("expect".into(), happened(blessed.observed, definition)),
        ])
    });
    let value = Value::object(vec![("cases".into(), Value::array(cases.collect()))]);
    let name = super::find::stem(&file.program.file);
    let path = file
        .program
        .file
        .with_file_name(format!("{name}.test.yaml"));
    own_writes.rewrite(&path, |_| Ok(to_yaml(&value)))?;
    Ok(path)
}

/// The results of a run that are written as expectations: how it ended, and the states that it visited.
fn happened(observed: &Observed, definition: &Definition) -> Value {
    let mut members = end_members(&observed.end);
    if observed.visits.len() <= MOST_VISITS {
        members.push(("visits".into(), visits(observed, definition)));
    }
    Value::object(members)
}

/// Status, output, error and cause of an ended execution.
fn end_members(end: &End) -> Vec<(Text, Value)> {
    let status = end
        .status()
        .map(|status| ("status".into(), Value::from(status)));
    let mut members = Vec::from_iter(status);
    match end {
        End::Succeeded(output) => members.push(("output".into(), literal(output))),
        End::Failed(fault) => {
            for (name, text) in [("error", &fault.error), ("cause", &fault.cause)] {
                let text = text.clone().map(Value::String);
                members.extend(text.map(|text| (name.into(), text)));
            }
        }
        _ => {}
    }
    members
}

fn visits(observed: &Observed, definition: &Definition) -> Value {
    let names = observed.visits.iter().map(|at| {
        let state = definition.state(at.state);
        Value::from(state.map_or("", |state| &*state.path.0))
    });
    Value::array(names.collect())
}

/// Converts a value to an expectation of this value. A value that would be read as rules is wrapped in `$equals`.
fn literal(value: &Value) -> Value {
    let looks_like_rules = |value: &Value| {
        let members = value.as_object().map(crate::json::Object::members);
        members
            .is_some_and(|all| !all.is_empty() && all.iter().all(|(name, _)| name.starts_with('$')))
    };
    match looks_like_rules(value) {
        true => Value::object(vec![("$equals".into(), value.clone())]),
        false => value.clone(),
    }
}

/// The expectations of a case; each expectation that was not met is replaced by the actual result.
fn mended(expect: &Node, blessed: &Blessed<'_>, definition: &Definition) -> Value {
    let old = expect.to_value();
    let Some(object) = old.as_object() else {
        return happened(blessed.observed, definition);
    };
    let failed = |what: &str| {
        let mut failures = blessed.failures.iter();
        failures.any(|failure| failure.what.split(' ').next() == Some(what))
    };
    let members = object.members().iter().filter_map(|(name, value)| {
        if !failed(name) {
            return Some((name.clone(), value.clone()));
        }
        let now = now(name, value, blessed, definition)?;
        Some((name.clone(), now))
    });
    let mut members: Vec<(Text, Value)> = members.collect();
    // Status, output, error and cause belong together, so all of them are replaced.
    if failed("status") {
        let fresh = happened(blessed.observed, definition);
        for name in ["output", "error", "cause"] {
            members.retain(|(member, _)| &**member != name);
            let value = fresh.get(name).cloned();
            members.extend(value.map(|value| (name.into(), value)));
        }
    }
    Value::object(members)
}

/// The new value of an expectation that was not met; `None` if the expectation is to be removed.
fn now(name: &str, old: &Value, blessed: &Blessed<'_>, definition: &Definition) -> Option<Value> {
    let observed = blessed.observed;
    let fault = match &observed.end {
        End::Failed(fault) => Some(fault),
        _ => None,
    };
    let is = |at: &At, name: &str| {
        let state = definition.state(at.state);
        state.is_some_and(|state| &*state.path.0 == name || &*state.name == name)
    };
    let each = |value: &dyn Fn(&str) -> Option<Value>| {
        let members = old.as_object().map(crate::json::Object::members);
        let members = members.unwrap_or_default().iter();
        let members = members.filter_map(|(name, _)| Some((name.clone(), value(name)?)));
        Value::object(members.collect())
    };
    let given = |all: &[At], name: &str| {
        let (state, number) = numbered(name);
        let mut matching = all.iter().filter(|at| is(at, state));
        matching
            .nth(number.unwrap_or(1) - 1)
            .map(|at| literal(&at.value))
    };
    Some(match name {
        "status" => Value::from(observed.end.status()?),
        "error" => Value::String(fault?.error.clone()?),
        "cause" => Value::String(fault?.cause.clone()?),
        "output" | "output_includes" => match &observed.end {
            End::Succeeded(output) => literal(output),
            _ => return None,
        },
        "visits" => visits(observed, definition),
        "duration" => seconds(observed.took),
        "never" => {
            let names = old.as_array().unwrap_or_default().iter();
            let left = names.filter(|name| {
                let name = name.as_str().unwrap_or("");
                !observed.visits.iter().any(|at| is(at, name))
            });
            Value::array(left.cloned().collect())
        }
        "attempts" => each(&|name| {
            let id = definition.find_by_name(name)?;
            let begun = observed.begun.get(&id).copied().unwrap_or(0);
            Some(count(begun))
        }),
        "inputs" => each(&|name| given(&observed.visits, name)),
        "calls" => each(&|name| given(&observed.calls, name)),
        "variables" => each(&|name| {
            let variables = observed.variables.as_ref()?;
            variables.get(name.trim_start_matches('$')).map(literal)
        }),
        _ => return None,
    })
}

/// Describes the current run of the session: its input, profile and other settings as members of a case, and its actual
/// results as expectations.
///
/// # Errors
/// If the run has not ended at the event that the session shows; the error is a sentence with the reason.
fn happened_in(session: &Session) -> Result<(Vec<(Text, Value)>, Value), String> {
    let machine = session.machine();
    let end = End::of(machine.status()).ok_or(
        "the run has not ended, but a test describes the end of a run: continue to the end first",
    )?;
    let mut expect = end_members(&end);
    let visits = visits_of_session(session);
    if visits.len() <= MOST_VISITS {
        expect.push(("visits".into(), Value::array(visits)));
    }
    let run = machine.run();
    let header = &run.header;
    let mut start: Vec<(Text, Value)> = vec![("input".into(), header.input.clone())];
    if header.profile == Profile::Aws {
        start.push(("profile".into(), Value::from("aws")));
    }
    if header.seed > 0 {
        let seed = i64::try_from(header.seed).unwrap_or(0);
        start.push(("seed".into(), Value::from(seed)));
    }
    start.push(("start_time".into(), Value::string(run.time_text(0))));
    if header
        .context
        .as_object()
        .is_some_and(|context| !context.members().is_empty())
    {
        start.push(("context".into(), header.context.clone()));
    }
    let state = header.start_at.and_then(|id| run.definition.state(id));
    if let Some(state) = state {
        start.push(("start_at".into(), Value::String(state.name.clone())));
    }
    if !header.variables.is_empty() {
        let variables = Value::object(header.variables.clone());
        start.push(("variables".into(), variables));
    }
    Ok((start, Value::object(expect)))
}

/// Paths of the states that the session's run entered, in this order.
fn visits_of_session(session: &Session) -> Vec<Value> {
    let definition = session.definition();
    let entered = |event: &Event| (event.kind == EventKind::StateEntered).then_some(event.state?);
    let events = (1..=session.event_count()).filter_map(|number| session.event(number));
    events
        .filter_map(entered)
        .filter_map(|id| definition.state(id))
        .map(|state| Value::String(state.path.0.clone()))
        .collect()
}

/// Writes the current run as a test case into the definition's test file; returns the path of that file.
///
/// # Errors
/// If the name is empty, the run has not ended, or the file already has the case or cannot be written; the error is a
/// sentence with the reason.
pub fn write_run(
    session: &Session,
    definition: Option<&Path>,
    name: &str,
    existing: ExistingCase,
    own_writes: &OwnWrites,
) -> Result<PathBuf, String> {
    if name.is_empty() || name.chars().any(char::is_control) {
        return Err("name the test case: type \"write test NAME\"".into());
    }
    let definition = definition.ok_or(
        "a test file goes beside the definition's file, but this definition was not read from a file",
    )?;
    let (start, expect) = happened_in(session)?;
    let file = test_file_for(definition);
    let test = NewTest {
        name,
        start,
        answers: &session.answers(),
        expect,
        existing,
    };
    write_test(&file, &test, own_writes).map_err(|error| match error {
        LaunchError::CaseRefused(CaseRefused::Exists(_)) => {
            let problem = error.brief();
            format!("{problem}; \"write! test {name}\" replaces the test case")
        }
        _ => error.brief(),
    })?;
    Ok(file)
}
