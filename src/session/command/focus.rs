//! The frame that is followed: the one that steps are counted in, and the ways to its parent, children and siblings.
//!
//! It must not know what moves a run.

use crate::interpreter::{Frame, FrameId, Stage};
use crate::json::Value;
use crate::query::Expression;
use crate::session::argument::Direction;
use crate::session::breakpoint_location::{location_of_line, stage_read};
use crate::session::expression;
use crate::session::reply::{Refused, Reply};
use crate::session::session::Session;
use crate::source::SourceId;

impl Session {
    /// The focus frame, or the nearest one around it that lives at the cursor.
    #[must_use]
    pub(in crate::session) fn focus_frame(&self) -> Option<&Frame> {
        self.recording.nearest_frame(self.stepper.focus)
    }

    pub(in crate::session) fn is_top(&self) -> bool {
        self.focus_frame()
            .is_none_or(|frame| frame.parent.is_none())
    }

    pub(in crate::session) fn set_focus(&mut self, frame: FrameId) -> Result<Reply, Refused> {
        let live = self.snapshot().machine.frame(frame).map(|_| frame);
        self.focus_on(live, Refused::FrameNotLive(frame))
    }

    pub(in crate::session) fn focus_on(
        &mut self,
        frame: Option<FrameId>,
        otherwise: Refused,
    ) -> Result<Reply, Refused> {
        let frame = frame.ok_or(otherwise)?;
        self.stepper.focus = frame;
        Ok(Reply::Focus(frame))
    }

    pub(in crate::session) fn parent_of_focus(&self) -> Option<FrameId> {
        self.focus_frame().and_then(|frame| frame.parent)
    }

    pub(in crate::session) fn child_of_focus(&self) -> Option<FrameId> {
        let group = self.focus_frame()?.visit.group.as_ref()?;
        group.live.iter().map(|(_, child)| *child).min()
    }

    pub(in crate::session) fn sibling(&self, direction: Direction) -> Option<FrameId> {
        let frame = self.focus_frame()?;
        let parent = self.snapshot().machine.frame(frame.parent?)?;
        let group = parent.visit.group.as_ref()?;
        let others = group.live.iter().filter(|(index, _)| match direction {
            Direction::Forward => *index > frame.index,
            Direction::Backward => *index < frame.index,
        });
        let nearest = others.min_by_key(|(index, _)| index.abs_diff(frame.index));
        nearest.map(|(_, child)| *child)
    }

    /// Evaluates an expression (a path, an intrinsic, a comparison) at the cursor against the current document of the
    /// focus frame.
    ///
    /// # Errors
    /// Why there is no value, in one sentence.
    pub fn evaluate(&self, expression: &str) -> Result<Value, String> {
        let frame = self.focus_frame().ok_or(expression::NOTHING_RAN)?;
        self.evaluate_at(frame, expression)
    }

    /// The same as a field reads it whose `$` is the value of a stage; what is no path or function alone, or names a stage
    /// itself, is evaluated as ever, and so is all where the stage is not reached.
    ///
    /// # Errors
    /// Why there is no value, in one sentence.
    pub fn evaluate_on(&self, expression: &str, stage: Stage) -> Result<Value, String> {
        let frame = self.focus_frame().ok_or(expression::NOTHING_RAN)?;
        let names = [
            "$input",
            "$effective",
            "$result",
            "$output",
            "$error",
            "$states",
        ];
        let own = frame.visit.data.get(stage).is_some()
            && !names.iter().any(|name| expression.starts_with(name))
            && Expression::parse(expression).is_ok();
        match own {
            true => expression::evaluate_on(&self.snapshot().machine, frame, expression, stage),
            false => self.evaluate_at(frame, expression),
        }
    }

    /// The same in any frame that lives at the cursor.
    ///
    /// # Errors
    /// Why there is no value, in one sentence.
    pub fn evaluate_in(&self, frame: FrameId, expression: &str) -> Result<Value, String> {
        let frame = self.snapshot().machine.frame(frame);
        let frame = frame.ok_or("that frame does not run at this event")?;
        self.evaluate_at(frame, expression)
    }

    /// A path or intrinsic as the field that stands at a place of the text reads it, where that is a field of the state
    /// that the frame is in; elsewhere as [`Self::evaluate_in`] does. A column counts characters, from 1.
    ///
    /// # Errors
    /// Why there is no value, in one sentence.
    pub fn evaluate_as_read(
        &self,
        frame: FrameId,
        (source, line, column): (SourceId, usize, usize),
        expression: &str,
    ) -> Result<Value, String> {
        let machine = &self.snapshot().machine;
        let found = machine.frame(frame);
        let found = found.ok_or("that frame does not run at this event")?;
        let definition = machine.definition();
        let at = location_of_line(definition, source, line, Some(column));
        let stage = at.and_then(|(at, _)| stage_read(definition, found.visit.state, &at));
        match stage {
            Some(stage) => expression::evaluate_on(machine, found, expression, stage),
            None => self.evaluate_at(found, expression),
        }
    }

    fn evaluate_at(&self, frame: &Frame, expression: &str) -> Result<Value, String> {
        let machine = &self.snapshot().machine;
        expression::evaluate(machine, frame, expression, &*self.setup.server)
    }
}
