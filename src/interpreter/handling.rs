//! Error handling: a fault leads to a retry, to a catcher, or to the end of the list of states in which it occurred.

use super::children::Slot;
use super::evaluate::{AssignedAndOutput, Beside};
use super::event::{Edge, EventKind, FrameId, Stage};
use super::fault::{
    Difference, Fault, Origin, catcher_for, is_hidden, jittered, retrier_for, whole,
};
use super::frame::{Frame, Timer};
use super::machine::{Machine, Status};
use super::reason::Reason;
use super::stage::{Done, Raised, insert, phase_after};
use super::visit::{ATTEMPTS_KEPT, Handled, Phase};
use crate::definition::{
    Catcher, FieldAt, Jitter, MapMode, Owner, QueryLanguage, State, StateKind,
};
use crate::json::{Value, not_recorded};
use crate::query::Profile;
use std::collections::VecDeque;

impl Machine {
    /// Handles the fault of a state: tries Retry, then Catch.
    pub(super) fn handle(&mut self, id: FrameId, state: &State) -> Done {
        let profile = self.profile();
        let Some(frame) = self.frame(id) else {
            return Ok(());
        };
        let Some((fault, stage)) = frame.visit.fault.clone() else {
            self.set_phase(id, Phase::Fail);
            return Ok(());
        };
        // A state catches only one error per visit. A later error is left to the enclosing frames.
        let was_caught = matches!(frame.visit.edge, Some(Edge::Catch(_)));
        if matches!(frame.visit.handled, None | Some(Handled::Catcher(_))) {
            // The first call for an error only emits the event ErrorRaised, which shows the error. The next call tries
            // Retry and Catch.
            self.with(id, |frame| frame.visit.handled = Some(Handled::Nothing));
            self.push(id, EventKind::ErrorRaised, 0, stage.is_none());
            return Ok(());
        }
        let retrier = retrier_for(&state.retry, &frame.visit.retriers, &fault, profile);
        let catcher = catcher_for(&state.catch, &fault, profile);
        let followed = self.followed_handling(id, state);
        let (retrier, catcher) = followed.unwrap_or((retrier, catcher));
        let on_aws = (
            retrier_for(&state.retry, &frame.visit.retriers, &fault, Profile::Aws),
            catcher_for(&state.catch, &fault, Profile::Aws),
        );
        // The two profiles differ only in how they match States.BranchFailed.
        if !was_caught && (retrier != on_aws.0 || retrier.is_none() && catcher != on_aws.1) {
            self.diverge(Difference::BranchFailed);
        }
        if let Some((place, delay)) = retrier.filter(|_| !was_caught) {
            self.schedule_retry(id, state, place, delay);
            return Ok(());
        }
        if self.followed(id).is_some_and(|followed| followed.leaves) {
            self.with(id, |frame| {
                (frame.visit.fault, frame.visit.handled) = (None, None)
            });
            self.finish_work(id, not_recorded());
            return Ok(());
        }
        let evaluating = |frame: &Frame| frame.visit.evaluated.is_some();
        if !self.frame(id).is_some_and(evaluating) && !self.ends_execution(&fault) {
            self.push_group_failed(id, state);
        }
        match catcher.filter(|_| !was_caught) {
            Some(place) => self.catch(id, state, place, &fault),
            None => {
                self.push(id, EventKind::Uncaught, 0, true);
                self.set_phase(id, Phase::Fail);
                Ok(())
            }
        }
    }

    fn schedule_retry(&mut self, id: FrameId, state: &State, place: usize, delay: f64) {
        let Some(retrier) = state.retry.get(place) else {
            return;
        };
        let wait = jittered(retrier, delay, || self.random());
        let now = self.now();
        let latest = now.saturating_add(whole(delay));
        let earliest = match retrier.jitter {
            Jitter::None => latest,
            Jitter::Full => now,
        };
        let recorded = self.retry_due(id, earliest, latest);
        let wait = recorded.map_or(wait, |due| due.saturating_sub(now));
        let index = u32::try_from(place).unwrap_or(u32::MAX);
        self.with(id, |frame| {
            frame.visit.handled = Some(Handled::Retrier(index));
            if let Some(retrier) = frame.visit.retriers.get_mut(place) {
                retrier.used += 1;
                if retrier.waited.len() >= ATTEMPTS_KEPT {
                    retrier.waited.remove(0);
                }
                retrier.waited.push(wait);
            }
        });
        self.push(id, EventKind::RetryScheduled, index, true);
        self.count_retry(id);
        self.park(id);
        self.set_timer(id, self.now().saturating_add(wait), Timer::Retry);
    }

