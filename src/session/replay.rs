//! After a reload, compares the new run event by event with the run before the reload, up to the first value that
//! differs.

use super::log::{AnsweredBy, EntryKind, Log};
use super::note::duration;
use super::recorded::{changes, words};
use super::snapshot::{Recording, Repeated, Snapshot};
use crate::definition::{Definition, Owner, State, StatePath};
use crate::interpreter::{AskKey, Edge, Event, EventKind, FrameId, Machine, Serve, Stage};
use crate::json::{Pointer, Step, Value, diff};
use crate::source::{Node, Span};
use std::collections::HashMap;

/// The run before a reload, which is repeated beside the new run to compare the two.
#[derive(Debug)]
pub(super) struct Comparison {
    pub old: Snapshot,
    pub log: Log,
    /// Cursor position in the old run.
    pub until: u64,
    /// The state that the old run was in at the cursor, and how often the run had entered that state.
    pub stood: Option<(StatePath, u64)>,
    /// The event of the old run that was compared last; `None` if the old run had ended.
    pub event: Option<Event>,
}

/// Data of the run before a reload (the old run) that the new run still needs while it repeats the old run.
#[derive(Debug, Default)]
pub(super) struct Replay {
    /// The old run, while it is compared with the new one event by event.
    pub comparison: Option<Box<Comparison>>,
    /// Edits of the old run that have not been applied yet.
    pub edits: Vec<(AskKey, Stage, Pointer, Value)>,
    /// Number of events of the new run that were compared.
    pub compared: u64,
    /// Description of the first difference; empty until a difference is found.
    pub words: String,
    /// The place of the first difference, if a value differs.
    pub differing: Option<Differing>,
    /// Inputs that calls had in the old run, for calls that the mock file answers.
    pub asked: HashMap<AskKey, Value>,
    /// True if a recorded execution was read again and has new events, so that the run goes on after the repeated
    /// events.
    pub goes_on: bool,
}

/// Result of comparing two events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compared {
    Same,
    Different,
    /// The old run is waiting for an answer, so the comparison has to be repeated later.
    Pending,
}

impl Comparison {
    /// Compares the new run with the old one at an event: the kind of event, its state, and the value of its stage.
    pub fn compare(&mut self, number: u64, new: &Recording, server: &dyn Serve) -> Compared {
        let Some(event) = new.timeline.get(number).copied() else {
            return Compared::Same;
        };
        let old = match self.old.repeat(&self.log, server) {
            Repeated::Event(old) => old,
            Repeated::Pending => return Compared::Pending,
            Repeated::End => {
                self.event = None;
                return Compared::Different;
            }
        };
        self.event = Some(old);
        let (before, after) = (&self.old.machine, &new.head.machine);
        let same = same_event(before, &old, after, &event);
        // Values can only be compared if the new run's machine is still at this event.
        let is_current = new.head.events == number;
        match same && (!is_current || values_agree(before, after, &event)) {
            true => Compared::Same,
            false => Compared::Different,
        }
    }
}

impl Comparison {
    /// Describes which values or events differ at the event that was compared last.
    pub fn words(&self, number: u64, new: &Recording) -> String {
        let after = new.timeline.get(number);
        let (Some(before), Some(after)) = (self.event, after) else {
            return "the previous run ended before this event".to_string();
        };
        let (old, machine) = (&self.old.machine, &new.head.machine);
        if !same_event(old, &before, machine, after) {
            let (old_event, now) = (event_words(old, &before), event_words(machine, after));
            if old_event == now && before.time != after.time {
                let (old_time, new_time) = (duration(before.time), duration(after.time));
                return format!(
                    "the event now happens after {new_time}, before the reload after {old_time}"
                );
            }
            return format!("{now}; before the reload: {old_event}");
        }
        let Some(stage) = stage_of(after) else {
            return String::new();
        };
        let (Some(was), Some(is)) = (value_at(old, after, stage), value_at(machine, after, stage))
        else {
            return String::new();
        };
        changes(&was, &is)
    }
}

impl Comparison {
    /// The place of the first difference at the event that was compared last; `None` if no value differs there.
    pub fn place(&self, number: u64, new: &Recording) -> Option<Differing> {
        let (before, after) = (self.event?, new.timeline.get(number)?);
        let (old, machine) = (&self.old.machine, &new.head.machine);
        let stage = stage_of(after).filter(|_| same_event(old, &before, machine, after))?;
        let (was, is) = (
            value_at(old, &before, stage)?,
            value_at(machine, after, stage)?,
        );
        let first = diff(&was, &is, 1).into_iter().next()?;
        let definition = machine.definition();
        let state = definition.state(after.state?)?;
        Some(Differing {
            run: new.number,
            event: number,
            frame: after.frame,
            stage,
            at: in_reach(&is, &first.at),
            span: written_at(definition, state, stage, &first.at),
        })
    }
}

