//! Parses where a run should begin: a state and its input.

use super::state_named;
use crate::definition::{Definition, StateId};

/// Parses `STATE [INPUT]`; returns the state and the rest of the text, which may be empty.
///
/// A name may contain spaces, so the longest prefix that names a state is used.
///
/// # Errors
/// If the text is empty or does not begin with a state.
pub fn parse_goto<'t>(
    argument: &'t str,
    definition: &Definition,
) -> Result<(StateId, &'t str), String> {
    if argument.is_empty() {
        return Err("goto which state? goto STATE, or goto STATE INPUT".to_owned());
    }
    let blanks = argument.char_indices().filter(|(_, c)| c.is_whitespace());
    let ends = blanks.map(|(at, _)| at).chain([argument.len()]);
    let named = ends.rev().find_map(|end| {
        let (name, rest) = argument.split_at_checked(end)?;
        let id = definition.find_by_name(name.trim())?;
        Some((id, rest.trim()))
    });
    named.map_or_else(
        || {
            let name = argument.split_whitespace().next().unwrap_or(argument);
            Ok((state_named(name, definition)?, ""))
        },
        Ok,
    )
}
