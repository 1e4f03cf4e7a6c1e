//! Which retrier or catcher matches an error, and the delay before a retry (ASL-SEMANTICS 11.3 to 11.6).

use super::fault::{Fault, Origin};
use super::visit::RetrierUse;
use crate::definition::{Catcher, Jitter, Retrier};
use crate::json::Text;
use crate::query::Profile;

/// True if one name in ErrorEquals matches an error.
#[must_use]
pub fn matches(pattern: &str, fault: &Fault, profile: Profile) -> bool {
    if is_hidden(fault) {
        return false;
    }
    match pattern {
        "States.ALL" => true,
        "States.TaskFailed" => {
            fault.error.is_some() && !matches!(fault.origin, Origin::Timeout | Origin::Heartbeat)
        }
        "States.HeartbeatTimeout" => fault.name() == pattern || fault.origin == Origin::Heartbeat,
        "States.BranchFailed" if profile == Profile::Spec => {
            fault.name() == pattern || fault.from_branch
        }
        _ => fault.error.as_deref() == Some(pattern),
    }
}

/// True if no retrier or catcher can match the error, not even by name.
#[must_use]
pub fn is_hidden(fault: &Fault) -> bool {
    fault.origin == Origin::Runtime || fault.name() == "States.Runtime"
}

/// True if any name in the list matches the error.
#[must_use]
pub fn takes(names: &[Text], fault: &Fault, profile: Profile) -> bool {
    names.iter().any(|name| matches(name, fault, profile))
}

/// Returns the index of the first matching retrier, if it has retries left, and the delay in milliseconds before
/// jitter.
#[must_use]
pub fn retrier_for(
    retriers: &[Retrier],
    used: &[RetrierUse],
    fault: &Fault,
    profile: Profile,
) -> Option<(usize, f64)> {
    let place = retriers
        .iter()
        .position(|retrier| takes(&retrier.error_equals, fault, profile))?;
    let retrier = retriers.get(place)?;
    let used = used.get(place).map_or(0, |one| one.used);
    (used < retrier.max_attempts).then(|| (place, delay_millis(retrier, used)))
}

/// The delay before retry number `used` + 1, in milliseconds, before jitter.
#[must_use]
pub fn delay_millis(retrier: &Retrier, used: u64) -> f64 {
    let power = i32::try_from(used).unwrap_or(i32::MAX);
    #[expect(clippy::cast_precision_loss, reason = "seconds are far below 2^53")]
    let (interval, cap) = (
        retrier.interval_seconds as f64,
        retrier.max_delay_seconds.map(|cap| cap as f64),
    );
    // With an interval of 0 the delay stays 0; otherwise an infinite backoff rate would make it NaN.
    let delay = match retrier.interval_seconds {
        0 => 0.0,
        _ => interval * retrier.backoff_rate.powi(power),
    };
    // Capped at the longest delay that AWS allows for a retrier.
    cap.map_or(delay, |cap| delay.min(cap)).min(99_999_999.0) * 1000.0
}

/// The delay with jitter, in whole milliseconds; `random` returns 64 random bits.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "53 random bits are a fraction")]
pub fn jittered(retrier: &Retrier, delay: f64, random: impl FnOnce() -> u64) -> u64 {
    match retrier.jitter {
        Jitter::None => whole(delay),
        Jitter::Full => whole(delay * ((random() >> 11) as f64 / (1_u64 << 53) as f64)),
    }
}

/// Rounds a delay to whole milliseconds.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a delay is positive and below 2^53"
)]
pub fn whole(delay: f64) -> u64 {
    delay.round() as u64
}

/// Returns the index of the first catcher that matches the error.
#[must_use]
pub fn catcher_for(catchers: &[Catcher], fault: &Fault, profile: Profile) -> Option<usize> {
    catchers
        .iter()
        .position(|catcher| takes(&catcher.error_equals, fault, profile))
}
