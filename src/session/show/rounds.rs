//! Of a run that timed out: the Maps whose items went one round after another, as no more of them could run at once.
//!
//! It must not know colours or widths.

use crate::definition::StateId;
use crate::interpreter::{EventKind, Frame, FrameId, Millis};
use crate::session::session::Session;
use crate::session::view::{EndView, RoundsView};
use crate::source::Span;
use std::collections::HashMap;

/// How the items of a visit of a Map went.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rounds {
    map: StateId,
    /// The frame that is in the Map.
    frame: FrameId,
    items: u32,
    running: u32,
    ended: u32,
    /// The most that ran at once.
    at_once: u32,
    /// How long the items took that ended, the shortest and the longest.
    took: Option<(Millis, Millis)>,
}

impl Rounds {
    fn count(&self) -> u32 {
        self.items.div_ceil(self.at_once.max(1))
    }

    fn longest(&self) -> Millis {
        self.took.map_or(0, |(_, longest)| longest)
    }

    /// About how long all rounds take; nothing where all items ran at once.
    fn whole(&self) -> Millis {
        match self.at_once < self.items {
            true => self.longest().saturating_mul(self.count().into()),
            false => 0,
        }
    }
}

impl Session {
    /// For each state of the machine's own frame the Map in it, or it itself, whose rounds took the longest.
    pub(super) fn rounds(&self) -> HashMap<StateId, Rounds> {
        let timeline = &self.recording.timeline;
        let mut open: HashMap<FrameId, Rounds> = HashMap::new();
        let mut began: HashMap<FrameId, Millis> = HashMap::new();
        let mut over: Vec<Rounds> = Vec::new();
        for event in (1..=timeline.len()).filter_map(|number| timeline.get(number)) {
            match event.kind {
                EventKind::MapStarted => {
                    let Some(map) = event.state else { continue };
                    let visit = Rounds {
                        map,
                        frame: event.frame,
                        items: event.arg,
                        running: 0,
                        ended: 0,
                        at_once: 0,
                        took: None,
                    };
                    over.extend(open.insert(event.frame, visit));
                }
                EventKind::MapSucceeded => {
                    if let Some(visit) = open.get_mut(&event.frame) {
                        visit.items = visit.items.max(event.arg);
                    }
                }
                EventKind::IterationStarted => {
                    began.insert(event.frame, event.time);
                    let owner = timeline.parent(event.frame);
                    if let Some(visit) = owner.and_then(|owner| open.get_mut(&owner)) {
                        visit.running += 1;
                        visit.at_once = visit.at_once.max(visit.running);
                    }
                }
                EventKind::IterationSucceeded
                | EventKind::IterationFailed
                | EventKind::IterationAborted => {
                    let (Some(since), Some(owner)) =
                        (began.remove(&event.frame), timeline.parent(event.frame))
                    else {
                        continue;
                    };
                    let Some(visit) = open.get_mut(&owner) else {
                        continue;
                    };
                    visit.running = visit.running.saturating_sub(1);
                    if event.kind != EventKind::IterationAborted {
                        visit.ended += 1;
                        let took = event.time.saturating_sub(since);
                        let (least, most) = visit.took.unwrap_or((took, took));
                        visit.took = Some((least.min(took), most.max(took)));
                    }
                }
                _ => {}
            }
        }
        // How many there are to be read is known once they are.
        over.extend(open.into_values().map(|visit| {
            let frame = self.snapshot().machine.frame(visit.frame);
            let group = frame.and_then(|frame| frame.visit.group.as_ref());
            let items = group.map_or(visit.items, |group| visit.items.max(group.total));
            Rounds { items, ..visit }
        }));
        let mut longest: HashMap<StateId, Rounds> = HashMap::new();
        for visit in over.into_iter().filter(|visit| visit.whole() > 0) {
            let Some(outer) = self.outermost(&visit) else {
                continue;
            };
            let known = longest.entry(outer).or_insert(visit);
            // Of equal ones the first.
            if (visit.whole(), known.frame) > (known.whole(), visit.frame) {
                *known = visit;
            }
        }
        longest
    }

    /// The state of the machine's own frame that a visit of a Map belongs to.
    fn outermost(&self, visit: &Rounds) -> Option<StateId> {
        let path = self.recording.timeline.path(visit.frame);
        match path.get(1) {
            None => Some(visit.map),
            Some(first) => self.recording.timeline.lineage(*first)?.owner,
        }
    }

    /// The field that made a Map that timed out run in rounds, where a frame is in that Map.
    pub(super) fn concurrency(&self, end: Option<&EndView>, frame: &Frame) -> Option<Span> {
        let timeout = end?.timeout.as_ref()?;
        let state = self.setup.definition.state(frame.visit.state)?;
        let mut rounds = timeout.spent.iter().filter_map(|one| one.rounds.as_ref());
        rounds.find_map(|rounds| rounds.span.filter(|span| state.span.overlaps(*span)))
    }

    /// The rounds in which a state took its time.
    pub(super) fn rounds_view(&self, id: StateId, rounds: &Rounds) -> RoundsView {
        let definition = &self.setup.definition;
        let map = definition.state(rounds.map);
        let field = map.and_then(|map| map.concurrency_field(rounds.at_once));
        let place = field.and_then(|field| definition.sources.place(field.key));
        let (shortest, longest) = rounds.took.unwrap_or_default();
        RoundsView {
            inside: map.filter(|_| rounds.map != id).map(|map| map.name.clone()),
            count: rounds.count(),
            longest,
            is_even: shortest == longest,
            at_once: rounds.at_once,
            items: rounds.items,
            ended: rounds.ended,
            unit: definition.unit(rounds.map),
            field: field.map(|field| field.name.clone()),
            line: place.map(|place| place.line),
            span: field.map(|field| field.key),
        }
    }
}
