//! What led a run to the Fail state that ended it, in a sentence.
//!
//! It must not know where it is said.

use super::{absent, led};
use crate::definition::Definition;
use crate::session::Led;

/// `Led here by Quote (line 16): $.address finds nothing: dropped by ...`.
#[must_use]
pub fn led_here(by: &Led, definition: &Definition) -> String {
    let missing = by.raised.as_ref().and_then(|one| one.missing.as_deref());
    let missing = missing.map_or_else(String::new, |one| absent(one, definition));
    let headline = led(by, definition);
    let path = by.raised.as_ref().map_or("", |one| &one.fault.headline);
    match same_path(path, &missing) {
        _ if missing.is_empty() => format!("Led here by {headline}"),
        Some(rest) => format!("Led here by {headline}: {rest}"),
        None => format!("Led here by {headline}. {missing}"),
    }
}

/// What is said about the path that a headline names already.
#[must_use]
pub fn same_path(headline: &str, missing: &str) -> Option<String> {
    let path = headline.strip_suffix(" finds nothing")?;
    let rest = missing.strip_prefix(path)?;
    let rest = rest
        .strip_prefix(" was ")
        .or_else(|| rest.strip_prefix(": "))?;
    Some(rest.to_owned())
}
