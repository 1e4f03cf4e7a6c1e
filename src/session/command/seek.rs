//! Travels among the recorded events without running: to landmarks such as the next error, and back to the latest event
//! at which a step would have stopped.

use crate::definition::Unit;
use crate::interpreter::{Event, EventKind, FrameId, SlotView};
use crate::session::reply::{Direction, Landmark, Refused, Reply};
use crate::session::session::Session;
use crate::session::stepper::{BackRule, Goal, Rule, Sweep, Swept, fits};
use crate::session::stop_condition::{Stop, Verdict};

/// Maximum number of events to search for a landmark.
const FAR: u64 = 1_000_000;

impl Session {
    /// Travels to the nearest landmark before or after the cursor. If there is none before the cursor, travels to the
    /// beginning, before the first event.
    pub(in crate::session) fn seek(
        &mut self,
        landmark: Landmark,
        direction: Direction,
    ) -> Result<Reply, Refused> {
        let event = match landmark {
            Landmark::State if direction == Direction::Backward => {
                let waited = self.waited_at_timeout().map(|(number, _)| number);
                waited.or_else(|| self.nearest(direction, |kind| kind == EventKind::StateEntered))
            }
            Landmark::Event => {
                let at = self.snapshot().events;
                let next = match direction {
                    Direction::Forward => at.checked_add(1),
                    Direction::Backward => at.checked_sub(1),
                };
                return self.travel_to(next.unwrap_or(u64::MAX));
            }
            Landmark::Attempt(number) => {
                let end = self.end_of_attempt(number);
                return Ok(self.travel(end.ok_or(Refused::NoAttempt(number))?, Stop::Travel));
            }
            Landmark::Stage => self.nearest(direction, is_stage),
            Landmark::State => self.nearest(direction, |kind| kind == EventKind::StateEntered),
            Landmark::Error => self.nearest(direction, |kind| kind == EventKind::ErrorRaised),
        };
        match (event, direction) {
            (Some(number), _) => Ok(self.travel(number, Stop::Travel)),
            (None, Direction::Backward) => Ok(self.travel(0, Stop::Travel)),
            (None, Direction::Forward) => Err(Refused::NothingRecorded),
        }
    }

    /// Travels into an item of the shown Map: to the item's error, or to the item's start if there is no error.
    pub(in crate::session) fn enter_item(&mut self, index: u32) -> Result<Reply, Refused> {
        let map = self.focus_frame().map(|frame| frame.id);
        let map = map.ok_or(Refused::NothingRan)?;
        let machine = &self.snapshot().machine;
        let frame = machine.frame(map);
        let group = frame.and_then(|frame| frame.visit.group.as_ref());
        if let Some(child) = group.and_then(|group| group.live_child(index)) {
            self.stepper.focus = child;
            return Ok(Reply::Focus(child));
        }
        let began = self.item_began(map, index);
        let unit = self.focus_frame().map(|frame| frame.visit.state);
        let unit = unit.map_or(Unit::Item, |id| self.setup.definition.unit(id));
        let (begun, child) = began.ok_or(Refused::ItemNotBegun(unit, index))?;
        let timeline = &self.recording.timeline;
        let ended = timeline
            .events_of(child, begun..=timeline.len())
            .find(|(_, event)| event.kind.ends_frame());
        let failed = ended.filter(|(_, event)| event.kind.fails_frame());
        let error = failed.and_then(|(end, _)| timeline.last_of(child, end, EventKind::Uncaught));
        Ok(self.travel(error.unwrap_or(begun), Stop::Travel))
    }

