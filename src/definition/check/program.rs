//! Findings of a definition that was compiled from a program, in the words of the program.
//!
//! It must not know the program's text: what its author cannot write is not found, the rest names what he can.

use crate::definition::{Definition, State};
use crate::query::Profile;
use crate::source::dsl::GeneratedKind;
use crate::source::{Diagnostic, Diagnostics, Severity};
use std::collections::HashMap;

/// The findings as a program's author needs them.
pub(super) fn told(definition: &Definition, profile: Profile, found: &mut Diagnostics) {
    let loops: HashMap<&str, &State> = (definition.states.iter())
        .filter(|state| state.generated == Some(GeneratedKind::Loop))
        .map(|state| (&*state.location, state))
        .collect();
    found.retain_mut(|one| {
        if is_forced(one) {
            return false;
        }
        let help = match one.rule {
            8 => match loops.get(one.location.as_str()) {
                Some(state) => {
                    one.message = format!("no way comes to the end of this \"while\", so nothing leads to its \"{}\"", state.name);
                    "AWS refuses such a state; a block that never goes back is that of an \"if\""
                }
                None => "nothing goes on to it: no state above it, no block and no goto",
            },
            9 => "let one way come to an end: a Success(), a Fail(...), or the last state",
            11 => "AWS wants names that are unique in the whole machine, branches and iterators included",
            25 => "write timeout: SECONDS below its first line",
            36 => "a path is compared with a value only, never with another path",
            _ => return true,
        };
        let only_aws = one.rule == 11 || loops.contains_key(one.location.as_str());
        if only_aws && profile == Profile::Spec {
            one.severity = Severity::Warning;
        }
        one.help = Some(help.to_string());
        true
    });
}

/// Whether the language leaves no other way to write it.
fn is_forced(one: &Diagnostic) -> bool {
    const OLDER_SPELLING: u8 = 51;
    const NO_EFFECT: u8 = 65;
    one.rule == OLDER_SPELLING || one.rule == NO_EFFECT && one.location.ends_with("/BackoffRate")
}
