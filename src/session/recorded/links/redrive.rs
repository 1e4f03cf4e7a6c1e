//! Redriven executions: earlier failures no longer count, and the strands that continue are found again.

use super::Linker;
use crate::interpreter::EventKind;
use crate::json::Text;
use crate::session::recorded::event::RecordedEvent;

impl Linker<'_> {
    /// Handles a redrive that ended at once: only the time of the execution's end changes.
    pub(super) fn add_idle_redrive(&mut self) {
        self.run.strand_of.push(0);
        let events = &self.run.events;
        if let Some(root) = self.run.strands.first_mut() {
            let is_end = |at: &usize| events.get(*at).is_some_and(RecordedEvent::is_end);
            root.events.retain(|at| !is_end(at));
        }
    }

    /// The strand whose task is called again after a redrive: the one whose last call before the redrive was the
    /// same. If several strands had failed or were aborted, no other event tells which one it is.
    pub(super) fn redriven_call(&self, place: usize) -> Option<usize> {
        let event = self.event(place)?;
        if event.kind != Some(EventKind::TaskScheduled) || event.data.value().is_none() {
            return None;
        }
        let mut live = self.live.iter().copied();
        live.find(|strand| {
            let visit = self
                .run
                .strands
                .get(*strand)
                .and_then(|own| own.visits.last());
            let visit = visit.filter(|visit| visit.exited.is_none() && visit.attempts.is_empty());
            let before = visit.and_then(|visit| self.event(visit.begun_before?));
            before.is_some_and(|before| {
                before.type_name == event.type_name
                    && before.resource == event.resource
                    && before.data == event.data
            })
        })
    }

    /// Forgets the earlier entry of a state that is entered again after a redrive.
    pub(super) fn forget_redriven(&mut self, place: usize, strand: usize, name: &Text) {
        let Some(own) = self.run.strands.get_mut(strand) else {
            return;
        };
        let is_again = own.visits.last().is_some_and(|visit| {
            visit.redriven
                && visit.exited.is_none()
                && visit.attempts.is_empty()
                && visit.name == *name
        });
        let Some(visit) = own.visits.pop_if(|_| is_again) else {
            return;
        };
        let entered = visit.entered.unwrap_or(place);
        own.events.retain(|at| *at < entered || *at >= place);
        if let Some(count) = self.entered.get_mut(&(strand, name.clone())) {
            *count = count.saturating_sub(1);
        }
    }

    /// Handles a redrive: failed work no longer counts, and the execution continues from there.
    pub(super) fn redrive(&mut self) {
        let events = &self.run.events;
        for (place, strand) in self.run.strands.iter_mut().enumerate() {
            let kind = |at: &usize| events.get(*at).and_then(|event| event.kind);
            let open = strand
                .visits
                .last_mut()
                .filter(|visit| visit.exited.is_none());
            let Some(visit) = open else {
                if place == 0 {
                    strand
                        .events
                        .retain(|at| events.get(*at).is_some_and(|e| !e.is_end()));
                }
                continue;
            };
            let entered = visit.entered.unwrap_or(0);
            let is_group = matches!(&*visit.type_name, "Map" | "Parallel");
            strand.events.retain(|at| {
                let failed = matches!(
                    kind(at),
                    Some(
                        EventKind::MapFailed
                            | EventKind::ParallelFailed
                            | EventKind::MapRunFailed
                            | EventKind::IterationFailed
                            | EventKind::IterationAborted
                            | EventKind::EvaluationFailed
                    )
                );
                let end = events.get(*at).is_some_and(|event| {
                    event.is_end() || &*event.type_name == "ExecutionRedriven"
                });
                let of_attempt = !is_group && *at > entered;
                !failed && !end && !of_attempt
            });
            if !is_group {
                visit.before_redrive += visit.attempts.len();
                visit.begun_before = visit.attempts.last().and_then(|attempt| attempt.begun);
                visit.attempts.clear();
            }
            (visit.finished, visit.failed, visit.redriven) = (false, false, true);
            strand.ended = false;
            strand.aborted = false;
            if !self.live.contains(&place) {
                self.live.push(place);
            }
        }
    }
}
