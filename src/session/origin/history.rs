//! Gives searches for an origin access to the past events of a run: visits of states, starts of frames, answers, edits,
//! and the run directly after an event.

use super::{Answered, Holder, Hop, Site};
use crate::definition::{Definition, FieldAt, State, StateId, StateKind};
use crate::interpreter::{
    AskKey, Edge, Event, EventKind, Frame, FrameId, Look, Looked, Looks, Machine, Seen, Serve,
    Stage,
};
use crate::json::Pointer;
use crate::query::jsonata::{Evaluation, Expression, Traced};
use crate::query::trace::Trace;
use crate::session::answerer::Answerer;
use crate::session::log::EntryKind;
use crate::session::snapshot::{Recording, Repeated, Snapshot};
use crate::session::timeline::Timeline;
use crate::source::{Node, Span};
use std::sync::Arc;

/// Maximum number of events to repeat when the debugger stops, to explain why a value is missing.
pub(in crate::session) const AT_A_STOP: usize = 5_000;

/// The events and the log of a run, with all that is needed to repeat parts of the run.
#[derive(Clone, Copy)]
pub(in crate::session) struct Past<'r> {
    pub definition: &'r Definition,
    pub recording: &'r Recording,
    pub answerer: &'r Answerer,
    pub server: &'r dyn Serve,
}

/// A frame's visit of a state, as it is known directly after an event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Visit {
    pub state: StateId,
    /// The event that entered the state.
    pub entered: u64,
    /// The event that started the current attempt: the entry of the state, or a retry.
    pub attempt: u64,
    /// The transition (edge) by which the state was left; `None` if the frame is still in the state.
    pub left: Option<Edge>,
}

/// The last event before the entry of a state: the exit of another state, or the start of the frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Before {
    /// Another state: the number of its exit event, the state, and the edge by which it was left.
    State(u64, StateId, Edge),
    /// The start of the frame at this event.
    Began(u64),
    /// The start of the execution.
    Beginning,
}

