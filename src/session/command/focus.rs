//! Moves the focus frame, to which steps apply, to the frame around it, or to a branch or item inside or beside it;
//! evaluates expressions in frames; and runs all items of a failed Map in a fork.

use crate::definition::{StateKind, Unit};
use crate::interpreter::{EventKind, Frame, FrameId, Stage};
use crate::json::Value;
use crate::query::Expression;
use crate::session::breakpoint::{location_of_line, stage_read};
use crate::session::expression;
use crate::session::log::EntryKind;
use crate::session::reply::{Direction, Output, Refused, Reply};
use crate::session::session::Session;
use crate::session::stepper::{Goal, Rule};
use crate::session::stop_condition::Stop;
use crate::source::SourceId;

/// Maximum number of events to search for a branch or item beside the focus frame.
const FAR: u64 = 1_000_000;

impl Session {
    /// The focus frame. If that frame does not exist at the cursor, its nearest ancestor that exists there.
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

    /// Moves to the nearest sibling (branch or item) before or after the focus frame. If the sibling is running, moves
    /// the focus to it. Otherwise travels to the event at which the sibling entered the current state of the focus
    /// frame, or to the start of the sibling if it never entered that state.
    pub(in crate::session) fn go_to_sibling(
        &mut self,
        direction: Direction,
    ) -> Result<Reply, Refused> {
        if let Some(frame) = self.sibling(direction) {
            return self.focus_on(Some(frame), Refused::NoSibling);
        }
        let event = self.recorded_sibling(direction);
        Ok(self.travel(event.ok_or(Refused::NoSibling)?, Stop::Travel))
    }

    /// The event to travel to for the nearest recorded sibling (branch or item) before or after the focus frame. This
    /// is the event at which the sibling entered the current state of the focus frame, or at which the sibling started
    /// if it never entered that state.
    fn recorded_sibling(&self, direction: Direction) -> Option<u64> {
        let frame = self.focus_frame()?;
        let (parent, index, state) = (frame.parent?, frame.index, frame.visit.state);
        let timeline = &self.recording.timeline;
        let now = self.snapshot().events;
        // Searches only the current visit and attempt of the parent, because each visit and attempt has its own items.
        let bound = |kind: EventKind| matches!(kind, EventKind::StateEntered | EventKind::Retried);
        let mut before = timeline.backwards(parent, now);
        let first = before.find(|(_, event)| bound(event.kind));
        let until = timeline.len().min(now.saturating_add(FAR));
        let mut after = timeline.events_of(parent, now.saturating_add(1)..=until);
        let last = after.find(|(_, event)| bound(event.kind));
        let (first, last) = (
            first.map(|(number, _)| number),
            last.map(|(number, _)| number),
        );
        let mut nearest: Option<(u32, u64, FrameId)> = None;
        for number in first.unwrap_or(1)..=last.unwrap_or(until) {
            let Some(event) = timeline
                .get(number)
                .filter(|event| event.kind.begins_frame())
            else {
                continue;
            };
            let is_that_way = match direction {
                Direction::Forward => event.arg > index,
                Direction::Backward => event.arg < index,
            };
            let distance = event.arg.abs_diff(index);
            if is_that_way
                && timeline.parent(event.frame) == Some(parent)
                && nearest.is_none_or(|(least, ..)| distance < least)
            {
                nearest = Some((distance, number, event.frame));
            }
        }
        let (_, begun, sibling) = nearest?;
        let mut events = timeline.events_of(sibling, begun..=last.unwrap_or(until));
        let same = events
            .find(|(_, event)| event.kind == EventKind::StateEntered && event.state == Some(state));
        Some(same.map_or(begun, |(number, _)| number))
    }

    fn sibling(&self, direction: Direction) -> Option<FrameId> {
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

    /// Evaluates an expression (a path, an intrinsic or a comparison) in the focus frame, at the cursor.
    ///
    /// # Errors
    /// One sentence that says why there is no value.
    pub fn evaluate(&self, expression: &str) -> Result<Value, String> {
        let frame = self.focus_frame().ok_or(expression::NOTHING_RAN)?;
        self.evaluate_at(frame, expression)
    }

    /// Like [`Self::evaluate`], but uses the value of `stage` as `$` if the expression is a single path or function.
    /// Evaluates the expression as usual if it names a stage itself, or if the run has not reached `stage`.
    ///
    /// # Errors
    /// One sentence that says why there is no value.
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
        let is_path = frame.visit.data.get(stage).is_some()
            && !names.iter().any(|name| expression.starts_with(name))
            && Expression::parse(expression).is_ok();
        match is_path {
            true => expression::evaluate_on(&self.snapshot().machine, frame, expression, stage),
            false => self.evaluate_at(frame, expression),
        }
    }

