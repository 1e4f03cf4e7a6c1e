//! The retrier that an error used up.

use crate::definition::{Retrier, State};
use crate::interpreter::{Fault, Frame, takes};
use crate::query::Profile;

/// The retrier that takes an error and tries no more; `None` where none takes it, or one does and tries again.
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
