//! Manual changes to a machine: edits of a value, and outcomes set for children.

use super::{Machine, Status};
use crate::interpreter::event::{FrameId, Stage};
use crate::interpreter::fault::Fault;
use crate::interpreter::order;
use crate::interpreter::visit::Phase;
use crate::json::Value;
use std::sync::Arc;

impl Machine {
    /// Replaces the value of a stage and continues from there, as the user requested.
    ///
    /// Events that have happened but have not been returned by a step are lost: see [`Machine::is_told`].
    ///
    /// Returns `false` if the frame is not live, has not reached the stage, or belongs to a run that is over.
    pub fn edit(&mut self, id: FrameId, stage: Stage, value: Value) -> bool {
        let run = Arc::clone(&self.run);
        let Some(frame) = self.frame(id).filter(|frame| {
            frame.visit.data.get(stage).is_some()
                && !frame.visit.is_made_for_an_item(stage)
                && (self.status == Status::Running || frame.parent.is_none())
        }) else {
            return false;
        };
        let (state, last_id) = (run.definition.state(frame.visit.state), frame.last_id);
        // The edge is kept if only the output changes.
        let keeps_edge = stage == Stage::Output && frame.visit.edge.is_some();
        let phase = match frame.visit.phase {
            // Not entered yet: the state is entered with the new input.
            Phase::Enter => Phase::Enter,
            // Exited already: the state is exited with the new output.
            Phase::Leave | Phase::Ended if keeps_edge => Phase::Leave,
            _ => order::phase_after(stage, state),
        };
        // Calls and children that depend on the value are started again.
        let again = stage < Stage::Result && phase != Phase::Enter;
        self.pending.clear();
        if self.status != Status::Running {
            self.status = Status::Running;
            self.arm_execution();
        }
        self.abort_children(id, last_id);
        self.stop_work(id);
        self.debug_assert_nothing_open(id);
        self.with(id, |frame| {
            let visit = &mut frame.visit;
            if again {
                visit.forget_attempt();
            }
            if !keeps_edge {
                visit.restart_after(stage);
            }
            visit.data.set(stage, value);
        });
        if let Some(state) = state.filter(|_| again) {
            self.prepare_token(id, state);
        }
        self.wake(id, phase);
        true
    }

    /// Runs all children of a frame's Map even if some fail, which no service does.
    ///
    /// Returns `false` if the frame has no children at work.
    pub fn ignore_failures(&mut self, id: FrameId) -> bool {
        if self.frame(id).is_none() {
            return false;
        }
        let at_work = self.with(id, |frame| {
            let group = frame.visit.group.as_mut();
            group.map(|group| group.ignores_failures = true).is_some()
        });
        at_work.unwrap_or(false)
    }

    /// Ends the work of a frame's Parallel or Map with an outcome set by the user instead of its children's.
    ///
    /// Returns `false` if the frame has no children at work.
    pub fn settle(&mut self, id: FrameId, outcome: Result<Value, Fault>) -> bool {
        if self
            .frame(id)
            .is_none_or(|frame| frame.visit.group.is_none())
        {
            return false;
        }
        let last_id = self.frame(id).map_or(0, |frame| frame.last_id);
        self.abort_children(id, last_id);
        match outcome {
            Ok(result) => {
                self.end_attempt(id);
                self.with(id, |frame| frame.visit.data.set(Stage::Result, result));
                self.wake(id, Phase::Stage(Stage::Result));
            }
            Err(fault) => self.raise(id, fault, None),
        }
        true
    }
}
