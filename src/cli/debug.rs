//! Debugging in the terminal: everything is read here, then a front end takes over.
//!
//! It must not know how anything is drawn.

use super::load::{self, Loaded};
use super::options::DebugArguments;
use crate::headless::Refusal;
use crate::settings::Settings;

/// Reads everything that a debugging session starts from.
///
/// # Errors
/// With the place, where something cannot be read or keeps a run from starting.
pub fn load(arguments: &DebugArguments, settings: &Settings) -> Result<Loaded, Refusal> {
    let Some(file) = &arguments.file else {
        return Err(Refusal::new("no FILE was given; see asldbg --help"));
    };
    load::load_all(file, &arguments.start, settings)
}
