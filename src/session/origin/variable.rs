//! Steps of the search for an origin that go back from a variable, an error, or a member of the context object.

use super::document::Documents;
use super::expression::FieldAt;
use super::history::{Moment, Past};
use super::{Holder, Hop, Note, Root, Site, Took};
use crate::definition::{Compiled, QueryLanguage, State, StateId, StateKind};
use crate::interpreter::{Edge, EventKind, Frame, FrameId, Millis, Origin, Outcome, Stage};
use crate::json::{Pointer, Step, Text};
use crate::query::abridged;

/// Maximum size in bytes of an assigned value that a note quotes.
const ASSIGNED: usize = 40;

impl Past<'_> {
    /// One step back in the search for an origin: goes from a variable to the Assign that set it. If no state of the
    /// frame set the variable, goes to the frame around it, at the event that started the frame. `run` is the run
    /// directly after the place's event, if available.
    pub(super) fn variable_hop(&self, site: &Site, name: &Text, run: Option<Moment<'_>>) -> Hop {
        let assigns = self
            .backwards(site.frame, site.event)
            .filter(|(_, event)| event.kind == EventKind::Assigned);
        for (number, event) in assigns {
            let Some((id, state)) = event.state.and_then(|id| Some((id, self.state(id)?))) else {
                continue;
            };
            let edge = self.timeline().assigned_by(number);
            if names_of(state, edge).is_some_and(|names| !names.contains(name)) {
                continue;
            }
            if number != site.event {
                return Hop::To(site.on(number));
            }
            let Some(run) = run else {
                return Hop::Need(number);
            };
            let Some(frame) = run.machine.frame(site.frame) else {
                return Hop::Root(Root::Unknown);
            };
            if frame
                .visit
                .assigned
                .iter()
                .any(|(assigned, _)| assigned == name)
            {
                return self.assigned(site, name, id, state, edge, run, frame);
            }
        }
        match (
            self.began(site.frame, site.event),
            self.timeline().parent(site.frame),
        ) {
            (Some(event), Some(parent)) => Hop::To(Site {
                event,
                frame: parent,
                ..site.clone()
            }),
            _ => Hop::Root(Root::Context(Pointer::root())),
        }
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the arguments are the parts of one event"
    )]
    fn assigned(
        &self,
        site: &Site,
        name: &Text,
        id: StateId,
        state: &State,
        edge: Edge,
        run: Moment<'_>,
        frame: &Frame,
    ) -> Hop {
        let at = super::joined(&[Step::Member(name.clone())], &site.at.0);
        let Some(step) = state.assign_by(edge.owner()) else {
            return Hop::Root(Root::Unknown);
        };
        let mut documents = Documents::of_step(self, run, frame, site, step);
        if state.language == QueryLanguage::Jsonata {
            // JSONata evaluates Assign together with Output.
            documents.made = self.made(site, Stage::Output);
        }
        let made = state.compiled(step.field).and_then(|compiled| {
            let field = FieldAt::by(self, id, step);
            field.evaluated(self, site.clone(), (compiled, &at.0), &documents)
        });
        let mut made = made.unwrap_or(Hop::Root(Root::Unknown));
        if let Hop::Written(write) = &mut made {
            let mut reads = write.reads.iter().zip(&write.values);
            let set = reads.find_map(|(read, was)| match &read.holder {
                Holder::Variable(variable) if variable != name => {
                    let set = frame
                        .visit
                        .assigned
                        .iter()
                        .find(|(set, _)| set == variable)?;
                    (was.as_ref() != read.at.get(&set.1)).then_some(set)
                }
                _ => None,
            });
            let earlier = set.map(|(variable, value)| {
                Note::Earlier(variable.clone(), abridged(value, ASSIGNED).into())
            });
            write.note = write.note.take().or(earlier);
        }
        made
    }

    /// One step back in the search for an origin: goes from the current error of a frame to the error of the branch or
    /// item that failed, to the answer of the task, or to the field that failed.
    pub(super) fn error_hop(&self, site: &Site, run: Moment<'_>, frame: &Frame) -> Hop {
        let Some((fault, stage)) = &frame.visit.fault else {
            return Hop::Root(Root::Unknown);
        };
        let id = frame.visit.state;
        let raised = self
            .last(site, |kind| kind == EventKind::ErrorRaised)
            .unwrap_or(site.event);
        let error_site = site.on(raised);
        if fault.from_branch
            && let Some((child, ended)) = self.timeline().failed_child(site.frame, 0, raised)
        {
            let inner = self.uncaught(child, ended);
            return Hop::To(inner.at(site.at.clone()));
        }
        match fault.origin {
            Origin::Task | Origin::Timeout | Origin::Heartbeat
                if stage.is_none() && (fault.origin == Origin::Task || is_answer(frame)) =>
            {
                let key = run.machine.key(frame);
                Hop::Root(Root::Answer(self.answered(error_site, id, (frame, &key))))
            }
            Origin::Fail => self.fail_hop(error_site, run, frame, id),
            Origin::Interpreter | Origin::Runtime | Origin::Timeout | Origin::Heartbeat => {
                // After the error is caught, the frame has only the input of the call left from the failed attempt. The
                // search therefore goes back to the event that raised the error.
                let is_caught = self.last(site, |kind| kind == EventKind::Caught).is_some();
                match is_caught && error_site.event != site.event {
                    true => Hop::To(error_site),
                    // The interpreter itself raised the error, so the origin of the error is the field that failed.
                    false => self
                        .failed(&error_site, run, frame)
                        .unwrap_or(Hop::Root(Root::Fault(error_site))),
                }
            }
            _ => Hop::Root(Root::Fault(error_site)),
        }
    }

    fn fail_hop(&self, error_site: Site, run: Moment<'_>, frame: &Frame, id: StateId) -> Hop {
        let Some(state) = self.state(id) else {
            return Hop::Root(Root::Fault(error_site));
        };
        let name = match error_site.at.0.first() {
            Some(Step::Member(name)) if &**name == "Cause" => "Cause",
            _ => "Error",
        };
        let mut steps = state.work_steps();
        let step = steps.find(|step| step.field.name.starts_with(name));
        let made = step.and_then(|step| {
            let documents = Documents::of_step(self, run, frame, &error_site, step);
            let compiled = state.compiled(step.field)?;
            let field = FieldAt::by(self, id, step);
            field.evaluated(self, error_site.clone(), (compiled, &[]), &documents)
        });
        if let Some(made) = made {
            return made;
        }
        let field = FieldAt::of(self, id, name);
        match self.led_by(error_site.frame, error_site.event) {
            // The user already sees the literal of the Fail state, so the transition to the state is shown instead.
            Some(lead) => Hop::Root(Root::Led(field.span, Box::new(lead))),
            None if field.span.is_none() => Hop::Root(Root::Fault(error_site)),
            None => field.literal(self, error_site, &Pointer::root()),
        }
    }

    /// One step back in the search for an origin: goes from a member of the context object, such as
    /// `$$.Map.Item.Value`, to the data that it was made from.
    pub(super) fn context_hop(&self, site: &Site) -> Hop {
        let names: Vec<&str> = site
            .at
            .0
            .iter()
            .map_while(|step| match step {
                Step::Member(name) => Some(&**name),
                Step::Item(_) => None,
            })
            .collect();
        let rest = |count: usize| Pointer(site.at.0.iter().skip(count).cloned().collect());
        match names.as_slice() {
            ["Execution", "Input", ..] => match self.execution_began(site) {
                Some((frame, event)) => Hop::To(Site::stage(event, frame, Stage::Input, rest(2))),
                None => Hop::Root(Root::Context(site.at.clone())),
            },
            ["Map", "Item", "Value", ..] => {
                let mut frame = site.frame;
                while let Some(lineage) = self.timeline().lineage(frame) {
                    let Some(parent) = lineage.parent else { break };
                    let owner = lineage.owner.and_then(|id| self.state(id));
                    if matches!(owner.map(|state| &state.kind), Some(StateKind::Map(_)))
                        && let Some(event) = self.began(frame, site.event)
                    {
                        return Hop::To(Site {
                            event,
                            frame: parent,
                            holder: Holder::Item(lineage.index),
                            at: rest(3),
                        });
                    }
                    frame = parent;
                }
                Hop::Root(Root::Context(site.at.clone()))
            }
            ["State", "EnteredTime"] => {
                let entered = self.visit(site.frame, site.event);
                let entered = entered.map_or(site.event, |visit| visit.entered);
                let site = site.on(entered);
                let context = Root::Context(site.at.clone());
                Hop::Root(self.clock(&site, context))
            }
            _ => Hop::Root(Root::Context(site.at.clone())),
        }
    }

    /// The outermost frame of the place's execution (a child execution of a DISTRIBUTED Map counts as an execution),
    /// and the event at which this frame entered its first state.
    fn execution_began(&self, site: &Site) -> Option<(FrameId, u64)> {
        let path = self.timeline().path(site.frame);
        let child = path.iter().rev().find(|frame| {
            let owner = self.timeline().lineage(**frame).and_then(|lineage| lineage.owner);
            let kind = owner.and_then(|id| self.state(id)).map(|state| &state.kind);
            matches!(kind, Some(StateKind::Map(map)) if map.mode == crate::definition::MapMode::Distributed)
        });
        let frame = *child.or_else(|| path.first())?;
        Some((frame, self.first_entered(frame, site.event)?))
    }

    /// The event that entered the first state of a frame; `None` if the frame has entered no state up to the event
    /// `before`.
    pub(super) fn first_entered(&self, frame: FrameId, before: u64) -> Option<u64> {
        let events = self.backwards(frame, before);
        let entered = events.filter(|(_, event)| event.kind == EventKind::StateEntered);
        Some(entered.last()?.0)
    }
}

