//! The run in words: what it is doing, why it stopped, what happened last.
//!
//! It must not know where the words are put.

use super::glyph::Glyphs;
use super::theme::Role;
use crate::definition::{Definition, StateId};
use crate::interpreter::Millis;
use crate::json::one_line;
use crate::query::Profile;
use crate::session::stop::Stop;
use crate::session::view::{EventRow, RunStatus, StateStatus, View};

/// `+MM:SS.mmm`, hours where there are some.
#[must_use]
pub fn clock(time: Millis) -> String {
    let (seconds, millis) = (time / 1_000, time % 1_000);
    let (minutes, second) = (seconds / 60, seconds % 60);
    if minutes < 100 {
        format!("+{minutes:02}:{second:02}.{millis:03}")
    } else {
        format!(
            "+{}:{:02}:{second:02}.{millis:03}",
            minutes / 60,
            minutes % 60
        )
    }
}

/// `spec`, `aws`.
#[must_use]
pub fn profile(profile: Profile) -> &'static str {
    match profile {
        Profile::Spec => "spec",
        Profile::Aws => "aws",
    }
}

/// What the run is doing: a word, its sign and its role.
#[must_use]
pub fn status(status: &RunStatus, glyphs: &Glyphs) -> (&'static str, &'static str, Role) {
    let sign = |status| glyphs.status(status).trim_end();
    match status {
        RunStatus::Ready => ("READY", sign(StateStatus::NotReached), Role::Info),
        RunStatus::Running => ("RUNNING", sign(StateStatus::Running), Role::Running),
        RunStatus::Paused(Stop::Error(..)) => {
            ("PAUSED", sign(StateStatus::ErrorRaised), Role::Raised)
        }
        RunStatus::Paused(Stop::Ask(_)) => ("PAUSED", sign(StateStatus::Asking), Role::Asking),
        RunStatus::Paused(Stop::Stuck) => ("STUCK", sign(StateStatus::Failed), Role::Failed),
        RunStatus::Paused(_) => ("PAUSED", glyphs.here.trim_end(), Role::Current),
        RunStatus::Past => ("PAST", if glyphs.ascii { "<<" } else { "◀" }, Role::Info),
        RunStatus::Succeeded { .. } => ("SUCCEEDED", sign(StateStatus::Succeeded), Role::Ok),
        RunStatus::Failed(_) => ("FAILED", sign(StateStatus::Failed), Role::Failed),
        RunStatus::TimedOut => ("TIMED_OUT", sign(StateStatus::Failed), Role::Failed),
    }
}

/// Why it stands, in two or three words.
#[must_use]
pub fn reason(status: &RunStatus, wide: bool) -> String {
    let RunStatus::Paused(stop) = status else {
        return String::new();
    };
    match stop {
        Stop::Start => "start".into(),
        Stop::Step => "step".into(),
        Stop::Breakpoint(id) => format!("breakpoint {}", id.0),
        Stop::Error(moment, name) if wide => format!("error {moment}: {name}"),
        Stop::Error(moment, _) => format!("error {moment}"),
        Stop::Ask(_) => "waiting for answer".into(),
        Stop::ProfilesDiffer(_) => "AWS differs".into(),
        Stop::Target => "arrived".into(),
        Stop::Pause => "paused".into(),
        Stop::Travel => "travelled".into(),
        Stop::Reload(Some(_)) => "reloaded, differs".into(),
        Stop::Reload(None) => "reloaded".into(),
        Stop::Stuck => "never answers".into(),
        Stop::End => "end".into(),
    }
}

/// The name of a state.
#[must_use]
pub fn name(definition: &Definition, state: Option<StateId>) -> String {
    state
        .and_then(|id| definition.state(id))
        .map_or_else(|| "the run".to_owned(), |state| state.name.to_string())
}

