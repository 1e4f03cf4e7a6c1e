//! Texts about a session that all front ends share.

mod absent;
mod answer_note;
mod begun;
mod event;
mod failure_cause;
mod follow_up;
mod location;
mod origin;
mod reply;
mod timeout;
mod written_place;

pub use absent::{Missing, absent};
pub use answer_note::{misfit, remark};
pub use begun::{note, restored};
pub use event::{branch, detail, inner, items_failed, no_items, no_wait, title};
pub use failure_cause::{led, led_caught, led_here, led_way, no_retry};
pub use location::{location, place};
pub use origin::{answered_by, stop};
pub use reply::{Way, Ways, Weight, origin, output, refused, reply, unverified};
pub use timeout::{concurrency, cut_wait, limit_in_short, timed_out, timed_out_by};
pub use written_place::raised_at;
