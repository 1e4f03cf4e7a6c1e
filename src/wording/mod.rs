//! Texts about a session that all front ends share.

mod absent;
mod event;
mod failure_cause;
mod origin;
mod reply;
mod written_place;

pub use absent::{Missing, absent};
pub use event::{
    branch, concurrency, cut_wait, detail, inner, items_failed, limit_in_short, no_items, no_wait,
    timed_out, timed_out_by, title,
};
pub use failure_cause::{led, led_caught, led_here, led_way, no_retry};
pub use origin::{answered_by, stop};
pub use reply::{
    Way, Ways, Weight, by_default, location, misfit, note, origin, output, place, refused, remark,
    reply, restored, unverified,
};
pub use written_place::raised_at;