/// An event as text, such as `Route: rule of line 7`, `BookTrip: Catch[1] → CancelTrip`.
fn event_words(machine: &Machine, event: &Event) -> String {
    let state = event.state.and_then(|id| machine.definition().state(id));
    let state_name = state.map_or("", |state| &state.name);
    let next = |edge: Edge| {
        let target = state.and_then(|state| edge.target(state));
        target.map_or_else(String::new, |target| format!(" → {}", target.name))
    };
    let event_words = match event.kind {
        EventKind::Stage(stage) => stage.name().to_string(),
        EventKind::Chosen if event.arg == u32::MAX => "Default".to_string(),
        EventKind::Chosen => {
            let span = state.and_then(|state| state.part_span(Owner::Rule(event.arg)));
            machine.definition().rule_name(span, event.arg)
        }
        EventKind::RetryScheduled => format!("Retry[{}]", event.arg),
        EventKind::Caught => format!("Catch[{}]{}", event.arg, next(Edge::Catch(event.arg))),
        EventKind::Uncaught => "the error is not caught".to_string(),
        EventKind::StateEntered => return words(event.kind, state_name, None),
        EventKind::StateExited => {
            return words(event.kind, state_name, None) + &next(Edge::from_arg(event.arg));
        }
        kind => {
            let frame = machine.frame(event.frame);
            let fault = frame.and_then(|frame| frame.visit.fault.as_ref());
            let error = fault.and_then(|(fault, _)| fault.error.as_ref());
            words(kind, state_name, error)
        }
    };
    match state_name.is_empty() {
        true => event_words,
        false => format!("{state_name}: {event_words}"),
    }
}

impl Replay {
    /// Keeps the inputs of calls that the mock file answered, so that the next run can compare its inputs with them.
    pub fn remember_asked(&mut self, log: &Log) {
        let entries = (0..log.len()).filter_map(|place| log.get(place));
        self.asked = entries
            .filter_map(|entry| match &entry.kind {
                EntryKind::Answer { key, input, by, .. } if *by == AnsweredBy::Mock => {
                    Some((key.clone(), input.clone()))
                }
                _ => None,
            })
            .collect();
    }

    /// True if a call had another input in the run before a reload. Returns true at most once for each call.
    pub fn is_asked_otherwise(&mut self, key: &AskKey, input: &Value) -> bool {
        let before = self.asked.remove(key);
        before.is_some_and(|before| before != *input)
    }

    /// Removes and returns the edit of this stage in the visit with this key; used when the new run reaches that stage.
    pub fn take_edit(&mut self, key: &AskKey, stage: Stage) -> Option<(Pointer, Value)> {
        let mut edits = self.edits.iter();
        let place = edits.position(|(edited, at, ..)| edited == key && *at == stage)?;
        let (_, _, at, value) = self.edits.remove(place);
        Some((at, value))
    }
}

fn same_event(old: &Machine, before: &Event, new: &Machine, after: &Event) -> bool {
    let path = |machine: &Machine, event: &Event| {
        event
            .state
            .and_then(|id| machine.definition().state(id))
            .map(|state| state.path.clone())
    };
    // Two events also differ if only their times differ, for example because a Wait became longer.
    before.kind == after.kind
        && before.time == after.time
        && before.arg == after.arg
        && before.frame == after.frame
        && path(old, before) == path(new, after)
}

fn values_agree(old: &Machine, new: &Machine, event: &Event) -> bool {
    stage_of(event).is_none_or(|stage| value_at(old, event, stage) == value_at(new, event, stage))
}

/// The stage whose value an event produced.
fn stage_of(event: &Event) -> Option<Stage> {
    match event.kind {
        EventKind::StateEntered => Some(Stage::Input),
        EventKind::Stage(stage) => Some(stage),
        EventKind::StateExited => Some(Stage::Output),
        _ => None,
    }
}

fn value_at(machine: &Machine, event: &Event, stage: Stage) -> Option<Value> {
    let frame = machine.frame(event.frame)?;
    frame.visit.data.get(stage).cloned()
}

/// The first place where the new run differs from the run before a reload.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Differing {
    /// Number of the new run.
    pub run: u32,
    /// Number of the event whose stage differs.
    pub event: u64,
    /// Frame of the event.
    pub frame: FrameId,
    /// The stage whose value differs.
    pub stage: Stage,
    /// The member that differs; if the new value does not have this member, the closest ancestor that the new value
    /// has.
    pub at: Pointer,
    /// Location of the text that writes the member; `None` if the member is not written in a field.
    pub span: Option<Span>,
}

/// The place `at` if the value has something at this place, otherwise the closest ancestor of `at` that the value has.
pub(super) fn in_reach(value: &Value, at: &Pointer) -> Pointer {
    let mut steps = at.0.clone();
    while Pointer(steps.clone()).get(value).is_none() && steps.pop().is_some() {}
    Pointer(steps)
}

/// Source location of the text that writes the member at `at`, inside the field that produces a stage. If the field's
/// text does not contain that member, the location of the member's closest ancestor in the text.
pub(super) fn written_at(
    definition: &Definition,
    state: &State,
    stage: Stage,
    at: &Pointer,
) -> Option<Span> {
    let mut node = definition.node.at(state.written(stage)?)?;
    let mut reached = None;
    for step in &at.0 {
        let Some((span, inner)) = inside(node, step) else {
            break;
        };
        (reached, node) = (Some(span), inner);
    }
    reached
}

fn inside<'n>(node: &'n Node, step: &Step) -> Option<(Span, &'n Node)> {
    match step {
        Step::Member(name) => {
            let mut members = node.members()?.iter();
            let member = members.find(|member| {
                let key = &*member.key.text;
                key == &**name || key.strip_suffix(".$") == Some(&**name)
            })?;
            Some((member.key.span, &member.value))
        }
        Step::Item(index) => {
            let item = node.items()?.get(*index)?;
            Some((item.span, item))
        }
    }
}
