//! What a session says in its sentences, ways to go on named as the debug console has them.

use crate::definition::Definition;
use crate::launch::{Field, LaunchError, Note};
use crate::session::{Output, Refused, Reply};
use crate::wording::{self, Way, Weight};

/// What a command did; `None` where that is seen anyway.
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

/// Why a command was not done.
#[must_use]
pub(super) fn refused(refused: &Refused) -> String {
    wording::refused(refused, &command).0
}

/// What came up, and the category in which it is shown.
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

/// What a person is told of how the run was begun.
#[must_use]
pub(super) fn note(note: &Note) -> Option<String> {
    wording::note(note, "\"input\" of the launch configuration gives one")
}

/// The name that a field has in a launch configuration.
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

/// Why nothing could be launched, fields named as a launch configuration has them.
#[must_use]
pub(super) fn launch_error(error: &LaunchError) -> String {
    let text = error.to_string();
    FIELDS.into_iter().fold(text, |text, field| {
        text.replace(&field.to_string(), setting(field))
    })
}