    /// Like [`Self::evaluate`], in any frame that exists at the cursor.
    ///
    /// # Errors
    /// One sentence that says why there is no value.
    pub fn evaluate_in(&self, frame: FrameId, expression: &str) -> Result<Value, String> {
        self.evaluate_at(self.live(frame)?, expression)
    }

    /// Evaluates a path or intrinsic on the data that the field at this source position reads. If the frame's current
    /// state has no field there, evaluates like [`Self::evaluate_in`]. Columns count characters, starting at 1.
    ///
    /// # Errors
    /// One sentence that says why there is no value.
    pub fn evaluate_as_read(
        &self,
        frame: FrameId,
        (source, line, column): (SourceId, usize, usize),
        expression: &str,
    ) -> Result<Value, String> {
        let machine = &self.snapshot().machine;
        let frame = self.live(frame)?;
        let definition = machine.definition();
        let at = location_of_line(definition, source, line, Some(column));
        let stage = at.and_then(|(at, _)| stage_read(definition, frame.visit.state, &at));
        match stage {
            Some(stage) => expression::evaluate_on(machine, frame, expression, stage),
            None => self.evaluate_at(frame, expression),
        }
    }

    fn live(&self, frame: FrameId) -> Result<&Frame, &'static str> {
        let frame = self.snapshot().machine.frame(frame);
        frame.ok_or("that frame is not running at this event")
    }

    fn evaluate_at(&self, frame: &Frame, expression: &str) -> Result<Value, String> {
        let machine = &self.snapshot().machine;
        expression::evaluate(machine, frame, expression, &*self.setup.server)
    }
}

impl Session {
    /// Starts to go back to the event that started the first item of the running Map, or of the Map in which an item
    /// failed last. From there, a fork runs all items again, and does not end the Map when items fail.
    pub(in crate::session) fn ignore_failures(&mut self) -> Result<Reply, Refused> {
        let map = self.map_at_work().or_else(|| self.map_that_failed());
        let (map, failed) = map.ok_or(Refused::NoMapFailed)?;
        let begun = self.items_began(map, failed);
        let begun = begun.ok_or(Refused::MapFailedEarly)?;
        self.stepper.goal = Some(Goal::IgnoreFailures(begun, map));
        Ok(Reply::Begun)
    }

    /// Forks at the event that started the first item of a Map, and tells the Map to ignore failures.
    pub(in crate::session) fn fork_ignoring_failures(&mut self, map: FrameId) {
        // In the fork, requests get the same answers as before.
        self.remember_answers();
        self.fork();
        if !self.recording.head.machine.ignore_failures(map) {
            return self.put(Output::NoItemsAtWork);
        }
        self.recording
            .note(EntryKind::IgnoreFailures { frame: map });
        let frame = self.recording.head.machine.frame(map);
        let state = frame.map(|frame| frame.visit.state);
        let name = state.map_or_else(|| "?".into(), |state| self.state_name(state));
        let unit = state.map_or(Unit::Item, |state| self.setup.definition.unit(state));
        self.put(Output::IgnoresFailures {
            run: self.recording.number,
            map: name,
            unit,
        });
        self.step_in(map, Rule::Exit);
    }

    /// The running Map around the focus frame, with the number of events up to the cursor.
    fn map_at_work(&self) -> Option<(FrameId, u64)> {
        let machine = &self.snapshot().machine;
        let mut at = self.focus_frame();
        while let Some(frame) = at {
            let state = machine.definition().state(frame.visit.state);
            let is_map = state.is_some_and(|state| matches!(state.kind, StateKind::Map(_)));
            let group = frame.visit.group.as_ref();
            let open = group.is_some_and(|group| !group.live.is_empty());
            if is_map && open {
                return Some((frame.id, self.snapshot().events));
            }
            at = frame.parent.and_then(|parent| machine.frame(parent));
        }
        None
    }

    /// The Map whose item failed last, with the event at which the item failed.
    fn map_that_failed(&self) -> Option<(FrameId, u64)> {
        let mut back = (1..=self.snapshot().events).rev();
        back.find_map(|number| {
            let event = self.recording.timeline.get(number)?;
            let failed = event.kind == EventKind::IterationFailed;
            let map = failed.then(|| self.recording.timeline.parent(event.frame))?;
            Some((map?, number))
        })
    }

    /// The event at which the first item started, in the attempt of the Map that was in progress at the event `until`.
    fn items_began(&self, map: FrameId, until: u64) -> Option<u64> {
        let timeline = &self.recording.timeline;
        // Looks only at the Map's own frame, because an item may itself run a Map.
        let started = timeline.last_of(map, until, EventKind::MapStarted)?;
        (started..=until).find(|number| {
            timeline.get(*number).is_some_and(|event| {
                event.kind == EventKind::IterationStarted
                    && (event.frame == map || timeline.parent(event.frame) == Some(map))
            })
        })
    }
}