    /// Begins the next attempt with the same raw input.
    pub(super) fn retry(&mut self, id: FrameId, state: &State) -> Done {
        self.debug_assert_nothing_open(id);
        self.with(id, |frame| {
            frame.visit.next_attempt();
            frame.visit.phase = phase_after(Stage::Input, Some(state));
        });
        let attempt = self.frame(id).map_or(1, |frame| frame.visit.attempt);
        self.push(id, EventKind::Retried, attempt, true);
        self.prepare_token(id, state);
        Ok(())
    }

    fn catch(&mut self, id: FrameId, state: &State, place: usize, fault: &Fault) -> Done {
        let Some(catcher) = state.catch.get(place) else {
            return Ok(());
        };
        let index = u32::try_from(place).unwrap_or(u32::MAX);
        let made = match state.language {
            QueryLanguage::JsonPath => self.caught_output(id, (catcher, index), fault),
            QueryLanguage::Jsonata => self.caught_jsonata(id, catcher, fault),
        };
        let made = made.and_then(|made| {
            if let Some((_, output)) = &made {
                self.check_bounds(output, "the catcher's output", Stage::Output)?;
            }
            Ok(made)
        });
        let (assigned, output) = match made {
            Ok(Some(made)) => made,
            Ok(None) => return Ok(()),
            Err(raised) => {
                // The catcher's own fields failed. That is a new error, which no retrier or catcher of this state can
                // handle.
                self.with(id, |frame| {
                    frame.visit.fault = Some(raised);
                    frame.visit.edge = Some(Edge::Catch(index));
                    frame.visit.handled = None;
                });
                return self.handle(id, state);
            }
        };
        let output = self.as_recorded(id, Stage::Output, output);
        self.with(id, |frame| {
            frame.caught = Some(Box::new(fault.clone()));
            frame.visit.handled = Some(Handled::Catcher(index));
            frame.visit.edge = Some(Edge::Catch(index));
            // Drops the values of all stages after the effective input, which is the input of the state's work.
            frame.visit.data.cut_after(Stage::AfterArguments);
            frame.visit.data.set(Stage::Output, output);
            frame.visit.assigned = assigned;
            frame.visit.phase = Phase::Exit;
        });
        self.push(id, EventKind::Caught, index, true);
        Ok(())
    }

    /// The output of a state after a catcher, which ResultPath makes from the raw input and the error output. The
    /// catcher's Assign is computed later, when the state is exited.
    fn caught_output(
        &self,
        id: FrameId,
        (catcher, index): (&Catcher, u32),
        fault: &Fault,
    ) -> Result<Option<AssignedAndOutput>, Raised> {
        let Some(frame) = self.frame(id) else {
            return Ok(None);
        };
        let input = frame.visit.data.latest(Stage::Input);
        let field = FieldAt {
            owner: Owner::Catcher(index),
            name: "ResultPath",
        };
        let output = insert(&catcher.result_path, &input, fault.error_output())
            .map_err(|error| self.refused(frame, field, error))?;
        Ok(Some((Vec::new(), output)))
    }

    /// The values of a catcher's Assign and Output; `None` while their expressions are pending.
    fn caught_jsonata(
        &mut self,
        id: FrameId,
        catcher: &Catcher,
        fault: &Fault,
    ) -> Result<Option<AssignedAndOutput>, Raised> {
        let error_output = fault.error_output();
        let beside = Beside {
            error_output: Some(error_output.clone()),
            ..Beside::default()
        };
        self.assign_and_output(id, &catcher.jsonata, beside, error_output)
    }

    /// Adds 1 to the number of retries of every branch and item that contains the frame.
    fn count_retry(&mut self, id: FrameId) {
        let mut at = id;
        while let Some((parent, index)) = self.around(at) {
            self.change_group(parent, |group| group.slots.count_retry(index));
            at = parent;
        }
    }

    /// The frame that started the frame `id`, and the index of the frame `id` among the branches or items.
    fn around(&self, id: FrameId) -> Option<(FrameId, u32)> {
        let frame = self.frame(id)?;
        Some((frame.parent?, frame.index))
    }

    /// Number of items of the frame's Map; 0 if the state is not a Map or the items are not known.
    fn items_of(&self, id: FrameId) -> u32 {
        let group = self.group(id).filter(|_| !self.is_parallel(id));
        group.map_or(0, |group| group.total)
    }

