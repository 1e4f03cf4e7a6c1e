//! Special cases of assigning events to frames: starts the frame of a branch, and continues the frames of a redriven
//! execution. Also fills in data of an event that was not recorded but is known from another event.

use super::Linker;
use crate::definition::StateKind;
use crate::interpreter::EventKind;
use crate::json::Text;
use crate::session::recorded::event::{Payload, RecordedEvent};

impl Linker<'_> {
    /// Starts the frame of a branch of the Parallel that the frame `owner` is in; `name` is the first state of the
    /// branch.
    pub(super) fn branch(&mut self, owner: usize, name: &Text) -> usize {
        let state = self.visit(owner).and_then(|visit| self.state(visit));
        let branches = match state.map(|state| &state.kind) {
            Some(StateKind::Parallel { branches }) => Some(branches.clone()),
            _ => None,
        };
        let place = branches.iter().flatten().position(|scope| {
            let scope = self
                .definition
                .and_then(|definition| definition.scope(*scope));
            let start = scope.and_then(|scope| scope.start_at.as_ref());
            start.is_some_and(|start| start.name == *name)
        });
        let place = place.or_else(|| {
            let mut scopes = branches.iter().flatten();
            scopes.position(|scope| self.outline.state(*scope, name).is_some())
        });
        let place = place.unwrap_or_else(|| self.seen_branch(owner, name));
        let index = u32::try_from(place).unwrap_or(u32::MAX);
        let scope = branches.and_then(|all| all.get(index as usize).copied());
        self.open(owner, index, scope)
    }

    /// Index of a branch for which the definition shows no index. Such branches are numbered in the order in which they
    /// appear. A branch starts only once per attempt of the Parallel.
    fn seen_branch(&mut self, owner: usize, name: &Text) -> usize {
        let Some(visit) = self.visit(owner) else {
            return 0;
        };
        let begun = visit.attempts.last().and_then(|attempt| attempt.begun);
        let scope = self.outline.scope_of(std::slice::from_ref(name));
        let siblings = self.run.frames.iter().filter(|frame| {
            let is_later = frame.events.first().copied() > begun;
            frame.parent.is_some_and(|(parent, _)| parent == owner) && is_later
        });
        let taken: Vec<u32> = siblings
            .filter_map(|frame| frame.key.indices.last().copied())
            .collect();
        let name = visit.name.clone();
        let seen = self.branches.entry(name).or_default();
        let free = |at: &usize| !taken.iter().any(|index| *index as usize == *at);
        let same = (0..seen.len()).filter(|at| seen.get(*at) == Some(&scope));
        same.clone().find(free).unwrap_or_else(|| {
            seen.push(scope);
            seen.len() - 1
        })
    }
}

impl Linker<'_> {
    /// Fills in data that was not recorded. The input of a state is the output of the previous state; the input of the
    /// first state and the output of the last state are the input and output of the execution.
    pub(super) fn fill_known(&mut self) {
        if self.has_gaps {
            return;
        }
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        for frame in &self.run.frames {
            let visits = frame.visits.windows(2);
            pairs.extend(visits.filter_map(|pair| match pair {
                [before, after] => before.exited.zip(after.entered),
                _ => None,
            }));
        }
        let visits = self.run.frames.first().map(|root| &root.visits);
        let place = |name: &str| {
            let mut events = self.run.events.iter();
            events.position(|event| &*event.type_name == name)
        };
        let first = visits.and_then(|visits| visits.first()?.entered);
        let last = visits.and_then(|visits| visits.last()?.exited);
        pairs.extend(place("ExecutionStarted").zip(first));
        pairs.extend(last.zip(place("ExecutionSucceeded")));
        for (first, second) in pairs {
            for (from, to) in [(first, second), (second, first)] {
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

    /// If the first events of the execution are missing and were not generated: removes the events of each frame
    /// before its first recorded entry of a state, because they belong to no visit.
    pub(super) fn forget_begun(&mut self) {
        let first = self.run.events.first();
        if first.is_none_or(|first| first.id == 1 || first.is_made) {
            return;
        }
        for frame in &mut self.run.frames {
            let entered = frame.visits.first().and_then(|visit| visit.entered);
            let counts = |at: &usize| entered.is_some_and(|entered| *at >= entered);
            frame.events.retain(counts);
        }
    }
}

impl Linker<'_> {
    /// Handles a redrive after which the execution ended at once. Removes only the earlier end of the execution.
    pub(super) fn add_idle_redrive(&mut self) {
        self.run.frame_of.push(0);
        let events = &self.run.events;
        if let Some(root) = self.run.frames.first_mut() {
            let is_end = |at: &usize| events.get(*at).is_some_and(RecordedEvent::is_end);
            root.events.retain(|at| !is_end(at));
        }
    }

    /// After a redrive: the frame that a call of a task belongs to, which is the frame whose last call before the
    /// redrive was identical. If several frames had failed or were aborted, only the call shows the frame.
    pub(super) fn redriven_call(&self, place: usize) -> Option<usize> {
        let event = self.event(place)?;
        if event.kind != Some(EventKind::TaskScheduled) || event.data.value().is_none() {
            return None;
        }
        let mut live = self.live.iter().copied();
        live.find(|frame| {
            let visit = self.visit(*frame);
            let visit = visit.filter(|visit| visit.exited.is_none() && visit.attempts.is_empty());
            let before = visit.and_then(|visit| self.event(visit.begun_before?));
            before.is_some_and(|before| {
                before.type_name == event.type_name
                    && before.resource == event.resource
                    && before.data == event.data
            })
        })
    }

    /// Removes the visit to a state before a redrive, if the state is entered again after the redrive.
    pub(super) fn forget_redriven(&mut self, place: usize, frame: usize, name: &Text) {
        let Some(redriven) = self.run.frames.get_mut(frame) else {
            return;
        };
        let is_again = redriven.visits.last().is_some_and(|visit| {
            visit.redriven
                && visit.exited.is_none()
                && visit.attempts.is_empty()
                && visit.name == *name
        });
        let Some(visit) = redriven.visits.pop_if(|_| is_again) else {
            return;
        };
        let entered = visit.entered.unwrap_or(place);
        redriven.events.retain(|at| *at < entered || *at >= place);
        if let Some(count) = self.entered.get_mut(&(frame, name.clone())) {
            *count = count.saturating_sub(1);
        }
    }

    /// Handles a redrive: removes the events of failed work. The frames then continue from the point before the
    /// failure.
    pub(super) fn redrive(&mut self) {
        let events = &self.run.events;
        for (place, frame) in self.run.frames.iter_mut().enumerate() {
            let kind = |at: &usize| events.get(*at).and_then(|event| event.kind);
            let last = frame.visits.last_mut();
            let Some(visit) = last.filter(|visit| visit.exited.is_none()) else {
                if place == 0 {
                    let is_end = |at: &usize| events.get(*at).is_none_or(RecordedEvent::is_end);
                    frame.events.retain(|at| !is_end(at));
                }
                continue;
            };
            let entered = visit.entered.unwrap_or(0);
            let is_group = visit.is_group();
            frame.events.retain(|at| {
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
                visit.begun_before = visit.attempts.last().and_then(|attempt| attempt.begun);
                visit.attempts.clear();
            }
            (visit.finished, visit.failed, visit.redriven) = (false, false, true);
            frame.ended = false;
            frame.aborted = false;
            if !self.live.contains(&place) {
                self.live.push(place);
            }
        }
    }
}
