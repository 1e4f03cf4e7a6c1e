//! What besides breakpoints is to stop, as typed.

use super::parse_moment;
use crate::session::argument::Switch;
use crate::session::breakpoint::{ErrorMoment, Location, SourceBreakpoint};
use crate::session::command::Command;

/// Reads `KIND [on|off]`, a kind being a moment of errors or `difference`; without on or off it is switched over. A moment
/// with a pattern of names (`raised Payment.*`) is a breakpoint for those errors alone.
///
/// # Errors
/// Where the kind or what follows it is none of these.
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