    /// Enters a branch or item of the focus frame: the first one that is running, otherwise the first one that failed,
    /// otherwise the first one.
    pub(in crate::session) fn enter_child(&mut self) -> Result<Reply, Refused> {
        if let Some(child) = self.child_of_focus() {
            return self.focus_on(Some(child), Refused::NoChild);
        }
        let group = self
            .focus_frame()
            .and_then(|frame| frame.visit.group.as_ref());
        let failed = group.and_then(|group| {
            let mut slots = group.slots.among(|tally| tally.failed > 0);
            let is_failed = |slot: &SlotView| matches!(slot, SlotView::Failed(_));
            slots.find_map(|(index, slot)| is_failed(&slot).then_some(index))
        });
        let entered = self.enter_item(failed.unwrap_or(0));
        entered.map_err(|_| Refused::NoChild)
    }

    /// The event at which an item of a Map last started before or at the cursor, and the frame of the item. If there is
    /// no such event, the event of the next start after the cursor, and its frame.
    fn item_began(&self, map: FrameId, index: u32) -> Option<(u64, FrameId)> {
        let is_it = |number: &u64| {
            let event = self.recording.timeline.get(*number)?;
            let begins = event.kind.begins_frame();
            let parent = self.recording.timeline.parent(event.frame);
            let began = begins && event.arg == index && parent == Some(map);
            began.then_some((*number, event.frame))
        };
        let now = self.snapshot().events;
        let before = (1..=now).rev().find_map(|number| is_it(&number));
        before.or_else(|| (now..=self.recording.timeline.len()).find_map(|number| is_it(&number)))
    }

    /// Travels to a recorded event; 0 means before the first event.
    pub(in crate::session) fn travel_to(&mut self, event: u64) -> Result<Reply, Refused> {
        let last = self.recording.timeline.len();
        if event > last {
            return Err(Refused::NoEvent { last });
        }
        Ok(self.travel(event, Stop::Travel))
    }

    fn nearest(&self, direction: Direction, is: impl Fn(EventKind) -> bool) -> Option<u64> {
        let at = self.snapshot().events;
        let frame = self.focus_frame().filter(|_| at > 0).map(|frame| frame.id);
        let fits = |number: &u64| {
            let event = self.recording.timeline.get(*number);
            event.is_some_and(|event| {
                is(event.kind) && frame.is_none_or(|frame| frame == event.frame)
            })
        };
        match direction {
            Direction::Forward => {
                let until = self.recording.timeline.len().min(at.saturating_add(FAR));
                (at.saturating_add(1)..=until).find(fits)
            }
            Direction::Backward => (at.saturating_sub(FAR).max(1)..at).rev().find(fits),
        }
    }

    /// The event at which the attempt `number` of the focus frame's state ended.
    fn end_of_attempt(&self, number: u32) -> Option<u64> {
        let at = self.snapshot().events;
        let frame = self.focus_frame()?.id;
        let timeline = &self.recording.timeline;
        let entered = timeline.last_of(frame, at, EventKind::StateEntered)?;
        let later = timeline.events_of(frame, entered + 1..=timeline.len());
        let mut visit = later.take_while(|(_, event)| event.kind != EventKind::StateEntered);
        let mut last = (number == 1).then_some(entered);
        if number > 1 {
            let begins = |event: &Event| event.kind == EventKind::Retried && event.arg == number;
            last = visit
                .find(|(_, event)| begins(event))
                .map(|(begun, _)| begun);
        }
        let mut last = last?;
        for (place, event) in visit {
            if event.kind == EventKind::Retried {
                break;
            }
            last = place;
            if ends_attempt(event.kind) {
                break;
            }
        }
        Some(last)
    }
}

fn is_stage(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::StateEntered
            | EventKind::Stage(_)
            | EventKind::Assigned
            | EventKind::Chosen
            | EventKind::TaskSucceeded
            | EventKind::TaskFailed
            | EventKind::TaskTimedOut
            | EventKind::ErrorRaised
            | EventKind::RetryScheduled
            | EventKind::Caught
            | EventKind::StateExited
    )
}

