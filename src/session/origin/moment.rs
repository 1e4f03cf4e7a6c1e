//! The run directly after an event, with the traces of a frame's evaluations.

use super::Hop;
use crate::definition::FieldAt;
use crate::interpreter::{FrameId, Look, Looked, Looks, Machine, Seen, Serve};
use crate::query::jsonata::{Evaluation, Expression, Traced};
use crate::query::trace::Trace;
use std::sync::Arc;

/// The run directly after an event.
#[derive(Clone, Copy)]
pub(in crate::session) struct Moment<'r> {
    pub machine: &'r Machine,
    /// Traces of a frame's earlier evaluations; `None` if they were not requested.
    pub traces: Option<&'r Traces>,
}

/// Traces of a frame's evaluations between two events.
#[derive(Clone, Debug)]
pub(in crate::session) struct Traces {
    pub frame: FrameId,
    /// The first of the two events.
    pub after: u64,
    fields: Vec<(Option<u32>, FieldAt, Trace)>,
    expressions: Vec<(Option<u32>, Arc<Evaluation>, Vec<Traced>)>,
    /// JSONata evaluations that have to be repeated, the last one first.
    waiting: Vec<(Option<u32>, Arc<Evaluation>)>,
}

/// A request to record the traces of this frame after this event.
#[derive(Clone, Copy, Debug)]
pub(in crate::session) struct Unseen(pub FrameId, pub u64);

impl From<Unseen> for Hop {
    fn from(Unseen(frame, after): Unseen) -> Self {
        Self::Look(frame, after)
    }
}

impl Traces {
    /// Creates the traces from what the machine recorded after an event.
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

    /// Repeats a JSONata evaluation; returns false if none is left.
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

    /// Trace of the last evaluation of a JSONPath field, for an item if one is given.
    pub fn field(&self, field: FieldAt, item: Option<u32>) -> Option<&Trace> {
        let mut fields = self.fields.iter().rev();
        let found = fields.find(|(of, own, _)| *own == field && (item.is_none() || *of == item));
        found.map(|(_, _, trace)| trace)
    }

    /// Trace of the last evaluation of a JSONata expression, for an item if one is given.
    pub fn expression(&self, expression: &Expression, item: Option<u32>) -> Option<&Trace> {
        let of_item = |of: &Option<u32>| item.is_none() || *of == item;
        let mut evaluations = self.expressions.iter().rev();
        evaluations.find_map(|(of, evaluation, traced)| {
            let mut own = evaluation.expressions.iter().zip(traced);
            let (_, traced) = own.find(|(own, _)| std::ptr::eq(&***own, expression))?;
            of_item(of).then_some(&traced.trace)
        })
    }

    /// Trace of the last JSONPath field.
    pub fn last_field(&self) -> Option<&Trace> {
        self.fields.last().map(|(_, _, trace)| trace)
    }
}