    /// Emits ParallelFailed or MapFailed. AWS records these events once the retries are exhausted.
    fn push_group_failed(&mut self, id: FrameId, state: &State) {
        let started = self.frame(id).is_some_and(|frame| {
            let fault = frame.visit.fault.as_ref().map(|(fault, _)| fault);
            // If there is a result, the work of the Parallel or Map has succeeded. The failure then belongs to the rest
            // of the state.
            frame.visit.data.get(Stage::Result).is_none()
                && !matches!(frame.visit.edge, Some(Edge::Catch(_)))
                && (frame.visit.group.is_some()
                    || frame.visit.map_run > 0
                    // AWS records the failure even if the Parallel or Map did not start.
                    || fault.is_some_and(|fault| fault.name() == "States.QueryEvaluationError"))
        });
        match &state.kind {
            StateKind::Parallel { .. } if started => {
                self.push_history(id, EventKind::ParallelFailed, 0)
            }
            StateKind::Map(_) if started => {
                let total = self.items_of(id);
                self.push_history(id, EventKind::MapFailed, total);
            }
            _ => {}
        }
    }

    /// Ends a frame (the machine, a branch or an iteration) because of its fault.
    pub(super) fn fail(&mut self, id: FrameId) -> Done {
        let Some(frame) = self.frame(id) else {
            return Ok(());
        };
        let (parent, index, last_id) = (frame.parent, frame.index, frame.last_id);
        let failed_task = matches!(self.kind_of(id), Some(StateKind::Task(_)));
        let fault = frame.visit.fault.clone().map(|(fault, _)| fault);
        let fault = fault.unwrap_or_else(|| Fault::task("States.Runtime", ""));
        self.park(id);
        self.set_phase(id, Phase::Ended);
        if self.ends_execution(&fault) {
            return self.fail_execution(id, fault);
        }
        match parent {
            None => self.end(Status::Failed(fault), last_id),
            Some(parent) => {
                if failed_task && self.is_parallel(parent) {
                    // AWS writes TaskAborted even if the branch failed because of this very task.
                    self.push_history(id, EventKind::TaskAborted, 0);
                }
                self.child_failed(parent, id, index, fault);
            }
        }
        Ok(())
    }

    /// True if a fault ends the whole execution. On AWS, the enclosing Maps and Parallels then record nothing, and
    /// their catchers are not tried.
    fn ends_execution(&self, fault: &Fault) -> bool {
        self.profile() == Profile::Aws && is_hidden(fault)
    }

    /// Ends the execution that contains a frame. Inside a DISTRIBUTED Map, that is the child execution of the item.
    fn fail_execution(&mut self, id: FrameId, fault: Fault) -> Done {
        let last_id = self.last_id(id);
        let mut top = id;
        while let Some((parent, index)) = self.around(top) {
            if self.runs_executions(parent) {
                self.remove_children(top);
                self.child_failed(parent, top, index, fault);
                return Ok(());
            }
            top = parent;
        }
        self.end(Status::Failed(fault), last_id);
        Ok(())
    }

    /// Removes the branches or items of a frame without emitting events.
    pub(super) fn remove_children(&mut self, id: FrameId) {
        let mut live = VecDeque::new();
        self.change_group(id, |group| live = std::mem::take(&mut group.live));
        for (_, child) in live {
            self.remove_children(child);
            self.remove_frame(child);
        }
    }

    /// True if the frame's state is a DISTRIBUTED Map.
    pub(super) fn runs_executions(&self, id: FrameId) -> bool {
        matches!(self.kind_of(id), Some(StateKind::Map(map)) if map.mode == MapMode::Distributed)
    }

    fn is_parallel(&self, id: FrameId) -> bool {
        matches!(self.kind_of(id), Some(StateKind::Parallel { .. }))
    }

    pub(super) fn child_failed(
        &mut self,
        parent: FrameId,
        child: FrameId,
        index: u32,
        mut fault: Fault,
    ) {
        fault.from_branch = true;
        let last_id = self.last_id(child);
        let parent_state = self.frame(parent).map(|frame| frame.visit.state);
        let is_map = !self.is_parallel(parent);
        if is_map {
            let kind = EventKind::IterationFailed;
            self.push_detached(child, parent_state, kind, index, last_id);
        } else {
            self.push(child, EventKind::BranchFailed, index, true);
        }
        self.remove_frame(child);
        let output = fault.error_output();
        self.change_group(parent, |group| {
            group.forget_live(index);
            group.failed += 1;
            group.slots.set(index, Slot::Failed(output));
            group.last_id = last_id;
        });
        let group = self.group(parent);
        let failed = group.map_or(0, |group| group.failed);
        let ignores = group.is_some_and(|group| group.ignores_failures);
        let fails = self.fails_by_itself(parent, fault, failed);
        if fails.is_some() && ignores {
            self.change_group(parent, |group| group.went_on = true);
        }
        match fails.filter(|_| !ignores) {
            None => self.child_done(parent),
            Some(fault) => {
                self.abort_children(parent, last_id);
                self.with(parent, |frame| frame.last_id = last_id);
                self.raise(parent, fault, None);
                if is_map && self.runs_executions(parent) {
                    self.push_history(parent, EventKind::MapRunFailed, 0);
                }
            }
        }
    }

