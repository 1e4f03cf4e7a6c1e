//! Adapts the diagnostics of a definition that was compiled from an SFN DSL program to the program's own terms.

use super::hashed::HashMap;
use super::reach::BEHIND_LOOP;
use super::state::DUPLICATE_IN_PROGRAM;
use crate::definition::{Definition, State};
use crate::query::Profile;
use crate::source::dsl::GeneratedKind;
use crate::source::{Diagnostic, Diagnostics};

const DEPRECATED: u8 = super::map::DEPRECATED.number;
const DUPLICATE_STATE: u8 = super::state::DUPLICATE_STATE.number;
const NO_DOLLAR: u8 = super::data::NO_DOLLAR.number;
const NO_EFFECT: u8 = super::error::NO_EFFECT.number;
const NO_END: u8 = super::reach::NO_END.number;
const NO_TIMEOUT: u8 = super::task::NO_TIMEOUT.number;
const UNREACHABLE: u8 = super::reach::UNREACHABLE.number;

/// Adapts the diagnostics for the author of a program.
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
            UNREACHABLE => match loops.get(one.location.as_str()) {
                Some(state) => {
                    BEHIND_LOOP.restate(one, profile);
                    one.message = format!("no way comes to the end of this \"while\", so nothing leads to its \"{}\"", state.name);
                    "AWS refuses such a state; a block that never goes back is that of an \"if\""
                }
                None => "nothing goes on to it: no state above it, no block and no goto",
            },
            NO_END => "let one way come to an end: a Success(), a Fail(...), or the last state",
            DUPLICATE_STATE => {
                DUPLICATE_IN_PROGRAM.restate(one, profile);
                "AWS wants names that are unique in the whole machine, branches and iterators included"
            }
            NO_TIMEOUT => "write timeout: SECONDS below its first line",
            NO_DOLLAR => "a path is compared with a value only, never with another path",
            _ => return true,
        };
        one.help = Some(help.to_string());
        true
    });
}

/// True if the DSL has no other way to express what the diagnostic is about.
fn is_forced(one: &Diagnostic) -> bool {
    one.rule == DEPRECATED || one.rule == NO_EFFECT && one.location.ends_with("/BackoffRate")
}
