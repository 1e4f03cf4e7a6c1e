//! Parses those typed commands that the session executes without the front end.

use super::{parse_breakpoint, state_named};
use crate::query::Profile;
use crate::session::{BreakpointId, Command, Restart, Session, Switch};
use crate::source::SourceId;

/// A line that the user typed, split into its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypedCommand<'t> {
    /// Name of the command.
    pub name: &'t str,
    /// True if the name is followed by `!`.
    pub bang: bool,
    /// Text after the name.
    pub argument: &'t str,
}

impl<'t> TypedCommand<'t> {
    /// Splits a line into the name of the command, the `!` and the argument.
    #[must_use]
    pub fn of(line: &'t str) -> Self {
        let (word, argument) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let name = word.strip_suffix('!').filter(|name| !name.is_empty());
        Self {
            name: name.unwrap_or(word),
            bang: name.is_some(),
            argument: argument.trim(),
        }
    }

    /// Returns the session's command, or the reason why the argument is wrong; `None` if only the front end can execute
    /// the command. A line number without a file is a line of the file `shown`.
    #[must_use]
    pub fn command(self, session: &Session, shown: SourceId) -> Option<Result<Command, String>> {
        let (definition, argument) = (session.definition(), self.argument);
        let travel = || session.event_named(argument).map(Command::Travel);
        let set_break = |once| {
            let typed = parse_breakpoint(argument, definition);
            typed.map(|typed| typed.command(shown, once))
        };
        let enable = |switch| {
            let point = breakpoint_numbered(argument, session);
            point.map(|point| Command::EnableBreak(point, switch))
        };
        Some(match self.name {
            "break" if !argument.is_empty() => set_break(false),
            "tbreak" => set_break(true),
            "delete" if argument.is_empty() => Ok(Command::RemoveAllBreaks),
            "delete" => breakpoint_numbered(argument, session).map(Command::RemoveBreak),
            "enable" => enable(Switch::On),
            "disable" => enable(Switch::Off),
            "watch" if !argument.is_empty() => Ok(Command::Watch(argument.into())),
            "unwatch" => watch_named(argument, session).map(Command::Unwatch),
            "event" => travel(),
            "until" if argument.parse::<u64>().is_ok() => travel(),
            "until" if !argument.is_empty() => {
                state_named(argument, definition).map(Command::RunTo)
            }
            "restart" if self.bang => Ok(Command::Restart(Restart::Fresh)),
            "restart" => Ok(Command::Restart(Restart::KeepAnswers)),
            "profile" => match argument {
                "spec" => Ok(Command::SetProfile(Profile::Spec)),
                "aws" => Ok(Command::SetProfile(Profile::Aws)),
                _ => Err("write \"profile spec\" or \"profile aws\"".to_owned()),
            },
            _ => return None,
        })
    }
}

fn breakpoint_numbered(argument: &str, session: &Session) -> Result<BreakpointId, String> {
    let id = argument.parse::<u32>().ok().map(BreakpointId);
    id.filter(|id| session.breakpoint(*id).is_some())
        .ok_or_else(|| format!("no breakpoint has the number {argument}"))
}

/// Index of the watch with this number or text; without an argument, the index of the last watch.
fn watch_named(argument: &str, session: &Session) -> Result<usize, String> {
    let watches = session.view().watches;
    let place = match argument.parse::<usize>() {
        Ok(number) => number.checked_sub(1).filter(|place| *place < watches.len()),
        Err(_) if argument.is_empty() => watches.len().checked_sub(1),
        Err(_) => watches.iter().position(|watch| &*watch.text == argument),
    };
    place.ok_or_else(|| format!("there is no watch {argument}"))
}