impl<'r> Past<'r> {
    pub fn timeline(&self) -> &'r Timeline {
        &self.recording.timeline
    }

    pub fn state(&self, id: StateId) -> Option<&'r State> {
        self.definition.state(id)
    }

    /// The run directly after an event; `None` if it would take long to repeat the run up to the event.
    pub(in crate::session) fn repeated_up_to(&self, number: u64) -> Option<Snapshot> {
        let mut run = self.recording.kept_before(number, None);
        let mut left = AT_A_STOP;
        while run.events < number {
            left = left.checked_sub(1)?;
            if run.repeat(&self.recording.log, self.server) == Repeated::End {
                return None;
            }
        }
        Some(run)
    }

    /// Events of a frame with their numbers, backwards from the event `from`.
    pub fn backwards(
        &self,
        frame: FrameId,
        from: u64,
    ) -> impl Iterator<Item = (u64, &'r Event)> + use<'r> {
        self.timeline().backwards(frame, from)
    }

    /// The visit that a frame is in, or has just ended, directly after an event.
    pub(super) fn visit(&self, frame: FrameId, event: u64) -> Option<Visit> {
        let mut left = None;
        let mut attempt = None;
        for (number, event) in self.backwards(frame, event) {
            match event.kind {
                EventKind::StateExited => left = left.or(Some(Edge::from_arg(event.arg))),
                EventKind::Retried => attempt = attempt.or(Some(number)),
                EventKind::StateEntered => {
                    return Some(Visit {
                        state: event.state?,
                        entered: number,
                        attempt: attempt.unwrap_or(number),
                        left,
                    });
                }
                kind if kind.begins_frame() => return None,
                _ => {}
            }
        }
        None
    }

    /// The state that a place belongs to; if the frame is not in a state yet, the state that it will enter.
    pub fn state_at(&self, site: &Site) -> Option<StateId> {
        let visit = self.visit(site.frame, site.event);
        visit.map(|visit| visit.state).or_else(|| {
            let lineage = self.timeline().lineage(site.frame)?;
            let owner = lineage.owner?;
            let scope = match &self.state(owner)?.kind {
                StateKind::Map(map) => Some(map.processor),
                StateKind::Parallel { branches } => branches.get(lineage.index as usize).copied(),
                _ => None,
            };
            let scope = scope.and_then(|scope| self.definition.scope(scope));
            let first = scope.and_then(|scope| scope.start_at.as_ref()?.state);
            first.or(Some(owner))
        })
    }

    /// Place of the output of the last visit of a state up to an event. If that visit has not ended, the place of its
    /// input.
    pub(in crate::session) fn output_of(&self, state: StateId, event: u64) -> Option<Site> {
        let events = (1..=event).rev().filter_map(|number| {
            let event = self.timeline().get(number)?;
            (event.state == Some(state)).then_some((number, event))
        });
        let mut events = events.filter_map(|(number, event)| match event.kind {
            EventKind::StateExited => Some((number, event.frame, Stage::Output)),
            EventKind::StateEntered => Some((number, event.frame, Stage::Input)),
            _ => None,
        });
        let (number, frame, stage) = events.next()?;
        Some(Site::stage(number, frame, stage, Pointer::root()))
    }

    /// A place in the data of a frame's current state, at the event at which the frame entered this state.
    pub(in crate::session) fn read_at(
        &self,
        frame: FrameId,
        event: u64,
        holder: Holder,
        at: Pointer,
    ) -> Site {
        let visit = self.visit(frame, event);
        Site {
            event: visit.map_or(event, |visit| visit.entered),
            frame,
            holder,
            at,
        }
    }

    /// The last event of a frame before it entered a state: the exit of another state, or the start of the frame. The
    /// frame entered the state at the event `entered`, or will enter it afterwards.
    pub(super) fn before(&self, frame: FrameId, entered: u64) -> Before {
        for (number, event) in self.backwards(frame, entered) {
            match (event.kind, event.state) {
                (EventKind::StateExited, Some(state)) => {
                    return Before::State(number, state, Edge::from_arg(event.arg));
                }
                (kind, _) if kind.begins_frame() => return Before::Began(number),
                _ => {}
            }
        }
        Before::Beginning
    }

    /// The event that started a frame; `None` for the outermost frame.
    pub fn began(&self, frame: FrameId, before: u64) -> Option<u64> {
        let mut events = self.backwards(frame, before);
        events
            .find(|(_, event)| event.kind.begins_frame())
            .map(|(number, _)| number)
    }

    /// The last event for which `is` returns true, in the current attempt of the place's frame and up to the place's
    /// event.
    pub fn last(&self, site: &Site, is: impl Fn(EventKind) -> bool) -> Option<u64> {
        let mut events = self.backwards(site.frame, site.event);
        let last = events.find(|(_, event)| is(event.kind) || ends_visit(event.kind));
        last.filter(|(_, event)| is(event.kind))
            .map(|(number, _)| number)
    }

    /// The last event, up to the place's event, that produced a stage.
    pub fn made(&self, site: &Site, stage: Stage) -> u64 {
        let is = |kind: EventKind| match stage {
            Stage::Input => kind == EventKind::StateEntered,
            Stage::Output => matches!(kind, EventKind::Stage(Stage::Output) | EventKind::Caught),
            _ => kind == EventKind::Stage(stage),
        };
        self.last(site, is).unwrap_or(site.event)
    }

    /// The frame's last event before the evaluations that led to the event `event`.
    pub fn evaluated_after(&self, frame: FrameId, event: u64) -> u64 {
        let mut events = self.backwards(frame, event.saturating_sub(1));
        let before = events.find(|(_, event)| event.kind != EventKind::EvaluationFailed);
        before.map_or(0, |(number, _)| number)
    }

    /// The branch or item of `parent` with this index that ended last before an event, and the event of its end.
    pub fn child(&self, parent: FrameId, index: u32, before: u64) -> Option<(FrameId, u64)> {
        let number = self.timeline().child_ended(parent, index, before)?;
        Some((self.timeline().get(number)?.frame, number))
    }

    /// True if the user edited data of a frame between two events.
    pub fn is_edited(&self, frame: FrameId, from: u64, to: u64) -> bool {
        self.edits(frame, from, to).next().is_some()
    }

    /// The user's edits of a frame's data between two events, the latest first: the edited stages and positions.
    pub fn edits(
        &self,
        frame: FrameId,
        from: u64,
        to: u64,
    ) -> impl Iterator<Item = (Stage, &'r crate::json::Pointer)> + use<'r> {
        let log = &self.recording.log;
        log.lasting()
            .rev()
            .filter_map(move |entry| match &entry.kind {
                EntryKind::Edit {
                    frame: edited,
                    stage,
                    at,
                    ..
                } if *edited == frame && (from..=to).contains(&entry.after) => Some((*stage, at)),
                _ => None,
            })
    }

    /// Describes the answer to the request of a frame with this key: its source, its attempt and the input of the
    /// request.
    pub fn answered(&self, to: Site, state: StateId, (frame, key): (&Frame, &AskKey)) -> Answered {
        let mut entries = (0..self.recording.log.len()).rev();
        let by = entries.find_map(|place| match &self.recording.log.get(place)?.kind {
            EntryKind::Answer {
                key: answered, by, ..
            } if answered == key => Some(*by),
            _ => None,
        });
        let mocked = self
            .state(state)
            .and_then(|state| self.answerer.mocked_call(state, key));
        let is_task = self
            .state(state)
            .is_some_and(|state| matches!(state.kind, StateKind::Task(_)));
        let has = |stage: &Stage| frame.visit.data.get(*stage).is_some();
        let field = match &to.holder {
            _ if is_task => None,
            Holder::Stage(Stage::Result) => Some("ResultWriter"),
            Holder::Error if has(&Stage::AfterItemsPath) => Some("ResultWriter"),
            _ => Some("ItemReader"),
        };
        // The call got its input from the first of these stages that has data.
        let asked = match field {
            None => [
                Stage::AfterParameters,
                Stage::AfterArguments,
                Stage::AfterInputPath,
                Stage::Input,
            ]
            .into_iter()
            .find(has),
            Some("ItemReader") => Some(Stage::AfterItemReader).filter(has),
            Some(_) => None,
        };
        let asked = asked.map(|stage| Site::stage(to.event, to.frame, stage, Pointer::root()));
        let timeline = self.timeline();
        let before = timeline.last_of(to.frame, to.event, EventKind::RetryScheduled);
        let before = before.and_then(|retried| {
            let raised = timeline.last_of(to.frame, retried, EventKind::ErrorRaised)?;
            timeline.note(raised)?.error().cloned()
        });
        Answered {
            attempt: (frame.visit.attempt, before),
            asked,
            to,
            state,
            field,
            by,
            mocked: mocked.filter(|_| by == Some(crate::session::log::AnsweredBy::Mock)),
        }
    }

    /// The JSON node of the definition at a source location.
    pub fn node(&self, span: Span) -> Option<&'r Node> {
        self.definition.node.at(span)
    }
}