fn ends_attempt(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::TaskSucceeded
            | EventKind::TaskFailed
            | EventKind::TaskTimedOut
            | EventKind::ParallelSucceeded
            | EventKind::ParallelFailed
            | EventKind::MapSucceeded
            | EventKind::MapFailed
            | EventKind::ErrorRaised
    )
}

impl Session {
    pub(in crate::session) fn look_back(&mut self, before: u64, rule: BackRule) {
        let Some(number) = before.checked_sub(1).filter(|number| *number > 0) else {
            self.travel(2.min(self.recording.timeline.len()), Stop::Start);
            return;
        };
        let Some(event) = self.recording.timeline.get(number).copied() else {
            return self.stop_at(Stop::Travel);
        };
        let further = |rule| {
            Some(Goal::Back {
                before: number,
                rule,
            })
        };
        match rule {
            BackRule::Frame(frame, rule) if event.frame == frame && event.kind.begins_frame() => {
                match self.first_entry(number).filter(|_| rule == Rule::End) {
                    Some(entry) => {
                        self.stepper.focus = frame;
                        self.travel(entry, Stop::Step);
                    }
                    // The frame started here; earlier events belong to its parent.
                    None => self.stepper.goal = further(self.around(frame, rule)),
                }
            }
            BackRule::Frame(frame, rule) if event.frame == frame && fits(rule, &event) => {
                self.stepper.focus = frame;
                self.travel(number, Stop::Step);
            }
            BackRule::Stops => {
                match self
                    .breakpoints
                    .may_stop_at(number, &event, &self.setup.definition)
                {
                    Verdict::Stop(stop) => {
                        self.stepper.focus = event.frame;
                        self.travel(number, stop);
                    }
                    Verdict::No => self.stepper.goal = further(rule),
                    Verdict::Unseen => {
                        let data = self.breakpoints.data_seen(self.stepper.focus);
                        self.stepper.sweep = Some(Sweep::up_to(&self.recording, number, data));
                        self.stepper.goal = Some(Goal::Sweep);
                    }
                }
            }
            BackRule::Frame(..) => self.stepper.goal = further(rule),
        }
    }

    /// Returns the rule with which a backward step continues in the parent of a frame: the same rule, except that in
    /// the outermost frame the rule `State` (entry of a state) replaces the rule `End` (end of the frame).
    pub(in crate::session) fn around(&self, frame: FrameId, rule: Rule) -> BackRule {
        let parent = self.recording.timeline.parent(frame).unwrap_or(FrameId(0));
        match rule {
            Rule::End if parent == FrameId(0) => BackRule::Frame(parent, Rule::State),
            other => BackRule::Frame(parent, other),
        }
    }

    /// The event at which the frame that started at event `began` entered its first state; `None` if the frame did not
    /// enter a state before the cursor.
    fn first_entry(&self, began: u64) -> Option<u64> {
        let timeline = &self.recording.timeline;
        let frame = timeline.get(began)?.frame;
        let until = self.snapshot().events.saturating_sub(1);
        let mut events = timeline.events_of(frame, began..=until);
        let entered = events.find(|(_, event)| event.kind == EventKind::StateEntered);
        entered.map(|(number, _)| number)
    }

    /// Replays one event of the range that is searched for stops. At the end of the range, travels to the last stop in
    /// the range. If the range has no stop, continues the search before the range.
    pub(in crate::session) fn sweep_on(&mut self) {
        let Some(sweep) = &mut self.stepper.sweep else {
            return self.stop_at(Stop::Travel);
        };
        match sweep.walk(&self.recording, &self.breakpoints, &*self.setup.server) {
            Swept::More => {}
            Swept::Found(number, frame, stop) => {
                self.stepper.sweep = None;
                self.stepper.focus = frame;
                self.travel(number, stop);
            }
            Swept::Nothing(before) => {
                self.stepper.sweep = None;
                self.stepper.goal = Some(Goal::Back {
                    before,
                    rule: BackRule::Stops,
                });
            }
        }
    }
}
