//! Targets of `goto` and `stepIn`: a state at which to begin a run, an item or branch to step into.

use super::debuggee::Debuggee;
use super::outbox::Outbox;
use super::protocol::{
    FrameArguments, GotoTarget, GotoTargetsArguments, GotoTargetsBody, StepInTarget,
    StepInTargetsBody,
};
use super::refusal::Refusal;
use super::run_reason::Aim;
use crate::definition::{StateId, StateKind};
use crate::interpreter::{FrameId, Stage};
use crate::session::{Breakpoint, Command, Direction, Location};

/// Maximum number of items to offer.
const OFFERED: u32 = 100;

impl Debuggee {
    /// Returns the state on a line if a run can begin there.
    pub fn goto_targets(&self, arguments: &GotoTargetsArguments) -> GotoTargetsBody {
        let found = self.state_at(&arguments.source, arguments.line);
        let target = found.and_then(|(id, line)| {
            let state = self.session.definition().state(id)?;
            // A run cannot begin inside a Parallel or Map state.
            (state.scope.0 == 0).then(|| GotoTarget {
                id: i64::from(id.0).saturating_add(1),
                label: format!("begin a run at {}", state.name),
                line,
            })
        });
        GotoTargetsBody {
            targets: target.into_iter().collect(),
        }
    }

    /// The command that begins a run at a target.
    pub fn goto_command(&self, target: i64) -> Result<Command, Refusal> {
        let id = target.checked_sub(1).and_then(|id| u32::try_from(id).ok());
        let known = id.filter(|id| (*id as usize) < self.session.definition().states.len());
        let state = known.ok_or_else(|| Refusal::new("there is no such place to go to"))?;
        Ok(Command::Begin {
            start_at: Some(StateId(state)),
            input: None,
        })
    }

    /// Returns the branches or items of a frame's state.
    pub fn step_in_targets(
        &self,
        arguments: &FrameArguments,
    ) -> Result<StepInTargetsBody, Refusal> {
        let frame = self.handles.frame_of(arguments.frame_id)?;
        let labels = self.children_of(frame);
        let targets = (1_i64..).zip(labels);
        Ok(StepInTargetsBody {
            targets: targets
                .map(|(id, label)| StepInTarget { id, label })
                .collect(),
        })
    }

    fn children_of(&self, frame: FrameId) -> Vec<String> {
        let machine = self.session.machine();
        let Some(frame) = machine.frame(frame) else {
            return Vec::new();
        };
        let Some(state) = self.session.definition().state(frame.visit.state) else {
            return Vec::new();
        };
        let count = match (&state.kind, &frame.visit.group) {
            (StateKind::Parallel { branches }, _) => u32::try_from(branches.len()).unwrap_or(0),
            (StateKind::Map(_), Some(group)) => group.total,
            (StateKind::Map(_), None) => {
                let items = frame.visit.data.get(Stage::AfterItemsPath);
                let items = items.and_then(crate::json::Value::as_array);
                u32::try_from(items.map_or(0, <[_]>::len)).unwrap_or(u32::MAX)
            }
            _ => 0,
        };
        let name = |index| format!("{}[{index}]", state.name);
        (0..count.min(OFFERED)).map(name).collect()
    }

    /// Steps to the next stage, or into the target branch or item.
    pub fn step_in(&mut self, target: Option<i64>, out: &mut Outbox) -> Result<(), Refusal> {
        let Some(target) = target else {
            return self.run(Command::Step(Direction::Forward), Aim::Step, out);
        };
        let index = target.checked_sub(1).and_then(|n| u32::try_from(n).ok());
        let index = index.ok_or_else(|| Refusal::new("there is no such branch or item"))?;
        let focus = self.focus_frame();
        let frame = focus.and_then(|id| self.session.machine().frame(id));
        let state = frame.and_then(|frame| self.session.definition().state(frame.visit.state));
        let state = state.ok_or_else(|| Refusal::new("nothing has run yet"))?;
        match &state.kind {
            StateKind::Parallel { branches } => {
                let scope = branches.get(index as usize);
                let scope = scope.and_then(|id| self.session.definition().scope(*id));
                let start = scope.and_then(|scope| scope.start_at.as_ref()?.state);
                let start = start.ok_or_else(|| Refusal::new("there is no such branch"))?;
                self.run(Command::RunTo(start), Aim::Step, out)
            }
            StateKind::Map(_) => {
                let begun = frame.and_then(|frame| frame.visit.group.as_ref());
                if begun.is_some_and(|group| index < group.next) {
                    return self.run(Command::EnterItem(index), Aim::Step, out);
                }
                let once = Breakpoint {
                    once: true,
                    ..Breakpoint::at(Location::Item(state.path.clone(), index))
                };
                self.apply(Command::Break(once), out)?;
                self.run(Command::Continue(Direction::Forward), Aim::Step, out)
            }
            _ => self.run(Command::Step(Direction::Forward), Aim::Step, out),
        }
    }
}