/// True if an event of this kind starts a visit or attempt, so that earlier events belong to another visit or attempt.
fn ends_visit(kind: EventKind) -> bool {
    matches!(kind, EventKind::StateEntered | EventKind::Retried) || kind.begins_frame()
}

/// A run as it was directly after an event.
#[derive(Clone, Copy)]
pub(in crate::session) struct Moment<'r> {
    pub machine: &'r Machine,
    /// Traces of evaluations of a frame before the event; `None` if they were not requested.
    pub traces: Option<&'r Traces>,
}

impl Moment<'_> {
    /// True if the frame's evaluations since the event `after` were recorded. Some evaluations may still have to be
    /// repeated to get their traces.
    pub fn has_seen(&self, frame: FrameId, after: u64) -> bool {
        self.traces
            .is_some_and(|traces| traces.has_seen(frame, after))
    }
}

/// Traces of a frame's evaluations between two events.
#[derive(Clone, Debug)]
pub(in crate::session) struct Traces {
    frame: FrameId,
    /// The event after which the recording of evaluations began.
    after: u64,
    fields: Vec<(Option<u32>, FieldAt, Trace)>,
    expressions: Vec<(Option<u32>, Arc<Evaluation>, Vec<Traced>)>,
    /// JSONata evaluations that still have to be repeated to get their traces, the latest first.
    waiting: Vec<(Option<u32>, Arc<Evaluation>)>,
}

