//! The execution's time limit, and a wait for a retry that it cut short.

use crate::interpreter::{Frame, Handled, Machine, Millis, Phase, Status, Timer};
use crate::session::view::MachineLimit;

/// The time at which the execution's time limit ends the run.
pub(in crate::session) fn machine_limit(machine: &Machine) -> Option<MachineLimit> {
    let definition = machine.definition();
    let seconds = definition.deadline_seconds()?;
    let at = seconds.saturating_mul(1000);
    let is_written = definition.timeout_seconds == Some(seconds);
    let field = definition.node.get("TimeoutSeconds").filter(|_| is_written);
    let line = field.and_then(|node| definition.sources.line(node.span));
    Some(MachineLimit { at, line })
}

/// A wait for a retry that the end of the run cut short.
pub(in crate::session) struct CutShort {
    /// Index of the retrier.
    pub(in crate::session) retrier: u32,
    /// Full delay.
    pub(in crate::session) whole: Millis,
    /// Part of the delay that had passed.
    pub(in crate::session) waited: Millis,
}

/// Number of retries that a retrier made; a wait that the end of the run cut short does not count.
pub(in crate::session) fn retries_used(
    machine: &Machine,
    frame: &Frame,
    place: usize,
    taken: u64,
) -> u64 {
    let cut = wait_cut_short(machine, frame).filter(|cut| cut.retrier as usize == place);
    taken.saturating_sub(cut.map_or(0, |_| 1))
}

/// The wait that a frame was in when the run ended.
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
