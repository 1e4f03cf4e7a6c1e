//! Texts about the session, which name commands as the debug console does.

use crate::definition::Definition;
use crate::launch::{Field, LaunchError, Note};
use crate::session::{Output, Refused, Reply};
use crate::wording::{self, Way, Weight};

/// Description of a command's outcome; `None` if the user sees the outcome anyway.
#[must_use]
pub(super) fn reply(reply: &Reply) -> Option<String> {
    match reply {
        Reply::Watched {
            text,
            value: Ok(value),
        } => Some(format!("{text} = {}", crate::query::abridged(value, 1000))),
        _ => wording::reply(reply, &command),
    }
}

/// The reason why a command was refused.
#[must_use]
pub(super) fn refused(refused: &Refused) -> String {
    wording::refused(refused, &command).0
}

/// Text of an output, and the category in which to show it.
#[must_use]
pub(super) fn output(output: &Output, definition: &Definition) -> (&'static str, String) {
    let (text, weight) = wording::output(output, definition, &command);
    let category = match weight {
        Weight::Info => "console",
        Weight::Warning => "important",
    };
    (category, text)
}

fn command(way: Way) -> String {
    let name = match way {
        Way::GoOn => "continue, next and step",
        Way::Step => "step and next",
        Way::Restart => "restart",
        Way::ReverseContinue => "stepping back",
        Way::Follow => "typing who",
        Way::Return => "typing now",
        Way::TakeBack => "",
        Way::Answer => "answer",
        Way::GiveMachine => "\"children\" of the launch configuration",
    };
    name.to_owned()
}

/// A note about how the run was started.
#[must_use]
pub(super) fn note(note: &Note) -> Option<String> {
    wording::note(note, "\"input\" of the launch configuration gives one")
}

/// Name of a field in a launch configuration.
fn setting(field: Field) -> &'static str {
    match field {
        Field::Input => "input",
        Field::Mock => "mock",
        Field::StateMachine => "stateMachine",
        Field::SetFile => "setFiles",
        Field::Context => "context",
        Field::StartTime => "startTime",
        Field::StartAt => "startAt",
        Field::Variable => "variables",
        Field::Child => "children",
    }
}

const FIELDS: [Field; 9] = [
    Field::Input,
    Field::Mock,
    Field::StateMachine,
    Field::SetFile,
    Field::Context,
    Field::StartTime,
    Field::StartAt,
    Field::Variable,
    Field::Child,
];

/// The reason why a launch failed, with fields named as in a launch configuration.
#[must_use]
pub(super) fn launch_error(error: &LaunchError) -> String {
    let text = error.to_string();
    FIELDS.into_iter().fold(text, |text, field| {
        text.replace(&field.to_string(), setting(field))
    })
}
