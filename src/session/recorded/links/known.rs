//! Fills in data that was not recorded at one event but is known from another.

use super::Linker;
use crate::session::recorded::event::Payload;

impl Linker<'_> {
    /// Fills in missing data: a state's input is the output of the previous state; the first input and the last
    /// output are those of the execution.
    pub(super) fn fill_known(&mut self) {
        if self.has_gaps {
            return;
        }
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        for strand in &self.run.strands {
            let visits = strand.visits.windows(2);
            pairs.extend(visits.filter_map(|pair| match pair {
                [before, after] => before.exited.zip(after.entered),
                _ => None,
            }));
        }
        let visits = self.run.strands.first().map(|root| &root.visits);
        let place = |name: &str| {
            let mut events = self.run.events.iter();
            events.position(|event| &*event.type_name == name)
        };
        let first = visits.and_then(|visits| visits.first()?.entered);
        let last = visits.and_then(|visits| visits.last()?.exited);
        pairs.extend(place("ExecutionStarted").zip(first));
        pairs.extend(last.zip(place("ExecutionSucceeded")));
        for (one, other) in pairs {
            for (from, to) in [(one, other), (other, one)] {
                let known = self.event(from).map(|event| event.data.clone());
                let known = known.filter(|data| data.value().is_some());
                if let Some(event) = self.run.events.get_mut(to)
                    && event.data == Payload::Unknown
                    && let Some(known) = known
                {
                    event.data = known;
                }
            }
        }
    }

    /// If the first events and others are missing, events of states whose entry is missing belong to no visit.
    pub(super) fn forget_begun(&mut self) {
        if self.run.events.first().is_none_or(|first| first.id == 1) {
            return;
        }
        for strand in &mut self.run.strands {
            let entered = strand.visits.first().and_then(|visit| visit.entered);
            strand
                .events
                .retain(|at| entered.is_some_and(|entered| *at >= entered));
        }
    }
}