    /// The fault of a Parallel or Map after `failed` of its branches or items have failed, the last of them with
    /// `fault`. `None` if that many failures are tolerated (12.5). Does not consider whether the user chose to ignore
    /// failures.
    fn fails_by_itself(&self, parent: FrameId, fault: Fault, failed: u32) -> Option<Fault> {
        let group = self.group(parent)?;
        // If the run follows a recording, the recording says how many of the branches or items failed before this
        // attempt of the Parallel or Map failed.
        let attempt = self.frame(parent)?.visit.attempt.saturating_sub(1);
        let fails_after = self.followed(parent).map(|followed| {
            let work = followed.works.get(attempt as usize);
            work.and_then(|work| work.fails_after)
        });
        if fails_after.is_some_and(|after| after.is_none_or(|after| failed < after)) {
            return None;
        }
        // A failed child execution counts as a failure, whatever its error is.
        let executions = self.runs_executions(parent);
        if !executions && (!group.tolerates_any() || fault.origin == Origin::Runtime) {
            return Some(fault);
        }
        (fails_after.is_some() || !group.tolerates(failed)).then(|| {
            let reason = Reason::Tolerance {
                failed,
                of: group.total,
                count: group.tolerated_count,
                percentage: group.tolerated_percentage,
            };
            Fault::raised(self.profile(), reason, None)
        })
    }

    /// The fault that a Parallel or Map has if one more of its branches or items fails with `fault`. `None` if the
    /// failure of that branch or item is tolerated or ignored.
    #[must_use]
    pub fn failure_of(&self, parent: FrameId, mut fault: Fault) -> Option<Fault> {
        fault.from_branch = true;
        let group = self.group(parent)?;
        let fails = self.fails_by_itself(parent, fault, group.failed.saturating_add(1));
        fails.filter(|_| !group.ignores_failures)
    }

    /// Aborts the branches or items of a Parallel or Map, innermost first.
    pub(super) fn abort_children(&mut self, parent: FrameId, cause: u32) {
        let Some(frame) = self.frame(parent) else {
            return;
        };
        let Some(group) = &frame.visit.group else {
            return;
        };
        let (live, state) = (group.live.clone(), frame.visit.state);
        let is_map = !self.is_parallel(parent);
        for (index, child) in live {
            self.abort_children(child, cause);
            let kind = match self.kind_of(child) {
                Some(StateKind::Task(_)) => Some(EventKind::TaskAborted),
                Some(StateKind::Wait(_)) => Some(EventKind::WaitAborted),
                Some(StateKind::Parallel { .. }) => Some(EventKind::ParallelAborted),
                Some(StateKind::Map(_)) => Some(EventKind::MapAborted),
                _ => None,
            };
            if self.runs_executions(child) {
                self.push_history_after(child, EventKind::MapRunAborted, 0, cause);
            }
            let has_entered = |frame: &Frame| frame.visit.phase != Phase::Enter;
            if let Some(kind) = kind.filter(|_| self.frame(child).is_some_and(has_entered)) {
                let total = self.items_of(child);
                self.push_history_after(child, kind, total, cause);
            }
            if is_map {
                self.push_detached(
                    child,
                    Some(state),
                    EventKind::IterationAborted,
                    index,
                    cause,
                );
            }
            self.remove_frame(child);
            self.change_group(parent, |group| group.slots.set(index, Slot::Aborted));
        }
        self.change_group(parent, |group| group.live.clear());
    }

    /// Handles the success of a branch or item.
    pub(super) fn child_succeeded(
        &mut self,
        parent: FrameId,
        child: FrameId,
        index: u32,
        output: Value,
    ) {
        let last_id = self.last_id(child);
        let parent_state = self.frame(parent).map(|frame| frame.visit.state);
        let end = if self.is_parallel(parent) {
            self.push(child, EventKind::BranchSucceeded, index, true);
            0
        } else {
            let kind = EventKind::IterationSucceeded;
            self.push_detached(child, parent_state, kind, index, last_id)
        };
        self.remove_frame(child);
        self.change_group(parent, |group| {
            group.forget_live(index);
            group.succeeded += 1;
            group.slots.set(index, Slot::Succeeded(output));
            group.last_id = last_id;
            group.last_iteration = end;
        });
        self.child_done(parent);
    }

    /// Starts the next branch or item of a Parallel or Map, or collects the results if all branches or items have
    /// ended.
    fn child_done(&mut self, parent: FrameId) {
        let Some(group) = self.group(parent) else {
            return;
        };
        if group.next < group.total {
            self.wake(parent, Phase::Spawn);
        } else if group.live.is_empty() && !self.fails_later(parent) {
            self.wake(parent, Phase::Join);
        }
    }
}
