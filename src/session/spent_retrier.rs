//! Finds the retrier that matches an error but has no attempts left.

use crate::definition::{Retrier, State};
use crate::interpreter::{Fault, Frame, takes};
use crate::query::Profile;

/// Index of the retrier that matches an error and has no attempts left; `None` if no retrier matches or one retries.
pub(super) fn spent_retrier(
    frame: &Frame,
    state: &State,
    fault: &Fault,
    profile: Profile,
) -> Option<usize> {
    if frame.visit.failed_catcher().is_some() {
        return None;
    }
    let takes_it = |one: &Retrier| takes(&one.error_equals, fault, profile);
    let place = state.retry.iter().position(takes_it)?;
    let used = frame.visit.retriers.get(place).map_or(0, |one| one.used);
    (used >= state.retry.get(place)?.max_attempts).then_some(place)
}