/// Names of the variables that a state assigns on the transition `edge`; `None` if they depend on the data.
pub(in crate::session) fn names_of(state: &State, edge: Edge) -> Option<Vec<Text>> {
    match state.compiled(state.assign_by(edge.owner())?.field)? {
        Compiled::Template(template) => template.names(),
        Compiled::Jsonata(template) => template.names(),
        _ => None,
    }
}

/// True if the answer of the frame's task is a timeout error. The error then does not come from a time limit of the
/// state.
fn is_answer(frame: &Frame) -> bool {
    let call = frame.visit.call.as_ref();
    let answer = call.and_then(|call| call.answer.as_ref());
    let error = answer.and_then(|answer| match &answer.outcome {
        Outcome::Failure { error, .. } => error.as_deref(),
        _ => None,
    });
    error.is_some_and(|error| matches!(error, "States.Timeout" | "States.HeartbeatTimeout"))
}

/// Maximum number of events to search for states that took time.
const SEARCHED: usize = 20_000;
/// Maximum number of states to list with the time that they took.
const LISTED: usize = 4;

impl Past<'_> {
    /// The clock of the run as the origin of a value, with the states that took most of the time before the place's
    /// event, the last state first. If no state took any time, returns `other`.
    pub(super) fn clock(&self, site: &Site, other: Root) -> Root {
        let now = self.timeline().get(site.event);
        let now = now.and_then(|event| Some((event.state?, event.time)));
        let mut took = self.took(site.frame, site.event, now, SEARCHED);
        let mut longest = took.clone();
        longest.sort_by_key(|state| std::cmp::Reverse(state.time));
        longest.truncate(LISTED);
        took.retain(|state| longest.contains(state));
        match took.is_empty() {
            true => other,
            false => Root::Clock(took),
        }
    }

    /// The states of a frame that took time before the event `from`, and the states of the frames around it that took
    /// time before the frame started; the last state first. `now` is the current state of the frame and the current
    /// time of the run. Searches at most `most` events.
    pub(in crate::session) fn took(
        &self,
        mut frame: FrameId,
        mut from: u64,
        now: Option<(StateId, Millis)>,
        most: usize,
    ) -> Vec<Took> {
        let mut took: Vec<Took> = Vec::new();
        let mut left = now;
        let mut later = now.map_or(0, |(_, time)| time);
        let mut between_tries = 0;
        let mut searched = 0;
        loop {
            let mut began = None;
            for (number, event) in self.backwards(frame, from).take(most - searched) {
                searched += 1;
                match (event.kind, event.state) {
                    (EventKind::StateExited, Some(state)) => {
                        (left, between_tries) = (Some((state, event.time)), 0);
                    }
                    // Counts only up to the next event, because the end of the run may have cut the wait short.
                    (EventKind::RetryScheduled, _) => {
                        between_tries += later.saturating_sub(event.time);
                    }
                    (EventKind::StateEntered, _) => {
                        if let Some((state, until)) = left.take() {
                            let time = until.saturating_sub(event.time);
                            add(&mut took, state, time, between_tries);
                        }
                    }
                    (kind, _) if kind.begins_frame() => {
                        began = Some(number);
                        break;
                    }
                    _ => {}
                }
                later = event.time;
            }
            match (began, self.parent(frame)) {
                (Some(number), Some(parent)) => (frame, from) = (parent, number),
                _ => return took,
            }
        }
    }
}

fn add(took: &mut Vec<Took>, state: StateId, time: Millis, between_tries: Millis) {
    match took.iter_mut().find(|wait| wait.state == state) {
        _ if time == 0 => {}
        Some(known) => {
            known.time += time;
            known.between_tries += between_tries;
        }
        None => took.push(Took {
            state,
            time,
            between_tries,
        }),
    }
}
