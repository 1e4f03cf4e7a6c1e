//! Landmarks in what is recorded: the nearest stage, state, error or event, the end of an attempt. Nothing is run.
//!
//! It must not know how a journey to an event goes.

use super::argument::Direction;
use super::landmark::Landmark;
use super::reply::{Refused, Reply};
use super::session::Session;
use super::stop::Stop;
use crate::interpreter::{Event, EventKind, FrameId};

/// So many events are looked through.
const FAR: u64 = 1_000_000;

impl Session {
    /// Travels to the nearest landmark; backwards from the first one to before the first event.
    pub(super) fn seek(
        &mut self,
        landmark: Landmark,
        direction: Direction,
    ) -> Result<Reply, Refused> {
        let found = match landmark {
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
        match (found, direction) {
            (Some(number), _) => Ok(self.travel(number, Stop::Travel)),
            (None, Direction::Backward) => Ok(self.travel(0, Stop::Travel)),
            (None, Direction::Forward) => Err(Refused::NothingRecorded),
        }
    }

    /// Travels to a recorded event, 0 being before the first.
    pub(super) fn travel_to(&mut self, event: u64) -> Result<Reply, Refused> {
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

    /// The event at which an attempt of the state in focus ended.
    fn end_of_attempt(&self, number: u32) -> Option<u64> {
        let at = self.snapshot().events;
        let frame = self.focus_frame()?.id;
        let entered = self
            .own_events(frame, at.saturating_sub(FAR).max(1)..=at)
            .rev();
        let mut entered = entered.filter(|(_, event)| event.kind == EventKind::StateEntered);
        let (entered, _) = entered.next()?;
        let until = self
            .recording
            .timeline
            .len()
            .min(entered.saturating_add(FAR));
        let mut visit = self
            .own_events(frame, entered.saturating_add(1)..=until)
            .take_while(|(_, event)| event.kind != EventKind::StateEntered);
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

    /// The recorded events of a frame.
    fn own_events(
        &self,
        frame: FrameId,
        numbers: std::ops::RangeInclusive<u64>,
    ) -> impl DoubleEndedIterator<Item = (u64, &Event)> {
        numbers.filter_map(move |number| {
            let event = self.recording.timeline.get(number)?;
            (event.frame == frame).then_some((number, event))
        })
    }
}

fn is_stage(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::StateEntered
            | EventKind::Stage(_)
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
