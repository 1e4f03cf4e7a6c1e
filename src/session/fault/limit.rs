//! When the limit of the machine ends the run, and the wait for a retry that it cut short.

use crate::interpreter::{Frame, Handled, Machine, Millis, Phase, Status, Timer};
use crate::session::view::MachineLimit;

/// When the machine's own limit ends the run.
pub(in crate::session) fn machine_limit(machine: &Machine) -> Option<MachineLimit> {
    let definition = machine.definition();
    let seconds = definition.deadline_seconds()?;
    let at = seconds.saturating_mul(1000);
    let is_written = definition.timeout_seconds == Some(seconds);
    let field = definition.node.get("TimeoutSeconds").filter(|_| is_written);
    let place = field.and_then(|node| definition.sources.place(node.span));
    let line = place.map(|place| place.line);
    Some(MachineLimit { at, line })
}

/// The wait for a retry that the end of the run cut short.
pub(in crate::session) struct CutShort {
    /// The index of the retrier.
    pub(in crate::session) retrier: u32,
    /// The delay.
    pub(in crate::session) whole: Millis,
    /// How much of it passed.
    pub(in crate::session) waited: Millis,
}

/// How often a retrier had a state tried again, of those it took: one whose wait the end cut short was none.
pub(in crate::session) fn retries_used(
    machine: &Machine,
    frame: &Frame,
    place: usize,
    taken: u64,
) -> u64 {
    let cut = wait_cut_short(machine, frame).filter(|cut| cut.retrier as usize == place);
    taken.saturating_sub(cut.map_or(0, |_| 1))
}

/// The wait in which the end of the run found a frame.
pub(in crate::session) fn wait_cut_short(machine: &Machine, frame: &Frame) -> Option<CutShort> {
    let Some(Handled::Retrier(retrier)) = frame.visit.handled else {
        return None;
    };
    let is_over = !matches!(machine.status(), Status::Running);
    let used = frame.visit.retriers.get(retrier as usize)?;
    let whole = used.waited.last().copied()?;
    if !is_over || frame.visit.phase != Phase::Parked {
        return None;
    }
    let mut timers = machine.timers(frame.id).iter();
    let due = timers.find(|(_, timer)| *timer == Timer::Retry)?.0;
    let left = due.saturating_sub(machine.now());
    Some(CutShort {
        retrier,
        whole,
        waited: whole.saturating_sub(left),
    })
}