/// One sentence on where the run stands, and its role.
#[must_use]
pub fn sentence(view: &View, definition: &Definition, last: Option<&EventRow>) -> (String, Role) {
    let state = name(definition, view.current);
    let header = &view.header;
    match &header.status {
        RunStatus::Ready => (
            format!(
                "{} is ready. s steps, n goes to the next state, c to the next stop.",
                header.machine
            ),
            Role::Info,
        ),
        RunStatus::Running => ("running; p or Ctrl-C pauses".into(), Role::Running),
        RunStatus::Past => (
            format!(
                "Looking at event {} of {}: {}. n s c walk the recorded future again, H goes to now.",
                header.event,
                header.event_count,
                happened(last)
            ),
            Role::Info,
        ),
        RunStatus::Succeeded { output } => (
            format!(
                "Run succeeded in {} events: {}. r runs it again, C goes back.",
                header.event_count,
                if output.size() > 200 {
                    "see the output".to_owned()
                } else {
                    one_line(output)
                }
            ),
            Role::Ok,
        ),
        RunStatus::Failed(fault) => (
            format!("Run failed: {}{}", fault.name(), cause(fault.cause_text())),
            Role::Failed,
        ),
        RunStatus::TimedOut => (
            "Run timed out: its TimeoutSeconds passed.".into(),
            Role::Failed,
        ),
        RunStatus::Paused(stop) => paused(stop, view, &state, last),
    }
}

fn paused(stop: &Stop, view: &View, state: &str, last: Option<&EventRow>) -> (String, Role) {
    let forecast = view.data.forecast.first().map_or_else(String::new, |text| {
        let words: Vec<&str> = text
            .split_whitespace()
            .skip_while(|word| *word == "now")
            .collect();
        format!(". {}", words.join(" "))
    });
    match stop {
        Stop::Error(moment, name) => {
            let fault = view.data.fault.as_ref();
            let text = fault.map_or("", |fault| fault.fault.cause_text());
            let why = fault
                .and_then(|fault| fault.explanation.first())
                .filter(|why| !text.contains(why.as_str()))
                .map_or_else(String::new, |why| format!(" ({why})"));
            (
                format!("{state} {moment} {name}{}{why}{forecast}", cause(text)),
                Role::Raised,
            )
        }
        Stop::Ask(_) => {
            let others = match view.tasks.len() {
                0 | 1 => String::new(),
                count => format!(" ({count} tasks are pending)"),
            };
            (
                format!("{state} waits for an answer{others}: m gives a result or an error."),
                Role::Asking,
            )
        }
        Stop::ProfilesDiffer(text) => (format!("AWS differs here: {text}"), Role::Warning),
        Stop::Breakpoint(id) => {
            let at = view
                .breakpoints
                .iter()
                .find(|point| point.id == *id)
                .map_or_else(String::new, |point| format!(", {}", point.breakpoint.at));
            (
                format!("Breakpoint {}{at}: {}{forecast}", id.0, happened(last)),
                Role::Breakpoint,
            )
        }
        Stop::Stuck => (
            format!(
                "Nothing can ever happen again: {state} never answers and has no timeout. C goes back."
            ),
            Role::Failed,
        ),
        Stop::Reload(Some(event)) => (
            format!(
                "Run {} differs at event {event}: {}",
                view.header.run,
                happened(last)
            ),
            Role::Changed,
        ),
        Stop::Reload(None) => ("Reloaded: all events are the same.".into(), Role::Info),
        _ => (format!("{}{forecast}", happened(last)), Role::Text),
    }
}

fn cause(text: &str) -> String {
    if text.is_empty() {
        String::new()
    } else {
        format!(": {text}")
    }
}

fn happened(last: Option<&EventRow>) -> String {
    last.map_or_else(
        || "nothing has happened yet".to_owned(),
        |row| {
            let detail = if row.detail.is_empty() {
                String::new()
            } else {
                format!(" {}", row.detail)
            };
            format!("{}{detail}", row.title)
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_read_well() {
        assert_eq!(clock(6_412), "+00:06.412");
        assert_eq!(clock(3_600_000 * 30), "+30:00:00.000");
        assert!(clock(u64::MAX).ends_with(".615"));
    }
}