/// An error: the search needs traces of what this frame evaluated after this event, and they were not recorded.
#[derive(Clone, Copy, Debug)]
pub(in crate::session) struct Unseen(pub FrameId, pub u64);

impl From<Unseen> for Hop {
    fn from(Unseen(frame, after): Unseen) -> Self {
        Self::Look(frame, after)
    }
}

impl Traces {
    /// Creates the traces from the evaluations that the machine recorded after an event.
    pub fn new(after: u64, looks: Looks) -> Self {
        let mut traces = Self {
            frame: looks.frame,
            after,
            fields: Vec::new(),
            expressions: Vec::new(),
            waiting: Vec::new(),
        };
        for Look { item, of } in looks.all {
            match of {
                Seen::Field(field, trace) => traces.fields.push((item, field, trace)),
                Seen::Expressions(evaluation) => traces.waiting.push((item, evaluation)),
            }
        }
        traces.waiting.reverse();
        traces
    }

    /// True if the traces include all evaluations of the frame after the event `after`.
    pub fn has_seen(&self, frame: FrameId, after: u64) -> bool {
        self.frame == frame && self.after <= after
    }

    /// True if no evaluation still has to be repeated.
    pub fn is_complete(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Repeats the next JSONata evaluation to get its trace, if it takes only some milliseconds. Returns false if no
    /// evaluation is left to repeat.
    pub fn repeat(&mut self, server: &dyn Serve) -> bool {
        let Some((item, evaluation)) = self.waiting.last() else {
            return false;
        };
        if let Looked::Now(traced) = server.look(evaluation) {
            self.expressions
                .push((*item, Arc::clone(evaluation), traced));
            self.waiting.pop();
        }
        true
    }

    /// Trace of the last evaluation of a JSONPath field. If `item` is set, only evaluations for the item with this
    /// index count.
    pub fn field(&self, field: FieldAt, item: Option<u32>) -> Option<&Trace> {
        let mut fields = self.fields.iter().rev();
        let traced = fields.find(|(of, traced_field, _)| {
            *traced_field == field && (item.is_none() || *of == item)
        });
        traced.map(|(_, _, trace)| trace)
    }

    /// Trace of the last evaluation of a JSONata expression. If `item` is set, only evaluations for the item with this
    /// index count.
    pub fn expression(&self, expression: &Expression, item: Option<u32>) -> Option<&Trace> {
        let of_item = |of: &Option<u32>| item.is_none() || *of == item;
        let mut evaluations = self.expressions.iter().rev();
        evaluations.find_map(|(of, evaluation, traced)| {
            let mut pairs = evaluation.expressions.iter().zip(traced);
            let (_, traced) = pairs
                .find(|(traced_expression, _)| std::ptr::eq(&***traced_expression, expression))?;
            of_item(of).then_some(&traced.trace)
        })
    }

    /// Trace of the JSONPath field that was evaluated last.
    pub fn last_field(&self) -> Option<&Trace> {
        self.fields.last().map(|(_, _, trace)| trace)
    }
}
