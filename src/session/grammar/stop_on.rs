//! Parses what to stop on other than breakpoints.

use super::parse_moment;
use crate::session::argument::Switch;
use crate::session::breakpoint::{ErrorMoment, Location, SourceBreakpoint};
use crate::session::command::Command;

/// Parses `KIND [on|off]`, where the kind is an error moment or `difference`; without on or off, it is toggled. A
/// moment with a name pattern (`raised Payment.*`) becomes a breakpoint on those errors only.
///
/// # Errors
/// If the kind or the text after it is invalid.
pub fn parse_stop_on(
    argument: &str,
    stops_on: &[ErrorMoment],
    stops_on_difference: bool,
) -> Result<Command, String> {
    let (word, rest) = argument.split_once(' ').unwrap_or((argument, ""));
    let wanted = match rest.trim() {
        "" => None,
        "on" => Some(Switch::On),
        "off" => Some(Switch::Off),
        pattern => {
            let moment = parse_moment(word)?;
            let names = Location::Error(moment, pattern.into());
            return Ok(Command::Break(
                SourceBreakpoint::default().breakpoint(names),
            ));
        }
    };
    let flip = |is_on: bool| {
        wanted.unwrap_or(match is_on {
            true => Switch::Off,
            false => Switch::On,
        })
    };
    if word == "difference" {
        return Ok(Command::StopOnDifference(flip(stops_on_difference)));
    }
    let moment = parse_moment(word)?;
    Ok(Command::StopOn(moment, flip(stops_on.contains(&moment))))
}
