//! Converts the run of an interactive session to a test case that expects the actual results.

use super::find::test_file_for;
use super::write::{NewTest, write_test};
use crate::interpreter::{Event, EventKind, Status};
use crate::json::{Text, Value};
use crate::launch::{LaunchError, OwnWrites};
use crate::query::Profile;
use crate::session::{CaseRefused, ExistingCase, Session};
use std::path::{Path, PathBuf};

/// Maximum number of visits to write.
const MOST_VISITS: u64 = 60;

/// The start and the expectations of a test case.
#[derive(Clone, Debug)]
pub struct Happened {
    /// Input, profile and other settings, as members of a case.
    pub start: Vec<(Text, Value)>,
    /// The actual results, as expectations.
    pub expect: Value,
}

/// Describes the session's current run.
///
/// # Errors
/// If the run has not ended at the cursor; the error is a sentence.
pub fn happened_in(session: &Session) -> Result<Happened, String> {
    let machine = session.machine();
    let mut expect: Vec<(Text, Value)> = Vec::new();
    let mut say = |name: &str, value: Value| expect.push((name.into(), value));
    match machine.status() {
        Status::Running => {
            return Err(
                "the run has not ended here, and a test says how it ended: continue to its end first"
                    .into(),
            );
        }
        Status::Succeeded(output) => {
            say("status", Value::from("SUCCEEDED"));
            say("output", output.clone());
        }
        Status::Failed(fault) => {
            say("status", Value::from("FAILED"));
            for (name, text) in [("error", &fault.error), ("cause", &fault.cause)] {
                if let Some(text) = text {
                    say(name, Value::String(text.clone()));
                }
            }
        }
        Status::TimedOut => say("status", Value::from("TIMED_OUT")),
    }
    let visits = visits(session);
    if u64::try_from(visits.len()).is_ok_and(|count| count <= MOST_VISITS) {
        say("visits", Value::array(visits));
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
        .is_some_and(|own| !own.members().is_empty())
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
    Ok(Happened {
        start,
        expect: Value::object(expect),
    })
}

/// The states in the order in which they were entered.
fn visits(session: &Session) -> Vec<Value> {
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
/// sentence.
pub fn write_run(
    session: &Session,
    definition: Option<&Path>,
    name: &str,
    existing: ExistingCase,
    own: &OwnWrites,
) -> Result<PathBuf, String> {
    if name.is_empty() || name.chars().any(char::is_control) {
        return Err("write test NAME".into());
    }
    let definition = definition.ok_or(
        "a test file goes beside the definition's file, but this one was not read from a file",
    )?;
    let happened = happened_in(session)?;
    let file = test_file_for(definition);
    let test = NewTest {
        name,
        start: happened.start,
        answers: &session.answers(),
        expect: happened.expect,
        existing,
    };
    write_test(&file, &test, own).map_err(|error| match error {
        LaunchError::CaseRefused(CaseRefused::Exists(_)) => {
            format!("{}; write! test {name} replaces it", error.brief())
        }
        _ => error.brief(),
    })?;
    Ok(file)
}
